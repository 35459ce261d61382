# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Second stage of BEA: the choice of BO's solutions that start the EA (paper, section V-A).

Where the paper is silent: S_BO has the initial samples, too; d % are rounded up, and are at least
p solutions; k-means starts once, by k-means++.
"""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

STRATEGIES = ("S1", "S2", "S3", "S4")
# Function of points (n, d), number of clusters and seed; returns labels (n,).
Clustering = Callable[[NDArray[np.float64], int, int], NDArray[np.int32]]


def k_means(points: NDArray[np.float64], clusters: int, seed: int) -> NDArray[np.int32]:
    """Return labels (n,) of k-means, started by k-means++ and run to convergence."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    means = KMeans(clusters, n_init=1, random_state=seed)
    # One thread: the order of summation is fixed, and there is too little work for more.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # duplicates: too few clusters
        return means.fit_predict(points)


def prepare(strategy: str) -> None:
    """Import the libraries of a strategy before the run; that takes about a second."""
    if strategy in ("S3", "S4"):
        importlib.import_module("sklearn.cluster")


def select(
    strategy: str,
    x: NDArray[np.float64],
    fitness: NDArray[np.float64],
    population: int,
    *,
    top: float = 50.0,
    seed: int = 0,
    clustering: Clustering = k_means,
) -> NDArray[np.intp]:
    """Choose the solutions to transfer.

    S1 takes the last p, S2 the top p, S3 the best of each of K = p clusters, S4 the best of each
    of K = p clusters within the top d %. With fewer distinct solutions than clusters, the best of
    the remaining solutions are added.

    Args:
        x: BO's solutions in the order of evaluation, shape (n, d), n >= population.
        fitness: their fitness, shape (n,).
        population: p.
        top: d, in percent.
        seed: seed of the clustering.
        clustering: clustering method.

    Returns:
        Indices into x, shape (p,), without repetition.

    Raises:
        ValueError: the strategy is unknown, or there are fewer than p solutions.
    """
    n = len(x)
    if strategy not in STRATEGIES:
        raise ValueError(
            f"unknown transfer {strategy!r}: allowed is one of {', '.join(STRATEGIES)}"
        )
    if n < population:
        raise ValueError(f"cannot transfer {population} solutions out of {n}")
    if strategy == "S1":
        return np.arange(n - population, n)
    ranked = np.argsort(-fitness, kind="stable")
    if strategy == "S2":
        return ranked[:population]
    if strategy == "S4":
        ranked = ranked[: max(population, math.ceil(n * top / 100.0))]
    _, first = np.unique(clustering(x[ranked], population, seed), return_index=True)
    rest = np.setdiff1d(np.arange(len(ranked)), first)
    return ranked[np.sort(np.concatenate([first, rest])[:population])]
