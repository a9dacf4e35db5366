"""Where the real collections are: where CONCORDANT_DATA points, or else in the project, or beside it."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

PROJECT = Path(__file__).resolve().parents[1]


def places() -> list[Path]:
    """Folders to look in, in this order."""
    named = os.environ.get("CONCORDANT_DATA")
    return [Path(named)] if named else [PROJECT / "data", PROJECT.parent / "shared" / "data"]


def read_matrix(path: Path) -> npt.NDArray[np.float64]:
    """Topics x systems of a file in trec/, without the package's readers."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    values = np.array(rows[1:], dtype=np.float64)
    return values[:, 1:] if rows[0][0] == "topic" else values
