"""From what files, frames and dictionaries hold to one matrix: one measure, named systems, no holes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..arrays import FloatArray
from ..errors import ConcordantError, ReadError, warn
from ..words import listing, nearest
from .cells import Given, Origin
from .contents import Contents
from .measures import check_measure, only_measure
from .missing import Missing, are_invented, check_missing, fill_or_drop
from .pivot import Grid, join
from .vocabulary import is_summary


class Assembled(NamedTuple):
    """What `Scores` is made of."""

    values: FloatArray
    topics: list[str]
    systems: list[str]
    measure: str


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
    systems: Iterable[str] | None = None,
    topics: Iterable[str] | None = None,
    lower_is_better: bool = False,
) -> Assembled:
    """One matrix of one measure. Where `systems` or `topics` are given, only these, in this order."""
    check_missing(missing)
    check_measure(measure)
    chosen = _choose(found, measure)
    grids = [contents.grid(chosen) for contents in found]
    if not lower_is_better and (wrong := next((c for c in found if chosen in c.lower), None)):
        warn(f"{wrong.origin.label} says that lower is better for {chosen!r}: pass lower_is_better=True")
    _refuse_unequal_counts(found, grids)
    if systems is None:
        _refuse_summaries(found, grids)

    def twice(k: int, system: str, topic: str) -> ConcordantError:
        before = next(
            found[j].origin.label
            for j in range(k)
            if topic in grids[j].topics and system in (grids[j].systems or [names[j]])
        )
        way_out = "name the runs: read_scores({name: path})" if grids[k].systems is None else "rename it in a file"
        return found[k].origin.error(
            f"system {system!r} has a score on topic {topic!r} already, from {before}: read them one by one, or "
            f"{way_out}"
        )

    names = _names(found, grids)
    grid = join(grids, names, twice)
    origin = Together([contents.origin for contents in found])
    values, own_topics, own_systems = grid.values, grid.topics, grid.systems or []
    if topics is not None:
        places = _places(list(topics), own_topics, "topic", origin)
        values, own_topics = values[places], [own_topics[k] for k in places]
    if systems is not None:
        places = _places(list(systems), own_systems, "system", origin)
        values, own_systems = values[:, places], [own_systems[k] for k in places]
    filled, own_topics, own_systems = fill_or_drop(values, own_topics, own_systems, missing, origin)
    return Assembled(0.0 - filled if lower_is_better else filled, own_topics, own_systems, chosen)


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


def _refuse_summaries(found: Sequence[Contents], grids: Sequence[Grid]) -> None:
    """A column of means would count as one more system."""
    for contents, grid in zip(found, grids, strict=True):
        name = next((name for name in grid.systems or () if is_summary(name)), None)
        if name is not None:
            files = "" if isinstance(contents.origin, Given) else ", or name the systems to read with systems="
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
