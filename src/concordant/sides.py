"""Truth and candidates on the same systems and topics, as everything needs them that looks at topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .alignment import alignment
from .clusters import Groups, by_group, doubts_about_sizes
from .door import Collection, as_topic_side
from .errors import AlignmentWarning, InputError, warn
from .scores import Scores
from .words import counted


@dataclass(frozen=True)
class Matched:
    """Sides on the same systems and topics, the truth first."""

    scores: tuple[Scores, ...]
    """One row per topic, or per group of topics."""
    names: tuple[str, ...]
    """What the sides are called."""
    notes: tuple[str, ...]
    """What not all sides have."""
    groups: int | None
    """How many groups of topics there are, where topics come in groups."""

    @property
    def grouped(self) -> dict[str, int]:
        """What the settings of a result say about groups: nothing where there are none."""
        return {} if self.groups is None else {"groups": self.groups}


def matched_topics(
    given: Mapping[str, Collection], names: tuple[str, ...] | None = None, groups: Groups | None = None
) -> Matched:
    """The sides, by the arguments that they came as, through the door and matched; what was left out is warned of.

    With `groups` the rows are groups of topics, which are resampled and tested in the place of topics.
    """
    called = tuple(given) if names is None else names
    found = alignment(*(as_topic_side(side, argument) for argument, side in given.items()), names=called)
    for note in found.notes:
        warn(note, AlignmentWarning)
    n, m = found.scores[0].values.shape
    if n < 2 or m < 2:
        who = f"{called[0]} and {called[1]}" if len(called) == 2 else "all sides"
        raise InputError(
            f"{who} have {counted(m, 'system')} and {counted(n, 'topic')} in common: at least 2 of each are needed"
        )
    rows = tuple(by_group(side, groups) for side in found.scores)
    notes = found.notes + doubts_about_sizes(groups, found.scores[0].topics)
    return Matched(rows, called, notes, None if groups is None else len(rows[0].topics))
