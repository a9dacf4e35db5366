"""`audit`: try every rule on every preparation of the scores, and keep the ways that give the reported number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...data.means import Missing
from ...data.results import Findings, columns, settings_of
from ...errors import ConcordantError, InputError, LimitError, TiesError, counted, listing, named, one_line
from ...inference.resampling import Progress, silent
from ...options import checked
from ...pairing import On, Pairing, Side, named_sides, together
from ...read.reader import Collection, refuse
from .ways import Preparation, Recipe, Sides, Vectors, preparations, rules

SHOWN = 12  # largest number of ways in a printed table
NEAREST = 2  # ways shown for each number of departures
SHIFTS = 100  # number of shifts of each window up, and as many down, to estimate how many ways match by chance
_POLICIES: dict[Missing, str] = {
    "drop": "missing topics dropped",
    "zero": "missing topics 0",
    "mean": "each system over the topics it has",
    "drop-systems": "systems with missing topics dropped",
}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?", re.IGNORECASE | re.ASCII)
_SLACK = 1e-9  # widens a window to include both ends, because tools round halves up or down


@dataclass(frozen=True)
class Printed:
    """A reported coefficient from -1 to 1, and the unit of its last digit."""

    text: str
    value: float
    step: float
    percent: bool
    """Whether the number was read as a percentage, because it has a percent sign or exceeds 1."""

    @classmethod
    def of(cls, text: str) -> Printed:
        """Read the number from text, because "0.87" and "0.870" differ in precision."""
        given = f"{named('reported')} is {text!r}"
        plain = text.strip().replace("\u2212", "-")
        sign = plain.endswith("%")
        plain = plain.removesuffix("%").rstrip()
        if not _NUMBER.fullmatch(plain):
            raise InputError(f"{given}: give a number with a decimal point, such as '0.87' or '87.1%'")
        number = Decimal(plain)
        step = Decimal(1).scaleb(int(number.as_tuple().exponent))
        percent = sign or abs(number) - step / 2 > 1
        if percent:
            number, step = number / 100, step / 100
        if abs(number) - step / 2 > 1:
            raise InputError(f"{given}: a coefficient lies between -1 and 1, or -100 and 100 percent")
        return cls(text.strip(), float(number), float(step), percent)

    @property
    def window(self) -> tuple[float, float]:
        """Interval of the values that round to the printed number."""
        return self.value - self.step / 2 - _SLACK, self.value + self.step / 2 + _SLACK


class Writing(NamedTuple):
    """A transformation from a coefficient to the printed number."""

    name: str
    account: str
    departures: int
    apply: Callable[[float], float]
    signed: bool = False
    """Whether the transformation applies only to coefficients that can be negative."""


WRITINGS = (
    Writing("", "", 0, float),
    Writing("abs(v)", "its sign was dropped", 1, abs, signed=True),
    Writing("(v + 1) / 2", "scaled to 0 ... 1, the share of pairs in order", 1, lambda v: (v + 1) / 2, signed=True),
    Writing("1 - v", "as a distance", 2, lambda v: 1 - v),
    Writing("(1 - v) / 2", "as a distance, the share of pairs out of order", 2, lambda v: (1 - v) / 2, signed=True),
)


@dataclass(frozen=True)
class Way:
    """One way to compute the number: a rule, the prepared scores, and the form in which the value is written."""

    rule: str
    data: str
    """The input of the rule: "means", or another preparation."""
    written: str
    """What was done to the value before it was printed; empty if it was printed unchanged."""
    account: str
    """Description of the steps, in one line."""
    departures: int
    """Number of departures from the plain way, an unchanged coefficient of the means over the common topics."""
    values: tuple[float, ...]
    """The value for each candidate."""
    off: float
    """Largest distance between a value and its reported number; 0 if every reported number is reproduced."""
    same: tuple[Way, ...] = ()
    """Other ways that give the same value on these data, so that the data cannot tell the ways apart."""

    @property
    def matches(self) -> bool:
        """Whether every reported number is reproduced."""
        return self.off == 0

    @property
    def name(self) -> str:
        """The names of the rule, the data and the writing."""
        parts = (self.rule, "" if self.data == "means" else self.data, self.written)
        return "; ".join(part for part in parts if part)

    @property
    def value(self) -> str:
        """The values, with four decimals each."""
        return ", ".join(f"{value:.4f}" for value in self.values)


@dataclass(frozen=True)
class Level:
    """The ways with a given number of departures: how many match, and how many would match by chance."""

    departures: int
    ways: int
    distinct: int
    """Number of different values that these ways give."""
    matches: int
    """Number of different values that reproduce the reported number."""
    by_chance: float
    """Expected number of matches if another number nearby, with as many digits, had been reported."""


@checked
def audit(
    truth: Collection | Pairing,
    candidate: Any = None,
    *,
    reported: str | Sequence[str],
    top: int | Iterable[int] = (),
    departures: int = 3,
    on: On = "both",
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Findings:
    """Find the coefficient, direction and rule for ties behind a reported number.

    First, `audit` tries every registered coefficient on the means over topics. Then it tries common variations:
    exchanging the sides, using another library's variant, breaking ties by name or by file order, rounding the means,
    averaging the coefficient over topics, using each side's own topics, comparing names or ranks as if they were
    scores, and dropping the sign. Each variation counts as one departure or more. Ways with few departures are the
    plainer explanations.

    A number with few digits matches many rules by chance. The result says how many values were tried, and how many
    would match another nearby number with as many digits. The evidence is stronger with more digits, or with several
    reported numbers that one rule must reproduce together.

    Parameters
    ----------
    truth : what `as_scores` takes, or a Pairing
        The ranking with which the candidates are compared.
    candidate : what `as_scores` takes, or a list of these
        The other ranking, or a list of rankings, each with its own reported number.
    reported : str or list of str
        The number as printed: "0.87" stands for the values from 0.865 to 0.875, "0.870" for a smaller range. "87%" and
        "87.1" are percentages.
    top : int or list of int
        Also compare only the k best systems, for each k given.
    departures : int
        Largest number of departures to try.
    on : {"both", "systems"}
        "both": the plain way takes means over the common topics. "systems": it takes means over each side's own topics.
    names : list of str, optional
        Names of the truth and of each candidate.
    progress : callable, optional
        Called with the number of preparations done and the total.

    Returns
    -------
    Findings
        `matches`: a `Way` for each value that reproduces the number, the plainest first; `nearest`: the ways that come
        nearest without reproducing it; `levels`: for each number of departures, how many ways were tried, how many
        match, and how many would match by chance.

    See Also
    --------
    compare : Measure how far two rankings agree.
    explain : Find the systems and topics that cause the difference.

    Examples
    --------
    >>> import concordant as cc
    >>> people = {"dense": 0.61, "hybrid": 0.64, "bm25": 0.45, "rm3": 0.47, "splade": 0.58}
    >>> model = {"bm25": 0.50, "rm3": 0.58, "dense": 0.70, "hybrid": 0.70, "splade": 0.71}
    >>> found = cc.audit(people, model, reported="0.527", departures=0)
    >>> print(found.verdict)
    Only one value matches 0.527: tau_b(truth, candidate) = 0.5270. 15 ways to compute it were tried, with 12 \
