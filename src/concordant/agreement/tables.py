"""`compare` by several measures or on several collections: one row for each, and averages over collections."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..coefficients.registry import get_coefficient, headlines
from ..data.results import Findings, Interval, columns, seed_of, settings_of
from ..errors import InputError, argument, counted, listing, named, number, warn
from ..inference.resampling import Resampling, silent
from ..judges.curves import How
from ..judges.worth import agreements, could_be_best, for_worth, matched_judge, on_the_same, shown
from ..read.look import look
from ..read.reader import read_scores, tables_in
from ..read.tables.vocabulary import companions, stands_beside
from .comparison_result import Compared, Comparison

Sides = tuple[Any, Any]  # the truth, and the candidates


@dataclass(frozen=True)
class Part:
    """One of the comparisons in the table."""

    collection: str
    """Name of the collection; empty if there is only one collection."""
    measure: str
    """The measure as requested; the sides may name it differently."""
    found: Comparison


@dataclass(frozen=True)
class Average:
    """Averages of a candidate's coefficients over the collections, for one measure."""

    measure: str
    candidate: str
    values: Mapping[str, float]
    """Mean of each coefficient."""
    interval: Interval | None
    """Interval of the main coefficient for all topics like these, on the same collections; None if unavailable."""
    best: bool | None
    """Whether the candidate could be the best one on average; None if unknown."""


def _verdict(parts: Sequence[Part], averages: Sequence[Average], name: str) -> str:
    """Name the candidate that agrees most, or say how the answer depends on the measure."""
    first = parts[0].found
    truth, count = first.names[0], len({c.candidate for part in parts for c in part.found.comparisons})
    if averages:
        top = averages[0]
        over = counted(len({part.collection for part in parts}), "collection")
        says = f"{top.candidate} ranks the systems most like {truth}" if count > 1 else f"{top.candidate} and {truth}"
        by = f" by {top.measure}" if top.measure else ""
        rivals = [a.candidate for a in averages[1:] if a.best and a.measure == top.measure]
        could = f"; {listing(rivals, 3)} could be as good" if rivals else ""
        return f"{says}: {name} {number(top.values[name], 2)} on average over {over}{by}{could}"
    if count > 1:
        wins: dict[str, list[str]] = {}
        for part in parts:
            best = max(part.found.comparisons, key=lambda c: np.nan_to_num(c[name], nan=-2.0))
            wins.setdefault(best.candidate, []).append(part.measure)
        winner = max(wins, key=lambda candidate: len(wins[candidate]))
        by = f"{len(wins[winner])} of {counted(len(parts), 'measure')}"
        return f"{winner} ranks the systems most like {truth} by {by} ({name})"
    only = {part.measure: part.found.comparisons[0] for part in parts}
    if worths := {m: c.worth.worth for m, c in only.items() if c.worth is not None and np.isfinite(c.worth.worth)}:
        ends = " to ".join(f"{shown(worths[m])} ({m})" for m in _ends(worths))
        return f"25 topics judged by {first.names[1]} are worth {ends} judged by {truth}"
    values = {m: c[name] for m, c in only.items() if not np.isnan(c[name])}
    ends = " to ".join(f"{number(values[m], 2)} ({m})" for m in _ends(values))
    return f"{name} between {truth} and {first.names[1]} is {ends}"


def _table(parts: Sequence[Part], averages: Sequence[Average], names: Sequence[str], main: str) -> str:
    """Show a row per measure, collection and candidate, then the averages."""
    each = [(part, c) for part in parts for c in part.found.comparisons]
    measured = any(_measure(c) for _, c in each)
    level = f"{100 * parts[0].found.settings['confidence_level']:g}% interval"
    valued = any(c.worth is not None for _, c in each)
    heads = ["worth of 25", level] if valued else []
    rows = [[*["collection"] * bool(averages), *["measure"] * measured, "", *heads, *names]]
    for part, c in each:
        worth = ["-"] * len(heads) if c.worth is None else [c.worth.cell, c.worth.ends]
        about = [*[part.collection] * bool(averages), *[_measure(c)] * measured, c.candidate]
        rows.append([*about, *worth, *(number(c[name]) for name in names)])
    if not averages:
        return columns(rows)
    more = [["average", *["measure"] * measured, *names, f"{level} of {main}", "may be best"]]
    for a in averages:
        ends = "-" if a.interval is None else f"{a.interval.low:.3f} to {a.interval.high:.3f}"
        values = [number(a.values[name]) for name in names]
        more.append(
            [a.candidate, *[a.measure] * measured, *values, ends, {True: "yes", False: "no", None: "-"}[a.best]]
        )
    said = "Intervals are for topics like these of the same collections, and bias-corrected; they may miss the average."
    return f"{columns(rows)}\n\n{columns(more)}\n\n  {said}"


