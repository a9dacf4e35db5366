"""Relevance judgments: score runs with them, change them, compare and collect them.

`depth_pool`, `sample`, `pseudo`, `from_runs`, `leave_out` and `mix` each return new `Qrels`. A `Change` is one of these
functions with its level, for `judgment_study`. `label_agreement` compares the grades of two judges. `label` chooses the
documents that people should judge; `rank_from_labels` ranks the systems by the labels that people gave.
"""

from .agreement import label_agreement
from .changes import Change, depth_pool, from_runs, leave_out, mix, pseudo, sample
from .label import LabelList, label, read_labels
from .label_ranking import LabelRanking, rank_from_labels

__all__ = [
    "Change",
    "LabelList",
    "LabelRanking",
    "depth_pool",
    "from_runs",
    "label",
    "label_agreement",
    "leave_out",
    "mix",
    "pseudo",
    "rank_from_labels",
    "read_labels",
    "sample",
]
