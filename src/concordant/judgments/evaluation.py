"""`evaluate`: score all runs with judgments. The scores equal those of trec_eval, and recomputing them is fast.

A study scores the same runs with a thousand qrels. So documents are stored as numbers (`TopicDocuments`), one look-up
finds the judged documents of all runs, and each measure is a few sums over them. As in trec_eval, sums follow the order
of the ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..data.means import Missing, has_holes, settle
from ..data.scores import Scores
from ..errors import InputError, counted, listing, warn
from ..options import checked
from .measures import Measure
from .qrels import Qrels
from .runs import Runs, numbered

_BLOCK = 25_000  # number of documents to score at a time
_ZERO = 1  # judged with grade 0; larger values are higher grades
_FAR = 50  # a highest grade at least this many times the next one is probably a code


@checked
def evaluate(runs: Runs, qrels: Qrels, measures: str | Iterable[str], *, missing: Missing = "error") -> Any:
    """Score every run on every topic.

    AP, nDCG, P@k, R@k, RR, Rprec, Bpref and Success@k are computed as in trec_eval and named as in ir-measures:
    `nDCG@10`, `AP(rel=2)`, `RR@10`. Unjudged documents count as not relevant; Bpref ignores them. nDCG takes grades as
    gains, discounts them by log2(rank + 1), and divides by the DCG of the best order of all judged documents. DCG is
    nDCG without the division. The other measures treat grades of at least `rel` as relevant; `rel` is 1 by default, and
    required if grades are not whole numbers. Grades below 0 count as not judged. On a topic without a relevant document
    all systems score 0.

    The scored topics are those of the qrels that at least one run has. Topics of the qrels that no run has, and topics
    of the runs that the qrels lack, are left out with a warning.

    Parameters
    ----------
    runs : Runs
        From `read_runs` or `Runs.from_dict`; both break ties among documents as trec_eval does.
    qrels : Qrels
        From `read_qrels` or `Qrels.from_dict`.
    measures : str or iterable of str
        The name of a measure, or several; trec_eval's names work, too.
    missing : {"error", "zero", "drop", "drop-systems"}
        What to do if a run lacks a topic that other runs have: raise an error; score the run 0 there, as trec_eval -c
        does; leave out the topic; leave out the run.

    Returns
    -------
    Scores, or dict of str to Scores
        Scores, topics x systems, with the measure named as in ir-measures. For several measures, a dictionary from name
        to Scores, all with the same topics and systems.

    See Also
    --------
    read_runs : Read runs.
    read_qrels : Read judgments.

    References
    ----------
    C. Buckley and E. M. Voorhees (2004). Retrieval evaluation with incomplete information. SIGIR. (Bpref)
    K. Jarvelin and J. Kekalainen (2002). Cumulated gain-based evaluation of IR techniques. TOIS 20(4). (nDCG)

    Examples
    --------
    >>> import concordant as cc
    >>> runs = cc.Runs.from_dict({"bm25": {"1": ["d1", "d2", "d3"]}, "ql": {"1": ["d3", "d2", "d1"]}})
    >>> qrels = cc.Qrels.from_dict({"1": {"d1": 2, "d2": 0, "d3": 1}})
    >>> cc.evaluate(runs, qrels, "AP").values.round(4).tolist()
    [[0.8333, 0.8333]]
    >>> cc.evaluate(runs, qrels, "AP(rel=2)").values.round(4).tolist()
    [[1.0, 0.3333]]
    >>> cc.evaluate(runs, qrels, ["RR", "P@1"])
    {'RR': <Scores: 1 topic x 2 systems, RR>, 'P@1': <Scores: 1 topic x 2 systems, P@1>}

    """
    if missing == "mean":
        raise InputError(
            "missing is 'mean', which only reproduces means from files of scores: a run has no score on a topic that "
            "it lacks, so use 'zero', 'drop' or 'drop-systems'"
        )
    wanted = parse_all([measures] if isinstance(measures, str) else measures)
    topics = common_topics(runs, qrels)
    _warn_far(qrels)
    check_thresholds(qrels, wanted)
    labels = [runs.topics[k] for k in topics]
    # The same lists are missing for all measures. `score` gives 0 where a list is missing.
    holes = np.where((runs.depths == 0).T[topics], np.nan, 0.0)
    columns, rows = np.arange(len(runs.systems)), np.arange(len(labels))
    if has_holes(holes):
        _, rows, columns, said = settle(holes, labels, runs.systems, missing)
        warn(said)
    kept, systems = [labels[k] for k in rows], [runs.systems[k] for k in columns]
    cells = np.ix_(columns, topics[rows])
    found = {
        str(measure): Scores(values[cells].T, kept, systems, str(measure))
        for measure, values in zip(wanted, score(runs, qrels, wanted), strict=True)
    }
    return next(iter(found.values())) if isinstance(measures, str) else found


def parse_all(measures: Iterable[str]) -> list[Measure]:
    """Parse the names of measures; keep each measure once."""
    return list(dict.fromkeys(map(Measure.parse, measures)))


def common_topics(runs: Runs, qrels: Qrels) -> IntArray:
    """Find the indices in runs.topics of the topics to score, in the order of the qrels; warn about the others."""
    places = runs.pairs.locate_topics(qrels.pairs)
    shared = places[places >= 0]
    if not shared.size:
        raise InputError(
            f"no topic of the qrels ({listing(qrels.topics, 5)}) is in the runs ({listing(runs.topics, 5)})"
        )
    without_run = [qrels.topics[k] for k in np.flatnonzero(places < 0)]
    without_qrels = sorted(set(runs.topics) - set(qrels.topics))
    for lost, side, other in ((without_run, "the qrels", "no run has"), (without_qrels, "the runs", "no qrels have")):
        if lost:
            warn(
                f"{counted(len(lost), 'topic')} of {side} left out, because {other} "
                f"{'it' if len(lost) == 1 else 'them'}: {listing(lost)}"
            )
    return shared


def check_thresholds(qrels: Qrels, measures: Iterable[Measure]) -> None:
    """Raise if a measure has no relevance threshold, but needs one because of grades such as 0.7."""
    unclear = [measure for measure in measures if measure.binary and measure.rel is None]
    if unclear and not qrels.whole:
        example = next(grade for grade in qrels.levels if grade != int(grade))
        wanted = Measure(unclear[0].kind, unclear[0].cutoff, 0.5)
        raise InputError(
            f"{unclear[0]} needs to know which grades are relevant, because not all are whole numbers ({example:g}): "
            f"give the lowest relevant grade with rel=, as in {wanted}"
        )


def _warn_far(qrels: Qrels) -> None:
    gains = [grade for grade in qrels.levels if grade > 0]
    if len(gains) > 1 and gains[-1] >= _FAR * gains[-2]:
        count = int((qrels.grades == gains[-1]).sum())
        warn(
            f"{counted(count, 'judgment')} with grade {gains[-1]:g}, far above the next one ({gains[-2]:g}): used as a "
            f"grade; if it is a code, leave it out with qrels.recode({{{gains[-1]:g}: None}})"
        )


def score(runs: Runs, qrels: Qrels, measures: Sequence[Measure]) -> list[FloatArray]:
    """Compute systems x topics scores for each measure; 0 where a list of documents or the judgments are missing."""
    cutoffs = [measure.cutoff for measure in measures]
    seen = runs if None in cutoffs else runs.cut(max(cutoff for cutoff in cutoffs if cutoff is not None))
    given = _Given(seen, qrels)
    values = [np.empty(runs.shape) for _ in measures]
    for systems in _blocks(seen):
        found = _Judged.of(seen, systems, given)
        for measure, out in zip(measures, values, strict=True):
            out[systems] = _FORMULAS[measure.kind](found, measure).reshape(-1, given.n_topics)
    return values


def _blocks(runs: Runs) -> Iterator[slice]:
    """Yield blocks of systems that are small enough for the processor's cache."""
    ends = runs.starts[:: len(runs.topics)]
    first = 0
    while first < len(runs.systems):
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + _BLOCK, side="right")) - 1)
        yield slice(first, last)
        first = last


