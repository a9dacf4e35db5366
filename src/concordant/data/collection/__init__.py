"""A small simulated collection for examples and the demo.

Simulated nDCG@10 of 20 systems on 40 topics, by three judges: `people`, the truth; `careful`, a machine judge close to
it; `hasty`, a machine judge with few grades. Made by examples/make_collection.py; free to use.
"""

from __future__ import annotations

import csv
from pathlib import Path

from ...errors import InputError
from ...options import checked
from ..scores import Scores

NAMES = ("people", "careful", "hasty")


def path(name: str) -> Path:
    """Return the path of a judge's CSV file."""
    if name not in NAMES:
        raise InputError(f"there is no judge {name!r} in the collection: choose from {', '.join(NAMES)}")
    return Path(__file__).parent / f"{name}.csv"


@checked
def load_collection(name: str) -> Scores:
    """Load the scores that one judge of the bundled collection gave: "people", "careful" or "hasty".

    See Also
    --------
    read_scores : Read files.

    Examples
    --------
    >>> import concordant as cc
    >>> cc.load_collection("people")
    <Scores: 40 topics x 20 systems, nDCG@10>

    """
    with path(name).open(encoding="utf-8", newline="") as file:
        (_, *systems), *rows = csv.reader(file)
    values, topics = [[float(cell) for cell in row[1:]] for row in rows], [row[0] for row in rows]
    call = f"cc.load_collection({name!r})"
    return Scores(values, topics, systems, "nDCG@10", source=name, call=call)
