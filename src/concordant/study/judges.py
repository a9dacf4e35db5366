"""`judge_study`: whether other judges can replace a trusted one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np

from ..agreement.correlation import correlate
from ..arrays import Workers
from ..coefficients.registry import headlines
from ..data.means import Missing
from ..data.results import Estimate, Findings, columns
from ..errors import InputError, argument, counted, import_extra, listing, named, number, p_cell
from ..inference.resampling import Progress
from ..judges.card import judge_card
from ..judges.curves import FEWEST_TOPICS as FEWEST
from ..judges.gaming import gaming_gap
from ..judges.worth import JudgeRanking, rank_judges
from ..judgments.agreement import label_agreement
from ..judgments.change import Change
from ..judgments.evaluation import evaluate
from ..judgments.qrels import Grade, Qrels
from ..judgments.runs import Runs
from ..options import checked
from .judgments import judgment_study, plot_scores
from .saving import StudyResult

JudgedTopics: TypeAlias = Literal["truth", "common"]


def verdict_of(
    ranking: JudgeRanking | None, estimates: Mapping[tuple[str, str, str], Estimate], measure: str, coefficient: str
) -> str:
    """Say which judges rank (or could rank) systems most like the truth, and what the first one's topics are worth."""
    if ranking is not None:
        return f"{ranking.verdict} ({measure})"
    values = {judge: e.value for (judge, *about), e in estimates.items() if about == [measure, coefficient]}
    known = {judge: value for judge, value in values.items() if not np.isnan(value)}
    if not known:
        return f"{coefficient} is undefined for all judges ({measure})"
    best = [judge for judge, value in known.items() if value == max(known.values())]
    about = f"({measure}, {coefficient} {max(known.values()):.3f}); whether a difference is chance was not tested"
    verb = "rank" if len(best) > 1 else "ranks"
    return f"on these topics {listing(best)} {verb} the systems most like the truth {about}"


