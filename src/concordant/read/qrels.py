"""qrels: topic, iteration, document, grade, separated by any whitespace."""

from __future__ import annotations

import re
from typing import Any

from ..errors import ReadError
from . import source as sources
from .source import Source, number

_INTEGER = re.compile(rb"[+-]?\d{1,18}")
Qrels = dict[str, dict[str, float]]


def read_qrels(what: Any) -> Qrels:
    r"""Read relevance judgments as {topic: {document: grade}}, topics and documents in the order of the file.

    The iteration is ignored. Grades are `int` where the whole file is written in whole numbers, -1 included;
    otherwise all are `float`, exactly as written, and never truncated: a grade of 0.7 is not 0. Topics that
    no run has are kept. A document judged twice on a topic is an error. gzip and open files are read, too.

    >>> import io
    >>> read_qrels(io.StringIO("1 0.5  010vptx3 2\n1 1  02f0opkr -1\n"))
    {'1': {'010vptx3': 2, '02f0opkr': -1}}
    """
    items = sources.expand(what)
    if len(items) != 1:
        raise ReadError(f"stands for {len(items)} files: read qrels one file at a time", str(what))
    source = sources.load(items[0])
    if source.empty:
        raise source.error("is empty: it holds no judgments")
    rows = _rows(source)
    whole = all(_INTEGER.fullmatch(grade) for _, _, _, grade in rows)
    qrels: Qrels = {}
    for line, topic, document, text in rows:
        grade = int(text) if whole else number(text)
        if grade is None:
            raise source.error("the grade is not a finite number", line)
        judged = qrels.setdefault(topic.decode(), {})
        name = document.decode()
        if name in judged:
            raise source.error(f"document {name!r} is judged twice on topic {topic.decode()!r}", line)
        judged[name] = grade
    source.warn_if_cut()
    return qrels


def _rows(source: Source) -> list[tuple[int, bytes, bytes, bytes]]:
    rows = []
    for line, text in source.lines():
        fields = text.split()
        if len(fields) != 4:
            raise source.error(f"has {len(fields)} fields: qrels have 4, topic, iteration, document and grade", line)
        rows.append((line, fields[0], fields[2], fields[3]))
    return rows
