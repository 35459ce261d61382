# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Files beside the code are found from a checkout and from an installation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bea_ros.system import resources


@pytest.fixture(autouse=True)
def fresh_cache() -> Iterator[None]:
    resources.share_directory.cache_clear()
    yield
    resources.share_directory.cache_clear()


def test_a_checkout_holds_its_own_files() -> None:
    assert resources.share_directory() == Path(__file__).resolve().parents[2]
    assert resources.resource_path("urdf/spider9.urdf.xacro").is_file()


def test_an_installation_has_them_in_its_share_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = tmp_path / "share" / "bea_ros"
    (share / "urdf" / "modules").mkdir(parents=True)
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "lib" / "bea_ros" / "resources.py"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    assert resources.share_directory() == share


def test_an_ament_workspace_comes_before_the_prefix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ament_index_python")
    share = tmp_path / "install" / "share" / "bea_ros"
    index = tmp_path / "install" / "share" / "ament_index" / "resource_index" / "packages"
    (share / "urdf" / "modules").mkdir(parents=True)
    index.mkdir(parents=True)
    (index / "bea_ros").touch()
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "lib" / "bea_ros" / "resources.py"))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    assert resources.share_directory() == share


def test_missing_files_are_reported_with_the_places_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "__file__", str(tmp_path / "lib" / "bea_ros" / "resources.py"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    with pytest.raises(FileNotFoundError, match=r"urdf/ directory .* looked in"):
        resources.share_directory()
