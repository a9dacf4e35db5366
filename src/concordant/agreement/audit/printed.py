"""A number as it was printed: its digits say how exact it is. And the ways in which people write a coefficient."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from ...errors import InputError
from ...words import named

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,2})?", re.IGNORECASE | re.ASCII)
_SLACK = 1e-9  # the end of a window is in it, whichever way a tool rounds halves


@dataclass(frozen=True)
class Printed:
    """A reported number, as a coefficient from -1 to 1, and the unit of its last digit."""

    text: str
    value: float
    step: float
    percent: bool
    """Whether it was taken as percent: it has the sign, or is beyond 1."""

    @classmethod
    def of(cls, text: str) -> Printed:
        """Read it; "0.87" and "0.870" are different numbers, so it has to be text."""
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
        """All that is printed so when it is rounded."""
        return self.value - self.step / 2 - _SLACK, self.value + self.step / 2 + _SLACK

    def cut(self) -> tuple[float, float]:
        """All that is printed so when the further digits are cut off."""
        low = self.value - (self.step if self.value <= 0 else 0.0)
        return low - _SLACK, self.value + (self.step if self.value >= 0 else 0.0) + _SLACK


class Writing(NamedTuple):
    """From a coefficient to what is printed of it."""

    name: str
    account: str
    departures: int
    apply: Callable[[float], float]
    signed: bool = False
    """Whether it makes sense only of values that may be negative."""


CUT = "cut off"
WRITINGS = (
    Writing("", "", 0, float),
    Writing("abs(v)", "its sign was dropped", 1, abs, signed=True),
    Writing("(v + 1) / 2", "scaled to 0 ... 1, the share of pairs in order", 1, lambda v: (v + 1) / 2, signed=True),
    Writing(CUT, "further digits cut off, not rounded", 2, float),
    Writing("1 - v", "as a distance", 2, lambda v: 1 - v),
    Writing("(1 - v) / 2", "as a distance, the share of pairs out of order", 2, lambda v: (1 - v) / 2, signed=True),
)
