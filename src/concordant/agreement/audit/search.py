"""`audit`: try every rule on every preparation of the scores, and keep what is printed as the reported number."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...data.holes import Missing
from ...data.results import Result, plain, settings_of
from ...errors import ConcordantError, InputError
from ...inference.resampling import Progress
from ...options import checked
from ...pairing import On, Pairing, Side
from ...read.door import Collection, as_scores, refuse
from ...words import counted, listing, named, one_line
from .preparations import MatchedSides, Reread, SideName, preparations, summary_means
from .printed import Printed
from .ways import Finding, Level, Way, grouped, levels_of, nearest_of, try_all

SHOWN = 12  # ways in a printed table


@dataclass(frozen=True, eq=False, repr=False)
class AuditResult(Result):
    """What `audit` found. `print` shows the verdict and the tables; `to_dict` has everything."""

    _figure = "audits.audit"
    reported: tuple[Printed, ...]
    truth: str
    candidate: tuple[str, ...]
    n_systems: tuple[int, ...]
    matches: tuple[Finding, ...]
    """What reproduces every reported number, the plainest first."""
    nearest: tuple[Finding, ...]
    """What comes nearest without reproducing them, the plainest first."""
    levels: tuple[Level, ...]

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

    @property
    def verdict(self) -> str:
        """The answer in words: one rule, several that the digits cannot tell apart, or none."""
        tried = f"{self.n_ways:,} ways to compute it were tried, with {self.n_distinct:,} different values."
        if not self.matches:
            return f"Nothing reproduces {self.number}{self._near()}. {tried}"
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
        return f"{head} {tried} {self._chance(level, alone=len(equals) == 1)}"

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
        """One row per finding: those that match, then the nearest."""
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

    def table(self) -> str:
        """What reproduces the number, the nearest that do not, and how often chance would."""
        parts = [
            "\n".join([heading, *_lines(findings)])
            for heading, findings in (
                (f"What reproduces {self.number}, the plainest first:", self.matches),
                ("The nearest that do not:", self.nearest),
            )
            if findings
        ]
        counts = [
            f"  {level.departures:10d}  {level.ways:5d}  {level.distinct:6d}  {level.matches:5d}  "
            f"{level.by_chance:9.2f}"
            for level in self.levels
        ]
        return "\n\n".join([*parts, "\n".join(["  departures  tried  values  match  by chance", *counts])])

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "verdict": self.verdict,
            "reported": [printed.text for printed in self.reported],
            "windows": [list(printed.rounded()) for printed in self.reported],
            "truth": self.truth,
            "candidate": list(self.candidate),
            "n_systems": list(self.n_systems),
            "n_ways": self.n_ways,
            "n_distinct": self.n_distinct,
            "matches": [finding.to_dict() for finding in self.matches],
            "nearest": [finding.to_dict() for finding in self.nearest],
            "levels": plain(self.levels),
            "notes": list(self.notes),
            "settings": plain(self.settings),
        }


def _quoted(finding: Finding) -> str:
    found = finding.plainest
    off = "" if found.matches else f", off by {found.off:.2g}"
    return f"{found.name} = {found.value}{off}"


def _values(way: Way, candidate: Sequence[str]) -> dict[str, float]:
    """The lowest and highest value for each candidate."""
    cells: dict[str, float] = {}
    for name, (low, high) in zip(candidate, way.ranges, strict=True):
        more = f" {name}" if len(candidate) > 1 else ""
        cells[f"low{more}"], cells[f"high{more}"] = low, high
    return cells


def _lines(findings: Sequence[Finding]) -> list[str]:
    shown = findings[:SHOWN]
    width = max(len(finding.plainest.value) for finding in shown)
    lines = [f"  departures  {'value':>{width}}  what"]
    for finding in shown:
        found = finding.plainest
        lines.append(f"  {found.departures:10d}  {found.value:>{width}}  {one_line(finding.name)}")
        lines.append(f"  {'':10}  {'':{width}}    {one_line(found.account)}")
    if len(findings) > SHOWN:
        lines.append(f"  and {len(findings) - SHOWN} stranger ones (to_dict and to_frame have them all)")
    return lines


@checked
def audit(
    truth: Collection,
    candidate: Collection | Sequence[Collection] = None,
    *,
    reported: str | Sequence[str],
    top: int | Iterable[int] = (),
    departures: int = 3,
    on: On = "both",
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """Which coefficient, direction and rule for ties gives a number that somebody printed?

    Every registered coefficient is tried on the means over topics, then what one may have done instead: exchanged the
    sides, used another library's variant, broken ties by name, by file or at random, rounded the means, averaged over
    topics or over other topics, taken the `all` rows of trec_eval's files or the other side's measure, compared names
    or ranks as if they were scores, dropped a sign. Each such step is a departure; ways with few of them are the
    plainer explanations. A rule that can give any number at all on these data explains nothing, and is left out.

    A number of few digits is reproduced by many rules by chance. The result says how many values were tried, and how
    many would match another number of as many digits nearby. More digits, or several reported numbers that one rule
    has to reproduce at once, tell more.

    Parameters
    ----------
    truth : Scores, Means, path, frame, mapping or results of a tool
        Anything that `as_scores` takes.
    candidate : the same, or a list of them
        The other ranking; or several, each with its reported number.
    reported : str or list of str
        The number as it was printed: "0.87" stands for all from 0.865 to 0.875, "0.870" for less. "87%" and "87.1" are
        percent.
    top : int or list of int
        Also try the k best systems only.
    departures : int
        The most steps away from the plain way.
    on : {"both", "systems"}
        "both": the plain way is by means over the topics that both sides have. "systems": over each side's own topics.
    names : list of str, optional
        What to call the truth and each candidate.
    progress : callable, optional
        Called with the number of preparations done and the total.

    Returns
    -------
    AuditResult
        What reproduces the number, the plainest first, and how much that says.

    See Also
    --------
    compare : How two rankings agree.
    explain : Which systems and topics cause the difference.

    Examples
    --------
    >>> import concordant as cc
    >>> people = {"dense": 0.61, "hybrid": 0.64, "bm25": 0.45, "rm3": 0.47, "splade": 0.58}
    >>> model = {"bm25": 0.50, "rm3": 0.58, "dense": 0.70, "hybrid": 0.70, "splade": 0.71}
    >>> found = cc.audit(people, model, reported="0.527", departures=0)
    >>> print(found.verdict)
    Exactly one thing reproduces 0.527: tau_b(truth, candidate) = 0.5270. 15 ways to compute it were tried, with 12 \
