"""Agreement over random splits of the topics, for coefficients that have no formula.

The first b topics of a random order are the reference, the next k the judge's. Beside the coefficient, tau_b is
computed on the same splits: by how far it is off its formula tells how far the splits are off, so this much is
subtracted (a control variate). Values of the curves cost little and are drawn more often than what they change by
without each topic and each team. Splits are drawn until the ends of the interval stay where they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..coefficients.registry import get_coefficient
from ..data.means import tied_sums
from .analytic import Curve
from .estimate import LEAST, estimate

if TYPE_CHECKING:
    from .worth import How

BATCH = 48  # orders at a time, each turned four times
MORE = 8  # times as many for values, which cost little beside their changes without each topic and team
CHECKED = 8  # batches between two looks at how far the ends move
MOST = 64  # batches
STILL = 0.045  # standard errors by which another seed may move an end, as estimated
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
) -> tuple[tuple[Curve, Curve], FloatArray]:
    """Both curves of a coefficient, and by how much another seed moves the logs of lower end, worth and upper end.

    `known` has the curves of tau_b by its formula, at the same whole sizes.
    """
    names = [how.coefficient.name, "tau_b"]
    formulas: list[Formula] = [partial(_defined, name) for name in names]
    drawn = SplitSums(
        (Side.of(truth), Side.of(judge)), formulas, (known[0].sizes.astype(int), known[1].sizes.astype(int))
    )
    rng, values, changes = how.drawn.generator(), [], []
    while True:
        values.append([drawn.values(drawn.orders(rng)) for _ in range(MORE)])
        changes.append(drawn.changes(drawn.orders(rng), teams))
        if len(values) % CHECKED == 0:
            found = np.array(values), np.array(changes)
            moves, error = _moves(*found, known, how)
            if len(values) >= MOST or moves.max() < STILL * error:
                return _curves(*found, known), moves


def _defined(name: str, truth: FloatArray, judge: FloatArray) -> FloatArray:
    """A coefficient by its name, 0 where it is undefined."""
    return np.asarray(np.nan_to_num(get_coefficient(name).formula(truth, judge), nan=0.0))


@dataclass(frozen=True)
class SplitSums:
    """What is computed on each split: formulas of both sides' sums over topics, at sizes of judge and truth."""

    sides: tuple[Side, Side]
    formulas: list[Formula]
    sizes: tuple[IntArray, IntArray]

    @property
    def reference(self) -> int:
        """b: how many topics the largest size leaves."""
        return len(self.sides[0].values) - int(max(self.sizes[0].max(), self.sizes[1].max()))

    @property
    def points(self) -> list[tuple[int, int]]:
        """The place of the side that is compared, and its size: the judge's first."""
        return [(1, int(k)) for k in self.sizes[0]] + [(0, int(k)) for k in self.sizes[1]]

    def orders(self, rng: np.random.Generator) -> IntArray:
        """Random orders of the topics, each turned by a quarter three times: all are in the reference equally often."""
        n, m = self.sides[0].values.shape
        order = rng.permuted(np.tile(np.arange(n), (max(1, min(BATCH, 2**21 // (n * m))), 1)), axis=1)
        return np.concatenate([np.roll(order, round(q * n / 4), axis=1) for q in range(4)])

    def values(self, order: IntArray) -> FloatArray:
        """Means over orders: formulas x points."""
        b, place = self.reference, np.argsort(order, axis=1)
        sums = [self._sums(which, (place >= b) & (place < b + k)) for which, k in self.points]
        reference = self._sums(0, place < b)
        return np.array([[formula(reference, of).mean() for of in sums] for formula in self.formulas])

    def _sums(self, which: int, members: npt.NDArray[np.bool_]) -> FloatArray:
        values = self.sides[which].values
        return self.sides[which].settled(np.einsum("st,tm->sm", members.astype(np.float64), values))

    def changes(self, order: IntArray, teams: IntArray) -> FloatArray:
        """By how much means change without each topic and each team: formulas x (topics, teams) x points."""
        b, n = self.reference, len(self.sides[0].values)
        members = [side.values[order] for side in self.sides]  # splits x topics x systems
        summed = [np.cumsum(of[:, b:], axis=1) for of in members]
        reference = members[0][:, :b].sum(axis=1)
        shorter = self.sides[0].settled(reference[:, None] - members[0][:, :b])
        reference = self.sides[0].settled(reference)
        groups = np.arange(teams.max() + 1) % TEAMS
        found = np.zeros((len(self.formulas), n + groups.max() + 1, len(self.points)))
        for p, (which, k) in enumerate(self.points):
            side, of = self.sides[which], members[which]
            total = summed[which][:, k - 1]
            # A topic that leaves gives its place to the next one in the order, if there is one.
            swapped = total[:, None] - of[:, b : b + k] + (of[:, b + k, None] if b + k < n else 0)
            swapped, total = side.settled(swapped), side.settled(total)
            for f, formula in enumerate(self.formulas):
                value = formula(reference, total)
                change = np.zeros((len(order), n))
                change[:, :b] = formula(shorter, total[:, None]) - value[:, None]
                change[:, b : b + k] = formula(reference[:, None], swapped) - value[:, None]
                found[f, :n, p] = np.bincount(order.ravel(), change.ravel(), n) / len(order)
                for g in range(groups.max() + 1):
                    stay = groups[teams] != g
                    found[f, n + g, p] = (formula(reference[:, stay], total[:, stay]) - value).mean()
        return found


def _curves(values: FloatArray, changes: FloatArray, known: tuple[Curve, Curve]) -> tuple[Curve, Curve]:
    """The mean of the batches, corrected by how far tau_b is off its formula."""
    n, split = known[0].topics[0].shape[1], len(known[0].sizes)
    exact = np.concatenate([np.vstack([c.values, c.topics[0].T, c.systems.T]) for c in known], axis=1)
    rows = changes.shape[2] if changes.shape[2] == len(exact) - 1 else n  # teams put together have no formula
    wanted = np.empty((1 + changes.shape[2], exact.shape[1]))
    wanted[0] = _corrected(values.reshape(-1, 2, 1, exact.shape[1]), exact[:1])
    wanted[1:] = wanted[0] + _corrected(changes, exact[1 : 1 + rows] - exact[0])
    return _curve(wanted[:, :split], known[0], n), _curve(wanted[:, split:], known[1], n)


def _corrected(batches: FloatArray, exact: FloatArray) -> FloatArray:
    """Mean of the first formula's rows; at each point, all that are known of tau_b share a slope on it."""
    wanted, tau = batches.mean(axis=0)
    known = slice(len(exact))
    f, t = (batches - batches.mean(axis=0))[:, :, known].swapaxes(0, 1)
    slope = (f * t).sum(axis=(0, 1)) / np.maximum((t * t).sum(axis=(0, 1)), 1e-300)
    wanted[known] -= slope * (tau[known] - exact)
    return np.asarray(wanted)


def _curve(points: FloatArray, known: Curve, n: int) -> Curve:
    """A curve in which topics and systems interact as they do for tau_b."""
    values, topics, systems = points[0], points[1 : n + 1].T, points[n + 1 :].T
    both = topics[:, :, None] + systems[:, None, :] - values[:, None, None]
    if systems.shape == known.systems.shape:
        alone = known.topics[0][:, :, None] + known.systems[:, None, :] - known.values[:, None, None]
        both = both + known.both[0] - alone
    return Curve(known.sizes, values, (topics,), systems, (both,))


def _moves(values: FloatArray, changes: FloatArray, known: tuple[Curve, Curve], how: How) -> tuple[FloatArray, float]:
    """Standard deviations over seeds of the logs of lower end, worth and upper end, by leaving out batches.

    And the standard error of the log worth.
    """
    logs = []
    for k in range(len(values)):
        curves = _curves(np.delete(values, k, axis=0), np.delete(changes, k, axis=0), known)
        found = estimate(*curves, how.n_topics, level=how.level, new_systems=how.new_systems)
        ends = max(found.low, LEAST), max(found.worth, 1.0), found.high
        logs.append(np.log(np.minimum(ends, 1e4)))
    low, _, high = np.mean(logs, axis=0)
    return np.std(logs, axis=0) * math.sqrt(len(logs) - 1), float(high - low) / 4