def _table(found: StudyResult) -> str:
    """Print coefficients with their intervals, the rank test, and the label agreement."""
    ranked, tested = [["", "", "", "value", "95% interval"]], [["", "", "rank distance", "p"]]
    for (judge, measure, coefficient), e in found.estimates.items():
        between = "-" if e.interval is None else f"{e.interval.low:.3f} to {e.interval.high:.3f}"
        ranked.append([judge, measure, coefficient, number(e.value), between])
    for judge, measure in product(found.judges, found.study.measures):
        distance, p = (found.study.cell("judge", judge, measure, name)["mean"] for name in ("d_rank", "p"))
        tested.append([judge, measure, number(distance), p_cell(p)])
    labels = [["labels", *found.labels[found.judges[0]].estimates]]
    labels += [[judge, *(number(e.value) for e in of.estimates.values())] for judge, of in found.labels.items()]
    worth = [] if found.ranking is None else [found.ranking.table()]
    card = [columns(labels)] if found.card is None else [found.card.table()]
    gaming = [_gaming_table(found.gaming)] if found.gaming else []
    return "\n\n".join([*worth, *map(columns, (ranked, tested)), *card, *gaming])


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
    """Draw the heatmap and, for each judge, all means, those of the ten best, the label confusion, and the gaming."""
    count, across, first = len(found.judges), 4 if found.gaming else 3, found.study.measures[0]
    made = import_extra("matplotlib.figure").Figure(figsize=(4.3 * across, 3.8 * (count + 1)), layout="constrained")
    panels = made.subplots(count + 1, across, squeeze=False)
    found.plot(panels[0, 0])
    for ax in panels[0, 1:]:
        ax.axis("off")
    for row, judge in zip(panels[1:], found.judges, strict=True):
        plot_scores(found.study, "judge", judge, first, row[0])
        plot_scores(found.study, "judge", judge, first, row[1], top=10)
        found.labels[judge].plot(row[2])
        if found.gaming:
            found.gaming[judge].plot(row[3])
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
    rel: float | None = None,
    topics: JudgedTopics = "truth",
    drop_grades: Iterable[Grade] = (),
    families: Mapping[str, str] | None = None,
    n_resamples: int = 4_999,
    missing: Missing = "error",
    workers: Workers = 1,
    progress: Progress | None = None,
) -> StudyResult:
    """Compare judges with a trusted judge, the truth: by the ranking of systems, and label by label.

    For each judge and measure, the study computes the coefficients between the means under the truth and under the
    judge, with intervals over the population of topics (`correlate`), and all coefficients and the rank distance as in
    `judgment_study`. By the first measure and coefficient, it estimates how many topics of the truth the judges' topics
    are worth, which judge is better (`rank_judges`), and whether a judge can be gamed (`gaming_gap`).
    `label_agreement` compares the labels.

    Parameters
    ----------
    runs : Runs
        The runs.
    truth : Qrels
        The trusted judge.
    judges : mapping of str to Qrels
        The other judges by name. Topics that the truth lacks are left out.
    measures : iterable of str
        Names as in `evaluate`.
    coefficients : iterable of str, optional
        Coefficients to give intervals; they must allow ties in both rankings. By default tau_b and tau_ap_b.
    rng : int
        The seed.
    rel : float, optional
        Make labels binary: grades of at least this are relevant, for all judges.
    topics : {"truth", "common"}
        "truth": all topics of the truth; a judge that lacks one is an error. "common": the topics that the truth and
        all judges have, with a note on the others.
    drop_grades : iterable of int or float
        Grades that are not judgments, such as 999 or -1 for no answer. They are left out for all judges, with a note on
        their number. A judge lacks a topic if none of its judgments are left.
    families : mapping of str to str, optional
        The family of each system, for the test of bias on the judge card.
    n_resamples : int
        Number of resamples of the topics for each interval and each test, at least 500.
    missing : {"error", "zero", "drop", "drop-systems"}
        For runs that lack topics, as in `evaluate`.
    workers : int or concurrent.futures.Executor
        The number of threads, or an executor that is given batches of resamples.
    progress : callable, optional
        Called with the number of steps done and the total.

    Returns
    -------
    StudyResult
        `estimates` by judge, measure and coefficient, with intervals for the population of topics. `labels` has the
        label agreement by judge. `ranking` (None with fewer than 10 topics), `card` and `gaming` use the first measure.
        `study` has all coefficients and the consequences for each system, as from `judgment_study`.

    See Also
    --------
    judgment_study : What changed judgments do to a ranking.
    judge_card : All that papers report about judges.

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
    truth, named, notes = _prepared(truth, judges, topics, tuple(drop_grades))
    names = list(headlines("main") if coefficients is None else coefficients)
    changes = [Change("judge", name, qrels=qrels) for name, qrels in named.items()]
    study = judgment_study(runs, truth, changes, measures, None, rng, missing=missing)
    full = evaluate(runs, truth, study.measures, missing=missing)
    scores = {name: evaluate(runs, qrels, study.measures, missing=missing) for name, qrels in named.items()}
    enough = len(study.topics) >= FEWEST
    steps = len(named) * (len(study.measures) * len(names) + 1 + enough) + enough
    done = itertools.count(1)

    def step(value: Any) -> Any:
        if progress is not None:
            progress(next(done), steps)
        return value

    estimates = {
        (name, measure, coefficient): step(
            correlate(
                full[measure],
                scores[name][measure],
                coefficient=coefficient,
                n_resamples=n_resamples,
                rng=rng,
                workers=workers,
            )
        )
        for name in named
        for measure in study.measures
        for coefficient in names
    }
    first = study.measures[0]
    labels = {name: step(label_agreement(truth, qrels, rel=rel, rng=rng)) for name, qrels in named.items()}
    ranking, card, gaming = None, None, {}
    if len(full[first].topics) >= FEWEST:
        judged = {name: scores[name][first] for name in named}
        called = ("the truth", *judged)
        gaming = {
            name: step(gaming_gap(runs, truth, qrels, first, missing=missing, names=("the truth", name), rng=rng))
            for name, qrels in named.items()
        }
        card = step(judge_card(full[first], judged, names=called, labels=labels, families=families, rng=rng))
        same = names[0] == "tau_b"  # the coefficient of the card
        ranking = (
            card.ranking if same else rank_judges(full[first], judged, coefficient=names[0], names=called, rng=rng)
        )
    else:
        notes = (*notes, f"fewer than {FEWEST} topics: too few to tell how much a judge is worth, or which is better")
    rows = [
        {
            "judge": judge,
            "measure": measure,
            "coefficient": coefficient,
            "value": estimate.value,
            "low": estimate.interval.low if estimate.interval else np.nan,
            "high": estimate.interval.high if estimate.interval else np.nan,
            "d_rank": study.cell("judge", judge, measure, "d_rank")["mean"],
            "p": study.cell("judge", judge, measure, "p")["mean"],
        }
        for (judge, measure, coefficient), estimate in estimates.items()
    ]
    parts: dict[str, Any] = {"ranking": ranking, "labels": labels, "gaming": gaming, "study": study}
    found = StudyResult(
        kind="JudgeStudy",
        answer=verdict_of(ranking, estimates, first, names[0]),
        numbers={"rows": rows, "card": None if card is None else card.rows(), **parts},
        beside={"card": card, "estimates": estimates, "judges": tuple(named), "coefficients": tuple(names)},
        lines=rows,
        figure="curves.judge_study",
        tables={"judges.csv": rows, "systems.csv": study.tables["systems.csv"]},
        drawings={"judges.png": _figure},
        parts={} if card is None else {"card": card},
        notes=(*notes, *_other_scales(labels)),
        settings={
            **study.settings,
            "rel": rel,
            "judged_topics": topics,
            "drop_grades": list(drop_grades),
            "interval_resamples": n_resamples,
            "interval_coefficients": names,
        },
    )
    return replace(found, shown=_table(found))


def _prepared(
    truth: Qrels, judges: Any, topics: str, drop_grades: tuple[Grade, ...]
) -> tuple[Qrels, dict[str, Qrels], tuple[str, ...]]:
    """Drop grades that are not judgments, select the topics to compare, and collect notes."""
    named = {str(name): qrels for name, qrels in judges.items()}
    notes = []
    for grade in drop_grades:
        if not any(grade in qrels.levels for qrels in (truth, *named.values())):
            raise InputError(f"drop_grades holds {grade!r}, a grade that no judge gave: leave it out")
        for name, qrels in (("the truth", truth), *named.items()):
            count = int((qrels.grades == grade).sum())
            if count:
                notes.append(f"{counted(count, 'judgment')} of {qrels.size} of {name} left out, of grade {grade:g}")
    truth = _without(truth, drop_grades)
    named = {name: _without(qrels, drop_grades) for name, qrels in named.items()}
    lost = {name: [topic for topic in truth if topic not in qrels.topics] for name, qrels in named.items()}
    for name, lacking in lost.items():
        if lacking and topics == "truth":
            raise InputError(
                f"judge {name!r} lacks topics of the truth: {listing(lacking)}; {argument('topics', 'common')} "
                "compares on those that all judges have"
            )
    left = dict.fromkeys(topic for lacking in lost.values() for topic in lacking)
    kept = [topic for topic in truth if topic not in left]
    if not kept:
        raise InputError(f"no topic of the truth is judged by all judges: {listing(truth.topics, 5)}")
    if left:
        notes.append(f"{counted(len(left), 'topic')} left out, which not all judges have: {listing(left)}")
        truth = truth.select(kept)
    named = {name: qrels if set(qrels) == set(kept) else qrels.select(kept) for name, qrels in named.items()}
    return truth, named, tuple(notes)


def _without(qrels: Qrels, grades: tuple[Grade, ...]) -> Qrels:
    """Drop these grades, and the topics without judgments left."""
    there = [grade for grade in grades if grade in qrels.levels]
    if not there:
        return qrels
    found = qrels.recode(dict.fromkeys(there))
    kept = [topic for topic in qrels if found[topic] or not qrels[topic]]
    if not found.size:
        raise InputError(
            f"{named('drop_grades')} is {list(grades)}, which leaves a judge no judgments: leave out fewer grades"
        )
    return found if len(kept) == len(qrels) else found.select(kept)


def _other_scales(labels: Mapping[str, Findings]) -> tuple[str, ...]:
    """Note which judges grade on a different scale than the truth."""
    odd = [
        judge
        for judge, found in labels.items()
        for mine, theirs in [[np.flatnonzero(found.confusion.sum(axis=axis)) for axis in (1, 0)]]
        if theirs[0] < mine[0] or theirs[-1] != mine[-1]
    ]
    whose = ", ".join(odd)
    note = f"the grades of {whose} are on another scale than the truth's: kappa and alpha are not comparable"
    return (note,) if odd else ()
