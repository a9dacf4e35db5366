"""audit: numbers that were printed by a known rule are traced to it, and chance is not taken for evidence."""

from __future__ import annotations

import csv
import html
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concordant as cc
from concordant.agreement.audit.search import Printed

from ...commands import CAREFUL, HASTY, PEOPLE, bad, good, run


def names_of(findings: Any) -> set[tuple[str, str, str]]:
    """Rule, data and writing of all ways."""
    return {(c.rule, c.data, c.written) for f in findings for c in (f, *f.same)}


# What is printed ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "step", "percent"),
    [
        ("0.87", 0.87, 0.01, False),
        ("0.870", 0.87, 0.001, False),
        (".87", 0.87, 0.01, False),
        ("-0.5", -0.5, 0.1, False),
        ("\u22120.5", -0.5, 0.1, False),
        (" 1 ", 1.0, 1.0, False),
        ("1.00", 1.0, 0.01, False),
        ("8.7e-1", 0.87, 0.01, False),
        ("87%", 0.87, 0.01, True),
        ("87.1 %", 0.871, 0.001, True),
        ("87.1", 0.871, 0.001, True),
        ("0.5%", 0.005, 0.001, True),
    ],
)
def test_digits_say_how_exact_a_number_is(text: str, value: float, step: float, percent: bool) -> None:
    printed = Printed.of(text)
    assert (printed.value, printed.step) == pytest.approx((value, step))
    assert printed.percent is percent
    assert printed.window == pytest.approx((value - step / 2, value + step / 2), abs=1e-8)


@pytest.mark.parametrize("text", ["", "tau", "0,87", "nan", "inf", "1e999", "0.87 0.88", "--1", "\u0663"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(cc.errors.InputError, match="reported is"):
        cc.audit({"a": 1, "b": 2}, {"a": 1, "b": 2}, reported=text)


@pytest.mark.parametrize("text", ["101", "150%", "-1e3"])
def test_what_no_coefficient_can_be_is_refused(text: str) -> None:
    with pytest.raises(cc.errors.InputError, match="lies between"):
        Printed.of(text)


def test_a_float_is_refused_because_it_forgets_its_zeros() -> None:
    wrong: Any = 0.870
    with pytest.raises(cc.errors.InputTypeError, match=r"reported is 0\.905: give the printed text"):
        cc.audit(PEOPLE, HASTY, reported=0.905)  # type: ignore[arg-type]
    with pytest.raises(cc.errors.InputTypeError, match="give the printed text"):
        cc.audit({"a": 1, "b": 2}, {"a": 1, "b": 2}, reported=[wrong])


# Verdicts -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sides() -> tuple[cc.Scores, cc.Scores, cc.Scores]:
    """A truth and two rankings with ties, each in an order of its own."""
    rng = np.random.default_rng(3)
    m, n = 25, 20
    names = [str(name) for name in rng.permutation([f"run{k}" for k in range(m)])]
    strength = rng.random(m) / 2
    made = []
    for noise in (0.3, 0.5, 0.4):
        values = np.clip(np.round(strength + noise * rng.random((n, m)), 1), 0, 1)
        columns = rng.permutation(m)
        scores = cc.Scores(values, [f"q{k}" for k in range(n)], names)
        made.append(scores.select(systems=[names[k] for k in columns]))
    return made[0], made[1], made[2]


def test_a_plain_rule_is_found_among_all(sides: tuple[cc.Scores, ...]) -> None:
    truth, candidate = cc.pair(sides[0], sides[1])
    value = cc.tau_ap_b(truth.means(), candidate.means())
    found = cc.audit(sides[0], sides[1], reported=f"{value:.4f}")
    first = found.matches[0]
    assert (first.rule, first.data, first.written, first.departures) == ("tau_ap_b(truth, candidate)", "means", "", 0)
    assert first.values[0] == pytest.approx(value)
    assert all(f.matches for f in found.matches)
    assert not any(f.matches for f in found.nearest)
    steps = [f.departures for f in found.matches]
    assert steps == sorted(steps)


PLANTED = {
    "exchanged": lambda x, y: cc.get_coefficient("tau_gap_a")(y, x),
    "scipy's tau-c": lambda x, y: stats.kendalltau(x, y, variant="c").statistic,
    "argsort": lambda x, y: stats.kendalltau(np.argsort(-x, kind="stable"), np.argsort(-y, kind="stable")).statistic,
    "ranks": lambda x, y: stats.weightedtau(stats.rankdata(-x), stats.rankdata(-y)).statistic,
    "share": lambda x, y: (cc.tau_b(x, y) + 1) / 2,
    "rounded": lambda x, y: cc.tau_ap_b(np.round(x, 2), np.round(y, 2)),
    "distance": lambda x, y: 1 - cc.tau_b(x, y),
    "sign": lambda x, y: abs(stats.spearmanr(x, -y).statistic),
}
TRACED = {
    "exchanged": ("tau_gap_a(candidate, truth)", "means", ""),
    "scipy's tau-c": ("kendalltau(variant='c')", "means", ""),
    "argsort": ("tau_b(truth, candidate)", "argsort taken for ranks", ""),
    "ranks": ("weighted_tau(truth, candidate)", "ranks given for scores", ""),
    "share": ("tau_b(truth, candidate)", "means", "(v + 1) / 2"),
    "rounded": ("tau_ap_b(truth, candidate)", "means to 2 digits", ""),
    "distance": ("tau_b(truth, candidate)", "means", "1 - v"),
    "sign": ("spearman(truth, candidate)", "ranks given for scores in candidate", "abs(v)"),
}


@pytest.mark.parametrize("mistake", PLANTED)
def test_a_planted_mistake_is_traced(mistake: str, sides: tuple[cc.Scores, ...]) -> None:
    truth, candidate = cc.pair(sides[0], sides[1].select(systems=sides[0].systems))
    function: Any = PLANTED[mistake]
    value = function(truth.means(), candidate.means())
    found = cc.audit(truth, candidate, reported=f"{value:.5f}")
    assert TRACED[mistake] in names_of(found.matches)


def test_several_numbers_have_to_be_reproduced_by_one_rule(sides: tuple[cc.Scores, ...]) -> None:
    truth, a, b = cc.pair(sides[0], sides[1:])
    values = [cc.get_coefficient("tau_ap_ties")(side.means(), truth.means()) for side in (a, b)]
    texts = [f"{value:.2f}" for value in values]
    both = cc.audit(truth, [a, b], reported=texts)
    alone = [cc.audit(truth, side, reported=text) for side, text in zip((a, b), texts, strict=True)]
    wanted = ("tau_ap_ties(candidate, truth)", "means", "")
    assert wanted in names_of(both.matches)
    assert names_of(both.matches) == names_of(alone[0].matches) & names_of(alone[1].matches)
    assert len(both.matches) < min(len(one.matches) for one in alone)
    assert sum(level.by_chance for level in both.levels) < min(sum(x.by_chance for x in one.levels) for one in alone)
    assert both.candidate == ("candidate 1", "candidate 2")


def test_nothing_matches_and_the_nearest_are_named() -> None:
    truth = {"a": 0.9, "b": 0.5, "c": 0.1}
    found = cc.audit(truth, truth, reported="0.4321")
    assert found.matches == ()
    assert found.verdict.startswith("Nothing reproduces 0.4321; the nearest plain rule is ")
    assert "; the nearest plain rule is tau(truth, candidate) = 1.0000, off by 0.57. " in found.verdict
    assert min(way.off for way in found.nearest) < found.nearest[0].off


def test_rules_that_nothing_can_tell_apart_are_one_finding() -> None:
    people = {"a": 0.9, "b": 0.6, "c": 0.4, "d": 0.2, "e": 0.1}
    model = {"a": 0.8, "b": 0.5, "c": 0.4, "d": 0.2, "e": 0.3}
    found = cc.audit(people, model, reported="0.800", departures=0)
    assert len(found.matches) == 1
    assert found.matches[0].rule == "tau(truth, candidate)"
    same = [way.rule.partition("(")[0] for way in found.matches[0].same]
    assert same == ["tau_a", "tau_b", "tau_strict"]
    assert found.verdict.startswith("Only one value matches 0.800: tau(truth, candidate) = 0.8000.")
    assert "(the same here: tau_a(truth, candidate), " in str(found)


def test_several_plain_rules_are_no_evidence_for_one_of_them() -> None:
    people, hasty = cc.load_collection("people"), cc.load_collection("hasty")
    both = cc.audit(people, hasty, reported="0.72", departures=0).verdict
    assert both.startswith(
        "2 different values are printed as 0.72. The plainest ways are tau_a(people, hasty) = 0.7158"
    )
    assert "evidence" not in both
    one = cc.audit(people, hasty, reported="0.723", departures=0).verdict
    assert one.startswith("Only one value matches 0.723: tau_b(people, hasty) = 0.7234.")
    assert one.endswith("evidence.")
    strange = cc.audit(people, hasty, reported="-0.72", departures=2).verdict
    assert strange.startswith("No plain rule gives -0.72. ")


def test_percent_signs_and_percent_without_them() -> None:
    people = {"a": 0.9, "b": 0.5, "c": 0.4, "d": 0.1}
    model = {"a": 0.8, "b": 0.3, "c": 0.4, "d": 0.2}
    for text in ("66.7%", "66.7"):
        found = cc.audit(people, model, reported=text, departures=0)
        assert found.matches[0].rule == "tau(truth, candidate)"
        assert "percent" in found.notes[0]


# Other readings of the files ----------------------------------------------------------------------


def test_chance_is_as_large_as_it_is_said_to_be(sides: tuple[cc.Scores, ...]) -> None:
    """Over numbers that nobody reported, the matches are as many as was said to be by chance."""
    truth, candidate = cc.pair(sides[0], sides[1])
    found = [cc.audit(truth, candidate, reported=f"0.{k}", departures=1) for k in range(80, 98, 2)]
    matches = sum(level.matches for one in found for level in one.levels)
    expected = sum(level.by_chance for one in found for level in one.levels)
    assert matches > 20
    assert expected == pytest.approx(matches, rel=0.25)


def test_more_digits_leave_less_to_chance(sides: tuple[cc.Scores, ...]) -> None:
    truth, candidate = cc.pair(sides[0], sides[1])
    value = cc.tau_b(truth.means(), candidate.means())
    chance = []
    for digits in (1, 2, 4):
        found = cc.audit(truth, candidate, reported=f"{value:.{digits}f}")
        assert ("tau_b(truth, candidate)", "means", "") in names_of(found.matches)
        chance.append(sum(level.by_chance for level in found.levels))
    assert chance == sorted(chance, reverse=True)
    assert chance[-1] < chance[0] / 20


def test_systems_and_topics_that_a_side_lacks_are_noted(sides: tuple[cc.Scores, ...]) -> None:
    truth = sides[0]
    candidate = sides[1].select(systems=sides[1].systems[:-2], topics=sides[1].topics[3:])
    common = cc.pair(truth, candidate).sides
    value = cc.tau_b(common[0].means(), common[1].means())
    found = cc.audit(truth, candidate, reported=f"{value:.6f}", names=("people", "model"))
    assert found.matches[0].rule == "tau_b(people, model)"
    assert any("2 systems of people left out" in note for note in found.notes)
    own = cc.tau_b(truth.select(systems=common[0].systems).means(), common[1].means())
    assert ("tau_b(truth, candidate)", "means over own topics", "") in names_of(
        cc.audit(truth, candidate, reported=f"{own:.6f}").matches
    )


def test_topics_that_a_system_lacks_are_tried_in_each_way(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    table = np.round(rng.random((8, 6)), 3)
    lines = ["topic,s1,s2,s3,s4,s5,s6", *(f"q{k}," + ",".join(map(str, row)) for k, row in enumerate(table))]
    truth = tmp_path / "truth.csv"
    truth.write_text("\n".join(lines) + "\n")
    holes = tmp_path / "candidate.csv"
    cells = [line.split(",") for line in lines]
    cells[2][3] = cells[5][6] = ""
    cells[4][1] = "0.999"
    holes.write_text("\n".join(",".join(row) for row in cells) + "\n")
    policies = {"zero": "missing topics 0", "mean": "each system over the topics it has"}
    for policy, words in policies.items():
        candidate = cc.read_scores(holes, missing=policy)  # type: ignore[arg-type]
        first, second = cc.pair(cc.read_scores(truth), candidate)
        value = cc.pearson_rank(first.means(), second.means())
        found = cc.audit(truth, str(holes), reported=f"{value:.5f}", departures=1)
        assert ("pearson_rank(truth, candidate)", words, "") in names_of(found.matches)
        assert any("systems lack topics" in note for note in found.notes)
        assert words in good("audit", "-q", "-r", f"{value:.5f}", truth, holes, "--departures", 0)
    assert "'error' is not one of" in bad("audit", "-r", "0.5", truth, holes, "--missing", "error", status=2)


# Arguments and answers ----------------------------------------------------------------------------


def test_wrong_arguments_are_refused() -> None:
    a = {"a": 1, "b": 2}
    with pytest.raises(cc.errors.InputError, match="2 numbers for 1 candidate:"):
        cc.audit(a, a, reported=["1", "1"])
    with pytest.raises(cc.errors.InputError, match="names is"):
        cc.audit(a, a, reported="1", names=["truth"])
    with pytest.raises(cc.errors.InputError, match="top is 1"):
        cc.audit(a, a, reported="1", top=1)
    with pytest.raises(cc.errors.InputError, match="departures is -1"):
        cc.audit(a, a, reported="1", departures=-1)
    with pytest.raises(cc.errors.InputError, match="share one system"):
        cc.audit({"a": 1, "c": 2}, {"a": 1, "b": 2}, reported="1")
    with pytest.raises(cc.errors.InputTypeError):
        cc.audit(a, [[1.0, 2.0]], reported="1")


def test_answers_hold_everything(sides: tuple[cc.Scores, ...], tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    found = cc.audit(
        sides[0],
        sides[1],
        reported="0.6",
        top=[5, 10],
        departures=2,
        progress=lambda done, of: calls.append((done, of)),
    )
    content = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert content["verdict"] == found.verdict
    assert content["settings"]["top"] == [5, 10]
    assert content["n_ways"] == found.n_ways
    assert sum(1 + len(f["same"]) for f in content["matches"]) == len(names_of(found.matches))
    assert len(found.to_frame()) == len(found.matches) + len(found.nearest)
    assert str(found).startswith(found.verdict)
    assert repr(found) == str(found)
    assert any("top 10 by truth" in data for _, data, _ in names_of(found.matches))
    assert calls[-1][0] == calls[-1][1]
    assert isinstance(found.data, cc.Pairing)
    assert found.data.systems == cc.pair(sides[0], sides[1]).systems
    found.report(tmp_path / "page.html")
    assert found.verdict in html.unescape((tmp_path / "page.html").read_text())
    total = [level for level in found.levels]
    assert sum(level.matches for level in total) == len(found.matches)
    assert found.n_distinct <= found.n_ways
    assert max(level.departures for level in total) <= 2


def test_the_command_says_the_verdict_first() -> None:
    value = cc.tau_ap_b(cc.read_scores(PEOPLE).means(), cc.read_scores(HASTY).means())
    text = good("audit", "--reported", f"{value:.4f}", PEOPLE, HASTY)
    assert text.splitlines()[0].startswith(f"Only one value matches {value:.4f}: tau_ap_b(people, hasty) = {value:.4f}")
    library = cc.audit(PEOPLE, HASTY, reported=f"{value:.4f}", names=["people", "hasty"])
    assert text == str(library) + "\n"
    assert json.loads(good("audit", "-r", f"{value:.4f}", PEOPLE, HASTY, "-f", "json")) == {
        **library.to_dict(),
        "read_notes": [],
    }


def test_the_command_in_other_formats() -> None:
    arguments = ("audit", "-r", "0.8", "-r", "0.7", PEOPLE, CAREFUL, HASTY, "--departures", "1")
    rows = list(csv.DictReader(io.StringIO(good(*arguments, "-f", "csv"))))
    assert {row["match"] for row in rows} <= {"yes", "no"}
    assert float(rows[0]["value careful"]) <= 1
    assert good(*arguments, "-f", "markdown").startswith("| match | departures |")
    assert r"\begin{tabular}" in good(*arguments, "-f", "latex")
    assert "give one for each" in bad("audit", "-r", "0.8", PEOPLE, CAREFUL, HASTY, status=1)
    assert "reported" in run("audit", PEOPLE, HASTY).stderr
