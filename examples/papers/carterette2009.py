"""Carterette (2009), item by item: docs/papers/carterette2009.md.

The paper used the runs of the Million Query track 2007 (24 runs on 149 topics) and of the Robust track 2004 (110 runs
on 249 topics). Of the latter the scores in AP and P@10 are public: 24 systems on 149 topics are taken from them in the
place of the former. Runs and judgments are those of TREC Deep Learning 2021 and TREC-COVID round 1, with fewer systems
than topics.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from functools import cache
from itertools import combinations, permutations, product
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
from making import MEASURED, Item, Paper, about, data
from rankings import rankings_at_tau
from scipy.special import ndtr, ndtri

import concordant as cc
from concordant._kernels.reference.distance import differences_of
from concordant.data.means import mean_over_topics
from concordant.inference.resampling import resampled_means, resampled_weights
from concordant.judgments import depth_pool, pseudo, sample
from concordant.ranks.distance import Problem, critical_value, paired_pvalues, share_as_far

FloatArray = npt.NDArray[np.float64]
paper = Paper("carterette2009")
THEOREMS = "tests/ranks/test_values.py"
ROBUST, DL21, COVID = "trec/robust2004_ap.csv", "dl21", "covid1"
SCORES = (ROBUST, "trec/robust2004_p10.csv", "trec/adhoc6.csv", "trec/adhoc7.csv", "trec/adhoc8.csv")
FOUR = ["AP", "Rprec", "P@10", "Bpref"]

# Three systems A, B, C on four topics, made to have all that the text prints of its lost example: the means of C - A
# and B - C, the nearest point, the distances of ABC and BCA, and how often topics that are resampled rank B above C.
AP = np.array([[0.115, 0.525, 0.442], [0.163, 0.288, 0.309], [0.149, 0.501, 0.551], [0.197, 0.594, 0.718]])


@cache
def robust() -> FloatArray:
    """24 systems, evenly from best to worst, on 149 topics; the best first."""
    path = data(ROBUST)
    assert path is not None
    values = cc.read_scores(path).values
    best_first = np.argsort(-mean_over_topics(values), kind="stable")
    some = values[:149, best_first[np.linspace(0, len(best_first) - 1, 24).round().astype(int)]]
    return np.ascontiguousarray(some[:, np.argsort(-mean_over_topics(some), kind="stable")])


@cache
def judged(name: str) -> tuple[cc.Runs, cc.Qrels, cc.Runs]:
    """Some runs, evenly from best to worst and about half as many as topics; the judgments; and all runs."""
    folder = data(name)
    assert folder is not None
    runs = cc.read_runs(folder / "runs")
    qrels = cc.read_qrels(folder / ("qrels/human.txt.gz" if name == DL21 else "qrels.txt"))
    means = cc.evaluate(runs, qrels, "AP").means()
    count = {DL21: 25, COVID: 14}[name]
    kept = np.argsort(-means, kind="stable")[np.linspace(0, len(means) - 1, count).round().astype(int)]
    return runs.select([runs.systems[k] for k in sorted(kept.tolist())]), qrels, runs


def algorithm_2(truth: Any, n_resamples: int = 1_999, seed: int = 9) -> FloatArray:
    """Algorithm 2: the distances of the rankings by the means of resampled topics."""
    any_ranking = np.arange(np.shape(getattr(truth, "values", truth))[1])
    found: FloatArray = cc.rank_test(truth, any_ranking, method="paper", n_resamples=n_resamples, rng=seed).distances
    return found


@cache
def null(name: str, measure: str) -> FloatArray:
    """The paper's bootstrap distribution of a collection and a measure."""
    runs, qrels, _ = judged(name)
    return algorithm_2(cc.evaluate(runs, qrels, measure))


def pvalues(truth: FloatArray) -> FloatArray:
    """Paired t-tests of all pairs, systems x systems."""
    m = truth.shape[1]
    found = np.ones((m, m))
    found[np.triu_indices(m, 1)] = paired_pvalues(truth)
    return np.minimum(found, found.T)


def kendall_interval(tau: float, m: int) -> tuple[float, float]:
    """Equation 1: (tau +- sqrt(k) sqrt(1 - tau^2 + k)) / (1 + k) with k = 2 z^2 / m, for 95%."""
    k = 2 * NormalDist().inv_cdf(0.975) ** 2 / m
    half = math.sqrt(k) * math.sqrt(1 - tau**2 + k)
    return (tau - half) / (1 + k), (tau + half) / (1 + k)


def interval(tau: float, m: int) -> str:
    low, high = kendall_interval(tau, m)
    return f"{tau:.3f} [{low:.3f}, {high:.3f}]"


@paper.item("figure-1", "Figure 1", ROBUST)
def figure_1(made: Item) -> None:
    """Four reorderings with the same tau."""
    truth = robust()
    means, m = mean_over_topics(truth), truth.shape[1]
    rng = np.random.default_rng(1)
    uniform = -rankings_at_tau(m, 0.9, 400, rng).astype(float)
    weights = np.concatenate([w for _, w in resampled_weights(60, 20_000, rng)])  # fewer topics: more swaps
    resampled = resampled_means(truth[:60], weights)
    some = resampled[np.abs(np.asarray(cc.tau_b(means, resampled)) - 0.9) < 0.01]
    pool = np.concatenate([uniform, some])
    distances = np.asarray(cc.rank_distance(truth, pool))
    order = np.argsort(distances)
    chosen = [order[-1], order[np.searchsorted(distances[order], np.median(distances[: len(uniform)]))],
              order[np.searchsorted(distances[order], np.median(distances[len(uniform) :]))], order[0]]  # fmt: skip
    with made.panels(4, "24 systems by their mean AP, in four reorderings of about the same tau.", width=8.0) as axes:
        for ax, k, letter in zip(axes, chosen, "abcd", strict=True):
            shown = np.argsort(pool[k], kind="stable")
            ax.bar(range(1, m + 1), means[shown], width=0.8)
            ax.set_title(f"({letter}) tau = {cc.tau_b(means, pool[k]):.2f}\nd_rank = {distances[k]:.2f}")
            ax.set_xlabel("rank, from the worst")
    for k, letter, tau, distance in zip(
        chosen, "abcd", (None, None, "0.89", None), (None, None, "3.52", None), strict=True
    ):
        made.compare(f"({letter}) tau", tau, cc.tau_b(means, pool[k]))
        made.compare(f"({letter}) d_rank", distance, distances[k])
    taus, apart = [float(cc.tau_b(means, pool[k])) for k in chosen], distances[chosen]
    made.claim(
        "all four have a tau of 0.9 ± 0.01",
        "0.9 ± 0.01",
        f"{min(taus):.3f} to {max(taus):.3f}",
        max(abs(tau - 0.9) for tau in taus) <= 0.01,
    )
    made.claim(
        "they get better from left to right",
        "(c) 3.52",
        ", ".join(f"{d:.2f}" for d in apart),
        (np.diff(apart) < 0).all(),
    )
    made.reproduced = "on other data"