def _row(part: Part, c: Compared, *, several: bool) -> dict[str, Any]:
    """Make one row, with columns named as in AutoJudge's tables."""
    truth, judge = c.pairing.sides
    row: dict[str, Any] = {"Collection": part.collection} if several else {}
    row |= {"Judge": c.candidate, "TruthMeasure": truth.measure, "EvalMeasure": judge.measure}
    row |= {"systems": len(c.systems), "topics": len(c.topics)}
    ends = (np.nan,) * 3 if c.worth is None else (c.worth.worth, c.worth.interval.low, c.worth.interval.high)
    row |= dict(zip(("worth", "worth_low", "worth_high"), map(float, ends), strict=True))
    return row | {v.coefficient: v.value for v in c.values}


def _measure(c: Compared) -> str:
    first, second = (side.measure for side in c.pairing.sides[:2])
    return first if first == second else f"{first} by {second}"


def _ends(values: Mapping[str, float]) -> list[str]:
    """Return the keys of the lowest and the highest value."""
    order = sorted(values, key=values.__getitem__)
    return order[:1] + order[1:][-1:]


def common_measures(files: Iterable[Any]) -> list[str]:
    """List the measures of quality that all files have, in the order of the first file."""
    found = [look(file).measures for file in files]
    common = [measure for measure in found[0] if all(measure in other for other in found)] if found else []
    if not common:
        raise InputError(
            f"the sides have no measure in common for {argument('measures', 'all')}: name one for each side"
        )
    beside = [name for name in common if name in companions(common) or stands_beside(name)]
    if len(beside) == len(common):
        return common
    if beside:
        warn(f"left out because they do not measure quality: {listing(beside)}; name them with {named('measures')}")
    return [name for name in common if name not in beside]


def compared_by(
    compare: Callable[..., Comparison],
    given: Sequence[tuple[str, str, Callable[[], Sides]]],
    how: Mapping[str, Any],
) -> Findings:
    """Compare the sides on each collection and by each measure, with the same options and seed."""
    progress, how = how.get("progress"), {**how, "progress": None}
    seed = Resampling.of(1, how.get("rng")).seed
    if seed is None:
        raise InputError("rng is a Generator: give a seed, so that each row equals a separate call of compare")
    collections = list(dict.fromkeys(collection for collection, _, _ in given))
    if collections[0] and len(collections) < 2:
        raise InputError(f"{named('collections')} has only {collections[0]}: give at least two, or pass its files")
    if len(collections) > 1:
        how["interval"] = True
    parts = []
    for k, (collection, measure, read) in enumerate(given, 1):
        parts.append(Part(collection, measure, compare(*read(), **{**how, "rng": seed})))
        (progress or silent)(k, len(given))
    averages: list[Average] = []
    every = [v.coefficient for v in parts[0].found.comparisons[0].values]
    main = next((name for name in headlines("main") if name in every), every[0])
    if len(collections) > 1:
        for measure in dict.fromkeys(part.measure for part in parts):
            averages += _averages([part for part in parts if part.measure == measure], main)
    settings = parts[0].found.settings
    kept = {name: settings[name] for name in ("seed", "n_resamples", "confidence_level", "on", "top")}
    names = every  # coefficients in the table
    if len(every) > len(headlines("inferred")):
        names = [name for name in headlines("main") if name in every]
    return Findings(
        kind="ComparisonTable",
        answer=_verdict(parts, averages, main),
        numbers={"parts": tuple(parts), "averages": tuple(averages)},
        lines=[_row(part, c, several=bool(averages)) for part in parts for c in part.found.comparisons],
        shown=_table(parts, averages, names, main),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.found.notes)),
        settings=settings_of(**kept, collections=collections),
    )


