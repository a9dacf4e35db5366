"""Figures of results in one house style, as drawn by each result's `plot`.

`style` sets the width of new figures, `save` writes one to a file, and `heatmap` and `comparisons` draw tables.
"""

from __future__ import annotations

from .matrices import comparisons, heatmap
from .style import save, style

__all__ = ["comparisons", "heatmap", "save", "style"]
