"""`audit`: try every rule on every preparation of the scores, and keep what is printed as the reported number."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from .. import __version__
from ..arrays import FloatArray
from ..errors import ConcordantError, DataWarning, InputError, TiesError
from ..resampling import Progress
from ..sides import Labelled, Side, side_of
from ..tables import Missing
from ..words import counted
from .preparations import PLAIN, Given, Preparation, preparations
from .printed import CUT, WRITINGS, Printed, Writing
from .result import AuditResult, Finding, Level, Way
from .rule import Rule
from .rules import rules, value_of
from .vectors import Vectors

NEAREST = 2  # of each number of departures
SHIFTS = 100  # windows to either side that say what chance gives


def audit(
    truth: Labelled,
    candidate: Labelled | Sequence[Labelled],
    reported: str | Sequence[str],
    *,
    top: int | Iterable[int] = (),
    departures: int = 3,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """Which coefficient, direction and rule for ties gives a number that somebody printed?

    Every registered coefficient is tried on the means over topics, then what one may have done instead: exchanged the
    sides, used another library's variant, broken ties by name, by file or at random, rounded the means, averaged over
    topics, compared names or ranks as if they were scores, dropped a sign. Each such step is a departure; ways with
    few of them are the plainer explanations.

    A number of few digits is reproduced by many rules by chance. The result says how many values were tried, and how
    many would match another number of as many digits nearby. More digits, or several reported numbers that one rule
    has to reproduce at once, tell more.

    Parameters
    ----------
    truth, candidate
        As in `compare`; candidate may be a list of rankings, each with its reported number.
    reported : str or list of str
        The number as it was printed: "0.87" stands for all from 0.865 to 0.875, "0.870" for less. "87%" and "87.1" are
        percent.
    top : int or list of int
        Also try the k best systems only.
    departures : int
        The most steps away from the plain way.
    names : list of str, optional
        What to call the truth and each candidate ranking.
    progress : callable, optional
        Called with the number of preparations done and of all.

    Returns
    -------
    AuditResult

    Examples
    --------
    >>> import concordant as cc
    >>> people = {"dense": 0.61, "hybrid": 0.64, "bm25": 0.45, "rm3": 0.47, "splade": 0.58}
    >>> model = {"bm25": 0.50, "rm3": 0.58, "dense": 0.70, "hybrid": 0.70, "splade": 0.71}
    >>> found = cc.audit.audit(people, model, "0.527", departures=0)
    >>> print(found.verdict())
    Exactly one thing reproduces 0.527: tau_b(truth, candidate) = 0.5270. 14 ways to compute it were tried, with 11 \
