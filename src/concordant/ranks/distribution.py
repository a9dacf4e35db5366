"""`DistanceDistribution`: the rank distances that resampling the topics gives, to read p-values from.

For the paper's test it depends on the collection alone, so it can be built once, saved, and used for any number of
rankings.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .. import __version__, _kernels
from .._kernels import reference_distance
from ..arrays import FloatArray
from ..coefficients.sums import check_workers
from ..errors import InputError, ReadError
from ..files import written_whole
from ..matrices import Collection, matrix_of
from ..notebook import Displayed
from ..resampling import (
    Progress,
    Seed,
    check_alpha,
    check_count,
    generator,
    resampled_means,
    resampled_weights,
    seed_of,
)
from ..scores import Scores
from ..words import counted
from .distance import (
    LEAST_EPS,
    Problem,
    Projection,
    require_solved,
    unsolved,
)

RankTestMethod = Literal["recentred", "paper"]

FORMAT = "concordant rank distances 1"
EQUAL = 1e-9  # relative: distances closer than this differ by rounding only


@dataclass(frozen=True, eq=False)
class DistanceDistribution(Displayed):
    """Rank distances of resampled topics. `bootstrap` makes one, `save` and `load` keep it.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> scores = np.random.default_rng(1).random((50, 8)) + np.linspace(0, 0.2, 8)
    >>> distribution = cc.DistanceDistribution.bootstrap(scores, n_resamples=999, rng=1)
    >>> print(distribution)
    Rank distances of 999 resamples of 50 topics, 8 systems (method: paper)
    median 1.0443, critical value 2.0392 at alpha = 0.05
    >>> distribution.pvalue(2.0)
    0.056056056056056056
    """

    distances: FloatArray
    """One for each resample, in the order drawn; read-only."""
    method: RankTestMethod
    """"paper": distances of resampled rankings, for any ranking. "recentred": under the hypothesis that one is true."""
    fingerprint: str
    """Of the collection, so that it cannot be used for another one."""
    n_topics: int
    n_systems: int
    eps: float
    seed: int | None
    """None where a generator, or nothing, was given."""
    measure: str = ""
    version: str = __version__
    """Of concordant, that made it."""

    def __post_init__(self) -> None:
        self.distances.flags.writeable = False

    @classmethod
    def bootstrap(
        cls,
        truth: Collection,
        *,
        n_resamples: int = 9_999,
        rng: Seed = None,
        eps: float = 1e-5,
        workers: int = 1,
        progress: Progress | None = None,
    ) -> DistanceDistribution:
        """Resample topics, rank the systems by their means, and measure how far that ranking is: algorithm 2.

        Parameters are those of `rank_test`.
        """
        problem = Problem.of(truth, eps, "the distribution")
        distances = paper_distances(problem, check_count(n_resamples), generator(rng), check_workers(workers), progress)
        return cls.made(distances, "paper", problem, rng, truth)

    @classmethod
    def made(
        cls, distances: FloatArray, method: RankTestMethod, problem: Problem, rng: Seed, truth: Collection
    ) -> DistanceDistribution:
        """With what is known about the collection."""
        return cls(
            distances=distances,
            method=method,
            fingerprint=fingerprint(problem.values),
            n_topics=problem.n,
            n_systems=problem.m,
            eps=problem.eps,
            seed=seed_of(rng),
            measure=truth.measure if isinstance(truth, Scores) else "",
        )

    @property
    def n_resamples(self) -> int:
        """How many distances there are."""
        return len(self.distances)

    def pvalue(self, distance: npt.ArrayLike) -> float | FloatArray:
        """Share of the resamples that are at least as far; "recentred" counts the observed one among them."""
        wanted = np.asarray(distance, dtype=np.float64)
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

    def critical_value(self, alpha: float = 0.05) -> float:
        """The 1 - alpha quantile: beyond it a distance has a p-value of at most alpha.

        Infinite where there are too few resamples for such a p-value.
        """
        check_alpha(alpha)
        allowed = int(np.floor(alpha * (self.n_resamples + self._observed) + 1e-9)) - self._observed
        return float("inf") if allowed < 0 else float(np.sort(self.distances)[::-1][allowed])

    def __str__(self) -> str:
        measure = f", {self.measure}" if self.measure else ""
        return (
            f"Rank distances of {self.n_resamples:,} resamples of {counted(self.n_topics, 'topic')}, "
            f"{counted(self.n_systems, 'system')}{measure} (method: {self.method})\n"
            f"median {np.median(self.distances):.4f}, critical value {self.critical_value():.4f} at alpha = 0.05"
        )

    def __repr__(self) -> str:
        return f"<DistanceDistribution: {self.n_resamples} resamples, {self.method}, version {self.version}>"

    def settings(self) -> dict[str, Any]:
        """What made it, ready for JSON."""
        names = ("method", "fingerprint", "n_topics", "n_systems", "eps", "seed", "measure", "version")
        return {"n_resamples": self.n_resamples} | {name: getattr(self, name) for name in names}

    def require(self, truth: Collection, eps: float | None = None) -> None:
        """Raise unless it was made for this collection, and with this eps."""
        values, _ = matrix_of(truth, "truth")
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

    def plot(self, ax: Any = None) -> Any:
        """A histogram of the distances."""
        from ..plots import distributions

        return distributions.distances(self, ax)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a .npz file, whole or not at all."""
        about = json.dumps({"format": FORMAT, **self.settings()})
        with written_whole(path) as file:
            np.savez(file, distances=self.distances, about=np.array(about))

    @classmethod
    def load(cls, path: str | os.PathLike[str], truth: Collection | None = None) -> DistanceDistribution:
        """Read what `save` wrote. With `truth`, refuse a distribution that was made for another collection."""
        found = _read(Path(path))
        if truth is not None:
            found.require(truth)
        return found


