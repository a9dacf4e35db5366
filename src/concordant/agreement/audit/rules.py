"""The rules to try: registered coefficients, variants of other libraries, and ways to break ties."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from ...arrays import IntArray
from ...coefficients.registry import Coefficient, get_coefficient, list_coefficients
from ...coefficients.sums import concordance
from .vectors import TieBreak, Vectors

Suits = Literal["all", "topics", "pooled", "lists", "gaps", "head"]
"""Kinds of preparation: any scores; one row per topic; all topics in one vector; lists in rank order, not scores;
changed gaps between scores, in the same order; reversed order."""


class Recipe(NamedTuple):
    """A rule that turns two vectors of scores into a value, or into one value per topic."""

    name: str
    account: str
    departures: int
    """Number of steps away from a plain call of a coefficient."""
    call: Callable[[Vectors], Any]
    suits: frozenset[Suits] = frozenset({"all"})
    signed: bool = True
    needs_ties: bool = False
    """Whether it equals another rule without ties."""


def rules() -> Iterator[Recipe]:
    """Yield all rules, the plainest first."""
    every = list_coefficients()
    for c in every:
        yield Recipe(f"{c.name}(truth, candidate)", c.summary, 0, _registered(c), _suits(c), c.range[0] < 0)
    for c in every:
        if not c.symmetric:
            account = f"{c.summary}; truth and candidate exchanged"
            call = _registered(c)
            yield Recipe(f"{c.name}(candidate, truth)", account, 1, partial(_exchanged, call), _suits(c))
    yield from _TOOLS
    for name, account, count in _COUNTS:
        twin = name != "C / all pairs"
        yield Recipe(name, account, 1, partial(_counted, count), signed=name not in _SHARES, needs_ties=twin)
    yield from _overlaps()
    yield from _broken_ties()
    for c in every:
        for tolerance in (0.001, 0.005, 0.01) if c.tolerance else ():
            name = f"{c.name}(truth, candidate, tolerance={tolerance:g})"
            account = f"scores closer than {tolerance:g} count as ties"
            yield Recipe(name, account, 2, _registered(c, tolerance=tolerance))


def _registered(c: Coefficient, **options: Any) -> Callable[[Vectors], Any]:
    return lambda pair: c.formula(pair.truth, pair.candidate, **options)


def _exchanged(call: Callable[[Vectors], Any], pair: Vectors) -> Any:
    return call(pair.swapped)


def _suits(c: Coefficient) -> frozenset[Suits]:
    fits: dict[Suits, bool] = {
        "all": True,
        "topics": c.name != "tau_gap_a",  # takes seconds if most systems score 0 on a topic
        "gaps": "scores" in c.reads,
        "head": c.top_weighted,
        "lists": c.name in ("tau_b", "spearman", "weighted_tau"),
        "pooled": c.name in ("tau_b", "spearman", "pearson"),
    }
    return frozenset(kind for kind, fit in fits.items() if fit)


def _overlaps() -> Iterator[Recipe]:
    """Yield rank-biased overlap with other than the usual settings."""
    rbo = get_coefficient("rbo")
    for p in (0.9, 0.5, 0.7, 0.8, 0.95, 0.98, 0.99):
        for ties in ("a", "w", "b"):
            departures = (p != 0.9) + (ties != "a")
            if departures:
                name = f"rbo(truth, candidate, p={p:g}, ties={ties!r})"
                account = f"rank-biased overlap, persistence {p:g}, ties as in RBO-{ties}"
                suits: frozenset[Suits] = frozenset({"all", "head"} if departures == 1 else {"all"})
                call = _registered(rbo, p=p, ties=ties)
                yield Recipe(name, account, departures, call, suits, signed=False, needs_ties=ties != "a")


_BREAKS: dict[TieBreak, str] = {
    "file": "ties in the order of each file",
    "name": "ties by name, A first",
    "reverse name": "ties by name, Z first",
}


def _broken_ties() -> Iterator[Recipe]:
    """Yield coefficients without ties, applied after breaking ties as tools do."""
    for how, words in _BREAKS.items():
        for c in map(get_coefficient, ("tau", "tau_ap", "tau_gap", "rbo", "spearman", "weighted_tau")):
            call, account = partial(_broken, c, how), f"{c.summary}; {words}"
            about: dict[str, Any] = {"signed": c.range[0] < 0, "needs_ties": True}
            yield Recipe(f"{c.name}(truth, candidate), ties by {how}", account, 1, call, **about)
            if not c.symmetric:
                swapped, name = partial(_exchanged, call), f"{c.name}(candidate, truth), ties by {how}"
                yield Recipe(name, f"{account}; truth and candidate exchanged", 2, swapped, **about)


def _broken(c: Coefficient, how: TieBreak, pair: Vectors) -> Any:
    """Compute the coefficient after breaking ties; if it uses the truth's scores, keep these."""
    orders = pair.without_ties(how)
    return c.formula(pair.truth if c.reads[0] == "scores" else orders.truth, orders.candidate)


