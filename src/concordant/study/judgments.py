"""`judgment_study` measures how the ranking of systems changes when the judgments change."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import rankdata

from ..arrays import FloatArray, Workers
from ..coefficients.registry import get_coefficient, headlines, list_coefficients
from ..data.means import Missing, mean_over_topics
from ..data.results import columns, settings_of
from ..data.scores import Scores
from ..errors import InputError, counted, import_extra, listing, number, p_cell, warn
from ..inference.resampling import Progress, Resampling
from ..judges.curves import TOPICS, Yardstick
from ..judges.worth import shown
from ..judgments.changes import Change, qrels_digest, runs_digest
from ..judgments.evaluation import check_thresholds, evaluate, parse_all, score
from ..judgments.measures import Measure
from ..judgments.qrels import Qrels
from ..judgments.runs import Runs
from ..options import checked
from ..ranks.distance import Problem, paper_distances, share_as_far
from .grid import Trials, run_grid
from .saving import StudyResult

_EPS = 1e-5
LEVEL = 0.95  # share of the draws that an interval holds
_PLACE = ("change", "level", "measure")
_BY_SYSTEM = (*_PLACE, "system", "full_score", "score", "score_change", "full_rank", "rank", "rank_shift", "unjudged")
OTHERS = ("d_rank", "p", "worth")
"""Statistics other than coefficients: the rank distance, its p-value, and the worth. The worth is how many
topics with the full judgments rank the systems as well, by tau_b, as 25 topics with the changed judgments."""


def study_of(work: JudgmentTrials, values: FloatArray, *, settings: Mapping[str, Any], **about: Any) -> StudyResult:
    """Collect every statistic by change (kind and level) and measure.

    The axes of `values` are trials, (measures, then one row of counts) and (coefficients, d_rank, its p-value, worth,
    systems).
    """
    systems, topics, coefficients = work.full[0].systems, work.full[0].topics, work.coefficients
    measures, full = tuple(map(str, work.measures)), np.stack([scores.means() for scores in work.full])
    m, statistics = len(systems), (*coefficients, *OTHERS)
    change_of = np.array([f"{change.kind} {change.label}" for change, _ in work.cells])
    of = {(change.kind, change.label): values[change_of == f"{change.kind} {change.label}"] for change, _ in work.cells}
    unjudged = {change: trials[:, -1, -m:] for change, trials in of.items()}
    draws, scores, rows, by_system = {}, {}, [], []
    for (change, trials), (k, measure) in product(of.items(), enumerate(measures)):
        place = (*change, measure)
        for s, name in enumerate(statistics):
            draws[*place, name] = trials[:, k, s]
            labels = dict(zip((*_PLACE, "statistic"), (*place, name), strict=True))
            counts = {"draws": len(trials), "judgments": float(trials[:, -1, 0].mean())}
            rows.append(labels | _spread(trials[:, k, s]) | counts)
        scores[place] = trials[:, k, -m:]
        score, rank = scores[place].mean(axis=0), rankdata(-scores[place], axis=1).mean(axis=0)
        full_rank = rankdata(-full[k])
        numbers = (full[k], score, score - full[k], full_rank, rank, rank - full_rank, unjudged[change].mean(axis=0))
        for system, *cells in zip(systems, *(of_all.tolist() for of_all in numbers), strict=True):
            by_system.append(dict(zip(_BY_SYSTEM, (*place, system, *cells), strict=True)))
    main = tuple(name for name in headlines("main") if name in coefficients) or coefficients[:1]
    found = StudyResult(
        kind="JudgmentStudy",
        answer=_verdict(rows, main[-1]),
        numbers={"rows": rows, "systems": by_system},
        beside={
            "changes": tuple(of),
            "measures": measures,
            "coefficients": coefficients,
            "statistics": statistics,
            "headlines": main,
            "systems": systems,
            "topics": topics,
            "full": full,
            "values": values,
            "draws": draws,
            "scores": scores,
            "unjudged": unjudged,
            "tested": m < len(topics),
        },
        lines=rows,
        figure="curves.judgment_study",
        tables={"judgments.csv": rows, "systems.csv": by_system},
        drawings={"judgments.png": _figure},
        settings=settings,
        **about,
    )
    return replace(found, shown=_table(found))


def _spread(drawn: FloatArray) -> dict[str, Any]:
    """Summarize the draws that have a value: mean, standard deviation, and the range of the middle 95%."""
    there = drawn[~np.isnan(drawn)]
    several = len(there) > 1
    low, high = np.quantile(there, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist() if several else (np.nan, np.nan)
    return {
        "mean": float(np.nansum(drawn) / len(there)) if there.size else np.nan,
        "low": low,
        "high": high,
        "sd": float(there.std(ddof=1)) if several else np.nan,
        "defined": len(there),
    }


def _verdict(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    """Say how similar the ranking stays under each kind of change, and how many fully judged topics that is worth."""
    worths = {(row["change"], row["level"], row["measure"]): row["mean"] for row in rows if row["statistic"] == "worth"}
    parts = []
    for kind in dict.fromkeys(row["change"] for row in rows):
        found = [
            (row["mean"], row["level"], row["measure"])
            for row in rows
            if row["change"] == kind and row["statistic"] == name and not np.isnan(row["mean"])
        ]
        if not found:
            parts.append(f"{kind}: {name} is undefined")
            continue
        for value, level, measure in dict.fromkeys((min(found), max(found))):
            worth = worths[kind, level, measure]
            most = "less than 1" if worth < 1 else shown(worth)
            worth_words = "" if np.isnan(worth) else f"{TOPICS:g} topics are worth {most} with all judgments, "
            parts.append(f"{kind} {level}: {worth_words}{name} {value:.3f} ({measure})")
    return "; ".join(parts)


def summary_of(found: StudyResult, statistics: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """Summarize each change and measure in one row: the number of judgments and the means of some statistics."""
    wanted = (*headlines("inferred"), *OTHERS) if statistics is None else tuple(statistics)
    names = [name for name in found.statistics if name in wanted] or found.statistics
    names = [name for name in names if name != "p" or found.tested]
    rows: dict[Any, dict[str, Any]] = {}
    for row in found.lines:
        labels = {"change": row["change"], "level": row["level"], "judgments": round(row["judgments"])}
        one = rows.setdefault((row["change"], row["level"], row["measure"]), {**labels, "measure": row["measure"]})
        one |= {row["statistic"]: row["mean"]} if row["statistic"] in names else {}
    return list(rows.values())


def _table(found: StudyResult) -> str:
    """Print the summary below a line about the study."""
    kinds = list(dict.fromkeys(kind for kind, _ in found.changes))
    about = (
        f"{listing(kinds)}; {counted(len(found.systems), 'system')}, {counted(len(found.topics), 'topic')}, "
        f"{counted(len(found.values), 'draw')} in all, seed {found.settings['seed']}"
    )
    rows = summary_of(found)
    table = [["judged" if name == "judgments" else name for name in rows[0]]]
    table += [[_cell(name, cell) for name, cell in row.items()] for row in rows]
    return f"{about}\n\n{columns([row[len(kinds) == 1 :] for row in table])}"  # a single kind needs no column


def _figure(found: StudyResult) -> Any:
    """Draw coefficients and the rank distance by level: one row per kind of change, one line per measure."""
    kinds = list(dict.fromkeys(kind for kind, _ in found.changes))
    names = [*found.headlines, "d_rank"]
    size = (4.5 * len(names), 3.5 * len(kinds))
    made = import_extra("matplotlib.figure").Figure(figsize=size, layout="constrained")
    for row, kind in zip(made.subplots(len(kinds), len(names), squeeze=False), kinds, strict=True):
        for ax, name in zip(row, names, strict=True):
            found.plot(ax, change=kind, statistic=name)
            ax.tick_params(axis="x", labelrotation=90 if len(found.changes) > 8 * len(kinds) else 0)
    return made


def _cell(name: str, value: Any) -> str:
    """Format a cell of the table."""
    if name == "worth":
        return shown(value)
    return p_cell(value) if name == "p" else number(value) if isinstance(value, float) else str(value)


@dataclass(frozen=True, eq=False)
class JudgmentTrials:
    """Trials that change the judgments, score all runs, and compare the scores with those under the full judgments."""

    runs: Runs
    qrels: Qrels
    cells: tuple[tuple[Change, int], ...]
    """The change and the draw number of each trial."""
    measures: tuple[Measure, ...]
    coefficients: tuple[str, ...]
    full: tuple[Scores, ...]
    """Scores under the full judgments, for each measure. `problems` hold the inputs of their distances and p-values."""
    problems: tuple[Problem, ...]
    resampled: tuple[FloatArray, ...]
    """Rank distances under resampled topics, for each measure, for the test of Carterette (2009)."""
    yardsticks: tuple[Yardstick | None, ...]
    """The yardstick for the worth, for each measure; None with too few topics or systems."""
    depth: int

    @property
    def width(self) -> int:
        """Count the values of one measure: coefficients, d_rank, its p-value, worth, and the mean of each system."""
        return len(self.coefficients) + 3 + len(self.full[0].systems)

    def describe(self, trial: int) -> str:
        """Name a trial for messages."""
        change, draw = self.cells[trial]
        return f"{change.kind} {change.label}, draw {draw}"

    def __call__(self, trial: int, rng: np.random.Generator) -> FloatArray:
        """Run a trial: one row per measure, and one with the number of judgments and each system's unjudged share."""
        changed = self.cells[trial][0].make(self.runs, self.qrels, rng)
        found = np.full((len(self.measures) + 1, self.width), np.nan)
        topics = [self.runs.pairs.topic_places[topic] for topic in self.full[0].topics]
        systems = [self.runs.systems.index(system) for system in self.full[0].systems]
        values = score(self.runs, changed, self.measures)
        for row, (every, scores, problem, resampled) in enumerate(
            zip(values, self.full, self.problems, self.resampled, strict=True)
        ):
            own = every[np.ix_(systems, topics)].T
            means = mean_over_topics(own)
            yardstick = self.yardsticks[row]
            worth = np.nan if yardstick is None else yardstick.worth(own)
            distance = float(problem.distances(means[None])[0])
            # Tests of the distance keep their significance level only with more topics than systems.
            p = np.nan if len(systems) >= len(topics) else share_as_far(resampled, distance)
            found[row] = np.concatenate(
                [
                    [get_coefficient(name).attempt(scores.means(), means)[0] for name in self.coefficients],
                    [distance, p, worth],
                    means,
                ]
            )
        found[-1, 0] = changed.size
        found[-1, -len(systems) :] = unjudged_shares(self.runs.cut(self.depth), changed, topics)[systems]
        return found


