"""`judgment_study` beside the same computed step by step, and its promises about seeds, folders and processes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.judgments import Change
from concordant.study.judgments import summary_of

pytestmark = pytest.mark.filterwarnings("ignore:.*in the pool of depth")


def collection(n_systems: int = 8, n_topics: int = 12, seed: int = 3) -> tuple[cc.Runs, cc.Qrels]:
    """Documents with grades, and systems that see them through more and more noise."""
    rng = np.random.default_rng(seed)
    names = [f"d{k}" for k in range(40)]
    grades = {str(t): dict(zip(names[:35], rng.integers(0, 3, 35).tolist(), strict=True)) for t in range(n_topics)}
    nested: dict[str, dict[str, list[str]]] = {f"s{s}": {} for s in range(n_systems)}
    for s in range(n_systems):
        for t in range(n_topics):
            worth = [grades[str(t)].get(name, 0) + rng.normal(0, 1 + s / 2) for name in names]
            nested[f"s{s}"][str(t)] = [names[k] for k in np.argsort(worth)[::-1][:20]]
    return cc.Runs.from_dict(nested), cc.Qrels.from_dict(grades)


RUNS, QRELS = collection()
MACHINE = QRELS.with_grades((QRELS.grades + np.arange(QRELS.size)) % 3)
TEAMS = {"A": ["s0", "s1"], "B": ["s2", "s3", "s4"]}
CHANGES = [
    Change("depth_pool", 3, contributing=["s0", "s1", "s2"]),
    Change("sample", 0.3, least=(1, 2)),
    Change("pseudo", 5, share=0.2),
    Change("from_runs", "s0"),
    Change("leave_out", "A", teams=TEAMS, k=5),
    Change("mix", 0.5, machine=MACHINE),
    Change("judge", "machine", qrels=MACHINE),
]
MEASURES = ["AP", "nDCG@5"]


def study(**changed: Any) -> cc.study.StudyResult:
    given: dict[str, Any] = {"changes": CHANGES, "measures": MEASURES, "rng": 5, "n_draws": 3, "n_resamples": 200}
    return cc.study.judgment_study(RUNS, QRELS, **(given | changed))


@pytest.fixture(scope="module")
def found() -> cc.study.StudyResult:
    with warnings.catch_warnings(action="ignore"):
        return study()


def test_every_number_again(found: cc.study.StudyResult) -> None:
    trial = 0
    for change in CHANGES:
        for draw in range(3 if change.random else 1):
            rng = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(trial,)))
            qrels = change.make(RUNS, QRELS, rng)
            trial += 1
            for k, measure in enumerate(MEASURES):
                full, part = (cc.evaluate(RUNS, of, measure) for of in (QRELS, qrels))
                place = change.kind, change.label, measure
                np.testing.assert_array_equal(found.full[k], full.means())
                np.testing.assert_array_equal(found.scores[place][draw], part.means())
                for name in ("tau_b", "tau_ap_b", "pearson_rank"):
                    value = cc.get_coefficient(name).function(full.means(), part.means())
                    assert found.draws[*place, name][draw] == pytest.approx(value, abs=1e-12)
                distance = cc.rank_distance(full, part.means())
                assert found.draws[*place, "d_rank"][draw] == pytest.approx(distance, abs=1e-9)
                test = cc.rank_test(full, part.means(), method="paper", n_resamples=200, rng=5)
                assert found.draws[*place, "p"][draw] == test.pvalue
                worth = cc.judge_worth(full, part)
                assert found.draws[*place, "worth"][draw] == pytest.approx(min(worth.worth, 100.0), rel=1e-9)
            top = [(t, d) for s in ["s4"] for t in RUNS.topics for d in RUNS.documents(s, t)[:10]]
            unjudged = np.mean([qrels[t].get(d, -1) < 0 for t, d in top])
            assert found.unjudged[change.kind, change.label][draw][4] == pytest.approx(unjudged, abs=1e-12)
    assert trial == len(found.values)


def test_rows_are_means_over_draws(found: cc.study.StudyResult) -> None:
    rows = {(r["change"], r["level"], r["measure"], r["statistic"]): r for r in found.rows()}
    assert len(rows) == len(CHANGES) * len(MEASURES) * len(found.statistics)
    draws = found.draws["sample", "0.3", "AP", "tau_b"]
    row = rows["sample", "0.3", "AP", "tau_b"]
    assert len(draws) == row["draws"] == row["defined"] == 3
    assert (row["mean"], row["sd"]) == pytest.approx((draws.mean(), draws.std(ddof=1)))
    assert (row["low"], row["high"]) == pytest.approx(tuple(np.quantile(draws, [0.025, 0.975])))
    assert np.isnan(rows["depth_pool", "3", "AP", "tau_b"]["low"])  # one draw has no spread
    assert found.cell("judge", "machine", "AP", "tau_b")["judgments"] == QRELS.size
    assert len(found.to_frame()) == len(rows)
    assert "sample" in str(found)
    assert found.to_dict()["rows"][0]["low"] is None


def test_consequences_for_each_system(found: cc.study.StudyResult) -> None:
    rows = [r for r in found.tables["systems.csv"] if (r["change"], r["measure"]) == ("depth_pool", "AP")]
    full = cc.evaluate(RUNS, QRELS, "AP")
    part = cc.evaluate(RUNS, CHANGES[0].make(RUNS, QRELS, np.random.default_rng(0)), "AP")

    def rank(scores: cc.Scores, system: str) -> float:
        means = dict(zip(scores.systems, scores.means(), strict=True))
        better = sum(mean > means[system] for mean in means.values())
        same = sum(mean == means[system] for mean in means.values())
        return float(better + (same + 1) / 2)

    for row, system, before, after in zip(rows, RUNS.systems, full.means(), part.means(), strict=True):
        assert row["system"] == system
        assert (row["full_score"], row["score"], row["score_change"]) == pytest.approx((before, after, after - before))
        assert (row["full_rank"], row["rank"]) == (rank(full, system), rank(part, system))
        assert row["rank_shift"] == row["rank"] - row["full_rank"]


def test_ties_and_undefined_values_are_nan() -> None:
    runs = cc.Runs.from_dict({s: {"1": ["x", "y"], "2": ["y", "x"]} for s in "ab"} | {"c": {"1": ["y"], "2": ["x"]}})
    qrels = cc.Qrels.from_dict({"1": {"x": 1, "y": 0}, "2": {"y": 1}})
    with pytest.warns(cc.errors.RegularisationWarning) as caught:
        result = cc.study.judgment_study(
            runs,
            qrels,
            [Change("judge", "none", qrels=qrels.with_grades(qrels.grades * 0))],
            ["RR", "AP"],
            n_resamples=9,
        )
    assert len(caught) == 1  # not once a measure
    assert np.isnan(result.cell("judge", "none", "RR", "tau")["mean"])
    assert np.isnan(result.cell("judge", "none", "RR", "tau_b")["mean"])
    assert result.to_dict()["rows"][0]["mean"] is None


@pytest.mark.long
def test_a_study_continues_in_its_folder_and_is_the_same_in_processes(
    tmp_path: Path, found: cc.study.StudyResult
) -> None:
    first = study(folder=tmp_path)
    np.testing.assert_array_equal(first.values, found.values)
    again = study(folder=tmp_path)
    assert again.cost["computed"] == 0
    np.testing.assert_array_equal(again.values, found.values)
    with pytest.raises(cc.errors.InputError, match=r"holds another study: .*n_draws is 3 there and 4 here"):
        study(folder=tmp_path, n_draws=4)
    many = [Change("sample", 0.5), *CHANGES]
    one, two = (
        study(changes=many, coefficients=["tau_b"], n_draws=8, n_resamples=20, workers=w).values for w in (1, 2)
    )
    np.testing.assert_array_equal(one, two)
    written = found.save(tmp_path / "tables")
    assert [path.name for path in written] == ["judgments.csv", "systems.csv", "judgments.png"]
    assert written[2].read_bytes()[1:4] == b"PNG"
    assert written[1].read_text().startswith("change,level,measure,system,full_score")


def test_figures(found: cc.study.StudyResult) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    ax = found.plot(change="sample", statistic="d_rank")
    assert ax.get_ylabel() == "d_rank"
    assert len(ax.lines) == len(MEASURES)
    pyplot.close("all")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"changes": []}, r"changes is \[\]: give a list of changes, such as"),
        ({"changes": [("sample", 0.1)]}, "such as .concordant.judgments.Change"),
        ({"changes": Change("sample", 0.1)}, "give a list of changes"),
        ({"changes": [Change("sample", 0.1), Change("sample", 0.1)]}, "sample 0.1 twice"),
        ({"changes": [Change("leave_out", "X", teams=TEAMS)]}, "teams has no 'X'"),
        ({"changes": [Change("judge", "x", qrels=QRELS.select(["0"]))]}, "lacks topics of the full qrels: 1"),
        ({"changes": [Change("mix", 0.5, machine=MACHINE.with_grades(MACHINE.grades / 2))]}, "rel="),
        ({"measures": ["x"]}, "unknown measure 'x'"),
        ({"measures": []}, r"measures is \[\]: give a list of names"),
        ({"coefficients": ["x"]}, "no coefficient 'x'"),
        ({"coefficients": []}, r"coefficients is \[\]: give a list of names"),
        ({"coefficients": "tau"}, "give a list of names"),
        ({"rng": None}, "rng is None: give a seed, a whole number"),
        ({"n_draws": 0}, "n_draws is 0"),
        ({"depth": 0}, "depth is 0"),
    ],
)
def test_bad_arguments(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(cc.errors.InputError, match=message):
        study(**changed)


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("pool", {}, "no change 'pool': choose from depth_pool"),
        ("mix", {}, "mix takes machine and needs machine"),
        ("sample", {"k": 3}, "sample takes least, rel"),
        ("judge", {"qrels": {}}, r"qrels is \{\}: give Qrels"),
        ("judge", {"qrels": QRELS}, "level is 1: give a string"),
        ("from_runs", {}, "level is 1: give a string or a list of strings"),
    ],
)
def test_bad_changes(kind: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(cc.errors.InputError, match=message):
        Change(kind, 1, **options)


def test_unknown_places(found: cc.study.StudyResult) -> None:
    with pytest.raises(cc.errors.InputError, match="level is '9': the study has 3"):
        found.cell("sample", "9", "AP", "tau_b")["mean"]
    with pytest.raises(cc.errors.InputError, match="measure is 'RR': the study has AP"):
        found.cell("sample", "0.3", "RR", "tau_b")["mean"]


@pytest.mark.filterwarnings("ignore::concordant.errors.RegularisationWarning")
def test_no_p_value_where_no_test_keeps_its_level(found: cc.study.StudyResult) -> None:
    assert found.tested
    assert all(0 <= row["p"] <= 1 for row in summary_of(found))
    few = cc.study.judgment_study(*collection(12, 11), [Change("depth_pool", 3)], ["AP"], rng=5, n_resamples=200)
    assert not few.tested
    (row,) = summary_of(few)
    assert "p" not in row
    assert row["d_rank"] > 0
    assert np.isnan(few.cell("depth_pool", "3", "AP", "p")["mean"])
