"""Two sides on the same systems and topics, as all statistics of this room need them."""

from __future__ import annotations

from typing import NamedTuple

from ..alignment import alignment
from ..arrays import require_room_for_pairs
from ..door import Collection, as_topic_side
from ..errors import AlignmentWarning, InputError, warn
from ..scores import Scores
from ..words import counted


class Sides(NamedTuple):
    """Truth and candidate, matched by label, and what was left out."""

    truth: Scores
    candidate: Scores
    notes: tuple[str, ...]


def matched_topics(truth: Collection, candidate: Collection, what: str) -> Sides:
    """Both sides through the door, on the systems and topics that both have; what is left out is warned of."""
    found = alignment(
        as_topic_side(truth, "truth"), as_topic_side(candidate, "candidate"), names=("truth", "candidate")
    )
    for note in found.notes:
        warn(note, AlignmentWarning)
    n, m = found.scores[0].values.shape
    if n < 2 or m < 2:
        raise InputError(
            f"truth and candidate have {counted(m, 'system')} and {counted(n, 'topic')} in common: at least 2 of each "
            "are needed"
        )
    require_room_for_pairs(m, what, 5)
    return Sides(found.scores[0], found.scores[1], found.notes)
