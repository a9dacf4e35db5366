"""What labels say: topics that belong together, and which systems or topics a caller chose.

Topics of one group (segments of a document, questions on a passage) are one observation.

What resamples topics resamples groups. So a matrix of topics becomes one with a row for each group, which everything
else takes as it takes topics, and whose length is the sample size:

    row of group g = mean + G / N (sum over its topics - n_g mean),    N topics in G groups, n_g of them in g.

Its mean over the groups is the mean over the topics, and its variance over them, divided by G, is the variance of that
mean when groups are drawn: the linearised one of a ratio of sums, because a drawn group brings its size along.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import ConcordantError, InputError, warn
from ..words import argument, counted, listing, named, nearest

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


# Which systems or topics a caller chose: names, patterns such as STS*, and what to leave out, such as !AFQMC ----------


def says_which(wanted: Iterable[str] | None) -> bool:
    """Whether a choice says what to read, and not only what to leave out."""
    return wanted is not None and not all(name.startswith("!") for name in wanted)


def chosen(wanted: Iterable[str] | None, labels: Sequence[str]) -> list[int]:
    """The places of the labels that a choice takes, in its order; names that are not there take nothing.

    A label that a name spells exactly is meant itself, so `*` and `!` may be part of it.

    >>> chosen(["STS*", "b", "!STS17"], ["a", "b", "STS16", "STS17"]), chosen(["!a"], ["a", "b"]), chosen(None, ["a"])
    ([2, 1], [1], [0])
    """
    wanted, places = list(wanted or ()), {label: k for k, label in enumerate(labels)}
    left = {k for name in wanted if _leaves_out(name, places) for k in _places(name[1:], places)}
    kept = [name for name in wanted if not _leaves_out(name, places)]
    found = dict.fromkeys(k for name in kept for k in _places(name, places)) if kept else range(len(labels))
    return [k for k in found if k not in left]


def choose(
    wanted: Iterable[str],
    labels: Sequence[str],
    noun: str,
    error: Callable[[str], ConcordantError],
    left_out: Collection[str] = (),
) -> list[int]:
    """As `chosen`; a name that is not there is an error, and one that could not be left out gets a warning.

    `left_out` are labels that the same choice has left out before.
    """
    wanted, places = list(wanted), {label: k for k, label in enumerate(labels)}
    gone, has_no = dict.fromkeys(left_out, 0), f"has no {noun}".rstrip()
    for name in wanted:
        if not _leaves_out(name, places):
            if not _places(name, places):
                raise error(f"{has_no} {name!r}{nearest(name, labels)}")
        elif not _places(name[1:], places) and not _places(name[1:], gone):
            warn(f"{error(f'{has_no} {name[1:]!r} to leave out')}")
    found = chosen(wanted, labels)
    if not found:
        raise error(f"{has_no} left after {listing(wanted)}")
    return found


def _leaves_out(name: str, places: Collection[str]) -> bool:
    return name.startswith("!") and name not in places


def _places(name: str, places: dict[str, int]) -> list[int]:
    """The place of a label, or of all that a pattern fits. Brackets are no pattern: STS22[dev] is a label."""
    if name in places or not {"*", "?"} & set(name):
        return [places[name]] if name in places else []
    pattern = re.compile(re.escape(name).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
    return [k for label, k in places.items() if pattern.fullmatch(label)]
