"""The real collections, read once."""

from __future__ import annotations

from pathlib import Path

import pytest

from concordant import Qrels, Runs, read_qrels, read_runs


@pytest.fixture(scope="session")
def covid1(data: Path) -> tuple[Runs, Qrels]:
    return read_runs(data / "covid1" / "runs"), read_qrels(data / "covid1" / "qrels.txt")


@pytest.fixture(scope="session")
def dl21(data: Path) -> tuple[Runs, Qrels]:
    return read_runs(data / "dl21" / "runs"), read_qrels(data / "dl21" / "qrels" / "human.txt.gz")
