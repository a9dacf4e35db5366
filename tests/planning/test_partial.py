"""`combine` with labels on some cells: the literal formulas, tests of how cells were chosen, what it promises."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binom

import concordant as cc
from concordant.data.favours import CombinedMeans
from concordant.errors import AlignmentWarning, InputError
from concordant.planning.partial import chosen_by_machine, fit_partial, labelled_by_topic

from ..commands import CAREFUL, bad, good, rows
from . import literal

FloatArray = Any


def world(
    rng: np.random.Generator, n: int = 20, m: int = 6, share: float = 0.4, **options: Any
) -> tuple[FloatArray, ...]:
    """Human scores, their labelled cells, the machine's scores, and the true means."""
    quality = np.linspace(0.3, 0.6, m)
    topic, cell = rng.normal(0, 0.15, (n, 1)), rng.normal(0, 0.12, (n, m))
    y = quality + topic + cell + rng.normal(0, 0.06, (n, m))
    f = 0.2 + 0.8 * (quality + cell) + 0.5 * topic + rng.normal(0, 0.06, (n, m))
    f[:, 0] += options.get("favour", 0.0)
    keys = rng.random((n, 1)) + np.zeros((1, m)) if options.get("whole") else rng.random((n, m))
    there = keys.argsort(axis=0).argsort(axis=0) < round(share * n)
    return y, np.where(there, y, np.nan), f, quality


def as_given(y: FloatArray, f: FloatArray) -> tuple[cc.Scores, cc.Scores]:
    topics, systems = [f"t{t}" for t in range(len(f))], [f"s{s}" for s in range(f.shape[1])]
    return cc.Scores(y, topics, systems), cc.Scores(f, topics, systems)


def combined(y: FloatArray, f: FloatArray, **options: Any) -> CombinedMeans:
    found = cc.combine(*as_given(y, f), names=("people", "gpt"), **options)
    return found


@pytest.mark.parametrize("by_topic", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_definition(seed: int, by_topic: bool) -> None:
    rng = np.random.default_rng(seed)
    _, y, f, _ = world(rng, n=12, m=5)
    y[:, 1] = np.where(rng.random(12) < 0.7, 0.4 + rng.normal(0, 0.3, 12), np.nan)  # noisier, with other labels
    found = fit_partial(y, f, by_topic=by_topic)
    cells = [[None if np.isnan(v) else float(v) for v in row] for row in y]
    expected = literal.partial_labels(cells, f.tolist(), by_topic)
    np.testing.assert_allclose(found.lam, expected["lam"][0], rtol=1e-10)
    np.testing.assert_allclose(found.means, expected["means"], rtol=1e-10)
    np.testing.assert_allclose(found.label_variance, expected["of_labels"], rtol=1e-8)
    np.testing.assert_allclose(found.variance, expected["variance"], rtol=1e-8)
    np.testing.assert_allclose(found.freedom, expected["freedom"], rtol=1e-8)


def test_values_on_dl21(data: Path) -> None:
    """Of the prototype: umbrela, 8 labels a system."""
    human, machine = (
        cc.read_scores(data / "dl21" / "scores" / f"ndcg_cut_10__{side}.csv") for side in ("human", "umbrela_gpt4")
    )
    there = np.random.default_rng(0).random(human.values.shape).argsort(axis=0) < 8
    labels = cc.Scores(np.where(there, human.values, np.nan), human.topics, human.systems)
    found = cc.combine(labels, machine)
    assert found.lam == pytest.approx(0.7485843105544835, abs=1e-12)
    of = {row["system"]: row for row in found.rows()}
    first = [of[system] for system in human.systems]
    assert [row["mean"] for row in first[:3]] == pytest.approx(
        [0.5448534277068933, 0.480505466233208, 0.5186173267338549], abs=1e-12
    )
    assert [(row["high"] - row["low"]) / 2 for row in first[:3]] == pytest.approx(
        [0.07597701910739281, 0.09586934161515773, 0.09559036403889751], abs=1e-9
    )
    covered = [row["low"] <= mean <= row["high"] for row, mean in zip(first, human.means(), strict=True)]
    assert np.mean(covered) == pytest.approx(0.9841269841269841)
    difference = found.difference(*human.systems[:2])
    reach = 0.04778755936493211 * stats.t.ppf(0.975, 22.0683738285931)
    assert difference.value == pytest.approx(0.06434796147368527, abs=1e-12)
    assert difference.interval is not None
    assert difference.interval.high - difference.value == pytest.approx(reach, abs=1e-9)


def test_the_test_of_random_cells_has_the_mean_and_variance_of_all_permutations() -> None:
    rng = np.random.default_rng(3)
    _, y, f, _ = world(rng, n=6, m=4, share=0.5)
    there = ~np.isnan(y)
    z = (f - f.mean(axis=0)) / f.std(axis=0)
    sums = [float((there[list(order)] * z).sum()) for order in itertools.permutations(range(6))]
    apart = abs(float((there * z).sum()) - np.mean(sums)) / np.std(sums)
    assert chosen_by_machine(there, f) == pytest.approx(2 * stats.norm.sf(apart), abs=1e-12)
    assert chosen_by_machine(there, np.ones_like(f)) == 1.0


def test_the_test_of_whole_topics_is_the_formula() -> None:
    there = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 0]], dtype=bool)
    share = [2 / 4, 2 / 4, 1 / 4]
    x = sum((k - sum(share)) ** 2 for k in (2, 1, 2, 0)) / sum(p * (1 - p) for p in share)
    assert labelled_by_topic(there) == pytest.approx(stats.chi2.sf(x, 3))


