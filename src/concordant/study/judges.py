"""`judge_study` examines whether other judges can replace a trusted judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count, product
from typing import Any

import numpy as np

from ..agreement.correlation import correlate
from ..arrays import Workers
from ..coefficients.registry import headlines
from ..data.means import Missing
from ..data.results import Findings, columns
from ..errors import InputError, counted, import_extra, listing, number, p_cell
from ..inference.resampling import Progress, silent
from ..judges.card import judge_card
from ..judges.curves import FEWEST_TOPICS as FEWEST
from ..judges.gaming import gaming_gap
from ..judges.worth import rank_judges
from ..judgments.agreement import label_agreement
from ..judgments.changes import Change
from ..judgments.evaluation import evaluate
from ..judgments.qrels import Qrels
from ..judgments.runs import Runs
from ..options import checked
from .judgments import judgment_study
from .saving import StudyResult


def _table(found: StudyResult) -> str:
    """Print the worths, coefficients with their intervals and the rank test, the judge card, and the gaming."""
    rows = [["", "", "", "value", "95% interval", "rank distance", "p"]]
    for row in found.lines:
        between = "-" if np.isnan(row["low"]) else f"{row['low']:.3f} to {row['high']:.3f}"
        labels = (row["judge"], row["measure"], row["coefficient"])
        rows.append([*labels, number(row["value"]), between, number(row["d_rank"]), p_cell(row["p"])])
    parts = [part.table() for part in (found.ranking, found.card) if part is not None]
    gaming = [_gaming_table(found.gaming)] if found.gaming else []
    return "\n\n".join([*parts[:1], columns(rows), *parts[1:], *gaming])


def _gaming_table(gaming: Mapping[str, Findings]) -> str:
    """Print how far each judge can be gamed, how much of the gain the truth confirms, and the conclusions."""
    rows = [["", "transfer", "lost share", "judged"]]
    for judge, found in gaming.items():
        rows[0][0] = f"first {found.k} re-ordered by"
        row = [judge]
        for value, ends in ((found.transfer, found.transfer_interval), (found.lost, found.lost_interval)):
            row.append(number(value, 2) + ("" if ends is None else f" ({ends.low:.2f} to {ends.high:.2f})"))
        rows.append([*row, next(f"{dose.judged:.0%}" for dose in found.doses if dose.k == found.k)])
    return "\n".join([columns(rows), "", *(f"  {found.verdict}" for found in gaming.values())])


def _figure(found: StudyResult) -> Any:
    """Draw the heatmap and, for each judge, the confusion table of the labels and the gaming figure."""
    n, across = len(found.judges), 2 if found.gaming else 1
    made = import_extra("matplotlib.figure").Figure(figsize=(4.3 * across, 3.8 * (n + 1)), layout="constrained")
    panels = made.subplots(n + 1, across, squeeze=False)
    found.plot(panels[0, 0])
    for ax in panels[0, 1:]:
        ax.axis("off")
    for row, judge in zip(panels[1:], found.judges, strict=True):
        found.labels[judge].plot(row[0])
        if found.gaming:
            found.gaming[judge].plot(row[1])
    return made


@checked
def judge_study(  # noqa: PLR0913
    runs: Runs,
    truth: Qrels,
    judges: Mapping[str, Qrels],
    measures: Iterable[str],
    coefficients: Iterable[str] | None = None,
    rng: int = 0,
    *,
    truth_name: str = "the truth",
    rel: float | None = None,
    families: Mapping[str, str] | None = None,
    n_resamples: int = 4_999,
    missing: Missing = "error",
    workers: Workers = 1,
    progress: Progress | None = None,
) -> StudyResult:
    """Compare judges with a trusted judge, the truth: by the ranking of systems, and label by label.

    For each judge and measure, the study computes the coefficients between the means under the truth and under the
    judge, with intervals over the population of topics (`correlate`), and all coefficients and the rank distance as in
    `judgment_study`. By the first measure and coefficient, it estimates how many topics of the truth each judge's
    topics are worth, which judge is better (`rank_judges`), and whether a judge can be gamed (`gaming_gap`).
    `label_agreement` compares the labels.

    Parameters
    ----------
    runs : Runs
        The runs.
    truth : Qrels
        The trusted judge.
    judges : mapping of str to Qrels
        The other judges by name. Topics that any judge lacks are left out, and a note counts them.
    measures : iterable of str
        Names of measures, as in `evaluate`.
    coefficients : iterable of str, optional
        Coefficients to report with intervals; they must allow ties in both rankings. By default tau_b and tau_ap_b.
    rng : int
        The seed.
    truth_name : str
        What messages and tables call the trusted judge.
    rel : float, optional
        If given, make the grades of all judges binary: a grade of at least `rel` is relevant.
    families : mapping of str to str, optional
        The family of each system, for the bias test on the judge card.
    n_resamples : int
        Number of resamples of the topics for each interval and each test, at least 500.
    missing : {"error", "zero", "drop", "drop-systems"}
        What to do with runs that lack topics, as in `evaluate`.
    workers : int or concurrent.futures.Executor
        The number of threads, or an executor that is given batches of resamples.
    progress : callable, optional
        Called with the number of steps done and the total.

    Returns
    -------
    StudyResult
        `estimates` has the estimates by judge, measure and coefficient, with intervals for the population of topics.
        `labels` has the label agreement by judge. `ranking` (None with fewer than 10 topics), `card` and `gaming` use
        the first measure. `study` has all coefficients and the consequences for each system, as from `judgment_study`.

    See Also
    --------
    judgment_study : Measure what changed judgments do to a ranking.
    judge_card : Everything that papers report about judges.

    Examples
    --------
    >>> import concordant as cc
    >>> runs = {f"s{s}": {str(t): [f"d{(k * (s + 1) + t) % 7}" for k in range(7)] for t in range(9)} for s in range(4)}
    >>> human = cc.Qrels.from_dict({str(t): {f"d{k}": int(k < 3) for k in range(7)} for t in range(9)})
    >>> machine = human.with_grades(1 - human.grades)
    >>> found = cc.study.judge_study(cc.Runs.from_dict(runs), human, {"machine": machine}, ["AP"], n_resamples=500)
    >>> found.labels["machine"].agreement.value
    0.0

    """
    kept = [topic for topic in truth if all(topic in qrels.topics for qrels in judges.values())]
    if not kept:
        raise InputError(f"no topic of {truth_name} is judged by all judges; it has {listing(truth.topics, 5)}")
    notes: tuple[str, ...] = ()
    if left := [topic for topic in truth if topic not in set(kept)]:
        notes = (f"{counted(len(left), 'topic')} left out, not judged by all judges: {listing(left)}",)
        truth = truth.select(kept)
    named = {str(name): of if set(of) == set(kept) else of.select(kept) for name, of in judges.items()}
    names = list(headlines("main") if coefficients is None else coefficients)
    changes = [Change("judge", name, qrels=qrels) for name, qrels in named.items()]
    study = judgment_study(runs, truth, changes, measures, None, rng, missing=missing)
    full = evaluate(runs, truth, study.measures, missing=missing)
    scores = {name: evaluate(runs, qrels, study.measures, missing=missing) for name, qrels in named.items()}
    enough = len(study.topics) >= FEWEST
    steps = len(named) * (len(study.measures) * len(names) + 1 + enough) + enough
    done = count(1)

    def step(value: Any) -> Any:
        (progress or silent)(next(done), steps)
        return value

    estimates, rows = {}, []
    for name, measure, coefficient in product(named, study.measures, names):
        drawn: dict[str, Any] = {"n_resamples": n_resamples, "rng": rng, "workers": workers}
        found = step(correlate(full[measure], scores[name][measure], coefficient=coefficient, **drawn))
        estimates[name, measure, coefficient] = found
        low, high = (np.nan, np.nan) if found.interval is None else (found.interval.low, found.interval.high)
        row = {"judge": name, "measure": measure, "coefficient": coefficient, "value": found.value}
        row |= {"low": low, "high": high, "d_rank": study.cell("judge", name, measure, "d_rank")["mean"]}
        rows.append(row | {"p": study.cell("judge", name, measure, "p")["mean"]})
    first = study.measures[0]
    labels = {
        name: step(label_agreement(truth, qrels, rel=rel, rng=rng, names=(truth_name, name)))
        for name, qrels in named.items()
    }
    ranking, card, gaming = None, None, {}
    if len(full[first].topics) >= FEWEST:
        judged = {name: scores[name][first] for name in named}
        called = (truth_name, *judged)
        gaming = {
            name: step(gaming_gap(runs, truth, qrels, first, missing=missing, names=(truth_name, name), rng=rng))
            for name, qrels in named.items()
        }
        card = step(judge_card(full[first], judged, names=called, labels=labels, families=families, rng=rng))
        same = names[0] == "tau_b"  # the coefficient that the card uses
        ranking = (
            card.ranking if same else rank_judges(full[first], judged, coefficient=names[0], names=called, rng=rng)
        )
    else:
        notes += (f"fewer than {FEWEST} topics: too few to tell how much a judge is worth, or which is better",)
    odd = [name for name, of in named.items() if of.levels[0] < truth.levels[0] or of.levels[-1] != truth.levels[-1]]
    if odd and rel is None:
        whose = ", ".join(odd)
        notes += (
            f"the grades of {whose} are on another scale than {truth_name}'s: kappa and alpha are not comparable",
        )
    values = {name: estimates[name, first, names[0]].value for name in named}
    best = [name for name, value in values.items() if value == np.nanmax([-2.0, *values.values()])]
    answer = f"{names[0]} is undefined for all judges"
    if ranking is not None:
        answer = ranking.verdict
    elif best:
        rank = "rank" if len(best) > 1 else "ranks"
        answer = f"on these topics {listing(best)} {rank} the systems most like {truth_name}, by {names[0]}"
    parts: dict[str, Any] = {"ranking": ranking, "labels": labels, "gaming": gaming, "study": study}
    found = StudyResult(
        kind="JudgeStudy",
        answer=f"{answer} ({first})",
        numbers={"rows": rows, "card": None if card is None else card.rows(), **parts},
        beside={"card": card, "estimates": estimates, "judges": tuple(named), "coefficients": tuple(names)},
        lines=rows,
        figure="curves.judge_study",
        tables={"judges.csv": rows, "systems.csv": study.tables["systems.csv"]},
        drawings={"judges.png": _figure},
        parts={} if card is None else {"card": card},
        notes=notes,
        settings={**study.settings, "rel": rel, "interval_resamples": n_resamples, "interval_coefficients": names},
    )
    return replace(found, shown=_table(found))
