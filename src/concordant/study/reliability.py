"""`reliability_study` measures estimators of expected correlation on collections with a known truth."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..arrays import FloatArray, Workers, fingerprint
from ..data.means import mean_over_topics
from ..data.results import columns, settings_of
from ..errors import InputError, one_line
from ..inference.resampling import Progress
from ..options import checked
from ..planning.estimation import ESTIMATORS, estimates_of
from ..planning.halves import discordant_shares
from ..read.reader import Collection, as_topics, refuse
from .grid import Trials, run_grid
from .saving import StudyResult
from .simulation import Simulator

SIZES = tuple(range(10, 101, 10))
COEFFICIENTS = ("tau", "tau_ap")
_PER_TRIAL = (len(COEFFICIENTS), 1 + len(ESTIMATORS))  # the actual correlation, then the estimates


@dataclass(frozen=True)
class ReliabilityTrials:
    """Trials that simulate a collection of a given size and compare every estimate with the actual correlation."""

    models: Mapping[str, Simulator]
    sizes: tuple[int, ...]
    repeats: int

    def place(self, trial: int) -> tuple[str, int, int]:
        """Return the collection of a trial, its number of topics, and the number of the repeat."""
        cell, repeat = divmod(trial, self.repeats)
        collection, size = divmod(cell, len(self.sizes))
        return list(self.models)[collection], self.sizes[size], repeat

    def describe(self, trial: int) -> str:
        """Name a trial for messages."""
        name, size, repeat = self.place(trial)
        return f"{name}, {size} topics, repeat {repeat}"

    def __call__(self, trial: int, rng: np.random.Generator) -> FloatArray:
        """Run a trial: for each coefficient, return the correlation with the original means and its estimates."""
        name, size, _ = self.place(trial)
        values = self.models[name].draw(size, rng)
        shares = discordant_shares(self.models[name].scores.means()[None], mean_over_topics(values)[None])
        # As in the code of urbano2016, identical systems and pairs tied in the truth count as concordant.
        estimates = estimates_of(values, rng, identical="concordant")
        actual = [1 - 2 * float(share[0]) for share in shares]
        return np.column_stack([actual, *(estimates[name] for name in ESTIMATORS)])


def study_of(work: ReliabilityTrials, trials: FloatArray, *, settings: Mapping[str, Any], **about: Any) -> StudyResult:
    """Compute error and bias of each estimator.

    `trials`: trials x coefficients x (the actual correlation, then each estimate).
    """
    collections, sizes = tuple(work.models), work.sizes
    values = trials.reshape(len(collections), len(sizes), work.repeats, *_PER_TRIAL)
    rows = []
    for (c, collection), (k, coefficient), (s, size), (e, estimator) in product(
        *map(enumerate, (collections, COEFFICIENTS, sizes, ESTIMATORS))
    ):
        actual = values[c, s, :, k, 0]
        off = values[c, s, :, k, 1 + e] - actual
        row = {"collection": collection, "topics": size, "coefficient": coefficient, "estimator": estimator}
        row |= {"actual_mean": float(actual.mean()), "error": float(np.abs(off).mean()), "bias": float(off.mean())}
        several = len(off) > 1
        spreads = [float(x.std(ddof=1) / np.sqrt(len(x))) if several else np.nan for x in (np.abs(off), off)]
        rows.append(row | dict(zip(("error_se", "bias_se"), spreads, strict=True)))
    off = values[..., 1:] - values[..., :1]
    of = (("error", np.abs(off).mean(axis=(0, 1, 2))), ("bias", off.mean(axis=(0, 1, 2))))
    summary: list[dict[str, Any]] = [
        {"estimator": name}
        | {f"{what} {coefficient}": float(m[c, e]) for c, coefficient in enumerate(COEFFICIENTS) for what, m in of}
        for e, name in enumerate(ESTIMATORS)
    ]
    parts = []
    for coefficient in COEFFICIENTS:
        error, bias = f"error {coefficient}", f"bias {coefficient}"
        least, fair = min(summary, key=lambda row: row[error]), min(summary, key=lambda row: abs(row[bias]))
        parts.append(
            f"{coefficient}: least error {least['estimator']} ({least[error]:.4f}), least bias {fair['estimator']} "
            f"({fair[bias]:+.4f})"
        )
    shown = (
        f"{settings['trials']:,} trials of each size ({', '.join(map(str, sizes))} topics) from "
        f"{', '.join(map(one_line, collections))}, seed {settings['seed']}"
    )
    cells = [[c if isinstance(c, str) else f"{c:.4f}" for c in row.values()] for row in summary]
    return StudyResult(
        kind="ReliabilityStudy",
        answer="; ".join(parts),
        numbers={"rows": rows},
        beside={"collections": collections, "sizes": sizes, "values": values, "summary": summary},
        lines=rows,
        shown=f"{shown}\n\n{columns([list(summary[0]), *cells])}",
        figure="curves.reliability_study",
        tables={"reliability.csv": rows},
        drawings={"error.png": partial(_figure, "error"), "bias.png": partial(_figure, "bias")},
        settings=settings,
        **about,
    )


def _figure(what: Any, found: StudyResult) -> Any:
    """Draw the paper's figure of error or bias: one row per collection, tau on the left, tau_ap on the right."""
    from ..render.figures import curves

    return curves.reliability_figure(found, what)


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
) -> StudyResult:
    """Measure error and bias of the estimators of expected correlation on given collections, as in urbano2016.

    From each collection, `n_trials` new ones of each size are simulated. The actual correlation is between the
    simulated ranking and the ranking by the original means, which is the truth. Each estimator predicts it from the
    simulated scores alone. Its error is the mean absolute difference between estimate and actual correlation, and its
    bias is the mean difference.

    Parameters
    ----------
    collections : mapping of str to Scores, path or frame
        Scores on each topic by the name of the collection, in any form that `as_scores` takes.
    n_trials : int
        How many collections of each size to simulate from each original.
    sizes : iterable of int
        Numbers of topics in the simulated collections.
    drop_bottom : float
        Systems whose mean is below this quantile of the system means are left out first, as in the paper; 0 keeps all
        systems.
    exact_means : bool
        If True, the simulator keeps the means exactly. By default, as in the paper, it keeps them only roughly, so the
        original means are not exactly the true ones.
    bounds : (float, float)
        The lowest and highest possible score, if not 0 and 1.
    rng : int
        The seed, a whole number: seed and trial number determine the random stream of each trial.
    folder : path, optional
        Folder for finished trials; a stopped run continues there and ends with the same bits.
    workers : int or concurrent.futures.Executor
        The number of processes, or an executor to run on; with Dask, ``client.get_executor(pure=False)``. In a script,
        processes need ``if __name__ == "__main__":`` around the call.
    progress : callable, optional
        Called with the number of trials done and the total.

    Returns
    -------
    StudyResult
        `rows()` has error and bias of each estimator by collection, size and coefficient, with their standard errors;
        `cell(collection, topics, coefficient, estimator)` is one row. `summary` has the means over collections and
        sizes, `values` has every trial. `plot(what="bias", collection=, coefficient=)` draws error or bias.

    Raises
    ------
    StudyError
        If a trial or the executor failed; finished trials are kept in the folder.

    See Also
    --------
    expected_correlation : Estimate the expected correlation from given scores.
    simulate : Simulate a new collection that looks like a given one.

    References
    ----------
    J. Urbano and M. Marrero (2016). Toward Estimating the Rank Correlation between the Test Collection Results and the
    True System Performance. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> study = cc.study.reliability_study({"people": cc.load_collection("people")}, n_trials=5, sizes=[10, 40])
    >>> [round(study.cell("people", size, "tau", "msqd")["actual_mean"], 3) for size in (10, 40)]
    [0.63, 0.821]

    """
    models = {}
    for name, whole in collections.items():
        scores = as_topics(whole, f"collections[{name!r}]").drop_bottom(drop_bottom)
        refuse(scores, f"collections[{name!r}]", "groups", "total", why="the study is about means over single topics")
        if len(scores.systems) < 2:
            raise InputError(f"collections[{name!r}] has 1 system left: a ranking needs at least 2")
        models[str(name)] = Simulator(scores, exact_means=exact_means, bounds=bounds)
    work = ReliabilityTrials(models, tuple(sizes), n_trials)
    settings: dict[str, Any] = {
        "collections": {
            name: fingerprint(of.scores.values, of.scores.topics, of.scores.systems) for name, of in models.items()
        },
        "sizes": list(work.sizes),
        "trials": n_trials,
        "drop_bottom": drop_bottom,
        "exact_means": exact_means,
        "bounds": list(bounds),
        "coefficients": list(COEFFICIENTS),
        "estimators": list(ESTIMATORS),
    }
    grid = Trials("reliability", work, len(models) * len(work.sizes) * n_trials, _PER_TRIAL, settings, rng)
    run = run_grid(grid, folder, workers=workers, progress=progress)
    return study_of(work, run.values, settings=settings_of(seed=rng, **settings), cost=run.cost)
