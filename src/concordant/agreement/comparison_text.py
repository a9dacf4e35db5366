"""Write the text of a comparison: the answer, the facts on one screen, and every number if `every` is true."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import FloatArray
from ..coefficients.registry import headlines, list_coefficients
from ..data.results import columns
from ..errors import counted, listing, number, one_line, ordinal, p_cell
from ..judges.worth import CANNOT_TELL

if TYPE_CHECKING:
    from .comparison_result import CoefficientValue, Compared, Comparison

_SCREEN = 20  # candidates shown by default
_FEW = 5  # largest number of names that a sentence lists
_WIDEST = 80  # characters per line of a table


def answers(found: Comparison) -> list[str]:
    """Write the lines of the verdict."""
    if len(found.comparisons) == 1:
        return found.comparisons[0].answers()

    def rest(others: Iterable[Compared]) -> list[str]:
        kept = tuple(others)
        return answers(replace(found, comparisons=kept)) if kept else []

    if same := [c for c in found.comparisons if c.same]:
        which = f"{listing([c.candidate for c in same], _FEW)} and {same[0].truth} have the same {same[0].same}"
        return [
            *rest(c for c in found.comparisons if not c.same),
            f"{which} for every system, so their agreement shows nothing.",
        ]
    if found.ranking is not None:
        return list(found.ranking._answers())
    if unordered := [c for c in found.comparisons if c.without_order]:
        return [*rest(c for c in found.comparisons if not c.without_order), not_compared(unordered)]
    if not _same_data(found):
        return ["The candidates share different systems or topics with the first file, so they cannot be ranked."]
    return [*_highest(found), *_ruled_out(found)]


def not_compared(found: Iterable[Compared]) -> str:
    """Say which sides give all systems the same score."""
    names = list(dict.fromkeys(name for c in found for name in c.without_order))
    verb, whose = ("give", "their rankings") if names[1:] else ("gives", "its ranking")
    return f"{listing(names, _FEW)} {verb} all systems the same score, so {whose} cannot be compared."


def _highest(found: Comparison) -> list[str]:
    """Name the candidates with the highest values of the main coefficients."""
    best: dict[str, list[str]] = {}
    for name in headlines("main"):
        values = [(v.value, c.candidate) for c in found.comparisons for v in _values(c, [name]) if not v.why]
        if values:
            top = max(value for value, _ in values)
            first = [label for value, label in values if value == top]
            who = f"{listing(first, _FEW)} {'has' if len(first) == 1 else 'tie for'} the highest"
            best.setdefault(who, []).append(f"{name} ({top:.3f})")
    said = "; ".join(f"{who} {' and '.join(by)}" for who, by in best.items())
    if not said:
        return ["One row per candidate and coefficient."]
    return [f"{said} with {found.comparisons[0].truth}. Significance was not tested."]


def _ruled_out(found: Comparison) -> list[str]:
    """Name the rankings that the rank test rules out."""
    out = [c.candidate for c in found.comparisons if c.tested and c.rank_test and c.rank_test.significant]
    if not out:
        return []
    who = listing(out, _FEW) if len(out) <= _FEW else f"{len(out)} of {len(found.comparisons)}"
    return [f"The topics rule out these rankings (rank test, each at level 0.05): {who}."]


def table(found: Comparison, *, every: bool) -> str:
    """Show the facts about a single candidate, or one row for each of several, then the requested details."""
    if len(found.comparisons) == 1:
        (alone,) = found.comparisons
        listed = every or is_named(found) or _has_more(found)
        parts = [_facts(alone), *_details(alone, every=every), one_line(size(alone))]
        parts[1:1] = [_coefficients(found, every=every)] if listed else []
    else:
        shown = best_first(found)[: None if every else _SCREEN]
        more = len(found.comparisons) - len(shown)
        rows, fit = _rows(found, shown, every=every)
        listed = every or _has_more(found) or (is_named(found) and not fit)
        parts = [
            rows,
            f"  ... {more} more: --all" if more else "",
            _coefficients(found, every=every) if listed else "",
            *(_rank_distances(found) if every else []),
            one_line(_sizes(found)),
        ]
    return "\n\n".join(part for part in (*parts, matrix_table(found)) if part)


def _facts(c: Compared) -> str:
    """Show the number of swapped pairs, each side's best system, and the system that changes rank most."""
    x, y = c.truth_means, c.candidate_means
    tied = c.tied_truth + c.tied_candidate - c.tied_both
    values = {v.coefficient: v.value for v in c.values if not v.why}
    known = [
        f"{'top-weighted ' * (name == 'tau_ap_b')}{name} {values[name]:.2f}"
        for name in headlines("main")
        if name in values
    ]
    of = f"{c.swapped} of {c.pairs}" + f", {tied} tied" * bool(tied) + f" ({'; '.join(known)})" * bool(known)
    rows = [("pairs swapped", of), ("best system", _best(c)), ("largest move", _move(c.systems, x, y))]
    return "\n".join(f"  {name:<15}  {one_line(text)}" for name, text in rows)


