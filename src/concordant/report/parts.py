"""What a page is made of while it is put together: its sections, the charts with their rows, and the systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..markup import visible

Records = list[dict[str, Any]]
Part = Mapping[str, Any]
"""A part of the document."""


@dataclass
class Parts:
    """Filled by the sections, in the order of the page."""

    title: str
    about: str
    sections: list[tuple[str, str, str]] = field(default_factory=list)
    """Key, title and content of each."""
    charts: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By key, the specification and the name of its rows."""
    data: dict[str, Records] = field(default_factory=dict)
    systems: dict[str, list[str]] = field(default_factory=dict)
    """What to say of a system that is chosen."""
    cited: list[str] = field(default_factory=list)

    def add(self, key: str, title: str, content: str) -> None:
        """A section."""
        self.sections.append((key, title, content))

    def chart(self, key: str, spec: Mapping[str, Any], rows: Records, rows_key: str | None = None) -> None:
        """A chart; charts may share their rows."""
        name = rows_key or key
        self.data[name] = [{k: visible(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows]
        self.charts[key] = {"spec": dict(spec), "data": name}

    def cite(self, names: Sequence[str]) -> None:
        """Coefficients and methods that the page used."""
        self.cited += [name for name in names if name not in self.cited]


def domain_of(values: Sequence[float | None]) -> tuple[float, float]:
    """Limits that hold all values, with some room."""
    there = [v for v in values if v is not None]
    if not there:
        return 0.0, 1.0
    low, high = min(there), max(there)
    room = 0.05 * (high - low) or 0.05
    return low - room, high + room


def distinct(labels: Sequence[str]) -> list[str]:
    """Labels of an axis, which must differ: a repeated one is numbered."""
    seen: dict[str, int] = {}
    made = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        made.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return made


def cut(name: str, most: int = 26) -> str:
    """A name that fits on an axis beside another one."""
    return name if len(name) <= most else name[: most - 1] + "…"
