"""`JudgeStudy`: what `judge_study` found, as tables and figures."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, import_extra
from ..files import written_whole
from ..judgments.agreement import LabelAgreement
from ..notebook import Displayed
from ..results import Estimate
from ..topics.judges import JudgeComparison
from .judgments_result import JudgmentStudy

COLUMNS = ("judge", "measure", "coefficient", "value", "low", "high", "d_rank", "p")
ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class JudgeStudy(Displayed):
    """How far other judges agree with the truth. `print` shows it, `to_dict` has everything."""

    study: JudgmentStudy
    """All coefficients, and the consequences for each system; its changes are of kind "judge"."""
    estimates: Mapping[tuple[str, str, str], Estimate]
    """By judge, measure and coefficient, with intervals for the population of topics."""
    tests: Mapping[tuple[str, str], JudgeComparison]
    """By pair of judges: the first measure, the first coefficient."""
    labels: Mapping[str, LabelAgreement]
    """By judge."""
    settings: Mapping[str, Any]

    @property
    def judges(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.labels)

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Those that have intervals."""
        return tuple(dict.fromkeys(coefficient for _, _, coefficient in self.estimates))

    def rows(self) -> list[dict[str, Any]]:
        """A row for each judge, measure and coefficient."""
        found = []
        for (judge, measure, coefficient), estimate in self.estimates.items():
            span = estimate.interval
            low, high = (span.low, span.high) if span else (float("nan"), float("nan"))
            tested = (self.study.value("judge", judge, measure, name) for name in ("d_rank", "p"))
            numbers = (estimate.value, low, high, *tested)
            found.append(dict(zip(COLUMNS, (judge, measure, coefficient, *numbers), strict=True)))
        return found

    def verdict(self) -> str:
        """Which judge is most like the truth, and than which it is better beyond chance."""
        measure, coefficient = self.study.measures[0], self.coefficients[0]
        values = {judge: self.estimates[judge, measure, coefficient].value for judge in self.judges}
        best = max(values, key=lambda judge: -2.0 if np.isnan(values[judge]) else values[judge])
        text = f"{best} ranks the systems most like the truth ({measure}, {coefficient} {values[best]:.3f})"
        if not self.tests:
            return f"{text}."
        beaten: list[str] = []
        open_: list[str] = []
        for pair, test in self.tests.items():
            if best in pair:
                other, sign = (pair[1], 1) if pair[0] == best else (pair[0], -1)
                # Without its bias a difference may point the other way.
                better = test.pvalue <= ALPHA and sign * test.bias_corrected > 0
                (beaten if better else open_).append(f"{other} (p = {test.pvalue:.3f})")
        text += f"; better than {', '.join(beaten)}" if beaten else ""
        return f"{text}; not distinguishably better than {', '.join(open_)}." if open_ else f"{text}."

    def notes(self) -> list[str]:
        """What to mind: judges whose grades are on another scale than the truth's."""
        odd = [
            judge
            for judge, found in self.labels.items()
            if found.labels_of_other[0] < found.labels_of_truth[0]
            or found.labels_of_other[-1] != found.labels_of_truth[-1]
        ]
        if not odd:
            return []
        whose = ", ".join(odd)
        return [f"the grades of {whose} end elsewhere than the truth's: on another scale kappa and alpha say little"]

    def __str__(self) -> str:
        width = max(len(judge) for judge in self.judges)
        lines = [self.verdict(), ""]
        for row in self.rows():
            span = f"[{row['low']:.3f}, {row['high']:.3f}]"
            lines.append(
                f"  {row['judge']:<{width}}  {row['measure']:<10} {row['coefficient']:<10} {row['value']:7.3f}  {span}"
            )
        lines += ["", "  labels"]
        for judge, found in self.labels.items():
            lines.append(f"  {judge:<{width}}  " + ", ".join(f"{e.coefficient} {e.value:.3f}" for e in found.estimates))
        return "\n".join([*lines, *(f"Mind: {note}" for note in self.notes())])

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        rows = [{k: None if isinstance(v, float) and np.isnan(v) else v for k, v in row.items()} for row in self.rows()]
        return {
            "rows": rows,
            "tests": [test.to_dict() for test in self.tests.values()],
            "labels": {judge: found.to_dict() for judge, found in self.labels.items()},
            "study": self.study.to_dict(),
            "settings": dict(self.settings),
        }

    def to_frame(self) -> Any:
        """A pandas frame of `rows`."""
        return import_extra("pandas").DataFrame(self.rows(), columns=list(COLUMNS))

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the tables of judges and of systems, and the figure, into a folder, and say which files these are."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        written = [target / "judges.csv", target / "systems.csv", target / "judges.png"]
        for path, rows in zip(written, (self.rows(), self.study.systems_rows()), strict=False):
            text = io.StringIO()
            writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
            with written_whole(path) as file:
                file.write(text.getvalue().encode())
        with written_whole(written[-1]) as file:
            self.figure().savefig(file, format="png", dpi=150)
        return written

    def figure(self) -> Any:
        """The heatmap; then for each judge the means of all systems, of the ten best, and the confusion of labels."""
        count = len(self.judges)
        made = import_extra("matplotlib.figure").Figure(figsize=(13, 3.8 * (count + 1)), layout="constrained")
        panels = made.subplots(count + 1, 3, squeeze=False)
        self.plot(panels[0, 0])
        for ax in panels[0, 1:]:
            ax.axis("off")
        for row, judge in zip(panels[1:], self.judges, strict=True):
            self.plot_scores(judge, ax=row[0])
            self.plot_scores(judge, ax=row[1], top=10)
            self.labels[judge].plot(row[2])
        return made

    def plot(self, ax: Any = None, *, coefficient: str | None = None) -> Any:
        """A coefficient as a heatmap, judge by measure, with the values written in."""
        from ..plots import heatmap

        name = self.coefficients[0] if coefficient is None else coefficient
        if name not in self.study.coefficients:
            raise InputError(f"coefficient is {name!r}: the study has {', '.join(self.study.coefficients)}")
        values = [[self.study.value("judge", j, m, name) for m in self.study.measures] for j in self.judges]
        return heatmap(values, self.judges, self.study.measures, ax, label=name, decimals=3)

    def plot_scores(self, judge: str, measure: str | None = None, ax: Any = None, *, top: int | None = None) -> Any:
        """Means of the systems under a judge against those under the truth, with the diagonal; the `top` best only."""
        return self.study.plot_scores("judge", judge, measure or self.study.measures[0], ax, top=top)
