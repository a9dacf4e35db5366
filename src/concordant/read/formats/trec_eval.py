"""trec_eval -q: measure padded to 22 characters, TAB, topic, TAB, value.

The rows of topic `all` are the summary: `runid` among them names the run; the others are used only where there is
nothing else (trec_eval without -q), because they may average other topics than the rows do (missing topics, -c, qrels
of several years).

Published studies read a hundred of these files with thirty measures each to use one. So nothing is parsed
line by line unless something is wrong with the file: its regularity is checked on whole arrays, and the
rows of a measure are cut out of the bytes when it is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

import numpy as np

from ...errors import ReadError
from ...words import listing
from ..source import Source
from ..tables.cells import number, plain_numbers, scores_of
from ..tables.contents import Contents
from ..tables.pivot import MEAN, Grid, warn_of_summaries
from ..tables.vocabulary import is_summary

# Values of these measures are strings.
TEXTS = ("runid", "relstring")
_COUNTS = frozenset({"runid", "relstring", "num_q"})  # of a summary, no scores


class TrecEval(Contents):
    """The output of trec_eval for one run."""

    format = "trec_eval -q"
    _summary: Mapping[str, str] = MappingProxyType({})

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.source = source
        # With a newline before each line, a measure's rows are what follows "\nmeasure".
        self._data = b"\n" + source.data + (b"" if source.data.endswith(b"\n") else b"\n")
        self._fields = None if _regular(self._data) else _by_line(source)
        tag = self._run_id()
        if tag:
            self.names = (tag, source.run_name())
        if source.data.count(b"all") >= source.data.count(b"\n"):  # otherwise there are topics
            self._take_summary(self._fields or _by_line(source))

    def _take_summary(self, rows: list[tuple[int, bytes, bytes, bytes]]) -> None:
        if not all(_is_summary(topic) for _, _, topic, _ in rows):
            return
        found: dict[str, str] = {}
        for line, name, _, value in rows:
            if found.setdefault(name.decode(), value.decode()) != value.decode():
                raise self.source.error(f"has {name.decode()!r} twice: give each run a file of its own", line)
        self.format, self._summary, self.averaged = "trec_eval, means", found, found.get("num_q", "")

    def measures(self) -> Collection[str]:
        """The measures that have rows of topics, in the order of the file; of a summary, those with a mean."""
        if self._summary:
            return [name for name, value in self._summary.items() if number(value) is not None and name not in _COUNTS]
        fields = self._fields if self._fields is not None else _by_line(self.source)
        found = dict.fromkeys(measure for _, measure, topic, _ in fields if not _is_summary(topic))
        return [name for name in map(bytes.decode, found) if not name.startswith(TEXTS)]

    def grid(self, measure: str) -> Grid:
        """The scores of one measure."""
        if self._summary:
            if measure not in self.measures():
                raise self.no_measure(measure)
            return Grid(np.array([[number(self._summary[measure])]], dtype=np.float64), [MEAN])
        plain = self._fields is None and measure.split() == [measure]
        found = self._cut_out(measure.encode(errors="replace")) if plain else None
        return found or self._by_fields(measure)

    def _cut_out(self, measure: bytes) -> Grid | None:
        """The rows of a measure by splitting the file at its name; None if anything is unusual."""
        topics: list[bytes] = []
        values: list[str] = []
        left: list[str] = []
        for piece in self._data.split(b"\n" + measure)[1:]:
            padding, topic, rest = piece.split(b"\t", 2)
            if padding.strip():  # a longer name, as ndcg_cut_100 is of ndcg_cut_10
                continue
            if _is_summary(topic := topic.strip()):
                left.append(topic.decode())
                continue
            topics.append(topic)
            values.append(rest.partition(b"\n")[0].decode())
        numbers = plain_numbers(values)
        if not topics or numbers is None or len(set(topics)) < len(topics):
            return None
        warn_of_summaries(self.source, left)
        return Grid(np.array(numbers)[:, None], [topic.decode() for topic in topics])

    def _by_fields(self, measure: str) -> Grid:
        """The same line by line, to say what is wrong and where."""
        fields = self._fields if self._fields is not None else _by_line(self.source)
        rows: dict[str, tuple[str, int]] = {}
        summarised: list[str] = []
        for line, name, topic, value in fields:
            if name != measure.encode(errors="replace"):
                continue
            if _is_summary(topic):
                summarised.append(topic.decode())
                continue
            key = topic.decode()
            if key in rows:
                raise self.source.error(
                    f"topic {key!r} has {measure!r} twice (first at line {rows[key][1]}): one file holds one run",
                    line,
                )
            rows[key] = (value.decode(), line)
        if not rows:
            raise self._summary_measure(measure) if summarised else self.no_measure(measure)
        warn_of_summaries(self.source, summarised)
        texts, lines = zip(*rows.values(), strict=True)
        values, percent = scores_of(texts, lambda k, said: self.source.error(said, lines[k]))
        return Grid(values[:, None], list(rows), None, percent)

    def _summary_measure(self, measure: str) -> ReadError:
        return self.source.error(f"measure {measure!r} exists only as the summary of all topics, not for each topic")

    def _run_id(self) -> str | None:
        if self._fields is not None:
            return self._one([value.decode() for _, name, _, value in self._fields if name == b"runid"])
        place, found = -1, []
        while (place := self._data.find(b"\nrunid", place + 1)) >= 0:
            name, _, value = self._data[place + 1 : self._data.index(b"\n", place + 1)].split(b"\t")
            if name.strip() == b"runid":
                found.append(value.strip().decode())
        return self._one(found)

    def _one(self, names: list[str]) -> str | None:
        if len(set(names)) > 1:
            raise self.source.error(
                f"holds several runs ({listing(dict.fromkeys(names))}): give each a file of its own"
            )
        return names[0] if names else None


def _is_summary(topic: bytes) -> bool:
    return is_summary(topic.decode())


def _regular(data: bytes) -> bool:
    """Whether each line has exactly two tabs and is neither blank nor a comment."""
    if b"\n#" in data:
        return False
    raw = np.frombuffer(data, dtype=np.uint8)
    newlines, tabs = np.flatnonzero(raw == 10), np.flatnonzero(raw == 9)
    if len(tabs) != 2 * (len(newlines) - 1):
        return False
    return bool((tabs[0::2] > newlines[:-1]).all() and (tabs[1::2] < newlines[1:]).all())


def _by_line(source: Source) -> list[tuple[int, bytes, bytes, bytes]]:
    """Line number, measure, topic and value of each row."""
    result = []
    for line, text in source.lines():
        fields = text.split(b"\t") if text.count(b"\t") == 2 else text.split(None, 2)
        measure, topic, value = [field.strip() for field in fields] if len(fields) == 3 else (b"", b"", b"")
        if not (measure and topic and value):
            raise source.error("is not a line of trec_eval -q: a measure, a topic and a value are needed", line)
        result.append((line, measure, topic, value))
    return result
