"""Repeated runs of a cell (seeds, trials, epochs): topics x systems x runs, nan where a cell has fewer runs.

Functions that ignore runs use the cell means, M. The variance of a system's mean over n topics, V = S^2(M) / n,
includes the sampling errors of topics and of runs. Runs contribute

    V_runs = sum over topics of (s^2 / k) / n^2,    s^2 the variance within a cell, k its number of runs,

where a cell with one run uses the pooled s^2 of its system. Topics contribute the rest.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray


def run_means(runs: FloatArray) -> FloatArray:
    """Average each cell over its runs; nan if it has none."""
    if runs.shape[2] == 1:
        return np.ascontiguousarray(runs[:, :, 0])
    count = (~np.isnan(runs)).sum(axis=2)
    return np.where(count > 0, np.nansum(runs, axis=2) / np.maximum(count, 1), np.nan)


class Within(NamedTuple):
    """Variation of runs within the cells of each system, one entry per system."""

    squares: FloatArray
    """SS, the sum of squared deviations of runs from their cell mean."""
    df: IntArray
    """Degrees of freedom of SS: runs minus cells."""
    runs: FloatArray
    """V_runs; nan if no cell has two runs."""
    shares: FloatArray
    """Sum over topics of 1 / k, divided by n^2.

    If runs have the same variance in every cell, V_runs is the product of this sum and that variance.
    """


def within(runs: FloatArray) -> Within:
    """Compute the variation of runs within cells, given topics x systems x runs."""
    count = (~np.isnan(runs)).sum(axis=2)
    squares = np.nansum((runs - run_means(runs)[:, :, None]) ** 2, axis=2)
    n, df = (count > 0).sum(axis=0), np.maximum(count - 1, 0).sum(axis=0)
    pooled = np.where(df > 0, squares.sum(axis=0) / np.maximum(df, 1), np.nan)
    own = np.where(count > 1, squares / np.maximum(count - 1, 1), pooled)
    shares = np.where(count > 0, 1 / np.maximum(count, 1), 0.0)
    return Within(
        squares.sum(axis=0), df, np.where(count > 0, own * shares, 0).sum(axis=0) / n**2, shares.sum(axis=0) / n**2
    )


class Components(NamedTuple):
    """Variance components: runs within cells, topics by systems, and topics. They may be negative."""

    runs: float
    topics_by_systems: float
    topics: float
    each: float
    """The mean of 1 / k: the weight of `runs` in the variance of a cell mean."""


def components(runs: FloatArray) -> Components:
    """Estimate variance components by the method of moments; every cell must have a run.

    The mean square of topics by systems estimates the variance of topics by systems plus `each` times the variance of
    runs. The variance of topic means over m systems estimates the variance of topics plus 1 / m of this mean square.
    With one system, topics and topics by systems cannot be separated. If all cells have equally many runs and all
    components are positive, the estimates equal those of REML.
    """
    (n, m, _), cells = runs.shape, run_means(runs)
    count = (~np.isnan(runs)).sum(axis=2)
    df, each = (count - 1).sum(), float((1 / count).mean())
    error = float(np.nansum((runs - cells[:, :, None]) ** 2) / df) if df else math.nan
    topics, systems, total = cells.mean(axis=1), cells.mean(axis=0), cells.mean()
    by_topic = float(topics.var(ddof=1))
    if m == 1:
        return Components(error, by_topic - error * each, 0.0, each)
    both = float(((cells - topics[:, None] - systems + total) ** 2).sum() / ((n - 1) * (m - 1)))
    return Components(error, both - error * each, by_topic - both / m, each)


def passing(runs: FloatArray, k: int, *, every: bool) -> FloatArray:
    """Estimate pass@k, the probability that at least one of k runs passes; with `every`, pass^k, that all k pass.

    If c of a cell's n runs pass, pass@k = 1 - C(n - c, k) / C(n, k) and pass^k = C(c, k) / C(n, k). A cell without runs
    is nan.
    """
    n, passed = (~np.isnan(runs)).sum(axis=2), np.nansum(runs, axis=2)
    drawn = passed if every else n - passed
    chance = np.ones(n.shape)
    for i in range(k):
        chance *= np.maximum(drawn - i, 0) / np.maximum(n - i, 1)
    return np.where(n > 0, chance if every else 1 - chance, np.nan)


class Seeds(NamedTuple):
    """Mean squares of each system, if run r is the same trained model on all topics."""

    runs: FloatArray
    error: FloatArray

    @classmethod
    def of(cls, runs: FloatArray) -> Seeds:
        """Compute the mean squares; every cell must have every run."""
        n, _, r = runs.shape
        rows, seeds, total = runs.mean(axis=2), runs.mean(axis=0), runs.mean(axis=(0, 2))
        rest = runs - rows[:, :, None] - seeds + total[:, None]
        return cls(n * seeds.var(axis=1, ddof=1), (rest**2).sum(axis=(0, 2)) / ((n - 1) * (r - 1)))


Scale = Literal["binary", "graded", "unbounded"]
_PRIOR = {"binary": 0.25, "graded": 0.05, "unbounded": 0.0}  # an extra squared deviation that keeps variances above 0


def scale_of(values: FloatArray) -> Scale:
    """Classify scores: all 0 or 1, all in [0, 1], or unbounded."""
    known = values[~np.isnan(values)]
    if np.isin(known, (0.0, 1.0)).all():
        return "binary"
    return "graded" if known.min() >= 0 and known.max() <= 1 else "unbounded"


def on_these_topics(runs: FloatArray, scale: Scale) -> tuple[FloatArray, FloatArray]:
    """Estimate the variance of each system's mean, with its degrees of freedom, if only runs are random.

    V = s^2 sum(1 / k) / n^2 with s^2 = (SS + v0) / (df + 1), where v0 is an extra squared deviation.
    """
    found = within(runs)
    df = found.df + 1.0
    return np.asarray((found.squares + _PRIOR[scale]) / df * found.shares), np.asarray(df, dtype=np.float64)
