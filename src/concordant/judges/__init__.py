"""How good a judge is: what its topics are worth in topics of the truth, and which of several judges is best."""

from importlib import import_module
from typing import Any

_MODULE_OF = {
    "family_bias": "families",
    "gaming_gap": "gaming",
    "rank_changes": "rank_shifts",
    "significance_agreement": "significance_counts",
    "tie_calibration": "tie_tolerance",
}
__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
