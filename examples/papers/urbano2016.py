"""Urbano and Marrero (2016), item by item: docs/papers/urbano2016.md.

Figures 1 and 2 show what `make coverage` left in docs/measured. The published lines come from the authors' own results.
"""

from __future__ import annotations

import csv
import math
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from making import ROOT, Item, Paper, about, data
from scipy.stats import ks_2samp

import concordant as cc
from concordant.data.means import mean_over_topics
from concordant.inference.posterior import shrinkage
from concordant.inference.resampling import Resampling, over_resamples, resampled_means
from concordant.planning.differences import Block, PairDifferences
from concordant.planning.estimators import bandwidths, by_student, deviations, probabilities
from concordant.planning.halves import discordant_shares

FloatArray = npt.NDArray[np.float64]
paper = Paper("urbano2016")
NAMES = ("adhoc6", "adhoc7", "adhoc8")
FILES = tuple(f"trec/{name}.csv" for name in NAMES)
P10 = "trec/robust2004_p10.csv"
PUBLISHED = ROOT / "tests" / "golden" / "sigir2016_study.csv"
STUDY = ROOT / "docs" / "measured" / "sigir2016-study.csv"
SIZES = tuple(range(10, 101, 10))
COEFFICIENTS = ("tau", "tau_ap")
SHOWN = ("ml", "msqd", "res", "kd", "sh(w)", "sh(w/o)")
# What the authors' code gives: all systems, 50 topics, identical systems concordant. RES, KD and SH by one run.
BY_THE_AUTHORS = {
    "adhoc6": {"ml": (0.8560612, 0.8126929), "msqd": (0.8600266, 0.8160990), "res": (0.8618, 0.8192),
               "kd": (0.8583, 0.8151), "sh(w)": (0.8885, 0.8541), "sh(w/o)": (0.8828, 0.8520)},
    "adhoc7": {"ml": (0.8911348, 0.8232283), "msqd": (0.8891992, 0.8194832), "res": (0.8951, 0.8289)},
    "adhoc8": {"ml": (0.8857367, 0.8271403), "msqd": (0.8855715, 0.8261209), "res": (0.8897, 0.8326)},
}  # fmt: skip


@cache
def collection(name: str) -> cc.Scores:
    path = data(f"trec/{name}.csv")
    assert path is not None
    found = cc.read_scores(path)
    assert isinstance(found, cc.Scores)
    return found


@paper.item("equations-3-4", "Equations 3 and 4")
def equations_3_4(made: Item) -> None:
    """Expected tau and tau_ap from probabilities of discordance."""
    people = cc.load_collection("people")
    by_pair = PairDifferences(people.values)
    m = by_pair.m
    p = np.zeros((m, m))
    p[by_pair.i, by_pair.j] = probabilities(by_pair, ("ml",), Resampling(1, 1))["ml"]
    pairs = [(i, j) for j in range(m) for i in range(j)]
    tau = 1 - 4 / (m * (m - 1)) * math.fsum(p[i, j] for i, j in pairs)
    tau_ap = 1 - 2 / (m - 1) * math.fsum(p[i, j] / j for i, j in pairs)
    ours, ours_ap = (cc.expected_correlation(people, coefficient=name, estimator="ml").value for name in COEFFICIENTS)
    rows = [["tau", tau, ours], ["tau_ap", tau_ap, ours_ap]]
    made.table(["20 systems on 40 topics, ml", "sums over all pairs", "`expected_correlation`"], rows)
    off = max(abs(tau - ours), abs(tau_ap - ours_ap))
    made.claim(
        "tau and tau_ap are sums of probabilities of discordance",
        f"{tau:.4f}, {tau_ap:.4f}",
        f"{ours:.4f}, {ours_ap:.4f}",
        off < 1e-12,
    )
    made.tests.append("tests/planning/test_values.py")


