# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea bench bbob: ours and others on the 24 functions of COCO's BBOB suite."""

from pathlib import Path

FOLDER = Path("bench/bbob")
USUAL_PEERS = (
    "cmaes", "pycma", "lq_cmaes", "nevergrad_ngopt", "scipy_slsqp", "scipy_de_small",
    "random_search",
)  # fmt: skip
