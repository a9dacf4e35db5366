"""`try_labels`: compare several ways to spend labels by how well each would have ranked last year's systems."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from ..arrays import FloatArray
from ..coefficients.tau import tau_b
from ..data.results import Findings, columns, settings_of
from ..data.scores import Scores
from ..errors import InputError, counted, warn
from ..inference.resampling import Progress, Resampling, Seed
from ..judgments.evaluation import check_thresholds
from ..judgments.label_estimates import LabelSample, estimate, freedom_of
from ..judgments.leverage import check_kinds, sizes_of
from ..judgments.measures import Measure
from ..judgments.pool import FOLDS, Pool, chosen_topics, make_pool
from ..judgments.qrels import Qrels
from ..judgments.runs import Runs
from ..options import checked
from .combination import FEWEST, Method, combine
from .mixing import tells

LIST, TOPICS, SHALLOW, CONTROL, SHRUNK, ALONE = DESIGNS = (
    "list of documents",
    "whole topics",
    "shallow pool",
    "combine",
    "combine, shrunk",
    "machine alone",
)
TOP = 5


class Spent(NamedTuple):
    """The means of the systems, estimated from the labels of one design."""

    means: FloatArray
    covariance: FloatArray | None = None
    """Covariance of the errors, for these topics."""
    freedom: float = np.nan


@dataclass(frozen=True, eq=False)
class Truth:
    """A pool that people and the machine have judged completely."""

    pool: Pool
    measure: Measure
    grades: FloatArray
    sizes: FloatArray
    people: FloatArray
    """Scores by people, systems x topics."""
    machine: FloatArray | None

    @classmethod
    def of(cls, pool: Pool, measure: Measure, grades: FloatArray) -> Truth:
        """Score all systems by the grades of people and, if known, by those of the machine."""
        machine = None
        if pool.levels.any():
            least, most = measure.least, max(1.0, float(grades.max(initial=0.0)))
            guess = np.where(pool.share >= 0.5, least, 0.0) if measure.binary else pool.share * most
            machine = scores_of(pool, measure, guess)
        return cls(pool, measure, grades, sizes_of(pool, [measure]), scores_of(pool, measure, grades), machine)

    def spend(self, share: float, rng: np.random.Generator) -> dict[str, Spent]:
        """Rank by each design with the same number of labels. Designs with whole topics share the random topics."""
        pool, n = self.pool, round(share * len(self.pool))
        listed = estimate(self.draw(n, rng), self.measure)
        freedom = float(np.median(freedom_of(listed.terms)))
        found = {LIST: Spent(listed.scores.mean(axis=1), listed.terms @ listed.terms.T, freedom)}
        n_topics = len(pool.topics)
        k = max(1, round(share * n_topics))
        topics = np.sort(rng.permutation(n_topics)[:k])
        some = self.people[:, topics]
        error = np.cov(some) / k * (1 - k / n_topics) if k > 1 else None
        found[TOPICS] = Spent(some.mean(axis=1), error, k - 1)
        ranks = np.broadcast_to(np.arange(pool.places.shape[2], dtype=np.float64), pool.places.shape)
        highest = np.full(len(pool) + 1, np.inf)
        np.minimum.at(highest, pool.places.ravel(), ranks.ravel())
        shallow = np.zeros(len(pool))
        first = np.lexsort((rng.random(len(pool)), highest[:-1]))[:n]
        shallow[first] = self.grades[first]
        found[SHALLOW] = Spent(scores_of(pool, self.measure, shallow).mean(axis=1))
        if self.machine is not None:
            found[ALONE] = Spent(self.machine.mean(axis=1))
            apart = tells(self.machine.T)
            if apart[topics].sum() >= FEWEST and np.delete(apart, topics).sum() >= 2:  # else `combine` refuses
                names, labels = [str(i) for i in range(len(some))], [str(t) for t in range(n_topics)]
                people = Scores(some.T, [labels[t] for t in topics], names)
                methods: dict[str, Method] = {CONTROL: "control", SHRUNK: "shrunk"}
                for design, method in methods.items():
                    means = combine(people, Scores(self.machine.T, labels, names), method=method).means
                    found[design] = Spent(means.values[np.argsort([int(name) for name in means.systems])])
        return found

    def draw(self, n: int, rng: np.random.Generator) -> LabelSample:
        """Draw a random key for each pair, and judge the n pairs with the smallest keys."""
        sizes = self.sizes
        key = rng.random(len(sizes)) / sizes
        places, threshold = np.arange(len(sizes)), np.inf
        if n < len(sizes):
            order = np.argpartition(key, n)
            places, threshold = np.sort(order[:n]), float(key[order[n]])
        chance, fold = np.minimum(1, threshold * sizes[places]), rng.integers(0, FOLDS, len(sizes))
        return LabelSample(self.pool, places, chance, sizes[places], self.grades[places], fold)


def scores_of(pool: Pool, measure: Measure, grades: FloatArray) -> FloatArray:
    """Compute systems x topics scores from the grades of all pairs."""
    ones = np.ones(len(pool))
    return estimate(
        LabelSample(pool, np.arange(len(pool)), ones, ones, grades, np.arange(len(pool)) % FOLDS), measure
    ).scores


def covered(truth: FloatArray, found: Spent, level: float = 0.95) -> float:
    """Share of the differences between systems whose interval covers the true difference; nan without intervals."""
    if found.covariance is None:
        return np.nan
    i, j = np.triu_indices(len(truth), 1)
    variance = np.diag(found.covariance)
    error = np.sqrt((variance[i] + variance[j] - 2 * found.covariance[i, j]).clip(0))
    off = np.abs(found.means[i] - found.means[j] - truth[i] + truth[j])
    return float((off <= stdtrit(found.freedom, (1 + level) / 2) * error + 1e-9).mean())


@checked
def try_labels(
    runs: Runs,
    qrels: Qrels,
    measure: str,
    *,
    machine: Qrels | None = None,
    shares: Sequence[float] = (0.02, 0.05, 0.1, 0.2, 0.4),
    n_lists: int = 30,
    rng: Seed = None,
    progress: Progress | None = None,
) -> Findings:
    """Test how well a part of an earlier year's judgments would have ranked that year's systems.

    Labels are spent on a list of documents, on whole topics, on a shallow pool, and on whole topics for `combine`. Each
    ranking is compared with the ranking by all judgments.

    Parameters
    ----------
    runs : Runs
        The systems.
    qrels : Qrels
        Judgments of people; pairs in the pool without a judgment count as grade 0.
    measure : str
        P@k, DCG@k, nDCG@k, AP or AP@k.
    machine : Qrels, optional
        A machine's grades. For binary measures, grades in the upper half of the machine's scale are relevant.
    shares : sequence of float
        Shares of the pairs in the pool that people judge.
    n_lists : int
        Number of lists and of draws of topics for each share.
    rng : int, Generator or None
        Seed of the draws.
    progress : callable, optional
        Called with the number of lists done and the total.

    Returns
    -------
    Findings
        For each of the `designs` and each share: the mean `tau_b` with the ranking by all judgments; `top`, the share
        of the five best systems found among the five best; and `coverage`, how often 95% intervals for differences
        between systems on these topics cover the true difference. nan means that a design is impossible or has no
        intervals.

    See Also
    --------
    concordant.judgments.label : Choose the documents.
    combine : Combine human scores on few topics with machine scores on many.

    Examples
    --------
    >>> import numpy as np, concordant as cc
    >>> names = [f"d{k}" for k in range(30)]
    >>> orders = {f"s{i}": {t: names[i::3] + names[:i] for t in "abcdefgh"} for i in range(3)}
    >>> people = cc.Qrels.from_dict({t: {d: int(k % 3 == 0) for k, d in enumerate(names)} for t in "abcdefgh"})
    >>> found = cc.planning.try_labels(cc.Runs.from_dict(orders), people, "P@5", shares=[0.5], n_lists=3, rng=1)
    >>> found.designs
    ('list of documents', 'whole topics', 'shallow pool')

    """
    wanted = Measure.parse(measure)
    check_kinds([wanted])
    check_thresholds(qrels, [wanted])
    if not shares or not all(0 < share < 1 for share in shares):
        raise InputError(f"shares is {list(shares)}: give shares of the judgments, each above 0 and below 1")
    judged = [topic for topic in chosen_topics(runs, machine, None) if topic in qrels.pairs.topic_places]
    if len(judged) < 2 or len(runs.systems) < 2:
        raise InputError(
            f"found {counted(len(judged), 'topic')} with judgments and {counted(len(runs.systems), 'run')}: "
            "at least 2 of each are needed"
        )
    pool = make_pool(runs, judged, wanted.cutoff or 100, machine)
    known = {topic: qrels[topic] for topic in judged}
    grades = np.array([float(known[t].get(d, -1)) for t, d in pool.pairs])
    notes = []
    if lost := int((grades < 0).sum()):
        notes.append(f"people did not judge {lost:,} of the {len(pool):,} pairs in the pool, which count as grade 0")
        warn(notes[0])
    truth = Truth.of(pool, wanted, grades.clip(0))
    how = Resampling.of(n_lists, rng, progress=progress)
    generator = how.generator()
    means = truth.people.mean(axis=1)
    best = set(np.argsort(-means, kind="stable")[:TOP].tolist())
    found = {name: np.full((len(DESIGNS), len(shares), n_lists), np.nan) for name in ("tau_b", "top", "coverage")}
    with warnings.catch_warnings(action="ignore"):  # combine would warn about random topics
        for k, share in enumerate(shares):
            for trial in range(n_lists):
                for design, spent in truth.spend(share, generator).items():
                    at = DESIGNS.index(design), k, trial
                    found["tau_b"][at] = tau_b(means, spent.means)
                    top = set(np.argsort(-spent.means, kind="stable")[:TOP].tolist())
                    found["top"][at] = len(top & best) / len(best)
                    found["coverage"][at] = covered(means, spent)
                how.progress(k * n_lists + trial + 1, len(shares) * n_lists)
        there = [i for i in range(len(DESIGNS)) if not np.isnan(found["tau_b"][i]).all()]
        averages = {name: np.nanmean(values[there], axis=2) for name, values in found.items()}
    designs, labels = [DESIGNS[i] for i in there], [round(share * len(pool)) for share in shares]
    rows = [
        {"design": design, "share": float(share), "labels": labels[k]}
        | {name: float(values[i, k]) for name, values in averages.items()}
        for i, design in enumerate(designs)
        for k, share in enumerate(shares)
    ]
    tau, near = averages["tau_b"], int(np.argmin(np.abs(np.array(shares) - 0.1)))
    return Findings(
        kind="LabelTrial",
        answer=f"{labels[near]:,} labels ({shares[near]:.0%}) give tau_b {tau[designs.index(LIST), near]:.2f} "
        f"on a list of documents, and {tau[designs.index(TOPICS), near]:.2f} on whole topics",
        numbers={"designs": tuple(designs), "shares": np.array(shares, dtype=np.float64), "labels": np.array(labels)}
        | averages,
        lines=rows,
        shown=_table(designs, shares, averages),
        figure="curves.label_trial",
        notes=tuple(notes),
        settings=settings_of(seed=how.seed, confidence_level=0.95, measure=str(wanted), n_lists=n_lists),
    )


def _table(designs: Sequence[str], shares: Sequence[float], averages: Mapping[str, FloatArray]) -> str:
    """Print one table for each of the three numbers, with one line per design."""
    heads = ("tau_b", f"of the {TOP} best", "differences covered")
    blocks = []
    for head, values, decimals in zip(heads, averages.values(), (3, 2, 2), strict=True):
        rows = [[head, *(f"{share:.0%}" for share in shares)]]
        rows += [
            [design, *("-" if np.isnan(x) else f"{x:.{decimals}f}" for x in row)]
            for design, row in zip(designs, values, strict=True)
            if not np.isnan(row).all()
        ]
        blocks.append(columns(rows))
    return "\n\n".join(blocks)
