"""Dictionaries as JSON: pytrec_eval's results, ranx's `Run.scores`, and its report, which has no topics."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from ..errors import InputError
from ..frames import nested_records, warn_of_nesting
from .source import Source
from .table import Rows, Table, without_summary


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
    """Two or three levels of dictionaries with numbers, or null, at the bottom."""
    if not isinstance(content, dict) or not content:
        return False
    found = False
    for inner in content.values():
        if not isinstance(inner, dict) or not inner:
            return False
        for value in inner.values():
            bottom = value.values() if isinstance(value, dict) and value else [value]
            if not all(v is None or isinstance(v, int | float) for v in bottom):
                return False
            found = found or any(v is not None for v in bottom)
    return found


class Nested(Table):
    """The scores of one run or of several, in pytrec_eval's nesting or ranx's: which, the measure may tell."""

    def __init__(self, source: Source, content: Any) -> None:
        super().__init__(source)
        self.content = content

    @property
    def named(self) -> bool:
        """Whether a level of the nesting names measures."""
        return any(measure for _, _, measure, _ in self._records(None))

    def measures(self) -> Collection[str]:
        """The measures, in the order of the file."""
        return list(dict.fromkeys(measure for _, _, measure, _ in self._records(None)))

    def rows(self, measure: str) -> Rows:
        """The scores of one measure."""
        # "" is no name of a measure, but what is chosen where there is none.
        records = self._records(measure or None)
        found = [(s, t, v) for s, t, m, v in records if m == measure]
        if not found:
            raise self.no_measure(measure)
        warn_of_nesting(self.content, records, f"{self.source.label}: ")
        values = [math.nan if v is None else finite(self.source, v, f"{t!r} ({measure})") for _, t, v in found]
        systems = None if all(s == "" for s, _, _ in found) else [s for s, _, _ in found]
        rows = Rows([t for _, t, _ in found], values, systems)
        self.warn_of_lost(measure, (topic for _, topic, _, _ in records), rows)
        return without_summary(self.source, rows, "write the dictionary of all topics")

    def _records(self, measure: str | None) -> list[tuple[str, str, str, Any]]:
        try:
            return nested_records(self.content, "", measure)
        except InputError as error:
            raise self.source.error(str(error), 1) from None


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
