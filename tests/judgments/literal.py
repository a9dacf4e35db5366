"""The measures again, one list at a time, as their definitions read. `grades` are of what was judged on the topic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Judged = Mapping[str, float]


def relevant(judged: Judged, rel: float) -> set[str]:
    return {document for document, grade in judged.items() if grade >= rel}


def average_precision(ranked: Sequence[str], judged: Judged, rel: float = 1, k: int | None = None) -> float:
    good = relevant(judged, rel)
    if not good:
        return 0.0
    total = 0.0
    for place in range(1, len(ranked[:k]) + 1):
        if ranked[place - 1] in good:
            total += len(good & set(ranked[:place])) / place
    return total / len(good)


def precision(ranked: Sequence[str], judged: Judged, rel: float, k: int) -> float:
    return len(relevant(judged, rel) & set(ranked[:k])) / k


def recall(ranked: Sequence[str], judged: Judged, rel: float, k: int) -> float:
    good = relevant(judged, rel)
    return len(good & set(ranked[:k])) / len(good) if good else 0.0


def success(ranked: Sequence[str], judged: Judged, rel: float, k: int) -> float:
    return float(bool(relevant(judged, rel) & set(ranked[:k])))


def reciprocal_rank(ranked: Sequence[str], judged: Judged, rel: float = 1, k: int | None = None) -> float:
    return next((1 / (n + 1) for n, document in enumerate(ranked[:k]) if document in relevant(judged, rel)), 0.0)


def r_precision(ranked: Sequence[str], judged: Judged, rel: float = 1) -> float:
    count = len(relevant(judged, rel))
    return precision(ranked, judged, rel, count) if count else 0.0


def bpref(ranked: Sequence[str], judged: Judged, rel: float = 1) -> float:
    good = relevant(judged, rel)
    bad = {document for document, grade in judged.items() if 0 <= grade < rel}
    if not good:
        return 0.0
    total = 0.0
    for place, document in enumerate(ranked):
        if document in good:
            above = len(bad & set(ranked[:place]))
            total += 1 - (min(above, len(good)) / min(len(bad), len(good)) if above else 0)
    return total / len(good)


def ndcg(ranked: Sequence[str], judged: Judged, k: int | None = None) -> float:
    def dcg(gains: Sequence[float]) -> float:
        return sum(max(gain, 0.0) / math.log2(place + 2) for place, gain in enumerate(gains))

    best = dcg(sorted(judged.values(), reverse=True)[:k])
    return dcg([judged.get(document, 0.0) for document in ranked][:k]) / best if best else 0.0
