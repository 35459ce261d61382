# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Evaluates the best candidates of runs again, several times each."""

from __future__ import annotations

import math
import sys
import time
from functools import partial
from itertools import count
from pathlib import Path

from rclpy.executors import SingleThreadedExecutor

from bea_ros.localization.arena import load_arena
from bea_ros.nodes.executables import BACKENDS
from bea_ros.nodes.shared.node import Node
from bea_ros.nodes.shared.parameters import Parameter, declare
from bea_ros.nodes.shared.process import run_node
from bea_ros.nodes.shared.robot.answers import Interrupted, NotPutBack, RobotSilent
from bea_ros.nodes.shared.robot.client import PATIENCE, PATIENCE_WHEN_BUSY, RobotClient
from bea_ros.nodes.shared.robot.measurement import Measurement
from bea_ros.nodes.shared.robot.presence import TOLD
from bea_ros.nodes.shared.robot.whereabouts import MARGIN, SETTLE, Whereabouts
from bea_ros.nodes.shared.robot_parameters import (
    ARENA_PARAMETERS,
    GAIN,
    MOTOR,
    ROBOT_PARAMETERS,
    robot_of,
)
from bea_ros.report.trials import TRIALS, Trial, check_new, save_trials, validated
from bea_ros.robots.cpg import output_of
from bea_ros.robots.reach import Reach
from bea_ros.runs.folder.head import RunFolderError
from bea_ros.runs.folder.lock import LockError, RunLock
from bea_ros.runs.learned import Learned, read_learned
from bea_ros.tasks import UNITS, check_duration

PARAMETERS = [
    *ROBOT_PARAMETERS,
    Parameter("runs", [""], "folders of the runs whose best candidates are run"),
    Parameter("repetitions", 1, "how often each of them is run", 1, 1000),
    Parameter("duration", 0.0, "s of an evaluation, 0: the run's own", 0.0, 3600.0),
    Parameter("output", "", "folder for table and trajectories; empty: none are written"),
    Parameter("append", False, "keep the trials that are in that folder already"),
    Parameter("attempts", 3, "attempts at a trial of a real robot, until one can be "
              "trusted", 1, 100),
    Parameter("put_back", 10.0, "s (wall clock) for which a real robot must stand still after "
              "somebody has put it back", 0.0, 600.0),
    MARGIN,
    SETTLE,
    Parameter("robot_backend", "simulator", "what moves the joints", choices=BACKENDS),
    MOTOR,
    GAIN,
    *ARENA_PARAMETERS,
]  # fmt: skip

ARMING = 600.0  # s (wall clock) to wait until a real robot is armed
LOCK = ".validation.lock"  # a learner may have that of its run, in the same folder
STILL = 0.02  # m of motion, below which a robot stands still


