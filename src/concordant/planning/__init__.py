"""How much is enough: how close a ranking is to the true one, more or fewer topics, people and machine together."""

from importlib import import_module
from typing import Any

_MODULE_OF = {"discordance": "probabilities", "split_half": "halves"}
__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
