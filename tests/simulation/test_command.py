"""`concordant simulate`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import concordant as cc
from tests.commands import PEOPLE
from tests.commands import run as command


def run(*arguments: object) -> Any:
    return command("simulate", *arguments)


def test_the_file_holds_what_the_library_simulates(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    done = run(PEOPLE, "-n", 30, "-o", out, "--seed", 5, "--drop-bottom", 0.25, "--exact-means", "--chosen-topics")
    assert (done.exit_code, done.stderr) == (0, "")
    wanted = cc.simulate(cc.read_scores(PEOPLE), 30, rng=5, drop_bottom=0.25, exact_means=True, random_topics=False)
    found = cc.read_scores(out)
    assert found.systems == wanted.systems
    assert found.topics == wanted.topics
    assert np.array_equal(found.values, wanted.values)
    assert "30 topics of 15 systems, seed 5\n" in done.stdout
    assert done.stdout.endswith(f"\nScores: {out}\n")
    assert "5 systems left out by --drop-bottom" in done.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["out.csv"]


def test_mistakes_leave_the_old_file(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("topic,precious\n")
    percent = tmp_path / "percent.csv"
    percent.write_text("topic,a,b\n1,55,60\n2,20,40\n")
    done = run(percent, "-n", 3, "-o", out)
    assert done.exit_code == 1
    assert "outside [0, 1]" in done.stderr
    assert "--lowest and --highest" in done.stderr
    assert out.read_text() == "topic,precious\n"
    assert run(percent, "-n", 3, "-o", out, "--lowest", 0, "--highest", 100).exit_code == 0
    assert cc.read_scores(out).values.max() > 1


def test_the_collection_itself_is_not_overwritten(tmp_path: Path) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_bytes(Path(PEOPLE).read_bytes())
    done = run(scores, "-n", 3, "-o", scores)
    assert done.exit_code == 1
    assert f"--output would replace {scores}, which this command reads: give --output another file" in done.stderr
    assert scores.read_bytes() == Path(PEOPLE).read_bytes()


def test_messages_name_the_file_that_was_asked_for(tmp_path: Path) -> None:
    for out in (tmp_path / "missing" / "out.csv", tmp_path):
        done = run(PEOPLE, "-n", 3, "-o", out)
        assert done.exit_code == 2  # bad usage, told before the work
        assert str(tmp_path / "missing" if out != tmp_path else out) in done.stderr
        assert ".part" not in done.stderr
