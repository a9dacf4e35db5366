"""The command line, as people use it: files in, answers out, mistakes told in one line."""

from __future__ import annotations

import html
import json
import math
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import concordant as cc
from concordant.cli.answer import Table, to_csv, to_json, to_latex, to_markdown, to_text
from concordant.cli.app import app
from concordant.cli.terminal import Notes, fitted
from concordant.errors import AlignmentWarning, argument, naming, warn
from concordant.render.references import BIBTEX

from ..commands import CAREFUL, HASTY, PEOPLE, bad, good, process, rows, run

FEW = ("--resamples", "500")


def test_the_first_screen_of_one_candidate() -> None:
    found = cc.compare(PEOPLE, HASTY, rng=0)
    assert found.worth is not None
    assert good("compare", PEOPLE, HASTY) == (
        f"""hasty is a much weaker judge than people.
25 topics judged by hasty rank the systems only as well as {found.worth.worth:.1f} judged by people (95% interval \
up to {found.worth.interval.high:.0f}).

  pairs swapped    25 of 190, 4 tied (tau_b {found["tau_b"]:.2f}; top-weighted tau_ap_b {found["tau_ap_b"]:.2f})
  best system      rerank-4 by people, rerank-1 by hasty
  largest move     splade-1, from 15th to 5th

20 systems, 40 topics
Next: concordant explain {PEOPLE} {HASTY} | --html report.html | --all
"""
    )


def test_all_shows_every_coefficient() -> None:
    found = cc.compare(PEOPLE, HASTY, rng=0)
    text = good("compare", PEOPLE, HASTY, "--all")
    table = text.split("value\n")[1].split("\n\n")[0]
    lines = {line.split()[0]: line.split()[1:] for line in table.splitlines()}
    for v in found.values:
        assert lines[v.coefficient] == ["-" if v.why else f"{v.value:.3f}"]
    for bounds in found.tie_bounds:
        assert f"\n  {bounds}\n" in text
    none = "No value: tau, tau_ap, tau_ap_symmetric, tau_gap (ties in hasty; tau_b and tau_ap_b allow ties)"
    assert none in " ".join(text.split())
    assert found.rank_test is not None
    p = f"{found.rank_test.pvalue:.2f}"
    assert f"Rank distance 5.41: 40 topics are too few to rule out hasty's ranking (p = {p}; tied systems" in text
    assert "--all" not in text
    assert "\nCite: concordant cite tau_a tau_b " in text
    assert "rank_test" not in good("compare", PEOPLE, HASTY)


def test_a_page_does_not_change_what_is_printed(tmp_path: Path) -> None:
    plain = ("compare", PEOPLE, HASTY, *FEW)
    page = ("--html", tmp_path / "page.html", "--quiet")
    for form in ("table", "json", "csv", "latex"):
        assert good(*plain, *page, "-f", form) == good(*plain, "-f", form)


def test_many_candidates_one_row_each_the_best_first() -> None:
    text = good("compare", PEOPLE, HASTY, CAREFUL)
    assert text.startswith(
        "careful is the best of 2 judges.\ncareful is a weaker judge than people. 25 topics judged by careful "
    )
    head, first, between, second = text.splitlines()[3:7]
    assert re.split(r"  +", head)[1:] == ["worth of 25", "95% interval", "tau_b", "tau_ap_b", "swapped"]
    assert between == "  weaker than the best:"
    for line, name, path in ((first, "careful", CAREFUL), (second, "hasty", HASTY)):
        one = cc.compare(PEOPLE, path, rng=0)
        assert one.worth is not None
        cells = [name, one.worth.cell, one.worth.ends, f"{one['tau_b']:.3f}", f"{one['tau_ap_b']:.3f}"]
        assert re.split(r"  +", line)[1:] == [*cells, f"{one.swapped} of 190"]
    assert max(map(len, (head, first, second))) <= 80


def test_candidates_that_could_all_be_best_are_one_group(tmp_path: Path) -> None:
    careful = cc.load_collection("careful")
    close = cc.Scores(
        careful.values + np.random.default_rng(1).normal(0, 0.001, careful.values.shape),
        careful.topics,
        careful.systems,
    )
    close.to_frame().to_csv(tmp_path / "close.csv")
    text = good("compare", PEOPLE, CAREFUL, tmp_path / "close.csv")
    assert "The best judge is any of the 2; 40 topics cannot tell which." in text
    assert "weaker than the best" not in text
    three = good("compare", PEOPLE, HASTY, CAREFUL, tmp_path / "close.csv").split("weaker than the best:\n")
    assert "The best judge is one of these 2: " in three[0]
    assert three[1].startswith("  hasty ")


def test_each_candidate_has_its_own_worth_whatever_the_others_have(tmp_path: Path) -> None:
    cc.load_collection("careful").to_frame().iloc[:30].to_csv(tmp_path / "part.csv")
    part = tmp_path / "part.csv"
    together = {row["candidate"]: row for row in rows("compare", PEOPLE, HASTY, part) if row["coefficient"] == "worth"}
    for name, path in (("hasty", HASTY), ("part", part)):
        (alone,) = (row for row in rows("compare", PEOPLE, path) if row["coefficient"] == "worth")
        for column in ("topics", "value", "low", "high"):
            assert together[name][column] == alone[column]
    with pytest.warns(AlignmentWarning):
        found = cc.rank_judges(PEOPLE, {"hasty": HASTY, "part": part})
    assert good("compare", PEOPLE, HASTY, part).startswith(found.verdict.split(". ")[0])


def test_a_value_its_interval_and_p_value_are_one_row() -> None:
    text = good("compare", PEOPLE, CAREFUL, HASTY, "--interval", "--test", *FEW)
    lines = text.splitlines()
    head = next(k for k, line in enumerate(lines) if "p (chance)" in line)
    assert " ".join(lines[head].split()) == "value 95% interval p (chance)"
    how: dict[str, Any] = {"interval": True, "n_resamples": int(FEW[1])}
    (value,) = cc.compare(PEOPLE, CAREFUL, coefficients=["tau_b"], **how, rank_test=None, rng=0, worth=False).values
    assert value.interval is not None
    limits = [f"{value.interval.low:.2f}", "to", f"{value.interval.high:.2f}"]
    assert lines[head + 1].split() == ["careful", "tau_b", "0.905", *limits, "<", "0.001"]
    found = cc.compare(PEOPLE, HASTY, rank_test=None, worth=False)
    shown = [line.split()[:2] for line in lines[head + 5 : head + 7]]
    assert shown == [[name, f"{found[name]:.3f}"] for name in ("tau_ap_b", "pearson_rank")]
    assert max(map(len, lines[head : head + 7])) <= 80


@pytest.mark.long
def test_a_hundred_candidates_fit_a_screen(tmp_path: Path) -> None:
    people = cc.load_collection("people")
    rng = np.random.default_rng(1)
    for k in range(100):
        noisy = people.values + rng.normal(0, 0.05 + 0.01 * k, people.values.shape)
        frame = cc.Scores(noisy.round(2), people.topics, people.systems).to_frame()
        frame.to_csv(tmp_path / f"c{k:02d}.csv")
    every = sorted(map(str, tmp_path.glob("*.csv")))
    asked = ("compare", PEOPLE, *every, "--resamples", "99")
    text = good(*asked)
    assert "  ... 80 more: --all" in text
    assert len(text.splitlines()) < 45
    assert text.count("Note: ") <= 5
    shown = [line for line in text.splitlines() if re.match(r"  c\d\d ", line)]
    assert len(shown) == 20
    found = cc.rank_judges(PEOPLE, dict(zip([Path(file).stem for file in every], every, strict=True)), rng=0)
    assert [line.split()[0] for line in shown] == [judge.names[1] for judge in found.judges[:20]]
    first = found.judges[0].names[1]
    assert re.match(rf"{first} is the best of 100 judges|The best judge is one of these \d+: {first}, ", text)
    assert "c99" in good(*asked, "--all")


def test_long_names_leave_room_for_the_worth(tmp_path: Path) -> None:
    long = [tmp_path / f"{letter * 36}.csv" for letter in "xyz"]
    for file in long:
        file.write_text(Path(CAREFUL if file is long[0] else HASTY).read_text())
    text = good("compare", PEOPLE, *long)
    assert re.search(rf" worth of 25  95% interval  tau_b\n  {'x' * 36} +14 +8.9 to 22  0.905\n", text)
    names = ("tau_b", "tau_ap_b", "tau_gap_a", "pearson_rank", "spearman", "rbo")
    text = good("compare", PEOPLE, *long, *(word for name in names for word in ("-c", name)))
    assert all(f"  {name} " in text for name in names)  # those that were asked for are all shown
    assert max(map(len, text.split("\n\n", 1)[1].split("Next:")[0].splitlines())) <= 80


def test_json_has_full_precision() -> None:
    found = json.loads(good("compare", PEOPLE, CAREFUL, HASTY, "--format", "json"))
    judges = cc.rank_judges(PEOPLE, {"careful": CAREFUL, "hasty": HASTY}, rng=0).judges
    assert found["settings"] == cc.compare(PEOPLE, [CAREFUL, HASTY], rng=0).settings
    for one, path, judge in zip(found["comparisons"], (CAREFUL, HASTY), judges, strict=True):
        compared = cc.compare(PEOPLE, path, rng=0, worth=False).comparisons[0]
        compared = replace(compared, worth=judge, settings={**compared.settings, "worth": True})
        assert one == {**compared.to_dict(), "read_notes": []}


def test_csv_markdown_latex() -> None:
    value = {(row["candidate"], row["coefficient"]): row for row in rows("compare", PEOPLE, CAREFUL, HASTY)}
    found = cc.compare(PEOPLE, HASTY, rng=0)
    assert found.worth is not None
    assert float(value["hasty", "tau_ap_b"]["value"]) == found["tau_ap_b"]
    assert value["hasty", "tau"]["value"] == ""
    worth = [float(value["hasty", "worth"][name]) for name in ("value", "low", "high")]
    assert worth == [found.worth.worth, found.worth.interval.low, found.worth.interval.high]
    plain = ("compare", PEOPLE, HASTY, "-c", "tau_b", "-f")
    assert "| hasty | 4.8 | up to 12 | 0.723 | 25 of 190 |" in good(*plain, "markdown")
    assert r"hasty & 4.8 & up to 12 & 0.723 & 25 of 190 \\" in good(*plain, "latex")
    with_interval = good(*plain, "latex", "--interval", *FEW)
    assert re.search(r"& 0\.723 \(0\.\d\d to [01]\.\d\d\) &", with_interval)


def test_no_table_has_inf(tmp_path: Path) -> None:
    """A judge that ranks better than people: its worth has no limit."""
    rng = np.random.default_rng(3)
    true, topics, systems = np.linspace(0, 1, 12), range(30), [f"s{k}" for k in range(12)]
    for name, noise in (("people", 1.5), ("gpt", 0.1)):
        made = cc.Scores(true + rng.normal(0, noise, (30, 12)), topics, systems)
        made.to_frame().to_csv(tmp_path / f"{name}.csv")
    sides = (tmp_path / "people.csv", tmp_path / "gpt.csv")
    worth = cc.compare(*map(str, sides)).worth
    assert worth is not None
    assert worth.interval.high > 1e9
    for form in ("csv", "markdown", "latex", "table"):
        assert not re.search(r"\binf\b|e\+\d", good("compare", *sides, "-f", form))
    assert next(row for row in rows("compare", *sides) if row["coefficient"] == "worth")["high"] == ""
    assert "without limits" in good("compare", *sides, "-f", "latex")


def test_the_rank_test() -> None:
    asked = ("compare", PEOPLE, HASTY, "--seed", "7", "--resamples", "499")
    *_, last = one = rows(*asked)
    expected = cc.rank_test(cc.load_collection("people"), cc.load_collection("hasty"), n_resamples=499, rng=7)
    assert last["coefficient"] == "d_rank"
    assert (float(last["value"]), float(last["rank_pvalue"])) == (expected.distance, expected.pvalue)
    assert rows(*asked, "--workers", "2") == one
    assert "Rank distance" not in good("compare", PEOPLE, CAREFUL, HASTY)
    assert "Carterette" in good("cite", "rank_test")


def test_intervals_and_tests_against_chance() -> None:
    asked = (
        "compare",
        PEOPLE,
        CAREFUL,
        HASTY,
        "--interval",
        "--test",
        "--level",
        "0.9",
        "--resamples",
        "999",
    )
    found = {(row["candidate"], row["coefficient"]): row for row in rows(*asked)}
    how: dict[str, Any] = {"confidence_level": 0.9, "n_resamples": 999}
    for name in ("careful", "hasty"):
        row = found[name, "tau_ap_b"]
        sides = cc.load_collection("people"), cc.load_collection(name)
        expected = cc.correlate(*sides, coefficient="tau_ap_b", **how, rng=0).interval
        assert expected is not None
        assert (float(row["low"]), float(row["high"])) == (expected.low, expected.high)
        p = cc.permutation_test(
            sides[0].means(), sides[1].means(), coefficient="tau_ap_b", n_resamples=999, rng=0
        ).pvalue
        assert float(row["pvalue"]) == p
    assert "--level is 2.0" in bad(*asked[:5], "--level", "2", status=1)


def test_no_verdict_where_the_test_claims_nothing() -> None:
    few = ",".join(str(topic) for topic in range(401, 416))  # 15 topics, 20 systems
    assert "rank_pvalue" not in rows("compare", PEOPLE, HASTY, "--topics", few)[-1]
    text = good("compare", PEOPLE, HASTY, "--topics", few, "--all")
    assert "; rank test not run: it needs more topics than systems" in text
    assert "size" not in text.split("Cite")[0]


def test_the_rank_test_is_shown_where_it_decides_something(tmp_path: Path) -> None:
    """Six systems are too few for a worth: the first screen has the test, which rules out an upside-down ranking."""
    six = ("--systems", "bm25-1,dense-2,hybrid-1,rerank-1,rerank-4,splade-1")
    text = good("compare", PEOPLE, HASTY, *six)
    assert re.search(r"Rank distance \d\.\d\d: 40 topics are too few to rule out hasty's ranking", text)
    assert "rule out" not in text.split("\n\n", maxsplit=1)[0]  # which is no verdict
    people = cc.load_collection("people")
    cc.Scores(-people.values, people.topics, people.systems).to_frame().to_csv(tmp_path / "upside.csv")
    text = good("compare", PEOPLE, tmp_path / "upside.csv", *six)
    assert "40 topics rule out upside's ranking (p < 0.001)." in text.split("\n\n", maxsplit=1)[0]


def test_matrix() -> None:
    found = json.loads(good("compare", "--matrix", PEOPLE, CAREFUL, HASTY, "-c", "tau_ap_ties", "-f", "json"))
    means = [cc.load_collection(name).means() for name in ("people", "careful", "hasty")]
    expected = [[float(cc.get_coefficient("tau_ap_ties")(t, o)) for o in means] for t in means]
    np.testing.assert_allclose(np.array(found["matrix"], dtype=float), expected, atol=1e-15)
    text = good("compare", "--matrix", PEOPLE, CAREFUL, HASTY, "-c", "tau_ap_b")
    assert "  tau_ap_b of all pairs\n           people  careful  hasty\n" in text
    assert "0.616" in text
    (_, careful, _) = rows("compare", "--matrix", PEOPLE, CAREFUL, HASTY, "-c", "tau_ap_b")
    assert (careful[""], careful["careful"]) == ("careful", "1.0")


def test_coefficients_and_cite() -> None:
    listed = json.loads(good("coefficients", "--format", "json"))
    assert [row["name"] for row in listed] == [c.name for c in cc.list_coefficients()]
    assert "tau_ap_strict" in good("coefficients")
    for c in cc.list_coefficients():
        assert c.reference in BIBTEX
    entries = good("cite", "tau_ap_b", "rbo", "urbano2017")
    assert entries.count("@") == 3
    assert "Corsi" in entries
    assert "tau_x" in bad("cite", "tau_x", status=2)


def test_options(tmp_path: Path) -> None:
    some = good("compare", PEOPLE, CAREFUL, "--systems", "bm25-1,dense-2, hybrid-1", "-f", "json")
    assert json.loads(some)["comparisons"][0]["systems"] == ["bm25-1", "dense-2", "hybrid-1"]
    names = tmp_path / "topics.txt"
    names.write_text("401\n405\n\n409\n")
    some = good("compare", PEOPLE, CAREFUL, "--topics", f"@{names}", "-f", "json")
    assert json.loads(some)["comparisons"][0]["topics"] == ["401", "405", "409"]
    top = good("compare", PEOPLE, CAREFUL, "--top", "5", "--per-topic", "-f", "json")
    assert len(json.loads(top)["comparisons"][0]["systems"]) == 5
    assert json.loads(top)["comparisons"][0]["per_topic"]["tau_b"]["mean"] == pytest.approx(
        cc.compare(PEOPLE, CAREFUL, top=5, per_topic=True, worth=False).per_topic[2].mean
    )
    errors = good("compare", PEOPLE, CAREFUL, "--lower-is-better", "-f", "json")
    assert (
        json.loads(errors)["comparisons"][0]["coefficients"]["tau_b"]
        == cc.compare(PEOPLE, CAREFUL, worth=False)["tau_b"]
    )
    assert "concordant 0" in good("--version")
    assert "compare" in good("--help")
    assert re.search(r"\{?TRUTH\}? \{?CANDIDATE\b", good("compare", "-h"))  # versions of typer differ in braces


def test_notes_go_to_standard_error_and_can_be_silenced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for quiet in (False, True):
        with Notes(quiet):
            warn("people.csv: 2 systems left out")
    assert capsys.readouterr().err == "note: people.csv: 2 systems left out\n"
    part = cc.load_collection("careful").to_frame().iloc[1:, 2:]
    part.to_csv(tmp_path / "part.csv")
    done = run("compare", PEOPLE, str(tmp_path / "part.csv"))
    assert done.stderr == ""  # the answer says it
    assert "2 systems of people left out" in done.stdout
    assert "1 topic of people left out" in done.stdout


def test_bad_data_is_status_1_in_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken.csv"
    broken.write_text("topic,a,b\n401,0.5,0.25\n402,0.5,oops\n")
    message = bad("compare", PEOPLE, str(broken), status=1)
    assert f"{broken}:3" in message
    assert "oops" in message
    assert "no/such/file" in bad("compare", PEOPLE, "no/such/file", status=1)
    assert "dense-9" in bad("compare", PEOPLE, CAREFUL, "--systems", "bm25-1,dense-9", status=1)
    (tmp_path / "x.eval").write_text("map\t1\t0.5\nP_5\t1\t0.2\n")
    assert "map" in bad("compare", PEOPLE, str(tmp_path / "x.eval"), status=1)


def test_bad_usage_is_status_2(tmp_path: Path) -> None:
    assert "tau_c" in bad("compare", PEOPLE, CAREFUL, "-c", "tau_c", status=2)
    assert "'CANDIDATE'" in bad("compare", PEOPLE, status=2)
    assert "such" in bad("compare", PEOPLE, CAREFUL, "--no-such-option", status=2)
    assert "twice" in bad("compare", PEOPLE, PEOPLE, status=2)
    assert "'CANDIDATE'" in bad("compare", "--matrix", PEOPLE, status=2)
    assert "--systems is empty" in bad("compare", PEOPLE, CAREFUL, "--systems", ",", status=2)
    assert "missing.txt" in bad("compare", PEOPLE, CAREFUL, "--topics", f"@{tmp_path}/missing.txt", status=2)


@pytest.mark.parametrize(
    "options",
    [["--top", "1"], ["--per-topic", "--own-topics"], ["--format", "xml"]],
)
def test_options_that_contradict_are_bad_usage(options: list[str]) -> None:
    bad("compare", PEOPLE, CAREFUL, *options, status=2)


def test_one_file_under_two_names(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(Path(PEOPLE).read_text())
    assert "twice" in bad("compare", str(tmp_path / "a.csv"), f"{tmp_path}/./a.csv", status=2)


def test_candidates_on_other_systems_are_not_ranked(tmp_path: Path) -> None:
    cc.load_collection("careful").to_frame().iloc[:, :6].to_csv(tmp_path / "few.csv")
    few = str(tmp_path / "few.csv")
    text = good("compare", PEOPLE, few, HASTY)
    assert "cannot be ranked" in text
    assert "has the highest" not in text
    assert re.search(r"\n +systems +topics +worth of 25 .*\n  few +6 +40 +- +- ", text)
    assert [row["systems"] for row in rows("compare", PEOPLE, few, HASTY) if row["coefficient"] == "rbo"] == ["6", "20"]
    done = run("compare", PEOPLE, few, HASTY, "--common", "-f", "json")
    assert [len(c["systems"]) for c in json.loads(done.stdout)["comparisons"]] == [6, 6]
    assert "14 systems of people left out" in " ".join(json.loads(done.stdout)["notes"])


def test_per_topic_in_every_format() -> None:
    found = cc.compare(PEOPLE, CAREFUL, coefficients=["tau_b"], per_topic=True, worth=False).per_topic[0]
    _, first, _ = rows("compare", PEOPLE, CAREFUL, "-c", "tau_b", "--per-topic")
    assert float(first["topics_mean"]) == found.mean
    assert f"{found.sd:.3f}" in good("compare", PEOPLE, CAREFUL, HASTY, "-c", "tau_b", "--per-topic", "-f", "latex")
    several = good("compare", PEOPLE, CAREFUL, HASTY, "-c", "tau_b", "-c", "tau", "--per-topic")
    assert "tau of careful on each topic: ties in people on topic 421" in several


def test_a_shell_that_expands_the_pattern(tmp_path: Path) -> None:
    for k in range(3):
        (tmp_path / f"{k}.eval").write_text(f"map                   \t1\t0.{k}000\nmap                   \t2\t0.5000\n")
    message = bad("compare", *(str(tmp_path / f"{k}.eval") for k in range(3)), status=1)
    assert "quote the pattern" in message


def test_messages_speak_of_options(tmp_path: Path) -> None:
    (tmp_path / "two.eval").write_text("map                   \t1\t0.5000\nP_5                   \t1\t0.2000\n")
    assert "choose one with -m: " in bad("compare", PEOPLE, str(tmp_path / "two.eval"), status=1)
    message = bad("compare", "--matrix", PEOPLE, HASTY, "-c", "tau", status=1)
    assert "hasty has ties" in message
    assert "tau_b" in message


def test_output_that_cannot_be_written(tmp_path: Path) -> None:
    scores = cc.Scores(np.random.default_rng(1).random((3, 3)), ["1", "2", "3"], ["naïve", "c\x1b[2J", "x"])
    path = tmp_path / "odd.csv"
    scores.to_frame().to_csv(path)
    other = tmp_path / "other.csv"
    scores.select(topics=["1", "2"]).to_frame().to_csv(other)
    assert process("explain", path, other, "-f", "csv", env={"PYTHONIOENCODING": "ascii"}).returncode == 0
    named = tmp_path / "c\x1b[2J.csv"
    scores.to_frame().to_csv(named)
    assert "\x1b" not in run("compare", path, named).output
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            failed = process("compare", PEOPLE, HASTY, stdout=full)
        assert failed.returncode == 1
        assert failed.stderr == "concordant: standard output: No space left on device\n"


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "scores.csv").write_text(Path(PEOPLE).read_text())
    text = good("compare", str(tmp_path / "a" / "scores.csv"), str(tmp_path / "b" / "scores.csv"), HASTY)
    assert "b/scores" in text


def test_a_closed_pipe_is_no_error() -> None:
    for reader in ("head -1", "true"):
        command = f"set -o pipefail; {sys.executable} -m concordant coefficients | {reader}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
        assert done.stderr == ""


def test_hostile_names_are_text(tmp_path: Path) -> None:
    names = ["[bold red]x[/]", "a|b", "50%_\\{}$&#^~", '"quoted"', "naïve \u202e rtl 🙂"]
    values = np.random.default_rng(1).random((4, 5))
    scores = cc.Scores(values, ["1", "2", "3", "4"], names, "map")
    for side in ("one", "[red]two"):
        scores.to_frame().to_csv(tmp_path / f"{side}.csv")
    one, two = str(tmp_path / "one.csv"), str(tmp_path / "[red]two.csv")
    assert "[red]two" in good("compare", "--matrix", one, two)
    assert json.loads(good("compare", one, two, "-f", "json"))["comparisons"][0]["systems"] == names


@pytest.mark.long
def test_demo_runs(tmp_path: Path) -> None:
    done = process("demo", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    text = done.stdout
    assert text.count("$ concordant") == 8
    said = " ".join(text.split())  # a long path is broken before or after
    assert said.endswith(f"The report is in {tmp_path / 'demo-report.html'}: open it in a browser.")
    assert (tmp_path / "demo-report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "25 topics judged by careful rank the systems only as well as 14 judged by people (95% interval " in said
    assert "careful is the best of 2 judges. careful is a weaker judge than people. 25 topics" in said


def test_without_the_extra_the_install_line_is_given() -> None:
    code = "import sys; sys.modules['typer'] = None; from concordant.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "concordant: the command line needs typer: pip install typer\n"


def test_help_imports_nothing_heavy() -> None:
    code = """
import sys
from concordant.cli import main
sys.argv = ["concordant", "--help"]
try:
    main()
except SystemExit:
    pass
heavy = {"numpy", "scipy", "pandas"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


TABLE = Table(["", "tau_b", "a|b"], [["x_1", 0.123456789012345, None], ["y&z", math.nan, 1.0]])


def test_renderings() -> None:
    assert to_csv(TABLE) == ",tau_b,a|b\nx_1,0.123456789012345,\ny&z,,1.0"
    assert to_markdown(TABLE).splitlines()[0] == r"|  | tau_b | a\|b |"
    assert to_markdown(TABLE).splitlines()[2] == "| x_1 | 0.1235 | - |"
    assert r"y\&z & - & 1.0000 \\" in to_latex(TABLE)
    small = Table(["system", "pvalue"], [["a", 0.0004], ["b", 0.04]])
    assert to_text(small) == "  system   pvalue\n  a       < 0.001\n  b         0.040"
    assert to_csv(small) == "system,pvalue\na,0.0004\nb,0.04"
    with pytest.raises(ValueError, match=r"not JSON compliant|Out of range"):
        to_json(math.nan)


def test_wide_tables_are_printed_in_parts_and_lose_nothing() -> None:
    wide = Table(["", *(f"column{k}" for k in range(9))], [["row", *range(9)]])
    parts = fitted(to_text(wide), 40).split("\n\n")
    assert [part.split("\n")[0].split() for part in parts] == [
        ["column0", "column1", "column2"],
        ["column3", "column4", "column5"],
        ["column6", "column7", "column8"],
    ]
    assert parts[1].split("\n")[1].split() == ["row", "3", "4", "5"]
    assert len(to_text(wide).split("\n")) == 2


@pytest.mark.parametrize(
    ("name", "value", "in_python", "in_a_command"),
    [
        ("measure", None, "measure=", "-m"),
        ("measure", "em[test]", "measure='em[test]'", "-m 'em[test]'"),
        ("missing", "drop-systems", "missing='drop-systems'", "--missing drop-systems"),
        ("lower_is_better", True, "lower_is_better=True", "--lower-is-better"),
        ("bounds", None, "bounds=", "--lowest and --highest"),
        ("topic_column", "q", "topic_column='q'", "--topic-column q"),
        ("on", "systems", "on='systems'", "--own-topics"),
        ("n_resamples", 9, "n_resamples=9", "--resamples 9"),
        ("alpha", 0.1, "alpha=0.1", "alpha=0.1"),
    ],
)
def test_messages_name_what_the_reader_can_write(name: str, value: object, in_python: str, in_a_command: str) -> None:
    assert argument(name, value) == in_python
    command: Any = typer.main.get_command(app)
    with naming(
        {**command.commands["compare"].options(), **command.commands["study"].commands["reliability"].options()}
    ):
        assert argument(name, value) == in_a_command
    assert argument(name, value) == in_python


def test_a_side_says_its_name_and_its_measure(formats: Path) -> None:
    board = formats / "leaderboards" / "weighted_alpaca_eval_gpt4_turbo.csv"
    other = formats / "leaderboards" / "claude_3_opus_ranking.csv"
    found = json.loads(good("compare", f"{board}:win_rate", f"claude={other}:win_rate", "--format", "json"))
    (found,) = found["comparisons"]
    assert found["candidate"] == "claude"
    assert found["coefficients"]["tau_b"] == pytest.approx(0.8667, abs=5e-5)
    assert len(found["systems"]) == 6
    columns = (f"{board}:win_rate", f"{board}:length_controlled_winrate")
    (found,) = json.loads(good("compare", *columns, "--format", "json"))["comparisons"]
    assert (found["truth"], found["candidate"]) == ("win_rate", "length_controlled_winrate")
    assert found["coefficients"]["tau_b"] == pytest.approx(0.843, abs=5e-4)
    assert found["coefficients"]["tau_ap"] == pytest.approx(0.788, abs=5e-4)
    assert "win_rate" in bad("compare", f"{board}:win_rat", f"{other}:win_rate", status=1)


def test_look_says_what_a_file_is_taken_for(formats: Path) -> None:
    text = good("look", PEOPLE, str(formats / "leaderboards" / "claude_3_opus_ranking.csv"))
    assert "rows are topics, columns are systems" in text
    assert "one score per system" in text
    assert "rows are systems" in run("look", PEOPLE, "--system-column", "topic").stdout


@pytest.mark.parametrize(
    ("given", "option"),
    [
        (["-m", "a", "-m", "b"], "--measure"),
        (["-m", "a", "--measure", "a"], "--measure"),
        (["--missing=drop", "--missing", "zero"], "--missing"),
    ],
)
def test_an_option_of_one_value_is_given_once(given: list[str], option: str) -> None:
    told = bad("explain", PEOPLE, HASTY, *given, status=2)
    assert f"{option} was given 2 times" in told
    assert ("PATH:MEASURE" in told) == (option == "--measure")


def test_options_that_may_be_repeated_still_may() -> None:
    assert "rbo" in good("compare", PEOPLE, HASTY, "-c", "tau_b", "-c", "rbo", "-q", "-q")


def test_sides_are_called_by_what_differs(tmp_path: Path) -> None:
    text = Path(PEOPLE).read_text()
    for folder in ("human", "llm"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "ndcg__x.csv").write_text(text)
    first, second = (str(tmp_path / folder / "ndcg__x.csv") for folder in ("human", "llm"))
    few = ("-c", "tau_b")
    assert "llm and human have the same scores" in good("compare", first, second, *few)
    assert "ndcg__x and people have the same scores" in good("compare", f"people={first}", second, *few)
    clash = good("compare", f"llm={first}", second, HASTY, *few)  # a made name never takes one that was given
    assert "compared with llm" in clash
    named = good("compare", "--matrix", f"ndcg__x={first}", second)
    assert ["ndcg__x", second] in [line.split() for line in named.splitlines()]
    assert "x names two files" in bad("compare", f"x={first}", f"x={second}", status=2)


def test_a_report_says_which_files_its_names_stand_for(tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    assert run("compare", f"human={PEOPLE}", HASTY, *FEW, "--html", str(page)).exit_code == 0
    shown = html.unescape(page.read_text(encoding="utf-8"))
    assert f"truth = cc.read_scores({PEOPLE!r})" in shown
    assert f"    'hasty': cc.read_scores({HASTY!r}),\n" in shown
    assert "names=('human', 'hasty')" in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["compare", PEOPLE, HASTY, "--interval", "--level", 2], "--level is 2.0: give"),
        (["compare", PEOPLE, HASTY, "--interval", "--resamples", 5], "--resamples is 5: an interval"),
        (["compare", PEOPLE, CAREFUL, HASTY, "--level", 0], "--level is 0.0: give"),
        (["board", PEOPLE, "--level", 7], "--level is 7.0: give"),
        (["board", PEOPLE, "--resamples", 3], "--resamples is 3: --level 0.95 needs at least 19"),
        (["plan", PEOPLE, "--target", 3], "--target is 3.0: give"),
        (["plan", PEOPLE, "--probability", 3], "--probability is 3.0: give a number above 0 and below 1, or leave it"),
        (["audit", PEOPLE, HASTY, "-r", "3x"], "--reported is '3x': give"),
        (["audit", PEOPLE, HASTY, "-r", "0.3", "-r", "0.4"], "--reported holds 2 numbers for 1 candidate"),
        (["study", "reliability", PEOPLE, "-o", "OUT", "--sizes", "1,2"], "--sizes is [1, 2]: give"),
        (["compare", "ODD", PEOPLE], "Pass --topic-column a or --system-column a"),
    ],
)
def test_errors_name_the_option(arguments: list[object], told: str, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("a,b,c\nx,1,2\ny,2,3\nz,3,4\n")
    places: dict[object, object] = {"OUT": tmp_path / "out", "ODD": tmp_path / "odd.csv"}
    assert told in bad(*(places.get(part, part) for part in arguments), status=1)
