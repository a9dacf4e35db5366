"""`Estimate`: a number with what is known about its uncertainty, as inference and reliability return it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import import_extra
from .notebook import Displayed


@dataclass(frozen=True)
class Interval(Displayed):
    """From `low` to `high`, and how often such intervals are meant to hold the truth."""

    low: float
    high: float
    confidence_level: float
    method: str
    """How it was made."""

    def __str__(self) -> str:
        return f"[{self.low:.4f}, {self.high:.4f}]"

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "low": self.low,
            "high": self.high,
            "confidence_level": self.confidence_level,
            "method": self.method,
        }


@dataclass(frozen=True)
class Estimate(Displayed):
    """A value, with an interval and a p-value where they were asked for. `float(e)` is the value."""

    coefficient: str
    value: float
    method: str
    """How the value was made: an estimator's name, or "observed"."""
    interval: Interval | None = None
    pvalue: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What made it, seed included, ready for JSON."""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        parts = [f"{self.coefficient} = {self.value:.4f} ({self.method})"]
        if self.interval is not None:
            level = f"{100 * self.interval.confidence_level:g}%"
            parts.append(f"{level} interval {self.interval} ({self.interval.method})")
        if self.pvalue is not None:
            parts.append(f"p = {self.pvalue:.4g}")
        return ", ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "coefficient": self.coefficient,
            "value": or_none(self.value),
            "method": self.method,
            "interval": None if self.interval is None else self.interval.to_dict(),
            "pvalue": self.pvalue,
            "settings": dict(self.settings),
        }

    def to_frame(self) -> Any:
        """A pandas frame of one row."""
        row = {
            "coefficient": self.coefficient,
            "value": self.value,
            "low": None if self.interval is None else self.interval.low,
            "high": None if self.interval is None else self.interval.high,
            "pvalue": self.pvalue,
            "method": self.method,
        }
        return import_extra("pandas").DataFrame([row])

    def plot(self, ax: Any = None) -> Any:
        """The value as a dot, its interval as a line."""
        from .plots import intervals

        return intervals.estimate(self, ax)


def or_none(value: float) -> float | None:
    """As JSON has it: no number where there is none."""
    return None if math.isnan(value) else value
