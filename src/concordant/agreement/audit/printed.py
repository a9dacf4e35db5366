"""A printed number with its precision, and the ways in which people write a coefficient."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from ...errors import InputError, named

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?", re.IGNORECASE | re.ASCII)
_SLACK = 1e-9  # include the ends of a window: tools round halves up or down


@dataclass(frozen=True)
class Printed:
    """A reported coefficient from -1 to 1, and the unit of its last digit."""

    text: str
    value: float
    step: float
    percent: bool
    """Whether it was read as a percentage: it has a percent sign or exceeds 1."""

    @classmethod
    def of(cls, text: str) -> Printed:
        """Read the number from text, because "0.87" and "0.870" differ in precision."""
        given = f"{named('reported')} is {text!r}"
        plain = text.strip().replace("\u2212", "-")
        sign = plain.endswith("%")
        plain = plain.removesuffix("%").rstrip()
        if not _NUMBER.fullmatch(plain):
            raise InputError(f"{given}: give a number with a decimal point, such as '0.87' or '87.1%'")
        number = Decimal(plain)
        step = Decimal(1).scaleb(int(number.as_tuple().exponent))
        percent = sign or abs(number) - step / 2 > 1
        if percent:
            number, step = number / 100, step / 100
        if abs(number) - step / 2 > 1:
            raise InputError(f"{given}: a coefficient lies between -1 and 1, or -100 and 100 percent")
        return cls(text.strip(), float(number), float(step), percent)

    def rounded(self) -> tuple[float, float]:
        """Interval of the values that round to the printed number."""
        return self.value - self.step / 2 - _SLACK, self.value + self.step / 2 + _SLACK

    def cut(self) -> tuple[float, float]:
        """Interval of the values that give the printed number when further digits are cut off."""
        low = self.value - (self.step if self.value <= 0 else 0.0)
        return low - _SLACK, self.value + (self.step if self.value >= 0 else 0.0) + _SLACK


class Writing(NamedTuple):
    """A transformation from a coefficient to the printed number."""

    name: str
    account: str
    departures: int
    apply: Callable[[float], float]
    signed: bool = False
    """Whether it applies only to coefficients that can be negative."""


CUT = "cut off"
WRITINGS = (
    Writing("", "", 0, float),
    Writing("abs(v)", "its sign was dropped", 1, abs, signed=True),
    Writing("(v + 1) / 2", "scaled to 0 ... 1, the share of pairs in order", 1, lambda v: (v + 1) / 2, signed=True),
    Writing(CUT, "further digits cut off, not rounded", 2, float),
    Writing("1 - v", "as a distance", 2, lambda v: 1 - v),
    Writing("(1 - v) / 2", "as a distance, the share of pairs out of order", 2, lambda v: (1 - v) / 2, signed=True),
)
