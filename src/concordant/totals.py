"""`aggregate=`: the rule by which the scores of a system on all topics become the total that it is ranked by.

Every rule here gives each system points on each topic, and its total is their mean, or sum. So whatever resamples
topics, or flips their signs, works on the points as on scores, and a resampled total is what the rule makes of the
resampled topics. Points depend on which systems are compared, so a rule is applied after systems were matched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from ._kernels.reference.ranks import centred_ranks
from .arrays import FloatArray
from .clusters import Groups, by_group
from .door import Collection, as_available
from .errors import InputError, check_choice
from .incomplete import ASSUMED, IncompleteScores, fitted, influences, with_holes
from .labels import labels_of_topics
from .means import mean_over_topics
from .scores import Means, Scores, with_sign
from .tables import Missing
from .words import counted, listing, named

Aggregate = Literal["mean", "type-mean", "borda", "mean-rank", "z-score", "win-rate"]
Types: TypeAlias = "Mapping[str, str] | str | Any"
"""The type of each topic: a mapping or Series, or a CSV file with the columns topic and type."""


@dataclass(frozen=True)
class Rule:
    """A rule for totals."""

    name: Aggregate
    summary: str
    points: Callable[[FloatArray], FloatArray]
    """From topics x systems with nan for holes to points, more is better; nan stays where the rule does not fill it."""
    column: str
    """What tables call the total."""
    lower_is_better: bool | None = False
    """Whether lower totals are better, as people print them; None: as in the scores."""
    decimals: int = 4
    """Decimals of the totals in a table for reading."""

    def total(self, points: FloatArray) -> FloatArray:
        """Of each system, more is better; where points are missing, topic and system predict them."""
        if self.name == "borda":
            return np.asarray(points.sum(axis=0))
        return mean_over_topics(fitted(points))


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


class Points(NamedTuple):
    """What a rule makes of scores."""

    scores: Scores | IncompleteScores
    """Points, topics x systems: more is better, and their mean is the total up to a factor that all systems share."""
    totals: FloatArray
    """More is better."""
    rule: Rule
    notes: tuple[str, ...] = ()

    def complete(self) -> Scores:
        """The points, where holes hold what they add to the error of a total: nothing."""
        if isinstance(self.scores, Scores):
            return self.scores
        made = self.scores.like(influences(self.scores.values))
        assert isinstance(made, Scores)  # without holes
        return made


def points_of(scores: Scores | IncompleteScores, aggregate: Aggregate = "mean", types: Types | None = None) -> Points:
    """The points that systems get on each topic by a rule, and their totals."""
    check_choice("aggregate", aggregate, get_args(Aggregate))
    rule = RULES[aggregate]
    if (types is None) == (aggregate == "type-mean"):
        raise InputError(
            f"{named('aggregate')} is 'type-mean', which needs the type of each topic: give {named('types')}"
            if types is None
            else f"{named('types')} is for {named('aggregate')} 'type-mean', and it is {aggregate!r}: leave one out"
        )
    values = rule.points(scores.values)
    totals = rule.total(values)
    if types is not None:
        weights = _weights(labels_of_topics(types, scores.topics, "types"))
        totals = mean_over_topics(weights * fitted(values))
        values = weights * values
    made: Scores | IncompleteScores = scores
    if values is not scores.values:
        lower = scores.lower_is_better if rule.lower_is_better is None else rule.lower_is_better
        labels = scores.topics, scores.systems, scores.measure
        made = with_holes(with_sign(values, lower), *labels, lower_is_better=lower)
    return Points(made, totals, rule, _notes(scores, made))


def observations(
    given: Collection,
    name: str,
    aggregate: Aggregate = "mean",
    types: Types | None = None,
    groups: Groups | None = None,
    missing: Missing = "error",
) -> Scores:
    """What a collection says of the totals: rows of topics or groups, drawn independently, without holes."""
    return by_group(points_of(as_available(given, name, missing), aggregate, types).complete(), groups)


def _weights(types: tuple[str, ...]) -> FloatArray:
    """By which every type counts the same: n / (number of types * topics of the type), one row per topic."""
    _, which, counts = np.unique(types, return_inverse=True, return_counts=True)
    return np.asarray(len(types) / (len(counts) * counts[which.ravel()])[:, None])


def _notes(scores: Scores | IncompleteScores, made: Scores | IncompleteScores) -> tuple[str, ...]:
    if isinstance(scores, Scores):
        return ()
    lacking = (
        f"{counted(int((scores.counts() < len(scores.topics)).sum()), 'system')} of {len(scores.systems)} lack topics"
    )
    if isinstance(made, Scores):
        return (f"{lacking}, which give 0 points, as MTEB counts them",)
    return (f"{lacking}; two systems are compared on the topics that both have, and {ASSUMED}",)


@dataclass(frozen=True)
class Totalling:
    """How the sides of a comparison, matched, become what is compared: points instead of scores, groups of topics."""

    aggregate: Aggregate = "mean"
    types: Types | None = None
    groups: Groups | None = None

    def __call__(self, *sides: Scores | Means) -> tuple[Scores | Means, ...]:
        """The sides with a row for each topic, or group, whose mean is the total."""
        return tuple(map(self._side, sides)) if self.settings() else sides

    def settings(self) -> dict[str, Any]:
        """What is not as usual, for the settings of a result: what was not given as a name is only said to be there."""
        given = {
            "aggregate": None if self.aggregate == "mean" else self.aggregate,
            "types": self.types,
            "groups": self.groups,
        }
        return {
            name: os.fspath(value) if isinstance(value, (str, os.PathLike)) else "given"
            for name, value in given.items()
            if value is not None
        }

    def _side(self, side: Scores | Means) -> Scores | Means:
        if isinstance(side, Means):
            raise InputError(
                f"{listing(map(named, self.settings()))} needs scores on topics, and a side has one score per system: "
                "leave it out"
            )
        points = points_of(side, self.aggregate, self.types)
        return by_group(points.complete(), self.groups)
