# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pulses through gpiozero's pins, with the library beneath them written down, or missing."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock, call

import pytest
from settling import settle

from bea_ros.hardware import gpio, output_link
from bea_ros.hardware.errors import HardwareError

mock = pytest.importorskip("gpiozero.pins.mock", reason="gpiozero is not installed")


def test_pulses_by_lgpio_are_not_cut_to_whole_per_cent(monkeypatch: pytest.MonkeyPatch) -> None:
    library = MagicMock(error=RuntimeError)
    library.gpio_get_mode.return_value = 2  # an output
    monkeypatch.setitem(sys.modules, "lgpio", library)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    factory = SimpleNamespace(_handle=7)
    pin_class = gpio.with_exact_pulses(factory).pin_class
    ((_, info),) = mock.MockFactory().board_info.find_pin("GPIO27")
    pin = pin_class(factory, info)
    pin.frequency = 50.0
    for pulse in (1188.06, 1500.0):
        pin.state = pulse * 1e-6 * 50.0
    pin.frequency = None
    told = [one.args for one in library.tx_pwm.call_args_list]
    assert told == [
        (7, 27, 50.0, 0),
        (7, 27, 50.0, pytest.approx(5.9403)),
        (7, 27, 50.0, pytest.approx(7.5)),
        (7, 27, 0, 0),
    ]
    assert pin.frequency is None
    # lgpio leaves the pin as it is, which may be in the middle of a pulse.
    assert library.mock_calls[-1] == call.gpio_write(7, 27, 0)


class PigpioDaemon:
    """The pulses of pigpio's daemon, which has only some frequencies."""

    def __init__(self, host: str, port: int) -> None:
        self.connected = True
        self.mode, self.frequency, self.range, self.duty = 0, 800, 255, 0

    def set_PWM_frequency(self, pin: int, wanted: int) -> None:
        self.frequency = min(10, 20, 40, 50, 80, 100, key=lambda rate: abs(rate - wanted))

    def get_PWM_frequency(self, pin: int) -> int:
        return self.frequency

    def set_PWM_range(self, pin: int, steps: int) -> None:
        self.range = steps

    def get_PWM_range(self, pin: int) -> int:
        return self.range

    def set_PWM_dutycycle(self, pin: int, duty: int) -> None:
        self.duty = duty

    def get_PWM_dutycycle(self, pin: int) -> int:
        return self.duty

    def set_mode(self, pin: int, mode: int) -> None:
        self.mode = mode

    def get_mode(self, pin: int) -> int:
        return self.mode

    def __getattr__(self, name: str) -> MagicMock:
        return MagicMock(return_value=0xA02082)  # a Raspberry Pi 3's revision


def test_a_pulse_by_pigpio_has_its_length_at_the_frequency_that_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    daemons: list[PigpioDaemon] = []

    def connect(host: str, port: int) -> PigpioDaemon:
        daemons.append(PigpioDaemon(host, port))
        return daemons[-1]

    library = MagicMock(pi=connect, INPUT=0, OUTPUT=1, error=RuntimeError)
    monkeypatch.setitem(sys.modules, "pigpio", library)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.pigpio", raising=False)
    for frequency in (40.0, 47.0, 50.0, 60.0):
        outputs = gpio.GpioOutputs([27], frequency, "pigpio")
        outputs.start()
        outputs.write({27: 1990.0})
        daemon = daemons[-1]
        assert daemon.duty / daemon.range / daemon.frequency * 1e6 == pytest.approx(1990, abs=3)
        outputs.close()


def test_pins_without_pulses_say_which_library_makes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpio, "_factory", lambda pins: mock.MockFactory())
    with pytest.raises(
        HardwareError, match="lgpio or pigpio: apt install python3-gpiozero python3-lgpio"
    ):
        gpio.GpioOutputs([27], 50.0)


