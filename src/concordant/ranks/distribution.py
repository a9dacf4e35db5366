"""`DistanceDistribution`: the rank distances that resampling the topics gives, to read p-values from.

For the paper's test it depends on the collection alone, so it can be built once, saved, and used for any number of
rankings.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from .. import __version__
from ..arrays import FloatArray, IntArray
from ..data.results import Result, settings_of
from ..errors import InputError, ReadError
from ..inference.nulls import numbers
from ..inference.resampling import Progress, Resampling, Seed, over_resamples, resampled_means
from ..options import checked
from ..parallel import Workers
from ..read.door import Collection, as_topics
from ..read.files import fingerprint, load_array, most_bytes, read_bytes, too_large
from ..render.outputs import DISTANCES, written_whole
from ..words import counted
from .distance import LEAST_EPS, Problem, Projection, solved

RankTestMethod = Literal["recentred", "paper"]

FORMAT = "concordant rank distances 2"  # 1 put tied systems in the order of the truth
EQUAL = 1e-9  # relative: distances closer than this differ by rounding only
_SAVED: dict[str, Callable[[Any], bool]] = {
    "method": lambda x: x in get_args(RankTestMethod),
    "fingerprint": lambda x: type(x) is str and re.fullmatch("[0-9a-f]{64}", x) is not None,
    "n_topics": lambda x: type(x) is int and x > 0,
    "n_systems": lambda x: type(x) is int and x > 0,
    "eps": lambda x: type(x) is float and 0 < x < math.inf,
    "seed": lambda x: x is None or (type(x) is int and x >= 0),
    "measure": lambda x: type(x) is str,
    "version": lambda x: type(x) is str,
}
"""What a file says of its distances, and what each of it has to be."""


@dataclass(frozen=True, eq=False, repr=False)
class DistanceDistribution(Result):
    """Rank distances of resampled topics. `bootstrap` makes one, `save` and `load` keep it.

    See Also
    --------
    rank_test : Could this ranking be the true one, given the topics?
    rank_distance : How far a ranking is from the scores, in standard errors.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> scores = np.random.default_rng(1).random((50, 8)) + np.linspace(0, 0.2, 8)
    >>> distribution = cc.ranks.DistanceDistribution.bootstrap(scores, n_resamples=999, rng=1)
    >>> print(distribution)
    Rank distances of 999 resamples of 50 topics, 8 systems (method: paper)
    <BLANKLINE>
      median 1.0443, critical value 2.0392 at alpha = 0.05
    >>> distribution.pvalue(2.0)
    0.056056056056056056

    """

    _figure = "distributions.distances"
    distances: FloatArray = field(metadata={"in_dict": False})
    """One for each resample, in the order drawn; read-only."""
    method: RankTestMethod
    """"paper": distances of resampled rankings, for any ranking. "recentred": under the hypothesis that one is true."""
    fingerprint: str
    """Fingerprint of the collection, so that it cannot be used for another one."""
    n_topics: int
    n_systems: int
    eps: float
    seed: int | None
    """None where a generator was given."""
    measure: str = ""
    version: str = __version__
    """The version of concordant that made it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        own = {name: getattr(self, name) for name in _SAVED if name != "seed"}
        object.__setattr__(self, "settings", settings_of(seed=self.seed, n_resamples=self.n_resamples) | own)

    @classmethod
    @checked
    def bootstrap(
        cls,
        truth: Collection,
        *,
        n_resamples: int = 9_999,
        rng: Seed = None,
        eps: float = 1e-5,
        workers: Workers = 1,
        progress: Progress | None = None,
    ) -> DistanceDistribution:
        """Resample topics, rank the systems by their means, and measure how far that ranking is: algorithm 2.

        Parameters
        ----------
        truth : Collection
            Scores on each topic, in any form that `as_scores` takes, or a topics x systems array; higher is better.
        n_resamples : int
            Number of resamples.
        rng : int, Generator or None
            The same seed gives the same bits at any number of workers.
        eps : float
            What is added to the variances, as in `rank_distance`.
        workers : int or Executor
            Threads, or an executor of concurrent.futures.
        progress : callable, optional
            Called with the number of resamples done and the total.

        Returns
        -------
        DistanceDistribution
            With method "paper".

        """
        how = Resampling.of(n_resamples, rng, workers, progress)
        problem = Problem.of(as_topics(truth, "truth").observations(), eps, "the distribution")
        problem.warn()
        return cls.made("paper", problem, paper_distances(problem, how), how.seed)

    @classmethod
    def made(
        cls, method: RankTestMethod, problem: Problem, distances: FloatArray, seed: int | None
    ) -> DistanceDistribution:
        """With what is known about the collection."""
        digest = fingerprint(problem.scores.values)
        return cls(distances, method, digest, problem.n, problem.m, problem.eps, seed, problem.scores.measure)

    @property
    def n_resamples(self) -> int:
        """How many distances there are."""
        return len(self.distances)

    def pvalue(self, distance: npt.ArrayLike) -> float | FloatArray:
        """Share of the resamples that are at least as far; "recentred" counts the observed one among them.

        Parameters
        ----------
        distance : float or array_like
            Rank distances from the same collection, with the same eps.

        Returns
        -------
        float or ndarray
            A float for one distance.

        """
        wanted = numbers(distance, "distance")
        if np.isnan(wanted).any() or (wanted < 0).any():
            raise InputError(f"distance is {distance!r}: give rank distances, which are 0 or more")
        below = np.searchsorted(np.sort(self.distances), wanted * (1 - EQUAL), side="left")
        count = self.n_resamples - below
        more = self._observed
        p = (count + more) / (self.n_resamples + more)
        return float(p) if wanted.ndim == 0 else np.asarray(p)

    @property
    def _observed(self) -> int:
        # Under its hypothesis the observed collection is one more draw; the paper's p is a plain share.
        return 1 if self.method == "recentred" else 0

    @checked
    def critical_value(self, alpha: float = 0.05) -> float:
        """The 1 - alpha quantile: beyond it a distance has a p-value of at most alpha.

        Infinite where there are too few resamples for such a p-value.
        """
        allowed = int(np.floor(alpha * (self.n_resamples + self._observed) + 1e-9)) - self._observed
        return float("inf") if allowed < 0 else float(np.sort(self.distances)[::-1][allowed])

    @property
    def verdict(self) -> str:
        """What they are the distances of."""
        measure = f", {self.measure}" if self.measure else ""
        return (
            f"Rank distances of {self.n_resamples:,} resamples of {counted(self.n_topics, 'topic')}, "
            f"{counted(self.n_systems, 'system')}{measure} (method: {self.method})"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        return [{"median": float(np.median(self.distances)), "critical_value": self.critical_value(), "alpha": 0.05}]

    def table(self) -> str:
        """The median and the critical value."""
        row = self.rows()[0]
        return f"  median {row['median']:.4f}, critical value {row['critical_value']:.4f} at alpha = {row['alpha']:g}"

    @checked
    def require(self, truth: Collection, eps: float | None = None) -> None:
        """Raise unless it was made for this collection, and with this eps."""
        values = as_topics(truth, "truth").observations().values
        if fingerprint(values) != self.fingerprint:
            here = f"{counted(values.shape[0], 'topic')} x {counted(values.shape[1], 'system')}"
            raise InputError(
                f"the distribution was made for another collection ({counted(self.n_topics, 'topic')} x "
                f"{counted(self.n_systems, 'system')}, fingerprint {self.fingerprint[:12]}) than this one ({here}, "
                f"{fingerprint(values)[:12]}), or for the same in another order: build it anew with "
                "DistanceDistribution.bootstrap"
            )
        if eps is not None and eps != self.eps:
            raise InputError(
                f"the distribution was made with eps = {self.eps:g}, and distances with eps = {eps:g} do not compare: "
                "use the same"
            )

    @checked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .npz file, whole or not at all."""
        saved = {name: getattr(self, name) for name in ("n_resamples", *_SAVED)}
        with written_whole(path, DISTANCES) as file:
            np.savez(file, distances=self.distances, about=np.array(json.dumps({"format": FORMAT, **saved})))

    @classmethod
    @checked
    def load(cls, path: str | os.PathLike[str], truth: Collection | None = None) -> DistanceDistribution:
        """Read what `save` wrote. With `truth`, refuse a distribution that was made for another collection."""
        wrong = "is not a distribution of rank distances that concordant saved"
        data = read_bytes(path)
        try:
            arrays = _arrays(data, str(path))
            about = json.loads(str(arrays["about"]))
            distances = arrays["distances"]
        except (ReadError, MemoryError):
            raise
        except Exception:  # every way to compress has errors of its own for bytes that are damaged
            raise ReadError(wrong, str(path)) from None
        if not isinstance(about, dict) or about.pop("format", None) != FORMAT:
            raise ReadError(wrong + " in a format that this version reads", str(path))
        count = about.pop("n_resamples", -1)
        good = distances.dtype == np.float64 and distances.ndim == 1 and type(count) is int
        good = good and len(distances) == count > 0
        if not good or not np.isfinite(distances).all() or (distances < 0).any():
            raise ReadError("holds damaged distances: build it anew", str(path))
        if set(about) != set(_SAVED):
            raise ReadError(wrong, str(path))
        for name, allowed in _SAVED.items():
            if not allowed(about[name]):
                raise ReadError(f"{wrong}: it has a wrong {name}", str(path), text=json.dumps(about[name]))
        found = cls(distances, **about)
        if truth is not None:
            found.require(truth)
        return found


def _arrays(data: bytes, label: str) -> dict[str, Any]:
    """The arrays of a .npz file, which together may take what a file may take."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(info.file_size for info in archive.infolist()) > most_bytes():
            raise too_large(label)
        found = {name.removesuffix(".npy"): load_array(archive.read(name)) for name in archive.namelist()}
    if any(array is None for array in found.values()):
        raise ValueError
    return found


# The two bootstraps -------------------------------------------------------------------------------


def paper_distances(problem: Problem, how: Resampling) -> FloatArray:
    """carterette2009, algorithm 2: distances of the rankings of resampled topics from the collection."""
    return np.concatenate(list(over_resamples(partial(_paper, problem, how.threads), problem.n, how)))


def _paper(problem: Problem, workers: int, weights: IntArray) -> FloatArray:
    means = resampled_means(problem.scores.values, weights, workers=workers)
    return problem.distances(means, workers=workers)


def recentred_distances(problem: Problem, found: Projection, how: Resampling) -> FloatArray:
    """Distances of a ranking from resamples of the collection, after moving it to where that ranking is true.

    Each system's scores are shifted so that the means are the nearest ones with that ranking; resampling then shows
    what distances chance alone makes, with means and covariance measured anew each time.
    """
    ordered = problem.scores.values[:, found.order]
    if found.ends.size:
        columns = ordered - ordered.mean(axis=1, keepdims=True)  # what all systems share says nothing of their order
        projection = _in_order(-np.append(0.0, np.cumsum(found.delta)), found.ends)
    else:
        columns, projection = ordered[:, :-1] - ordered[:, 1:], found.delta
    columns = np.ascontiguousarray(columns - columns.mean(axis=0))
    # A resample may have no more topics than systems.
    eps = max(problem.eps, LEAST_EPS * float(problem.covariance.diagonal().max()))
    work = partial(_recentred, columns, projection, found.ends, eps, how.threads)
    return np.concatenate(list(over_resamples(work, problem.n, how)))


def _in_order(means: FloatArray, ends: IntArray) -> FloatArray:
    """Means of systems, best first, none above one of the group before, which they exceed by rounding at most."""
    starts = np.append(0, ends[:-1])
    lowest = np.minimum.accumulate(np.minimum.reduceat(means, starts))
    return np.asarray(np.minimum(means, np.repeat(np.append(np.inf, lowest[:-1]), np.diff(ends, prepend=0))))


def _recentred(
    columns: FloatArray, projection: FloatArray, ends: IntArray, eps: float, workers: int, weights: IntArray
) -> FloatArray:
    def solve(kernels: Any, rows: IntArray, out: FloatArray) -> None:
        kernels.recentred_distances(columns, projection, ends, weights[rows], eps, out, workers)

    return np.sqrt(len(columns) * solved(solve, len(weights), eps))
