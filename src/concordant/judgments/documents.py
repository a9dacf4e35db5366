"""`TopicDocuments`: numbered pairs of topic and document, so that runs and judgments are arrays of integers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from ..arrays import IntArray, read_only

Int32Array: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class TopicDocuments:
    """Pairs of topic and document, numbered topic by topic.

    Runs have one of these, and qrels another. Everything derived from the same qrels shares it, so that names are
    looked up only once.
    """

    topics: tuple[str, ...]
    documents: tuple[str, ...]
    """Each document once, even if it has several topics."""
    starts: IntArray
    """The first pair of each topic, followed by the number of pairs."""
    document_of: Int32Array
    """Index in `documents` of each pair, increasing within a topic."""

    def __post_init__(self) -> None:
        read_only((self.starts, self.document_of))

    def __len__(self) -> int:
        return len(self.document_of)

    def __reduce__(self) -> tuple[Any, ...]:
        return TopicDocuments, (self.topics, self.documents, self.starts, self.document_of)  # without caches

    @cached_property
    def topic_of(self) -> Int32Array:
        """Index in `topics` of each pair."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def topic_places(self) -> dict[str, int]:
        """Index of each topic."""
        return {topic: k for k, topic in enumerate(self.topics)}

    @cached_property
    def _found(self) -> WeakKeyDictionary[TopicDocuments, tuple[IntArray, IntArray]]:
        return WeakKeyDictionary()

    def locate(self, other: TopicDocuments) -> IntArray:
        """Find the number here of each pair of `other`, or -1."""
        return self._located(other)[0]

    def locate_topics(self, other: TopicDocuments) -> IntArray:
        """Find the index here of each topic of `other`, or -1."""
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


def _look_up(names: tuple[str, ...], wanted: tuple[str, ...]) -> IntArray:
    place = {name: k for k, name in enumerate(names)}
    return np.array([place.get(name, -1) for name in wanted], dtype=np.int64)