@paper.item("equation-1", "Equation 1")
def equation_1(made: Item) -> None:
    """Kendall's interval over systems."""
    low, high = kendall_interval(0.9, 25)
    made.compare("lower limit, 25 systems, tau = 0.9", "0.389", low)
    made.compare("upper limit", "0.987", high)


@paper.item("spread", "Section 2: the variance of tau over systems")
def spread(made: Item) -> None:
    """The standard deviation of tau over samples of independent systems, beside sqrt(2/m)."""
    rng = np.random.default_rng(2)
    rows: list[list[Any]] = []
    for m in (10, 25, 50, 100):
        order, sds = math.sqrt(2 / m), []
        for tau in (0.0, 0.5, 0.9):
            x, noise = rng.standard_normal((2, 4_000, m))
            rho = math.sin(math.pi / 2 * tau)  # normal scores have this tau
            y = rho * x + math.sqrt(1 - rho**2) * noise
            sds.append(float(np.std([float(cc.tau(a, b)) for a, b in zip(x, y, strict=True)])))
        low, high = kendall_interval(0.9, m)
        rows.append([m, order, *(sd / order for sd in sds), (high - low) / 2 / order])
    head = ["systems", "sqrt(2/m)", "sd of tau / sqrt(2/m), tau 0", "tau 0.5", "tau 0.9", "half of equation 1, tau 0.9"]
    made.table(head, rows, "4,000 samples of independent systems with normal scores:")
    factors = [row[2] for row in rows]
    made.claim(
        "the spread is of order sqrt(2/m)",
        "sqrt(2/m)",
        f"{factors[-1]:.2f} to {factors[0]:.2f} of it at tau 0",
        max(factors) / min(factors) < 1.2,
    )
    _, order, _, _, ratio, half = rows[1]
    made.claim(
        "25 systems and a tau of 0.9 leave this range at 95%",
        "0.389 to 0.987",
        f"{0.9 - 2 * ratio * order:.2f} to {0.9 + 2 * ratio * order:.2f} for normal scores, sd {ratio * order:.3f}",
        half < 3 * ratio,
    )
    made.reproduced = "repaired"
    made.held_by("tests/test_papers.py", "test_kendalls_interval_is_wider_than_the_spread_of_tau")


@paper.item("example", "The example of section 3")
def example(made: Item) -> None:
    """Three systems on four topics."""
    made.table(
        ["topic", "A", "B", "C"],
        [[str(k + 1), *row] for k, row in enumerate(AP)],
        "A matrix with the printed properties:",
    )
    c_a, b_c = AP[:, 2] - AP[:, 0], AP[:, 1] - AP[:, 2]
    made.compare("mean of C - A", "0.349", c_a.mean())
    made.compare("mean of B - C", "-0.028", b_c.mean())
    s = np.cov(c_a, b_c)
    made.compare(
        "C - A at the nearest point of the ranking B C A", "0.322", c_a.mean() - s[0, 1] / (s[1, 1] + 1e-5) * b_c.mean()
    )
    p = pvalues(AP)
    made.compare("p of A against B, paired t (paper: below 0.05)", None, p[0, 1])
    made.compare("p of A against C (paper: below 0.05)", None, p[0, 2])
    made.compare("p of B against C (paper: not significant)", None, p[1, 2])
    printed = {"ABC": ("-1", "0", "4.88"), "ACB": ("-1/3", "0", "4.88"), "BAC": ("-1/3", "1/2", "4.88"),
               "CAB": ("1/3", "1/2", "4.88"), "BCA": ("1/3", "1", "0.65"), "CBA": ("1", "1", "0.00")}  # fmt: skip
    for ranking, (tau, power, distance) in printed.items():
        scores = [-ranking.index(system) for system in "ABC"]
        made.compare(f"{ranking}: tau", tau, cc.tau(mean_over_topics(AP), scores))
        made.compare(f"{ranking}: discriminative power", power, float(cc.ranks.discriminative_power(AP, scores)))
        made.compare(f"{ranking}: d_rank", distance, cc.rank_distance(AP, scores))
    readings = {"0.65 is d_rank, as in the table": 0.65, "0.65 is T^2, as in the text": math.sqrt(0.65)}
    rows: list[list[Any]] = [[reading, *by_the_reading(value)] for reading, value in readings.items()]
    made.table(
        ["reading", "d_rank of B C A", "of B A C", "of C A B", "normal integral over B C A"],
        [["printed", "0.65", "4.88", "4.88", "0.21"], *rows],
        "From the printed means, the nearest point and 4.88 for A B C:",
    )
    as_distance, as_square = rows
    made.claim(
        "T^2 of the nearest point is 0.65, and d_rank is 0.65",
        "0.65 both",
        f"d_rank {as_square[1]:.3f} if T^2 is 0.65",
        abs(as_square[1] - 0.65) < 0.005,
    )
    made.claim(
        "the p-value is the integral over the region, and 0.21",
        "0.21",
        f"{as_square[4]:.3f} if T^2 is 0.65, {as_distance[4]:.3f} if d_rank is",
        abs(as_square[4] - 0.21) < 0.005,
    )
    made.claim(
        "four rankings have the same distance",
        "4.88",
        f"{rows[0][2]:.2f} or {rows[1][2]:.2f} for B A C",
        abs(rows[1][2] - 4.88) < 0.005,
    )
    made.reproduced = "in part"
    made.tests.append("tests/ranks/test_examples.py")


def by_the_reading(distance: float) -> tuple[float, float, float, float]:
    """Distances of B C A, B A C and C A B, and the integral over B C A, if B C A is at this distance.

    The printed means of C - A and B - C, the nearest point and the distance of A B C fix the covariance of both.
    """
    a, b, nearest, n = 0.349, -0.028, 0.322, 4
    s_bb = n * (b / distance) ** 2
    s_ab = s_bb * (a - nearest) / b
    s_aa = nearest**2 / (4.88**2 / n - b * b / s_bb) + s_ab**2 / s_bb
    b_a_c = a / math.sqrt(s_aa / n)  # A reaches C, which leaves B ahead
    c_a_b = (a + b) / math.sqrt((s_aa + s_bb + 2 * s_ab) / n)  # A reaches B, which leaves C ahead
    return distance, b_a_c, c_a_b, NormalDist().cdf(-distance)


@paper.item("footnote-2", "Footnote 2")
def footnote_2(made: Item) -> None:
    """The Mahalanobis distance of ranks, with the identity for the covariance, is Spearman's rho."""
    rows: list[list[Any]] = []
    for order in ((1, 2, 3, 4, 5), (2, 1, 3, 5, 4), (3, 5, 1, 2, 4), (5, 4, 3, 2, 1)):
        x, y = np.arange(1, 6), np.array(order)
        squared = float(((x - y) ** 2).sum())
        rows.append([" ".join(map(str, order)), squared, 1 - 6 * squared / (5 * 24), cc.spearman(-x, -y)])
    made.table(["ranks", "squared distance", "1 - 6 d^2 / (m (m^2 - 1))", "Spearman's rho"], rows)
    made.claim("the distance is proportional to Spearman's rho", "proportional", "distance 0 where rho is 1", False)
    off = max(abs(row[2] - row[3]) for row in rows)
    made.claim(
        "what holds: its square is a linear function of rho", "", "equal" if off < 1e-12 else f"{off:.1e}", off < 1e-12
    )
    made.reproduced = "repaired"
    made.held_by("tests/test_papers.py", "test_the_mahalanobis_distance_of_ranks_is_no_multiple_of_rho")


