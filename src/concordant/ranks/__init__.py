"""Do the swaps matter, and which ranks are real? The rank distance of Carterette (2009), rank intervals and borders.

`distance` has the distance, `testing` the test, `discriminative` the share of significant differences that another
ranking confirms, `bounds` finds the rank intervals, `intervals` shows them, `pair_tests` has the tests behind them,
`differences` compares two systems, or each with the next, and `noise` tells topics from repeated runs.
"""

from .. import resolver

_MODULE_OF = {"discriminative_power": "discriminative", "neighbours": "differences", "run_noise": "noise"}
__all__ = list(_MODULE_OF)
__getattr__ = resolver(__name__, _MODULE_OF)
