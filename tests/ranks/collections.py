"""Collections for the tests of the rank distance, real and made up, and its definition written down literally."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

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


def literal_tied_distance(truth: FloatArray, candidate: FloatArray, eps: str = "1e-5") -> float:
    """The same where systems are tied in the candidate, in exact arithmetic, by trying every face of the cone.

    A face is a set of pairs of neighbouring groups that are equal: systems that such pairs link share one mean. On it
    the nearest means are x - C A' (A C A')^-1 A x, with A the differences of pairs that link these systems as a tree.
    """
    x = [[Fraction(str(score)) for score in row] for row in truth.tolist()]
    n, m = len(x), len(x[0])
    means = [sum(column) / n for column in zip(*x, strict=True)]
    c = [[sum((row[i] - means[i]) * (row[j] - means[j]) for row in x) / (n - 1) for j in range(m)] for i in range(m)]
    for i in range(m):
        c[i][i] += Fraction(eps) / 2
    groups = sorted(set(candidate.tolist()), reverse=True)
    pairs = [
        (i, j) for high, low in itertools.pairwise(groups) for i in range(m) for j in range(m)
        if candidate[i] == high and candidate[j] == low
    ]  # fmt: skip
    best = None
    for tree in itertools.chain.from_iterable(itertools.combinations(pairs, k) for k in range(m)):
        if _closes_a_circle(tree):
            continue
        d = [means[i] - means[j] for i, j in tree]
        s = [[c[i][k] - c[i][q] - c[j][k] + c[j][q] for k, q in tree] for i, j in tree]
        w = _solved(s, d)
        u = [sum(w[t] * ((i == pair[0]) - (i == pair[1])) for t, pair in enumerate(tree)) for i in range(m)]
        mu = [means[i] - sum(c[i][k] * u[k] for k in range(m)) for i in range(m)]
        if all(mu[i] >= mu[j] for i, j in pairs):
            squared = n * sum(w[t] * d[t] for t in range(len(tree)))
            best = squared if best is None else min(best, squared)
    assert best is not None
    return math.sqrt(best)


def _closes_a_circle(pairs: tuple[tuple[int, int], ...]) -> bool:
    parts = {i: {i} for pair in pairs for i in pair}
    for i, j in pairs:
        if parts[i] is parts[j]:
            return True
        parts[i] |= parts[j]
        for k in parts[i]:
            parts[k] = parts[i]
    return False


def _solved(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Gauss and Jordan, for a positive definite matrix."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(len(rows)):
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for r in range(len(rows)):
            if r != k:
                rows[r] = [a - rows[r][k] * b for a, b in zip(rows[r], rows[k], strict=True)]
    return [row[-1] for row in rows]


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