@paper.item("figure-2", "Figure 2")
def figure_2(made: Item) -> None:
    """The normal distribution of two differences of means, its regions, and the points of the text."""
    from scipy.stats import chi2

    differences = np.column_stack([AP[:, 2] - AP[:, 0], AP[:, 1] - AP[:, 2]])
    d, s = differences.mean(axis=0), (np.cov(differences.T) + 1e-5 * np.eye(2)) / len(AP)
    x, y = np.meshgrid(np.linspace(0.05, 0.65, 200), np.linspace(-0.25, 0.2, 200))
    off = np.stack([x - d[0], y - d[1]], axis=-1)
    squared = np.einsum("...i,ij,...j", off, np.linalg.inv(s), off)
    nearest = (d[0] - s[0, 1] / s[1, 1] * d[1], 0.0)
    caption = "Contours contain 2.5, 25, 50, 75 and 97.5% of the probability; regions between lines are rankings."
    with made.panels(1, caption, height=3.6, width=5.0) as (ax,):
        ax.contour(x, y, squared, levels=chi2.ppf([0.025, 0.25, 0.5, 0.75, 0.975], 2), colors="0.4", linewidths=0.8)
        ax.axhline(0, color="0.7", linewidth=0.8)
        ax.plot([0.05, 0.25], [-0.05, -0.25], color="0.7", linewidth=0.8)
        for point, name in ((d, "mean"), ((0.20, 0.05), "precision at 10"), (nearest, "nearest point of B C A")):
            ax.plot(*point, "o", markersize=4)
            ax.annotate(name, point, xytext=(4, 4), textcoords="offset points", fontsize=7)
        for at, name in (((0.5, 0.15), "B C A"), ((0.5, -0.1), "C B A"), ((0.08, -0.2), "C A B")):
            ax.annotate(name, at, color="0.4")
        ax.set_xlabel("mean of C - A")
        ax.set_ylabel("mean of B - C")
    made.compare("nearest point, first coordinate", "0.322", nearest[0])
    t2 = [float((np.array(point) - d) @ np.linalg.solve(s, np.array(point) - d)) for point in (nearest, (0.20, 0.05))]
    outer = chi2.cdf(t2, 2)
    made.claim(
        "the nearest point is in the inner contours, precision at 10 in an outer one",
        "inner, outer",
        f"on the contours of {outer[0]:.0%} and {outer[1]:.1%}",
        outer[0] < 0.5 < outer[1],
    )
    made.reproduced = "in part"


def by_the_algorithm(truth: FloatArray, y: FloatArray, eps: float = 1e-5) -> float:
    """Algorithm 1 line by line; the quadratic program by trying every set of differences that may be 0."""
    n, m = truth.shape
    order = np.argsort(-y, kind="stable")  # line 1
    differences = truth[:, order[:-1]] - truth[:, order[1:]]  # line 2
    d = differences.mean(axis=0)  # line 3
    s = (differences - d).T @ (differences - d) / (n - 1) + eps * np.eye(m - 1)  # line 4
    best = np.inf
    for zero in product((False, True), repeat=m - 1):  # line 5
        at, free = np.flatnonzero(zero), np.flatnonzero(~np.array(zero))
        nearest = np.zeros(m - 1)
        nearest[free] = d[free] - s[np.ix_(free, at)] @ np.linalg.solve(s[np.ix_(at, at)], d[at])
        if (nearest >= -1e-12).all():
            best = min(best, n * float((nearest - d) @ np.linalg.solve(s, nearest - d)))  # line 6
    return float(np.sqrt(abs(best)))  # line 7


@paper.item("algorithm-1", "Equation 2 and algorithm 1")
def algorithm_1(made: Item) -> None:
    """The distance, line by line as printed, beside `rank_distance`."""
    rng = np.random.default_rng(1)
    rows: list[list[Any]] = []
    for m, n in ((3, 4), (5, 50), (8, 50), (8, 6)):
        truth = AP if m == 3 else np.clip(rng.normal(0.4, 0.1, (n, 1)) + rng.normal(0, 0.1, (n, m)), 0, 1)
        rankings = np.array([rng.permutation(m) for _ in range(20)], dtype=float)
        ours = np.asarray(cc.rank_distance(truth, rankings))
        literal = [by_the_algorithm(truth, y) for y in rankings]
        off = float(np.abs(ours - literal).max())
        rows.append([m, n, ours.min(), ours.max(), "below 1e-6" if off < 1e-6 else off])
    head = ["systems", "topics", "smallest d_rank of 20 rankings", "largest", "largest difference from algorithm 1"]
    made.table(head, rows)
    same = sum(row[4] == "below 1e-6" for row in rows)
    made.claim(
        "algorithm 1 computes equation 2", "equal", f"equal in {same} of {len(rows)} collections", same == len(rows)
    )
    made.held_by(THEOREMS, "test_the_definition_written_down_literally", "test_a_general_solver_of_quadratic_programs")


@paper.item("timing", "Section 3: speed")
def timing(made: Item) -> None:
    """What `python examples/papers/timing.py` measured; it is not measured again, for the page is to stay the same."""
    with (MEASURED / "carterette2009-timing.csv").open(encoding="utf-8", newline="") as file:
        found = {row["what"]: float(row["seconds"]) for row in csv.DictReader(file)}
    distance, tau = found["rank_distance"], found["tau"]
    made.compare("seconds for a rank distance", "0.003", distance)
    made.compare("seconds for Kendall's tau", "0.0004", tau)
    made.claim(
        "a rank distance takes several times as long as tau",
        "7.5 times",
        f"{distance / tau:.0f} times",
        distance > 2 * tau,
    )
    made.notes.append(
        "110 systems on 249 topics, one call of the public function, fastest of many, on a shared machine. The paper "
        "does not say how many systems its times are for. A batch of rankings takes far less for each."
    )
    made.reproduced = "on other data"


