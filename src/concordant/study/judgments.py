"""`judgment_study`: what happens to the ranking of systems when the judgments change."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..arrays import FloatArray
from ..coefficients.registry import get_coefficient, list_coefficients
from ..errors import InputError, InputTypeError, RegularisationWarning, TiesError, UndefinedCorrelationWarning
from ..judgments.change import Change, qrels_digest, runs_digest
from ..judgments.evaluation import check_thresholds, evaluate_all, parse_all, score
from ..judgments.measures import Measure
from ..judgments.qrels import Qrels
from ..judgments.runs import Runs
from ..ranks.distance import Problem
from ..ranks.distribution import DistanceDistribution
from ..resampling import Progress, check_count, seed_of
from ..scores import Scores, mean_over_topics
from ..tables import Missing
from .execution import run_grid
from .grid import Grid
from .judgments_result import JudgmentStudy

_EPS = 1e-5


@dataclass(frozen=True, eq=False)
class JudgmentTrials:
    """A trial makes the judgments of one change, scores all runs under them, and compares with the full ones."""

    runs: Runs
    qrels: Qrels
    cells: tuple[tuple[Change, int], ...]
    """The change of each trial, and the how-many-eth draw it is."""
    measures: tuple[Measure, ...]
    coefficients: tuple[str, ...]
    full: tuple[Scores, ...]
    """Under the full judgments, a measure each."""
    distributions: tuple[DistanceDistribution, ...]
    depth: int

    @property
    def width(self) -> int:
        """Numbers of a measure: coefficients, d_rank and its p-value, and the mean of each system."""
        return len(self.coefficients) + 2 + len(self.full[0].systems)

    def describe(self, trial: int) -> str:
        """What a trial is called in messages."""
        change, draw = self.cells[trial]
        return f"{change.kind} {change.label}, draw {draw}"

    @cached_property
    def _problems(self) -> tuple[Problem, ...]:
        with warnings.catch_warnings(action="ignore", category=RegularisationWarning):  # said when the study began
            return tuple(Problem.of(scores, _EPS, "the study") for scores in self.full)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_problems"}

    def __call__(self, trial: int, rng: np.random.Generator) -> FloatArray:
        """A row a measure; and one of the number of judgments and each system's share of unjudged documents."""
        changed = self.cells[trial][0].make(self.runs, self.qrels, rng)
        found = np.full((len(self.measures) + 1, self.width), np.nan)
        topics = [self.runs.pairs.topic_places[topic] for topic in self.full[0].topics]
        systems = [self.runs.systems.index(system) for system in self.full[0].systems]
        values = score(self.runs, changed, self.measures)
        for row, (own, scores, problem, distribution) in enumerate(
            zip(values, self.full, self._problems, self.distributions, strict=True)
        ):
            means = mean_over_topics(own[np.ix_(systems, topics)].T)
            distance = float(problem.distances(means[None])[0])
            found[row] = np.concatenate(
                [
                    [correlation(name, scores.means(), means) for name in self.coefficients],
                    [distance, float(distribution.pvalue(distance))],
                    means,
                ]
            )
        found[-1, 0] = changed.size
        found[-1, -len(systems) :] = unjudged_shares(self.runs.cut(self.depth), changed, topics)[systems]
        return found


def correlation(name: str, truth: FloatArray, candidate: FloatArray) -> float:
    """A coefficient; nan where ties or its definition leave it without a value."""
    with warnings.catch_warnings(action="ignore", category=UndefinedCorrelationWarning):
        try:
            return float(get_coefficient(name).function(truth, candidate))
        except TiesError:
            return float("nan")


def unjudged_shares(runs: Runs, qrels: Qrels, topics: Sequence[int]) -> FloatArray:
    """For each system the share of its documents on these topics that have no judgment."""
    judged = np.zeros(len(runs.pairs), dtype=np.bool_)
    places = runs.pairs.locate(qrels.pairs)[qrels.places[qrels.grades >= 0]]
    judged[places[places >= 0]] = True
    row = np.repeat(np.arange(len(runs.starts) - 1), np.diff(runs.starts))
    unjudged = np.bincount(row[~judged[runs.items]], minlength=len(runs.starts) - 1).reshape(runs.shape)[:, topics]
    count = runs.depths[:, topics].sum(axis=1)
    return np.asarray(unjudged.sum(axis=1) / np.maximum(count, 1))


