"""From what files, frames and dictionaries hold to `Scores` of one measure, or `Means` where there are no topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...data.means import Missing, are_invented, choose, chosen, says_which
from ...data.scores import Means, Scores, owned
from ...errors import ConcordantError, ReadError, argument, counted, either_direction, listing, warn
from . import vocabulary
from .cells import MEAN, Given, Grid, Origin, join, warn_of
from .contents import WIDTH, Contents, unit
from .vocabulary import direction, usually_an_error


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
    grid, name = joined(found, measure, systems)
    origin = Together([contents.origin for contents in found])
    seen = [name for contents in found for name in contents.seen]
    one_each = MEAN in grid.topics
    if topics is not None and not one_each:
        grid = grid.take(choose(topics, grid.topics, "topic", origin.error, seen))
    if new := [name for name, _ in empty if name not in grid.names]:
        holes = np.full((len(grid.topics), len(new), *grid.scores.shape[2:]), np.nan)
        grid = replace(grid, scores=np.hstack([grid.scores, holes]), systems=[*grid.names, *new])
    if systems is not None:
        grid = grid.take(columns=choose(systems, grid.names, "system", origin.error, seen))
        if others := [file.label for run, file in empty if run not in grid.names]:
            warn(f"Skipped {counted(len(others), 'empty file')} of systems that were not asked for: {listing(others)}")
        if topics is None and missing == "available":  # leave out topics that none of the chosen systems has
            grid = grid.take(np.flatnonzero(~np.isnan(grid.values).all(axis=1)).tolist())
    if one_each and len(grid.values) > 1:
        raise origin.error("some hold scores of topics, others one score per system: read them one by one")
    for axis, wanted in (("topics", topics), ("systems", systems)):
        if not says_which(wanted) and not one_each:
            grid = _without_means(grid, axis, origin)
    _warn_of_zeros(grid.values, origin)
    for axis, wanted in (("topics", topics), ("systems", systems)):
        if not says_which(wanted) and not (one_each and axis == "topics"):
            _refuse_errors(grid, axis, origin)
    lower = _direction(found, grid, name, origin, lower_is_better)
    about: Any = {"lower_is_better": lower, "missing": missing, "source": origin.label}
    if one_each:
        return Means(grid.values[0], grid.names, name, errors=_errors(found, name, grid), **about)
    return Scores(owned(grid.scores), grid.topics, grid.names, name, groups=_groups(found, grid.topics), **about)


def _refuse_errors(grid: Grid, axis: str, origin: Origin) -> None:
    """Refuse labels that say that the scores are the errors of others."""
    if (wrong := vocabulary.error_of_another(grid.labels(axis))) is not None:
        said = f"{axis[:-1]} {wrong!r} is named as the error of another {axis[:-1]}"
        raise origin.error(f"{said}: leave it out with {argument(axis, [f'!{wrong}'])}")


def _groups(found: Sequence[Contents], topics: Sequence[str]) -> Mapping[str, str] | None:
    """The group of each topic, where the files say which belong together, and some do."""
    known = {topic: group for contents in found for topic, group in contents.groups.items()}
    groups = [known[topic] for topic in topics if topic in known]
    return known if len(set(groups)) < len(groups) else None


def _errors(found: Sequence[Contents], measure: str, grid: Grid) -> list[float] | None:
    """The standard errors of one score per system, if the tables have the limits of all."""
    given = [(contents.origin, *contents.errors(measure)) for contents in found]
    known = {system: error for _, errors, _ in given for system, error in errors.items()}
    if not known:
        return None
    lacking = [s for s, value in zip(grid.names, grid.values[0], strict=True) if s not in known and not np.isnan(value)]
    if lacking:
        left = f"leave {listing(lacking)} out with {argument('systems', [f'!{name}' for name in lacking])}"
        said = f"standard errors are not known, because some systems have no limits: {left}"
        warn_of(Together([origin for origin, *_ in given]), said)
        return None
    for origin, _, columns in given:
        shown = listing(map(repr, columns))
        warn_of(origin, f"standard errors were computed from the 95% limits in {shown}, as their distance / {WIDTH:g}")
    return [known.get(system, np.nan) for system in grid.names]


def _direction(found: Sequence[Contents], grid: Grid, measure: str, origin: Origin, said: bool | None) -> bool:
    """Whether lower is better in the scores that were made of these files."""
    topics = set(grid.topics)
    by_file = [lower for c in found for topic, lower in c.lower.get(measure, {}).items() if topic in topics]
    named = measure or next((c.column for c in found if c.column), "")
    side = (found[0].origin.label if len(found) == 1 else "PATH") + (f":{measure}" if measure else "")
    if said is None and "mqm" in named.lower() and (grid.values > 0).any():  # which are errors, or what they cost
        raise origin.error(f"holds {named!r} above 0, which may count errors: {either_direction(side)}")
    lower = direction(named, said, origin, by_file, side)
    label = next((c.origin.label for c in found if usually_an_error(PurePath(c.origin.label).name)), None)
    if said is None and not measure and label is not None:
        warn(f"{label} was read with higher scores as better; to decide, {either_direction(side)}")
    return lower


def joined(found: Sequence[Contents], measure: str | None, systems: Sequence[str] | None = None) -> tuple[Grid, str]:
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
        both = (j for j in range(k) if topic in grids[j].topics and system in (grids[j].systems or [names[j]]))
        way_out = "name the runs: read_scores({name: path})" if grids[k].systems is None else "rename it in a file"
        score = "a score" if topic == MEAN else f"a score on topic {topic!r}"
        before = found[next(both)].origin.label
        said = f"system {system!r} has {score} already, from {before}: read them one by one, or {way_out}"
        return found[k].origin.error(said)

    return join(grids, names, twice), asked


_LIKELY, _POSSIBLE = 1e-4, 3e-3
"""The chance of a row of means by coincidence: below the first it is left out, below the second it is refused."""


def _without_means(grid: Grid, axis: str, origin: Origin) -> Grid:
    """Leave out a first or last row that holds the mean of all others in every column, whatever it is called.

    It may have been rounded to fewer decimals. Where a row could be so by coincidence, because there are few columns or
    few decimals, it is refused.
    """
    values, labels = grid.values if axis == "topics" else grid.values.T, grid.labels(axis)
    n = len(values)
    line, what = ("row", "column") if axis == "topics" else ("column", "row")
    for place in (n - 1, 0) if n > 3 else ():
        others = [k for k in range(n) if k != place]
        chance = _chance_of_means(values[place, :50], values[:, :50][others], axis == "systems")
        if chance >= _POSSIBLE:
            continue
        what_it_is = f"the mean of the other {line}s in every {what}"
        if chance >= _LIKELY:
            left, every = argument(axis, [f"!{labels[place]}"]), argument(axis, ["*"])
            said = f"{line} {labels[place]!r} is {what_it_is}"
            raise origin.error(f"{said}: leave it out with {left}, or read every {line} with {every}")
        warn_of(origin, f"left out, because it is {what_it_is}: {labels[place]}")
        return grid.take(others) if axis == "topics" else grid.take(columns=others)
    return grid


def _chance_of_means(row: FloatArray, others: FloatArray, apart: bool) -> float:
    """The chance that a row which holds the means of all others, as rounded, does so by coincidence; 1 if it does not.

    In each column this is the share of the range of scores, or of the scores, that rounds to the mean.
    """
    if np.isnan(row).any() or np.isnan(others).all(axis=0).any():
        return 1.0
    means = np.nanmean(others, axis=0)
    written = others[:1000]
    # Half a unit of the row, and nearly half a unit of the scores, which may be rounded themselves.
    rounding = 0.500001 * unit(row) + 0.49 * unit(written) + 1e-12 * np.abs(means)
    if (np.abs(means - row) > rounding).any():
        return 1.0
    spread = np.nanmax(others, axis=0) - np.nanmin(others, axis=0)
    near = (np.abs(others - means) <= rounding).mean(axis=0)
    shares = np.minimum(np.maximum(2 * rounding / np.where(spread > 0, spread, 1), near), 1)
    shares[spread == 0] = 1
    # What is the same counts once: a run that was given twice, or topics on which systems are as far apart.
    _, different = np.unique(np.round(others - (row if apart else 0), 9), axis=1, return_index=True)
    return float(np.prod(shares[different]))


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
    if default in available or len(available) == 1:
        return default if default in available else next(iter(available))
    if not available:
        raise named[0].origin.error("holds no measure with a number for each topic")
    which = f"choose one with {argument('measure')}: {listing(available, 200)}{named[0].otherwise}"
    raise named[0].origin.error(f"there are {len(available)} measures; {which}")


def _names(found: Sequence[Contents], grids: Sequence[Grid]) -> list[str]:
    """The system of each file that is one run; "" for files that name their systems themselves.

    Where runs of different origin bear one name (many tools tag every run alike), the files' names tell.
    """
    single = [k for k, grid in enumerate(grids) if grid.systems is None]
    names = [""] * len(found)
    for k in single:
        names[k] = found[k].names[0] if found[k].names else "run"
    clashing = _clashes(found, names, single)
    if renamed := [k for k in single if names[k] in clashing and len(found[k].names) > 1]:
        old = listing(sorted({names[k] for k in renamed}))
        for k in renamed:
            names[k] = found[k].names[1]
        new = listing(names[k] for k in renamed)
        warn(f"several files hold a run named {old}: named by their files instead: {new}")
    for name in _clashes(found, names, single):
        files = [found[k].origin for k in single if names[k] == name]
        all_of_them = f"these files all hold a run named {name!r}: {listing(origin.label for origin in files)}"
        raise files[1].error(f"{all_of_them}. Name them: read_scores({{name: path}})")
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
        means = f"has means over {one} topics, and {beside.label} over {other}"
        raise origin.error(f"{means}: write the scores of topics, with -q")
    first = next(iter(counts), 0)
    for k, count in counts.items():
        if count != counts[first]:
            rows = f"has {count} rows without names of topics, and {found[first].origin.label} has {counts[first]}"
            raise found[k].origin.error(f"{rows}: give the files a column named topic")


def _refuse_percent_beside_none(found: Sequence[Contents], grids: Sequence[Grid]) -> None:
    """Scores of one matrix have one unit."""
    signed = [contents.origin for contents, grid in zip(found, grids, strict=True) if grid.percent]
    if 0 < len(signed) < len(grids):
        plain = next(contents.origin.label for contents, grid in zip(found, grids, strict=True) if not grid.percent)
        said = f"has scores with a percent sign, but {plain} has none"
        raise signed[0].error(f"{said}. Write all of these scores with the sign, or all without it, in the same unit.")


def _refuse_summaries(found: Sequence[Contents], grids: Sequence[Grid], wanted: Sequence[str] | None) -> None:
    """A column of means would count as one more system."""
    for contents, grid in zip(found, grids, strict=True):
        systems = grid.systems or []
        names = vocabulary.summaries_among([systems[k] for k in chosen(wanted, systems)])
        if names:
            left, every = argument("systems", [f"!{name}" for name in names]), argument("systems", ["*"])
            said = f"a system is named {names[0]!r}, as summaries of systems are"
            raise contents.origin.error(f"{said}: leave it out with {left}, or keep it with {every}")