class Validator(Node):
    """Publishes `cpg_parameters`; calls `reset` and `evaluate_fitness`.

    For a real robot it subscribes `pose`, and waits until somebody has put the robot back to a
    place where a trial can begin.
    """

    lock: RunLock | None = None  # of the output

    def __init__(self) -> None:
        super().__init__("validator")
        values = declare(self, PARAMETERS)
        self.robot = robot_of(values)
        self.repetitions = values["repetitions"]
        self.duration = values["duration"] and check_duration(values["duration"])
        self.output = Path(values["output"]) if values["output"] else None
        self.append = values["append"]
        if self.output:
            self.lock = _locked(self.output)
        if self.output and not self.append:
            check_new(self.output, TRIALS, append=True)
        self.runs = [read_learned(Path(folder)) for folder in filter(None, values["runs"])]
        if not self.runs:
            raise RunFolderError("parameter runs is empty: name the folder of a run")
        output = output_of(self.runs[0].platform["profile"])
        for run in self.runs:
            if output_of(run.platform["profile"]) != output:
                raise RunFolderError(
                    f"{run.folder} has profile {run.request['profile']}, {self.runs[0].folder} "
                    f"{self.runs[0].request['profile']}: their controllers differ, try them apart"
                )
            if set(run.weights) != set(self.robot.parameter_names):
                raise RunFolderError(
                    f"{run.folder} is of robot {run.request['robot']}, not {self.robot.name}"
                )
        self.arena = load_arena(self.robot, values["arena"])
        self.reach = Reach(self.robot, values["motor"], output, values["gain"])
        self.put_back, self.settle = values["put_back"], values["settle"]
        # in simulation a second attempt equals the first
        self.attempts, self.whereabouts = 1, None
        if not self.get_parameter("use_sim_time").value:
            self.attempts = values["attempts"]
            self.whereabouts = Whereabouts(self, self.arena, values["margin"])
        self.earlier = self._earlier(self.output) if self.output and self.append else []
        self.trials: list[Trial] = []
        self.evaluations = 0

    def _earlier(self, output: Path) -> list[Trial]:
        """The trials in a folder; raises RunFolderError if they had another duration."""
        planned = {(r.folder, r.evaluation): self.duration or r.duration for r in self.runs}
        trials = [trial for known in validated(output) for trial in known.trials]
        for trial in trials:
            wanted = planned.get((trial.run, trial.evaluation), trial.duration)
            if trial.duration not in (0.0, wanted):
                raise RunFolderError(
                    f"{output} has trials of {trial.run.name} over {trial.duration:g} s, not "
                    f"{wanted:g} s: choose another --output"
                )
        return trials

    def destroy_node(self) -> None:
        """Release the output."""
        if self.lock is not None:
            self.lock.close()
        super().destroy_node()

    def validate(self, executor: SingleThreadedExecutor) -> int:
        """Evaluate all candidates; returns the exit code: 0 if any measurement is valid."""
        if self.output:  # import now: Matplotlib takes a second, too long after Ctrl-C
            from bea_ros.report import validation
        patience = ARMING if self.whereabouts else PATIENCE
        client = RobotClient(self, executor, self.reach, self.arena, reset_patience=patience)
        try:
            client.connect()
            for run in self.runs:
                for repetition in range(1, self.repetitions + 1):
                    self.try_out(client, run, repetition)
            client.stop()
        except (RobotSilent, Interrupted) as error:
            client.give_up()
            print(f"stopped: {error}", flush=True)
            return 1
        finally:
            if self.output and self.trials:
                validation.write_report(self.output)
        return 0 if any(trial.fitness is not None for trial in self.trials) else 1

    def try_out(self, client: RobotClient, run: Learned, repetition: int) -> None:
        """Put the robot back, evaluate a candidate, and print the result."""
        self.evaluations += 1
        measured = self.measure(client, run)
        trusted = measured.success and measured.trajectory is not None
        known = [t.repetition for t in (*self.earlier, *self.trials) if t.run == run.folder]
        self.trials.append(
            Trial(
                run.folder,
                max(known, default=0) + 1,
                measured.fitness if trusted else None,
                measured.trajectory if trusted else None,
                self.duration or run.duration,
                run.evaluation,
            )
        )
        if self.output:
            save_trials(self.output, self.trials, self.append)
        self.tell(run, repetition, measured)

    def measure(self, client: RobotClient, run: Learned) -> Measurement:
        """Return the measurement of a candidate.

        It is repeated if the computer interrupted it, or, on a real robot, if it is not valid.
        """
        duration = self.duration or run.duration
        interrupted = untrusted = 0
        for attempt in count(1):
            client.reconnect()
            try:
                relaxed = self.reset(client)
                # Who relaxes a robot between trials may carry it.
                carried = relaxed and (attempt > 1 or self.evaluations > 1)
                self.wait_until_it_stands(client, self.put_back if carried else self.settle)
                measured = client.evaluate(
                    self.evaluations, attempt, run.weights, run.task.name, duration
                )
            except Interrupted as why:
                interrupted += 1
                if interrupted == PATIENCE_WHEN_BUSY:
                    raise
                problem = str(why)
            else:
                untrusted += 1
                if measured.success or untrusted == self.attempts:
                    break
                problem = measured.message
            print(f"{run.folder.name}: {problem}; trying again", flush=True)
        return measured

    def reset(self, client: RobotClient) -> bool:
        """Put the robot back; wait until the servos of a real robot are armed.

        Returns whether they were relaxed before.
        """
        began, told, relaxed = time.monotonic(), -TOLD, client.limp
        while True:
            try:
                client.reset()
                return relaxed
            except NotPutBack as why:
                if not client.limp or time.monotonic() > began + ARMING:
                    raise
                relaxed = True
                if time.monotonic() >= told + TOLD:
                    told = time.monotonic()
                    print(f"waiting: {why}", flush=True)
            client.spin(0.1)

    def wait_until_it_stands(self, client: RobotClient, rest: float) -> None:
        """Wait until a real robot has stood for `rest` s at a place where a trial can begin."""
        told = -TOLD
        while objection := self.objection(client, rest):
            rest = self.put_back
            if time.monotonic() - told >= TOLD:
                told = time.monotonic()
                print(f"waiting: {objection}; it moves when it has stood for {rest:g} s")
                sys.stdout.flush()

    def objection(self, client: RobotClient, rest: float) -> str:
        """Say why a real robot cannot begin yet; it must stand still for `rest` s."""
        if self.whereabouts is None:
            return ""
        if before := client.unarmed or self.whereabouts.objection(client.spin):
            client.spin(0.1)
            return before
        place = self.whereabouts.place
        client.spin(rest)
        moved = math.dist(place, self.whereabouts.place) > STILL
        after = client.unarmed or self.whereabouts.objection(client.spin)
        return after or "the robot is moved" * moved

    def tell(self, run: Learned, repetition: int, measured: Measurement) -> None:
        """Print a measurement; for a single candidate, with its terms."""
        several = len(self.runs) * self.repetitions > 1
        which = f"{run.folder.name}, {repetition} of {self.repetitions}: " if several else ""
        if not measured.success:
            print(f"{which}the measurement cannot be trusted: {measured.message}", flush=True)
            return
        learned = "" if run.fitness is None else f" ({run.fitness:.4f} when it was learned)"
        print(
            f"{which}evaluation {run.evaluation}: fitness {measured.fitness:.4f} "
            f"{run.task.unit}{learned}",
            flush=True,
        )
        for name, value in () if several else measured.terms.items():
            unit = run.task.unit if name == "fitness" else UNITS.get(name, "")
            print(f"  {name:<14} {value:8.4f} {unit}".rstrip(), flush=True)


def _locked(output: Path) -> RunLock:
    """Lock the output; raises RunFolderError if another validation writes it."""
    output.mkdir(parents=True, exist_ok=True)
    try:
        return RunLock(output, "validation", LOCK)
    except LockError as error:
        raise RunFolderError(f"{error}: choose another --output (output:=...), or wait") from None


main = partial(run_node, Validator, work=Validator.validate)


if __name__ == "__main__":
    sys.exit(main())
