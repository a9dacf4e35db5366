"""Extras that are not installed are asked for before the work, and what does not need them is done."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import pytest

import concordant as cc

from .commands import CAREFUL, PEOPLE, bad, run
from .judgments.test_study import MACHINE, QRELS, RUNS

EXTRAS = ("matplotlib", "pandas")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """As after installing concordant[cli] alone."""
    find = PathFinder.find_spec

    def without(name: str, *others: Any) -> Any:
        return None if name.partition(".")[0] in EXTRAS else find(name, *others)

    for name in [name for name in sys.modules if name.partition(".")[0] in EXTRAS]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(PathFinder, "find_spec", without)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "lacking"),
    [
        (["compare", PEOPLE, CAREFUL, "--plot", "t.pdf"], "this needs matplotlib: pip install matplotlib"),
        (["board", PEOPLE, "--plot", "t.pdf"], "this needs matplotlib: pip install matplotlib"),
    ],
    ids=lambda given: given[0],
)
def test_extras_are_asked_for_before_the_work(
    bare: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], lacking: str
) -> None:
    def read(*_: Any, **__: Any) -> Any:
        raise AssertionError("it began")

    monkeypatch.setattr("concordant.cli.options.Reader.sides", read)
    monkeypatch.setattr("concordant.cli.options.Reader.__call__", read)
    assert bad(*command, status=1) == f"concordant: {lacking}\n"
    assert os.listdir(bare) == []


@pytest.mark.parametrize("command", [["board", PEOPLE], ["compare", PEOPLE, CAREFUL]], ids=lambda given: given[0])
def test_a_page_needs_no_extra(bare: Path, command: list[str]) -> None:
    assert run(*command, "--resamples", "99", "--html", "b.html").exit_code == 0
    assert (bare / "b.html").exists()


@pytest.mark.long
def test_studies_write_tables_without_figures_and_say_so(bare: Path) -> None:
    done = run("study", "reliability", PEOPLE, "--trials", "1", "--sizes", "10", "-o", "st")
    assert done.exit_code == 0, done.output
    assert "without figures: this needs matplotlib: pip install matplotlib" in done.stderr
    assert "figures" not in done.stdout
    assert (bare / "st" / "reliability.csv").stat().st_size > 0
    found = cc.study.judge_study(RUNS, QRELS, {"machine": MACHINE}, ["AP"], n_resamples=500, rng=1)
    with pytest.warns(cc.errors.DataWarning, match="without figures: this needs matplotlib"):
        written = found.save(bare / "judges")
    assert sorted(path.name for path in written) == sorted(os.listdir(bare / "judges")) == ["judges.csv", "systems.csv"]
