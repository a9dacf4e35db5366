"""`Qrels`: relevance judgments, with grades kept as they were given."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray, read_only
from ..data.scores import check_labels, places_of
from ..errors import InputError, InputTypeError, counted, listing, warn
from ..options import checked
from ..render.outputs import JUDGMENTS, written_whole
from .runs import TopicDocuments

Grade = int | float
MOST = 1e9  # largest absolute grade: larger ones are mistakes, and sums of their gains lose digits


@dataclass(frozen=True, eq=False, repr=False)
class Qrels(Mapping[str, dict[str, Grade]]):
    """Relevance judgments of one judge: an immutable mapping {topic: {document: grade}}.

    `read_qrels` makes them from files, `from_dict` from data. Grades are never truncated: they are all `int` if all are
    whole numbers, else all `float`. As in trec_eval, all measures ignore a grade below 0. A topic whose
    judgments were all removed still counts as a topic.

    For several judges, use a dictionary: {"human": qrels, "machine": others}.

    See Also
    --------
    Runs : Ranked documents of systems.
    read_qrels : Read judgments.
    evaluate : Score every run on every topic.

    Examples
    --------
    >>> import concordant as cc
    >>> qrels = cc.Qrels.from_dict({"1": {"d1": 2, "d2": 0}, "2": {"d1": 1}})
    >>> qrels
    <Qrels: 3 judgments on 2 topics, grades 0 to 2>
    >>> qrels["1"]
    {'d1': 2, 'd2': 0}

    """

    pairs: TopicDocuments
    """The topics and the documents judged on each; all qrels derived from the same judgments share them."""
    places: IntArray
    """Numbers of the judged pairs, in increasing order."""
    grades: FloatArray
    """The grade of each judged pair."""

    def __post_init__(self) -> None:
        read_only((self.places, self.grades))

    def __reduce__(self) -> tuple[Any, ...]:
        return Qrels, (self.pairs, self.places, self.grades)  # leaves out the caches

    @classmethod
    def from_dict(cls, nested: Mapping[Any, Mapping[Any, Any]]) -> Qrels:
        """Make qrels from the grades of documents on each topic.

        Parameters
        ----------
        nested : mapping
            {topic: {document: grade}}, with numbers as grades.

        Returns
        -------
        Qrels
            The judgments, with topics in the order given.

        """
        if not isinstance(nested, Mapping) or not all(isinstance(judged, Mapping) for judged in nested.values()):
            raise InputTypeError("give qrels as {topic: {document: grade}}")
        topics = check_labels(list(nested), "topics")
        documents: dict[str, int] = {}
        found: list[tuple[int, int, float]] = []
        for topic, judged in enumerate(nested.values()):
            if len(set(map(str, judged))) < len(judged):
                raise InputError(f"topic {topics[topic]!r} judges a document twice: 1 and '1' are the same name")
            for document, grade in judged.items():
                number = documents.setdefault(str(document), len(documents))
                found.append((topic, number, _grade(grade, document, topics[topic])))
        if not found:
            raise InputError("the qrels hold no judgments")
        return cls.of_columns(topics, tuple(documents), found)

    @classmethod
    def of_columns(
        cls, topics: tuple[str, ...], documents: tuple[str, ...], rows: list[tuple[int, int, float]]
    ) -> Qrels:
        """Make qrels from rows of topic number, document number and grade, with each pair once."""
        rows.sort()
        topic_of = np.array([row[0] for row in rows], dtype=np.int64)
        starts = np.searchsorted(topic_of, np.arange(len(topics) + 1))
        document_of = np.array([row[1] for row in rows], dtype=np.int32)
        pairs = TopicDocuments(topics, documents, starts, document_of)
        return cls(pairs, np.arange(len(rows)), np.array([row[2] for row in rows], dtype=np.float64))

    @property
    def topics(self) -> tuple[str, ...]:
        """All topics, including those without a judgment."""
        return self.pairs.topics

    @property
    def size(self) -> int:
        """The number of judgments."""
        return len(self.places)

    @cached_property
    def whole(self) -> bool:
        """Whether all grades are whole numbers."""
        return bool((self.grades == np.floor(self.grades)).all())

    @cached_property
    def levels(self) -> tuple[Grade, ...]:
        """The distinct grades, in increasing order."""
        return tuple(self._plain(np.unique(self.grades)))

    @property
    def topic_of(self) -> IntArray:
        """Index in `topics` of each judgment's topic."""
        return self.pairs.topic_of[self.places].astype(np.int64)

    def _plain(self, grades: FloatArray) -> list[Grade]:
        return [int(grade) for grade in grades] if self.whole else grades.tolist()

    def __getitem__(self, topic: str) -> dict[str, Grade]:
        place = self.pairs.topic_places[topic]
        begin, end = np.searchsorted(self.places, self.pairs.starts[place : place + 2])
        documents = self.pairs.document_of[self.places[begin:end]]
        return dict(zip((self.pairs.documents[k] for k in documents), self._plain(self.grades[begin:end]), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    def at(self, pairs: TopicDocuments, places: IntArray) -> FloatArray:
        """Return the grades of the pairs at these places of `pairs`; nan for pairs without a grade."""
        grades = np.full(len(self.pairs) + 1, np.nan)  # index -1, for unknown pairs, reads the last entry
        grades[self.places] = self.grades
        return np.asarray(grades[self.pairs.locate(pairs)[places]])

    def take(self, kept: BoolArray) -> Qrels:
        """Keep the judgments marked True, on the same topics."""
        return Qrels(self.pairs, self.places[kept], self.grades[kept])

    def with_grades(self, grades: FloatArray) -> Qrels:
        """Return judgments of the same documents with these grades."""
        return Qrels(self.pairs, self.places, np.array(grades, dtype=np.float64))

    @checked
    def recode(self, changed: Mapping[Grade, Grade | None]) -> Qrels:
        """Replace some grades with others.

        Parameters
        ----------
        changed : mapping
            The new grade for each old one. None leaves out judgments with that grade, for instance if 999 means no
            answer.

        Returns
        -------
        Qrels
            The recoded judgments, on the same topics.

        Examples
        --------
        >>> Qrels.from_dict({"1": {"d1": 999, "d2": 2}}).recode({999: None, 2: 1})["1"]
        {'d2': 1}

        """
        grades, kept = self.grades.copy(), np.ones(self.size, dtype=np.bool_)
        for old, new in changed.items():
            if old not in self.levels:
                raise InputError(f"no judgment has the grade {old!r}; available: {listing(self.levels, 20)}")
            if new is None:
                kept &= self.grades != old
            else:
                grades[self.grades == old] = _grade(new, "of that grade", "any")
        return Qrels(self.pairs, self.places[kept], grades[kept])

    def select(self, topics: Iterable[str]) -> Qrels:
        """Keep only these topics.

        Parameters
        ----------
        topics : iterable of str
            Topics of these judgments.

        Returns
        -------
        Qrels
            The judgments on these topics, in the order given.

        """
        wanted = places_of(topics, self.topics, "topics")
        return Qrels.from_dict({self.topics[k]: self[self.topics[k]] for k in wanted})

    def to_dict(self) -> dict[str, dict[str, Grade]]:
        """Return dictionaries {topic: {document: grade}}, as pytrec_eval takes them."""
        return {topic: self[topic] for topic in self}

    @checked
    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the judgments in TREC's format: topic, 0, document, grade. Topics without a judgment are left out.

        Parameters
        ----------
        path : path
            The file to write. An existing file is replaced only if it holds judgments.

        """
        lost = [topic for topic in self if not self[topic]]
        if lost:
            warn(f"{counted(len(lost), 'topic')} without a judgment not written to {path}: {listing(lost)}")
        lines = (f"{topic} 0 {document} {grade!r}\n" for topic in self for document, grade in self[topic].items())
        with written_whole(path, JUDGMENTS) as file:
            file.write("".join(lines).encode())

    def __repr__(self) -> str:
        judged = f"{counted(self.size, 'judgment')} on {counted(len(self), 'topic')}"
        grades = f", grades {self.levels[0]} to {self.levels[-1]}" if self.size else ""
        return f"<Qrels: {judged}{grades}>"


def _grade(value: Any, document: Any, topic: str) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputTypeError(f"the grade of document {document!r} on topic {topic!r} is {value!r}: give a number")
    if not abs(float(value)) <= MOST:  # this comparison is false for nan
        raise InputError(
            f"the grade of document {document!r} on topic {topic!r} is {value!r}: give a number of at most {MOST:g} in "
            "size"
        )
    return float(value)
