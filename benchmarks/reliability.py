"""Speed of the estimators of expected correlation, against a plain loop over pairs. Run by `make bench`.

The loop uses scipy.stats.t, rankdata and rng.choice as one would write it down from the paper, pair by pair, with
T = 1,000 resamples of the pair's differences for RES and for KD, and the bandwidth of Sheather and Jones in NumPy. A
second one is smarter: one set of resamples serves all pairs and both estimators. Both give the same numbers as the
package.
Times are of the processor, all threads added up, so that other users of the machine do not count.
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np
import numpy.typing as npt
from coefficients import Table
from data import matrix
from scipy import special, stats

import concordant as cc
from concordant.planning.estimation import estimates_of

FloatArray = npt.NDArray[np.float64]
RESAMPLES = 1_000
SPLITS = 100


def read(name: str) -> FloatArray:
    return matrix(f"trec/{name}.csv")


def plug_in(d: FloatArray) -> float:
    n = len(d)
    low, high = np.percentile(d, [25, 75])
    scale = min(d.std(ddof=1), (high - low) / 1.349) or d.std(ddof=1)
    apart = d[:, None] - d
    g = scale * (960 / (105 * math.sqrt(2) * n)) ** (1 / 9)
    u = (apart / g) ** 2
    psi_6 = (((u - 15) * u + 45) * u - 15) * np.exp(-u / 2)
    g = (6 / (-psi_6.sum() / g**7 / (n - 1))) ** (1 / 7)
    u = (apart / g) ** 2
    psi_4 = ((u - 6) * u + 3) * np.exp(-u / 2)
    return float((math.sqrt(2 * math.pi) / (2 * math.sqrt(math.pi) * psi_4.sum() / g**5 / (n - 1))) ** (1 / 5))


def split_half(values: FloatArray, replace: bool, rng: np.random.Generator) -> tuple[float, float]:
    n, m = values.shape
    points = []
    for size in np.unique(np.round(np.linspace(1, n // 2, 21)))[1:].astype(int):
        for _ in range(SPLITS):
            drawn = rng.choice(n, 2 * size, replace=replace)
            truth, candidate = values[drawn[:size]].mean(axis=0), values[drawn[size:]].mean(axis=0)
            t = truth[np.argsort(-candidate, kind="stable")]
            wrong = np.triu(t[:, None] < t, 1).sum(axis=0)[1:]  # above it, and below it in truth
            points.append((size, wrong.sum() / (m * (m - 1) / 2), (wrong / np.arange(1, m)).sum() / (m - 1)))
    found = []
    for k in (1, 2):
        x, y = np.array([(p[0], math.log(p[k])) for p in points if p[k] > 0]).T
        slope, intercept = np.polyfit(x, y, 1)
        found.append(1 - 2 * math.exp(intercept + slope * n))
    return found[0], found[1]


def plain(values: FloatArray, rng: np.random.Generator, shared: bool) -> dict[str, tuple[float, float]]:
    n, m = values.shape
    x = values[:, np.argsort(-values.mean(axis=0), kind="stable")]
    c = math.sqrt((n - 1) / 2) * math.exp(special.gammaln((n - 1) / 2) - special.gammaln(n / 2))
    drawn = np.stack([rng.choice(n, n) for _ in range(RESAMPLES)])
    means = x[drawn].mean(axis=1) if shared else np.empty((0, m))
    tau, ap = dict.fromkeys(("ml", "msqd", "res", "kd"), 0.0), dict.fromkeys(("ml", "msqd", "res", "kd"), 0.0)
    for j in range(1, m):
        for i in range(j):
            d = x[:, i] - x[:, j]
            if not d.any():
                p = dict.fromkeys(tau, 0.5)
            else:
                t = -math.sqrt(n) * d.mean()
                z = special.ndtri(stats.rankdata(d.round(10)) / (n + 1))
                if shared:
                    apart = again = means[:, i] - means[:, j]
                else:
                    apart, again = (rng.choice(d, (RESAMPLES, n)).mean(axis=1) for _ in range(2))
                noise = rng.normal(0, plug_in(d) / math.sqrt(n), RESAMPLES)
                p = {
                    "ml": float(stats.t.cdf(t / (d.std(ddof=1) * c), n - 1)),
                    "msqd": float(stats.t.cdf(t / ((d @ z) / (z @ z)), n - 1)),
                    "res": float((apart < 0).mean() + (apart == 0).mean() / 2),
                    "kd": float((again + noise < 0).mean()),
                }
            for name, value in p.items():
                tau[name] += value
                ap[name] += value / j
    found = {name: (1 - 4 * tau[name] / (m * (m - 1)), 1 - 2 * ap[name] / (m - 1)) for name in tau}
    found["sh(w)"], found["sh(w/o)"] = split_half(values, True, rng), split_half(values, False, rng)
    return found


def seconds(values: FloatArray, times: int) -> float:
    best = math.inf
    for _ in range(times):
        start = time.process_time()
        estimates_of(values, np.random.default_rng(1))
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    table = Table()
    rng = np.random.default_rng(1)
    made = rng.random((100, 97)) + np.linspace(0, 0.3, 97)
    table.row("97 systems x 100 topics, made up: processor seconds", seconds(made, 10))
    adhoc8 = read("adhoc8")
    mine = seconds(adhoc8, 10)
    ours = cc.reliability(adhoc8, rng=1).estimates
    table.row("adhoc8, 129 x 50: processor seconds", mine, most=1)
    for shared, what, least in ((False, "plain loop over pairs", 30), (True, "the same with shared resamples", None)):
        start = time.process_time()
        peer = plain(adhoc8, np.random.default_rng(1), shared)
        took = time.process_time() - start
        for name, found in peer.items():  # the paper's six; the posterior is our own
            tolerance = {"ml": 1e-9, "msqd": 1e-9, "res": 0.003, "kd": 0.003}.get(name, 0.02)
            np.testing.assert_allclose(ours[name], found, atol=tolerance, err_msg=name)
        table.row(f"adhoc8: {what} / all six", took / mine, least=least)
    table.row("robust2004 by AP, 110 x 249: processor seconds", seconds(read("robust2004_ap"), 5), most=5)
    table.row("robust2004 by P@10, 110 x 249: processor seconds", seconds(read("robust2004_p10"), 5), most=5)
    if table.failed:
        sys.exit(f"{table.failed} targets missed")


if __name__ == "__main__":
    main()