def _best(c: Compared) -> str:
    by = []
    for means in (c.truth_means, c.candidate_means):
        first = [system for system, best in zip(c.systems, means == means.max(), strict=True) if best]
        by.append(listing(first, 3) + " (tied)" * (len(first) > 1))
    if by[0] == by[1]:
        return f"{by[0]} by both"
    return f"{by[0]} by {c.truth}{';' if '(tied)' in ''.join(by) else ','} {by[1]} by {c.candidate}"


def ranks_of(means: FloatArray) -> FloatArray:
    """Rank each system: 1 + the number of systems with higher means."""
    ranks: FloatArray = 1 + (means[None, :] > means[:, None]).sum(axis=1)
    return ranks


def _move(systems: Sequence[str], x: FloatArray, y: FloatArray) -> str:
    by_truth, by_candidate = ranks_of(x), ranks_of(y)
    k = int(np.argmax(abs(by_truth - by_candidate)))
    if by_truth[k] == by_candidate[k]:
        return "none"
    return f"{systems[k]}, from {ordinal(int(by_truth[k]))} to {ordinal(int(by_candidate[k]))}"


def _has_more(found: Comparison) -> bool:
    """Tell whether the user asked for intervals, tests or values per topic. These need a line per coefficient."""
    first = found.comparisons[0]
    return bool(first.per_topic) or any(v.interval or v.pvalue is not None for c in found.comparisons for v in c.values)


def shown_coefficients(found: Comparison, *, every: bool = False) -> list[str]:
    """Choose the coefficients to show: those that the user named, the main ones, or all coefficients."""
    values = found.comparisons[0].values
    kept = headlines("inferred" if any(v.interval for c in found.comparisons for v in c.values) else "main")
    return [v.coefficient for v in values if every or is_named(found) or v.coefficient in kept]


def _coefficients(found: Comparison, *, every: bool) -> str:
    """Show one line per candidate and coefficient."""
    names, several = shown_coefficients(found, every=every), len(found.comparisons) > 1
    heads, lines = _heads(found), []
    shown = best_first(found)[: None if every else _SCREEN]
    widest = max(len(one_line(c.candidate)) for c in shown)
    for c in shown:
        on_topics = {p.coefficient: p for p in c.per_topic}
        for k, v in enumerate(_values(c, names)):
            whose = f"{'' if k else one_line(c.candidate):<{widest}}  " if several else ""
            cells = (_cell(head, v, on_topics.get(v.coefficient)) for head in heads[1:])
            lines.append([whose + v.coefficient, number(v.value), *cells])
    parts = [columns([["", *heads], *lines])]
    intervals = [(v.interval, v.value) for c in shown for v in c.values if v.interval]
    if any(value < interval.low or value > interval.high for interval, value in intervals):
        parts.append("  The intervals are for all such topics and bias-corrected; they may miss the value.")
    for c in shown:
        parts.append("\n".join(f"  {line}" for line in without_value(c, names, f" of {c.candidate}" * several)))
    return "\n\n".join(part for part in parts if part)


def without_value(c: Compared, names: Sequence[str], whose: str = "") -> list[str]:
    """Say in separate lines why coefficients are undefined on the means or on single topics."""
    why: dict[str, list[str]] = {}
    for v in _values(c, names):
        if v.why:
            why.setdefault(named(v.why, c), []).append(v.coefficient)
    tied = f"; {' and '.join(headlines('main'))} allow ties"
    lines = [f"No value{whose}: {listing(of)} ({reason}{tied * ('ties in' in reason)})" for reason, of in why.items()]
    for p in c.per_topic:
        if p.coefficient in names and (p.why or p.undefined):
            reason = named(p.why, c) if p.why else f"undefined on {counted(p.undefined, 'topic')}"
            lines.append(f"{p.coefficient}{whose} on each topic: {reason}")
    return lines