@paper.item("ml", "Equations 5 to 7: ML")
def ml(made: Item) -> None:
    """The factor that makes the standard deviation unbiased."""
    rng = np.random.default_rng(5)
    rows: list[list[Any]] = []
    for n in (5, 10, 50):
        c = math.sqrt((n - 1) / 2) * math.exp(math.lgamma((n - 1) / 2) - math.lgamma(n / 2))
        s = rng.standard_normal((100_000, n)).std(axis=1, ddof=1)
        rows.append([n, c, s.mean(), c * s.mean(), c * s.std() / math.sqrt(100_000)])
    made.table(
        ["topics", "C_n", "mean of s", "mean of C_n s", "standard error"], rows, "100,000 standard normal samples:"
    )
    off = max(abs(row[3] - 1) / row[4] for row in rows)
    made.claim("C_n makes the standard deviation unbiased", "E = 1", f"1 within {off:.1f} standard errors", off < 2)
    made.tests.append("tests/planning/test_values.py")


def expected_tau(values: FloatArray, rule: str) -> float:
    """By MSQD with a rule for equal differences; identical systems are concordant."""
    from scipy.special import ndtri, stdtr
    from scipy.stats import rankdata

    n, m = values.shape
    whole = np.rint(values * 10)
    order = np.argsort(-whole.sum(axis=0), kind="stable")
    i, j = np.triu_indices(m, 1)
    total = 0.0
    for lo in range(0, len(i), 1_000):
        first, second = order[i[lo : lo + 1_000]], order[j[lo : lo + 1_000]]
        d = whole[:, first] - whole[:, second]
        seen = values[:, first] - values[:, second] if rule == "floating point" else d
        keep = np.ptp(d, axis=0) > 0
        d, seen = d[:, keep], seen[:, keep]
        z = ndtri(rankdata(seen, "ordinal" if rule == "ordinal" else "average", axis=0) / (n + 1))
        mean = d.mean(axis=0)
        if rule == "minimum":
            centred = z - z.mean(axis=0)
            sd = (d * centred).sum(axis=0) / (centred**2).sum(axis=0)
            mean = mean - sd * z.mean(axis=0)
        else:
            sd = (d * z).sum(axis=0) / (z * z).sum(axis=0)
        total += float(stdtr(n - 1, -math.sqrt(n) * mean / sd).sum())
    return float(1 - 4 * total / (m * (m - 1)))


@paper.item("msqd", "Equations 8 and 9: MSQD", P10)
def msqd(made: Item) -> None:
    """The minimum of the squared deviations from the quantiles, and what ties do."""
    from scipy.optimize import minimize
    from scipy.special import ndtri

    x = np.random.default_rng(9).normal(0.1, 0.3, 12)
    z = ndtri((np.argsort(np.argsort(x)) + 1) / 13)
    best = minimize(lambda v: float(((x - v[0] - v[1] * z) ** 2).sum()), (0.0, 1.0), tol=1e-12).x
    rows = [["mu", best[0], x.mean()], ["sigma", best[1], (x * z).sum() / (z * z).sum()]]
    made.table(["12 values without ties", "minimum, by search", "equations 8 and 9"], rows)
    off = max(abs(float(row[1]) - float(row[2])) for row in rows)
    made.claim(
        "equations 8 and 9 are the minimum (no two differences equal)", "minimum", f"within {off:.0e}", off < 1e-6
    )
    path = data(P10)
    assert path is not None
    values = cc.read_scores(path)
    rules = {
        "average": "average ranks, equation 9: ours",
        "minimum": "average ranks, true minimum",
        "ordinal": "ranks in any order",
        "floating point": "average ranks of what floating point has: the authors' code",
    }
    rows = [[label, expected_tau(values.values, rule)] for rule, label in rules.items()]
    rows.append(
        [
            "`expected_correlation`",
            cc.expected_correlation(values, coefficient="tau", estimator="msqd", identical="concordant").value,
        ]
    )
    made.table(["equal differences", "expected tau"], rows, "P@10 of the Robust track 2004, 110 systems on 249 topics:")
    made.tests.append("tests/planning/test_values.py")


