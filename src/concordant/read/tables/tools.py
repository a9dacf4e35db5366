"""What evaluation tools return in Python, as nested dictionaries.

Tools are told by what their objects have, so that none of them is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ...errors import InputError, InputTypeError
from .cells import Given
from .nested import NestedScores

_NO_ARRAYS = "names no topics: give the scores with their topics, as ranx has them in run.scores after ranx.evaluate"
_NO_TOPICS = (
    "of ranx holds means, not the scores of topics: give {run.name: run.scores for run in runs}, after ranx.evaluate "
    "or ranx.compare"
)


def results_contents(given: Any, system: str, label: str = "the dictionary") -> NestedScores:
    """The scores of what a tool returned; where it is of one run, this is called `system`."""
    found = NestedScores(Given(label), as_nested(given))
    found.names = (system,)
    return found


def as_nested(given: Any) -> Any:
    """Results of one system, or {system: results}, as dictionaries.

    Results are dictionaries already (pytrec_eval, ranx's `Run.scores`), a ranx `Run`, or what ir_measures gives: the
    metrics of `iter_calc`, or the results of `calc`.
    """
    if not isinstance(given, Mapping):
        return _results(given, "")
    _refuse_means(given, "")
    return {name: _results(results, f" of {name!r}") for name, results in given.items()}


def _results(results: Any, of: str) -> Any:
    if isinstance(results, Mapping):
        _refuse_means(results, of)
        return results
    if isinstance(results, np.ndarray):
        raise InputTypeError(f"the array{of} {_NO_ARRAYS}")
    tool = type(results).__module__.partition(".")[0]
    if tool == "ranx":
        return _ranx(results, of)
    records = getattr(results, "per_query", results)
    if isinstance(records, Iterable) and not isinstance(records, str | bytes):
        return _metrics(records, of)
    return results


def _refuse_means(results: Mapping[Any, Any], of: str) -> None:
    if {"stat_test", "model_names"} <= results.keys():
        raise InputTypeError(f"the report{of} {_NO_TOPICS}")
    if any(isinstance(value, np.ndarray) for value in results.values()):
        raise InputTypeError(f"the results{of} hold an array, which {_NO_ARRAYS}")
    means = [key for key, value in results.items() if not isinstance(value, Mapping)]
    if any(type(key).__module__.partition(".")[0] == "ir_measures" for key in means):
        way_out = "give the scores of each topic, list(ir_measures.iter_calc(measures, qrels, run))"
        raise InputError(f"the results{of} are means over topics, as ir_measures.calc_aggregate gives them: {way_out}")


def _ranx(run: Any, of: str) -> Any:
    scores = getattr(run, "scores", None)
    if not isinstance(scores, Mapping):
        raise InputTypeError(f"the {type(run).__name__}{of} {_NO_TOPICS}")
    if not scores:
        raise InputError(f"the ranx run {run.name!r} holds no scores: call ranx.evaluate(qrels, run, measures) first")
    return scores


def _metrics(records: Iterable[Any], of: str) -> dict[str, dict[str, Any]]:
    """{topic: {measure: value}} of ir_measures' metrics."""
    nested: dict[str, dict[str, Any]] = {}
    for record in records:
        if not all(hasattr(record, name) for name in ("query_id", "measure", "value")):
            what = f"{record!r:.100}, which is not a metric with query_id, measure and value"
            raise InputTypeError(f"the results{of} hold {what}")
        topic, measure = str(record.query_id), str(record.measure)
        if measure in nested.setdefault(topic, {}):
            raise InputError(f"the results{of} hold {measure} of topic {topic!r} twice: leave one out")
        nested[topic][measure] = record.value
    return nested