@paper.item("test", "Algorithm 2 and the probability of a region", ROBUST)
def probability(made: Item) -> None:
    """The p-value of the example, by the bootstrap and by the normal integral."""
    resamples = np.array([mean_over_topics(AP[list(drawn)]) for drawn in np.ndindex(4, 4, 4, 4)])
    shares, integrals = {}, {}
    for ranking in ("ABC", "ACB", "BAC", "CAB", "BCA", "CBA"):
        columns = ["ABC".index(system) for system in ranking]
        shares[ranking] = float((np.diff(resamples[:, columns], axis=1) < 0).all(axis=1).mean())
        integrals[ranking] = region(AP[:, columns])
    error = 2 * math.sqrt(0.21 * 0.79 / 10_000)  # the paper's 10,000 trials
    made.compare("B C A in the bootstrap, d_rank = 0.65", "0.21", shares["BCA"], error)
    made.compare("C B A in the bootstrap, d_rank = 0", "0.79", shares["CBA"], error)
    made.compare("other rankings in the bootstrap", "0", sum(shares[r] for r in ("ABC", "ACB", "BAC", "CAB")))
    made.compare("integral over the region of B C A", "0.21", integrals["BCA"])
    rows = [[ranking, shares[ranking], integrals[ranking]] for ranking in shares]
    made.table(["ranking", "all 256 resamples of topics", "normal integral over its region"], rows)
    truth = robust()
    several: list[list[Any]] = []
    for m in (3, 5, 8, 12, 24):
        some = np.ascontiguousarray(truth[:, np.linspace(0, truth.shape[1] - 1, m).round().astype(int)])
        drawn = np.concatenate(
            [resampled_means(some, w) for _, w in resampled_weights(len(some), 20_000, np.random.default_rng(m))]
        )
        share = float((np.diff(drawn, axis=1) < 0).all(axis=1).mean())
        integral = region(some)
        several.append([m, share, float(np.sqrt(share * (1 - share) / len(drawn))), integral])
    head = ["systems", "bootstrap", "its standard error", "normal integral"]
    made.table(head, several, "The observed ranking again, on 149 topics of the Robust track 2004:")
    off = max(abs(row[1] - row[3]) / max(row[2], 1e-4) for row in several)
    made.claim(
        "the bootstrap estimates the integral", "estimates", f"within {off:.1f} standard errors on 149 topics", off < 2
    )
    made.reproduced = "in part"
    made.tests += ["tests/ranks/test_rank_test.py"]


def region(ordered: FloatArray) -> float:
    """The normal integral over the means that have the order of the columns, by Genz (1992): on 12 shifted lattices."""
    found = Problem.of(ordered, 1e-5, "the integral")
    d = np.diff(found.means)  # below 0, where the order is kept
    covariance = differences_of(found.covariance, np.arange(found.m), found.eps) / found.n
    hardest_first = np.argsort(-d / np.sqrt(covariance.diagonal()), kind="stable")
    mean, factor = d[hardest_first], np.linalg.cholesky(covariance[np.ix_(hardest_first, hardest_first)])
    count = math.ceil(20_000 / 12)
    primes = [p for p in range(2, 100) if all(p % q for q in range(2, p))][: len(d)]
    totals = []
    for shift in np.random.default_rng(1).random((12, len(d))):
        at = np.abs(2 * ((np.arange(1, count + 1)[:, None] * np.sqrt(primes) + shift) % 1) - 1)
        chosen, weight = np.zeros((count, len(d))), np.ones(count)
        for k in range(len(d)):
            # The k-th variable is low enough if its deviate, given those before, is below this bound.
            share = ndtr((0.0 - (mean[k] + chosen[:, :k] @ factor[k, :k])) / factor[k, k])
            weight *= share
            # The deviate has a normal distribution cut off at the bound.
            chosen[:, k] = ndtri(np.clip(at[:, k] * share, 1e-300, 1 - 1e-16))
        totals.append(float(weight.mean()))
    return float(np.clip(np.mean(totals), 0.0, 1.0))


@paper.item("tables", "Section 3.3: distribution tables", *SCORES, DL21, COVID)
def tables(made: Item) -> None:
    """Critical values of the paper's test for collections at hand."""
    found: dict[str, cc.Scores] = {}
    for path in (data(name) for name in SCORES):
        assert path is not None
        found[path.stem] = cc.as_scores(path)  # type: ignore[assignment]
    for name, label in ((DL21, "Deep Learning 2021"), (COVID, "TREC-COVID")):
        runs, qrels, everyone = judged(name)
        for measure, scores in cc.evaluate(everyone, qrels, ["AP", "nDCG@10"]).items():
            found[f"{label} {measure}, all runs"] = scores
        found[f"{label} AP, some runs"] = cc.evaluate(runs, qrels, "AP")
    rows: list[list[Any]] = []
    for label, scores in found.items():
        n, m = scores.values.shape
        distances = algorithm_2(scores)
        rows.append([label, m, n, *(critical_value(distances, alpha) for alpha in (0.1, 0.05, 0.01))])
    made.table(
        ["collection", "systems", "topics", "10%", "5%", "1%"],
        rows,
        'Critical values of `rank_test(..., method="paper")`:',
    )
    made.compare(
        "24 systems on 149 topics, 5% (figure 3)",
        "2.62",
        critical_value(algorithm_2(robust())),
    )
    made.reproduced = "on other data"


def theorem(number: int, title: str) -> Callable[[Callable[[Item], None]], Callable[[Item], None]]:
    return paper.item(f"theorem-{number}", title)


def with_moments(means: FloatArray, covariance: FloatArray, n: int) -> FloatArray:
    """A matrix with exactly these means and this covariance."""
    z = np.random.default_rng(3).normal(size=(n, len(means)))
    white = np.linalg.qr(z - z.mean(axis=0))[0] * np.sqrt(n - 1)
    return np.asarray(means + white @ np.linalg.cholesky(covariance).T)


@theorem(1, "Theorem 1")
def theorem_1(made: Item) -> None:
    """0 if and only if the rankings are the same."""
    rng = np.random.default_rng(11)
    zero, positive = 0.0, np.inf
    for _ in range(200):
        truth = rng.random((12, 6))
        means = mean_over_topics(truth)
        zero = max(zero, float(cc.rank_distance(truth, means)))
        other = rng.random(6)
        if cc.tau(means, other) < 1:
            positive = min(positive, float(cc.rank_distance(truth, other)))
    made.table(
        ["200 random collections", "d_rank"], [["same ranking, largest", zero], ["other ranking, smallest", positive]]
    )
    made.claim("0 if the rankings are the same", "0", f"{zero:g} at most", zero == 0)
    made.claim("and only if", "above 0", f"{positive:.3f} at least", positive > 0)
    made.held_by(THEOREMS, "test_theorem_1_zero_if_and_only_if_the_rankings_are_the_same")


@theorem(2, "Theorem 2")
def theorem_2(made: Item) -> None:
    """The more two systems differ, the more their swap costs."""
    rows: list[list[Any]] = []
    for gap in (0.01, 0.03, 0.05, 0.07):
        truth = with_moments(np.array([0.6, 0.6 - gap, 0.3]), 0.04 * np.eye(3), 50)
        t = float((truth[:, 0] - truth[:, 1]).mean() / ((truth[:, 0] - truth[:, 1]).std(ddof=1) / np.sqrt(50)))
        rows.append([gap, t, cc.rank_distance(truth, [2, 3, 1])])
    made.table(["difference of the swapped pair", "Student's t", "d_rank"], rows, "Three systems on 50 topics:")
    grown = [float(row[2]) for row in rows]
    made.claim(
        "the greater t, the greater d_rank", "greater", ", ".join(f"{d:.2f}" for d in grown), (np.diff(grown) > 0).all()
    )
    made.held_by(
        THEOREMS,
        "test_theorem_2_swapping_what_differs_more_costs_more",
        "test_theorem_2_two_systems_are_a_paired_t_test",
    )


