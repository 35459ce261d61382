# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The optimizer and the log of a run. A fitness is on disk before the next candidate is chosen."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bea_ros.optimizers import Optimizer
from bea_ros.optimizers import Record as Evaluation
from bea_ros.runs.folder.head import RunFolderError, to_start_from
from bea_ros.runs.folder.measurements import (
    CORRECTION,
    REPETITION,
    Record,
    best_of,
    is_finished,
    is_unchanged,
    measured,
    measurements,
    told,
    told_measurements,
    worst_but,
)
from bea_ros.runs.folder.run_folder import RunFolder
from bea_ros.tasks import Trajectory

Weights = dict[str, float]


@dataclass(frozen=True)
class Trial:
    """The next measurement: evaluation number (from 1 on) and CPG weights (1/s) by name.

    `kind` is empty for a new candidate, else the reason of a repetition. `overhead` (s) is the
    time of asking. `predicted` has the mean and standard deviation of the fitness that the
    optimizer predicts for a new candidate, or None.
    """

    evaluation: int
    stage: str
    weights: Weights
    kind: str = ""
    overhead: float = 0.0
    predicted: tuple[float, float] | None = None


class LearningRun:
    """Chooses the next trial, and records its measurement.

    A new best candidate is measured `confirm` times more before the optimizer is told the mean.
    The repetitions end early if the candidate is no longer the best. At the end of the run the
    best candidate has `confirm` repetitions, too.

    Args:
        folder: the folder of the run.
        make: creates the optimizer.
        weights: maps a candidate in [0, 1]^d to weights.
        duration: robot time of an evaluation (s).
        confirm: number of repetitions.
        enough: if above 0, the run ends when the best fitness is at least this share of the
            largest predicted one.
        before: if given, the fitness that the first candidate had earlier: the run ends at once
            if that is unchanged.

    Raises:
        RunFolderError: the log does not have the candidates that this optimizer proposes.
    """

    def __init__(
        self,
        folder: RunFolder,
        make: Callable[[], Optimizer],
        weights: Callable[[NDArray[np.float64]], Weights],
        duration: float,
        confirm: int = 0,
        enough: float = 0.0,
        before: float | None = None,
    ) -> None:
        self.folder = folder
        self.confirm, self.enough, self.before = confirm, enough, before
        self._make, self._weights, self._duration = make, weights, duration
        self._overhead = 0.0  # s since the last candidate; learning counts for the next one
        self.optimizer, self.evaluations = make(), folder.evaluations
        asked = {
            "confirm": confirm,
            "evaluations": max((n for _, n in folder.budgets), default=math.inf),
            "before": before,
        }
        # A finished run proposes nothing, so it skips a replay of minutes.
        self._over = not (enough or folder.doubted) and is_finished(asked, self.evaluations)
        if not self._over:
            if known := len(self.evaluations):  # of many, on a small computer, it takes minutes
                print(f"the optimizer learns again from {known} evaluations ...", flush=True)
            self._replay()

    def _replay(self) -> None:
        """Tell a new optimizer all evaluations of the log."""
        self.optimizer = self._make()
        self.evaluations = self.folder.evaluations
        for record in self.evaluations:
            self._plan()
            x = self.optimizer.ask()
            if self._weights(x) != record["parameters"]:
                raise RunFolderError(
                    f"{self.folder.path} cannot be resumed: evaluation {record['evaluation']} has "
                    "other parameters than this version of bea_ros would try there. Use the one "
                    f"that wrote it, or another output folder{to_start_from(self.folder.path)}"
                )
            values = told_measurements(record)
            unfinished = record is self.evaluations[-1] and not record.get("given_up", False)
            if unfinished and self._promising(values):
                return  # it is being repeated
            self._tell(x, values, record["time"]["overhead"])

    def _plan(self) -> None:
        """Set the budget that holds from the next evaluation on."""
        for first, budget in self.folder.budgets:
            if first <= self.done + 1 and budget > self.optimizer.budget:
                self.optimizer.extend(budget)

    # -- the next trial -------------------------------------------------------------------

    @property
    def done(self) -> int:
        """Number of evaluations that the optimizer was told."""
        return len(self.evaluations if self._over else self.optimizer.history)

    @property
    def best(self) -> Record | None:
        """The best evaluation so far, except one that is still being repeated."""
        return best_of(self.evaluations[: self.done])

    @property
    def satisfied(self) -> bool:
        """Whether the best is good enough to end the run before its budget is spent."""
        if not self.done:
            return False
        if self.before is not None and is_unchanged(self.evaluations[0], self.before):
            return True
        return bool(self.enough and self.optimizer.satisfied(self.enough))

    def next(self) -> Trial | None:
        """Return the next trial, the same one until it is recorded; None when the run is over."""
        if self._over:
            return None
        if self.folder.doubted:
            return self._again(self._last_measured(), CORRECTION)
        if self.done < len(self.evaluations):
            return self._again(self.evaluations[-1], REPETITION)
        began = time.perf_counter()
        self._plan()
        if self.done < self.optimizer.budget and not self.satisfied:
            x = self.optimizer.ask()
            self._overhead += time.perf_counter() - began
            stage, weights = self.optimizer.stage, self._weights(x)
            predicted = self.optimizer.prediction
            return Trial(
                self.done + 1, stage, weights, overhead=self._overhead, predicted=predicted
            )
        if self.best and len(measurements(self.best)) <= self.confirm:
            return self._again(self.best, REPETITION)
        return None

    def correct(self) -> int:
        """Measure the last evaluation again. The new measurement replaces all of its earlier ones.

        A resumed run does so, too. Returns its number, or 0 if there is none.
        """
        if self.evaluations and not self.folder.doubted:
            self.folder.doubt()
        return self._last_measured()["evaluation"] if self.evaluations else 0

    def _last_measured(self) -> Record:
        """The last measured evaluation: at the end of a run, the best one, which is repeated."""
        return self.evaluations[self.folder.lines[-1]["evaluation"] - 1]

    def _again(self, record: Mapping[str, Any], kind: str) -> Trial:
        return Trial(record["evaluation"], record["stage"], dict(record["parameters"]), kind)

    # -- recording ------------------------------------------------------------------------

    def take(
        self,
        trial: Trial,
        fitness: float,
        terms: Mapping[str, float],
        trajectory: Trajectory,
        attempts: int,
        times: Mapping[str, float],
    ) -> Record:
        """Record the measurement of a trial; tell the optimizer if no repetition follows.

        Args:
            trial: the trial.
            fitness: its fitness, maximised.
            terms: parts of the fitness, by name.
            trajectory: the measured trajectory.
            attempts: number of attempts that the measurement took.
            times: times (s) by name, recorded beside the overhead.

        Returns the updated evaluation.
        """
        began = time.perf_counter()
        if not trial.kind:
            self._overhead = 0.0
            self._learn([fitness], trial.overhead)
        elif trial.kind == REPETITION and self.done < len(self.evaluations):
            before = self.evaluations[-1]
            overhead = before["time"]["overhead"]
            self._learn([*told_measurements(before), fitness], overhead)
        line = {
            "fitness": fitness,
            "terms": dict(terms),
            **({"kind": trial.kind} if trial.kind else {}),
        }
        self._overhead += time.perf_counter() - began
        return self._log(trial, line, trajectory, attempts, times)

    def give_up(self, trial: Trial, attempts: int, times: Mapping[str, float]) -> Record:
        """Record a candidate as skipped, with the worst fitness so far, at most 0.

        This replaces its earlier measurements. Returns the updated evaluation, as `take` does.
        """
        fitness = worst_but(self.evaluations, trial.evaluation)
        if not trial.kind:
            began = time.perf_counter()
            self._tell(self.optimizer.ask(), [fitness], trial.overhead)
            self._overhead = time.perf_counter() - began
        line = {
            "fitness": fitness,
            "terms": {},
            "given_up": True,
            **({"kind": CORRECTION} if trial.kind else {}),
        }
        return self._log(trial, line, Trajectory.standing(self._duration), attempts, times)

    def _log(
        self,
        trial: Trial,
        measured: Mapping[str, Any],
        trajectory: Trajectory,
        attempts: int,
        times: Mapping[str, float],
    ) -> Record:
        line: dict[str, Any] = {
            "evaluation": trial.evaluation,
            "stage": trial.stage,
            "parameters": trial.weights,
        }
        if trial.predicted:
            line["predicted"] = dict(zip(("mean", "deviation"), trial.predicted, strict=True))
        line |= {
            **measured,
            "attempts": attempts,
            "time": {
                "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "overhead": trial.overhead,
                **times,
            },
        }
        self.folder.append(line, trajectory)
        if line.get("kind") == CORRECTION:
            self._replay()
        self.evaluations = self.folder.evaluations
        return self.evaluations[trial.evaluation - 1]

    def _learn(self, values: list[float], overhead: float) -> None:
        """Tell the optimizer, unless the candidate will be repeated."""
        if not self._promising(values):
            self._tell(self.optimizer.ask(), values, overhead)

    def _promising(self, values: list[float]) -> bool:
        """Whether this would be a new best candidate, to be repeated."""
        if len(values) > self.confirm:
            return False
        known = measured(self.evaluations[: self.done])
        return float(np.mean(values)) > max(map(told, known), default=-math.inf)

    def _tell(self, x: NDArray[np.float64], values: list[float], overhead: float) -> None:
        """Tell the optimizer, with the robot's time, not that of a fast simulation."""
        fitness, known = float(np.mean(values)), self.evaluations[: self.done]
        if known and fitness < 0 and not measured(known):  # all were given up, and told to be 0
            given_up, self.optimizer = self.optimizer.history, self._make()
            for one in given_up:
                self._plan()
                self.optimizer.learn(one._replace(fitness=fitness))
            self._plan()
        several = tuple(values) if len(values) > 1 else ()
        self.optimizer.learn(Evaluation(x, fitness, "", self._duration, overhead, several))
