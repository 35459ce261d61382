# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What `bea` says of itself: defaults that are true, and what may have been meant."""

import argparse
import errno
import importlib.util
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from bea_ros.__main__ import main, make_parser
from bea_ros.bringup.arguments import (
    LEARN_ARGUMENTS,
    PAGE,
    PROCESS_ARGUMENTS,
    RECORD_ARGUMENTS,
    ROBOT_ARGUMENTS,
    VALIDATE_ARGUMENTS,
)
from bea_ros.commands import adapt
from bea_ros.commands.graphs import OF_RUN
from bea_ros.commands.parser import spoken
from bea_ros.runs.folder.lock import RunLock
from bea_ros.studies.functions import EVALUATION_TIMES

GRAPH = (*LEARN_ARGUMENTS, *PROCESS_ARGUMENTS, *RECORD_ARGUMENTS, *ROBOT_ARGUMENTS, PAGE)
OF_GRAPHS = {a.name: a.default for a in GRAPH}
# Where a command decides a default only when it runs: what it takes then.
DECIDED = {
    "bea learn": OF_GRAPHS,
    "bea adapt": OF_GRAPHS | adapt.OWN,
    "bea replay": OF_GRAPHS,
    "bea servo": OF_GRAPHS,
    "bea validate": OF_GRAPHS | {a.name: a.default for a in VALIDATE_ARGUMENTS},
}
PLANS = {
    "bea bench bbob": "bea_ros.studies.bbob.study",
    "bea bench optimizers": "bea_ros.studies.optimizers.study",
    "bea bench adaptation": "bea_ros.studies.adaptation.plan",
    "bea bench robots": "bea_ros.studies.robots.plan",
    "bea bench functions": "bea_ros.studies.functions.plan",
}
# Words that stand for a default, which is no value that one could give.
IN_WORDS = (
    "the ", "one per core", "all", "what ROS_DOMAIN_ID says", "a gait drawn", "first seen",
    "VIDEO's name", "RUN/export", "config/arena.yaml", "topic camera_info", "a video's",
    "markers.pdf", "repertoires/ROBOT", "repertoire-ROBOT-TASK.html", "bench/robots/PROFILE",
    "bench/functions/PROFILE", "bench/bbob,", "bench/optimizers,", "bench/adaptation/default",
    "960 540, or 640 360", "bo ea bea", ", where installed",
)  # fmt: skip


