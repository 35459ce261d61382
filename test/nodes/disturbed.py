# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Has a robot learn while its camera is disturbed, and compares every fitness with the truth.

    python test/nodes/disturbed.py    # 30 evaluations in real time
    python test/nodes/disturbed.py --quick
    python test/nodes/disturbed.py --servos [--quick]

The real graph, with the camera's images spoiled on their way (see disturber). An operator resumes
the learner when it waits and the fault is over. In the end every candidate is tried once more,
undisturbed, in one process. Exit code 1 if any fitness that was told is not that of its candidate.

With --servos the robot is a real one for all that the graph can tell: servo_driver on mock pins,
whose pulses move a simulated body under the camera (see servo_body), always in real time. The
operator arms the servos and puts the robot back, when the learner's messages say so.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("stand_ins")))

import numpy as np
import rclpy
from bea_ros_interfaces.msg import LearnerStatus
from disturber import KINDS, PREFIX, Disturber
from geometry_msgs.msg import Point
from graph import end
from operator_desk import environment
from rclpy.executors import SingleThreadedExecutor
from servo_body import displacement
from std_srvs.srv import SetBool, Trigger

from bea_ros.bringup.arguments import LEARN_ARGUMENTS, ROBOT_ARGUMENTS
from bea_ros.bringup.graphs import learn_graph
from bea_ros.bringup.supervisor import free_domain, run_graph
from bea_ros.hardware.servos import load_servos, servos_path
from bea_ros.nodes.shared.qos import LATCHED
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.runs.folder.run_folder import read_evaluations
from bea_ros.simulation.observed import Laboratory
from bea_ros.simulation.rollout import rollout
from bea_ros.simulation.world import World
from bea_ros.system.processes import die_with_parent
from bea_ros.tasks import find_task

IMAGE_RATE = 10.0  # images per second of the camera above the servos
REPETITIONS = 10  # of an undisturbed evaluation on servos
MARGIN = 1.3  # m from the border: the operator keeps a robot on servos in a box of 1.4 m x 0.4 m
TOLERANCE = 0.02  # m: the robot rocks that much while an image is missing


class Helper:
    """The operator: does what the learner asks for, as soon as nothing is wrong any more."""

    def __init__(self, disturber):
        self.disturber = disturber
        self.pauses, self.reasons = 0, []
        self.armed = self.put_back = 0
        self.heeded = ""  # the last message of the learner's that was acted upon
        self.resume = disturber.create_client(Trigger, "learner/resume")
        self.arm = disturber.create_client(SetBool, "servo_driver/arm")
        disturber.create_subscription(LearnerStatus, "learner/status", self.on_status, LATCHED)
        self.paused = False

    def on_status(self, status):
        paused = status.state == LearnerStatus.STATE_PAUSED
        if paused and not self.paused:
            self.pauses += 1
            self.reasons.append(re.sub(r"\b\d[\d.]*\b", "...", status.message))
        self.paused = paused
        if self.disturber.disturbing or status.message == self.heeded:
            return
        self.heeded = status.message
        errands = []
        if "put it back" in status.message:
            self.put_back += 1
            self.disturber.hand.publish(Point())
        if "to arm: " in status.message:
            self.armed += 1
            off = [False] if "data: false" in status.message else []
            errands += [(self.arm, SetBool.Request(data=on)) for on in (*off, True)]
        if paused:
            errands.append((self.resume, Trigger.Request()))
        self.run(errands)

    def run(self, errands):
        """Call services, one after another."""
        if errands:
            (client, request), *others = errands
            client.call_async(request).add_done_callback(lambda _: self.run(others))


def learning_graph(asked):
    """The graph of a learning run, with the localization behind the disturber."""
    arguments = {a.name: a.default for a in (*ROBOT_ARGUMENTS, *LEARN_ARGUMENTS)}
    arguments |= {name: getattr(asked, name) for name in ("evaluations", "duration", "seed")}
    arguments |= {"output": str(asked.output), "operator": "present", "confirm": 0}
    if asked.evaluations < 10:  # fewer than the optimizer tries before it chooses
        few = ("initial_samples", "population")
        arguments["options"] = [f"{name}={asked.evaluations}" for name in few]
    arguments["real_time_factor"] = 0.0 if asked.quick else 1.0
    arguments["robot_backend"] = "hardware" if asked.servos else "simulator"
    nodes = learn_graph(arguments)
    for number, node in enumerate(nodes):
        if node.executable == "camera_localization":
            behind = tuple((name, PREFIX + name) for name in ("image_raw", "image_processed"))
            nodes[number] = replace(node, remappings=(*node.remappings, *behind))
        if node.executable == "learner":
            node.parameters.update({"margin": MARGIN} if asked.servos else {"reset": "service"})
        if node.executable == "servo_driver":
            node.parameters["pins"] = "mock"
    return nodes


def learn(arguments):
    """Run the graph beside the disturber; returns the disturber, the operator, the exit code."""
    commands = [[sys.executable, __file__, "--graph", *arguments.words]]
    if arguments.servos:
        body = Path(__file__).with_name("stand_ins") / "servo_body.py"
        commands += [[sys.executable, body, "--ros-args", "-p", f"camera.rate:={IMAGE_RATE}"]]
    process, *others = (subprocess.Popen(c, preexec_fn=die_with_parent) for c in commands)
    context = rclpy.Context()
    rclpy.init(context=context)
    robot = load_robot("spider9")
    chosen = (arguments.seed, arguments.duration, arguments.longest)
    options = {name: getattr(arguments, name) for name in ("servos", "kinds", "share")}
    disturber = Disturber(robot, *chosen, **options, context=context)
    helper = Helper(disturber)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(disturber)
    try:
        while process.poll() is None:
            executor.spin_once(timeout_sec=0.05)
    finally:
        end(*others, process)
        disturber.destroy_node()
        rclpy.shutdown(context=context)
    return disturber, helper, process.returncode


