"""`read_scores`: from files of any known format to one `Scores`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ..errors import InputError, warn
from ..scores import Scores, check_labels
from ..tables import Missing, check_measure
from ..tables.assemble import assemble
from ..tables.contents import Contents
from ..tables.missing import check_missing
from ..words import listing
from . import source as sources
from .recognise import Companion, recognise
from .source import Item, Source


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
    check_missing(missing)
    if lower_is_better and missing == "zero":
        raise InputError(
            "missing='zero' would give the best score to a missing topic where lower is better: use 'drop'"
        )
    check_measure(measure)
    wanted = {
        name: None if labels is None else check_labels(labels, name)
        for name, labels in (("systems", systems), ("topics", topics))
    }
    found = _read_all(sources.expand(what), missing, progress)
    assembled = assemble(found, measure, missing, lower_is_better=lower_is_better, **wanted)
    return Scores.of(assembled)


def _read_all(items: list[Item], missing: Missing, progress: Callable[[int, int], object] | None) -> list[Contents]:
    """The tables of all files that hold scores."""
    found: list[Contents] = []
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
        warn(f"empty files left out: {listing(s.label for s in empty)}")
    scored = [table for table in found if not isinstance(table, Companion)]
    if not scored:
        raise found[0].origin.error(
            "holds no scores of topics: tools write it beside them (HELM: give per_instance_stats.json, "
            "MTEB: Task.json)",
            1,
        )
    details = [table for table in scored if not table.summary]
    if details and len(details) < len(scored):
        _refuse_without_details(scored, details)
        left = listing(table.origin.label for table in scored if table.summary)
        lost = _without_details(scored, details)
        warn(
            f"left out, because the scores it summarises are there: {left}"
            + (f"; but of these tasks there are no samples, so they are lost: {listing(lost)}" if lost else "")
        )
    return details or scored


def _refuse_without_details(scored: list[Contents], details: list[Contents]) -> None:
    """Summaries of another run than those whose topics are there would vanish."""
    names = {table.names[0] for table in details}
    folders = {folder for table in details if (folder := _folder(table))}
    for table in scored:
        if table.summary and table.names[0] not in names and _folder(table) not in folders:
            raise table.origin.error(
                f"summarises {table.names[0]!r}, whose samples are not there, but those of "
                f"{listing(sorted(names))} are: give the samples of all, or the results of all without samples"
            )


def _folder(table: Contents) -> Path | None:
    """The folder that a run is in, where the caller gave it no name."""
    source = table.origin
    if not isinstance(source, Source) or source.name or not source.path:
        return None
    return source.path.absolute().parent


def _without_details(scored: list[Contents], details: list[Contents]) -> list[str]:
    """The topics of summaries of which nothing else is there; none where the details do not name their tasks."""

    def topics(tables: Iterable[Contents]) -> dict[str, None]:
        return dict.fromkeys(topic for table in tables for grid in table.grids.values() for topic in grid.topics)

    tasks = {topic.rpartition("/")[0] for topic in topics(details)}
    return [] if "" in tasks else [task for task in topics(t for t in scored if t.summary) if task not in tasks]
