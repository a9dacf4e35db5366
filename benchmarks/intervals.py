"""Speed of the topic bootstrap, as ratios to what it cannot do without, in the same run. Run by `make bench`.

The resampled means of two conditions need two matrix products, and a coefficient of ranks needs to sort both. BLAS is
kept to one thread for the products, as one worker is used here; the same with two of each stands beside it.
"""

from __future__ import annotations

import os
import sys

THREADS = sys.argv[1] if len(sys.argv) > 1 else "1"
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = THREADS  # read when NumPy is imported

import subprocess  # noqa: E402

import numpy as np  # noqa: E402
from coefficients import Table, fastest  # noqa: E402

import concordant as cc  # noqa: E402
from concordant.arrays import FloatArray, IntArray  # noqa: E402
from concordant.inference.intervals import Agreements  # noqa: E402
from concordant.inference.resampling import Resampling, over_resamples, resampled_means  # noqa: E402


def collection(n: int = 249, m: int = 110) -> tuple[cc.Scores, cc.Scores]:
    rng = np.random.default_rng(1)
    x = np.clip(rng.normal(0.3, 0.1, m) + rng.normal(0, 0.2, (n, m)), 0, 1)
    y = np.round(np.clip(x + rng.normal(0, 0.2, (n, m)), 0, 1), 1)
    topics, systems = [f"t{i}" for i in range(n)], [f"s{j}" for j in range(m)]
    return cc.Scores(x, topics, systems), cc.Scores(y, topics, systems)


def main() -> None:
    workers = int(THREADS)
    truth, candidate = collection()
    x, y = truth.values, candidate.values
    rng = np.random.default_rng(1)
    weights = rng.multinomial(len(x), np.full(len(x), 1 / len(x)), 9_999).astype(np.float64)
    agreement, drawn = Agreements(("tau_ap_b",), workers), Resampling.of(9_999, 1, workers)

    def floor() -> None:
        for side in (x, y):
            np.argsort(weights @ side, axis=1)

    def plain(counts: IntArray) -> FloatArray:
        return agreement([resampled_means(side, counts, workers=drawn.threads) for side in (x, y)])

    times = fastest(
        {
            "floor": floor,
            "plain": lambda: list(over_resamples(plain, len(x), drawn)),
            "iterated": lambda: cc.correlate(
                truth, candidate, coefficient="tau_ap_b", method="iterated", n_resamples=9_999, rng=1, workers=workers
            ),
            "default": lambda: cc.correlate(truth, candidate, coefficient="tau_ap_b", rng=1, workers=workers),
        },
        seconds=6,
    )
    table = Table()
    most = 3 if workers == 1 else None
    what = f"9,999 resamples of 249 x 110, tau_ap_b, {THREADS} thread{'s' * (workers > 1)}"
    table.row(f"{what}: distribution / floor", times["plain"] / times["floor"], most=most)
    table.row(f"{what}: correlate, iterated / floor", times["iterated"] / times["floor"], most=most)
    # The default makes as many draws twice, by shrinkage and iterated.
    table.row(f"{what}: correlate, default / floor", times["default"] / times["floor"], most=most and 2 * most)
    if THREADS == "1":
        subprocess.run([sys.executable, __file__, "2"], check=True)
    if table.failed:
        sys.exit(f"{table.failed} targets missed")


if __name__ == "__main__":
    main()