def named(why: str, c: Compared) -> str:
    """Put the side's name in place of its role in the reason "ties in truth" or "ties in candidate"."""
    return re.sub(r"^ties in (truth|candidate)\b", lambda side: f"ties in {getattr(c, side[1])}", why)


def _heads(found: Comparison) -> list[str]:
    values = [v for c in found.comparisons for v in c.values]
    level = next((v.interval.confidence_level for v in values if v.interval), None)
    heads = ["value"] + ([] if level is None else [f"{100 * level:g}% interval"])
    heads += ["p (chance)"] if any(v.pvalue is not None for v in values) else []
    return heads + (["mean of topics", "sd"] if found.comparisons[0].per_topic else [])


def _cell(head: str, v: CoefficientValue, topics: Any) -> str:
    if head == "p (chance)":
        return "-" if v.pvalue is None else p_cell(v.pvalue)
    if head.endswith("interval"):
        return "-" if v.interval is None else f"{v.interval.low:.2f} to {v.interval.high:.2f}"
    if topics is None:
        return "-"
    return number(topics.mean if head == "mean of topics" else topics.sd)


def _details(c: Compared, *, every: bool) -> list[str]:
    """Show the bounds for ties and the rank test if `every` is true.

    Otherwise show the rank test if it is valid and there is no worth. Also show it if the worth is inconclusive but the
    test is significant.
    """
    parts = ["\n".join(f"  {bounds}" for bounds in c.tie_bounds)] if every else []
    open_ = c.worth is None or (c.worth.word == CANNOT_TELL and c.rank_test is not None and c.rank_test.significant)
    if c.rank_test is not None and (every or (open_ and c.tested)):
        parts.append(f"  {one_line(c.rank_line())}")
    return parts


def best_first(found: Comparison) -> Sequence[Compared]:
    """Sort the candidates by worth if they were ranked by it, otherwise by their main coefficients.

    Keep the given order if the candidates were compared on different systems or topics.
    """
    if found.ranking is not None:
        place = {judge.names[1]: k for k, judge in enumerate(found.ranking.judges)}
        return sorted(found.comparisons, key=lambda c: place.get(c.candidate, len(place)))
    if not _same_data(found):
        return found.comparisons
    return sorted(found.comparisons, key=lambda c: [-v.value if not v.why else math.inf for v in c.main_values])


def summary(found: Comparison, shown: Sequence[Compared], *, every: bool = False) -> tuple[list[str], list[list[str]]]:
    """Write the heads and cells of a table with one row per candidate: worth, coefficients and swapped pairs."""
    worth = next((c.worth for c in shown if c.worth is not None), None)
    heads: list[str] = []
    rows: list[list[str]] = [[] for _ in shown]

    def add(head: str, cells: Iterable[str]) -> None:
        heads.append(head)
        for row, cell in zip(rows, cells, strict=True):
            row.append(cell)

    if not _same_data(found):
        add("systems", [str(len(c.systems)) for c in shown])
        add("topics", [str(len(c.topics)) if c.topics else "-" for c in shown])
    if worth is not None:
        add(f"worth of {worth.n_topics:g}", ["-" if c.worth is None else c.worth.cell for c in shown])
        level = f"{100 * worth.interval.confidence_level:g}% interval"
        add(level, ["-" if c.worth is None else c.worth.ends for c in shown])
    for name in [] if every else shown_coefficients(found):
        add(name, [number(_values(c, [name])[0].value) for c in shown])
    add("swapped", [f"{c.swapped} of {c.pairs}" for c in shown])
    return heads, rows


def _rows(found: Comparison, shown: Sequence[Compared], *, every: bool) -> tuple[str, bool]:
    """Show one row per candidate, starting with those that could be the best. Also return whether all columns fit."""
    heads, rows = summary(found, shown, every=every)
    wanted = len(heads)
    while True:  # drop columns from the right until the table fits
        lines = columns([["", *heads], *([c.candidate, *row] for c, row in zip(shown, rows, strict=True))]).split("\n")
        if max(map(len, lines)) <= _WIDEST or len(heads) < 2:
            break
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    best = () if found.ranking is None else found.ranking.best
    top, apart = sum(c.candidate in best for c in shown), sum(not c.same for c in shown)
    if best and apart < len(shown):
        lines.insert(1 + apart, "  the same data:")
    if 0 < top < apart:
        lines.insert(1 + top, "  weaker than the best:")
    return "\n".join(lines), len(heads) == wanted