@theorem(3, "Theorem 3")
def theorem_3(made: Item) -> None:
    """The more alike i + 1 and i + 2 are, the more it costs to put i between them: for three systems."""
    rows: list[list[Any]] = []
    for rho in (0.0, 0.2, 0.4):
        three = 0.04 * np.array([[4, 1.6, 0], [1.6, 1, rho], [0, rho, 1.0]])
        near = with_moments(np.array([0.6, 0.5, 0.49]), three, 50)
        four = 0.04 * np.array([[1, 0, 0.6, 0], [0, 1, rho, 0.6], [0.6, rho, 1, 0], [0, 0.6, 0, 1.0]])
        far = with_moments(np.array([0.6, 0.5, 0.3, 0.29]), four, 50)
        rows.append([rho, cc.rank_distance(near, [2, 3, 1]), cc.rank_distance(far, [3, 4, 2, 1])])
    head = ["correlation of i + 1 and i + 2", "d_rank, three systems", "d_rank, four systems: it falls"]
    made.table(head, rows, "50 topics, the first two systems swapped:")
    for column, systems in ((1, "three"), (2, "four")):
        costs = [float(row[column]) for row in rows]
        made.claim(
            f"the more alike i + 1 and i + 2, the greater the penalty ({systems} systems)",
            "greater",
            ", ".join(f"{d:.2f}" for d in costs),
            (np.diff(costs) >= 0).all(),
        )
    made.reproduced = "repaired"
    made.held_by(
        THEOREMS,
        "test_theorem_3_as_it_can_be_proved",
        "test_the_slope_of_the_squared_distance_in_a_covariance",
        "test_theorem_3_holds_for_three_systems",
        "test_theorem_3_fails_for_four_systems",
    )


def allowed_by_power(truth: FloatArray, steps: int) -> FloatArray:
    """Probability of each system at each rank over the rankings that keep every significant difference.

    A walk that swaps neighbours at random, where the pair does not differ significantly, visits all of them alike.
    """
    m = truth.shape[1]
    significant = pvalues(truth) < 0.05
    rng = np.random.default_rng(5)
    order, counts = np.arange(m), np.zeros((m, m))
    for step, k in enumerate(rng.integers(0, m - 1, steps)):
        a, b = order[k], order[k + 1]
        if not significant[a, b]:
            order[k], order[k + 1] = b, a
        if step % 20 == 0:
            counts[order, np.arange(m)] += 1
    return np.asarray(counts / counts[0].sum())


def allowed_by_tau(m: int, least: float) -> FloatArray:
    """Probability of each system at each rank over all rankings with such a tau, each as likely as any other."""
    ranks = rankings_at_tau(m, least, 9_999, np.random.default_rng(1), at_least=True)
    return np.stack([np.bincount(of, minlength=m) for of in ranks.T]) / len(ranks)


def allowed_by_distance(truth: FloatArray) -> tuple[FloatArray, float]:
    """The same over the rankings of resampled topics whose distance is not significant, and the critical value.

    Systems that are tied in a ranking share its ranks evenly.
    """
    m = truth.shape[1]
    drawn = [w for _, w in resampled_weights(len(truth), 9_999, np.random.default_rng(1))]
    means = np.concatenate([resampled_means(truth, w) for w in drawn])
    distances = np.asarray(cc.rank_distance(truth, means))
    threshold = critical_value(distances)
    counts = np.zeros((m, m))
    kept = means[distances <= threshold * (1 + 1e-9)]
    for row in kept:
        best, worst = (row[:, None] < row).sum(axis=1), m - 1 - (row[:, None] > row).sum(axis=1)
        for system in range(m):
            counts[system, best[system] : worst[system] + 1] += 1 / (worst[system] - best[system] + 1)
    return counts / len(kept), threshold


@paper.item("figure-3", "Figure 3", ROBUST)
def figure_3(made: Item) -> None:
    """Where each system may stand, by tau, by the rank distance, and by discriminative power."""
    truth = robust()
    m = truth.shape[1]
    by_distance, threshold = allowed_by_distance(truth)
    found = {"tau >= 0.9": allowed_by_tau(m, 0.9), f"d_rank <= {threshold:.2f}": by_distance,
             "discriminative power 1": allowed_by_power(truth, 200_000)}  # fmt: skip
    with made.panels(
        3, "Probability of each of 24 systems at each rank, on a logarithmic scale; white: never.", width=8.0
    ) as axes:
        for ax, (title, values) in zip(axes, found.items(), strict=True):
            with np.errstate(divide="ignore"):
                ax.imshow(
                    np.log10(values.T),
                    origin="lower",
                    vmin=-4,
                    vmax=0,
                    cmap="viridis",
                    extent=(0.5, m + 0.5, 0.5, m + 0.5),
                )
            ax.set_title(title)
            ax.set_xlabel("system, best first")
            ax.set_ylabel("rank")
    rows: list[list[Any]] = []
    held: dict[str, list[int]] = {}
    for title, values in found.items():
        spans = [np.ptp(np.flatnonzero(row)) + 1 for row in values]
        held[title] = [fewest_ranks(row) for row in values]
        rows.append([title, min(held[title]), float(np.median(held[title])), max(held[title]), int(min(spans)),
                     float(np.median(spans)), int(max(spans)), float((values > 0).mean())])  # fmt: skip
    head = ["allowed rankings", "ranks with 95%: fewest", "median", "most", "all ranks: fewest", "median ", "most ",
            "share of cells"]  # fmt: skip
    made.table(head, rows, "How many ranks hold 95% of a system's probability, and how many have any:")
    made.compare("critical value at 5%, 24 systems on 149 topics", "2.62", threshold)
    tau, distance, _ = rows
    made.claim(
        "tau allows each system about 5 ranks",
        "5",
        f"{tau[1]} to {tau[3]} hold 95%, {tau[4]} to {tau[6]} are possible",
        about(tau[1], 5) and about(tau[3], 5),
    )
    made.claim(
        "tau allows every system the same distribution",
        "identical",
        f"{tau[1]} ranks at the ends, {tau[3]} in the middle",
        tau[1] == tau[3],
    )
    made.claim(
        "d_rank keeps some systems where they are and lets others move considerably",
        "1 and about 7 ranks",
        f"{distance[1]} and {distance[3]} ranks hold 95%",
        distance[1] == 1 and distance[3] >= 7,
    )
    both = (by_distance > 0) | (found["discriminative power 1"] > 0)
    shared = ((by_distance > 0) & (found["discriminative power 1"] > 0)).sum() / both.sum()
    made.claim(
        "discriminative power has nearly the same contours",
        "nearly the same",
        f"{shared:.0%} of the cells of either",
        shared > 0.9,
    )
    made.reproduced = "on other data"


