"""The native module refuses what it cannot use, and a short fuzz; `make harden WHAT=sanitize` has the long one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from concordant import _kernels

from . import fuzz_kernels

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not _kernels.has_native, reason="built without the native module"),
]


def test_a_slice_of_the_fuzz() -> None:
    seen = fuzz_kernels.fuzz(_kernels.active, 5.0, seed=20)
    for name in fuzz_kernels.MAKERS:
        assert seen.get(f"{name} compared", 0) > 0
        assert seen.get(f"{name} refused", 0) > 0


def test_the_fuzz_sees_a_wrong_sum() -> None:
    class Wrong:
        def __getattr__(self, name: str) -> Any:
            return getattr(_kernels.active, name)

        def __dir__(self) -> list[str]:
            return dir(_kernels.active)

        def gaps_rows(self, *arguments: Any) -> Any:
            found = _kernels.active.gaps_rows(*arguments)
            arguments[4][...] *= 1 + 1e-6
            return found

    with pytest.raises(fuzz_kernels.FoundError, match="gaps_rows: field"):
        fuzz_kernels.fuzz(Wrong(), 60.0, seed=1)  # ends with what it finds


@pytest.mark.parametrize("spoil", [lambda a: a.astype(np.float32), lambda a: np.repeat(a, 2, axis=1)[:, ::2]])
def test_an_output_that_would_be_converted_is_refused(spoil: Any) -> None:
    """Otherwise the sums are written to a copy, and lost without a word."""
    scores = np.random.default_rng(1).random((2, 5))
    row: Any = np.zeros(1, dtype=np.int64)
    with pytest.raises(TypeError):
        _kernels.active.gaps_rows(scores, scores, row, row, spoil(np.zeros((1, 3))), 1)


def test_a_row_number_is_whole() -> None:
    scores = np.random.default_rng(1).random((2, 5))
    with pytest.raises(TypeError):
        _kernels.active.gaps_rows(scores, scores, np.array([0.7]), np.zeros(1), np.zeros((1, 3)), 1)


@pytest.mark.parametrize("scale", [0.0, np.nan, np.inf, -1.0, 5e-324, 1e308])
def test_a_width_without_a_scale_is_nan_or_a_number_and_ends(scale: float) -> None:
    differences = np.random.default_rng(2).normal(size=(3, 20))
    out = np.zeros(3)
    _kernels.active.plug_in_widths(differences, np.full(3, scale), out, 1)
    assert not (out < 0).any()


def test_a_width_of_one_topic_is_refused() -> None:
    """There is no pair of topics, and the number of steps would be infinite."""
    with pytest.raises(ValueError, match="differences must have at least 2 topics"):
        _kernels.active.plug_in_widths(np.zeros((1, 1)), np.ones(1), np.zeros(1), 1)
