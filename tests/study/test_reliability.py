"""The study of the estimators: its numbers by hand, its files, its command, and the published figures."""

from __future__ import annotations

import csv
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc

from ..commands import HASTY, PEOPLE, bad, good, rows

ESTIMATORS = ("ml", "msqd", "res", "kd", "sh(w)", "sh(w/o)")


@pytest.fixture(scope="module")
def collections() -> dict[str, cc.Scores]:
    return {name: cc.load_collection(name) for name in ("people", "hasty")}


@pytest.fixture(scope="module")
def study(collections: dict[str, cc.Scores]) -> cc.study.StudyResult:
    return cc.study.reliability_study(collections, n_trials=4, sizes=[10, 25], rng=3)


def test_a_trial_by_hand(study: cc.study.StudyResult, collections: dict[str, cc.Scores]) -> None:
    original = collections["hasty"]
    means = original.means()
    limit = np.quantile(means, 0.25)
    kept = original.select(systems=[s for s, m in zip(original.systems, means, strict=True) if m >= limit])
    m = len(kept.systems)
    # hasty is the second collection, 25 topics the second size: its last trial is the last of all.
    rng = np.random.default_rng(np.random.SeedSequence(3, spawn_key=(15,)))
    simulated = cc.study.Simulator(kept).draw(25, rng)
    truth, candidate = kept.means(), simulated.mean(axis=0)
    order = np.argsort(-candidate)
    discordant = [[truth[i] < truth[j] for i in order[:k]] for k, j in enumerate(order)]
    tau = 1 - 4 * sum(map(sum, discordant)) / (m * (m - 1))
    tau_ap = 1 - 2 / (m - 1) * sum(sum(row) / k for k, row in enumerate(discordant) if k)
    found = study.values[1, 1, 3]
    np.testing.assert_allclose(found[:, 0], [tau, tau_ap], atol=1e-12)
    for name in ("ml", "msqd", "res", "kd"):
        for row, coefficient in enumerate(("tau", "tau_ap")):
            wanted = cc.expected_correlation(simulated, coefficient=coefficient, estimator=name)
            assert found[row, 1 + ESTIMATORS.index(name)] == pytest.approx(float(wanted), abs=1e-9)
    estimates = cc.reliability(simulated, rng=rng).estimates  # the stream goes on where the simulation left it
    np.testing.assert_allclose(found[:, 5:].T, [estimates["sh(w)"], estimates["sh(w/o)"]], atol=1e-12)


def test_the_table_by_hand(study: cc.study.StudyResult) -> None:
    rows = study.rows()
    assert len(rows) == 2 * 2 * 2 * 6
    for row in rows:
        c = study.collections.index(row["collection"])
        s = study.sizes.index(row["topics"])
        k = ("tau", "tau_ap").index(row["coefficient"])
        e = ESTIMATORS.index(row["estimator"])
        actual = [float(study.values[c, s, t, k, 0]) for t in range(4)]
        estimate = [float(study.values[c, s, t, k, 1 + e]) for t in range(4)]
        off = [a - b for a, b in zip(estimate, actual, strict=True)]
        assert row["actual_mean"] == pytest.approx(sum(actual) / 4)
        assert row["error"] == pytest.approx(sum(map(abs, off)) / 4)
        assert row["bias"] == pytest.approx(sum(off) / 4)
        assert row["bias_se"] == pytest.approx(np.std(off, ddof=1) / 2)
        assert row["error_se"] == pytest.approx(np.std(np.abs(off), ddof=1) / 2)
    for summary in study.summary:
        mine = [r for r in rows if r["estimator"] == summary["estimator"] and r["coefficient"] == "tau_ap"]
        assert summary["bias tau_ap"] == pytest.approx(np.mean([r["bias"] for r in mine]))
        assert summary["error tau_ap"] == pytest.approx(np.mean([r["error"] for r in mine]))
        assert f"{summary['error tau']:.4f}" in str(study)
    least = min(study.summary, key=lambda r: r["error tau"])["estimator"]
    assert study.verdict.startswith(f"tau: least error {least} ")


def test_workers_change_nothing(study: cc.study.StudyResult, collections: dict[str, cc.Scores]) -> None:
    again = cc.study.reliability_study(collections, n_trials=4, sizes=[10, 25], rng=3, workers=2)
    assert np.array_equal(again.values, study.values)
    other = cc.study.reliability_study(collections, n_trials=4, sizes=[10, 25], rng=4)
    assert not np.array_equal(other.values, study.values)


def test_scores_on_another_scale_need_its_bounds() -> None:
    people = cc.load_collection("people")
    options: dict[str, Any] = {"n_trials": 2, "sizes": [10], "rng": 3}
    eighths = cc.Scores(people.values * 8, people.topics, people.systems)
    with pytest.raises(cc.errors.InputError, match="bounds="):
        cc.study.reliability_study({"people": eighths}, **options)
    found = cc.study.reliability_study({"people": eighths}, bounds=(0, 8), **options)
    same = cc.study.reliability_study({"people": people}, **options)
    assert found.settings["bounds"] == [0.0, 8.0]
    np.testing.assert_allclose(found.values, same.values, atol=1e-9)


def test_exact_means_reach_the_simulator() -> None:
    people = cc.load_collection("people")
    rough, exact = (
        cc.study.reliability_study({"people": people}, n_trials=1, sizes=[12], drop_bottom=0, exact_means=exact, rng=5)
        for exact in (False, True)
    )
    assert rough.settings["exact_means"] is False
    assert not np.array_equal(rough.values, exact.values)
    rng = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(0,)))
    means = cc.study.Simulator(people, exact_means=True).simulate(12, rng).means()
    assert exact.cell("people", 12, "tau", "ml")["actual_mean"] == pytest.approx(cc.tau(people.means(), means))


