# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""When BEA switches from BO to the EA: after N evaluations, or by gain per second.

The paper compares the gain per second of BO with that of an EA run beside it. A robot cannot do a
second run. So the recent gain per second of BO is compared with an estimate for the EA.

The estimate is a share, 1 %, of BO's average gain per evaluation so far, divided by the EA's cost
per evaluation. BO's recent gain is that of 75 evaluations: in 10, as in the paper (section III), a
single run often has none. docs/studies/bea.md compares the results with fixed switches chosen in
hindsight.

With measured overhead, the switch would depend on the machine and its load, and a seed would no
longer determine a run. So the default is a fixed model of the overhead. If measured overhead is
asked for, it is the one stored with each evaluation, so a restored state switches as the first run
did.
"""

from __future__ import annotations

from collections.abc import Sequence

from bea_ros.optimizers.optimizer import Record

WINDOW = 75  # evaluations over which BO's gain is measured
EVOLUTIONARY_SHARE = 0.01
UNKNOWN_EVALUATION_TIME = 1.0  # s, if no time was told

# Overhead of one evaluation in s, like BEA's constants, on one core of about 2020.
EVOLUTIONARY_OVERHEAD = 1e-4


def gain_switch_is_due(
    history: Sequence[Record],
    earliest: int,
    evaluation_time: float | None,
    overhead: tuple[float, float] | None,
    evolutionary: float = EVOLUTIONARY_OVERHEAD,
) -> bool:
    """Whether the EA takes over after the last evaluation of the history.

    Args:
        history: all evaluations.
        earliest: number of evaluations before the first decision.
        evaluation_time, overhead: as of `seconds`.
        evolutionary: overhead of the EA in s.
    """
    n = len(history)
    if n < max(earliest, WINDOW + 1):
        return False
    best, before = (max(r.fitness for r in part) for part in (history, history[:-WINDOW]))
    recent = (best - before) / WINDOW
    average = (best - history[0].fitness) / n
    evaluation, thinking = seconds(history[-WINDOW:], n, evaluation_time, overhead)
    promised = EVOLUTIONARY_SHARE * average
    # Gains per second, multiplied by both times: BO's may be 0.
    return recent * (evaluation + evolutionary) <= promised * (evaluation + thinking)


def seconds(
    records: Sequence[Record],
    n: int,
    evaluation_time: float | None,
    overhead: tuple[float, float] | None,
) -> tuple[float, float]:
    """Return the mean evaluation time and the mean overhead of evaluations, in s.

    Args:
        records: the evaluations; the last one is number n of the run.
        n: number of evaluations in the run.
        evaluation_time: assumed time in s, or None for the time told with each evaluation.
        overhead: (a, b) of the model a + b n^2 in s, or None for the stored overhead.
    """
    if evaluation_time is None:
        told = [r.evaluation_time for r in records if r.evaluation_time is not None]
        evaluation_time = sum(told) / len(told) if told else UNKNOWN_EVALUATION_TIME
    if overhead is not None:
        constant, growth = overhead
        return evaluation_time, constant + growth * n * n
    return evaluation_time, sum(r.overhead_time for r in records) / len(records)