@paper.item("resampling", "Section 3.1: RES and KD", FILES[0])
def resampling(made: Item) -> None:
    """Resampled as in the paper, and in the limit."""
    scores = collection("adhoc6")
    rows: list[list[Any]] = []
    for name in ("res", "kd"):
        exact = cc.expected_correlation(scores, coefficient="tau", estimator=name, identical="concordant").value
        drawn = [resampled("adhoc6", "tau", name, k) for k in range(4)]
        rows.append([name, np.mean(drawn), np.std(drawn, ddof=1), exact])
    made.table(["TREC 6, tau", "T = 1,000, mean of 4 runs", "their sd", "exact"], rows)
    off = max(abs(row[1] - row[3]) / (row[2] / 2) for row in rows)
    made.claim(
        "the estimates converge as T grows", "T = 1,000", f"exact within {off:.1f} standard errors of 4 runs", off < 2
    )
    made.tests.append("tests/planning/test_values.py")


def resampled(name: str, coefficient: str, estimator: str, seed: int) -> float:
    """An estimate by 1,000 resamples of the topics, the same for all pairs; identical systems are concordant.

    For KD the expectation over the noise of the kernels, N(0, h^2 / n), is computed and not drawn.
    """
    from scipy.special import ndtr

    values = collection(name).values
    pairs = PairDifferences(values)
    blocks = [pairs.block(rows) for rows in pairs.pieces()]
    scale = int(np.frexp(np.abs(values).max())[1])  # of the pairs' units
    h = np.ldexp(np.concatenate([bandwidths(block) for block in blocks]) * (estimator == "kd"), scale)
    ordered = np.ascontiguousarray(values[:, pairs.order])

    def below(weights: npt.NDArray[np.int64]) -> FloatArray:
        means = resampled_means(ordered, weights)
        found = np.empty(len(pairs))
        at = 0
        for i in range(pairs.m - 1):
            some = slice(at, at + pairs.m - 1 - i)
            at = some.stop
            apart = means[:, i : i + 1] - means[:, i + 1 :]
            counted = np.where(apart < 0, 1.0, np.where(apart == 0, 0.5, 0.0))
            smooth = h[some] > 0
            counted[:, smooth] = ndtr(-apart[:, smooth] * math.sqrt(pairs.n) / h[some][smooth])
            found[some] = counted.sum(axis=0)
        return found

    p = np.zeros(len(pairs))
    for counts in over_resamples(below, pairs.n, Resampling(1_000, seed)):
        p += counts
    p /= 1_000
    p[np.concatenate([block.identical for block in blocks])] = 0.0
    return pairs.expected(p)[coefficient == "tau_ap"]


@paper.item("values", "The estimators beside the authors' code", *FILES)
def values(made: Item) -> None:
    """Whole collections."""
    for name, by_estimator in BY_THE_AUTHORS.items():
        runs = [
            cc.reliability(collection(name), identical="concordant", rng=seed).estimates
            for seed in range(32 if "sh(w)" in by_estimator else 1)
        ]
        for estimator, printed in by_estimator.items():
            for k, coefficient in enumerate(COEFFICIENTS):
                ours = [found[estimator][k] for found in runs]
                error: Any = None
                if estimator in ("res", "kd"):  # exact here, by 1,000 resamples there
                    error = 2 * np.std([resampled(name, coefficient, estimator, seed) for seed in range(8)], ddof=1)
                elif estimator.startswith("sh"):
                    error = 2 * np.std(ours, ddof=1) * math.sqrt(1 + 1 / len(ours))
                made.compare(f"{name}, {estimator}, {coefficient}", f"{printed[k]:.4f}", np.mean(ours), error)
    made.notes.append(
        "In place of printed values, those of one run of the authors' code, in which RES, KD and SH are random."
    )
    made.tests.append("tests/planning/test_values.py")