def unjudged_shares(runs: Runs, qrels: Qrels, topics: Sequence[int]) -> FloatArray:
    """Share of each system's documents on these topics that have no judgment."""
    judged = qrels.at(runs.pairs, np.arange(len(runs.pairs))) >= 0  # False for nan, which marks unjudged pairs
    row = np.repeat(np.arange(len(runs.starts) - 1), np.diff(runs.starts))
    unjudged = np.bincount(row[~judged[runs.items]], minlength=len(runs.starts) - 1).reshape(runs.shape)[:, topics]
    count = runs.depths[:, topics].sum(axis=1)
    return np.asarray(unjudged.sum(axis=1) / np.maximum(count, 1))


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
) -> StudyResult:
    """Change the judgments in many ways, and compare each ranking with the ranking under the full judgments.

    For each change and measure, every coefficient compares the means under the full judgments (truth) with the means
    under the changed judgments (candidate). The rank distance is given with the p-value of the test of Carterette
    (2009). For each system, the study reports how its score and rank move, and the share of unjudged documents at the
    top of its lists.

    Parameters
    ----------
    runs : Runs
        The runs.
    qrels : Qrels
        The full judgments.
    changes : iterable of Change
        Changes to the judgments, such as `concordant.judgments.Change("sample", 0.1)`.
    measures : iterable of str
        Names of measures, as in `evaluate`.
    coefficients : iterable of str, optional
        Coefficients to compute, by default all. A coefficient that does not allow ties is nan in a draw with ties.
    rng : int
        The seed; seed and trial number determine the random stream of each draw.
    n_draws : int
        Number of draws of each random change.
    n_resamples : int
        Number of resamples of the topics for the p-values; one distribution serves all changes of a measure.
    depth : int
        Number of documents at the top of each list among which unjudged ones are counted.
    missing : {"error", "zero", "drop", "drop-systems"}
        What to do with runs that lack topics, as in `evaluate`.
    folder : path, optional
        Folder for finished trials; a stopped study continues there and ends with the same bits.
    workers : int or concurrent.futures.Executor
        The number of processes, or an executor to run on, as in `concordant.study.reliability_study`.
    progress : callable, optional
        Called with the number of trials done and the total.

    Returns
    -------
    StudyResult
        `rows()` has every statistic by change, level and measure: the mean over the draws and the range of the middle
        95%. `cell(change, level, measure, statistic)` is one row. `draws` has the value of each draw by the same
        labels. `scores` has the means of the systems in each draw, by change, level and measure. `unjudged` has the
        shares of unjudged documents at the top of their lists, by change and level. `full` has the means under all
        judgments. `plot(change=, statistic=)` draws a statistic by level.

    Raises
    ------
    StudyError
        If a trial or the executor failed; finished trials are kept in the folder.

    See Also
    --------
    judge_study : Compare several judges of the same runs.
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
    >>> study.cell("sample", "0.3", "AP", "tau_b")["mean"] > 0.5
    True

    """
    wanted, listed = parse_all(measures), list(changes)
    asked = [c.name for c in list_coefficients()] if coefficients is None else coefficients
    named = tuple(dict.fromkeys(get_coefficient(name).name for name in asked))
    labels = [(change.kind, change.label) for change in listed]
    if twice := [label for k, label in enumerate(labels) if label in labels[:k]]:
        raise InputError(f"changes hold {' '.join(twice[0])} twice: give each change once")
    full = evaluate(runs, qrels, map(str, wanted), missing=missing)
    notes: dict[str, None] = {}
    for change in listed:
        other = change.other()
        if other is not None:
            check_thresholds(other, wanted)
        # Make each change once now, so that errors and warnings come before the work.
        notes |= dict.fromkeys(change.with_notes(runs, qrels, np.random.default_rng(0))[1])
    for note in notes:
        warn(note)
    cells = tuple((change, draw) for change in listed for draw in range(n_draws if change.random else 1))
    problems = tuple(Problem.of(scores, _EPS, "the study") for scores in full.values())
    problems[0].warn()  # one warning is enough: all measures have the same systems and topics
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
    return study_of(work, run.values, notes=tuple(notes), settings=settings_of(seed=rng, **settings), cost=run.cost)
