"""`judgment_study`: what happens to the ranking of systems when the judgments change."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..coefficients.registry import get_coefficient, headlines, list_coefficients
from ..data.holes import Missing
from ..data.results import Interval, columns, settings_of
from ..errors import InputError, import_extra, warn
from ..inference.resampling import Progress, Resampling
from ..judges.verdicts import shown
from ..judges.worth import TOPICS, Yardstick
from ..judgments.change import Change, qrels_digest, runs_digest
from ..judgments.evaluation import check_thresholds, evaluate, parse_all
from ..judgments.qrels import Qrels
from ..judgments.runs import Runs
from ..options import checked
from ..parallel import Workers
from ..ranks.distance import Problem
from ..ranks.testing import paper_distances
from ..words import counted, listing, number, p_cell
from .execution import run_grid
from .grid import Trials
from .judgment_trials import JudgmentTrials
from .saving import StudyResult, place_of

_EPS = 1e-5
LEVEL = 0.95  # of the intervals over draws
OTHERS = ("d_rank", "p", "worth")
"""The statistics that are no coefficients: rank distance, its p-value, and the worth of 25 topics, by tau_b, in topics
with the full judgments."""


@checked
@dataclass(frozen=True, eq=False, repr=False)
class JudgmentStudy(StudyResult):
    """Every statistic by change, level and measure. `print` shows the means; `rows` and `systems_rows` have it all."""

    changes: tuple[tuple[str, str], ...]
    """Kind and level of each change."""
    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    full: FloatArray
    """Means under the full judgments: measures x systems."""
    values: FloatArray
    """Trials x (measures, then one row of counts) x (coefficients, d_rank, its p-value, worth, systems)."""
    change_of: IntArray
    """The change of each trial."""

    @property
    def statistics(self) -> tuple[str, ...]:
        """The coefficients, the rank distance and its p-value, and worth."""
        return (*self.coefficients, *OTHERS)

    @property
    def headlines(self) -> tuple[str, ...]:
        """The coefficients that figures show, and the last of them the verdict."""
        return tuple(name for name in headlines("main") if name in self.coefficients) or self.coefficients[:1]

    def draws(self, change: str, level: str, measure: str, statistic: str) -> FloatArray:
        """A statistic in each draw; nan where it has no value."""
        place = place_of(statistic, self.statistics, "statistic")
        return np.asarray(self._trials(change, level)[:, place_of(measure, self.measures, "measure"), place])

    def value(self, change: str, level: str, measure: str, statistic: str) -> float:
        """The mean of a statistic over the draws that have it; nan where none has."""
        return _mean(self.draws(change, level, measure, statistic))

    def interval(self, change: str, level: str, measure: str, statistic: str) -> Interval | None:
        """What the middle 95% of the draws span; None for fewer than two draws."""
        found = self.draws(change, level, measure, statistic)
        found = found[~np.isnan(found)]
        if len(found) < 2:
            return None
        low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Interval(float(low), float(high), LEVEL, "of the draws")

    def scores(self, change: str, level: str, measure: str) -> FloatArray:
        """The means of the systems under the changed judgments: draws x systems."""
        place = place_of(measure, self.measures, "measure")
        return np.asarray(self._trials(change, level)[:, place, -len(self.systems) :])

    def unjudged(self, change: str, level: str) -> FloatArray:
        """The share of unjudged documents at the top of each system's lists: draws x systems."""
        return np.asarray(self._trials(change, level)[:, -1, -len(self.systems) :])

    def judgments(self, change: str, level: str) -> float:
        """How many judgments were left, on average."""
        return float(self._trials(change, level)[:, -1, 0].mean())

    def _trials(self, change: str, level: Any) -> FloatArray:
        wanted = (change, str(level))
        if wanted not in self.changes:
            known = listing(f"{kind} {label}" for kind, label in self.changes)
            raise InputError(f"the study has no change {change} {level}: it has {known}")
        return np.asarray(self.values[self.change_of == self.changes.index(wanted)])

    @property
    def verdict(self) -> str:
        """How far the ranking holds, for each kind of change, and what its topics are worth."""
        name = self.headlines[-1]
        parts = {kind: f"{kind}: {name} is undefined" for kind, _ in self.changes}
        for kind in parts:
            found = [
                (self.value(kind, level, measure, name), level, measure)
                for (of, level), measure in product(self.changes, self.measures)
                if of == kind and not np.isnan(self.value(kind, level, measure, name))
            ]
            values = {f"{value:.3f}" for value, _, _ in found}
            if len(found) > 1 and len(values) == 1:
                parts[kind] = f"{kind}: {name} {values.pop()} at every level and by every measure"
            elif found:
                ends = dict.fromkeys((min(found), max(found)))
                parts[kind] = "; ".join(
                    f"{kind} {level}: {self._worth(kind, level, measure)}{name} {value:.3f} ({measure})"
                    for value, level, measure in ends
                )
        return "; ".join(parts.values())

    def _worth(self, kind: str, level: str, measure: str) -> str:
        """'25 topics are worth 15 with all judgments, ' or nothing."""
        worth = self.value(kind, level, measure, "worth")
        if np.isnan(worth):
            return ""
        most = "less than 1" if worth < 1 else shown(worth)
        return f"{TOPICS:g} topics are worth {most} with all judgments, "

    def rows(self) -> list[dict[str, Any]]:
        """One row per change, measure and statistic; low and high span the middle 95% of the draws."""
        names = ("change", "level", "measure", "statistic")
        found = []
        for (change, level), measure, statistic in product(self.changes, self.measures, self.statistics):
            draws = self.draws(change, level, measure, statistic)
            there = draws[~np.isnan(draws)]
            span = self.interval(change, level, measure, statistic)
            numbers = {
                "mean": _mean(draws),
                "low": span.low if span else float("nan"),
                "high": span.high if span else float("nan"),
                "sd": float(there.std(ddof=1)) if len(there) > 1 else float("nan"),
                "defined": len(there),
                "draws": len(draws),
                "judgments": self.judgments(change, level),
            }
            found.append(dict(zip(names, (change, level, measure, statistic), strict=True)) | numbers)
        return found

    def systems_rows(self) -> list[dict[str, Any]]:
        """One row per change, measure and system: means over the draws. A rank shift above 0 is a loss of places.

        Tied systems share the mean of their ranks.
        """
        from scipy.stats import rankdata

        found = []
        for (change, level), (full, measure) in product(self.changes, zip(self.full, self.measures, strict=True)):
            scores, full_rank = self.scores(change, level, measure), rankdata(-full)
            score, rank = scores.mean(axis=0), rankdata(-scores, axis=1).mean(axis=0)
            numbers = {
                "full_score": full,
                "score": score,
                "score_change": score - full,
                "full_rank": full_rank,
                "rank": rank,
                "rank_shift": rank - full_rank,
                "unjudged": self.unjudged(change, level).mean(axis=0),
            }
            for j, system in enumerate(self.systems):
                labels = {"change": change, "level": level, "measure": measure, "system": system}
                found.append(labels | {name: float(number[j]) for name, number in numbers.items()})
        return found

    @property
    def tested(self) -> bool:
        """Whether there is a test of the rank distance that keeps its level: more topics than systems."""
        return len(self.systems) < len(self.topics)

    def summary(self, statistics: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """One row per change and measure: the number of judgments, and the means of some statistics."""
        wanted = (*headlines("inferred"), *OTHERS) if statistics is None else tuple(statistics)
        names = [name for name in self.statistics if name in wanted] or self.statistics
        names = [name for name in names if name != "p" or self.tested]
        return [
            {"change": kind, "level": level, "judgments": round(self.judgments(kind, level)), "measure": measure}
            | {name: self.value(kind, level, measure, name) for name in names}
            for (kind, level), measure in product(self.changes, self.measures)
        ]

    def table(self) -> str:
        """The summary, below what it is a summary of."""
        kinds = list(dict.fromkeys(kind for kind, _ in self.changes))
        about = (
            f"{listing(kinds)}; {counted(len(self.systems), 'system')}, {counted(len(self.topics), 'topic')}, "
            f"{counted(len(self.values), 'draw')} in all, seed {self.settings['seed']}"
        )
        hidden = ("change",) if len(kinds) == 1 else ()  # which all have in common
        rows = [{name: cell for name, cell in row.items() if name not in hidden} for row in self.summary()]
        heads = [{"judgments": "judged"}.get(name, name) for name in rows[0]]
        return f"{about}\n\n{columns([heads, *([_cell(name, c) for name, c in row.items()] for row in rows)])}"

    def _contents(self) -> dict[str, Any]:
        return {"rows": self.rows(), "systems": self.systems_rows(), "cost": self.cost}

    def to_frame(self, systems: bool = False) -> Any:
        """A pandas frame of `rows`, or of `systems_rows`."""
        return import_extra("pandas").DataFrame(self.systems_rows() if systems else self.rows())

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Both tables."""
        return {"judgments.csv": self.rows(), "systems.csv": self.systems_rows()}

    def figures(self) -> dict[str, Any]:
        """The figure."""
        return {"judgments.png": self.figure()}

    def figure(self) -> Any:
        """Coefficients and the rank distance by level: one row per kind of change, one line per measure."""
        kinds = list(dict.fromkeys(kind for kind, _ in self.changes))
        names = [*self.headlines, "d_rank"]
        size = (4.5 * len(names), 3.5 * len(kinds))
        made = import_extra("matplotlib.figure").Figure(figsize=size, layout="constrained")
        for row, kind in zip(made.subplots(len(kinds), len(names), squeeze=False), kinds, strict=True):
            for ax, name in zip(row, names, strict=True):
                self.plot(ax, change=kind, statistic=name)
                ax.tick_params(axis="x", labelrotation=90 if len(self.changes) > 8 * len(kinds) else 0)
        return made

    def plot(self, ax: Any = None, *, change: str | None = None, statistic: str | None = None) -> Any:
        """A statistic by level, one line per measure, with what the middle 95% of the draws span."""
        from ..render.figures import curves

        return curves.judgment_study(self, ax, change, statistic)

    def plot_coefficients(self, change: str, level: str, ax: Any = None) -> Any:
        """Coefficients down, measures across, the means over the draws as colours and numbers."""
        from ..render.figures import heatmap

        rows = [[self.value(change, level, measure, name) for measure in self.measures] for name in self.coefficients]
        return heatmap(rows, self.coefficients, self.measures, ax, label=f"{change} {level}")

    def plot_scores(
        self,
        change: str,
        level: str,
        measure: str,
        ax: Any = None,
        *,
        top: int | None = None,
        bottom: int | None = None,
    ) -> Any:
        """Means of the systems under the changed judgments against those under the full ones, with the diagonal.

        Only the `top` best, or the `bottom` worst, by the full judgments if asked for.
        """
        from ..render.figures import agreement

        full = self.full[place_of(measure, self.measures, "measure")]
        changed = self.scores(change, level, measure).mean(axis=0)
        order = np.argsort(-full, kind="stable")
        order = order[:top] if top else order[-bottom:] if bottom else order
        labels = (f"{measure}, full judgments", f"{measure}, {change} {level}")
        return agreement.plain_scatter(full[order], changed[order], labels, ax)


def _cell(name: str, value: Any) -> str:
    """A cell of the table, for reading."""
    if name == "worth":
        return shown(value)
    return p_cell(value) if name == "p" else number(value) if isinstance(value, float) else str(value)


def _mean(values: FloatArray) -> float:
    """Over those that are numbers."""
    count = int((~np.isnan(values)).sum())
    return float(np.nansum(values) / count) if count else float("nan")


@checked
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
    workers: Workers = 1,
    progress: Progress | None = None,
) -> JudgmentStudy:
    """Change the judgments in many ways, and compare the ranking of systems with that under the full judgments.

    For each change and measure: every coefficient between the means under the full judgments (truth) and under the
    changed ones (candidate), the rank distance and the p-value of its test in the paper's way, and for each system how
    its score and its rank move and how many documents at the top of its lists are unjudged.

    Parameters
    ----------
    runs : Runs
        The runs.
    qrels : Qrels
        The full judgments.
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
        Number of resamples of the topics, for the p-values: one distribution serves all changes of a measure.
    depth : int
        How deep to look for unjudged documents.
    missing : {"error", "zero", "drop", "drop-systems"}
        For runs that lack topics, as in `evaluate`.
    folder : path, optional
        Where to keep what is done. A study that was stopped continues there, with the same bits.
    workers : int or concurrent.futures.Executor
        The number of processes, or an executor to run on, as in `concordant.study.reliability_study`.
    progress : callable, optional
        Called with the number of trials done and the total.

    Returns
    -------
    JudgmentStudy
        Every statistic by change and measure, and what happens to each system.

    Raises
    ------
    StudyError
        If a trial failed, or what runs them; what was finished is kept in the folder.

    See Also
    --------
    judge_study : Several judges of the same runs.
    evaluate : Score every run on every topic.

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
    >>> runs = {s: {t: [names[k] for k in np.argsort(x)] for t, x in of.items()} for s, of in noise.items()}
    >>> change = cc.judgments.Change("sample", 0.3, least=(1, 1))
    >>> qrels = cc.Qrels.from_dict(grades)
    >>> study = cc.study.judgment_study(cc.Runs.from_dict(runs), qrels, [change], ["AP"], ["tau_b"], n_draws=5)
    >>> study.value("sample", "0.3", "AP", "tau_b") > 0.5
    True

    """
    wanted, named, listed = parse_all(measures), _coefficients(coefficients), _changes(changes)
    full = evaluate(runs, qrels, map(str, wanted), missing=missing)
    notes: dict[str, None] = {}
    for change in listed:
        other = change.other()
        if other is not None:
            check_thresholds(other, wanted)
        # What cannot be made is refused now, and what is odd about it said now.
        notes |= dict.fromkeys(change.with_notes(runs, qrels, np.random.default_rng(0))[1])
    for note in notes:
        warn(note)
    cells = tuple((change, draw) for change in listed for draw in range(n_draws if change.random else 1))
    problems = tuple(Problem.of(scores, _EPS, "the study") for scores in full.values())
    problems[0].warn()  # the others have as many systems and topics
    how = Resampling.of(n_resamples, rng)
    resampled = tuple(paper_distances(problem, how) for problem in problems)
    yardsticks = tuple(map(Yardstick.of, full.values()))
    work = JudgmentTrials(
        runs, qrels, cells, tuple(wanted), named, tuple(full.values()), problems, resampled, yardsticks, depth
    )
    settings: dict[str, Any] = {
        "runs": runs_digest(runs),
        "qrels": qrels_digest(qrels),
        "changes": [change.settings() for change in listed],
        "measures": list(full),
        "coefficients": list(named),
        "n_draws": n_draws,
        "n_resamples": n_resamples,
        "depth": depth,
        "missing": missing,
    }
    grid = Trials("judgments", work, len(cells), (len(wanted) + 1, work.width), settings, rng)
    run = run_grid(grid, folder, workers=workers, progress=progress)
    return JudgmentStudy(
        changes=tuple((change.kind, change.label) for change in listed),
        measures=tuple(full),
        coefficients=named,
        systems=work.full[0].systems,
        topics=work.full[0].topics,
        full=np.stack([scores.means() for scores in work.full]),
        values=run.values,
        change_of=np.array([listed.index(change) for change, _ in cells]),
        notes=tuple(notes),
        settings=settings_of(seed=rng, **settings),
        cost=run.cost,
    )


def _coefficients(names: Iterable[str] | None) -> tuple[str, ...]:
    if names is None:
        return tuple(c.name for c in list_coefficients())
    return tuple(dict.fromkeys(get_coefficient(name).name for name in names))


def _changes(changes: Iterable[Change]) -> list[Change]:
    listed = list(changes)
    names = [(change.kind, change.label) for change in listed]
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice:
        raise InputError(f"changes hold {twice[0]} {twice[1]} twice")
    return listed
