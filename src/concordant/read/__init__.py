"""Read files into `Scores`. `formats` has a module for each format; `recognise` tells the formats apart by content."""

from .look import look
from .reader import read_scores
from .source import SideName, parse_side, short_names

__all__ = ["SideName", "look", "parse_side", "read_scores", "short_names"]