def fewest_ranks(row: FloatArray, share: float = 0.95) -> int:
    """The fewest neighbouring ranks with this share of a system's probability."""
    total = np.concatenate([[0], np.cumsum(row)])
    return min(b - a for a in range(len(row)) for b in range(a + 1, len(total)) if total[b] - total[a] >= share - 1e-12)


@paper.item("transitivity", "Section 4.2: significance is not transitive", ROBUST)
def transitivity(made: Item) -> None:
    """A system may have more room than the next one, because it does not differ significantly from a third."""
    truth = robust()
    significant = pvalues(truth) < 0.05
    values, _ = allowed_by_distance(truth)
    last = [int(np.flatnonzero(row)[-1]) + 1 for row in values]
    first = [int(np.flatnonzero(row)[0]) + 1 for row in values]
    triples = [
        (a, b, c) for a, b, c in combinations(range(truth.shape[1]), 3) if significant[b, c] and not significant[a, c]
    ]
    ranks = [f"{low} to {high}" for low, high in zip(first, last, strict=True)]
    rows = [
        [f"{a + 1}, {b + 1}, {c + 1}", ranks[a], ranks[b], "yes" if last[a] > last[b] else "no"] for a, b, c in triples
    ]
    made.table(
        ["systems a, b, c", "ranks of a", "ranks of b", "a may fall lower than b"],
        rows,
        "b differs significantly from c, and a, which is above b, does not:",
    )
    lower = sum(row[3] == "yes" for row in rows)
    made.claim(
        "a system may appear at more ranks than the next, which differs from a third",
        "4 to 8, and 4 to 6",
        f"{lower} of {len(rows)} cases: {rows[0][1]}, and {rows[0][2]}",
        lower,
    )
    made.reproduced = "on other data"


@paper.item("neighbours", "Section 4.2: systems 19 and 20", ROBUST)
def neighbours(made: Item) -> None:
    """Systems with the same mean to four decimals: must a ranking keep them together?"""
    path = data(ROBUST)
    assert path is not None
    values = cc.read_scores(path).values
    best = np.argsort(-mean_over_topics(values), kind="stable")[:24]
    truth = np.ascontiguousarray(values[:, best])
    means, m = mean_over_topics(truth), len(best)
    critical = critical_value(algorithm_2(truth, 4_999, 1))
    rng = np.random.default_rng(2)
    drawn = np.concatenate([resampled_means(truth, w) for _, w in resampled_weights(len(truth), 9_999, rng)])
    drawn = drawn[np.asarray(cc.rank_distance(truth, drawn)) <= critical]
    place = np.argsort(np.argsort(-drawn, axis=1, kind="stable"), axis=1)
    rows: list[list[Any]] = []
    for i in range(m - 1):
        if round(means[i], 4) == round(means[i + 1], 4):
            others = [k for k in range(m) if k not in (i, i + 1)]
            orders = [[s for s in range(m) if s != k] for k in others]
            for order, k in zip(orders, others, strict=True):
                order.insert(order.index(i + 1), k)
            scores = np.empty((len(orders), m))
            for row, order in zip(scores, orders, strict=True):
                row[order] = -np.arange(m)
            between = np.abs(place[:, i] - place[:, i + 1])
            gap = truth[:, i] - truth[:, i + 1]
            least = float(np.asarray(cc.rank_distance(truth, scores)).min())
            together = float((between == 1).mean())
            rows.append([f"{i + 1} and {i + 2}", float(gap.std(ddof=1)), together, int(between.max()) - 1, least])
    head = [
        "pair",
        "sd of the difference",
        "next to each other",
        "most systems between",
        "least d_rank with another system between",
    ]
    made.table(
        head,
        rows,
        f"The best 24 systems of the Robust track 2004 on all 249 topics; critical value {critical:.2f}. "
        f"Third and fourth columns: {len(drawn):,} rankings by resampled topics within it.",
    )
    kept = [row[0] for row in rows if row[2] == 1]
    made.claim(
        "two systems with equal means to four decimals are always ranked next to each other",
        "always",
        f"{len(kept)} of {len(rows)} pairs: {', '.join(kept)}",
        len(kept) == len(rows),
    )
    far = sum(row[4] > critical for row in rows)
    made.claim(
        "d_rank insists on it",
        "insists",
        f"a ranking that parts them is rejected for {far} of {len(rows)} pairs",
        far == len(rows),
    )
    made.reproduced = "on other data"


@paper.item("disagreement", "Section 4.2: how tau and d_rank disagree", ROBUST)
def disagreement(made: Item) -> None:
    """Rankings with a high tau that are significantly different, and the reverse."""
    truth = robust()
    means, m = mean_over_topics(truth), truth.shape[1]
    critical = critical_value(algorithm_2(truth, 4_999, 1))
    rng = np.random.default_rng(2)
    resampled = np.concatenate([resampled_means(truth, w) for _, w in resampled_weights(len(truth), 4_000, rng)])
    drawn = {"topics resampled": resampled}
    for least in (0.9, 0.8):
        drawn[f"any with tau >= {least}"] = -rankings_at_tau(m, least, 4_000, rng, at_least=True).astype(float)
    rows, counted = [], np.zeros(2)
    lowest = 1.0
    for name, rankings in drawn.items():
        tau, distance = np.asarray(cc.tau_b(means, rankings)), np.asarray(cc.rank_distance(truth, rankings))
        high, far = tau > 0.9, distance > critical
        rows.append([name, len(rankings), high.mean(), far[high].mean() if high.any() else None,
                     tau[~far].min() if (~far).any() else None])  # fmt: skip
        counted += (far[high].sum(), high.sum())
        lowest = min(lowest, float(tau[~far].min(initial=1.0)))
    head = ["rankings", "drawn", "tau > 0.9", "of these significantly different", "lowest tau that is not"]
    made.table(head, rows)
    made.claim(
        "over 25% of rankings with tau > 0.9 are significantly different",
        "over 25%",
        f"{counted[0] / counted[1]:.0%} of both samples: {rows[0][3]:.1%} of one, {rows[1][3]:.0%} of the other",
        counted[0] / counted[1] > 0.25,
    )
    made.claim(
        "rankings with taus as low as 0.8 can be indistinguishable", "0.8", f"{lowest:.3f}", round(lowest, 1) <= 0.8
    )
    made.reproduced = "on other data"


def measures(name: str) -> list[str]:
    return (
        ["AP", "nDCG", "nDCG@10", "P@10", "Rprec", "Bpref", "RR", "R@100"] if name == DL21 else [*FOUR, "nDCG@10", "RR"]
    )


