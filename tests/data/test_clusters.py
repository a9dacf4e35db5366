"""Groups of topics: one row per group, with the mean of the topics and the variance of a ratio of sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import concordant as cc
from concordant.errors import ConcordantError, ReadError

FloatArray = npt.NDArray[np.float64]
RNG = np.random.default_rng(3)
SCORES = cc.Scores(RNG.random((30, 4)) + np.repeat(RNG.normal(0, 0.5, (10, 1)), 3, axis=0), range(30), [*"abcd"])
GROUPS = {str(k): f"g{min(k // 2, 9)}" for k in range(30)}  # nine of 2 topics, one of 12
GROUPED = SCORES.described(groups=GROUPS)


def by_group(scores: cc.Scores, groups: Any) -> cc.Scores:
    made = cc.as_scores(scores, groups=groups)
    assert isinstance(made, cc.Scores)
    return made.observations()


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
    found = cc.rank_intervals(GROUPED, n_resamples=99, rng=1)
    assert found.pvalues.tolist() == cc.rank_intervals(rows, n_resamples=99, rng=1).pvalues.tolist()
    assert (found.settings["topics"], found.settings["groups"]) == (30, 10)
    assert "30 topics in 10 groups" in found.table()
    assert cc.reliability(GROUPED, rng=1).estimates == cc.reliability(rows, rng=1).estimates
    assert cc.plan_topics(GROUPED, n_resamples=99, rng=1).observed_topics == 10
    compared = cc.compare(GROUPED, SCORES, n_resamples=99, rng=1)
    assert compared.topics == rows.topics
    assert compared.settings["groups"] == 10


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "groups.csv"
    lines = [f"{topic},{group},all" for topic, group in GROUPS.items()]
    path.write_text("\n".join(["topic,document,domain", *lines]) + "\n")
    assert by_group(SCORES, f"{path}:document") == by_group(SCORES, GROUPS)
    with pytest.raises(ReadError, match=r"has the columns document, domain: choose one, as in .*:document"):
        by_group(SCORES, path)
    with pytest.raises(ReadError, match="has no column 'documents'; did you mean 'document'"):
        by_group(SCORES, f"{path}:documents")
    path.write_text("topic,document\n0,a\n0,b\n")
    with pytest.raises(ReadError, match="'0' has two labels, 'a' and 'b'"):
        by_group(SCORES, str(path))
    path.write_text("topic,document\n0\n")
    with pytest.raises(ReadError, match="has 1 cell, but the first line has 2"):
        by_group(SCORES, str(path))
    path.write_text("topic\n")
    with pytest.raises(ConcordantError, match="groups needs a header"):
        by_group(SCORES, str(path))


# Topics that occur twice are no new topics: with each and its copy as a group, everything is as without copies --------

_RNG = np.random.default_rng(5)
_LEVELS = np.linspace(0, 3, 9)
_SIDES = [_LEVELS + _RNG.normal(0, noise, (12, 9)) for noise in (0.8, 0.9, 1.4)]
ONCE = [cc.Scores(side, range(12), [*"abcdefghi"]) for side in _SIDES]
TWICE = [cc.Scores(np.repeat(side, 2, axis=0), range(24), [*"abcdefghi"]) for side in _SIDES]
COPIES = {str(k): str(k // 2) for k in range(24)}
TOGETHER = [side.described(groups=COPIES) for side in TWICE]
FAMILIES = {system: "xyz"[k // 3] for k, system in enumerate("abcdefghi")}


CALLS: dict[str, Callable[[list[cc.Scores]], Any]] = {
    "board": lambda s: cc.board(s[0], n_resamples=99, rng=1).pvalues,
    "compare": lambda s: cc.compare(*s[:2], worth=False, n_resamples=99, rng=1).rank_test,
    "correlate": lambda s: cc.correlate(s[0], s[1], n_resamples=500, rng=1),
    "expected_correlation": lambda s: cc.expected_correlation(s[0], n_resamples=99, rng=1),
    "family_bias": lambda s: cc.judges.family_bias(s[0], s[1], families=FAMILIES, n_resamples=99, rng=1),
    "judge_card": lambda s: cc.judge_card(s[0], {"a": s[1]}, n_resamples=99, rng=1).judges[0].ranks,
    "judge_worth": lambda s: cc.judge_worth(s[0], s[1], rng=1),
    "plan_topics": lambda s: cc.plan_topics(s[0], n_resamples=99, rng=1).expected,
    "rank_changes": lambda s: cc.judges.rank_changes(s[0], s[1], n_resamples=99, rng=1),
    "rank_intervals": lambda s: cc.rank_intervals(s[0], n_resamples=99, rng=1).pvalues,
    "rank_judges": lambda s: cc.rank_judges(s[0], {"a": s[1], "b": s[2]}, rng=1),
    "rank_test": lambda s: cc.rank_test(s[0], s[1], n_resamples=99, rng=1),
    "reliability": lambda s: cc.reliability(s[0], rng=1),
    "significance_agreement": lambda s: cc.judges.significance_agreement(s[0], s[1]),
    "soft_pairwise_accuracy": lambda s: cc.soft_pairwise_accuracy(s[0], s[1], n_resamples=99, rng=1),
}


@pytest.mark.parametrize("name", CALLS)
def test_copies_of_topics_in_groups_are_the_topics(name: str) -> None:
    found, expected, ignored = (flat(CALLS[name](sides)) for sides in (TOGETHER, ONCE, TWICE))
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
    assert ignored.shape != expected.shape or not np.allclose(ignored, expected, rtol=1e-3)


def flat(result: Any) -> FloatArray:
    """All numbers of a result but for its settings, in their order."""
    content = result if isinstance(result, np.ndarray) else result.to_dict()

    def numbers(value: Any) -> Iterator[float]:
        if isinstance(value, Mapping):
            for key, item in value.items():
                if key not in ("settings", "fingerprint", "notes"):
                    yield from numbers(item)
        elif isinstance(value, list | tuple | np.ndarray):
            for item in value:
                yield from numbers(item)
        elif isinstance(value, int | float | np.number) and not isinstance(value, bool):
            yield float(value)

    return np.array(list(numbers(content)))


def test_where_no_topics_are_drawn_groups_change_nothing() -> None:
    plain, grouped = (cc.correlate(*sides[:2], method=None, rng=1) for sides in (TWICE, TOGETHER))
    assert plain.to_dict() == grouped.to_dict()


def test_few_groups_are_few_topics() -> None:
    two = [side.described(groups={str(k): str(k % 2) for k in range(24)}) for side in TWICE]
    assert cc.judge_worth(two[0], two[1]).reason == "there are only 2 groups (at least 10 are needed)"


def test_sides_share_the_groups_that_one_of_them_has() -> None:
    both = cc.judge_worth(TOGETHER[0], TOGETHER[1], rng=1).to_dict()
    assert cc.judge_worth(TOGETHER[0], TWICE[1], rng=1).to_dict() == both
    assert cc.judge_worth(TWICE[0], TOGETHER[1], rng=1).to_dict() == both
    other = TWICE[1].described(groups={str(k): str(k // 3) for k in range(24)})
    with pytest.raises(ConcordantError, match="truth and candidate have different groups: give all sides the same"):
        cc.judge_worth(TOGETHER[0], other, rng=1)
    lacking = TWICE[1].described(groups={str(k): str(k // 2) for k in range(20)})
    with pytest.raises(ConcordantError, match=r"groups lacks 4 of 24 topics: 20, 21, 22, 23. Name the topics as"):
        cc.judge_worth(TWICE[0], lacking, rng=1)


def test_results_say_groups_where_these_are_counted() -> None:
    worth = cc.judge_worth(TOGETHER[0], TOGETHER[1], rng=1)
    assert "groups judged by candidate" in worth.verdict
    assert "12 groups" in worth.table()
    assert "topic" not in worth.table()
    assert "resamples of 12 groups" in cc.rank_test(TOGETHER[0], TOGETHER[1], n_resamples=99, rng=1).table()
    assert "predicted from 12 groups" in cc.plan_topics(TOGETHER[0], n_resamples=99, rng=1).verdict
    assert "worth in groups judged by truth" in cc.rank_judges(TOGETHER[0], {"a": TOGETHER[1]}, rng=1).table()


def test_groups_of_very_different_size_are_doubted() -> None:
    uneven = {str(k): str(min(k, 12)) for k in range(24)}  # twelve of one topic, one of twelve
    for function in (cc.judge_worth, cc.soft_pairwise_accuracy, cc.correlate):
        found = function(TWICE[0].described(groups=uneven), TWICE[1], rng=1)
        assert "13 groups of very different size count as about 4 of equal size" in found.notes[-1]
        assert not function(TOGETHER[0], TOGETHER[1], rng=1).notes
