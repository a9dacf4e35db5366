"""Define what `audit` tries: inputs of coefficients (`preparations`) and rules that make values of them (`rules`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from ...arrays import FloatArray, IntArray
from ...coefficients.registry import Coefficient, break_ties, get_coefficient, list_coefficients
from ...coefficients.sums import concordance
from ...data.scores import Scores
from ...errors import ConcordantError, InputError
from ...pairing import On, Pairing, Side, best_systems, match

TieBreak = Literal["file", "name", "reverse name"]


class Vectors(NamedTuple):
    """Scores of the same systems by truth and candidate; two-dimensional scores have one row per topic."""

    truth: FloatArray
    candidate: FloatArray
    names: tuple[str, ...]
    truth_place: IntArray
    """Position of each system in the truth's file."""
    candidate_place: IntArray

    @property
    def tied(self) -> bool:
        """Whether at least one side has ties."""
        return any(np.unique(side).size < side.size for side in (self.truth, self.candidate))

    def without_ties(self, how: TieBreak) -> Vectors:
        """Break the ties on each side: rank tied systems in file order, or by name in alphabetical or reverse order."""
        alphabet = np.argsort(np.argsort(self.names))
        key = {"name": alphabet, "reverse name": -alphabet}
        return self._replace(
            truth=1 + break_ties(self.truth, -key.get(how, self.truth_place)),
            candidate=1 + break_ties(self.candidate, -key.get(how, self.candidate_place)),
        )


class Sides(NamedTuple):
    """Two sides as they were read, and the same sides matched by name."""

    read: tuple[Side, Side]
    found: Pairing

    @classmethod
    def of(cls, sides: tuple[Side, Side], names: Sequence[str] = ("truth", "candidate"), on: On = "both") -> Sides:
        """Match the sides; `Means` are matched by systems only."""
        by_topic = on == "both" and all(isinstance(side, Scores) for side in sides)
        found = match(sides, names, "both" if by_topic else "systems", choice=True, holes=True)
        if len(found.systems) < 2:
            raise InputError(f"{' and '.join(names)} share one system: at least 2 are needed to compare rankings")
        return cls(sides, found)

    def vectors(self, found: Pairing | None = None) -> Vectors:
        """Take the means of both sides, and each system's place in each file."""
        a, b = found or self.found
        places = [{name: k for k, name in enumerate(side.systems)} for side in self.read]
        return Vectors(a.means(), b.means(), a.systems, *(np.array([p[s] for s in a.systems]) for p in places))


# Inputs ----------------------------------------------------------------------------------------------

Make = Callable[[Sides], "Vectors | None"]
Transform = Callable[[FloatArray], Any]


class Preparation(NamedTuple):
    """A way to turn two sides into two vectors of scores. `make` returns None where the preparation does not apply."""

    name: str
    departures: int
    make: Make
    only: frozenset[str] | None = None
    """Names of the coefficients for which to try this preparation; None tries it with all rules."""
    average: Callable[[FloatArray], Any] = float
    """Function that averages the topics' values of the coefficient."""


def _of_means(a: Transform, b: Transform, given: Sides) -> Vectors:
    """Transform the truth's means with `a` and the candidate's means with `b`."""
    pair = given.vectors()
    return pair._replace(truth=a(pair.truth), candidate=b(pair.candidate))


def _of_topics(transform: Transform, given: Sides) -> Vectors | None:
    """Transform the scores on the common topics, in the same way for both sides."""
    if not given.found.by_topic:
        return None
    truth, candidate = (transform(side.values) for side in given.found.sides)
    return given.vectors()._replace(truth=truth, candidate=candidate)


def _ranks(method: str, means: FloatArray) -> FloatArray:
    from scipy import stats

    return np.asarray(-stats.rankdata(-means, method).astype(float))


def _lists(ties: TieBreak, by_name: bool, given: Sides) -> Vectors:
    """List the numbers of the systems in each side's rank order."""
    pair = given.vectors()
    orders = pair.without_ties(ties)
    numbers = np.argsort(np.argsort(pair.names)).astype(float) if by_name else np.arange(float(len(pair.names)))
    return pair._replace(truth=numbers[np.argsort(-orders.truth)], candidate=numbers[np.argsort(-orders.candidate)])


def _own_topics(given: Sides) -> Vectors | None:
    a, b = (set(side.topics) for side in given.read)
    if not a or not b or a == b:
        return None
    try:
        return given.vectors(Sides.of(given.read, on="systems").found)
    except ConcordantError:
        return None


def _top(k: int, side: int, given: Sides) -> Vectors | None:
    sides = given.found.sides
    if k >= len(given.found.systems):
        return None
    kept = best_systems(sides[side], k)
    return given.vectors(replace(given.found, sides=tuple(one.select(kept) for one in sides)))


def _mean(values: FloatArray) -> Any:
    """Average a coefficient's values over the topics on which it is defined."""
    defined = values[~np.isnan(values)]
    return defined.mean() if len(defined) else np.nan


