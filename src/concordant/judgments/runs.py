"""`Runs`: the documents that each system ranked for each topic, as arrays of integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ..arrays import BoolArray, IntArray, read_only
from ..data.scores import check_labels, places_of
from ..errors import InputError, InputTypeError, counted
from ..options import checked

Int32Array: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class TopicDocuments:
    """Pairs of topic and document, numbered topic by topic.

    Runs and qrels each hold one of these objects. Everything derived from the same runs or qrels shares it, so that
    names are looked up only once.
    """

    topics: tuple[str, ...]
    documents: tuple[str, ...]
    """The document names, each once, even if a document occurs on several topics."""
    starts: IntArray
    """The first pair of each topic, followed by the number of pairs."""
    document_of: Int32Array
    """Index in `documents` of each pair's document, increasing within a topic."""

    def __post_init__(self) -> None:
        read_only((self.starts, self.document_of))

    def __len__(self) -> int:
        return len(self.document_of)

    def __reduce__(self) -> tuple[Any, ...]:
        return TopicDocuments, (self.topics, self.documents, self.starts, self.document_of)  # leaves out the caches

    @cached_property
    def topic_of(self) -> Int32Array:
        """Index in `topics` of each pair's topic."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def topic_places(self) -> dict[str, int]:
        """Index of each topic."""
        return {topic: k for k, topic in enumerate(self.topics)}

    @cached_property
    def _found(self) -> WeakKeyDictionary[TopicDocuments, tuple[IntArray, IntArray]]:
        return WeakKeyDictionary()

    def locate(self, other: TopicDocuments) -> IntArray:
        """Find the number that each pair of `other` has here, or -1 if it is missing."""
        return self._located(other)[0]

    def locate_topics(self, other: TopicDocuments) -> IntArray:
        """Find the index that each topic of `other` has here, or -1 if it is missing."""
        return self._located(other)[1]

    def _located(self, other: TopicDocuments) -> tuple[IntArray, IntArray]:
        if other not in self._found:
            topics = _look_up(self.topics, other.topics)
            places = np.arange(len(self)) if other is self else self._search(other, topics)
            self._found[other] = places, topics
        return self._found[other]

    def _search(self, other: TopicDocuments, topics: IntArray) -> IntArray:
        documents = _look_up(self.documents, other.documents)[other.document_of]
        topics = topics[other.topic_of]
        keys = self.topic_of * np.int64(len(self.documents)) + self.document_of
        wanted = topics * np.int64(len(self.documents)) + documents
        places = np.searchsorted(keys, wanted)
        there = (topics >= 0) & (documents >= 0) & (places < len(keys))
        there[there] = keys[places[there]] == wanted[there]
        return np.where(there, places, -1)


def numbered(row: IntArray) -> IntArray:
    """Number the items within each row from 1; rows are in increasing order."""
    count = np.bincount(row)
    return np.arange(1, len(row) + 1) - np.repeat(np.cumsum(count) - count, count)


def _look_up(names: tuple[str, ...], wanted: tuple[str, ...]) -> IntArray:
    place = {name: k for k, name in enumerate(names)}
    return np.array([place.get(name, -1) for name in wanted], dtype=np.int64)


class Run(NamedTuple):
    """The documents that one system ranked for each topic, best first.

    `documents[topic]` are in the order of trec_eval: by score as float32, descending, then by document name,
    descending. So scores that are equal in float32 are ties. `name` comes from the file's name, `tag` from the
    last column of the file.
    """

    name: str
    tag: str
    documents: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, eq=False, repr=False)
class Runs:
    """The documents that each system ranked for each topic (immutable). `read_runs` or `from_dict` makes them.

    `evaluate` scores them with judgments. The order of the documents is kept, but not their scores. A system that lacks
    a topic has no documents there.

    See Also
    --------
    Qrels : Relevance judgments.
    read_runs : Read runs.
    evaluate : Score every run on every topic.

    Examples
    --------
    >>> import concordant as cc
    >>> runs = cc.Runs.from_dict({"bm25": {"1": ["d2", "d1"], "2": ["d3"]}, "ql": {"1": {"d1": 0.5, "d2": 0.25}}})
    >>> runs
    <Runs: 2 systems x 2 topics, 5 documents ranked>
    >>> runs.documents("ql", "1")
    ('d1', 'd2')
    >>> runs.documents("ql", "2")
    ()

    """

    systems: tuple[str, ...]
    pairs: TopicDocuments
    """The topics and the documents ranked for each."""
    items: Int32Array
    """The ranked pairs: system by system, topic by topic, best first."""
    starts: IntArray
    """Start in `items` of the list of each system and topic, followed by the number of items."""
    _cuts: dict[int, Runs] = field(default_factory=dict)

    def __post_init__(self) -> None:
        read_only((self.items, self.starts))

    @classmethod
    def of(cls, runs: Iterable[Run]) -> Runs:
        """Combine single runs. Runs are taken one at a time, so a generator keeps the use of memory low."""
        systems: list[str] = []
        topics: dict[str, int] = {}
        documents: dict[str, int] = {}
        lists: list[tuple[int, int, Int32Array]] = []  # topic, system, documents
        for run in runs:
            for topic, ranked in run.documents.items():
                numbers = [documents.setdefault(document, len(documents)) for document in ranked]
                lists.append((topics.setdefault(topic, len(topics)), len(systems), np.array(numbers, dtype=np.int32)))
            systems.append(run.name)
        names = check_labels(systems, "systems")
        if not documents:
            raise InputError("the runs rank no documents")
        return _assemble(names, tuple(topics), tuple(documents), lists)

    @classmethod
    def from_dict(cls, nested: Mapping[Any, Mapping[Any, Any]]) -> Runs:
        """Make runs from the documents that each system ranked for each topic.

        Parameters
        ----------
        nested : mapping
            {system: {topic: documents, best first}} or {system: {topic: {document: score}}}. Documents are ordered as
            in trec_eval: by score as float32, descending, then by name, descending. An empty list counts as no list.

        Returns
        -------
        Runs
            The runs, with systems in the order given.

        Raises
        ------
        InputError
            If a system ranks a document twice, has a score that is not a number, or gives documents without an order.

        """
        if not isinstance(nested, Mapping):
            raise InputTypeError(f"runs are a {type(nested).__name__}: give {{system: {{topic: documents}}}}")
        for system, lists in nested.items():
            if not isinstance(lists, Mapping):
                raise InputTypeError(
                    f"system {str(system)!r} has a {type(lists).__name__}: give {{topic: documents, best first}}"
                )
            check_labels(list(lists), f"the topics of system {str(system)!r}")  # 1 and "1" are the same name
        return cls.of(
            Run(
                str(system),
                str(system),
                {str(topic): ranked for topic, found in lists.items() if (ranked := _ranked(found, system, topic))},
            )
            for system, lists in nested.items()
        )

    @property
    def topics(self) -> tuple[str, ...]:
        """All topics for which any system has documents."""
        return self.pairs.topics

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of systems and topics."""
        return len(self.systems), len(self.topics)

    @property
    def depths(self) -> IntArray:
        """Number of documents that each system ranked for each topic: systems x topics."""
        return np.diff(self.starts).reshape(self.shape)

    def documents(self, system: str, topic: str) -> tuple[str, ...]:
        """Return the documents that a system ranked for a topic.

        Parameters
        ----------
        system : str
            The system's name.
        topic : str
            A topic in `topics`.

        Returns
        -------
        tuple of str
            The documents, best first; empty if this system lacks the topic.

        """
        row = places_of([system], self.systems, "systems")[0] * len(self.topics)
        row += places_of([topic], self.topics, "topics")[0]
        found = self.pairs.document_of[self.items[self.starts[row] : self.starts[row + 1]]]
        return tuple(self.pairs.documents[k] for k in found)

    @checked
    def cut(self, k: int) -> Runs:
        """Keep the first k documents of each list.

        Parameters
        ----------
        k : int
            Number of documents to keep, at least 1.

        Returns
        -------
        Runs
            The shorter lists, for the same systems and topics.

        """
        if self.depths.max() <= k:
            return self
        if k not in self._cuts:
            self._cuts[k] = self._keep(np.arange(len(self.systems)), k)
        return self._cuts[k]

    def select(self, systems: Iterable[str]) -> Runs:
        """Keep these systems, in the order given, on the same topics.

        Parameters
        ----------
        systems : iterable of str
            The names of the systems.

        Returns
        -------
        Runs
            The runs of these systems.

        """
        return self._keep(np.array(places_of(systems, self.systems, "systems"), dtype=np.int64), None)

    def _keep(self, systems: IntArray, k: int | None) -> Runs:
        counts = self.depths[systems].ravel()
        begin = self.starts[:-1].reshape(self.shape)[systems].ravel()
        kept = counts if k is None else np.minimum(counts, k)
        starts = np.concatenate([[0], np.cumsum(kept)])
        rows = np.repeat(begin - starts[:-1], kept) + np.arange(starts[-1])
        return Runs(tuple(self.systems[j] for j in systems), self.pairs, self.items[rows], starts)

    @checked
    def retrieved(self, k: int | None = None, systems: Sequence[str] | None = None) -> BoolArray:
        """Mark the pairs that at least one of these systems ranked among its first k documents.

        By default, use all systems and all ranks.
        """
        runs = self if systems is None else self.select(systems)
        runs = runs if k is None else runs.cut(k)
        found = np.zeros(len(self.pairs), dtype=np.bool_)
        found[runs.items] = True
        return found

    def __repr__(self) -> str:
        systems, topics = counted(len(self.systems), "system"), counted(len(self.topics), "topic")
        return f"<Runs: {systems} x {topics}, {counted(len(self.items), 'document')} ranked>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Runs):
            return NotImplemented
        return (self.systems, set(self.topics)) == (other.systems, set(other.topics)) and all(
            self.documents(system, topic) == other.documents(system, topic)
            for system in self.systems
            for topic in self.topics
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Callable[..., Runs], tuple[Any, ...]]:
        return Runs, (self.systems, self.pairs, self.items, self.starts)