def commands(parser):
    """Every command's parser, and its options but --help."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from commands(command)
        elif not isinstance(action, argparse._HelpAction):
            yield parser, action


def decided(command, option):
    """What an option comes to where a command decides that when it runs; None if it does not."""
    if option == "evaluation_time" and command == "bea bench functions":
        return EVALUATION_TIMES
    if command in PLANS:
        plan = pytest.importorskip(PLANS[command]).Plan
        return {field.name: field.default for field in fields(plan)}.get(option)
    return DECIDED.get(command, {}).get(option)


@pytest.mark.parametrize(
    ("parser", "action"),
    [pytest.param(*pair, id=f"{pair[0].prog} {pair[1].dest}") for pair in commands(make_parser())],
)
def test_the_default_that_is_printed_is_the_one_that_is_taken(parser, action):
    assert action.help, f"{parser.prog} {action.dest} says nothing of itself"
    printed = parser._get_formatter()._get_help_string(action)
    found = re.search(r"\(default:? ?([^)]*)\)", printed)
    real = action.default
    if real is None:
        real = decided(parser.prog, action.dest)
    if found is None:
        assert real in (None, "", False, True, argparse.SUPPRESS), "says no default"
    elif found[1] == "the run's":
        assert parser.prog not in ("bea replay", "bea validate") or action.dest in OF_RUN
    elif real is not None and not found[1].startswith(IN_WORDS):
        assert found[1] == spoken(real)
    elif action.default not in ("", -1, 0.0, None):
        pytest.fail(f"{found[1]} stands for a value, {action.default}")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("lern", "bea: argument COMMAND: unknown lern: did you mean learn?"),
        ("bench lop", "bea bench: argument WHAT: unknown lop: did you mean loop?"),
        ("learn --evaluatons 3", "bea learn: unknown --evaluatons: did you mean --evaluations?"),
        ("learn --evaluatons=3", "bea learn: unknown --evaluatons=3: did you mean --evaluations?"),
        (
            "learn --algorithm boa",
            "bea learn: argument --algorithm: unknown boa: did you mean bo?",
        ),
        ("learn docs", "bea learn: unknown docs: did you mean --output docs? "),
        (f"learn {'x' * 300}", "bea learn: unknown xxx"),  # too long for a name of a file
        ("learn --page xyz", "bea learn: argument --page: unknown xyz: only off, local, lan"),
        ("operator paus", "bea operator: argument REQUEST: unknown paus: did you mean pause?"),
        ("robots others", "bea robots: unknown others ("),
        ("bench", "bea bench: the following arguments are required: WHAT: loop, onboard, "),
        ("film --seed -1", "bea film: argument --seed: -1 is below 0"),
        ("validate RUN --seed -1", "bea validate: argument --seed: -1 is below 0"),
        ("bench carried --seed -1", "bea bench carried: argument --seed: -1 is below 0"),
    ],
)
def test_a_word_that_is_not_known_is_refused_in_one_line_with_what_is_like_it(
    typed, said, capsys, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    with pytest.raises(SystemExit) as ended:
        main(typed.split())
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(said)


@pytest.mark.parametrize("words", [["--output=~/a b.pdf"], ["--output", "~/a b.pdf"]])
def test_the_home_is_found_where_the_shell_leaves_it(words, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert main(["markers", *words]) == 0
    assert list(tmp_path.rglob("*.pdf")) == [tmp_path / "a b.pdf"]


def test_bea_says_its_version(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert re.match(r"bea \d+\.\d+\.\d+ \(Python 3\.", capsys.readouterr().out)


def completions(line, tmp_path):
    """What a shell would offer behind a line."""
    answer = tmp_path / "answer"
    environment = {
        **os.environ, "_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
    }  # fmt: skip
    subprocess.run(
        [sys.executable, "-m", "bea_ros"], env=environment, check=True, capture_output=True
    )
    return answer.read_text().split("\n")


@pytest.mark.skipif(not importlib.util.find_spec("argcomplete"), reason="pip install argcomplete")
def test_shells_complete_commands_options_and_choices(tmp_path):
    assert {"learn", "list"} <= set(completions("bea l", tmp_path))
    assert completions("bea learn --evalu", tmp_path) == ["--evaluations"]
    assert completions("bea learn --algorithm ", tmp_path) == ["bea", "bo", "ea"]
    assert set(completions("bea learn --robot ", tmp_path)) == {"babyA", "gecko7", "spider9"}
    assert completions("bea learn --task ro", tmp_path) == ["rotating"]
    walker = tmp_path / "walker.urdf.xacro"
    walker.touch()
    assert completions(f"bea explore --robot {tmp_path}/w", tmp_path) == [str(walker)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--evaluations", "ten"], "argument --evaluations: 'ten' is not a whole number"),
        (["--seed", "1.5"], "argument --seed: '1.5' is not a whole number"),
        (["--duration", "long"], "argument --duration: 'long' is not a number"),
    ],
)
def test_a_word_in_place_of_a_number_is_refused_in_plain_words(words, said, capsys):
    with pytest.raises(SystemExit):
        main(["learn", *words])
    assert capsys.readouterr().err == f"bea learn: {said} (all there is: bea learn --help)\n"


def test_a_run_in_use_is_refused_before_a_node_starts(make_run, capsys, monkeypatch) -> None:
    """Which would disturb the other run, if both have one ROS_DOMAIN_ID."""
    run = make_run()
    monkeypatch.setattr("bea_ros.commands.learn.start", lambda *_: pytest.fail("nodes start"))
    other = RunLock(run)
    assert main(["learn", "--output", str(run)]) == 2
    assert f"{run} is in use by another learner" in capsys.readouterr().err
    other.close()


def test_a_wrong_file_is_not_printed_whole(tmp_path, capsys) -> None:
    (tmp_path / "big.yaml").write_text("x" * 100_000)
    arena = ["--arena", str(tmp_path / "big.yaml"), "--output", str(tmp_path / "run")]
    assert main(["learn", *arena]) == 2
    said = capsys.readouterr().err
    assert "must be a mapping, not 'xxx" in said
    assert len(said) < 300


def test_a_folder_that_cannot_be_written_is_told_by_the_file_that_was_asked_for(
    tmp_path, capsys, monkeypatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), "temporary")

    monkeypatch.setattr(Path, "unlink", refuse)
    assert main(["markers", "--robot", "spider9", "--output", str(tmp_path / "m.pdf")]) == 2
    assert f"{tmp_path / 'm.pdf'}: {os.strerror(errno.EROFS)}" in capsys.readouterr().err
