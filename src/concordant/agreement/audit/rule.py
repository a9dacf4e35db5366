"""`Rule`: a computation that is tried on two vectors of scores. `rules` lists them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from .vectors import Vectors

Suits = Literal["all", "topics", "pooled", "lists", "gaps", "head"]
"""Kinds of preparation: any scores; one row per topic; all topics in one vector; lists in rank order, not scores; other
gaps between the scores, in the same order; the worst for the best."""


@dataclass(frozen=True)
class Rule:
    """From two vectors of scores to a value, or to the lowest and the highest that chance may give."""

    name: str
    account: str
    departures: int
    """How far it is from a plain call of a coefficient."""
    call: Callable[[Vectors], Any]
    suits: frozenset[Suits] = frozenset({"all"})
    signed: bool = True
    needs_ties: bool = False
    """Whether it is another rule's twin where nothing is tied."""
