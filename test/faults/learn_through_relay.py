# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""`bea learn`, but what is published on some topics goes by way of relayed/TOPIC.

Somebody else hands it on, or does not: learn_through_relay.py OUTPUT EVALUATIONS FACTOR TOPIC...
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from bea_ros.bringup import LEARN_ARGUMENTS, ROBOT_ARGUMENTS, learn_graph
from bea_ros.supervisor import run_graph

PUBLISHERS = {
    "cpg_parameters": "learner",
    "joint_trajectory": "cpg_controller",
    "active_parameters": "cpg_controller",
    "image_processed": "camera_localization",
    "image_raw": "simulator",
}


def main(output: str, evaluations: str, factor: str, *topics: str) -> int:
    arguments: dict[str, Any] = {a.name: a.default for a in (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS)}
    arguments.update(output=output, evaluations=int(evaluations), duration=2.0)
    arguments["real_time_factor"] = float(factor)
    nodes = []
    for node in learn_graph(arguments):
        mine = [topic for topic in topics if PUBLISHERS[topic] == node.executable]
        more = tuple((topic, f"relayed/{topic}") for topic in mine)
        nodes.append(replace(node, remappings=(*node.remappings, *more)))
    return run_graph(nodes)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
