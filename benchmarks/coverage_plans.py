"""How often the interval of `plan_topics` holds the number of topics that the systems need. Run by `make coverage`.

Ten sets of 20 systems a row; the topics are the population, drawn with replacement, so the needed number is known but
for simulation. The true means of the simulated designs are drawn anew for each set. The model was chosen on those
marked with a star. Writes docs/measured/plan-topics.csv.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from coverage_ranks import reciprocal_ranks
from data import matrix

import concordant as cc
from concordant.data.means import mean_over_topics

FloatArray = npt.NDArray[np.float64]
RESULTS = Path(__file__).resolve().parents[1] / "docs" / "measured" / "plan-topics.csv"
SYSTEMS, SETS, GRID = 20, 10, np.unique(np.round(np.geomspace(3, 3_000, 60)).astype(int))


def simulated(means: Callable[[np.random.Generator], FloatArray]) -> Callable[[np.random.Generator], FloatArray]:
    def population(rng: np.random.Generator) -> FloatArray:
        spread = rng.uniform(0.4, 1.2, SYSTEMS)
        return means(rng) + rng.normal(size=(2_000, 1)) + spread * rng.normal(size=(2_000, SYSTEMS))

    return population


def designs() -> Iterator[tuple[str, Callable[[np.random.Generator], FloatArray]]]:
    yield "normal means *", simulated(lambda rng: rng.normal(0, 0.35, SYSTEMS))
    yield "uniform means *", simulated(lambda rng: rng.uniform(-0.6, 0.6, SYSTEMS))
    yield "two clusters *", simulated(lambda rng: rng.normal(0, 0.15, SYSTEMS) + np.arange(SYSTEMS) % 2)
    real = {
        "robust2004 AP *": matrix("trec/robust2004_ap.csv"),
        "covid1 P@5 *": matrix("covid1/P_5.csv"),
        "adhoc6 AP *": matrix("trec/adhoc6.csv"),
        "adhoc7 AP": matrix("trec/adhoc7.csv"),
        "robust2004 P@10": matrix("trec/robust2004_p10.csv"),
        "covid1 nDCG@10": matrix("covid1/ndcg_cut_10.csv"),
        "dl21 nDCG@10": reciprocal_ranks("dl21", "qrels/human.txt.gz", "nDCG@10"),
        "dl21 P@1": reciprocal_ranks("dl21", "qrels/human.txt.gz", "P(rel=2)@1"),
        "wmt25 XCOMET": matrix("wmt25/en-cs_CZ__XCOMET-XL.csv"),
    }
    for name, values in real.items():
        # No number of topics tells systems apart whose true means tie: one of each stays.
        first = np.sort(np.unique(np.round(mean_over_topics(values), 12), return_index=True)[1])
        some = values[:, first]
        yield name, lambda rng, some=some: some[:, rng.choice(some.shape[1], SYSTEMS, replace=False)]  # type: ignore[misc]


def needed(values: FloatArray, coefficient: str, target: float, rng: np.random.Generator) -> float:
    """The number of topics at which the mean coefficient reaches the target; inf beyond the grid."""
    f, true, reached = cc.get_coefficient(coefficient).formula, mean_over_topics(values), []
    for n in GRID:
        means = rng.multinomial(n, np.full(len(values), 1 / len(values)), 400) @ values / n
        found = f(np.broadcast_to(true, means.shape), np.round(means, 12))
        reached.append(float(np.mean(np.nan_to_num(found))))  # all systems tied: nothing is known
        if reached[-1] > target + 0.03:
            break
    curve = np.maximum.accumulate(reached)
    return float(np.exp(np.interp(target, curve, np.log(GRID[: len(curve)])))) if curve[-1] >= target else np.inf


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--samples", type=int, default=10, help="of each set")
    options.add_argument("--resamples", type=int, default=150, help="draws of the true means")
    asked = options.parse_args()
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(
            [
                "design",
                "coefficient",
                "target",
                "topics",
                "needed",
                "planned",
                "covered",
                "below",
                "above",
                "ratio",
            ]
        )
        for name, make in designs():
            for coefficient, target in (("tau_b", 0.85), ("tau_ap_b", 0.8)):
                sets = [make(np.random.default_rng([3, k])) for k in range(SETS)]
                true = [needed(values, coefficient, target, np.random.default_rng(k)) for k, values in enumerate(sets)]
                for n in (15, 25, 50) if coefficient == "tau_b" else (25,):
                    found = []
                    for k, values in enumerate(sets):
                        for sample in range(asked.samples):
                            rng = np.random.default_rng([k, sample, n])
                            plan = cc.plan_topics(
                                values[rng.integers(0, len(values), n)],
                                coefficient=coefficient,
                                target=target,
                                n_resamples=asked.resamples,
                                most=100_000,
                                rng=rng,
                            )
                            low, high = plan.interval.low, plan.interval.high
                            planned = plan.n_topics or np.inf
                            found.append([planned, high < true[k], low > true[k], high / max(low, 1)])
                    planned, below, above, ratio = np.array(found, dtype=float).T
                    cells = [f"{x:.3f}" for x in (1 - below.mean() - above.mean(), below.mean(), above.mean())]
                    row = [f"{np.median(true):.0f}", f"{np.median(planned):.0f}", *cells, f"{np.median(ratio):.1f}"]
                    out.writerow([name, coefficient, target, n, *row])
                    file.flush()


if __name__ == "__main__":
    main()
