# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea export: a run for other programs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

FORMATS = {
    "csv": "tables as CSV files",
    "parquet": "tables as Parquet files (needs pyarrow)",
    "tensorboard": "scalars for TensorBoard (needs tensorboardX)",
    "mlflow": "a run of MLflow, at MLFLOW_TRACKING_URI or else in FOLDER (needs mlflow)",
}


def add(commands: Any) -> None:
    text = "export a run: tables as CSV or Parquet, scalars for TensorBoard, a run of MLflow"
    parser = commands.add_parser("export", help=text, description=text)
    parser.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a run")
    formats = parser.add_mutually_exclusive_group(required=True)
    for name, says in FORMATS.items():
        formats.add_argument(
            f"--{name}", dest="format", action="store_const", const=name, help=says
        )
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help="folder for it (default: RUN/export)"
    )
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from bea_ros.runs import exporting, load

    run = load(parsed.run_folder)
    output = parsed.output or parsed.run_folder / "export"
    for written in exporting.WRITERS[parsed.format](run, output):
        print(f"wrote {written}")
    return 0
