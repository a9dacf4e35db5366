"""`TopicDocuments`: topics with documents, numbered, so that runs and judgments are arrays of whole numbers."""

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
    """Pairs of a topic and a document. A pair's number is its place, topic by topic.

    Runs have one of these, and qrels another. Everything made from the same qrels shares theirs, so that one look-up
    of names serves a thousand of them.
    """

    topics: tuple[str, ...]
    documents: tuple[str, ...]
    """Each document once, whatever the number of its topics."""
    starts: IntArray
    """Where each topic starts, and at last the number of pairs."""
    document_of: Int32Array
    """For each pair the place in `documents`; rising within a topic."""

    def __post_init__(self) -> None:
        read_only((self.starts, self.document_of))

    def __len__(self) -> int:
        return len(self.document_of)

    def __reduce__(self) -> tuple[Any, ...]:
        return TopicDocuments, (self.topics, self.documents, self.starts, self.document_of)  # without what is cached

    @cached_property
    def topic_of(self) -> Int32Array:
        """For each pair the place in `topics`."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int32), np.diff(self.starts))

    @cached_property
    def topic_places(self) -> dict[str, int]:
        """The place of each topic."""
        return {topic: k for k, topic in enumerate(self.topics)}

    @cached_property
    def _found(self) -> WeakKeyDictionary[TopicDocuments, tuple[IntArray, IntArray]]:
        return WeakKeyDictionary()

    def locate(self, other: TopicDocuments) -> IntArray:
        """For each pair of `other` its number here, or -1."""
        return self._located(other)[0]

    def locate_topics(self, other: TopicDocuments) -> IntArray:
        """For each topic of `other` its place here, or -1."""
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
