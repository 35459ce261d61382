# Copyright 2026 the bea_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers side by side: adapters of installed peers, cuts, memory, tables by hand."""

import math
import shutil
import time

import numpy as np
import pytest

from bea_ros.__main__ import main
from bea_ros.studies.functions import problems
from bea_ros.studies.optimizers import measure, methods, turbo_peer
from bea_ros.studies.optimizers import report as results
from bea_ros.studies.optimizers.measure import Run, execute
from bea_ros.studies.optimizers.methods import OURS, PEERS
from bea_ros.studies.optimizers.report import cells, leaders
from bea_ros.studies.optimizers.study import OptimizerStudy, Plan

QUICK_PEERS = [name for name, peer in PEERS.items() if not peer.slow]


def installed(name):
    if not PEERS[name].installed:
        pytest.skip(f"{name} is not installed")


@pytest.mark.parametrize("name", QUICK_PEERS)
def test_peers_search_the_cube_and_are_decided_by_the_seed(name):
    installed(name)
    n = 150 if name == "nevergrad_ngopt" else 400  # it is slow beyond
    runs = [measure.carry_out(Run(name, "griewank-rotated", s, 3, n, 30.0)) for s in (1, 1, 2)]
    if runs[0]["error"].startswith("ImportError"):
        pytest.skip(f"{name} cannot be imported: {runs[0]['error']}")
    assert [run["error"] for run in runs] == [""] * 3
    assert [run["n"] for run in runs] == [n] * 3
    if name != "nevergrad_ngopt":  # some of the optimizers it chooses take the clock for a seed
        assert runs[0]["best"] == runs[1]["best"] != runs[2]["best"]
    best = runs[0]["best"]
    assert best == sorted(best, reverse=True)
    assert best[-1] < 0.5 * best[0]


