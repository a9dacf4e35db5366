"""`gaming_gap`: against its definition written down literally, on dl21, and its size where errors are independent."""

from __future__ import annotations

import random
import statistics
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import concordant as cc
from concordant.judges import gaming_gap

from . import literal

Runs = dict[str, dict[str, list[str]]]
Grades = dict[str, dict[str, float]]


def collection(seed: int, n: int = 8, m: int = 6, documents: int = 30, noise: float = 1.0) -> tuple[Runs, Grades]:
    """Systems of different quality, human grades 0 to 3, and documents that nobody judged."""
    rng = np.random.default_rng(seed)
    people: Grades = {}
    runs: Runs = {f"s{s}": {} for s in range(m)}
    for t in range(n):
        true = rng.choice(4, documents, p=(0.55, 0.2, 0.15, 0.1)).astype(float)
        people[f"t{t}"] = {f"d{d}": float(true[d]) for d in range(documents) if d % 9 != 8}
        for s in range(m):
            order = np.argsort(-(true * (s + 1) / m + rng.normal(0, 1.2, documents)))
            runs[f"s{s}"][f"t{t}"] = [f"d{d}" for d in order]
    return runs, people


def distinct(people: Grades, seed: int, noise: float = 1.0) -> Grades:
    """A judge without ties, who lacks some documents."""
    rng = np.random.default_rng(seed)
    graded = {
        t: {d: max(0.01, g + rng.normal(0.5, noise)) + rng.random() / 1e6 for d, g in of.items()}
        for t, of in people.items()
    }
    return {t: {d: g for d, g in of.items() if d != "d3"} for t, of in graded.items()}


def found_by(runs: Runs, people: Grades, judge: Grades, **options: Any) -> Any:
    return gaming_gap(
        cc.Runs.from_dict(runs), cc.Qrels.from_dict(people), cc.Qrels.from_dict(judge), "nDCG@5", **options
    )


def mean_by(
    runs: Runs, grades: Grades, systems: list[str], change: Callable[[list[str], str], list[str]]
) -> list[list[float]]:
    return [[literal.ndcg(change(runs[s][t], t), grades[t], 5) for s in systems] for t in grades]


def test_the_definition() -> None:
    runs, people = collection(1)
    judge = distinct(people, 2)
    found = found_by(runs, people, judge, k=12, rng=3, n_permutations=400)
    systems = sorted(runs)

    def means(grades: Grades, k: int, by: Grades) -> list[float]:
        rows = mean_by(runs, grades, systems, lambda ranked, t: literal.asked(ranked, by[t], k))
        return [statistics.fmean(column) for column in zip(*rows, strict=True)]

    old_j, old_h = means(judge, 0, judge), means(people, 0, judge)
    for dose in found.doses:
        new_j, new_h = means(judge, dose.k, judge), means(people, dose.k, judge)
        assert dose.gain_judge == pytest.approx(statistics.fmean(new_j) - statistics.fmean(old_j), abs=1e-12)
        assert dose.gain_people == pytest.approx(statistics.fmean(new_h) - statistics.fmean(old_h), abs=1e-12)
        for new, old, rank in ((new_j, old_j, dose.rank_judge), (new_h, old_h, dose.rank_people)):
            places = [1 + sum(old[j] > new[i] for j in range(len(old)) if j != i) for i in range(len(old))]
            assert rank == pytest.approx(statistics.fmean(places), abs=1e-12)
        tops = [d for s in systems for t in people for d in [(t, d) for d in runs[s][t][: dose.k]]]
        assert dose.judged == pytest.approx(statistics.fmean(d in judge[t] for t, d in tops))
        if dose.k == 12:
            gain_j, gain_h = dose.gain_judge, dose.gain_people
    assert [dose.k for dose in found.doses] == [10, 12, 20, 30]
    assert found.transfer == pytest.approx(gain_h / gain_j)
    best = {t: sorted(of, key=lambda d: -of[d])[:5] for t, of in judge.items()}
    for grades, old, rank in ((judge, old_j, found.favourite_judge), (people, old_h, found.favourite_people)):
        own = statistics.fmean(literal.ndcg(best[t], grades[t], 5) for t in people)
        assert rank == 1 + sum(other > own + 1e-12 for other in old)
    # The null, with other permutations: within four Monte Carlo errors.
    rng, drawn = random.Random(4), []
    for _ in range(400):
        by = {t: literal.shuffled_alike(people[t], judge[t], rng) for t in people}
        drawn.append(statistics.fmean(means(people, 12, by)) - statistics.fmean(old_h))
    by_chance, error = statistics.fmean(drawn), statistics.stdev(drawn) * (2 / 400) ** 0.5
    assert gain_h / (1 - found.lost) == pytest.approx(by_chance, abs=4 * error)


