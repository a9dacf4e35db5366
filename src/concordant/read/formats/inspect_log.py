"""Inspect (inspect_ai): a log as JSON, one task of one model a file. The samples are the topics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..source import Source
from ..tables.cells import plain_number, warn_of
from ..tables.contents import Contents
from .records import Gathered

# Inspect's own values of grades and words (inspect_ai.scorer.value_to_float).
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def is_inspect(content: Any) -> bool:
    """A log of Inspect."""
    run = content.get("eval") if isinstance(content, dict) else None
    return isinstance(run, dict) and "model" in run and "task" in run


def read_inspect(source: Source, content: Any) -> Contents:
    """The scores of one model on one task, a topic for each sample: `task/id`; a measure for each scorer.

    A sample without a score, because of an error, has nan. Epochs are repeated runs.
    """
    run = content["eval"]
    found, bad = Gathered(source), dict[str, str]()
    for scorer, sample, epoch, value in _reduced(content) or _scored(content):
        for measure, part in _parts(scorer, value):
            score = _score(part)
            if score is None:
                said = f"{measure!r} of sample {sample!r} is {str(part)[:40]!r}, which is not a score"
                bad.setdefault(measure, said)
            found.add(measure, f"{run['task']}/{sample}", score, epoch)
    for measure, said in bad.items():
        del found.scores[measure]
        if not found.scores:
            raise source.error(said, 1)
        warn_of(source, f"measure {measure!r} left out: {said}")
    if content.get("status", "success") != "success":
        warn_of(source, f"the status of this log is {content['status']!r}, not success")
    samples = [f"{run['task']}/{sample['id']}" for sample in _dicts(content.get("samples")) if "id" in sample]
    return found.contents("Inspect log", str(run["model"]), str(run["model"]), samples)


def _score(value: Any) -> float | None:
    """A value as Inspect counts it; nan where there is none, None where it is no score."""
    if value is None:
        return math.nan
    if isinstance(value, str):
        word = _GRADES.get(value, _WORDS.get(value.lower()))
        return plain_number(value) if word is None else word
    return value if isinstance(value, int | float) else None


def _reduced(content: Any) -> list[tuple[str, Any, int, Any]]:
    """Scorer, sample, 1 and value after Inspect's own reduction of epochs, where it is not their mean."""
    found, reductions = [], _dicts(content.get("reductions"))
    several = any(sample.get("epoch", 1) != 1 for sample in _dicts(content.get("samples")))
    if several and all(reduction.get("reducer") in (None, "mean") for reduction in reductions):
        return []
    for reduction in reductions:
        for sample in _dicts(reduction.get("samples")):
            if "sample_id" in sample and "value" in sample:
                found.append((str(reduction.get("scorer", "score")), sample["sample_id"], 1, sample["value"]))
    return found


def _scored(content: Any) -> Iterator[tuple[str, Any, int, Any]]:
    for sample in _dicts(content.get("samples")):
        scores = sample.get("scores")
        for scorer, score in scores.items() if isinstance(scores, dict) else ():
            if isinstance(score, dict) and "value" in score:
                yield scorer, sample.get("id"), sample.get("epoch", 1), score["value"]


def _parts(scorer: str, value: Any) -> list[tuple[str, Any]]:
    """A scorer may give several values, as a dictionary: each is a measure."""
    if isinstance(value, dict):
        return [(f"{scorer}/{key}", part) for key, part in value.items()]
    return [(scorer, value)]


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []
