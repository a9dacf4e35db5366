"""compare: values, labels, ties, topics, and what it says about them."""

from __future__ import annotations

import json
import math
import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import concordant as cc
from concordant.data.collection import path
from concordant.inference import intervals
from concordant.render.report.document import verdict_of

compare = partial(cc.compare, worth=False)  # which takes a third of a second
PEOPLE = {"dense": 0.61, "hybrid": 0.64, "bm25": 0.45, "rm3": 0.47, "ql": 0.4}
MODEL = {"bm25": 0.50, "rm3": 0.58, "dense": 0.70, "hybrid": 0.70, "ql": 0.1}


def scores(seed: int, *, n: int = 6, m: int = 5, decimals: int | None = None) -> cc.Scores:
    values = np.random.default_rng(seed).random((n, m))
    if decimals is not None:
        values = np.round(values, decimals)
    return cc.Scores(values, [f"t{k}" for k in range(n)], [f"s{k}" for k in range(m)], "map")


def test_values_are_those_of_the_coefficients_on_the_means() -> None:
    a, b = scores(1), scores(2)
    found = cc.compare(a, b)
    assert [v.coefficient for v in found.values] == [c.name for c in cc.list_coefficients()]
    for c in cc.list_coefficients():
        assert found[c.name] == c.function(a.means(), b.means())
    assert found.systems == a.systems
    assert found.topics == a.topics
    assert found.measure == "map"
    assert found.notes == (
        "The worth of candidate is not known: there are only 6 topics (at least 10 are needed) and 5 systems "
        "(at least 8 are needed)",
    )
    assert found.worth is None
    assert found.tie_bounds == ()


def test_labels_decide_not_positions() -> None:
    a, b = scores(1), scores(2)
    shuffled = b.select(systems=b.systems[::-1], topics=b.topics[::-1])
    found, expected = cc.compare(a, shuffled, rng=1), cc.compare(a, b, rng=1)
    assert found.rank_test is not None
    assert expected.rank_test is not None
    assert found.rank_test.pvalue == expected.rank_test.pvalue
    assert found.to_dict() == expected.to_dict()
    reordered = dict(reversed(MODEL.items()))
    assert cc.compare(PEOPLE, reordered, rng=1).to_dict() == cc.compare(PEOPLE, MODEL, rng=1).to_dict()


def test_kinds_of_sides(tmp_path: Path) -> None:
    a, b = scores(1), scores(2)
    path = tmp_path / "b.csv"
    b.to_frame().to_csv(path)
    expected = cc.compare(a, b)["tau_ap_b"]
    assert cc.compare(a, path)["tau_ap_b"] == expected
    assert cc.compare(a, str(path))["tau_ap_b"] == expected
    series = pd.Series(b.means(), index=b.systems)
    assert cc.compare(a, series)["tau_ap_b"] == expected
    assert cc.compare(a, series).topics == ()
    assert cc.compare(a, dict(zip(b.systems, b.means(), strict=True)))["tau_ap_b"] == expected


def test_means_given_as_numbers_are_compared_as_they_are() -> None:
    tiny = {"a": 0.1 + 0.2, "b": 0.3, "c": 0.1}
    assert compare(tiny, tiny).tied_truth == 0


def test_what_one_side_lacks_is_left_out_and_said() -> None:
    a, b = scores(1), scores(2)
    with pytest.warns(cc.errors.AlignmentWarning) as caught:
        found = compare(
            a.select(systems=["s0", "s1", "s2", "s3"]), b.select(systems=["s1", "s2", "s3", "s4"], topics=b.topics[1:])
        )
    assert found.systems == ("s1", "s2", "s3")
    assert found.topics == a.topics[1:]
    *left_out, reversed_too = found.notes
    assert len(left_out) == len(caught) == 3
    assert "nearly reversed" in reversed_too  # three systems, by chance
    assert any("s0" in note and "truth" in note for note in found.notes)
    assert any("s4" in note and "candidate" in note for note in found.notes)
    assert any("t0" in note for note in found.notes)
    assert [w.filename for w in caught] == [__file__] * 3
    common = compare(
        a.select(systems=found.systems, topics=found.topics), b.select(systems=found.systems, topics=found.topics)
    )
    assert found["tau_b"] == common["tau_b"]


def test_nothing_in_common() -> None:
    a = scores(1)
    other = cc.Scores(a.values, a.topics, [s + "x" for s in a.systems])
    with pytest.raises(cc.errors.InputError, match="no systems are common"):
        compare(a, other)
    elsewhere = cc.Scores(a.values, [t + "x" for t in a.topics], a.systems)
    with pytest.raises(cc.errors.InputError, match="no topics are common"):
        compare(a, elsewhere)
    assert compare(a, elsewhere, on="systems")["tau"] == 1
    with pytest.warns(cc.errors.AlignmentWarning), pytest.raises(cc.errors.InputError, match="1 system in common"):
        compare({"a": 1, "b": 2}, {"b": 1, "c": 2})


def test_coefficients_that_the_data_do_not_admit_say_why() -> None:
    found = compare(PEOPLE, MODEL)
    why = {v.coefficient: v.why for v in found.values if v.why}
    assert why == dict.fromkeys(["tau", "tau_ap", "tau_ap_symmetric", "tau_gap"], "ties in candidate")
    swapped = compare(MODEL, PEOPLE)
    assert {v.coefficient: v.why for v in swapped.values if v.why} == dict.fromkeys(
        ["tau", "tau_a", "tau_ap", "tau_ap_symmetric", "tau_ap_a"], "ties in truth"
    )
    assert math.isnan(swapped["tau"])
    flat = compare(PEOPLE, dict.fromkeys(PEOPLE, 1.0))
    assert "all systems are tied" in {v.coefficient: v.why for v in flat.values}["tau_b"]
    with pytest.raises(KeyError, match="no_such"):
        found["no_such"]


def test_ties_are_counted_and_bounded() -> None:
    found = compare(PEOPLE, MODEL)
    assert (found.tied_truth, found.tied_candidate, found.tied_both) == (0, 1, 0)
    assert [b.coefficient for b in found.tie_bounds] == ["tau", "tau_ap", "tau_gap"]
    assert found.tie_bounds[0].expected == found["tau_a"]
    assert "  pairs swapped    0 of 10, 1 tied (tau_b 0.95;" in str(found)
    assert compare(MODEL, PEOPLE).tie_bounds == ()


def test_top() -> None:
    found = compare(PEOPLE, MODEL, top=3)
    assert set(found.systems) == {"hybrid", "dense", "rm3"}
    tied = {"a": 3, "b": 2, "c": 2, "d": 1}
    with_ties = compare(tied, tied, top=2)
    assert set(with_ties.systems) == {"a", "b", "c"}
    assert "tied" in with_ties.notes[0]
    assert "all were compared" in compare(tied, tied, top=9).notes[0]
    for bad in (1, 0, -3, 2.5, True, "3"):
        with pytest.raises(cc.errors.InputError, match="top"):
            compare(PEOPLE, MODEL, top=bad)  # type: ignore[arg-type]


def test_per_topic() -> None:
    a, b = scores(1), scores(2)
    found = cc.compare(a, b, coefficients=["tau_b", "tau"], per_topic=True)
    expected = [float(cc.tau_b(x, y)) for x, y in zip(a.values, b.values, strict=True)]
    assert found.per_topic[0].values == tuple(expected)
    assert found.per_topic[0].mean == pytest.approx(np.mean(expected))
    assert found.per_topic[0].sd == pytest.approx(np.std(expected, ddof=1))
    values = b.values.copy()
    values[2] = 0.5
    values[4, :2] = 0.25
    tied = cc.compare(a, cc.Scores(values, b.topics, b.systems), coefficients=["tau_b", "tau"], per_topic=True)
    assert tied.per_topic[0].undefined == 1
    assert tied.per_topic[1].why == "ties in candidate on topic t2"
    assert "undefined on 1" in str(tied)
    for bad in ({"candidates": MODEL, "truth": PEOPLE}, {"truth": a, "candidates": b, "on": "systems"}):
        with pytest.raises(cc.errors.InputError, match="topic"):
            cc.compare(**bad, per_topic=True)


def test_rounded_scores_and_twins_are_pointed_out() -> None:
    a, b = scores(1), scores(2, decimals=2)
    values = b.values.copy()
    values[:, 1] = values[:, 0]
    found = compare(a, cc.Scores(values, b.topics, b.systems))
    assert any("2 decimals" in note for note in found.notes)
    assert any("s0, s1" in note for note in found.notes)


