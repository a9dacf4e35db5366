"""WMT's metric scores: JSONL with one record per document, which holds one score per segment; one file per system."""

from __future__ import annotations

import math
from typing import Any

from ..source import Source
from ..tables.cells import cell_number
from ..tables.contents import Contents
from ..tables.pivot import Grid


def is_document(record: Any) -> bool:
    """One line: a document and its lists of scores."""
    return isinstance(record, dict) and "document_id" in record and isinstance(record.get("metric_scores"), dict)


def read_documents(source: Source, records: list[tuple[int, Any]]) -> Contents:
    """The scores of one system: a topic for each segment, `en-cs/document#segment`, from 0; a measure for each metric.

    A document is translated into several languages, so the pair belongs to the name also where a system has only one.
    Segments of a document in one language are a group: a system that fails on one often fails on the next.
    """
    scores: dict[str, dict[str, float]] = {}
    documents: dict[str, str] = {}
    for line, record in records:
        if not is_document(record):
            raise source.error("is not a document with metric_scores, as the first line is", line)
        document = "/".join(str(record[key]) for key in ("language_pair", "document_id") if key in record)
        for metric, values in record["metric_scores"].items():
            found = scores.setdefault(str(metric), {})
            for segment, value in enumerate(values if isinstance(values, list) else [values]):
                score, topic = cell_number(value), f"{document}#{segment}"
                if score is None:
                    raise source.error(f"{metric!r} of segment {topic!r} is {value!r}, not a number", line)
                if topic in found:
                    raise source.error(f"segment {topic!r} has {metric!r} twice", line)
                found[topic], documents[topic] = score, document
    topics = dict.fromkeys(topic for found in scores.values() for topic in found)
    table = Contents(
        source,
        {name: Grid.of_run(dict.fromkeys(topics, math.nan) | found) for name, found in scores.items()},
    )
    table.format = "WMT metric scores"
    table.groups = documents
    return table
