"""`groups=`: topics that belong together (segments of a document, questions on a passage) are one observation.

What resamples topics resamples groups. So a matrix of topics becomes one with a row for each group, which everything
else takes as it takes topics, and whose length is the sample size:

    row of group g = mean + G / N (sum over its topics - n_g mean),    N topics in G groups, n_g of them in g.

Its mean over the groups is the mean over the topics, and its variance over them, divided by G, is the variance of that
mean when groups are drawn: the linearised one of a ratio of sums, because a drawn group brings its size along.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from .arrays import FloatArray, IntArray
from .errors import InputError
from .labels import labels_of_topics
from .scores import Means, Scores
from .words import counted, named

FEW = 20  # groups of one size: below, tests were seen to reject too often (docs/measured/boards.md)
Groups: TypeAlias = Any
"""The group of each topic: a mapping or Series, or a CSV file, as PATH or PATH:COLUMN."""


def places_of_groups(groups: Groups, topics: tuple[str, ...]) -> tuple[tuple[str, ...], IntArray]:
    """The names of the groups, in the order in which topics have them, and the place of each topic's group."""
    labels = labels_of_topics(groups, topics, "groups")
    names = tuple(dict.fromkeys(labels))
    if len(names) < 2:
        raise InputError(
            f"{named('groups')} has {counted(len(names), 'group')} for {counted(len(topics), 'topic')}: at least 2 are "
            "needed, because how groups differ tells how far the means can be trusted"
        )
    place = {name: k for k, name in enumerate(names)}
    return names, np.array([place[label] for label in labels])


def group_rows(values: FloatArray, groups: IntArray) -> FloatArray:
    """One row per group, as above, column by column; nan where a column has no topic of the group."""
    there = ~np.isnan(values)
    member = (groups == np.arange(int(groups.max()) + 1)[:, None]).astype(np.float64)
    sums, counts = member @ np.where(there, values, 0.0), member @ there
    n = np.maximum(counts.sum(axis=0), 1)
    means, share = sums.sum(axis=0) / n, (counts > 0).sum(axis=0) / n
    return np.where(counts > 0, means + share * (sums - counts * means), np.nan)


def doubts_about_sizes(groups: Groups | None, topics: tuple[str, ...]) -> tuple[str, ...]:
    """That few groups hold most of the topics, in a sentence; nothing where they do not.

    Means of groups of n_g topics vary as those of (sum n_g)^2 / sum n_g^2 groups of one size would (Kish).
    """
    if groups is None:
        return ()
    names, places = places_of_groups(groups, topics)
    count = len(topics) ** 2 / float((np.bincount(places) ** 2).sum())
    if count >= min(FEW, len(names) / 2):
        return ()
    return (
        f"{counted(len(names), 'group')} of very different size count as about {count:.0f} of one size: with so few, "
        "intervals are too short and tests reject too often",
    )


def by_group(scores: Scores, groups: Groups | None) -> Scores:
    """One row per group, where there are groups."""
    if groups is None:
        return scores
    names, places = places_of_groups(groups, scores.topics)
    return scores.like(group_rows(scores.values, places), names)


def sides_by_group(sides: tuple[Scores | Means, ...], groups: Groups | None) -> tuple[Scores | Means, ...]:
    """The same for sides that have the same topics, or none."""
    return tuple(by_group(side, groups) if isinstance(side, Scores) else side for side in sides)
