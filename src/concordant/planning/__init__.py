"""Planning: how reliable a ranking is, how many topics or labels to collect, how to combine people and a machine."""

from .. import resolver

_MODULE_OF = {"plan_runs": "run_plan", "try_labels": "label_trial"}
__all__ = list(_MODULE_OF)
__getattr__ = resolver(__name__, _MODULE_OF)
