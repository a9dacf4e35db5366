"""What the ways to compute a number amount to: those that nothing can tell apart, the nearest ones, and chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...data.results import plain
from ...words import listing
from .printed import CUT, Printed
from .ways import Way

NEAREST = 2  # of each number of departures
SHIFTS = 100  # windows to either side that say what chance gives


@dataclass(frozen=True)
class Finding:
    """Ways with one and the same value on these data, so nothing here can tell them apart."""

    plainest: Way
    others: tuple[Way, ...]

    @property
    def name(self) -> str:
        """The plainest, and how many others give the same."""
        same = list(dict.fromkeys(c.name for c in self.others if c.departures == self.plainest.departures))
        more = f" (the same here: {listing(same, 3)})" if same else ""
        return self.plainest.name + more

    def to_dict(self) -> dict[str, Any]:
        """The plainest, and what else gives the same value."""
        return {**plain(self.plainest), "same": plain(self.others)}


@dataclass(frozen=True)
class Level:
    """How often ways of so many departures match, and how often they would by chance."""

    departures: int
    ways: int
    distinct: int
    """Their different values."""
    matches: int
    """Different values that reproduce what was reported."""
    by_chance: float
    """As many would match numbers of as many digits nearby, on average."""


def grouped(ways: Iterable[Way]) -> list[Finding]:
    """Ways of one value together, the plainest first; sorting is stable, so rules keep their order."""
    groups: dict[Any, list[Way]] = {}
    for way in sorted(ways, key=lambda way: way.departures):
        key = tuple((round(low, 9), round(high, 9)) for low, high in way.ranges)
        groups.setdefault((key, way.written == CUT), []).append(way)
    return [Finding(group[0], tuple(group[1:])) for group in groups.values()]


def nearest_of(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Of those that do not match the nearest ones, some with 0 departures, some with 1, ..."""
    missed = sorted((f for f in findings if not f.plainest.matches), key=lambda f: f.plainest.off)
    levels = sorted({finding.plainest.departures for finding in missed})
    return tuple(f for level in levels for f in [f for f in missed if f.plainest.departures == level][:NEAREST])


def levels_of(findings: Sequence[Finding], printed: Sequence[Printed]) -> tuple[Level, ...]:
    """How many were tried with 0, 1, 2 ... departures, and how many match what was reported or numbers nearby."""
    shifts = _shifts(printed)
    departs = [way.departures for finding in findings for way in (finding.plainest, *finding.others)]
    levels = []
    for level in range(max(departs, default=0) + 1):
        here = [finding.plainest for finding in findings if finding.plainest.departures == level]
        levels.append(
            Level(
                departures=level,
                ways=departs.count(level),
                distinct=len(here),
                matches=sum(way.matches for way in here),
                by_chance=sum(_share(way, printed, shifts) for way in here),
            )
        )
    return tuple(levels)


def _shifts(printed: Sequence[Printed]) -> FloatArray:
    """How far the windows are moved to see what chance gives: to 0.1 on either side, or ten windows."""
    width = max(p.step for p in printed)
    far = np.linspace(width, max(0.1, 10 * width), SHIFTS)
    shifts = np.concatenate([-far, far])
    return np.asarray(shifts[[all(abs(p.value + shift) <= 1 for p in printed) for shift in shifts]])


def _share(way: Way, printed: Sequence[Printed], shifts: FloatArray) -> float:
    """In what share of the moved windows a way lies; 1 where none could be moved."""
    inside = np.ones(len(shifts), dtype=bool)
    for (low, high), p in zip(way.ranges, printed, strict=True):
        window = p.cut() if way.written == CUT else p.rounded()
        inside &= (low <= window[1] + shifts) & (high >= window[0] + shifts)
    return float(inside.mean()) if len(shifts) else 1.0
