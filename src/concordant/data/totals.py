"""The rule by which the scores of a system on all topics become the total that it is ranked by.

Every rule here gives each system points on each topic, and its total is their mean, or sum. So whatever resamples
topics, or flips their signs, works on the points as on scores, and a resampled total is what the rule makes of the
resampled topics. Points depend on which systems are compared, so a rule is applied after systems were matched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .._kernels.reference.ranks import centred_ranks
from ..arrays import FloatArray

Total = Literal["mean", "type-mean", "borda", "mean-rank", "z-score", "win-rate"]


@dataclass(frozen=True)
class Rule:
    """A rule for totals."""

    name: Total
    summary: str
    points: Callable[[FloatArray], FloatArray]
    """From topics x systems with nan for holes to points, more is better; nan stays where the rule does not fill it."""
    column: str
    """What tables call the total."""
    lower_is_better: bool | None = False
    """Whether lower totals are better, as people print them; None: as in the scores."""
    decimals: int = 4
    """Decimals of the totals in a table for reading."""


def mean_ranks(values: FloatArray) -> FloatArray:
    """Within each row, 1 for the largest, means on ties; nan stays. As ``scipy.stats.rankdata``, without its import."""
    nothing = np.isnan(values)
    centred = centred_ranks(np.where(nothing, -np.inf, values))  # what is not there comes last
    return np.where(nothing, np.nan, (values.shape[1] + 1 - centred) / 2)


def _z_scores(values: FloatArray) -> FloatArray:
    centred = values - np.nanmean(values, axis=1, keepdims=True)
    deviation = np.sqrt(np.nanmean(centred**2, axis=1, keepdims=True))
    constant = deviation <= 1e-12 * np.nanmax(np.abs(values), axis=1, keepdims=True)
    return np.asarray(np.where(constant, 0.0 * centred, centred / np.where(constant, 1.0, deviation)))


def _borda(values: FloatArray) -> FloatArray:
    points = values.shape[1] - mean_ranks(values)
    return np.where(np.isnan(points), 0.0, points)


def _win_rates(values: FloatArray) -> FloatArray:
    others = (~np.isnan(values)).sum(axis=1, keepdims=True) - 1
    return np.asarray(
        np.where(others > 0, (others + 1 - mean_ranks(values)) / np.maximum(others, 1), 0.0 * values + 0.5)
    )


RULES = {
    rule.name: rule
    for rule in (
        Rule("mean", "mean score over the topics", lambda values: values, "mean", None),
        Rule("type-mean", "mean over types of topics of the mean score in each", lambda values: values, "mean", None),
        Rule("borda", "points on each topic, n systems - rank, 0 where a system lacks it; summed", _borda, "points",
             decimals=1),
        Rule("mean-rank", "mean rank on the topics", lambda values: -mean_ranks(values), "mean rank", True),
        Rule("z-score", "mean of the scores standardised within each topic", _z_scores, "mean z"),
        Rule("win-rate", "share of other systems that a system beats, ties one half, mean over topics", _win_rates,
             "win rate"),
    )
}  # fmt: skip


def type_weights(types: Sequence[str]) -> FloatArray:
    """By which every type counts the same: n / (number of types * topics of the type), one row per topic."""
    _, which, counts = np.unique(types, return_inverse=True, return_counts=True)
    return np.asarray(len(types) / (len(counts) * counts[which.ravel()])[:, None])
