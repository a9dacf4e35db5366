"""Runs: topic, Q0, document, rank, score, tag. The rank is ignored; the order is trec_eval's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..errors import ReadError, warn
from ..judgments.runs import Run, Runs
from ..words import listing
from . import source as sources
from .source import Source


def read_run(what: Any) -> Run:
    r"""Read one run. A tag that differs from the file's name is warned of.

    >>> import io
    >>> file = io.StringIO("1 Q0 d1 1 0.5 bm25\n1 Q0 d2 2 0.5 bm25\n1 Q0 d3 3 0.75 bm25\n")
    >>> read_run({"bm25": file}).documents["1"]
    ('d3', 'd2', 'd1')
    """
    items = sources.expand(what)
    if len(items) != 1:
        raise ReadError(f"stands for {len(items)} files: use read_runs", str(what))
    run = _read(items[0])
    _warn_tags({run.name: run.tag})
    return run


def read_runs(what: Any) -> Runs:
    """Read the runs of a folder, a glob, a list of files or {name: path}. Tags that differ are warned of."""
    tags: dict[str, str] = {}

    def each() -> Iterator[Run]:
        labels: dict[str, str] = {}
        for item in sources.expand(what):
            run = _read(item)
            label = str(item.file) if not hasattr(item.file, "read") else run.name
            if run.name in labels:
                raise ReadError(
                    f"is named {run.name!r}, as is {labels[run.name]}: name them, read_runs({{name: path}})",
                    label,
                )
            labels[run.name], tags[run.name] = label, run.tag
            yield run

    runs = Runs.of(each())
    _warn_tags(tags)
    return runs


def _warn_tags(tags: dict[str, str]) -> None:
    other = [f"{name} (tag {tag})" for name, tag in tags.items() if tag != name]
    if other:
        warn(f"named by their files, although the tags inside differ: {listing(other)}")


def _read(item: sources.Item) -> Run:
    source = sources.load(item)
    if source.empty:
        raise source.error("is empty: it holds no documents")
    topics, documents, values, tag = _in_bulk(source) or _by_line(source)
    source.warn_if_cut()
    places: dict[bytes, list[int]] = {}
    for place, topic in enumerate(topics):
        places.setdefault(topic, []).append(place)
    ranked: dict[str, tuple[str, ...]] = {}
    scores: dict[str, FloatArray] = {}
    for topic, rows in places.items():
        # UTF-8 sorts as bytes just as its characters do, so this is strcmp's order.
        order = sorted(((values[k], documents[k]) for k in rows), reverse=True)
        if len({document for _, document in order}) < len(order):
            _refuse_twice(source, topic)
        ranked[topic.decode()] = tuple(document.decode() for _, document in order)
        scores[topic.decode()] = np.array([score for score, _ in order], dtype=np.float32)
    name = source.name or (source.run_name() if source.path else tag.decode())
    return Run(name, tag.decode(), ranked, scores)


_Columns = tuple[list[bytes], list[bytes], list[float], bytes]


def _in_bulk(source: Source) -> _Columns | None:
    """The columns of a file in which each line has six fields and one tag; None if anything is unusual."""
    fields = source.data.split()
    lines = source.data.count(b"\n") + (not source.data.endswith(b"\n"))
    if len(fields) != 6 * lines or any(topic.startswith(b"#") for topic in set(fields[::6])):
        return None
    if set(fields[1::6]) != {b"Q0"} or len(set(fields[5::6])) != 1:
        return None
    values = _as_float32(fields[4::6])
    return None if values is None else (fields[::6], fields[2::6], values, fields[5])


def _as_float32(texts: list[bytes]) -> list[float] | None:
    """Scores as trec_eval keeps them. Infinite scores have an order; nan has none."""
    try:
        values = np.array([float(text) for text in texts])
    except ValueError:
        return None
    if np.isnan(values).any() or b"_" in b"".join(texts):
        return None
    with np.errstate(over="ignore"):
        return [float(value) for value in values.astype(np.float32)]


def _by_line(source: Source) -> _Columns:
    """The same line by line, to say what is wrong and where; trec_eval allows words after the tag."""
    topics, documents, values, tags = [], [], [], []
    source.refuse_hidden_rows(6)
    for line, text in source.lines():
        fields = text.split(None, 6)
        if len(fields) < 6:
            raise source.error(f"has {len(fields)} fields: a run has 6, topic, Q0, document, rank, score and tag", line)
        value = _as_float32(fields[4:5])
        if value is None:
            raise source.error(f"the score {fields[4].decode()!r} is not a number", line)
        topics.append(fields[0])
        documents.append(fields[2])
        values.append(value[0])
        tags.append(fields[5])
    if len(set(tags)) > 1:
        warn(f"{source.label} holds several tags: {listing(t.decode() for t in dict.fromkeys(tags))}")
    return topics, documents, values, tags[0]


def _refuse_twice(source: Source, topic: bytes) -> None:
    seen: dict[bytes, int] = {}
    for line, text in source.lines():
        fields = text.split()
        if fields[0] != topic:
            continue
        if fields[2] in seen:
            raise source.error(
                f"document {fields[2].decode()!r} is ranked twice on topic {topic.decode()!r} (first at "
                f"line {seen[fields[2]]})",
                line,
            )
        seen[fields[2]] = line
