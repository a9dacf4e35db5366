"""`Votes`: battles between systems and their winners. `read_votes` reads them from files and frames."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import chain
from typing import Any

import numpy as np

from ...arrays import FloatArray, IntArray, read_only
from ...errors import InputError, InputTypeError, ReadError, counted, listing, named
from ...options import checked
from ...read.formats.parquet import parquet_table
from ...read.labels import load_names, named_rows
from ...read.source import Source, load_json
from ...read.tables.frames import is_frame

_COLUMNS = {
    "a": ("model_a", "system_a", "model a", "left", "a"),
    "b": ("model_b", "system_b", "model b", "right", "b"),
    "winner": ("winner", "outcome", "vote", "preference"),
    "question": ("question_id", "question", "prompt_id", "topic", "qid"),
}
_ANY = frozenset(name for names in _COLUMNS.values() for name in names)
_A, _B = frozenset({"a", "model_a", "system_a", "left"}), frozenset({"b", "model_b", "system_b", "right"})
_TIE = frozenset({"tie", "tie (bothbad)", "both_bad", "bothbad", "draw", "both"})
_MOST_NAMES = 100_000  # names to cache


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Votes:
    """Battles between systems. Immutable.

    >>> Votes(["x", "y"], ["y", "z"], ["a", "tie"])
    <Votes: 2 battles of 3 systems>

    See Also
    --------
    read_votes : Read battles: which of two systems answered better.
    rank_votes : Ranks from battles.

    """

    systems: tuple[str, ...]
    a: IntArray
    """Index in `systems` of the first system of each battle."""
    b: IntArray
    wins: FloatArray
    """1 if the first system won, 0 if the second did, 0.5 for a tie."""
    questions: tuple[str, ...] | None
    """The question of each battle; None if unknown."""

    @checked
    def __init__(
        self, a: Iterable[Any], b: Iterable[Any], winner: Iterable[Any], questions: Iterable[Any] | None = None
    ) -> None:
        first, second, won = (tuple(map(str, given)) for given in (a, b, winner))
        if not first or not len(first) == len(second) == len(won):
            raise InputError(
                f"there are {len(first)} first systems, {len(second)} second ones and {len(won)} winners: give one of "
                "each per battle"
            )
        systems = tuple(dict.fromkeys(name for pair in zip(first, second, strict=True) for name in pair))
        place = {name: k for k, name in enumerate(systems)}
        for k, (x, y) in enumerate(zip(first, second, strict=True)):
            if x == y:
                raise InputError(f"battle {k + 1} is of {x!r} with itself: leave it out")
        asked = None if questions is None else tuple(str(q) for q in questions)
        if asked is not None and len(asked) != len(first):
            raise InputError(f"there are {len(asked)} questions and {len(first)} battles: give one for each")
        wins = (_won(w, x, y, k) for k, (w, x, y) in enumerate(zip(won, first, second, strict=True)))
        numbers = {
            "a": np.fromiter((place[x] for x in first), np.int64, len(first)),
            "b": np.fromiter((place[x] for x in second), np.int64, len(first)),
            "wins": np.fromiter(wins, np.float64, len(first)),
        }
        self.__setstate__({"systems": systems, **numbers, "questions": asked})

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        read_only(list(state.values()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Votes):
            return NotImplemented
        return all(np.array_equal(getattr(self, field.name), getattr(other, field.name)) for field in fields(self))

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.a)

    def __repr__(self) -> str:
        asked = "" if self.questions is None else f" on {counted(len(set(self.questions)), 'question')}"
        return f"<Votes: {counted(len(self), 'battle')} of {counted(len(self.systems), 'system')}{asked}>"


def _won(winner: str, a: str, b: str, k: int) -> float:
    said = winner.strip()
    word = next((value for value, names in ((1.0, _A), (0.0, _B), (0.5, _TIE)) if said.lower() in names), None)
    if said in (a, b):
        if word not in (None, float(said == a)):
            raise InputError(
                f"the winner of battle {k + 1} is {winner!r}, which is the name of a system and a word for another "
                f"outcome, of {a!r} against {b!r}: give model_a, model_b or draw, or rename the system"
            )
        return float(said == a)
    if word is not None:
        return word
    raise InputError(f"the winner of battle {k + 1} is {winner!r}: give a, b or tie, or the name of {a!r} or {b!r}")


@checked
def read_votes(what: Any, *, question: str | None = None) -> Votes:
    """Read battles: which of two systems answered better.

    Parameters
    ----------
    what : path or frame
        A CSV or TSV file, a file of JSON lines or of a JSON list, a Parquet or Arrow file, or a pandas or polars frame
        or Arrow table, with one row per battle and the columns model_a, model_b (or a, b), winner (a, b, model_a,
        model_b, tie, tie (bothbad), or a name) and, if known, question_id. LMArena's files are read as they are.
    question : str, optional
        The column with the question of each battle, if no name, or more than one, identifies it.

    Returns
    -------
    Votes
        All battles.

    Raises
    ------
    ReadError
        Names the file and what it lacks.

    See Also
    --------
    rank_votes : Ranks from battles.

    Examples
    --------
    >>> import pandas
    >>> read_votes(pandas.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["model_a", "tie"]}))
    <Votes: 2 battles of 3 systems>

    """
    if isinstance(what, Votes):
        return what
    if isinstance(what, (str, os.PathLike)):
        source = load_names(what)
        try:
            return _votes(source.label, *_contents(source, question), question)
        except InputError as error:  # names a battle, but not the file
            raise ReadError(str(error), source.label) from None
    if is_frame(what):
        return _votes("votes", *_of_frame(what, "votes", question), question)
    raise InputTypeError(f"votes is a {type(what).__name__}: give Votes, a file or a frame")


def _votes(label: str, keys: Mapping[str, Any], rows: Iterable[Any], question: str | None) -> Votes:
    """Make votes from rows whose cells are found by the keys of the columns. Only needed columns are kept."""
    if question is not None and question not in keys:
        raise ReadError(f"has no column {question!r}; there are: {listing(keys)}", label)
    names = [_column(keys, role, label) for role in ("a", "b", "winner")]
    names += [question or _column(keys, "question", label)]
    columns: dict[str, list[str]] = {name: [] for name in names if name is not None}
    same: dict[str, str] = {}  # a name is kept once, not once per battle
    for k, row in enumerate(rows, start=1):
        for name, cells in columns.items():
            cell = row[keys[name]]
            text = "" if _is_nothing(cell) else str(cell)
            if not text.strip():
                raise ReadError(f"battle {k} has no {name}: give it, or leave the battle out", label)
            cells.append(same.setdefault(text, text) if len(same) < _MOST_NAMES else text)
    a, b, winner, asked = (None if name is None else columns[name] for name in names)
    return Votes(a or (), b or (), winner or (), asked)


def _is_nothing(cell: Any) -> bool:
    """Whether a cell of a frame or of JSON is missing."""
    return (
        cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and math.isnan(cell))
    )


def _contents(source: Source, question: str | None) -> tuple[dict[str, Any], Iterable[Any]]:
    """Return the keys of the columns of a file, and its rows."""
    if source.parquet:
        table, names = parquet_table(source, lambda names: _known(names, question))
        keys, rows = _of_frame(table, source.label, question)
        return dict.fromkeys(names) | keys, rows
    if source.data.lstrip()[:1] in (b"{", b"["):
        return _records(source, question)
    header, rows = named_rows(source)
    return {name: k for k, name in enumerate(header)}, (cells for _, cells in rows)


def _of_frame(frame: Any, label: str, question: str | None) -> tuple[dict[str, Any], Iterable[Any]]:
    """Read pandas, polars or pyarrow; ignore columns that do not describe a battle, such as conversations."""
    names = list(getattr(frame, "column_names", frame.columns))
    keys = {str(name): k for k, name in enumerate(names)}
    if len(keys) < len(names):
        twice = next(str(name) for k, name in enumerate(names) if keys[str(name)] != k)
        raise ReadError(f"has the column {twice!r} twice: name each column once", label)
    wanted = [name for name in names if _known([str(name)], question)]
    columns = (frame[name] for name in wanted)
    keys |= {str(name): k for k, name in enumerate(wanted)}
    return keys, zip(*(c.to_pylist() if hasattr(c, "to_pylist") else list(c) for c in columns), strict=True)


def _records(source: Source, question: str | None) -> tuple[dict[str, Any], Iterable[Any]]:
    """Read JSON lines or one list. Objects must have the same keys as the first."""
    found: Iterator[tuple[int | None, Any]]
    if source.data.lstrip().startswith(b"["):
        found = ((None, record) for record in load_json(source))
    else:
        found = ((line, load_json(source, text, line)) for line, text in source.lines())
    start = next(found, (None, None))
    if not isinstance(start[1], dict):
        raise source.error("holds no battles: give objects, one for each", start[0])
    wanted = _known(start[1], question)

    def checked() -> Iterator[dict[str, Any]]:
        for k, (line, record) in enumerate(chain([start], found), start=1):
            if not isinstance(record, dict) or _known(record, question) != wanted:
                raise source.error(f"battle {k} does not have the keys of the first, {listing(wanted)}", line)
            yield record

    return {name: name for name in start[1]}, checked()


def _known(record: Iterable[str], question: str | None) -> list[str]:
    """Return the keys that describe a battle, in alphabetical order."""
    return sorted(name for name in record if name == question or name.lower() in _ANY)


def _column(header: Iterable[str], role: str, label: str) -> str | None:
    """Find the column with this role; None if there is no column of questions."""
    found = [name for name in header if name.lower() in _COLUMNS[role]]
    if len(found) > 1:
        way_out = f"choose one with {named('question')}" if role == "question" else "rename all but one of them"
        raise ReadError(f"has the columns {listing(found)}, which mean the same: {way_out}", label)
    if found or role == "question":
        return found[0] if found else None
    wanted = " or ".join(_COLUMNS[role][:2])
    raise ReadError(
        f"has no column {wanted}; there are: {listing(header, 5) or 'none'}. One row per battle is needed; scores of "
        "systems on topics are for board",
        label,
    )
