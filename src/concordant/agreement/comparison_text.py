"""A comparison as text: one candidate by its coefficients, several in one table, best first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..coefficients.registry import headlines
from ..data.results import columns
from ..judges.ranking import JudgeRanking
from ..judges.verdicts import told
from ..words import counted, listing, number, one_line, p_cell
from .comparison_result import (
    POPULATION,
    CoefficientValue,
    Compared,
    Comparison,
    is_named,
    shown_of,
    where_lower_is_better,
)

_LONGEST = 30  # characters of a name that stands beside its numbers; longer ones have a line of their own
_WIDEST = 80  # columns of a table
_SCREEN = 20  # candidates at a time
_FEW = 5  # names in a sentence


@dataclass(frozen=True)
class One:
    """One candidate."""

    found: Comparison
    every: bool

    def answers(self) -> list[str]:
        """The lines of the verdict."""
        return [self.found.comparisons[0].verdict]

    def table(self) -> str:
        """One row per coefficient, and what ties and topics add."""
        return self.found.comparisons[0].table(every=self.every)

    def cited(self) -> list[CoefficientValue]:
        """The coefficients that the text has."""
        return list(self.found.comparisons[0].shown(every=self.every))

    def printed(self) -> list[dict[str, Any]]:
        """The numbers of the text, one row per coefficient."""
        return Several(self.found, self.every).printed()


@dataclass(frozen=True)
class Several:
    """Several candidates, best first, with some coefficients; with `every`, all there is and not what fits a screen."""

    found: Comparison
    every: bool

    @property
    def comparisons(self) -> Sequence[Compared]:
        """What was found of each."""
        return self.found.comparisons

    @property
    def ranking(self) -> JudgeRanking | None:
        """What the topics of each are worth."""
        return self.found.ranking

    @cached_property
    def shown(self) -> list[str]:
        """The coefficients of the text."""
        return shown_of(self.found, every=self.every)

    @property
    def same_data(self) -> bool:
        """Whether all were compared on the same systems and topics."""
        return len({(frozenset(c.systems), frozenset(c.topics)) for c in self.comparisons}) == 1

    @property
    def best_first(self) -> Sequence[Compared]:
        """By worth, or else by the main coefficients; as given where they were not compared on the same."""
        if self.ranking is not None:
            place = {judge.names[1]: k for k, judge in enumerate(self.ranking.judges)}
            return sorted(self.comparisons, key=lambda c: place[c.candidate])
        if not self.same_data:
            return self.comparisons
        return sorted(self.comparisons, key=lambda c: [-v.value if not v.why else math.inf for v in c.main_values])

    def printed(self) -> list[dict[str, Any]]:
        """For reading: the numbers of the text, one row per candidate and coefficient."""
        heads = ["candidate", "coefficient", *self._heads()]
        return [dict(zip(heads, [c.candidate, *row], strict=True)) for c in self.best_first for row in self._cells(c)]

    def table(self) -> str:
        """What is compared, one row per candidate; intervals and p-values by coefficient; then what to note."""
        numbers = [self._summary()]
        if self.every:
            numbers = [self.ranking.table() if self.ranking else self._worths(), self._listed(), self._rank_distances()]
        elif self._listed_too:
            numbers.append(self._listed())
        more = "" if self.every or len(self.comparisons) <= _SCREEN else self._more()
        numbers = [part for part in numbers if part]
        heading = f"  {one_line(self._heading())}"
        numbers[:1] = [f"{heading}\n{part}" for part in numbers[:1]] or [heading]
        about = f"  {POPULATION}" if any(head.endswith("interval") for head in self._heads()) else ""
        return "\n\n".join(part for part in (*numbers, about, more, *self._details()) if part)

    def cited(self) -> list[CoefficientValue]:
        """The coefficients that the text has."""
        return _values(self.comparisons[0], self.shown if self._listed_too else self._by_column())

    @property
    def _listed_too(self) -> bool:
        """Whether each coefficient has a line of its own: where it has an interval or a p-value, or many are named."""
        return self.every or bool(self._heads()[1:]) or not self._fits(self._by_column())

    def _by_column(self) -> list[str]:
        """The coefficients that are columns of the summary: those shown, or where these are too many the main ones."""
        wanted = list(self.shown)
        if is_named(self.found) or (self._fits(wanted) and not any(c.worth for c in self.comparisons)):
            return wanted
        return [name for name in wanted if name in headlines("main")]

    def _fits(self, coefficients: Sequence[str]) -> bool:
        return max(map(len, self._rows_of(coefficients).split("\n"))) <= _WIDEST

    def _summary(self) -> str:
        """One row per candidate: its worth, its coefficients where they have no lines of their own, its rank test."""
        return self._rows_of([] if self._listed_too else self._by_column())

    def _rows_of(self, coefficients: Sequence[str]) -> str:
        of = self.best_first[: None if self.every else _SCREEN]
        worth = next((c.worth for c in of if c.worth is not None), None)
        heads, rows = [""], [[c.candidate] for c in of]

        def add(head: str, cells: Sequence[str]) -> None:
            heads.append(head)
            for row, cell in zip(rows, cells, strict=True):
                row.append(cell)

        if not self.same_data:
            add("systems", [str(len(c.systems)) for c in of])
            add("topics", [str(len(c.topics)) if c.topics else "-" for c in of])
        if worth is not None:
            add(f"worth of {worth.n_topics:g}", ["-" if c.worth is None else c.worth.cell for c in of])
            level = f"{100 * worth.interval.confidence_level:g}% interval"
            add(level, ["-" if c.worth is None else told(c.worth.interval.low, c.worth.interval.high) for c in of])
        for name in coefficients:
            add(name, [number(_values(c, [name])[0].value) for c in of])
        if any(c.tested for c in of):
            add("p (rank test)", [p_cell(c.rank_test.pvalue) if c.rank_test and c.tested else "-" for c in of])
        return columns([heads, *rows]) if heads[1:] else ""

    def _more(self) -> str:
        return f"  ... {len(self.comparisons) - _SCREEN} more candidates: --all"

    def _heading(self) -> str:
        """What all have in common, in a line."""
        first = self.comparisons[0]
        if not self.same_data:
            return f"truth: {first.truth}; the candidates are compared on different systems or topics"
        measure = f", {first.measure}" if first.measure else ""
        topics = f", {counted(len(first.topics), 'topic')}" if first.topics else ""
        ties = f"; {counted(first.tied_truth, 'tied pair')} in the truth" if first.tied_truth else ""
        ties += where_lower_is_better(self.comparisons)
        return f"{counted(len(first.systems), 'system')}{topics}{measure}; truth: {first.truth}{ties}"

    def answers(self) -> list[str]:
        """Which candidate ranks the systems most like the truth, and which differ from it."""
        same = [c for c in self.comparisons if c.same]
        if len(same) > _FEW:
            names = listing([c.candidate for c in same], _FEW)
            return [
                f"{len(same)} of {len(self.comparisons)} candidates have the same data as {same[0].truth}: {names}."
            ]
        if same:
            return [f"{c.verdict}." for c in same]
        if not self.same_data:
            return ["So they cannot be ranked; --common compares all on what they share."]
        if self.ranking is not None:
            return [f"{self.ranking.verdict}.", *self._significance()]
        best: dict[str, list[str]] = {}
        for name in headlines("main"):
            values = [(v.value, c.candidate) for c in self.comparisons for v in _values(c, [name]) if not v.why]
            if values:
                top = max(value for value, _ in values)
                first = [label for value, label in values if value == top]
                who = f"{listing(first, _FEW)} {'has' if len(first) == 1 else 'tie for'} the highest"
                best.setdefault(who, []).append(f"{name} ({top:.3f})")
        if not best:
            return ["One row per candidate and coefficient, in the order given."]
        said = "; ".join(f"{who} {' and '.join(by)}" for who, by in best.items())
        doubt = f"with {self.comparisons[0].truth}; whether by chance was not tested"
        return [f"{said} {doubt}.", *self._significance()]

    def _significance(self) -> list[str]:
        """Which rankings could not be the true one, given the topics."""
        if not all(c.tested for c in self.comparisons):
            return []
        apart = [c.candidate for c in self.comparisons if c.rank_test and c.rank_test.significant]
        test = "beyond what the topics explain (rank test, each at alpha 0.05)"
        if len(apart) > _FEW:
            return [f"{len(apart)} of {len(self.comparisons)} differ from the truth {test}."]
        return [f"Different from the truth {test}: {', '.join(apart)}."] if apart else []

    def _heads(self) -> list[str]:
        """What the numbers of a line are."""
        values = [v for c in self.comparisons for v in _values(c, self.shown)]
        level = next((v.interval.confidence_level for v in values if v.interval), None)
        heads = ["value"] if level is None else ["value", f"{100 * level:g}% interval"]
        heads += ["p (chance)"] if any(v.pvalue is not None for v in values) else []
        return heads + (["mean of topics", "sd"] if self.comparisons[0].per_topic else [])

    def _cells(self, c: Compared) -> list[list[str]]:
        """One line per coefficient: its name, the value, and what the heads say."""
        heads, on_topics, rows = self._heads(), {p.coefficient: p for p in c.per_topic}, []
        for v in _values(c, self.shown):
            row = [v.coefficient, number(v.value)]
            if any(head.endswith("interval") for head in heads):
                row.append("-" if v.interval is None else f"{v.interval.low:.2f} to {v.interval.high:.2f}")
            if "p (chance)" in heads:
                row.append("-" if v.pvalue is None else p_cell(v.pvalue))
            p = on_topics.get(v.coefficient)
            rows.append(row + ([number(x) for x in (p.mean, p.sd)] if p else []))
        return rows

    def _listed(self) -> str:
        """Lines of numbers beside the name of their candidate, or below it where names are long or sizes differ."""
        widest, heads = max(map(len, self.shown)), self._heads()
        some = self.best_first[: None if self.every else _SCREEN]
        of = [(c, [[name.ljust(widest), *row] for name, *row in self._cells(c)]) for c in some]
        if self.same_data and max(len(c.candidate) for c, _ in of) <= _LONGEST:
            lines = [[c.candidate if k == 0 else "", *row] for c, rows in of for k, row in enumerate(rows)]
            return columns([["", "", *heads], *lines])
        head, *numbers = columns([["", *heads], *(row for _, rows in of for row in rows)]).split("\n")
        parts = [head]
        for c, rows in of:
            parts += [f"  {one_line(c.candidate)}{'' if self.same_data else _size(c)}", *numbers[: len(rows)]]
            numbers = numbers[len(rows) :]
        return "\n".join(parts)

    def _worths(self) -> str:
        """What each one's topics are worth, where not all were compared on the same."""
        return "\n".join(f"  {one_line(c.worth.verdict)}" for c in self.comparisons if c.worth is not None)

    def _rank_distances(self) -> str:
        rows = []
        for c in self.best_first:
            if c.rank_test:
                p = [p_cell(c.rank_test.pvalue)] if c.tested else ["-"]
                rows.append([c.candidate, f"{c.rank_test.distance:.3f}", *p])
        if any(c.tested for c in self.comparisons):
            return columns([["", "rank distance", "p (rank test)"], *rows])
        return columns([["", "rank distance"], *(row[:2] for row in rows)]) if rows else ""

    def _details(self) -> list[str]:
        """What belongs to some candidates; what several share is said once."""
        said: dict[str, list[str]] = {}
        for c in self.comparisons:
            notes = [f"{v.coefficient} has no value: {v.why}" for v in _values(c, self.shown) if v.why]
            if c.tied_candidate:
                open_ = [b for b in c.tie_bounds if float(b.maximum) - float(b.minimum) >= 0.0005]
                notes.append(counted(c.tied_candidate, "tied pair") + "".join(f"; {bounds}" for bounds in open_[:1]))
            for p in c.per_topic:
                if p.coefficient in self.shown and (p.why or p.undefined):
                    why = p.why or f"undefined on {p.undefined}, which are left out"
                    notes.append(f"{p.coefficient} on each topic: {why}")
            for note in dict.fromkeys((*notes, *(note for note in c.notes if note not in self.found.notes))):
                said.setdefault(note, []).append(c.candidate)
        lines = [f"Note: {one_line(f'{self._whose(names)}: {note}')}" for note, names in said.items()]
        most = len(lines) if self.every else _SCREEN // 2
        more = [f"... {len(lines) - most} more notes on single candidates: --all"] if len(lines) > most else []
        return ["\n".join([*lines[:most], *more])] if lines else []

    def _whose(self, names: Sequence[str]) -> str:
        if len(names) <= _FEW:
            return ", ".join(names)
        return f"{len(names)} of {len(self.comparisons)} candidates"


def _values(c: Compared, names: Sequence[str]) -> list[CoefficientValue]:
    return [value for value in c.values if value.coefficient in names]


def _size(c: Compared) -> str:
    topics = f", {counted(len(c.topics), 'topic')}" if c.topics else ""
    return f" ({counted(len(c.systems), 'system')}{topics})"
