"""Topics that belong together (segments of a document, questions on a passage) are one observation.

What resamples topics resamples groups. So a matrix of topics becomes one with a row for each group, which everything
else takes as it takes topics, and whose length is the sample size:

    row of group g = mean + G / N (sum over its topics - n_g mean),    N topics in G groups, n_g of them in g.

Its mean over the groups is the mean over the topics, and its variance over them, divided by G, is the variance of that
mean when groups are drawn: the linearised one of a ratio of sums, because a drawn group brings its size along.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import InputError
from ..words import argument, counted, listing, named

FEW = 20  # groups of one size: below, tests were seen to reject too often (docs/measured/boards.md)


_SEGMENT = re.compile(r"(.+)#\d+", re.DOTALL)


def documents_of(topics: Sequence[str]) -> dict[str, str] | None:
    """The document of each topic, where all are segments of several documents, as WMT's are; None where they are not.

    >>> documents_of(["news1#0", "news1#1", "news2#0"])
    {'news1#0': 'news1', 'news1#1': 'news1', 'news2#0': 'news2'}
    """
    found = {topic: segment[1] for topic in topics if (segment := _SEGMENT.fullmatch(topic))}
    return found if len(found) == len(topics) and 1 < len(set(found.values())) < len(found) else None


def require_labels(labels: Sequence[str], topics: Sequence[str], name: str) -> None:
    """Raise where a topic has no group, or no type."""
    lacking = [topic for topic, label in zip(topics, labels, strict=True) if not label]
    if lacking:
        raise InputError(
            f"{named(name)} lacks {counted(len(lacking), 'topic')} of {len(topics)}: {listing(lacking)}. Name the "
            f"topics as the scores do, and give every one of them a {name.removesuffix('s')}"
        )


def places_of_groups(groups: Sequence[str], topics: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """The names of the groups, in the order in which topics have them, and the place of each topic's group."""
    require_labels(groups, topics, "groups")
    names = tuple(dict.fromkeys(groups))
    if len(names) < 2:
        raise InputError(
            f"{named('groups')} has {counted(len(names), 'group')} for {counted(len(topics), 'topic')}: at least 2 are "
            "needed, because how groups differ tells how far the means can be trusted. Single topics are taken with "
            + argument("groups", "none")
        )
    place = {name: k for k, name in enumerate(names)}
    return names, np.array([place[group] for group in groups])


def group_rows(values: FloatArray, groups: IntArray) -> FloatArray:
    """One row per group, as above, column by column; nan where a column has no topic of the group."""
    there = ~np.isnan(values)
    member = (groups == np.arange(int(groups.max()) + 1)[:, None]).astype(np.float64)
    sums, counts = member @ np.where(there, values, 0.0), member @ there
    n = np.maximum(counts.sum(axis=0), 1)
    means, share = sums.sum(axis=0) / n, (counts > 0).sum(axis=0) / n
    return np.where(counts > 0, means + share * (sums - counts * means), np.nan)


def doubts_about_sizes(groups: Sequence[str] | None) -> tuple[str, ...]:
    """That few groups hold most of the topics, in a sentence; nothing where they do not.

    Means of groups of n_g topics vary as those of (sum n_g)^2 / sum n_g^2 groups of one size would (Kish).
    """
    if groups is None:
        return ()
    sizes = np.unique(groups, return_counts=True)[1]
    count = len(groups) ** 2 / float((sizes**2).sum())
    if count >= min(FEW, len(sizes) / 2):
        return ()
    return (
        f"{counted(len(sizes), 'group')} of very different size count as about {count:.0f} of one size: with so few, "
        "intervals are too short and tests reject too often",
    )
