"""Inspect (inspect_ai): a log as JSON, one task of one model a file. The samples are the topics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ..source import Source
from ..tables.cells import plain_number, warn_of
from ..tables.contents import Contents
from ..tables.pivot import Grid
from .nested import finite

# Inspect's own values of grades and words (inspect_ai.scorer.value_to_float).
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def is_inspect(content: Any) -> bool:
    """A log of Inspect."""
    run = content.get("eval") if isinstance(content, dict) else None
    return isinstance(run, dict) and "model" in run and "task" in run


class _Inspect(Contents):
    """A log. Where a sample's value is no score, the measure is refused when it is asked for."""

    format = "Inspect log"

    def __init__(self, source: Source, grids: Mapping[str, Grid], bad: Mapping[str, str]) -> None:
        super().__init__(source, grids)
        self.bad = bad

    def grid(self, measure: str) -> Grid:
        """The scores of one measure."""
        if measure in self.grids and measure in self.bad:
            raise self.origin.error(self.bad[measure], 1)
        return super().grid(measure)


def read_inspect(source: Source, content: Any) -> Contents:
    """The scores of one model on one task, a topic for each sample: `task/id`; a measure for each scorer."""
    run = content["eval"]
    columns: dict[str, dict[tuple[str, int], float]] = {}
    bad: dict[str, str] = {}
    reduced = _reduced(content)
    for scorer, sample, epoch, value in reduced or _scored(content):
        topic = f"{run['task']}/{sample}"
        for measure, part in _parts(scorer, value):
            found = columns.setdefault(measure, {})
            if (topic, epoch) in found:
                raise source.error(f"sample {topic!r} has {measure!r} twice", 1)
            score = _score(part)
            if score is None:
                bad.setdefault(measure, f"{measure!r} of sample {topic!r} is {str(part)[:40]!r}, which is not a score")
            found[topic, epoch] = (
                math.nan if score is None or _is_nan(score) else finite(source, score, f"{topic!r} ({measure})")
            )
    columns = {name: found for name, found in columns.items() if not all(map(_is_nan, found.values()))}
    if not columns:
        raise source.error("holds no scored samples: write the log with its samples (inspect log convert --to json)", 1)
    if content.get("status", "success") != "success":
        warn_of(source, f"the status of this log is {content['status']!r}, not success")
    samples = [f"{run['task']}/{sample['id']}" for sample in _dicts(content.get("samples")) if "id" in sample]
    # A sample without a score, because of an error, has nan. Epochs are repeated runs.
    grids = {measure: Grid.of_runs(found, samples) for measure, found in columns.items()}
    table = _Inspect(source, grids, bad)
    table.names = (str(run["model"]), source.run_name())
    table.part_of = table.names[0]  # tasks of one model
    return table


def _score(value: Any) -> float | None:
    """A value as Inspect counts it; nan where there is none, None where it is no score."""
    if value is None:
        return math.nan
    if isinstance(value, str):
        word = _GRADES.get(value, _WORDS.get(value.lower()))
        return plain_number(value) if word is None else word
    return value if isinstance(value, int | float) else None


def _is_nan(value: float) -> bool:
    return isinstance(value, float) and math.isnan(value)


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
