# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Who may import whom: a room of bea_ros imports the rooms named beside it, and no other.

Each of these stands above it in the table, so that there is no way round in a circle. A new arrow
is a line here; docs/architecture.md draws them.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "bea_ros"
MAY_IMPORT = {
    "system": "",
    "optimizers": "",
    "tasks": "",
    "images": "system",
    "robots": "system",
    "hardware": "system robots",
    "localization": "system images robots tasks",
    "runs": "system optimizers robots tasks",
    "bags": "system localization runs tasks",
    "camera_setup": "system images localization robots",
    "simulation": "system images localization robots tasks",
    "gazebo": "system images localization robots runs simulation tasks",
    "report": "system bags images localization optimizers robots runs simulation tasks",
    "repertoire": "system localization optimizers report robots runs simulation tasks",
    "nodes": "system bags gazebo hardware images localization optimizers repertoire report robots "
    "runs simulation tasks",
    "bringup": "system hardware localization nodes robots runs tasks",
    "doctor": "system localization robots runs simulation",
    "studies": "system localization optimizers repertoire report robots runs simulation tasks",
    "bench": "system images localization nodes optimizers report robots runs simulation studies "
    "tasks",
    "commands": "system bags bench bringup camera_setup doctor gazebo hardware images "
    "localization nodes repertoire report robots runs simulation studies tasks",
}
# The same inside nodes/: a node knows of no other, apart from what simulators have in common.
NODES_MAY_IMPORT = {
    "shared": "",
    "learner": "shared executables",
    "page": "shared executables",
    "validator": "shared executables",
    "simulator": "shared",
    "gazebo": "shared simulator",
    "clients": "shared learner",
    "camera_localization": "shared",
    "cpg_controller": "shared",
    "in_process": "shared camera_localization cpg_controller learner simulator",
}


def imports_of(folder: Path, package: str) -> Iterator[tuple[str, str, Path]]:
    """Each import between parts of a package: who, whom, and the file that does so."""
    for path in folder.rglob("*.py"):
        here = path.relative_to(folder).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                inside = node.module == package
                names = [f"{package}.{a.name}" for a in node.names] if inside else [node.module]
            for name in names:
                there = name.removeprefix(f"{package}.").split(".")[0]
                if name.startswith(f"{package}.") and there != here:
                    yield here, there, path


def test_a_room_imports_only_those_that_it_may() -> None:
    for room, other, path in imports_of(PACKAGE, "bea_ros"):
        if room not in ("__init__", "__main__"):
            assert other in MAY_IMPORT[room].split(), f"{path} imports {other}"


def test_a_node_imports_only_what_nodes_share() -> None:
    for node, other, path in imports_of(PACKAGE / "nodes", "bea_ros.nodes"):
        assert other in NODES_MAY_IMPORT.get(node, "shared").split(), f"{path} imports {other}"


def test_no_modules_import_each_other_in_a_circle() -> None:
    files = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path
        for path in PACKAGE.rglob("*.py")
    }
    imports: dict[str, set[str]] = {}
    for name, path in files.items():
        froms = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)]
        wanted = {f"{n.module}.{a.name}" for n in froms for a in n.names}
        imports[name] = (wanted | {n.module or "" for n in froms}) & set(files)
    TopologicalSorter(imports).prepare()  # raises CycleError


@pytest.mark.parametrize("table", [MAY_IMPORT, NODES_MAY_IMPORT])
def test_arrows_point_one_way(table: dict[str, str]) -> None:
    above: set[str] = {"executables"}
    for room, others in table.items():
        assert set(others.split()) <= above, f"{room} imports a room below it"
        above.add(room)


def test_every_room_is_in_the_table_and_nothing_lies_loose() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert rooms == set(MAY_IMPORT)
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py"}


def test_a_room_is_taken_in_at_a_glance() -> None:
    """About 15 modules a folder and 300 lines a module; a folder's own __init__ is not counted."""
    root = PACKAGE.parent
    files = [path for room in ("bea_ros", "test") for path in (root / room).rglob("*.py")]
    modules = [path for path in files if path.name != "__init__.py"]
    folders = Counter(path.parent.relative_to(root) for path in modules)
    assert {str(folder): n for folder, n in folders.items() if n > 15} == {}
    lengths = {path.relative_to(root): len(path.read_text().splitlines()) for path in modules}
    assert {str(path): n for path, n in lengths.items() if n > 300} == {}


OPENS = re.compile(
    r"(?<![\w.])open\(|\.open\(|\.read_text\(|\.read_bytes\(|np\.(load|fromfile|loadtxt)\(|"
    r"\bimread\(|read_csv\(|VideoCapture\(|json\.load\(|minidom\.parse\(|ElementTree\.parse\("
)
# Files of the package, of the kernel or of our own making; what is checked first.
CHECKED = {
    "bags/mending.py": "copy.open(",
    "bags/writing.py": "self._writer.open()",
    "bench/endurance.py": 'said.open("w")',
    "bench/page.py": "open(",  # its own pages
    "doctor/machine.py": "MODEL.read_text()",
    "hardware/pca9685.py": "self.bus.open(",
    "images/footage.py": "cv2.VideoCapture(str(",
    "nodes/page/server.py": "PLACES[",
    "repertoire/store.py": "np.load(content,",
    "repertoire/trials.py": "np.fromfile(self._file",
    "report/pages.py": "LOOK.joinpath(",
    "studies/engine/data.py": "io.BytesIO(read_whole(",
    "studies/optimizers/measure.py": '"/proc/self/status"',
    "system/files.py": "os.",
    "system/terminal.py": "os.devnull",
}


def test_nothing_is_opened_but_by_the_reader_that_never_waits() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = str(path.relative_to(PACKAGE))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if (
                OPENS.search(line.split("#")[0].replace("def open(", ""))
                and CHECKED.get(name, "-") not in line
            ):
                found.append(f"{name}:{number}: {line.strip()}")
    assert not found, "\n".join(found)
