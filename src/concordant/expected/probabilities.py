"""`discordance`: for each pair of systems, the probability that the truth orders it the other way."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from .. import __version__
from ..arrays import FloatArray
from ..coefficients.sums import check_workers
from ..errors import InputError, import_extra
from ..matrices import Collection, matrix_of
from ..notebook import Displayed
from ..resampling import Progress, Seed, check_count, generator, resampled_means, resampled_weights, seed_of
from .differences import Block, Differences, Flags
from .estimators import Bandwidth, bandwidths, by_inversion, by_student, deviations

Estimator = Literal["ml", "msqd", "res", "kd"]
Identical = Literal["half", "concordant"]
Ties = Literal["half", "strict"]


@dataclass(frozen=True, eq=False)
class Discordance(Displayed):
    """Probabilities of discordance. `to_frame` and `plot` show them, `np.asarray` gives the matrix."""

    values: FloatArray
    """`values[i, j]`, i < j, is the probability that `systems[i]` is truly below `systems[j]`; below the diagonal what
    is left to 1, on it nan."""
    systems: tuple[str, ...]
    """By their observed means, best first."""
    estimator: Estimator
    tau: float
    """Expected tau with the true ranking."""
    tau_ap: float
    """Expected AP correlation with the true ranking."""
    settings: Mapping[str, Any]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.values, dtype=dtype)

    def __str__(self) -> str:
        width = max(map(len, self.systems))
        lines = [
            f"Expected correlation with the true ranking: tau {self.tau:.4f}, tau_ap {self.tau_ap:.4f} "
            f"({self.estimator})",
            "",
            "Probability that neighbours are in the wrong order:",
        ]
        for k in range(len(self.systems) - 1):
            lines.append(f"  {self.systems[k]:<{width}}  {self.systems[k + 1]:<{width}}  {self.values[k, k + 1]:.4f}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON; None on the diagonal."""
        rows = [[None if i == j else p for j, p in enumerate(row)] for i, row in enumerate(self.values.tolist())]
        return {
            "estimator": self.estimator,
            "systems": list(self.systems),
            "values": rows,
            "tau": self.tau,
            "tau_ap": self.tau_ap,
            "settings": dict(self.settings),
        }

    def to_frame(self) -> Any:
        """A pandas frame, systems x systems, best first."""
        pandas = import_extra("pandas")
        names = pandas.Index(self.systems, name="system")
        return pandas.DataFrame(self.values.copy(), index=names, columns=names.rename("below"))

    def plot(self, ax: Any = None) -> Any:
        """The matrix as colours, the best systems in the upper left corner."""
        from ..plots import matrices

        return matrices.discordance(self, ax)


