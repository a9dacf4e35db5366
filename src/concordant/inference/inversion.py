"""Tails of a sum of independent discrete uniforms, accurate relative to the tail itself.

D = sum_j spacing_j D_j, D_j uniform on 0 .. j for j = 1 .. m-1. Its Laplace transform is a product of simple factors,
M(z) = E[exp(-zD)] = prod_j (1 - exp(-(j+1) spacing_j z)) / ((j+1) (1 - exp(-spacing_j z))), and for any theta > 0

    P(D <= d) = 1 / (2 pi i) * integral over Re z = theta of exp(zd) M(z) / z dz,

If D is a whole number, 1 - exp(-z) takes the place of z, over one period. All theta give the same value, but in
floating point theta must be near the saddle point. There the integrand is a bump about as high as the tail itself, and
nothing cancels. The trapezoid rule of step h adds copies of exp(-theta d) P(D <= d), shifted by multiples of the period
2 pi / h. We choose h so that, by Chernoff's bound, they are far below the last digit.

A few fixed values of theta, the knots, serve all d. Every d is within about a standard deviation of the mean of D under
some knot's tilt, which costs less than a digit. So each knot is computed once for a distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray

ComplexArray = npt.NDArray[np.complex128]

_NEGLIGIBLE = math.exp(-45)  # relative to the largest term
_BLOCK = 32  # nodes at a time
_MOST_NODES = 4096
_LEAST_LOG = -800.0  # exp(-800) is below the smallest float


class _Knot(NamedTuple):
    theta: float
    log_transform: float  # log M(theta)
    mean: float  # of D under the tilt exp(-theta D)
    sd: float


class _Nodes(NamedTuple):
    at: FloatArray  # imaginary parts of z, from 0
    weights: ComplexArray  # M(z) / M(theta), times the weight of the trapezoid rule


@dataclass(frozen=True, eq=False)
class UniformSum:
    """The sum D = sum_j spacing_j D_j with D_j uniform on 0 .. j, j = 1 .. len(spacing)."""

    spacing: FloatArray
    lattice: bool = False
    """True if all spacings are 1."""
    _nodes: dict[int, _Nodes] = field(default_factory=dict, repr=False)

    @cached_property
    def counts(self) -> FloatArray:
        """The number of values of each D_j."""
        return np.arange(2.0, len(self.spacing) + 2)

    def log_tail(self, d: FloatArray) -> FloatArray:
        """Compute log P(D <= d), for d from 0 to the mean of D."""
        means = np.array([knot.mean for knot in self._knots])  # decreasing
        nearest = len(means) - 1 - np.searchsorted((means[1:] + means[:-1])[::-1] / 2, d)
        result = np.empty(d.shape)
        for k in np.unique(nearest).tolist():
            chosen = np.flatnonzero(nearest == k)
            for part in np.array_split(chosen, len(chosen) // 512 + 1):
                result[part] = self._at_knot(k, d[part])
        return result

    def _at_knot(self, k: int, d: FloatArray) -> FloatArray:
        knot = self._knots[k]
        if k not in self._nodes:
            self._nodes[k] = self._nodes_of(knot)
        at, weights = self._nodes[k]
        z = knot.theta + 1j * at
        weights = weights / (-np.expm1(-z) if self.lattice else z)
        bump = (np.exp(1j * np.outer(d, at)) @ weights).real
        return np.asarray(knot.log_transform + knot.theta * d + np.log(np.maximum(bump, _NEGLIGIBLE)))

    @cached_property
    def _knots(self) -> list[_Knot]:
        theta = 1 / math.sqrt(np.sum(self.spacing**2 * (self.counts**2 - 1)) / 12)
        log_of_all = math.lgamma(len(self.spacing) + 2)  # log of the number of vectors (D_1, D_2, ...)
        knots = []
        while True:
            knot = _Knot(theta, self._log_transform(theta), *self.moments(theta))
            knots.append(knot)
            # Stop when the tail is too small for a float, or D is 0 with a probability near 1.
            if knot.log_transform + theta * knot.mean < _LEAST_LOG or knot.log_transform + log_of_all < 0.1:
                return knots
            theta += 1 / knot.sd

    def _log_transform(self, theta: float) -> float:
        x = theta * self.spacing
        return float(np.sum(np.log(np.expm1(-self.counts * x) / (self.counts * np.expm1(-x)))))

    def moments(self, theta: float) -> tuple[float, float]:
        """Compute the mean and standard deviation of D under the tilt exp(-theta D)."""
        x = np.minimum(theta * self.spacing, 300)
        all_x = np.minimum(self.counts * x, 600)
        mean = np.sum(self.spacing * (1 / np.expm1(x) - self.counts / np.expm1(all_x)))
        variance = np.sum((self.spacing / 2) ** 2 * (np.sinh(x / 2) ** -2 - (self.counts / np.sinh(all_x / 2)) ** 2))
        return float(mean), math.sqrt(max(float(variance), 0.0))  # rounding may give less than 0 for theta near 0

    def _nodes_of(self, knot: _Knot) -> _Nodes:
        period = self._period(knot)
        if self.lattice:
            period = 2 * math.ceil(period / 2) + 1  # whole, and odd so that no node is its own mirror image
        step = 2 * math.pi / period
        most = (int(period) + 1) // 2 if self.lattice else _MOST_NODES
        nodes: list[FloatArray] = []
        values: list[ComplexArray] = []
        for lo in range(0, most, _BLOCK):
            nodes.append(step * np.arange(lo, min(lo + _BLOCK, most), dtype=np.float64))
            values.append(self._transform_ratio(knot.theta, nodes[-1]))
            if self._rest_is_negligible(knot.theta, nodes[-1][-1], values[-1]):
                break
        u, ratios = np.concatenate(nodes), np.concatenate(values)
        if not self.lattice and len(u) == most:
            # D has few values here, so the truncated nodes matter. Smooth as little as needed, by a Gaussian, whose
            # positive weights keep the tail monotone.
            left = np.abs(ratios[most // 2 :]).max()
            ratios *= np.exp(-min(18.0, max(0.0, math.log(left / 1e-13))) * (u / u[-1]) ** 2)
        weights = ratios * (step / math.pi)  # twice the real part accounts for the nodes at -u
        weights[0] /= 2
        return _Nodes(u, weights)

    def _period(self, knot: _Knot) -> float:
        """Choose a period so long that the shifted copies of exp(-theta d) P(D <= d) are negligible.

        Chernoff's bound is P(D <= d) <= M(t) exp(td), with t = theta + a on the left and theta - a on the right.
        """
        far = 2 * knot.sd  # d is within this of the knot's mean
        left = knot.mean + far  # there P(D <= d) is 0
        right = math.inf
        for a in np.array([0.5, 1, 2, 4, 6, 8, 10, 14, 20]) / knot.sd:
            grown = self._log_transform(knot.theta + a) - knot.log_transform
            left = min(left, (grown - math.log(_NEGLIGIBLE)) / a + knot.mean + far)
            back = min(a, knot.theta)
            grown = (self._log_transform(knot.theta - back) if back < knot.theta else 0.0) - knot.log_transform
            right = min(right, (grown - math.log(_NEGLIGIBLE)) / back - knot.mean + far)
        return max(left, right)

    def _transform_ratio(self, theta: float, u: FloatArray) -> ComplexArray:
        """Compute M(theta + iu) / M(theta)."""
        ratio = np.ones(len(u), np.complex128)
        size = max(1, 2**18 // len(u))
        for lo in range(0, len(self.spacing), size):
            d, n = self.spacing[lo : lo + size, None], self.counts[lo : lo + size, None]
            z = d * (theta + 1j * u)
            below = np.expm1(-z[:1]) if self.lattice else np.expm1(-z)
            at_theta = np.expm1(-n * d * theta) / np.expm1(-d * theta)
            ratio *= np.prod(np.expm1(-n * z) / below / at_theta, axis=0)
        return ratio

    def _rest_is_negligible(self, theta: float, last: float, values: ComplexArray) -> bool:
        """Tell whether nodes beyond the last one are negligible."""
        if np.abs(values).max() > _NEGLIGIBLE:
            return False
        if not self.lattice:
            return True
        # |M(theta + iu)| decreases until u = 2 pi / m. Beyond, use a decreasing bound: replace the sines in the
        # numerators by 1.
        u = max(last, 2 * math.pi / self.counts[-1])
        wave = math.sinh(theta / 2) / math.hypot(math.sinh(theta / 2), math.sin(min(u, math.pi) / 2))
        bound = np.minimum(1, wave / np.tanh(np.minimum(self.counts * theta / 2, 300)))
        return bool(np.sum(np.log(bound)) < math.log(_NEGLIGIBLE))


def near_perfect(m: int, deficits: FloatArray) -> FloatArray:
    """Count the rankings of m systems with D <= d, where D = sum_j D_j / j, for each d.

    Near 1, AP correlation has few values, far apart, and no smooth formula follows them. Every (D_1, D_2, ...) is one
    ranking. We list the sums over odd j and those over even j, and count the pairs with a total of at most d. The lists
    are about as long as the square root of the count.
    """
    most = float(deficits.max())
    few, many = sorted((_sums(m, 1, most), _sums(m, 2, most)), key=len)
    many = np.sort(many)
    return np.array([np.searchsorted(many, d - few, side="right").sum() for d in deficits.tolist()], np.float64)


def _sums(m: int, first: int, most: float) -> FloatArray:
    """List all sums of D_j / j over every second j from `first`, except those above `most`."""
    sums = np.zeros(1)
    for j in range(first, m, 2):
        steps = np.arange(min(j, int(most * j)) + 1) / j
        if len(steps) > 1:
            sums = (sums[:, None] + steps).ravel()
            sums = sums[sums <= most]
    return sums
