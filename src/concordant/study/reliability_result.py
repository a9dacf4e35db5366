"""`ReliabilityStudy`: what `reliability_study` found, as a table and as the figures of the paper."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..arrays import FloatArray
from ..errors import InputError, import_extra
from ..expected.estimation import ESTIMATORS
from ..files import written_whole
from ..notebook import Displayed
from ..words import nearest

COEFFICIENTS = ("tau", "tau_ap")
COLUMNS = ("collection", "topics", "coefficient", "estimator", "actual_mean", "error", "bias", "error_se", "bias_se")
What = Literal["error", "bias"]


@dataclass(frozen=True, eq=False)
class ReliabilityStudy(Displayed):
    """Error and bias of each estimator. `print` shows the means over all, `to_frame` has every cell."""

    collections: tuple[str, ...]
    sizes: tuple[int, ...]
    values: FloatArray
    """Collections x sizes x trials x coefficients x (the actual correlation, then an estimator each)."""
    settings: Mapping[str, Any]
    cost: Mapping[str, float]
    """Of the run that finished it: trials that it computed, seconds, and seconds of processor time."""

    @property
    def estimators(self) -> tuple[str, ...]:
        """The estimators that are compared, in the order of `values`."""
        return ESTIMATORS

    def actual(self, collection: str, size: int, coefficient: str) -> float:
        """The mean correlation between simulated and true rankings."""
        return float(self._cell(collection, size, coefficient)[:, 0].mean())

    def error(self, collection: str, size: int, coefficient: str, estimator: str) -> float:
        """The mean distance between an estimate and the actual correlation."""
        return float(np.abs(self._off(collection, size, coefficient, estimator)).mean())

    def bias(self, collection: str, size: int, coefficient: str, estimator: str) -> float:
        """The mean of estimate minus actual correlation: positive where an estimator is too optimistic."""
        return float(self._off(collection, size, coefficient, estimator).mean())

    def _cell(self, collection: str, size: int, coefficient: str) -> FloatArray:
        at = (_place(collection, self.collections, "collection"), _place(size, self.sizes, "size"))
        return np.asarray(self.values[at][:, _place(coefficient, COEFFICIENTS, "coefficient")])

    def _off(self, collection: str, size: int, coefficient: str, estimator: str) -> FloatArray:
        cell = self._cell(collection, size, coefficient)
        return np.asarray(cell[:, 1 + _place(estimator, ESTIMATORS, "estimator")] - cell[:, 0])

    def rows(self) -> list[dict[str, Any]]:
        """A row for each collection, coefficient, size and estimator, with the standard errors of error and bias."""
        found = []
        for collection in self.collections:
            for coefficient in COEFFICIENTS:
                for size in self.sizes:
                    for estimator in ESTIMATORS:
                        off = self._off(collection, size, coefficient, estimator)
                        actual = self.actual(collection, size, coefficient)
                        numbers = (actual, float(np.abs(off).mean()), float(off.mean()), _se(np.abs(off)), _se(off))
                        labels = (collection, size, coefficient, estimator)
                        found.append(dict(zip(COLUMNS, (*labels, *numbers), strict=True)))
        return found

    def summary(self) -> list[dict[str, Any]]:
        """A row an estimator: error and bias of each coefficient, averaged over collections and sizes."""
        off = self.values[..., 1:] - self.values[..., :1]
        error, bias = np.abs(off).mean(axis=(0, 1, 2)), off.mean(axis=(0, 1, 2))
        return [
            {"estimator": name}
            | {
                f"{what} {coefficient}": float(of[c, e])
                for c, coefficient in enumerate(COEFFICIENTS)
                for what, of in (("error", error), ("bias", bias))
            }
            for e, name in enumerate(ESTIMATORS)
        ]

    def verdict(self) -> str:
        """Which estimators are best, in a sentence."""
        summary = self.summary()
        parts = []
        for coefficient in COEFFICIENTS:
            least = min(summary, key=lambda row: row[f"error {coefficient}"])
            fair = min(summary, key=lambda row: abs(row[f"bias {coefficient}"]))
            parts.append(
                f"{coefficient}: least error {least['estimator']} ({least[f'error {coefficient}']:.4f}), least bias "
                f"{fair['estimator']} ({fair[f'bias {coefficient}']:+.4f})"
            )
        return "; ".join(parts)

    def __str__(self) -> str:
        names = list(self.summary()[0])
        lines = [
            f"{self.settings['trials']:,} trials of each size ({', '.join(map(str, self.sizes))} topics) from "
            f"{', '.join(self.collections)}, seed {self.settings['seed']}",
            self.verdict(),
            "",
            "  " + f"{names[0]:<10}" + "".join(f"{name:>14}" for name in names[1:]),
        ]
        for row in self.summary():
            lines.append("  " + f"{row['estimator']:<10}" + "".join(f"{row[name]:>14.4f}" for name in names[1:]))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The table, ready for JSON."""
        rows = [{k: None if isinstance(v, float) and np.isnan(v) else v for k, v in row.items()} for row in self.rows()]
        return {"rows": rows, "settings": dict(self.settings), "cost": dict(self.cost)}

    def to_frame(self) -> Any:
        """A pandas frame of `rows`."""
        return import_extra("pandas").DataFrame(self.rows(), columns=list(COLUMNS))

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write `rows`, in full precision."""
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows())
        with written_whole(path) as file:
            file.write(text.getvalue().encode())

    def plot(
        self, ax: Any = None, *, what: What = "error", collection: str | None = None, coefficient: str = "tau"
    ) -> Any:
        """Error or bias by number of topics, a line an estimator; of the first collection, if none is named."""
        from ..plots import curves

        return curves.reliability_study(self, ax, what, collection, coefficient)

    def figure(self, what: What = "error") -> Any:
        """The paper's figure of error or of bias: a row a collection, tau to the left, tau_ap to the right."""
        from ..plots import curves

        return curves.reliability_figure(self, what)

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the table and both figures into a folder, and say which files these are."""
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        self.to_csv(target / "reliability.csv")
        written = [target / "reliability.csv"]
        for what in ("error", "bias"):
            written.append(target / f"{what}.png")
            with written_whole(written[-1]) as file:
                self.figure(what).savefig(file, format="png", dpi=150)
        return written


def _place(wanted: Any, among: tuple[Any, ...], what: str) -> int:
    if wanted not in among:
        hint = nearest(wanted, among) if isinstance(wanted, str) else ""
        raise InputError(f"{what} is {wanted!r}: the study has {', '.join(map(str, among))}{hint}")
    return among.index(wanted)


def _se(values: FloatArray) -> float:
    """Standard error of a mean; nan for one trial."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
