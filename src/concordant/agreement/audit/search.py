"""`audit`: try every rule on every preparation of the scores, and keep what is printed as the reported number."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...arrays import FloatArray
from ...data.holes import Missing
from ...data.results import Findings, settings_of
from ...errors import ConcordantError, InputError, LimitError, TiesError
from ...inference.resampling import Progress
from ...options import checked
from ...pairing import On, Pairing, Side
from ...read.door import Collection, as_scores, refuse
from ...words import counted, listing, named, one_line
from .preparations import PLAIN, MatchedSides, Preparation, preparations
from .printed import CUT, WRITINGS, Printed
from .rules import Recipe, rules
from .vectors import Vectors

SHOWN = 12  # ways in a printed table
NEAREST = 2  # of each number of departures
SHIFTS = 100  # windows to either side that say what chance gives
_POLICIES: dict[Missing, str] = {
    "drop": "missing topics dropped",
    "zero": "missing topics 0",
    "mean": "each system over the topics it has",
    "drop-systems": "systems with missing topics dropped",
}


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
    values: tuple[float, ...]
    """For each candidate."""
    off: float
    """How far it is from what was reported, at the worst of the candidates; 0 if it reproduces them all."""
    same: tuple[Way, ...] = ()
    """Others with the same value on these data, so that nothing here can tell them apart."""

    @property
    def matches(self) -> bool:
        """Whether every reported number is reproduced."""
        return self.off == 0

    @property
    def name(self) -> str:
        """Rule, data and writing in a few words."""
        parts = [self.rule, "" if self.data == PLAIN.name else self.data, self.written]
        return "; ".join(part for part in parts if part)

    @property
    def value(self) -> str:
        """The values with four digits."""
        return ", ".join(f"{value:.4f}" for value in self.values)


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
) -> Findings:
    """Find the coefficient, direction and rule for ties that give a number that somebody printed.

    Every registered coefficient is tried on the means over topics, then what one may have done instead: exchanged the
    sides, used another library's variant, broken ties by name or by file, rounded the means, averaged over topics or
    over other topics, compared names or ranks as if they were scores, dropped a sign. Each such step is a
    departure; ways with few of them are the plainer explanations.

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
    Findings
        `matches`: a `Way` for each value that reproduces the number, the plainest first; `nearest`: what comes nearest
        without; `levels`: by departures, how many were tried, match, and would match by chance.

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
    given = [truth, *(candidate if several else [candidate])]
    several = len(given) > 2
    usual = ["candidate"] if len(given) == 2 else [f"candidate {k}" for k in range(1, len(given))]
    labels = ["truth", *usual] if names is None else list(names)
    if len(labels) != len(given):
        raise InputError(f"names is {names!r}: give strings, one for the truth and one for each candidate")
    sides = [as_scores(side, label) for side, label in zip(given, labels, strict=True)]
    for side, label in zip(sides, labels, strict=True):
        refuse(side, label, "total", why="what is tried are means and other ways to make one score of those on topics")
    printed = [Printed.of(text) for text in ([reported] if isinstance(reported, str) else reported)]
    if len(printed) != len(labels) - 1:
        numbers, candidates = counted(len(printed), "number"), counted(len(labels) - 1, "candidate")
        raise InputError(f"{named('reported')} holds {numbers} for {candidates}: give one for each")
    tops = [top] if isinstance(top, int) else list(top)
    readings, notes = _readings(sides, labels, on)
    found = _grouped(_try_all(readings, printed, list(preparations(tops)), departures, progress))
    if "" not in readings:
        notes.insert(0, f"systems lack topics; tried: {', '.join(readings)}")
    if any(p.percent for p in printed):
        notes.append("the reported number was taken as a percentage")
    matches, nearest = tuple(way for way in found if way.matches), _nearest_of(found)
    levels, number = _levels_of(found, printed), listing([p.text for p in printed])
    lines = [
        {
            "match": "yes" if way.matches else "no",
            "departures": way.departures,
            **{f"value {k}" if several else "value": v for k, v in zip(labels[1:], way.values, strict=True)},
            "rule": way.rule,
            "data": way.data,
            "written": way.written or "as it is",
            "same here": len(way.same),
            "what one would have done": way.account,
        }
        for way in (*matches, *nearest)
    ]
    return Findings(
        kind="AuditResult",
        answer=_verdict(number, matches, nearest, levels),
        numbers={
            "reported": tuple(p.text for p in printed),
            "windows": tuple(p.rounded() for p in printed),
            "truth": labels[0],
            "candidate": tuple(labels[1:]),
            "n_systems": tuple(len(one.matched[0].systems) for one in next(iter(readings.values()))),
            "n_ways": sum(level.ways for level in levels),
            "n_distinct": sum(level.distinct for level in levels),
            "matches": matches,
            "nearest": nearest,
            "levels": levels,
        },
        lines=lines,
        shown=_table(number, matches, nearest, levels),
        notes=tuple(dict.fromkeys(notes)),
        settings=settings_of(top=tops, departures=departures, on=on),
    )


