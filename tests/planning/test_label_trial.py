"""`try_labels`: ways to spend labels, on judgments that are all known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

import concordant as cc
from concordant.judgments.label_estimates import estimate
from concordant.judgments.measures import Measure
from concordant.judgments.pool import make_pool
from concordant.planning.label_trial import (
    ALONE,
    CONTROL,
    DESIGNS,
    LIST,
    SHALLOW,
    SHRUNK,
    TOPICS,
    Spent,
    Truth,
    covered,
)

from ..judgments.collection import MACHINE, PEOPLE, RUNS

MEASURE = Measure.parse("P(rel=2)@10")


def truth(machine: cc.Qrels | None = MACHINE) -> Truth:
    pool = make_pool(RUNS, RUNS.topics, 10, machine)
    return Truth.of(pool, MEASURE, np.array([float(PEOPLE[t][d]) for t, d in pool.pairs]))


def test_each_way_is_what_it_says() -> None:
    all_of_it, whole = truth(), cc.evaluate(RUNS, PEOPLE, "P(rel=2)@10").values.T
    np.testing.assert_allclose(all_of_it.people, whole, atol=1e-12)
    assert all_of_it.machine is not None
    np.testing.assert_allclose(all_of_it.machine, cc.evaluate(RUNS, MACHINE, "P(rel=2)@10").values.T, atol=1e-12)
    share, seed = 0.6, 3
    found = all_of_it.spend(share, np.random.default_rng(seed))
    assert set(found) == set(DESIGNS)
    rng = np.random.default_rng(seed)
    sample = all_of_it.draw(round(share * len(all_of_it.pool)), rng)
    np.testing.assert_array_equal(found[LIST].means, estimate(sample, MEASURE).scores.mean(axis=1))
    topics = np.sort(rng.permutation(8)[:5])
    np.testing.assert_allclose(found[TOPICS].means, whole[:, topics].mean(axis=1))
    covariance = found[TOPICS].covariance
    assert covariance is not None
    np.testing.assert_allclose(covariance, np.cov(whole[:, topics]) / 5 * (1 - 5 / 8))
    np.testing.assert_allclose(found[ALONE].means, cc.evaluate(RUNS, MACHINE, "P(rel=2)@10").means())
    people = cc.Scores(whole[:, topics].T, topics.tolist(), RUNS.systems)
    machine = cc.Scores(cc.evaluate(RUNS, MACHINE, "P(rel=2)@10").values, range(8), RUNS.systems)
    for design, method in ((CONTROL, "control"), (SHRUNK, "shrunk")):
        means = cc.combine(people, machine, method=method).means  # type: ignore[arg-type]
        by_name = dict(zip(means.systems, means.values, strict=True))
        np.testing.assert_allclose(found[design].means, [by_name[system] for system in RUNS.systems])


def test_a_shallow_pool_counts_the_rest_as_not_relevant() -> None:
    """With as many labels as the pool of depth k has pairs, it is that pool."""
    all_of_it = truth()
    shallow = make_pool(RUNS, RUNS.topics, 3)
    inside: dict[str, dict[str, int]] = {}
    for topic, document in shallow.pairs:
        inside.setdefault(topic, {})[document] = int(PEOPLE[topic][document])
    found = all_of_it.spend(len(shallow) / len(all_of_it.pool), np.random.default_rng(1))[SHALLOW]
    np.testing.assert_allclose(found.means, cc.evaluate(RUNS, cc.Qrels.from_dict(inside), "P(rel=2)@10").means())


def test_coverage_counts_pairs_by_hand() -> None:
    means, other = np.array([0.1, 0.2, 0.4]), np.array([0.15, 0.2, 0.3])
    covariance = np.array([[4.0, 1, 0], [1, 9, 2], [0, 2, 1]]) * 1e-4
    held = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        error = np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
        held.append(abs(other[i] - other[j] - means[i] + means[j]) <= student.ppf(0.975, 5) * error)
    assert covered(means, Spent(other, covariance, 5.0)) == pytest.approx(np.mean(held))
    assert 0 < np.mean(held) < 1
    assert np.isnan(covered(means, Spent(other)))


def test_the_table_and_what_is_not_possible() -> None:
    found = cc.planning.try_labels(RUNS, PEOPLE, "P(rel=2)@10", machine=MACHINE, shares=[0.1, 0.7], n_lists=4, rng=1)
    assert found == cc.planning.try_labels(
        RUNS, PEOPLE, "P(rel=2)@10", machine=MACHINE, shares=[0.1, 0.7], n_lists=4, rng=1
    )
    assert found.designs == DESIGNS
    by_name = {(row["design"], row["share"]): row for row in found.rows()}
    assert np.isnan(by_name[CONTROL, 0.1]["tau_b"])
    assert by_name[CONTROL, 0.7]["tau_b"] > 0.5
    assert np.isnan(by_name[SHALLOW, 0.7]["coverage"])
    assert by_name[LIST, 0.7]["tau_b"] > by_name[LIST, 0.1]["tau_b"]
    assert found.labels.tolist() == [29, 202]
    assert found.verdict.startswith("29 labels (10%) give tau_b 0.")
    assert "  combine                -  0." in found.table()
    without = cc.planning.try_labels(RUNS, PEOPLE, "P(rel=2)@10", shares=[0.3], n_lists=2, rng=1)
    assert without.designs == (LIST, TOPICS, SHALLOW)


def test_a_machine_that_tells_nothing_on_most_topics_leaves_combine_out() -> None:
    told = {topic: {d: g if topic in ("t0", "t1") else 3 for d, g in MACHINE[topic].items()} for topic in MACHINE}
    found = cc.planning.try_labels(
        RUNS, PEOPLE, "P(rel=2)@10", machine=cc.Qrels.from_dict(told), shares=[0.7], n_lists=2, rng=1
    )
    assert found.designs == (LIST, TOPICS, SHALLOW, ALONE)


def test_bad_shares_and_pairs_without_a_judgment() -> None:
    with pytest.raises(cc.errors.InputError, match=r"shares is \[0.1, 1.0\]: give shares of the judgments"):
        cc.planning.try_labels(RUNS, PEOPLE, "P@5", shares=[0.1, 1.0])
    with pytest.raises(cc.errors.InputError, match="found 0 topics with judgments and 9 runs: at least 2 of each"):
        cc.planning.try_labels(RUNS, cc.Qrels.from_dict({"x": {"y": 1}}), "P@5")
    some = PEOPLE.take(np.arange(PEOPLE.size) % 7 > 0)
    with pytest.warns(UserWarning, match=r"people did not judge \d+ of the 181 pairs in the pool, which count as"):
        found = cc.planning.try_labels(RUNS, some, "P@5", shares=[0.5], n_lists=1, rng=1)
    assert found.notes
