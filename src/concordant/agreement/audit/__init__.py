"""Find which way of computing a rank correlation gives a reported number.

A way consists of a `Preparation` (the input: means, ranks, names in order), a `Recipe` (coefficient and rule for ties)
and a `Writing` (the value unchanged, rescaled, or without its sign). `audit` tries all ways, and says how many of them
would match by chance.
"""

from .search import audit

__all__ = ["audit"]
