"""Files to `Scores`, runs and qrels. One module for each format; `recognise` tells them apart by content."""

from .label_list import read_labels
from .look import Look, look
from .naming import SideName, parse_side, short_names
from .qrels import read_qrels
from .reader import read_scores
from .runs import read_run, read_runs

__all__ = [
    "Look",
    "SideName",
    "look",
    "parse_side",
    "read_labels",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "short_names",
]
