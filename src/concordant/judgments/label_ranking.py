"""`rank_from_labels`: rank systems by the labels of a list of documents, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from ..arrays import FloatArray
from ..data.favours import Favours
from ..data.results import Findings, columns, settings_of
from ..data.scores import Means, Scores
from ..errors import InputError, counted, listing, named, warn
from ..inference.adjustment import holm
from ..inference.resampling import Seed
from ..options import checked
from ..ranks.intervals import RankIntervals, rank_intervals
from .evaluation import check_thresholds
from .label import LabelList, machine_sum
from .label_estimates import Estimated, LabelSample, estimate, freedom_of, shrinkage_by
from .leverage import check_kinds
from .measures import Measure
from .pool import tickets
from .qrels import Qrels
from .runs import Runs

FEWEST = 50  # labels needed for intervals
FEW = 0.05  # if a smaller share of the pool is judged, a good machine alone may rank the systems better
# AP divides by the number of relevant documents of a topic, which is uncertain until people find one of them. These are
# the largest shares of topics without a relevant document at which means, or intervals for topics like these, hold.
MOST_LACKING = {"means": 0.05, "differences": 1 / 3}
DRAWS = 9_999
_TOGETHER = 0.5  # smallest correlation of the machine's scores with the estimates at which favours are reported
_CAUTION = (
    f"with fewer than {FEW:.0%} of the pairs judged, a good machine alone may rank better; but it moves up the systems "
    "that it favours, by 20 ranks if the favour is 0.15"
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelRanking(Favours, Findings):
    """The result of `rank_from_labels`: systems by their estimated means, best first.

    The documentation of `rank_from_labels` lists the attributes.
    """

    sentences: tuple[str, ...]
    """Sentences to print after the verdict, and before the sentence that names the systems favoured by the machine."""

    def _answers(self) -> Sequence[str]:
        whom = [] if self.ranks is None else self._whom("The machine")
        return [f"{line}." for line in (*self.verdict.split("; "), *self.sentences, *whom)]

    def plot(self, ax: Any = None) -> Any:
        """Draw the rank intervals."""
        return super().plot(ax) if self.ranks is None else self.ranks.plot(ax)


@checked
def rank_from_labels(
    labels: LabelList,
    runs: Runs,
    measure: str,
    *,
    machine: Qrels | None = None,
    these_topics: bool = False,
    final: bool = False,
    confidence_level: float = 0.95,
    rng: Seed = None,
) -> LabelRanking:
    """Rank systems by the labels that people gave to the documents of a list.

    The scores are unbiased even if the machine is wrong: its grades only predict missing labels, and the estimated
    error of these predictions is subtracted.

    Parameters
    ----------
    labels : LabelList
        The list from `read_labels`. Only complete batches are used.
    runs : Runs
        All runs of the list.
    measure : str
        P@k, DCG@k, nDCG@k, AP or AP@k, no deeper than the list. Estimates are most precise for measures that the list
        was made for.
    machine : Qrels, optional
        A machine's grades, on any scale.
    these_topics : bool
        By default, intervals are for the mean over topics like these. If True, they are for the mean over just these
        topics, as it would be if all documents were judged.
    final : bool
        If True, rank by an unfinished list that nobody will complete. Do not stop judging because you like the ranking:
        that invalidates the intervals.
    confidence_level : float
        Confidence level of the intervals.
    rng : int, Generator or None
        Seed of the normal draws for the rank intervals.

    Returns
    -------
    LabelRanking
        `means` holds the estimates with the covariance of their errors, as `board(found.means)` needs them. For nDCG,
        and for AP if people found relevant documents on too few topics, they are differences from the mean of all
        systems. `low` and `high` are the limits of the interval of each mean, and `ranks` holds the rank intervals.
        With fewer than 50 labels, `ranks` is None and all errors are nan. `scores` has the estimates on each topic;
        some may lie outside [0, 1]. `document_covariance` is the covariance due to judging only a sample of documents.

        `n_judged` counts the labels used, `n_pairs` the pairs in the pool, `n_skipped` the pairs in the used batches
        that people could not judge, `n_beyond` the labels after the last complete batch, and for AP `n_lacking` the
        topics on which people found no relevant document. `worth` is how many labels on whole topics would give
        equally precise differences between systems. `half_width` is the mean half-width of the intervals
        of differences, and `half_width_at_twice` the half-width expected with twice the labels. `helped` is the
        share of the variance due to sampling documents that the machine removes. `favour` is how much the machine
        favours each system, in units of the score, and `favour_p` the p-value, corrected by Holm's method; both are nan
        without a useful machine.

    Raises
    ------
    InputError
        If the list is unfinished and `final` is not set, or the runs are not those of the list.

    See Also
    --------
    label : Choose the documents.
    concordant.combine : Combine human scores on few topics with machine scores on many.

    References
    ----------
    N. Duffield, C. Lund and M. Thorup (2007). Priority sampling for estimation of arbitrary subset sums. JACM 54(6).
    C.-E. Sarndal, B. Swensson and J. Wretman (1992). Model Assisted Survey Sampling. Springer.

    Examples
    --------
    >>> import concordant as cc
    >>> names = [f"d{k}" for k in range(40)]
    >>> runs = cc.Runs.from_dict({"up": {t: names for t in "ab"}, "down": {t: names[::-1] for t in "ab"}})
    >>> chosen = cc.judgments.label(runs, measures=["P@30"], budget=60, seed=1)
    >>> people = cc.Qrels.from_dict({t: {name: int(k < 12) for k, name in enumerate(names)} for t in "ab"})
    >>> found = cc.judgments.rank_from_labels(chosen.with_grades(people), runs, "P@30", these_topics=True, rng=1)
    >>> found.verdict
    'up leads and is the best (95% confidence); 60 of 80 pairs judged'

    """
    wanted = Measure.parse(measure)
    check_kinds([wanted])
    sample, notes, beyond = _sample(labels, runs, wanted, machine, final=final)
    n_topics, relative = len(sample.pool.topics), wanted.kind == "nDCG"
    if not these_topics and n_topics < 2:
        raise InputError(f"there is one topic: {named('these_topics')} gives intervals for it alone")
    lacking = topics_lacking(sample, wanted)
    lacks = f"people found no relevant document on {lacking} of {counted(n_topics, 'topic')}"
    relative |= lacking > MOST_LACKING["means"] * n_topics
    known = len(sample.places) >= FEWEST
    known &= these_topics or lacking <= MOST_LACKING["differences"] * n_topics
    found = estimate(sample, wanted)
    estimates, terms = found.scores.mean(axis=1), found.terms
    documents, of_documents = terms @ terms.T, (_centred(terms) ** 2).sum(axis=0)
    topics = np.cov(found.scores) / n_topics if n_topics > 1 else np.full_like(documents, np.nan)
    covariance, freedom = topics, np.full(len(estimates), n_topics - 1.0)
    if these_topics:
        covariance, freedom = documents, freedom_of(terms)
    if relative:
        estimates, covariance = _centred(estimates), _centred_covariance(covariance)
    order, middle = np.argsort(-estimates, kind="stable"), float(np.median(freedom))
    quantile, systems = stdtrit(freedom, (1 + confidence_level) / 2), [sample.pool.systems[k] for k in order]
    reach = (quantile * np.sqrt(np.diag(covariance).clip(0)) if known else np.full(len(order), np.nan))[order]
    means, ranks = Means(estimates[order], systems, str(wanted)), None
    if known:
        error = covariance[np.ix_(order, order)]
        means = Means(estimates[order], systems, str(wanted), covariance=error, degrees_of_freedom=middle)
        ranks = rank_intervals(means, confidence_level=confidence_level, n_resamples=DRAWS, rng=rng)
    # The mean variance of a difference between two systems is 2 / (m - 1) times the trace of the centred covariance.
    later = of_documents @ shrinkage_by(sample, 2.0) - of_documents.sum()
    traces = np.trace(_centred_covariance(covariance)) + np.array([0.0, later])
    widths = np.median(quantile) * np.sqrt(2 / (len(order) - 1) * traces.clip(0)) if known else [np.nan, np.nan]
    # With k whole topics the error variance is S / k. Here it is `topics` = V + S / T, with V due to sampled documents.
    # Both are equal at k = T (1 - V / `topics`).
    worth = len(sample.pool) * (1 - of_documents.sum() / np.trace(_centred_covariance(topics)))
    helped, favour, favour_p = np.nan, np.full(len(order), np.nan), np.full(len(order), np.nan)
    if machine is not None and known:
        without = (_centred(estimate(sample, wanted, machine=False).terms) ** 2).sum()
        helped = 1 - of_documents.sum() / without if without > 0 else 0.0
        favour, favour_p = _favours(estimate(sample, wanted, popularity=False))
    if machine is not None and len(sample.places) < FEW * len(sample.pool):
        notes += (_CAUTION,)
    if wanted.kind == "AP" and relative:
        notes += (
            f"{wanted} is given as the difference from the mean of all systems: {lacks}, so means would be too low",
        )
    elif wanted.kind in ("AP", "P") and ((means.values < 0) | (means.values > 1)).any():
        notes += (f"some estimated means of {wanted} are outside 0 to 1: judge more documents",)
    level = f"{100 * confidence_level:g}%"
    sentences = [f"No intervals: {lacks if len(sample.places) >= FEWEST else f'they need {FEWEST} labels'}"]
    if known:
        sentences = _precision(worth, widths[0], widths[1], 100 * helped)
    parts = {"mean": means.values, "low": means.values - reach, "high": means.values + reach}
    parts |= {"favour": favour[order], "favour_p": favour_p[order]}
    of_ranks = [(None, None)] * len(systems) if ranks is None else [ranks[system] for system in systems]
    rows = [
        {"system": system, **{name: float(part[k]) for name, part in parts.items()}}
        | dict(zip(("rank_low", "rank_high"), of_ranks[k], strict=True))
        for k, system in enumerate(systems)
    ]
    cells = [["", "from the mean" if relative else str(wanted), f"{level} interval", "ranks"]]
    for row in rows:
        limits = f"{row['low']:.4f} to {row['high']:.4f}", f"{row['rank_low']} to {row['rank_high']}"
        cells.append([row["system"], f"{row['mean']:{'+' if relative else ''}.4f}", *limits])
    target = f"\n\n  intervals for {'these topics' if these_topics else 'topics like these'}"
    return LabelRanking(
        kind="LabelRanking",
        answer=f"{_leader(means, ranks, level)}; {len(sample.places):,} of {len(sample.pool):,} pairs judged",
        sentences=tuple(sentences),
        numbers={
            "systems": rows,
            "n_judged": len(sample.places),
            "n_pairs": len(sample.pool),
            "n_skipped": int(labels.skipped.sum()),
            "n_beyond": beyond,
            "n_lacking": lacking,
            "worth": float(worth) if worth > 0 else np.nan,
            "half_width": float(widths[0]),
            "half_width_at_twice": float(widths[1]),
            "helped": float(helped),
        },
        beside={name: part for name, part in parts.items() if name != "mean"}
        | {
            "means": means,
            "scores": Scores(found.scores.T, sample.pool.topics, sample.pool.systems, str(wanted)),
            "ranks": ranks,
            "document_covariance": documents[np.ix_(order, order)],
        },
        lines=rows,
        shown=columns(cells) + target if known else columns([row[:2] for row in cells]),
        index="system",
        notes=notes,
        data=means,
        settings=settings_of(
            seed=None if ranks is None else ranks.settings["seed"],
            n_resamples=None if ranks is None else DRAWS,
            confidence_level=confidence_level,
            measure=str(wanted),
            these_topics=these_topics,
            relative=relative,
        ),
    )


def _leader(means: Means, ranks: RankIntervals | None, level: str) -> str:
    """Name the leading system and its rank interval."""
    first = [system for system, mean in zip(means.systems, means.values, strict=True) if mean == means.values[0]]
    if len(first) > 1:
        return f"{listing(first, 3)} tie for the lead"
    if ranks is None:
        return f"{first[0]} leads"
    low, high = ranks[first[0]]
    return f"{first[0]} leads {f'and is the best ({level} confidence)' if high == 1 else f'(rank {low} to {high})'}"


def _precision(worth: float, width: float, at_twice: float, helped: float) -> list[str]:
    """Say how precise the ranking is, and how much the machine helped, in percent."""
    said = [f"On whole topics it would take {worth:,.0f} labels to tell systems apart as well"] if worth > 0 else []
    said.append(f"Differences are known to +-{width:.3f} on average; with twice the labels to +-{at_twice:.3f}")
    if not np.isnan(helped):
        removes = f"The machine removes {helped:.0f}% of the error that comes from judging only some documents"
        said.append(removes if helped >= 1 else "The machine hardly helps")
    return said


def _sample(
    labels: LabelList, runs: Runs, measure: Measure, machine: Qrels | None, *, final: bool
) -> tuple[LabelSample, tuple[str, ...], int]:
    """Return the labels of the complete batches, notes, and the number of unused labels."""
    if not labels.answered.all() and not final:
        raise InputError(
            f"{labels.verdict}: judge the whole list before you look at a ranking; if judging has ended, use "
            f"{named('final')}"
        )
    if (measure.cutoff or labels.depth) > labels.depth:
        raise InputError(
            f"{measure} needs documents down to rank {measure.cutoff}, but the list ends at {labels.depth}"
        )
    n, threshold = labels.prefix()
    used = ~np.isnan(labels.grades[:n])
    if used.sum() < 2:
        raise InputError(f"{labels.verdict}: a ranking needs a complete batch")
    check_thresholds(labels.judged(), [measure])
    pool = labels.pool(runs, machine)
    # Skipped pairs are assumed to be like the others, so each judged pair stands for a few more pairs.
    chance = np.minimum(1, threshold * labels.sizes[:n][used]) * used.mean()
    place = {pair: k for k, pair in enumerate(pool.pairs)}
    places = np.array([place[pair] for pair, use in zip(labels.pairs, used, strict=False) if use])
    notes = []
    skipped, beyond = int((~used).sum()), int((~np.isnan(labels.grades[n:])).sum())
    if skipped:
        notes.append(f"{counted(skipped, 'pair')} skipped: we assume that skipping has nothing to do with relevance")
    if beyond:
        notes.append(f"{counted(beyond, 'label')} beyond the last complete batch not used")
    if str(measure) not in labels.measures:
        notes.append(f"the list was made for {listing(labels.measures)}: valid for {measure}, too, but less precise")
    if machine_sum(machine) != labels.machine:
        what = "without a machine" if labels.machine is None else "with other grades by the machine" if machine else ""
        notes.append(f"the list was made {what}" if what else "the list was made with a machine, which is not given")
    for note in notes:
        warn(note)
    fold = tickets(labels.seed, pool.pairs)[1]
    sample = LabelSample(pool, places, chance, labels.sizes[:n][used], labels.grades[:n][used], fold)
    return sample, tuple(notes), beyond


def topics_lacking(sample: LabelSample, measure: Measure) -> int:
    """For AP, count the topics on which people found no relevant document and did not judge all documents."""
    if measure.kind != "AP":
        return 0
    topic_of = sample.pool.topic_of
    with_relevant = topic_of[sample.places[sample.grades >= measure.least]]
    return len(np.setdiff1d(np.delete(topic_of, sample.places), with_relevant))


def _centred(values: FloatArray) -> FloatArray:
    """Subtract the mean over systems."""
    return np.asarray(values - values.mean(axis=0))


def _centred_covariance(covariance: FloatArray) -> FloatArray:
    return _centred(_centred(covariance).T)


def _favours(found: Estimated) -> tuple[FloatArray, FloatArray]:
    """Estimate how much predictions from the machine alone favour each system, with p-values from Student's t.

    A noisy machine shrinks the differences between all systems. So its scores are first scaled to the estimates by
    least squares. If the two are hardly correlated, the favours are nan.
    """
    predicted, scores = _centred(found.predicted), _centred(found.scores)
    x, y, n = predicted.mean(axis=1), scores.mean(axis=1), scores.shape[1]
    if n < 2 or x @ y <= _TOGETHER * np.sqrt((x @ x) * (y @ y)):
        return (np.full(len(scores), np.nan),) * 2
    each = predicted * (x @ y / (x @ x)) - scores
    favour, error = each.mean(axis=1), each.std(axis=1, ddof=1) / np.sqrt(n)
    t = np.divide(np.abs(favour), error, out=np.zeros(len(favour)), where=error > 0)
    return favour, holm(2 * stdtr(n - 1, -t))
