"""The answer of `concordant compare`: the verdict first, then the table, then what to mind."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..words import counted
from .options import Format
from .render import Cell, Table, to_json
from .terminal import print_table, say

if TYPE_CHECKING:
    from ..comparison_result import Comparison

# Columns of the table of many candidates; JSON and CSV have every coefficient.
SHOWN = ("tau_b", "tau_ap_b", "tau_gap_a", "pearson_rank", "spearman", "rbo")


def print_comparisons(found: list[Comparison], format: Format, *, named: bool, read_notes: list[str]) -> None:
    if format is Format.json:
        say(to_json([{**c.to_dict(), "read_notes": read_notes} for c in found]))
        return
    names = [v.coefficient for v in found[0].values]
    if format is Format.table and len(found) == 1:
        say(str(found[0]))
        cited = [v.coefficient for v in found[0].values if not v.why] + ["rank_test"] * bool(found[0].rank_test)
        say(f"\nCite: concordant cite {' '.join(cited)}")
        return
    shown = names if named or format is Format.csv else [n for n in names if n in SHOWN]
    if format is Format.table:
        say(f"{_heading(found)}\n\n{_verdict(found)}\n")
    print_table(_as_table(found, shown, sizes=format is Format.csv or not _same_data(found), format=format), format)
    if format is Format.table:
        _print_details(found, shown)


def _as_table(found: list[Comparison], shown: list[str], *, sizes: bool, format: Format) -> Table:
    """A row a candidate; with what it was compared on where that is not the same for all."""
    tested = ["d_rank", "p"] if any(c.rank_test for c in found) else []
    inferred = [_inferred(found, name, whole=format is not Format.csv) for name in shown]
    columns = ["candidate", *(["systems", "topics"] if sizes else [])]
    columns += [column for name, (more, _) in zip(shown, inferred, strict=True) for column in (name, *more)] + tested
    rows: list[list[Cell]] = []
    for k, c in enumerate(found):
        rows.append([c.candidate, *([len(c.systems), len(c.topics)] if sizes else [])])
        for name, (_, cells) in zip(shown, inferred, strict=True):
            rows[-1] += [c[name], *cells[k]]
        if tested:
            rows[-1].append(c.rank_test.distance if c.rank_test else None)
            rows[-1].append(c.rank_test.pvalue if c.rank_test and c.tested else None)
        for p in c.per_topic:
            if p.coefficient in shown:
                rows[-1] += [p.mean, p.sd]
    for p in found[0].per_topic:
        if p.coefficient in shown:
            columns += [f"{p.coefficient} topics mean", f"{p.coefficient} topics sd"]
    return Table(columns, rows)


def _inferred(found: list[Comparison], name: str, *, whole: bool) -> tuple[list[str], list[list[Cell]]]:
    """Columns of a coefficient's interval, `whole` in one or its limits in two, and of its p-value."""
    values = [next(v for v in c.values if v.coefficient == name) for c in found]
    columns: list[str] = []
    cells: list[list[Cell]] = [[] for _ in found]
    intervals = [v.interval for v in values]
    level = next((f"{100 * i.confidence_level:g}%" for i in intervals if i is not None), None)
    if level is not None:
        columns += [f"{level} interval"] if whole else [f"{name} low", f"{name} high"]
        for row, i in zip(cells, intervals, strict=True):
            limits: list[Cell] = [None, None] if i is None else [i.low, i.high]
            row.extend(["-" if i is None else f"[{i.low:.2f}, {i.high:.2f}]"] if whole else limits)
    if any(v.pvalue is not None for v in values):
        columns.append("p (chance)" if whole else f"{name} p")
        for row, v in zip(cells, values, strict=True):
            row.append(v.pvalue if not whole else "-" if v.pvalue is None else f"{v.pvalue:.2g}")
    return columns, cells


def _same_data(found: list[Comparison]) -> bool:
    return len({(frozenset(c.systems), frozenset(c.topics)) for c in found}) == 1


def _heading(found: list[Comparison]) -> str:
    """What all rows have in common, in a line."""
    first = found[0]
    if not _same_data(found):
        return f"truth: {first.truth}; the candidates are compared on different systems or topics"
    measure = f", {first.measure}" if first.measure else ""
    topics = f", {len(first.topics)} topics" if first.topics else ""
    ties = f"; {first.tied_truth} tied pairs in the truth" if first.tied_truth else ""
    return f"{len(first.systems)} systems{topics}{measure}; truth: {first.truth}{ties}"


def _verdict(found: list[Comparison]) -> str:
    """Which ranking is most like the truth, by each coefficient of the table that orders them."""
    if not _same_data(found):
        return "So the rows cannot be ranked; --common compares all on what they share."
    best: dict[str, list[str]] = {}
    for name in ("tau_b", "tau_ap_b"):
        values = [(c[name], c.candidate) for c in found if any(v.coefficient == name for v in c.values)]
        values = [(value, who) for value, who in values if not math.isnan(value)]
        if values:
            top = max(value for value, _ in values)
            who = " and ".join(label for value, label in values if value == top)
            best.setdefault(who, []).append(f"{name} {top:.3f}")
    if not best:
        return "A row a ranking, in the order given."
    first = "; ".join(f"{who} ranks the systems most like the truth by {', '.join(by)}" for who, by in best.items())
    return f"{first}.\n{_significance(found)}".strip()


def _significance(found: list[Comparison]) -> str:
    """Which rankings could not be the true one, given the topics."""
    if not all(c.tested for c in found):
        return ""
    apart = [c.candidate for c in found if c.rank_test and c.rank_test.significant]
    if not apart:
        return "Given so few topics, none is distinguishable from the truth (rank test, alpha 0.05)."
    return f"Different from the truth beyond what the topics explain (rank test, alpha 0.05): {', '.join(apart)}."


def _print_details(found: list[Comparison], shown: list[str]) -> None:
    shared = [note for note in found[0].notes if all(note in c.notes for c in found)]
    for c in found:
        notes = [f"{v.coefficient} has no value: {v.why}" for v in c.values if v.why and v.coefficient in shown]
        if c.tied_candidate:
            open_ = [b for b in c.tie_bounds if float(b.maximum) - float(b.minimum) >= 0.0005]
            notes.append(counted(c.tied_candidate, "tied pair") + "".join(f"; {bounds}" for bounds in open_[:1]))
        for p in c.per_topic:
            if p.coefficient in shown and (p.why or p.undefined):
                notes.append(
                    f"{p.coefficient} on each topic: {p.why or f'undefined on {p.undefined}, which are left out'}"
                )
        _print_notes(c.candidate, [*notes, *(note for note in c.notes if note not in shared)])
    _print_notes("all", shared)
    say(f"\nCite: concordant cite {' '.join([*shown, *(['rank_test'] if found[0].rank_test else [])])}")


def _print_notes(about: str, notes: list[str]) -> None:
    if notes:
        say("\n".join([f"\n{about}", *(f"  {note}" for note in notes)]))
