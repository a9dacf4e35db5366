"""Groups of topics, and choices of systems or topics by their labels.

Topics of one group (segments of a document, questions on a passage) are one observation.

Whatever resamples topics must then resample groups. So a matrix of topics becomes a matrix with one row for each group,
and the number of groups is the sample size:

    row of group g = mean + G / N (sum over its topics - n_g mean),    N topics in G groups, n_g of them in g.

The mean of these rows is the mean over topics. Their variance divided by G estimates the variance of that mean when
groups are drawn. It is linearised, as for a ratio of sums, because groups differ in size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import ConcordantError, InputError, argument, counted, listing, named, nearest, warn

FEW = 20  # with fewer groups of equal size, tests reject too often (docs/measured/boards.md)


_SEGMENT = re.compile(r"(.+)#\d+", re.DOTALL)


def documents_of(topics: Sequence[str]) -> dict[str, str] | None:
    """Map topics such as WMT's segments to their documents; None if not all topics are segments.

    >>> documents_of(["news1#0", "news1#1", "news2#0"])
    {'news1#0': 'news1', 'news1#1': 'news1', 'news2#0': 'news2'}
    """
    found = {topic: segment[1] for topic in topics if (segment := _SEGMENT.fullmatch(topic))}
    return found if len(found) == len(topics) and 1 < len(set(found.values())) < len(found) else None


def require_labels(labels: Sequence[str], topics: Sequence[str], name: str) -> None:
    """Raise if a topic has no group, or no type."""
    lacking = [topic for topic, label in zip(topics, labels, strict=True) if not label]
    if lacking:
        raise InputError(
            f"{named(name)} lacks {counted(len(lacking), 'topic')} of {len(topics)}: {listing(lacking)}. Name the "
            f"topics as the scores do, and give every one of them a {name.removesuffix('s')}"
        )


def places_of_groups(groups: Sequence[str], topics: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """Return the groups in order of appearance, and the index of each topic's group."""
    require_labels(groups, topics, "groups")
    names = tuple(dict.fromkeys(groups))
    if len(names) < 2:
        raise InputError(
            f"{named('groups')} has {counted(len(names), 'group')} for {counted(len(topics), 'topic')}: at least 2 are "
            "needed to estimate the error of the means. To use single topics, write " + argument("groups", "none")
        )
    place = {name: k for k, name in enumerate(names)}
    return names, np.array([place[group] for group in groups])


def group_rows(values: FloatArray, groups: IntArray) -> FloatArray:
    """Compute the rows of groups, column by column; nan if a column has no topic of the group."""
    there = ~np.isnan(values)
    member = (groups == np.arange(int(groups.max()) + 1)[:, None]).astype(np.float64)
    sums, counts = member @ np.where(there, values, 0.0), member @ there
    n = np.maximum(counts.sum(axis=0), 1)
    means, share = sums.sum(axis=0) / n, (counts > 0).sum(axis=0) / n
    return np.where(counts > 0, means + share * (sums - counts * means), np.nan)


def doubts_about_sizes(groups: Sequence[str] | None) -> tuple[str, ...]:
    """Warn in a sentence if few groups hold most of the topics.

    Means over groups of n_g topics vary like means over (sum n_g)^2 / sum n_g^2 groups of equal size (Kish).
    """
    if groups is None:
        return ()
    sizes = np.unique(groups, return_counts=True)[1]
    count = len(groups) ** 2 / float((sizes**2).sum())
    if count >= min(FEW, len(sizes) / 2):
        return ()
    return (
        f"{counted(len(sizes), 'group')} of very different size count as about {count:.0f} of equal size: with so few, "
        "intervals are too short and tests reject too often",
    )


# Choices of systems or topics: names, patterns such as STS*, and exclusions such as !AFQMC ----------------------------


def says_which(wanted: Iterable[str] | None) -> bool:
    """Tell whether a choice names something to read, not only exclusions."""
    return wanted is not None and not all(name.startswith("!") for name in wanted)


def chosen(wanted: Iterable[str] | None, labels: Sequence[str]) -> list[int]:
    """Return the indices of the chosen labels, in the order of the choice. Ignore unknown names.

    An exact match comes before a pattern, so labels may contain `*` and `!`.

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
    """Return what `chosen` returns; raise for an unknown name, and warn of an unknown exclusion.

    `left_out` are labels that the same choice has excluded before.
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
    """Return the places of a label, or of all that match a pattern. Brackets are literal: STS22[dev] is a label."""
    if name in places or not {"*", "?"} & set(name):
        return [places[name]] if name in places else []
    pattern = re.compile(re.escape(name).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
    return [k for label, k in places.items() if pattern.fullmatch(label)]
