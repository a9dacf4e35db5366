"""How often the intervals of `correlate` hold what they are for, on real and simulated scores. Run by `make coverage`.

A design is a population of topics for two conditions, of which the true means are known. A trial takes a random subset
of its systems and a sample of topics, and asks of each method whether its interval holds the coefficient between the
true means. The results are in docs/measured/interval-coverage.md.

The constants of `concordant.inference.calibration` were chosen by `--constants`, which tries others on the same
samples and shows the coverage and width that each set gives over all designs asked for:

    python benchmarks/coverage_intervals.py --constants NEAR=1,1.05,1.1 LEFT=0,4,8 GROWTH=1,1.5,2
    python benchmarks/coverage_intervals.py --constants INNER=6,12,24
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist

import numpy as np
import numpy.typing as npt
from cells import keep
from data import matrix, need

import concordant as cc
from concordant.data.means import mean_over_topics
from concordant.inference import intervals
from concordant.inference.calibration import INNER
from concordant.inference.intervals import Nested, nested_values, summarise
from concordant.inference.resampling import Resampling, resampled_means
from concordant.study.simulation import inverse_transform

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
COEFFICIENTS = ("tau_b", "tau_ap_b", "pearson_rank")
LEVEL = 0.95
CONSTANTS = {"INNER": intervals, "GROWTH": intervals, "NEAR": intervals, "LEFT": intervals}
Constants = dict[str, float]
METHODS = ("auto", "shrinkage", "iterated", "percentile", "basic", "bca", "kendall")
DEFAULT = METHODS.index("auto")


@dataclass(frozen=True)
class Design:
    """Two conditions whose true means are known."""

    draw: Callable[[int, np.random.Generator], tuple[FloatArray, FloatArray]]
    """n topics from the population, on all systems."""
    truth: tuple[FloatArray, FloatArray]
    """True means in both conditions."""


def from_population(x: FloatArray, y: FloatArray) -> Design:
    """Topics drawn with replacement; the truth is the means over all of them."""

    def draw(n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        topics = rng.integers(0, len(x), n)
        return x[topics], y[topics]

    return Design(draw, (mean_over_topics(x), mean_over_topics(y)))


def simulated(name: str, disagreement: float = 0.25, noise: float = 0.8) -> Design:
    """Collections from a simulator that knows its own means.

    The first condition is the collection; the second has another system effect (sd `disagreement`) and another residual
    (sd `noise`) on the scale of log odds. Both go into one simulator, so that their errors are correlated as they are.
    """
    x = matrix(name)
    rng = np.random.default_rng(7)
    odds = np.log((x + 0.05) / (1.05 - x))
    y = inverse_transform(odds + rng.normal(0, disagreement, x.shape[1]) + rng.normal(0, noise, x.shape))
    m = x.shape[1]
    both = cc.Scores(np.hstack([x, y]), [str(k) for k in range(len(x))], [str(k) for k in range(2 * m)])
    model = cc.study.Simulator(both)

    def draw(n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        values = model.draw(n, rng)
        return values[:, :m], values[:, m:]

    means = model.true_means()
    return Design(draw, (means[:m], means[m:]))


def near_ties(best: int = 10, factor: float = 0.1) -> Design:
    """robust2004, the means of its best systems drawn together to a tenth of their distances in both conditions."""
    x, y = matrix("trec/robust2004_ap.csv"), matrix("trec/robust2004_p10.csv")
    top = np.argsort(-x.mean(axis=0))[:best]
    for side in (x, y):
        means = side[:, top].mean(axis=0)
        side[:, top] += (factor - 1) * (means - means.mean())
    return from_population(x, y)


def hidden_ties(share: float = 1 / 3, factor: float = 0.05) -> Design:
    """adhoc8: a third of all systems nearly tied, in another order in each condition, and errors that both share."""
    x = matrix("trec/adhoc8.csv")
    x = x[:, x.mean(axis=0) > 0.05]
    means = x.mean(axis=0)
    top = np.argsort(-means)[: round(share * len(means))]
    x[:, top] += (factor - 1) * (means[top] - means[top].mean())
    rng = np.random.default_rng(5)
    return from_population(x, x + rng.normal(0, 0.012, x.shape[1]) + rng.normal(0, 0.08, x.shape))


def tied_alike(share: float = 0.4, factor: float = 0.05) -> Design:
    """adhoc8: two fifths of all systems nearly tied, in the same order in both conditions."""
    x = matrix("trec/adhoc8.csv")
    x = x[:, x.mean(axis=0) > 0.05]
    top = np.argsort(-x.mean(axis=0))[: round(share * x.shape[1])]
    y = x + np.random.default_rng(5).normal(0, 0.08, x.shape)
    for side in (x, y):
        means = side.mean(axis=0)
        side[:, top] += (factor - 1) * (means[top] - means[top].mean())
    return from_population(x, y)


def scored(collection: str, qrels: str, *measures: str) -> Design:
    """Measures of few values, such as reciprocal ranks, from runs and judgments; a topic that a run lacks scores 0."""
    runs, judged = cc.read_runs(need(collection) / "runs"), cc.read_qrels(need(collection) / qrels)
    found = cc.evaluate(runs, judged, measures, missing="zero")
    return from_population(*(scores.values for scores in found.values()))


def wmt25(*metrics: str) -> Design:
    return from_population(*(matrix(f"wmt25/en-cs_CZ__{metric}.csv") for metric in metrics))


def dl21(measure: str, judge: str) -> Design:
    return from_population(*(matrix(f"dl21/scores/{measure}__{j}.csv") for j in ("human", judge)))


def covid(a: str, b: str) -> Design:
    return from_population(matrix(f"covid1/{a}.csv"), matrix(f"covid1/{b}.csv"))


def shuffled(share: float) -> Design:
    """robust2004, with the second condition's systems exchanged among themselves: weak agreement, or none."""
    x, y = matrix("trec/robust2004_ap.csv"), matrix("trec/robust2004_p10.csv")
    rng = np.random.default_rng(0)
    places = np.arange(y.shape[1])
    some = rng.choice(len(places), round(share * len(places)), replace=False)
    places[some] = rng.permutation(some)
    return from_population(x, y[:, places])