def test_bad_sides() -> None:
    for bad in ([0.1, 0.2], np.ones(3), 3.0, None):
        with pytest.raises(cc.errors.InputTypeError, match=r"truth is an? .*: give Scores, a file, a frame"):
            compare(bad, PEOPLE)
    with pytest.raises(cc.errors.InputError, match="there is no score for dense: leave these systems out"):
        compare({"dense": math.nan, "bm25": 1}, PEOPLE)
    with pytest.raises(cc.errors.InputError, match="repeated labels"):
        compare(pd.Series([1, 2], index=["a", "a"]), PEOPLE)
    with pytest.raises(cc.errors.InputError, match="no coefficient 'tau_c'"):
        compare(PEOPLE, MODEL, coefficients=["tau_c"])


def test_the_rank_test_is_that_of_the_aligned_truth() -> None:
    a, b = scores(1, n=30), scores(2, n=30)
    found = cc.compare(a, b, rng=5, n_resamples=499)
    expected = cc.rank_test(a, b.means(), n_resamples=499, rng=5)
    assert found.rank_test is not None
    assert (found.rank_test.distance, found.rank_test.pvalue) == (expected.distance, expected.pvalue)
    assert f"  Rank distance {expected.distance:.2f}: 30 topics" in str(found)
    seed = cc.compare(a, b).settings["seed"]  # drawn, and told
    assert cc.compare(a, b, rng=seed).to_dict() == cc.compare(a, b, rng=seed).to_dict()
    assert cc.compare(a, b, rank_test=None).rank_test is None
    assert cc.compare(PEOPLE, MODEL).rank_test is None
    few = cc.compare(scores(1, n=4), scores(2, n=4), rng=1)
    assert "rank test not run: it needs more topics than systems" in few.text(every=True)


def test_intervals_are_those_of_correlate() -> None:
    a, b = cc.load_collection("people"), cc.load_collection("careful")
    how: dict[str, Any] = {"confidence_level": 0.9, "n_resamples": 999}
    found = cc.compare(a, b, interval=True, **how, rank_test=None, rng=5)
    have = {v.coefficient: v.interval for v in found.values if v.interval is not None}
    assert list(have) == ["tau_b", "tau_ap_b", "pearson_rank"]
    for name, interval in have.items():
        assert interval == cc.correlate(a, b, coefficient=name, **how, rng=5).interval
        stored = found.comparisons[0].to_dict()["intervals"][name]
        assert (stored["low"], stored["high"]) == (interval.low, interval.high)
        assert re.search(rf"\n  {name} +0\.\d+  {interval.low:.2f} to {interval.high:.2f}\n", str(found))
    assert "  90% interval\n" in str(found)
    assert found.to_frame().loc["tau_b", "low"] == have["tau_b"].low
    named = cc.compare(a, b, coefficients=["spearman", "tau"], interval=True, **how, rank_test=None, rng=5)
    assert [v.interval is not None for v in named.values] == [True, False]
    assert any("tau has no interval" in note and "tau_b" in note for note in named.notes)
    with pytest.raises(cc.errors.InputError, match="interval resamples topics"):
        cc.compare(PEOPLE, MODEL, interval=True, **how)
    with pytest.raises(cc.errors.InputError, match="interval resamples topics"):
        cc.compare(a, b.select(topics=b.topics[:30]), interval=True, **how, on="systems")


def test_the_level_is_that_of_the_worth_as_well() -> None:
    a, b = cc.load_collection("people"), cc.load_collection("careful")
    found = cc.compare(a, b, coefficients=["tau_b"], rank_test=None, confidence_level=0.8, rng=5)
    assert found.worth is not None
    assert found.worth.interval == cc.judge_worth(a, b, confidence_level=0.8, rng=5).interval
    assert found.settings["confidence_level"] == 0.8
    with pytest.raises(cc.errors.InputError, match="confidence_level is 80"):
        cc.compare(a, b, confidence_level=80)
    with pytest.raises(cc.errors.InputError, match="n_resamples is 499: an interval needs at least 500"):
        cc.compare(a, b, interval=True, n_resamples=499)