def _assemble(
    systems: tuple[str, ...],
    topics: tuple[str, ...],
    documents: tuple[str, ...],
    lists: list[tuple[int, int, Int32Array]],
) -> Runs:
    """Number the pairs topic by topic, to avoid sorting all lists together."""
    shape = (len(systems), len(topics))
    counts = np.zeros(shape, dtype=np.int64)
    of_topic: list[list[tuple[int, Int32Array]]] = [[] for _ in topics]
    for topic, system, ranked in lists:
        counts[system, topic] = len(ranked)
        of_topic[topic].append((system, ranked))
    lists.clear()
    starts = np.concatenate([[0], np.cumsum(counts.ravel())])
    items = np.empty(starts[-1], dtype=np.int32)
    number = np.empty(len(documents), dtype=np.int32)
    document_of: list[Int32Array] = []
    pair_starts = np.zeros(len(topics) + 1, dtype=np.int64)
    for topic, found in enumerate(of_topic):
        seen = np.zeros(len(documents), dtype=np.bool_)
        for _, ranked in found:
            seen[ranked] = True
        pooled = np.flatnonzero(seen).astype(np.int32)
        number[pooled] = pair_starts[topic] + np.arange(len(pooled))
        for system, ranked in found:
            begin = starts[system * len(topics) + topic]
            items[begin : begin + len(ranked)] = number[ranked]
        found.clear()
        document_of.append(pooled)
        pair_starts[topic + 1] = pair_starts[topic] + len(pooled)
    return Runs(systems, TopicDocuments(topics, documents, pair_starts, np.concatenate(document_of)), items, starts)


