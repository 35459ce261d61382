# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the page's node tells a browser, and what it carries to learner and servos."""

from __future__ import annotations

import json
import math
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from bea_ros_interfaces.msg import CpgParameters, LearnerStatus
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from graph import (
    HANGS,
    UNDISTURBED,
    after,
    alive,
    ending,
    evaluations_in,
    learn_command,
    log_of,
    nodes_of,
    wait_for,
)
from guest import Guest
from nav_msgs.msg import Path as PathMessage
from page_client import Looker, PageProcess, printed_address
from sensor_msgs.msg import BatteryState, Image
from std_msgs.msg import Bool, Header
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from bea_ros.nodes.page.server import ASKED
from bea_ros.nodes.shared.image_messages import message_of
from bea_ros.nodes.shared.pose_messages import path_of
from bea_ros.nodes.shared.qos import CONTROL, LATCHED, RESULTS, images
from bea_ros.tasks import Trajectory

pytestmark = pytest.mark.graph


@contextmanager
def page(domain: int, *parameters: str, namespace: str = "/") -> Iterator[tuple[Looker, Guest]]:
    """The node, somebody with the whole address, and who publishes what is to be seen."""
    with (
        Guest("peer", domain, namespace) as peer,
        closing(PageProcess(domain, *parameters, namespace=namespace)) as process,
        closing(Looker(process.address)) as looker,
    ):
        yield looker, peer


def repeating(peer: Guest, *said: tuple) -> Callable[[], None]:
    """What publishes each of these, (type, topic, quality, message), again and again."""
    pairs = [(peer.node.create_publisher(kind, topic, q), m) for kind, topic, q, m in said]

    def spin() -> None:
        for publisher, message in pairs:
            publisher.publish(message)
        peer.spin()

    return spin


def status(**fields: object) -> LearnerStatus:
    fields = {"robot": "spider9", "task": "gait", "state": "learning", **fields}
    return LearnerStatus(**fields)


def test_what_the_graph_says_is_shown(domain: int) -> None:
    t = np.linspace(0.0, 30.0, 1000)
    trail = path_of(Trajectory(t, t / 30, 0 * t, t * math.pi / 60), 0)
    servos = DiagnosticStatus(level=DiagnosticStatus.WARN, name="one/servo_driver: servos")
    servos.values = [KeyValue(key="state", value="relaxed"), KeyValue(key="reason", value="why")]
    other = DiagnosticStatus(level=DiagnosticStatus.ERROR, name="two/servo_driver: servos")
    other.values = [KeyValue(key="state", value="emergency stop")]
    picture = np.zeros((48, 64, 3), np.uint8)
    with page(domain, "robot_backend:=hardware", namespace="/one") as (looker, peer):
        told = status(
            stage="bayesian", evaluation=3, budget=9, fitness=0.1, best_fitness=math.nan,
            message="<b>waits</b>", evaluation_time=2.0, overhead_time=1.0,
        )  # fmt: skip
        point = JointTrajectoryPoint(positions=[0.5])
        said = (
            (LearnerStatus, "learner/status", LATCHED, told),
            (PathMessage, "path", LATCHED, trail),
            (PathMessage, "learner/best_path", LATCHED, trail),
            (BatteryState, "battery_state", RESULTS, BatteryState(voltage=7.4, percentage=0.5)),
            (CpgParameters, "active_parameters", LATCHED,
             CpgParameters(evaluation=4, attempt=2, names=["a"], values=[1.0])),
            (JointTrajectory, "joint_trajectory", CONTROL,
             JointTrajectory(joint_names=["leg_00"], points=[point])),
            (DiagnosticArray, "/diagnostics", RESULTS, DiagnosticArray(status=[servos, other])),
            (Image, "debug_image", images(reliable=True), message_of(picture, Header())),
        )  # fmt: skip
        spin = repeating(peer, *said)
        looker.wait(lambda: looker.pictures and len(looker.parts) == 2 and looker.rows, spin)
        looker.wait(lambda: looker.now["pose"] and looker.now["joints"], spin)
        looker.wait(lambda: looker.now["battery"] and looker.now["servos"], spin)
        looker.wait(lambda: looker.now["trying"] and looker.now["learner"], spin)
        now, learner = looker.now, looker.now["learner"]
        assert now["pose"] == [1.0, 0.0, pytest.approx(math.pi / 2, abs=1e-4)], "the path's end"
        assert now["joints"] == {"leg_00": 0.5}
        assert now["trying"] == [4, 2]
        assert now["battery"]["voltage"] == pytest.approx(7.4)
        assert now["servos"]["state"] == "relaxed", "another robot's servos are not this one's"
        assert now["servos"]["reason"] == "why"
        assert learner["message"] == "<b>waits</b>"
        assert learner["unit"] == "m/s"
        assert learner["best"] is None, "JSON has no NaN"
        assert learner["left"] == pytest.approx(6 * 3.0)
        assert looker.rows == [[3, "bayesian", pytest.approx(0.1), 1.0, 2.0, 0.0, False]]
        assert looker.parts["path"][0] == [0.0, 0.0]
        assert looker.parts["path"][-1] == [1.0, 0.0]
        assert len(looker.parts["path"]) <= 302
        assert looker.about["joints"][0][0] == "leg_01"
        assert not looker.about["simulated"]


