"""`concordant simulate`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import concordant as cc
from concordant import cli
from concordant.collection import path as collection

PEOPLE = collection("people")


class Done(NamedTuple):
    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def simulate(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["concordant", "simulate", *map(str, arguments)])
        status = 0
        try:
            cli.main()
        except SystemExit as end:
            status = int(end.code or 0)
        return Done(status, *capsys.readouterr())

    return simulate


def test_the_file_holds_what_the_library_simulates(tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out.csv"
    done = run(PEOPLE, "-n", 30, "-o", out, "--seed", 5, "--drop-bottom", 0.25, "--exact-means", "--chosen-topics")
    assert (done.status, done.err) == (0, "")
    wanted = cc.simulate(cc.read_scores(PEOPLE), 30, rng=5, drop_bottom=0.25, exact_means=True, random_topics=False)
    found = cc.read_scores(out)
    assert found.systems == wanted.systems
    assert found.topics == wanted.topics
    assert np.array_equal(found.values, wanted.values)
    assert f"30 topics of 15 systems, seed 5, written to {out}" in done.out
    assert "5 systems left out by --drop-bottom" in done.out
    assert [p.name for p in tmp_path.iterdir()] == ["out.csv"]


def test_mistakes_leave_the_old_file(tmp_path: Path, run: Run) -> None:
    out = tmp_path / "out.csv"
    out.write_text("precious")
    percent = tmp_path / "percent.csv"
    percent.write_text("topic,a,b\n1,55,60\n2,20,40\n")
    done = run(percent, "-n", 3, "-o", out)
    assert done.status == 1
    assert "outside [0, 1]" in done.err
    assert "--lowest and --highest" in done.err
    assert out.read_text() == "precious"
    assert run(percent, "-n", 3, "-o", out, "--lowest", 0, "--highest", 100).status == 0
    assert cc.read_scores(out).values.max() > 1


def test_the_collection_itself_is_not_overwritten(tmp_path: Path, run: Run) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_bytes(Path(PEOPLE).read_bytes())
    done = run(scores, "-n", 3, "-o", scores)
    assert done.status == 2
    assert "the collection itself: give another file" in done.err
    assert scores.read_bytes() == Path(PEOPLE).read_bytes()


def test_messages_name_the_file_that_was_asked_for(tmp_path: Path, run: Run) -> None:
    for out in (tmp_path / "missing" / "out.csv", tmp_path):
        done = run(PEOPLE, "-n", 3, "-o", out)
        assert done.status == 2  # bad usage, told before the work
        assert str(tmp_path / "missing" if out != tmp_path else out) in done.err
        assert ".part" not in done.err
