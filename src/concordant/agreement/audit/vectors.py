"""Two vectors of scores, with the names and places that tools use to break ties."""

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
    """Scores of the same systems by truth and candidate; two-dimensional scores have one row per topic."""

    truth: FloatArray
    candidate: FloatArray
    names: tuple[str, ...]
    truth_place: IntArray
    """Position of each system in the truth's file."""
    candidate_place: IntArray

    @property
    def swapped(self) -> Vectors:
        """Exchange the sides."""
        return Vectors(self.candidate, self.truth, self.names, self.candidate_place, self.truth_place)

    @cached_property
    def tied(self) -> bool:
        """Whether at least one side has ties."""
        return any(np.unique(side).size < side.size for side in (self.truth, self.candidate))

    def with_scores(self, truth: FloatArray, candidate: FloatArray) -> Vectors:
        """Replace the scores and keep the systems."""
        return replace(self, truth=truth, candidate=candidate)

    def without_ties(self, how: TieBreak) -> Vectors:
        """Break the ties of each side: the system that is first in its file, or first by name, ranks higher."""
        alphabet = rank_of(self.names)
        key = {"name": alphabet, "reverse name": -alphabet}
        return self.with_scores(
            in_order(self.truth, key.get(how, self.truth_place)),
            in_order(self.candidate, key.get(how, self.candidate_place)),
        )


def in_order(scores: FloatArray, key: IntArray) -> FloatArray:
    """Replace scores by m, m - 1, ..., 1 in the same order. The smallest key wins a tie."""
    result = np.empty(len(scores))
    result[np.lexsort((key, -scores))] = np.arange(len(scores), 0, -1)
    return result


def rank_of(names: Sequence[str]) -> IntArray:
    """Place of each name in alphabetical order, by code points as Python sorts."""
    place = {name: k for k, name in enumerate(sorted(names))}
    return np.array([place[name] for name in names], dtype=np.int64)
