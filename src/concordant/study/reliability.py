"""`reliability_study`: how far the estimators of expected correlation are off, on collections whose truth is known."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any, Literal

import numpy as np

from ..arrays import FloatArray
from ..data.means import mean_over_topics
from ..data.results import columns, settings_of
from ..data.scores import Scores
from ..errors import InputError
from ..inference.resampling import Progress
from ..options import checked
from ..parallel import Workers
from ..planning.estimation import ESTIMATORS, estimates_of
from ..planning.halves import discordant_shares
from ..read.door import Collection, as_topics, refuse
from ..read.files import fingerprint, write_csv
from ..words import one_line
from .execution import run_grid
from .grid import Trials
from .saving import StudyResult, place_of
from .simulation.simulator import Simulator

SIZES = tuple(range(10, 101, 10))
COEFFICIENTS = ("tau", "tau_ap")
_PER_TRIAL = (len(COEFFICIENTS), 1 + len(ESTIMATORS))  # the actual correlation first
What = Literal["error", "bias"]


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
        """The collection, the number of topics, and which repeat it is."""
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


@checked
@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityStudy(StudyResult):
    """Error and bias of each estimator. `print` shows the means over all, `to_frame` has every cell."""

    collections: tuple[str, ...]
    sizes: tuple[int, ...]
    values: FloatArray
    """Collections x sizes x trials x coefficients x (the actual correlation, then each estimator's)."""

    @property
    def estimators(self) -> tuple[str, ...]:
        """The estimators that are compared, in the order of `values`."""
        return ESTIMATORS

    def actual(self, collection: str, size: int, coefficient: str) -> float:
        """The mean correlation between simulated and true rankings."""
        return float(self._cell(collection, size, coefficient)[:, 0].mean())

    def error(self, collection: str, size: int, coefficient: str, estimator: str) -> float:
        """The mean distance between an estimate and the actual correlation."""
        return float(np.abs(self._off(collection, size, coefficient, estimator)).mean())

    def bias(self, collection: str, size: int, coefficient: str, estimator: str) -> float:
        """The mean of estimate minus actual correlation: positive where an estimator is too optimistic."""
        return float(self._off(collection, size, coefficient, estimator).mean())

    def _cell(self, collection: str, size: int, coefficient: str) -> FloatArray:
        at = (place_of(collection, self.collections, "collection"), place_of(size, self.sizes, "size"))
        return np.asarray(self.values[at][:, place_of(coefficient, COEFFICIENTS, "coefficient")])

    def _off(self, collection: str, size: int, coefficient: str, estimator: str) -> FloatArray:
        cell = self._cell(collection, size, coefficient)
        return np.asarray(cell[:, 1 + place_of(estimator, ESTIMATORS, "estimator")] - cell[:, 0])

    @property
    def verdict(self) -> str:
        """Which estimators are best."""
        summary = self.summary()
        parts = []
        for coefficient in COEFFICIENTS:
            error, bias = f"error {coefficient}", f"bias {coefficient}"
            least = min(summary, key=lambda row, of=error: row[of])  # type: ignore[misc]
            fair = min(summary, key=lambda row, of=bias: abs(row[of]))  # type: ignore[misc]
            parts.append(
                f"{coefficient}: least error {least['estimator']} ({least[error]:.4f}), least bias "
                f"{fair['estimator']} ({fair[bias]:+.4f})"
            )
        return "; ".join(parts)

    def rows(self) -> list[dict[str, Any]]:
        """One row per collection, coefficient, size and estimator, with the standard errors of error and bias."""
        found = []
        for collection, coefficient, size, estimator in product(self.collections, COEFFICIENTS, self.sizes, ESTIMATORS):
            off = self._off(collection, size, coefficient, estimator)
            found.append(
                {
                    "collection": collection,
                    "topics": size,
                    "coefficient": coefficient,
                    "estimator": estimator,
                    "actual_mean": self.actual(collection, size, coefficient),
                    "error": float(np.abs(off).mean()),
                    "bias": float(off.mean()),
                    "error_se": _standard_error(np.abs(off)),
                    "bias_se": _standard_error(off),
                }
            )
        return found

    def summary(self) -> list[dict[str, Any]]:
        """One row per estimator: error and bias of each coefficient, averaged over collections and sizes."""
        off = self.values[..., 1:] - self.values[..., :1]
        error, bias = np.abs(off).mean(axis=(0, 1, 2)), off.mean(axis=(0, 1, 2))
        return [
            {"estimator": name}
            | {
                f"{what} {coefficient}": float(of[c, e])
                for c, coefficient in enumerate(COEFFICIENTS)
                for what, of in (("error", error), ("bias", bias))
            }
            for e, name in enumerate(ESTIMATORS)
        ]

    def table(self) -> str:
        """The summary, below what it is a summary of."""
        sizes, names = ", ".join(map(str, self.sizes)), ", ".join(map(one_line, self.collections))
        about = f"{self.settings['trials']:,} trials of each size ({sizes} topics) from {names}"
        summary = self.summary()
        rows = [[c if isinstance(c, str) else f"{c:.4f}" for c in row.values()] for row in summary]
        return f"{about}, seed {self.settings['seed']}\n\n{columns([list(summary[0]), *rows])}"

    def _contents(self) -> dict[str, Any]:
        return {"rows": self.rows(), "cost": self.cost}

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write `rows`, in full precision."""
        write_csv(path, self.rows())

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Every cell."""
        return {"reliability.csv": self.rows()}

    def figures(self) -> dict[str, Any]:
        """The paper's two figures."""
        return {"error.png": self.figure("error"), "bias.png": self.figure("bias")}

    def plot(
        self, ax: Any = None, *, what: What = "error", collection: str | None = None, coefficient: str = "tau"
    ) -> Any:
        """Error or bias by number of topics, one line per estimator; of the first collection, if none is named."""
        from ..render.figures import curves

        return curves.reliability_study(self, ax, what, collection, coefficient)

    def figure(self, what: What = "error") -> Any:
        """The paper's figure of error or of bias: one row per collection, tau to the left, tau_ap to the right."""
        from ..render.figures import curves

        return curves.reliability_figure(self, what)


@checked
def reliability_study(  # noqa: PLR0913
    collections: Mapping[str, Collection],
    *,
    n_trials: int = 1_000,
    sizes: Iterable[int] = SIZES,
    drop_bottom: float = 0.25,
    exact_means: bool = False,
    bounds: tuple[float, float] = (0.0, 1.0),
    rng: int = 0,
    folder: str | os.PathLike[str] | None = None,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> ReliabilityStudy:
    """Measure error and bias of the estimators of expected correlation, as urbano2016 did, on any collections.

    From each collection, `n_trials` new ones of each size are simulated. Their rankings are correlated with that by
    the original means, which is the truth, and with what each estimator expects from the simulated scores alone.
    The mean distance between the two is an estimator's error, the mean of estimate minus actual its bias.

    Parameters
    ----------
    collections : mapping of str to Scores, path or frame
        Scores on each topic by the name of the collection, in any form that `as_scores` takes.
    n_trials : int
        Simulated collections of each size, from each original.
    sizes : iterable of int
        Numbers of topics.
    drop_bottom : float
        Systems whose mean is below this quantile are left out first, as in the paper; 0 keeps all.
    exact_means : bool
        The simulator keeps the means only roughly, so the truth is off a little, in the paper, too.
        True makes it exact.
    bounds : (float, float)
        The lowest and highest score that is possible, where that is not 0 and 1.
    rng : int
        The seed, a whole number: every trial draws from a stream of its own that is given by seed and trial.
    folder : path, optional
        Where to keep what is done; a run that was stopped continues there and ends with the same bits.
    workers : int or concurrent.futures.Executor
        The number of processes, or an executor to run on: of Dask, ``client.get_executor(pure=False)``. In a script,
        processes need ``if __name__ == "__main__":`` around the call.
    progress : callable, optional
        Called with the number of trials done and the total.

    Returns
    -------
    ReliabilityStudy
        Error and bias of each estimator by collection, size and coefficient.

    Raises
    ------
    StudyError
        If a trial failed, or what runs them; what was finished is kept in the folder.

    See Also
    --------
    expected_correlation : One estimate, for scores at hand.
    simulate : New collections that look like an old one.

    References
    ----------
    J. Urbano and M. Marrero (2016). Toward Estimating the Rank Correlation between the Test Collection Results and the
    True System Performance. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> study = cc.study.reliability_study({"people": cc.load_collection("people")}, n_trials=5, sizes=[10, 40])
    >>> round(study.actual("people", 10, "tau"), 3), round(study.actual("people", 40, "tau"), 3)
    (0.63, 0.821)

    """
    originals = _originals(collections, drop_bottom, exact_means, bounds)
    work = ReliabilityTrials(originals, tuple(sizes), n_trials)
    settings: dict[str, Any] = {
        "collections": {original.name: original.digest for original in work.originals},
        "sizes": list(work.sizes),
        "trials": work.repeats,
        "drop_bottom": drop_bottom,
        "exact_means": exact_means,
        "bounds": list(bounds),
        "coefficients": list(COEFFICIENTS),
        "estimators": list(ESTIMATORS),
    }
    shape = (len(work.originals), len(work.sizes), work.repeats)
    grid = Trials("reliability", work, int(np.prod(shape)), _PER_TRIAL, settings, rng)
    run = run_grid(grid, folder, workers=workers, progress=progress)
    return ReliabilityStudy(
        collections=tuple(original.name for original in work.originals),
        sizes=work.sizes,
        values=run.values.reshape(*shape, *_PER_TRIAL),
        settings=settings_of(seed=rng, **settings),
        cost=run.cost,
    )


def _originals(
    collections: Any, drop_bottom: float, exact_means: bool, bounds: tuple[float, float]
) -> tuple[Original, ...]:
    made = []
    for name, whole in collections.items():
        scores = as_topics(whole, f"collections[{name!r}]").drop_bottom(drop_bottom)
        refuse(scores, f"collections[{name!r}]", "groups", "total", why="the study is about means over single topics")
        if len(scores.systems) < 2:
            raise InputError(f"collections[{name!r}] has 1 system left: a ranking has several")
        digest = fingerprint(scores.values, scores.topics, scores.systems)
        original = Original(str(name), digest, exact_means, bounds, scores)
        _simulator(original)  # what cannot be simulated is refused now
        made.append(original)
    return tuple(made)


def _standard_error(values: FloatArray) -> float:
    """Of a mean; nan for one trial."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
