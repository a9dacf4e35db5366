"""Significance of ranks and swaps: the rank distance of Carterette (2009), rank intervals and borders.

`distance` has the rank distance and `testing` its test. `discriminative` has the share of significant differences that
another ranking confirms. `bounds` finds rank intervals, `intervals` shows them, and `pair_tests` has the tests behind
them. `differences` compares two systems, or each with the next. `noise` separates the errors from topics and runs.
"""

from .. import resolver

_MODULE_OF = {"discriminative_power": "discriminative", "neighbours": "differences", "run_noise": "noise"}
__all__ = list(_MODULE_OF)
__getattr__ = resolver(__name__, _MODULE_OF)
