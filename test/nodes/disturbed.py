# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Has a robot learn while its camera is disturbed, and compares every fitness with the truth.

    PYTHONPATH=test/nodes python test/nodes/disturbed.py    # 30 evaluations in real time
    PYTHONPATH=test/nodes python test/nodes/disturbed.py --quick

The real graph, with the camera's images spoiled on their way (see disturber). An operator resumes
the learner when it waits and the fault is over. In the end every candidate is tried once more,
undisturbed, in one process. Exit code 1 if any fitness that was told is not that of its candidate.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import rclpy
from bea_ros_interfaces.msg import LearnerStatus
from disturber import PREFIX, Disturber
from rclpy.executors import SingleThreadedExecutor
from std_srvs.srv import Trigger

from bea_ros.bringup import LEARN_ARGUMENTS, ROBOT_ARGUMENTS, learn_graph
from bea_ros.nodes.qos import LATCHED
from bea_ros.robots import load_robot
from bea_ros.robots.cpg import CpgNetwork
from bea_ros.runs.folder import read_evaluations
from bea_ros.simulation.observed import Laboratory
from bea_ros.supervisor import die_with_parent, free_domain, run_graph
from bea_ros.tasks import find_task

TOLERANCE = 0.02  # m: the robot rocks that much while an image is missing


class Helper:
    """The operator: resumes a learner that waits, as soon as nothing is wrong any more."""

    def __init__(self, disturber):
        self.disturber = disturber
        self.pauses, self.reasons = 0, []
        self.resume = disturber.create_client(Trigger, "learner/resume")
        disturber.create_subscription(LearnerStatus, "learner/status", self.on_status, LATCHED)
        self.paused = False

    def on_status(self, status):
        paused = status.state == LearnerStatus.STATE_PAUSED
        if paused and not self.paused:
            self.pauses += 1
            self.reasons.append(status.message)
        self.paused = paused
        if paused and not self.disturber.disturbing:
            self.resume.call_async(Trigger.Request())


def graph(output, evaluations, duration, seed, factor):
    """The graph of a learning run, with the localization behind the disturber."""
    arguments = {a.name: a.default for a in (*ROBOT_ARGUMENTS, *LEARN_ARGUMENTS)}
    arguments |= {"output": str(output), "evaluations": evaluations, "duration": duration}
    arguments |= {"seed": seed, "real_time_factor": factor, "operator": "present", "confirm": 0}
    nodes = learn_graph(arguments)
    for number, node in enumerate(nodes):
        if node.executable == "camera_localization":
            behind = tuple((name, PREFIX + name) for name in ("image_raw", "image_processed"))
            nodes[number] = replace(node, remappings=(*node.remappings, *behind))
        if node.executable == "learner":
            node.parameters["reset"] = "service"
    return nodes


def learn(arguments):
    """Run the graph beside the disturber; returns the disturber, the operator, the exit code."""
    command = [sys.executable, __file__, "--graph", *arguments.words]
    process = subprocess.Popen(command, preexec_fn=die_with_parent)
    context = rclpy.Context()
    rclpy.init(context=context)
    robot = load_robot("spider9")
    disturber = Disturber(
        robot, arguments.seed, arguments.duration, arguments.longest, context=context
    )
    helper = Helper(disturber)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(disturber)
    try:
        while process.poll() is None:
            executor.spin_once(timeout_sec=0.05)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(10)
        disturber.destroy_node()
        rclpy.shutdown(context=context)
    return disturber, helper, process.returncode


def errors(folder, duration, seed):
    """By evaluation: how far (m) the displacement told is from that of an undisturbed one."""
    robot, task = load_robot("spider9"), find_task("gait")
    laboratory = Laboratory(robot, seed=seed)
    found = {}
    for record in read_evaluations(folder):
        observed = laboratory.observe(
            CpgNetwork.from_weights(robot, record["parameters"]), duration
        )
        truth = task.evaluate(observed.seen, duration).terms["displacement"]
        found[record["evaluation"]] = record["terms"]["displacement"] - truth
    return found


def table(disturber, helper, folder, found):
    """What was done to the run, and what became of it, in words."""
    records = read_evaluations(folder)
    kinds = Counter(fault.kind for fault in disturber.faults)
    lines = [f"{kind:<10} {kinds[kind]:3} times" for kind in dict.fromkeys(kinds)]
    repeated = sum(r["attempts"] + r["time"]["interruptions"] > 1 for r in records)
    worst = max(map(abs, found.values()))
    exact = sum(abs(e) < 1e-6 for e in found.values())
    lines += [
        f"{len(records)} evaluations in {disturber.attempts} attempts: {repeated} repeated, "
        f"{helper.pauses} waits for the operator",
        *(f"  waited: {reason}" for reason in helper.reasons),
        f"displacement told and undisturbed: equal to a micrometre in {exact} of {len(found)}, "
        f"at most {1000 * worst:.1f} mm apart",
    ]
    return "\n".join(lines)


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="10 short evaluations, fast")
    parser.add_argument("--evaluations", type=int)
    parser.add_argument("--duration", type=float, help="s of an evaluation")
    parser.add_argument("--longest", type=float, help="s that a fault lasts at most")
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
    factor = 0.0 if arguments.quick else 1.0
    if arguments.graph:
        return run_graph(
            graph(
                arguments.output, arguments.evaluations, arguments.duration, arguments.seed, factor
            )
        )
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    lock, domain = free_domain()
    os.environ["ROS_DOMAIN_ID"] = str(domain)
    began = time.monotonic()
    disturber, helper, code = learn(arguments)
    lock.close()
    if code:
        print(f"the graph ended with exit code {code}")
        return 1
    found = errors(arguments.output, arguments.duration, arguments.seed)
    print(table(disturber, helper, arguments.output, found))
    print(f"{(time.monotonic() - began) / 60:.1f} minutes")
    wrong = {n: round(e, 4) for n, e in found.items() if abs(e) > TOLERANCE}
    if wrong:
        print(f"WRONG: told, less undisturbed (m), by evaluation: {json.dumps(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
