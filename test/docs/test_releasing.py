# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/releasing.md fill in the repository's address wherever it is missing."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    "README.md", "CONTRIBUTING.md", "CITATION.cff", "mkdocs.yml", "setup.py",
    "package.xml", "bea_ros_interfaces/package.xml",
)  # fmt: skip


def test_the_address_is_filled_in_by_the_commands(tmp_path: Path) -> None:
    package = pytest.importorskip("catkin_pkg.package", reason="catkin_pkg is not installed")
    shutil.copytree(ROOT / "docs", tmp_path / "docs", ignore=shutil.ignore_patterns("images"))
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    page = (ROOT / "docs" / "releasing.md").read_text()
    (commands,) = re.findall(r"^```bash\n(.*?)^```", page, re.M | re.S)
    subprocess.run(["bash", "-ec", commands], cwd=tmp_path, check=True)
    url, email = re.findall(r"^(?:url|email)=(\S+)", commands, re.M)
    for name in ("package.xml", "bea_ros_interfaces/package.xml"):
        warnings: list[str] = []
        found = package.parse_package(str(tmp_path / name), warnings=warnings)
        assert not warnings
        assert [(one.type, one.url) for one in found.urls] == [("repository", url)]
        assert [one.email for one in found.maintainers] == [email]
    assert yaml.safe_load((tmp_path / "CITATION.cff").read_text())["repository-code"] == url
    assert yaml.safe_load((tmp_path / "mkdocs.yml").read_text())["repo_url"] == url
    left = [
        path.name
        for path in [*tmp_path.glob("*.*"), *tmp_path.rglob("docs/*.md")]
        if path.name != "releasing.md"
        and re.search("<this repository>|maintainer@example", path.read_text())
    ]
    assert not left