def test_tests_against_chance() -> None:
    a, b = cc.load_collection("people"), cc.load_collection("careful")
    found = cc.compare(a, b, coefficients=["tau_b", "tau_ap", "tau_ap_b"], test=True, rank_test=None, rng=5)
    pvalues = found.comparisons[0].to_dict()["pvalues"]
    assert pvalues["tau_b"] == cc.null_distribution("tau", 20).pvalue(found["tau_b"])
    assert pvalues["tau_ap"] == cc.null_distribution("tau_ap", 20).pvalue(found["tau_ap"])
    assert pvalues["tau_ap_b"] == cc.permutation_test(a.means(), b.means(), coefficient="tau_ap_b", rng=5).pvalue
    assert re.search(r"value  p \(chance\)\n  tau_b +0\.905     < 0\.001\n", str(found))
    tied = cc.compare(a, cc.load_collection("hasty"), coefficients=["tau_b", "tau"], test=True, rank_test=None, rng=5)
    expected = cc.permutation_test(a.means(), cc.load_collection("hasty").means(), coefficient="tau_b", rng=5).pvalue
    assert tied.comparisons[0].to_dict()["pvalues"] == {"tau_b": expected}
    assert cc.compare(a, b).comparisons[0].to_dict()["pvalues"] == {}


def test_a_ranking_that_says_nothing_is_not_tested() -> None:
    a = scores(1, n=30)
    flat = cc.Scores(np.ones((30, 5)), a.topics, a.systems)
    assert cc.compare(a, flat).rank_test is None
    tied = cc.compare(a, {"s0": 1, "s1": 1, "s2": 2, "s3": 3, "s4": 4}, n_resamples=99, rng=1)
    assert "tied systems may have any order" in str(tied)


def test_errors_call_the_sides_by_name() -> None:
    a = scores(1)
    other = cc.Scores(a.values, a.topics, [s + "x" for s in a.systems])
    with pytest.raises(cc.errors.InputError, match=r"human has s0.*machine has s0x"):
        compare(a, other, names=("human", "machine"))


def test_in_threads_every_reason_is_right_and_warning_filters_stay() -> None:
    """300 comparisons on 8 threads: three kinds of data with three sets of reasons."""
    flat = dict.fromkeys(PEOPLE, 1.0)
    cases = [(PEOPLE, MODEL), (MODEL, PEOPLE), (PEOPLE, flat)]
    names = ["tau", "tau_a", "tau_b", "tau_ap_b", "tau_gap", "pearson", "spearman", "weighted_tau", "pearson_rank"]

    def reasons(k: int) -> dict[str, str]:
        found = compare(*cases[k % 3], coefficients=names, rank_test=None)
        return {v.coefficient: v.why for v in found.values if v.why}

    expected = [reasons(k) for k in range(3)]
    assert expected[0] == dict.fromkeys(["tau", "tau_gap"], "ties in candidate")
    assert expected[1] == dict.fromkeys(["tau", "tau_a"], "ties in truth")
    assert "all systems are tied" in expected[2]["tau_b"]
    before = list(warnings.filters)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(reasons, range(300)))
    assert found == [expected[k % 3] for k in range(300)]
    assert warnings.filters == before


def test_the_verdict_comes_first_then_the_table_then_notes() -> None:
    a, b = cc.load_collection("people"), cc.load_collection("hasty")
    names = ("people", "hasty")
    found = cc.compare(a, b, coefficients=["tau_b", "tau_ap_b", "rbo"], names=names, n_resamples=199, rng=5)
    verdict, table, *_ = str(found).split("\n\n")
    assert " ".join(verdict.split("\n")) == found.verdict == found.to_dict()["verdict"]
    assert found.worth == cc.judge_worth(a, b, names=("people", "hasty"), rng=5)
    assert found.verdict == f"{found.worth.verdict}."
    assert f"(tau_b {found['tau_b']:.2f}; top-weighted tau_ap_b {found['tau_ap_b']:.2f})" in table
    without = cc.compare(a, b, coefficients=["tau_b"], names=names, worth=False, n_resamples=199, rng=5)
    assert without.rank_test is not None
    assert without.verdict == f"hasty swaps 25 of 190 pairs of people's systems (tau_b {found['tau_b']:.2f})."
    assert f"rule out hasty's ranking (p = {without.rank_test.pvalue:.2f}; tied" in str(without)
    assert [row["coefficient"] for row in found.rows()] == ["worth", "tau_b", "tau_ap_b", "rbo", "d_rank"]
    undefined = cc.compare(PEOPLE, MODEL, coefficients=["tau"])
    assert undefined.verdict == "candidate swaps none of 10 pairs of truth's systems."
    assert "No value: tau (ties in candidate; tau_b and tau_ap_b allow ties)" in str(undefined)
    assert "Note: " in str(cc.compare(PEOPLE, MODEL, top=9))