def preparations(top: Sequence[int] = ()) -> Iterator[Preparation]:
    """Yield all preparations, the plainest first. Each k in `top` adds preparations with only the k best systems."""
    every = list_coefficients()
    # tau_gap_a is slow if most systems score 0 on a topic.
    quick = frozenset(c.name for c in every if c.name != "tau_gap_a")
    gaps = frozenset(c.name for c in every if "scores" in c.reads)
    head = frozenset(c.name for c in every if c.top_weighted)
    lists = frozenset(("tau_b", "spearman", "weighted_tau"))
    yield Preparation("", 0, Sides.vectors)
    for k in top:
        yield Preparation(f"top {k} by truth", 1, partial(_top, k, 0))
        yield Preparation(f"top {k} by candidate", 2, partial(_top, k, 1))
    yield Preparation("means over own topics", 1, _own_topics)
    yield Preparation("means, not rounded", 1, partial(_of_topics, partial(np.mean, axis=0)))
    for digits, departures in ((4, 1), (3, 1), (2, 2)):
        rounded = partial(np.round, decimals=digits)
        yield Preparation(f"means to {digits} digits", departures, partial(_of_means, rounded, rounded))
    topics = partial(_of_topics, np.asarray)
    yield Preparation("on each topic, mean", 1, topics, quick, _mean)
    yield Preparation("on each topic, mean with 0 where undefined", 2, topics, quick, lambda v: np.nan_to_num(v).mean())
    flat = partial(_of_topics, np.ravel)
    yield Preparation("all topics at once", 2, flat, frozenset(("tau_b", "spearman", "pearson")))
    for method, departures in (("average", 1), ("min", 2), ("dense", 2)):
        name = f"ranks in place of scores (ties: {method})"
        yield Preparation(name, departures, partial(_of_means, partial(_ranks, method), partial(_ranks, method)), gaps)
    yield Preparation("ranks given for scores", 2, partial(_of_means, np.negative, np.negative), head)
    yield Preparation("ranks given for scores in truth", 2, partial(_of_means, np.negative, np.asarray))
    yield Preparation("ranks given for scores in candidate", 2, partial(_of_means, np.asarray, np.negative))
    for ties in ("file", "name"):
        yield Preparation(f"names in rank order, ties by {ties}", 2, partial(_lists, ties, True), lists)
    yield Preparation("argsort taken for ranks", 2, partial(_lists, "file", False), lists)


# Rules -----------------------------------------------------------------------------------------------

Call = Callable[[Vectors], Any]


class Recipe(NamedTuple):
    """A rule that turns two vectors of scores into a value, or into one value per topic."""

    name: str
    account: str
    departures: int
    """Number of departures from a plain call of a coefficient."""
    call: Call
    of: str = ""
    """Name of the coefficient if the rule simply calls it; otherwise empty."""
    signed: bool = True
    needs_ties: bool = False
    """Whether this rule gives the same result as another rule when there are no ties."""


def rules() -> Iterator[Recipe]:
    """Yield all rules, the plainest first."""
    every = list_coefficients()
    for c in every:
        yield Recipe(f"{c.name}(truth, candidate)", c.summary, 0, _registered(c), c.name, c.range[0] < 0)
    for c in every:
        if not c.symmetric:
            account = f"{c.summary}; truth and candidate exchanged"
            yield Recipe(f"{c.name}(candidate, truth)", account, 1, partial(_exchanged, _registered(c)), c.name)
    yield from _TOOLS
    for p in (0.9, 0.5, 0.7, 0.8, 0.95, 0.98, 0.99):
        for ties in ("a", "w", "b"):
            departures, name = (p != 0.9) + (ties != "a"), f"rbo(truth, candidate, p={p:g}, ties={ties!r})"
            account = f"rank-biased overlap, persistence {p:g}, ties as in RBO-{ties}"
            call = _registered(get_coefficient("rbo"), p=p, ties=ties)
            if departures:
                yield Recipe(name, account, departures, call, signed=False, needs_ties=ties != "a")
    yield from _broken_ties()


def _registered(c: Coefficient, **options: Any) -> Call:
    return lambda pair: c.formula(pair.truth, pair.candidate, **options)


def _exchanged(call: Call, pair: Vectors) -> Any:
    truth, candidate, names, truth_place, candidate_place = pair
    return call(Vectors(candidate, truth, names, candidate_place, truth_place))


def _broken_ties() -> Iterator[Recipe]:
    """Yield rules that first break the ties as some tools do, and then compute a coefficient."""
    breaks: dict[TieBreak, str] = {
        "file": "ties in the order of each file",
        "name": "ties by name, A first",
        "reverse name": "ties by name, Z first",
    }
    for how, words in breaks.items():
        for c in map(get_coefficient, ("tau", "tau_ap", "tau_gap", "rbo", "spearman", "weighted_tau")):
            call, account = partial(_broken, c, how), f"{c.summary}; {words}"
            about: dict[str, Any] = {"signed": c.range[0] < 0, "needs_ties": True}
            yield Recipe(f"{c.name}(truth, candidate), ties by {how}", account, 1, call, **about)
            if not c.symmetric:
                swapped, name = partial(_exchanged, call), f"{c.name}(candidate, truth), ties by {how}"
                yield Recipe(name, f"{account}; truth and candidate exchanged", 2, swapped, **about)


