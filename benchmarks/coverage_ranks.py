"""How often rank intervals cover the true ranks, on collections with ties and near-ties. Run by `make coverage`.

Designs. The true means have a group of exact ties, a group of near-ties, and others further apart, unless said:
- normal: normal scores, correlated by topic, of unequal variances;
- skewed: exponential scores of unequal spread plus an exponential topic effect;
- bounded: beta scores between 0 and 1 with a Gaussian copula, of unequal spread;
- P@10: ten binomial trials a topic, so that topics have few distinct scores;
- adhoc7, adhoc8: `Simulator` fitted to 30 real systems whose means were made to tie, `exact_means=True`;
- robust2004: samples with replacement of real topics; the population's means, which have ties for P@10, or mean ranks;
- all tied: the same designs with all true means tied, where any wrong call makes some interval miss;
- heavy: lognormal scores whose shape differs strongly between systems. No real measure is like this; it shows where
  the method ends, and is not held to the bound;
- robust2004 AP, shifted: real scores, each system shifted until all means are tied. Runs that are nearly the same then
  have a small constant difference on all topics but a few, which no real pair has. Not held to the bound either.

True ranks run, for each system, from 1 + strictly better to m - strictly worse, and must be covered wholly. "all": all
intervals together; "each": mean over systems of the intervals made for single systems. Width: of
the intervals of "all", as a share of all ranks. The second table has the alternatives, on fewer samples and resamples.

`--equal FILE` measures scores on which pairs of systems have one difference on most topics, shifted until all means are
tied, with and without the unseen topic of step 4 (docs/guide/rank-intervals.md), and what it costs on scores as they
are. The step was chosen on dl21 and the reciprocal ranks of covid1.

`--unseen 0 1 2 3` tries other values of `concordant.inference.calibration.UNSEEN`, by which the skewness of a pair's
differences is multiplied, and shows coverage and width of "all" with each, on the same samples.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt
from cells import keep
from data import matrix, need
from scipy.stats import rankdata

import concordant as cc
from concordant.data.means import Total, mean_over_topics
from concordant.inference.resampling import Resampling
from concordant.ranks import pair_tests
from concordant.ranks.intervals import RankIntervals
from concordant.ranks.pair_tests import PairSamples

FloatArray = npt.NDArray[np.float64]
Sample = tuple[FloatArray, FloatArray]  # topics x systems, and the true means
Ladder = Callable[[int], FloatArray]
Designs = dict[str, tuple[Callable[[np.random.Generator, int, int], Sample], tuple[tuple[int, int], ...]]]
LEVEL, BOUND = 0.95, 0.94
KEY = ("design", "systems_x_topics")
BEYOND = ("heavy", "robust2004 AP, shifted")  # shown, and not held to the bound


def ladder(m: int) -> FloatArray:
    """True values: a quarter tied at the top, a quarter of near-ties, a quarter tied further down, a quarter apart."""
    k = m // 4
    return np.concatenate(
        [np.zeros(k), -0.02 * np.arange(1, k + 1), np.full(k, -0.5), -1 - np.linspace(0, 1, m - 3 * k)]
    )


def normal(rng: np.random.Generator, m: int, n: int, means: Ladder = ladder) -> Sample:
    spread = rng.uniform(0.3, 1.5, m)
    return means(m) + rng.normal(size=(n, 1)) + spread * rng.normal(size=(n, m)), means(m)


def skewed(rng: np.random.Generator, m: int, n: int, means: Ladder = ladder) -> Sample:
    spread = rng.uniform(0.2, 1.5, m)
    return means(m) + spread * (rng.exponential(size=(n, m)) - 1) + rng.exponential(size=(n, 1)), means(m)


def bounded(rng: np.random.Generator, m: int, n: int, means: Ladder = ladder) -> Sample:
    from scipy.special import betaincinv, ndtr

    true, size = 0.3 + 0.1 * means(m), rng.uniform(1, 8, m)
    u = ndtr((1.2 * rng.normal(size=(n, 1)) + rng.normal(size=(n, m))) / np.sqrt(2.44))
    return betaincinv(true * size, (1 - true) * size, u), true


def precision(rng: np.random.Generator, m: int, n: int, means: Ladder = ladder) -> Sample:
    share = 1 + 0.15 * means(m)
    return rng.binomial(10, share / (1 + np.exp(-rng.normal(0, 1.5, (n, 1))))) / 10, share


def heavy(rng: np.random.Generator, m: int, n: int) -> Sample:
    s = rng.uniform(0.2, 1.2, m)
    e = (rng.normal(size=(n, 1)) + rng.normal(size=(n, m))) / np.sqrt(2)
    return ladder(m) + np.exp(s * e - s**2 / 2) - 1, ladder(m)


def flat(design: Callable[..., Sample]) -> Callable[[np.random.Generator, int, int], Sample]:
    """The same with all true means tied: the hardest case, where any wrong call makes some interval miss."""
    return lambda rng, m, n: design(rng, m, n, np.zeros)


def collection(name: str) -> FloatArray:
    return matrix(f"trec/{name}.csv")


def real(name: str, *, borda: bool = False, tied: bool = False) -> Callable[[np.random.Generator, int, int], Sample]:
    population = collection(name)
    if tied:
        population -= population.mean(axis=0)

    def sample(rng: np.random.Generator, m: int, n: int) -> Sample:
        values = population[:, rng.choice(population.shape[1], m, replace=False)]
        means = np.zeros(m) if tied else mean_over_topics(rankdata(values, axis=1) if borda else values)
        return values[rng.integers(0, len(values), n)], means

    return sample


def simulated(name: str) -> Callable[[np.random.Generator, int, int], Sample]:
    """Eight simulators of random systems, each with a third of the systems tied and a third nearly so."""
    values, made, rng = collection(name), [], np.random.default_rng(1)
    for _ in range(8):
        chosen = values[:, rng.choice(values.shape[1], 30, replace=False)]
        chosen = chosen[:, np.argsort(-chosen.mean(axis=0))]
        target = chosen.mean(axis=0)
        target[:10] = target[:10].mean()
        target[10:20] = target[15] - 0.001 * np.arange(10)
        moved = np.column_stack([_moved(x, mean) for x, mean in zip(chosen.T, target, strict=True)])
        model = cc.study.Simulator(cc.Scores(moved, range(len(moved)), range(30)), exact_means=True)
        if np.abs(model.true_means() - target).max() > 1e-4:
            raise SystemExit(f"the simulator misses the means of {name}")
        made.append((model, target))

    def sample(rng: np.random.Generator, m: int, n: int) -> Sample:
        model, target = made[rng.integers(len(made))]
        return model.draw(n, rng), target

    return sample


def _moved(scores: FloatArray, mean: float) -> FloatArray:
    """Scores shifted, within 0 and 1, to a given mean."""
    low, high = -1.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.clip(scores + middle, 0, 1).mean() < mean else (low, middle)
    return np.clip(scores + low, 0, 1)


def true_ranks(means: FloatArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    higher = means[None, :] > means[:, None]
    return 1 + higher.sum(axis=1), len(means) - higher.sum(axis=0)


def covered(found: RankIntervals, means: FloatArray) -> npt.NDArray[np.bool_]:
    """For each system, whether its true ranks are covered."""
    place = [int(s) for s in found.systems]
    best, worst = true_ranks(means)
    return np.asarray((found.low <= best[place]) & (found.high >= worst[place]))


def alternatives(values: FloatArray, n_resamples: int, rng: np.random.Generator) -> Iterator[tuple[str, FloatArray]]:
    """Corrected p-values of what else could be done, for pairs i < j."""
    n, pairs = len(values), PairSamples.of(values)
    i, j = np.triu_indices(values.shape[1], 1)
    d = pairs.centred[:, i] - pairs.centred[:, j]  # on the scale of pairs.size
    t = pairs.t()[i, j]
    weights = rng.multinomial(n, np.full(n, 1 / n), n_resamples)
    shift = np.abs(weights @ d / n - d.mean(axis=0))
    error = d.std(axis=0, ddof=1) / np.sqrt(n)
    again = np.sqrt(np.maximum(weights @ d**2 / n - (weights @ d / n) ** 2, 0) / (n - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        yield "max-t bootstrap", step_down(t, np.where(error > 1e-12, shift / error, 0))
        yield "bootstrap-t", step_down(t, np.where(shift > 1e-12, np.where(again > 1e-12, shift / again, np.inf), 0))
    signs = 2 * rng.integers(0, 2, (n_resamples, n)) - 1
    size = np.where(pairs.size[i, j] > 0, pairs.size[i, j], 1)
    yield "signs, no skewness", step_down(pairs.r()[i, j] * (1 - 1e-7), np.abs(signs @ (d / size)) / n)


def step_down(candidate: FloatArray, resampled: FloatArray) -> FloatArray:
    order = np.argsort(candidate)
    largest = np.maximum.accumulate(resampled[:, order], axis=1)
    p = (1 + (largest >= candidate[order]).sum(axis=0)) / (1 + len(resampled))
    result = np.empty(len(p))
    result[order] = np.maximum.accumulate(p[::-1])[::-1]
    return result


def measure(
    sample: Callable[[np.random.Generator, int, int], Sample],
    size: tuple[int, int],
    samples: int,
    n_resamples: int,
    total: Total = "mean",
) -> dict[str, float]:
    """Coverage of all intervals together and of each, and the mean width as a share of the ranks."""
    m, n = size
    options: dict[str, Any] = {"n_resamples": n_resamples}
    together, single, width = [], [], []
    for stream in np.random.SeedSequence([m, n]).spawn(samples):
        rng = np.random.default_rng(stream)
        values, means = sample(rng, m, n)
        given = cc.Scores(values, range(len(values)), range(values.shape[1]), total=total)
        found = cc.rank_intervals(given, confidence_level=LEVEL, rng=rng, **options)
        together.append(covered(found, means).all())
        width.append((found.high - found.low).mean() / (len(means) - 1))
        alone = cc.rank_intervals(given, confidence_level=LEVEL, simultaneous=False, rng=rng, **options)
        single.append(covered(alone, means).mean())
    return {"all": float(np.mean(together)), "each": float(np.mean(single)), "width": float(np.mean(width))}


def measure_alternatives(
    sample: Callable[[np.random.Generator, int, int], Sample], m: int, n: int, samples: int, n_resamples: int
) -> dict[str, tuple[float, float]]:
    """Coverage of all intervals together, and the share of pairs told apart."""
    right: dict[str, list[bool]] = {}
    apart: dict[str, list[float]] = {}
    for stream in np.random.SeedSequence([m, n]).spawn(samples):
        rng = np.random.default_rng(stream)
        values, means = sample(rng, m, n)
        i, j = np.triu_indices(len(means), 1)
        wrong_way = np.sign(values.mean(axis=0)[i] - values.mean(axis=0)[j]) != np.sign(means[i] - means[j])
        found = cc.rank_intervals(values, confidence_level=LEVEL, n_resamples=n_resamples, rng=rng)
        back = np.argsort([int(s) for s in found.systems])
        tests = [("shipped", found.pvalues[np.ix_(back, back)][i, j]), *alternatives(values, n_resamples, rng)]
        for name, p in tests:
            significant = p <= 1 - LEVEL + 1e-12
            right.setdefault(name, []).append(not (significant & wrong_way).any())
            apart.setdefault(name, []).append(float(significant.mean()))
    return {name: (float(np.mean(right[name])), float(np.mean(apart[name]))) for name in right}


def reciprocal_ranks(name: str, qrels: str, measure: str) -> FloatArray:
    runs, judged = cc.read_runs(need(f"{name}/runs")), cc.read_qrels(need(f"{name}/{qrels}"))
    return np.asarray(cc.evaluate(runs, judged, measure, missing="zero").values)


def simulated_ranks() -> FloatArray:
    """Reciprocal ranks of 60 systems that are much alike: the first relevant document has a geometric rank."""
    rng, n, m = np.random.default_rng(5), 400, 60
    p = 1 / (1 + np.exp(-rng.normal(0, 1.2, (n, 1)) - rng.normal(0, 0.5, (n, m))))
    u = 0.8 * rng.random((n, 1)) + 0.2 * rng.random((n, m))
    return np.asarray(1 / np.minimum(1 + np.floor(np.log(u) / np.log(1 - 0.98 * p)), 20))


def equal_differences() -> Iterator[tuple[str, FloatArray]]:
    """Populations, the two that decided on step 4 first."""
    yield "dl21 RR(rel=2)", reciprocal_ranks("dl21", "qrels/human.txt.gz", "RR(rel=2)")
    yield "covid1 RR", reciprocal_ranks("covid1", "qrels.txt", "RR")
    yield "covid1 P@5", matrix("covid1/P_5.csv")
    p10 = collection("robust2004_p10")
    yield "robust2004 P@10", p10
    yield "robust2004 P@10 > 0.4", (p10 > 0.4).astype(float)
    yield "robust2004 1/rank of P@10", 1 / (1 + np.round(6 * (1 - p10)))
    for name in ("adhoc6", "adhoc7", "adhoc8"):
        yield f"{name} 1/rank of AP", 1 / np.ceil(0.35 / np.maximum(collection(name), 0.005)).clip(1, 10)
    yield "adhoc8 AP", collection("adhoc8")
    yield "simulated RR", simulated_ranks()


def show_equal(path: Path, samples: int, n_resamples: int) -> None:
    """Write the table: samples without a wrong pair where all tie, and the share of pairs that are separated."""
    sizes = ((20, 15), (20, 25), (20, 50), (40, 50))
    names = [f"{what}_{how}" for what in ("covered", "separated") for how in ("without", "with")]
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["measure", "systems", "topics", *names])
        for name, values in equal_differences():
            for m, n in sizes:
                cells = []
                for tied in (True, False):
                    for departures in (lambda d: np.full(d.shape[1], np.nan), pair_tests._departures):
                        with mock.patch.object(pair_tests, "_departures", departures):
                            cells.append(_equal(values, (n, m), samples if tied else samples // 3, n_resamples, tied))
                out.writerow([name, m, n, *(f"{cell:.3f}" for cell in cells)])


def _equal(values: FloatArray, size: tuple[int, int], samples: int, n_resamples: int, tied: bool) -> float:
    found, (n, m) = [], size
    for k in range(samples):
        rng = np.random.default_rng([k, n, m])
        chosen = values[:, rng.choice(values.shape[1], m, replace=False)]
        drawn = chosen[rng.integers(0, len(values), n)] - (chosen.mean(axis=0) if tied else 0)
        below = pair_tests.corrected_pvalues(drawn, Resampling(n_resamples, k), simultaneous=True) <= 1 - LEVEL
        found.append(not below.any() if tied else below.sum() / (m * (m - 1)))
    return float(np.mean(found))


def _total(design: str) -> Total:
    return "borda" if "borda" in design else "mean"


def show_alternatives(designs: Designs, samples: int, n_resamples: int) -> None:
    columns = ["shipped", "signs, no skewness", "max-t bootstrap", "bootstrap-t"]
    print("\n| design | systems x topics | " + " | ".join(columns) + " |\n| --- | --- |" + " ---: |" * 4, flush=True)
    for name, (sample, sizes) in designs.items():
        for m, n in [] if "borda" in name else sizes:
            other = measure_alternatives(sample, m, n, samples, n_resamples)
            cells = " | ".join(f"{other[c][0]:.1%} ({other[c][1]:.1%})" for c in columns)
            print(f"| {name} | {m} x {n} | {cells} |", flush=True)
            row = {"design": name, "systems_x_topics": f"{m} x {n}"}
            for c in columns:
                named = c.replace(",", "").replace(" ", "_")
                row |= {named: f"{100 * other[c][0]:.1f}", f"{named}_width": f"{100 * other[c][1]:.1f}"}
            keep("rank-interval-methods", [row], KEY)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=600)
    parser.add_argument("--resamples", type=int, default=49_999)
    parser.add_argument("--alternatives", type=int, default=100, help="samples of the second table, of 299 resamples")
    parser.add_argument("--design", action="append", help="only this design; may be given several times")
    parser.add_argument("--unseen", type=float, nargs="+", help="other values of UNSEEN to try instead")
    parser.add_argument("--equal", type=Path, help="write the table of equal differences to this file instead")
    options = parser.parse_args()
    if options.equal:
        show_equal(options.equal, min(options.samples, 300), min(options.resamples, 999))
        return
    start = time.perf_counter()
    designs: Designs = {
        "normal": (normal, ((20, 10), (20, 30))),
        "skewed": (skewed, ((20, 10), (20, 30))),
        "bounded": (bounded, ((20, 10), (20, 30))),
        "P@10": (precision, ((20, 10), (20, 30))),
        "normal, all tied": (flat(normal), ((20, 10), (20, 30))),
        "skewed, all tied": (flat(skewed), ((20, 10), (20, 30))),
        "bounded, all tied": (flat(bounded), ((20, 10), (20, 30))),
        "P@10, all tied": (flat(precision), ((20, 10), (20, 30))),
        "adhoc7": (simulated("adhoc7"), ((30, 15), (30, 50))),
        "adhoc8": (simulated("adhoc8"), ((30, 15), (30, 50))),
        "robust2004 AP": (real("robust2004_ap"), ((30, 25), (30, 50))),
        "robust2004 P@10": (real("robust2004_p10"), ((30, 25), (30, 50))),
        "robust2004 AP, borda": (real("robust2004_ap", borda=True), ((30, 25),)),
        "heavy": (heavy, ((20, 10), (20, 30))),
        "robust2004 AP, shifted": (real("robust2004_ap", tied=True), ((30, 15), (30, 30))),
    }
    if options.design:
        designs = {name: designs[name] for name in options.design}
    print(f"{options.samples} samples, {options.resamples} resamples, nominal {LEVEL:.0%}\n")
    if options.unseen:
        print(
            "| design | systems x topics | " + " | ".join(f"UNSEEN={u:g}: all (width)" for u in options.unseen) + " |"
        )
        print("| --- | --- |" + " ---: |" * len(options.unseen), flush=True)
        for name, (sample, sizes) in designs.items():
            for size in sizes:
                shown = []
                for pair_tests.UNSEEN in options.unseen:  # type: ignore[attr-defined]
                    found = measure(sample, size, options.samples, options.resamples, _total(name))
                    shown.append(f"{found['all']:.1%} ({found['width']:.0%})")
                print(f"| {name} | {size[0]} x {size[1]} | {' | '.join(shown)} |", flush=True)
        return
    print("| design | systems x topics | all | each | width |\n| --- | --- | ---: | ---: | ---: |", flush=True)
    failed = []
    for name, (sample, sizes) in designs.items():
        for m, n in sizes:
            found = measure(sample, (m, n), options.samples, options.resamples, _total(name))
            slack = 2 * np.sqrt(BOUND * (1 - BOUND) / options.samples)
            if name not in BEYOND and found["all"] < BOUND - slack:
                failed.append(f"{name} {m} x {n}")
            print(
                f"| {name} | {m} x {n} | {found['all']:.1%} | {found['each']:.1%} | {found['width']:.0%} |", flush=True
            )
            shares = {what: f"{100 * found[what]:.1f}" for what in ("all", "each", "width")}
            keep("rank-intervals", [{"design": name, "systems_x_topics": f"{m} x {n}", **shares}], KEY)
    if options.alternatives:
        show_alternatives(designs, options.alternatives, min(options.resamples, 299))
    print(f"\n{time.perf_counter() - start:.0f} s")
    if failed:
        raise SystemExit(f"below {BOUND:.0%} by more than chance: {', '.join(failed)}")


if __name__ == "__main__":
    main()