def _rank_distances(found: Comparison) -> list[str]:
    rows = [
        [c.candidate, f"{c.rank_test.distance:.2f}", p_cell(c.rank_test.pvalue) if c.tested else "-"]
        for c in best_first(found)
        if c.rank_test
    ]
    return [columns([["", "rank distance", "p (rank test)"], *rows])] if rows else []


def size(c: Compared) -> str:
    """Count the systems and topics compared, in one line."""
    unit = "topic" if "groups" not in c.settings else "group"
    topics = f", {counted(len(c.topics), unit)}{' of topics' * (unit == 'group')}" if c.topics else ""
    measure = f", {c.measure}" if c.measure else ""
    return f"{counted(len(c.systems), 'system')}{topics}{measure}{where_lower_is_better([c])}"


def _sizes(found: Comparison) -> str:
    first = found.comparisons[0]
    if not _same_data(found):
        return f"Each candidate on the systems and topics that it shares with {first.truth}"
    return f"{size(first)}; compared with {first.truth}"


def matrix_table(found: Comparison) -> str:
    """Show a coefficient between all pairs of sides, with the truth of each pair in the row.

    The text is empty unless `compare` was called with all_pairs=True.
    """
    if found.matrix is None:
        return ""
    rows = [[name, *map(number, row)] for name, row in zip(found.names, found.matrix.tolist(), strict=True)]
    return f"  {found.settings['matrix']} of all pairs\n{columns([['', *found.names], *rows])}"


def printed(found: Comparison) -> list[dict[str, Any]]:
    """Make the rows of a table for a paper: each candidate with its worth, its coefficients and their intervals."""
    shown = best_first(found)
    heads, rows = summary(found, shown)
    made = []
    for c, row in zip(shown, rows, strict=True):
        cells = dict(zip(heads, row, strict=True))
        for v in _values(c, shown_coefficients(found)):
            if v.interval is not None:
                cells[v.coefficient] += f" ({v.interval.low:.2f} to {v.interval.high:.2f})"
            if v.pvalue is not None:
                cells[f"p of {v.coefficient}"] = p_cell(v.pvalue)
        for p in c.per_topic:
            if p.coefficient in shown_coefficients(found):
                cells[f"{p.coefficient} on topics (sd)"] = "-" if p.why else f"{number(p.mean)} ({number(p.sd)})"
        made.append({"candidate": c.candidate, **cells})
    return made


def notes_of(found: Comparison) -> list[str]:
    """List the caveats that all candidates share, then every other caveat once with the candidates it concerns."""
    if len(found.comparisons) == 1:
        return list(found.notes)
    said: dict[str, list[str]] = {}
    for c in found.comparisons:
        for note in c.notes:
            if note not in found.notes:
                said.setdefault(note, []).append(c.candidate)
    made = list(found.notes)
    for note, names in said.items():
        whose = listing(names) if len(names) <= _FEW else f"{len(names)} candidates"
        made.append(note if len(names) == 1 and names[0] in note else f"{whose}: {note}")
    return made


def _same_data(found: Comparison) -> bool:
    """Tell whether all candidates were compared on the same systems and topics."""
    return len({(frozenset(c.systems), frozenset(c.topics)) for c in found.comparisons}) == 1


def _values(c: Compared, names: Sequence[str]) -> list[CoefficientValue]:
    return [value for value in c.values if value.coefficient in names]


def is_named(found: Comparison) -> bool:
    """Tell whether the user named coefficients, so that the comparison lacks the other coefficients."""
    return len(found.comparisons[0].values) < len(list_coefficients())


def where_lower_is_better(found: Iterable[Compared]) -> str:
    """Write the end of a heading, which names the sides where lower scores are better; empty if there are none."""
    sides = [side for c in found for side in zip((c.truth, c.candidate), c.lower_is_better, strict=True)]
    lower = dict.fromkeys(name for name, changed in sides if changed)
    return f"; lower is better in {listing(lower, 3)}" if lower else ""
