"""Totals over topics, with ties kept despite rounding; identical systems, missing scores, groups, choices of labels.

0.1 + 0.2 is not 0.3 in floating point, and a lost tie changes a coefficient. So every mean (over all topics, a
resample or a half, or with one topic left out) uses `tied_sums`: totals of systems x and y that differ by at most

    (n / 2 + 2) eps (sum |x| + sum |y|),    eps = 2**-52,

count as equal. This is a bound on the rounding error of n additions of rounded numbers. It depends only on these two
systems. If scores have only a few decimals, unequal totals differ by much more.

Each rule for totals gives a system points on every topic. The system's total is the mean or the sum of its points, so
methods that resample topics resample points in the same way. Points depend on the compared systems, so the rules are
applied after the systems are matched.

Systems are identical if their scores on all topics differ by at most `ROUNDING` times the largest score.

Missing scores are called holes. A policy fills the holes, drops their topics or systems, or leaves them open.

Means over different topics cannot be compared, because easy topics raise them. So where holes stay open, a
least-squares fit explains each score by an effect of its topic and an effect of its system:

    score of s on t = a_t + b_s + residual,    over the observed scores.

A hole is filled with a_t + b_s. A system with scores on all topics keeps its observed mean. For the other systems we
assume that their lead on missing topics equals their lead on the rest.

The topics of one group (segments of a document, questions on a passage) count as one observation.

Methods that resample topics must then resample groups. So a matrix with a row for each topic becomes a matrix with a
row for each group, and the number of groups is the sample size:

    row of group g = mean + G / N (sum over its topics - n_g mean),    N topics in G groups, n_g of them in g.

The mean of these rows is the mean over topics. Their variance divided by G estimates the variance of that mean when
groups are drawn. The rows are linearised, as for a ratio of sums, because groups differ in size.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from .. import _kernels
from .._kernels.reference.resamples import lowest_of, to_digits
from .._kernels.reference.weighted import centred_ranks
from ..arrays import BoolArray, FloatArray, IntArray
from ..errors import ConcordantError, InputError, argument, counted, listing, named, nearest, warn

_EPS = float(np.finfo(np.float64).eps)
ROUNDING = 1e-12  # the largest difference that counts as rounding error, for scores of about 1


def mean_over_topics(values: npt.ArrayLike, axis: int = 0) -> FloatArray:
    """Compute means over `axis`; the last of the other axes holds the systems. Equal totals give equal means.

    >>> mean_over_topics([[0.1, 0.3], [0.2, 0.0]]).tolist()
    [0.15, 0.15]
    """
    # Fix the memory layout, so that the same scores are always added in the same order.
    array = np.ascontiguousarray(np.moveaxis(np.asarray(values, dtype=np.float64), axis, 0))
    n = len(array)
    sums = array.sum(axis=0)
    sizes = np.abs(array).sum(axis=0) if (array < 0).any() else sums
    found = tied_means(sums, sizes, n)
    if array.ndim == 2 and np.ptp(sums) < 1e-8 * sizes.max(initial=0.0):
        _warn_of_lost_digits(array)
    return found


def tied_means(
    sums: npt.ArrayLike, sizes: npt.ArrayLike, n: int, divisor: int | None = None, *, workers: int = 1
) -> FloatArray:
    """Compute means from sums of n terms, tied as by `tied_sums`, and rounded to 12 significant digits.

    Rounding to 12 digits removes the rounding error of the sum. Means can then be rounded further, or compared with a
    tolerance, with the same result as in a calculation by hand.

    A row stays unrounded if rounding would tie systems that are not tied.
    """
    divisor = n if divisor is None else divisor
    s = np.asarray(sums, dtype=np.float64)
    if s.size and s.ndim and sizes is sums:  # nonnegative scores are common, and 12 digits nearly always suffice
        rows = np.ascontiguousarray(s.reshape(-1, s.shape[-1]))
        found = np.empty_like(rows)
        _kernels.active.short_means(rows, divisor, _slack(n), found, workers)
        left = np.flatnonzero(np.isnan(found[:, 0]))
        if left.size:
            found[left] = _careful(rows[left], rows[left], n, divisor)
        return found.reshape(s.shape)
    return _careful(s + 0.0, np.broadcast_to(np.asarray(sizes, dtype=np.float64), s.shape), n, divisor)


def _careful(sums: FloatArray, sizes: FloatArray, n: int, divisor: int) -> FloatArray:
    """Compute `tied_means` for any scores; round only rows whose order and ties do not change."""
    means = tied_sums(sums, sizes, n) / divisor
    short = to_digits(means, sizes / divisor)
    if means.ndim == 0:
        return short
    order = np.argsort(means, axis=-1)
    steps, short_steps = (np.sign(np.diff(np.take_along_axis(x, order, axis=-1), axis=-1)) for x in (means, short))
    return np.asarray(np.where((steps == short_steps).all(axis=-1)[..., None], short, means))


def _slack(n: int) -> float:
    """Bound the rounding error of n additions of rounded numbers, relative to the sum of absolute values."""
    return (n / 2 + 2) * _EPS


def tied_sums(sums: npt.ArrayLike, sizes: npt.ArrayLike, n: int) -> FloatArray:
    """Set sums of n terms equal if they differ only by rounding error; systems are on the last axis.

    `sizes` are the sums of the terms' absolute values. In sorted order, tied neighbours get the lowest sum of their
    group. A group whose ends differ by more than rounding error is split, starting from its lowest sum.
    """
    s = np.array(sums, dtype=np.float64) + 0.0  # -0.0 becomes 0.0
    if s.ndim == 0 or s.shape[-1] < 2:
        return s
    rows, z = s.reshape(-1, s.shape[-1]), np.broadcast_to(np.asarray(sizes, dtype=np.float64), s.shape)
    z = z.reshape(rows.shape)
    slack = _slack(n)
    # Rows rarely have close sums. One sort finds the rows that may have some, with twice the largest slack of the row.
    close = np.diff(np.sort(rows, axis=1), axis=1) <= 2 * slack * z.max(axis=1, keepdims=True)
    some = np.flatnonzero(close.any(axis=1))
    if some.size:
        rows[some] = _tied(rows[some], slack * z[some])
    return s


def _tied(sums: FloatArray, slack: FloatArray) -> FloatArray:
    """Replace each sum by the lowest sum of its group of ties, row by row."""
    order = np.argsort(sums, axis=1)
    s, z = np.take_along_axis(sums, order, axis=1), np.take_along_axis(slack, order, axis=1)
    starts = np.ones(s.shape, dtype=bool)
    starts[:, 1:] = np.diff(s, axis=1) > z[:, 1:] + z[:, :-1]
    lowest = lowest_of(starts)
    shared = np.take_along_axis(s, lowest, axis=1)
    for k in np.flatnonzero((s - shared > np.take_along_axis(z, lowest, axis=1) + z).any(axis=1)):
        shared[k] = _split(s[k], z[k], starts[k])
    found = np.empty_like(sums)
    np.put_along_axis(found, order, shared, axis=1)
    return found


def _split(s: FloatArray, z: FloatArray, starts: BoolArray) -> FloatArray:
    """Split a chain of ties in a sorted row at each sum that is too far above the lowest sum in the chain."""
    shared, low = s.copy(), 0
    for k in range(1, len(s)):
        if starts[k] or s[k] - s[low] > z[low] + z[k]:
            low = k
        shared[k] = s[low]
    return shared


def identical_to(values: FloatArray) -> IntArray:
    """Return for each system the index of the first system with the same scores up to rounding, usually its own index.

    >>> identical_to(np.array([[0.3, 0.5, 0.1 + 0.2], [0.7, 0.5, 0.7]])).tolist()
    [0, 1, 0]
    """
    slack = float(np.ldexp(ROUNDING, np.frexp(np.abs(values).max(initial=0.0))[1]))
    means = values.mean(axis=0)
    order = np.argsort(means)
    first = np.arange(values.shape[1])
    # Identical systems have nearly equal means, so search only within groups of nearly equal means.
    for group in np.split(order, np.flatnonzero(np.diff(means[order]) > 2 * slack) + 1):
        left = np.sort(group)
        while left.size > 1:
            same = (np.abs(values[:, left] - values[:, left[:1]]) <= slack).all(axis=0)
            first[left[same]] = left[0]
            left = left[~same]
    return first


def _warn_of_lost_digits(values: FloatArray) -> None:
    """Warn if scores have such a large common offset that floating point leaves few digits for their differences."""
    largest = float(np.abs(values).max(initial=0.0))
    apart = float(np.ptp(values, axis=1).max(initial=0.0))
    if 0 < apart < 1e4 * _EPS * largest:
        warn(
            f"scores of up to {largest:.17g} differ by {apart:.3g} at most, so floating point keeps hardly a digit of "
            "the differences, and may add ties: subtract the same number from all scores"
        )


Total = Literal["mean", "type-mean", "borda", "mean-rank", "z-score", "win-rate"]


@dataclass(frozen=True)
class Rule:
    """A rule that computes the total of each system from its scores."""

    name: Total
    summary: str
    points: Callable[[FloatArray], FloatArray]
    """Converts scores, topics x systems, to points, higher is better. Holes stay nan unless the rule fills them."""
    column: str
    """The column title of the total in tables."""
    lower_is_better: bool | None = False
    """Whether lower totals are better in printed tables; None if totals have the same direction as the scores."""
    decimals: int = 4
    """Decimals of the totals in printed tables."""


def mean_ranks(values: FloatArray) -> FloatArray:
    """Rank the scores of each row: 1 for the largest, mean ranks for ties, nan for nan.

    This function avoids importing scipy.stats.
    """
    nothing = np.isnan(values)
    centred = centred_ranks(np.where(nothing, -np.inf, values))  # missing scores come last
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
        Rule("type-mean", "mean over types of the mean score in each type", lambda values: values, "mean", None),
        Rule("borda", "sum over topics of n systems - rank, 0 for a missing topic", _borda, "points",
             decimals=1),
        Rule("mean-rank", "mean rank on the topics", lambda values: -mean_ranks(values), "mean rank", True),
        Rule("z-score", "mean of the scores standardised within each topic", _z_scores, "mean z"),
        Rule("win-rate", "mean share of other systems that a system beats, a tie counts half", _win_rates,
             "win rate"),
    )
}  # fmt: skip


def type_weights(types: Sequence[str]) -> FloatArray:
    """Compute weights of topics that make all types count equally: n / (number of types * topics in the type)."""
    _, which, counts = np.unique(types, return_inverse=True, return_counts=True)
    return np.asarray(len(types) / (len(counts) * counts[which.ravel()])[:, None])


Missing = Literal["error", "zero", "drop", "drop-systems", "mean", "available"]
ASSUMED = "we assume that a system's lead on the topics that it lacks equals its lead on the rest"
_AVAILABLE = "'available' leaves them open and compares two systems on the topics that both have"


def invent_topics(count: int) -> list[str]:
    """Make labels for the rows of a matrix without topic names. Files do not use such labels."""
    return [f"row {k + 1}" for k in range(count)]


def are_invented(topics: Sequence[str]) -> bool:
    """Tell whether `invent_topics` made these labels."""
    return all(topic.startswith("row ") and topic[4:].isdecimal() for topic in topics)


def has_holes(values: FloatArray) -> bool:
    """Tell whether any score is missing."""
    with np.errstate(all="ignore"):
        total = values.sum()  # nan if any score is nan
    return bool(np.isnan(total) and np.isnan(values).any())


def settle(
    values: FloatArray, topics: Sequence[str], systems: Sequence[str], missing: Missing, *, open_to_holes: bool = False
) -> tuple[FloatArray, IntArray, IntArray, str]:
    """Apply a policy for missing scores to a matrix with nan where a system lacks a topic.

    Returns the new matrix, the indices of the topics and systems that are kept, and a sentence about what changed.

    `error` raises an error that lists the missing scores; `zero` sets them to 0, as trec_eval -c does; `drop` keeps the
    topics that all systems have; `drop-systems` keeps the systems that have all topics. `mean` fills in a system's mean
    over its other topics, which gives the mean that trec_eval prints without -c. `available`, which leaves scores
    missing, is refused here; error messages suggest it if the caller accepts missing scores (`open_to_holes`).
    """
    holes, rows, columns = np.isnan(values), np.arange(len(topics)), np.arange(len(systems))
    bad_systems, bad_topics = np.flatnonzero(holes.any(axis=0)), np.flatnonzero(holes.any(axis=1))
    count = f"{counted(int(holes.sum()), 'score')} of {counted(len(bad_systems), 'system')}"
    who = _who(holes, topics, systems)
    choices = (
        f"{who} (of {counted(len(topics), 'topic')}). Choose with {argument('missing')}: 'zero' scores them 0 (as "
        "trec_eval -c), 'drop' keeps the topics that all systems have, 'drop-systems' keeps the systems that have all "
        f"topics{', ' + _AVAILABLE if open_to_holes else ''}"
    )
    nothing = [systems[k] for k in np.flatnonzero(holes.all(axis=0)).tolist()]
    if len(nothing) == len(systems):
        raise InputError(f"there are no scores at all for {listing(nothing)} on {listing(topics)}")
    if nothing and missing != "drop-systems":
        raise InputError(
            f"there are no scores at all for {listing(nothing)}: to leave out such systems, write "
            f"{argument('missing', 'drop-systems')}"
        )
    if missing == "error":
        raise InputError(choices)
    if missing == "available":
        raise InputError(f"{argument('missing', 'available')} leaves holes, but all scores are needed here: {choices}")
    if missing == "zero":
        return np.where(holes, 0.0, values), rows, columns, f"{count} missing, set to 0: {who}"
    if missing == "mean":
        doubt = "tests and intervals would treat the filled scores as observed, and be too confident"
        said = f"{count} missing, set to the mean of the others: {who}. This is for means only: {doubt}"
        return np.where(holes, np.nanmean(values, axis=0), values), rows, columns, said
    noun, labels, bad, none_left, why = (
        ("topic", topics, bad_topics, "no topic is shared by all systems", "not every system has them")
        if missing == "drop"
        else ("system", systems, bad_systems, "no system has all topics", "they lack topics")
    )
    if len(bad) == len(labels):
        raise InputError(f"{none_left}: {choices}")
    rows, columns = (np.setdiff1d(rows, bad), columns) if missing == "drop" else (rows, np.setdiff1d(columns, bad))
    lost = listing([labels[k] for k in bad.tolist()])
    said = f"{counted(len(bad), noun)} dropped of {len(labels)}, because {why}: {lost}"
    return values[np.ix_(rows, columns)], rows, columns, said


def _who(holes: BoolArray, topics: Sequence[str], systems: Sequence[str], most: int = 5) -> str:
    bad = [int(k) for k in np.flatnonzero(holes.any(axis=0))]
    named_topics = 12 if len(bad) == 1 else 3
    parts = [
        f"{systems[k]} lacks {'topic' if holes[:, k].sum() == 1 else 'topics'} "
        + listing((topics[int(i)] for i in np.flatnonzero(holes[:, k])), named_topics)
        for k in bad[:most]
    ]
    return "; ".join(parts) + (f"; and {counted(len(bad) - most, 'more system')}" if len(bad) > most else "")


def fitted(values: FloatArray) -> FloatArray:
    """Fill each hole with a_t + b_s, which are fitted to the observed scores by least squares."""
    there = ~np.isnan(values)
    if there.all():
        return values
    shift = float(np.nanmean(values))  # subtracted so that large scores keep their digits
    known = np.where(there, values - shift, 0.0)
    turned = values.shape[0] > values.shape[1]  # solve for the effects on the shorter axis
    o, x = (there.T, known.T) if turned else (there, known)
    rows, columns = o.sum(axis=1), o.sum(axis=0)
    shared = (o / columns) @ o.T
    # Eliminating b_s = (sum over t of x_ts - a_t) / n_s leaves the normal equations for a_t, singular by a constant:
    # (diag(rows) - O diag(1/columns) O') a = x 1 - O diag(1/columns) x' 1. Adding 1/len(o) sets sum a_t to 0.
    left = np.diag(rows).astype(np.float64) - shared + 1 / len(o)
    a = np.linalg.solve(left, x.sum(axis=1) - (o / columns) @ x.sum(axis=0))
    b = (x - a[:, None] * o).sum(axis=0) / columns
    expected = a[:, None] + b
    return np.where(there, values, (expected.T if turned else expected) + shift)


def influences(values: FloatArray) -> FloatArray:
    """Make a complete matrix whose column means are those of `fitted` and whose deviations give their variances.

    A deviation is 0 in a hole; otherwise it is the residual times n / n_s, for a system with n_s of n topics. The
    variance of the deviations over n topics, divided by n, is the variance of a mean over n_s topics.
    """
    there = ~np.isnan(values)
    filled = fitted(values)
    n, counts = len(values), there.sum(axis=0)
    means = filled.mean(axis=0)
    residuals = np.where(there, filled - means - (filled - means).mean(axis=1, keepdims=True), 0.0)
    residuals -= np.where(there, residuals.sum(axis=0) / counts, 0.0)
    spread = np.sqrt((n - 1) / n * counts / np.maximum(counts - 1, 1))  # for n_s - 1 degrees of freedom
    return np.asarray(means + n / counts * residuals * spread)


def refuse_empty(there: BoolArray, systems: tuple[str, ...]) -> None:
    """Raise an error if a system has no scores."""
    names = [systems[k] for k in np.flatnonzero(~there.any(axis=0)).tolist()]
    if names:
        raise InputError(
            f"there are no scores at all for system {listing(names)}: leave {'it' if len(names) == 1 else 'them'} "
            f"out, with {argument('systems', [f'!{name}' for name in names])}"
        )


def refuse_apart(there: BoolArray, systems: tuple[str, ...]) -> None:
    """Raise an error unless shared topics link all systems, directly or through other systems."""
    from scipy.sparse.csgraph import connected_components

    label = connected_components(there.T.astype(np.int64) @ there, directed=False)[1]
    if (label != label[0]).any():
        apart = [systems[k] for k in np.flatnonzero(label != label[0])]
        share = "shares" if len(apart) == 1 else "share"
        raise InputError(
            f"{listing(apart)} {share} no topic with {systems[0]}, even through other systems, so they cannot be "
            "compared: leave them out, or add systems that have topics of both"
        )


# Groups of topics ----------------------------------------------------------------------------------------------------

FEW = 20  # with fewer groups of equal size, tests reject too often (docs/measured/boards.md)
_SEGMENT = re.compile(r"(.+)#\d+", re.DOTALL)


def documents_of(topics: Sequence[str]) -> dict[str, str] | None:
    """Map topics such as WMT's segments to their documents; None unless all topics are segments.

    >>> documents_of(["news1#0", "news1#1", "news2#0"])
    {'news1#0': 'news1', 'news1#1': 'news1', 'news2#0': 'news2'}
    """
    found = {topic: segment[1] for topic in topics if (segment := _SEGMENT.fullmatch(topic))}
    return found if len(found) == len(topics) and 1 < len(set(found.values())) < len(found) else None


def require_labels(labels: Sequence[str], topics: Sequence[str], name: str) -> None:
    """Raise an error if a topic has no label, such as its group or its cost."""
    lacking = [topic for topic, label in zip(topics, labels, strict=True) if not label]
    if lacking:
        raise InputError(
            f"{named(name)} lacks {len(lacking)} of {counted(len(topics), 'topic')}: {listing(lacking)}. Name the "
            f"topics as in the scores, and give each one a {name.removesuffix('s')}"
        )


def places_of_groups(groups: Sequence[str], topics: Sequence[str]) -> tuple[tuple[str, ...], IntArray]:
    """Return the groups in order of appearance, and the index of each topic's group."""
    require_labels(groups, topics, "groups")
    names = tuple(dict.fromkeys(groups))
    if len(names) < 2:
        raise InputError(
            f"{named('groups')} has {counted(len(names), 'group')} for {counted(len(topics), 'topic')}: at least 2 are "
            "needed to estimate the error of the means. To resample single topics, write " + argument("groups", "none")
        )
    place = {name: k for k, name in enumerate(names)}
    return names, np.array([place[group] for group in groups])


