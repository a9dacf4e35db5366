"""`reliability_study`: how far the estimators of expected correlation are off, on collections whose truth is known."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..errors import InputError, InputTypeError
from ..expected.estimation import ESTIMATORS, estimates_of
from ..expected.halves import discordant_shares
from ..resampling import Progress, check_count, seed_of
from ..scores import Scores, mean_over_topics
from ..simulation.simulator import Simulator, check_bounds
from .execution import run_grid
from .grid import Grid, fingerprint
from .reliability_result import COEFFICIENTS, ReliabilityStudy

SIZES = tuple(range(10, 101, 10))
_PER_TRIAL = (len(COEFFICIENTS), 1 + len(ESTIMATORS))  # the actual correlation first


@dataclass(frozen=True)
class Original:
    """A collection to simulate from; known by its fingerprint, so that a process makes its simulator once."""

    name: str
    digest: str
    exact_means: bool
    bounds: tuple[float, float]
    scores: Scores = field(compare=False, repr=False)


@lru_cache(maxsize=32)
def _simulator(original: Original) -> Simulator:
    return Simulator(original.scores, exact_means=original.exact_means, bounds=original.bounds)


@dataclass(frozen=True)
class ReliabilityTrials:
    """A trial simulates one collection of one size, and compares every estimate with the actual correlation."""

    originals: tuple[Original, ...]
    sizes: tuple[int, ...]
    repeats: int

    def place(self, trial: int) -> tuple[Original, int, int]:
        """The collection, the number of topics, and the how-many-eth of its kind."""
        cell, repeat = divmod(trial, self.repeats)
        collection, size = divmod(cell, len(self.sizes))
        return self.originals[collection], self.sizes[size], repeat

    def describe(self, trial: int) -> str:
        """What a trial is called in messages."""
        original, size, repeat = self.place(trial)
        return f"{original.name}, {size} topics, repeat {repeat}"

    def __call__(self, trial: int, rng: np.random.Generator) -> FloatArray:
        """By coefficient, the actual correlation with the original means, and each estimate of it."""
        original, size, _ = self.place(trial)
        values = _simulator(original).draw(size, rng)
        shares = discordant_shares(original.scores.means()[None], mean_over_topics(values)[None])
        # As the authors count: identical systems are concordant, and so is a pair that is tied in the truth.
        estimates = estimates_of(values, rng, identical="concordant")
        actual = [1 - 2 * float(share[0]) for share in shares]
        return np.column_stack([actual, *(estimates[name] for name in ESTIMATORS)])


def reliability_study(  # noqa: PLR0913
    collections: Mapping[str, Scores],
    *,
    n_trials: int = 1_000,
    sizes: Iterable[int] = SIZES,
    drop_bottom: float = 0.25,
    exact_means: bool = False,
    bounds: tuple[float, float] = (0.0, 1.0),
    rng: int = 0,
    folder: str | os.PathLike[str] | None = None,
    workers: int = 1,
    dask: Any = None,
    progress: Progress | None = None,
) -> ReliabilityStudy:
    """Measure error and bias of the estimators of expected correlation, as urbano2016 did, on any collections.

    From each collection, `n_trials` new ones of each size are simulated. Their rankings are correlated with that by
    the original means, which is the truth, and with what each estimator expects from the simulated scores alone.
    The mean distance between the two is an estimator's error, the mean of estimate minus actual its bias.

    Parameters
    ----------
    collections
        Scores by name.
    n_trials
        Simulated collections of each size, from each original.
    sizes
        Numbers of topics.
    drop_bottom
        Systems whose mean is below this quantile are left out first, as in the paper; 0 keeps all.
    exact_means
        The simulator keeps the means only roughly, so that the truth is off a little, in the paper, too.
        True makes it exact.
    bounds
        The lowest and highest score that is possible, where that is not 0 and 1.
    rng
        The seed, a whole number: every trial draws from a stream of its own that is given by seed and trial.
    folder
        Where to keep what is done; a run that was stopped continues there and ends with the same bits.
    workers
        Processes.
    dask
        Address of a Dask scheduler (or a `distributed.Client`) to run on instead.
    progress
        Called with the number of trials done and of all.

    Returns
    -------
    ReliabilityStudy

    References
    ----------
    J. Urbano and M. Marrero (2016). Toward Estimating the Rank Correlation between the Test Collection Results and the
    True System Performance. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> study = cc.study.reliability_study({"people": cc.load_collection("people")}, n_trials=5, sizes=[10, 40])
    >>> round(study.actual("people", 10, "tau"), 3), round(study.actual("people", 40, "tau"), 3)
    (0.63, 0.829)
    """
    bounds = check_bounds(bounds)
    originals = _originals(collections, drop_bottom, bool(exact_means), bounds)
    work = ReliabilityTrials(originals, _checked_sizes(sizes), check_count(n_trials, "n_trials"))
    seed = seed_of(rng)
    if seed is None or seed < 0 or isinstance(rng, bool):
        raise InputTypeError(f"rng is {rng!r}: a study needs a seed, a whole number, so that it can be continued")
    settings = {
        "collections": {original.name: original.digest for original in work.originals},
        "sizes": list(work.sizes),
        "trials": work.repeats,
        "drop_bottom": float(drop_bottom),
        "exact_means": bool(exact_means),
        "bounds": list(bounds),
        "coefficients": list(COEFFICIENTS),
        "estimators": list(ESTIMATORS),
    }
    shape = (len(work.originals), len(work.sizes), work.repeats)
    grid = Grid("reliability", work, int(np.prod(shape)), _PER_TRIAL, settings, seed)
    run = run_grid(grid, folder, workers=workers, dask=dask, progress=progress)
    return ReliabilityStudy(
        collections=tuple(original.name for original in work.originals),
        sizes=work.sizes,
        values=run.values.reshape(*shape, *_PER_TRIAL),
        settings={**settings, "seed": seed},
        cost={"computed": run.computed, "seconds": run.seconds, "cpu_seconds": run.cpu_seconds},
    )


def _originals(
    collections: Any, drop_bottom: float, exact_means: bool, bounds: tuple[float, float]
) -> tuple[Original, ...]:
    if not isinstance(collections, Mapping) or not collections:
        raise InputTypeError('collections must be a dictionary of Scores by name, such as {"adhoc6": scores}')
    made = []
    for name, whole in collections.items():
        if not isinstance(whole, Scores):
            raise InputTypeError(f"collections[{name!r}] is a {type(whole).__name__}: give Scores")
        scores = whole.drop_bottom(drop_bottom)
        if len(scores.systems) < 2:
            raise InputError(f"collections[{name!r}] has 1 system left: a ranking has several")
        original = Original(str(name), fingerprint(scores), exact_means, bounds, scores)
        _simulator(original)  # what cannot be simulated is refused now
        made.append(original)
    return tuple(made)


def _checked_sizes(sizes: Any) -> tuple[int, ...]:
    try:
        found = tuple(check_count(size, "a size") for size in sizes)
    except TypeError:
        raise InputTypeError(f"sizes is {sizes!r}: give a list of numbers of topics") from None
    if not found or min(found) < 2 or len(set(found)) < len(found):
        raise InputError(f"sizes is {list(found)!r}: give numbers of topics, each at least 2 and none twice")
    return found
