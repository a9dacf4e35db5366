"""Judgments of relevance: runs scored under them, and changes to them.

Each change returns new `Qrels`: `depth_pool`, `sample`, `pseudo`, `from_runs`, `leave_out`, `mix`. A `Change` is one of
these at one level, for `judgment_study`. `label_agreement` compares the grades of two judges.
"""

from .agreement import LabelAgreement, label_agreement
from .change import Change
from .changes import depth_pool, from_runs, leave_out, mix, pseudo, sample
from .teams import leave_each_out

__all__ = [
    "Change",
    "LabelAgreement",
    "depth_pool",
    "from_runs",
    "label_agreement",
    "leave_each_out",
    "leave_out",
    "mix",
    "pseudo",
    "sample",
]