different values. Of the 11 values of plain rules, 0.01 would match by chance: strong evidence.
    """
    rankings = list(candidate) if isinstance(candidate, (list, tuple)) else [candidate]
    labels = ["truth", *(["candidate"] if len(rankings) == 1 else [f"candidate {k + 1}" for k in range(len(rankings))])]
    if names is not None:
        labels = list(names)
    if len(labels) != len(rankings) + 1 or not all(isinstance(label, str) for label in labels):
        raise InputError(f"names is {names!r}: give strings, one for the truth and one for each candidate ranking")

    def read(missing: Missing) -> list[Side]:
        return [side_of(side, label, missing) for side, label in zip((truth, *rankings), labels, strict=True)]

    return audit_read(read, reported, labels, top=top, departures=departures, progress=progress)


def audit_read(
    read: Callable[[Missing], list[Side]],
    reported: str | Sequence[str],
    labels: Sequence[str],
    *,
    top: int | Iterable[int] = (),
    departures: int = 3,
    progress: Progress | None = None,
) -> AuditResult:
    """`audit` of the sides that `read` gives, the truth first, for a policy for missing topics."""
    printed = [Printed.of(text) for text in (reported if isinstance(reported, (list, tuple)) else [reported])]
    if len(printed) != len(labels) - 1:
        raise InputError(
            f"reported holds {counted(len(printed), 'number')} for {counted(len(labels) - 1, 'candidate ranking')}: "
            "give one for each"
        )
    tops = _check_top([top] if isinstance(top, int) else list(top))
    if isinstance(departures, bool) or not isinstance(departures, int) or departures < 0:
        raise InputError(f"departures is {departures!r}: give a whole number from 0")
    readings = {policy: _matched(sides, labels) for policy, sides in _readings(read).items()}
    found = list(_ways(readings, printed, preparations(tops), departures, progress))
    findings = _grouped(found)
    notes = [note for givens in readings.values() for given in givens for note in given.notes]
    if "" not in readings:
        notes.append(f"systems lack topics; tried: {', '.join(readings)}")
    if any(p.percent for p in printed):
        notes.append("what was reported was taken as percent")
    return AuditResult(
        reported=tuple(printed),
        truth=labels[0],
        candidate=tuple(labels[1:]),
        n_systems=tuple(len(given.matched[0].systems) for given in next(iter(readings.values()))),
        matches=tuple(finding for finding in findings if finding.plainest.matches),
        nearest=_nearest(findings),
        levels=_levels(findings, printed),
        notes=tuple(dict.fromkeys(notes)),
        settings={"top": tops, "departures": departures, "version": __version__},
    )


def _check_top(top: list[Any]) -> list[int]:
    for k in top:
        if isinstance(k, bool) or not isinstance(k, int) or k < 2:
            raise InputError(f"top is {k!r}: give the number of systems to compare, at least 2")
    return top


def _readings(read: Callable[[Missing], list[Side]]) -> dict[str, list[Side]]:
    """The sides; where systems lack topics, once for each policy that there is."""
    try:
        return {"": read("error")}
    except ConcordantError as error:
        found: dict[str, list[Side]] = {}
        policies: dict[Missing, str] = {
            "drop": "missing topics dropped",
            "zero": "missing topics 0",
            "mean": "each system over the topics it has",
            "drop-systems": "systems with missing topics dropped",
        }
        for policy, words in policies.items():
            with warnings.catch_warnings(), suppress(ConcordantError):
                warnings.simplefilter("ignore", DataWarning)
                found[words] = read(policy)
        if not found:
            raise error from None
        return found


def _matched(sides: list[Side], labels: Sequence[str]) -> list[Given]:
    truth, *rankings = sides
    givens = [Given.of(truth, side, (labels[0], label)) for side, label in zip(rankings, labels[1:], strict=True)]
    for given, label in zip(givens, labels[1:], strict=True):
        if len(given.matched[0].systems) < 2:
            raise InputError(f"{labels[0]} and {label} share one system: at least 2 are needed to compare rankings")
    return givens


# Ways ---------------------------------------------------------------------------------------


def _ways(
    readings: Mapping[str, list[Given]],
    printed: Sequence[Printed],
    ways: Iterable[Preparation],
    departures: int,
    progress: Progress | None,
) -> Iterator[Way]:
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
                    if values is not None:
                        yield from _written(rule, way, data, values, printed, departures)
        if progress is not None:
            progress(done, len(work))


def _suited(rule: Rule, way: Preparation, pairs: Sequence[Vectors]) -> bool:
    return way.suits in rule.suits and (not rule.needs_ties or any(pair.tied for pair in pairs))


def _values(rule: Rule, way: Preparation, pairs: Sequence[Vectors]) -> FloatArray | None:
    """Low and high for each pair; None where one of them has no value, so that nobody can have printed it."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            values = np.array([_averaged(value_of(rule, pair), way) for pair in pairs])
        except TiesError:
            return None
    return values if np.isfinite(values).all() else None


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
    rule: Rule, way: Preparation, data: str, values: FloatArray, printed: Sequence[Printed], departures: int
) -> Iterator[Way]:
    """The ways to write a value that may have been chosen, each a way."""
    reproduced = False
    for writing in WRITINGS:
        steps = rule.departures + way.departures + writing.departures
        if steps > departures or (writing.signed and not rule.signed):
            continue
        ranges = tuple(_ends(writing, low, high) for low, high in values.tolist())
        as_it_is = writing.apply is WRITINGS[0].apply
        if writing is not WRITINGS[0] and (
            reproduced if as_it_is else ranges == tuple((low, high) for low, high in values.tolist())
        ):
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


# Chance -------------------------------------------------------------------------------------------


def _grouped(ways: Iterable[Way]) -> list[Finding]:
    """Ways of one value together, the plainest first; sorting is stable, so rules keep their order."""
    groups: dict[Any, list[Way]] = {}
    for way in sorted(ways, key=lambda c: c.departures):
        key = tuple((round(low, 9), round(high, 9)) for low, high in way.ranges)
        groups.setdefault((key, way.written == CUT), []).append(way)
    return [Finding(group[0], tuple(group[1:])) for group in groups.values()]


def _nearest(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Of those that do not match the nearest ones, some with 0 departures, some with 1, ..."""
    missed = sorted((f for f in findings if not f.plainest.matches), key=lambda f: f.plainest.off)
    levels = sorted({finding.plainest.departures for finding in missed})
    return tuple(f for level in levels for f in [f for f in missed if f.plainest.departures == level][:NEAREST])


def _levels(findings: Sequence[Finding], printed: Sequence[Printed]) -> tuple[Level, ...]:
    """How many were tried with 0, 1, 2 ... departures, and how many match what was reported or numbers nearby."""
    shifts = _shifts(printed)
    departs = [c.departures for finding in findings for c in (finding.plainest, *finding.others)]
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