class _Given:
    """Judgments on the topics of the runs, with the counts and gains that are the same for all systems."""

    def __init__(self, runs: Runs, qrels: Qrels) -> None:
        counts = np.flatnonzero(qrels.grades >= 0)
        places, grade = qrels.places.take(counts), qrels.grades.take(counts)
        topic = runs.pairs.locate_topics(qrels.pairs)[qrels.pairs.topic_of[places]]
        known = np.flatnonzero(topic >= 0)
        self.n_topics = len(runs.topics)
        self.topic, self.grade = topic.take(known), grade.take(known)  # one entry per judgment
        pair = runs.pairs.locate(qrels.pairs)[places]
        there = np.flatnonzero(pair >= 0)
        # The grade of each pair of the runs, and whether the pair is unjudged, has grade 0, or has a higher grade.
        self.grade_of = np.zeros(len(runs.pairs))
        self.grade_of[pair[there]] = grade[there]
        self.kind = np.zeros(len(runs.pairs), dtype=np.uint8)
        self.kind[pair[there]] = _ZERO + (grade[there] > 0)
        self._totals: dict[float, IntArray] = {}
        self._ideals: dict[int | None, FloatArray] = {}

    def total(self, least: float) -> IntArray:
        """Number of documents of each topic with at least this grade."""
        if least not in self._totals:
            self._totals[least] = np.bincount(self.topic[self.grade >= least], minlength=self.n_topics)
        return self._totals[least]

    def ideal(self, cutoff: int | None) -> FloatArray:
        """Discounted gain of the best order of the judged documents of each topic."""
        if cutoff not in self._ideals:
            order = np.lexsort((-self.grade, self.topic))
            topic, grade = self.topic[order], self.grade[order]
            place = numbered(topic)
            best = place <= (cutoff or len(place))
            gains = grade[best] / np.log2(place[best] + 1.0)
            summed = np.bincount(topic[best], gains, minlength=self.n_topics)
            self._ideals[cutoff] = np.asarray(summed, dtype=np.float64)
        return self._ideals[cutoff]


