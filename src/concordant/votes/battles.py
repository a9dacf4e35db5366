"""`Votes`: who met whom, and who won. `read_votes` takes them from files and frames."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import InputError, InputTypeError, ReadError
from ..files import JSON_SHARE, read_bytes
from ..tables.frames import is_frame
from ..words import counted, listing

_COLUMNS = {
    "a": ("model_a", "system_a", "model a", "left", "a"),
    "b": ("model_b", "system_b", "model b", "right", "b"),
    "winner": ("winner", "outcome", "vote", "preference"),
    "question": ("question_id", "question", "prompt_id", "topic", "qid"),
}
_A, _B = frozenset({"a", "model_a", "system_a", "left"}), frozenset({"b", "model_b", "system_b", "right"})
_TIE = frozenset({"tie", "tie (bothbad)", "both_bad", "bothbad", "draw", "both"})


@dataclass(frozen=True, eq=False, repr=False)
class Votes:
    """Battles between systems. Immutable.

    >>> Votes(["x", "y"], ["y", "z"], ["a", "tie"])
    <Votes: 2 battles of 3 systems>
    """

    systems: tuple[str, ...]
    a: IntArray
    """The place of the first system of each battle in `systems`."""
    b: IntArray
    wins: FloatArray
    """1 where the first won, 0 where the second did, 0.5 for a tie."""
    questions: tuple[str, ...] | None
    """The question of each battle; None where it is not known."""

    def __init__(
        self, a: Iterable[Any], b: Iterable[Any], winner: Iterable[Any], questions: Iterable[Any] | None = None
    ) -> None:
        first, second, won = ([str(x) for x in given] for given in (a, b, winner))
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
        wins = np.array([_won(w, x, y, k) for k, (w, x, y) in enumerate(zip(won, first, second, strict=True))])
        object.__setattr__(self, "systems", systems)
        object.__setattr__(self, "a", np.array([place[x] for x in first]))
        object.__setattr__(self, "b", np.array([place[y] for y in second]))
        object.__setattr__(self, "wins", wins)
        object.__setattr__(self, "questions", asked)

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


def read_votes(what: Any, *, question: str | None = None) -> Votes:
    """Read battles: which of two systems answered better.

    Parameters
    ----------
    what : path or frame
        A CSV or TSV file, a file of JSON lines or of a JSON list, or a pandas or polars frame, with one row per battle
        and the columns model_a, model_b (or a, b), winner (a, b, model_a, model_b, tie, tie (bothbad), or a name) and,
        if known, question_id. LMArena's files are read as they are.
    question : str, optional
        The column that says which battles are about the same question, where its name does not say so.

    Returns
    -------
    Votes
        All battles.

    Raises
    ------
    ReadError
        Names the file and what it lacks.

    Examples
    --------
    >>> import pandas
    >>> read_votes(pandas.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["model_a", "tie"]}))
    <Votes: 2 battles of 3 systems>

    """
    if isinstance(what, Votes):
        return what
    if is_frame(what):
        label, names = "votes", [str(name) for name in what.columns]
        given: Mapping[str, Sequence[Any]] = {name: list(what[name]) for name in names}
    elif isinstance(what, (str, os.PathLike)):
        label = os.fspath(what)
        given = _columns(read_bytes(what, JSON_SHARE).decode("utf-8-sig", errors="replace"), label)
    else:
        raise InputTypeError(f"votes is a {type(what).__name__}: give Votes, a file or a frame")
    found = {role: _column(given, role, label) for role in ("a", "b", "winner")}
    if question is not None and question not in given:
        raise ReadError(f"has no column {question!r}; there are: {listing(given)}", label)
    asked = question or next((name for name in given if name.lower() in _COLUMNS["question"]), None)
    return Votes(found["a"], found["b"], found["winner"], None if asked is None else given[asked])


def _columns(text: str, label: str) -> dict[str, list[Any]]:
    """The columns of a file of text."""
    start = text.lstrip()[:1]
    if start in ("{", "["):
        try:
            rows = (
                json.loads(text) if start == "[" else [json.loads(line) for line in text.splitlines() if line.strip()]
            )
        except json.JSONDecodeError as error:
            raise ReadError(f"this is not JSON: {error}", label) from None
        if not rows or not all(isinstance(row, dict) for row in rows):
            raise ReadError("holds no battles: give a list of objects, one for each", label)
        return {name: [row.get(name, "") for row in rows] for name in rows[0]}
    table = list(csv.reader(io.StringIO(text), delimiter="\t" if "\t" in text.partition("\n")[0] else ","))
    rows_of = [row for row in table[1:] if row]
    for line, row in enumerate(rows_of, start=2):
        if len(row) != len(table[0]):
            raise ReadError(f"has {counted(len(row), 'cell')} where the first line has {len(table[0])}", label, line)
    return {name.strip(): [row[k] for row in rows_of] for k, name in enumerate(table[0])} if table else {}


def _column(given: Mapping[str, Sequence[Any]], role: str, label: str) -> Sequence[Any]:
    for name, cells in given.items():
        if name.lower() in _COLUMNS[role]:
            return cells
    wanted = " or ".join(_COLUMNS[role][:2])
    raise ReadError(
        f"has no column {wanted}; there are: {listing(given, 5) or 'none'}. One row per battle is needed; scores of "
        "systems on topics are for board",
        label,
    )
