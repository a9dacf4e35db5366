"""Segments of WMT's documents are grouped without being asked, and single ones can be asked for."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import concordant as cc
from concordant.data.means import documents_of
from concordant.read import look

from ..commands import good, run

SEGMENTS = {"d0": 3, "d1": 1, "d2": 2, "d3": 4, "d4": 2}
FEW: dict[str, Any] = {"n_resamples": 999, "rng": 1}
GUESSED = "the topics are segments of .* documents"


def write_wmt(folder: Path, pairs: tuple[str, ...] = ("en-cs",), segments: dict[str, int] = SEGMENTS) -> Path:
    """Files of three systems as WMT has them."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(2)
    for k, system in enumerate("ABC"):
        records = [
            {
                "language_pair": pair,
                "document_id": document,
                "metric_scores": {"chrf": (rng.random(n) + k / 10).round(6).tolist()},
            }
            for pair in pairs
            for document, n in segments.items()
        ]
        (folder / f"{system}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return folder


def parsed(path: Path) -> dict[str, str]:
    """The document of each segment of one file, read without the package's readers."""
    records = map(json.loads, path.read_text().splitlines())
    return {
        f"{r['language_pair']}/{r['document_id']}#{k}": f"{r['language_pair']}/{r['document_id']}"
        for r in records
        for k in range(len(r["metric_scores"]["chrf"]))
    }


def test_a_document_of_one_language_pair_is_a_group(tmp_path: Path) -> None:
    folder = write_wmt(tmp_path / "wmt", ("en-cs", "en-de"))
    found = cc.read_scores(folder)
    assert isinstance(found, cc.Scores)
    expected = parsed(folder / "A.jsonl")
    assert found.groups is not None
    assert dict(zip(found.topics, found.groups, strict=True)) == expected
    assert len(set(found.groups)) == 10
    told = cc.rank_intervals(found, **FEW)
    assert told.settings["groups"] == 10
    assert "24 topics in 10 groups" in str(told)
    given = cc.rank_intervals(cc.read_scores(folder, groups=expected), **FEW)
    assert told == given


def test_single_segments_can_be_asked_for(tmp_path: Path) -> None:
    folder = write_wmt(tmp_path / "wmt")
    single = cc.read_scores(folder, groups="none")
    grouped = cc.read_scores(folder)
    assert (single.groups, grouped.groups is None) == (None, False)
    assert cc.as_scores(grouped, groups="none") == single
    path = tmp_path / "scores.csv"
    single.to_frame().to_csv(path)  # type: ignore[union-attr]
    assert cc.read_scores(path, groups="none").groups is None
    by_command = {option: run("board", folder, *option).stdout for option in ((), ("--groups", "none"))}
    assert "12 topics in 5 groups" in by_command[()]
    assert "12 topics.\n" in by_command["--groups", "none"]
    board = tmp_path / "board.csv"
    board.write_text("model,score\nA,1\nB,2\n", encoding="utf-8")
    assert cc.read_scores(board, groups="none").systems == ("A", "B")


def test_a_table_of_segments_is_grouped_with_a_note(tmp_path: Path) -> None:
    scores = cc.read_scores(write_wmt(tmp_path / "wmt"))
    assert isinstance(scores, cc.Scores)
    path = tmp_path / "scores.csv"
    scores.to_frame().to_csv(path)
    with pytest.warns(UserWarning, match=GUESSED + r", so .*; to resample segments, say groups='none'"):
        assert cc.read_scores(path).groups == scores.groups
    with pytest.warns(UserWarning, match=GUESSED):
        assert cc.as_scores(pd.read_csv(path)).groups == scores.groups
    own = dict.fromkeys(scores.topics[:6], "x") | dict.fromkeys(scores.topics[6:], "y")
    assert cc.read_scores(path, groups=own).groups == ("x",) * 6 + ("y",) * 6
    assert cc.as_scores(cc.Scores(scores.values, scores.topics, scores.systems)).groups is None  # as it was made
    assert "to resample segments, say groups='none' (--groups none)" in run("board", path).stderr
    assert run("board", path, "--groups", "none").stderr == ""


def test_what_is_no_segment() -> None:
    for topics in (["a#1", "b"], ["a#1", "a#2"], ["a#1", "b#1"], ["a#x", "a#y", "b#z"], ["#1", "#2"], []):
        assert documents_of(topics) is None
    assert documents_of(["301#2", "301#10", "302#1"]) == {"301#2": "301", "301#10": "301", "302#1": "302"}


def test_documents_of_one_segment_are_no_groups(tmp_path: Path) -> None:
    folder = write_wmt(tmp_path / "wmt", segments=dict.fromkeys("abcd", 1))
    assert cc.read_scores(folder).groups is None
    one = write_wmt(tmp_path / "one", segments={"a": 5})
    with pytest.raises(cc.errors.InputError, match=r"1 group for 5 topics.*groups='none'"):
        cc.rank_intervals(one, **FEW)
    cc.rank_intervals(cc.read_scores(one, groups="none"), **FEW)


def test_groups_of_one_side_are_those_of_both(tmp_path: Path) -> None:
    folder = write_wmt(tmp_path / "wmt")
    scores = cc.read_scores(folder)
    assert isinstance(scores, cc.Scores)
    rng = np.random.default_rng(4)
    other = cc.Scores(scores.values + rng.normal(0, 0.1, scores.values.shape), scores.topics, scores.systems)
    assert other.groups is None
    for sides in ((folder, other), (other, folder)):
        pairing = cc.pair(*sides)
        assert pairing.truth.groups == pairing.candidates[0].groups == scores.groups
    found = cc.correlate(folder, other, **FEW | {"n_resamples": 500})
    assert found.settings["groups"] == 5


def test_a_side_with_other_topics_or_none_keeps_its_own(tmp_path: Path) -> None:
    folder = write_wmt(tmp_path / "wmt")
    board = {"A": 0.1, "B": 0.2, "C": 0.3}
    assert cc.compare(folder, board).values == cc.compare(cc.read_scores(folder, groups="none"), board).values
    values = np.random.default_rng(1).random((4, 3))
    pairing = cc.pair(folder, cc.Scores(values, range(4), ["A", "B", "C"]), on="systems")
    assert (pairing.truth.groups is None, pairing.candidates[0].groups) == (False, None)


def test_look_says_so(tmp_path: Path) -> None:
    found = look(write_wmt(tmp_path / "wmt"))
    assert found.groups == tuple(f"en-cs/{document}" for document in SEGMENTS)
    assert "12 topics in 5 groups" in found.verdict
    assert "5: en-cs/d0" in found.table()
    assert look(io.StringIO("topic,a,b\nx#0,1,2\nx#1,2,3\ny#0,4,5\n")).groups == ("x", "y")
    assert "groups" not in good("look", tmp_path / "wmt" / "A.jsonl").replace("in 5 groups", "").split("measures")[1]


def test_functions_that_need_single_topics_say_how(tmp_path: Path) -> None:
    scores = cc.read_scores(write_wmt(tmp_path / "wmt"))
    with pytest.raises(cc.errors.InputError, match=r"scores have groups.*: read it with groups='none'"):
        cc.simulate(scores, 5, rng=1)


@pytest.mark.filterwarnings(f"ignore:.*{GUESSED}")
def test_documents_of_wmt25_by_the_file_of_groups(data: Path) -> None:
    folder = data / "wmt25"
    scores = cc.read_scores(folder / "en-cs_CZ__XCOMET-XL.csv")
    assert isinstance(scores, cc.Scores)
    with (folder / "en-cs_CZ__groups.csv").open(encoding="utf-8", newline="") as file:
        documents = {row["topic"]: row["document"] for row in csv.DictReader(file)}
    assert scores.groups == tuple(documents[topic] for topic in scores.topics)
    assert len(set(scores.groups)) == 113
    by_document, by_segment = (cc.rank_intervals(given, rng=0) for given in (scores, scores.described(groups=None)))
    assert len(by_document.best(1).possible) == 3
    assert by_segment.best(1).possible == ("Shy",)