@dataclass(frozen=True)
class _Judged:
    """Hits of some systems: documents with a grade above 0. A row is one system on one topic."""

    given: _Given
    starts: IntArray
    """Index in `kind` at which each row starts."""
    kind: npt.NDArray[np.uint8]
    """Kind of each document: unjudged, grade 0, or a higher grade."""
    hits: IntArray
    """Indices of the documents above grade 0."""
    row: IntArray
    """Row of each hit, in increasing order."""
    rank: IntArray
    """Rank of each hit in its list, from 1."""
    grade: FloatArray
    kept: dict[float, tuple[IntArray, IntArray, IntArray]] = field(default_factory=dict)
    """Relevant hits by threshold, cached for the next measure."""

    @classmethod
    def of(cls, runs: Runs, systems: slice, given: _Given) -> _Judged:
        """Look up all documents of these systems."""
        starts = runs.starts[systems.start * given.n_topics : systems.stop * given.n_topics + 1]
        items = runs.items[starts[0] : starts[-1]]
        starts = starts - starts[0]
        kind = given.kind.take(items)
        hits = np.flatnonzero(kind > _ZERO)
        per_row = np.diff(np.searchsorted(hits, starts))
        row = np.repeat(np.arange(len(per_row)), per_row)
        rank = hits - np.repeat(starts[:-1] - 1, per_row)
        return cls(given, starts, kind, hits, row, rank, given.grade_of.take(items.take(hits)))

    @property
    def n_systems(self) -> int:
        """Number of systems."""
        return (len(self.starts) - 1) // self.given.n_topics

    def zeros_above(self) -> IntArray:
        """Number of documents of grade 0 above each hit."""
        zeros = np.cumsum(self.kind == _ZERO, dtype=np.int32)
        before = np.concatenate([[0], zeros]).take(self.starts)
        above: IntArray = zeros.take(self.hits) - before.take(self.row)
        return above

    def relevant(self, measure: Measure) -> tuple[IntArray, IntArray, IntArray]:
        """Return rows and ranks of the relevant hits, and the number of relevant documents on the topic of each row."""
        if measure.least not in self.kept:
            places = np.flatnonzero(self.grade >= measure.least)
            total = np.tile(self.given.total(measure.least), self.n_systems)
            self.kept[measure.least] = self.row.take(places), self.rank.take(places), total
        return self.kept[measure.least]

    def sums(self, row: IntArray, terms: FloatArray | None = None) -> FloatArray:
        """Sum the terms of each row in their order."""
        return np.bincount(row, terms, minlength=self.n_systems * self.given.n_topics).astype(np.float64)


