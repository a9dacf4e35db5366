"""The smooth distribution of one effect, as a table of its quantiles, and the scale on which effects add up."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...arrays import FloatArray

_LEAST = (
    0.1  # share of the best bandwidth for a normal distribution; limits the table if nearly all observations are equal
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
    It is increasing, so even a poor cubic is off by less than a sixteenth of a bandwidth. Cubics are poor only in gaps
    between observations, where few values fall.
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
    """Tabulate the quantiles of F(x) = mean of Phi((x - x_i) / h) over the observations, with h from `bandwidth`.

    The inverse of F has no formula. F and its density are computed at 16 points per bandwidth, from nine bandwidths
    below the lowest observation to nine above the highest, and the table is inverted.
    """
    h = bandwidth(observed, sd)
    x = np.arange(observed.min() - _REACH * h, observed.max() + (_REACH + 1 / _NODES) * h, h / _NODES)
    z, slope = _deviates(x, np.sort(observed), h)
    step = np.diff(z)
    kept = np.flatnonzero(step > 0)  # no deviate falls where F is constant in floating point
    with np.errstate(divide="ignore", invalid="ignore"):
        secant = np.diff(x) / step
    most = 3 * np.minimum(np.append(secant, np.inf), np.append(np.inf, secant))  # three secants: still increasing
    slope = np.minimum(slope, most)
    rise = np.diff(x)[kept]
    left, right = slope[kept] * step[kept], slope[kept + 1] * step[kept]
    cubic = np.stack([x[kept], left, 3 * rise - 2 * left - right, left + right - 2 * rise])
    return Margin(np.append(z[kept], z[-1]), step[kept], cubic)


def bandwidth(observed: FloatArray, sd: float) -> float:
    """Standard deviation of the kernel, by the two-stage plug-in rule of Polansky and Baker (2000).

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
    """Mean of a derivative of the normal density with sd g over all pairs, including an observation with itself.

    `hermite` has the coefficients of its polynomial in the squares.
    """
    if len(x) <= _ALL_PAIRS:
        apart, times = np.subtract.outer(x, x).ravel() / g, np.array(1.0)
    else:
        apart = np.arange(math.ceil(_REACH * _GRID) + 1) / _GRID
        times = _lags(x * (_GRID / g), len(apart))
        times[1:] *= 2  # both orders of a pair
    values = np.polyval(hermite, apart**2) * np.exp(-0.5 * apart**2) * times
    return float(values.sum() / (math.sqrt(2 * math.pi) * g ** (order + 1) * len(x) ** 2))


def _lags(x: FloatArray, count: int) -> FloatArray:
    """Count the pairs at distances 0, 1, 2, ..., with each x split between the two nearest whole numbers."""
    place, share = np.floor(x - x.min()).astype(np.int64), np.modf(x - x.min())[0]
    size = int(place.max()) + 2
    weights = np.bincount(place, 1 - share, size) + np.bincount(place + 1, share, size)
    room = 1 << (size + count).bit_length()  # padding against wrap-around
    return np.asarray(np.fft.irfft(np.abs(np.fft.rfft(weights, room)) ** 2, room)[:count])


def _deviates(x: FloatArray, observed: FloatArray, h: float) -> tuple[FloatArray, FloatArray]:
    """Compute z = Phi^-1(F(x)) and dx/dz = phi(z) / F'(x) at increasing x."""
    from scipy.special import ndtr, ndtri

    n = len(observed)
    below, above, density = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    for lo in range(0, len(x), _BLOCK):
        rows = slice(lo, min(lo + _BLOCK, len(x)))
        ends = observed.searchsorted([x[lo] - (_REACH + 1) * h, x[rows.stop - 1] + (_REACH + 1) * h])
        t = (x[rows, None] - observed[None, ends[0] : ends[1]]) / h
        # Sum both tails, because 1 minus a tail would lose the digits of the small one.
        below[rows] = (ndtr(t).sum(axis=1) + ends[0]) / n
        above[rows] = (ndtr(-t).sum(axis=1) + (n - ends[1])) / n
        density[rows] = np.exp(-0.5 * t * t).sum(axis=1) / (n * h)
    z = np.where(below < 0.5, ndtri(below), -ndtri(above))
    with np.errstate(divide="ignore"):
        return np.maximum.accumulate(z), np.exp(-0.5 * z * z) / density


# The scale on which effects add up: transform scores between 0 and 1, and back.
OFFSET = 0.05  # keeps scores of 0 and 1 finite


def transform(x: FloatArray) -> FloatArray:
    """Transform scores x between 0 and 1 to y = log((x + a) / (1 - x + a))."""
    return np.asarray(np.log((x + OFFSET) / (1 - x + OFFSET)))


def inverse_transform(y: FloatArray) -> FloatArray:
    """Invert `transform` and clip to [0, 1]."""
    from scipy.special import expit

    return np.asarray(np.clip(expit(y) * (1 + 2 * OFFSET) - OFFSET, 0.0, 1.0))