def _readings(sides: Sequence[Side], labels: Sequence[str], on: On) -> tuple[dict[str, list[MatchedSides]], list[str]]:
    """The sides, matched; where compared systems lack topics and nothing was said of it, once for each policy that
    works; and what to note.
    """
    unsaid = [side.has_holes and side.missing == "error" for side in sides]

    def under(policy: Missing) -> list[MatchedSides]:
        own, *others = (
            side.described(missing=policy) if open_ else side for side, open_ in zip(sides, unsaid, strict=True)
        )
        made = []
        for side, label in zip(others, labels[1:], strict=True):
            made.append(MatchedSides.of(own, side, (labels[0], label), on))
            if len(made[-1].matched[0].systems) < 2:
                raise InputError(f"{labels[0]} and {label} share one system: at least 2 are needed to compare rankings")
        return made

    found: dict[str, list[MatchedSides]] = {}
    notes: list[str] = []
    first: ConcordantError | None = None
    for policy, words in {"error": "", **_POLICIES}.items():
        try:
            found[words] = under(policy)
        except ConcordantError as why:
            if not any(unsaid):
                raise
            first = first or why
            notes += [f"{words}: not tried ({why})"] * bool(words)
        if "" in found:
            break
    if first is not None and not found:
        raise first
    return found, [*(note for made in found.values() for one in made for note in one.notes), *notes]


# Trying ----------------------------------------------------------------------------------------------


def _try_all(
    readings: Mapping[str, Sequence[MatchedSides]],
    printed: Sequence[Printed],
    ways: Sequence[Preparation],
    departures: int,
    progress: Progress | None,
) -> Iterator[Way]:
    """Every rule on every preparation of every reading, in every writing, up to so many departures."""
    known = list(rules())
    work = [(policy, sides, way) for way in ways for policy, sides in readings.items()]
    for done, (policy, sides, way) in enumerate(work, 1):
        made = [way.make(one) for one in sides] if way.departures <= departures else []
        if any(pair is not None for pair in made):
            pairs = [one.pair() if pair is None else pair for pair, one in zip(made, sides, strict=True)]
            data = "; ".join(part for part in ("" if way is PLAIN else way.name, policy) if part) or PLAIN.name
            tied = any(pair.tied for pair in pairs)
            for rule in known:
                steps = way.departures + rule.departures
                if steps <= departures and way.suits in rule.suits and (tied or not rule.needs_ties):
                    values = _values(rule, way, pairs)
                    if values is not None:
                        yield from _written(rule, way, data, values, printed, departures)
        if progress is not None:
            progress(done, len(work))


def _values(rule: Recipe, way: Preparation, pairs: Sequence[Vectors]) -> tuple[float, ...] | None:
    """For each pair; None where one of them has no value, so nobody can have printed it."""
    try:
        with np.errstate(all="ignore"):
            values = [float(_averaged(np.asarray(rule.call(pair), dtype=float), way)) for pair in pairs]
    except (TiesError, LimitError):
        return None
    return tuple(values) if np.isfinite(values).all() else None


def _averaged(values: FloatArray, way: Preparation) -> Any:
    """Over topics, where there are any."""
    if "undefined" in way.average:
        return np.nan_to_num(values).mean()
    if way.average:
        defined = values[~np.isnan(values)]
        if not len(defined):
            return np.nan
        return defined.mean() if way.average == "mean" else np.median(defined)
    return values


def _written(
    rule: Recipe, way: Preparation, data: str, plain: tuple[float, ...], printed: Sequence[Printed], departures: int
) -> Iterator[Way]:
    """The ways to write a value that may have been chosen."""
    reproduced = False
    for writing in WRITINGS:
        steps = rule.departures + way.departures + writing.departures
        if steps > departures or (writing.signed and not rule.signed):
            continue
        values = tuple(map(writing.apply, plain))
        as_it_is = writing.apply is float
        if writing.name and (reproduced if as_it_is else values == plain):
            continue  # the same as the plainer writing
        # How far each value is from its window; 0 within.
        windows = [_window(writing.name, p) for p in printed]
        off = max(max(v - high, low - v, 0.0) for v, (low, high) in zip(values, windows, strict=True))
        reproduced = reproduced or (as_it_is and off == 0)
        done = rule.account, "" if way is PLAIN else way.name, writing.account
        account = "; ".join(part for part in done if part)
        yield Way(rule.name, data, writing.name, account, steps, values, off)


def _window(written: str, p: Printed) -> tuple[float, float]:
    return p.cut() if written == CUT else p.rounded()


# What it amounts to ------------------------------------------------------------------------------------


def _grouped(ways: Iterable[Way]) -> list[Way]:
    """The plainest of each value, with the others; sorting is stable, so rules keep their order."""
    groups: dict[Any, list[Way]] = {}
    for way in sorted(ways, key=lambda way: way.departures):
        key = *(round(value, 9) for value in way.values), way.written == CUT
        groups.setdefault(key, []).append(way)
    return [replace(first, same=tuple(others)) for first, *others in groups.values()]


