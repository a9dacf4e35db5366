"""`look`: what files are taken for, before anything is computed. What the readers decide is no secret."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..data.means import documents_of
from ..data.results import Findings, settings_of
from ..data.scores import Means, Scores, checked_choice
from ..errors import ConcordantError, counted, listing, one_line
from . import source as sources
from .reader import read_contents
from .tables.assemble import assemble
from .tables.layout import Roles


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
) -> Findings:
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
    Findings
        `path`, `formats`, `n_files`; `reading`, what rows and columns were read as; `systems`, `topics`, `groups`;
        `measures`, those that can be asked for, and `measure`, the one that these numbers are of: `missing` scores,
        `tied_pairs` of means, `duplicates` (systems with the same scores), `decimals` (None for more than 6);
        `lower_is_better`, None where that has to be said; `next_command`; and `problem`, why files cannot be read as
        they are, which is not an error.

    Examples
    --------
    >>> import io
    >>> print(look(io.StringIO("topic,bm25,ql\n301,0.25,0.5\n302,0.75,0.25\n")).verdict)
    <StringIO>: matrix; 2 systems, 2 topics

    """
    wanted: Any = checked_choice(systems, topics)
    roles = Roles(topic_column, system_column, score_column, run=run_column, **wanted)
    numbers: dict[str, Any] = {
        "path": os.fspath(what) if isinstance(what, str | os.PathLike) else str(what), "formats": (), "n_files": 0,
        "reading": "", "systems": (), "topics": (), "measures": (), "measure": "", "missing": 0, "tied_pairs": 0,
        "duplicates": (), "decimals": None, "groups": (), "lower_is_better": False, "problem": None,
    }  # fmt: skip
    try:
        numbers |= _looked(what, measure, lower_is_better, roles, numbers, wanted)
    except ConcordantError as error:
        numbers["problem"] = str(error)
    settings = settings_of(**roles._asdict(), lower_is_better=lower_is_better)
    command = _next_command(numbers, settings)
    lines = _lines(numbers, command)
    width = max(len(line["what"]) for line in lines)
    shown = "\n".join(f"  {line['what']:<{width}}  {one_line(line['found'])}" for line in lines if numbers["systems"])
    return Findings(
        kind="Look",
        answer=_verdict(numbers),
        numbers=numbers,
        beside={"next_command": command},
        lines=lines,
        shown=shown,
        settings=settings,
    )


def _looked(
    what: Any, measure: str | None, said: bool | None, roles: Roles, known: dict[str, Any], wanted: Any
) -> Mapping[str, Any]:
    """What is found; what is known before something cannot be read is put into `known`."""
    found, _ = read_contents(sources.expand(what), roles)
    if not isinstance(what, str | os.PathLike):
        known["path"] = found[0].origin.label
    known |= {"formats": tuple(Counter(contents.format for contents in found)), "n_files": len(found)}
    known["measures"] = tuple(dict.fromkeys(m for c in found if c.named for m in c.measures()))
    default = next((c.default for c in found if c.default in known["measures"]), None)
    chosen = measure or default or next(iter(known["measures"]), None)
    try:
        result = assemble(found, chosen, "error", lower_is_better=said, **wanted)
        lower: bool | None = result.lower_is_better
    except ConcordantError:  # what is shown is the same in both directions
        result, lower = assemble(found, chosen, "error", lower_is_better=False, **wanted), None
    return {"reading": found[0].reading, "lower_is_better": lower, **_counts(result)}


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


def _verdict(found: Mapping[str, Any]) -> str:
    if found["problem"] is not None:
        return f"{found['path']} cannot be read: {found['problem']}"
    files = "" if found["n_files"] == 1 else f"{counted(found['n_files'], 'file')}, "
    topics = counted(len(found["topics"]), "topic") if found["topics"] else "one score per system"
    topics += f" in {counted(len(found['groups']), 'group')}" if found["groups"] else ""
    systems = counted(len(found["systems"]), "system")
    return f"{found['path']}: {files}{listing(found['formats'], 3)}; {systems}, {topics}"


def _lines(found: Mapping[str, Any], command: str) -> list[dict[str, Any]]:
    """What was found, one row each."""
    if not found["systems"]:
        return [{"what": "problem", "found": found["problem"]}]
    groups = f"{_ends(found['groups'])} (resampled; single topics by --groups none)" if found["groups"] else ""
    lines = {
        "format": listing(found["formats"]),
        "read as": found["reading"],
        "systems": _ends(found["systems"]),
        "topics": _ends(found["topics"]) if found["topics"] else "none",
        "groups": groups,
        "measures": listing(found["measures"], 20) if found["measures"] else "not named",
        "measure shown": found["measure"] or "the only one",
        "direction": {True: "lower is better", None: "not said: lower or higher?"}.get(found["lower_is_better"], ""),
        "missing scores": str(found["missing"]),
        "tied pairs": str(found["tied_pairs"]),
        "duplicates": "; ".join(listing(group, 5) for group in found["duplicates"]) or "none",
        "decimals": "more than 6" if found["decimals"] is None else str(found["decimals"]),
        "next": command,
    }
    return [{"what": name, "found": value} for name, value in lines.items() if value]


def _ends(labels: Sequence[str], most: int = 6) -> str:
    """All labels, or the first and the last ones: what does not belong stands at an end."""
    if len(labels) <= most:
        return f"{len(labels)}: {listing(labels)}"
    return f"{len(labels)}: {listing(labels[: most // 2])}, ..., {listing(labels[-(most // 2) :])}"


def _next_command(found: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """A command to try next."""
    if not found["systems"]:
        return ""
    path = f"./{found['path']}" if found["path"].startswith("-") else found["path"]  # which would be an option
    measure = f":{found['measure']}" if found["measure"] and found["measures"] else ""
    said = {True: ":lower", False: ":higher"}.get(settings["lower_is_better"], "")
    side = shlex.quote(path + measure + (":lower" if found["lower_is_better"] is None else said))
    options = [f"--{name}-column {shlex.quote(given)}" for name in Roles._fields[:3] if (given := settings[name])]
    options += [
        f"--{name} {shlex.quote(','.join(given))}" for name in ("systems", "topics") if (given := settings[name])
    ]
    if not found["topics"] or len(found["systems"]) == 1:
        return " ".join([f"concordant compare {side} OTHER", *options])
    return " ".join([f"concordant plan {side}", *options, *(["--missing drop"] if found["missing"] else [])])
