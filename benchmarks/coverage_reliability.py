"""How well expected correlations, their intervals and plans of topics hold, measured. Run by `make coverage`.

Populations of which the true means are known: real topics drawn with replacement (robust2004 by AP and by P@10,
adhoc8, dl21 by reciprocal rank and P@1), and a normal model with the means and covariance of adhoc6. A sample is a
random subset of the systems on some topics. Compared with the actual tau_b between its means and the true ones: the
estimates, the 95% intervals, and predictions for collections with more topics.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from data import matrix, need

import concordant as cc
from concordant.expected.posterior import Prior
from concordant.means import mean_over_topics

FloatArray = npt.NDArray[np.float64]
Sampler = Callable[[int, np.random.Generator], FloatArray]
SIZES = ((15, 10), (15, 25), (50, 25), (50, 50), (100, 50))
PLANS = ((15, 10, 50), (20, 25, 100), (50, 25, 100), (50, 50, 200))
PRIORS: tuple[Prior, ...] = ("normal", "flat")
NEW = 20  # collections with the planned number of topics, a sample


def read(name: str) -> FloatArray:
    return matrix(f"trec/{name}.csv")


def populations() -> dict[str, tuple[FloatArray, Sampler]]:
    """By name: the true means, and what draws so many topics."""

    def real(values: FloatArray) -> tuple[FloatArray, Sampler]:
        return mean_over_topics(values), lambda n, rng: values[rng.integers(0, len(values), n)]

    def normal(values: FloatArray) -> tuple[FloatArray, Sampler]:
        means, off = values.mean(axis=0), (values - values.mean(axis=0)) / np.sqrt(len(values) - 1)
        return means, lambda n, rng: means + rng.standard_normal((n, len(values))) @ off

    found = {name: real(read(name)) for name in ("robust2004_ap", "robust2004_p10", "adhoc8")}
    found["adhoc6, normal"] = normal(read("adhoc6"))
    # Few distinct scores: reciprocal ranks, and 0 or 1 on a topic.
    runs, qrels = cc.read_runs(need("dl21") / "runs"), cc.read_qrels(need("dl21") / "qrels" / "human.txt.gz")
    for name, scores in cc.evaluate_all(runs, qrels, ["RR(rel=2)", "P(rel=2)@1"], missing="zero").items():
        found[f"dl21 {name}"] = real(scores.values)
        best = scores.values.mean(axis=0) >= np.median(scores.values.mean(axis=0))
        found[f"dl21 {name}, better half"] = real(np.ascontiguousarray(scores.values[:, best]))
    return found


def estimates(true: FloatArray, draw: Sampler, size: tuple[int, int], samples: int) -> list[str]:
    """A row: the actual tau, the bias of three estimates, and coverage and width of the intervals."""
    m, n = size
    found = []
    for stream in np.random.SeedSequence([1, m, n]).spawn(samples):
        rng = np.random.default_rng(stream)
        systems = rng.choice(len(true), m, replace=False)
        values = np.ascontiguousarray(draw(n, rng)[:, systems])
        actual = float(cc.tau_b(true[systems], mean_over_topics(values)))
        row = [actual, float(cc.expected_correlation(values, "tau", "msqd")) - actual]
        for prior in PRIORS:
            e = cc.expected_correlation(values, "tau_b", "posterior", prior=prior, n_resamples=500, rng=rng)
            assert e.interval is not None
            row += [e.value - actual, actual in e.interval, e.interval.high - e.interval.low]
        found.append(row)
    actual, msqd, *rest = np.mean(found, axis=0)
    cells = [f"{actual:.3f}", f"{msqd:+.3f}"]
    for bias, covered, width in (rest[:3], rest[3:]):
        cells += [f"{bias:+.3f}", f"{covered:.0%}", f"{width:.2f}"]
    return cells


def plans(true: FloatArray, draw: Sampler, size: tuple[int, int, int], samples: int) -> list[str]:
    """A row: the actual mean tau at the planned size, the predictions' bias and error, and how often their 5% quantile
    was reached by actual collections (95% is right)."""
    m, n, more = size
    found = []
    for stream in np.random.SeedSequence([2, m, n, more]).spawn(samples):
        rng = np.random.default_rng(stream)
        systems = rng.choice(len(true), m, replace=False)
        values = np.ascontiguousarray(draw(n, rng)[:, systems])
        new = np.stack([mean_over_topics(draw(more, rng)[:, systems]) for _ in range(NEW)])
        actual = np.asarray(cc.tau_b(true[systems], new))
        row = [float(actual.mean())]
        for prior in PRIORS:
            plan = cc.plan_topics(values, "tau_b", 0.99, prior=prior, n_resamples=500, most=more, rng=rng)
            error = float(plan.expected[-1]) - row[0]
            row += [error, abs(error), float((actual >= plan.low[-1]).mean())]
        found.append(row)
    actual_mean, *rest = np.mean(found, axis=0)
    cells = [f"{actual_mean:.3f}"]
    for bias, error, above in (rest[:3], rest[3:]):
        cells += [f"{bias:+.3f}", f"{error:.3f}", f"{above:.0%}"]
    return cells


def table(header: list[str], rows: Callable[[], None]) -> None:
    print("\n| " + " | ".join(header) + " |\n|" + " --- |" * len(header), flush=True)
    rows()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=400)
    samples, start = parser.parse_args().samples, time.perf_counter()
    print(f"{samples} samples a row")

    def all_estimates() -> None:
        for name, (true, draw) in populations().items():
            for m, n in SIZES:
                size = (min(m, len(true)), n)
                print(f"| {name} | {size[0]} x {n} | {' | '.join(estimates(true, draw, size, samples))} |", flush=True)

    def all_plans() -> None:
        for name, (true, draw) in populations().items():
            for most, n, more in PLANS:
                m = min(most, len(true))
                cells = " | ".join(plans(true, draw, (m, n, more), samples))
                print(f"| {name} | {m} x {n} to {more} | {cells} |", flush=True)

    by = [f"{what}, {prior}" for prior in PRIORS for what in ("bias", "covers", "width")]
    table(["population", "systems x topics", "actual tau", "bias, msqd", *by], all_estimates)
    by = [f"{what}, {prior}" for prior in PRIORS for what in ("bias", "error", "above the 5% quantile")]
    table(["population", "systems x topics to topics", "actual tau", *by], all_plans)
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