def test_lgpio_is_loaded_where_the_folder_may_not_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It makes a pipe in the working directory, where another user may have left one."""
    (tmp_path / "lgpio.py").write_text(
        "import os\nos.mkfifo('.lgd-nfy0')\ndef __getattr__(name): return 0  # its constants\n"
    )
    (tmp_path / ".lgd-nfy0").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    for module in ("lgpio", "gpiozero.pins.lgpio"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(HardwareError, match="revision"):  # this is no Raspberry Pi
        gpio._factory("lgpio")
    assert Path.cwd() == tmp_path


@pytest.mark.parametrize("library", ["lgpio", "pigpio"])
def test_a_library_that_is_missing_is_the_one_to_install(
    monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"gpiozero.pins.{library}", raising=False)
    said = f"^{library} is not installed: apt install python3-{library}, or pip"
    with pytest.raises(HardwareError, match=said):
        gpio.GpioOutputs([27], 50.0, library)


def test_pigpio_without_its_daemon_is_one_line_through_the_output_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """pigpio prints a page on stdout, where the answers of the output process go."""
    (tmp_path / "pigpio.py").write_text(
        "def __getattr__(name): return 0  # its constants\n"
        "class pi:\n"
        "    def __init__(self, host, port): print('Did you start the pigpio daemon?')\n"
    )
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "pigpio")
    monkeypatch.setattr(output_link, "STARTING", 180.0)  # a busy machine loads slowly
    for pins in ("pigpio", "auto"):
        with pytest.raises(HardwareError) as failure:
            output_link.OutputLink({"driver": "gpio", "frequency": 50.0}, pins, [27])
        said = str(failure.value)
        assert said.startswith("pins pigpio: OSError: failed to connect to localhost:8888")
        assert said.endswith("sudo systemctl start pigpiod")


PIGPIO = """
import os
from types import SimpleNamespace
from pathlib import Path
INPUT, OUTPUT, ALT0, ALT1, ALT2, ALT3, ALT4, ALT5 = range(8)
error = type("error", (Exception,), {})
def __getattr__(name): return 0  # the other constants
class pi:
    def __init__(self, host, port):
        self.daemon = Path(os.environ["DAEMON"])
        self.known = self.daemon.read_text()
        self.sl = SimpleNamespace(s=self.known or None)
        self.kept = {}
    def __getattr__(self, name):
        def call(*arguments):
            if self.daemon.read_text() != self.known:
                raise BrokenPipeError("Broken pipe")
            if name.startswith("set_"):
                self.kept[name[4:]] = arguments[1]
            return 0xA02082 if "revision" in name else self.kept.get(name[4:], 0)
        return call
"""


@pytest.mark.parametrize("pins", ["pigpio", "auto"])
def test_a_daemon_that_was_started_again_is_connected_again(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    pins: str,
) -> None:
    """pigpio keeps a connection that its daemon has ended."""
    daemon = tmp_path / "daemon"
    daemon.write_text("first")
    (tmp_path / "pigpio.py").write_text(PIGPIO)
    monkeypatch.setenv("DAEMON", str(daemon))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "pigpio")
    monkeypatch.setattr(output_link, "STARTING", 180.0)  # a busy machine loads slowly
    link = output_link.OutputLink({"driver": "gpio", "frequency": 50.0}, pins, [27], hang=60.0)
    try:
        send(link, 1500.0)
        daemon.write_text("")
        link.send({27: 1600.0})
        settle(lambda: link.fault == "GPIO pins: Broken pipe", link)
        link.send({})  # as the driver does after a fault
        settle(lambda: "is its daemon running?" in link.fault, link)
        daemon.write_text("second")
        settle(lambda: not link.fault and link.relaxed, link)
        send(link, 1600.0)
        send(link)
    finally:
        link.close(60.0)
    assert "Traceback" not in capfd.readouterr().err


def send(link: output_link.OutputLink, *pulses: float) -> None:
    """Have a pulse (us) made, or none."""
    link.send(dict.fromkeys([27], *pulses) if pulses else {})
    settle(lambda: not link.pending and link.asked is None, link)
    assert not link.fault
    assert link.relaxed == (not pulses)
