# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Linear algebra on one thread.

The matrices are small: waiting for a second thread on a busy computer costs up to a hundred times
the work itself. And sums come out the same whatever the number of cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np  # noqa: F401  loads its BLAS, for the controller to see
import scipy.linalg  # noqa: F401  and its own
from threadpoolctl import ThreadpoolController

CONTROLLER = ThreadpoolController()
BLAS = CONTROLLER.select(user_api="blas")


@contextmanager
def single_threaded() -> Iterator[None]:
    """Run the block with one BLAS thread; next to free where that is so already."""
    if all(library.num_threads == 1 for library in BLAS.lib_controllers):
        yield
        return
    with BLAS.limit(limits=1):
        yield