@paper.item("simulation", "Section 4: the simulation", *FILES)
def simulation(made: Item) -> None:
    """What is kept of a collection."""
    rows: list[list[Any]] = []
    for name in NAMES:
        model, exact = (cc.study.Simulator(collection(name).drop_bottom(0.25), exact_means=e) for e in (False, True))
        old, new, means = model.scores.values, model.draw(5_000, rng=0), model.scores.means()
        shifts = [float(np.abs(m.true_means() - m.scores.means()).max()) for m in (model, exact)]
        tau = float(cc.tau_b(means, model.true_means().round(9)))
        distance = ks_2samp(old, new, method="asymp").statistic.mean()
        moved = np.abs(np.corrcoef(new.T) - np.corrcoef(old.T))[np.triu_indices(len(means), 1)]
        sizes = len(collection(name).systems), len(model.scores.systems)
        rows.append([name, *sizes, *shifts, tau, distance, np.nanmean(moved)])
    head = ["", "systems", "kept", "largest shift of a mean", "with `exact_means`", "tau of old and new means",
            "distance of margins", "shift of correlations"]  # fmt: skip
    made.table(head, rows, "The bottom 25% left out:")
    roughly, exactly = ([row[k] for row in rows] for k in (3, 4))
    made.claim(
        "the expected mean score of a system is that in the original collection",
        "equal",
        f"up to {max(roughly):.3f} off",
        max(roughly) < 1e-3,
    )
    made.claim("what holds with `exact_means=True`", "equal", f"up to {max(exactly):.4f} off", max(exactly) < 1e-3)
    made.reproduced = "repaired"
    made.tests.append("tests/study/simulation/test_simulator.py")


Key = tuple[str, str, int, str]


@cache
def study() -> tuple[dict[Key, dict[str, float]], str]:
    """Error, bias and actual correlation by collection, coefficient, size and estimator; and how many trials."""
    with STUDY.open(encoding="utf-8", newline="") as file:
        trials = sorted({int(row["trials"]) for row in csv.DictReader(file)})
    return read(STUDY), " to ".join(f"{count:,}" for count in sorted({trials[0], trials[-1]}))


def read(path: Any) -> dict[Key, dict[str, float]]:
    with path.open(encoding="utf-8", newline="") as file:
        return {
            (r["collection"], r["coefficient"].lower(), int(r["topics"]), r["estimator"].lower()): {
                what: float(r[what]) for what in ("actual_mean", "error", "bias")
            }
            for r in csv.DictReader(file)
        }


@paper.item("actual", "The actual correlations of the study", *FILES)
def actual(made: Item) -> None:
    """Simulated collections against the original means: what error and bias are measured from."""
    published = read(PUBLISHED)
    trials = 300
    for name in ("adhoc6", "adhoc7"):
        scores = collection(name).drop_bottom(0.25)
        model = cc.study.Simulator(scores)
        for size in (10, 20, 50, 100):
            means = np.array(
                [mean_over_topics(model.draw(size, np.random.default_rng([6, size, k]))) for k in range(trials)]
            )
            shares = discordant_shares(np.repeat(scores.means()[None], trials, axis=0), means)
            for coefficient, share in zip(COEFFICIENTS, shares, strict=True):
                found = 1 - 2 * np.asarray(share)
                printed = published[name, coefficient, size, "ml"]["actual_mean"]
                error = 2 * found.std() * math.sqrt(1 / trials + 1 / 1_000)  # of our trials and of theirs
                made.compare(f"{name}, {coefficient}, {size} topics", f"{printed:.4f}", found.mean(), error)
    made.notes.append(f"Published: the authors' results. Here: {trials} trials each.")
    made.tests.append("tests/study/simulation/test_margins.py")


