#!/usr/bin/env python3
# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draw docs/images/coverage.png and directions.png: what the repertoire of a robot has.

python tools/draw_repertoire.py spider9
"""

from __future__ import annotations

import sys
from pathlib import Path

from bea_ros.repertoire import load, path_of, pictures

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
AFTER = 15.0  # s


def main(robot: str) -> None:
    repertoire = load(path_of("default", robot, "small"))
    furthest = pictures.best_per_direction(repertoire, AFTER)
    figures = {
        "coverage": pictures.coverage(repertoire, AFTER),
        "directions": pictures.paths(repertoire, furthest, AFTER),
    }
    for name, figure in figures.items():
        output = IMAGES / f"{name}.png"
        figure.savefig(output, dpi=110, bbox_inches="tight")
        print(f"wrote {output}, {output.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main(sys.argv[1])