def test_who_comes_later_is_shown_nothing_old(domain: int) -> None:
    with page(domain) as (looker, peer):
        teller = peer.node.create_publisher(LearnerStatus, "learner/status", LATCHED)
        teller.publish(status())
        looker.wait(lambda: looker.now and looker.now["learner"], peer.spin)
        looker.close()
        teller.publish(status(state="paused"))
        wait_for(after(2.0), peer.spin)
        late = Looker(looker.address)
        late.wait(lambda: late.now, peer.spin)
        assert late.now["learner"]["state"] == "paused"
        late.close()


def test_a_robots_state_is_not_kept_waiting_by_other_nodes_diagnostics(domain: int) -> None:
    """They come faster than the page looks, as those of two robots that learn do."""
    with page(domain) as (looker, peer):
        teller = peer.node.create_publisher(DiagnosticArray, "/diagnostics", RESULTS)
        looker.wait(lambda: teller.get_subscription_count() and looker.now, peer.spin)
        for number in range(60):
            other = DiagnosticStatus(name="two/servo_driver: servos")
            own = DiagnosticStatus(name="camera_localization: tracking", message=f"{number}")
            for said in (other, own):
                teller.publish(DiagnosticArray(status=[said]))
                peer.listen(0.05)
            looker.take(0.001)
        last = looker.now["at"]
        looker.wait(lambda: looker.now["at"] > last + 1.0, peer.spin)
        assert looker.now["tracking"]["text"] == "59"


