"""What a page is made of while it is put together: its sections, the charts with their rows, and the systems."""

from __future__ import annotations

import re
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
    """By key, the place of its specification in `specs` and the name of its rows."""
    specs: list[Mapping[str, Any]] = field(default_factory=list)
    """Each once: the charts of many candidates are made alike."""
    data: dict[str, Records] = field(default_factory=dict)
    systems: dict[str, list[str]] = field(default_factory=dict)
    """What to say of a system that is chosen."""
    cited: list[str] = field(default_factory=list)
    packed: dict[str, Any] = field(default_factory=dict)
    """By key, what the page unfolds when it is asked for."""
    explored: Mapping[str, Any] | None = None
    """What the picture of a comparison is drawn from."""

    def add(self, key: str, title: str, content: str) -> None:
        """A section."""
        self.sections.append((key, title, content))

    def chart(self, key: str, spec: Mapping[str, Any], rows: Records, rows_key: str | None = None) -> None:
        """A chart; charts may share their rows."""
        name = rows_key or key
        self.data[name] = [{k: visible(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows]
        if spec not in self.specs:
            self.specs.append(spec)
        self.charts[key] = {"spec": self.specs.index(spec), "data": name}

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


def known_fields(rows: Records) -> frozenset[str]:
    """The fields that some row has a value for."""
    return frozenset(field for row in rows for field, value in row.items() if value is not None)


def distinct(labels: Sequence[str]) -> list[str]:
    """Labels of an axis, which must differ: a repeated one is numbered."""
    seen: dict[str, int] = {}
    made = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        made.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return made


def shortened(names: Sequence[str]) -> list[str]:
    """Names without the words that all of them begin or end with, as long as something is left of each."""
    if len(names) < 2:
        return list(names)
    split = [re.split(r"(?<=[-_./: ])", name) for name in names]
    shortest = min(map(len, split)) - 1
    head = next((k for k in range(shortest) if len({words[k] for words in split}) > 1), shortest)
    back = [re.split(r"(?=[-_./: ])", "".join(words[head:]))[::-1] for words in split]
    shortest = min(map(len, back)) - 1
    tail = next((k for k in range(shortest) if len({words[k] for words in back}) > 1), shortest)
    made = ["".join(words[tail:][::-1]) for words in back]
    return made if all(made) and len(set(made)) == len(set(names)) else list(names)


def cut(name: str, most: int = 26) -> str:
    """A name that fits on an axis beside another one."""
    return name if len(name) <= most else name[: most - 1] + "…"
