# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""bea: learn, replay, report, bench, doctor, robots: on machines with or without ros2 launch."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bea_ros.bringup import (
    LEARN_ARGUMENTS,
    ROBOT_ARGUMENTS,
    VALIDATE_ARGUMENTS,
    Argument,
    NodeSpec,
    check_robot,
    configured,
    learn_graph,
    output_folder,
    replay_graph,
    validate_graph,
)
from bea_ros.experiments.function_study import command as function_study
from bea_ros.experiments.optimizer_study import command as optimizer_study
from bea_ros.experiments.robot_study import command as robot_study
from bea_ros.run_folder import read_request

USER_ERROR = 2
_VALIDATE = tuple(a for a in VALIDATE_ARGUMENTS if a.name != "runs")
BENCHMARKS = {
    "loop": "how fast the whole graph runs",
    "localization": "how well the camera tells where the robot is",
    "simulation": "how fast a robot is evaluated in the simulator alone",
}


def main(args: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code: 2 for a user's mistake, which is told in one line."""
    parsed = _parser().parse_args(args)
    try:
        return int(parsed.run(parsed) or 0)
    except (ValueError, FileNotFoundError) as error:
        print(f"bea {parsed.command}: {error}", file=sys.stderr)
        return USER_ERROR
    except KeyboardInterrupt:
        return 130


def learn(parsed: argparse.Namespace) -> int:
    """Start the graph of a learning run."""
    arguments = _arguments(parsed, (*ROBOT_ARGUMENTS, *LEARN_ARGUMENTS))
    output = output_folder(arguments)
    request = read_request(output)
    if request is not None:  # what is not said anew is as it was
        options = [f"{name}={json.dumps(v)}" for name, v in request.pop("options").items()]
        arguments.update({name: v for name, v in request.items() if name not in parsed.given})
        arguments["options"] = options
    arguments["options"] = parsed.option or arguments.get("options")
    arguments["output"] = str(output)
    return _run(learn_graph(arguments), arguments, parsed.given)


def replay(parsed: argparse.Namespace) -> int:
    """Run the best candidate of a run again."""
    from bea_ros.run_folder import RunFolderError

    request = read_request(parsed.run_folder)
    if request is None:
        raise RunFolderError(f"{parsed.run_folder} is not the folder of a run")
    arguments = _arguments(parsed, ROBOT_ARGUMENTS)
    arguments.update({name: v for name, v in request.items() if name not in parsed.given})
    arguments["run"] = str(parsed.run_folder.absolute())
    return _run(replay_graph(arguments), arguments, parsed.given)


def validate(parsed: argparse.Namespace) -> int:
    """Run the best candidates of runs again, in this world or in others."""
    from bea_ros.learned import by_platform, read_learned

    runs = [read_learned(folder.absolute()) for folder in parsed.run_folders]
    arguments = _arguments(parsed, (*_VALIDATE, *ROBOT_ARGUMENTS))
    if parsed.physics:
        from bea_ros.experiments import other_physics

        return other_physics.run(runs, parsed.physics, parsed.seed, arguments)
    output = Path(arguments["output"]).absolute()
    code = 0
    for number, group in enumerate(by_platform(runs)):
        platform = {n: v for n, v in group[0].platform.items() if n not in parsed.given}
        wanted = {
            **arguments,
            **platform,
            "runs": ",".join(str(run.folder) for run in group),
            "output": str(output),
        }
        nodes = validate_graph(wanted)
        nodes[-1].parameters["append"] = number > 0
        code = code or _run(nodes, wanted, parsed.given)
    from bea_ros.report import validation

    if not code:
        validation.print_table(output)
    return code


def watch(parsed: argparse.Namespace) -> int:
    """Make a video and a still of a run's best gait."""
    from bea_ros.watch import watch as make

    for path in make(parsed.run_folder, parsed.output, parsed.speed, parsed.duration, parsed.size):
        print(f"wrote {path}")
    return 0


def report(parsed: argparse.Namespace) -> int:
    """Write the report of a run."""
    from bea_ros.report import write_report

    path = write_report(parsed.run_folder)
    print(f"wrote {path}")
    return 0


def bench(parsed: argparse.Namespace) -> int:
    """Run a benchmark."""
    import importlib

    module = importlib.import_module(f"bea_ros.experiments.bench_{parsed.what}")
    return int(module.run() or 0)


def bench_robots(parsed: argparse.Namespace) -> int:
    """Learn the paper's nine cases by several algorithms and compare them."""
    return robot_study.run(parsed)


def bench_functions(parsed: argparse.Namespace) -> int:
    """Minimise synthetic functions by BO, EA and BEA and compare them."""
    return function_study.run(parsed)


def bench_optimizers(parsed: argparse.Namespace) -> int:
    """Measure our optimizers side by side with what people use."""
    return optimizer_study.run(parsed)


def doctor(parsed: argparse.Namespace) -> int:
    """Check the machine."""
    from bea_ros.doctor import check_machine

    return check_machine()


def robots(parsed: argparse.Namespace) -> int:
    """List the robots."""
    from rich.console import Console
    from rich.table import Table

    from bea_ros.robots import load_robot, robot_names

    table = Table("robot", "joints", "couplings", "parameters", "mass (g)")
    for name in robot_names():
        robot = load_robot(name)
        counts = (len(robot.joints), len(robot.couplings), len(robot.parameter_names))
        table.add_row(name, *map(str, counts), f"{1000 * robot.mass:.0f}")
    Console().print(table)
    return 0


def _run(nodes: list[NodeSpec], arguments: dict[str, Any], chosen: set[str]) -> int:
    from bea_ros.supervisor import run_graph

    check_robot(arguments)
    nodes = configured(nodes, arguments["config"], chosen)
    return run_graph(nodes, isolated=arguments["robot_backend"] == "simulator")


def _arguments(parsed: argparse.Namespace, table: Sequence[Argument]) -> dict[str, Any]:
    """Every argument by name; `parsed.given` are those on the command line."""
    values = {a.name: getattr(parsed, a.name) for a in table}
    parsed.given = {name for name, value in values.items() if value is not None}
    return {a.name: a.default if values[a.name] is None else values[a.name] for a in table}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bea", description="Robots that learn to move.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run)
        return sub

    sub = command("learn", learn, "let a robot learn, or go on where a run was stopped")
    _add(sub, (*LEARN_ARGUMENTS, *ROBOT_ARGUMENTS))
    sub.add_argument(
        "--option", action="append", metavar="NAME=VALUE", help="further option of the optimizer"
    )
    sub = command("replay", replay, "run the best candidate of a run again")
    sub.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a run")
    _add(sub, ROBOT_ARGUMENTS)
    sub = command("validate", validate, "run the best candidates of several runs again")
    sub.add_argument("run_folders", type=Path, nargs="+", metavar="RUN", help="folder of a run")
    _add(sub, (*_VALIDATE, *ROBOT_ARGUMENTS))
    sub.add_argument(
        "--physics", type=int, default=0, metavar="N", help="try each in N other worlds instead"
    )
    sub.add_argument("--seed", type=int, default=1, help="seed of these worlds (default 1)")
    sub = command("watch", watch, "make a video and a still of a run's best gait")
    sub.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a run")
    sub.add_argument("--output", type=Path, help="folder for them (default: the run's)")
    sub.add_argument("--speed", type=float, default=2.0, help="times real time (default 2)")
    sub.add_argument(
        "--duration", type=float, default=0.0, help="s of the robot (default: the task's own)"
    )
    sub.add_argument(
        "--size", type=int, nargs=2, default=(960, 540), metavar=("WIDTH", "HEIGHT"),
        help="in pixels (default 960 540)",
    )  # fmt: skip
    sub = command("report", report, "write a page with the pictures of a run")
    sub.add_argument("run_folder", type=Path, metavar="RUN", help="folder of a run")
    sub = command("bench", bench, "measure this machine and this package, or repeat a study")
    benches = sub.add_subparsers(dest="what", required=True, metavar="WHAT")
    for name, text in BENCHMARKS.items():
        benches.add_parser(name, help=text, description=text)
    text = "the paper's nine cases, learned by BO, EA and BEA and compared"
    study = benches.add_parser("robots", help=text, description=text)
    study.set_defaults(run=bench_robots)
    robot_study.add_arguments(study)
    text = "the paper's synthetic functions, minimised by BO, EA and BEA and compared"
    study = benches.add_parser("functions", help=text, description=text)
    study.set_defaults(run=bench_functions)
    function_study.add_arguments(study)
    text = "BO, EA and BEA side by side with other optimizers: value, overhead, memory"
    study = benches.add_parser("optimizers", help=text, description=text)
    study.set_defaults(run=bench_optimizers)
    optimizer_study.add_arguments(study)
    command("doctor", doctor, "check this machine and say what is missing")
    command("robots", robots, "list the robots")
    return parser


def _add(parser: argparse.ArgumentParser, table: Sequence[Argument]) -> None:
    for argument in table:
        default = "" if argument.default == "" else f" (default {argument.default})"
        parser.add_argument(
            f"--{argument.name.replace('_', '-')}",
            dest=argument.name,
            type=type(argument.default),
            choices=argument.choices or None,
            help=argument.description + default,
        )


if __name__ == "__main__":
    sys.exit(main())
