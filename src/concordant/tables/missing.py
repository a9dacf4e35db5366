"""Topics that a system lacks, and rows and columns that are no topics or systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray
from ..errors import ConcordantError, InputError, warn
from ..words import counted, listing
from .cells import Origin, warn_of
from .vocabulary import SUMMARY, error_of_another, is_summary

Missing = Literal["error", "zero", "drop", "drop-systems", "mean"]


def check_missing(missing: Missing) -> None:
    """Refuse what is no policy for missing topics."""
    if missing not in get_args(Missing):
        raise InputError(f"missing is {missing!r}: use one of {', '.join(map(repr, get_args(Missing)))}")


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


def fill_or_drop(
    values: FloatArray, topics: list[str], systems: list[str], missing: Missing, origin: Origin | None = None
) -> tuple[FloatArray, list[str], list[str]]:
    """Apply the policy for missing topics to a matrix with NaN where a system lacks a topic; refuse errors as scores.

    `error` names them; `zero` scores them 0, as trec_eval -c does; `drop` keeps the topics that all systems
    have; `drop-systems` keeps the systems that have all topics; `mean` fills in a system's mean over the topics it has,
    so that this is its mean, as trec_eval prints it without -c. Whatever is filled or dropped is warned of. Messages
    name the `origin`.
    """
    check_missing(missing)

    def refused(message: str) -> ConcordantError:
        return InputError(message) if origin is None else origin.error(message)

    def said(message: str) -> None:
        warn(message) if origin is None else warn_of(origin, message)

    for noun, labels in (("topic", topics), ("system", systems)):
        if (wrong := error_of_another(labels)) is not None:
            raise refused(f"{noun} {wrong!r} is named as the error of another {noun}: leave it out, or rename it")
    holes = np.isnan(values)
    if not holes.any():
        return values, topics, systems
    bad_systems, bad_topics = np.flatnonzero(holes.any(axis=0)), np.flatnonzero(holes.any(axis=1))
    count = f"{counted(int(holes.sum()), 'score')} of {counted(len(bad_systems), 'system')}"
    who = _who(holes, topics, systems)
    choices = (
        f"{who} (of {counted(len(topics), 'topic')}). Choose with missing=: 'zero' scores them 0 (as trec_eval -c), "
        "'drop' keeps the topics that all systems have, 'drop-systems' keeps the systems that have all topics"
    )
    if missing == "error":
        raise refused(choices)
    if missing == "zero":
        said(f"{count} missing, set to 0: {who}")
        return np.where(holes, 0.0, values), topics, systems
    if missing == "mean":
        if holes.all(axis=0).any():
            raise refused(f"{systems[int(holes.all(axis=0).argmax())]} has no topics, so no mean: leave it out")
        said(
            f"{count} missing, set to the mean of the others: {who}. This is for means only: tests and intervals would "
            "take the filled scores for observed ones, and be too sure"
        )
        return np.where(holes, np.nanmean(values, axis=0), values), topics, systems
    if missing == "drop":
        if len(bad_topics) == len(topics):
            raise refused(f"no topic is shared by all systems: {choices}")
        lost = listing([topics[k] for k in bad_topics])
        said(f"{counted(len(bad_topics), 'topic')} dropped of {len(topics)}, because not every system has them: {lost}")
        kept = np.setdiff1d(np.arange(len(topics)), bad_topics)
        return values[kept], [topics[k] for k in kept], systems
    if len(bad_systems) == len(systems):
        raise refused(f"no system has all topics: {choices}")
    lost = listing([systems[k] for k in bad_systems])
    said(f"{counted(len(bad_systems), 'system')} dropped of {len(systems)}, because they lack topics: {lost}")
    kept = np.setdiff1d(np.arange(len(systems)), bad_systems)
    return values[:, kept], topics, [systems[k] for k in kept]


def _who(holes: npt.NDArray[np.bool_], topics: Sequence[str], systems: Sequence[str], most: int = 5) -> str:
    bad = [int(k) for k in np.flatnonzero(holes.any(axis=0))]
    parts = [
        f"{systems[k]} lacks {'topic' if holes[:, k].sum() == 1 else 'topics'} "
        + listing(topics[int(i)] for i in np.flatnonzero(holes[:, k]))
        for k in bad[:most]
    ]
    return "; ".join(parts) + (f"; and {len(bad) - most} more systems" if len(bad) > most else "")
