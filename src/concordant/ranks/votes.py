"""Rankings from battles: people, or a judge, say which of two systems answered better.

`read_votes` reads battles, and `rank_votes` finds the ranks that each system may have. Each system gets one number:

- Win rate: the share of battles won against each opponent, averaged over opponents. So the number of battles
  against each opponent does not matter. A tie counts as half a win.
- Bradley and Terry: P(i beats j) = 1 / (1 + exp(s_j - s_i)). A tie counts as half a win, and the strengths s are
  centred. The optional package evalica fits them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import chain
from typing import Any, Literal

import numpy as np

from ..arrays import FloatArray, IntArray, read_only
from ..data.results import settings_of
from ..data.scores import Means
from ..errors import InputError, InputTypeError, ReadError, counted, import_extra, listing, named
from ..inference.resampling import Progress, Resampling, Seed, resampled_weights
from ..options import checked
from ..read.formats.parquet import parquet_table
from ..read.labels import load_names, named_rows
from ..read.source import Source, load_json
from ..read.tables.frames import is_frame
from .intervals import RankIntervals, rank_intervals

__all__ = ["Votes", "rank_votes", "read_votes"]
_COLUMNS = {
    "a": ("model_a", "system_a", "model a", "left", "a"),
    "b": ("model_b", "system_b", "model b", "right", "b"),
    "winner": ("winner", "outcome", "vote", "preference"),
    "question": ("question_id", "question", "prompt_id", "topic", "qid"),
}
_WORDS = dict.fromkeys(("a", "model_a", "system_a", "left"), 1.0)
_WORDS |= dict.fromkeys(("b", "model_b", "system_b", "right"), 0.0)
_WORDS |= dict.fromkeys(("tie", "tie (bothbad)", "both_bad", "bothbad", "draw", "both"), 0.5)
_NOTHING = ("None", "nan", "NaT", "<NA>")  # what str makes of missing cells of a frame or of JSON
Strength = Literal["win-rate", "bradley-terry"]
_DRAWS = 49_999  # number of normal draws for the rank intervals


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Votes:
    """Battles between systems. Immutable.

    >>> Votes(["x", "y"], ["y", "z"], ["a", "tie"])
    <Votes: 2 battles of 3 systems>

    See Also
    --------
    read_votes : Read battles: which of two systems answered better.
    rank_votes : Find the ranks that each system may have from battles.

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
                raise InputError(f"battle {k + 1} pits {x!r} against itself: leave it out")
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
    word = _WORDS.get(said.lower())
    if said in (a, b):
        if word not in (None, float(said == a)):
            raise InputError(
                f"the winner of battle {k + 1} is {winner!r}, which names a system but also means another outcome "
                f"of {a!r} against {b!r}: give model_a, model_b or draw, or rename the system"
            )
        return float(said == a)
    if word is None:
        raise InputError(f"the winner of battle {k + 1} is {winner!r}: give a, b or tie, or the name of {a!r} or {b!r}")
    return word


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
        The column with the question of each battle. Needed unless exactly one column has a known name.

    Returns
    -------
    Votes
        All battles.

    Raises
    ------
    ReadError
        If the battles cannot be read; the message names the file and the reason.

    See Also
    --------
    rank_votes : Find the ranks that each system may have from battles.

    Examples
    --------
    >>> import pandas
    >>> read_votes(pandas.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["model_a", "tie"]}))
    <Votes: 2 battles of 3 systems>

    """
    if isinstance(what, Votes):
        return what
    if is_frame(what):
        label, found = "votes", _of_frame(what, partial(_chosen, "votes", question))
    elif isinstance(what, (str, os.PathLike)):
        source = load_names(what)
        label, found = source.label, _of_file(source, partial(_chosen, source.label, question))
    else:
        raise InputTypeError(f"votes is a {type(what).__name__}: give Votes, a file or a frame")
    try:
        return _votes(*found)
    except InputError as error:  # the message names a battle, but not the file
        raise ReadError(str(error), label) from None


def _votes(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Votes:
    """Make votes from the cells of each battle: a, b, winner and, if known, question."""
    columns: list[list[str]] = [[] for _ in names]
    same: dict[str, str] = {}  # keep each name in memory once, not once per battle
    for k, row in enumerate(rows, start=1):
        for name, cells, cell in zip(names, columns, row, strict=True):
            text = "" if not isinstance(cell, str) and str(cell) in _NOTHING else str(cell)
            if not text.strip():
                raise InputError(f"battle {k} has no {name}: give it, or leave the battle out")
            cells.append(same.setdefault(text, text))
    return Votes(*columns)


Choice = Callable[[Sequence[str]], list[str]]
"""A function that finds, among all column names, those that describe a battle."""


def _of_frame(frame: Any, choose: Choice) -> tuple[list[str], Iterable[Any]]:
    """Read a pandas, polars or pyarrow table; ignore columns that do not describe a battle, such as conversations."""
    at = list(getattr(frame, "column_names", frame.columns))
    names = choose([str(name) for name in at])
    columns = [frame[next(name for name in at if str(name) == chosen)] for chosen in names]
    return names, zip(*(c.to_pylist() if hasattr(c, "to_pylist") else list(c) for c in columns), strict=True)


def _of_file(source: Source, choose: Choice) -> tuple[list[str], Iterable[Any]]:
    """Read battles from a Parquet, JSON or delimited file."""
    if source.parquet:
        return _of_frame(parquet_table(source, choose)[0], choose)
    if source.data.lstrip()[:1] in (b"{", b"["):
        return _of_records(source, choose)
    header, rows = named_rows(source)
    names = choose(header)
    at = [header.index(name) for name in names]
    return names, ([cells[k] for k in at] for _, cells in rows)


def _of_records(source: Source, choose: Choice) -> tuple[list[str], Iterable[Any]]:
    """Read battles from JSON lines or from one JSON list."""
    found: Iterator[tuple[int | None, Any]]
    if source.data.lstrip().startswith(b"["):
        found = ((None, record) for record in load_json(source))
    else:
        found = ((line, load_json(source, text, line)) for line, text in source.lines())
    start: tuple[int | None, Any] = next(found, (None, None))
    if not isinstance(start[1], dict):
        raise source.error("holds no battles: give one object per battle", start[0])
    first = list(start[1])
    names = choose(first)

    def rows() -> Iterator[list[Any]]:
        for k, (line, record) in enumerate(chain([start], found), start=1):
            keys = list(record) if isinstance(record, dict) else []
            if keys != first and (not set(keys) >= set(names) or choose(keys) != names):
                raise source.error(f"battle {k} does not have the same keys as the first, {listing(names)}", line)
            yield [record[name] for name in names]

    return names, rows()


def _chosen(label: str, question: str | None, names: Sequence[str]) -> list[str]:
    """Find the columns of both systems, of the winner and, if known, of the question."""
    if twice := [name for k, name in enumerate(names) if name in names[:k]]:
        raise ReadError(f"has the column {twice[0]!r} twice: name each column once", label)
    if question is not None and question not in names:
        raise ReadError(f"has no column {question!r}; available: {listing(names)}", label)
    chosen = []
    for role, known in _COLUMNS.items():
        found = [question] if question and role == "question" else [name for name in names if name.lower() in known]
        if len(found) > 1:
            way_out = f"choose one with {named('question')}" if role == "question" else "rename all but one of them"
            raise ReadError(f"has the columns {listing(found)}, which mean the same: {way_out}", label)
        if not found and role != "question":
            raise ReadError(
                f"has no column {' or '.join(known[:2])}; available: {listing(names, 5) or 'none'}. One row per battle "
                "is needed; for scores of systems on topics, use board",
                label,
            )
        chosen += found
    return chosen


@checked
def rank_votes(
    votes: Any,
    *,
    method: Strength = "win-rate",
    confidence_level: float = 0.95,
    simultaneous: bool = True,
    n_resamples: int = 999,
    rng: Seed = None,
    progress: Progress | None = None,
) -> RankIntervals:
    """Find the ranks that each system may have from battles: votes on which of two systems answered better.

    Parameters
    ----------
    votes : Votes, path or frame
        Votes, or anything that `read_votes` takes.
    method : {"win-rate", "bradley-terry"}
        The share of battles won against each opponent, averaged over opponents; or the strengths of Bradley and Terry's
        model, fitted by evalica (``pip install evalica pandas``).
    confidence_level : float
        Between 0 and 1.
    simultaneous : bool
        True: the level holds for all intervals together (a leaderboard). False: it holds for each interval alone.
    n_resamples : int
        Number of resamples of questions, or of battles if questions are unknown; at least 100.
    rng : int, Generator or None
        The same seed gives exactly the same result.
    progress : callable, optional
        Called with the number of resamples done and the total.

    Returns
    -------
    RankIntervals
        One interval per system; see also `borders`, `best(k)` and `pvalues`. To compare the result with
        other rankings, use `estimates()`.

    See Also
    --------
    read_votes : Read battles: which of two systems answered better.
    board : Find which ranks of a leaderboard are certain.
    rank_intervals : The ranks that each system may have.

    Notes
    -----
    Battles on the same question have correlated errors, so questions are resampled if known. The estimates are assumed
    to be normal, with their covariance over the resamples, and `rank_intervals` ranks them. The degrees of freedom are
    the number of questions, or battles, minus 1. A resample is drawn again if a system has no battles or no finite
    strength in it.

    References
    ----------
    R. A. Bradley and M. E. Terry (1952). Rank Analysis of Incomplete Block Designs: I. The Method of Paired
    Comparisons. Biometrika 39.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> rng = np.random.default_rng(1)
    >>> pairs = rng.permuted(np.tile(["x", "y", "z"], (600, 1)), axis=1)[:, :2]
    >>> strength = {"x": 2.0, "y": 0.0, "z": 0.0}
    >>> chance = [1 / (1 + np.exp(strength[b] - strength[a])) for a, b in pairs]
    >>> winner = np.where(rng.random(600) < chance, "a", "b")
    >>> found = cc.votes.rank_votes(cc.votes.Votes(pairs[:, 0], pairs[:, 1], winner), rng=1)
    >>> found["x"], found["y"]
    ((1, 1), (2, 3))

    """
    how = Resampling.of(n_resamples, rng, progress=progress)
    if how.n_resamples < 100:
        raise InputError(f"{named('n_resamples')} is {how.n_resamples}: a covariance needs at least 100")
    given = read_votes(votes)
    whole = tally(given, np.ones(len(given)))
    if (lost := apart(whole, method)).size:
        names, first = listing(given.systems[k] for k in lost), given.systems[0]
        raise InputError(
            f"no chain of battles connects {names} with {first}: leave them out"
            if method == "win-rate"
            else f"{names} and {first} have no chain of wins in both directions, so strengths would be infinite: leave "
            "some out, or use win rates"
        )
    unit, count = "battle" if given.questions is None else "question", int(units(given).max()) + 1
    if count < 2:
        raise InputError(
            f"the votes are on {counted(count, unit)}: at least 2 are needed, because intervals come from their spread"
        )
    drawn, left_out = _resampled(given, method, how)
    # Resamples vary around the sample instead of the population, so their covariance is too small.
    covariance = np.cov(drawn, rowvar=False) * count / (count - 1)
    known = Means(strengths(whole, method), given.systems, covariance=covariance, degrees_of_freedom=count - 1)
    found = rank_intervals(
        known, confidence_level=confidence_level, simultaneous=simultaneous, n_resamples=_DRAWS, rng=how.rng
    )
    doubt = f"{counted(left_out, 'resample')} drawn again, because a system had no battles or no finite strength"
    return replace(
        found,
        notes=(doubt,) if left_out else (),
        settings=settings_of(
            seed=how.seed,
            n_resamples=how.n_resamples,
            normal_draws=_DRAWS,
            confidence_level=found.confidence_level,
            method=method,
            battles=len(given),
            resampled=unit,
        ),
    )


def _resampled(votes: Votes, method: Strength, how: Resampling) -> tuple[FloatArray, int]:
    """Compute the estimates of each resample, and count unusable resamples."""
    unit, rng = units(votes), how.generator()
    count, left_out = int(unit.max()) + 1, 0
    made: list[FloatArray] = []
    while len(made) < how.n_resamples:
        for _, weights in resampled_weights(count, how.n_resamples - len(made), rng):
            for row in weights:
                wins = tally(votes, row[unit].astype(np.float64))
                if not apart(wins, method).size:
                    made.append(strengths(wins, method))
                else:
                    left_out += 1
            how.progress(len(made), how.n_resamples)
        if left_out > how.n_resamples:
            raise InputError(
                f"{left_out} of {left_out + len(made)} resamples do not connect all systems: some have too few "
                "battles; leave these systems out"
            )
    return np.stack(made), left_out


def tally(votes: Votes, weights: FloatArray) -> FloatArray:
    """Count at `[i, j]` the wins of system i over j, with a tie as half a win and a weight for each battle."""
    m = len(votes.systems)
    won = np.bincount(votes.a * m + votes.b, weights * votes.wins, m * m)
    lost = np.bincount(votes.b * m + votes.a, weights * (1 - votes.wins), m * m)
    return np.asarray((won + lost).reshape(m, m))


def strengths(wins: FloatArray, method: Strength) -> FloatArray:
    """Compute the win rate or strength of each system; nan for a system without battles."""
    met = wins + wins.T
    if method == "win-rate":
        share = np.divide(wins, met, out=np.zeros_like(wins), where=met > 0)
        opponents = (met > 0).sum(axis=1)
        return np.where(opponents > 0, share.sum(axis=1) / np.maximum(opponents, 1), np.nan)
    evalica = import_extra("evalica")
    i, j = np.nonzero(wins)
    index = import_extra("pandas").Index(range(len(wins)))
    fit: Any = evalica.bradley_terry(
        i.tolist(), j.tolist(), [evalica.Winner.X] * len(i), index=index, weights=wins[i, j].tolist(),
        tolerance=1e-10, limit=10_000,
    )  # fmt: skip
    found = np.log(np.asarray(fit.scores.reindex(index), dtype=np.float64))
    return np.asarray(found - found.mean())


def apart(wins: FloatArray, method: Strength) -> IntArray:
    """Find the systems that no chain of battles (for strengths, of wins in both directions) links to the first one."""
    from scipy.sparse.csgraph import connected_components

    place = connected_components(wins > 0, connection="strong" if method == "bradley-terry" else "weak")[1]
    return np.flatnonzero(place != place[0])


def units(votes: Votes) -> IntArray:
    """Return the unit by which each battle is resampled: the index of its question, or of the battle itself."""
    if votes.questions is None:
        return np.arange(len(votes))
    place = {name: k for k, name in enumerate(dict.fromkeys(votes.questions))}
    return np.array([place[q] for q in votes.questions])
