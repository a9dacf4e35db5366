"""The common part of study results: look up rows by labels, and save tables and figures."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from ..data.results import Findings, Result
from ..errors import InputError, MissingExtraError, nearest, warn
from ..options import checked
from ..render.outputs import FIGURE, write_csv, written_whole


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StudyResult(Findings):
    """The result of a study: a table of cells. `save` writes its tables and figures."""

    tables: Mapping[str, Sequence[Mapping[str, Any]]]
    """The rows of each table, by file name."""
    drawings: Mapping[str, Callable[[StudyResult], Any]] = field(compare=False)
    """Functions that draw the matplotlib figures of the study, by file name."""
    parts: Mapping[str, Result] = field(default_factory=dict)
    """Further results that the page of the study shows."""
    cost: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Cost of the last run: trials computed, seconds, and seconds of processor time."""

    def cell(self, *labels: Any) -> dict[str, Any]:
        """Return the row with these labels in its first columns."""
        for row in self.lines:
            if tuple(islice(row.values(), len(labels))) == labels:
                return dict(row)
        for k, (name, wanted) in enumerate(zip(self.lines[0], labels, strict=False)):
            if wanted not in (among := list(dict.fromkeys([*row.values()][k] for row in self.lines))):
                hint = nearest(wanted, among) if isinstance(wanted, str) else ""
                raise InputError(f"{name} is {wanted!r}: the study has {', '.join(map(str, among))}{hint}")
        raise InputError(f"the study has no {' '.join(map(str, labels))}")

    def _contents(self) -> dict[str, Any]:
        return {**self.numbers, **({"cost": self.cost} if self.cost else {})}

    def plot(self, ax: Any = None, **which: Any) -> Any:
        """Draw one figure of the result, by default on new axes."""
        module, _, function = self.figure.partition(".")
        return getattr(import_module(f"concordant.render.figures.{module}"), function)(self, ax, **which)

    @checked
    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the tables, in full precision, and the figures into a folder.

        Without matplotlib, only the tables are written, with a `DataWarning`.

        Parameters
        ----------
        folder : path
            Where to write; created if missing.

        Returns
        -------
        list of Path
            The files written.

        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        figures = {}
        for name, rows in self.tables.items():
            write_csv(target / name, rows)
        try:
            figures = {name: draw(self) for name, draw in self.drawings.items()}
        except MissingExtraError as error:
            warn(f"the tables are in {target}, without figures: {error}")
        for name, figure in figures.items():
            with written_whole(target / name, FIGURE) as file:
                figure.savefig(file, format="png", dpi=150)
        return [target / name for name in (*self.tables, *figures)]