def test_buttons_are_the_learners_services(domain: int) -> None:
    with page(domain) as (looker, peer):
        asked = []

        def serve(name: str) -> None:
            def answer(request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
                asked.append(name)
                response.success, response.message = name != "skip", f"{name} it is"
                return response

            peer.node.create_service(Trigger, f"learner/{name}", answer)

        assert looker.ask("pause", peer.spin)["text"] == "no learner answers"
        for name in ("pause", "resume", "skip", "abort", "repeat_last"):
            serve(name)
        looker.wait(lambda: looker.ask("pause", peer.spin)["done"], peer.spin)
        asked.clear()
        for button, name in (("resume", "resume"), ("skip", "skip"), ("abort", "abort"),
                             ("repeat", "repeat_last")):  # fmt: skip
            looker.wait(
                lambda button=button, name=name: (
                    looker.ask(button, peer.spin)["text"] == f"{name} it is"
                ),
                peer.spin,
            )
        assert set(asked) == {"resume", "skip", "abort", "repeat_last"}
        assert not looker.ask("skip", peer.spin)["done"]
        assert not looker.ask("shutdown", peer.spin)["done"], "there is no such button"


def test_a_stop_is_sent_behind_requests_that_nobody_answers(domain: int) -> None:
    """Who asks for a pause again and again, as the learner is busy, presses STOP next."""
    with page(domain, "robot_backend:=hardware") as (looker, peer):
        heard: list[bool] = []
        peer.node.create_subscription(
            Bool, "emergency_stop", lambda message: heard.append(message.data), CONTROL
        )
        peer.node.create_service(Trigger, "learner/pause", lambda _, response: response)
        looker.wait(lambda: "no learner" not in looker.ask("pause")["text"])  # it never spins
        for number in range(1000, 1000 + 2 * ASKED):
            looker.send(json.dumps({"id": number, "ask": "pause"}))
        assert looker.ask("stop") == {"id": looker.number, "done": True, "text": "sent"}
        looker.wait(lambda: True in heard, peer.spin)


def test_stop_is_heard_by_whoever_listens_and_is_not_confirmed_by_nobody(domain: int) -> None:
    with page(domain, "robot_backend:=hardware", "switch:=the red one") as (looker, peer):
        heard: list[bool] = []
        peer.node.create_subscription(
            Bool, "emergency_stop", lambda message: heard.append(message.data), CONTROL
        )
        looker.wait(lambda: looker.now, peer.spin)
        assert looker.about["switch"] == "the red one"
        assert looker.now["stop"]["state"] == "none"
        looker.ask("stop", peer.spin)
        looker.wait(lambda: looker.now["stop"]["state"] == "unconfirmed", peer.spin)
        assert looker.now["stop"]["reason"] == "no servo driver answers"
        looker.wait(lambda: sum(heard) > 2, peer.spin)
        # Before it, or while it is pressed, the page greets who listens with false.
        repeated = heard[heard.index(True) + 1 :]
        assert all(repeated[repeated.index(True) :])


def test_a_run_with_a_page_learns_the_same_and_outlives_it(
    undisturbed_run: tuple[Path, str], tmp_path: Path
) -> None:
    log = tmp_path / "said"
    run = tmp_path / "with"
    slow = ("--real-time-factor", "2")  # lest it is over before the page is open
    command = [*learn_command(run, UNDISTURBED, 1, *slow), "--page", "local"]
    with log.open("w") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True)
    with ending(process):
        looker = Looker(printed_address(log))
        looker.wait(lambda: len(looker.rows) >= 3 and looker.pictures and "best" in looker.parts)
        assert [row[0] for row in looker.rows] == list(range(1, len(looker.rows) + 1))
        page_process = nodes_of(process)["page"]
        subprocess.run(["kill", "-STOP", str(page_process)], check=True)
        had = evaluations_in(run)
        wait_for(lambda: evaluations_in(run) >= had + 3)  # nothing waits for one that hangs
        subprocess.run(["kill", "-9", str(page_process)], check=True)
        wait_for(lambda: not alive(page_process))
        looker.wait_closed()
        looker.close()
        assert process.wait(HANGS) == 0, log.read_text()
    assert "page ended (killed by SIGKILL); the run continues without it" in log.read_text()
    assert log_of(run) == log_of(undisturbed_run[0])


def test_browsers_asleep_do_not_keep_the_end_from_the_others(domain: int) -> None:
    node = PageProcess(domain)
    asleep = [Looker(node.address) for _ in range(6)]
    wait_for(lambda: all(one.acting for one in asleep), lambda: [o.take() for o in asleep])
    awake = Looker(node.address)
    awake.slow = True
    awake.wait(lambda: awake.now)
    wait_for(after(1.0), awake.take)
    before = awake.now["at"]
    node.process.send_signal(signal.SIGINT)
    assert awake.wait_closed() == 1001
    assert awake.now["at"] > before, "the last scene comes to who has not taken the one before"
    for one in (awake, *asleep):
        one.close()
    node.close()
