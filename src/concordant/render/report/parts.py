"""What a page is made of while it is put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Records = list[dict[str, Any]]
Part = Mapping[str, Any]
"""A part of the document."""


@dataclass
class Parts:
    """Filled by the page of each kind of result."""

    title: str
    about: str
    front: str = ""
    """HTML that is seen at once, below the verdict."""
    statistics: list[tuple[str, str]] = field(default_factory=list)
    """Headings, and HTML that is folded."""
    notes: list[str] = field(default_factory=list)
    cited: list[str] = field(default_factory=list)
    """Coefficients and methods that the page used."""


def domain_of(values: Sequence[float | None]) -> tuple[float, float]:
    """Limits that hold all values, with some margin."""
    there = [v for v in values if v is not None]
    if not there:
        return 0.0, 1.0
    low, high = min(there), max(there)
    margin = 0.05 * (high - low) or 0.05
    return low - margin, high + margin


def cut(name: str, most: int = 26) -> str:
    """A name that fits into a sentence or a heading."""
    return name if len(name) <= most else name[: most - 1] + "…"
