"""What an audit found: the ways that reproduce a reported number, the nearest that do not, and chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import import_extra
from ..notebook import Displayed
from ..words import counted, listing
from .printed import Printed

SHOWN = 12  # ways in a printed table


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
    """The lowest and highest value for each candidate ranking; they differ where chance breaks ties."""
    off: float
    """How far it is from what was reported, at the worst of the rankings; 0 if it reproduces them all."""

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
        texts = [f"{a:.4f}" if b - a < 1e-9 else f"{a:.4f} to {b:.4f}" for a, b in self.ranges]
        return ", ".join(texts)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "rule": self.rule,
            "data": self.data,
            "written": self.written,
            "account": self.account,
            "departures": self.departures,
            "ranges": [list(ends) for ends in self.ranges],
            "off": self.off,
        }


@dataclass(frozen=True)
class Finding:
    """Ways with one and the same value on these data, so that nothing here can tell them apart."""

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
        return {**self.plainest.to_dict(), "same": [c.to_dict() for c in self.others]}


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


@dataclass(frozen=True, repr=False)
class AuditResult(Displayed):
    """What `audit` found. `print` shows the verdict and the tables; `to_dict` has everything."""

    reported: tuple[Printed, ...]
    truth: str
    candidate: tuple[str, ...]
    n_systems: tuple[int, ...]
    matches: tuple[Finding, ...]
    """What reproduces every reported number, the plainest first."""
    nearest: tuple[Finding, ...]
    """What comes nearest without reproducing them, the plainest first."""
    levels: tuple[Level, ...]
    notes: tuple[str, ...]
    settings: Mapping[str, Any]

    @property
    def n_ways(self) -> int:
        """Ways to compute it that were tried and have a value."""
        return sum(level.ways for level in self.levels)

    @property
    def n_distinct(self) -> int:
        """Different values among them."""
        return sum(level.distinct for level in self.levels)

    @property
    def number(self) -> str:
        """What was reported."""
        return listing([printed.text for printed in self.reported])

    def verdict(self) -> str:
        """The answer in words: one rule, several that the digits cannot tell apart, or none."""
        tried = f"{self.n_ways:,} ways to compute it were tried, with {self.n_distinct:,} different values"
        if not self.matches:
            return f"Nothing reproduces {self.number}{self._near()}. {_sentence(tried)}."
        first = self.matches[0]
        level = first.plainest.departures
        equals = [finding for finding in self.matches if finding.plainest.departures == level]
        if len(self.matches) == 1:
            head = f"Exactly one thing reproduces {self.number}: {_quoted(first)}."
        elif len(equals) == 1:
            more = counted(len(self.matches) - 1, "stranger one")
            head = f"The plainest way to {self.number} is {_quoted(first)}; {more} cannot be excluded."
        else:
            more = listing([finding.plainest.name for finding in equals[1:]], 3)
            head = (
                f"{len(self.matches)} different values are printed as {self.number}. The plainest ways are "
                f"{_quoted(first)}, and {more}; the digits do not tell which."
            )
        head = f"No plain rule gives {self.number}. {head}" if level else head
        return f"{head} {_sentence(tried)}. {self._chance(level, alone=len(equals) == 1)}"

    def _near(self) -> str:
        if not self.nearest:
            return ""
        first, best = self.nearest[0], min(self.nearest, key=lambda finding: finding.plainest.off)
        if first is best:
            return f"; the nearest is {_quoted(best)}"
        return f"; the nearest plain rule is {_quoted(first)}, the nearest of all {_quoted(best)}"

    def _chance(self, level: int, *, alone: bool) -> str:
        """How much a match at this level says; where several match, nothing about which of them."""
        up_to = [found for found in self.levels if found.departures <= level]
        chance = sum(found.by_chance for found in up_to)
        tried = counted(sum(found.distinct for found in up_to), "value")
        kind = "plain rules" if level == 0 else f"rules as plain as this ({counted(level, 'departure')} or fewer)"
        strength = "weak" if chance >= 0.5 else "fair" if chance >= 0.05 else "strong"
        expected = f"{chance:.2f}" if chance >= 0.005 else "fewer than 0.01"
        says = f": {strength} evidence" if alone else ""
        return f"Of the {tried} of {kind}, {expected} would match by chance{says}."

    def rows(self) -> list[dict[str, Any]]:
        """A row a finding: those that match, then the nearest."""
        return [
            {
                "match": "yes" if finding.plainest.matches else "no",
                "departures": finding.plainest.departures,
                **_values(finding.plainest, self.candidate),
                "rule": finding.plainest.rule,
                "data": finding.plainest.data,
                "written": finding.plainest.written or "as it is",
                "same here": len(finding.others),
                "what one would have done": finding.plainest.account,
            }
            for finding in (*self.matches, *self.nearest)
        ]

    def __str__(self) -> str:
        lines = [self.verdict()]
        if self.matches:
            lines += ["", f"What reproduces {self.number}, the plainest first:", *_table(self.matches)]
        if self.nearest:
            lines += ["", "The nearest that do not:", *_table(self.nearest)]
        lines += ["", "  departures  tried  values  match  by chance"]
        lines += [
            f"  {level.departures:10d}  {level.ways:5d}  {level.distinct:6d}  {level.matches:5d}  "
            f"{level.by_chance:9.2f}"
            for level in self.levels
        ]
        lines += [""] * bool(self.notes) + [f"Mind: {note}" for note in self.notes]
        return "\n".join(lines)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "verdict": self.verdict(),
            "reported": [printed.text for printed in self.reported],
            "windows": [list(printed.rounded()) for printed in self.reported],
            "truth": self.truth,
            "candidate": list(self.candidate),
            "n_systems": list(self.n_systems),
            "n_ways": self.n_ways,
            "n_distinct": self.n_distinct,
            "matches": [finding.to_dict() for finding in self.matches],
            "nearest": [finding.to_dict() for finding in self.nearest],
            "levels": [vars(level).copy() for level in self.levels],
            "notes": list(self.notes),
            "settings": dict(self.settings),
        }

    def to_frame(self) -> Any:
        """A pandas frame: a row a finding."""
        return import_extra("pandas").DataFrame(self.rows())

    def plot(self, ax: Any = None) -> Any:
        """What was found around the reported number, in units of its last digit; the band is what is printed so."""
        from ..plots import audits

        return audits.audit(self, ax)


def _quoted(finding: Finding) -> str:
    found = finding.plainest
    off = "" if found.matches else f", off by {found.off:.2g}"
    return f"{found.name} = {found.value}{off}"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _values(way: Way, candidate: Sequence[str]) -> dict[str, float]:
    """The value for each candidate ranking; the middle of a range, with its ends."""
    cells: dict[str, float] = {}
    for name, (low, high) in zip(candidate, way.ranges, strict=True):
        more = f" {name}" if len(candidate) > 1 else ""
        cells[f"low{more}"], cells[f"high{more}"] = low, high
    return cells


def _table(findings: Sequence[Finding]) -> list[str]:
    shown = findings[:SHOWN]
    width = max(len(finding.plainest.value) for finding in shown)
    lines = [f"  departures  {'value':>{width}}  what"]
    for finding in shown:
        found = finding.plainest
        lines.append(f"  {found.departures:10d}  {found.value:>{width}}  {finding.name}")
        lines.append(f"  {'':10}  {'':{width}}    {found.account}")
    if len(findings) > SHOWN:
        lines.append(f"  and {len(findings) - SHOWN} stranger ones (to_dict and to_frame have them all)")
    return lines
