"""Size and power of the tests of the rank distance, measured on real scores. Run by `make coverage`.

The population is robust2004 (AP, 249 topics, 110 systems), of which the true ranking is known. A sample is a random
subset of its systems on topics drawn with replacement. Size: how often a test rejects the true ranking. Power: how
often it rejects another one, made by moving the true means by random amounts of growing size.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import numpy.typing as npt
from cells import keep
from data import matrix

import concordant as cc
from concordant.data.means import mean_over_topics
from concordant.ranks.distance import RankTestMethod

FloatArray = npt.NDArray[np.float64]
SIZES = ((10, 50), (20, 50), (24, 149), (110, 249))
METHODS: tuple[RankTestMethod, ...] = ("recentred", "paper")


def population() -> FloatArray:
    return matrix("trec/robust2004_ap.csv")


def rejected(
    values: FloatArray, size: tuple[int, int], shift: float, samples: int, n_resamples: int
) -> tuple[dict[str, float], float, float]:
    """Share of samples that each test rejects; and how far the ranking is from the true one, as tau and d_rank."""
    m, n = size
    count: dict[str, int] = dict.fromkeys(METHODS, 0)
    taus, distances = [], []
    for stream in np.random.SeedSequence([m, n, round(1e6 * shift)]).spawn(samples):
        rng = np.random.default_rng(stream)
        systems = rng.choice(values.shape[1], m, replace=False)
        means = mean_over_topics(values[:, systems])
        candidate = means + shift * rng.normal(size=m)
        sample = values[np.ix_(rng.integers(0, len(values), n), systems)]
        for method in METHODS:
            test = cc.rank_test(sample, candidate, method=method, n_resamples=n_resamples, rng=rng, workers=2)
            count[method] += test.significant
        taus.append(float(cc.tau_b(means, candidate)))
        distances.append(float(cc.rank_distance(values[:, systems], candidate)) * np.sqrt(n / len(values)))
    return {k: v / samples for k, v in count.items()}, float(np.mean(taus)), float(np.mean(distances))


def store(size: tuple[int, int], noise: float, tau: float, distance: float, found: dict[str, float]) -> None:
    """A row of docs/measured/rank-test.csv."""
    row = {"systems_x_topics": f"{size[0]} x {size[1]}", "noise": noise, "mean_tau": tau, "mean_distance": distance}
    row |= {f"{test}_rejects": f"{100 * found[test]:.1f}" for test in ("recentred", "paper")}
    keep("rank-test", [row], ("systems_x_topics", "noise"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=499)
    parser.add_argument("--power-samples", type=int, default=200)
    options = parser.parse_args()
    warnings.simplefilter("error", cc.errors.RegularisationWarning)
    values, start = population(), time.perf_counter()
    print(f"{options.samples} samples (power: {options.power_samples}), {options.resamples} resamples, alpha = 5%\n")
    header = ["systems x topics", "recentred rejects", "paper rejects"]
    print("| " + " | ".join(header) + " |\n| --- | --- | --- |", flush=True)
    failed = 0
    for size in SIZES:
        found, _, _ = rejected(values, size, 0.0, options.samples, options.resamples)
        failed += found["recentred"] > 0.07
        print(f"| {size[0]} x {size[1]} | {found['recentred']:.1%} | {found['paper']:.1%} |", flush=True)
        store(size, 0, 1, 0, found)
    header = ["systems x topics", "noise", "mean tau", "mean distance", "recentred rejects", "paper rejects"]
    print("\n| " + " | ".join(header) + " |\n|" + " --- |" * len(header), flush=True)
    for size in SIZES:
        for shift in (0.001, 0.0025, 0.005, 0.01, 0.02, 0.04):
            found, tau, distance = rejected(values, size, shift, options.power_samples, options.resamples)
            print(
                f"| {size[0]} x {size[1]} | {shift:g} | {tau:.2f} | {distance:.1f} | {found['recentred']:.0%} "
                f"| {found['paper']:.0%} |",
                flush=True,
            )
            store(size, shift, round(tau, 2), round(distance, 1), found)
    print(f"\n{time.perf_counter() - start:.0f} s")
    if failed:
        raise SystemExit(f"the recentred test rejects more than 7% at {failed} sizes")


if __name__ == "__main__":
    main()