def test_an_interval_that_cannot_be_made_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = cc.load_collection("people"), cc.load_collection("hasty")

    def but_the_first(sides: Any, coefficients: Any, *how: Any) -> Any:
        return [None, *intervals.limits(sides, coefficients[1:], *how)]

    monkeypatch.setattr("concordant.agreement.comparison.limits", but_the_first)
    found = cc.compare(a, b, coefficients=["tau_b", "rbo"], interval=True, n_resamples=500, rank_test=None, worth=False)
    assert [v.interval is not None for v in found.values] == [False, True]
    assert any(note.startswith("tau_b has no interval: the coefficient is undefined") for note in found.notes)


def test_a_coefficient_that_nearly_no_resample_defines_has_no_interval() -> None:
    x = np.random.default_rng(0).random((10, 4))
    y = np.zeros((10, 4))
    y[:1] = x[:1]  # most resamples of resamples lack this topic, and have a side all tied
    names = ["t" + str(k) for k in range(10)], ["a", "b", "c", "d"]
    with pytest.raises(cc.errors.InputError, match="undefined on nearly all resamples"):
        cc.correlate(cc.Scores(x, *names), cc.Scores(y, *names), method="iterated", n_resamples=500, rng=1)


def test_bad_settings() -> None:
    with pytest.raises(cc.errors.InputError, match="rank_test is 'exact'"):
        compare(PEOPLE, MODEL, rank_test="exact")  # type: ignore[arg-type]
    with pytest.raises(cc.errors.InputError, match="on is 'foo'"):
        compare(PEOPLE, MODEL, on="foo")  # type: ignore[arg-type]
    with pytest.raises(cc.errors.InputError, match=r"names is .*: give 2 strings"):
        compare(PEOPLE, MODEL, names=("x",))


def test_results_are_frozen_and_print_as_a_table() -> None:
    found = cc.compare(PEOPLE, MODEL, rng=7)
    assert found.settings["seed"] == 7
    assert repr(found) == str(found)
    assert found == cc.compare(PEOPLE, MODEL, rng=7)
    assert found != cc.compare(MODEL, PEOPLE, rng=7)
    with pytest.raises(ValueError, match="read-only"):
        found.truth_means[0] = 1


def test_to_dict_survives_json_and_to_frame_has_all() -> None:
    found = cc.compare(scores(1), scores(2, decimals=0), per_topic=True)
    plain: dict[str, Any] = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain == found.to_dict()
    assert plain["comparisons"][0]["coefficients"]["tau_b"] == found["tau_b"]
    frame = found.to_frame()
    assert frame.loc["tau_b", "value"] == found["tau_b"]
    assert list(frame.index) == [*(v.coefficient for v in found.values), "d_rank"]


def test_golden_values_of_real_judges(data: Path, golden: Path) -> None:
    expected = json.loads((golden / "real_data.json").read_text())["dl21_ndcg10_tau_b_against_human"]
    folder = data / "dl21" / "scores"
    human = cc.read_scores(folder / "ndcg_cut_10__human.csv")
    checked = 0
    for judge, value in expected.items():
        if judge != "about":
            found = compare(human, folder / f"ndcg_cut_10__{judge}.csv", coefficients=["tau_b"], rank_test=None)
            assert found["tau_b"] == pytest.approx(value, abs=5e-4)
            assert len(found.systems) == 63
            assert len(found.topics) == 53
            checked += 1
    assert checked == 6


