"""The example runs, and docs/guide/rank-distance.md shows what it prints."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import concordant as cc

ROOT = Path(__file__).parents[2]


@pytest.fixture
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rank_distance_example", ROOT / "examples" / "rank_distance.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_papers_three_systems(example: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    example.three_systems()
    printed = capsys.readouterr().out
    docs = (ROOT / "docs" / "guide" / "rank-distance.md").read_text(encoding="utf-8")
    for line in printed.splitlines():
        assert line.rstrip() in docs
    distances = [
        cc.rank_distance(example.AP, [-ranking.index(system) for system in "ABC"])
        for ranking in ("ABC", "ACB", "BAC", "CAB", "BCA", "CBA")
    ]
    assert distances == pytest.approx([4.88, 4.88, 4.88, 4.88, 0.65, 0], abs=0.02)  # the paper's table


def test_all_experiments_run(
    example: ModuleType, data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONCORDANT_DATA", str(data))
    example.main(count=300)
    printed = capsys.readouterr().out
    assert "critical value of the paper's test" in printed
    truth = cc.read_scores(data / "trec" / "robust2004_ap.csv").values
    assert np.shape(truth) == (249, 110)
