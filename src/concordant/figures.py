"""What the plots of results share."""

from __future__ import annotations

from typing import Any

from .errors import import_extra


def axes(ax: Any = None) -> Any:
    """The matplotlib axes to draw on: those given, or new ones."""
    return import_extra("matplotlib.pyplot").subplots()[1] if ax is None else ax
