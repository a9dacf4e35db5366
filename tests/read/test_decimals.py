"""Numbers parsed in bulk are those of float(), to the last bit; everything else is left to the careful path."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concordant.tables.decimals import Piece

_digits = st.text("0123456789", max_size=20)
_cells = st.one_of(
    st.builds("{}{}.{}".format, st.sampled_from(["", "-"]), _digits, _digits),
    st.builds("{}{}".format, st.sampled_from(["", "-", "+"]), _digits),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(0, 1).map(repr),
    st.sampled_from(["", ".", "-", "--1", "1-2", "1.2.3", "1e5", "nan", "x", " 0.5", "0.5 ", "½", "1_0"]),
)


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(_cells, min_size=n, max_size=n), min_size=1, max_size=6)))
def test_as_float_reads_them(delimiter: str, rows: list[list[str]]) -> None:
    text = "".join(delimiter.join(row) + "\n" for row in rows).encode()
    piece = Piece(text, ord(delimiter))
    cells = [cell for row in rows for cell in row]
    assert [piece.cell(k) for k in range(len(piece))] == [cell.strip() for cell in cells]
    values, left = piece.numbers(len(rows), slice(0, None))
    for k, (cell, value) in enumerate(zip(cells, values.tolist(), strict=True)):
        if k in left:
            assert np.isnan(value)
        else:
            assert cell.strip("-0123456789.") == ""
            assert value == float(cell)


def test_plain_decimals_are_not_left() -> None:
    values = np.random.default_rng(3).random(5000)
    for text in ([f"{v:.4f}" for v in values], [f"-{v:.9f}" for v in values], [str(int(1e6 * v)) for v in values]):
        piece = Piece((",".join(text) + "\n").encode(), ord(","))
        found, left = piece.numbers(1, slice(0, None))
        assert not len(left)
        assert found.tolist() == list(map(float, text))
