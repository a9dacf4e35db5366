"""Learning to rank with the rank distance and with others: the experiments for section 5 of carterette2009.

A query has features of its documents, the grades of users or judges, and relevance, which is not trained on. Scores
are linear in the features, and every objective is minimised in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from scipy.special import expit

import concordant as cc

FloatArray = npt.NDArray[np.float64]
RIDGE = 1e-4  # on the weights: so little that it only keeps them finite


@dataclass(frozen=True)
class Query:
    features: FloatArray
    """Documents x features."""
    users: FloatArray
    """Users or judges x documents."""
    relevance: FloatArray
    """One number per document."""


Loss = Callable[[FloatArray, Query], tuple[float, FloatArray]]


def least_squares(scores: FloatArray, query: Query) -> tuple[float, FloatArray]:
    """Squared differences from the users' means, both centred."""
    off = scores - query.users.mean(axis=0)
    off -= off.mean()
    return float(off @ off), 2 * off


def _logistic(scores: FloatArray, preferred: FloatArray) -> tuple[float, FloatArray]:
    """The logistic loss of pairs, each weighted by how much its first document is preferred."""
    ahead = scores[:, None] - scores
    slope = -expit(-ahead) * preferred
    return float((np.logaddexp(0, -ahead) * preferred).sum()), slope.sum(axis=1) - slope.sum(axis=0)


def of_means(scores: FloatArray, query: Query) -> tuple[float, FloatArray]:
    """Pairwise logistic loss, by the order of the users' means."""
    means = query.users.mean(axis=0)
    return _logistic(scores, (means[:, None] > means).astype(float))


def of_users(scores: FloatArray, query: Query) -> tuple[float, FloatArray]:
    """Pairwise logistic loss, by the share of users who prefer one document to the other."""
    return _logistic(scores, (query.users[:, :, None] > query.users[:, None, :]).mean(axis=0))


def generalised(scores: FloatArray, query: Query) -> tuple[float, FloatArray]:
    """Generalised least squares with the same covariance as the rank loss: also too large differences cost."""
    n, m = query.users.shape
    covariance = np.cov(query.users.T)
    covariance = covariance / 2 + np.eye(m) * np.diag(covariance).mean() / 2
    inverse = n * np.linalg.inv(covariance + 1e-5 * np.eye(m))
    ones = inverse.sum(axis=1)
    inverse -= np.outer(ones, ones) / ones.sum()  # any constant may be added to the scores
    off = scores - query.users.mean(axis=0)
    slope = inverse @ off
    return float(off @ slope), 2 * slope


def rank_loss(shrinkage: float) -> Loss:
    return lambda scores, query: cc.ranks.rank_loss(query.users, scores, shrinkage=shrinkage)


BASELINE = "pairwise logistic, users' means"
LOSSES: dict[str, Loss] = {
    BASELINE: of_means,
    "pairwise logistic, every user": of_users,
    "least squares": least_squares,
    "generalised least squares, shrinkage 0.5": generalised,
    "rank_loss": rank_loss(0.0),
    "rank_loss, shrinkage 0.5": rank_loss(0.5),
}


def trained(loss: Loss, queries: Sequence[Query]) -> FloatArray:
    """The weights of the features that minimise the mean loss."""

    def total(weights: FloatArray) -> tuple[float, FloatArray]:
        value, slope = RIDGE * float(weights @ weights), 2 * RIDGE * weights
        for query in queries:
            one, by_score = loss(query.features @ weights, query)
            value += one / len(queries)
            slope = slope + query.features.T @ by_score / len(queries)
        return value, slope

    start = np.zeros(queries[0].features.shape[1])
    return np.asarray(minimize(total, start, jac=True, method="L-BFGS-B", options={"maxiter": 60}).x)


def ndcg(scores: FloatArray, gains: FloatArray, depth: int) -> float:
    """One ranking by nDCG, from gains."""
    discount = 1 / np.log2(np.arange(2, depth + 2))
    found, best = gains[np.argsort(-scores, kind="stable")[:depth]], np.sort(gains)[::-1][:depth]
    return float((found * discount[: len(found)]).sum() / (best * discount[: len(best)]).sum())


def simulated(rng: np.random.Generator, count: int, weights: FloatArray, unexplained: float) -> list[Query]:
    """30 users grade 8 documents with 8 features; what users prefer differs by aspect, and how well they agree."""
    n, m = 30, 8
    made = []
    for _ in range(count):
        features = rng.normal(0, 1, (m, len(weights)))
        relevance = expit(6 * (features @ weights + rng.normal(0, unexplained, m)))
        aspect, preferred = rng.integers(0, 3, m), rng.integers(0, 3, n)
        taste = 0.3 * ((preferred[:, None] == aspect) - 1 / 3)
        users = relevance + taste + rng.normal(0, 1, (n, m)) * rng.uniform(0.05, 2, m)
        made.append(Query(features, users, relevance))
    return made


def fused(folder: Path, judges: Sequence[str], systems: int) -> list[Query]:
    """The pools of Deep Learning 2021: features from ranks in runs, users are machine judges, relevance is human."""
    runs, human = cc.read_runs(folder / "runs"), cc.read_qrels(folder / "qrels" / "human.txt.gz")
    graded = [cc.read_qrels(folder / "qrels" / f"{name}.txt.gz") for name in judges]
    best_first = np.argsort(-cc.evaluate(runs, human, "AP").means(), kind="stable")
    some = [runs.systems[k] for k in best_first[np.linspace(0, len(best_first) - 1, systems).round().astype(int)]]
    made = []
    for topic in human.topics:
        documents = sorted(set(human[topic]).intersection(*(grades[topic] for grades in graded)))
        place = {document: k for k, document in enumerate(documents)}
        features = np.zeros((len(documents), systems))
        for column, system in enumerate(some):
            for rank, document in enumerate(runs.documents(system, topic)):
                if document in place:
                    features[place[document], column] = 1 / np.log2(rank + 2)
        users = np.array([[max(of[topic][d], 0) / max(of.levels) for d in documents] for of in graded], dtype=float)
        made.append(Query(features, users, np.array([max(human[topic][d], 0) for d in documents], dtype=float)))
    return made
