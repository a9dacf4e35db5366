"""The real collections that benchmarks measure on: where tools/fetch_data.py puts them, or what comes along."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))
from fetch_data import folder, place


def lacks(*names: str) -> str:
    """One line about files or folders of the collections that are not there; empty where all are."""
    absent = ", ".join(name for name in names if not place(name).exists())
    return f"no {absent} in {folder()}: python tools/fetch_data.py --list, or set CONCORDANT_DATA" if absent else ""


def need(name: str) -> Path:
    """A file or folder of the collections; where it is not there, the end, in one line."""
    if told := lacks(name):
        sys.exit(told)
    return place(name)


def matrix(name: str) -> npt.NDArray[np.float64]:
    """The scores of a CSV file below the folder, topics x systems."""
    with need(name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    first = int(rows[0][0] == "topic")
    return np.array([row[first:] for row in rows[1:]], dtype=np.float64)
