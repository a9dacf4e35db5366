"""`Way`: one way to compute the number; all of them, each with its value; and what these amount to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...data.results import plain
from ...errors import LimitError, TiesError
from ...inference.resampling import Progress
from ...words import listing
from .preparations import PLAIN, MatchedSides, Preparation
from .printed import CUT, WRITINGS, Printed, Writing
from .rules import rules, value_of
from .vectors import Recipe, Vectors


@dataclass(frozen=True)
class Way:
    """One way to compute the number: a rule, on prepared scores, written in a way."""

    rule: str
    data: str
    """What the rule was given: "means", or another preparation."""
    written: str
    """What was done to the value before it was printed; "" for nothing."""
    account: str
    """What one would have to have done, in a line."""
    departures: int
    """How many steps it is away from a coefficient of the means over the common topics, as it is: 0."""
    ranges: tuple[tuple[float, float], ...]
    """The lowest and highest value for each candidate; they differ where chance breaks ties."""
    off: float
    """How far it is from what was reported, at the worst of the candidates; 0 if it reproduces them all."""

    @property
    def matches(self) -> bool:
        """Whether every reported number is reproduced."""
        return self.off == 0

    @property
    def name(self) -> str:
        """Rule, data and writing in a few words."""
        parts = [self.rule, "" if self.data == "means" else self.data, self.written]
        return "; ".join(part for part in parts if part)

    @property
    def value(self) -> str:
        """The values with four digits, as "low to high" where they are ranges."""
        return ", ".join(f"{a:.4f}" if b - a < 1e-9 else f"{a:.4f} to {b:.4f}" for a, b in self.ranges)


def try_all(
    readings: Mapping[str, Sequence[MatchedSides]],
    printed: Sequence[Printed],
    ways: Iterable[Preparation],
    departures: int,
    progress: Progress | None,
) -> Iterator[Way]:
    """Every rule on every preparation of every reading, in every writing, up to so many departures."""
    known = list(rules())
    work = [(policy, givens, way) for way in ways for policy, givens in readings.items()]
    for done, (policy, givens, way) in enumerate(work, 1):
        made = [way.make(given) for given in givens]
        if way.departures <= departures and any(pair is not None for pair in made):
            pairs = [given.pair() if pair is None else pair for pair, given in zip(made, givens, strict=True)]
            data = "; ".join(part for part in ("" if way is PLAIN else way.name, policy) if part) or PLAIN.name
            for rule in known:
                if way.departures + rule.departures <= departures and _suited(rule, way, pairs):
                    values = _values(rule, way, pairs)
                    if values is not None and not _anything(rule, values):
                        yield from _written(rule, way, data, values, printed, departures)
        if progress is not None:
            progress(done, len(work))


def _suited(rule: Recipe, way: Preparation, pairs: Sequence[Vectors]) -> bool:
    return way.suits in rule.suits and (not rule.needs_ties or any(pair.tied for pair in pairs))


def _values(rule: Recipe, way: Preparation, pairs: Sequence[Vectors]) -> FloatArray | None:
    """Low and high for each pair; None where one of them has no value, so nobody can have printed it."""
    try:
        with np.errstate(all="ignore"):
            values = np.array([_averaged(value_of(rule, pair), way) for pair in pairs])
    except (TiesError, LimitError):
        return None
    return values if np.isfinite(values).all() else None


def _anything(rule: Recipe, values: FloatArray) -> bool:
    """Whether it could have given any number at all, and so explains none."""
    least = -1.0 if rule.signed else 0.0
    return bool((values[:, 0] <= least + 1e-9).all() and (values[:, 1] >= 1 - 1e-9).all())


def _averaged(values: FloatArray, way: Preparation) -> FloatArray:
    """Over topics, where there are any."""
    if way.average == "zero":
        return np.asarray(np.nan_to_num(values).mean(axis=0))
    if way.average in ("mean", "median"):
        defined = values[~np.isnan(values).any(axis=1)]
        if not len(defined):
            return np.full(2, np.nan)
        return np.asarray(defined.mean(axis=0) if way.average == "mean" else np.median(defined, axis=0))
    return values


def _written(
    rule: Recipe, way: Preparation, data: str, values: FloatArray, printed: Sequence[Printed], departures: int
) -> Iterator[Way]:
    """The ways to write a value that may have been chosen."""
    plain = tuple((low, high) for low, high in values.tolist())
    reproduced = False
    for writing in WRITINGS:
        steps = rule.departures + way.departures + writing.departures
        if steps > departures or (writing.signed and not rule.signed):
            continue
        ranges = tuple(_ends(writing, low, high) for low, high in plain)
        as_it_is = writing.apply is WRITINGS[0].apply
        if writing is not WRITINGS[0] and (reproduced if as_it_is else ranges == plain):
            continue  # the same as the plainer writing
        off = max(_off(ends, writing.window(p)) for ends, p in zip(ranges, printed, strict=True))
        reproduced = reproduced or (as_it_is and off == 0)
        account = "; ".join(part for part in (rule.account, way.account, writing.account) if part)
        yield Way(rule.name, data, writing.name, account, steps, ranges, off)


def _ends(writing: Writing, low: float, high: float) -> tuple[float, float]:
    ends = [writing.apply(low), writing.apply(high)]
    if low < 0 < high:
        ends.append(writing.apply(0.0))  # abs has its least there
    return min(ends), max(ends)


def _off(ends: tuple[float, float], window: tuple[float, float]) -> float:
    """How far a range is from a window; 0 where they meet."""
    return max(ends[0] - window[1], window[0] - ends[1], 0.0)


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
