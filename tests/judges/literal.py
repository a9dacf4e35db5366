"""The statistics of the card written down literally, pair by pair: slow, and only for tests to compare with."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction

Matrix = Sequence[Sequence[float]]


def one_sided(topics: Matrix, a: int, b: int) -> Fraction:
    """Of all exchanges of the two systems' scores, topic by topic, the share with a difference at least as large."""
    d = [Fraction(str(row[a])) - Fraction(str(row[b])) for row in topics]
    signed = [sum(s * x for s, x in zip(signs, d, strict=True)) for signs in itertools.product((1, -1), repeat=len(d))]
    return Fraction(sum(total >= sum(d) for total in signed), len(signed))


def soft_pairwise_accuracy(truth: Matrix, candidate: Matrix) -> float:
    """1 - the mean of |p - p| over all ordered pairs."""
    pairs = list(itertools.permutations(range(len(truth[0])), 2))
    return float(1 - sum(abs(one_sided(truth, a, b) - one_sided(candidate, a, b)) for a, b in pairs) / len(pairs))


def ndcg(ranked: Sequence[str], grades: Mapping[str, float], depth: int) -> float:
    """Gains are grades, the discount log2(rank + 1); 0 on a topic without a gain."""

    def discounted(gains: Sequence[float]) -> float:
        return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains[:depth]))

    best = discounted(sorted(grades.values(), reverse=True))
    return discounted([grades.get(document, 0) for document in ranked]) / best if best else 0.0


def asked(ranked: Sequence[str], grades: Mapping[str, float], k: int) -> list[str]:
    """A run that asked a judge about its first k documents."""
    top = sorted(ranked[:k], key=lambda document: -grades.get(document, -1))
    return [*top, *ranked[k:]]


def shuffled_alike(people: Mapping[str, float], judge: Mapping[str, float], rng: random.Random) -> dict[str, float]:
    """The grades of a judge on a topic, dealt out again among the documents that people grade alike."""
    new: dict[str, float] = {}
    for grade in set(people.values()):
        alike = [document for document in judge if people[document] == grade]
        new.update(zip(alike, rng.sample([judge[document] for document in alike], len(alike)), strict=True))
    return new
