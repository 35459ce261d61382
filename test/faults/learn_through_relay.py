# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea learn`, but what is said on some topics and services goes by way of relayed/NAME.

Somebody else hands it on, or does not: learn_through_relay.py OUTPUT EVALUATIONS FACTOR NAME...
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from bea_ros.bringup.arguments import LEARN_ARGUMENTS, ROBOT_ARGUMENTS
from bea_ros.bringup.graphs import learn_graph
from bea_ros.bringup.supervisor import run_graph

SPEAKERS = {
    "evaluate_fitness": "learner",
    "reset": "learner",
    "cpg_parameters": "learner",
    "joint_trajectory": "cpg_controller",
    "active_parameters": "cpg_controller",
    "image_processed": "camera_localization",
    "image_raw": "simulator",
}
PATIENCE = 8.0  # s (wall clock) for an answer, where a user's learner has 60
RESET_PATIENCE = 30.0  # s (wall clock) for all of a reset, which a busy machine does slowly


def main(output: str, evaluations: str, factor: str, *names: str) -> int:
    arguments: dict[str, Any] = {a.name: a.default for a in (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS)}
    arguments.update(output=output, evaluations=int(evaluations), duration=2.0)
    arguments["real_time_factor"] = float(factor)
    nodes = []
    for node in learn_graph(arguments):
        mine = [name for name in names if SPEAKERS[name] == node.executable]
        more = tuple((name, f"relayed/{name}") for name in mine)
        if node.executable == "learner":
            node.parameters.update(patience=PATIENCE, reset_patience=RESET_PATIENCE)
        nodes.append(replace(node, remappings=(*node.remappings, *more)))
    return run_graph(nodes)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