different values. Of the 12 values of plain rules, 0.01 would match by chance: strong evidence.

    """
    if isinstance(truth, Pairing):
        if candidate is not None:
            raise InputError("candidate is given together with a pairing, which holds both sides: leave it out")
        sides, labels = list(truth.sides), list(truth.names)
    else:
        sides, labels = named_sides(truth, candidate, names)
    for side, label in zip(sides, labels, strict=True):
        refuse(side, label, "total", why="audit tries means and other ways to average the topics")
    printed = [Printed.of(text) for text in ([reported] if isinstance(reported, str) else reported)]
    several = len(labels) > 2
    if len(printed) != len(labels) - 1:
        numbers, candidates = counted(len(printed), "number"), counted(len(labels) - 1, "candidate")
        raise InputError(f"{named('reported')} holds {numbers} for {candidates}: give one for each")
    tops = [top] if isinstance(top, int) else list(top)
    readings, notes = _readings(sides, labels, on)
    first = next(iter(readings.values()))
    called = {"truth": one_line(labels[0]), "candidate": "candidate" if several else one_line(labels[1])}
    found = _grouped(_try_all(readings, printed, tops, departures, called, progress))
    if "" not in readings:
        notes.insert(0, f"systems lack topics; tried: {', '.join(readings)}")
    if any(p.percent for p in printed):
        notes.append("the reported number was taken as a percentage")
    matches, nearest = tuple(way for way in found if way.matches), _nearest_of(found)
    levels, number = _levels_of(found, printed), listing([p.text for p in printed])
    return Findings(
        kind="AuditResult",
        answer=_verdict(number, matches, nearest, levels),
        numbers={
            "reported": tuple(p.text for p in printed),
            "windows": tuple(p.window for p in printed),
            "truth": labels[0],
            "candidate": tuple(labels[1:]),
            "n_systems": tuple(len(one.found.systems) for one in first),
            "n_ways": sum(level.ways for level in levels),
            "n_distinct": sum(level.distinct for level in levels),
            "matches": matches,
            "nearest": nearest,
            "levels": levels,
        },
        lines=[
            {
                "match": "yes" if way.matches else "no",
                "departures": way.departures,
                **{f"value {k}" if several else "value": v for k, v in zip(labels[1:], way.values, strict=True)},
                "rule": way.rule,
                "data": way.data,
                "written": way.written or "as it is",
                "same here": len(way.same),
                "description": way.account,
            }
            for way in (*matches, *nearest)
        ],
        shown=_table(number, matches, nearest, levels),
        notes=tuple(dict.fromkeys(notes)),
        settings=settings_of(top=tops, departures=departures, on=on),
        data=together([one.found for one in first]),
    )


def _readings(sides: Sequence[Side], labels: Sequence[str], on: On) -> tuple[dict[str, list[Sides]], list[str]]:
    """Match the truth with each candidate, and collect the notes.

    If systems lack topics and no policy for missing scores was given, match once under each policy that works.
    """
    unsaid = [side.has_holes and side.missing == "error" for side in sides]
    policies = {"error": ""} | (_POLICIES if any(unsaid) else {})
    found: dict[str, list[Sides]] = {}
    notes: list[str] = []
    for policy, words in policies.items():
        own, *others = (
            side.described(missing=policy) if open_ else side for side, open_ in zip(sides, unsaid, strict=True)
        )
        pairs = zip(others, labels[1:], strict=True)
        try:
            found[words] = [Sides.of((own, side), (labels[0], label), on) for side, label in pairs]
        except ConcordantError as why:
            if not found and policy == [*policies][-1]:
                raise
            notes += [f"{words}: not tried ({why})"] * bool(words)
        if "" in found:
            break
    return found, [*(note for made in found.values() for one in made for note in one.found.notes), *notes]


# Trying ----------------------------------------------------------------------------------------------


def _try_all(
    readings: Mapping[str, Sequence[Sides]],
    printed: Sequence[Printed],
    tops: Sequence[int],
    departures: int,
    called: Mapping[str, str],
    progress: Progress | None,
) -> Iterator[Way]:
    """Try all rules, writings, preparations and policies for missing topics, up to the given number of departures."""
    tell = partial(re.compile(r"\b(truth|candidate)\b").sub, lambda role: called[role[0]])
    known = [rule._replace(name=tell(rule.name), account=tell(rule.account)) for rule in rules()]
    work = [(*reading, way) for way in preparations(tops) for reading in readings.items()]
    for done, (policy, given, way) in enumerate(work, 1):
        made = [way.make(one) for one in given] if way.departures <= departures else []
        if any(pair is not None for pair in made):
            pairs = [one.vectors() if pair is None else pair for pair, one in zip(made, given, strict=True)]
            way_told, tied = way._replace(name=tell(way.name)), any(pair.tied for pair in pairs)
            for rule in known:
                if (way.only is None or rule.of in way.only) and (tied or not rule.needs_ties):
                    yield from _written(rule, way_told, policy, pairs, printed, departures)
        (progress or silent)(done, len(work))


def _written(
    rule: Recipe, way: Preparation, policy: str, pairs: Sequence[Vectors], printed: Sequence[Printed], departures: int
) -> Iterator[Way]:
    """Compute a rule's value for each candidate, and yield each way to write it within the number of departures."""
    if rule.departures + way.departures > departures:
        return
    try:
        with np.errstate(all="ignore"):
            plain = tuple(float(way.average(np.asarray(rule.call(pair), dtype=float))) for pair in pairs)
    except (TiesError, LimitError):
        return
    if not np.isfinite(plain).all():  # nobody can have printed such a value
        return
    for writing in WRITINGS:
        steps = rule.departures + way.departures + writing.departures
        if steps > departures or (writing.signed and not rule.signed):
            continue
        values = tuple(map(writing.apply, plain))
        if writing.name and values == plain:
            continue  # a plainer writing gives the same number
        # off: the largest distance of a value from its window; 0 if all values lie inside their windows.
        windows = [p.window for p in printed]
        off = max(max(v - high, low - v, 0.0) for v, (low, high) in zip(values, windows, strict=True))
        account = "; ".join(part for part in (rule.account, way.name, writing.account) if part)
        data = "; ".join(part for part in (way.name, policy) if part) or "means"
        yield Way(rule.name, data, writing.name, account, steps, values, off)