def _ratio(top: FloatArray, bottom: IntArray | FloatArray) -> FloatArray:
    return np.divide(top, bottom, out=np.zeros(len(top)), where=bottom > 0)


def _down_to(cutoff: int | None, rank: IntArray, *others: Any) -> list[Any]:
    """Cut the ranks, and the arrays that go with them, at the cutoff."""
    if cutoff is None:
        return [rank, *others]
    kept = np.flatnonzero(rank <= cutoff)
    return [of.take(kept) for of in (rank, *others)]  # faster than a mask


def _average_precision(found: _Judged, measure: Measure) -> FloatArray:
    row, rank, total = found.relevant(measure)
    _, row, precision = _down_to(measure.cutoff, rank, row, numbered(row) / rank)
    return _ratio(found.sums(row, precision), total)


def _hits(found: _Judged, measure: Measure) -> tuple[FloatArray, IntArray]:
    row, rank, total = found.relevant(measure)
    return found.sums(_down_to(measure.cutoff, rank, row)[1]), total


def _precision(found: _Judged, measure: Measure) -> FloatArray:
    assert measure.cutoff is not None
    return _hits(found, measure)[0] / measure.cutoff


def _recall(found: _Judged, measure: Measure) -> FloatArray:
    return _ratio(*_hits(found, measure))


def _success(found: _Judged, measure: Measure) -> FloatArray:
    return np.minimum(_hits(found, measure)[0], 1.0)


def _reciprocal_rank(found: _Judged, measure: Measure) -> FloatArray:
    row, rank, _ = found.relevant(measure)
    values = np.zeros(found.n_systems * found.given.n_topics)
    first = np.diff(row, prepend=-1) > 0
    if measure.cutoff is not None:
        first &= rank <= measure.cutoff
    values[row[first]] = 1.0 / rank[first]
    return values


def _r_precision(found: _Judged, measure: Measure) -> FloatArray:
    row, rank, total = found.relevant(measure)
    return _ratio(found.sums(row.take(np.flatnonzero(rank <= total.take(row)))), total)


def _bpref(found: _Judged, measure: Measure) -> FloatArray:
    row, _, total = found.relevant(measure)
    nonrelevant = np.tile(found.given.total(0.0), found.n_systems) - total
    above = found.zeros_above()  # nonrelevant documents above each hit
    if len(row) < len(found.row):  # some grades above 0 are below the threshold
        above = (above + numbered(found.row)).take(np.flatnonzero(found.grade >= measure.least)) - numbered(row)
    # Only the first R nonrelevant documents count.
    capped = np.minimum(above, total.take(row))
    terms = 1.0 - capped / np.maximum(np.minimum(nonrelevant, total), 1).take(row)
    return _ratio(found.sums(row, terms), total)


def _dcg(found: _Judged, measure: Measure) -> FloatArray:
    rank, row, grade = _down_to(measure.cutoff, found.rank, found.row, found.grade)
    discount = np.log2(np.arange(rank.max(initial=0) + 1) + 1.0)
    return found.sums(row, grade / discount.take(rank))


def _ndcg(found: _Judged, measure: Measure) -> FloatArray:
    return _ratio(_dcg(found, measure), np.tile(found.given.ideal(measure.cutoff), found.n_systems))


_FORMULAS = {
    "AP": _average_precision,
    "nDCG": _ndcg,
    "DCG": _dcg,
    "P": _precision,
    "R": _recall,
    "RR": _reciprocal_rank,
    "Rprec": _r_precision,
    "Bpref": _bpref,
    "Success": _success,
}
