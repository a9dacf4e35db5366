"""A small simulated collection that comes with the package, for examples and the demo.

Scores like nDCG@10 of 20 systems on 40 topics: `people`, the truth; `careful`, a machine judge close to it; `hasty`,
one that tells few grades apart. Made by examples/make_collection.py; free to use.
"""

from __future__ import annotations

import csv
from pathlib import Path

from ...errors import InputError
from ...options import checked
from ..scores import Scores

NAMES = ("people", "careful", "hasty")


def path(name: str) -> Path:
    """The CSV file of a judge."""
    if name not in NAMES:
        raise InputError(f"there is no judge {name!r} in the collection: choose from {', '.join(NAMES)}")
    return Path(__file__).parent / f"{name}.csv"


@checked
def load_collection(name: str) -> Scores:
    """The scores by one judge of the collection that comes with the package: "people", "careful" or "hasty".

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
