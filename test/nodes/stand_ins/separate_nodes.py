# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The nodes of a learning run one by one, with an operator."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from graph import end, in_domain
from learn_arguments import arguments

from bea_ros.bringup.graphs import learn_graph
from bea_ros.bringup.supervisor import command_of, start_node


class Graph:
    """The nodes of a learning run one by one, as systemd has them: any may be started again."""

    def __init__(self, output: Path, domain: int, evaluations: int, **learner: Any) -> None:
        given = arguments(output=str(output), evaluations=evaluations, duration=2.0)
        given |= {"operator": "present", "confirm": 0}
        self.specs = {node.executable: node for node in learn_graph(given)}
        self.specs["learner"].parameters.update(learner)
        few = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self.environment = in_domain(domain, **few)
        self.processes: dict[str, subprocess.Popen] = {}
        for name in self.specs:
            self.start(name)

    def start(self, name: str) -> None:
        self.processes[name] = start_node(command_of(self.specs[name]), self.environment)

    def kill(self, name: str) -> None:
        self.processes[name].kill()
        self.processes[name].wait()

    def __enter__(self) -> Graph:
        return self

    def __exit__(self, *_: object) -> None:
        end(*self.processes.values())
