"""The real collections that benchmarks measure on: CONCORDANT_DATA, or shared/data beside the project."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt


def folder() -> Path:
    """Where the collections are."""
    named = os.environ.get("CONCORDANT_DATA")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"


def matrix(name: str) -> npt.NDArray[np.float64]:
    """The scores of a CSV file below the folder, topics x systems."""
    with (folder() / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    first = int(rows[0][0] == "topic")
    return np.array([row[first:] for row in rows[1:]], dtype=np.float64)