different values. Of the 12 values of plain rules, 0.01 would match by chance: strong evidence.

    """
    if isinstance(truth, Pairing):
        if candidate is not None:
            raise InputError("candidate is given beside a pairing: a pairing holds both sides, so leave it out")
        names, (truth, *candidate) = truth.names, truth.sides
    elif candidate is None:
        raise InputError("candidate is missing: give it, or a pairing of both sides")
    several = isinstance(candidate, (list, tuple)) and not (
        isinstance(reported, str) and all(isinstance(path, str | os.PathLike) for path in candidate)
    )
    rankings = list(candidate) if several else [candidate]
    labels = ["truth", *(["candidate"] if len(rankings) == 1 else [f"candidate {k + 1}" for k in range(len(rankings))])]
    if names is not None:
        labels = list(names)
    if len(labels) != len(rankings) + 1:
        raise InputError(f"names is {names!r}: give strings, one for the truth and one for each candidate")

    given = (truth, *rankings)

    def reread(k: int, measure: str, lower: bool) -> Side:
        return as_scores(given[k], labels[k], measure=measure, lower_is_better=lower)

    sides = [as_scores(side, label) for side, label in zip(given, labels, strict=True)]
    how: dict[str, Any] = {"top": top, "departures": departures, "on": on, "progress": progress}
    return audit_read(Read(sides, given, reread), reported, labels, **how)


@dataclass(frozen=True)
class Read:
    """The sides as they were read, the truth first."""

    sides: Sequence[Side]
    files: Sequence[Any] = ()
    """What they were read from, whose `all` rows are tried."""
    again: Callable[[int, str, bool], Side] | None = None
    """Side k by another measure."""


@checked
def audit_read(
    read: Read,
    reported: str | Sequence[str],
    labels: Sequence[str],
    *,
    top: int | Iterable[int] = (),
    departures: int = 3,
    on: On = "both",
    progress: Progress | None = None,
) -> AuditResult:
    """`audit` of sides that were read before."""
    for side, label in zip(read.sides, labels, strict=True):
        refuse(side, label, "total", why="what is tried are means and other ways to make one score of those on topics")
    printed = [Printed.of(text) for text in ([reported] if isinstance(reported, str) else reported)]
    if len(printed) != len(labels) - 1:
        raise InputError(
            f"{named('reported')} holds {counted(len(printed), 'number')} for {counted(len(labels) - 1, 'candidate')}: "
            "give one for each"
        )
    tops = [top] if isinstance(top, int) else list(top)
    readings, notes = _readings(read, labels, on)
    findings = grouped(try_all(readings, printed, preparations(tops), departures, progress))
    if "" not in readings:
        notes.insert(0, f"systems lack topics; tried: {', '.join(readings)}")
    if any(p.percent for p in printed):
        notes.append("the reported number was taken as a percentage")
    return AuditResult(
        reported=tuple(printed),
        truth=labels[0],
        candidate=tuple(labels[1:]),
        n_systems=tuple(len(given.matched[0].systems) for given in next(iter(readings.values()))),
        matches=tuple(finding for finding in findings if finding.plainest.matches),
        nearest=nearest_of(findings),
        levels=levels_of(findings, printed),
        notes=tuple(dict.fromkeys(notes)),
        settings=settings_of(top=tops, departures=departures, on=on),
    )


_POLICIES: dict[Missing, str] = {
    "drop": "missing topics dropped",
    "zero": "missing topics 0",
    "mean": "each system over the topics it has",
    "drop-systems": "systems with missing topics dropped",
}


def _readings(read: Read, labels: Sequence[str], on: On) -> tuple[dict[str, list[MatchedSides]], list[str]]:
    """The sides, matched; where compared systems lack topics and nothing was said of it, once for each policy that
    works; and what to note.
    """
    unsaid = [side.has_holes and side.missing == "error" for side in read.sides]

    def under(policy: Missing) -> list[MatchedSides]:
        given = zip(read.sides, unsaid, strict=True)
        sides = [side.described(missing=policy) if open_ else side for side, open_ in given]
        return _matched(replace(read, sides=sides), labels, on)

    notes: list[str] = []
    try:
        found = {"": under("error")}
    except ConcordantError as error:
        if not any(unsaid):
            raise
        found = {}
        for policy, words in _POLICIES.items():
            try:
                found[words] = under(policy)
            except ConcordantError as why:
                notes.append(f"{words}: not tried ({why})")
        if not found:
            raise error from None
    return found, [*(note for givens in found.values() for given in givens for note in given.notes), *notes]


def _matched(read: Read, labels: Sequence[str], on: On) -> list[MatchedSides]:
    givens = []
    for k, label in enumerate(labels[1:], start=1):
        again: dict[tuple[SideName, Reread], Side] = {}
        whose: tuple[tuple[SideName, int, int], ...] = (("truth", 0, k), ("candidate", k, 0))
        for side, place, other in whose:
            own, measure, lower = read.sides[place], read.sides[other].measure, read.sides[other].lower_is_better
            about = own.measure, own.systems, own.lower_is_better
            summary = summary_means(read.files[place], *about) if read.files else None
            if summary is not None:
                again[side, "all rows"] = summary
            if read.again is not None and measure not in ("", own.measure):
                with suppress(ConcordantError):  # a side that has no such measure
                    found = read.again(place, measure, lower)
                    if found.systems != own.systems or not np.array_equal(found.values, own.values, equal_nan=True):
                        again[side, "other measure"] = found  # and not the same scores, whatever they are called
        given = MatchedSides.of(read.sides[0], read.sides[k], (labels[0], label), again, on)
        if len(given.matched[0].systems) < 2:
            raise InputError(f"{labels[0]} and {label} share one system: at least 2 are needed to compare rankings")
        givens.append(given)
    return givens
