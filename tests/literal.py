"""The definitions, written down as they stand in the papers: slow, and only for tests to compare with."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

Vector = Sequence[float]


def sign(value: float) -> int:
    return (value > 0) - (value < 0)


def above(scores: Vector, i: int, tolerance: float = 0.0) -> list[int]:
    return [j for j in range(len(scores)) if scores[j] > scores[i] and scores[j] - scores[i] >= tolerance]


def tied(scores: Vector, i: int, tolerance: float = 0.0) -> list[int]:
    return [
        j
        for j in range(len(scores))
        if j != i and j not in above(scores, i, tolerance) and i not in above(scores, j, tolerance)
    ]


def tau_a(truth: Vector, candidate: Vector) -> float:
    m = len(truth)
    pairs = itertools.combinations(range(m), 2)
    return sum(sign(truth[i] - truth[j]) * sign(candidate[i] - candidate[j]) for i, j in pairs) / (m * (m - 1) / 2)


def tau_b(truth: Vector, candidate: Vector, tolerance: float = 0.0) -> float:
    m = len(truth)

    def order(scores: Vector, i: int, j: int) -> int:
        return (i in above(scores, j, tolerance)) - (j in above(scores, i, tolerance))

    x = [order(truth, i, j) for i, j in itertools.combinations(range(m), 2)]
    y = [order(candidate, i, j) for i, j in itertools.combinations(range(m), 2)]
    untied = sum(map(abs, x)) * sum(map(abs, y))
    return sum(a * b for a, b in zip(x, y, strict=True)) / math.sqrt(untied) if untied else math.nan


def tau_strict(truth: Vector, candidate: Vector, tolerance: float = 0.0) -> float:
    m = len(truth)
    right = sum(
        (j in above(truth, i, tolerance), i in above(truth, j, tolerance))
        == (j in above(candidate, i, tolerance), i in above(candidate, j, tolerance))
        for i, j in itertools.combinations(range(m), 2)
    )
    return 2 * right / (m * (m - 1) / 2) - 1


def pairwise_accuracy(truth: Vector, candidate: Vector, tolerance: float = 0.0) -> float:
    """Each pair by what is said of it: +1, -1, or 0 for a tie."""

    def said(scores: Vector, i: int, j: int) -> int:
        gap = scores[i] - scores[j]
        return 0 if gap == 0 or abs(gap) < tolerance else sign(gap)

    pairs = list(itertools.combinations(range(len(truth)), 2))
    return sum(said(truth, i, j) == said(candidate, i, j) for i, j in pairs) / len(pairs)


def tau_ap(truth: Vector, candidate: Vector) -> float:
    m = len(truth)
    walked = sorted(range(m), key=lambda i: -candidate[i])
    shares = [sum(truth[j] > truth[walked[i]] for j in walked[:i]) / i for i in range(1, m)]
    return 2 * sum(shares) / (m - 1) - 1


def tau_ap_a(truth: Vector, candidate: Vector) -> float:
    """The closed form of urbano2017, equation 9."""
    m = len(truth)
    total = 0.0
    for i in range(m):
        p = 1 + len(above(candidate, i))
        t = 1 + len(tied(candidate, i))
        if p > 1:
            concordant = sum(truth[j] > truth[i] for j in above(candidate, i))
            total += concordant / t * sum(1 / (p + k - 2) for k in range(1, t + 1))
        total += sum(k / (p + k - 1) for k in range(1, t)) / (2 * t)
    return 2 * total / (m - 1) - 1


def tau_ap_ties(truth: Vector, candidate: Vector, tolerance: float = 0.0) -> float:
    m = len(truth)
    groups = [above(candidate, i, tolerance) for i in range(m)]
    top = sum(not group for group in groups)
    if top == m or all(not above(truth, i, tolerance) for i in range(m)):
        return math.nan
    shares = [len(set(g) & set(above(truth, i, tolerance))) / len(g) for i, g in enumerate(groups) if g]
    return 2 * sum(shares) / (m - top) - 1


def tau_ap_strict(truth: Vector, candidate: Vector, tolerance: float = 0.0) -> float:
    shares = []
    for i in range(len(truth)):
        higher, equal = above(candidate, i, tolerance), tied(candidate, i, tolerance)
        right = len(set(higher) & set(above(truth, i, tolerance))) + len(set(equal) & set(tied(truth, i, tolerance)))
        if higher or equal:
            shares.append(right / len(higher + equal))
    return 2 * sum(shares) / len(shares) - 1


def tau_gap(truth: Vector, candidate: Vector) -> float:
    walked = sorted(range(len(truth)), key=lambda i: -candidate[i])
    shares = []
    for place, i in enumerate(walked):
        gaps = [abs(truth[j] - truth[i]) for j in walked[:place]]
        right = [truth[j] - truth[i] for j in walked[:place] if truth[j] > truth[i]]
        if sum(gaps) > 0:
            shares.append(math.fsum(right) / math.fsum(gaps))
    return 2 * math.fsum(shares) / len(shares) - 1 if shares else math.nan


def pearson_rank(truth: Vector, candidate: Vector) -> float:
    """In exact arithmetic but for the root: rounding could merge scores that differ."""
    if len(set(truth)) == 1 or len(set(candidate)) == 1:
        return math.nan
    x, y = [Fraction(s) for s in truth], [Fraction(s) for s in candidate]
    low, high = min(x), max(x)
    total, weight = Fraction(0), Fraction(0)
    for i in range(len(x)):
        higher = [j for j in range(len(x)) if x[j] > x[i]]
        if not higher:
            continue
        weight += (x[i] - low) / (high - low)
        dot = sum((x[j] - x[i]) * (y[j] - y[i]) for j in higher)
        norms = sum((x[j] - x[i]) ** 2 for j in higher) * sum((y[j] - y[i]) ** 2 for j in higher)
        if norms:
            cosine = math.sqrt(Fraction(dot * dot) / norms) * (1 if dot > 0 else -1)
            total += (x[i] - low) / (high - low) * Fraction(cosine)
    return float(total / weight) if weight else math.nan


def spearman(truth: Vector, candidate: Vector) -> float:
    """Pearson's r of the ranks, where tied items have the mean of the ranks that they take up."""

    def centred(scores: Vector) -> list[Fraction]:
        ranks = [sum(s > mine for s in scores) + Fraction(sum(s == mine for s in scores) + 1, 2) for mine in scores]
        return [rank - Fraction(sum(ranks), len(ranks)) for rank in ranks]

    x, y = centred(truth), centred(candidate)
    squares = sum(a * a for a in x) * sum(b * b for b in y)
    return float(sum(a * b for a, b in zip(x, y, strict=True))) / math.sqrt(squares) if squares else math.nan


