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
    return [Path(named).resolve()] if named else [PROJECT / "data", PROJECT.parent / "shared" / "data"]


def collections() -> Path | None:
    """The folder of all collections: the one that CONCORDANT_DATA names, or else the first that has them; or None."""
    if os.environ.get("CONCORDANT_DATA"):
        return places()[0]
    # What tools/fetch_data.py cannot get has to be there, too: a test may ask for any of it.
    return next((here for here in places() if (here / "formats").is_dir()), None)


def trec() -> Path:
    """The collections that come with the project, also where CONCORDANT_DATA names a folder without them."""
    return next((here / "trec" for here in places() if (here / "trec").is_dir()), PROJECT / "data" / "trec")


def read_matrix(path: Path) -> npt.NDArray[np.float64]:
    """Topics x systems of a file in trec/, without the package's readers."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    values = np.array(rows[1:], dtype=np.float64)
    return values[:, 1:] if rows[0][0] == "topic" else values