def test_files(study: cc.study.StudyResult, tmp_path: Path) -> None:
    written = study.save(tmp_path / "new")
    assert [path.name for path in written] == ["reliability.csv", "error.png", "bias.png"]
    with written[0].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [{k: str(v) for k, v in row.items()} for row in study.rows()] == rows
    assert study.to_frame().to_dict("records") == study.rows()
    for path in written[1:]:
        assert path.read_bytes().startswith(b"\x89PNG")
    figure = study.drawings["bias.png"](study)
    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        r"people, $\tau$",
        r"people, $\tau_{AP}$",
        r"hasty, $\tau$",
        r"hasty, $\tau_{AP}$",
    ]
    lines = {line.get_label(): line for line in figure.axes[2].get_lines()}
    assert lines["SH(w/o)"].get_ydata().tolist() == [study.cell("hasty", n, "tau", "sh(w/o)")["bias"] for n in (10, 25)]
    json.dumps(study.to_dict(), allow_nan=False)


def test_one_trial_has_no_standard_error() -> None:
    study = cc.study.reliability_study({"people": cc.load_collection("people")}, n_trials=1, sizes=[10])
    assert math.isnan(study.rows()[0]["bias_se"])
    assert study.to_dict()["rows"][0]["bias_se"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": []}, "sizes is"),
        ({"sizes": [1]}, "sizes is"),
        ({"sizes": [10, 10]}, "give different numbers of topics"),
        ({"sizes": 10}, "sizes is 10"),
        ({"n_trials": 0}, "n_trials is 0"),
        ({"rng": None}, "give a seed, a whole number"),
        ({"rng": np.random.default_rng(0)}, "give a seed, a whole number"),
        ({"drop_bottom": 1.0}, "drop_bottom is 1.0"),
        ({"drop_bottom": 0.99}, "1 system left"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(cc.errors.InputError, match=message):
        cc.study.reliability_study({"people": cc.load_collection("people")}, **options)


def test_what_is_no_collection_is_refused(study: cc.study.StudyResult) -> None:
    wrongs: list[Any] = [cc.load_collection("people"), {}, {"x": [[1.0]]}, {"x": {"bm25": 0.3, "ql": 0.4}}]
    for wrong in wrongs:
        with pytest.raises(cc.errors.InputError, match="collections"):
            cc.study.reliability_study(wrong)
    with pytest.raises(cc.errors.InputError, match="estimator is 'mls': the study has ml"):
        study.cell("people", 10, "tau", "mls")
    with pytest.raises(cc.errors.InputError, match="what is 'noise'"):
        study.plot(what="noise")


@pytest.mark.long
def test_the_command_stops_continues_and_refuses(tmp_path: Path, study: cc.study.StudyResult) -> None:
    out = tmp_path / "out"
    command = ("study", "reliability", PEOPLE, HASTY, "--trials", 4, "--sizes", "10,25", "--seed", 3, "-o", out)
    first = good(*command)
    assert first.startswith(study.verdict)
    assert "16 trials in" in first
    before = (out / "reliability.csv").read_bytes()
    assert before == study.save(tmp_path / "library")[0].read_bytes()
    (out / "chunks" / "000000.bin").unlink()
    assert rows(*command) == [*csv.DictReader(before.decode().splitlines())]
    assert (out / "reliability.csv").read_bytes() == before
    other = [4 if part == 3 else part for part in command]
    assert "seed is 3 there and 4 here" in bad(*other, status=1)
    bad(*("ten" if part == "10,25" else part for part in command), status=2)


@pytest.mark.long
def test_a_command_that_is_told_to_end_ends_with_all_its_processes(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "concordant", "study", "reliability", PEOPLE]
    options = ["--trials", "100000", "--sizes", "10", "-o", str(out), "--workers", "2"]
    run = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True, start_new_session=True)
    for _ in range(1200):
        if list(out.glob("chunks/*.bin")):
            break
        time.sleep(0.05)
    run.send_signal(signal.SIGTERM)
    _, message = run.communicate(timeout=60)
    assert run.returncode == 130
    assert f"stopped; the results so far are in {out}, and the same command continues" in message
    assert not list(out.rglob("*.part"))
    for _ in range(200):
        try:
            os.killpg(run.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)
    pytest.fail("a process of the study lives on")


@pytest.mark.long
@pytest.mark.parametrize("name", ["adhoc6", "adhoc7"])
def test_the_published_figures(trec: Path, golden: Path, name: str) -> None:
    """A small run: within the tolerance of the full one and four standard errors of the smaller number of trials."""
    with (golden / "sigir2016_study.csv").open(newline="") as file:
        published = {
            (r["coefficient"], r["estimator"].lower()): {k: float(r[k]) for k in ("actual_mean", "error", "bias")}
            for r in csv.DictReader(file)
            if r["collection"] == name and r["topics"] == "30"
        }
    scores = cc.read_scores(trec / f"{name}.csv")
    found = cc.study.reliability_study({name: scores}, n_trials=40, sizes=[30])
    assert len(published) == len(found.rows()) == 12
    for row in found.rows():
        wanted = published[row["coefficient"], row["estimator"]]
        tolerance = 0.02 if row["estimator"] == "sh(w/o)" else 0.01
        assert abs(row["error"] - wanted["error"]) < tolerance + 4 * row["error_se"], row
        assert abs(row["bias"] - wanted["bias"]) < tolerance + 4 * row["bias_se"], row
        assert abs(row["actual_mean"] - wanted["actual_mean"]) < 0.02 + 4 * row["bias_se"], row
