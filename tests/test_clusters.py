"""Groups of topics: one row per group, with the mean of the topics and the variance of a ratio of sums."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import concordant as cc
from concordant.clusters import by_group
from concordant.errors import ConcordantError, ReadError

RNG = np.random.default_rng(3)
SCORES = cc.Scores(RNG.random((30, 4)) + np.repeat(RNG.normal(0, 0.5, (10, 1)), 3, axis=0), range(30), [*"abcd"])
GROUPS = {str(k): f"g{min(k // 2, 9)}" for k in range(30)}  # nine of 2 topics, one of 12


def test_rows_have_the_mean_and_the_variance_of_a_ratio() -> None:
    found = by_group(SCORES, GROUPS)
    assert found.topics == tuple(f"g{k}" for k in range(10))
    np.testing.assert_allclose(found.means(), SCORES.means(), atol=1e-12)
    means, g = SCORES.means(), 10
    literal = np.zeros(4)
    for name in found.topics:
        members = [SCORES.values[int(t)] for t, group in GROUPS.items() if group == name]
        literal += (np.sum(members, axis=0) - len(members) * means) ** 2
    literal *= g / (g - 1) / 30**2
    np.testing.assert_allclose(found.values.var(axis=0, ddof=1) / g, literal, rtol=1e-10)


def test_groups_of_one_topic_are_topics() -> None:
    alone = {str(k): f"t{k}" for k in range(30)}
    np.testing.assert_allclose(by_group(SCORES, alone).values, SCORES.values, atol=1e-14)
    assert by_group(SCORES, None) is SCORES


def test_the_bootstrap_of_rows_is_that_of_groups() -> None:
    """With groups of one size, exactly: the mean over drawn rows is the mean over the topics of the drawn groups."""
    groups = {str(k): f"g{k // 3}" for k in range(30)}
    rows, drawn = by_group(SCORES, groups).values, np.random.default_rng(1).integers(0, 10, 10)
    topics = np.concatenate([SCORES.values[3 * g : 3 * g + 3] for g in drawn])
    np.testing.assert_allclose(rows[drawn].mean(axis=0), topics.mean(axis=0), atol=1e-12)


def test_groups_are_the_sample_everywhere() -> None:
    rows = by_group(SCORES, GROUPS)
    found = cc.rank_intervals(SCORES, groups=GROUPS, n_resamples=99, rng=1)
    assert found.pvalues.tolist() == cc.rank_intervals(rows, n_resamples=99, rng=1).pvalues.tolist()
    assert (found.settings["topics"], found.settings["groups"]) == (30, 10)
    assert "30 topics in 10 groups" in found.verdict
    assert cc.reliability(SCORES, groups=GROUPS, rng=1).estimates == cc.reliability(rows, rng=1).estimates
    assert cc.plan_topics(SCORES, groups=GROUPS, n_resamples=99, rng=1).observed_topics == 10
    compared = cc.compare(SCORES, SCORES, groups=GROUPS, n_resamples=99, rng=1)
    assert compared.topics == rows.topics
    assert compared.settings["groups"] == "given"


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    lines = [f"{topic},{group},all" for topic, group in GROUPS.items()]
    path.write_text("\n".join(["topic,document,domain", *lines]) + "\n")
    assert by_group(SCORES, f"{path}:document") == by_group(SCORES, GROUPS)
    with pytest.raises(ReadError, match=r"has the columns document, domain: choose one as .*:document"):
        by_group(SCORES, path)
    with pytest.raises(ReadError, match="has no column 'documents'; did you mean 'document'"):
        by_group(SCORES, f"{path}:documents")
    path.write_text("topic,document\n0,a\n0,b\n")
    with pytest.raises(ReadError, match="topic '0' has two labels, 'a' and 'b'"):
        by_group(SCORES, str(path))
    path.write_text("topic,document\n0\n")
    with pytest.raises(ReadError, match="has 1 cell where the first line has 2"):
        by_group(SCORES, str(path))
    path.write_text("topic\n")
    with pytest.raises(ConcordantError, match="groups needs a line of names"):
        by_group(SCORES, str(path))
