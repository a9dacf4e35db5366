"""Base classes of results that report which systems a machine favours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtrit

from ..arrays import FloatArray
from ..errors import listing
from ..options import checked
from .results import Estimate, Findings, Interval
from .scores import places_of

if TYPE_CHECKING:
    from .scores import Means

SIGNIFICANT = 0.05  # level of the test for favoured systems


class Favours:
    """How much a machine favours each system of `means`, with corrected p-values."""

    means: Means
    favour: FloatArray
    favour_p: FloatArray

    @checked
    def favoured(self, *, more: bool = True) -> list[str]:
        """List the systems that the machine significantly favours (more=False: disfavours), largest effect first."""
        sign = 1 if more else -1
        order = np.argsort(-sign * self.favour, kind="stable")
        return [self.means.systems[k] for k in order if self.favour_p[k] <= SIGNIFICANT and sign * self.favour[k] > 0]

    def _whom(self, machine: str) -> list[str]:
        """Write one sentence on which systems the machine favours; return an empty list if this is unknown."""
        if np.isnan(self.favour).any():
            return []
        sides = (("favours", self.favoured()), ("disfavours", self.favoured(more=False)))
        told = " and ".join(f"{word} {listing(systems, 3)}" for word, systems in sides if systems)
        return [f"{machine} {told or 'favours no system significantly'} (corrected for {len(self.favour)} systems)"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CombinedMeans(Favours, Findings):
    """The result of `combine`: systems by their combined means, best first. See `combine` for its attributes."""

    before: tuple[str, ...]
    """Sentences that come before the sentence about favoured systems."""
    after: tuple[str, ...] = ()

    @checked
    def difference(self, first: str, second: str, *, confidence_level: float = 0.95) -> Estimate:
        """Estimate one system's mean minus another's, with an interval."""
        a, b = places_of([first, second], self.means.systems, "systems")
        variance = max(self.covariance[a, a] + self.covariance[b, b] - 2 * self.covariance[a, b], 0.0)
        reach = stdtrit(self.difference_freedom[a, b], (1 + confidence_level) / 2) * np.sqrt(variance)
        value = float(self.means.shown()[a] - self.means.shown()[b])
        how = self.settings.get("method", "partial labels")
        ends = Interval(value - float(reach), value + float(reach), confidence_level, how)
        return Estimate(f"{first} - {second}", value, how, ends, notes=self.numbers.get("doubts", ()))

    def _answers(self) -> Sequence[str]:
        return [f"{line}." for line in (*self.before, *self._whom(self.names[1]), *self.after)]
