# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Export of a run to CSV, Parquet, TensorBoard or MLflow."""

from __future__ import annotations

import importlib
import json
import logging
import os
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from os.path import abspath, basename
from pathlib import Path
from shlex import quote
from typing import Any

import pandas as pd

from bea_ros.robots import robot_name
from bea_ros.runs.loading import Run
from bea_ros.system.files import replace_file

EVENTS = ".bea_ros"  # end of the name of an event file


class ExportError(ValueError):
    """A run cannot be exported; the message is one line."""


def to_csv(run: Run, output: Path) -> list[str]:
    """Write log, evaluations and trajectories as tables, and the settings as JSON."""
    text = partial(pd.DataFrame.to_csv, index=False, lineterminator="\n")
    return _write_tables(run, output, "csv", text)


def to_parquet(run: Run, output: Path) -> list[str]:
    """Like `to_csv`, in Parquet; raises ExportError without pyarrow."""
    _library("pyarrow")
    return _write_tables(run, output, "parquet", partial(pd.DataFrame.to_parquet, index=False))


def to_tensorboard(run: Run, output: Path) -> list[str]:
    """Write an event file in place of an earlier export's: a step is an evaluation.

    Raises ExportError without tensorboardX.
    """
    library = _library("tensorboardX")
    output.mkdir(parents=True, exist_ok=True)
    for earlier in output.glob(f"*{EVENTS}"):
        earlier.unlink()
    event, summary = library.proto.event_pb2.Event, library.summary
    # Not a SummaryWriter: its thread ends when the disk is full, and the others wait for it.
    writer = library.event_file_writer.EventsWriter(str(output / "events"), EVENTS)
    for scalars, step, when in _scalars(run):
        for name, value in scalars.items():
            said = summary.scalar(name, value)
            writer.write_event(event(wall_time=when, step=step, summary=said))
    asked = json.dumps(_asked(run), indent=1)
    said = summary.text("request", f"```\n{asked}\n```")
    writer.write_event(event(wall_time=time.time(), summary=said))
    writer.close()
    return [f"{output} (to see it: tensorboard --logdir {quote(str(output))})"]


def to_mlflow(run: Run, output: Path) -> list[str]:
    """Log the run in MLflow, in `output` unless MLFLOW_TRACKING_URI is set.

    Raises ExportError without mlflow, or if MLflow refuses.
    """
    mlflow = _library("mlflow")
    logging.getLogger("mlflow").setLevel(logging.WARNING)  # else it tells of its tables
    if not os.environ.get("MLFLOW_TRACKING_URI"):
        if odd := set("?%") & set(str(output.absolute())):
            raise ExportError(f"MLflow takes no path with {' or '.join(sorted(odd))}, as in "
                              f"{output.absolute()}: choose another --output")  # fmt: skip
        output.mkdir(parents=True, exist_ok=True)
        mlflow.set_tracking_uri(f"sqlite:///{output.absolute() / 'mlflow.db'}")
    uri = mlflow.get_tracking_uri()
    try:
        _log_in(mlflow, run)
    except mlflow.MlflowException as error:
        raise ExportError(f"MLflow at {uri}: {' '.join(str(error).split())}") from error
    return [f"{uri} (to see it: mlflow ui --backend-store-uri {quote(uri)})"]


def _log_in(mlflow: Any, run: Run) -> None:
    asked = _asked(run)
    mlflow.set_experiment(f"{robot_name(str(asked.get('robot')))} {asked.get('task')}")
    client = mlflow.MlflowClient()
    with mlflow.start_run(run_name=basename(abspath(run.folder))) as started:
        mlflow.log_params({name: str(value)[:500] for name, value in asked.items()})
        metrics = [
            mlflow.entities.Metric(_mlflow_name(name), value, round(1000 * when), step)
            for scalars, step, when in _scalars(run)
            for name, value in scalars.items()
        ]
        for first in range(0, len(metrics), 1000):
            client.log_batch(started.info.run_id, metrics=metrics[first : first + 1000])


WRITERS: dict[str, Callable[[Run, Path], list[str]]] = {
    "csv": to_csv,
    "parquet": to_parquet,
    "tensorboard": to_tensorboard,
    "mlflow": to_mlflow,
}


def _write_tables(
    run: Run, output: Path, ending: str, content_of: Callable[[pd.DataFrame], str | bytes]
) -> list[str]:
    about = {name: getattr(run, name) for name in ("request", "surroundings", "versions", "unit")}
    files = {
        f"log.{ending}": content_of(run.log),
        f"evaluations.{ending}": content_of(run.evaluations.reset_index()),
        f"trajectories.{ending}": content_of(run.trajectories),
        "run.json": json.dumps(about, indent=1) + "\n",
    }
    for name, content in files.items():
        replace_file(output / name, content)
    return [str(output / name) for name in files]


def _scalars(run: Run) -> Iterator[tuple[dict[str, float], int, float]]:
    """Yield the numbers of each evaluation, its step, and its time (s since 1970)."""
    table = run.evaluations
    for number, row in table.iterrows():
        told = {"fitness": row["fitness"], "best": row["best"], "spread": row["spread"]}
        told |= {n: row[n] for n in table.columns if n.startswith(("terms.", "parameters."))}
        told |= {f"time.{n}": row[f"time.{n}"] for n in ("overhead", "evaluation")}
        scalars = {n.replace(".", "/"): float(v) for n, v in told.items() if not pd.isna(v)}
        yield scalars, int(number), _seconds(row.get("time.at"))


def _seconds(at: Any) -> float:
    try:
        return datetime.fromisoformat(str(at)).timestamp()
    except ValueError:  # an old log has no times
        return 0.0


def _asked(run: Run) -> dict[str, Any]:
    options = run.request.get("options")
    rest = {name: value for name, value in run.request.items() if name not in ("options", "start")}
    more = options if isinstance(options, dict) else {}
    return rest | {f"option.{name}": value for name, value in more.items()}


def _mlflow_name(name: str) -> str:
    """Replace characters that MLflow does not allow in a name."""
    return "".join(c if c.isalnum() or c in "_-. /" else "_" for c in name)


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ExportError(f"{name} is not installed: pip install {name}") from None
