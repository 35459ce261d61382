# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea servo: the servos of a real robot, one moved to find its trim."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bea_ros.bringup.arguments import ROBOT_ARGUMENTS, SERVOS
from bea_ros.commands.graphs import add_arguments, values_of
from bea_ros.hardware.errors import HardwareError
from bea_ros.hardware.outputs import PINS

if TYPE_CHECKING:
    from bea_ros.hardware.servos import Servo, Servos

ARGUMENTS = (*(a for a in ROBOT_ARGUMENTS if a.name in ("robot", "generation")), SERVOS)
HOLD = 2.0  # s
ROUNDED = 1e-3  # rad by which an angle may be typed beyond its limit, which then holds


def add(commands: Any) -> None:
    text = "list a robot's servos; move one, and save its trim"
    parser = commands.add_parser("servo", help=text, description=text)
    add_arguments(parser, ARGUMENTS)
    parser.add_argument("--joint", help="joint to move; without it the servos are listed")
    parser.add_argument(
        "--angle", type=float, help="angle to go to (rad); without it or --trim keys move it"
    )
    parser.add_argument("--trim", type=float, help="angle to add to every angle (rad)")
    parser.add_argument("--hold", type=float, help=f"time to stay there (s; default {HOLD:g})")
    parser.add_argument("--save", action="store_true", help="save the trim")
    parser.add_argument("--pins", default="auto", choices=PINS, help="pin factory of gpiozero")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    from bea_ros.hardware.servos import ServosError, load_servos, servos_path
    from bea_ros.robots import load_robot

    values = values_of(parsed, ARGUMENTS)
    robot = load_robot(values["robot"], values["generation"])
    servos = load_servos(values["servos"] or servos_path(values["robot"]), robot)
    if parsed.joint is None:
        if any(value is not None for value in (parsed.angle, parsed.trim)) or parsed.save:
            raise ServosError("--joint says which servo that is for")
        _list(servos)
        return 0
    servo = _checked(servos.find(parsed.joint), parsed)
    try:
        return _try(servos, servo, parsed)
    except HardwareError as error:
        raise ServosError(str(error)) from error


def _checked(servo: Servo, parsed: argparse.Namespace) -> Servo:
    """The servo with the trim that was given; raises ServosError for what is not allowed."""
    from bea_ros.hardware.servos import LARGEST_TRIM, ServosError

    if parsed.angle is not None and not (
        servo.lower - ROUNDED <= parsed.angle <= servo.upper + ROUNDED
    ):
        raise ServosError(
            f"--angle is {parsed.angle}: {servo.name} goes from {servo.lower:.4f} to "
            f"{servo.upper:.4f} rad"
        )
    if parsed.hold is None:
        parsed.hold = HOLD
    elif parsed.angle is None and parsed.trim is None:
        raise ServosError("--hold needs --angle or --trim: by keys the servo stays until q")
    if not 0.0 <= parsed.hold <= 3600.0:
        raise ServosError(f"--hold is {parsed.hold}: allowed is 0 to 3600 s")
    if parsed.save and parsed.trim is None:
        raise ServosError("--save needs --trim; by keys it is s that saves")
    if parsed.trim is None:
        return servo
    if not abs(parsed.trim) <= LARGEST_TRIM:
        raise ServosError(
            f"--trim is {parsed.trim}: allowed is -{LARGEST_TRIM} to {LARGEST_TRIM} rad; "
            "put the horn on another tooth"
        )
    return replace(servo, trim=parsed.trim).check()


def _try(servos: Servos, servo: Servo, parsed: argparse.Namespace) -> int:
    from bea_ros.hardware.servos import ServosError
    from bea_ros.hardware.trial import ServoTrial
    from bea_ros.hardware.trim import save_trim
    from bea_ros.system.processes import go_first

    path = servos.path

    def save(trim: float) -> str:
        nonlocal path
        path = save_trim(path, servo.name, trim)
        return f"saved to {path}"

    by_arguments = parsed.angle is not None or parsed.trim is not None
    if not by_arguments and not sys.stdin.isatty():
        raise ServosError("no terminal for keys: give --angle, or --trim")
    if parsed.angle is not None or not parsed.save:
        go_first()
        trial = ServoTrial(servos, servo, parsed.pins)
        try:
            if by_arguments:
                trial.go_to(servo.neutral if parsed.angle is None else parsed.angle)
                trial.hold(parsed.hold)
                print(trial.status())
            else:
                trial.by_keys(save)
        finally:
            relaxed = trial.close()
            print("relaxed" if relaxed else "perhaps not relaxed: CUT THE POWER OF THE SERVOS")
        if not relaxed:
            return 1
    if parsed.save:
        print(save(parsed.trim))
    return 0


def _list(servos: Servos) -> None:
    from rich.console import Console
    from rich.table import Table

    board = servos.board
    output = "BCM pin" if board["driver"] == "gpio" else "channel"
    where = "" if output != "channel" else f" at {board['address']:#04x} of I2C bus {board['bus']}"
    table = Table(box=None, pad_edge=False)
    for name in ("joint", output, "pulse, us", "trim", "inverse", "limits, rad", "rad/s"):
        table.add_column(name, overflow="fold")
    for servo in servos.servos:
        low, high = (servo.pulse_of(angle) for angle in (servo.lower, servo.upper))
        table.add_row(
            servo.name, str(servo.output), f"{low:.0f}..{high:.0f}", f"{servo.trim:+.3f}",
            "yes" if servo.inverse else "no", f"{servo.lower:.3f}..{servo.upper:.3f}",
            f"{servo.velocity:.2f}",
        )  # fmt: skip
    console = Console(highlight=False)
    line = f"{servos.path}: {board['driver']}{where}, {board['frequency']:g} Hz"
    console.print(line, soft_wrap=True)
    console.print(table)
