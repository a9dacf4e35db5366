"""Repeated runs of a cell (seeds, trials, epochs): topics x systems x runs, nan where a cell has fewer runs.

All functions that know nothing of runs see the means of the cells, M. The variance of a system's mean over n topics,
V = S^2(M) / n, holds both errors. What runs add to it is

    V_runs = sum over topics of (s^2 / k) / n^2,    s^2 the variance within a cell, k its number of runs,

where a cell with one run takes the pooled s^2 of its system. The rest is what topics add.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np

from ..arrays import FloatArray, IntArray


def run_means(runs: FloatArray) -> FloatArray:
    """The mean of each cell over its runs, nan where it has none; with one run, that run."""
    if runs.shape[2] == 1:
        return np.ascontiguousarray(runs[:, :, 0])
    count = (~np.isnan(runs)).sum(axis=2)
    return np.where(count > 0, np.nansum(runs, axis=2) / np.maximum(count, 1), np.nan)


class Within(NamedTuple):
    """What the runs of each system tell, one entry per system."""

    squares: FloatArray
    """Squared deviations of runs from the mean of their cell, summed."""
    df: IntArray
    """Their degrees of freedom: runs minus cells."""
    runs: FloatArray
    """V_runs; nan where no cell has two runs."""
    shares: FloatArray
    """Sum over topics of 1 / k, divided by n^2: what a common variance of runs is multiplied by."""


def within(runs: FloatArray) -> Within:
    """From topics x systems x runs."""
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
    """Variance components: of runs within a cell, of topics by systems, and of topics; not cut at 0."""

    runs: float
    topics_by_systems: float
    topics: float
    each: float
    """The mean of 1 / k: how much of the first is in the variance of a cell."""


def components(runs: FloatArray) -> Components:
    """By moments, from complete cells; with as many runs in each they equal REML where all are positive.

    Of cells' means, topics by systems vary by their own variance and that of runs times `each`, and topics, over m
    systems, by theirs and 1 / m of the former. With one system both are one.
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
    """pass@k, the probability that one of k runs passes, or with `every` pass^k, that all do; nan where no run is.

    Of n runs of a cell c pass: pass@k = 1 - C(n - c, k) / C(n, k), pass^k = C(c, k) / C(n, k).
    """
    n, passed = (~np.isnan(runs)).sum(axis=2), np.nansum(runs, axis=2)
    drawn = passed if every else n - passed
    chance = np.ones(n.shape)
    for i in range(k):
        chance *= np.maximum(drawn - i, 0) / np.maximum(n - i, 1)
    return np.where(n > 0, chance if every else 1 - chance, np.nan)


class Seeds(NamedTuple):
    """Mean squares where run r is one trained system on all topics, one entry per system."""

    topics: FloatArray
    runs: FloatArray
    error: FloatArray

    @classmethod
    def of(cls, runs: FloatArray) -> Seeds:
        """From complete cells."""
        n, _, r = runs.shape
        rows, seeds, total = runs.mean(axis=2), runs.mean(axis=0), runs.mean(axis=(0, 2))
        rest = runs - rows[:, :, None] - seeds + total[:, None]
        return cls(
            r * rows.var(axis=0, ddof=1),
            n * seeds.var(axis=1, ddof=1),
            (rest**2).sum(axis=(0, 2)) / ((n - 1) * (r - 1)),
        )


Scale = Literal["binary", "graded", "unbounded"]
_PRIOR = {"binary": 0.25, "graded": 0.05, "unbounded": 0.0}  # a squared deviation more, so that no variance is 0


def scale_of(values: FloatArray) -> Scale:
    """Whether all scores are 0 or 1, lie between them, or may lie anywhere."""
    known = values[~np.isnan(values)]
    if np.isin(known, (0.0, 1.0)).all():
        return "binary"
    return "graded" if known.min() >= 0 and known.max() <= 1 else "unbounded"


def on_these_topics(runs: FloatArray, scale: Scale) -> tuple[FloatArray, FloatArray]:
    """The variance of each system's mean if only runs are random, and its degrees of freedom.

    V = s^2 sum(1 / k) / n^2 with s^2 = (SS + v0) / (df + 1), where v0 stands for one deviation more.
    """
    found = within(runs)
    df = found.df + 1.0
    return np.asarray((found.squares + _PRIOR[scale]) / df * found.shares), np.asarray(df, dtype=np.float64)
