"""From tables of cells to a topics x systems matrix, whether they come from files, frames or dictionaries.

`cells` are named columns, `layout` decides what they mean, `contents` gives the scores of each measure, `pivot` makes
matrices of them, `assemble` joins these, and `missing` says what happens to holes.
"""

from .assemble import Assembled, Unfilled
from .measures import check_measure
from .missing import Filling, Missing, are_invented, fill_or_drop, invent_topics

__all__ = [
    "Assembled",
    "Filling",
    "Missing",
    "Unfilled",
    "are_invented",
    "check_measure",
    "fill_or_drop",
    "invent_topics",
]
