"""`Simulator` and `simulate`: draw scores that the systems of a collection could get on new topics."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from ...arrays import FloatArray, require_room_for_pairs
from ...data.means import identical_to
from ...data.scores import Scores
from ...errors import InputError, argument, counted
from ...inference.resampling import Seed
from ...options import checked
from ...read.reader import Collection, as_topics, refuse
from . import margins
from .margins import inverse_transform, transform

_FLAT = 1e-8  # share of the range of possible scores: the transform would lose smaller differences
_NEGLIGIBLE = 1e-9  # share of the largest: a smaller spread or eigenvalue is rounding error


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
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array; between 0 and 1, at least
        two topics.
    exact_means : bool
        Shift each system effect until `true_means` are the original means.
    drop_bottom : float
        Leave out systems with a mean below this quantile, as `Scores.drop_bottom` does; by default none. Studies use
        0.25, against defective systems. `dropped` has the names.
    bounds : tuple of float
        The lowest and highest possible score, if not 0 and 1.

    Attributes
    ----------
    scores : Scores
        The simulated collection, without dropped systems.
    dropped : tuple of str
        The systems that `drop_bottom` left out.
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
        self,
        scores: Collection,
        *,
        exact_means: bool = False,
        drop_bottom: float = 0.0,
        bounds: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        whole = as_topics(scores, "scores", least_systems=1)
        refuse(whole, "scores", "groups", "types", why="new topics are drawn one by one")
        require_room_for_pairs(len(whole.systems), "simulation", 7)
        low, high = bounds
        self.bounds = (0.0 - high, 0.0 - low) if whole.lower_is_better else bounds
        self.scores = whole.drop_bottom(drop_bottom)
        self.dropped = tuple(s for s in whole.systems if s not in set(self.scores.systems))
        y = _transformed(self.scores, self.bounds)
        self._level: FloatArray = y.mean(axis=0)  # grand mean and system effect
        self._first = identical_to(self.scores.values)  # rounding must not tell identical systems apart
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
        self._margins = [
            margins.smooth(column, s) if s > 0 else margins.constant() for column, s in zip(effects.T, sd, strict=True)
        ]

    @cached_property
    def _factor(self) -> FloatArray:
        """Find a matrix B such that B B' is the correlation of the effects, without columns of rounding error.

        There may be more effects than topics, and the residuals of a topic add up to 0, so the correlation is singular
        and has no Cholesky factor. Its eigenvectors give a factor that keeps identical systems identical.
        """
        values, vectors = np.linalg.eigh(self._correlation)
        kept = values > _NEGLIGIBLE * values[-1]
        factor = vectors[:, kept] * np.sqrt(values[kept])
        return np.asarray(factor / np.sqrt((factor**2).sum(axis=1, keepdims=True)))

    @checked
    def draw(self, n_topics: int, rng: Seed = None) -> FloatArray:
        """Draw the values of `simulate`: topics x systems."""
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
        """The mean of each system across the population of topics, in the order of the systems.

        Computed by numerical integration, to about 1e-5.
        """
        low, high = self.bounds
        return low + (high - low) * self._unit_means

    @cached_property
    def _unit_means(self) -> FloatArray:
        """Expected score of each system on the scale from 0 to 1."""
        effects = zip(self._level, _effects(self), strict=True)
        return np.array([_mean(inverse_transform(level + effect)) for level, effect in effects])

    def __repr__(self) -> str:
        return f"<Simulator of {repr(self.scores)[1:-1]}>"


@checked
def simulate(scores: Collection, n_topics: int, rng: Seed = None, **options: Any) -> Scores:
    """Simulate a new collection: scores of the same systems on `n_topics` new topics.

    The new scores have nearly the same means, distributions and correlations as the original. All systems are kept
    unless `drop_bottom` says otherwise.

    Parameters
    ----------
    scores : Collection
        Scores on each topic, in any form that `as_scores` takes, or a topics x systems array; between 0 and 1, at least
        two topics.
    n_topics : int
        How many topics to draw.
    rng : int, Generator or None
        The same seed gives the same scores.
    **options : Any
        As for `Simulator`. Each call builds a new simulator; to draw often, build one and reuse it.

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
            f"the score of system {scores.systems[j]!r} on topic {scores.topics[i]!r} is {scores.values[i, j]:g}, and "
            f"{counted(int(outside.sum()), 'score')} in all lie outside [{low:g}, {high:g}]: scores are simulated "
            f"between a lowest and a highest possible one; say which with {argument('bounds')}"
        )
    x = (scores.values - low) / (high - low)
    if 0 < np.ptp(x) <= _FLAT:
        raise InputError(
            f"the scores lie between {scores.values.min():.6g} and {scores.values.max():.6g}, and nearly nothing of "
            f"[{low:g}, {high:g}], so no differences would be left: give {argument('bounds')} closer to them"
        )
    return transform(x)


def _correlations(effects: FloatArray, sd: FloatArray) -> FloatArray:
    """Correlations between effects; constant effects have correlation 0 with all others."""
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
    from scipy.optimize import brentq

    found = np.empty(len(wanted))
    for j, effect in enumerate(_effects(model)):
        from_level = model._level[j] + effect

        def off(shift: float, start: FloatArray = from_level, target: float = wanted[j]) -> float:
            return _mean(inverse_transform(start + shift)) - target

        # A mean is 0 or 1 only if the score on every topic is.
        found[j] = -_FAR if off(-_FAR) >= 0 else _FAR if off(_FAR) <= 0 else brentq(off, -_FAR, _FAR, xtol=1e-10)
    return found


def _effects(model: Simulator) -> Iterator[FloatArray]:
    """Yield topic effect plus residual of each system, on the grid of both deviates."""
    *residuals, topic = model._margins
    correlation = model._factor[:-1] @ model._factor[-1]
    topic_effects = topic(_DEVIATES)[:, None]
    for margin, rho in zip(residuals, correlation, strict=True):
        z = rho * _DEVIATES[:, None] + np.sqrt(max(0.0, 1 - rho * rho)) * _DEVIATES
        yield topic_effects + margin(z.ravel()).reshape(z.shape)


def _mean(values: FloatArray) -> float:
    return float(_WEIGHTS @ values @ _WEIGHTS)
