"""Two vectors of scores with all that a rule may look at, to break ties as tools do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from ...arrays import FloatArray, IntArray

TieBreak = Literal["file", "name", "reverse name"]


@dataclass(frozen=True, eq=False)
class Vectors:
    """What truth and candidate say of the same systems; one row per topic where `truth` has two dimensions."""

    truth: FloatArray
    candidate: FloatArray
    names: tuple[str, ...]
    truth_place: IntArray
    """Where each system stands in the truth's own file."""
    candidate_place: IntArray

    @property
    def swapped(self) -> Vectors:
        """The sides exchanged."""
        return Vectors(self.candidate, self.truth, self.names, self.candidate_place, self.truth_place)

    @cached_property
    def tied(self) -> bool:
        """Whether a side has ties."""
        return any(np.unique(side).size < side.size for side in (self.truth, self.candidate))

    def with_scores(self, truth: FloatArray, candidate: FloatArray) -> Vectors:
        """Other scores of the same systems."""
        return replace(self, truth=truth, candidate=candidate)

    def without_ties(self, how: TieBreak) -> Vectors:
        """Each side as an order without ties: what stands first in its file, or first by name, is the better."""
        alphabet = rank_of(self.names)
        key = {"name": alphabet, "reverse name": -alphabet}
        return self.with_scores(
            in_order(self.truth, key.get(how, self.truth_place)),
            in_order(self.candidate, key.get(how, self.candidate_place)),
        )


def in_order(scores: FloatArray, key: IntArray) -> FloatArray:
    """Scores m, m - 1, ... 1 in the same order, ties by the key, the smallest first."""
    result = np.empty(len(scores))
    result[np.lexsort((key, -scores))] = np.arange(len(scores), 0, -1)
    return result


def rank_of(names: Sequence[str]) -> IntArray:
    """The place of each name in the alphabet (that of code points, as Python sorts)."""
    place = {name: k for k, name in enumerate(sorted(names))}
    return np.array([place[name] for name in names], dtype=np.int64)
