"""`Candidates`: several rankings against one truth, one row per candidate and coefficient."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..coefficients.registry import headlines
from ..comparison_result import POPULATION, CoefficientValue, Comparison, where_lower_is_better
from ..judges.ranking import JudgeRanking
from ..judges.verdicts import told
from ..results import Result, columns
from ..words import counted, listing, number, one_line, p_cell

_LONGEST = 30  # characters of a name that stands beside its numbers; longer ones have a line of their own
_WIDEST = 80  # columns of a table
_SCREEN = 20  # candidates at a time
_FEW = 5  # names in a sentence


@dataclass(frozen=True, eq=False, repr=False)
class Candidates(Result):
    """What `compare` found of each candidate. The text has the best first and some coefficients, `rows` has all."""

    comparisons: Sequence[Comparison]
    shown: Sequence[str]
    """The coefficients of the text."""
    ranking: JudgeRanking | None = None
    """What the topics of each are worth, and which are better than which."""
    every: bool = False
    """Whether the text shows every coefficient, candidate and pair of candidates, and not only what fits a screen."""
    named: bool = False
    """Whether the coefficients were asked for by name."""

    @property
    def same_data(self) -> bool:
        """Whether all were compared on the same systems and topics."""
        return len({(frozenset(c.systems), frozenset(c.topics)) for c in self.comparisons}) == 1

    @property
    def best_first(self) -> Sequence[Comparison]:
        """By worth, or else by the main coefficients; as given where they were not compared on the same."""
        if self.ranking is not None:
            place = {judge.names[1]: k for k, judge in enumerate(self.ranking.judges)}
            return sorted(self.comparisons, key=lambda c: place[c.candidate])
        if not self.same_data:
            return self.comparisons
        return sorted(self.comparisons, key=lambda c: [-v.value if not v.why else math.inf for v in c.main_values])

    @property
    def verdict(self) -> str:
        """Which candidate ranks the systems most like the truth, and which differ from it."""
        return "\n".join(self._answers())

    def rows(self) -> list[dict[str, Any]]:
        """One per candidate and coefficient, and one for its rank distance. Columns that nothing fills are left out."""
        rows = []
        for c in self.comparisons:
            about: dict[str, Any] = {"candidate": c.candidate, "systems": len(c.systems), "topics": len(c.topics)}
            on_topics = {p.coefficient: p for p in c.per_topic}
            for v in c.values:
                row = {**about, "coefficient": v.coefficient, "value": v.value}
                row |= {"low": v.interval.low, "high": v.interval.high} if v.interval else {}
                row |= {} if v.pvalue is None else {"pvalue": v.pvalue}
                p = on_topics.get(v.coefficient)
                rows.append(row | ({} if p is None else {"topics_mean": p.mean, "topics_sd": p.sd}))
            if c.rank_test:
                row = {**about, "coefficient": "d_rank", "value": c.rank_test.distance}
                rows.append(row | ({"rank_pvalue": c.rank_test.pvalue} if c.tested else {}))
        every = ("low", "high", "pvalue", "topics_mean", "topics_sd", "rank_pvalue")
        there = [*rows[0]][:5] + [name for name in every if any(name in row for row in rows)]
        return [{name: row.get(name) for name in there} for row in rows]

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
        about = f"  {POPULATION}" if "population" in self._heads() else ""
        return "\n\n".join(part for part in (*numbers, about, more, *self._details()) if part)

    def to_dict(self) -> Any:
        """The comparisons."""
        return [c.to_dict() for c in self.comparisons]

    def plot(self, ax: Any = None) -> Any:
        """Draw coefficients x candidates, in colours."""
        from ..plots import comparisons

        return comparisons(self.comparisons, ax, coefficients=self.shown)

    def __str__(self) -> str:
        """One candidate as `Comparison` prints it, several in one table; what --all adds, and whom to cite."""
        first = self.comparisons[0]
        alone = len(self.comparisons) == 1
        shown = (
            first.shown(every=self.every)
            if alone
            else _values(first, self.shown if self._listed_too else self._by_column())
        )
        cited = [value.coefficient for value in shown if not value.why] + ["rank_test"] * bool(first.rank_test)
        text = first.text(every=self.every) if alone else super().__str__()
        left = len(first.values) - len(shown)
        hint = f"All coefficients ({left} more): --all\n" if left and not self.every else ""
        return f"{text}\n\n{hint}Cite: concordant cite {' '.join(cited)}"

    @property
    def _listed_too(self) -> bool:
        """Whether each coefficient has a line of its own: where it has an interval or a p-value, or many are named."""
        return self.every or bool(self._heads()[1:]) or not self._fits(self._by_column())

    def _by_column(self) -> list[str]:
        """The coefficients that are columns of the summary: those shown, or where these are too many the main ones."""
        wanted = list(self.shown)
        if self.named or (self._fits(wanted) and not any(c.worth for c in self.comparisons)):
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

    def _answers(self) -> list[str]:
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
        heads = ["value"] if level is None else ["these topics", "population", f"{100 * level:g}% interval"]
        heads += ["p (chance)"] if any(v.pvalue is not None for v in values) else []
        return heads + (["mean of topics", "sd"] if self.comparisons[0].per_topic else [])

    def _cells(self, c: Comparison) -> list[list[str]]:
        """One line per coefficient: its name, the value, and what the heads say."""
        heads, on_topics, rows = self._heads(), {p.coefficient: p for p in c.per_topic}, []
        for v in _values(c, self.shown):
            row = [v.coefficient, number(v.value)]
            if "population" in heads:
                corrected = v.estimate.bias_corrected if v.estimate else None
                row.append("-" if corrected is None else number(corrected))
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
            for note in dict.fromkeys((*notes, *(note for note in c.notes if note not in self.notes))):
                said.setdefault(note, []).append(c.candidate)
        lines = [f"Note: {one_line(f'{self._whose(names)}: {note}')}" for note, names in said.items()]
        most = len(lines) if self.every else _SCREEN // 2
        more = [f"... {len(lines) - most} more notes on single candidates: --all"] if len(lines) > most else []
        return ["\n".join([*lines[:most], *more])] if lines else []

    def _whose(self, names: Sequence[str]) -> str:
        if len(names) <= _FEW:
            return ", ".join(names)
        return f"{len(names)} of {len(self.comparisons)} candidates"


def candidates(
    found: Sequence[Comparison], ranking: JudgeRanking | None, *, named: bool, every: bool = False
) -> Candidates:
    """All of them; what all note is noted once.

    The text has the coefficients that were named, or else the headlines, or every one.
    """
    names = [value.coefficient for value in found[0].values]
    inferred = any(value.interval for value in found[0].values)
    shown = (
        names if named or every else [name for name in names if name in headlines("inferred" if inferred else "table")]
    )
    shared = tuple(note for note in found[0].notes if all(note in c.notes for c in found))
    return Candidates(tuple(found), tuple(shown), ranking, every, named, notes=shared, settings=found[0].settings)


def _values(c: Comparison, names: Sequence[str]) -> list[CoefficientValue]:
    return [value for value in c.values if value.coefficient in names]


def _size(c: Comparison) -> str:
    topics = f", {counted(len(c.topics), 'topic')}" if c.topics else ""
    return f" ({counted(len(c.systems), 'system')}{topics})"
