"""What the plots of results share."""

from __future__ import annotations

from typing import Any

from .errors import MissingExtraError


def axes(ax: Any = None) -> Any:
    """The matplotlib axes to draw on: those given, or new ones."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingExtraError("plots need matplotlib: pip install 'concordant[app]'") from None
    return pyplot.subplots()[1]