def errors(arguments):
    """By evaluation: how far (m) the displacement told is from that of an undisturbed one."""
    robot, task, duration = load_robot("spider9"), find_task("gait"), arguments.duration
    laboratory = Laboratory(robot, seed=arguments.seed)
    found = {}
    for record in read_evaluations(arguments.output):
        observed = laboratory.observe(
            CpgNetwork.from_weights(robot, record["parameters"]), duration
        )
        truth = task.evaluate(observed.seen, duration).terms["displacement"]
        found[record["evaluation"]] = record["terms"]["displacement"] - truth
    exact = sum(abs(e) < 1e-6 for e in found.values())
    print(f"told and undisturbed: equal to a micrometre in {exact} of {len(found)}")
    return found, dict.fromkeys(found, 0.0)


def errors_on_servos(arguments):
    """By evaluation: how far (m) the displacement told is from the mean of undisturbed ones, each
    as long as that which was told (it ends where the robot comes to the edge), and their standard
    deviation.
    """
    robot, rng = load_robot("spider9"), np.random.default_rng(arguments.seed)
    world, servos = World(robot), load_servos(servos_path("spider9"), robot).servos
    found, spreads, bare = {}, [], []
    for record in read_evaluations(arguments.output):
        cpg, told = CpgNetwork.from_weights(robot, record["parameters"]), record["terms"]
        walks = [
            displacement(world, servos, cpg, told["duration"], rng) for _ in range(REPETITIONS)
        ]
        found[record["evaluation"]] = told["displacement"] - float(np.mean(walks))
        spreads.append(np.std(walks, ddof=1))
        way = rollout(world, cpg, told["duration"])
        bare.append(math.hypot(way.x[-1], way.y[-1]) - np.mean(walks))
    print(
        f"undisturbed, {REPETITIONS} times each: standard deviation {1000 * rms(spreads):.1f} mm, "
        f"at most {1000 * max(spreads):.1f} mm; by the controller's commands in place of the "
        f"pulses {1000 * rms(bare):.1f} mm (rms) from their mean"
    )
    return found, dict(zip(found, spreads, strict=True))


def rms(values):
    return float(np.sqrt(np.mean(np.square(list(values)))))


def table(disturber, helper, folder, found):
    """What was done to the run, and what became of it, in words."""
    records = read_evaluations(folder)
    kinds = Counter(fault.kind for fault in disturber.faults)
    lines = [f"{kind:<10} {kinds[kind]:3} times" for kind in dict.fromkeys(kinds)]
    repeated = sum(r["attempts"] + r["time"]["interruptions"] > 1 for r in records)
    worst = max(map(abs, found.values()))
    spoiled = {fault.evaluation for fault in disturber.faults}
    apart = {
        "those with a fault": [e for n, e in found.items() if n in spoiled],
        "the others": [e for n, e in found.items() if n not in spoiled],
    }
    lines += [
        f"{len(records)} evaluations in {disturber.attempts} attempts: {repeated} repeated, "
        f"{helper.pauses} waits for the operator",
        *(f"  waited {n} times: {reason}" for reason, n in Counter(helper.reasons).items()),
        "displacement told, from that of an undisturbed evaluation: "
        f"{1000 * rms(found.values()):.1f} mm (rms), at most {1000 * worst:.1f} mm",
        *(f"  {what}: {1000 * rms(e):.1f} mm (rms)" for what, e in apart.items() if e),
    ]
    if disturber.servos:
        lines.append(f"armed {helper.armed} times, put back {helper.put_back} times")
    return "\n".join(lines)


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="10 short evaluations, fast")
    parser.add_argument("--servos", action="store_true", help="a body on mock pins, in real time")
    parser.add_argument("--evaluations", type=int)
    parser.add_argument("--duration", type=float, help="s of an evaluation")
    parser.add_argument("--longest", type=float, help="s that a fault lasts at most")
    parser.add_argument("--share", type=float, default=0.5, help="of the attempts spoiled")
    parser.add_argument("--kinds", nargs="+", default=KINDS, help="faults, or nudged")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("runs/disturbed"))
    parser.add_argument("--graph", action="store_true", help=argparse.SUPPRESS)
    parsed = parser.parse_args(words)
    for name, quick, full in (("evaluations", 10, 30), ("duration", 2, 30), ("longest", 2, 10)):
        if getattr(parsed, name) is None:
            setattr(parsed, name, type(full)(quick if parsed.quick else full))
    parsed.duration, parsed.longest = float(parsed.duration), float(parsed.longest)
    parsed.words = words
    return parsed


def main(words=None):
    arguments = parse(words or [])
    if arguments.graph:
        return run_graph(learning_graph(arguments))
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    lock, domain = free_domain()
    os.environ["ROS_DOMAIN_ID"] = str(domain)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.servos:
            pins = Path(folder) / "pins.log"
            pins.touch()
            os.environ.update(environment(domain, pins))
        disturber, helper, code = learn(arguments)
    lock.close()
    if code:
        print(f"the graph ended with exit code {code}")
        return 1
    found, noise = errors_on_servos(arguments) if arguments.servos else errors(arguments)
    print(table(disturber, helper, arguments.output, found))
    print(f"{(time.monotonic() - began) / 60:.1f} minutes")
    wrong = {n: round(e, 4) for n, e in found.items() if abs(e) > TOLERANCE + 3 * noise[n]}
    if wrong:
        print(f"WRONG: told, less undisturbed (m), by evaluation: {json.dumps(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
