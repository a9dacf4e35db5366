"""Do `plan_topics`, `expected_correlation` and held-out tasks agree on MTEB? About two minutes.

First on worlds where the truth is known: tasks are drawn from a normal distribution with the means and the covariance
of the complete models of MTEB(eng, v2), whose means are the truth. Beside tau of n tasks with the truth, as it was, is
what the reliability said of it and what the plan says of n new tasks, both from the n tasks alone.

Then on MTEB itself: tau between two halves of its tasks, as measured, and as predicted from one half, with the range in
which 90% of such collections are expected. All splits share one collection, and the errors of models go together: so
the measured mean does not come nearer to its expectation by more splits, and has to be held against that range.
The last lines are the tables of docs/guide/reliability.md.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import numpy.typing as npt
from data import need

import concordant as cc
from concordant.coefficients.registry import get_coefficient
from concordant.inference.posterior import correlations, draw

FloatArray = npt.NDArray[np.float64]
DRAWS = 300


def models() -> FloatArray:
    """Tasks x complete models, each set of identical models once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = cc.read_scores(need("mteb/eng_v2.csv"), missing="drop-systems").complete()
    return np.unique(scores.values, axis=1)


def said(values: FloatArray, rng: np.random.Generator) -> tuple[float, float, FloatArray]:
    """Reliability, plan for as many topics, and tau with another collection of as many: a value for each draw."""
    tau, n = get_coefficient("tau_b"), len(values)
    drawn, means = draw(values, DRAWS, rng, new=True), values.mean(axis=0)
    new = drawn.observed(n)
    reliability, plan = correlations(tau, drawn.truth, means, 1), correlations(tau, drawn.truth, new, 1)
    return float(reliability.mean()), float(plan.mean()), correlations(tau, new, means, 1)


def main() -> None:
    """Measure and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--splits", type=int, default=100)
    given = parser.parse_args()
    whole, rng = models(), np.random.default_rng(1)
    means = whole.mean(axis=0)
    root = (whole - means) / np.sqrt(len(whole) - 1)
    print("| tasks | tau with the truth, as it was | standard error | reliability | plan |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for n in (10, 20, 41):
        found = []
        for _ in range(given.worlds):
            sample = means + rng.standard_normal((n, len(whole))) @ root
            found.append((float(cc.tau_b(means, sample.mean(axis=0))), *said(sample, rng)[:2]))
        actual, reliability, plan = np.mean(found, axis=0)
        error = np.std(found, axis=0)[0] / np.sqrt(given.worlds)
        print(f"| {n} | {actual:.3f} | {error:.3f} | {reliability:.3f} | {plan:.3f} |", flush=True)
    halves, predicted, low, high = [], [], [], []
    for _ in range(given.splits):
        order, half = rng.permutation(len(whole)), len(whole) // 2
        a, b = whole[order[:half]], whole[order[half : 2 * half]]
        halves.append(float(cc.tau_b(a.mean(axis=0), b.mean(axis=0))))
        draws = said(a, rng)[2]
        predicted.append(draws.mean())
        low.append(np.quantile(draws, 0.05))
        high.append(np.quantile(draws, 0.95))
    print("\n| tasks in each half | tau between halves, measured | predicted from one half | 90% of collections |")
    print("| ---: | ---: | ---: | ---: |")
    print(f"| {half} | {np.mean(halves):.3f} | {np.mean(predicted):.3f} | {np.mean(low):.3f} to {np.mean(high):.3f} |")


if __name__ == "__main__":
    main()
