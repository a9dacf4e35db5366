"""`Simulator` and `simulate`: draw scores that the systems of a collection could get on new topics.

Margins are smoothed distributions of effects, stored as tables of quantiles.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtr, ndtri

from ..arrays import FloatArray, require_room_for_pairs
from ..data.means import identical_to
from ..data.scores import Scores
from ..errors import InputError, LimitError, argument, counted
from ..inference.resampling import Seed
from ..options import checked
from ..read.reader import Collection, as_topics, refuse

_FLAT = 1e-8  # share of the range of possible scores; the transform would lose differences below it
_NEGLIGIBLE = 1e-9  # a spread or an eigenvalue below this share of the largest is rounding error
# Smallest bandwidth, as a share of the best bandwidth for a normal distribution. It limits the size of the table if
# nearly all observations are equal.
_LEAST = 0.1
_MOST = 2_000  # largest number of topics, because `bandwidth` compares all pairs of topics for each system
_REACH = 9.0  # bandwidths beyond which a kernel adds less than 1e-18
_NODES = 16  # nodes of the table per bandwidth
_BLOCK = 64  # nodes computed at a time, against the observations within reach


@dataclass(frozen=True)
class Margin:
    """Quantiles as a function of the standard normal deviate, x = F^-1(Phi(z)).

    Between two nodes x is a cubic in u = (z - z_k) / (z_k+1 - z_k), with the right values and slopes at both ends.
    The curve is increasing, so even a poor cubic is off by less than a sixteenth of a bandwidth. Cubics are poor only
    in gaps between observations, where few values fall.
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
    """Return the margin of an effect that is always 0."""
    ends = np.array([-40.0, 40.0])
    return Margin(ends, np.diff(ends), np.zeros((4, 1)))


def smooth(observed: FloatArray, sd: float) -> Margin:
    """Tabulate the quantiles of F(x) = mean of Phi((x - x_i) / h) over the observations, with h from `bandwidth`.

    The inverse of F has no closed form. F and its density are computed at 16 points per bandwidth, from nine bandwidths
    below the lowest observation to nine above the highest, and the table is inverted.
    """
    h = bandwidth(observed, sd)
    x = np.arange(observed.min() - _REACH * h, observed.max() + (_REACH + 1 / _NODES) * h, h / _NODES)
    z, slope = _deviates(x, np.sort(observed), h)
    step = np.diff(z)
    kept = np.flatnonzero(step > 0)  # no deviate falls where F is constant in floating point arithmetic
    with np.errstate(divide="ignore", invalid="ignore"):
        secant = np.diff(x) / step
    # A cubic whose slopes are at most three secants is still increasing.
    most = 3 * np.minimum(np.append(secant, np.inf), np.append(np.inf, secant))
    slope = np.minimum(slope, most)
    rise = np.diff(x)[kept]
    left, right = slope[kept] * step[kept], slope[kept + 1] * step[kept]
    cubic = np.stack([x[kept], left, 3 * rise - 2 * left - right, left + right - 2 * rise])
    return Margin(np.append(z[kept], z[-1]), step[kept], cubic)


def bandwidth(observed: FloatArray, sd: float) -> float:
    """Compute the standard deviation of the kernel by the two-stage plug-in rule of Polansky and Baker (2000).

    The mean integrated squared error of the estimated F is least, to first order, at h = (1 / (sqrt(pi) n A))**(1/3),
    where A is the integral of the squared derivative of the density. A = -psi_2, where psi_r is the expectation of the
    density's r-th derivative at an observation. psi_r is estimated from all pairs of observations with a normal kernel,
    which has the bandwidth g = (2 K_r(0) / (-n psi_r+2))**(1/(r+3)). So psi_2 needs psi_4. psi_4 is estimated likewise
    and needs psi_6, which takes its value under a normal distribution with standard deviation `sd`. For a normal
    sample, h is about sd (4 / n)**(1/3).
    """
    x, root = observed / sd, math.sqrt(2 * math.pi)
    n = len(x)
    psi_6 = -15 / (16 * math.sqrt(math.pi))
    psi_4 = _psi(x, (-6 / (root * n * psi_6)) ** (1 / 7), 4, (1, -6, 3))
    psi_2 = _psi(x, (2 / (root * n * psi_4)) ** (1 / 5), 2, (1, -1))
    return float(sd * max((1 / (math.sqrt(math.pi) * n * -psi_2)) ** (1 / 3), _LEAST * (4 / n) ** (1 / 3)))


def _psi(x: FloatArray, g: float, order: int, hermite: tuple[int, ...]) -> float:
    """Mean of a derivative of the normal density with sd g over all pairs, where an observation also pairs with itself.

    `hermite` has the coefficients of the Hermite polynomial of this derivative, in powers of the squared deviate.
    """
    apart = np.subtract.outer(x, x).ravel() / g
    values = np.polyval(hermite, apart**2) * np.exp(-0.5 * apart**2)
    return float(values.sum() / (math.sqrt(2 * math.pi) * g ** (order + 1) * len(x) ** 2))