def weighted_tau(truth: Vector, candidate: Vector) -> float:
    """Vigna's tau with additive hyperbolic weights: the mean over the ranks of both sides, which break their ties."""
    m = len(truth)

    def one_way(first: Vector, second: Vector) -> float:
        order = sorted(range(m), key=lambda i: (first[i], second[i]), reverse=True)
        weight = {item: 1 / (1 + rank) for rank, item in enumerate(order)}
        product = squares_first = squares_second = 0.0
        for i, j in itertools.combinations(range(m), 2):
            a, b = sign(truth[i] - truth[j]), sign(candidate[i] - candidate[j])
            product += a * b * (weight[i] + weight[j])
            squares_first += a * a * (weight[i] + weight[j])
            squares_second += b * b * (weight[i] + weight[j])
        untied = squares_first * squares_second
        return product / math.sqrt(untied) if untied else math.nan

    return (one_way(truth, candidate) + one_way(candidate, truth)) / 2


def rbo(truth: Vector, candidate: Vector, p: float = 0.9, ties: str = "a") -> float:
    """Extrapolated: the agreement at the last depth goes on. An item counts by how probably it is among the first d."""
    m = len(truth)

    def places(scores: Vector) -> list[tuple[int, int]]:
        return [(sum(s > mine for s in scores), sum(s == mine for s in scores)) for mine in scores]

    def counts(groups: list[tuple[int, int]], d: int) -> list[float]:
        inside = [min(max((d - first) / size, 0.0), 1.0) for first, size in groups]
        return [float(share > 0) for share in inside] if ties == "w" else inside

    of_truth, of_candidate = places(truth), places(candidate)

    total, agreement = 0.0, 0.0
    for d in range(1, m + 1):
        x, y = counts(of_truth, d), counts(of_candidate, d)
        overlap = sum(a * b for a, b in zip(x, y, strict=True))
        if ties == "a":
            agreement = overlap / d
        elif ties == "b":
            agreement = overlap / math.sqrt(sum(a * a for a in x) * sum(b * b for b in y))
        else:
            agreement = 2 * overlap / (sum(x) + sum(y))
        total += (1 - p) * p ** (d - 1) * agreement
    return total + p**m * agreement


def orders_of_ties(candidate: Vector) -> Iterator[list[float]]:
    """Every score vector without ties that orders as `candidate` does and its ties in some way."""
    groups = [[i for i in range(len(candidate)) if candidate[i] == s] for s in sorted(set(candidate))]
    for orders in itertools.product(*(itertools.permutations(g) for g in groups)):
        ranks = [0.0] * len(candidate)
        for rank, i in enumerate(itertools.chain(*orders)):
            ranks[i] = float(rank)
        yield ranks


def over_tie_orders(coefficient: Callable[[Vector, Vector], float], truth: Vector, candidate: Vector) -> list[float]:
    return [coefficient(truth, ranks) for ranks in orders_of_ties(candidate)]
