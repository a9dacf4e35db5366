"""`Result`, the base class of results: a verdict, a table, notes, and the settings that produced them.

Most functions return `Findings`; results with further methods have their own class.
"""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .. import __version__
from ..arrays import read_only
from ..errors import counted, escaped, import_extra, listing, one_line
from ..options import checked
from ..render.outputs import REPORT, written_whole

if TYPE_CHECKING:
    from ..pairing import Pairing
    from .scores import Means, Scores

MOST_NOTES = 5  # shown without text(every=True)
_BLOCK = "background: transparent; color: inherit; overflow-x: auto; margin: 0.6em 0; line-height: 1.35"


def settings_of(
    *,
    seed: int | None = None,
    n_resamples: int | None = None,
    confidence_level: float | None = None,
    **others: Any,
) -> dict[str, Any]:
    """Make the settings of a result, ready for JSON: four common keys (None for one that does not apply) and others."""
    return {
        "seed": seed,
        "n_resamples": n_resamples,
        "confidence_level": confidence_level,
        **others,
        "version": __version__,
    }


def seed_of(settings: Mapping[str, Any]) -> int:
    """Return the seed in the settings of a result, or 0 if the caller passed a generator."""
    seed: int | None = settings["seed"]
    return 0 if seed is None else seed


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(ABC):
    """Base class of all results. A subclass keeps its numbers in fields, and defines `verdict` and `rows`.

    `to_dict` leaves out fields with ``metadata={"in_dict": False}``. Subclasses may override `_contents`.
    """

    _kind: ClassVar[str] = ""  # the name of the result, if it differs from the name of its class
    _index: ClassVar[str] = ""  # the column of `rows` that is the index of `to_frame`, if any
    _figure: ClassVar[str] = ""  # module and function in `render.figures` for the plot; by default, intervals.rows

    notes: tuple[str, ...] = ()
    """Caveats on the data and the method, one sentence each."""
    settings: Mapping[str, Any] = field(default_factory=settings_of)
    """The seed, n_resamples, confidence_level, version, and the function's own options."""
    data: Scores | Means | Pairing | None = field(default=None, compare=False, metadata={"in_dict": False})
    """The data from which the result was computed."""

    def __post_init__(self) -> None:
        read_only(list(vars(self).values()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)  # arrays are writeable after unpickling or copying
        read_only(list(state.values()))

    @property
    @abstractmethod
    def verdict(self) -> str:
        """The answer, in a sentence."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The table: one mapping from column to value per row, all with the same columns."""

    def table(self) -> str:
        """The table as text; empty if the verdict contains all of it."""
        return ""

    def __str__(self) -> str:
        return self.text(every=False)

    @checked
    def text(self, *, every: bool = False, more: str = "text(every=True)") -> str:
        """Verdict, table and the first notes; with `every`, all rows and notes.

        Parameters
        ----------
        every : bool
            Whether to show every row, number and note, even if they exceed one screen.
        more : str
            How the reader can see the notes that are left out.

        Returns
        -------
        str

        """
        verdict = "\n".join(map(one_line, self._answers()))
        notes = [f"Note: {one_line(note)}" for note in self._notes()]
        if not every and len(notes) > MOST_NOTES:
            notes[MOST_NOTES:] = [f"{counted(len(notes) - MOST_NOTES, 'more note')}: {more}"]
        return "\n\n".join(part for part in (verdict, self._table(every=every), "\n".join(notes)) if part)

    def _table(self, *, every: bool) -> str:
        return self.table()

    def _notes(self) -> Sequence[str]:
        """The notes that `text` shows."""
        return self.notes

    def _answers(self) -> Sequence[str]:
        """The sentences of the verdict, one per line."""
        return (self.verdict,)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(str(self))

    def to_dict(self) -> dict[str, Any]:
        """The result in full precision, ready for JSON; None stands for nan and infinity."""
        about = {"notes": list(self.notes), "settings": plain(self.settings)}
        return {"verdict": self.verdict, **plain(self._contents()), **about}

    def _contents(self) -> dict[str, Any]:
        return {name: value for name, value in shown_fields(self).items() if name not in ("notes", "settings")}

    def to_frame(self) -> Any:
        """The table as a pandas frame."""
        frame = import_extra("pandas").DataFrame(self.rows())
        return frame.set_index(self._index) if self._index else frame

    @checked
    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the result to one HTML file that needs no network and no other file, as `--html` does.

        Comparisons and boards have special pages; the page of any other result starts with the verdict and the table.

        Parameters
        ----------
        path : path
            Where to write the file, completely or not at all. It may replace an earlier report, but no other file.

        """
        from ..render.report.page import report_html

        content = report_html(self).encode("utf-8")
        with written_whole(path, REPORT) as file:
            file.write(content)

    def plot(self, ax: Any = None) -> Any:
        """Plot the result on `ax`, by default on new axes as wide as one column of a paper, and return the axes."""
        module, _, function = (self._figure or "intervals.rows").partition(".")
        return getattr(import_module(f"concordant.render.figures.{module}"), function)(self, ax)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self) if f.compare)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Findings(Result):
    """The result of a function. Its numbers are attributes, as in `found.accuracy`; the function's docs list them."""

    kind: str
    """The name of the result, such as RankChanges."""
    answer: str
    """The verdict."""
    numbers: Mapping[str, Any]
    """The contents of `to_dict`, by name."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """Further attributes, which `to_dict` leaves out or gives in another form."""
    lines: Sequence[Mapping[str, Any]] = ()
    """The rows of the table; by default one row with all numbers that are not in arrays."""
    paper: Sequence[Mapping[str, Any]] = ()
    """The rows for a paper, by default the rows of the table. Numbers are strings if further digits would mislead."""
    shown: str = ""
    """The table as text."""
    first_rows: int = 0
    """How many rows of the table are printed unless the caller asks for all rows; 0 prints all rows."""
    index: str = ""
    """The column of the rows that is the index of `to_frame`."""
    figure: str = ""
    """Module and function of `render.figures` that plot the result; by default a plot of its rows."""

    def __post_init__(self) -> None:
        vars(self).update(_kind=self.kind, _index=self.index, _figure=self.figure)
        hidden = {*vars(self), *dir(type(self))}.intersection([*self.numbers, *self.beside]) - {"rows"}
        assert not hidden, f"{self.kind} has numbers whose names are taken by other attributes: {hidden}"
        super().__post_init__()

    def __getattr__(self, name: str) -> Any:
        found = {**vars(self).get("numbers", {}), **vars(self).get("beside", {})}
        if name not in found:
            raise AttributeError(f"{vars(self).get('kind')} has no {name}: it has {listing(found)}")
        return found[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.numbers, *self.beside]

    @property
    def verdict(self) -> str:
        """The answer, in a sentence."""
        return self.answer

    def rows(self) -> list[dict[str, Any]]:
        """The table: one mapping from column to value per row."""
        lines = self.lines or [{key: value for key, value in self.numbers.items() if isinstance(value, int | float)}]
        return [dict(line) for line in lines]

    def printed(self) -> list[dict[str, Any]]:
        """The rows for a paper."""
        return [dict(line) for line in self.paper] or self.rows()

    def table(self) -> str:
        """The table as text."""
        return self.shown

    def _table(self, *, every: bool) -> str:
        lines = self.shown.split("\n")
        more = len(lines) - 1 - self.first_rows
        if every or not self.first_rows or more < 1:
            return self.shown
        rest = f"  ... {counted(more, 'more row')}: --all, or text(every=True) in Python"
        return "\n".join([*lines[: 1 + self.first_rows], rest])


def _same(a: Any, b: Any) -> bool:
    """Tell whether two values have the same contents. Ignore fields of results such as run times."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    return bool(a == b if isinstance(a, Result) else plain(a) == plain(b))


def shown_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass or result that belong in its `to_dict`."""
    if isinstance(value, Findings):
        return dict(value.numbers)
    return {f.name: getattr(value, f.name) for f in fields(value) if f.metadata.get("in_dict", True)}


def plain(value: Any) -> Any:
    """Convert a value for JSON: arrays become lists, and nan and infinity become None."""
    kind = type(value)
    if kind is float:  # the most frequent type first
        return value if math.isfinite(value) else None
    if kind in (str, int, bool) or value is None:
        return value
    if isinstance(value, Result):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return plain(shown_fields(value))
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


@dataclass(frozen=True)
class Interval:
    """An interval from `low` to `high`, with its nominal coverage."""

    low: float
    high: float
    confidence_level: float
    method: str
    """The method that computed the interval."""

    def __str__(self) -> str:
        return f"[{self.low:.4f}, {self.high:.4f}]"

    def _repr_html_(self) -> str:
        return as_html(str(self))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def to_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return dict(plain(shown_fields(self)))


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Result):
    """A value, with an interval and a p-value if requested. `float(e)` is the value."""

    coefficient: str
    value: float
    method: str
    """The estimator's name, or "observed"."""
    interval: Interval | None = None
    """The interval for the population of topics."""
    bias_corrected: float | None = None
    """The value corrected for sampling bias: an estimate of the coefficient between the population means."""
    standard_error: float | None = None
    """Standard error of `bias_corrected`."""

    def __float__(self) -> float:
        return self.value

    @property
    def verdict(self) -> str:
        """The value, its interval and its bias-corrected value."""
        drawn = self.settings["seed"] is not None  # fewer digits if the value depends on a seed
        decimals = 3 if drawn and self.method != "observed" else 4
        parts = [f"{self.coefficient} = {self.value:.{decimals}f} ({self.method})"]
        if self.interval is not None:
            level, ends = f"{100 * self.interval.confidence_level:g}%", self.interval
            shown = f"[{ends.low:.2f}, {ends.high:.2f}]" if drawn else str(ends)
            parts.append(f"{level} interval {shown} ({ends.method})")
        if self.bias_corrected is not None:
            parts.append(f"bias-corrected {self.bias_corrected:.2f}")
        return ", ".join(parts)

    def rows(self) -> list[dict[str, Any]]:
        """The table: one row with the value, its interval and its standard error."""
        ends = {end: None if self.interval is None else getattr(self.interval, end) for end in ("low", "high")}
        others = ("method", "bias_corrected", "standard_error")
        value = {"coefficient": self.coefficient, "value": self.value}
        return [value | ends | {name: getattr(self, name) for name in others}]


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Align the cells of rows, indented by two blanks: the first column to the left, the others to the right."""
    rows = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  "
        + "  ".join(
            cell.rjust(width) if k else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def as_html(shown: str) -> str:
    """Convert printed text to HTML for a notebook: prose becomes paragraphs, and tables keep their columns.

    The HTML sets no colours or fonts, so that it suits light and dark themes, and loads no other files.
    """
    parts = []
    for block in shown.split("\n\n"):
        lines = block.strip("\n").split("\n")
        if any(line.startswith("  ") or "  " in line for line in lines):
            parts.append(f'<pre style="{_BLOCK}">{escaped(chr(10).join(lines))}</pre>')
        elif any(lines):
            parts.append(f"<p>{'<br>'.join(map(escaped, lines))}</p>")
    return f"<div>{''.join(parts)}</div>"
