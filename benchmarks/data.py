"""The real collections that benchmarks measure on, where CONCORDANT_DATA points, or in data/: tools/fetch_data.py."""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt


def folder() -> Path:
    """Where the collections are."""
    return Path(os.environ.get("CONCORDANT_DATA") or Path(__file__).resolve().parents[1] / "data")


def need(name: str) -> Path:
    """A file or folder of the collections; where it is not there, the end, in one line."""
    path = folder() / name
    if not path.exists():
        sys.exit(f"no {name} in {folder()}: python tools/fetch_data.py, or set CONCORDANT_DATA")
    return path


def matrix(name: str) -> npt.NDArray[np.float64]:
    """The scores of a CSV file below the folder, topics x systems."""
    with need(name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    first = int(rows[0][0] == "topic")
    return np.array([row[first:] for row in rows[1:]], dtype=np.float64)