# What libraries, scripts and tools compute under the name of a rank correlation ---------------------


def _counted(of: Callable[..., float], pair: Vectors) -> float:
    """Apply a function to counts of pairs: concordant, discordant, ordered by truth, by candidate, all."""
    m, c = concordance(pair.truth, pair.candidate)
    every = m * (m - 1) / 2
    ordered = every - float(c.tied_truth), every - float(c.tied_candidate)
    with np.errstate(all="ignore"):
        return float(of(np.float64(c.concordant), np.float64(c.discordant), *ordered, every))


_SHARES = {"C / all pairs", "C / pairs ordered by the truth", "pearson squared", "average overlap"}  # not below 0
_TWINS = {"kendalltau(variant='c')", "1 - 6 sum d^2 / (m^3 - m)"}  # equal to another rule without ties
_COUNTS: tuple[tuple[str, str, Callable[..., float]], ...] = (
    (
        "(C - D) / all pairs",
        "tau_a with ties on both sides: a tied pair is half right",
        lambda c, d, t, o, n: (c - d) / n,
    ),
    ("gamma", "Goodman and Kruskal's gamma: tied pairs are left out", lambda c, d, t, o, n: (c - d) / (c + d)),
    ("somersd(truth, candidate)", "Somers' D: pairs tied in the truth left out", lambda c, d, t, o, n: (c - d) / t),
    ("somersd(candidate, truth)", "Somers' D: pairs tied in the candidate left out", lambda c, d, t, o, n: (c - d) / o),
    ("C / all pairs", "share of concordant pairs; ties are wrong", lambda c, d, t, o, n: c / n),
    ("C / pairs ordered by the truth", "pairwise accuracy: without pairs tied in truth", lambda c, d, t, o, n: c / t),
)


def _scipy(function: str, pair: Vectors, **options: Any) -> float:
    from scipy import stats

    return float(getattr(stats, function)(pair.truth, pair.candidate, **options).statistic)


_WEIGHTED = partial(_scipy, "weightedtau", rank=None)


def _r_squared(pair: Vectors) -> float:
    return float(get_coefficient("pearson").formula(pair.truth, pair.candidate)) ** 2


def _short_spearman(pair: Vectors) -> float:
    from scipy import stats

    a, b, m = stats.rankdata(-pair.truth), stats.rankdata(-pair.candidate), len(pair.names)
    return float(1 - 6 * ((a - b) ** 2).sum() / (m * (m * m - 1)))


def _average_overlap(pair: Vectors) -> float:
    """Mean overlap at depths 1, 2, ..., m, with ties in the order of the files."""
    orders, m = pair.without_ties("file"), len(pair.names)
    depth = m + 1 - np.minimum(orders.truth, orders.candidate)
    shared = np.cumsum(np.bincount(depth.astype(int), minlength=m + 1)[1:])
    return float((shared / np.arange(1, m + 1)).mean())


def _unsorted_tau_ap(place: str, pair: Vectors) -> float:
    """Compute tau_ap without sorting, in file order. Pairs tied on both sides count as concordant."""
    order: IntArray = np.argsort(getattr(pair, place))
    x, y = pair.truth[order], pair.candidate[order]
    above = [np.mean(np.sign(x[i] - x[:i]) == np.sign(y[i] - y[:i])) for i in range(1, len(x))]
    return float(2 * np.mean(above) - 1)


_TOOLS = tuple(
    Recipe(name, account, departures, call, signed=name not in _SHARES, needs_ties=name in _TWINS)
    for name, account, departures, call in (
        ("kendalltau(variant='c')", "scipy's tau-c", 1, partial(_scipy, "kendalltau", variant="c")),
        ("1 - 6 sum d^2 / (m^3 - m)", "Spearman's short formula, which ties make wrong", 1, _short_spearman),
        ("pearson squared", "r squared", 1, _r_squared),
        ("weightedtau(truth, candidate, rank=None)", "weights by the truth's ranks alone", 1, _WEIGHTED),
        ("weightedtau(candidate, truth, rank=None)", "by the candidate's", 1, partial(_exchanged, _WEIGHTED)),
        ("weightedtau(additive=False)", "weights multiplied", 1, partial(_scipy, "weightedtau", additive=False)),
        ("average overlap", "overlap at each depth, averaged; ties in the order of each file", 1, _average_overlap),
        ("tau_ap, truth's file order", "tau_ap that does not sort", 2, partial(_unsorted_tau_ap, "truth_place")),
        ("tau_ap, candidate's file order", "does not sort", 2, partial(_unsorted_tau_ap, "candidate_place")),
    )
)