@paper.item("table-1", "Table 1", DL21, COVID)
def table_1(made: Item) -> None:
    """Coefficients and distances between measures: all of them in a file, the paper's on the page."""
    lines: list[list[Any]] = []
    found: dict[tuple[str, str, str], tuple[float, float, float]] = {}
    for name, label in ((DL21, "Deep Learning 2021"), (COVID, "TREC-COVID")):
        runs, qrels, _ = judged(name)
        scores = cc.evaluate(runs, qrels, measures(name))
        m = len(runs.systems)
        for a, b in permutations(scores, 2):
            distance = float(cc.rank_distance(scores[a], scores[b].means()))
            p = share_as_far(null(name, a), distance)
            again = cc.rank_test(scores[a], scores[b].means(), n_resamples=199, rng=3).pvalue
            tau = float(cc.tau_b(scores[a].means(), scores[b].means()))
            lines.append([label, a, b, tau, *kendall_interval(tau, m), distance, p, again])
            found[name, a, b] = distance, p, again
    limits = {frozenset(line[1:3]): line[4:6] for line in lines if line[0] == "Deep Learning 2021"}
    overlap = [max(a[0], b[0]) < min(a[1], b[1]) for a, b in combinations(limits.values(), 2)]
    made.claim(
        "(a) the intervals of tau overlap",
        "quite a bit",
        f"{sum(overlap)} of {len(overlap)} pairs of intervals",
        sum(overlap) > 0.5 * len(overlap),
    )
    shown = ["AP", "Rprec", "P@10", "Bpref", "RR"]
    rows: list[list[str]] = []
    for a in shown:
        cells = [("", 0.0) if a == b else (_cell(*found[DL21, a, b]), found[DL21, a, b][1]) for b in shown]
        rows.append([a, *(_bold(text, p) for text, p in cells)])
    made.table(
        ["", *shown],
        rows,
        "(b) Deep Learning 2021, 25 systems on 53 topics: d_rank and the paper's p, from the measure "
        "of the row to that of the column; bold: not significantly different. In brackets: p of the recentred "
        "test, which keeps its level.",
    )

    def claim(says: str, paper: str, expected: bool, *pairs: tuple[str, str]) -> None:
        """Whether the paper's test rejects these pairs, as the paper says or not."""
        cells = [found[DL21, *pair] for pair in pairs]
        here = "; ".join(f"from {a} to {b} {d:.2f}, p {_p(p)}" for (a, b), (d, p, _) in zip(pairs, cells, strict=True))
        made.claim(says, paper, here, all((p <= 0.05) == expected for _, p, _ in cells))

    claim("bpref and MAP are indistinguishable", "p > 0.05", False, ("AP", "Bpref"), ("Bpref", "AP"))
    claim("bpref and R-precision are indistinguishable", "p > 0.05", False, ("Rprec", "Bpref"), ("Bpref", "Rprec"))
    claim("MAP is not significantly different from R-precision", "p > 0.05", False, ("Rprec", "AP"))
    claim("the converse is not true", "p <= 0.05", True, ("AP", "Rprec"))
    one, other = found[DL21, "AP", "Rprec"][0], found[DL21, "Rprec", "AP"][0]
    made.claim(
        "MAP is more tightly constrained than R-precision",
        "probably",
        f"{one:.2f} from AP, {other:.2f} from Rprec",
        one > other,
    )
    named = [{"AP", "Bpref"}, {"Rprec", "Bpref"}, {"AP", "Rprec"}]
    rest = [p <= 0.05 for (name, a, b), (_, p, _) in found.items() if name == DL21 and {a, b} not in named]
    made.claim("nearly all others differ", "nearly all", f"{sum(rest)} of {len(rest)}", sum(rest) > 0.8 * len(rest))
    covid = [p > 0.05 for (name, *_), (_, p, _) in found.items() if name == COVID]
    made.notes.append(
        f"On TREC-COVID, with 14 systems that are far apart, {sum(covid)} of {len(covid)} are indistinguishable."
    )
    head = ["collection", "from", "to", "tau_b", "low", "high", "d_rank", "p", "recentred p"]
    made.file("carterette2009-table-1.csv", head, lines)
    made.reproduced = "on other data"


def _cell(distance: float, p: float, recentred: float) -> str:
    return f"{distance:.2f}, {_p(p)} ({_p(recentred)})"


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _bold(text: str, p: float) -> str:
    return f"**{text}**" if p > 0.05 else text


@paper.item("table-2", "Table 2", DL21, COVID)
def table_2(made: Item) -> None:
    """Shallow pools."""
    for name, label in ((DL21, "Deep Learning 2021"), (COVID, "TREC-COVID")):
        runs, qrels, everyone = judged(name)
        full = cc.evaluate(runs, qrels, "AP")
        rows: list[list[Any]] = []
        for depth in (1, 2, 3, 5, 7, 10):
            pool = depth_pool(everyone, qrels, depth)
            means = cc.evaluate(runs, pool, "AP").means()
            distance = float(cc.rank_distance(full, means))
            p = share_as_far(null(name, "AP"), distance)
            again = cc.rank_test(full, means, n_resamples=499, rng=3).pvalue
            tau = interval(float(cc.tau_b(full.means(), means)), len(runs.systems))
            rows.append([depth, pool.size, tau, _bold(f"{distance:.2f}, {p:.3f}", p), again])
        n, m = full.values.shape
        made.table(
            ["depth", "judgments", "tau_b (95% interval)", "d_rank, p", "recentred p"],
            rows,
            f"{label}, {m} systems on {n} topics, AP; bold: not significantly different.",
        )
        first = next(row for row in rows if "*" in row[3])
        before = rows[rows.index(first) - 1]
        made.claim(
            f"tau is nearly 0.9 where d_rank still rejects ({label})",
            "depth 10",
            f"depth {before[0]}: {before[2][:5]}",
            float(before[2][:5]) >= 0.87,
        )
        made.claim(
            f"it takes a deeper pool to be indistinguishable ({label})",
            "deeper than 10",
            f"depth {first[0]}: {first[2][:5]}",
            first[0] > before[0],
        )
    made.reproduced = "on other data"