def _ranked(found: Any, system: Any, topic: Any) -> tuple[str, ...]:
    where = f"system {str(system)!r} on topic {str(topic)!r}"
    if isinstance(found, Mapping):
        for document, score in found.items():
            if not isinstance(score, int | float | np.number) or math.isnan(score):
                raise InputError(
                    f"{where} has {score!r} as the score of document {str(document)!r}, which is not a number: give "
                    "a number or leave the document out"
                )
        scores = np.array(list(found.values()), dtype=np.float64)
        with np.errstate(over="ignore"):
            single = scores.astype(np.float32).tolist()
        order = sorted(zip(single, (d.encode() for d in _each_once(found, where)), strict=True), reverse=True)
        return tuple(document.decode() for _, document in order)
    if isinstance(found, Set):
        raise InputTypeError(
            f"{where} has a {type(found).__name__}, which has no order: give a list of documents, best first"
        )
    if isinstance(found, str) or not isinstance(found, Iterable):
        raise InputTypeError(f"{where} has a {type(found).__name__}: give a list of documents, or {{document: score}}")
    return _each_once(found, where)


def _each_once(documents: Iterable[Any], where: str) -> tuple[str, ...]:
    ranked = tuple(str(document) for document in documents)
    if len(set(ranked)) < len(ranked):
        twice = next(document for k, document in enumerate(ranked) if document in ranked[:k])
        raise InputError(f"{where} ranks document {twice!r} twice")
    return ranked
