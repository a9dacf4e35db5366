"""Topics that a system lacks, and rows and columns that are no topics or systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..errors import ConcordantError, InputError
from ..words import argument, counted, listing, named
from .cells import Origin, warn_of
from .vocabulary import SUMMARY, error_of_another, is_summary

Filling = Literal["error", "zero", "drop", "drop-systems", "mean"]
Missing = Literal["error", "zero", "drop", "drop-systems", "mean", "available"]


_AVAILABLE = "'available' leaves them open and compares two systems on the topics that both have"


def check_missing(missing: Missing) -> None:
    """Refuse what is no policy for missing topics."""
    if missing not in get_args(Missing):
        raise InputError(f"{named('missing')} is {missing!r}: use one of {', '.join(map(repr, get_args(Missing)))}")


def invent_topics(count: int) -> list[str]:
    """Labels for the rows of a matrix that names no topics; they are no label that a file would have."""
    return [f"row {k + 1}" for k in range(count)]


def are_invented(topics: Sequence[str]) -> bool:
    """Whether topics were labelled by `invent_topics`."""
    return all(topic.startswith("row ") and topic[4:].isdecimal() for topic in topics)


def warn_of_summaries(origin: Origin, topics: Iterable[str]) -> None:
    """Warn of the rows that are left out as summaries, unless they have the name that tools give to them."""
    left = dict.fromkeys(topic for topic in topics if is_summary(topic) and topic.lower() not in SUMMARY)
    if left:
        warn_of(
            origin,
            f"left out, because rows of this name summarise topics: {listing(left)}; rename them if they are topics",
        )


def warn_of_lost(origin: Origin, measure: str, topics: Iterable[str], kept: Iterable[str]) -> None:
    """Warn of topics that have scores, but none of the measure that is read."""
    lost = dict.fromkeys(topics).keys() - set(kept)
    lost = {topic for topic in lost if not is_summary(topic)}
    if lost:
        warn_of(origin, f"topics without {measure!r} left out: {listing(sorted(lost))}")


class Filled(NamedTuple):
    """A matrix without holes, and what was done about them: "" for nothing."""

    values: FloatArray
    topics: list[str]
    systems: list[str]
    said: str = ""


def refuse_errors(topics: Sequence[str], systems: Sequence[str], origin: Origin | None = None) -> None:
    """Refuse labels that say that the scores are the errors of others."""
    for noun, labels in (("topic", topics), ("system", systems)):
        if (wrong := error_of_another(labels)) is not None:
            way_out = argument(f"{noun}s", [f"!{wrong}"])
            message = f"{noun} {wrong!r} is named as the error of another {noun}: leave it out with {way_out}"
            raise InputError(message) if origin is None else origin.error(message)


def refuse_best_zeros(missing: Missing, lower_is_better: bool, origin: Origin | None = None) -> None:
    """Refuse to score missing topics 0 where that would be the best score."""
    if missing == "zero" and lower_is_better:
        message = (
            f"{argument('missing', 'zero')} would give the best score to a missing topic, because lower is better: use "
            "'drop'"
        )
        raise InputError(message) if origin is None else origin.error(message)


def has_holes(values: FloatArray) -> bool:
    """Whether a score is missing."""
    with np.errstate(all="ignore"):
        total = values.sum()  # nan where any score is
    return bool(np.isnan(total) and np.isnan(values).any())


def fill_or_drop(
    values: FloatArray,
    topics: list[str],
    systems: list[str],
    missing: Missing,
    origin: Origin | None = None,
    *,
    open_to_holes: bool = False,
) -> Filled:
    """Apply the policy for missing topics to a matrix with NaN where a system lacks a topic.

    `error` names them; `zero` scores them 0, as trec_eval -c does; `drop` keeps the topics that all systems
    have; `drop-systems` keeps the systems that have all topics; `mean` fills in a system's mean over the topics it has,
    so this is its mean, as trec_eval prints it without -c. The result says what was filled or dropped. `available`
    leaves the holes, and is refused here, where none may be left; where the caller is `open_to_holes`, messages name it
    as a way out. Messages name the `origin`.
    """
    check_missing(missing)

    def refused(message: str) -> ConcordantError:
        return InputError(message) if origin is None else origin.error(message)

    def said(message: str) -> str:
        return message if origin is None else f"{origin.label}: {message}"

    if not has_holes(values):
        return Filled(values, topics, systems)
    holes = np.isnan(values)
    bad_systems, bad_topics = np.flatnonzero(holes.any(axis=0)), np.flatnonzero(holes.any(axis=1))
    count = f"{counted(int(holes.sum()), 'score')} of {counted(len(bad_systems), 'system')}"
    who = _who(holes, topics, systems)
    choices = (
        f"{who} (of {counted(len(topics), 'topic')}). Choose with {argument('missing')}: 'zero' scores them 0 (as "
        "trec_eval -c), 'drop' keeps the topics that all systems have, 'drop-systems' keeps the systems that have all "
        f"topics{', ' + _AVAILABLE if open_to_holes else ''}"
    )
    if missing == "error":
        raise refused(choices)
    if missing == "available":
        raise refused(f"{argument('missing', 'available')} leaves holes, and this needs every score: {choices}")
    if missing == "zero":
        return Filled(np.where(holes, 0.0, values), topics, systems, said(f"{count} missing, set to 0: {who}"))
    if missing == "mean":
        if holes.all(axis=0).any():
            raise refused(f"{systems[int(holes.all(axis=0).argmax())]} has no topics, so no mean: leave it out")
        doubt = "tests and intervals would take the filled scores for observed ones, and be too sure"
        what = said(f"{count} missing, set to the mean of the others: {who}. This is for means only: {doubt}")
        return Filled(np.where(holes, np.nanmean(values, axis=0), values), topics, systems, what)
    if missing == "drop":
        if len(bad_topics) == len(topics):
            raise refused(f"no topic is shared by all systems: {choices}")
        lost = listing([topics[k] for k in bad_topics])
        dropped = f"{counted(len(bad_topics), 'topic')} dropped of {len(topics)}"
        kept = np.setdiff1d(np.arange(len(topics)), bad_topics)
        what = said(f"{dropped}, because not every system has them: {lost}")
        return Filled(values[kept], [topics[k] for k in kept], systems, what)
    if len(bad_systems) == len(systems):
        raise refused(f"no system has all topics: {choices}")
    lost = listing([systems[k] for k in bad_systems])
    dropped = f"{counted(len(bad_systems), 'system')} dropped of {len(systems)}"
    kept = np.setdiff1d(np.arange(len(systems)), bad_systems)
    what = said(f"{dropped}, because they lack topics: {lost}")
    return Filled(values[:, kept], topics, [systems[k] for k in kept], what)


def _who(holes: npt.NDArray[np.bool_], topics: Sequence[str], systems: Sequence[str], most: int = 5) -> str:
    bad = [int(k) for k in np.flatnonzero(holes.any(axis=0))]
    named_topics = 12 if len(bad) == 1 else 3
    parts = [
        f"{systems[k]} lacks {'topic' if holes[:, k].sum() == 1 else 'topics'} "
        + listing((topics[int(i)] for i in np.flatnonzero(holes[:, k])), named_topics)
        for k in bad[:most]
    ]
    return "; ".join(parts) + (f"; and {len(bad) - most} more systems" if len(bad) > most else "")