def test_random_cells_keep_the_level_and_chosen_ones_are_found() -> None:
    rng = np.random.default_rng(5)
    random, topics, chosen, whole = [], [], [], []
    for _ in range(400):
        _, y, f, _ = world(rng, n=30, m=8, share=0.3)
        random.append(chosen_by_machine(~np.isnan(y), f))
        topics.append(labelled_by_topic(~np.isnan(y)))
        keys = f.argsort(axis=0).argsort(axis=0) + rng.normal(0, 12, f.shape)  # low scores are likelier
        chosen.append(chosen_by_machine(keys.argsort(axis=0).argsort(axis=0) < 9, f))
        _, y, f, _ = world(rng, n=30, m=8, share=0.3, whole=True)
        whole.append(labelled_by_topic(~np.isnan(y)))
    for p in (random, topics):
        assert (np.array(p) <= 0.05).sum() <= binom.ppf(0.999, 400, 0.06)
    assert (np.array(chosen) <= 0.05).mean() > 0.9
    assert max(whole) < 1e-6


@pytest.mark.long
@pytest.mark.parametrize("whole", [False, True])
def test_intervals_hold_and_are_narrower_than_those_of_the_labels(whole: bool) -> None:
    rng, trials = np.random.default_rng(11), 500
    covered, differences, narrower = np.zeros(6), np.zeros(5), 0.0
    for _ in range(trials):
        _, y, f, truth = world(rng, n=40, share=0.3, whole=whole)
        found = combined(y, f)
        of = {row["system"]: row for row in found.rows()}
        covered += [of[f"s{s}"]["low"] <= truth[s] <= of[f"s{s}"]["high"] for s in range(6)]
        gaps = [found.difference(f"s{s}", "s0").interval for s in range(1, 6)]
        differences += [truth[s] - truth[0] in gap for s, gap in enumerate(gaps, start=1) if gap is not None]
        narrower += found.reduction / trials
    for hits in (covered, differences):
        assert 0.93 <= hits.mean() / trials <= 0.975
        assert hits.min() / trials >= 0.905
    assert narrower > 0.1


@pytest.mark.long
def test_the_favoured_system_is_named_and_no_other() -> None:
    rng, named, others, none = np.random.default_rng(12), 0, 0, 0
    for _ in range(200):
        _, y, f, truth = world(rng, n=50, m=8, favour=0.15)
        found = combined(y, f)
        named += "s0" in found.favoured()
        others += bool(set(found.favoured()) - {"s0"})
        of = {row["system"]: row for row in found.rows()}
        assert abs(of["s0"]["mean"] - truth[0]) < 0.2
        _, y, f, _ = world(rng, n=50, m=8)
        none += bool(combined(y, f).favoured())
    assert named >= 195
    assert others <= binom.ppf(0.999, 200, 0.05)
    assert none <= binom.ppf(0.999, 200, 0.05)


def test_what_is_said() -> None:
    _, y, f, _ = world(np.random.default_rng(1), n=40)
    found = combined(y, f)
    first = found.means.systems[0]
    assert str(found).splitlines()[0] == (
        f"{first} ranks first of 6 systems, from 96 labels by people (40% of the cells) and all scores of gpt."
    )
    assert f"gpt makes the intervals {100 * found.reduction:.0f}% narrower than those of the labels alone." in str(
        found
    )
    assert "The labelled cells look random, given the scores of gpt (p = " in str(found)
    assert "people labelled cells one by one." in str(found)
    assert "gpt favours no system significantly (corrected for 6 systems)." in str(found)
    assert found.doubts == ()
    assert len(found.to_frame()) == 6
    assert found.to_dict()["whole_topics"] is False
    assert cc.rank_intervals(found.means, rng=1).systems == found.means.systems
    _, y, f, _ = world(np.random.default_rng(1), n=40, whole=True)
    y[np.flatnonzero(~np.isnan(y[:, 0]))[0], 0] = np.nan
    assert "people labelled whole topics." in str(combined(y, f))


