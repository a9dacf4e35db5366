"""Missing scores: what to do about them, and what systems would score on all topics, estimated from those they have.

Means over different topics cannot be compared: a system that was run on easy tasks has a higher one. So where holes
stay open, each score is taken as the sum of what its topic gives to all systems and what its system has on all topics,
by least squares:

    score of s on t = a_t + b_s + residual,    over the scores that are there.

A hole counts as a_t + b_s. The mean of a system that has all topics stays its own, and nothing is assumed of it; that
of the others assumes that a system is, on the topics that it lacks, as far ahead of the others as on those that it has.
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
    """Labels for the rows of a matrix that names no topics; they are no label that a file would have."""
    return [f"row {k + 1}" for k in range(count)]


def are_invented(topics: Sequence[str]) -> bool:
    """Whether topics were labelled by `invent_topics`."""
    return all(topic.startswith("row ") and topic[4:].isdecimal() for topic in topics)


def has_holes(values: FloatArray) -> bool:
    """Whether a score is missing."""
    with np.errstate(all="ignore"):
        total = values.sum()  # nan where any score is
    return bool(np.isnan(total) and np.isnan(values).any())


class Settled(NamedTuple):
    """What is left of a matrix when its policy for missing scores was applied, and a sentence about it."""

    values: FloatArray
    rows: IntArray
    """The topics that are kept."""
    columns: IntArray
    """The systems that are kept."""
    said: str = ""


def settle(
    values: FloatArray, topics: Sequence[str], systems: Sequence[str], missing: Missing, *, open_to_holes: bool = False
) -> Settled:
    """Apply a policy for missing scores to a matrix with nan where a system lacks a topic.

    `error` names them; `zero` scores them 0, as trec_eval -c does; `drop` keeps the topics that all systems
    have; `drop-systems` keeps the systems that have all topics; `mean` fills in a system's mean over the topics it has,
    so this is its mean, as trec_eval prints it without -c. `available` leaves the holes, and is refused here, where
    none may be left; where the caller is `open_to_holes`, messages name it as a way out.
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
        raise InputError(f"there is no score at all, of {listing(nothing)} on {listing(topics)}")
    if nothing and missing != "drop-systems":
        raise InputError(
            f"there are no scores at all of {listing(nothing)}: go on without with "
            f"{argument('missing', 'drop-systems')}"
        )
    if missing == "error":
        raise InputError(choices)
    if missing == "available":
        raise InputError(f"{argument('missing', 'available')} leaves holes, and this needs every score: {choices}")
    if missing == "zero":
        return Settled(np.where(holes, 0.0, values), rows, columns, f"{count} missing, set to 0: {who}")
    if missing == "mean":
        doubt = "tests and intervals would take the filled scores for observed ones, and be too sure"
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
    """Scores with a_t + b_s in each hole, by least squares over the others."""
    there = ~np.isnan(values)
    if there.all():
        return values
    shift = float(np.nanmean(values))  # large scores lose no digits
    known = np.where(there, values - shift, 0.0)
    turned = values.shape[0] > values.shape[1]  # solve for the shorter side
    o, x = (there.T, known.T) if turned else (there, known)
    rows, columns = o.sum(axis=1), o.sum(axis=0)
    shared = (o / columns) @ o.T
    # The normal equations with the columns' effects eliminated; they leave a constant free, which is set to 0.
    left = np.diag(rows).astype(np.float64) - shared + 1 / len(o)
    a = np.linalg.solve(left, x.sum(axis=1) - (o / columns) @ x.sum(axis=0))
    b = (x - a[:, None] * o).sum(axis=0) / columns
    expected = a[:, None] + b
    return np.where(there, values, (expected.T if turned else expected) + shift)


def influences(values: FloatArray) -> FloatArray:
    """A complete matrix whose means are those of `fitted`, its deviations what each topic adds to their error.

    Deviations are the residuals, 0 in a hole, times n / n_s for a system with n_s of n topics: their variance over the
    n topics, divided by n, is that of its mean over n_s.
    """
    there = ~np.isnan(values)
    filled = fitted(values)
    n, counts = len(values), there.sum(axis=0)
    means = filled.mean(axis=0)
    residuals = np.where(there, filled - means - (filled - means).mean(axis=1, keepdims=True), 0.0)
    residuals -= np.where(there, residuals.sum(axis=0) / counts, 0.0)
    spread = np.sqrt((n - 1) / n * counts / np.maximum(counts - 1, 1))  # counts - 1 degrees of freedom, not n - 1
    return np.asarray(means + n / counts * residuals * spread)


def refuse_empty(there: npt.NDArray[np.bool_], topics: tuple[str, ...], systems: tuple[str, ...]) -> None:
    """Raise where a topic or system has no scores."""
    for axis, noun, labels in ((0, "system", systems), (1, "topic", topics)):
        empty = np.flatnonzero(~there.any(axis=axis))
        if empty.size:
            names = [labels[k] for k in empty.tolist()]
            way_out = argument(f"{noun}s", [f"!{name}" for name in names[:3]])
            raise InputError(
                f"there are no scores at all of {noun} {listing(names)}: leave {'it' if len(names) == 1 else 'them'} "
                f"out, as in {way_out}" + (f" or {argument('missing', 'drop')}" if axis else "")
            )


def refuse_apart(there: npt.NDArray[np.bool_], systems: tuple[str, ...]) -> None:
    """Raise where systems cannot be compared, not even through others."""
    from scipy.sparse.csgraph import connected_components

    label = connected_components(there.T.astype(np.int64) @ there, directed=False)[1]
    if (label != label[0]).any():
        apart = listing(systems[k] for k in np.flatnonzero(label != label[0]))
        raise InputError(
            f"{apart} share no topic with {systems[0]}, not even through other systems, so nothing compares them: "
            "leave them out, or add systems that have topics of both"
        )
