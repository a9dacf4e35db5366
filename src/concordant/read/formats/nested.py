"""Dictionaries as JSON: pytrec_eval's results, ranx's `Run.scores`, and its report, which has no topics."""

from __future__ import annotations

from typing import Any

from ..source import Source
from ..tables.contents import Contents
from ..tables.nested import unwrapped
from ..tables.numbers import cell_number


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
