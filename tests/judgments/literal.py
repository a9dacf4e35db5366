"""The measures again, one list at a time, as their definitions read. `grades` are of what was judged on the topic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from concordant import Runs
from concordant.judgments.measures import Measure

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


def dcg(ranked: Sequence[str], judged: Judged, k: int | None = None) -> float:
    gains = [max(judged.get(document, 0.0), 0.0) for document in ranked][:k]
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


# ---- which documents people should judge
def pool_of(runs: Runs, topics: Sequence[str], depth: int) -> dict[str, set[str]]:
    return {t: {d for s in runs.systems for d in runs.documents(s, t)[:depth]} for t in topics}


def sizes(
    runs: Runs, topics: Sequence[str], depth: int, machine: Mapping[str, Judged] | None, measure: Measure
) -> dict[tuple[str, str], float]:
    """sqrt(variance + .1 mean^2) over systems of the derivative of the score by the label. Levels 0 to 3."""
    k, found = measure.cutoff or depth, {}
    for topic, documents in pool_of(runs, topics, depth).items():
        share = {d: machine[topic][d] / 3 if machine else 0.0 for d in documents}
        best = sorted(share.values(), reverse=True)[:k]
        ideal = max(0.1, sum(g / math.log2(r + 2) for r, g in enumerate(best))) if machine else 1.0
        guess = {d: 0.1 + 0.8 * share[d] for d in documents}
        assert sum(guess.values()) > 1

        def score(ranked: Sequence[str], x: Mapping[str, float], ideal: float = ideal) -> float:
            if measure.kind == "P":
                return sum(x[d] for d in ranked) / k
            if measure.kind != "AP":
                total = sum(x[d] / math.log2(r + 2) for r, d in enumerate(ranked))
                return total / (ideal if measure.kind == "nDCG" else 1.0)
            more = max(sum(x.values()), 1.0)  # as relevant, and moves with x
            return sum(x[d] / (r + 1) * (1 + sum(x[e] for e in ranked[:r])) for r, d in enumerate(ranked)) / more

        step = 1e-5
        for document in documents:
            slopes = []
            for system in runs.systems:
                ranked = runs.documents(system, topic)[:k]
                up, down = guess | {document: guess[document] + step}, guess | {document: guess[document] - step}
                slopes.append((score(ranked, up) - score(ranked, down)) / (2 * step))
            mean = sum(slopes) / len(slopes)
            spread = sum((slope - mean) ** 2 for slope in slopes) / len(slopes)
            found[topic, document] = math.sqrt(spread + 0.1 * mean**2)
    return found
