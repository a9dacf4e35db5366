"""Read runs (topic, Q0, document, rank, score, tag) and judgments (topic, iteration, document, grade) from files.

Documents are ordered as in trec_eval; the rank column is ignored.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import ReadError, counted, listing, warn
from ..read import source as sources
from ..read.source import Source
from ..read.tables.vocabulary import not_a_number, plain_number, plain_numbers
from .qrels import MOST, Qrels
from .runs import Run, Runs


def read_runs(what: Any) -> Runs:
    """Read the runs of a folder, a glob, a list of files or {name: path}. Warn about tags that differ from the names.

    See Also
    --------
    evaluate : Score every run on every topic.
    read_qrels : Read relevance judgments.

    """
    tags: dict[str, str] = {}

    def each() -> Iterator[Run]:
        labels: dict[str, str] = {}
        for item in sources.expand(what):
            run = _read(item)
            label = str(item.file) if not hasattr(item.file, "read") else run.name
            if run.name in labels:
                raise ReadError(
                    f"is named {run.name!r}, like {labels[run.name]}: name them with read_runs({{name: path}})",
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
        warn(f"runs named by their files, although their tags differ: {listing(other)}")


def _read(item: sources.Item) -> Run:
    source = sources.load(item)
    if source.empty:
        raise source.error("is empty: it holds no documents")
    found, tag = _in_bulk(source) or _by_line(source)
    source.warn_if_cut()
    ranked: dict[str, tuple[str, ...]] = {}
    for topic in list(found):
        # UTF-8 bytes sort like their characters, so this is the order of strcmp.
        order = sorted(zip(*found.pop(topic), strict=True), reverse=True)
        if len({document for _, document in order}) < len(order):
            _refuse_twice(source, topic)
        ranked[topic.decode()] = tuple(document.decode() for _, document in order)
    name = source.name or (source.run_name() if source.path else tag.decode())
    return Run(name, tag.decode(), ranked)


_Lists = dict[bytes, "tuple[array[float], list[bytes]]"]  # for each topic, its scores and its documents
_PIECE = 2**22  # number of bytes to split at a time; split into fields, they take ten times as much memory


def _add(found: _Lists, topics: list[bytes], documents: list[bytes], values: list[float]) -> None:
    for topic, document, value in zip(topics, documents, values, strict=True):
        own = found.get(topic)
        if own is None:
            own = found[topic] = array("f"), []
        own[0].append(value)
        own[1].append(document)


def _in_bulk(source: Source) -> tuple[_Lists, bytes] | None:
    """Read a file whose lines all have six fields and the same tag; None if anything is unusual."""
    found: _Lists = {}
    data, start, tags = source.data, 0, set()
    while start < len(data):
        end = len(data) if len(data) - start <= _PIECE else data.find(b"\n", start + _PIECE) + 1 or len(data)
        piece, start = data[start:end], end
        fields = piece.split()
        lines = piece.count(b"\n") + (not piece.endswith(b"\n"))
        tags.update(fields[5::6])
        if len(fields) != 6 * lines or set(fields[1::6]) != {b"Q0"} or len(tags) != 1:
            return None
        values = plain_numbers([text.decode() for text in fields[4::6]])
        if values is None or any(topic.startswith(b"#") for topic in set(fields[::6])):
            return None
        _add(found, fields[::6], fields[2::6], _as_float32(values))
    return found, tags.pop()


def _as_float32(values: list[float]) -> list[float]:
    """Convert scores to float32, as trec_eval does."""
    with np.errstate(over="ignore"):
        found: list[float] = np.array(values).astype(np.float32).tolist()
    return found


def _by_line(source: Source) -> tuple[_Lists, bytes]:
    """Read a file line by line, to report what is wrong and where. As in trec_eval, words may follow the tag."""
    found: _Lists = {}
    tags: dict[bytes, None] = {}
    source.refuse_hidden_rows(6, 4)
    for line, text in source.lines():
        fields = text.split(None, 6)
        if len(fields) < 6:
            has = f"has {counted(len(fields), 'field')}"
            raise source.error(f"{has}: a run has 6, topic, Q0, document, rank, score and tag", line)
        value = plain_number(fields[4])
        if value is None:
            raise source.error(f"the score {not_a_number(fields[4].decode(), '', 'leave out the line')}", line)
        _add(found, fields[:1], fields[2:3], _as_float32([value]))
        tags[fields[5]] = None
    if len(tags) > 1:
        warn(f"{source.label} holds several tags: {listing(t.decode() for t in tags)}")
    return found, next(iter(tags))


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


def read_qrels(what: Any) -> Qrels:
    r"""Read relevance judgments as a mapping {topic: {document: grade}}, with topics in the order of the file.

    The iteration column is ignored. Grades are `int` if all grades in the file are whole numbers (-1 included), and
    otherwise `float`. They are never truncated: a grade of 0.7 does not become 0. Topics that no run has are kept. A
    document judged twice on a topic is an error. Gzip files and open files can be read, too.

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
        raise ReadError(f"matches {len(items)} files: read qrels one file at a time", str(what))
    source = sources.load(items[0])
    if source.empty:
        raise source.error("is empty: it holds no judgments")
    topics: dict[str, int] = {}
    documents: dict[str, int] = {}
    judged: dict[tuple[int, int], float] = {}
    source.refuse_hidden_rows(4)
    for line, row in source.lines():
        if len(fields := row.split()) != 4:
            has = f"has {counted(len(fields), 'field')}"
            raise source.error(f"{has}: qrels have 4, topic, iteration, document and grade", line)
        topic, _, document, text = fields
        grade = plain_number(text)
        if grade is None:
            raise source.error(f"the grade {not_a_number(text.decode(), '', 'leave out the line')}", line)
        if abs(grade) > MOST:
            raise source.error(f"the grade {text.decode()!r} is too large: at most {MOST:g} in size", line)
        pair = topics.setdefault(topic.decode(), len(topics)), documents.setdefault(document.decode(), len(documents))
        if pair in judged:
            raise source.error(f"document {document.decode()!r} is judged twice on topic {topic.decode()!r}", line)
        judged[pair] = grade
    source.warn_if_cut()
    return Qrels.of_columns(tuple(topics), tuple(documents), [(*pair, grade) for pair, grade in judged.items()])