def lines(made: Item, what: str) -> None:
    published, (ours, trials) = read(PUBLISHED), study()
    colours = dict(zip(SHOWN, plots_colours(), strict=True))
    caption = f"{what.capitalize()} by number of topics: {trials} trials of each size (lines), and published (dots)."
    with made.panels(6, caption, height=2.6, width=11.0) as axes:
        for ax, (name, coefficient) in zip(axes, [(n, c) for n in NAMES for c in COEFFICIENTS], strict=True):
            for estimator in SHOWN:
                line = [ours[name, coefficient, size, estimator][what] for size in SIZES]
                ax.plot(SIZES, line, color=colours[estimator], linewidth=0.9, label=estimator)
                if (name, coefficient, 10, estimator) in published:
                    dots = [published[name, coefficient, size, estimator][what] for size in SIZES]
                    ax.plot(SIZES, dots, ".", color=colours[estimator], markersize=3)
            ax.set_title(f"{name}, {coefficient}")
            ax.set_xlabel("topics")
        axes[0].legend()
    rows: list[list[Any]] = []
    for estimator in SHOWN:
        keys = [key for key in published if key[3] == estimator]
        off = np.array([ours[key][what] - published[key][what] for key in keys])
        own = [
            np.mean([ours[name, c, size, estimator][what] for name in NAMES for c in COEFFICIENTS])
            for size in (10, 50, 100)
        ]
        rows.append([estimator, len(keys), off.mean(), np.abs(off).max(), *own])
    head = ["", "published cells", "ours minus published, mean", "largest", "ours, 10 topics", "50", "100"]
    made.table(head, rows)


def plots_colours() -> tuple[str, ...]:
    from concordant.render.figures.style import SERIES

    return SERIES[:6]


@paper.item("figure-1", "Figure 1")
def figure_1(made: Item) -> None:
    """Error of the estimators."""
    lines(made, "error")
    ours, _ = study()
    published = read(PUBLISHED)
    two = [(n, c, e) for n in NAMES[:2] for c in COEFFICIENTS for e in SHOWN[:4]]  # what the authors published
    for size, printed in ((10, 0.065), (50, 0.035), (100, 0.025)):
        theirs, same = (np.mean([of[n, c, size, e]["error"] for n, c, e in two]) for of in (published, ours))
        # The standard deviation of a normal variable's absolute value is 0.756 of its mean.
        error = 2 * 0.756 * theirs * math.sqrt((1 / 500 + 1 / 1_000) / 2)
        made.compare(f"ml, msqd, res and kd on average, TREC 6 and 7, {size} topics", f"{theirs:.4f}", same, error)
        everything = np.mean([ours[n, c, size, e]["error"] for n in NAMES for c in COEFFICIENTS for e in SHOWN[:4]])
        made.claim(
            f"the error with {size} topics is about",
            f"{printed}",
            f"{everything:.3f} on all three, {theirs:.3f} published",
            about(float(everything), printed),
        )
    small = [np.mean([ours[n, c, 10, e]["error"] for n in NAMES for c in COEFFICIENTS]) for e in SHOWN]
    made.claim(
        "with small samples MSQD is slightly better",
        "least error",
        ", ".join(f"{e} {x:.3f}" for e, x in zip(SHOWN, small, strict=True)),
        np.argmin(small) == 1,
    )
    made.claim(
        "split halves are clearly outperformed",
        "by all",
        f"{min(small[4:]):.3f} at least, others {max(small[:4]):.3f} at most (10 topics)",
        min(small[4:]) > max(small[:4]),
    )
    made.reproduced = "in part"