DESIGNS: dict[str, Callable[[], Design]] = {
    "robust2004 AP, P@10": lambda: from_population(matrix("trec/robust2004_ap.csv"), matrix("trec/robust2004_p10.csv")),
    "simulated from adhoc7": lambda: simulated("trec/adhoc7.csv"),
    "near-ties at the top": near_ties,
    "covid1 map, P@5": lambda: covid("map", "P_5"),
    "covid1 P@5, bpref": lambda: covid("P_5", "bpref"),
    "covid1 nDCG@10, bpref": lambda: covid("ndcg_cut_10", "bpref"),
    "covid1 nDCG@10, nDCG@20": lambda: covid("ndcg_cut_10", "ndcg_cut_20"),
    "dl21 human, umbrela (nDCG@10)": lambda: dl21("ndcg_cut_10", "umbrela_gpt4"),
    "dl21 human, prefs (nDCG@10)": lambda: dl21("ndcg_cut_10", "prefs"),
    "dl21 human, llama (nDCG@10)": lambda: dl21("ndcg_cut_10", "binary_llama3.2"),
    "dl21 human, llama (map)": lambda: dl21("map", "binary_llama3.2"),
    "adhoc8 AP, root of AP": lambda: from_population(matrix("trec/adhoc8.csv"), np.sqrt(matrix("trec/adhoc8.csv"))),
    "robust2004, half of the systems exchanged": lambda: shuffled(0.5),
    "robust2004, all systems exchanged": lambda: shuffled(1.0),
    "adhoc8, a third tied, shared errors": hidden_ties,
    "adhoc8, 40% tied, same order": tied_alike,
    "dl21 P@10, RR": lambda: scored("dl21", "qrels/human.txt.gz", "P(rel=2)@10", "RR(rel=2)"),
    "dl21 nDCG@10, RR": lambda: scored("dl21", "qrels/human.txt.gz", "nDCG@10", "RR(rel=2)"),
    "dl21 nDCG@10, P@1": lambda: scored("dl21", "qrels/human.txt.gz", "nDCG@10", "P(rel=2)@1"),
    "covid1 P@10, RR": lambda: scored("covid1", "qrels.txt", "P@10", "RR"),
    "covid1 AP, P@1": lambda: scored("covid1", "qrels.txt", "AP", "P@1"),
    "wmt25 XCOMET, MetricX": lambda: wmt25("XCOMET-XL", "MetricX-24-Hybrid-XL"),
    "wmt25 GEMBA, XCOMET": lambda: wmt25("GEMBA-ESA-GPT4.1", "XCOMET-XL"),
    "wmt25 GEMBA, CometKiwi": lambda: wmt25("GEMBA-ESA-GPT4.1", "CometKiwi-XL"),
}
NAMED = tuple(DESIGNS)[:3]


