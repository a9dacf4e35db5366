"""Files to `Scores`, runs and qrels. One module a format; `recognise` tells them apart by content."""

from .qrels import read_qrels
from .reader import read_scores
from .runs import read_run, read_runs

__all__ = ["read_qrels", "read_run", "read_runs", "read_scores"]
