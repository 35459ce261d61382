# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The CPU instructions of numerical libraries: the last digit of a result depends on them.

OpenBLAS has a kernel for each type of CPU, and NumPy has functions for some. A study uses those
for AVX2, which all x86-64 CPUs of the last ten years have. So other machines give the same digits.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
from threadpoolctl import threadpool_info

KERNEL = "Haswell"  # OpenBLAS's for AVX2
AVX2 = {"AVX2", "X86_V3"}  # NumPy's names for it
VARIABLES = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")


@contextmanager
def pinned() -> Iterator[str]:
    """Let processes that start in the block compute alike on all machines; yields how, in words.

    What the user has set has priority. A CPU without AVX2 uses its own instructions.
    """
    with patch.dict(os.environ):
        if not AVX2.isdisjoint(_instructions()):
            for name, wanted in zip(VARIABLES, (KERNEL, " ".join(_beyond_avx2())), strict=True):
                os.environ.setdefault(name, wanted)
        yield described(os.environ.get(VARIABLES[0], ""))


def described(kernel: str = "") -> str:
    """Name OpenBLAS's kernel, by default that of this process, and NumPy's instructions."""
    kernels = [
        one.get("architecture", "") for one in threadpool_info() if one["user_api"] == "blas"
    ]
    blas = kernel or " ".join(sorted(set(filter(None, kernels)))) or "unknown"
    disabled = os.environ.get("NPY_DISABLE_CPU_FEATURES", "").split()
    wider = [name for name in _beyond_avx2() if name not in disabled]
    return f"BLAS {blas}, NumPy " + (f"with {' '.join(wider)}" if wider else "up to AVX2")


def _beyond_avx2() -> list[str]:
    """Names of the CPU's instruction sets beyond AVX2 that NumPy found."""
    return [name for name in _instructions() if name.startswith("AVX512") or name == "X86_V4"]


def _instructions() -> list[str]:
    """Names of the CPU's instruction sets that NumPy was built for, or found."""
    sets = (np.show_config("dicts") or {}).get("SIMD Extensions", {})
    return [*sets.get("baseline", []), *sets.get("found", [])]
