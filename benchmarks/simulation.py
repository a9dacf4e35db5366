"""Speed and accuracy of simulated collections, beside a naive inverse of the smoothed distribution functions.

Run by `make bench`. Both draw 1,000 topics of the 55 systems of adhoc6 that the study keeps, from the same random
numbers, and must give the same scores. The naive ones find each quantile as a root: one by one (scipy's brentq on the
sum over the kernels), or all at once (bisection on whole arrays). Times are of the processor, so that other users of
the machine do not count.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import numpy.typing as npt
from coefficients import Call, Table
from data import need
from scipy.optimize import brentq
from scipy.special import expit, ndtr
from threadpoolctl import threadpool_limits

import concordant as cc
from concordant.study.simulation import bandwidth

FloatArray = npt.NDArray[np.float64]
TOPICS = 1_000


class Naive:
    """The description of the simulator, with a root finder."""

    def __init__(self, scores: cc.Scores, model: cc.study.Simulator) -> None:
        y = np.log((scores.values + 0.05) / (1.05 - scores.values))
        self.level = y.mean(axis=0)
        topic = y.mean(axis=1) - y.mean()
        self.effects = np.column_stack([y - self.level - topic[:, None], topic])
        self.h = np.array([bandwidth(column, column.std(ddof=1)) for column in self.effects.T])
        self.factor = model._factor

    def uniforms(self, rng: np.random.Generator) -> FloatArray:
        return np.asarray(ndtr(rng.standard_normal((TOPICS, self.factor.shape[1])) @ self.factor.T))

    def scores(self, drawn: FloatArray) -> FloatArray:
        return np.asarray(np.clip(1.1 * expit(self.level + drawn[:, :-1] + drawn[:, -1:]) - 0.05, 0, 1))

    def one_by_one(self, columns: int) -> FloatArray:
        """Only some columns: all of them take long."""
        u = self.uniforms(np.random.default_rng(1))
        drawn = np.empty((TOPICS, columns))
        for j in range(columns):
            x, h = self.effects[:, j], self.h[j]
            lo, hi = x.min() - 9 * h, x.max() + 9 * h
            for i in range(TOPICS):
                drawn[i, j] = brentq(lambda q, x=x, h=h, p=u[i, j]: ndtr((q - x) / h).sum() / len(x) - p, lo, hi)
        return drawn

    def all_at_once(self) -> FloatArray:
        u = self.uniforms(np.random.default_rng(1))
        drawn = np.empty_like(u)
        for j in range(u.shape[1]):
            x, h = self.effects[:, j], self.h[j]
            lo, hi = np.full(TOPICS, x.min() - 9 * h), np.full(TOPICS, x.max() + 9 * h)
            for _ in range(25):
                middle = (lo + hi) / 2
                below = ndtr((middle[:, None] - x) / h).sum(axis=1) / len(x) < u[:, j]
                lo, hi = np.where(below, middle, lo), np.where(below, hi, middle)
            drawn[:, j] = (lo + hi) / 2
        return self.scores(drawn)


def seconds(call: Call, times: int) -> float:
    """Processor time of the fastest of some calls."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def main() -> None:
    table = Table()
    whole = cc.read_scores(need("trec/adhoc6.csv"))
    assert isinstance(whole, cc.Scores)
    model = cc.study.Simulator(whole.drop_bottom(0.25))
    kept = model.scores
    naive = Naive(kept, model)
    np.testing.assert_allclose(model.draw(TOPICS, 1), naive.all_at_once(), atol=1e-5)
    columns = 2
    times = {
        "draw": seconds(lambda: model.draw(TOPICS, 1), 20),
        "make and draw": seconds(lambda: cc.simulate(kept, TOPICS, 1), 10),
        "brentq": seconds(lambda: naive.one_by_one(columns), 2) * (len(kept.systems) + 1) / columns,
        "bisection": seconds(naive.all_at_once, 3),
    }
    what = f"{TOPICS:,} topics of {len(kept.systems)} systems"
    table.row(f"{what}: ms, the simulator made before", 1e3 * times["draw"], most=100)
    table.row(f"{what}: ms, with making it", 1e3 * times["make and draw"], most=100)
    table.row(f"{what}: brentq, one by one / a draw", times["brentq"] / times["draw"], least=10)
    table.row(f"{what}: bisection on arrays / a draw", times["bisection"] / times["draw"], least=10)
    if table.failed:
        sys.exit(f"{table.failed} targets missed")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
