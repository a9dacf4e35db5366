"""Every odd table gives what a careful person expects, as a file and as a frame."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from concordant import as_scores
from concordant.errors import ConcordantError
from concordant.read import read_scores

from .odd_tables import TABLES, Odd

# pandas reads the others in its own way.
FRAMES = [odd for odd in TABLES if re.match(r"[\w .-]*,", odd.content) and not re.search(r'"|\r|, |,\n', odd.content)]


def outcome(read: Callable[[], Any]) -> tuple[Any, list[str]]:
    """What reading gives, or the error; and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = read()
        except ConcordantError as error:
            found = error
    return found, [str(warning.message) for warning in caught]


def test_there_are_many() -> None:
    assert len({(odd.content, str(odd.options)) for odd in TABLES}) >= 300


@pytest.mark.parametrize("odd", TABLES, ids=lambda odd: repr(odd.content[:40]))
def test_files(odd: Odd) -> None:
    found, said = outcome(lambda: read_scores({"file": io.StringIO(odd.content)}, **odd.options).complete())
    if isinstance(odd.expected, str):
        assert isinstance(found, ConcordantError)
        assert re.search(odd.expected, str(found)), found
        return
    assert (found.topics, found.systems) == (odd.expected["topics"], odd.expected["systems"])
    assert found.values.tolist() == odd.expected["values"]
    assert len(said) == (odd.warns is not None), said
    assert odd.warns is None or re.search(odd.warns, said[0]), said


@pytest.mark.parametrize("odd", FRAMES, ids=lambda odd: repr(odd.content[:40]))
def test_frames_are_read_as_files_are(odd: Odd) -> None:
    """The frame that pandas makes of the table; a column without a name is its index."""
    try:
        frame = pd.read_csv(io.StringIO(odd.content), na_filter=False, dtype=str, comment="#")
    except pd.errors.ParserError:
        return
    if frame.columns[0] == "Unnamed: 0" and not odd.content.startswith("Unnamed"):
        frame = frame.set_index("Unnamed: 0").rename_axis(None)
    if any(name.endswith(".1") or name.startswith("Unnamed: ") for name in frame.columns) or not len(frame):
        return  # pandas has renamed a column
    found, _ = outcome(lambda: as_scores(frame, **odd.options).complete())
    if isinstance(odd.expected, str):
        assert isinstance(found, ConcordantError)
    elif "file" not in odd.expected["systems"]:
        assert (found.topics, found.systems) == (odd.expected["topics"], odd.expected["systems"])
        assert found.values.tolist() == odd.expected["values"]
