"""`judgment_study`: how the ranking of systems changes when the judgments change."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import rankdata

from ..arrays import FloatArray, IntArray, Workers
from ..coefficients.registry import get_coefficient, headlines, list_coefficients
from ..data.means import Missing
from ..data.results import columns, settings_of
from ..errors import InputError, counted, import_extra, listing, number, p_cell, warn
from ..inference.resampling import Progress, Resampling
from ..judges.curves import TOPICS, Yardstick
from ..judges.worth import shown
from ..judgments.change import Change, qrels_digest, runs_digest
from ..judgments.evaluation import check_thresholds, evaluate, parse_all
from ..judgments.qrels import Qrels
from ..judgments.runs import Runs
from ..options import checked
from ..ranks.distance import Problem
from ..ranks.testing import paper_distances
from .grid import Trials, run_grid
from .judgment_trials import JudgmentTrials
from .saving import StudyResult, place_of

_EPS = 1e-5
LEVEL = 0.95  # share of the draws within an interval
OTHERS = ("d_rank", "p", "worth")
"""Statistics other than coefficients: rank distance, its p-value, and the worth of 25 topics, by tau_b, in topics with
the full judgments."""


def study_of(  # noqa: PLR0913, PLR0917
    changes: Sequence[tuple[str, str]],
    measures: Sequence[str],
    coefficients: tuple[str, ...],
    systems: Sequence[str],
    topics: Sequence[str],
    full: FloatArray,
    values: FloatArray,
    change_of: IntArray,
    *,
    settings: Mapping[str, Any],
    **about: Any,
) -> StudyResult:
    """Collect every statistic by change (kind and level) and measure.

    `full`: means under the full judgments, measures x systems. `values`: trials x (measures, then one row of counts) x
    (coefficients, d_rank, its p-value, worth, systems). `change_of`: the change of each trial.
    """
    m, statistics = len(systems), (*coefficients, *OTHERS)
    of = {change: values[change_of == k] for k, change in enumerate(changes)}
    cells = product(changes, enumerate(measures), enumerate(statistics))
    draws = {(*change, measure, name): of[change][:, k, s] for change, (k, measure), (s, name) in cells}
    scores = {(*of_change, name): of[of_change][:, k, -m:] for of_change in changes for k, name in enumerate(measures)}
    unjudged = {change: trials[:, -1, -m:] for change, trials in of.items()}
    rows = [
        dict(zip(("change", "level", "measure", "statistic"), key, strict=True))
        | _spread(drawn)
        | {"draws": len(drawn), "judgments": float(of[key[:2]][:, -1, 0].mean())}
        for key, drawn in draws.items()
    ]
    by_system = []
    for change, (full_score, measure) in product(changes, zip(full, measures, strict=True)):
        rank, full_rank = rankdata(-scores[*change, measure], axis=1).mean(axis=0), rankdata(-full_score)
        score = scores[*change, measure].mean(axis=0)
        numbers = {
            "full_score": full_score,
            "score": score,
            "score_change": score - full_score,
            "full_rank": full_rank,
            "rank": rank,
            "rank_shift": rank - full_rank,
            "unjudged": unjudged[change].mean(axis=0),
        }
        for k, system in enumerate(systems):
            labels = dict(zip(("change", "level", "measure", "system"), (*change, measure, system), strict=True))
            by_system.append(labels | {name: float(number[k]) for name, number in numbers.items()})
    main = tuple(name for name in headlines("main") if name in coefficients) or coefficients[:1]
    found = StudyResult(
        kind="JudgmentStudy",
        answer=_verdict(rows, main[-1]),
        numbers={"rows": rows, "systems": by_system},
        beside={
            "changes": tuple(changes),
            "measures": tuple(measures),
            "coefficients": coefficients,
            "statistics": statistics,
            "headlines": main,
            "systems": tuple(systems),
            "topics": tuple(topics),
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
    """Mean of the draws that have a value, and the range of the middle 95%."""
    there = drawn[~np.isnan(drawn)]
    several = len(there) > 1
    low, high = np.quantile(there, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist() if several else (np.nan, np.nan)
    return {
        "mean": _mean(drawn),
        "low": low,
        "high": high,
        "sd": float(there.std(ddof=1)) if several else np.nan,
        "defined": len(there),
    }


def _verdict(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    """Say how similar the ranking stays under each kind of change, and how much its topics are worth."""
    worths = {(row["change"], row["level"], row["measure"]): row["mean"] for row in rows if row["statistic"] == "worth"}
    parts = {}
    for kind in dict.fromkeys(row["change"] for row in rows):
        found = [
            (row["mean"], row["level"], row["measure"])
            for row in rows
            if row["change"] == kind and row["statistic"] == name and not np.isnan(row["mean"])
        ]
        values = {f"{value:.3f}" for value, _, _ in found}
        parts[kind] = f"{kind}: {name} is undefined"
        if len(found) > 1 and len(values) == 1:
            parts[kind] = f"{kind}: {name} {values.pop()} at every level and by every measure"
        elif found:
            ends = dict.fromkeys((min(found), max(found)))
            parts[kind] = "; ".join(
                f"{kind} {level}: {_worth(worths[kind, level, measure])}{name} {value:.3f} ({measure})"
                for value, level, measure in ends
            )
    return "; ".join(parts.values())


def _worth(worth: float) -> str:
    """Write '25 topics are worth 15 with all judgments, ', or nothing if the worth is unknown."""
    if np.isnan(worth):
        return ""
    most = "less than 1" if worth < 1 else shown(worth)
    return f"{TOPICS:g} topics are worth {most} with all judgments, "


def summary_of(found: StudyResult, statistics: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """Summarize each change and measure in a row: the number of judgments and the means of some statistics."""
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
    hidden = ("change",) if len(kinds) == 1 else ()  # the same in all rows
    rows = [{name: cell for name, cell in row.items() if name not in hidden} for row in summary_of(found)]
    heads = [{"judgments": "judged"}.get(name, name) for name in rows[0]]
    return f"{about}\n\n{columns([heads, *([_cell(name, c) for name, c in row.items()] for row in rows)])}"


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


def plot_scores(found: StudyResult, change: str, level: str, measure: str, ax: Any = None, *, top: int = 0) -> Any:
    """Plot means of systems under the changed judgments against those under the full ones, with the diagonal.

    `top` limits the plot to the best systems by the full judgments; 0 plots all.
    """
    from ..render.figures import agreement

    full = found.full[place_of(measure, found.measures, "measure")]
    changed = found.scores[change, level, measure].mean(axis=0)
    order = np.argsort(-full, kind="stable")[: top or None]
    labels = (f"{measure}, full judgments", f"{measure}, {change} {level}")
    return agreement.plain_scatter(full[order], changed[order], labels, ax)


def _cell(name: str, value: Any) -> str:
    """Format a cell of the table."""
    if name == "worth":
        return shown(value)
    return p_cell(value) if name == "p" else number(value) if isinstance(value, float) else str(value)


def _mean(values: FloatArray) -> float:
    """Mean of the values that are not nan."""
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
) -> StudyResult:
    """Change the judgments in many ways, and compare the ranking of systems with that under the full judgments.

    For each change and measure, every coefficient compares the means under the full judgments (truth) with those under
    the changed ones (candidate). The rank distance is given with the p-value of the paper's test. For each system, the
    study reports how its score and rank move, and the share of unjudged documents at the top of its lists.

    Parameters
    ----------
    runs : Runs
        The runs.
    qrels : Qrels
        The full judgments.
    changes : iterable of Change
        Changes to the judgments, such as `concordant.judgments.Change("sample", 0.1)`.
    measures : iterable of str
        Names as in `evaluate`.
    coefficients : iterable of str, optional
        By default all. A coefficient that does not allow ties is nan in a draw with ties.
    rng : int
        The seed; seed and trial number determine the random stream of each draw.
    n_draws : int
        Number of draws of random changes.
    n_resamples : int
        Number of resamples of the topics for the p-values; one distribution serves all changes of a measure.
    depth : int
        Number of top documents of each list in which to count unjudged ones.
    missing : {"error", "zero", "drop", "drop-systems"}
        For runs that lack topics, as in `evaluate`.
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
        95%. `cell(change, level, measure, statistic)` is one row. `draws` has the single draws by the same labels. By
        change, level and measure, `scores` has the means of the systems in each draw. By change and level, `unjudged`
        has the shares of unjudged documents at the top of their lists. `full` has the means under the full judgments.
        `plot(change=, statistic=)` draws a statistic by level.

    Raises
    ------
    StudyError
        If a trial or the executor failed; finished trials are kept in the folder.

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
    >>> study.cell("sample", "0.3", "AP", "tau_b")["mean"] > 0.5
    True

    """
    wanted, named, listed = parse_all(measures), _coefficients(coefficients), _changes(changes)
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
    return study_of(
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
