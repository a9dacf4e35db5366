"""Which way of computing a rank correlation gives the number that somebody printed?

A way is a `Preparation` (of what: means, ranks, names in order), a `Recipe` (which coefficient, which ties) and a
`Writing` (as it is, in percent, without its sign). `audit` tries them all and says how many match by chance.
"""

from .search import audit

__all__ = ["audit"]