@pytest.mark.parametrize("name", ["pycma", "cmaes", "sep_cmaes", "scipy_de_small"])
def test_peers_minimise_and_start_again_when_they_converged(name):
    installed(name)
    recorder = measure.Recorder(lambda x: -float(np.sum((np.asarray(x) - 0.3) ** 2)), 6000)
    with pytest.raises(measure.Enough):
        methods.minimise(name, recorder, 2, 6000, 0)
    assert min(recorder.f) < 1e-8
    late = np.array(recorder.f[-len(recorder.f) // 2 :])
    assert late.max() > 1e-3  # a converged search would not go so far


@pytest.mark.parametrize("name", [name for name in PEERS if PEERS[name].slow])
def test_slow_peers_get_beyond_their_initial_samples(name):
    installed(name)
    run = measure.carry_out(Run(name, "griewank-rotated", 1, 2, 14, 20.0))
    assert (run["error"], run["n"]) == ("", 14)


def test_turbo_narrows_on_an_optimum_along_steep_axes():
    steep = np.array([1.0, 10.0, 100.0])
    centre = np.array([0.4, 0.7, 0.2])
    recorder = measure.Recorder(lambda x: -float(steep @ (np.asarray(x) - centre) ** 2), 80)
    with pytest.raises(measure.Enough):
        methods.minimise("turbo", recorder, 3, 80, 1)
    assert min(recorder.f) < 0.2 * min(recorder.f[:6])  # 6 samples come first


def test_turbo_fits_the_likelihood_by_its_gradient():
    rng = np.random.default_rng(0)
    x = rng.random((40, 3))
    y = np.sin(6.0 * x[:, 0])
    y = (y - y.mean()) / y.std()
    parameters = np.array([0.3, 0.5, 0.8, 1.3, 0.05, 0.1])
    _, gradient = turbo_peer.loss(x, y, parameters)
    steps = 1e-6 * np.eye(6)
    measured = [
        (turbo_peer.loss(x, y, parameters + step)[0] - turbo_peer.loss(x, y, parameters - step)[0])
        / 2e-6
        for step in steps
    ]
    assert gradient == pytest.approx(measured, rel=1e-5, abs=1e-6)
    _, scales, _, noise = turbo_peer.fit(x, y)
    assert scales[0] < 0.5 * scales[1:].min()  # y changes along the first axis alone
    assert noise < 0.002


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize(("target", "theta"), [("ackley-rotated", 0.5), ("griewank-rotated", 0.1)])
def test_ours_are_run_in_their_profile(name, target, theta):
    f = []

    class Stop(BaseException):
        pass

    def objective(x):
        f.append(-function(x))
        if len(f) == 25:
            raise Stop
        return f[-1]

    from bea_ros.optimizers import create

    function = problems.create(target, 3, 5)
    with pytest.raises(Stop):
        methods.minimise(name, objective, 3, 300, 5, target)
    algorithm, _, profile = name.partition("-")
    own = {"length_scale": theta} if profile and algorithm != "ea" else {}
    twin = create(algorithm, 3, seed=5, budget=300, profile=profile or "default", **own)
    for value in f:
        twin.tell(twin.ask(), -value)
    np.testing.assert_array_equal([-function(r.x) for r in twin.history], f)


def test_a_run_is_cut_at_its_limit_and_an_error_is_told(monkeypatch):
    def slow(objective, dimension, budget, seed):
        while True:
            end = time.process_time() + 0.05
            while time.process_time() < end:
                pass
            objective(np.full(dimension, 0.5))

    def wrong(objective, dimension, budget, seed):
        objective(np.full(dimension, 0.5))
        objective(np.full(dimension, 1.5))

    monkeypatch.setattr("bea_ros.studies.optimizers.evolution_peers.pycma", slow)
    run = Run("pycma", "ackley-rotated", 1, 3, 100, 0.5)
    cut = measure.carry_out(run)
    assert 4 <= cut["n"] <= 10
    assert cut["error"] == ""
    assert cut["total"] == pytest.approx(0.05 * (cut["n"] - 1), rel=0.3)
    monkeypatch.setattr("bea_ros.studies.optimizers.evolution_peers.pycma", wrong)
    failed = measure.carry_out(run)
    assert failed["n"] == 1
    assert failed["error"] == "ValueError: the candidate is outside [0, 1]^d"


def test_peak_memory_is_the_childs_own(tmp_path, monkeypatch):
    ballast = np.ones(400 * 2**20 // 8)  # this process is larger than the child
    run = Run("random_search", "ackley-rotated", 1, 3, 30, 5.0)
    execute(run, tmp_path)
    child = run.read(tmp_path)
    assert measure.peak_memory() > ballast.nbytes
    assert 10 < child["peak_mib"] < 300


def result(method, seed, best, evaluations=600, error=""):
    n = len(best)
    return {
        "function": "ackley-rotated", "method": method, "seed": seed, "evaluations": evaluations,
        **measure.summary(list(best), [5.0] + [0.001 * seed] * (n - 1)), "error": error,
        "peak_mib": 100.0 + seed,
    }  # fmt: skip


def test_table_by_hand(tmp_path):
    def fall(first, then):
        return [first] * 300 + [then] * 300

    found = [result("bea", s, fall(5.0, 1.0 + s)) for s in (1, 2, 3, 4)]
    found += [result("pycma", s, fall(4.0, 6.0)[:300] + [3.0 + s] * 300) for s in (1, 2, 3, 4)]
    found += [result("turbo", 1, [9.0] * 250 + [8.0] * 20), result("turbo", 2, [7.0] * 100)]
    study, plan = OptimizerStudy(), Plan(evaluations=600, peers=())
    runs = [Run(r["method"], r["function"], r["seed"], 20, 600, 120.0) for r in found]
    study.save(tmp_path, plan, list(zip(runs, found, strict=True)))
    lines = study.table(tmp_path).to_dict("records")
    assert len(lines) == 10
    assert [(line["seed"], line["method"]) for line in lines[:3]] == [
        ("1", "bea"), ("1", "pycma"), ("1", "turbo")
    ]  # fmt: skip
    assert (lines[2]["f_250"], lines[2]["f_500"], lines[2]["evaluations"]) == ("9", "", "270")
    numbers = results.numbers(study.table(tmp_path))
    rows = results.summary(numbers, ["bea", "pycma", "turbo", "bo"], "ackley-rotated")
    assert rows.index.tolist() == ["bea", "pycma", "turbo"]
    bea, pycma, turbo = (row for _, row in rows.iterrows())
    assert [bea["f_250"], bea["f_500"], bea["f_600"]] == [5.0, 3.5, 3.5]
    assert math.isnan(bea["p_holm"])
    # pycma 4, 4, 4, 4 (its best is kept) against 2, 3, 4, 5: ties, p = 50 of 70 orders
    assert pycma["f_600"] == 4.0
    assert pycma["p_holm"] == pytest.approx(results.mann_whitney([2, 3, 4, 5], [4, 4, 4, 4]))
    assert pycma["overhead_ms_50"] == pytest.approx(2.5)  # the first ask is not counted
    assert math.isnan(pycma["overhead_ms_1500"])
    assert bea["overhead_s"] == pytest.approx(599 * 0.0025, abs=1e-4)
    assert turbo["f_250"] == 9.0
    assert math.isnan(turbo["f_500"])
    assert [row[-1] for row in cells(rows)] == ["", "", "n=100-270"]
    assert turbo["peak_mib"] == 102.0
    assert cells(rows)[1] == [
        "pycma", "4", "4", "4", "4", "0.71", "2.50", "2.50", "2.50", "-", "1.50", "104", ""
    ]  # fmt: skip
    assert leaders({"ackley-rotated": rows}) == [
        ["ackley-rotated", "250", "5", "pycma", "4", "1.2"],
        ["ackley-rotated", "500", "3.5", "pycma", "4", "0.88"],
        ["ackley-rotated", "600", "3.5", "pycma", "4", "0.88"],
    ]
    before = (tmp_path / "runs.csv").read_bytes()
    study.save(
        tmp_path, plan, [(run, r) for run, r in zip(runs, found, strict=True) if r["seed"] > 2]
    )
    assert (tmp_path / "runs.csv").read_bytes() == before
    with pytest.raises(ValueError, match="other columns"):
        study.carry_out(Plan(evaluations=500, peers=()), tmp_path, 1)


def test_command_skips_by_name_goes_on_and_writes_everything(drawn, tmp_path, capsys, monkeypatch):
    gone = methods.Peer("evolution_peers", "no_such_package")
    monkeypatch.setitem(methods.PEERS, "pycma", gone)
    command = [
        "bench", "optimizers", "--output", str(tmp_path), "--functions", "rastrigin-textbook",
        "--peers", "pycma", "scipy_de_small", "--ours", "bea", "ea", "--seeds", "1",
        "--evaluations", "60", "--dimension", "3", "--jobs", "1",
    ]  # fmt: skip
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "without pycma: pip install no_such_package" in said
    assert "rastrigin-textbook" in said
    files = sorted((tmp_path / "runs").iterdir())
    assert len(files) == 3
    page = (tmp_path / "report.html").read_text()
    for words in ("scipy_de_small", "Without pycma: not installed", "BEA and the best peer"):
        assert words in page
    lines = (tmp_path / "runs.csv").read_text().splitlines()
    assert len(lines) == 1 + 3
    times = [path.stat().st_mtime_ns for path in files]
    (tmp_path / "runs.csv").unlink()  # as where it was killed before the end
    files[0].unlink()
    assert main(command) == 0
    assert [path.stat().st_mtime_ns for path in files][1:] == times[1:]
    again = (tmp_path / "runs.csv").read_text().splitlines()
    assert again[2:] == lines[2:]  # the first is measured anew
    capsys.readouterr()
    assert main([*command, "--evaluations", "70"]) == 2
    assert "with evaluations 60, not 70" in capsys.readouterr().err


def test_a_narrower_selection_keeps_the_runs_that_are_there(tmp_path, capsys):
    command = [
        "bench", "optimizers", "--output", str(tmp_path), "--functions", "rastrigin-textbook",
        "--ours", "bea", "ea", "--evaluations", "60", "--dimension", "3", "--jobs", "1",
    ]  # fmt: skip
    assert main([*command, "--peers", "--seeds", "2"]) == 0
    lines = (tmp_path / "runs.csv").read_text().splitlines()
    shutil.rmtree(tmp_path / "runs")  # a checkout has no files of runs
    assert main([*command, "--peers", "--seeds", "1"]) == 0
    assert not (tmp_path / "runs").exists()
    assert (tmp_path / "runs.csv").read_text().splitlines() == lines
    narrow = [
        "--ours",
        "--peers",
        "random_search",
        "--functions",
        "ackley-rotated",
        "--seeds",
        "1",
    ]
    assert main([*command, *narrow]) == 0
    assert [path.stem for path in (tmp_path / "runs").iterdir()] == [
        "ackley-rotated-random_search-0"
    ]
    now = (tmp_path / "runs.csv").read_text().splitlines()
    assert [line for line in now if line in lines] == lines
    assert len(now) == len(lines) + 1 == 1 + 4 + 1
    page = (tmp_path / "report.html").read_text()
    for words in ("rastrigin-textbook", "random_search", "up to 2 seeds"):
        assert words in page
    now[1] += "ValueError: mended since"
    (tmp_path / "runs.csv").write_text("\n".join(now) + "\n")
    assert main([*command, "--peers", "--seeds", "1"]) == 0
    assert "mended since" not in (tmp_path / "runs.csv").read_text()
    capsys.readouterr()
    assert main([*command, "--limit", "7"]) == 2
    assert "with limit 120.0, not 7.0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["--peers", "pso"], "unknown peer 'pso'"),
        (["--ours", "sa"], "unknown optimizer 'sa'"),
        (["--functions", "sphere"], "unknown function 'sphere'"),
        (["--seeds", "0"], "--seeds 0"),
        (["--limit", "0"], "--limit 0"),
        (["--jobs", "0"], "--jobs 0"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(wrong, said, capsys, tmp_path):
    assert main(["bench", "optimizers", "--output", str(tmp_path), *wrong]) == 2
    assert said in capsys.readouterr().err