@paper.item("figure-2", "Figure 2")
def figure_2(made: Item) -> None:
    """Bias of the estimators."""
    lines(made, "bias")
    ours, _ = study()
    split = [np.mean([ours[n, c, size, "sh(w)"]["bias"] for n in NAMES for c in COEFFICIENTS]) for size in SIZES]
    made.claim(
        "split halves with replacement have a roughly constant bias of about",
        "0.055",
        f"{np.mean(split):.3f} ({min(split):.3f} to {max(split):.3f})",
        about(float(np.mean(split)), 0.055),
    )
    most = float(
        np.mean([ours[n, c, 100, e]["bias"] for n in NAMES for c in COEFFICIENTS for e in ("ml", "msqd", "kd")])
    )
    made.claim("ML, MSQD and KD level off at about", "0.004", f"{most:.4f} with 100 topics", about(most, 0.004))
    few = {e: float(np.mean([ours[n, c, 10, e]["bias"] for n in NAMES for c in COEFFICIENTS])) for e in SHOWN[:4]}
    made.claim(
        "MSQD has the least bias with few topics",
        "least",
        ", ".join(f"{e} {x:.3f}" for e, x in few.items()) + " (10 topics)",
        min(few, key=lambda e: abs(few[e])) == "msqd",
    )
    worst = [
        max(SHOWN[:4], key=lambda e: abs(np.mean([ours[n, c, size, e]["bias"] for n in NAMES for c in COEFFICIENTS])))
        for size in SIZES
    ]
    made.claim(
        "RES is always worse than the others",
        "always",
        f"at {worst.count('res')} of {len(SIZES)} sizes",
        worst.count("res") == len(SIZES),
    )
    made.reproduced = "in part"


def pooled_deviations(blocks: list[Block]) -> list[FloatArray]:
    """The standard deviation of each pair's differences, its variance pooled with the mean variance of all pairs.

    By how much variances differ beyond chance is found by empirical Bayes, after Smyth (2004). If the true ones have an
    inverse chi-squared distribution with w degrees of freedom, then the logarithms of the observed ones have the
    variance trigamma((n - 1) / 2) + trigamma(w / 2). Pairs that never vary are left out.
    """
    from scipy.optimize import brentq
    from scipy.special import polygamma

    own = [block.differences.var(axis=1, ddof=1) for block in blocks]
    varying = np.concatenate([variances[~block.constant] for variances, block in zip(own, blocks, strict=True)])
    free, mean, weight = blocks[0].differences.shape[1] - 1, 0.0, 0.0
    if len(varying) >= 3:
        mean, most = float(varying.mean()), 1e6  # degrees of freedom: as good as infinitely many
        beyond = float(np.log(varying).var(ddof=1) - polygamma(1, free / 2))
        weight = most if beyond < 2.0001 / most else 2 * brentq(lambda y: polygamma(1, y) - beyond, 1e-6, most)
    return [np.asarray(np.sqrt((free * variances + weight * mean) / (free + weight))) for variances in own]


def tried(values: FloatArray) -> dict[str, tuple[float, float]]:
    """Expected tau and tau_ap by estimators of our own, beside ML and MSQD."""
    pairs = PairDifferences(values)
    blocks = [pairs.block(rows) for rows in pairs.pieces()]
    k = shrinkage(values)
    found = {}
    sds = {name: [deviations(block, name) for block in blocks] for name in ("ml", "msqd")}
    sds["mean of both sds"] = [(a + b) / 2 for a, b in zip(sds["ml"], sds["msqd"], strict=True)]
    sds["pooled"] = pooled_deviations(blocks)
    sds["ml, shrunk by K"] = [sd / math.sqrt(k) for sd in sds["ml"]]
    sds["msqd, shrunk by K"] = [sd / math.sqrt(k) for sd in sds["msqd"]]
    for name, parts in sds.items():
        found[name] = pairs.expected(np.concatenate([by_student(b, sd) for b, sd in zip(blocks, parts, strict=True)]))
    return found


def off_by(draws: list[tuple[FloatArray, FloatArray]]) -> dict[str, FloatArray]:
    """Estimate minus actual tau and tau_ap, by estimator, for collections drawn from populations with known means."""
    off: dict[str, list[tuple[float, float]]] = {}
    for values, means in draws:
        shares = discordant_shares(means[None], mean_over_topics(values)[None])
        truth = [1 - 2 * float(share[0]) for share in shares]
        for estimator, pair in tried(values).items():
            off.setdefault(estimator, []).append((pair[0] - truth[0], pair[1] - truth[1]))
    return {estimator: np.array(pairs) for estimator, pairs in off.items()}


