"""Agreement over random splits of the topics, for coefficients that have no formula.

The first b topics of a random order are the reference, the next k the judge's. Beside the coefficient, tau_b is
computed on the same splits: by how far it is off its formula tells how far the splits are off, so this much is
subtracted (a control variate). Splits are drawn until the ends of the interval stay where they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import FloatArray, IntArray
from ..coefficients.registry import get_coefficient
from ..data.means import tied_sums
from .analytic import Curve
from .estimate import LEAST, estimate

if TYPE_CHECKING:
    from .worth import How

BATCH = 48  # orders at a time, each turned four times
MOST = 60  # batches
STILL = 0.05  # standard errors by which another seed may move an end
TEAMS = 40  # left out, at most: more are put together


@dataclass(frozen=True)
class Side:
    """A score matrix whose sums are exact (whole numbers of a decimal unit), or settled by a rule."""

    values: FloatArray
    size: FloatArray | None  # by system: sum of absolute scores, where sums are not exact

    @staticmethod
    def of(scores: FloatArray) -> Side:
        """Scores of up to 9 decimals become whole numbers, whose sums have no rounding error in any order."""
        for decimals in range(10):
            whole = np.rint(scores * 10.0**decimals)
            if np.abs(whole).sum(axis=0).max() >= 2.0**50:
                break
            if np.array_equal(whole / 10.0**decimals, scores):
                return Side(whole, None)
        return Side(np.ascontiguousarray(scores, dtype=np.float64), np.abs(scores).sum(axis=0))

    def settled(self, sums: FloatArray) -> FloatArray:
        """Totals that are equal where only rounding makes them differ."""
        if self.size is None:
            return sums
        gaps = np.diff(np.sort(sums, axis=-1), axis=-1)
        near = ((gaps > 0) & (gaps <= 1e-9 * self.size.max())).any(axis=-1)  # only these rows can hold a hidden tie
        if near.any():
            sums[near] = tied_sums(sums[near], self.size, n=len(self.values))
        return sums


Formula = Callable[[FloatArray, FloatArray], FloatArray]


def split_curves(
    truth: FloatArray, judge: FloatArray, how: How, teams: IntArray, known: tuple[Curve, Curve]
) -> tuple[Curve, Curve]:
    """Both curves of a coefficient. `known` has those of tau_b by its formula, at the same whole sizes."""
    names = [how.coefficient.name, "tau_b"]
    formulas: list[Formula] = [partial(_defined, name) for name in names]
    sizes = [curve.sizes.astype(int) for curve in known]
    rng, batches = how.drawn.generator(), []
    while True:
        batches.append(_batch((Side.of(truth), Side.of(judge)), formulas, sizes, teams, rng))
        if len(batches) < 4:
            continue
        if len(batches) >= MOST or _moves(batches, known, how) < STILL:
            return _curves(np.array(batches), known)


def _defined(name: str, truth: FloatArray, judge: FloatArray) -> FloatArray:
    """A coefficient by its name, 0 where it is undefined."""
    return np.asarray(np.nan_to_num(get_coefficient(name).formula(truth, judge), nan=0.0))


def _batch(
    sides: tuple[Side, Side], formulas: list[Formula], sizes: list[IntArray], teams: IntArray, rng: np.random.Generator
) -> FloatArray:
    """Means over some splits: formulas x (all, each topic left out, each team left out) x points, the judge's first.

    An order is turned by a quarter three times, so that every topic is in the reference equally often.
    """
    n, m = sides[0].values.shape
    b = n - int(max(sizes[0].max(), sizes[1].max()))
    order = rng.permuted(np.tile(np.arange(n), (max(1, min(BATCH, 2**21 // (n * m))), 1)), axis=1)
    order = np.concatenate([np.roll(order, round(q * n / 4), axis=1) for q in range(4)])
    points = [(1, int(k)) for k in sizes[0]] + [(0, int(k)) for k in sizes[1]]
    members = [side.values[order] for side in sides]  # splits x topics x systems
    summed = [np.cumsum(of[:, b:], axis=1) for of in members]
    reference = members[0][:, :b].sum(axis=1)
    shorter = sides[0].settled(reference[:, None] - members[0][:, :b])
    reference = sides[0].settled(reference)
    groups = np.arange(teams.max() + 1) % TEAMS
    found = np.zeros((len(formulas), 1 + n + groups.max() + 1, len(points)))
    for p, (which, k) in enumerate(points):
        side, of = sides[which], members[which]
        total = summed[which][:, k - 1]
        # A topic that leaves gives its place to the next one in the order, if there is one.
        swapped = total[:, None] - of[:, b : b + k] + (of[:, b + k, None] if b + k < n else 0)
        swapped, total = side.settled(swapped), side.settled(total)
        for f, formula in enumerate(formulas):
            value = formula(reference, total)
            change = np.zeros((len(order), n))
            change[:, :b] = formula(shorter, total[:, None]) - value[:, None]
            change[:, b : b + k] = formula(reference[:, None], swapped) - value[:, None]
            found[f, 0, p] = value.mean()
            found[f, 1 : n + 1, p] = value.mean() + np.bincount(order.ravel(), change.ravel(), n) / len(order)
            for g in range(groups.max() + 1):
                stay = groups[teams] != g
                found[f, 1 + n + g, p] = formula(reference[:, stay], total[:, stay]).mean()
    return found


def _curves(batches: FloatArray, known: tuple[Curve, Curve]) -> tuple[Curve, Curve]:
    """The mean of the batches, corrected by how far tau_b is off its formula."""
    n, split = known[0].topics[0].shape[1], len(known[0].sizes)
    exact = np.concatenate([np.vstack([c.values, c.topics[0].T, c.systems.T]) for c in known], axis=1)
    if len(exact) != batches.shape[2]:  # teams that were put together have no formula
        exact = exact[: 1 + n]
    changes, exact = _as_changes(batches), _as_changes(exact)
    wanted, tau = changes.mean(axis=0)
    f, t = (changes - changes.mean(axis=0)).swapaxes(0, 1)
    for part in (slice(0, 1), slice(1, len(exact))):  # values and changes each have a slope on those of tau_b
        slope = (f * t)[:, part].sum(axis=(0, 1)) / np.maximum((t * t)[:, part].sum(axis=(0, 1)), 1e-300)
        wanted[part] -= slope * (tau[part] - exact[part])
    wanted[1:] += wanted[0]
    return _curve(wanted[:, :split], known[0], n), _curve(wanted[:, split:], known[1], n)


def _as_changes(values: FloatArray) -> FloatArray:
    """The first row, and by how much the others differ from it."""
    return np.concatenate([values[..., :1, :], values[..., 1:, :] - values[..., :1, :]], axis=-2)


def _curve(points: FloatArray, known: Curve, n: int) -> Curve:
    """A curve in which topics and systems interact as they do for tau_b."""
    values, topics, systems = points[0], points[1 : n + 1].T, points[n + 1 :].T
    both = topics[:, :, None] + systems[:, None, :] - values[:, None, None]
    if systems.shape == known.systems.shape:
        alone = known.topics[0][:, :, None] + known.systems[:, None, :] - known.values[:, None, None]
        both = both + known.both[0] - alone
    return Curve(known.sizes, values, (topics,), systems, (both,))


def _moves(batches: list[FloatArray], known: tuple[Curve, Curve], how: How) -> float:
    """Standard deviation over seeds of the ends of the interval, in standard errors, by leaving out batches."""
    every = np.array(batches)
    ends = []
    for k in range(len(every)):
        found = estimate(
            *_curves(np.delete(every, k, axis=0), known), how.n_topics, level=how.level, new_systems=how.new_systems
        )
        ends.append([math.log(max(found.low, LEAST)), math.log(min(found.high, 1e9))])
    low, high = np.array(ends).T
    error = (high - low).mean() / 4
    spread = max(low.std(), high.std()) * math.sqrt(len(every) - 1)
    return float(spread / error) if error > 0 else 0.0