def _nearest_of(found: Sequence[Way]) -> tuple[Way, ...]:
    """Of those that do not match the nearest ones, some with 0 departures, some with 1, ..."""
    missed = sorted((way for way in found if not way.matches), key=lambda way: way.off)
    levels = sorted({way.departures for way in missed})
    return tuple(way for level in levels for way in [way for way in missed if way.departures == level][:NEAREST])


def _levels_of(found: Sequence[Way], printed: Sequence[Printed]) -> tuple[Level, ...]:
    """How many were tried with 0, 1, 2 ... departures, and how many match what was reported or numbers nearby."""
    # How far the windows are moved to see what chance gives: to 0.1 on either side, or ten windows.
    width = max(p.step for p in printed)
    far = np.linspace(width, max(0.1, 10 * width), SHIFTS)
    shifts = np.concatenate([-far, far])
    shifts = shifts[[all(abs(p.value + shift) <= 1 for p in printed) for shift in shifts]]

    def share(way: Way) -> float:
        """In what share of the moved windows a way lies; 1 where none could be moved."""
        inside = np.ones(len(shifts), dtype=bool)
        for value, p in zip(way.values, printed, strict=True):
            low, high = _window(way.written, p)
            inside &= (low + shifts <= value) & (value <= high + shifts)
        return float(inside.mean()) if len(shifts) else 1.0

    departs = [one.departures for way in found for one in (way, *way.same)]
    levels = []
    for level in range(max(departs, default=0) + 1):
        here = [way for way in found if way.departures == level]
        matches, chance = sum(way.matches for way in here), sum(map(share, here))
        levels.append(Level(level, departs.count(level), len(here), matches, chance))
    return tuple(levels)


def _verdict(number: str, matches: Sequence[Way], nearest: Sequence[Way], levels: Sequence[Level]) -> str:
    """The answer in words: one rule, several that the digits cannot tell apart, or none."""
    ways, distinct = sum(one.ways for one in levels), sum(one.distinct for one in levels)
    tried = f"{ways:,} ways to compute it were tried, with {distinct:,} different values."
    if not matches:
        near = ""
        if nearest:
            first, best = nearest[0], min(nearest, key=lambda way: way.off)
            plain = "" if first is best else f" plain rule is {_quoted(first)}, the nearest of all"
            near = f"; the nearest{plain or ' is'} {_quoted(best)}"
        return f"Nothing reproduces {number}{near}. {tried}"
    first = matches[0]
    level = first.departures
    equals = [way for way in matches if way.departures == level]
    if len(matches) == 1:
        head = f"Exactly one thing reproduces {number}: {_quoted(first)}."
    elif len(equals) == 1:
        more = counted(len(matches) - 1, "stranger one")
        head = f"The plainest way to {number} is {_quoted(first)}; {more} cannot be excluded."
    else:
        more = listing([way.name for way in equals[1:]], 3)
        head = (
            f"{len(matches)} different values are printed as {number}. The plainest ways are "
            f"{_quoted(first)}, and {more}; the digits do not tell which."
        )
    head = f"No plain rule gives {number}. {head}" if level else head
    # How much a match at this level says; where several match, nothing about which of them.
    up_to = [one for one in levels if one.departures <= level]
    chance, values = sum(one.by_chance for one in up_to), counted(sum(one.distinct for one in up_to), "value")
    kind = f"rules as plain as this ({counted(level, 'departure')} or fewer)" if level else "plain rules"
    strength = "weak" if chance >= 0.5 else "fair" if chance >= 0.05 else "strong"
    expected = f"{chance:.2f}" if chance >= 0.005 else "fewer than 0.01"
    says = f": {strength} evidence" if len(equals) == 1 else ""
    return f"{head} {tried} Of the {values} of {kind}, {expected} would match by chance{says}."


def _quoted(way: Way) -> str:
    off = "" if way.matches else f", off by {way.off:.2g}"
    return f"{way.name} = {way.value}{off}"


def _table(number: str, matches: Sequence[Way], nearest: Sequence[Way], levels: Sequence[Level]) -> str:
    """What reproduces the number, the nearest that do not, and how often chance would."""
    parts = []
    heads = f"What reproduces {number}, the plainest first:", "The nearest that do not:"
    for heading, ways in zip(heads, (matches, nearest), strict=True):
        if ways:
            width = max(len(way.value) for way in ways[:SHOWN])
            lines = [heading, f"  departures  {'value':>{width}}  what"]
            for way in ways[:SHOWN]:
                same = dict.fromkeys(other.name for other in way.same if other.departures == way.departures)
                what = way.name + (f" (the same here: {listing(same, 3)})" if same else "")
                lines.append(f"  {way.departures:10d}  {way.value:>{width}}  {one_line(what)}")
                lines.append(f"  {'':10}  {'':{width}}    {one_line(way.account)}")
            if len(ways) > SHOWN:
                lines.append(f"  and {len(ways) - SHOWN} stranger ones (to_dict and to_frame have them all)")
            parts.append("\n".join(lines))
    counts = [
        f"  {one.departures:10d}  {one.ways:5d}  {one.distinct:6d}  {one.matches:5d}  {one.by_chance:9.2f}"
        for one in levels
    ]
    return "\n\n".join([*parts, "\n".join(["  departures  tried  values  match  by chance", *counts])])
