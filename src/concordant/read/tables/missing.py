"""Rows and columns that are no topics or systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...errors import InputError
from ...words import argument, listing
from .cells import Origin, warn_of
from .vocabulary import SUMMARY, error_of_another, is_summary


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


def refuse_errors(topics: Sequence[str], systems: Sequence[str], origin: Origin | None = None) -> None:
    """Refuse labels that say that the scores are the errors of others."""
    for noun, labels in (("topic", topics), ("system", systems)):
        if (wrong := error_of_another(labels)) is not None:
            way_out = argument(f"{noun}s", [f"!{wrong}"])
            message = f"{noun} {wrong!r} is named as the error of another {noun}: leave it out with {way_out}"
            raise InputError(message) if origin is None else origin.error(message)
