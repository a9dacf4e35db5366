"""What the results of all studies have: labels that are looked up, tables and figures that are saved."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..data.results import Result
from ..errors import InputError, MissingExtraError, warn
from ..options import checked
from ..read.files import write_csv
from ..render.outputs import FIGURE, written_whole
from ..words import nearest


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class StudyResult(Result):
    """What a study found. `save` writes its tables and figures."""

    cost: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Of the run that finished it: trials that it computed, seconds, and seconds of processor time."""

    @abstractmethod
    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Rows by the name of the file that `save` writes them to."""

    @abstractmethod
    def figures(self) -> dict[str, Any]:
        """Figures of matplotlib by the name of the file that `save` writes them to."""

    @checked
    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write the tables, in full precision, and the figures into a folder.

        Where matplotlib is not installed, the tables alone, and a `DataWarning` says so.

        Parameters
        ----------
        folder : path
            Made if it is not there.

        Returns
        -------
        list of Path
            The files that were written.

        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        tables, figures = self.tables(), {}
        for name, rows in tables.items():
            write_csv(target / name, rows)
        try:
            figures = self.figures()
        except MissingExtraError as error:
            warn(f"the tables are in {target}, without figures: {error}")
        for name, figure in figures.items():
            with written_whole(target / name, FIGURE) as file:
                figure.savefig(file, format="png", dpi=150)
        return [target / name for name in (*tables, *figures)]


def place_of(wanted: Any, among: Sequence[Any], what: str) -> int:
    """Where a label is among those of a study, or an error that lists them."""
    if wanted not in among:
        hint = nearest(wanted, among) if isinstance(wanted, str) else ""
        raise InputError(f"{what} is {wanted!r}: the study has {', '.join(map(str, among))}{hint}")
    return among.index(wanted)
