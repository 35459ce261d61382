# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The study of adaptation: worlds, methods, and how its table is counted."""

import numpy as np
import pytest

from bea_ros.__main__ import main
from bea_ros.optimizers.prior.knowledge import Prior
from bea_ros.repertoire import learned_world
from bea_ros.robots.damage import Damage
from bea_ros.studies.adaptation import report
from bea_ros.studies.adaptation.methods import NatureSettings, Ordered, method_of
from bea_ros.studies.adaptation.plan import RANGES, Plan, Run
from bea_ros.studies.engine.data import read_table
from bea_ros.studies.engine.results import Result, Results
from bea_ros.system.resources import resource_path

COMMAND = [
    "bench", "adaptation", "--robots", "spider9", "--tasks", "gait", "--jobs", "1",
    "--changes", "physics", "--draws-seed", "7",
    "--algorithms", "fresh", "prior", "ordered", "nature", "--repetitions", "1",
    "--evaluations", "12", "--trials", "3", "--duration", "1.5",
]  # fmt: skip


def test_worlds_are_drawn_wider_and_each_joint_breaks_once():
    plan = Plan(robots=("gecko7",), tasks=("gait", "rotating"), repetitions=3)
    cases = plan.cases
    assert cases[:2] == [("gecko7", "gait", "physics"), ("gecko7", "rotating", "physics")]
    assert len(cases) == 2 + 2 * 6
    assert len(plan.runs()) == 7 * (2 * 3 + 12)
    worlds = [run.world() for run in plan.runs() if run.algorithm == "prior"]
    drawn = {physics for _, physics, damages in worlds if not damages}
    assert len(drawn) == 3  # the same for each task
    for physics in drawn:
        for name, (low, high) in RANGES.items():
            assert low <= getattr(physics, name) <= high
    assert sorted(d.kind for _, _, damages in worlds for d in damages.values()) == (
        ["limp"] * 6 + ["stuck"] * 6
    )


def test_a_change_may_be_of_one_joint():
    changes = ("leg_00.limp", "body_0.stuck:-0.3", "leg_20.missing")
    plan = Plan(robots=("spider9", "gecko7"), changes=changes, algorithms=("fresh",))
    assert sorted(plan.cases) == [
        ("gecko7", "gait", "body_0.stuck:-0.3"),
        ("gecko7", "gait", "leg_00.limp"),
        ("spider9", "gait", "leg_00.limp"),  # it has no body_0
        ("spider9", "gait", "leg_20.missing"),  # gecko7 has no leg_20
    ]
    broken = {run.change: run.world()[2] for run in plan.runs()}
    assert broken["body_0.stuck:-0.3"] == {"body_0": Damage("stuck", -0.3)}


@pytest.mark.parametrize("wrong", ["leg_99.limp", "leg_00.lame", "leg_00.stuck:9", "leg_00"])
def test_a_change_that_no_robot_can_have_is_refused(wrong):
    with pytest.raises(ValueError, match=f"unknown change '{wrong}'"):
        Plan(robots=("spider9",), changes=(wrong,))


