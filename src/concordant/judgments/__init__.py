"""Judgments of relevance: runs scored under them, and changes to them.

Each change returns new `Qrels`: `depth_pool`, `sample`, `pseudo`, `from_runs`, `leave_out`, `mix`.
"""

from .changes import depth_pool, from_runs, leave_out, mix, pseudo, sample

__all__ = ["depth_pool", "from_runs", "leave_out", "mix", "pseudo", "sample"]