def test_ties_keep_the_order_of_the_run_and_what_is_not_graded_comes_last() -> None:
    runs = {"a": {str(t): ["x", "d1", "d2", "d3", "y"] for t in range(6)}, "b": {str(t): ["d3"] for t in range(6)}}
    people = cc.Qrels.from_dict({str(t): {"d1": 0, "d2": 1, "d3": 1} for t in range(6)})
    judge = cc.Qrels.from_dict({str(t): {"d1": 1, "d2": 1, "d3": 2, "x": 9, "y": -1} for t in range(6)})
    found = gaming_gap(cc.Runs.from_dict(runs), people, judge, "nDCG@3", k=5, rng=1)
    old, new = literal.ndcg(["x", "d1", "d2"], people["0"], 3), literal.ndcg(["d3", "d1", "d2"], people["0"], 3)
    assert found.doses[-1].gain_people == pytest.approx((new - old) / 2)
    assert found.doses[-1].judged == pytest.approx((3 + 1) / (5 + 1))


def test_people_as_judge_cannot_be_gamed() -> None:
    runs, people = collection(5)
    found = found_by(runs, people, people, rng=1)
    assert (found.favourite_judge, found.favourite_people, found.transfer, found.lost) == (1, 1, 1.0, 0.0)
    assert found.gamed is False
    assert found == found_by(runs, people, people, rng=1)
    assert found.verdict == (
        "Nothing shows that the judge is easier to game than a judge with random errors: its favourite run is at rank "
        "1 of 7 by the judge and at 1 by people (95% interval 1 to 1)"
    )


def test_a_judge_that_rewards_what_systems_retrieve_by_mistake_is_gamed() -> None:
    """Nonrelevant documents at the top of any system are graded too high."""
    runs, people = collection(6, n=25, m=8, documents=90)
    first = {t: {d for s in runs for d in runs[s][t][:6]} for t in people}
    judge = {t: {d: g + 3 * (d in first[t] and g == 0) for d, g in of.items()} for t, of in people.items()}
    found = found_by(runs, people, judge, k=20, rng=1, names=("experts", "gpt"))
    assert found.gamed
    assert found.lost > 0.1
    where = f"its favourite run is at rank 1 of 9 by gpt and at {found.favourite_people} by experts"
    assert found.verdict.startswith(f"gpt can be gamed: {where} (95% interval ")
    rows = found.rows()
    assert [row["k"] for row in rows] == [10, 20, 30, 50, 70]
    assert found.to_dict()["gamed"] is True
    assert str(found.doses[0].k) in found.table()


def test_a_judge_that_helps_nobody_leaves_it_open() -> None:
    runs, people = collection(7, n=6)
    judge = {t: {d: 3 - g for d, g in of.items()} for t, of in people.items()}
    found = found_by(runs, people, judge, rng=1)
    assert found.gamed is None
    assert found.lost_interval is None
    assert found.verdict.startswith("Nothing shows that systems gain anything according to people when they ask the")
    assert "-" in found.table()


def test_what_is_left_out_and_what_is_refused() -> None:
    runs, people = collection(8, n=7)
    judge = {t: of for t, of in people.items() if t != "t0"}
    found = found_by(runs, people, judge, rng=1)
    assert found.n_topics == 6
    assert found.notes == ("1 topic left out: the judge graded none of people's documents there",)
    with pytest.raises(cc.errors.InputError, match="both graded documents on 2 topics: give at least 5"):
        found_by(runs, people, {t: people[t] for t in ("t1", "t2")})
    with pytest.raises(cc.errors.InputError, match="n_permutations is 19: give a whole number, at least 20"):
        found_by(runs, people, people, n_permutations=19)
    with pytest.raises(cc.errors.InputError, match="names is"):
        found_by(runs, people, people, names=["people"])
    with pytest.raises(cc.errors.InputError, match="rel="):
        gaming_gap(cc.Runs.from_dict(runs), cc.Qrels.from_dict(people), cc.Qrels.from_dict(distinct(people, 1)), "AP")


