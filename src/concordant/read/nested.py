"""Dictionaries as JSON: pytrec_eval's results, ranx's `Run.scores`, and its report, which has no topics."""

from __future__ import annotations

from typing import Any

from ..errors import InputError
from ..frames import nested_records
from .source import Source
from .table import OneColumn, Rows, Table, without_summary


def is_ranx_report(content: Any) -> bool:
    """A ranx report: means and significance tests of each model."""
    return isinstance(content, dict) and {"stat_test", "model_names", "metrics"} <= content.keys()


def refuse_ranx_report(source: Source, content: Any) -> Table:
    """Say what a ranx report lacks and what to write instead."""
    raise source.error(
        "is a ranx report: it has the mean of each model, but no scores of topics. Evaluate with "
        "ranx.evaluate(qrels, run, metrics, save_results_in_run=True), then write run.scores as JSON, "
        "one file a run",
        1,
    )


def is_nested(content: Any) -> bool:
    """Two or three levels of dictionaries with numbers at the bottom."""
    if not isinstance(content, dict) or not content:
        return False
    for inner in content.values():
        if not isinstance(inner, dict) or not inner:
            return False
        for value in inner.values():
            bottom = value.values() if isinstance(value, dict) and value else [value]
            if not all(isinstance(v, int | float) for v in bottom):
                return False
    return True


def read_nested(source: Source, content: Any) -> Table:
    """The scores of one run or of several, in pytrec_eval's nesting or ranx's."""
    columns: dict[str, list[tuple[str, str, float]]] = {}
    deep = any(isinstance(v, dict) for inner in content.values() for v in inner.values())
    try:
        records = list(nested_records(content, "", None))
    except InputError as error:
        raise source.error(str(error), 1) from None
    for system, topic, measure, value in records:
        columns.setdefault(measure, []).append((system, topic, finite(source, value, f"{topic!r} ({measure})")))
    one_run = not deep and all(system == "" for system, _, _, _ in records)
    tables = {
        measure: without_summary(
            source,
            Rows([t for _, t, _ in rows], [v for _, _, v in rows], None if one_run else [s for s, _, _ in rows]),
            "write the dictionary of all topics",
        )
        for measure, rows in columns.items()
    }
    return OneColumn(source, tables[""]) if set(tables) == {""} else Table(source, tables)


def finite(source: Source, value: Any, what: str, line: int | None = None) -> float:
    """A number of JSON as a score. JSON has no infinite numbers, but Python writes and reads them."""
    if isinstance(value, int | float):
        try:
            result = float(value)
        except OverflowError:
            result = float("inf")
        if result - result == 0:
            return result
    raise source.error(f"the score of {what} is {str(value)[:40]}, not a finite number", line)
