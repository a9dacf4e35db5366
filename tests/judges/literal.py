"""The statistics of the card written down literally, pair by pair: slow, and only for tests to compare with."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
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
