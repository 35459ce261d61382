# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Linear algebra on one thread.

The matrices are small. On a busy computer, waiting for a second thread takes up to a hundred times
as long as the work itself. Also, sums do not depend on the number of cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np  # noqa: F401  loads its BLAS, so that the controller finds it
import scipy.linalg  # noqa: F401  likewise
from threadpoolctl import ThreadpoolController

BLAS = ThreadpoolController().select(user_api="blas")


@contextmanager
def single_threaded() -> Iterator[None]:
    """Run the block with one BLAS thread. Nested use costs almost nothing."""
    if all(library.num_threads == 1 for library in BLAS.lib_controllers):
        yield
        return
    with BLAS.limit(limits=1):
        yield
