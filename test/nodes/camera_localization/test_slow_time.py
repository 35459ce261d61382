# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A simulation may be slow, and stand still: what counts is its own time."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from guest import in_this_process
from rclpy.clock import ROSClock
from rclpy.time import Time

from bea_ros.localization.arena import load_arena
from bea_ros.localization.referee import Referee
from bea_ros.nodes.camera_localization.fitness_service import Evaluation, FitnessService
from bea_ros.nodes.camera_localization.node import PARAMETERS
from bea_ros.nodes.camera_localization.seen import Seen
from bea_ros.nodes.shared.node import Node
from bea_ros.robots import load_robot
from bea_ros.system.nanoseconds import SECOND

pytestmark = pytest.mark.graph
TIMEOUT = 5.0  # s


@pytest.fixture
def service(domain: int) -> Iterator[FitnessService]:
    referee = Referee({p.name: p.default for p in PARAMETERS}, load_arena(load_robot("spider9")))
    simulated = ("-p", "use_sim_time:=true")
    with in_this_process(lambda: Node("camera_localization"), domain, *simulated) as node:
        made = FitnessService(node, referee, Seen(), TIMEOUT, lambda: "", lambda: "")
        made.pending.append(Evaluation(0, 30 * SECOND))
        yield made


def test_the_next_image_may_take_long_whether_time_goes_on_or_stands_still(
    service: FitnessService,
) -> None:
    (evaluation,) = service.pending
    assert isinstance(service.clock, ROSClock)
    for time_ns in (1000, 2000, 2000, evaluation.end, evaluation.end):
        service.seen.last_wall = time.monotonic() - 100 * TIMEOUT  # when the last image came
        service.clock.set_ros_time_override(Time(nanoseconds=time_ns))
        service._on_watch()
        assert not evaluation.done.done()
    service.seen.last_image = evaluation.end - SECOND
    over = evaluation.end + round((TIMEOUT + 1) * SECOND)
    service.clock.set_ros_time_override(Time(nanoseconds=over))
    service._on_watch()
    assert evaluation.done.result() == "the images are 7 s behind this machine's clock"