def test_no_promise_where_cells_were_chosen_or_labels_are_too_few() -> None:
    rng = np.random.default_rng(2)
    y, _, f, _ = world(rng, n=40)
    low = f.argsort(axis=0).argsort(axis=0) < 12
    found = combined(np.where(low, y, np.nan), f)
    assert found.doubts == ("someone may have chosen which cells to label",)
    assert "The labelled cells do not look random, given the scores of gpt: p < 0.001." in str(found)
    assert "The intervals may cover less than 95%: someone may have chosen" in str(found)
    _, y, f, _ = world(rng, n=20, m=4)
    assert combined(y, f).doubts == ("fewer than 5 systems need 10 labels for each system",)
    assert np.isnan(combined(y, f).favour).all()
    _, y, f, _ = world(rng, n=20)
    assert combined(np.where(np.isnan(y), y, y > 0.4), f).doubts == ("binary scores need 10 labels for each system",)
    assert combined(y, f).doubts == ()
    y[np.flatnonzero(~np.isnan(y[:, 2]))[2:], 2] = np.nan
    with pytest.raises(InputError, match="people has fewer than 3 labels for s2: label more"):
        combined(y, f)


def test_scale_order_and_direction_do_not_matter() -> None:
    _, y, f, _ = world(np.random.default_rng(4))
    found = combined(y, f)
    large = combined(y, 100 * f - 3)
    assert large.lam == pytest.approx(found.lam / 100)
    np.testing.assert_allclose(large.low, found.low, rtol=1e-9)
    np.testing.assert_allclose(large.favour_p, found.favour_p, rtol=1e-7)
    human, machine = as_given(y, f)
    turned = cc.combine(human.select(human.systems[::-1], human.topics[::-1]), machine)
    assert turned.means.systems == found.means.systems
    np.testing.assert_allclose(turned.high, found.high, rtol=1e-12)
    errors = cc.combine(
        *(cc.Scores(-side.values, side.topics, side.systems, lower_is_better=True) for side in (human, machine))
    )
    assert errors.means.systems == found.means.systems
    np.testing.assert_allclose(errors.low, -found.high, rtol=1e-12)


def test_topics_without_a_label_need_not_be_given_and_what_one_side_lacks_is_said() -> None:
    _, y, f, _ = world(np.random.default_rng(6), share=0.15, n=30)
    human, machine = as_given(y, f)
    there = [topic for topic, row in zip(human.topics, y, strict=True) if not np.isnan(row).all()]
    assert len(there) < 30
    assert cc.combine(human.select(topics=there), machine) == cc.combine(human, machine)
    with pytest.warns(AlignmentWarning, match=r"1 system of people left out, because gpt lacks it: s5"):
        found = cc.combine(human, machine.select(machine.systems[:5]), names=("people", "gpt"))
    assert found.notes == ("1 system of people left out, because gpt lacks it: s5",)


def test_a_policy_for_holes_is_heeded_and_others_are_refused() -> None:
    _, y, f, _ = world(np.random.default_rng(7), n=40, share=0.9)
    human, machine = as_given(y, f)
    assert "labels" in cc.combine(human.described(missing="available"), machine).rows()[0]
    with pytest.warns(AlignmentWarning, match="18 topics dropped of 40"):
        whole = cc.combine(human.described(missing="drop"), machine)
    assert "labels" not in whole.rows()[0]
    with pytest.raises(InputError, match="method is 'shrunk', which needs human scores without holes"):
        cc.combine(human, machine, method="shrunk")
    with pytest.raises(InputError, match="groups"):
        cc.combine(human.described(groups=["a", "b"] * 20), machine)
    with pytest.raises(InputError, match="no scores at all for s0"):
        cc.combine(human, cc.Scores(np.where(np.arange(6) == 0, np.nan, f), machine.topics, machine.systems))


def test_arrays_of_one_shape_are_matched_by_row() -> None:
    _, y, f, _ = world(np.random.default_rng(9))
    found = cc.combine(y, f)
    assert sorted(found.means.values) == sorted(combined(y, f).means.values)
    with pytest.raises(InputError, match="cannot be matched"):
        cc.combine(y, f[1:])


def test_the_figure_and_the_command(tmp_path: Path) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    _, y, f, _ = world(np.random.default_rng(8))
    assert len(combined(y, f).plot().lines) >= 2
    pyplot.close("all")
    people = cc.load_collection("people")
    there = np.random.default_rng(1).random(people.values.shape) < 0.4
    lines = [",".join(["topic", *people.systems])]
    lines += [
        ",".join([topic, *(f"{v}" if yes else "" for v, yes in zip(row, keep, strict=True))])
        for topic, row, keep in zip(people.topics, people.values, there, strict=True)
    ]
    labels = tmp_path / "labels.csv"
    labels.write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = good("combine", f"experts={labels}", CAREFUL)
    count = int(there.sum())
    start = f"ranks first of 20 systems, from {count} labels by experts ({100 * count / there.size:.0f}% of the cells)"
    assert start in said.splitlines()[0]
    table = rows("combine", labels, CAREFUL)
    assert {row["system"] for row in table} == set(people.systems)
    assert "shrunk" in bad("combine", labels, CAREFUL, "--method", "shrunk", status=1)