SHARES = (0.01, 0.02, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@paper.item("figure-4", "Figure 4", DL21)
def figure_4(made: Item) -> None:
    """A random share of the judgments: tau, d_rank and p; and the same on more topics."""
    runs, qrels, _ = judged(DL21)
    full = cc.evaluate(runs, qrels, FOUR)
    draws, copies = 10, (1, 2, 5)
    some = {share: [cc.evaluate(runs, sample(qrels, share, rng=100 + k), FOUR) for k in range(draws * max(copies))]
            for share in SHARES}  # fmt: skip
    reached: list[list[Any]] = []
    for count in copies:
        found = np.empty((3, len(FOUR), len(SHARES), draws))
        for i, measure in enumerate(FOUR):
            # Copies of the topics, each with judgments of its own: as many topics as the paper had.
            truth = np.tile(full[measure].values, (count, 1))
            among = algorithm_2(truth)
            for (j, share), k in product(enumerate(SHARES), range(draws)):
                part = some[share][k * count : (k + 1) * count]
                means = mean_over_topics(np.concatenate([drawn[measure].values for drawn in part]))
                distance = float(cc.rank_distance(truth, means))
                found[:, i, j, k] = (
                    float(cc.tau_b(full[measure].means(), means)),
                    distance,
                    share_as_far(among, distance),
                )
        average = found.mean(axis=3)
        for i, measure in enumerate(FOUR):
            by_tau, by_p = (SHARES[int(np.argmax(enough))] for enough in (average[0, i] >= 0.9, average[2, i] > 0.05))
            reached.append([len(truth), measure, by_tau, by_p, by_p / by_tau])
        if count == 1:
            once = average
    labels = ("tau_b", "d_rank", "p of the paper's test")
    with made.panels(
        3, f"Deep Learning 2021, 25 systems on 53 topics: (a) tau_b, (b) d_rank, (c) p, means over {draws} draws."
    ) as axes:
        for ax, values, label in zip(axes, once, labels, strict=True):
            for row, measure in zip(values, FOUR, strict=True):
                ax.plot(SHARES, row, label=measure)
            ax.set_xlabel("share of the judgments")
            ax.set_ylabel(label)
        axes[0].legend()
    for values, label in zip(once, labels, strict=True):
        made.table(
            [label, *(f"{share:g}" for share in SHARES)], [[m, *row] for m, row in zip(FOUR, values, strict=True)]
        )
    made.table(
        ["topics", "measure", "share for tau_b >= 0.9", "share for p > 0.05", "second / first"],
        reached,
        "Topics beyond 53 are copies of them, each with judgments of its own:",
    )
    tau, _, p = once
    at = dict(zip(FOUR, reached, strict=False))  # of the first 53 topics
    few = [j for j, share in enumerate(SHARES) if share <= 0.1]
    made.claim(
        "bpref has the highest tau with very incomplete sets",
        "highest",
        f"{tau[3, 1]:.2f} at 2%, next {tau[:3, 1].max():.2f}",
        all(np.argmax(tau[:, j]) == 3 for j in few),
    )
    lowest = [j for j in range(len(SHARES)) if np.argmin(tau[:, j]) == 1]
    made.claim(
        "R-precision is the least robust",
        "lowest tau",
        f"lowest up to {SHARES[max(lowest)]:.0%}, then P@10",
        len(lowest) == len(SHARES),
    )
    made.claim(
        "bpref needs nearly twice as many judgments for a good d_rank as for a tau of 0.9",
        "nearly 2",
        f"{at['Bpref'][4]:.1f}: {at['Bpref'][3]:.0%} and {at['Bpref'][2]:.0%}; "
        f"{reached[-1][4]:.1f} with {reached[-1][0]} topics",
        1.5 <= at["Bpref"][4] <= 2.5,
    )
    made.claim(
        "bpref needs the fewest, by tau and by d_rank",
        "fewest",
        f"{at['Bpref'][2]:.0%} and {at['Bpref'][3]:.0%}; next {at['AP'][2]:.0%} and {at['AP'][3]:.0%}",
        all(at["Bpref"][k] < min(at[name][k] for name in FOUR[:3]) for k in (2, 3)),
    )
    made.claim("bpref stops being rejected at about 30%", "30%", f"{at['Bpref'][3]:.0%}", about(at["Bpref"][3], 0.3))
    others = [at[name][3] for name in FOUR[:3]]
    made.claim(
        "the others do at 40 to 70%",
        "40 to 70%",
        ", ".join(f"{n} {share:.0%}" for n, share in zip(FOUR, others, strict=False)),
        all(0.4 <= share <= 0.7 for share in others),
    )
    widths = []
    for i, measure in enumerate(FOUR):
        low = max(share for share, value in zip(SHARES, p[i], strict=True) if value < 0.05)
        high = min((share for share, value in zip(SHARES, p[i], strict=True) if value > 0.95), default=1.0)
        widths.append((high - low, f"{measure} {100 * low:g} to {100 * high:g}%"))
    made.claim(
        "all four change very quickly from significant to not: p from below 0.05 to above 0.95",
        "very quickly",
        ", ".join(text for _, text in widths),
        max(width for width, _ in widths) <= 0.2,
    )
    made.reproduced = "on other data"


@paper.item("pseudo", "Section 4.3: no relevance judgments", DL21, COVID)
def no_judgments(made: Item) -> None:
    """Random pseudo-judgments."""
    for name, label in ((DL21, "Deep Learning 2021"), (COVID, "TREC-COVID")):
        runs, qrels, everyone = judged(name)
        full = cc.evaluate(runs, qrels, "AP")
        found = []
        for draw in range(50):
            means = cc.evaluate(runs, pseudo(everyone, 10, rng=draw, share=0.1), "AP").means()
            distance = float(cc.rank_distance(full, means))
            p = share_as_far(null(name, "AP"), distance)
            found.append([float(cc.tau_b(full.means(), means)), distance, p])
        mean, sd = np.mean(found, axis=0), np.std(found, axis=0, ddof=1)
        for k, (what, of_mean, of_sd) in enumerate((("tau_b", "0.656", "0.021"), ("d_rank", "26.99", "1.58"))):
            made.compare(f"{what}, mean of 50 sets, {label}", of_mean, mean[k])
            made.compare(f"{what}, standard deviation, {label}", of_sd, sd[k])
        worst = float(np.max(found, axis=0)[2])
        made.claim(
            f"the ranking by pseudo-judgments is rejected every time ({label})",
            "p about 0",
            f"p at most {worst:g}",
            worst < 0.05,
        )
        made.claim(
            f"while tau is positive ({label})",
            "0.656",
            f"{mean[0]:.3f}, lowest {np.min(found, axis=0)[0]:.3f}",
            np.min(found, axis=0)[0] > 0,
        )
    made.reproduced = "on other data"


@paper.item("documents", "Section 5: rankings of documents")
def documents(made: Item) -> None:
    """Users in the place of topics, documents in the place of systems."""
    rng = np.random.default_rng(40)
    relevance = np.array([0.90, 0.85, 0.84, 0.50, 0.48, 0.20, 0.18, 0.10])
    users = np.clip(relevance + rng.normal(0, 0.12, (40, 1)) + rng.normal(0, 0.15, (40, 8)), 0, 1)
    means = mean_over_topics(users)
    best = np.argsort(-means)

    def measured(order: npt.NDArray[np.intp]) -> list[float]:
        scores = np.empty(8)
        scores[order] = -np.arange(8)
        discount = 1 / np.log2(np.arange(2, 10))
        ndcg = float((means[order] * discount).sum() / (means[best] * discount).sum())
        p = cc.rank_test(users, scores, n_resamples=499, rng=1).pvalue
        return [float(cc.tau(means, scores)), ndcg, float(cc.rank_distance(users, scores)), p]

    rows: list[list[object]] = [["by the users' means", *measured(best)]]
    for a, b in ((1, 2), (0, 1), (2, 3), (4, 5), (6, 7)):
        order = best.copy()
        order[[a, b]] = order[[b, a]]
        rows.append([f"places {a + 1} and {b + 1} swapped", *measured(order)])
    rows.append(["the worst document first", *measured(np.roll(best, 1))])
    made.table(
        ["ranking of 8 documents", "tau", "nDCG", "d_rank", "p, recentred"],
        rows,
        "40 simulated users who grade 8 documents:",
    )
    made.reproduced = "future work"


if __name__ == "__main__":
    paper.main()
