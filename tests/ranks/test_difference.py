"""Two systems: against scipy and statsmodels, the definitions written down literally, and simulated truth."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as peer_mcnemar
from statsmodels.stats.power import TTestPower

import concordant as cc
from concordant.data.runs import components
from concordant.ranks.paired import bonett_price, clustered, flipped, mcnemar, paired, topics_needed, variance_limits
from tests.commands import run

FloatArray = Any


def scores_of(values: FloatArray, **about: Any) -> cc.Scores:
    return cc.Scores(values, range(len(values)), [f"s{k}" for k in range(np.shape(values)[1])], **about)


@pytest.mark.parametrize("n", [5, 12, 40])
def test_graded_scores_are_scipys_paired_t(n: int) -> None:
    values = np.random.default_rng(n).random((n, 3))
    found = cc.difference(scores_of(values), "s1", "s0", rng=1)
    peer = stats.ttest_rel(values[:, 1], values[:, 0])
    interval = peer.confidence_interval(0.95)
    assert found.difference == pytest.approx((values[:, 1] - values[:, 0]).mean(), rel=1e-12)
    assert [found.pvalue, found.interval.low, found.interval.high] == pytest.approx(
        [peer.pvalue, interval.low, interval.high], rel=1e-10
    )
    flips = stats.permutation_test(
        (values[:, 1] - values[:, 0],), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue if n <= 12 else math.nan  # fmt: skip
    assert found.exact_pvalue == pytest.approx(flips, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("binary", [False, True])
def test_errorbars_computes_the_same(binary: bool) -> None:
    peer = pytest.importorskip("errorbars", reason="errorbars is not installed")
    compare = pytest.importorskip("errorbars.compare")
    rng = np.random.default_rng(4)
    values = rng.random((40, 2))
    if binary:
        values = (values < [0.7, 0.4]).astype(float)
    ours = cc.difference(scores_of(values), "s0", "s1", rng=1)
    theirs = compare.paired_compare(*values.T)
    assert ours.difference == pytest.approx(theirs.mean_diff, rel=1e-12)
    if binary:  # of which they take the t interval
        plain = paired(values[:, 0] - values[:, 1], ours.difference, 0.95, None, binary=False)
        assert ours.exact_pvalue == pytest.approx(theirs.mcnemar.p_value, rel=1e-12)
        assert [plain.low, plain.high] == pytest.approx([theirs.ci_low, theirs.ci_high], rel=1e-7)
    else:
        found = [ours.pvalue, ours.interval.low, ours.interval.high]
        assert found == pytest.approx([theirs.p_value, theirs.ci_low, theirs.ci_high], rel=1e-7)
    runs = rng.normal(0, 1, (30, 1, 1)) + rng.normal(0, 1, (30, 1, 4))
    split = components(runs)
    within, between = peer.within_between_variance(runs.ravel(), np.repeat(np.arange(30), 4))
    assert [split.runs, split.topics_by_systems] == pytest.approx([within, between], rel=1e-12)


def test_sign_flips_counted_one_by_one() -> None:
    rng = np.random.default_rng(4)
    for n in range(2, 11):
        d = rng.integers(-3, 4, n) / 10
        total = sum(
            abs(sum(s * x for s, x in zip(signs, d, strict=True))) >= abs(d.sum()) - 1e-9
            for signs in itertools.product((1, -1), repeat=n)
        )
        assert flipped(d) == pytest.approx(total / 2**n)
    assert flipped(np.ones(5)) == 0.0625  # the least that five topics can give


@pytest.mark.parametrize(("won", "lost"), [(0, 0), (3, 3), (9, 1), (1, 9), (25, 11), (0, 4)])
def test_binary_scores_are_mcnemars(won: int, lost: int) -> None:
    exact, mid = mcnemar(won, lost)
    assert exact == pytest.approx(min(1.0, peer_mcnemar([[5, won], [lost, 7]], exact=True).pvalue))
    both_tails = sum(
        stats.binom.pmf(k, won + lost, 0.5) * (0.5 if k == min(won, lost) else 1) for k in range(min(won, lost) + 1)
    )
    assert mid == pytest.approx(1.0 if won == lost else 2 * both_tails)


def test_binary_scores_choose_bonett_and_price() -> None:
    values = np.zeros((20, 2))
    values[:9, 0], values[8:11, 1] = 1, 1  # 8 wins, 2 losses
    found = cc.difference(scores_of(values), "s0", "s1", rng=1)
    d = 6 / 22
    half = stats.norm.ppf(0.975) * math.sqrt((12 / 22 - d**2) / 22)
    assert (found.interval.low, found.interval.high) == pytest.approx((d - half, d + half))
    assert (found.wins, found.ties, found.losses) == (8, 10, 2)
    assert (found.exact_pvalue, found.pvalue) == pytest.approx(mcnemar(8, 2))
    assert bonett_price(5, 0, 5, 0.95)[1] == 1  # cut to what a difference can be


@pytest.mark.parametrize("sizes", [[4] * 6, [1, 2, 3, 5, 8, 13, 2]])
def test_groups_by_the_definition_of_bell_and_mccaffrey(sizes: list[int]) -> None:
    groups = np.repeat(np.arange(len(sizes)), sizes)
    d = np.random.default_rng(3).normal(size=len(groups))
    n, ones = len(d), np.ones(len(d))
    # Regression on a constant: residual maker, A_g = (I - H_gg)^(-1/2), and the quadratic form G'G.
    maker = np.eye(n) - np.outer(ones, ones) / n
    residuals, total, columns = maker @ d, 0.0, []
    for g in range(len(sizes)):
        rows = groups == g
        inner = np.eye(rows.sum()) - 1 / n
        values, vectors = np.linalg.eigh(inner)
        adjust = vectors @ np.diag(values**-0.5) @ vectors.T
        total += (ones[rows] @ adjust @ residuals[rows]) ** 2
        columns.append(maker[:, rows] @ adjust @ ones[rows] / n)
    form = np.array(columns) @ np.array(columns).T
    df = np.trace(form) ** 2 / (form**2).sum()
    assert clustered(d, groups) == pytest.approx((math.sqrt(total) / n, df), rel=1e-10)


def test_groups_are_heeded_and_few_are_refused() -> None:
    values = np.random.default_rng(1).random((24, 2))
    groups = [str(k // 4) for k in range(24)]
    found = cc.difference(scores_of(values, groups=groups), "s0", "s1", rng=1)
    sums = (values[:, 0] - values[:, 1]).reshape(6, 4).sum(axis=1)
    peer = stats.ttest_1samp(sums, 0)  # groups of one size are a sample of their sums
    assert found.pvalue == pytest.approx(peer.pvalue)
    assert found.exact_pvalue == flipped(sums)
    assert found.settings["groups"] == 6
    assert "24 topics in 6 groups" in str(found)
    with pytest.raises(cc.errors.InputError, match="4 groups: at least 5"):
        cc.difference(scores_of(values[:16], groups=groups[:16]), "s0", "s1", rng=1)


@pytest.mark.parametrize("effect", [0.3, 1.0, 2.0, 4.0, 6.0, 20.0])
def test_topics_needed_solve_their_equation(effect: float) -> None:
    found = [topics_needed(variance, effect, 0.95) for variance in (0.5, 1.0, 2.0)]
    assert found == sorted(found)  # a wider spread never needs fewer topics
    n = found[1]
    if n > 2:
        t = stats.t.ppf(0.975, max(n - 1, 1)) + stats.t.ppf(0.8, max(n - 1, 1))
        assert n == pytest.approx((t / effect) ** 2)


@pytest.mark.parametrize("effect", [0.2, 0.4, 0.8])
def test_topics_needed_are_those_of_statsmodels(effect: float) -> None:
    exact = TTestPower().solve_power(effect_size=effect, alpha=0.05, power=0.8)
    assert topics_needed(1.0, effect, 0.95) == pytest.approx(exact, rel=0.01)  # t for the noncentral t


def test_the_smallest_difference_is_found_with_a_power_of_80() -> None:
    d = np.random.default_rng(2).normal(0.2, 1, 30)
    found = cc.difference(scores_of(np.column_stack([d, np.zeros(30)])), "s0", "s1", rng=1)
    power = TTestPower().power(found.smallest / d.std(ddof=1), 30, 0.05)
    assert power == pytest.approx(0.8, abs=0.005)
    at_delta = TTestPower().power(found.difference / d.std(ddof=1), found.n_topics_needed, 0.05)
    assert at_delta == pytest.approx(0.8, abs=0.01)
    assert found.n_topics_interval.low < found.n_topics_needed < found.n_topics_interval.high


def test_limits_of_a_variance_without_excess_are_chi_squares() -> None:
    flat = np.linspace(-1, 1, 20)  # flatter than the normal, which is not rewarded
    assert variance_limits(flat, 0.95) == pytest.approx(tuple(19 / stats.chi2.ppf([0.975, 0.025], 19)))
    heavy = np.r_[np.zeros(18), 1.0, -1.0]
    g2 = stats.kurtosis(heavy, bias=False)
    df = 2 / (g2 / 20 + 2 / 19)
    assert variance_limits(heavy, 0.9) == pytest.approx((df / stats.chi2.ppf(0.95, df), df / stats.chi2.ppf(0.05, df)))


def test_degenerate_differences() -> None:
    values = np.array([[0.3, 0.1, 0.3], [0.7, 0.5, 0.7], [0.4, 0.2, 0.4], [0.25, 0.05, 0.25]])
    alike = cc.difference(scores_of(values), "s0", "s1", rng=1)
    assert alike.pvalue == 2**-3
    assert math.isnan(alike.interval.low)
    assert math.isnan(alike.smallest)
    assert "no interval" in alike.notes[0]
    same = cc.difference(scores_of(values), "s0", "s2", rng=1)
    assert (same.difference, same.pvalue, same.ties, same.n_topics_needed) == (0, 1, 4, math.inf)
    assert "their means are equal" in same.verdict
    assert "smallest" not in same.table()
    json.dumps(same.to_dict(), allow_nan=False)
    tied = cc.difference(scores_of(np.array([[0.1, 0.3], [0.2, 0.0]])), "s0", "s1", rng=1)
    assert tied.difference == 0  # 0.1 + 0.2 is 0.3
    binary = cc.difference(scores_of(np.ones((6, 2))), "s0", "s1", rng=1)
    assert binary.pvalue == 1
    assert binary.interval.high == pytest.approx(bonett_price(0, 0, 6, 0.95)[1])


def test_what_is_refused() -> None:
    scores = scores_of(np.random.default_rng(1).random((5, 2)))
    with pytest.raises(cc.errors.InputError, match="no system 'x'"):
        cc.difference(scores, "s0", "x")
    with pytest.raises(cc.errors.InputError, match="two different"):
        cc.difference(scores, "s0", "s0")
    holes = np.array([[0.1, np.nan, 0.2], [np.nan, 0.5, 0.3], [0.2, 0.4, 0.5], [0.3, np.nan, 0.1]])
    with pytest.raises(cc.errors.InputError, match="1 topic in common"):
        cc.difference(scores_of(holes), "s0", "s1")
    some = cc.difference(scores_of(holes), "s0", "s2", rng=1)
    assert (some.n_topics, some.notes[0]) == (3, "s0 and s2 are compared on the 3 of 4 topics that both have")


def test_direction_and_order_change_only_the_sign() -> None:
    values = np.random.default_rng(5).random((15, 2))
    ab, ba = (cc.difference(scores_of(values), *names, rng=1) for names in (("s0", "s1"), ("s1", "s0")))
    errors = cc.difference(scores_of(values, lower_is_better=True), "s1", "s0", rng=1)
    assert ab.difference == -ba.difference == errors.difference
    assert ab.interval.low == -ba.interval.high == errors.interval.low
    assert ab.pvalue == ba.pvalue == errors.pvalue
    assert ab.verdict == ba.verdict.replace("s1 and s0", "s0 and s1")


def test_neighbours_are_pairs_corrected_for_their_number() -> None:
    people = cc.load_collection("people")
    found = cc.ranks.neighbours(people, rng=1)
    assert [pair.a for pair in found.pairs[1:]] == [pair.b for pair in found.pairs[:-1]]
    one = cc.difference(people, found.pairs[0].a, found.pairs[0].b, confidence_level=1 - 0.05 / 19, rng=1)
    assert found.pairs[0].interval == one.interval
    assert found.pairs[0].pvalue == min(1, 19 * one.pvalue)
    assert len(found.rows()) == 19
    assert "separate no two neighbours" in found.verdict


def test_the_command(tmp_path: Path) -> None:
    values = np.random.default_rng(6).random((30, 3)) + np.array([0.4, 0, 0])
    path = tmp_path / "s.csv"
    rows = [",".join([f"t{k}", *map(str, row)]) for k, row in enumerate(values.tolist())]
    path.write_text("\n".join(["topic,x,y,z", *rows]) + "\n")
    printed = json.loads(run("board", str(path), "--pair", "x", "z", "--format", "json").stdout)
    found = cc.difference(cc.read_scores(path), "x", "z", rng=0).to_dict()
    assert {key: printed[key] for key in found} == found
    assert run("board", str(path), "--pair", "x", "z").stdout.startswith("x is better than z by 0.")
    pairs = json.loads(run("board", str(path), "--pairs", "--format", "json").stdout)
    assert len(pairs["pairs"]) == 2
    assert run("board", str(path), "--pair", "x", "q").exit_code == 1
    assert "--pair and --runs are different questions" in run("board", str(path), "--pair", "x", "z", "--runs").stderr
    assert "--plot" in run("board", str(path), "--pairs", "--html", str(tmp_path / "x.html")).stderr


def _draws(kind: str, n: int, reps: int, rng: np.random.Generator) -> tuple[FloatArray, float]:
    """Differences of two systems, reps x n, and the true one."""
    ease = rng.normal(0, 1.6, (reps, n))
    chance = [1 / (1 + np.exp(-(mu + ease + rng.normal(0, 1, (reps, n))))) for mu in (0.5, -0.4)]
    x, y = ((rng.random((reps, n)) < p) * 1.0 if kind == "binary" else rng.beta(3 * p, 3 * (1 - p)) for p in chance)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    first, second = (
        float((1 / (1 + np.exp(-(mu + math.hypot(1.6, 1) * nodes))) * weights).sum() / weights.sum())
        for mu in (0.5, -0.4)
    )
    return x - y, first - second


@pytest.mark.parametrize(("kind", "n"), [("binary", 10), ("binary", 50), ("graded", 10), ("graded", 50)])
def test_intervals_cover_the_true_difference(kind: str, n: int) -> None:
    d, truth = _draws(kind, n, 600, np.random.default_rng(n))
    found = [paired(row, row.mean(), 0.95, binary=kind == "binary") for row in d]
    covered = np.mean([f.low <= truth <= f.high for f in found])
    assert 0.925 <= covered <= 0.99  # 2.5 standard errors of 600 draws below 0.95; Bonett-Price is wide at 10
    flips = np.random.default_rng(n + 1).choice([-1, 1], d.shape)
    rejected = np.mean([paired(r, r.mean(), 0.95, binary=kind == "binary").pvalue <= 0.05 for r in d * flips])
    assert rejected <= 0.0723


@pytest.mark.parametrize("icc", [0.0, 0.8])
def test_groups_keep_the_size(icc: float) -> None:
    rng, sizes = np.random.default_rng(8), [2, 3, 3, 4, 4, 5, 6, 7, 8, 10]
    groups = np.repeat(np.arange(10), sizes)
    draws = math.sqrt(icc) * rng.normal(size=(800, 10))[:, groups] + math.sqrt(1 - icc) * rng.normal(size=(800, 52))
    rejected = np.mean([paired(d, d.mean(), 0.95, groups).pvalue <= 0.05 for d in draws])
    assert rejected <= 0.07


def test_many_neighbours_are_shown_in_part_unless_all_are_asked_for() -> None:
    values = np.random.default_rng(3).normal(size=(30, 60)) - 0.02 * np.arange(60)
    found = cc.ranks.neighbours(values, rng=1)
    short, whole = str(found).splitlines(), found.text(every=True).splitlines()
    assert sum(" - " in line for line in short) == 20
    assert "  ... 39 more rows: --all, or text(every=True) in Python" in short
    assert sum(" - " in line for line in whole) == 59
    assert max(map(len, short)) <= 80
    ax = found.plot()
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert ax.get_title("left") == "the first 40 of 59"
    assert labels == [pair.a for pair in found.pairs][:40]
    assert ax.figure.get_size_inches()[1] < 10


@pytest.mark.parametrize(("factor", "message"), [(1e-300, "multiply them"), (1e200, "divide them")])
def test_scores_whose_variances_are_no_numbers_are_refused(factor: float, message: str) -> None:
    people = cc.load_collection("people")
    with pytest.raises(cc.errors.LimitError, match=message):
        cc.difference(cc.Scores(people.values * factor, people.topics, people.systems), *people.systems[:2])
