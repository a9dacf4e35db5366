"""qrels: topic, iteration, document, grade, separated by any whitespace."""

from __future__ import annotations

from typing import Any

from ..errors import ReadError
from ..read import source as sources
from ..read.source import Source
from ..read.tables.numbers import not_a_number, plain_number
from .qrels import MOST, Qrels


def read_qrels(what: Any) -> Qrels:
    r"""Read relevance judgments: a mapping {topic: {document: grade}}, topics in the order of the file.

    The iteration is ignored. Grades are `int` where all of the file are whole numbers, -1 included; otherwise all are
    `float`, exactly as written, and never truncated: a grade of 0.7 is not 0. Topics that no run has are kept. A
    document judged twice on a topic is an error. gzip and open files are read, too.

    >>> import io
    >>> read_qrels(io.StringIO("1 0.5  010vptx3 2\n1 1  02f0opkr -1\n"))["1"]
    {'010vptx3': 2, '02f0opkr': -1}

    See Also
    --------
    evaluate : Score every run on every topic.
    read_runs : Read the runs of a folder.

    """
    items = sources.expand(what)
    if len(items) != 1:
        raise ReadError(f"stands for {len(items)} files: read qrels one file at a time", str(what))
    source = sources.load(items[0])
    if source.empty:
        raise source.error("is empty: it holds no judgments")
    topics: dict[str, int] = {}
    documents: dict[str, int] = {}
    judged: dict[tuple[int, int], float] = {}
    for line, topic, document, text in _rows(source):
        grade = plain_number(text)
        if grade is None:
            raise source.error(not_a_number(text.decode(), what="the grade ", missing="leave out the line"), line)
        if abs(grade) > MOST:
            raise source.error(f"the grade is beyond {MOST:g}", line)
        pair = topics.setdefault(topic.decode(), len(topics)), documents.setdefault(document.decode(), len(documents))
        if pair in judged:
            raise source.error(f"document {document.decode()!r} is judged twice on topic {topic.decode()!r}", line)
        judged[pair] = grade
    source.warn_if_cut()
    return Qrels.of_columns(tuple(topics), tuple(documents), [(*pair, grade) for pair, grade in judged.items()])


def _rows(source: Source) -> list[tuple[int, bytes, bytes, bytes]]:
    rows = []
    source.refuse_hidden_rows(4)
    for line, text in source.lines():
        fields = text.split()
        if len(fields) != 4:
            raise source.error(f"has {len(fields)} fields: qrels have 4, topic, iteration, document and grade", line)
        rows.append((line, fields[0], fields[2], fields[3]))
    return rows
