"""`JudgmentStudy`: what `judgment_study` found, as tables and figures."""

from __future__ import annotations

import csv
import io
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import InputError, import_extra
from ..files import written_whole
from ..notebook import Displayed
from ..results import Interval
from ..words import counted, listing

COLUMNS = ("change", "level", "measure", "statistic", "mean", "low", "high", "sd", "defined", "draws", "judgments")
SYSTEM_COLUMNS = (
    "change", "level", "measure", "system", "full_score", "score", "score_change", "full_rank", "rank", "rank_shift",
    "unjudged",
)  # fmt: skip
_SHOWN = ("tau_b", "tau_ap_b", "tau_gap_a", "pearson_rank", "d_rank", "p")
LEVEL = 0.95  # of the intervals over draws


@dataclass(frozen=True, eq=False)
class JudgmentStudy(Displayed):
    """Every statistic by change, level and measure. `print` shows the means; `rows` and `systems_rows` have it all."""

    changes: tuple[tuple[str, str], ...]
    """Kind and level of each change."""
    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    full: FloatArray
    """Means under the full judgments: measures x systems."""
    values: FloatArray
    """Trials x (measures, then one row of counts) x (coefficients, d_rank, its p-value, systems)."""
    change_of: IntArray
    """The change of each trial."""
    settings: Mapping[str, Any]
    cost: Mapping[str, float]
    """Of the run that finished it: trials that it computed, seconds, and seconds of processor time."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """The coefficients, the rank distance, and its p-value."""
        return (*self.coefficients, "d_rank", "p")

    def draws(self, change: str, level: str, measure: str, statistic: str) -> FloatArray:
        """A statistic in each draw; nan where it has no value."""
        place = _place(statistic, self.statistics, "statistic")
        return np.asarray(self._trials(change, level)[:, _place(measure, self.measures, "measure"), place])

    def value(self, change: str, level: str, measure: str, statistic: str) -> float:
        """The mean of a statistic over the draws that have it; nan where none has."""
        return _mean(self.draws(change, level, measure, statistic))

    def interval(self, change: str, level: str, measure: str, statistic: str) -> Interval | None:
        """What the middle 95% of the draws span; None for fewer than two draws."""
        found = self.draws(change, level, measure, statistic)
        found = found[~np.isnan(found)]
        if len(found) < 2:
            return None
        low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Interval(float(low), float(high), LEVEL, "of the draws")

    def scores(self, change: str, level: str, measure: str) -> FloatArray:
        """The means of the systems under the changed judgments: draws x systems."""
        return np.asarray(
            self._trials(change, level)[:, _place(measure, self.measures, "measure"), -len(self.systems) :]
        )

    def unjudged(self, change: str, level: str) -> FloatArray:
        """The share of unjudged documents at the top of each system's lists: draws x systems."""
        return np.asarray(self._trials(change, level)[:, -1, -len(self.systems) :])

    def judgments(self, change: str, level: str) -> float:
        """How many judgments were left, on average."""
        return float(self._trials(change, level)[:, -1, 0].mean())

    def _trials(self, change: str, level: Any) -> FloatArray:
        wanted = (change, str(level))
        if wanted not in self.changes:
            known = listing(f"{kind} {label}" for kind, label in self.changes)
            raise InputError(f"the study has no change {change} {level}: it has {known}")
        return np.asarray(self.values[self.change_of == self.changes.index(wanted)])

    def rows(self) -> list[dict[str, Any]]:
        """A row for each change, measure and statistic; low and high span the middle 95% of the draws."""
        found = []
        for change, level in self.changes:
            judgments = self.judgments(change, level)
            for measure in self.measures:
                for statistic in self.statistics:
                    draws = self.draws(change, level, measure, statistic)
                    there = draws[~np.isnan(draws)]
                    span = self.interval(change, level, measure, statistic)
                    spread = float(there.std(ddof=1)) if len(there) > 1 else float("nan")
                    low, high = (span.low, span.high) if span else (float("nan"), float("nan"))
                    numbers = (_mean(draws), low, high, spread, len(there), len(draws), judgments)
                    labels = (change, level, measure, statistic)
                    found.append(dict(zip(COLUMNS, (*labels, *numbers), strict=True)))
        return found

    def systems_rows(self) -> list[dict[str, Any]]:
        """A row for each change, measure and system: means over the draws. A rank shift above 0 is a loss of places.

        Tied systems share the mean of their ranks.
        """
        found = []
        for change, level in self.changes:
            unjudged = self.unjudged(change, level).mean(axis=0)
            for k, measure in enumerate(self.measures):
                scores, full_ranks = self.scores(change, level, measure), ranks_of(self.full[k])
                score = scores.mean(axis=0)
                ranks = np.stack([ranks_of(row) for row in scores]).mean(axis=0)
                for j, system in enumerate(self.systems):
                    numbers = (self.full[k, j], score[j], score[j] - self.full[k, j])
                    places = (full_ranks[j], ranks[j], ranks[j] - full_ranks[j], unjudged[j])
                    labels = (change, level, measure, system)
                    found.append(dict(zip(SYSTEM_COLUMNS, (*labels, *map(float, (*numbers, *places))), strict=True)))
        return found

    def verdict(self) -> str:
        """How far the ranking holds, in a sentence for each kind of change."""
        name = "tau_ap_b" if "tau_ap_b" in self.coefficients else self.coefficients[0]
        parts = []
        for kind in dict.fromkeys(kind for kind, _ in self.changes):
            levels = [level for of, level in self.changes if of == kind]
            low = min(
                (self.value(kind, level, measure, name), level, measure)
                for level in levels
                for measure in self.measures
            )
            high = max(
                (self.value(kind, level, measure, name), level, measure)
                for level in levels
                for measure in self.measures
            )
            parts.append(
                f"{kind}: {name} from {low[0]:.3f} ({low[1]}, {low[2]}) to {high[0]:.3f} ({high[1]}, {high[2]})"
            )
        return "; ".join(parts)

    def table(self, shown: tuple[str, ...] | None = None) -> tuple[list[str], list[list[Any]]]:
        """Columns and rows of means: a row a change and measure."""
        names = [s for s in self.statistics if s in (shown or _SHOWN)] or list(self.statistics)
        rows: list[list[Any]] = [
            [kind, level, round(self.judgments(kind, level)), measure]
            + [self.value(kind, level, measure, name) for name in names]
            for kind, level in self.changes
            for measure in self.measures
        ]
        return ["change", "level", "judgments", "measure", *names], rows

    def __str__(self) -> str:
        columns, rows = self.table()
        draws = len(self.values)
        text = [[f"{c:.3f}" if isinstance(c, float) else str(c) for c in row] for row in rows]
        widths = [max(len(columns[k]), *(len(row[k]) for row in text)) for k in range(len(columns))]

        def line(cells: list[str]) -> str:
            return "  " + "  ".join(
                cell.ljust(w) if k in (0, 1, 3) else cell.rjust(w)
                for k, (cell, w) in enumerate(zip(cells, widths, strict=True))
            )

        return "\n".join(
            [
                f"{counted(len(self.systems), 'system')}, {counted(len(self.topics), 'topic')}, "
                f"{counted(draws, 'draw')} in all, seed {self.settings['seed']}",
                self.verdict(),
                "",
                line(columns),
                *map(line, text),
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """The tables, ready for JSON."""

        def plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
            return [{k: None if isinstance(v, float) and np.isnan(v) else v for k, v in row.items()} for row in rows]

        return {
            "verdict": self.verdict(),
            "rows": plain(self.rows()),
            "systems": plain(self.systems_rows()),
            "settings": dict(self.settings),
            "cost": dict(self.cost),
        }

    def to_frame(self, systems: bool = False) -> Any:
        """A pandas frame of `rows`, or of `systems_rows`."""
        rows = self.systems_rows() if systems else self.rows()
        return import_extra("pandas").DataFrame(rows, columns=list(SYSTEM_COLUMNS if systems else COLUMNS))

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write both tables, in full precision, and the figure into a folder, and say which files these are."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        written = []
        for name, columns, rows in (
            ("judgments.csv", COLUMNS, self.rows()),
            ("systems.csv", SYSTEM_COLUMNS, self.systems_rows()),
        ):
            text = io.StringIO()
            writer = csv.DictWriter(text, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
            with written_whole(target / name) as file:
                file.write(text.getvalue().encode())
            written.append(target / name)
        written.append(target / "judgments.png")
        with written_whole(written[-1]) as file:
            self.figure().savefig(file, format="png", dpi=150)
        return written

    def figure(self) -> Any:
        """Coefficients and the rank distance by level: a row a kind of change, a line a measure."""
        kinds = list(dict.fromkeys(kind for kind, _ in self.changes))
        shown = [name for name in self.coefficients if name in ("tau_b", "tau_ap_b")] or [self.coefficients[0]]
        names = [*shown, "d_rank"]
        size = (4.5 * len(names), 3.5 * len(kinds))
        made = import_extra("matplotlib.figure").Figure(figsize=size, layout="constrained")
        for row, kind in zip(made.subplots(len(kinds), len(names), squeeze=False), kinds, strict=True):
            for ax, name in zip(row, names, strict=True):
                self.plot(ax, change=kind, statistic=name)
                ax.tick_params(axis="x", labelrotation=90 if len(self.changes) > 8 * len(kinds) else 0)
        return made

    def plot(self, ax: Any = None, *, change: str | None = None, statistic: str | None = None) -> Any:
        """A statistic by level, a line a measure, with what the middle 95% of the draws span."""
        from ..plots import curves

        return curves.judgment_study(self, ax, change, statistic)

    def plot_coefficients(self, change: str, level: str, ax: Any = None) -> Any:
        """Coefficients down, measures across, the means over the draws as colours and numbers."""
        from ..plots import heatmap

        rows = [[self.value(change, level, measure, name) for measure in self.measures] for name in self.coefficients]
        return heatmap(rows, self.coefficients, self.measures, ax, label=f"{change} {level}")

    def plot_scores(
        self,
        change: str,
        level: str,
        measure: str,
        ax: Any = None,
        *,
        top: int | None = None,
        bottom: int | None = None,
    ) -> Any:
        """Means of the systems under the changed judgments against those under the full ones, with the diagonal.

        Only the `top` best, or the `bottom` worst, by the full judgments if asked for.
        """
        from ..plots import agreement

        full = self.full[_place(measure, self.measures, "measure")]
        changed = self.scores(change, level, measure).mean(axis=0)
        order = np.argsort(-full, kind="stable")
        order = order[:top] if top else order[-bottom:] if bottom else order
        labels = (f"{measure}, full judgments", f"{measure}, {change} {level}")
        return agreement.plain_scatter(full[order], changed[order], labels, ax)


def ranks_of(scores: FloatArray) -> FloatArray:
    """Ranks from 1, best first; tied systems share the mean of theirs."""
    above = (scores[None] > scores[:, None]).sum(axis=1)
    same = (scores[None] == scores[:, None]).sum(axis=1)
    return np.asarray(above + (same + 1) / 2)


def _mean(values: FloatArray) -> float:
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        return float(np.nanmean(values)) if len(values) else float("nan")


def _place(wanted: Any, among: tuple[str, ...], what: str) -> int:
    if wanted not in among:
        raise InputError(f"{what} is {wanted!r}: the study has {', '.join(among)}")
    return among.index(wanted)
