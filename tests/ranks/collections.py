"""Collections for the tests of the rank distance, real and made up, and its definition written down literally."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def literal_distance(truth: FloatArray, candidate: FloatArray, eps: float = 1e-5) -> float:
    """Algorithm 1 of carterette2009, by trying every set of differences that may be 0. For few systems."""
    n, m = truth.shape
    means = [sum(truth[:, j]) / n for j in range(m)]
    order = sorted(range(m), key=lambda j: (-candidate[j], -means[j]))
    delta = np.array([truth[:, a] - truth[:, b] for a, b in itertools.pairwise(order)])  # lines 1 and 2
    d = delta.mean(axis=1)  # line 3
    s = (delta - d[:, None]) @ (delta - d[:, None]).T / (n - 1) + eps * np.eye(m - 1)  # line 4
    inverse = np.linalg.inv(s)
    best = np.inf
    for zero in itertools.product([False, True], repeat=m - 1):  # line 5: delta is 0 there, and free elsewhere
        at, free = np.flatnonzero(zero), np.flatnonzero(~np.array(zero))
        point = np.zeros(m - 1)
        # The free ones minimise the form given those that are 0: the mean of a normal, given some of its parts.
        point[free] = d[free] - s[np.ix_(free, at)] @ np.linalg.solve(s[np.ix_(at, at)], d[at])
        if (point >= -1e-12).all():
            best = min(best, n * (point - d) @ inverse @ (point - d))  # line 6
    return float(np.sqrt(abs(best)))  # line 7


def fuzzed(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """A collection with the awkward things that real ones have, and rankings of its systems."""
    n, m = int(rng.integers(3, 51)), int(rng.integers(2, 151))
    ability = rng.normal(0, rng.choice([0.01, 0.1, 0.5]), m)
    topics = rng.normal(0, 1, (n, 1)) * rng.uniform(0, 2, m)
    truth = 1 / (1 + np.exp(-(ability + topics + rng.normal(0, rng.choice([0.05, 0.5, 2]), (n, m)))))
    if rng.random() < 0.3:
        truth = np.round(truth, int(rng.integers(1, 4)))
    for _ in range(int(rng.integers(0, 4))):
        truth[:, rng.integers(m)] = truth[:, rng.integers(m)]  # the same run twice
        truth[:, rng.integers(m)] = rng.random()  # the same score on every topic
    means = truth.mean(axis=0)
    rankings = [means, -means, rng.random(m), np.round(means, 2), truth[rng.integers(0, n, n)].mean(axis=0), truth[0]]
    return truth, np.array(rankings)
