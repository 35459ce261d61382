# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Closed streams, and Ctrl-C at any moment of a command: no traceback, and the usual exit code."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from example_run import record, write_run
from graph import PATIENCE

from bea_ros.runs.folder.run_folder import LOG
from bea_ros.system.terminal import INTERRUPTED, UNREAD

BEA = f"{sys.executable} -m bea_ros"
# What SciPy says where Ctrl-C comes while it makes its functions.
GENERATED = re.compile(r"Error in generated code:\n(.+\n)+\n")
ASKED = {"robot": "spider9", "task": "gait", "seed": 1, "algorithm": "bea", "duration": 30.0}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder / "run", ASKED, record(1), best=1)
    return folder


def shell(line: str, output: int = subprocess.DEVNULL) -> tuple[int, str]:
    """Exit code and standard error of a line for bash."""
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        stdout=output, stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.mark.parametrize("words", ["list {runs}", "--help", "robots", "doctor {runs}/run"])
def test_nobody_reads_what_is_said(runs: Path, words: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    code, said = shell(f"{BEA} {words.format(runs=runs)}", writer)
    os.close(writer)
    assert (code, said) == (UNREAD, "")


def test_somebody_reads_the_first_lines(runs: Path) -> None:
    code, said = shell(f"{BEA} --help | head -1")
    assert code in (0, UNREAD)  # it may be done before the other ends
    assert said == ""


@pytest.mark.parametrize("streams", [">&-", ">&- 2>&-", "<&- >&- 2>&-", "2>&-", "<&-"])
def test_streams_are_closed(runs: Path, streams: str) -> None:
    assert shell(f"{BEA} doctor {runs}/run {streams}") == (0, "")
    assert shell(f"{BEA} doctor {runs}/none {streams} 2>/dev/null") == (2, "")


def test_a_name_has_letters_that_the_output_has_not(tmp_path: Path) -> None:
    """It ended with exit code 2, as an export did whose files were on disk."""
    write_run(tmp_path / "\U0001f98e", ASKED, record(1), best=1)
    assert shell(f"PYTHONIOENCODING=ascii {BEA} list {tmp_path}") == (0, "")


def test_a_learning_run_needs_no_standard_output(tmp_path: Path) -> None:
    options = "--robot gecko7 --evaluations 10 --duration 1 --in-process --no-images"
    for number, streams in enumerate((">&-", "| sleep 0")):
        output = tmp_path / str(number)
        assert shell(f"{BEA} learn --output {output} {options} {streams}") == (0, "")
        assert len((output / LOG).read_bytes().splitlines()) == 10


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_the_disk_behind_standard_output_is_full(runs: Path) -> None:
    code, said = shell(f"{BEA} doctor {runs}/run > /dev/full")
    assert code in (1, 2)
    assert re.fullmatch(r"bea.*: .*No space left on device\n", said)


def test_ctrl_c_that_c_code_prints_makes_no_traceback() -> None:
    """As in libraries that print what goes wrong while they are loaded."""
    code = (
        "import ctypes; from bea_ros.system.terminal import Interrupts; Interrupts().begin(); "
        "ctypes.pythonapi.PyRun_SimpleString(b'raise KeyboardInterrupt')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", "")


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_thread_that_fails_after_ctrl_c_prints_nothing(interrupted: bool) -> None:
    """As those of joblib do, whose work is gone."""
    code = """
import contextlib, signal, sys, threading
from bea_ros.system.terminal import Interrupts
Interrupts().begin()
with contextlib.suppress(KeyboardInterrupt):
    if "True" in sys.argv:
        signal.raise_signal(signal.SIGINT)
thread = threading.Thread(target=lambda: {}[32])
thread.start()
thread.join()
"""
    command = [sys.executable, "-c", code, str(interrupted)]
    said = subprocess.run(command, capture_output=True, text=True).stderr
    assert ("KeyError: 32" in said) is not interrupted
    assert bool(said) is not interrupted


@pytest.mark.parametrize("words", [["list", "."], ["doctor"], ["markers"]])
def test_ctrl_c_at_any_moment_makes_no_traceback(tmp_path: Path, words: list[str]) -> None:
    """From the first line of its own on; what comes before that is the interpreter's."""
    code = (
        "import sys; sys.argv[0] = 'bea'; import bea_ros.__main__ as bea; print(flush=True); "
        "sys.exit(bea.main())"
    )
    for moment in (0.0, 0.1, 0.4, 1.0):
        process = subprocess.Popen(
            [sys.executable, "-c", code, *words], cwd=tmp_path, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "COLUMNS": "80"},
        )  # fmt: skip
        assert process.stdout
        process.stdout.readline()  # it has begun
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
        assert GENERATED.sub("", said) == ""
        assert process.returncode in (0, 1, INTERRUPTED, -signal.SIGINT)


ALONE = """
import runpy, signal, sys
class Keys:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("bea_ros.") and name != "bea_ros.__main__":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Keys())
runpy.run_module("bea_ros", run_name="__main__", alter_sys=True)
"""


def test_ctrl_c_is_handled_before_anything_else_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE, "list"], capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (INTERRUPTED, "")


def test_a_working_directory_that_was_removed_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    code, said = shell(f"mkdir {gone}; cd {gone}; rmdir {gone}; {BEA} learn --evaluations 2")
    assert (code, said) == (
        2,
        "bea learn: the working directory was removed: change to one that exists\n",
    )


def test_the_home_of_nobody_is_named(runs: Path) -> None:
    code, said = shell(f"{BEA} learn --output '~no-such-user/run'")
    assert (code, said) == (
        2,
        "bea learn: ~USER in a path: there is no such user, or no HOME\n",
    )