def judgment_study(  # noqa: PLR0913
    runs: Runs,
    qrels: Qrels,
    changes: Iterable[Change],
    measures: Iterable[str],
    coefficients: Iterable[str] | None = None,
    rng: int = 0,
    *,
    n_draws: int = 20,
    n_resamples: int = 1_000,
    depth: int = 10,
    missing: Missing = "error",
    folder: str | os.PathLike[str] | None = None,
    workers: int = 1,
    dask: Any = None,
    progress: Progress | None = None,
) -> JudgmentStudy:
    """Change the judgments in many ways, and compare the ranking of systems with that under the full judgments.

    For each change and measure: every coefficient between the means under the full judgments (truth) and under the
    changed ones (candidate), the rank distance and the p-value of its test in the paper's way, and for each system how
    its score and its rank move and how many documents at the top of its lists are unjudged.

    Parameters
    ----------
    runs, qrels
        The runs, and the full judgments.
    changes : iterable of Change
        What to do to the judgments: `concordant.judgments.Change("sample", 0.1)`.
    measures : iterable of str
        Names as in `evaluate`.
    coefficients : iterable of str, optional
        All by default. One that does not allow ties is nan in a draw that has some.
    rng : int
        The seed; every draw has a stream of its own, given by the seed and the number of the trial.
    n_draws : int
        Repetitions of changes that draw at random.
    n_resamples : int
        Of the topics, for the p-values: one distribution serves all changes of a measure.
    depth : int
        How deep to look for unjudged documents.
    missing : {"error", "zero", "drop", "drop-systems"}
        For runs that lack topics, as in `evaluate`.
    folder, workers, dask, progress
        Where to keep what is done, processes, a Dask scheduler, and a call as trials are done; as in
        `reliability_study`. A study that was stopped continues in its folder, with the same bits.

    Returns
    -------
    JudgmentStudy

    References
    ----------
    E. Yilmaz, J. A. Aslam and S. Robertson (2008). A new rank correlation coefficient for IR. SIGIR.
    B. Carterette (2009). On rank correlation and the distance between rankings. SIGIR, section 4.3.

    Examples
    --------
    >>> import concordant as cc, numpy as np
    >>> rng = np.random.default_rng(1)
    >>> names = [f"d{k}" for k in range(30)]
    >>> grades = {str(t): {d: int(k < 9) for k, d in enumerate(names)} for t in range(20)}
    >>> noise = {f"s{s}": {str(t): np.arange(30) + rng.normal(0, 4 + 3 * s, 30) for t in range(20)} for s in range(6)}
    >>> runs = cc.Runs.from_dict({s: {t: [names[k] for k in np.argsort(x)] for t, x in of.items()} for s, of in noise.items()})
    >>> change = cc.judgments.Change("sample", 0.3, least=(1, 1))
    >>> study = cc.judgment_study(runs, cc.Qrels.from_dict(grades), [change], ["AP"], ["tau_b"], n_draws=5)
    >>> study.value("sample", "0.3", "AP", "tau_b") > 0.5
    True
    """  # noqa: E501
    wanted, named = parse_all(measures), _coefficients(coefficients)
    listed = _changes(changes)
    seed = seed_of(rng)
    if seed is None or seed < 0 or isinstance(rng, bool):
        raise InputTypeError(f"rng is {rng!r}: a study needs a seed, a whole number, so that it can be continued")
    full = evaluate_all(runs, qrels, map(str, wanted), missing=missing)
    last = {change.kind: change.level for change in listed}
    for change in listed:
        other = change.other()
        if other is not None:
            check_thresholds(other, wanted)
        # What cannot be made is refused now, and what is odd about it said now.
        change.make(
            runs, qrels, np.random.default_rng(0), warn=not change.random or change.level == last.get(change.kind)
        )
    n_draws = check_count(n_draws, "n_draws")
    cells = tuple((change, draw) for change in listed for draw in range(n_draws if change.random else 1))
    work = JudgmentTrials(
        runs,
        qrels,
        cells,
        tuple(wanted),
        named,
        tuple(full.values()),
        _distributions(list(full.values()), check_count(n_resamples), seed),
        check_count(depth, "depth"),
    )
    settings = {
        "runs": runs_digest(runs),
        "qrels": qrels_digest(qrels),
        "changes": [change.settings() for change in listed],
        "measures": list(full),
        "coefficients": list(named),
        "n_draws": n_draws,
        "n_resamples": int(n_resamples),
        "depth": work.depth,
        "missing": missing,
    }
    grid = Grid("judgments", work, len(cells), (len(wanted) + 1, work.width), settings, seed)
    run = run_grid(grid, folder, workers=workers, dask=dask, progress=progress)
    return JudgmentStudy(
        changes=tuple((change.kind, change.label) for change in listed),
        measures=tuple(full),
        coefficients=named,
        systems=work.full[0].systems,
        topics=work.full[0].topics,
        full=np.stack([scores.means() for scores in work.full]),
        values=run.values,
        change_of=np.array([listed.index(change) for change, _ in cells]),
        settings={**settings, "seed": seed},
        cost={"computed": run.computed, "seconds": run.seconds, "cpu_seconds": run.cpu_seconds},
    )


def _distributions(full: list[Scores], n_resamples: int, seed: int) -> tuple[DistanceDistribution, ...]:
    made: list[DistanceDistribution] = []
    for scores in full:
        with warnings.catch_warnings():
            if made:  # as many systems as topics: say it once
                warnings.simplefilter("ignore", RegularisationWarning)
            made.append(DistanceDistribution.bootstrap(scores, n_resamples=n_resamples, rng=seed, eps=_EPS))
    return tuple(made)


def _coefficients(names: Iterable[str] | None) -> tuple[str, ...]:
    if names is None:
        return tuple(c.name for c in list_coefficients())
    if isinstance(names, str):
        raise InputTypeError(f"coefficients is {names!r}: give a list of names")
    found = tuple(dict.fromkeys(get_coefficient(name).name for name in names))
    if not found:
        raise InputError("coefficients is empty: name at least one, or leave it out for all")
    return found


def _changes(changes: Iterable[Change]) -> list[Change]:
    if isinstance(changes, Change):
        raise InputTypeError(f"changes is {changes!r}: give a list of changes")
    listed = list(changes)
    for change in listed:
        if not isinstance(change, Change):
            raise InputTypeError(f"changes hold {change!r}: give concordant.judgments.Change(kind, level)")
    if not listed:
        raise InputError("changes is empty: give at least one, such as concordant.judgments.Change('sample', 0.1)")
    names = [(change.kind, change.label) for change in listed]
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice:
        raise InputError(f"changes hold {twice[0]} {twice[1]} twice")
    return listed
