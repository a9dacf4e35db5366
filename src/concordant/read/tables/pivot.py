"""From parallel labels and scores to a matrix, and from the matrices of several files to one, without summaries."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...arrays import FloatArray
from ...data.runs import run_means
from ...errors import ConcordantError
from ...words import listing
from .cells import Origin, warn_of
from .vocabulary import SUMMARY, is_summary

MEAN = "\0mean"  # the row of one score per system; no topic is called so


@dataclass(frozen=True)
class Grid:
    """Scores of one measure, topics x systems, nan where there is none; one row, `MEAN`, where topics are not known.

    `systems` is None where all of it is one run, whose name is to be found elsewhere. `percent`: the file writes the
    scores with a percent sign. `runs` has what `values` are means of, topics x systems x runs, where there are several.
    """

    values: FloatArray
    topics: list[str]
    systems: list[str] | None = None
    percent: bool = False
    runs: FloatArray | None = None

    @property
    def names(self) -> list[str]:
        """The systems, none where their name is to be found."""
        return self.systems or []

    def labels(self, axis: str) -> list[str]:
        """The topics or the systems."""
        return self.topics if axis == "topics" else self.names

    def take(self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None) -> Grid:
        """Only these topics, or these systems."""
        place = (slice(None) if rows is None else rows, slice(None) if columns is None else columns)
        values, runs = (None if a is None else a[place[0]][:, place[1]] for a in (self.values, self.runs))
        assert values is not None
        topics = self.topics if rows is None else [self.topics[k] for k in rows]
        systems = self.systems if columns is None else [self.names[k] for k in columns]
        return replace(self, values=values, topics=topics, systems=systems, runs=runs)

    def with_systems(self, names: list[str]) -> Grid:
        """The same with systems that have no scores."""
        if not names:
            return self
        values, runs = (
            None if a is None else np.hstack([a, np.full((len(a), len(names), *a.shape[2:]), np.nan)])
            for a in (self.values, self.runs)
        )
        assert values is not None
        return replace(self, values=values, systems=[*self.names, *names], runs=runs)

    @classmethod
    def of_runs(cls, scores: Mapping[tuple[str, Any], float], topics: Iterable[str] = ()) -> Grid:
        """The scores of one system by topic and run; `topics` may have more topics, without scores."""
        row = {topic: k for k, topic in enumerate(dict.fromkeys([*(topic for topic, _ in scores), *topics]))}
        layer = {run: k for k, run in enumerate(dict.fromkeys(run for _, run in scores))}
        runs = np.full((len(row), 1, len(layer)), np.nan)
        for (topic, run), score in scores.items():
            runs[row[topic], 0, layer[run]] = score
        return cls(run_means(runs), list(row), runs=runs if len(layer) > 1 else None)


def pivot(  # noqa: PLR0917
    origin: Origin,
    topics: Sequence[str],
    systems: Sequence[str] | None,
    values: FloatArray,
    twice: Callable[[int, int], ConcordantError],
    percent: bool = False,
    runs: Sequence[str] | None = None,
) -> Grid:
    """One score for each topic and system, in the order of first appearance, without summary rows.

    Where `runs` tells repeated scores apart, each cell has their mean. `twice(first, again)` is the error for a second
    score.
    """
    keep = _topics_only(origin, topics)
    if len(keep) < len(topics):
        topics, values = [topics[k] for k in keep], values[keep]
        systems = None if systems is None else [systems[k] for k in keep]
        runs = None if runs is None else [runs[k] for k in keep]
    row = {label: k for k, label in enumerate(dict.fromkeys(topics))}
    column = {label: k for k, label in enumerate(dict.fromkeys(systems))} if systems is not None else {"": 0}
    places = _codes(topics, row) * len(column)
    if systems is not None:
        places += _codes(systems, column)
    layer = {label: k for k, label in enumerate(dict.fromkeys(runs or ("",)))}
    if runs is not None:
        places = places * len(layer) + _codes(runs, layer)
    found = np.full(len(row) * len(column) * len(layer), np.nan)
    found[places] = values
    first = np.full(len(found), len(places))
    np.minimum.at(first, places, np.arange(len(places)))
    again = np.flatnonzero(first[places] < np.arange(len(places)))
    if len(again):
        raise twice(keep[int(first[places[again[0]]])], keep[int(again[0])])
    cells = found.reshape(len(row), len(column), len(layer))
    names = None if systems is None else list(column)
    return Grid(run_means(cells), list(row), names, percent, cells if len(layer) > 1 else None)


def _codes(labels: Sequence[str], places: dict[str, int]) -> npt.NDArray[np.intp]:
    return np.fromiter(map(places.__getitem__, labels), np.intp, len(labels))


def join(grids: Sequence[Grid], names: Sequence[str], twice: Callable[[int, str, str], ConcordantError]) -> Grid:
    """The scores of several files in one matrix; `names` are the systems of those that are one run.

    `twice(k, system, topic)` is the error for a score of file k that another one has given.
    """
    if len(grids) == 1:
        return replace(grids[0], systems=grids[0].systems or [names[0]], percent=False)
    systems = [grid.systems or [name] for grid, name in zip(grids, names, strict=True)]
    row, column = (
        {label: k for k, label in enumerate(dict.fromkeys(itertools.chain.from_iterable(lists)))}
        for lists in ([grid.topics for grid in grids], systems)
    )
    values = np.full((len(row), len(column)), np.nan)
    most = max(grid.runs.shape[2] if grid.runs is not None else 1 for grid in grids)
    runs = np.full((*values.shape, most), np.nan) if most > 1 else None
    for k, grid in enumerate(grids):
        places = np.ix_([row[t] for t in grid.topics], [column[s] for s in systems[k]])
        before = values[places]
        clash = np.argwhere(~(np.isnan(before) | np.isnan(grid.values)))
        if len(clash):
            topic, system = clash[0]
            raise twice(k, systems[k][system], grid.topics[topic])
        values[places] = np.where(np.isnan(before), grid.values, before)
        if runs is not None:
            own = grid.values[:, :, None] if grid.runs is None else grid.runs
            part = runs[places]  # a copy
            part[:, :, : own.shape[2]] = np.where(np.isnan(own), part[:, :, : own.shape[2]], own)
            runs[places] = part
    return Grid(values, list(row), list(column), runs=runs)


def without_summaries(origin: Origin, grid: Grid) -> Grid:
    """Leave out summary rows; where nothing else is there, say so instead of using them."""
    keep = _topics_only(origin, grid.topics)
    if len(keep) == len(grid.topics):
        return grid
    return grid.take(keep)


def _topics_only(origin: Origin, topics: Sequence[str]) -> Sequence[int]:
    """The places of topics that are no summaries."""
    keep = [k for k, topic in enumerate(topics) if not is_summary(topic)]
    if len(keep) < len(topics):
        warn_of_summaries(origin, topics)
    if not keep:
        rows = f"holds only summary rows ({listing(dict.fromkeys(topics))}), no scores of topics"
        raise origin.error(f"{rows}: give a row for each topic (trec_eval -q, ir_measures -q)")
    return keep


def warn_of_summaries(origin: Origin, topics: Iterable[str]) -> None:
    """Warn of the rows that are left out as summaries, unless they have the name that tools give to them."""
    if left := dict.fromkeys(topic for topic in topics if is_summary(topic) and topic.lower() not in SUMMARY):
        said = f"left out, because rows of this name summarise topics: {listing(left)}"
        warn_of(origin, f"{said}; rename them if they are topics")


def warn_of_lost(origin: Origin, measure: str, topics: Iterable[str], kept: Iterable[str]) -> None:
    """Warn of topics that have scores, but none of the measure that is read."""
    if lost := {topic for topic in set(topics) - set(kept) if not is_summary(topic)}:
        warn_of(origin, f"topics without {measure!r} left out: {listing(sorted(lost))}")
