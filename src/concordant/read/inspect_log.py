"""Inspect (inspect_ai): a log as JSON, one task of one model a file. The samples are the topics."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from ..errors import DataWarning
from .nested import finite
from .source import Source
from .table import Rows, Table

# Inspect's own values of grades and words (inspect_ai.scorer.value_to_float).
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def is_inspect(content: Any) -> bool:
    """A log of Inspect."""
    run = content.get("eval") if isinstance(content, dict) else None
    return isinstance(run, dict) and "model" in run and "task" in run


def read_inspect(source: Source, content: Any) -> Table:
    """The scores of one model on one task, a topic for each sample: `task/id`; a measure for each scorer."""
    run = content["eval"]
    columns: dict[str, dict[str, float]] = {}
    for scorer, sample, value in _reduced(content) or _scored(content):
        topic = f"{run['task']}/{sample}"
        for measure, part in _parts(scorer, value):
            score = _GRADES.get(part) if isinstance(part, str) else part
            if not isinstance(score, int | float):
                continue
            found = columns.setdefault(measure, {})
            if topic in found:
                raise source.error(f"sample {topic!r} has {measure!r} twice", 1)
            found[topic] = finite(source, score, f"{topic!r} ({measure})")
    if not columns:
        raise source.error("holds no scored samples: write the log with its samples (inspect log convert --to json)", 1)
    if content.get("status", "success") != "success":
        warnings.warn(
            f"{source.label}: the status of this log is {content['status']!r}, not success",
            DataWarning,
            stacklevel=2,
        )
    table = Table(source, {name: Rows(list(found), list(found.values())) for name, found in columns.items()})
    table.names = (str(run["model"]), *table.names)
    table.origin = table.names[0]  # tasks of one model
    return table


def _reduced(content: Any) -> list[tuple[str, Any, Any]]:
    """Scorer, sample and value after Inspect's own reduction of several epochs to one score."""
    found = []
    for reduction in _dicts(content.get("reductions")):
        for sample in _dicts(reduction.get("samples")):
            if "sample_id" in sample and "value" in sample:
                found.append((str(reduction.get("scorer", "score")), sample["sample_id"], sample["value"]))
    return found


def _scored(content: Any) -> Iterator[tuple[str, Any, Any]]:
    for sample in _dicts(content.get("samples")):
        epoch = sample.get("epoch", 1)
        name = sample.get("id") if epoch == 1 else f"{sample.get('id')}[epoch {epoch}]"
        scores = sample.get("scores")
        for scorer, score in scores.items() if isinstance(scores, dict) else ():
            if isinstance(score, dict) and "value" in score:
                yield scorer, name, score["value"]


def _parts(scorer: str, value: Any) -> list[tuple[str, Any]]:
    """A scorer may give several values, as a dictionary: each is a measure."""
    if isinstance(value, dict):
        return [(f"{scorer}/{key}", part) for key, part in value.items()]
    return [(scorer, value)]


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []
