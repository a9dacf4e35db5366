"""Missing topics are dealt with on what is compared, and sides with other topics are told what they can do."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.errors import AlignmentWarning, InputError

from .commands import run

SYSTEMS = ("a", "b", "c", "d")


def table(path: Path, scores: dict[str, dict[str, float]]) -> str:
    """A matrix with an empty cell where a system lacks a topic."""
    topics = list(dict.fromkeys(topic for of in scores.values() for topic in of))
    lines = [",".join(["topic", *scores])]
    lines += [",".join([topic, *(str(of.get(topic, "")) for of in scores.values())]) for topic in topics]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def scores(seed: int, systems: tuple[str, ...], topics: range) -> dict[str, dict[str, float]]:
    values = np.random.default_rng(seed).random((len(systems), len(topics))).round(4)
    return {
        system: dict(zip(map(str, topics), row, strict=True))
        for system, row in zip(systems, values.tolist(), strict=True)
    }


@pytest.fixture
def sides(tmp_path: Path) -> tuple[str, str]:
    """Of the truth, x lacks topics and the candidate lacks x; c lacks a topic that the candidate lacks, too."""
    truth = scores(1, (*SYSTEMS, "x"), range(301, 310))
    for topic in ("302", "303", "304"):
        del truth["x"][topic]
    del truth["c"]["309"]
    candidate = scores(2, SYSTEMS, range(301, 309))
    return table(tmp_path / "truth.csv", truth), table(tmp_path / "candidate.csv", candidate)


def read(files: tuple[str, str], missing: Any) -> list[Any]:
    return [cc.read_scores(file, missing=missing) for file in files]


def quiet(function: Any, *given: Any, **how: Any) -> Any:
    with warnings.catch_warnings(action="ignore"):
        return function(*given, **how)


def refused(*arguments: Any) -> str:
    """The message of an error in the data."""
    done = run(*arguments)
    assert done.exit_code == 1, done.output
    text: str = done.stderr
    return text


def expected(sides: tuple[str, str]) -> Any:
    """tau_ap_b on the eight topics and four systems that both have, read by themselves."""
    truth, candidate = (
        cc.read_scores(side, systems=SYSTEMS, topics=[str(k) for k in range(301, 309)]) for side in sides
    )
    return cc.compare(truth, candidate, coefficients=["tau_ap_b", "pearson"], rank_test=None)


@pytest.mark.parametrize("missing", ["error", "zero", "drop", "drop-systems", "mean"])
def test_what_is_missing_elsewhere_changes_nothing(sides: tuple[str, str], missing: Any) -> None:
    found = quiet(cc.compare, *read(sides, missing), coefficients=["tau_ap_b", "pearson"], rank_test=None)
    assert (found.systems, len(found.topics)) == (SYSTEMS, 8)
    assert [v.value for v in found.values] == [v.value for v in expected(sides).values]
    assert not any("dropped" in note or "set to" in note for note in found.notes)
    printed = run("compare", *sides, "-c", "pearson", "--missing", missing, "-f", "json")
    assert json.loads(printed.stdout)["comparisons"][0]["coefficients"]["pearson"] == found["pearson"]


def test_before_it_was_matched_topics_dropped_out(sides: tuple[str, str]) -> None:
    """Without the match, a side by itself has holes, and five topics that all systems have."""
    with pytest.raises(InputError, match=r"x lacks topics 302, 303, 304"):
        cc.read_scores(sides[0]).complete()
    assert len(quiet(cc.read_scores(sides[0], missing="drop").complete).topics) == 5
    assert len(quiet(cc.compare, *read(sides, "drop"), rank_test=None).topics) == 8


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("compare", ["--html", "REPORT"]),
        ("compare", ["--common"]),
        ("compare", ["--matrix"]),
        ("explain", []),
        ("audit", ["-r", "0.5"]),
    ],
)
def test_every_command_matches_first(sides: tuple[str, str], tmp_path: Path, command: str, more: list[str]) -> None:
    more = [str(tmp_path / "r.html") if part == "REPORT" else part for part in more]
    done = run(command, *sides, *more, "-f", "json")
    assert done.exit_code == 0, done.stderr
    assert "missing" not in done.stderr
    found = json.loads(done.stdout)
    value = expected(sides)
    if "--matrix" in more:
        assert found["comparisons"][0]["topics"] == [str(k) for k in range(301, 309)]
    elif command == "explain":
        assert found["value"] == cc.tau_b(value.truth_means, value.candidate_means)
    elif command == "compare":
        assert found["comparisons"][0]["truth_means"] == value.truth_means.tolist()


def test_three_sides(tmp_path: Path) -> None:
    """x lacks topics, and only the truth has x; c lacks a topic that only the truth has."""
    truth = scores(1, (*SYSTEMS, "x"), range(301, 314))
    del truth["x"]["302"], truth["c"]["313"]
    sides = [table(tmp_path / "truth.csv", truth)]
    sides += [table(tmp_path / f"{k}.csv", scores(k, SYSTEMS, range(301, 313))) for k in (2, 3)]
    done = run("compare", *sides, "-f", "json")
    assert done.exit_code == 0, done.stderr
    read: list[Any] = [cc.read_scores(side, systems=SYSTEMS, topics=map(str, range(301, 313))) for side in sides]
    expected = cc.rank_judges(read[0], {"2": read[1], "3": read[2]}, rng=0)
    found = json.loads(done.stdout)["comparisons"]
    for one, judge in zip(found, expected.judges, strict=True):
        assert judge.verdict in one["notes"]  # too few systems
        assert len(one["topics"]) == judge.settings["n_topics"] == 12


def test_holes_among_what_is_compared(tmp_path: Path) -> None:
    truth = scores(1, (*SYSTEMS, "x"), range(301, 309))
    del truth["b"]["303"], truth["x"]["304"]
    files = table(tmp_path / "truth.csv", truth), table(tmp_path / "other.csv", scores(2, SYSTEMS, range(301, 309)))
    with pytest.raises(InputError, match=r"truth\.csv: b lacks topic 303 .*Choose with missing=") as error:
        cc.compare(*files)
    assert "304" not in str(error.value)
    assert "b lacks topic 303 (of 8 topics). Choose with --missing" in refused("compare", *files)
    with pytest.warns(AlignmentWarning) as told:
        assert len(cc.compare(*read(files, "drop"), rank_test=None).topics) == 7
    assert str(told[0].message) == f"{files[0]}: 1 topic dropped of 8, because not every system has them: 303"
    with pytest.warns(AlignmentWarning) as told:
        found = cc.compare(*read(files, "drop-systems"), rank_test=None)
    assert str(told[0].message) == f"{files[0]}: 1 system dropped of 4, because they lack topics: b"
    assert (found.systems, len(found.topics)) == (("a", "c", "d"), 8)
    assert "1 system of other left out, because truth lacks it: b" in found.notes
    zero = quiet(cc.compare, *read(files, "zero"), rank_test=None)
    assert zero.truth_means[1] == pytest.approx(sum(truth["b"].values()) / 8)
    mean = quiet(cc.compare, *read(files, "mean"), rank_test=None)
    assert mean.truth_means[1] == pytest.approx(sum(truth["b"].values()) / 7)


def test_a_topic_of_systems_that_are_left_out(tmp_path: Path) -> None:
    """Only x has topic 400, so it is none of the others; unless missing topics count 0."""
    truth = scores(1, SYSTEMS, range(301, 305)) | {"x": {"400": 0.5}}
    candidate = scores(2, SYSTEMS, range(301, 305))
    for of in candidate.values():
        of["400"] = 0.25
    files = table(tmp_path / "truth.csv", truth), table(tmp_path / "other.csv", candidate)
    found = quiet(cc.compare, *files, rank_test=None)
    assert found.topics == ("301", "302", "303", "304")
    assert any("1 topic of truth left out, because other lacks it: 400" in note for note in found.notes)
    assert quiet(cc.compare, *read(files, "zero"), rank_test=None).topics[-1] == "400"


def test_one_score_per_system_with_gaps(tmp_path: Path) -> None:
    board = tmp_path / "board.csv"
    board.write_text("model,win_rate,n\na,0.5,3\nb,0.4,4\nc,0.1,5\nx,,6\n")
    other = {"a": 0.3, "b": 0.7, "c": 0.2}
    side = cc.as_scores(str(board), measure="win_rate")
    assert quiet(cc.compare, side, other)["tau"] == pytest.approx(1 / 3)
    with pytest.raises(InputError, match=r"has no score for x: leave .* missing='drop-systems'"):
        cc.compare(side, other | {"x": 0.1})


def test_empty_files_are_an_error_still(tmp_path: Path) -> None:
    for name, value in (("a", 0.1), ("b", 0.2), ("c", 0.3)):
        (tmp_path / f"{name}.eval").write_text(f"map\t1\t{value}\nmap\t2\t{value}\n")
    (tmp_path / "d.eval").write_text("")
    with pytest.raises(
        InputError, match=r"no scores at all for d: to leave out such systems, write missing='drop-systems'"
    ):
        cc.compare(tmp_path, {"a": 1, "b": 2, "c": 3, "d": 4})
    for given, note in (
        ({"a": 1, "b": 2, "c": 3}, "left out, because candidate lacks it: d"),
        ({"a": 1, "b": 2, "c": 3, "d": 4}, "1 system dropped of 4, because they lack topics: d"),
    ):
        found = quiet(cc.compare, cc.read_scores(tmp_path, missing="drop-systems"), given, rank_test=None)
        assert found["tau"] == 1
        assert any(note in said for said in found.notes)


def test_audit_tries_the_ways_and_says_which_it_cannot(tmp_path: Path) -> None:
    truth = scores(1, SYSTEMS, range(301, 305))
    for k, system in enumerate(SYSTEMS):
        del truth[system][str(301 + k)]  # no topic is shared by all systems, and no system has all topics
    files = table(tmp_path / "truth.csv", truth), table(tmp_path / "other.csv", scores(2, SYSTEMS, range(301, 305)))
    found = cc.audit(*files, reported="0.5", departures=0)
    assert found.notes[0] == "systems lack topics; tried: missing topics 0, each system over the topics it has"
    reasons = [note for note in found.notes if "not tried" in note]
    assert len(reasons) == 2
    assert reasons[0].startswith("missing topics dropped: not tried (")
    assert "no topic is shared by all systems" in reasons[0]
    truth_side, other = read(files, "zero")
    one = cc.audit(truth_side, other, reported="0.5", departures=0)
    assert one.n_ways < found.n_ways


@pytest.fixture
def apart(tmp_path: Path) -> tuple[str, str]:
    return (
        table(tmp_path / "truth.csv", scores(1, SYSTEMS, range(301, 309))),
        table(tmp_path / "candidate.csv", scores(2, SYSTEMS, range(401, 411))),
    )


def test_no_common_topics(apart: tuple[str, str]) -> None:
    for function in (cc.compare, cc.explain):
        with pytest.raises(InputError, match=r"no topics are common.*on='systems' averages each side over its own"):
            function(*apart)
    x, y = (cc.read_scores(side).means() for side in apart)
    assert cc.compare(*apart, on="systems", rank_test=None)["tau"] == cc.tau(x, y)
    explained = cc.explain(*apart, coefficient="tau", on="systems")
    assert (explained.value, explained.topics) == (cc.tau(x, y), ())
    for command in (("compare",), ("compare", "--matrix"), ("explain",)):
        assert "--own-topics averages each side over its own topics" in refused(*command, *apart)
        assert run(*command, *apart, "--own-topics").exit_code == 0
    assert run("audit", *apart, "-r", "0.5", "--own-topics").exit_code == 0
    with pytest.raises(InputError, match="on is 'topics'"):
        cc.explain(*apart, on="topics")  # type: ignore[arg-type]


def test_a_function_without_the_choice_does_not_name_it(apart: tuple[str, str]) -> None:
    with pytest.raises(InputError, match="no topics are common") as error:
        cc.correlate(*apart, coefficient="tau_b")
    assert "on=" not in str(error.value)


def test_other_topics_are_told_of_the_choice(tmp_path: Path) -> None:
    files = (
        table(tmp_path / "truth.csv", scores(1, SYSTEMS, range(301, 309))),
        table(tmp_path / "candidate.csv", scores(2, SYSTEMS, range(303, 309))),
    )
    found = quiet(cc.compare, *files, rank_test=None)
    assert found.notes[0] == (
        "2 topics of truth left out, because candidate lacks them: 301, 302 (on='systems' averages each side over its "
        "own topics)"
    )
    assert "(--own-topics averages each side over its own topics)" in run("compare", *files).stdout
    with pytest.warns(AlignmentWarning) as told:
        cc.correlate(*files, method=None)
    assert "own topics" not in str(told[0].message)


def test_audit_on_own_topics_is_the_plain_way(tmp_path: Path) -> None:
    files = (
        table(tmp_path / "truth.csv", scores(1, SYSTEMS, range(301, 309))),
        table(tmp_path / "candidate.csv", scores(2, SYSTEMS, range(303, 311))),
    )
    value = float(cc.pearson(*(cc.read_scores(side).means() for side in files)))
    found = cc.audit(*files, reported=f"{value:.6f}", on="systems", departures=0)
    assert [way.rule for way in found.matches] == ["pearson(truth, candidate)"]
    assert not quiet(cc.audit, *files, reported=f"{value:.6f}", departures=0).matches
    printed = run("audit", *files, "-r", f"{value:.6f}", "--own-topics", "--departures", "0", "-f", "json")
    assert json.loads(printed.stdout)["matches"][0]["departures"] == 0


def test_systems_that_score_the_same_are_said_once(tmp_path: Path) -> None:
    truth, candidate = scores(1, SYSTEMS, range(301, 309)), scores(2, SYSTEMS, range(301, 309))
    for side in (truth, candidate):
        side["b"] = side["a"]
    candidate["d"] = candidate["c"]
    files = table(tmp_path / "truth.csv", truth), table(tmp_path / "candidate.csv", candidate)
    same = [note for note in cc.compare(*files, rank_test=None).notes if "duplicates" in note]
    assert same == [
        "Possible duplicates (identical scores everywhere): a, b",
        "Possible duplicates (identical scores in candidate): c, d",
    ]
