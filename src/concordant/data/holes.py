"""Policies for missing scores ("holes"), and estimates of means over all topics despite them.

Means over different topics cannot be compared: easy topics raise them. So where holes stay open, least squares fits
each score by an effect of its topic and an effect of its system:

    score of s on t = a_t + b_s + residual,    over the observed scores.

A hole counts as a_t + b_s. A system with all topics keeps its observed mean. For the others we assume that their lead
on missing topics equals their lead on the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..errors import InputError
from ..words import argument, counted, listing

Missing = Literal["error", "zero", "drop", "drop-systems", "mean", "available"]
ASSUMED = "we assume that a system's lead on the topics that it lacks equals its lead on the rest"
_AVAILABLE = "'available' leaves them open and compares two systems on the topics that both have"


def invent_topics(count: int) -> list[str]:
    """Label the rows of a matrix without topic names, unlike any label in a file."""
    return [f"row {k + 1}" for k in range(count)]


def are_invented(topics: Sequence[str]) -> bool:
    """Tell whether `invent_topics` made these labels."""
    return all(topic.startswith("row ") and topic[4:].isdecimal() for topic in topics)


def has_holes(values: FloatArray) -> bool:
    """Tell whether a score is missing."""
    with np.errstate(all="ignore"):
        total = values.sum()  # nan if any score is nan
    return bool(np.isnan(total) and np.isnan(values).any())


class Settled(NamedTuple):
    """A matrix after its policy for missing scores was applied, and a sentence about the change."""

    values: FloatArray
    rows: IntArray
    """Indices of the topics kept."""
    columns: IntArray
    """Indices of the systems kept."""
    said: str = ""


def settle(
    values: FloatArray, topics: Sequence[str], systems: Sequence[str], missing: Missing, *, open_to_holes: bool = False
) -> Settled:
    """Apply a policy for missing scores to a matrix with nan where a system lacks a topic.

    `error` lists them; `zero` scores them 0, as trec_eval -c does; `drop` keeps the topics that all systems have;
    `drop-systems` keeps the systems that have all topics. `mean` fills in a system's mean over its other topics, which
    gives the mean that trec_eval prints without -c. `available` would leave the holes, and is refused here; messages
    suggest it if the caller is `open_to_holes`.
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
        return Settled(np.where(holes, 0.0, values), rows, columns, f"{count} missing, set to 0: {who}")
    if missing == "mean":
        doubt = "tests and intervals would treat the filled scores as observed, and be too confident"
        said = f"{count} missing, set to the mean of the others: {who}. This is for means only: {doubt}"
        return Settled(np.where(holes, np.nanmean(values, axis=0), values), rows, columns, said)
    if missing == "drop":
        if len(bad_topics) == len(topics):
            raise InputError(f"no topic is shared by all systems: {choices}")
        kept = np.setdiff1d(rows, bad_topics)
        dropped = f"{counted(len(bad_topics), 'topic')} dropped of {len(topics)}"
        said = f"{dropped}, because not every system has them: {listing([topics[k] for k in bad_topics.tolist()])}"
        return Settled(values[kept], kept, columns, said)
    if len(bad_systems) == len(systems):
        raise InputError(f"no system has all topics: {choices}")
    kept = np.setdiff1d(columns, bad_systems)
    dropped = f"{counted(len(bad_systems), 'system')} dropped of {len(systems)}"
    said = f"{dropped}, because they lack topics: {listing([systems[k] for k in bad_systems.tolist()])}"
    return Settled(values[:, kept], rows, kept, said)


def _who(holes: npt.NDArray[np.bool_], topics: Sequence[str], systems: Sequence[str], most: int = 5) -> str:
    bad = [int(k) for k in np.flatnonzero(holes.any(axis=0))]
    named_topics = 12 if len(bad) == 1 else 3
    parts = [
        f"{systems[k]} lacks {'topic' if holes[:, k].sum() == 1 else 'topics'} "
        + listing((topics[int(i)] for i in np.flatnonzero(holes[:, k])), named_topics)
        for k in bad[:most]
    ]
    return "; ".join(parts) + (f"; and {len(bad) - most} more systems" if len(bad) > most else "")


def fitted(values: FloatArray) -> FloatArray:
    """Fill each hole with a_t + b_s, fitted by least squares to the other scores."""
    there = ~np.isnan(values)
    if there.all():
        return values
    shift = float(np.nanmean(values))  # so that large scores keep their digits
    known = np.where(there, values - shift, 0.0)
    turned = values.shape[0] > values.shape[1]  # solve for the shorter side
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
    """Make a complete matrix with the means of `fitted` and deviations that show the errors of these means.

    Deviations are residuals, 0 in a hole, times n / n_s for a system with n_s of n topics. Their variance over n
    topics, divided by n, is the variance of a mean over n_s topics.
    """
    there = ~np.isnan(values)
    filled = fitted(values)
    n, counts = len(values), there.sum(axis=0)
    means = filled.mean(axis=0)
    residuals = np.where(there, filled - means - (filled - means).mean(axis=1, keepdims=True), 0.0)
    residuals -= np.where(there, residuals.sum(axis=0) / counts, 0.0)
    spread = np.sqrt((n - 1) / n * counts / np.maximum(counts - 1, 1))  # for n_s - 1 degrees of freedom
    return np.asarray(means + n / counts * residuals * spread)


def refuse_empty(there: npt.NDArray[np.bool_], topics: tuple[str, ...], systems: tuple[str, ...]) -> None:
    """Raise if a topic or a system has no scores."""
    for axis, noun, labels in ((0, "system", systems), (1, "topic", topics)):
        empty = np.flatnonzero(~there.any(axis=axis))
        if empty.size:
            names = [labels[k] for k in empty.tolist()]
            way_out = argument(f"{noun}s", [f"!{name}" for name in names[:3]])
            raise InputError(
                f"there are no scores at all for {noun} {listing(names)}: leave {'it' if len(names) == 1 else 'them'} "
                f"out, as in {way_out}" + (f" or {argument('missing', 'drop')}" if axis else "")
            )


def refuse_apart(there: npt.NDArray[np.bool_], systems: tuple[str, ...]) -> None:
    """Raise if systems share no topics, directly or through other systems."""
    from scipy.sparse.csgraph import connected_components

    label = connected_components(there.T.astype(np.int64) @ there, directed=False)[1]
    if (label != label[0]).any():
        apart = listing(systems[k] for k in np.flatnonzero(label != label[0]))
        raise InputError(
            f"{apart} share no topic with {systems[0]}, even through other systems, so they cannot be compared: "
            "leave them out, or add systems that have topics of both"
        )
