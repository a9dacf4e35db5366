"""`Candidates`: several rankings against one truth, one row per candidate and coefficient."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..coefficients.registry import headlines
from ..comparison_result import CoefficientValue, Comparison
from ..results import Result, columns
from ..topics.judges import JudgeRanking
from ..words import counted, p_cell

_LONGEST = 30  # characters of a name that stands beside its numbers; longer ones have a line of their own


@dataclass(frozen=True, eq=False, repr=False)
class Candidates(Result):
    """What `compare` found of each candidate, at least one. The text shows some coefficients, `rows` has all."""

    comparisons: Sequence[Comparison]
    shown: Sequence[str]
    """The coefficients of the text."""
    ranking: JudgeRanking | None = None
    """What the topics of each are worth, and which is better than which."""

    @property
    def same_data(self) -> bool:
        """Whether all were compared on the same systems and topics."""
        return len({(frozenset(c.systems), frozenset(c.topics)) for c in self.comparisons}) == 1

    @property
    def verdict(self) -> str:
        """What is compared; which candidate ranks the systems most like the truth, and which differ from it."""
        return f"{self._heading()}\n\n{self._answer()}"

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
        return [dict(zip(heads, [c.candidate, *row], strict=True)) for c in self.comparisons for row in self._cells(c)]

    def table(self) -> str:
        """Values with their intervals and p-values, then the rank distances, then what belongs to one candidate."""
        worth = self.ranking.table() if self.ranking else self._worths()
        return "\n\n".join(part for part in (worth, self._listed(), self._rank_distances(), *self._details()) if part)

    def to_dict(self) -> Any:
        """The comparisons."""
        return [c.to_dict() for c in self.comparisons]

    def plot(self, ax: Any = None) -> Any:
        """Draw coefficients x candidates, in colours."""
        from ..plots import comparisons

        return comparisons(self.comparisons, ax, coefficients=self.shown)

    def __str__(self) -> str:
        """One candidate as `Comparison` prints it, with all its coefficients; several in one table; whom to cite."""
        first = self.comparisons[0]
        alone = len(self.comparisons) == 1
        shown = first.values if alone else [value for value in first.values if value.coefficient in self.shown]
        cited = [value.coefficient for value in shown if not value.why] + ["rank_test"] * bool(first.rank_test)
        text = str(first) if alone else super().__str__()
        return f"{text}\n\nCite: concordant cite {' '.join(cited)}"

    def _heading(self) -> str:
        """What all have in common, in a line."""
        first = self.comparisons[0]
        if not self.same_data:
            return f"truth: {first.truth}; the candidates are compared on different systems or topics"
        measure = f", {first.measure}" if first.measure else ""
        topics = f", {counted(len(first.topics), 'topic')}" if first.topics else ""
        ties = f"; {counted(first.tied_truth, 'tied pair')} in the truth" if first.tied_truth else ""
        return f"{counted(len(first.systems), 'system')}{topics}{measure}; truth: {first.truth}{ties}"

    def _answer(self) -> str:
        same = [c.verdict for c in self.comparisons if c.same]
        if same:
            return ".\n".join(same) + "."
        if not self.same_data:
            return "So they cannot be ranked; --common compares all on what they share."
        if self.ranking is not None:
            return f"{self.ranking.sentence('of')}.\n{self._significance()}".strip()
        best: dict[str, list[str]] = {}
        for name in headlines("main"):
            values = [(v.value, c.candidate) for c in self.comparisons for v in _values(c, [name]) if not v.why]
            if values:
                top = max(value for value, _ in values)
                who = " and ".join(label for value, label in values if value == top)
                best.setdefault(who, []).append(f"{name} {top:.3f}")
        if not best:
            return "One row per candidate and coefficient, in the order given."
        first = "; ".join(f"{who} ranks the systems most like the truth by {', '.join(by)}" for who, by in best.items())
        return f"{first}.\n{self._significance()}".strip()

    def _significance(self) -> str:
        """Which rankings could not be the true one, given the topics."""
        if not all(c.tested for c in self.comparisons):
            return ""
        apart = [c.candidate for c in self.comparisons if c.rank_test and c.rank_test.significant]
        test = "beyond what the topics explain (rank test, alpha 0.05)"
        return f"Different from the truth {test}: {', '.join(apart)}." if apart else ""

    def _heads(self) -> list[str]:
        """What the numbers of a line are."""
        values = [v for c in self.comparisons for v in _values(c, self.shown)]
        level = next((v.interval.confidence_level for v in values if v.interval), None)
        heads = ["value", *([] if level is None else [f"{100 * level:g}% interval"])]
        heads += ["p (chance)"] if any(v.pvalue is not None for v in values) else []
        return heads + (["mean of topics", "sd"] if self.comparisons[0].per_topic else [])

    def _cells(self, c: Comparison) -> list[list[str]]:
        """One line per coefficient: its name, the value, and what the heads say."""
        heads, on_topics, rows = self._heads(), {p.coefficient: p for p in c.per_topic}, []
        for v in _values(c, self.shown):
            row = [v.coefficient, "-" if math.isnan(v.value) else f"{v.value:.3f}"]
            if any("interval" in head for head in heads):
                row.append(f"{v.interval.low:.2f} to {v.interval.high:.2f}" if v.interval else "-")
            if "p (chance)" in heads:
                row.append("-" if v.pvalue is None else p_cell(v.pvalue))
            p = on_topics.get(v.coefficient)
            rows.append(row + (["-" if math.isnan(x) else f"{x:.3f}" for x in (p.mean, p.sd)] if p else []))
        return rows

    def _listed(self) -> str:
        """Lines of numbers beside the name of their candidate, or below it where names are long or sizes differ."""
        widest, heads = max(map(len, self.shown)), self._heads()
        of = [(c, [[name.ljust(widest), *row] for name, *row in self._cells(c)]) for c in self.comparisons]
        if self.same_data and max(len(c.candidate) for c, _ in of) <= _LONGEST:
            lines = [[c.candidate if k == 0 else "", *row] for c, rows in of for k, row in enumerate(rows)]
            return columns([["", "", *heads], *lines])
        head, *numbers = columns([["", *heads], *(row for _, rows in of for row in rows)]).split("\n")
        parts = [head]
        for c, rows in of:
            parts += [f"  {c.candidate}{'' if self.same_data else _size(c)}", *numbers[: len(rows)]]
            numbers = numbers[len(rows) :]
        return "\n".join(parts)

    def _worths(self) -> str:
        """What each one's topics are worth, where not all were compared on the same."""
        return "\n".join(f"  {c.worth.sentence('of')}" for c in self.comparisons if c.worth is not None)

    def _rank_distances(self) -> str:
        rows = []
        for c in self.comparisons:
            if c.rank_test:
                p = [p_cell(c.rank_test.pvalue)] if c.tested else ["-"]
                rows.append([c.candidate, f"{c.rank_test.distance:.3f}", *p])
        if any(c.tested for c in self.comparisons):
            return columns([["", "rank distance", "p (rank test)"], *rows])
        return columns([["", "rank distance"], *(row[:2] for row in rows)]) if rows else ""

    def _details(self) -> list[str]:
        """Below its name, what belongs to one candidate."""
        parts = []
        for c in self.comparisons:
            notes = [f"{v.coefficient} has no value: {v.why}" for v in _values(c, self.shown) if v.why]
            if c.tied_candidate:
                open_ = [b for b in c.tie_bounds if float(b.maximum) - float(b.minimum) >= 0.0005]
                notes.append(counted(c.tied_candidate, "tied pair") + "".join(f"; {bounds}" for bounds in open_[:1]))
            for p in c.per_topic:
                if p.coefficient in self.shown and (p.why or p.undefined):
                    why = p.why or f"undefined on {p.undefined}, which are left out"
                    notes.append(f"{p.coefficient} on each topic: {why}")
            notes += [note for note in c.notes if note not in self.notes]
            if notes:
                parts.append("\n".join([f"Note: {c.candidate}", *(f"  {note}" for note in notes)]))
        return parts


def candidates(found: Sequence[Comparison], ranking: JudgeRanking | None, *, named: bool) -> Candidates:
    """All of them, with the coefficients that were named, or else the headlines; what all note is noted once."""
    names = [value.coefficient for value in found[0].values]
    shown = names if named else [name for name in names if name in headlines("table")]
    shared = tuple(note for note in found[0].notes if all(note in c.notes for c in found))
    return Candidates(tuple(found), tuple(shown), ranking, notes=shared, settings=found[0].settings)


def _values(c: Comparison, names: Sequence[str]) -> list[CoefficientValue]:
    return [value for value in c.values if value.coefficient in names]


def _size(c: Comparison) -> str:
    topics = f", {counted(len(c.topics), 'topic')}" if c.topics else ""
    return f" ({counted(len(c.systems), 'system')}{topics})"
