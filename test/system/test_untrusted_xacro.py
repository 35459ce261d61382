# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's files run nothing, read nothing but XML, and end."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import xacro
from graph import wait_for

from bea_ros.__main__ import main
from bea_ros.robots import RobotError, load_robot
from bea_ros.system import untrusted_xacro
from bea_ros.system.arithmetic import ExpressionError, value_of
from bea_ros.system.resources import resource_path
from bea_ros.system.untrusted_xacro import expand

MODULES = {"generation": "small", "masses": "nominal"} | {
    "modules": str(resource_path("urdf/modules"))
}
HEAD = '<robot name="w" xmlns:xacro="http://www.ros.org/wiki/xacro">'
# The way from nothing to a process: subprocess.Popen is a subclass of object.
TOUCH = (
    "[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen'][0]"
    "(['touch', 'TOUCHED'])"
)
FRAME = (
    "[g for g in [[]] for x in [[]] if x.append((f.gi_frame.f_back.f_back.f_globals for f in x)) "
    "or x.append(x[0]) or list(x[0])]"
)
CODE = {
    "lambda": f"(lambda: {TOUCH})()",
    "nested lambda": f"(lambda a: (lambda: a or {TOUCH})())(0)",
    "list": TOUCH,
    "generator": f"list({TOUCH} for x in [0])",
    "frame": FRAME,
    "map": "list(map(xacro.load_yaml, ['evil.yaml']))",
    "yaml": "xacro.load_yaml('evil.yaml')",
    "format": "'{0.__class__}'.format(1)",
    "type": "python.type('A', (), dict(a=1))",
    "vars": "python.vars(math)",
    "function": "cos",
    "space": "xacro",
    "method": "[].append(1)",
    "attribute": "(1).real",
    "walrus": "(a := 1)",
    "star": "max(*[1, 2])",
    "table": "dict(**dict(a=1))",
    "table of tables": "{**{}}",
    "f-string": "f'a'",
    "bytes": "b'a'",
    "element": "block",
}
EXTENSIONS = [f"$(eval {TOUCH.replace('__', '_')})", "$(env HOME)", "$(optenv HOME)"]
LAMBDA = f"${{{CODE['lambda']}}}"
MACRO = '<xacro:macro name="m" params="%s">%s</xacro:macro>'
BLOCK = MACRO % ("*b", '<xacro:insert_block name="b"/>')
PLACES = {
    "attribute": '<link name="CODE"/>',
    "text": "<a>CODE</a>",
    "property": '<xacro:property name="p" value="CODE"/><a b="${p}"/>',
    "eager property": '<xacro:property name="p" value="CODE" lazy_eval="false"/>',
    "condition": '<xacro:if value="CODE"><a/></xacro:if>',
    "include": '<xacro:include filename="CODE"/>',
    "macro's default": MACRO % ("p:=CODE", '<a b="${p}"/>') + "<xacro:m/>",
    "macro's argument": MACRO % ("p", '<a b="${p}"/>') + '<xacro:m p="CODE"/>',
    "block": BLOCK + '<xacro:m><a b="CODE"/></xacro:m>',
    "second time": BLOCK + '<xacro:m><a b="$CODE"/></xacro:m>',
    "included": '<xacro:include filename="inside.xacro"/>',
    "element": '<xacro:element xacro:name="CODE"/>',
    "call": '<xacro:call macro="CODE"/>',
    "comment": "<!-- xacro:eval-comments --><!-- CODE -->",
    "argument": '<xacro:arg name="p" default="CODE"/><a b="$(arg p)"/>',
}  # fmt: skip


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """A function that writes a robot of this XML, and its numbers."""
    (tmp_path / "w.yaml").write_text("marker_id: 3\n")
    (tmp_path / "evil.yaml").write_text(f'a: !degrees "{TOUCH}"\n')

    inside = f"{HEAD}<a>{LAMBDA}</a></robot>".replace("TOUCHED", str(tmp_path / "touched"))
    (tmp_path / "inside.xacro").write_text(inside)

    def make(inside: str) -> Path:
        path = tmp_path / "w.urdf.xacro"
        path.write_text(f"{HEAD}{inside}</robot>".replace("TOUCHED", str(tmp_path / "touched")))
        return path

    return make


def refusal_of(path: Path) -> str:
    with pytest.raises(RobotError) as refused:
        load_robot(path)
    message = str(refused.value)
    assert len(message.splitlines()) == 1
    return message


@pytest.mark.parametrize("code", CODE)
def test_an_expression_is_arithmetic_or_refused(tmp_path: Path, code: str) -> None:
    text = CODE[code].replace("TOUCHED", str(tmp_path / "touched"))
    with pytest.raises(ExpressionError, match="may use"):
        value_of(text, {**xacro._global_symbols, "block": object()}, {})
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize("code", EXTENSIONS)
def test_of_the_environment_nothing_is_read(write: Callable[[str], Path], code: str) -> None:
    assert "is refused" in refusal_of(write(f"<a>{code}</a>"))


@pytest.mark.parametrize("place", PLACES)
def test_wherever_it_stands(write: Callable[[str], Path], tmp_path: Path, place: str) -> None:
    assert "may use" in refusal_of(write(PLACES[place].replace("CODE", LAMBDA)))
    assert not (tmp_path / "touched").exists()