def _broken(c: Coefficient, how: TieBreak, pair: Vectors) -> Any:
    """Break the ties, then compute the coefficient. A coefficient that uses the truth's scores gets them unchanged."""
    orders = pair.without_ties(how)
    return c.formula(pair.truth if c.reads[0] == "scores" else orders.truth, orders.candidate)


# What libraries, scripts and tools compute under the name of a rank correlation ---------------------


def _counted(of: Callable[..., float], pair: Vectors) -> float:
    """Apply a function to the numbers of pairs: concordant, discordant, untied in truth, untied in candidate, all."""
    m, c = concordance(pair.truth, pair.candidate)
    every = m * (m - 1) / 2
    ordered = every - float(c.tied_truth), every - float(c.tied_candidate)
    return float(of(np.float64(c.concordant), np.float64(c.discordant), *ordered, every))


def _scipy(function: str, pair: Vectors, **options: Any) -> float:
    from scipy import stats

    return float(getattr(stats, function)(pair.truth, pair.candidate, **options).statistic)


def _r_squared(pair: Vectors) -> float:
    return float(get_coefficient("pearson").formula(pair.truth, pair.candidate)) ** 2


def _short_spearman(pair: Vectors) -> float:
    a, b, m = _ranks("average", pair.truth), _ranks("average", pair.candidate), len(pair.names)
    return float(1 - 6 * ((a - b) ** 2).sum() / (m * (m * m - 1)))


def _average_overlap(pair: Vectors) -> float:
    """Compute the mean overlap at depths 1, 2, ..., m, with tied systems in the order of the files."""
    orders, m = pair.without_ties("file"), len(pair.names)
    depth = m + 1 - np.minimum(orders.truth, orders.candidate)
    shared = np.cumsum(np.bincount(depth.astype(int), minlength=m + 1)[1:])
    return float((shared / np.arange(1, m + 1)).mean())


def _unsorted_tau_ap(place: str, pair: Vectors) -> float:
    """Compute tau_ap along the file order, without sorting. Pairs tied on both sides count as concordant."""
    order: IntArray = np.argsort(getattr(pair, place))
    x, y = pair.truth[order], pair.candidate[order]
    above = [np.mean(np.sign(x[i] - x[:i]) == np.sign(y[i] - y[:i])) for i in range(1, len(x))]
    return float(2 * np.mean(above) - 1)


_WEIGHTED = partial(_scipy, "weightedtau", rank=None)
# fmt: off
_TOOLS = (
    Recipe("kendalltau(variant='c')", "scipy's tau-c", 1, partial(_scipy, "kendalltau", variant="c"), needs_ties=True),
    Recipe("1 - 6 sum d^2 / (m^3 - m)", "Spearman's short formula, which ties make wrong", 1, _short_spearman,
           needs_ties=True),
    Recipe("pearson squared", "r squared", 1, _r_squared, signed=False),
    Recipe("weightedtau(truth, candidate, rank=None)", "weights by the truth's ranks alone", 1, _WEIGHTED),
    Recipe("weightedtau(candidate, truth, rank=None)", "weights by the candidate's ranks alone", 1,
           partial(_exchanged, _WEIGHTED)),
    Recipe("weightedtau(additive=False)", "weights multiplied", 1, partial(_scipy, "weightedtau", additive=False)),
    Recipe("average overlap", "overlap averaged over depths; ties in file order", 1, _average_overlap, signed=False),
    Recipe("tau_ap, truth's file order", "tau_ap without sorting", 2, partial(_unsorted_tau_ap, "truth_place")),
    Recipe("tau_ap, candidate's file order", "tau_ap without sorting", 2, partial(_unsorted_tau_ap, "candidate_place")),
    Recipe("(C - D) / all pairs", "tau_a with ties on both sides: a tied pair is half right", 1,
           partial(_counted, lambda c, d, t, o, n: (c - d) / n), needs_ties=True),
    Recipe("gamma", "Goodman and Kruskal's gamma: tied pairs are left out", 1,
           partial(_counted, lambda c, d, t, o, n: (c - d) / (c + d)), needs_ties=True),
    Recipe("somersd(truth, candidate)", "Somers' D: pairs tied in the truth left out", 1,
           partial(_counted, lambda c, d, t, o, n: (c - d) / t), needs_ties=True),
    Recipe("somersd(candidate, truth)", "Somers' D: pairs tied in the candidate left out", 1,
           partial(_counted, lambda c, d, t, o, n: (c - d) / o), needs_ties=True),
    Recipe("C / all pairs", "share of concordant pairs; ties are wrong", 1,
           partial(_counted, lambda c, d, t, o, n: c / n), signed=False),
    Recipe("C / pairs ordered by the truth", "pairwise accuracy: without pairs tied in truth", 1,
           partial(_counted, lambda c, d, t, o, n: c / t), signed=False, needs_ties=True),
)
# fmt: on