def _deviates(x: FloatArray, observed: FloatArray, h: float) -> tuple[FloatArray, FloatArray]:
    """Compute z = Phi^-1(F(x)) and dx/dz = phi(z) / F'(x) at increasing x."""
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
    return np.asarray(np.clip(expit(y) * (1 + 2 * OFFSET) - OFFSET, 0.0, 1.0))


class Simulator:
    """A model of a collection that draws new topics for the same systems.

    Scores x are transformed to y = log((x + 0.05) / (1.05 - x)) and split into grand mean, system effect, topic effect
    and residual. The topic effects and each system's residuals get a smooth distribution, by a Gaussian kernel with an
    estimated bandwidth. A Gaussian copula keeps their correlations. The effects of new topics are drawn, added up,
    transformed back and clipped to [0, 1].

    The transform keeps the means only roughly: `true_means` gives the mean of each system across the population of
    topics. With `exact_means=True` these equal the means of the original scores.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array. Scores lie between 0
        and 1, on at least two topics.
    exact_means : bool
        If True, shift each system effect until `true_means` are the original means.
    bounds : tuple of float
        The lowest and highest possible score, if not 0 and 1.

    Attributes
    ----------
    scores : Scores
        The original scores.
    bounds : tuple of float
        The lowest and highest possible score, higher is better.

    References
    ----------
    J. Urbano: Test collection reliability: a study of the effects of sample size and statistical assumptions.
    Information Retrieval Journal 19, 2016.
    A. M. Polansky and E. R. Baker: Multistage plug-in bandwidth selection for kernel distribution function estimates.
    Journal of Statistical Computation and Simulation 65, 2000.

    Examples
    --------
    >>> import concordant as cc
    >>> people = cc.load_collection("people")
    >>> model = cc.study.Simulator(people)
    >>> model.simulate(100, rng=7)
    <Scores: 100 topics x 20 systems, nDCG@10>
    >>> bool(abs(model.true_means() - people.means()).max() < 0.02)
    True

    """

    @checked
    def __init__(
        self, scores: Collection, *, exact_means: bool = False, bounds: tuple[float, float] = (0.0, 1.0)
    ) -> None:
        self.scores = as_topics(scores, "scores", least_systems=1)
        refuse(self.scores, "scores", "groups", "types", why="new topics are drawn one by one")
        if len(self.scores.topics) > _MOST:
            raise LimitError(
                f"scores have {len(self.scores.topics):,} topics, and a simulation takes at most {_MOST:,}: give a "
                "sample of them, by select(topics=...)"
            )
        require_room_for_pairs(len(self.scores.systems), "simulation", 7)
        low, high = bounds
        self.bounds = (0.0 - high, 0.0 - low) if self.scores.lower_is_better else bounds
        y = _transformed(self.scores, self.bounds)
        self._level: FloatArray = y.mean(axis=0)  # grand mean and system effect
        self._first = identical_to(self.scores.values)  # so that rounding cannot make identical systems differ
        self._fit(y)
        if exact_means:
            low, high = self.bounds
            self._level = self._level + shifts(self, (self.scores.means() - low) / (high - low))

    def _fit(self, y: FloatArray) -> None:
        topic = y.mean(axis=1) - y.mean()
        residuals = y - self._level - topic[:, None]
        effects = np.column_stack([residuals, topic])
        effects -= effects.mean(axis=0)
        sd = effects.std(axis=0, ddof=1)
        sd[sd <= _NEGLIGIBLE * max(1.0, np.abs(y).max())] = 0.0
        self._correlation = _correlations(effects, sd)
        # A system without residual spread needs no smoothing.
        self._margins = [smooth(column, s) if s > 0 else constant() for column, s in zip(effects.T, sd, strict=True)]

    @cached_property
    def _factor(self) -> FloatArray:
        """Find a matrix B such that B B' is the correlation of the effects; drop columns that are rounding error.

        There may be more effects than topics, and the residuals of a topic add up to 0, so the correlation is singular
        and has no Cholesky factor. Its eigenvectors give a factor that keeps identical systems identical.
        """
        values, vectors = np.linalg.eigh(self._correlation)
        kept = values > _NEGLIGIBLE * values[-1]
        factor = vectors[:, kept] * np.sqrt(values[kept])
        return np.asarray(factor / np.sqrt((factor**2).sum(axis=1, keepdims=True)))

    @checked
    def draw(self, n_topics: int, rng: Seed = None) -> FloatArray:
        """Draw scores like `simulate`, but return them as a topics x systems array."""
        z = np.random.default_rng(rng).standard_normal((n_topics, self._factor.shape[1])) @ self._factor.T
        *residuals, topic = (margin(column) for margin, column in zip(self._margins, z.T, strict=True))
        y = np.take(self._level + topic[:, None] + np.column_stack(residuals), self._first, axis=1)
        low, high = self.bounds
        return np.asarray(low + (high - low) * inverse_transform(y))

    @checked
    def simulate(self, n_topics: int, rng: Seed = None) -> Scores:
        """Simulate scores of the same systems on `n_topics` new topics, named sim1, sim2, ..."""
        values = self.draw(n_topics, rng)
        return self.scores.like(values, [f"sim{k + 1}" for k in range(len(values))])

    def true_means(self) -> FloatArray:
        """Compute the mean of each system across the population of topics, in the order of the systems.

        The means come from numerical integration, and are accurate to about 1e-5.
        """
        effects = zip(self._level, _effects(self), strict=True)
        means = np.array([_mean(inverse_transform(level + effect)) for level, effect in effects])  # from 0 to 1
        low, high = self.bounds
        return np.asarray(low + (high - low) * means)

    def __repr__(self) -> str:
        return f"<Simulator of {repr(self.scores)[1:-1]}>"


