"""The distribution of one effect: smooth, and drawn from by a table of its quantiles; and the scale of effects."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...arrays import FloatArray

_LEAST = (
    0.1  # of the best bandwidth for a normal distribution: bounds the table where nearly all observations are equal
)
_ALL_PAIRS = 1_000  # observations up to which every pair is computed; beyond, pairs of points on a fine grid
_GRID = 64  # points of that grid in a bandwidth
_REACH = 9.0  # bandwidths beyond which a kernel adds less than 1e-18
_NODES = 16  # nodes of the table in a bandwidth
_BLOCK = 64  # nodes computed at a time, against the observations within reach


@dataclass(frozen=True)
class Margin:
    """Quantiles as a function of the standard normal deviate, x = F^-1(Phi(z)).

    Between two nodes x is a cubic in u = (z - z_k) / (z_k+1 - z_k), with the right values and slopes at both ends.
    It is increasing, and so off by less than a sixteenth of a bandwidth wherever the cubic is bad, which is where
    almost no observation falls: in a gap between them.
    """

    z: FloatArray
    width: FloatArray
    cubic: FloatArray
    """The four coefficients of each piece, lowest power first."""

    def __call__(self, z: FloatArray) -> FloatArray:
        piece = np.searchsorted(self.z[1:-1], z, side="right")
        u = (np.clip(z, self.z[0], self.z[-1]) - self.z[piece]) / self.width[piece]
        c0, c1, c2, c3 = self.cubic[:, piece]
        return np.asarray(c0 + u * (c1 + u * (c2 + u * c3)))


def constant() -> Margin:
    """Always 0."""
    ends = np.array([-40.0, 40.0])
    return Margin(ends, np.diff(ends), np.zeros((4, 1)))


def smooth(observed: FloatArray, sd: float) -> Margin:
    """The distribution function F(x) = mean of Phi((x - x_i) / h) over the observations, h by `bandwidth`.

    Its inverse has no formula. F and its density are computed at 16 points a bandwidth, from nine bandwidths below the
    lowest observation to nine above the highest, and the table is read the other way round.
    """
    h = bandwidth(observed, sd)
    x = np.arange(observed.min() - _REACH * h, observed.max() + (_REACH + 1 / _NODES) * h, h / _NODES)
    z, slope = _deviates(x, np.sort(observed), h)
    step = np.diff(z)
    kept = np.flatnonzero(step > 0)  # where F stands still in floating point, no deviate ever falls
    with np.errstate(divide="ignore", invalid="ignore"):
        secant = np.diff(x) / step
    most = 3 * np.minimum(np.append(secant, np.inf), np.append(np.inf, secant))  # three secants: still increasing
    slope = np.minimum(slope, most)
    rise = np.diff(x)[kept]
    left, right = slope[kept] * step[kept], slope[kept + 1] * step[kept]
    cubic = np.stack([x[kept], left, 3 * rise - 2 * left - right, left + right - 2 * rise])
    return Margin(np.append(z[kept], z[-1]), step[kept], cubic)


def bandwidth(observed: FloatArray, sd: float) -> float:
    """How far the kernel reaches, its standard deviation: the two-stage plug-in of Polansky and Baker (2000).

    The mean integrated squared error of F is least, to first order, at h = (1 / (sqrt(pi) n A))**(1/3), A the integral
    of the squared derivative of the density. A = -psi_2, where psi_r is the expectation of the density's r-th
    derivative at an observation. It is estimated from all pairs of observations with a normal kernel of its own
    bandwidth g = (2 K_r(0) / (-n psi_r+2))**(1/(r+3)); the psi_4 in that of psi_2 likewise, and the psi_6 in that of
    psi_4 is that of a normal distribution with standard deviation `sd`. A normal sample gets about sd (4 / n)**(1/3).
    """
    n, root = len(observed), math.sqrt(2 * math.pi)
    x = observed / sd
    psi_6 = -15 / (16 * math.sqrt(math.pi))
    psi_4 = _psi(x, (-6 / (root * n * psi_6)) ** (1 / 7), 4, (1, -6, 3))
    psi_2 = _psi(x, (2 / (root * n * psi_4)) ** (1 / 5), 2, (1, -1))
    return float(sd * max((1 / (math.sqrt(math.pi) * n * -psi_2)) ** (1 / 3), _LEAST * (4 / n) ** (1 / 3)))


def _psi(x: FloatArray, g: float, order: int, hermite: tuple[int, ...]) -> float:
    """The mean over all pairs, also of an observation with itself, of a derivative of the normal density of sd g.

    `hermite` has the coefficients of its polynomial, here in the squares.
    """
    if len(x) <= _ALL_PAIRS:
        apart, times = np.subtract.outer(x, x).ravel() / g, np.array(1.0)
    else:
        apart = np.arange(math.ceil(_REACH * _GRID) + 1) / _GRID
        times = _lags(x * (_GRID / g), len(apart))
        times[1:] *= 2  # either way round
    values = np.polyval(hermite, apart**2) * np.exp(-0.5 * apart**2) * times
    return float(values.sum() / (math.sqrt(2 * math.pi) * g ** (order + 1) * len(x) ** 2))


def _lags(x: FloatArray, count: int) -> FloatArray:
    """How many pairs are 0, 1, 2, ... apart, each x shared between the two whole numbers beside it."""
    place, share = np.floor(x - x.min()).astype(np.int64), np.modf(x - x.min())[0]
    size = int(place.max()) + 2
    weights = np.bincount(place, 1 - share, size) + np.bincount(place + 1, share, size)
    room = 1 << (size + count).bit_length()  # so that the far end does not wrap round to the near one
    return np.asarray(np.fft.irfft(np.abs(np.fft.rfft(weights, room)) ** 2, room)[:count])


def _deviates(x: FloatArray, observed: FloatArray, h: float) -> tuple[FloatArray, FloatArray]:
    """Z = Phi^-1(F(x)), and dx/dz = phi(z) / F'(x), at increasing x."""
    from scipy.special import ndtr, ndtri

    n = len(observed)
    below, above, density = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    for lo in range(0, len(x), _BLOCK):
        rows = slice(lo, min(lo + _BLOCK, len(x)))
        ends = observed.searchsorted([x[lo] - (_REACH + 1) * h, x[rows.stop - 1] + (_REACH + 1) * h])
        t = (x[rows, None] - observed[None, ends[0] : ends[1]]) / h
        # Both tails are summed: the difference from 1 would lose the digits of the far one.
        below[rows] = (ndtr(t).sum(axis=1) + ends[0]) / n
        above[rows] = (ndtr(-t).sum(axis=1) + (n - ends[1])) / n
        density[rows] = np.exp(-0.5 * t * t).sum(axis=1) / (n * h)
    z = np.where(below < 0.5, ndtri(below), -ndtri(above))
    with np.errstate(divide="ignore"):
        return np.maximum.accumulate(z), np.exp(-0.5 * z * z) / density


# The scale on which effects add up: scores between 0 and 1, and there and back.
OFFSET = 0.05  # keeps scores of 0 and 1 finite


def transform(x: FloatArray) -> FloatArray:
    """Scores x between 0 and 1 to y = log((x + a) / (1 - x + a))."""
    return np.asarray(np.log((x + OFFSET) / (1 - x + OFFSET)))


def inverse_transform(y: FloatArray) -> FloatArray:
    """Back from `transform` to scores, clipped to [0, 1]."""
    from scipy.special import expit

    return np.asarray(np.clip(expit(y) * (1 + 2 * OFFSET) - OFFSET, 0.0, 1.0))
