"""`align`: the same systems and topics on all sides, matched by name, and what each side lost."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from .errors import AlignmentWarning, InputError, InputTypeError
from .incomplete import ASSUMED, left_open
from .results import as_html
from .scores import Means, Scores, scores_or_means
from .tables import Unfilled, are_invented
from .words import argument, counted, listing, named, one_line

On: TypeAlias = Literal["both", "systems"]
Side: TypeAlias = "Scores | Means | Unfilled"


@dataclass(frozen=True)
class Alignment:
    """Scores brought to the same systems and topics, and what each side had that another lacks."""

    scores: tuple[Any, ...]
    """`Scores`, or `Means` for a side without topics."""
    on: On
    names: tuple[str, ...]
    """What the sides are called."""
    dropped_systems: tuple[tuple[str, ...], ...]
    dropped_topics: tuple[tuple[str, ...], ...]
    filled: tuple[str, ...] = ()
    """What was done about topics that a system lacks."""
    hint: str = ""
    """What else one can do where the topics differ, if anything."""

    @property
    def complete(self) -> bool:
        """Whether nothing was left out or filled in on any side."""
        return not any(self.dropped_systems) and not any(self.dropped_topics) and not self.filled

    @property
    def notes(self) -> tuple[str, ...]:
        """What each side lost, one sentence for its systems and one for its topics; and what was filled in."""
        notes = [
            f"{counted(len(lost), noun)} of {self.names[k]} left out, because "
            f"{f'{self.names[1 - k]} lacks' if len(self.names) == 2 else 'not all sides have'} "
            f"{'it' if len(lost) == 1 else 'them'}: {listing(lost)}{more}"
            for k in range(len(self.names))
            for lost, noun, more in (
                (self.dropped_systems[k], "system", ""),
                (self.dropped_topics[k], "topic", f" ({self.hint})" if self.hint else ""),
            )
            if lost
        ]
        return (*self.filled, *notes)

    def __str__(self) -> str:
        parts = [
            f"{counted(len(labels), noun)} of {one_line(self.names[k])} ({listing(labels)})"
            for k in range(len(self.scores))
            for labels, noun in ((self.dropped_systems[k], "system"), (self.dropped_topics[k], "topic"))
            if labels
        ]
        kept = counted(len(self.scores[0].systems), "system")
        if self.on == "both":
            kept += f" and {counted(len(self.scores[0].topics), 'topic')}"
        return "; ".join([f"{kept} on all sides; left out: {'; '.join(parts) or 'nothing'}", *self.filled])

    def _repr_html_(self) -> str:
        return as_html(str(self))


def align(*scores: Scores, on: On = "both") -> tuple[Scores, ...]:
    """Bring scores to the same systems and topics, in the order of the first.

    Parameters
    ----------
    *scores : Scores
        Two or more sides.
    on : {"both", "systems"}
        "both": the same systems and the same topics. "systems": the same systems, each side with its own topics.

    Returns
    -------
    tuple of Scores
        What not every side has is left out, with an `AlignmentWarning` that says what; `alignment` gives it as data.

    Examples
    --------
    >>> import concordant as cc
    >>> a = cc.Scores([[1, 2], [3, 4]], ["1", "2"], ["x", "y"])
    >>> b = cc.Scores([[5, 6], [7, 8]], ["2", "1"], ["y", "x"])
    >>> [s.values.tolist() for s in cc.align(a, b)]
    [[[1.0, 2.0], [3.0, 4.0]], [[8.0, 7.0], [6.0, 5.0]]]

    """
    result = alignment(*scores, on=on, choice=True)
    if not result.complete:
        warnings.warn(f"aligned to {result}", AlignmentWarning, stacklevel=2)
    return result.scores


def alignment(*scores: Any, on: On = "both", names: Sequence[str] | None = None, choice: bool = False) -> Alignment:
    """Like `align`, returning an `Alignment`: the aligned scores and what each side lost. It does not warn.

    A side may be `Means`, with on="systems". A side in which scores are missing may be `Unfilled`: what it says about
    missing topics is done on the systems and topics that all sides have. Errors call the sides by their `names`, by
    default "side 0", "side 1". `choice` says that the caller has `on`, too, so that messages name it.
    """
    called = tuple(names) if names is not None else tuple(f"side {k}" for k in range(len(scores)))
    if on not in ("both", "systems"):
        raise InputError(f"on is {on!r}: use 'both' (systems and topics) or 'systems'")
    if len(scores) < 2:
        raise InputError(f"align needs at least 2 Scores, and got {len(scores)}")
    for k, side in enumerate(scores):
        if not isinstance(side, Scores | Means | Unfilled) or (on == "both" and not side.topics):
            raise InputTypeError(
                f"argument {k} of align is a {type(side).__name__}: give Scores (read_scores makes them)"
            )
    hint = f"{argument('on', 'systems')} averages each side over its own topics" if choice else ""
    systems, lost_systems = _common([side.systems for side in scores], called, "systems")
    topics: tuple[str, ...] | None = None
    lost_topics: tuple[tuple[str, ...], ...] = ((),) * len(scores)
    if on == "both":
        if all(are_invented(side.topics) for side in scores) and len({frozenset(s.topics) for s in scores}) > 1:
            raise InputError(
                f"the sides have {' and '.join(str(len(side.topics)) for side in scores)} rows without names of "
                "topics, and not the same ones, so nothing tells which belong together: give the files a column named "
                f"topic{f', or {hint}' if hint else ''}"
            )
        # A topic on which only systems have scores that are left out is none of the others.
        own = [side.select(systems).topics if isinstance(side, Unfilled) else side.topics for side in scores]
        topics, _ = _common(own, called, "topics", hint)
        lost_topics = tuple(tuple(topic for topic in side.topics if topic not in set(topics)) for side in scores)
    aligned = tuple(_taken(side, systems, topics) for side in scores)
    found = Alignment(aligned, on, called, lost_systems, lost_topics, hint=hint)
    return _completed(found) if any(isinstance(side, Unfilled) for side in scores) else found


def _completed(found: Alignment) -> Alignment:
    """With missing topics dealt with; what a side drops because of them, all sides lose."""
    said: list[str] = []
    made = []
    for side in found.scores:
        if not isinstance(side, Unfilled):
            made.append(side)
            continue
        if (holes := left_open(side)) is not None:
            lower = holes.lower_is_better
            made.append(Means(holes.shown(holes.means()), holes.systems, holes.measure, lower_is_better=lower))
            said.append(
                f"{side.origin.label}: scores are missing; means on all topics by those that are there: {ASSUMED}"
            )
            continue
        assembled = side.filled()
        said += assembled.said
        made.append(scores_or_means(assembled))
    on = found.on if all(side.topics for side in made) else "systems"
    again = alignment(*made, on=on, names=found.names)
    return replace(
        again,
        dropped_systems=_both(found.dropped_systems, again.dropped_systems),
        dropped_topics=_both(found.dropped_topics, again.dropped_topics),
        filled=tuple(said),
        hint=found.hint,
    )


def _both(first: tuple[tuple[str, ...], ...], then: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    return tuple((*a, *b) for a, b in zip(first, then, strict=True))


def _taken(side: Any, systems: tuple[str, ...], topics: tuple[str, ...] | None) -> Any:
    if side.systems == systems and topics in (None, side.topics):
        return side
    return side.select(systems) if topics is None else side.select(systems, topics)


def _common(
    sides: Sequence[tuple[str, ...]], names: Sequence[str], what: str, hint: str = ""
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """The labels that all sides have, in the order of the first, and for each side those that it loses."""
    shared = set(sides[0]).intersection(*sides[1:])
    if not shared:
        examples = "; ".join(f"{name} has {listing(side, 5)}" for name, side in zip(names, sides, strict=True))
        way_out = f"Rename them so that the labels match{f'; or {hint}' if hint else ''}"
        raise InputError(f"no {what} are common to all sides: {examples}. {way_out}")
    return (
        tuple(label for label in sides[0] if label in shared),
        tuple(tuple(label for label in side if label not in shared) for side in sides),
    )


def matched(
    truth: Side, candidate: Side, on: On | None = None, names: tuple[str, str] = ("truth", "candidate")
) -> Alignment:
    """Two sides with the same systems and, where both have topics and on="both", the same topics.

    What was left out is in the notes, and warned of where the caller called. `on` is None where the caller has no such
    choice.
    """
    by_topic = on != "systems" and truth.topics and candidate.topics
    found = alignment(truth, candidate, on="both" if by_topic else "systems", names=names, choice=on is not None)
    for note in found.notes:
        warnings.warn(note, AlignmentWarning, stacklevel=3)
    return found


def best_of(truth: Scores | Means, top: int | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The `top` best systems by their means, those tied with the last included, in their order; and notes."""
    if top is None:
        return truth.systems, ()
    if isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 2:
        raise InputError(f"{named('top')} is {top!r}: give the number of systems to compare, at least 2")
    if top >= len(truth.systems):
        return truth.systems, (
            f"{named('top')} is {top}, and there are only {len(truth.systems)} systems: all were compared",
        )
    means = truth.means()
    least = np.sort(means)[-top]
    kept = tuple(s for s, mean in zip(truth.systems, means, strict=True) if mean >= least)
    notes = (f"the {len(kept)} best systems of the truth, because the last are tied",) if len(kept) > top else ()
    return kept, notes


def measures_of(*sides: Scores | Means) -> str:
    """The measures of the sides, each once: "AP against P@10"."""
    return " against ".join(dict.fromkeys(side.measure for side in sides if side.measure))