def test_the_examples_run_where_nothing_keeps_them_from_it(
    write: Callable[[str], Path], tmp_path: Path
) -> None:
    """Else the tests above would show nothing."""
    xacro.process_file(str(write(f"<a>{LAMBDA}</a>")))
    wait_for((tmp_path / "touched").exists)


MANY = "".join(
    f'<xacro:macro name="m{i + 1}" params="">{f"<xacro:m{i}/>" * 30}</xacro:macro>'
    for i in range(12)
)
ENDLESS = {
    "power": "<a>${9**9**9}</a>",
    "list": "<a>${[0] * 10**12}</a>",
    "doubling": f'<xacro:macro name="m0" params=""><a/></xacro:macro>{MANY}<xacro:m12/>',
    "recursion": '<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>',
    "arguments": f'<xacro:macro name="m" params="a:={"a" * 60}\'"/>',
    "brackets": f"<a>${{{'(' * 5000}}}</a>",
    "itself": '<xacro:include filename="w.urdf.xacro"/>',
    "device": '<xacro:include filename="/dev/zero"/>',
    "fifo": '<xacro:include filename="fifo"/>',
    "folder": '<xacro:include filename="."/>',
}


@pytest.mark.parametrize("what", ENDLESS)
def test_what_does_not_end_is_ended(
    write: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    os.mkfifo(tmp_path / "fifo")
    # A second is enough to see it; the process imports the modules anew.
    quick = untrusted_xacro.CHILD.replace(
        "import main; main()",
        "import main; import bea_ros.system.untrusted_xacro as u; u.PROCESSOR_TIME = 1; main()",
    )
    monkeypatch.setattr(untrusted_xacro, "CHILD", quick)
    assert refusal_of(write(ENDLESS[what]))


def test_a_robot_file_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text("marker_id: 3\n")
    path = tmp_path / "w.urdf.xacro"
    lol = "".join(f'<!ENTITY l{i + 1} "{f"&l{i};" * 9}">' for i in range(12))
    for text in (
        f'<!DOCTYPE robot [<!ENTITY l0 "lol">{lol}]>{HEAD}&l12;</robot>',
        f'<!DOCTYPE robot [<!ENTITY x SYSTEM "/etc/hostname">]>{HEAD}&x;</robot>',
        "",
        f"{HEAD}{' ' * 2**20}</robot>",
    ):
        path.write_text(text)
        assert refusal_of(path)


def test_what_is_said_of_a_file_changes_no_terminal(write: Callable[[str], Path]) -> None:
    assert "\x1b" not in refusal_of(write(r"<a>${xacro.fatal('\x1b[2J')}</a>"))


@pytest.mark.parametrize("robot", ["spider9", "gecko7", "babyA"])
@pytest.mark.parametrize(("generation", "masses"), [("small", "measured"), ("large", "nominal")])
def test_honest_files_become_what_xacro_makes_of_them(
    robot: str, generation: str, masses: str
) -> None:
    path = resource_path(f"urdf/{robot}.urdf.xacro")
    arguments = MODULES | {"generation": generation, "masses": masses}
    assert expand(path, arguments) == load_robot(robot, generation, masses).urdf


ARITHMETIC = [
    "1 + 2 * 3 - 4 / 5", "-x ** 2 // 3 % 7", "not x > 2", "1 < x <= 3 != 4", "x if x else 'no'",
    "x and 0 or 'b'", "[1, 2, 3][-1]", "(1, 2, 3)[1:]", "{'a': 1}['a']", "dict(a=1, b=2)['b']",
    "'a' in 'bar'", "'a' not in ['a']", "x is None", "'leg_01'.split('_')[-1]",
    "'-'.join(['a', 'b'])",
    "round(cos(pi / 3) * radians(30), 9)", "math.sqrt(2) + math.pi", "max([1, 2]) + min(1, 2)",
    "len('abc') + python.abs(-3) + int('4') + float('.5')", "str(3) + 'a'",
    "list(range.values())[0]",
    "python.sum([1, 2.5])", "'%03d' % 7", "python.round(2.5)",
]  # fmt: skip


@pytest.mark.parametrize("text", ARITHMETIC)
def test_arithmetic_is_pythons(text: str) -> None:
    names = {**xacro._global_symbols, "x": 3, "range": {"low": 1}}
    assert value_of(text, names, {}) == xacro.safe_eval(text, dict(names))


@pytest.mark.parametrize("command", ["replay", "watch", "validate"])
def test_a_run_from_a_stranger_is_safe_to_look_at(
    make_run: Callable[..., Path],
    write: Callable[[str], Path],
    tmp_path: Path,
    command: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = make_run()
    robot = write(f"<a>{LAMBDA}</a>")
    for name in ("run.yaml", "best.yaml"):
        text = (run / name).read_text().replace("gecko7", str(robot))
        (run / name).write_text(text[: text.index("# crc")])
    (run / "run.yaml").write_text((run / "run.yaml").read_text().replace("format: 2", "format: 1"))
    code, said = main([command, str(run)]), capsys.readouterr().err
    assert not (tmp_path / "touched").exists()
    assert "Traceback" not in said
    assert code == 2, said
    assert "may use" in said