def _read(path: Path) -> DistanceDistribution:
    wrong = "is not a distribution of rank distances that concordant saved"
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            distances = np.array(file["distances"])
    except FileNotFoundError:
        raise ReadError("there is no such file", str(path)) from None
    except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError, TypeError, AttributeError):
        raise ReadError(wrong, str(path)) from None
    if not isinstance(about, dict) or about.pop("format", None) != FORMAT:
        raise ReadError(wrong + " in a format that this version reads", str(path))
    good = distances.dtype == np.float64 and distances.ndim == 1 and len(distances) == about.pop("n_resamples", -1) > 0
    if not good or not np.isfinite(distances).all() or (distances < 0).any():
        raise ReadError("holds damaged distances: build it anew", str(path))
    try:
        return DistanceDistribution(distances=distances, **about)
    except TypeError:
        raise ReadError(wrong, str(path)) from None


def fingerprint(values: FloatArray) -> str:
    """Of the scores in their order, whatever the labels."""
    digest = hashlib.sha256(json.dumps(values.shape).encode())
    digest.update(np.ascontiguousarray(values + 0.0, dtype="<f8").tobytes())
    return digest.hexdigest()


# The two bootstraps -------------------------------------------------------------------------------


def paper_distances(
    problem: Problem, n_resamples: int, rng: np.random.Generator, workers: int, progress: Progress | None
) -> FloatArray:
    """carterette2009, algorithm 2: distances of the rankings of resampled topics from the collection."""
    distances = np.empty(n_resamples)
    for rows, weights in resampled_weights(problem.n, n_resamples, rng):
        distances[rows] = problem.distances(resampled_means(problem.values, weights, workers=workers), workers=workers)
        if progress is not None:
            progress(rows.stop, n_resamples)
    return distances


def recentred_distances(
    problem: Problem,
    found: Projection,
    n_resamples: int,
    rng: np.random.Generator,
    workers: int,
    progress: Progress | None,
) -> FloatArray:
    """Distances of a ranking from resamples of the collection, after moving it to where that ranking is true.

    Each system's scores are shifted so that the means are the nearest ones with that ranking; resampling then shows
    what distances chance alone makes, with means and covariance measured anew each time.
    """
    ordered = problem.values[:, found.order]
    differences = ordered[:, :-1] - ordered[:, 1:]
    differences = np.ascontiguousarray(differences - differences.mean(axis=0))
    # A resample may have no more topics than systems.
    eps = max(problem.eps, LEAST_EPS * float(problem.covariance.diagonal().max()))
    distances = np.empty(n_resamples)
    for rows, weights in resampled_weights(problem.n, n_resamples, rng):
        out = np.empty((len(weights), reference_distance.FIELDS))
        arguments = (differences, found.delta, weights, eps)
        _kernels.distance_kernels().recentred_distances(*arguments, out, workers)
        again = unsolved(out)
        if again.size:
            anew = np.empty((len(again), reference_distance.FIELDS))
            reference_distance.recentred_distances(differences, found.delta, weights[again], eps, anew, workers)
            out[again] = anew
            require_solved(out, eps)
        distances[rows] = np.sqrt(problem.n * out[:, 0])
        if progress is not None:
            progress(rows.stop, n_resamples)
    return distances
