"""Speed of rank intervals and explanations, as ratios to plain NumPy on the same data in the same run. `make bench`.

The baseline is what a careful user would write for the first step alone: the sums under random signs by one matrix
product, then for each pair of systems the difference, divided, and the running maximum over pairs. `rank_intervals`
also steps down, which needs for every pair the maximum over the remaining ones, and a comparison with it.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np
import numpy.typing as npt
from coefficients import Table, fastest
from data import lacks, need

import concordant as cc
from concordant.ranks.pair_tests import PairSamples

FloatArray = npt.NDArray[np.float64]
RESAMPLES = 9_999


def plain(values: FloatArray) -> FloatArray:
    """The largest r over all pairs in each resample, a pair at a time."""
    rng = np.random.default_rng(1)
    n, m = values.shape
    pairs = PairSamples.of(values)
    means = np.ascontiguousarray(((2.0 * rng.integers(0, 2, (RESAMPLES, n)) - 1) @ pairs.centred).T) / n
    largest = np.zeros(RESAMPLES)
    for i in range(m):
        for j in range(i + 1, m):
            np.maximum(largest, np.abs(means[i] - means[j]) / pairs.size[i, j], out=largest)
    return largest


def seconds(scores: Any) -> float:
    """Of rank intervals with the default number of resamples, the best of three."""
    found = []
    for _ in range(3):
        start = time.process_time()
        cc.rank_intervals(scores, rng=1)
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    table = Table()
    rng = np.random.default_rng(1)
    for m, n in ((143, 30), (110, 249)):
        values = rng.beta(2, 4, (n, m)) + rng.normal(0, 0.1, m)
        scores = cc.Scores(values, range(n), range(m))
        other = cc.Scores(values + rng.normal(0, 0.3, (n, m)), range(n), range(m))
        times = fastest(
            {
                "plain": lambda values=values: plain(values),  # type: ignore[misc]
                "all": lambda scores=scores: cc.rank_intervals(scores, n_resamples=RESAMPLES, rng=1),  # type: ignore[misc]
                "two": lambda scores=scores: cc.rank_intervals(scores, n_resamples=RESAMPLES, rng=1, workers=2),  # type: ignore[misc]
                "each": lambda scores=scores: cc.rank_intervals(
                    scores, simultaneous=False, n_resamples=RESAMPLES, rng=1
                ),  # type: ignore[misc]
                "explain": lambda a=scores, b=other: cc.explain(a, b, coefficient="tau_ap_b"),  # type: ignore[misc]
            }
        )
        shape = f"{m} x {n}, {RESAMPLES:,} resamples"
        print(f"{shape}: rank_intervals {times['all']:.2f} s, single systems {times['each']:.2f} s")
        table.row(f"rank_intervals / plain NumPy without steps, {shape}", times["all"] / times["plain"])
        table.row(f"single systems / plain, {shape}", times["each"] / times["plain"])
        table.row(f"2 workers / 1, {shape}", times["two"] / times["all"])
        table.row(f"explain tau_ap_b / plain, {shape}", times["explain"] / times["plain"])
    if told := lacks("mteb/eng_v2.csv"):
        print(f"the row of MTEB is left out: {told}")
    else:
        mteb = cc.read_scores(need("mteb/eng_v2.csv"), missing="available")
        table.row("MTEB, 242 x 41 with holes, 49,999 resamples: processor seconds", seconds(mteb), most=3)
    if table.failed:
        sys.exit(f"{table.failed} targets missed")


if __name__ == "__main__":
    main()