def populations() -> dict[str, FloatArray]:
    """Scores of 50 systems at most, of measures with many values and with few."""
    folder, robust, p10, p5 = (data(name) for name in ("dl21", "trec/robust2004_ap.csv", P10, "covid1/P_5.csv"))
    assert folder is not None
    runs, qrels = cc.read_runs(folder / "runs"), cc.read_qrels(folder / "qrels/human.txt.gz")
    found = {"Robust AP": cc.as_scores(robust), "Robust P@10": cc.as_scores(p10), "TREC-COVID P@5": cc.as_scores(p5)}
    found |= {f"Deep Learning {name}": cc.evaluate(runs, qrels, name) for name in ("nDCG@10", "RR", "P@1")}
    rng = np.random.default_rng(0)
    return {name: scores.values[:, rng.permutation(len(scores.systems))[:50]] for name, scores in found.items()}


@paper.item(
    "own", "Section 5: other estimators of discordance", *FILES, "dl21", "trec/robust2004_ap.csv", P10, "covid1/P_5.csv"
)
def own(made: Item) -> None:
    """The record of what was tried."""
    trials, sizes = 100, (10, 20, 30, 50, 100)
    models = [(cc.study.Simulator(s), s.means()) for s in (collection(name).drop_bottom(0.25) for name in NAMES)]
    study_of = {
        size: off_by(
            [
                (model.draw(size, np.random.default_rng([7, size, k])), means)
                for model, means in models
                for k in range(trials)
            ]
        )
        for size in sizes
    }
    for c, coefficient in enumerate(COEFFICIENTS):
        rows: list[list[Any]] = []
        for estimator in study_of[10]:
            parts = [study_of[size][estimator][:, c] for size in sizes]
            error, bias = [np.abs(part).mean() for part in parts], [part.mean() for part in parts]
            cells = [f"{e:.4f}, {b:+.4f}" for e, b in zip(error, bias, strict=True)]
            rows.append([estimator, np.mean(error), np.mean(np.abs(bias)), *cells])
        head = [coefficient, "error, mean", "absolute bias, mean", *(f"{size} topics: error, bias" for size in sizes)]
        made.table(head, rows, f"{coefficient}, {len(NAMES) * trials} simulated collections of each size:")
    rows = []
    shown = ("ml", "msqd", "pooled")
    for name, values in populations().items():
        for size in (10, 25, 50):
            some = [values[np.random.default_rng([size, k]).integers(0, len(values), size)] for k in range(40)]
            found = off_by([(sample, mean_over_topics(values)) for sample in some])
            rows.append(
                [name, size, *(f"{np.abs(found[e][:, 0]).mean():.4f}, {found[e][:, 0].mean():+.4f}" for e in shown)]
            )
    made.table(
        ["population", "topics", *(f"{e}: error, bias" for e in shown)],
        rows,
        "tau on topics drawn from real collections, whose means are the truth; 40 draws each:",
    )
    made.reproduced = "future work"


@paper.item("future-work", "Section 5: intervals and a Bayesian approach", FILES[0])
def future_work(made: Item) -> None:
    """Both named as future work."""
    rows: list[list[Any]] = []
    for name in COEFFICIENTS:
        found = cc.expected_correlation(collection("adhoc6"), coefficient=name, rng=1)
        assert found.interval is not None
        rows.append([name, found.value, found.interval.low, found.interval.high])
    made.table(["TREC 6", "posterior mean", "95% interval from", "to"], rows)
    made.tests.append("tests/planning/test_values.py")
    made.reproduced = "future work"


if __name__ == "__main__":
    paper.main()
