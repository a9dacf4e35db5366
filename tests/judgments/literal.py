"""The measures again, one list at a time, as their definitions read. `grades` are of what was judged on the topic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from concordant import Runs
from concordant.judgments.measures import Measure

Judged = Mapping[str, float]
Pair = tuple[str, str]


class Known(NamedTuple):
    """What is known of every pair before people judge."""

    level: dict[Pair, int]
    popularity: dict[Pair, list[float]]
    fold: dict[Pair, int]


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


def predictions(
    labels: dict[Pair, float], sizes: Mapping[Pair, float], chance: Mapping[Pair, float], known: Known
) -> dict[Pair, float]:
    """Ridge regression as least squares with a row for each penalty, without the labels of the pair's own fold."""
    pairs = list(known.fold)
    topics = sorted({pair[0] for pair in pairs})
    top = max(known.level.values()) + 1

    def row(pair: Pair) -> list[float]:
        levels = [float(known.level[pair] == level) for level in range(top)]
        return [*levels, *known.popularity[pair], *(float(pair[0] == topic) for topic in topics)]

    penalty = np.diag(np.sqrt([3.0] * top + [10.0] * len(known.popularity[pairs[0]]) + [15.0] * len(topics)))
    raw = {d: sizes[d] ** 2 / chance[d] ** 2 for d in labels}
    raw = {d: max(raw[d] * (1 - chance[d]), 1e-12 * max(raw.values())) for d in labels}
    found: dict[Pair, float] = {}
    for fold in range(5):
        used = [d for d in labels if known.fold[d] != fold]
        weight = np.array([raw[d] for d in used])
        weight /= weight.mean()
        mean = float(np.average([labels[d] for d in used], weights=weight))
        root = np.sqrt(weight)
        left = np.vstack([root[:, None] * np.array([row(d) for d in used]), penalty])
        right = np.concatenate([root * (np.array([labels[d] for d in used]) - mean), np.zeros(len(penalty))])
        beta = np.linalg.lstsq(left, right, rcond=None)[0]
        found |= {d: mean + float(np.dot(row(d), beta)) for d in pairs if known.fold[d] == fold}
    return found


def linear_scores(runs: Runs, measure: Measure, v: Mapping[Pair, float]) -> list[list[float]]:
    """P@k or DCG@k of pseudo-labels: systems x topics."""
    k = measure.cutoff or 0
    return [
        [
            sum(
                v[topic, d] * (1 / k if measure.kind == "P" else 1 / math.log2(r + 2))
                for r, d in enumerate(runs.documents(system, topic)[:k])
            )
            for topic in runs.topics
        ]
        for system in runs.systems
    ]


def ap_scores(runs: Runs, k: int, v: Mapping[Pair, float], relevant: Mapping[str, float]) -> list[list[float]]:
    """S(v) / R, by all pairs of ranks."""
    found = []
    for system in runs.systems:
        row = []
        for topic in runs.topics:
            x = [v[topic, d] for d in runs.documents(system, topic)[:k]]
            row.append(sum(x[r] / (r + 1) * (1 + sum(x[:r])) for r in range(len(x))) / relevant[topic])
        found.append(row)
    return found


def popularity(runs: Runs, topics: Sequence[str], depth: int) -> list[list[float]]:
    """How many systems return each pair (log), and how high; standardised. In the order of `make_pool`."""
    found: dict[Pair, list[float]] = {}
    for topic in topics:
        for system in runs.systems:
            for rank, document in enumerate(runs.documents(system, topic)[:depth], 1):
                found.setdefault((topic, document), []).append(rank)
    order = sorted(found, key=lambda pair: (list(topics).index(pair[0]), runs.pairs.documents.index(pair[1])))
    columns = [
        [math.log(len(found[pair]) / len(runs.systems) + 0.01) for pair in order],
        [sum(1 / (60 + rank) for rank in found[pair]) for pair in order],
    ]
    return [[(x - float(np.mean(column))) / float(np.std(column)) for x in column] for column in columns]
