"""Do the swaps matter, and which ranks are real? The rank distance of Carterette (2009), rank intervals and borders.

`distance` has the distance, `distribution` what resampling the topics makes of it, `testing` the test, `places` the
ranks that a system may have, `discriminative` the share of significant differences that another ranking confirms,
`loss` makes an objective of the distance, `bounds` finds the rank intervals, `intervals` shows them, and `pair_tests`
has the tests behind them.
"""

from .. import resolver

_MODULE_OF = {
    "DistanceDistribution": "distribution",
    "discriminative_power": "discriminative",
    "rank_loss": "loss",
    "rank_probabilities": "places",
    "ranking_probability": "region",
}
__all__ = list(_MODULE_OF)
__getattr__ = resolver(__name__, _MODULE_OF)
