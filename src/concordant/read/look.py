"""`look`: what files are taken for, before anything is computed. What the readers decide is no secret."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.groups import documents_of
from ..data.results import Result, settings_of
from ..data.scores import Means, Scores, checked_choice
from ..errors import ConcordantError
from ..words import counted, listing, one_line
from . import source as sources
from .reader import read_contents
from .tables.assemble import assemble
from .tables.layout import Roles
from .tables.pivot import MEAN, Grid


@dataclass(frozen=True, eq=False, repr=False)
class Look(Result):
    """What a file, folder or list of files is taken for."""

    path: str
    formats: tuple[str, ...]
    """The formats of the files, each once."""
    n_files: int
    reading: str
    """What the rows and columns were read as."""
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    """The measures that can be asked for; none where the files name none."""
    measure: str
    """The measure that the numbers below are of."""
    missing: int
    """Scores that are not there."""
    tied_pairs: int
    """Pairs of systems with the same mean, over the topics that they have."""
    duplicates: tuple[tuple[str, ...], ...]
    """Systems with the same scores on all topics."""
    decimals: int | None
    """The decimals that all scores are written with; None where they have more than 6."""
    groups: tuple[str, ...] = ()
    """The groups of topics, such as documents of segments; none where each topic is by itself."""
    lower_is_better: bool | None = False
    """Whether lower scores are better; None where that has to be said."""
    problem: str | None = None
    """Why the files cannot be read as they are."""

    @property
    def verdict(self) -> str:
        """What it is, in a sentence."""
        if self.problem is not None:
            return f"{self.path} cannot be read: {self.problem}"
        files = "" if self.n_files == 1 else f"{counted(self.n_files, 'file')}, "
        what = f"{self.path}: {files}{listing(self.formats, 3)}"
        topics = "one score per system" if not self.topics else counted(len(self.topics), "topic")
        topics += f" in {counted(len(self.groups), 'group')}" if self.groups else ""
        return f"{what}; {counted(len(self.systems), 'system')}, {topics}"

    def rows(self) -> list[dict[str, Any]]:
        """What was found, one row each."""
        if not self.systems:
            return [{"what": "problem", "found": self.problem}]
        found = {
            "format": listing(self.formats),
            "read as": self.reading,
            "systems": f"{len(self.systems)}: {_ends(self.systems)}",
            "topics": f"{len(self.topics)}: {_ends(self.topics)}" if self.topics else "none",
            "groups": f"{len(self.groups)}: {_ends(self.groups)} (resampled; single topics by --groups none)"
            if self.groups
            else "",
            "measures": listing(self.measures, 20) if self.measures else "not named",
            "measure shown": self.measure or "the only one",
            "direction": {True: "lower is better", None: "not said: lower or higher?"}.get(self.lower_is_better, ""),
            "missing scores": str(self.missing),
            "tied pairs": str(self.tied_pairs),
            "duplicates": "; ".join(listing(group, 5) for group in self.duplicates) or "none",
            "decimals": "more than 6" if self.decimals is None else str(self.decimals),
            "next": self.next_command,
        }
        return [{"what": name, "found": value} for name, value in found.items() if value]

    def table(self) -> str:
        """One line for each of them; the verdict has said why there are none."""
        if not self.systems:
            return ""
        width = max(len(row["what"]) for row in self.rows())
        return "\n".join(f"  {row['what']:<{width}}  {one_line(row['found'])}" for row in self.rows())

    @property
    def next_command(self) -> str:
        """A command to try next."""
        if not self.systems:
            return ""
        path = f"./{self.path}" if self.path.startswith("-") else self.path  # which would be an option
        measure = f":{self.measure}" if self.measure and self.measures else ""
        said = {True: ":lower", False: ":higher"}.get(self.settings["lower_is_better"], "")
        side = shlex.quote(path + measure + (":lower" if self.lower_is_better is None else said))
        options = [
            f"--{name}-column {shlex.quote(given)}" for name in Roles._fields[:3] if (given := self.settings[name])
        ]
        options += [
            f"--{name} {shlex.quote(','.join(given))}"
            for name in ("systems", "topics")
            if (given := self.settings[name])
        ]
        if not self.topics or len(self.systems) == 1:
            return " ".join([f"concordant compare {side} OTHER", *options])
        return " ".join([f"concordant plan {side}", *options, *(["--missing drop"] if self.missing else [])])


def _ends(labels: Sequence[str], most: int = 6) -> str:
    """All labels, or the first and the last ones: what does not belong stands at an end."""
    if len(labels) <= most:
        return listing(labels)
    return f"{listing(labels[: most // 2])}, ..., {listing(labels[-(most // 2) :])}"


def look(  # noqa: PLR0913
    what: Any,
    measure: str | None = None,
    lower_is_better: bool | None = None,
    *,
    systems: Iterable[str] | None = None,
    topics: Iterable[str] | None = None,
    topic_column: str | None = None,
    system_column: str | None = None,
    score_column: str | None = None,
    run_column: str | None = None,
) -> Look:
    r"""Show how files would be read: format, orientation, systems, topics, measures, missing scores, ties, duplicates.

    Parameters
    ----------
    what : path, open file, or list of them
        As `read_scores` takes it.
    measure : str, optional
        The measure to count ties, duplicates and missing scores of; by default the first that is there.
    lower_is_better : bool, optional
        As in `read_scores`.
    systems, topics : iterable of str, optional
        As in `read_scores`, as are the columns below.
    topic_column, system_column, score_column, run_column : str, optional
        As in `read_scores`.

    Returns
    -------
    Look
        What was found. Files that cannot be read as they are have the reason in `problem`; that is not an error.

    Examples
    --------
    >>> import io
    >>> print(look(io.StringIO("topic,bm25,ql\n301,0.25,0.5\n302,0.75,0.25\n")).verdict)
    <StringIO>: matrix; 2 systems, 2 topics

    """
    path = os.fspath(what) if isinstance(what, str | os.PathLike) else None
    wanted: Any = checked_choice(systems, topics)
    roles = Roles(topic_column, system_column, score_column, run=run_column, **wanted)
    empty: dict[str, Any] = {
        "formats": (), "n_files": 0, "reading": "", "systems": (), "topics": (), "measures": (), "measure": "",
        "missing": 0, "tied_pairs": 0, "duplicates": (), "decimals": None,
        "settings": settings_of(**roles._asdict(), lower_is_better=lower_is_better),
    }  # fmt: skip
    try:
        found, _ = read_contents(sources.expand(what), roles)
    except ConcordantError as error:
        return Look(path=str(path or what), problem=str(error), **empty)
    known = {
        **empty,
        "path": path or found[0].origin.label,
        "formats": tuple(Counter(contents.format for contents in found)),
        "n_files": len(found),
    }
    try:
        known["measures"] = tuple(dict.fromkeys(m for c in found if c.named for m in c.measures()))
        default = next((c.default for c in found if c.default in known["measures"]), None)
        chosen = measure or default or next(iter(known["measures"]), None)
        try:
            result = assemble(found, chosen, "error", lower_is_better=lower_is_better, **wanted)
            lower: bool | None = result.lower_is_better
        except ConcordantError:  # what is shown is the same in both directions
            result, lower = assemble(found, chosen, "error", lower_is_better=False, **wanted), None
        values, labels = np.atleast_2d(result.shown()), list(result.topics) or [MEAN]
        known["reading"] = found[0].reading(Grid(values, labels, list(result.systems)))
        known |= _counts(result)
    except ConcordantError as error:
        return Look(**known, problem=str(error))
    return Look(**known, lower_is_better=lower)


def _counts(found: Scores | Means) -> dict[str, Any]:
    """What is said of the scores of one measure."""
    values = np.atleast_2d(found.shown())
    holes = np.isnan(values)
    scored = ~holes.all(axis=0)
    means = np.array([np.nanmean(column) for column in values.T[scored]])
    _, counts = np.unique(np.round(means, 12), return_counts=True)
    same: dict[bytes, list[str]] = {}
    for name, column in zip(found.systems, np.ascontiguousarray(values.T), strict=True):
        same.setdefault(column.tobytes(), []).append(name)
    given = values[~holes]
    return {
        "systems": found.systems,
        "topics": found.topics,
        "groups": tuple(dict.fromkeys(found.groups or (documents_of(found.topics) or {}).values())),
        "measure": found.measure,
        "missing": int(holes.sum()),
        "tied_pairs": int((counts * (counts - 1) // 2).sum()),
        "duplicates": () if not found.topics else tuple(tuple(group) for group in same.values() if len(group) > 1),
        "decimals": next((d for d in range(7) if np.array_equal(np.round(given, d), given)), None),
    }