@checked
def simulate(scores: Collection, n_topics: int, rng: Seed = None, **options: Any) -> Scores:
    """Simulate a new collection: scores of the same systems on `n_topics` new topics.

    The new scores have nearly the same means, distributions and correlations as the original scores.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array. Scores lie between 0
        and 1, on at least two topics.
    n_topics : int
        How many topics to draw.
    rng : int, Generator or None
        The same seed gives the same scores.
    **options : Any
        Options of `Simulator`. Each call builds a new simulator; to draw often, build one `Simulator` and reuse it.

    Returns
    -------
    Scores
        Scores on topics sim1, sim2, ..., with the systems and the measure of the original.

    See Also
    --------
    plan_topics : How many topics are enough.
    reliability : How close a ranking is to the true one, by all estimators.

    Examples
    --------
    >>> import concordant as cc
    >>> cc.simulate(cc.load_collection("people"), 100, rng=7)
    <Scores: 100 topics x 20 systems, nDCG@10>

    """
    return Simulator(scores, **options).simulate(n_topics, rng)


def _transformed(scores: Scores, bounds: tuple[float, float]) -> FloatArray:
    low, high = bounds
    outside = (scores.values < low) | (scores.values > high)
    if outside.any():
        i, j = (int(k[0]) for k in np.nonzero(outside))
        raise InputError(
            f"{counted(int(outside.sum()), 'score')} outside [{low:g}, {high:g}], such as {scores.values[i, j]:g} of "
            f"system {scores.systems[j]!r} on topic {scores.topics[i]!r}. Simulated scores stay between the lowest and "
            f"the highest possible score: set both with {argument('bounds')}"
        )
    x = (scores.values - low) / (high - low)
    if 0 < np.ptp(x) <= _FLAT:
        raise InputError(
            f"the scores lie between {scores.values.min():.6g} and {scores.values.max():.6g}, a tiny part of "
            f"[{low:g}, {high:g}], so no differences would be left: give {argument('bounds')} closer to them"
        )
    return transform(x)


def _correlations(effects: FloatArray, sd: FloatArray) -> FloatArray:
    """Compute the correlations between effects; constant effects have correlation 0 with all others."""
    standard = effects / np.where(sd > 0, sd, 1.0)
    found = standard.T @ standard / (len(effects) - 1)
    found[sd == 0], found[:, sd == 0] = 0.0, 0.0
    np.fill_diagonal(found, 1.0)
    return np.asarray(np.clip(found, -1.0, 1.0))


# The means of a simulator across the population of topics: an integral over topic effect and residual.
# Both are functions of two correlated normal deviates, with bends where observations are sparse. Many equal steps
# follow the bends better than the few nodes of a Gauss-Hermite rule.
_DEVIATES = np.linspace(-6.5, 6.5, 261)
_WEIGHTS = np.exp(-0.5 * _DEVIATES**2) / np.exp(-0.5 * _DEVIATES**2).sum()
_FAR = 60.0  # a system effect at which every score is 0 or 1


def shifts(model: Simulator, wanted: FloatArray) -> FloatArray:
    """Find the shifts of the system effects that give the wanted expected scores."""
    found = np.empty(len(wanted))
    for j, effect in enumerate(_effects(model)):
        from_level = model._level[j] + effect

        def off(shift: float, start: FloatArray = from_level, target: float = wanted[j]) -> float:
            return _mean(inverse_transform(start + shift)) - target

        # A mean is exactly 0 (or 1) only if the score on every topic is 0 (or 1).
        found[j] = -_FAR if off(-_FAR) >= 0 else _FAR if off(_FAR) <= 0 else brentq(off, -_FAR, _FAR, xtol=1e-10)
    return found


def _effects(model: Simulator) -> Iterator[FloatArray]:
    """Yield, for each system, the sum of topic effect and residual on the grid of both deviates."""
    *residuals, topic = model._margins
    correlation = model._factor[:-1] @ model._factor[-1]
    topic_effects = topic(_DEVIATES)[:, None]
    for margin, rho in zip(residuals, correlation, strict=True):
        z = rho * _DEVIATES[:, None] + np.sqrt(max(0.0, 1 - rho * rho)) * _DEVIATES
        yield topic_effects + margin(z.ravel()).reshape(z.shape)


def _mean(values: FloatArray) -> float:
    return float(_WEIGHTS @ values @ _WEIGHTS)
