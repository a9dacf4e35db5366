"""From what files, frames and dictionaries hold to one matrix: one measure, named systems, no holes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from ..arrays import FloatArray
from ..errors import ConcordantError, ReadError, warn
from ..words import argument, counted, either_direction, listing, nearest
from .cells import Given, Origin, warn_of
from .contents import Contents
from .direction import direction, usually_an_error
from .measures import check_measure, only_measure
from .missing import (
    Missing,
    are_invented,
    check_missing,
    fill_or_drop,
    has_holes,
    refuse_best_zeros,
    refuse_errors,
)
from .pivot import MEAN, Grid, join
from .vocabulary import is_summary


class Assembled(NamedTuple):
    """What `Scores` is made of."""

    values: FloatArray
    topics: list[str] | None
    """None where there is one score per system: `values` is one row."""
    systems: list[str]
    measure: str
    said: tuple[str, ...] = ()
    """What was filled in or left out."""
    lower_is_better: bool = False


@dataclass(frozen=True, eq=False)
class Unfilled:
    """Scores as they stand in the file, nan where a system lacks a topic; and what to do about that.

    It is done when all is known that is compared: a system that another side lacks must not make topics drop out.
    """

    values: FloatArray
    own_topics: list[str] | None
    """None where there is one score per system: `values` is one row."""
    own_systems: list[str]
    measure: str
    missing: Missing
    origin: Origin
    empty: Sequence[tuple[str, Origin]] = ()
    """The systems whose files hold nothing."""
    open_to_holes: bool = False
    """Whether scores may be missing for good where this goes, so that an error names that as a way out."""
    lower_is_better: bool = False

    @property
    def systems(self) -> tuple[str, ...]:
        """All that were read."""
        return tuple(self.own_systems)

    @property
    def topics(self) -> tuple[str, ...]:
        """All that were read; empty where there is one score per system."""
        return tuple(self.own_topics or ())

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.empty and not has_holes(self.values)

    def select(self, systems: Sequence[str], topics: Sequence[str] | None = None) -> Unfilled:
        """Only these; without `topics`, the topics on which these have scores, or all where a missing score is 0."""
        columns = _places(list(systems), self.own_systems, "system", self.origin)
        values = self.values[:, columns]
        own = self.own_topics
        if own is not None:
            if topics is not None:
                rows = _places(list(topics), own, "topic", self.origin)
            elif self.missing == "zero":
                rows = list(range(len(own)))
            else:
                rows = np.flatnonzero(~np.isnan(values).all(axis=1)).tolist()
            values, own = values[rows], [own[k] for k in rows]
        return replace(self, values=values, own_topics=own, own_systems=list(systems))

    def filled(self) -> Assembled:
        """What is left when the policy for missing topics was applied; an error where there is none."""
        refuse_best_zeros(self.missing, self.lower_is_better, self.origin)
        said = _without_empty([file for _, file in self.empty], self.missing)
        if self.own_topics is None:
            values, systems, more = _one_score_each(self.values, self.own_systems, self.missing, self.origin)
            return Assembled(values, None, systems, self.measure, (*said, *more), self.lower_is_better)
        labels = self.own_topics, self.own_systems
        found = fill_or_drop(self.values, *labels, self.missing, self.origin, open_to_holes=self.open_to_holes)
        more = (found.said,) if found.said else ()
        labels = found.topics, found.systems
        return Assembled(found.values, *labels, self.measure, (*said, *more), self.lower_is_better)


class Together(NamedTuple):
    """Where the scores of several files came from."""

    origins: Sequence[Origin]

    @property
    def label(self) -> str:
        """The first, and how many more there are."""
        first = self.origins[0].label
        return first if len(self.origins) == 1 else f"{first} and {len(self.origins) - 1} more"

    def error(self, message: str, line: int | None = None) -> ConcordantError:
        """The error that names them."""
        if isinstance(self.origins[0], Given):
            return self.origins[0].error(message)
        return ReadError(message, self.label)


class Joined(NamedTuple):
    """The scores of all files in one matrix, before holes are dealt with."""

    grid: Grid
    measure: str
    origin: Together


def assemble(
    found: Sequence[Contents],
    measure: str | None,
    missing: Missing,
    *,
    systems: Iterable[str] | None = None,
    topics: Iterable[str] | None = None,
    lower_is_better: bool | None = None,
    empty: Sequence[tuple[str, Origin]] = (),
) -> Unfilled:
    """One matrix of one measure. Where `systems` or `topics` are given, only these, in this order."""
    check_missing(missing)
    check_measure(measure)
    grid, chosen, origin = joined(found, measure, any_system=systems is not None)
    values, own_topics, own_systems = grid.values, grid.topics, grid.systems or []
    if topics is not None and MEAN not in own_topics:
        places = _places(list(topics), own_topics, "topic", origin)
        values, own_topics = values[places], [own_topics[k] for k in places]
    if systems is not None:
        asked = list(systems)
        if others := [file.label for name, file in empty if name not in asked]:
            warn(f"Skipped {counted(len(others), 'empty file')} of systems that were not asked for: {listing(others)}")
        empty = [(name, file) for name, file in empty if name in asked]
        without = {name for name, _ in empty if name not in own_systems}
        places = _places([name for name in asked if name not in without], own_systems, "system", origin)
        values, own_systems = values[:, places], [own_systems[k] for k in places]
        if topics is None and missing == "available":  # a topic that none of them has is none of theirs
            rows = np.flatnonzero(~np.isnan(values).all(axis=1)).tolist()
            values, own_topics = values[rows], [own_topics[k] for k in rows]
    one_each = MEAN in own_topics
    if one_each and len(values) > 1:
        raise origin.error("some hold scores of topics, others one score per system: read them one by one")
    if topics is None and not one_each:
        values, own_topics = _without_means(values, own_topics, origin)
    refuse_errors([] if one_each else own_topics, own_systems, origin)
    lower = direction_of(found, Joined(Grid(values, own_topics, own_systems), chosen, origin), lower_is_better)
    of = None if one_each else own_topics
    return Unfilled(values, of, own_systems, chosen, missing, origin, empty, lower_is_better=lower)


def direction_of(found: Sequence[Contents], made: Joined, said: bool | None) -> bool:
    """Whether lower is better in the scores that were made of these files."""
    topics = set(made.grid.topics)
    by_file = [lower for c in found for topic, lower in c.lower.get(made.measure, {}).items() if topic in topics]
    named = made.measure or next((c.column for c in found if c.column), "")
    lower = direction(named, said, made.origin, by_file)
    if said is None and not made.measure:
        label = next((c.origin.label for c in found if usually_an_error(PurePath(c.origin.label).name)), None)
        if label is not None:
            warn(f"{label} was read with higher scores as better; if lower is better, {either_direction()}")
    return lower


def joined(found: Sequence[Contents], measure: str | None, any_system: bool = False) -> Joined:
    """The scores of one measure of all files, side by side; with `any_system`, summaries of systems as well."""
    chosen = _choose(found, measure)
    found = _with_measure(found, chosen)
    grids = [contents.grid(chosen) for contents in found]
    _refuse_unequal_counts(found, grids)
    _refuse_percent_beside_none(found, grids)
    if not any_system:
        _refuse_summaries(found, grids)
    names = _names(found, grids)

    def twice(k: int, system: str, topic: str) -> ConcordantError:
        before = next(
            found[j].origin.label
            for j in range(k)
            if topic in grids[j].topics and system in (grids[j].systems or [names[j]])
        )
        way_out = "name the runs: read_scores({name: path})" if grids[k].systems is None else "rename it in a file"
        where = "" if topic == MEAN else f" on topic {topic!r}"
        return found[k].origin.error(
            f"system {system!r} has a score{where} already, from {before}: read them one by one, or {way_out}"
        )

    return Joined(join(grids, names, twice), chosen, Together([contents.origin for contents in found]))


def _without_empty(empty: Sequence[Origin], missing: Missing) -> tuple[str, ...]:
    """Go on without files that hold nothing, and say so, where that is the policy."""
    if empty and missing != "drop-systems":
        others = f" (and {len(empty) - 1} more: {listing(s.label for s in empty[1:])})" if len(empty) > 1 else ""
        go_on = argument("missing", "drop-systems")
        raise empty[0].error(f"is empty{others}: delete it, or go on without it with {go_on}")
    return (f"empty files left out: {listing(s.label for s in empty)}",) if empty else ()


def _one_score_each(
    values: FloatArray, systems: list[str], missing: Missing, origin: Origin
) -> tuple[FloatArray, list[str], tuple[str, ...]]:
    """The systems that have a score in a table of one score per system."""
    lacking = [name for name, value in zip(systems, values[0], strict=True) if np.isnan(value)]
    if lacking and missing != "drop-systems":
        raise origin.error(
            f"has no score of {listing(lacking)}: leave these systems out with {argument('missing', 'drop-systems')}"
        )
    keep = [k for k, name in enumerate(systems) if name not in set(lacking)]
    if not keep:
        raise origin.error("no system has a score in this column")
    said = f"{origin.label}: {counted(len(lacking), 'system')} without a score left out: {listing(lacking)}"
    return values[:, keep], [systems[k] for k in keep], (said,) if lacking else ()


def _without_means(values: FloatArray, topics: list[str], origin: Origin) -> tuple[FloatArray, list[str]]:
    """Leave out a first or last row that holds the mean of all others in every column, whatever it is called."""
    n, m = values.shape
    for place in (n - 1, 0) if n > 3 and m > 1 else ():
        row, others = values[place], np.delete(np.arange(n), place)
        if np.isnan(row).any():
            continue
        decimals = next((d for d in range(7) if np.array_equal(np.round(row, d), row)), 6)
        digits = m * decimals
        means = np.array([np.nanmean(values[others, k]) for k in range(min(m, 50))])
        spread = [np.nanmax(values[others, k]) > np.nanmin(values[others, k]) for k in range(min(m, 50))]
        if digits < 6 or sum(spread) < 2 or decimals < 2:
            continue
        if (np.abs(means - row[:50]) <= 0.5000001 * 10.0**-decimals).all():
            warn_of(origin, f"left out, because it is the mean of the other rows in every column: {topics[place]}")
            return values[others], [topics[k] for k in others]
    return values, topics


def _with_measure(found: Sequence[Contents], measure: str) -> Sequence[Contents]:
    """Without files of single topics that lack the measure, which others have."""
    lacking = [contents for contents in found if contents.partial and measure not in contents.measures()]
    if not lacking or len(lacking) == len(found):
        return found
    labels = (contents.origin.label for contents in lacking)
    warn(f"{counted(len(lacking), 'file')} without {measure!r} left out: {listing(labels, 3)}")
    left = set(map(id, lacking))
    return [contents for contents in found if id(contents) not in left]


def _choose(found: Sequence[Contents], measure: str | None) -> str:
    """The measure to read. One that is asked for is looked up by each file itself."""
    if measure is not None:
        return measure
    named = [contents for contents in found if contents.named]
    if not named:
        return ""
    available = dict.fromkeys(name for contents in named for name in contents.measures())
    default = named[0].default if len({contents.default for contents in named}) == 1 else None
    return only_measure(named[0].origin, available, default)


def _names(found: Sequence[Contents], grids: Sequence[Grid]) -> list[str]:
    """The system of each file that is one run; "" for files that name their systems themselves.

    Where runs of different origin bear one name (many tools tag every run alike), the files' names tell.
    """
    single = [k for k, grid in enumerate(grids) if grid.systems is None]
    names = [""] * len(found)
    for k in single:
        names[k] = found[k].names[0] if found[k].names else "run"
    clashing = _clashes(found, names, single)
    renamed = [k for k in single if names[k] in clashing and len(found[k].names) > 1]
    if renamed:
        old = listing(sorted({names[k] for k in renamed}))
        for k in renamed:
            names[k] = found[k].names[1]
        warn(
            f"several files hold a run named {old}: named by their files instead: {listing(names[k] for k in renamed)}"
        )
    for name in _clashes(found, names, single):
        files = [k for k in single if names[k] == name]
        raise found[files[1]].origin.error(
            f"these files all hold a run named {name!r}: {listing(found[k].origin.label for k in files)}. Name them: "
            "read_scores({name: path})"
        )
    return names


def _clashes(found: Sequence[Contents], names: list[str], single: list[int]) -> set[str]:
    """Names that files of more than one origin bear."""
    pairs = Counter(name for name, _ in {(names[k], found[k].part_of) for k in single})
    return {name for name, count in pairs.items() if count > 1}


def _refuse_unequal_counts(found: Sequence[Contents], grids: Sequence[Grid]) -> None:
    """Files that name no topics are put side by side by their rows; there have to be as many."""
    counts = {k: len(grid.topics) for k, grid in enumerate(grids) if are_invented(grid.topics)}
    first = next(iter(counts), 0)
    for k, count in counts.items():
        if count != counts[first]:
            raise found[k].origin.error(
                f"has {count} rows without names of topics, and {found[first].origin.label} has {counts[first]}: "
                "nothing tells which belong together; give the files a column named topic"
            )


def _refuse_percent_beside_none(found: Sequence[Contents], grids: Sequence[Grid]) -> None:
    """Scores of one matrix have one unit."""
    signed = [contents.origin for contents, grid in zip(found, grids, strict=True) if grid.percent]
    if 0 < len(signed) < len(grids):
        plain = next(contents.origin.label for contents, grid in zip(found, grids, strict=True) if not grid.percent)
        raise signed[0].error(
            f"has scores with a percent sign, but {plain} has none. Write all of these scores with the sign, or all "
            "without it, in the same unit."
        )


def _refuse_summaries(found: Sequence[Contents], grids: Sequence[Grid]) -> None:
    """A column of means would count as one more system."""
    for contents, grid in zip(found, grids, strict=True):
        name = next((name for name in grid.systems or () if is_summary(name)), None)
        if name is not None:
            select = f", or name the systems to read with {argument('systems')}"
            files = "" if isinstance(contents.origin, Given) else select
            raise contents.origin.error(
                f"a system is named {name!r}, as summaries of systems are: leave it out, rename it if "
                f"it is a system{files}"
            )


def _places(wanted: list[str], labels: list[str], noun: str, origin: Origin) -> list[int]:
    place = {label: k for k, label in enumerate(labels)}
    for name in wanted:
        if name not in place:
            raise origin.error(f"has no {noun} {name!r}{nearest(name, labels)}")
    return [place[name] for name in wanted]
