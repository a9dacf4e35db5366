"""`look`: show how files would be read, before anything is computed."""

from __future__ import annotations

import os
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from ..data.means import documents_of
from ..data.results import Findings, settings_of
from ..errors import ConcordantError, counted, listing, one_line
from . import source as sources
from .reader import Reading, Selection, read_contents
from .tables.contents import Contents
from .tables.layout import Roles
from .tables.vocabulary import well_known

LONGEST = 100  # the most characters that are shown of a name


def look(
    what: Any, measure: str | None = None, lower_is_better: bool | None = None, **how: Unpack[Selection]
) -> Findings:
    r"""Show how files would be read: format, orientation, systems, topics, measures, missing scores.

    Parameters
    ----------
    what : path, open file, or list of them
        What to read, as for `read_scores`.
    measure : str, optional
        The measure whose missing scores are counted; by default a common one, or else the first.
    lower_is_better : bool, optional
        As in `read_scores`.
    systems, topics : iterable of str, optional
        As in `read_scores`.
    topic_column, system_column, score_column, run_column : str, optional
        As in `read_scores`.

    Returns
    -------
    Findings
        `path`, `formats`, `n_files`; `reading`, the meaning of rows and columns; `systems`, `topics`, `groups`;
        `measures`, all that you can choose from; `measure`, the one whose `missing` scores are counted;
        `lower_is_better`, None if you must choose the direction; `next_command`; and `problem`, the reason if the files
        cannot be read as they are.
        Such a problem does not raise an error here.

    Examples
    --------
    >>> import io
    >>> print(look(io.StringIO("topic,bm25,ql\n301,0.25,0.5\n302,0.75,0.25\n")).verdict)
    <StringIO>: matrix; 2 systems, 2 topics

    """
    reading = Reading.of(lower_is_better=lower_is_better, **how)
    settings = settings_of(**reading.roles._asdict(), lower_is_better=lower_is_better)
    path = os.fspath(what) if isinstance(what, str | os.PathLike) else ""
    numbers: dict[str, Any] = {
        "path": path, "formats": (), "n_files": 0, "reading": "", "systems": (), "topics": (), "groups": (),
        "measures": (), "measure": "", "missing": 0, "lower_is_better": False, "problem": None,
    }  # fmt: skip
    try:
        shared = _fill(numbers, read_contents(sources.expand(what), reading.roles)[0], measure, reading)
    except ConcordantError as error:
        numbers["problem"] = str(error)
        verdict, command, shown = f"{path or what} cannot be read: {error}", "", ""
        rows = [{"what": "problem", "found": str(error)}]
    else:
        verdict, command = _verdict(numbers), _next_command(numbers, settings, shared=shared)
        rows = _rows(numbers)
        width = max(len(row["what"]) for row in rows)
        shown = "\n".join(f"  {row['what']:<{width}}  {one_line(row['found'])}" for row in rows)
    beside = {"next_command": command}
    return Findings(
        kind="Look", answer=verdict, numbers=numbers, beside=beside, lines=rows, shown=shown, settings=settings
    )


def _fill(numbers: dict[str, Any], found: Sequence[Contents], measure: str | None, reading: Reading) -> int:
    """Add the contents of the files, and how they are read, to `numbers`; return how many topics all systems share."""
    measures = tuple(dict.fromkeys(m for contents in found if contents.named for m in contents.measures()))
    default = next((contents.default for contents in found if contents.default in measures), None)
    numbers |= {
        "path": numbers["path"] or found[0].origin.label,
        "formats": tuple(dict.fromkeys(contents.format for contents in found)),
        "n_files": len(found),
        "measures": measures,
    }
    reading = reading._replace(measure=measure or default or next(iter([*well_known(measures), *measures]), None))
    try:
        made = reading.scores(found)
        lower: bool | None = made.lower_is_better
    except ConcordantError:  # the other facts do not depend on the direction
        made, lower = reading._replace(lower_is_better=False).scores(found), None
    numbers |= {
        "reading": found[0].reading,  # some tables set it only when scores are read
        "systems": made.systems,
        "topics": made.topics,
        "groups": tuple(dict.fromkeys(made.groups or (documents_of(made.topics) or {}).values())),
        "measure": made.measure,
        "missing": int(np.isnan(made.values).sum()),
        "lower_is_better": lower,
    }
    return int((~np.isnan(made.values)).all(axis=-1).sum())


def _rows(found: Mapping[str, Any]) -> list[dict[str, str]]:
    facts = {
        "format": listing(found["formats"]),
        "read as": found["reading"],
        "systems": _ends(found["systems"]),
        "topics": _ends(found["topics"]) if found["topics"] else "none",
        "groups": found["groups"] and f"{_ends(found['groups'])} (resampled as groups; single topics: --groups none)",
        "measure shown": found["measure"] or "the only one",
        "direction": {True: "lower is better", None: "unknown: say lower or higher"}.get(found["lower_is_better"]),
        "missing scores": str(found["missing"]),
        "measures": listing(found["measures"], len(found["measures"])) or "not named",
    }
    return [{"what": name, "found": value} for name, value in facts.items() if value]


def _verdict(found: Mapping[str, Any]) -> str:
    files = "" if found["n_files"] == 1 else f"{counted(found['n_files'], 'file')}, "
    topics = counted(len(found["topics"]), "topic") if found["topics"] else "one score per system"
    topics += f" in {counted(len(found['groups']), 'group')}" if found["groups"] else ""
    systems = counted(len(found["systems"]), "system")
    return f"{found['path']}: {files}{listing(found['formats'], 3)}; {systems}, {topics}"


def _ends(labels: Sequence[str], most: int = 6) -> str:
    """List all labels if they are few, otherwise the first and last ones, because stray labels are usually there."""
    some = labels if len(labels) <= most else [*labels[: most // 2], "...", *labels[-(most // 2) :]]
    # Shorten names, because the name of a topic may be a whole question. Two blanks would start a new column.
    short = [textwrap.shorten(one_line(name), LONGEST, placeholder=" ...") for name in some]
    return f"{len(labels)}: {listing(short)}"


def _next_command(found: Mapping[str, Any], settings: Mapping[str, Any], *, shared: int) -> str:
    """Write a command to try next; `shared` is the number of topics that all systems have."""
    path = f"./{found['path']}" if found["path"].startswith("-") else found["path"]  # a path, not an option
    measure = f":{found['measure']}" if found["measure"] and found["measures"] else ""
    said = {True: ":lower", False: ":higher"}.get(settings["lower_is_better"], "")
    side = shlex.quote(path + measure + (":lower" if found["lower_is_better"] is None else said))
    options = [f"--{name}-column {shlex.quote(given)}" for name in Roles._fields[:3] if (given := settings[name])]
    options += [
        f"--{name} {shlex.quote(','.join(given))}" for name in ("systems", "topics") if (given := settings[name])
    ]
    if not found["topics"] or len(found["systems"]) == 1:
        return " ".join([f"concordant compare {side} OTHER", *options])
    if shared < max(2, len(found["topics"]) / 2):
        return " ".join([f"concordant board {side}", *options])
    return " ".join([f"concordant plan {side}", *options, *(["--missing drop"] if found["missing"] else [])])
