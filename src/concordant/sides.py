"""The two sides of a comparison: from what a caller passes to systems and means that match by name."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from .align import Alignment, alignment
from .arrays import FloatArray
from .errors import AlignmentWarning, InputError, InputTypeError
from .scores import Scores
from .tables import Missing

Labelled: TypeAlias = "Scores | Mapping[Any, float] | str | os.PathLike[str] | Any"


class Side(NamedTuple):
    systems: tuple[str, ...]
    means: FloatArray
    scores: Scores | None

    def take(self, systems: Sequence[str]) -> Side:
        place = {system: k for k, system in enumerate(self.systems)}
        chosen = [place[system] for system in systems]
        scores = None if self.scores is None else self.scores.select(systems=systems)
        return Side(tuple(systems), self.means[chosen], scores)


def side_of(given: Labelled, name: str, missing: Missing = "error") -> Side:
    if isinstance(given, (str, os.PathLike)):
        from .read import read_scores

        given = read_scores(given, missing=missing)
    if isinstance(given, Scores):
        return Side(given.systems, given.means(), given)
    if hasattr(given, "to_dict") and hasattr(given, "index") and not hasattr(given, "columns"):
        if not given.index.is_unique:
            raise InputError(f"{name} is a Series in which labels occur twice: every system needs one score")
        given = given.to_dict()
    if isinstance(given, Mapping):
        # One row of a matrix without topics: the same checks of labels and numbers, and the scores as they are.
        row = Scores([list(given.values())], topics=[name], systems=list(given))
        return Side(row.systems, row.values[0], None)
    raise InputTypeError(
        f"{name} is a {type(given).__name__}: give Scores, a file, or one score for each system as a dictionary or a "
        "pandas Series. Without labels, call a coefficient: concordant.tau_b(truth, candidate)"
    )


def aligned(
    truth: Side, candidate: Side, on: Literal["both", "systems"], names: tuple[str, str]
) -> tuple[tuple[Side, Side], list[str]]:
    """Both sides with the same systems, and what was left out."""

    def as_scores(side: Side) -> Scores:
        return side.scores or Scores(side.means[None], topics=["means"], systems=side.systems)

    by_topic = truth.scores is not None and candidate.scores is not None and on == "both"
    found = aligned_by_name((as_scores(truth), as_scores(candidate)), names, "both" if by_topic else "systems")
    notes = list(found.notes)
    for note in notes:
        warnings.warn(note, AlignmentWarning, stacklevel=3)
    if by_topic:
        a, b = (Side(s.systems, s.means(), s) for s in found.scores)
    else:
        a, b = (side.take(found.scores[0].systems) for side in (truth, candidate))
    return (a, b), notes


def aligned_by_name(sides: Sequence[Scores], names: Sequence[str], on: Literal["both", "systems"]) -> Alignment:
    """`alignment`, whose errors call the sides by their names."""
    return alignment(*sides, on=on, names=names)


def best_of(sides: tuple[Side, Side], top: int | None) -> tuple[tuple[Side, Side], list[str]]:
    """The k best systems of the truth, and those tied with the k-th."""
    if top is None:
        return sides, []
    if isinstance(top, bool) or not isinstance(top, (int, np.integer)) or top < 2:
        raise InputError(f"top is {top!r}: give the number of systems to compare, at least 2")
    truth = sides[0]
    if top >= len(truth.systems):
        return sides, [f"top is {top}, and there are only {len(truth.systems)} systems: all were compared"]
    least = np.sort(truth.means)[-top]
    kept = [s for s, mean in zip(truth.systems, truth.means, strict=True) if mean >= least]
    notes = [f"the {len(kept)} best systems of the truth, because the last are tied"] if len(kept) > top else []
    return (truth.take(kept), sides[1].take(kept)), notes


def measure_of(sides: tuple[Side, Side]) -> str:
    found = dict.fromkeys(side.scores.measure for side in sides if side.scores and side.scores.measure)
    return " against ".join(found)
