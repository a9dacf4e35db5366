"""The experiments of Carterette (2009) on rank distance that public data allow; docs/guide/rank-distance.md has them.

Run with `.venv/bin/python examples/rank_distance.py`. The first needs nothing; the others need the scores of TREC 2004
Robust (249 topics x 110 systems), found where CONCORDANT_DATA points, or in data/.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

import concordant as cc
from concordant.chance.rerankings import rankings_at_tau
from concordant.means import mean_over_topics
from concordant.ranks.places import By
from concordant.resampling import resampled_means, resampled_weights

FloatArray = npt.NDArray[np.float64]

# Three systems on four topics, with what the paper says of its lost example: A is much worse than B and C, and
# significantly so; B and C are alike; C > B > A.
AP = np.array([[0.04, 0.55, 0.51], [0.39, 0.55, 0.56], [0.10, 0.60, 0.63], [0.11, 0.61, 0.66]])


def three_systems() -> None:
    """The table at the end of the paper's section 3.1."""
    print("ranking  tau     dsc pow  d_rank")
    for ranking in ("ABC", "ACB", "BAC", "CAB", "BCA", "CBA"):
        scores = [-ranking.index(system) for system in "ABC"]
        power = cc.discriminative_power(AP, scores)
        print(
            f"{ranking:<7} {cc.tau(mean_over_topics(AP), scores):5.2f}   {float(power):5.2f}    "
            f"{cc.rank_distance(AP, scores):.2f}"
        )


def distances_of_ranks(truth: FloatArray, means: FloatArray, ranks: npt.NDArray[np.int64]) -> FloatArray:
    """Distances of rankings given as ranks, from 0 for the best, of the systems in the order of the truth."""
    scores = np.empty(ranks.shape)
    scores[:, np.argsort(-means, kind="stable")] = -ranks
    return np.asarray(cc.rank_distance(truth, scores, workers=2))


def same_tau(truth: FloatArray, count: int) -> None:
    """Figure 1: rankings with the same tau are not equally far."""
    means = mean_over_topics(truth)
    rng = np.random.default_rng(1)
    uniform = distances_of_ranks(truth, means, rankings_at_tau(truth.shape[1], 0.9, count, rng))
    resampled = np.concatenate(
        [resampled_means(truth, weights) for _, weights in resampled_weights(len(truth), 20 * count, rng)]
    )
    near = np.abs(np.asarray(cc.tau_b(means, resampled)) - 0.9) < 0.01
    by_topics = np.asarray(cc.rank_distance(truth, resampled[near]))
    print("rankings with tau = 0.9              smallest   median  largest d_rank")
    for name, found in (("uniformly among all", uniform), ("resampled topics, tau within 0.01", by_topics)):
        print(f"  {name:<34} {found.min():8.2f} {np.median(found):8.2f} {found.max():8.2f}")


def tau_against_distance(truth: FloatArray, count: int) -> None:
    """Section 4.2: how often tau and the rank distance disagree about a ranking."""
    means = mean_over_topics(truth)
    critical = cc.DistanceDistribution.bootstrap(truth, n_resamples=9_999, rng=1, workers=2).critical_value(0.05)
    rng = np.random.default_rng(2)
    resampled = np.concatenate([resampled_means(truth, w) for _, w in resampled_weights(len(truth), count, rng)])
    uniform = rankings_at_tau(truth.shape[1], 0.8, count, rng, at_least=True)
    close = rankings_at_tau(truth.shape[1], 0.9, count, rng, at_least=True)
    samples = {
        "resampled topics": (np.asarray(cc.tau_b(means, resampled)), cc.rank_distance(truth, resampled, workers=2)),
        "uniform, tau >= 0.8": (_tau_of_ranks(uniform), distances_of_ranks(truth, means, uniform)),
        "uniform, tau >= 0.9": (_tau_of_ranks(close), distances_of_ranks(truth, means, close)),
    }
    print(f"critical value of the paper's test at 5%: {critical:.2f}")
    print(
        "rankings             with tau > 0.9   of them significantly different   lowest tau not significantly different"
    )
    for name, (tau, distance) in samples.items():
        high, far = tau > 0.9, np.asarray(distance) > critical
        lowest = f"{tau[~far].min():.3f}" if (~far).any() else "none"
        share = f"{far[high].mean():.1%}" if high.any() else "-"
        print(f"{name:<21} {high.mean():12.1%} {share:>27} {lowest:>35}")


def _tau_of_ranks(ranks: npt.NDArray[np.int64]) -> FloatArray:
    m = ranks.shape[1]
    return np.asarray(cc.tau(np.arange(m, 0, -1), -ranks))


def rank_plots(truth: FloatArray, count: int) -> None:
    """Figure 3, as numbers: at how many ranks a system occurs."""
    both: tuple[By, ...] = ("tau", "rank_distance")
    for by in both:
        found = cc.rank_probabilities(truth, by, n_resamples=count, rng=1, workers=2)
        spans = np.array([worst - best + 1 for best, worst in map(found.ranks, found.systems)])
        print(f"by {by:<14} ranks a system occurs at: {spans.min()} to {spans.max()}, median {np.median(spans):.0f}")


def main(count: int = 5_000) -> None:
    """All experiments."""
    three_systems()
    folder = Path(os.environ.get("CONCORDANT_DATA") or Path(__file__).resolve().parents[1] / "data")
    path = folder / "trec" / "robust2004_ap.csv"
    if not path.is_file():
        print(
            f"no {path.name} in {folder}: python tools/fetch_data.py gets it for the other experiments", file=sys.stderr
        )
        return
    truth = cc.read_scores(path).values
    for experiment in (same_tau, tau_against_distance, rank_plots):
        print()
        experiment(truth, count)


if __name__ == "__main__":
    main()
