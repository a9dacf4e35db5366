"""`judge_study`: can other judges take the place of one whom we trust?"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from ..agreement.correlation import correlate
from ..coefficients.registry import headlines
from ..data.holes import Missing
from ..data.results import Estimate, Findings, columns
from ..errors import InputError, import_extra
from ..inference.resampling import Progress
from ..judges.card import judge_card
from ..judges.gaming import gaming_gap
from ..judges.ranking import JudgeRanking, rank_judges
from ..judges.verdicts import FEWEST_TOPICS as FEWEST
from ..judgments.agreement import label_agreement
from ..judgments.change import Change
from ..judgments.evaluation import evaluate
from ..judgments.qrels import Grade, Qrels
from ..judgments.runs import Runs
from ..options import checked
from ..parallel import Workers
from ..words import argument, counted, listing, named, number, p_cell
from .judgments import JudgmentStudy, judgment_study
from .saving import StudyResult, place_of

JudgedTopics: TypeAlias = Literal["truth", "common"]


@checked
@dataclass(frozen=True, eq=False, repr=False)
class JudgeStudy(StudyResult):
    """How far other judges agree with the truth. `print` shows it, `to_dict` has everything."""

    study: JudgmentStudy
    """All coefficients, and the consequences for each system; its changes are of kind "judge"."""
    estimates: Mapping[tuple[str, str, str], Estimate]
    """By judge, measure and coefficient, with intervals for the population of topics."""
    ranking: JudgeRanking | None
    """By the first measure and the first coefficient: what the judges' topics are worth, and which are better than
    which. None with fewer than 10 topics."""
    card: Findings | None
    """By the first measure: soft pairwise accuracy, significance, rank changes and labels beside worth by tau_b."""
    labels: Mapping[str, Findings]
    """By judge."""
    gaming: Mapping[str, Findings]
    """By judge and by the first measure: what a system gains that asks the judge. Empty with fewer than 10 topics."""

    @property
    def judges(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.labels)

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Those that have intervals."""
        return tuple(dict.fromkeys(coefficient for _, _, coefficient in self.estimates))

    @property
    def verdict(self) -> str:
        """Who ranks the systems most like the truth, or who could, and what the first one's topics are worth."""
        measure, coefficient = self.study.measures[0], self.coefficients[0]
        if self.ranking is not None:
            return f"{self.ranking.verdict} ({measure})"
        values = {judge: self.estimates[judge, measure, coefficient].value for judge in self.judges}
        known = {judge: value for judge, value in values.items() if not np.isnan(value)}
        if not known:
            return f"{coefficient} is undefined for all judges ({measure})"
        best = [judge for judge, value in known.items() if value == max(known.values())]
        about = f"({measure}, {coefficient} {max(known.values()):.3f}); whether a difference is chance was not tested"
        verb = "rank" if len(best) > 1 else "ranks"
        return f"on these topics {listing(best)} {verb} the systems most like the truth {about}"

    def rows(self) -> list[dict[str, Any]]:
        """One row per judge, measure and coefficient."""
        return [
            {
                "judge": judge,
                "measure": measure,
                "coefficient": coefficient,
                "value": estimate.value,
                "low": estimate.interval.low if estimate.interval else float("nan"),
                "high": estimate.interval.high if estimate.interval else float("nan"),
                "d_rank": self.study.value("judge", judge, measure, "d_rank"),
                "p": self.study.value("judge", judge, measure, "p"),
            }
            for (judge, measure, coefficient), estimate in self.estimates.items()
        ]

    def table(self) -> str:
        """Coefficients with their intervals, the rank test, and how far the labels agree."""
        ranked, tested = [["", "", "", "value", "95% interval"]], [["", "", "rank distance", "p"]]
        for (judge, measure, coefficient), e in self.estimates.items():
            between = "-" if e.interval is None else f"{e.interval.low:.3f} to {e.interval.high:.3f}"
            ranked.append([judge, measure, coefficient, number(e.value), between])
        for judge, measure in dict.fromkeys((judge, measure) for judge, measure, _ in self.estimates):
            distance, p = (self.study.value("judge", judge, measure, name) for name in ("d_rank", "p"))
            tested.append([judge, measure, number(distance), p_cell(p)])
        labels = [["labels", *self.labels[self.judges[0]].estimates]]
        labels += [
            [judge, *(number(e.value) for e in found.estimates.values())] for judge, found in self.labels.items()
        ]
        worth = [] if self.ranking is None else [self.ranking.table()]
        card = [] if self.card is None else [self.card.table()]
        gaming = [self._gaming_table()] if self.gaming else []
        return "\n\n".join([*worth, *map(columns, (ranked, tested)), *(card or [columns(labels)]), *gaming])

    def _gaming_table(self) -> str:
        """What a system gains that asks each judge, and how much of it the truth sees; then the conclusions."""
        rows = [["", "transfer", "lost share", "judged"]]
        for judge, found in self.gaming.items():
            rows[0][0] = f"first {found.k} re-ordered by"
            row = [judge]
            for value, ends in ((found.transfer, found.transfer_interval), (found.lost, found.lost_interval)):
                row.append(number(value, 2) + ("" if ends is None else f" ({ends.low:.2f} to {ends.high:.2f})"))
            rows.append([*row, next(f"{dose.judged:.0%}" for dose in found.doses if dose.k == found.k)])
        return "\n".join([columns(rows), "", *(f"  {found.verdict}" for found in self.gaming.values())])

    def _contents(self) -> dict[str, Any]:
        rows = None if self.card is None else self.card.rows()
        return {
            "rows": self.rows(), "ranking": self.ranking, "card": rows, "labels": self.labels, "gaming": self.gaming,
            "study": self.study,
        }  # fmt: skip

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Of judges and of systems."""
        return {"judges.csv": self.rows(), "systems.csv": self.study.systems_rows()}

    def figures(self) -> dict[str, Any]:
        """The figure."""
        return {"judges.png": self.figure()}

    def figure(self) -> Any:
        """The heatmap; for each judge all means, those of the ten best, the confusion of labels, the gaming."""
        count, across = len(self.judges), 4 if self.gaming else 3
        made = import_extra("matplotlib.figure").Figure(figsize=(4.3 * across, 3.8 * (count + 1)), layout="constrained")
        panels = made.subplots(count + 1, across, squeeze=False)
        self.plot(panels[0, 0])
        for ax in panels[0, 1:]:
            ax.axis("off")
        for row, judge in zip(panels[1:], self.judges, strict=True):
            self.plot_scores(judge, ax=row[0])
            self.plot_scores(judge, ax=row[1], top=10)
            self.labels[judge].plot(row[2])
            if self.gaming:
                self.gaming[judge].plot(row[3])
        return made

    def plot(self, ax: Any = None, *, coefficient: str | None = None) -> Any:
        """A coefficient as a heatmap, judge by measure, with the values written in."""
        from ..render.figures import heatmap

        name = self.coefficients[0] if coefficient is None else coefficient
        place_of(name, self.study.coefficients, "coefficient")
        values = [[self.study.value("judge", j, m, name) for m in self.study.measures] for j in self.judges]
        return heatmap(values, self.judges, self.study.measures, ax, label=name, decimals=3)

    def plot_scores(self, judge: str, measure: str | None = None, ax: Any = None, *, top: int | None = None) -> Any:
        """Means of the systems under a judge against those under the truth, with the diagonal; the `top` best only."""
        return self.study.plot_scores("judge", judge, measure or self.study.measures[0], ax, top=top)


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
) -> JudgeStudy:
    """Compare judges with one whose judgments are the truth: by the ranking of systems, and label by label.

    For each judge and measure: the coefficients between the means under the truth and under the judge, with intervals
    for their values over the population of topics (`correlate`); all coefficients and the rank distance as in
    `judgment_study`. By the first measure and the first coefficient, what the judges' topics are worth in topics of the
    truth, which judge is better than which (`rank_judges`), and whether a judge can be gamed (`gaming_gap`). And how
    far the labels agree (`label_agreement`).

    Parameters
    ----------
    runs : Runs
        The runs.
    truth : Qrels
        The trusted judge.
    judges : mapping of str to Qrels
        The others by their names. Topics that the truth lacks are left out.
    measures : iterable of str
        Names as in `evaluate`.
    coefficients : iterable of str, optional
        Those to give intervals; they must allow ties on both sides. By default tau_b and tau_ap_b.
    rng : int
        The seed.
    rel : float, optional
        Compare labels only by whether grades are at least this, on all sides.
    topics : {"truth", "common"}
        "truth": all topics of the truth; a judge that lacks one is an error. "common": those that all judges have, the
        truth included, with a note on the others.
    drop_grades : iterable of int or float
        Grades that are no judgments, such as 999 or -1 where a judge gave no answer: left out on all sides, with a note
        on how many there were. A topic of which nothing is left is one that this judge lacks.
    families : mapping of str to str, optional
        The family of each system, for the test of bias on the judge card.
    n_resamples : int
        Number of resamples of the topics, for each interval and each test; at least 500.
    missing : {"error", "zero", "drop", "drop-systems"}
        For runs that lack topics, as in `evaluate`.
    workers : int or concurrent.futures.Executor
        The number of threads, or an executor that is given batches of resamples.
    progress : callable, optional
        Called with the number of steps done and the total.

    Returns
    -------
    JudgeStudy
        Estimates, tests and label agreement by judge.

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
        same = names[0] == "tau_b"  # which the card is about
        ranking = (
            card.ranking if same else rank_judges(full[first], judged, coefficient=names[0], names=called, rng=rng)
        )
    else:
        notes = (*notes, f"fewer than {FEWEST} topics: too few to tell what a judge's are worth, or which is better")
    return JudgeStudy(
        study=study,
        estimates=estimates,
        ranking=ranking,
        card=card,
        labels=labels,
        gaming=gaming,
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


def _prepared(
    truth: Qrels, judges: Any, topics: str, drop_grades: tuple[Grade, ...]
) -> tuple[Qrels, dict[str, Qrels], tuple[str, ...]]:
    """The truth and the judges without grades that are none, on the topics that are compared; and notes."""
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
    """Without these grades, and without the topics of which nothing is left."""
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
    """The judges whose grades are on another scale than the truth's."""
    odd = [
        judge
        for judge, found in labels.items()
        for mine, theirs in [[np.flatnonzero(found.confusion.sum(axis=axis)) for axis in (1, 0)]]
        if theirs[0] < mine[0] or theirs[-1] != mine[-1]
    ]
    whose = ", ".join(odd)
    note = f"the grades of {whose} end elsewhere than the truth's: on another scale kappa and alpha say little"
    return (note,) if odd else ()