def _averages(parts: Sequence[Part], main: str) -> list[Average]:
    """Average each candidate's coefficients over the collections, for one measure. Put the highest average first."""
    from scipy.special import stdtrit

    names = [c.candidate for c in parts[0].found.comparisons]
    level, best = parts[0].found.settings["confidence_level"], _could_be_best(parts)
    found = []
    for k, candidate in enumerate(names):
        of = [part.found[candidate] for part in parts]
        values = {v.coefficient: float(np.mean([c[v.coefficient] for c in of])) for v in of[0].values}
        estimates = [v.estimate for c in of for v in c.values if v.coefficient == main]
        interval = None
        if all(e is not None and e.bias_corrected is not None and e.standard_error is not None for e in estimates):
            # Collections have different topics, so their errors are independent.
            centre = float(np.mean([e.bias_corrected for e in estimates]))
            error = float(np.sqrt(np.sum([e.standard_error**2 for e in estimates]))) / len(estimates)
            reach = float(stdtrit(min(len(c.topics) for c in of) - 1, (1 + level) / 2)) * error
            interval = Interval(max(centre - reach, -1.0), min(centre + reach, 1.0), level, "mean over collections")
        found.append(Average(parts[0].measure, candidate, values, interval, None if best is None else best[k]))
    return sorted(found, key=lambda a: -np.nan_to_num(a.values[main], nan=-2.0))


def _could_be_best(parts: Sequence[Part]) -> list[bool] | None:
    """Tell which candidates could be the best on average; None if this is unknown on some collection."""
    values, influences, sizes = [], [], []
    for part in parts:
        of = part.found.comparisons
        known = for_worth([get_coefficient(v.coefficient) for v in of[0].values])
        if known is None or len(of) < 2 or not all(c.topics for c in of):
            return None
        judged = on_the_same([c.pairing for c in of], [matched_judge(c.pairing) for c in of])
        if judged is None:
            return None
        topics = min(min(len(sides.truth.topics), len(sides.judge.topics)) for sides in judged)
        settings = part.found.settings
        drawn = Resampling.of(settings["n_resamples"], seed_of(settings))
        value, influence = agreements(judged, topics // 2, How(known, settings["confidence_level"], drawn), {})
        values.append(value)
        influences.append(influence / len(parts))
        sizes.append(topics)
    level = parts[0].found.settings["confidence_level"]
    found = could_be_best(np.mean(values, axis=0), np.hstack(influences), min(sizes), level=level)
    return [bool(one) for one in found]


def read_by(
    truth: Any, candidates: Any, measures: str | Sequence[str] | None, collections: Mapping[str, Any] | None
) -> list[tuple[str, str, Callable[[], Sides]]]:
    """List the sides to compare for each measure in each collection's folder."""
    others = dict(candidates) if isinstance(candidates, Mapping) else candidates
    listed: list[Any] = list(others) if isinstance(others, list | tuple) else [others]
    if collections is None:  # a folder of tables holds one candidate per file
        listed = [x for one in listed for x in (tables_in(one) if isinstance(one, str | os.PathLike) else []) or [one]]
    paths = list(others.values()) if isinstance(others, dict) else listed

    def at(folder: Any, path: Any) -> Any:
        return path if folder is None else os.path.join(folder, path)

    folders: Mapping[str, Any] = {"": None} if collections is None else collections
    for name, folder in folders.items():
        if not isinstance(folder, str | os.PathLike | None):
            raise InputError(f"collections has {folder!r} for {name!r}: give the path of its folder")
    anywhere = next(iter(folders.values()))
    if measures == "all":
        measures = common_measures(at(anywhere, path) for path in (truth, *paths))
    wanted: Sequence[str | None] = [None] if measures is None else [measures] if isinstance(measures, str) else measures

    def sides(folder: Any, measure: str | None) -> Sides:
        first, *found = (read_scores(at(folder, path), measure) for path in (truth, *paths))
        return first, dict(zip(others, found, strict=True)) if isinstance(others, dict) else found

    return [
        (name, measure or "", partial(sides, folder, measure))
        for measure in dict.fromkeys(wanted)
        for name, folder in folders.items()
    ]
