"""`read_scores`: from files of any known format to one `Scores`."""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, get_args

import numpy as np

from ..arrays import FloatArray
from ..errors import DataWarning, InputError, ReadError
from ..scores import Scores, check_labels
from ..tables import Missing, are_invented, check_measure, choose_measure, fill_or_drop, summary_system
from ..words import listing, nearest
from . import source as sources
from .recognise import Companion, recognise
from .source import Item, Source
from .table import Rows, Table


def read_scores(
    what: Any,
    measure: str | None = None,
    missing: Missing = "error",
    lower_is_better: bool = False,
    *,
    systems: Iterable[str] | None = None,
    topics: Iterable[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Scores:
    r"""Read the per-topic scores of systems from files, in any format that is recognised by its content.

    `what` is a path, a glob, a folder (all files below it), an open file, a list of these, or {name: path} to
    name the runs; gzip is decompressed. Known are trec_eval -q, four columns, ir_measures, pytrec_eval, ranx,
    PyTerrier, CSV matrices and long tables, MTEB, lm-evaluation-harness, HELM and Inspect.

    `measure` is the exact name in the files; it may be left out where they hold one. `missing` says what to
    do where a system lacks a topic: "error", "zero" (as trec_eval -c), "drop" (keep the topics that all
    systems have), "drop-systems" (keep the systems that have all topics), "mean" (average each system over the
    topics it has, to reproduce numbers). With `lower_is_better` the scores are negated. Summary rows (`all`) are
    never used. Where `systems` or `topics` are given, only these are read, in this order, and what the others lack
    does not matter. `progress(done, total)` is called after each file.

    >>> import io
    >>> read_scores(io.StringIO("topic,bm25,ql\n301,0.25,0.5\n302,0.75,0.25\n"), "map").means().tolist()
    [0.5, 0.375]
    """
    if missing not in get_args(Missing):
        raise InputError(f"missing is {missing!r}: use one of {', '.join(map(repr, get_args(Missing)))}")
    if lower_is_better and missing == "zero":
        raise InputError(
            "missing='zero' would give the best score to a missing topic where lower is better: use 'drop'"
        )
    check_measure(measure)
    wanted = [
        None if names is None else check_labels(names, noun)
        for names, noun in ((topics, "topics"), (systems, "systems"))
    ]
    found = _read_all(sources.expand(what), missing, progress)
    chosen = _choose(found, measure)
    rows = [table.rows(chosen) for table in found]
    if not lower_is_better and (table := next((t for t in found if chosen in t.lower), None)):
        warnings.warn(
            f"{table.source.label} says that lower is better for {chosen!r}: pass lower_is_better=True",
            DataWarning,
            stacklevel=2,
        )
    _refuse_unequal_counts(found, rows)
    if systems is None:
        _refuse_summaries(found, rows)
    values, *labels = _pivot(found, rows, _name(found, rows))
    where = _where(found)
    for axis, names in enumerate(wanted):
        if names is not None:
            places = _places(names, labels[axis], ("topic", "system")[axis], where)
            values, labels[axis] = values.take(places, axis=axis), list(names)
    try:
        filled, kept_topics, kept_systems = fill_or_drop(values, labels[0], labels[1], missing, where=f"{where}: ")
    except InputError as error:
        raise ReadError(str(error), where) from None
    return Scores(0.0 - filled if lower_is_better else filled, kept_topics, kept_systems, chosen)


def _read_all(items: list[Item], missing: Missing, progress: Callable[[int, int], object] | None) -> list[Table]:
    """The tables of all files that hold scores."""
    found: list[Table] = []
    empty: list[Source] = []
    for done, item in enumerate(items, 1):
        source = sources.load(item)
        if source.empty:
            empty.append(source)
        else:
            found.append(recognise(source))
        if progress is not None:
            progress(done, len(items))
    if empty and (missing != "drop-systems" or not found):
        others = f" (and {len(empty) - 1} more: {listing(s.label for s in empty[1:])})" if len(empty) > 1 else ""
        raise empty[0].error(f"is empty{others}: delete it, or go on without it with missing='drop-systems'")
    if empty:
        warnings.warn(f"empty files left out: {listing(s.label for s in empty)}", DataWarning, stacklevel=3)
    scored = [table for table in found if not isinstance(table, Companion)]
    if not scored:
        raise found[0].source.error(
            "holds no scores of topics: tools write it beside them (HELM: give per_instance_stats.json, "
            "MTEB: Task.json)",
            1,
        )
    details = [table for table in scored if not table.summary]
    if details and len(details) < len(scored):
        _refuse_without_details(scored, details)
        left = listing(table.source.label for table in scored if table.summary)
        lost = _without_details(scored, details)
        warnings.warn(
            f"left out, because the scores it summarises are there: {left}"
            + (f"; but of these tasks there are no samples, so they are lost: {listing(lost)}" if lost else ""),
            DataWarning,
            stacklevel=3,
        )
    return details or scored


def _refuse_without_details(scored: list[Table], details: list[Table]) -> None:
    """Summaries of another run than those whose topics are there would vanish."""
    names = {table.source.name or table.names[0] for table in details}
    folders = {table.source.path.absolute().parent for table in details if table.source.path and not table.source.name}
    for table in scored:
        path = None if table.source.name else table.source.path
        known = (table.source.name or table.names[0]) in names or (path and path.absolute().parent in folders)
        if table.summary and not known:
            raise table.source.error(
                f"summarises {table.names[0]!r}, whose samples are not there, but those of "
                f"{listing(sorted(names))} are: give the samples of all, or the results of all without samples"
            )


def _without_details(scored: list[Table], details: list[Table]) -> list[str]:
    """The topics of summaries of which nothing else is there; none where the details do not name their tasks."""

    def topics(tables: Iterable[Table]) -> dict[str, None]:
        return dict.fromkeys(topic for table in tables for rows in table.columns.values() for topic in rows.topics)

    tasks = {topic.rpartition("/")[0] for topic in topics(details)}
    return [] if "" in tasks else [task for task in topics(t for t in scored if t.summary) if task not in tasks]


def _choose(found: list[Table], measure: str | None) -> str:
    """The measure to read. One that is asked for is looked up by each table itself."""
    if measure is not None:
        return measure
    named = [table for table in found if table.named]
    if not named:
        return ""
    available = dict.fromkeys(name for table in named for name in table.measures())
    default = named[0].default if len({table.default for table in named}) == 1 else None
    try:
        return choose_measure(available, None, default)
    except InputError as error:
        raise named[0].source.error(
            str(error).replace("the data hold", "there are" if available else "holds")
        ) from None


def _name(found: list[Table], rows: list[Rows]) -> list[str]:
    """The system of each table that is one run; "" for tables that name their systems themselves.

    Where runs of different origin bear one name (many tools tag every run alike), the files' names tell.
    """
    single = [k for k, part in enumerate(rows) if part.systems is None]
    names = [""] * len(found)
    for k in single:
        names[k] = found[k].source.name or found[k].names[0]
    clashing = _clashes(found, names, single)
    renamed = [k for k in single if names[k] in clashing and not found[k].source.name and len(found[k].names) > 1]
    if renamed:
        old = listing(sorted({names[k] for k in renamed}))
        for k in renamed:
            names[k] = found[k].names[1]
        warnings.warn(
            f"several files hold a run named {old}: named by their files instead: {listing(names[k] for k in renamed)}",
            DataWarning,
            stacklevel=3,
        )
    for name in _clashes(found, names, single):
        files = [found[k].source.label for k in single if names[k] == name]
        raise ReadError(
            f"these files all hold a run named {name!r}: {listing(files)}. Name them: read_scores({{name: path}})",
            files[1],
        )
    return names


def _clashes(found: list[Table], names: list[str], single: list[int]) -> list[str]:
    """Names that tables of more than one origin bear."""
    pairs = Counter(name for name, _ in {(names[k], found[k].origin) for k in single})
    return [name for name, count in pairs.items() if count > 1]


def _refuse_unequal_counts(found: list[Table], rows: list[Rows]) -> None:
    """Files that name no topics are put side by side by their rows; there have to be as many."""
    topics = [list(dict.fromkeys(part.topics)) for part in rows]
    counts = {k: len(labels) for k, labels in enumerate(topics) if are_invented(labels)}
    first = next(iter(counts), 0)
    for k, count in counts.items():
        if count != counts[first]:
            raise found[k].source.error(
                f"has {count} rows without names of topics, and {found[first].source.label} has {counts[first]}: "
                "nothing tells which belong together; give the files a column named topic"
            )


def _refuse_summaries(found: list[Table], rows: list[Rows]) -> None:
    """A column of means would count as one more system."""
    for table, part in zip(found, rows, strict=True):
        wrong = summary_system(dict.fromkeys(part.systems or ()))
        if wrong:
            raise table.source.error(f"{wrong}: leave it out of the file, or name the systems to read with systems=")


def _places(wanted: Iterable[str], labels: list[str], noun: str, where: str) -> list[int]:
    place = {label: k for k, label in enumerate(labels)}
    for name in wanted:
        if name not in place:
            raise ReadError(f"has no {noun} {name!r}{nearest(name, labels)}", where)
    return [place[name] for name in wanted]


def _pivot(found: list[Table], rows: list[Rows], names: list[str]) -> tuple[FloatArray, list[str], list[str]]:
    """Topics x systems, in the order of first appearance, with nan where there is no score."""
    systems = [[names[k]] * len(part.topics) if part.systems is None else part.systems for k, part in enumerate(rows)]
    row, column = (
        {label: k for k, label in enumerate(dict.fromkeys(itertools.chain.from_iterable(lists)))}
        for lists in ([part.topics for part in rows], systems)
    )
    values = np.full(len(row) * len(column), np.nan)
    filled = np.zeros(len(values), dtype=bool)
    for part, own in zip(rows, systems, strict=True):
        places = np.fromiter(map(row.__getitem__, part.topics), np.intp, len(part.topics)) * len(column)
        places += np.fromiter(map(column.__getitem__, own), np.intp, len(own))
        filled[places] = True
        values[places] = part.values
    if np.count_nonzero(filled) < sum(len(part.topics) for part in rows):
        raise _given_twice(found, rows, systems)
    return values.reshape(len(row), len(column)), list(row), list(column)


def _given_twice(found: list[Table], rows: list[Rows], systems: Sequence[Sequence[str]]) -> ReadError:
    """The error that names the first score that was given before."""
    seen: dict[tuple[str, str], str] = {}
    for table, part, own in zip(found, rows, systems, strict=True):
        for k, key in enumerate(zip(part.topics, own, strict=True)):
            if key in seen:
                way_out = "name the runs: read_scores({name: path})" if part.systems is None else "rename it in a file"
                return table.source.error(
                    f"system {key[1]!r} has a score on topic {key[0]!r} already, from {seen[key]}: read them "
                    f"one by one, or {way_out}",
                    part.line(k),
                )
            seen[key] = table.source.label
    raise AssertionError("no score was given twice")


def _where(found: list[Table]) -> str:
    first = found[0].source.label
    return first if len(found) == 1 else f"{first} and {len(found) - 1} more"