def group_rows(values: FloatArray, groups: IntArray) -> FloatArray:
    """Compute one row for each group, column by column; nan where a column has no score on the group's topics."""
    there = ~np.isnan(values)
    member = (groups == np.arange(int(groups.max()) + 1)[:, None]).astype(np.float64)
    sums, counts = member @ np.where(there, values, 0.0), member @ there
    n = np.maximum(counts.sum(axis=0), 1)
    means, share = sums.sum(axis=0) / n, (counts > 0).sum(axis=0) / n
    return np.where(counts > 0, means + share * (sums - counts * means), np.nan)


def doubts_about_sizes(groups: Sequence[str] | None) -> tuple[str, ...]:
    """Return a warning if a few groups hold most of the topics; otherwise return an empty tuple.

    A mean over groups of n_g topics varies like a mean over (sum n_g)^2 / sum n_g^2 groups of equal size (Kish).
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
    """Tell whether a choice names labels to read, and not only exclusions."""
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
    """Return the same indices as `chosen`, but raise an error for an unknown name and warn about unknown exclusions.

    `left_out` are labels that this choice has already excluded.
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
    """Return the index of a label, or of all labels that match a pattern. Brackets are literal, as in STS22[dev]."""
    if name in places or not {"*", "?"} & set(name):
        return [places[name]] if name in places else []
    pattern = re.compile(re.escape(name).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
    return [k for label, k in places.items() if pattern.fullmatch(label)]
