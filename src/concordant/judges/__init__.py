"""Quality of judges: what their topics are worth in topics of the truth, and which judge is best."""

from .. import resolver

_MODULE_OF = {
    "family_bias": "families",
    "gaming_gap": "gaming",
    "rank_changes": "rank_shifts",
    "significance_agreement": "significance",
    "tie_calibration": "accuracy",
}
__all__ = list(_MODULE_OF)
__getattr__ = resolver(__name__, _MODULE_OF)