def test_the_command_runs_and_goes_on(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(learned_world, "BUDGET", 6)  # how well it learns does not matter here
    assert main([*COMMAND, "--output", str(tmp_path)]) == 0
    table = capsys.readouterr().out
    assert "--prior" in table
    runs = read_table(tmp_path / "runs.csv")
    assert len(runs) == 4
    written = (tmp_path / "runs.csv").read_bytes()
    assert main([*COMMAND, "--output", str(tmp_path)]) == 0
    assert (tmp_path / "runs.csv").read_bytes() == written
    assert "Adaptation" in (tmp_path / "report.html").read_text()


def test_the_first_candidate_is_the_one_that_the_repertoire_expects_to_be_best():
    plan = Plan(robots=("spider9",), changes=("physics",), repetitions=1, duration=1.5)
    first = {(run.task, run.algorithm): method_of(run, {}).ask() for run in plan.runs()
             if run.algorithm in ("prior", "ordered")}  # fmt: skip
    for task in plan.tasks:
        assert first[task, "prior"] == pytest.approx(first[task, "ordered"])


def test_evaluations_are_counted_against_the_fresh_run_of_the_same_world():
    def result(name, repetition, *best):
        n = np.arange(1, len(best) + 1)
        case = ("spider9", "gait", "physics")
        return Result(case, name, repetition, n, np.array(best, float), 0.0 * n)

    found = [
        result("fresh", 0, 0.0, 5.0, 10.0), result("prior", 0, 8.0, 9.0),
        result("fresh", 1, 1.0, 1.0, 1.0), result("prior", 1, 0.5, 0.5),
        result("fresh", 2, 0.0, 0.0, 0.0), result("prior", 2, 1.0, 1.0),
    ]  # fmt: skip
    assert report.needed_by(found[1], 9.0) == 2
    assert report.needed_by(found[3], 0.9) == report.NEVER
    results = Results({"trials": 20}, {}, [found[0].case], ["fresh", "prior"], found)
    table = report.summarised(results, results.cases)
    assert table["runs"].tolist() == [2, 2]  # a world in which nothing was reached counts nowhere
    assert table["median to 90 %"].tolist() == ["2", ">2"]  # one of two never got there
    assert table["within 10"].tolist() == ["100%", "50%"]
    assert table["after 5"].tolist() == ["1.00", f"{np.sqrt(0.9 * 0.5):.2f}"]
    results.settings["trials"] = 5  # nothing is said of evaluations that no method had
    words = list(report.summarised(results, results.cases))[2:]
    assert words == ["median to 90 %", "within 5", "after 1", "after 5"]


def test_other_methods_on_a_repertoire():
    rng = np.random.default_rng(0)
    ends = rng.random((30, 3))
    expected = ends[:, 0]
    prior = Prior(rng.random((30, 5)), np.column_stack([expected, expected]))
    ordered = Ordered(prior)
    best = np.argsort(-expected)
    for number in best[:3]:
        x = ordered.ask()
        assert np.array_equal(x, prior.candidates[number])
        ordered.tell(x, 0.0)
    nature = NatureSettings(prior, ends)
    assert np.array_equal(nature.ask(), prior.candidates[best[0]])
    nature.tell(nature.ask(), 0.0)  # far below what was expected: so are those beside it
    asked = int(np.flatnonzero((prior.candidates == nature.ask()).all(axis=1))[0])
    assert asked != best[0]
    distance = np.linalg.norm(ends[asked] - ends[best[0]])
    assert distance > 0.2


def test_a_prior_that_misleads_has_the_same_candidates_with_others_fitness():
    def first(algorithm):
        run = Run("gecko7", "gait", "physics", algorithm, 0, 20, 15.0, "default", 1)
        method = method_of(run, {})
        return method.ask(), method.prediction[0]

    (right, expected), (wrong, promised) = first("prior"), first("misled")
    assert promised == expected
    assert not np.array_equal(right, wrong)


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        (("--robots", "cat"), "unknown robot 'cat'"),
        (("--changes", "broken"), "unknown change 'broken'"),
        (("--changes", "leg_99.limp"), "unknown change 'leg_99.limp'"),
        (("--algorithms", "prior"), "algorithms without fresh"),
        (("--trials", "200"), "trials=200"),
        (("--prior", "nowhere"), "nowhere is not a repertoire"),
        (("--prior", str(resource_path("config/repertoires/gecko7.npz"))), "of another robot"),
    ],
)
def test_what_there_is_not_is_refused_in_a_line(option, reason, tmp_path, capsys):
    assert main([*COMMAND, "--output", str(tmp_path / "out"), *option]) == 2
    told = capsys.readouterr().err
    assert reason in told
    assert len(told.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_a_run_is_told_by_its_name():
    run = Run("spider9", "gait", "leg_00.limp", "prior", 0, 20, 0.0, "default", 1)
    assert run.name == "spider9-gait-leg_00.limp-prior-0"
    assert run.world()[2]["leg_00"].kind == "limp"
