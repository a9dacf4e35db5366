"""How much is enough: how close a ranking is to the true one, more or fewer topics, people and machine together."""

from .. import resolver

_MODULE_OF = {
    "plan_runs": "run_plan",
    "try_labels": "label_trial",
}
__all__ = list(_MODULE_OF)
__getattr__ = resolver(__name__, _MODULE_OF)
