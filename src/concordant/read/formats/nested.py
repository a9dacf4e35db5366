"""Dictionaries as JSON: of pytrec_eval and ranx, ranx's report, {system: mean}, and frames of pandas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...words import listing
from ..source import Source
from ..tables import vocabulary
from ..tables.cells import cell_number
from ..tables.contents import Contents
from ..tables.nested import unwrapped
from ..tables.pivot import MEAN, Grid


def is_ranx_report(content: Any) -> bool:
    """A ranx report: means and significance tests of each model."""
    return isinstance(content, dict) and {"stat_test", "model_names", "metrics"} <= content.keys()


def refuse_ranx_report(source: Source, content: Any) -> Contents:
    """Say what a ranx report lacks and what to write instead."""
    raise source.error(
        "is a ranx report: it has the mean of each model, but no scores of topics. Evaluate with "
        "ranx.evaluate(qrels, run, metrics, save_results_in_run=True), then write run.scores as JSON, "
        "one file a run",
        1,
    )


def is_nested(content: Any) -> bool:
    """Two or three levels of dictionaries with numbers or holes at the bottom; perhaps below one more key."""
    content = unwrapped(content)
    if not isinstance(content, dict) or not content:
        return False
    found = False
    for inner in content.values():
        if not isinstance(inner, dict) or not inner:
            return False
        for value in inner.values():
            bottom = value.values() if isinstance(value, dict) and value else [value]
            if not all(isinstance(v, int | float) or cell_number(v) is not None for v in bottom):
                return False
            found = found or any(v is not None for v in bottom)
    return found


def is_means(content: Any) -> bool:
    """One number per name."""
    return isinstance(content, dict) and bool(content) and all(cell_number(v) is not None for v in content.values())


def read_means(source: Source, content: Any) -> Contents:
    """One score per system, {system: mean}; refused where the names are those of something else."""
    names = list(content)
    other = [
        name
        for name in names
        if vocabulary.looks_like_measure(name) or vocabulary.names_fact(name) or vocabulary.is_summary(name)
    ]
    if other or len(names) < 2 or vocabulary.axis_of(names) != "systems":
        raise source.other_kind(  # settings beside scores are such files, too
            f"has one number for each of {listing(other or names, 5)}, which may be no systems: for one score per "
            "system, write CSV below the header system,score",
            1,
        )
    return Contents(source, {"": Grid(np.array([[cell_number(v) for v in content.values()]], float), [MEAN], names)})


def rows_of_frame(content: Any) -> list[dict[str, Any]] | None:
    """The rows of a frame that pandas wrote (orient split, table, columns or index), an index first; else None."""
    if not isinstance(content, dict) or not content:
        return None
    data, names = content.get("data"), content.get("columns")
    if isinstance(data, list) and "schema" in content and all(isinstance(row, dict) for row in data):
        index = [str(row.get("index", "")) for row in data]
        return [{k: v for k, v in row.items() if k != "index"} for row in data] if vocabulary.counts(index) else data
    if isinstance(data, list) and isinstance(names, list):
        rows = [dict(zip(map(str, names), row, strict=True)) for row in data if isinstance(row, list)]
        return _with_index(list(map(str, content.get("index", range(len(rows))))), rows)
    inner = list(content.values())
    if not all(isinstance(part, dict) and part and part.keys() == inner[0].keys() for part in inner):
        return None
    by_column = {key: [content[name][key] for name in content] for key in inner[0]}
    if any(_are_labels(name, list(content[name].values())) for name in content):
        return _with_index(list(by_column), [dict(zip(content, cells, strict=True)) for cells in by_column.values()])
    return _with_index(list(content), inner) if any(map(_are_labels, by_column, by_column.values())) else None


def _are_labels(name: str, cells: Iterable[Any]) -> bool:
    """Whether a column holds topics or systems, by its name; systems are words."""
    return vocabulary.names_topics(name) or (
        vocabulary.names_systems(name) and all(isinstance(cell, str) for cell in cells)
    )


def _with_index(index: list[str], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return rows if vocabulary.counts(index) else [{"": label, **row} for label, row in zip(index, rows, strict=True)]
