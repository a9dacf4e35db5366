"""`Pool`: the pairs of topic and document that people could judge, and what is known about them before judging."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import FloatArray, IntArray
from ..data.scores import places_of
from ..errors import InputError, counted, listing, warn
from .qrels import Qrels
from .runs import Runs

LEVELS = 6  # largest number of machine levels; if there are more grades, they are merged into groups of equal size
FOLDS = 5
_UNIT = 2**53


@dataclass(frozen=True, eq=False)
class Pool:
    """The first documents of all runs on some topics, as N pairs ordered by topic; blank ranks in `places` hold N."""

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    """The document of each pair."""
    topic_of: IntArray
    """Index in `topics` of each pair's topic, in increasing order."""
    places: IntArray
    """Systems x topics x ranks: the pair at each rank."""
    levels: IntArray
    """The machine's level of each pair, from 0; pairs that it did not grade have a level of their own, the highest.

    Without a machine, all levels are 0.
    """
    share: FloatArray
    """Position of the pair's level between the lowest and the highest grade, from 0 to 1; 0 if not graded."""

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Topic and document of each pair."""
        return [(self.topics[t], d) for t, d in zip(self.topic_of.tolist(), self.documents, strict=True)]

    def by_topic(self, values: FloatArray) -> FloatArray:
        """Sum over the pairs of each topic."""
        return np.asarray(np.bincount(self.topic_of, values, len(self.topics)), dtype=np.float64)

    def over_systems(self, values: FloatArray) -> FloatArray:
        """Sum values over systems for each pair; `values` may cover fewer ranks than `places`."""
        places = self.places[:, :, : values.shape[2]]
        return np.asarray(np.bincount(places.ravel(), values.ravel(), len(self) + 1)[:-1], dtype=np.float64)

    def at(self, values: FloatArray, depth: int | None = None) -> FloatArray:
        """Arrange the values of pairs as systems x topics x ranks, 0 at blanks."""
        return np.append(values, 0.0)[self.places[:, :, :depth]]

    @cached_property
    def popularity(self) -> FloatArray:
        """How many systems return each pair, and how highly they rank it, both standardised."""
        there = (self.places < len(self)).astype(np.float64)
        returned = self.over_systems(there) / len(self.systems)
        fused = self.over_systems(there / (60.0 + np.arange(1, self.places.shape[2] + 1)))
        found = np.stack([np.log(returned + 0.01), fused], axis=1)
        return np.asarray((found - found.mean(axis=0)) / (found.std(axis=0) + 1e-12))


def tickets(seed: int, pairs: Iterable[tuple[str, str]]) -> tuple[FloatArray, IntArray]:
    """Draw a number in (0, 1) and a fold for each pair; both depend only on the seed and the pair."""
    digests = (hashlib.blake2b(f"{seed}\t{t}\t{d}".encode(), digest_size=16).digest() for t, d in pairs)
    words = np.frombuffer(b"".join(digests), dtype="<u8").reshape(-1, 2)
    return ((words[:, 0] >> 11).astype(np.float64) + 0.5) / _UNIT, (words[:, 1] % FOLDS).astype(np.int64)


def chosen_topics(runs: Runs, machine: Qrels | None, topics: Sequence[str] | None) -> tuple[str, ...]:
    """Return the given topics; by default the topics that the machine judged, or without a machine all topics."""
    if topics is not None:
        return tuple(runs.topics[k] for k in places_of(topics, runs.topics, "topics"))
    if machine is None:
        return runs.topics
    shared = tuple(topic for topic in runs.topics if topic in machine.pairs.topic_places)
    if not shared:
        raise InputError(f"the machine judged none of the topics of the runs ({listing(runs.topics, 5)})")
    return shared


def make_pool(runs: Runs, topics: Sequence[str], depth: int, machine: Qrels | None = None) -> Pool:
    """Pool the first `depth` documents of each run on these topics."""
    runs = runs.cut(depth)
    wanted = np.array([runs.pairs.topic_places[topic] for topic in topics])
    counts = runs.depths
    lacking = [s for s, row in zip(runs.systems, counts[:, wanted] == 0, strict=True) if row.any()]
    if lacking:
        warn(f"{counted(len(lacking), 'run')} scored 0 on topics without documents: {listing(lacking)}")
    padded = np.full((*counts.shape, depth), -1, dtype=np.int64)
    padded[np.arange(depth) < counts[:, :, None]] = runs.items
    padded = padded[:, wanted]
    found = np.unique(padded[padded >= 0])
    if not found.size:
        raise InputError("no run has a document on these topics")
    # Pairs are numbered in the order of the given topics.
    place = np.full(len(runs.topics), -1)
    place[wanted] = np.arange(len(wanted))
    topic = place[runs.pairs.topic_of[found]]
    order = np.argsort(topic, kind="stable")
    found, topic = found[order], topic[order]
    number = np.full(len(runs.pairs) + 1, len(found))  # index -1 reads the last entry, which marks a blank
    number[found] = np.arange(len(found))
    levels, share = _levels(runs, found, machine)
    documents = tuple(runs.pairs.documents[k] for k in runs.pairs.document_of[found])
    return Pool(runs.systems, tuple(topics), documents, topic, number[padded], levels, share)


def _levels(runs: Runs, found: IntArray, machine: Qrels | None) -> tuple[IntArray, FloatArray]:
    """Group the machine's grades into levels; return each pair's level and its relative position."""
    if machine is None:
        return np.zeros(len(found), dtype=np.int64), np.zeros(len(found))
    grade = machine.at(runs.pairs, found)
    graded = ~np.isnan(grade)
    if not graded.any():
        raise InputError(
            "the machine graded no document of the pool: name topics and documents in its judgments as in the runs"
        )
    if not graded.all():
        warn(f"the machine did not grade {counted(int((~graded).sum()), 'pair')} of {len(found):,} in the pool")
    values = np.unique(grade[graded])
    if len(values) > LEVELS:
        cuts = np.unique(np.quantile(grade[graded], np.linspace(0, 1, LEVELS + 1)[1:-1]))
        levels = np.searchsorted(cuts, grade, side="right")
    else:
        levels = np.searchsorted(values, grade)
    highest = int(levels[graded].max())
    return np.where(graded, levels, highest + 1), np.where(graded, levels / max(highest, 1), 0.0)
