"""What results share that say whom a machine favours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..arrays import FloatArray
from ..options import checked
from ..words import listing

if TYPE_CHECKING:
    from .scores import Means

SIGNIFICANT = 0.05  # level at which a system is called favoured


class Favours:
    """By how much a machine favours each of the systems of `means`, and the corrected p-values."""

    means: Means
    favour: FloatArray
    favour_p: FloatArray

    @checked
    def favoured(self, *, more: bool = True) -> list[str]:
        """Systems that the machine favours significantly, or disfavours with more=False, the most first."""
        sign = 1 if more else -1
        order = np.argsort(-sign * self.favour, kind="stable")
        return [self.means.systems[k] for k in order if self.favour_p[k] <= SIGNIFICANT and sign * self.favour[k] > 0]

    def _whom(self, machine: str) -> list[str]:
        """That in a sentence; none where it is not known."""
        if np.isnan(self.favour).any():
            return []
        sides = (("favours", self.favoured()), ("disfavours", self.favoured(more=False)))
        told = " and ".join(f"{word} {listing(systems, 3)}" for word, systems in sides if systems)
        return [f"{machine} {told or 'favours no system significantly'} (corrected for {len(self.favour)} systems)"]
