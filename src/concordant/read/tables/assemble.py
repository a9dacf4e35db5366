"""From what files, frames and dictionaries hold to `Scores` of one measure, or `Means` where there are no topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, Literal, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...data.groups import choose, chosen, says_which
from ...data.holes import Missing, are_invented
from ...data.scores import Means, Scores, owned
from ...errors import ConcordantError, ReadError, warn
from ...words import argument, counted, either_direction, listing
from .cells import Given, Origin, warn_of
from .contents import Contents
from .limits import WIDTH
from .measures import direction, only_measure, usually_an_error
from .pivot import MEAN, Grid, join, refuse_errors
from .vocabulary import summaries_among


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
    systems: Sequence[str] | None = None,
    topics: Sequence[str] | None = None,
    lower_is_better: bool | None = None,
    empty: Sequence[tuple[str, Origin]] = (),
) -> Scores | Means:
    """The scores of one measure. Where `systems` or `topics` are given, only these, in this order.

    A run whose file is empty is a system without scores.
    """
    grid, name, origin = joined(found, measure, systems)
    values, own_topics, own_systems = grid.values, grid.topics, grid.systems or []
    seen = [name for contents in found for name in contents.seen]
    one_each = MEAN in own_topics
    if topics is not None and not one_each:
        places = choose(topics, own_topics, "topic", origin.error, seen)
        values, own_topics = values[places], [own_topics[k] for k in places]
    if nothing := [name for name, _ in empty if name not in own_systems]:
        values = np.hstack([values, np.full((len(values), len(nothing)), np.nan)])
        own_systems = [*own_systems, *nothing]
    if systems is not None:
        places = choose(systems, own_systems, "system", origin.error, seen)
        values, own_systems = values[:, places], [own_systems[k] for k in places]
        if others := [file.label for run, file in empty if run not in own_systems]:
            warn(f"Skipped {counted(len(others), 'empty file')} of systems that were not asked for: {listing(others)}")
        if topics is None and missing == "available":  # a topic that none of them has is none of theirs
            rows = np.flatnonzero(~np.isnan(values).all(axis=1)).tolist()
            values, own_topics = values[rows], [own_topics[k] for k in rows]
    if one_each and len(values) > 1:
        raise origin.error("some hold scores of topics, others one score per system: read them one by one")
    if not one_each and not says_which(topics):
        values, own_topics = _without_means(values, own_topics, "topics", origin)
    if not one_each and not says_which(systems):
        columns, own_systems = _without_means(values.T, own_systems, "systems", origin)
        values = values if len(columns) == values.shape[1] else columns.T
    _warn_of_zeros(values, origin)
    refuse_errors(
        [] if one_each or says_which(topics) else own_topics, [] if says_which(systems) else own_systems, origin
    )
    lower = direction_of(found, Joined(Grid(values, own_topics, own_systems), name, origin), lower_is_better)
    about: Any = {"lower_is_better": lower, "missing": missing, "source": origin.label}
    if one_each:
        return Means(values[0], own_systems, name, errors=_errors(found, name, values[0], own_systems), **about)
    given = owned(values) if grid.runs is None else _runs(grid, own_topics, own_systems)
    return Scores(given, own_topics, own_systems, name, groups=_groups(found, own_topics), **about)


def _runs(grid: Grid, topics: Sequence[str], systems: Sequence[str]) -> FloatArray:
    """The repeated scores of these topics and systems; a system of an empty file has none."""
    assert grid.runs is not None
    row, column = ({label: k for k, label in enumerate(labels)} for labels in (grid.topics, grid.systems or []))
    found = np.full((len(topics), len(systems), grid.runs.shape[2]), np.nan)
    there = [k for k, system in enumerate(systems) if system in column]
    found[:, there] = grid.runs[np.ix_([row[topic] for topic in topics], [column[systems[k]] for k in there])]
    return found


def _groups(found: Sequence[Contents], topics: Sequence[str]) -> Mapping[str, str] | None:
    """The group of each topic, where the files say which belong together, and some do."""
    known = {topic: group for contents in found for topic, group in contents.groups.items()}
    groups = [known[topic] for topic in topics if topic in known]
    return known if len(set(groups)) < len(groups) else None


def _errors(found: Sequence[Contents], measure: str, values: FloatArray, systems: Sequence[str]) -> list[float] | None:
    """The standard errors of one score per system, if the tables have the limits of all."""
    given = [(contents.origin, *contents.errors(measure)) for contents in found]
    known = {system: error for _, errors, _ in given for system, error in errors.items()}
    if not known:
        return None
    lacking = [s for s, value in zip(systems, values, strict=True) if s not in known and not np.isnan(value)]
    if lacking:
        warn_of(
            Together([origin for origin, *_ in given]),
            f"standard errors are not known, because some systems have no limits: leave {listing(lacking)} out with "
            + argument("systems", [f"!{name}" for name in lacking]),
        )
        return None
    for origin, _, columns in given:
        shown = listing(map(repr, columns))
        warn_of(origin, f"standard errors were computed from the 95% limits in {shown}, as their distance / {WIDTH:g}")
    return [known.get(system, np.nan) for system in systems]


def direction_of(found: Sequence[Contents], made: Joined, said: bool | None) -> bool:
    """Whether lower is better in the scores that were made of these files."""
    topics = set(made.grid.topics)
    by_file = [lower for c in found for topic, lower in c.lower.get(made.measure, {}).items() if topic in topics]
    named = made.measure or next((c.column for c in found if c.column), "")
    side = found[0].origin.label if len(found) == 1 else "PATH"
    side = f"{side}:{made.measure}" if made.measure else side
    if said is None and "mqm" in named.lower() and (made.grid.values > 0).any():  # which are errors, or what they cost
        raise made.origin.error(f"holds {named!r} above 0, which may count errors: {either_direction(side)}")
    lower = direction(named, said, made.origin, by_file, side)
    if said is None and not made.measure:
        label = next((c.origin.label for c in found if usually_an_error(PurePath(c.origin.label).name)), None)
        if label is not None:
            warn(f"{label} was read with higher scores as better; to decide, {either_direction(side)}")
    return lower


def joined(found: Sequence[Contents], measure: str | None, systems: Sequence[str] | None = None) -> Joined:
    """The scores of one measure of all files, side by side; summaries only where they are among `systems`."""
    asked = _choose(found, measure)
    found = _with_measure(found, asked)
    grids = [contents.grid(asked) for contents in found]
    _refuse_unequal_counts(found, grids)
    _refuse_percent_beside_none(found, grids)
    if not says_which(systems):
        _refuse_summaries(found, grids, systems)
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

    return Joined(join(grids, names, twice), asked, Together([contents.origin for contents in found]))


_LIKELY, _POSSIBLE = 1e-4, 3e-3
"""The chance of a row of means by coincidence: below the first it is left out, below the second it is refused."""


def _without_means(
    values: FloatArray, labels: list[str], axis: Literal["topics", "systems"], origin: Origin
) -> tuple[FloatArray, list[str]]:
    """Leave out a first or last row that holds the mean of all others in every column, whatever it is called.

    It may have been rounded to fewer decimals. Where a row could be so by coincidence, because there are few columns or
    few decimals, it is refused.
    """
    n = len(values)
    line, what = ("row", "column") if axis == "topics" else ("column", "row")
    for place in (n - 1, 0) if n > 3 else ():
        others = np.delete(np.arange(n), place)
        chance = _chance_of_means(values[place, :50], values[:, :50][others], axis == "systems")
        if chance >= _POSSIBLE:
            continue
        what_it_is = f"the mean of the other {line}s in every {what}"
        if chance >= _LIKELY:
            raise origin.error(
                f"{line} {labels[place]!r} is {what_it_is}: leave it out with {argument(axis, [f'!{labels[place]}'])}, "
                f"or read every {line} with {argument(axis, ['*'])}"
            )
        warn_of(origin, f"left out, because it is {what_it_is}: {labels[place]}")
        return values[others], [labels[k] for k in others]
    return values, labels


def _chance_of_means(row: FloatArray, others: FloatArray, apart: bool) -> float:
    """The chance that a row which holds the means of all others, as rounded, does so by coincidence; 1 if it does not.

    In each column this is the share of the range of scores, or of the scores, that rounds to the mean.
    """
    if np.isnan(row).any() or np.isnan(others).all(axis=0).any():
        return 1.0
    means = np.nanmean(others, axis=0)
    written = others[:1000]
    # Half a unit of the row, and nearly half a unit of the scores, which may be rounded themselves.
    rounding = 0.500001 * _unit(row) + 0.49 * _unit(written[~np.isnan(written)]) + 1e-12 * np.abs(means)
    if (np.abs(means - row) > rounding).any():
        return 1.0
    spread = np.nanmax(others, axis=0) - np.nanmin(others, axis=0)
    near = (np.abs(others - means) <= rounding).mean(axis=0)
    shares = np.minimum(np.maximum(2 * rounding / np.where(spread > 0, spread, 1), near), 1)
    shares[spread == 0] = 1
    # What is the same counts once: a run that was given twice, or topics on which systems are as far apart.
    _, different = np.unique(np.round(others - (row if apart else 0), 9), axis=1, return_index=True)
    return float(np.prod(shares[different]))


def _unit(values: FloatArray) -> float:
    """One unit of the last decimal that numbers are written with; 0 where they have more than 12."""
    return next((10.0**-d for d in range(13) if np.array_equal(np.round(values, d), values)), 0.0)


def _warn_of_zeros(values: FloatArray, origin: Origin) -> None:
    """Warn where no system scores anything, as by a measure that nothing satisfies."""
    zeros = values == 0
    if values.shape[1] > 1 and zeros.any() and (zeros | np.isnan(values)).all():
        warn_of(origin, "every score is 0, so all systems are tied: is this the right file and measure?")


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
    return only_measure(named[0].origin, available, default, named[0].otherwise)


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
    known = {contents.averaged: contents.origin for contents in found if contents.averaged}
    if len(known) > 1:
        (one, origin), (other, beside), *_ = known.items()
        raise origin.error(
            f"has means over {one} topics, and {beside.label} over {other}: write the scores of topics, with -q"
        )
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


def _refuse_summaries(found: Sequence[Contents], grids: Sequence[Grid], wanted: Sequence[str] | None) -> None:
    """A column of means would count as one more system."""
    for contents, grid in zip(found, grids, strict=True):
        systems = grid.systems or []
        names = summaries_among([systems[k] for k in chosen(wanted, systems)])
        if names:
            raise contents.origin.error(
                f"a system is named {names[0]!r}, as summaries of systems are: leave it out with "
                f"{argument('systems', [f'!{name}' for name in names])}, or keep it with {argument('systems', ['*'])}"
            )
