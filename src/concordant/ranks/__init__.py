"""Significance of ranks and swaps: the rank distance of Carterette (2009), rank intervals and borders.

`distance` has the rank distance, its test, and the share of significant differences that another ranking confirms.
`intervals` finds rank intervals, and `pair_tests` has the tests behind them. `differences` compares two systems, or
each system with the next one. `noise` separates the errors from topics and runs. `votes` ranks systems by battles.
"""

from .. import resolver

_MODULE_OF = {"discriminative_power": "distance", "neighbours": "differences", "run_noise": "noise"}
__all__ = list(_MODULE_OF)
__getattr__ = resolver(__name__, _MODULE_OF)
