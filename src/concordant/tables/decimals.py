"""Numbers as text, in bulk: the decimals of a piece of a table, to the last bit as Python's `float` reads them.

A decimal is a whole number over a power of ten. Where the digits fit 53 bits and the power is at most 10**22, both are
exact, and one division rounds correctly; up to 19 digits, an 80-bit quotient does so unless it lies half way between
two floats. All other cells (exponents, words, nothing at all) are left to the caller.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray

_PAD = 32  # bytes before the text, so that 24 bytes end with every number
_FLOAT_POWERS = 10.0 ** np.arange(23)
_POWERS = np.array([10**k for k in range(20)], dtype=np.uint64)
_LONG_POWERS = np.array([np.longdouble(10) ** k for k in range(23)])
_HAS_80_BITS = np.finfo(np.longdouble).nmant >= 63
_DOT, _MINUS, _NEWLINE = b".-\n"
_U = np.uint64
# The digits of the last k of eight characters, the last of which is the highest byte.
_LAST_DIGITS = np.array([0x0F0F0F0F0F0F0F0F >> 8 * (8 - k) << 8 * (8 - k) for k in range(9)], dtype=np.uint64)

Places = npt.NDArray[np.intp]


class Piece:
    """Some lines of a table. `starts` and `ends` are the places of its cells in `text`, in the order of the text."""

    def __init__(self, text: bytes, delimiter: int) -> None:
        """Find the cells of text that ends with a newline and has no quotation marks; delimited by tab, comma or ;."""
        raw = np.empty(len(text) + _PAD, dtype=np.uint8)
        raw[:_PAD] = 48
        raw[_PAD:] = np.frombuffer(text, dtype=np.uint8)
        if delimiter > 46:  # a semicolon
            raw[raw == delimiter] = delimiter = 44
        self.text, self._raw = text, raw
        marks = np.flatnonzero(raw < 47)
        kinds = raw[marks]
        places = np.flatnonzero((kinds == delimiter) | (kinds == _NEWLINE))
        self._ends = ends = marks[places]
        self._starts = np.empty_like(ends)
        self._starts[0], self._starts[1:] = _PAD, ends[:-1] + 1
        inside = np.empty_like(places)  # how many marks a cell has
        inside[0], inside[1:] = places[0], np.diff(places) - 1
        dotted = (inside > 0) & (kinds[places - 1] == _DOT)
        self._dots = np.where(dotted, marks[places - 1], ends)
        self._minus = None
        self._bad = inside != dotted
        if self._bad.any():
            first = places - inside
            minus = (inside > 0) & (kinds[first] == _MINUS) & (marks[first] == self._starts)
            self._bad = inside != dotted.astype(np.intp) + minus
            self._minus = minus
        odd = np.flatnonzero(raw > 57)
        if len(odd):
            self._bad[np.searchsorted(ends, odd)] = True

    def __len__(self) -> int:
        return len(self._ends)

    def cell(self, k: int) -> str:
        """A cell as text, without the white space around it."""
        return self.text[self._starts[k] - _PAD : self._ends[k] - _PAD].decode().strip()

    def ends_line(self, k: slice) -> bool:
        """Whether these cells, and no others, end lines."""
        at_end = self._raw[self._ends] == _NEWLINE
        return bool(at_end[k].all()) and int(at_end.sum()) == len(at_end[k])

    def numbers(self, rows: int, columns: slice | npt.NDArray[np.intp]) -> tuple[FloatArray, npt.NDArray[np.intp]]:
        """The numbers in some columns of a regular table, row by row, and which of them are no plain decimals (nan)."""

        def chosen(values: Any) -> Any:
            return values.reshape(rows, -1)[:, columns].ravel()

        ends, dots, first, bad = (chosen(v) for v in (self._ends, self._dots, self._starts, self._bad))
        minus = None if self._minus is None else chosen(self._minus)
        if minus is not None:
            first = first + minus
        whole, part = dots - first, ends - dots - 1
        if part.min(initial=0) < 0:
            np.maximum(part, 0, out=part)
        if whole.min(initial=1) < 1 or whole.max(initial=0) > 8 or part.max(initial=0) > 11:
            bad |= (whole + part == 0) | (whole > 8) | (whole + part > 19)
        if bad.any():
            whole[bad] = part[bad] = 0
        digits = _digits(self._raw, ends, part)
        before = (
            _digits_of_8(self._raw, dots, whole) if whole.max(initial=0) > 1 else _last_digit(self._raw, dots, whole)
        )
        before *= _power(_POWERS, part)
        digits += before
        values = digits.astype(np.float64)
        values /= _power(_FLOAT_POWERS, part)
        if part.max(initial=0) + whole.max(initial=0) > 15:
            _divide_long(values, digits, part, np.flatnonzero(digits > _U(2**53)), bad)
        if minus is not None:
            values[minus] *= -1
        values[bad] = np.nan
        return values, np.flatnonzero(bad)


def _power(table: Any, exponents: Places) -> Any:
    """The power of each number; one for all where they have as many decimals."""
    least = exponents.min(initial=20)
    return table[least] if least == exponents.max(initial=0) else table[exponents]


def _digits(raw: npt.NDArray[np.uint8], ends: Places, count: Places) -> npt.NDArray[np.uint64]:
    """The whole numbers of up to 19 digits that end before `ends`."""
    found = _digits_of_8(raw, ends, np.minimum(count, 8) if count.max(initial=0) > 8 else count)
    for above in (8, 16):
        more = np.flatnonzero(count > above)
        if not len(more):
            break
        higher = _digits_of_8(raw, ends[more] - above, np.minimum(count[more] - above, 8))
        found[more] += higher * _POWERS[above]
    return found


def _digits_of_8(raw: npt.NDArray[np.uint8], ends: Places, count: Places) -> npt.NDArray[np.uint64]:
    """The whole numbers of up to 8 digits that end before `ends`: eight bytes at once."""
    words: Any = np.ndarray(len(raw) - 7, dtype="<u8", buffer=raw.data, strides=(1,))
    found: npt.NDArray[np.uint64] = words[ends - 8].astype(np.uint64, copy=False)
    found &= _power(_LAST_DIGITS, count)
    found *= _U(10 * 2**8 + 1)
    found >>= _U(8)
    found &= _U(0x00FF00FF00FF00FF)
    found *= _U(100 * 2**16 + 1)
    found >>= _U(16)
    found &= _U(0x0000FFFF0000FFFF)
    found *= _U(10_000 * 2**32 + 1)
    found >>= _U(32)
    return found


def _last_digit(raw: npt.NDArray[np.uint8], ends: Places, count: Places) -> npt.NDArray[np.uint64]:
    found: npt.NDArray[np.uint64] = (raw[ends - 1] & 15).astype(np.uint64)
    if count.min(initial=1) < 1:
        found *= count > 0
    return found


def _divide_long(
    values: FloatArray, digits: npt.NDArray[np.uint64], part: Places, long: Places, bad: npt.NDArray[np.bool_]
) -> None:
    """Numbers of more than 53 bits, divided with 64 bits; those half way between two floats are left to the caller."""
    if not len(long):
        return
    if not _HAS_80_BITS:
        bad[long] = True
        return
    quotient = digits[long].astype(np.longdouble) / _LONG_POWERS[part[long]]
    nearest = quotient.astype(np.float64)
    rest = np.abs((quotient - nearest).astype(np.float64))
    values[long] = nearest
    bad[long[rest * 2 >= np.spacing(nearest) * (1 - 2.0**-9)]] = True