# Summaries ------------------------------------------------------------------------------------


def _grouped(ways: Iterable[Way]) -> list[Way]:
    """Group the ways that give the same value, each group led by its plainest way. Rules keep their order."""
    groups: dict[Any, list[Way]] = {}
    for way in sorted(ways, key=lambda way: way.departures):
        groups.setdefault(tuple(round(value, 9) for value in way.values), []).append(way)
    return [replace(first, same=tuple(others)) for first, *others in groups.values()]


def _nearest_of(found: Sequence[Way]) -> tuple[Way, ...]:
    """Select the ways that come nearest to the number without matching it, a few for each number of departures."""
    missed = sorted((way for way in found if not way.matches), key=lambda way: way.off)
    levels = sorted({way.departures for way in missed})
    return tuple(way for level in levels for way in [way for way in missed if way.departures == level][:NEAREST])


def _levels_of(found: Sequence[Way], printed: Sequence[Printed]) -> tuple[Level, ...]:
    """Count the ways, the matches and the matches expected by chance for each number of departures."""
    # To estimate the matches by chance, shift the windows up and down by at most 0.1 or ten widths, whichever is more.
    width = max(p.step for p in printed)
    far = np.linspace(width, max(0.1, 10 * width), SHIFTS)
    shifts = np.concatenate([-far, far])
    shifts = shifts[[all(abs(p.value + shift) <= 1 for p in printed) for shift in shifts]]

    def share(way: Way) -> float:
        """Compute the share of the shifted windows that contain a way's values; 1 if no window could be shifted."""
        inside = np.ones(len(shifts), dtype=bool)
        for value, p in zip(way.values, printed, strict=True):
            low, high = p.window
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
    """Say whether one rule, several rules or no rule reproduces the number."""
    ways, distinct = sum(one.ways for one in levels), sum(one.distinct for one in levels)
    tried = f"{ways:,} ways to compute it were tried, with {distinct:,} different values."
    if not matches:
        near = f"; the nearest plain rule is {_quoted(nearest[0])}" if nearest else ""
        return f"Nothing reproduces {number}{near}. {tried}"
    first = matches[0]
    level = first.departures
    equals = [way for way in matches if way.departures == level]
    if len(matches) == 1:
        head = f"Only one value matches {number}: {_quoted(first)}."
    elif len(equals) == 1:
        more = counted(len(matches) - 1, "less plain way")
        head = f"The plainest way to get {number} is {_quoted(first)}; also possible: {more}."
    else:
        more = listing([way.name for way in equals[1:]], 3)
        head = (
            f"{len(matches)} different values are printed as {number}. The plainest ways are "
            f"{_quoted(first)}, and {more}; the digits cannot tell which."
        )
    head = f"No plain rule gives {number}. {head}" if level else head
    # Rate the evidence only for a single match at this level: several matches cannot show which one is right.
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
    """Show the ways that reproduce the number, the nearest ways that do not, and the matches expected by chance."""
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
                lines.append(f"  and {len(ways) - SHOWN} more: to_frame() and --format csv list all")
            parts.append("\n".join(lines))
    counts = columns(
        [["departures", "tried", "values", "match", "by chance"]]
        + [[f"{k.departures}", f"{k.ways}", f"{k.distinct}", f"{k.matches}", f"{k.by_chance:.2f}"] for k in levels]
    )
    return "\n\n".join([*parts, counts])
