# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What README and docs tell people to type exists, and what they link to is there."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bea_ros.__main__ import make_parser
from bea_ros.bringup import arguments
from bea_ros.tasks import fitness

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
LAUNCH_ARGUMENTS = {
    one.name
    for value in vars(arguments).values()
    for one in (value if isinstance(value, tuple) else (value,))
    if isinstance(one, arguments.Argument)
}


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def commands(page: Path) -> Iterator[str]:
    """The lines to type: of indented and fenced blocks, continued lines joined, comments off."""
    text = page.read_text().replace("\\\n", " ")
    fenced = "\n".join(re.findall(r"^```(?:bash|sh)\n(.*?)^```", text, re.M | re.S))
    indented = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    lines = [*re.findall(r"^ {4}(\S.*)$", indented, re.M), *fenced.splitlines()]
    yield from (re.sub(r"\s+#.*$", "", line).strip() for line in lines)


def code_blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)


def anchors(page: Path) -> set[str]:
    """Of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    kept = (re.sub(r"[^\w\- ]", "", h.lower()) for h in re.findall(r"^#+ (.*)$", text, re.M))
    return {heading.strip().replace(" ", "-") for heading in kept}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_the_commands_of_bea_are_understood(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = make_parser()
    wrong = []
    for line in commands(page):
        words = line.removeprefix(".venv/bin/")
        if not words.startswith("bea ") or "..." in words:
            continue
        try:
            parser.parse_args(shlex.split(words)[1:])
        except (SystemExit, argparse.ArgumentError):
            wrong.append(f"{line}: {capsys.readouterr().err.strip().splitlines()[-1]}")
    assert not wrong


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_launch_files_and_their_arguments_exist(page: Path) -> None:
    for line in commands(page):
        found = re.match(r"ros2 launch bea_ros (\S+) ?(.*)", line)
        if not found:
            continue
        assert (ROOT / "launch" / found[1]).is_file(), line
        given = {word.split(":=")[0] for word in shlex.split(found[2]) if ":=" in word}
        assert given <= LAUNCH_ARGUMENTS, line


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_what_make_is_told_to_make_is_a_target(page: Path) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.M))
    for line in commands(page):
        if line.startswith("make "):
            wanted = [word for word in line.split()[1:] if "=" not in word]
            assert set(wanted) <= targets, line


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if target.startswith("http"):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        assert ROOT in (file, *file.parents), target
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), target


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        if page.name != "README.md":
            assert f"({page.relative_to(ROOT / 'docs')})" in index, page


def test_the_readme_is_read_to_the_end() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


@pytest.mark.parametrize("page", ["README.md", "docs/tutorials/own_optimizer.md"])
def test_the_optimizers_of_the_pages_run(page: str) -> None:
    code = "\n".join(code_blocks(ROOT / page))
    names: dict[str, object] = {}
    exec(compile(code, page, "exec"), names)
    x, fitness = names["optimizer"].best  # type: ignore[attr-defined]
    assert np.isfinite(fitness)
    assert ((x >= 0) & (x <= 1)).all()


def test_the_task_of_the_tutorial_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitness, "TASKS", dict(fitness.TASKS))
    (code,) = code_blocks(ROOT / "docs/tutorials/own_task.md")
    exec(compile(code, "own_task.md", "exec"), vars(fitness).copy())
    path = fitness.Trajectory([0.0, 10.0], [0.0, 0.5], [0.0, 0.0], [0.0, 0.0])
    assert fitness.find_task("strolling").evaluate(path, 20.0).value == 1.0


def test_optuna_samples_as_the_page_says() -> None:
    pytest.importorskip("optuna", reason="optuna is not installed")
    (code,) = code_blocks(ROOT / "docs/optimizers.md")
    names: dict[str, Any] = {"objective": lambda trial: trial.suggest_float("x", 0.0, 1.0)}
    exec(compile(code.replace("500", "20"), "optimizers.md", "exec"), names)
    assert len(names["study"].trials) == 20


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="mkdocs-material is not installed")
    # --quiet would hide warnings from --strict
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "true"}
    done = subprocess.run(build, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "tutorials" / "first_walk" / "index.html").is_file()