def discordance(  # noqa: PLR0913
    scores: Collection,
    estimator: Estimator = "msqd",
    *,
    identical: Identical = "half",
    ties: Ties = "half",
    n_resamples: int | None = None,
    bandwidth: Bandwidth = "plug-in",
    rng: Seed = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Discordance:
    """Probability that a pair of systems, as its observed means order it, is ordered the other way in truth.

    Sort the systems by their means over the n topics. For each pair, i above j, with differences D:

    - "ml": p = T_{n-1}(-sqrt(n) mean(D) / (c sd(D))), Student's distribution; c makes the standard deviation unbiased.
    - "msqd": the same without c, with sd = sum(D z) / sum(z^2), z = Phi^-1(rank(D) / (n + 1)), average ranks on ties:
      the deviation that a sample spread evenly over the quantiles would have. The least biased with few topics.
    - "res": the share of the means of n topics, drawn with replacement, that are below 0.
    - "kd": the same with draws from a Gaussian kernel density of D.

    "res" and "kd" are exact by default, the limit of infinitely many resamples, by inversion of the characteristic
    function of the mean. With `n_resamples` topics are resampled, the same for all pairs. The accuracy
    of both is in docs/guide/reliability.md.

    A pair of systems that differ by the same on every topic has p = 0. Identical systems have p = 1/2, or 0 with
    identical="concordant", which is what the authors' code does.

    Parameters
    ----------
    scores : Scores or array_like
        Topics x systems, higher is better; at least 2 of each.
    estimator : {"ml", "msqd", "res", "kd"}
        How p is estimated.
    identical : {"half", "concordant"}
        What counts for two systems with the same scores.
    ties : {"half", "strict"}
        Whether a resampled mean of exactly 0 counts one half, or 0 as in the authors' code. "strict" needs
        `n_resamples` with "res"; with the other estimators such means have probability 0, and it changes nothing.
    n_resamples : int, optional
        Resamples for "res" and "kd"; None for the exact limit.
    bandwidth : {"plug-in", "scott", "silverman"}
        For "kd": the two-stage direct plug-in of Sheather and Jones; 1.06 sd n^(-1/5); or
        0.9 min(sd, IQR / 1.349) n^(-1/5).
    rng : int, Generator or None
        Seed of the resampling.
    workers : int
        Threads.
    progress : callable, optional
        Called with the number of pairs done and of all.

    Returns
    -------
    Discordance

    References
    ----------
    J. Urbano and M. Marrero (2016). Toward Estimating the Rank Correlation between the Test Collection Results and the
    True System Performance. SIGIR.
    S. J. Sheather and M. C. Jones (1991). A Reliable Data-Based Bandwidth Selection Method for Kernel Density
    Estimation. Journal of the Royal Statistical Society B 53.
    J. Gil-Pelaez (1951). Note on the inversion theorem. Biometrika 38(3/4).

    Examples
    --------
    >>> import concordant as cc
    >>> ap = [[0.04, 0.55, 0.51], [0.39, 0.55, 0.56], [0.10, 0.60, 0.63], [0.11, 0.61, 0.66]]
    >>> print(cc.discordance(cc.Scores(ap, topics=range(4), systems=["A", "B", "C"])))
    Expected correlation with the true ranking: tau 0.7594, tau_ap 0.6532 (msqd)
    <BLANKLINE>
    Probability that neighbours are in the wrong order:
      C  B  0.3327
      B  A  0.0139
    """
    for name, value, choices in (
        ("estimator", estimator, get_args(Estimator)),
        ("identical", identical, get_args(Identical)),
        ("ties", ties, get_args(Ties)),
        ("bandwidth", bandwidth, get_args(Bandwidth)),
    ):
        if value not in choices:
            raise InputError(f"{name} is {value!r}: use {' or '.join(map(repr, choices))}")
    if ties == "strict" and estimator == "res" and n_resamples is None:
        raise InputError(
            "ties is 'strict', and the exact limit counts a mean of 0 one half: give n_resamples, or leave ties at "
            "'half'"
        )
    values, systems = matrix_of(scores, "scores")
    check_workers(workers)
    pairs = Differences(values)
    settings: dict[str, Any] = {"identical": identical, "version": __version__}
    if estimator in ("res", "kd"):
        settings |= {"n_resamples": n_resamples, "ties": ties, "seed": seed_of(rng)}
    if estimator == "kd":
        settings["bandwidth"] = bandwidth
    if estimator in ("res", "kd") and n_resamples is not None:
        p = _resampled(
            values, pairs, estimator, (ties, bandwidth), check_count(n_resamples), generator(rng), workers, progress
        )
    else:
        p = _computed(pairs, lambda block: _of(block, estimator, bandwidth, workers), progress)
    if identical == "concordant":
        p[_identical(pairs)] = 0.0
    tau, tau_ap = pairs.expected(p)
    return Discordance(pairs.matrix(p), tuple(systems[k] for k in pairs.order), estimator, tau, tau_ap, settings)


def _computed(pairs: Differences, of: Callable[[Block], FloatArray], progress: Progress | None) -> FloatArray:
    p = np.empty(len(pairs))
    for block in pairs.blocks():
        p[block.rows] = of(block)
        if progress is not None:
            progress(block.rows.stop, len(pairs))
    return p


def _of(block: Block, estimator: Estimator, bandwidth: Bandwidth, workers: int) -> FloatArray:
    if estimator in ("ml", "msqd"):
        return by_student(block, deviations(block, estimator))
    h = np.zeros(len(block.means)) if estimator == "res" else bandwidths(block, bandwidth, workers)
    return by_inversion(block, h, workers)[estimator == "kd"]


def _identical(pairs: Differences) -> Flags:
    return np.concatenate([block.identical for block in pairs.blocks()])


def _resampled(  # noqa: PLR0917
    values: FloatArray,
    pairs: Differences,
    estimator: Estimator,
    rules: tuple[Ties, Bandwidth],
    count: int,
    rng: np.random.Generator,
    workers: int,
    progress: Progress | None,
) -> FloatArray:
    """The share of resampled means below 0; for KD, its expectation over the noise of the kernels, N(0, h^2 / n)."""
    from scipy.special import ndtr

    ties, bandwidth = rules
    ordered = np.ascontiguousarray(values[:, pairs.order])
    h = (
        _computed(pairs, lambda b: bandwidths(b, bandwidth, workers), None)
        if estimator == "kd"
        else np.zeros(len(pairs))
    )
    h = np.ldexp(h, pairs.exponent)  # in the units of the scores
    zero = 0.5 if ties == "half" else 0.0
    p = np.zeros(len(pairs))
    ends = np.cumsum(np.arange(pairs.m - 1, -1, -1))
    for rows, weights in resampled_weights(pairs.n, count, rng):
        means = resampled_means(ordered, weights, workers=workers)
        for i in range(pairs.m - 1):
            some = slice(ends[i] - (pairs.m - 1 - i), ends[i])
            apart = means[:, i : i + 1] - means[:, i + 1 :]
            smooth = h[some] > 0
            below = np.where(apart < 0, 1.0, np.where(apart == 0, zero, 0.0))
            if smooth.any():
                below[:, smooth] = ndtr(-apart[:, smooth] * math.sqrt(pairs.n) / h[some][smooth])
            p[some] += below.sum(axis=0)
        if progress is not None:
            progress(rows.stop, count)
    return p / count
