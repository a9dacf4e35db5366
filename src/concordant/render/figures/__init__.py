"""Figures of results, in one house style. Each result has `plot`; this is what is behind it, and what goes beyond one.

`style` sets the width of new figures, `save` writes one to a file, `heatmap` and `comparisons` show tables.
"""

from __future__ import annotations

from .matrices import comparisons, heatmap
from .style import save, style

__all__ = ["comparisons", "heatmap", "save", "style"]
