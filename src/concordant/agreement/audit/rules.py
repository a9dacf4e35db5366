"""The rules that are tried: every registered coefficient, what other libraries compute, and how tools break ties."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ...coefficients.registry import Coefficient, get_coefficient, list_coefficients
from .tools import TOOLS
from .vectors import Recipe, Suits, TieBreak, Vectors

PERSISTENCE = (0.5, 0.7, 0.8, 0.95, 0.98, 0.99)
TOLERANCES = (0.001, 0.005, 0.01)
TIE_BREAKS: dict[TieBreak, str] = {
    "file": "ties in the order of each file",
    "name": "ties by name, A first",
    "reverse name": "ties by name, Z first",
}


def rules() -> Iterator[Recipe]:
    """All of them, the plainest first."""
    for c in list_coefficients():
        yield Recipe(f"{c.name}(truth, candidate)", c.summary, 0, _registered(c), _suits(c), c.range[0] < 0)
    for c in list_coefficients():
        if not c.symmetric:
            call = _registered(c)
            yield Recipe(
                f"{c.name}(candidate, truth)",
                f"{c.summary}; truth and candidate exchanged",
                1,
                partial(_exchanged, call),
                _suits(c),
            )
    yield from TOOLS
    yield from _overlaps()
    yield from _broken_ties()
    for c in list_coefficients():
        for tolerance in TOLERANCES if c.tolerance else ():
            name = f"{c.name}(truth, candidate, tolerance={tolerance:g})"
            account = f"scores closer than {tolerance:g} count as ties"
            yield Recipe(name, account, 2, _registered(c, tolerance=tolerance))


def _registered(c: Coefficient, **options: Any) -> Callable[[Vectors], Any]:
    return lambda pair: c.formula(pair.truth, pair.candidate, **options)


def _exchanged(call: Callable[[Vectors], Any], pair: Vectors) -> Any:
    return call(pair.swapped)


def _suits(c: Coefficient) -> frozenset[Suits]:
    suits: set[Suits] = {"all"}
    if c.name != "tau_gap_a":  # its mean over the orders of ties takes seconds where most systems score 0 on a topic
        suits.add("topics")
    if "scores" in c.reads:
        suits.add("gaps")
    if c.top_weighted:
        suits.add("head")
    if c.name in ("tau_b", "spearman", "weighted_tau"):
        suits.add("lists")
    if c.name in ("tau_b", "spearman", "pearson"):
        suits.add("pooled")
    return frozenset(suits)


def _overlaps() -> Iterator[Recipe]:
    """Rank-biased overlap with other settings than the usual ones."""
    rbo = get_coefficient("rbo")
    for p in (0.9, *PERSISTENCE):
        for ties in ("a", "w", "b"):
            for kind in ("ext", "min", "max"):
                departures = (p != 0.9) + (ties != "a") + (kind != "ext")
                if 1 <= departures <= 2:
                    name = f"rbo(truth, candidate, p={p:g}, ties={ties!r}, kind={kind!r})"
                    account = f"rank-biased overlap, persistence {p:g}, ties as in RBO-{ties}, {_KINDS[kind]}"
                    call = _registered(rbo, p=p, ties=ties, kind=kind)
                    suits: frozenset[Suits] = frozenset({"all", "head"} if departures == 1 else {"all"})
                    yield Recipe(name, account, departures, call, suits, signed=False, needs_ties=ties != "a")


_KINDS = {"ext": "extrapolated", "min": "the lower bound", "max": "the upper bound"}


def _broken_ties() -> Iterator[Recipe]:
    """Coefficients for orders without ties, after tools have broken the ties in their ways."""
    for how, words in TIE_BREAKS.items():
        for name in ("tau", "tau_ap", "tau_gap", "spearman", "weighted_tau", "rbo"):
            yield from _both_ways(name, how, words, partial(_broken, get_coefficient(name), how), 1)
    for name in ("tau", "tau_ap", "tau_gap", "rbo"):
        call = partial(_at_random, get_coefficient(name))
        yield from _both_ways(name, "random", "ties broken at random: any value in this range", call, 2)


def _both_ways(name: str, how: str, words: str, call: Callable[[Vectors], Any], departures: int) -> Iterator[Recipe]:
    c = get_coefficient(name)
    settings: dict[str, Any] = {"signed": c.range[0] < 0, "needs_ties": True}
    yield Recipe(f"{name}(truth, candidate), ties by {how}", f"{c.summary}; {words}", departures, call, **settings)
    if not c.symmetric:
        account = f"{c.summary}; {words}; truth and candidate exchanged"
        yield Recipe(
            f"{name}(candidate, truth), ties by {how}", account, departures + 1, partial(_exchanged, call), **settings
        )


def _broken(c: Coefficient, how: TieBreak, pair: Vectors) -> Any:
    return _on_orders(c, pair, pair.without_ties(how))


def _at_random(c: Coefficient, pair: Vectors) -> tuple[float, float]:
    worst, best = (_on_orders(c, pair, orders) for orders in pair.best_and_worst_ties())
    return float(worst), float(best)


def _on_orders(c: Coefficient, pair: Vectors, orders: Vectors) -> Any:
    """The coefficient of the orders; where it reads the truth's scores, these stay what they are."""
    truth = pair.truth if c.reads[0] == "scores" else orders.truth
    return c.formula(truth, orders.candidate)


def value_of(rule: Recipe, pair: Vectors) -> np.ndarray[Any, Any]:
    """What the rule gives, as low and high, in a last axis of two; one row per topic where the pair has topics."""
    found = rule.call(pair)
    low, high = found if isinstance(found, tuple) else (found, found)
    return np.stack([np.asarray(low, dtype=float), np.asarray(high, dtype=float)], axis=-1)
