"""Battles instead of scores: people, or a judge, say which of two systems answered better."""

from importlib import import_module
from typing import Any

_MODULE_OF = {"Votes": "battles", "rank_votes": "ranking", "read_votes": "battles"}
__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
