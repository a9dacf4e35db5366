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

_PAD = 24  # bytes before the text, so that every number has 24 bytes that end with it
_FLOAT_POWERS = 10.0 ** np.arange(23)
_POWERS = np.array([10**k for k in range(20)], dtype=np.uint64)
_LONG_POWERS = np.array([np.longdouble(10) ** k for k in range(23)])
_HAS_80_BITS = np.finfo(np.longdouble).nmant >= 63
_DOT, _MINUS, _NEWLINE = b".-\n"
_U = np.uint64
# The digits of the last k of eight characters, the last of which is the highest byte.
_LAST_DIGITS = np.array([0x0F0F0F0F0F0F0F0F >> 8 * (8 - k) << 8 * (8 - k) for k in range(9)], dtype=np.uint64)

Places = npt.NDArray[np.intp]


def cells_of(text: bytes, delimiter: int) -> tuple[Places, Places, FloatArray, Places]:
    """Where the cells of some lines start and end, their numbers, and which of them are no plain decimals (nan).

    `text` ends with a newline and has no quotation marks; `delimiter` is the code of a tab, comma or semicolon.
    """
    raw = np.empty(len(text) + _PAD, dtype=np.uint8)
    raw[:_PAD] = 48
    raw[_PAD:] = np.frombuffer(text, dtype=np.uint8)
    if delimiter > 46:  # a semicolon
        raw[raw == delimiter] = delimiter = 44
    marks = np.flatnonzero(raw < 47)
    kinds = raw[marks]
    at_dot, at_minus = kinds == _DOT, kinds == _MINUS
    at_end = (kinds == delimiter) | (kinds == _NEWLINE)
    ends = marks[at_end]
    starts = np.empty_like(ends)
    starts[0], starts[1:] = _PAD, ends[:-1] + 1
    cell_of_mark = np.cumsum(at_end) - at_end
    bad = np.zeros(len(ends), dtype=bool)
    odd = np.flatnonzero(raw > 57)
    if len(odd):
        bad[np.searchsorted(ends, odd)] = True
    if not (at_dot | at_end).all():
        bad[cell_of_mark[~(at_dot | at_end | at_minus)]] = True
    first, minus = starts, None
    if at_minus.any():
        cells, places = cell_of_mark[at_minus], marks[at_minus]
        bad[cells[places != starts[cells]]] = True
        minus = cells[places == starts[cells]]
        first = starts.copy()
        first[minus] += 1
    dots = ends.copy()
    cells = cell_of_mark[at_dot]
    dots[cells] = marks[at_dot]
    if len(cells) > 1:
        bad[cells[1:][np.diff(cells) == 0]] = True
    whole, part = dots - first, ends - dots - 1
    np.maximum(part, 0, out=part)
    bad |= (whole + part == 0) | (whole > 8) | (whole + part > 19)
    whole[bad] = part[bad] = 0
    digits = _digits(raw, ends, part)
    before = _digits_of_8(raw, dots, whole) if whole.max(initial=0) > 1 else _last_digit(raw, dots, whole)
    digits += before * _POWERS[part]
    values = digits.astype(np.float64)
    values /= _FLOAT_POWERS[part]
    long = np.flatnonzero(digits > _U(2**53))
    if len(long):
        _divide_long(values, digits, part, long, bad)
    if minus is not None:
        values[minus] *= -1
    values[bad] = np.nan
    return starts - _PAD, ends - _PAD, values, np.flatnonzero(bad)


def _digits(raw: npt.NDArray[np.uint8], ends: Places, count: Places) -> npt.NDArray[np.uint64]:
    """The whole numbers of up to 19 digits that end before `ends`."""
    found = _digits_of_8(raw, ends, np.minimum(count, 8))
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
    found &= _LAST_DIGITS[count]
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
    return (raw[ends - 1] & 15).astype(np.uint64) * (count > 0)


def _divide_long(
    values: FloatArray, digits: npt.NDArray[np.uint64], part: Places, long: Places, bad: npt.NDArray[np.bool_]
) -> None:
    """Numbers of more than 53 bits, divided with 64 bits; those half way between two floats are left to the caller."""
    if not _HAS_80_BITS:
        bad[long] = True
        return
    quotient = digits[long].astype(np.longdouble) / _LONG_POWERS[part[long]]
    nearest = quotient.astype(np.float64)
    rest = np.abs((quotient - nearest).astype(np.float64))
    values[long] = nearest
    bad[long[rest * 2 >= np.spacing(nearest) * (1 - 2.0**-9)]] = True
