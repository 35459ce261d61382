# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the authors' runs on Schwefel came to (langongjin/BEA, BEA_EA_BO at b2e2cf2).

value.txt is a run of BO, and of an EA that began with the individuals of another run of BO, which
individuals.txt has: the code writes them to one file and reads them from another.
"""

import numpy as np
import pytest
from joblib import Parallel, delayed

from bea_ros.studies.functions.plan import Run
from bea_ros.studies.functions.study import carry_out

pytest.importorskip("nlopt")
EVALUATIONS = (50, 100, 150, 200, 250)
# Best f so far, of the values in value.txt and, after ten initial samples, individuals.txt.
PUBLISHED_BO = (
    (3329.7, 2117.0, 936.8, 276.7, 231.3),
    (3886.2, 2766.9, 1701.7, 943.6, 683.2),
)
# Of the EA over that at its start: after 250, 500, ... evaluations, to the end.
PUBLISHED_EA = (0.874, 0.874, 0.874, 0.860, 0.711)


@pytest.mark.slow
def test_the_published_runs_are_among_ours():
    runs = [Run("schwefel-authors", "bea", n, 20, 1500, 250, "released") for n in range(40)]
    outcomes = Parallel(n_jobs=-1)(delayed(carry_out)(run) for run in runs)
    ours = np.minimum.accumulate([outcome.f for outcome in outcomes], axis=1)
    logs = np.log(ours[:, np.array(EVALUATIONS) - 1])
    for run in PUBLISHED_BO:  # of 192 runs with other seeds 3 % were as good as the first, 38 %
        z = (np.log(run) - logs.mean(axis=0)) / logs.std(axis=0, ddof=1)  # as the second
        assert abs(z).max() < 4.0
        assert abs(z.mean()) < 2.0
    gained = ours[:, 499::250] / ours[:, [249]]
    for share, there in zip(PUBLISHED_EA, gained.T, strict=True):
        assert there.min() <= share <= there.max()