def trial(design: Design, systems: IntArray, n: int, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """For each coefficient and method: whether the interval holds, and its width."""
    entries = [cc.get_coefficient(name) for name in COEFFICIENTS]
    values = intervals.Agreements(COEFFICIENTS, 1)
    x, y = (np.ascontiguousarray(side[:, systems]) for side in design.draw(n, rng))
    design.draw(n, rng)  # the tables were made when a second sample was drawn here
    found = nested_values((x, y), values, Resampling.of(n_resamples, rng))
    modelled = intervals.limits((x, y), entries, "shrinkage", LEVEL, Resampling.of(n_resamples, rng))
    default = intervals.limits((x, y), entries, "auto", LEVEL, Resampling.of(n_resamples, rng))
    left_out = values([resampled_means(s, (1 - np.eye(n)).astype(np.int64)) for s in (x, y)])
    out = np.empty((len(COEFFICIENTS), len(METHODS), 2))
    for k, c in enumerate(entries):
        target = float(c.formula(*(side[systems] for side in design.truth)))
        others = list(by_others(found, k, left_out[k], x.shape))
        auto, shrunk = default[k], modelled[k]
        assert auto is not None
        assert shrunk is not None
        for j, (low, high) in enumerate([auto[:2], shrunk[:2], *others]):
            out[k, j] = low - 1e-12 <= target <= high + 1e-12, high - low
    return out


def by_others(found: Nested, k: int, left_out: FloatArray, shape: tuple[int, ...]) -> Iterator[tuple[float, float]]:
    """The limits of the methods from "iterated" on, in the order of METHODS."""
    n, m = shape
    summary = summarise(found, n)[k]
    assert summary is not None
    value, once = float(found.sample[k]), found.first[k]
    within = cc.get_coefficient(COEFFICIENTS[k]).range
    yield intervals.from_summary(summary, within, LEVEL)[:2]
    low, high = np.quantile(once, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    yield low, high
    yield max(2 * value - high, within[0]), min(2 * value - low, within[1])
    yield bca(value, once, left_out)
    z = 2 * NormalDist().inv_cdf((1 + LEVEL) / 2) ** 2 / m
    root = np.sqrt(z * max(0.0, 1 - value**2 + z))
    yield (value - root) / (1 + z), (value + root) / (1 + z)


def bca(value: float, once: FloatArray, left_out: FloatArray) -> tuple[float, float]:
    """Efron's bias-corrected and accelerated interval."""
    normal = NormalDist()
    below = np.clip(np.mean(once < value) + np.mean(once == value) / 2, 0.5 / len(once), 1 - 0.5 / len(once))
    shift = normal.inv_cdf(float(below))
    deviation = left_out.mean() - left_out
    size = (deviation**2).sum() ** 1.5
    acceleration = (deviation**3).sum() / (6 * size) if size > 0 else 0.0

    def level(z: float) -> float:
        return normal.cdf(shift + (shift + z) / (1 - acceleration * (shift + z)))

    z = normal.inv_cdf((1 + LEVEL) / 2)
    low, high = np.quantile(once, [level(-z), level(z)])
    return float(low), float(high)


_design: Design


def _start(name: str) -> None:
    global _design  # noqa: PLW0603 - one design a process, made once: a simulator takes a while
    _design = DESIGNS[name]()


def subset(task: tuple[int, int, int, int, int | None]) -> FloatArray:
    """All samples of one subset of systems: samples x coefficients x methods x (held, width)."""
    seed, n, samples, n_resamples, m = task
    rng = np.random.default_rng([2004, seed])
    count = len(_design.truth[0])
    systems = rng.choice(count, m or int(rng.integers(15, min(110, count) + 1)), replace=False)
    return np.array([trial(_design, systems, n, n_resamples, rng) for _ in range(samples)])


def tried(task: tuple[int, int, int, int, list[Constants]]) -> FloatArray:
    """As `subset`, for the iterated interval: samples x sets of constants x coefficients x (held, width)."""
    seed, n, samples, n_resamples, sets = task
    rng = np.random.default_rng([2004, seed])
    count = len(_design.truth[0])
    systems = rng.choice(count, int(rng.integers(15, min(110, count) + 1)), replace=False)
    values = intervals.Agreements(COEFFICIENTS, 1)
    out = np.full((samples, len(sets), len(COEFFICIENTS), 2), np.nan)
    for b in range(samples):
        x, y = (np.ascontiguousarray(side[:, systems]) for side in _design.draw(n, rng))
        aims = values([side[systems] for side in _design.truth])
        drawn, found = int(rng.integers(2**32)), {}  # the same resamples for all sets with the same INNER
        for k, constants in enumerate(sets):
            for name, value in constants.items():
                setattr(CONSTANTS[name], name, value)
            inner = int(constants.get("INNER", INNER))
            if inner not in found:
                found[inner] = nested_values((x, y), values, Resampling.of(n_resamples, drawn), inner=inner)
            for c, summary in enumerate(summarise(found[inner], n)):
                if summary:
                    low, high = intervals.from_summary(summary, cc.get_coefficient(COEFFICIENTS[c]).range, LEVEL)[:2]
                    out[b, k, c] = low - 1e-12 <= aims[c] <= high + 1e-12, high - low
    return out


def try_constants(given: list[str], wanted: list[str], options: argparse.Namespace) -> None:
    """Print coverage and width of each set of constants over all designs and numbers of topics."""
    names, choices = zip(*(part.split("=") for part in given), strict=True)
    if unknown := set(names) - set(CONSTANTS):
        sys.exit(f"--constants has {', '.join(unknown)}: there are {', '.join(CONSTANTS)}")
    values = [[float(value) for value in choice.split(",")] for choice in choices]
    sets = [dict(zip(names, chosen, strict=True)) for chosen in product(*values)]
    cells = []
    for name in wanted:
        with ProcessPoolExecutor(options.processes, initializer=_start, initargs=(name,)) as pool:
            for n in options.topics:
                tasks = [(seed, n, options.samples, options.resamples, sets) for seed in range(options.subsets)]
                cells.append(np.nanmean(list(pool.map(tried, tasks)), axis=(0, 1)))
    found = np.array(cells)  # cells x sets x coefficients x (held, width)
    print("| constants | coverage: mean | lowest | highest | width |")
    print("|" + " --- |" * 5)
    for k, constants in enumerate(sets):
        held, width = np.moveaxis(found[:, k], -1, 0)
        shown = f"{100 * held.mean():.1f} | {100 * held.min():.1f} | {100 * held.max():.1f} | {width.mean():.3f}"
        print(f"| {' '.join(f'{name}={value:g}' for name, value in constants.items())} | {shown} |")


def cell(pool: ProcessPoolExecutor, n: int, options: argparse.Namespace) -> FloatArray:
    """subsets x samples x coefficients x methods x (held, width)."""
    tasks = [(seed, n, options.samples, options.resamples, options.systems) for seed in range(options.subsets)]
    return np.array(list(pool.map(subset, tasks)))


def line(found: FloatArray, k: int, n: int) -> tuple[str, float]:
    """A row of the table, and the average coverage of the default."""
    held, width = found[:, :, k, :, 0], found[:, :, k, :, 1]
    average = held.mean(axis=(0, 1))
    shown = [f"{100 * average[j]:.1f} ({width[:, :, j].mean():.2f})" for j in range(len(METHODS))]
    worst = held[:, :, DEFAULT].mean(axis=1).min()
    return f"| {COEFFICIENTS[k]} | {n} | " + " | ".join(shown) + f" | {100 * worst:.0f} |", float(average[DEFAULT])


def store(name: str, n: int, k: int, found: FloatArray) -> None:
    """Rows of docs/measured/interval-coverage.csv."""
    of = {"conditions": name, "mean_theta": "", "coefficient": COEFFICIENTS[k], "topics": n}
    rows = [
        of | {"method": method, "coverage": f"{100 * held:.1f}", "width": f"{width:.2f}"}
        for method, (held, width) in zip(METHODS, found[:, :, k].mean(axis=(0, 1)), strict=True)
    ]
    keep("interval-coverage", rows, ("conditions", "coefficient", "topics", "method"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subsets", type=int, default=100, help="random subsets of 15 to 110 systems")
    parser.add_argument("--systems", type=int, default=None, help="as many systems in every subset")
    parser.add_argument("--samples", type=int, default=25, help="samples of topics, a subset")
    parser.add_argument("--resamples", type=int, default=9_999)
    parser.add_argument("--topics", type=int, nargs="+", default=[25, 50, 100])
    parser.add_argument("--designs", nargs="+", default=None, help="parts of names; by default the first three")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--constants", nargs="+", help="other constants to try instead, such as NEAR=1,1.05 LEFT=0,4")
    options = parser.parse_args()
    wanted = [d for d in DESIGNS if any(part in d for part in options.designs)] if options.designs else list(NAMED)
    if options.constants:
        try_constants(options.constants, wanted, options)
        return
    print(f"{options.subsets} subsets x {options.samples} samples, {options.resamples} resamples, nominal {LEVEL:.0%}")
    print("Coverage in %, mean width in brackets; the last column is the subset that the default covers worst.")
    failed = 0
    for name in wanted:
        start = time.perf_counter()
        print(f"\n### {name}\n\n| coefficient | topics | " + " | ".join(METHODS) + " | worst subset |")
        print("|" + " --- |" * (len(METHODS) + 3), flush=True)
        with ProcessPoolExecutor(options.processes, initializer=_start, initargs=(name,)) as pool:
            for n in options.topics:
                found = cell(pool, n, options)
                for k in range(len(COEFFICIENTS)):
                    text, average = line(found, k, n)
                    store(name, n, k, found)
                    failed += not 0.93 <= average <= 0.98
                    print(text, flush=True)
        print(f"\n{time.perf_counter() - start:.0f} s")
    if failed:
        sys.exit(f"{failed} cells of the default method are not between 93% and 98%")


if __name__ == "__main__":
    main()