# Of the research prototype, nDCG@10, k = 50: the favourite run's rank by people, transfer, lost share; and the standard
# deviation of the lost share over single permutations, of which the prototype took 8.
DL21 = {
    "umbrela_gpt4": (5, 0.61, 0.11, 0.016),
    "binary_gpt4o": (37, 0.39, 0.21, 0.026),
    "exam_graded_max_gpt4": (35, 0.38, 0.21, 0.032),
    "binary_gpt4": (42, 0.38, 0.22, 0.026),
    "prefs": (1, 0.55, -0.01, 0.010),
    "exam_graded_mean_gpt4": (10, 0.37, 0.09, 0.032),
    "binary_llama3.2": (54, 0.22, 0.37, 0.034),
}


@pytest.fixture(scope="module")
def dl21(data: Path) -> tuple[cc.Runs, cc.Qrels]:
    return cc.read_runs(data / "dl21" / "runs"), cc.read_qrels(data / "dl21" / "qrels" / "human.txt.gz")


@pytest.mark.long
@pytest.mark.parametrize("judge", DL21)
def test_values_on_dl21(judge: str, dl21: tuple[cc.Runs, cc.Qrels], data: Path) -> None:
    with warnings.catch_warnings(action="ignore"):
        found = gaming_gap(*dl21, cc.read_qrels(data / "dl21" / "qrels" / f"{judge}.txt.gz"), rng=1)
    rank, transfer, lost, sd = DL21[judge]
    assert found.favourite_judge == 1
    # Where a judge has few grades, ties move the rank: llama's ten draws are at 53 to 57, and the prototype took few.
    tied = judge in ("binary_llama3.2", "exam_graded_max_gpt4")
    assert abs(found.favourite_people - rank) <= (2 if tied else 0)
    assert found.transfer == pytest.approx(transfer, abs=0.0075)
    assert found.lost == pytest.approx(lost, abs=0.005 + 3 * sd * (1 / 8 + 1 / 40) ** 0.5)
    shares = {dose.k: dose.judged for dose in found.doses}
    if judge == "binary_gpt4":
        assert [round(100 * shares[k]) for k in (10, 20, 50, 100)] == [100, 87, 66, 49]
        assert found.favourite_interval.low == pytest.approx(33, abs=2)
        assert found.favourite_interval.high == pytest.approx(49, abs=2)
        assert found.gamed
    if judge == "prefs":
        assert not found.gamed
    if judge == "umbrela_gpt4":
        assert found.lost_interval is not None
        assert found.lost_interval.low == pytest.approx(0.04, abs=0.02)
        assert found.lost_interval.high == pytest.approx(0.17, abs=0.02)


@pytest.mark.long
@pytest.mark.parametrize("n", [12, 30])
def test_size_where_errors_are_independent(n: int) -> None:
    """A judge whose errors depend on people's grades alone: the interval of the lost share excludes 0 in at most 6%."""
    wrong, repetitions = 0, 150
    for seed in range(repetitions):
        runs, people = collection(1000 + seed, n=n, m=8)
        rng = np.random.default_rng(seed)
        judge = {
            t: {d: float(np.clip(g + rng.integers(-1, 2), 0, 3)) for d, g in of.items()} for t, of in people.items()
        }
        found = found_by(runs, people, judge, k=20, rng=seed, n_permutations=20, n_resamples=999)
        wrong += found.lost_interval is not None and 0 not in found.lost_interval
    assert wrong <= binom.ppf(0.999, repetitions, 0.06)


def test_the_figure_shows_both_ranks_by_dose() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    runs, people = collection(9)
    found = found_by(runs, people, distinct(people, 2), rng=1, names=("experts", "gpt"))
    ax = found.plot()
    lines = {line.get_label(): line for line in ax.lines}
    by_judge, by_people = lines["rank by gpt"], lines["rank by experts"]
    assert list(by_judge.get_xdata()) == list(by_people.get_xdata()) == [0, 10, 20, 30, 50]
    assert list(by_judge.get_ydata()) == [3.5, *(dose.rank_judge for dose in found.doses)]
    assert list(by_people.get_ydata()) == [3.5, *(dose.rank_people for dose in found.doses)]
    assert set(lines["favourite by experts"].get_ydata()) == {found.favourite_people}
    pyplot.close("all")