def test_ties_of_real_means(trec: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ap, p10 = (trec / f"robust2004_{measure}.csv" for measure in ("ap", "p10"))
        robust = compare(ap, p10, coefficients=["tau_b"], rank_test=None)
    assert robust.tied_candidate == 16
    assert robust["tau_b"] == pytest.approx(0.7993, abs=1e-3)


def test_the_collection_that_comes_with_the_package(tmp_path: Path) -> None:
    import importlib.util

    maker = Path(__file__).parents[2] / "examples" / "make_collection.py"
    spec = importlib.util.spec_from_file_location("make_collection", maker)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(tmp_path)
    for name in ("people", "careful", "hasty"):
        assert (tmp_path / f"{name}.csv").read_bytes() == path(name).read_bytes()
        assert cc.load_collection(name).measure == "nDCG@10"
    with pytest.raises(cc.errors.InputError, match="people"):
        cc.load_collection("nobody")


def test_the_same_data_twice_is_said_instead_of_praised(tmp_path: Path) -> None:
    people = cc.load_collection("people")
    again = tmp_path / "again.csv"
    people.to_frame().to_csv(again)
    found = compare(people, again, rng=1)
    assert found.same == "scores"
    assert found.verdict == (
        "again and people have the same scores for every system. They are the same data, so their agreement shows "
        "nothing."
    )
    shuffled = cc.Scores(people.values[::-1], people.topics, people.systems)
    assert compare(people, shuffled, rng=1).same == "means"
    means = dict(zip(people.systems, people.means().tolist(), strict=True))
    assert compare(means, means).same == "means"
    assert compare(people, cc.load_collection("careful"), rng=1).same == ""


def test_systems_far_beyond_the_others_are_named() -> None:
    truth = {"a": 12.31, "b": 12.42, "c": 12.5, "diverged": -3e13}
    candidate = {"a": 12.31, "b": 12.42, "c": 12.6, "diverged": 1.0}
    (note,) = compare(truth, candidate).notes
    assert note.startswith("scores of truth reach 3e+13 in size for diverged, over a million times")


def test_progress_goes_once_from_nothing_to_all_through_intervals_and_tests() -> None:
    people, careful = cc.load_collection("people"), cc.load_collection("careful")
    seen: list[tuple[int, int]] = []
    cc.compare(
        people,
        careful,
        interval=True,
        test=True,
        worth=False,
        n_resamples=500,
        rng=1,
        progress=lambda done, total: seen.append((done, total)),
    )
    shares = [done / total for done, total in seen]
    assert len({total for _, total in seen}) == 1
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_a_side_that_ties_all_systems_has_no_ranking_to_compare() -> None:
    people = cc.load_collection("people")
    tied = cc.Scores(np.full(people.values.shape, 0.5), people.topics, people.systems)
    one = compare(people, {"flat": tied}, rng=1)
    assert one.verdict == "flat gives all systems the same score, so its ranking cannot be compared."
    assert one.to_dict()["verdict"] == one.to_dict()["comparisons"][0]["verdict"] == one.verdict
    assert verdict_of(one)["headline"] == one.verdict
    other = compare({"level": tied}["level"], people, names=["level", "people"], rng=1)
    assert other.verdict == "level gives all systems the same score, so its ranking cannot be compared."
    several = compare(people, {"flat": tied, "hasty": cc.load_collection("hasty")}, rng=1)
    assert several.verdict == f"{several['hasty'].verdict} {one.verdict}"


def test_the_same_data_among_others_takes_nothing_from_the_verdict_on_them() -> None:
    people, careful, hasty = map(cc.load_collection, ("people", "careful", "hasty"))
    both = cc.compare(people, [careful, hasty], names=["people", "careful", "hasty"], rng=1)
    again = cc.compare(people, [people, hasty, careful], names=["people", "again", "hasty", "careful"], rng=1)
    assert again.verdict == (
        f"{both.verdict} again and people have the same scores for every system, so their agreement shows nothing."
    )
    assert again["hasty"].worth.worth == both["hasty"].worth.worth
    lines = again.table().splitlines()
    assert [line.split("  ")[1] for line in lines[1:6]] == [
        "careful", "weaker than the best:", "hasty", "the same data:", "again",
    ]  # fmt: skip
    assert verdict_of(again)["headline"] == verdict_of(both)["headline"]
    one = cc.compare(people, [people, hasty], names=["people", "again", "hasty"], rng=1)
    assert one.verdict.startswith(both["hasty"].verdict)


def test_an_identical_ranking_is_not_too_few_topics() -> None:
    people = cc.load_collection("people")
    (c,) = compare(people, dict(zip(people.systems, people.means().tolist(), strict=True)), rng=1).comparisons
    assert c.rank_line() == "Rank distance 0: candidate's ranking is that of people's means"
    undefined = compare(people, cc.load_collection("hasty"), names=["people", "hasty"], rng=1).to_dict()
    assert undefined["comparisons"][0]["not_defined"]["tau"] == "ties in hasty"


def test_two_topics_have_no_interval_and_say_why() -> None:
    sides = [cc.load_collection(name) for name in ("people", "careful")]
    two = [side.select(topics=side.topics[:2]) for side in sides]
    found = cc.correlate(*two, rng=1)
    assert found.value == cc.correlate(*two, method=None).value
    assert found.interval is None
    assert found.notes[-1].startswith("no interval: 2 topics or groups are too few")
    assert compare(*two, interval=True, rng=1).notes[-1] == found.notes[-1]
    three = [side.select(topics=side.topics[:3]) for side in sides]
    assert cc.correlate(*three, rng=1).interval is not None
