"""AlpacaEval's annotations: one record per instruction, with a judge's preference for the second of two systems."""

from __future__ import annotations

from typing import Any

from ..source import Source
from ..tables.cells import cell_number
from ..tables.contents import Contents
from ..tables.pivot import Grid, join

_KEYS = frozenset({"instruction", "generator_1", "generator_2", "preference"})


def is_annotations(content: Any) -> bool:
    """annotations.json of AlpacaEval."""
    return isinstance(content, list) and bool(content) and isinstance(content[0], dict) and content[0].keys() >= _KEYS


def read_annotations(source: Source, content: Any) -> Contents:
    """The preferences (1 to 2) by system, `generator_2`; the instructions are the topics.

    An instruction that occurs again is a topic of its own: `instruction [2]`.
    """
    scores: dict[str, dict[str, float]] = {}
    for place, record in enumerate(content):
        if not isinstance(record, dict) or not record.keys() >= _KEYS:
            raise source.error(f"record {place} is not an annotation: it needs {', '.join(sorted(_KEYS))}", 1)
        value = cell_number(record["preference"])
        if value is None:
            raise source.error(f"the preference of record {place} is {record['preference']!r}, not a number", 1)
        found = scores.setdefault(str(record["generator_2"]), {})
        topic, times = str(record["instruction"]), 2
        while topic in found:
            topic, times = f"{record['instruction']} [{times}]", times + 1
        found[topic] = value
    grids = [Grid.of_run(found) for found in scores.values()]
    table = Contents(
        source, {"preference": join(grids, list(scores), lambda k, system, topic: source.error("cannot happen"))}
    )
    table.format = "AlpacaEval annotations"
    return table
