"""Frames in every shape that pandas has: what becomes of them, or why not."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import concordant as cc
from concordant.read.tables.frames import frame_cells
from concordant.read.tables.layout import Given

READ = cc.as_scores
PAIRS = pd.MultiIndex.from_tuples([("1", "a"), ("1", "b"), ("2", "a"), ("2", "b")], names=["topic", "system"])


def test_an_index_of_topics_and_systems() -> None:
    found = READ(pd.DataFrame({"value": [0.1, 0.2, 0.3, 0.4]}, index=PAIRS))
    assert (found.topics, found.systems, found.values.tolist()) == (("1", "2"), ("a", "b"), [[0.1, 0.2], [0.3, 0.4]])


def test_a_column_that_numbers_the_rows_is_read_as_topics_and_said() -> None:
    with pytest.warns(
        cc.errors.DataWarning, match="column 'n' holds a different number in each row: read as the topics"
    ):
        found = READ(pd.DataFrame({"n": [7, 8, 9], "a": [0.1, 0.2, 0.3], "b": [0.3, 0.1, 0.2]}))
    assert (found.topics, found.systems) == (("7", "8", "9"), ("a", "b"))


def test_rows_without_topics_are_numbered() -> None:
    found = READ(pd.DataFrame({"a": [0.5, 0.25], "b": [0.5, 1.0]}))
    assert (found.topics, found.values.tolist()) == (("row 1", "row 2"), [[0.5, 0.5], [0.25, 1.0]])


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        ({"topic": ["1", "2"]}, "has no scores: give topics x systems"),
        (
            {"topic": ["all"], "system": ["a"], "value": [0.1]},
            r"only summary rows \(all\), no scores",
        ),
        ({"topic": ["all", "mean"], "a": [0.1, 0.2]}, r"only summary rows \(all, mean\)"),
        ({"a": [1, 2, 3], "b": [2, 3, 1]}, "scores: column 'a' holds numbers which may be topics or scores"),
        (
            {"topic": ["1"], "a": [10**400], "b": [1]},
            "a number of 401 digits in column 'a', row 1 is not a number",
        ),
        ({"topic": ["1"], "a": [1j], "b": [1]}, "1j in column 'a', row 1 is not a number"),
        ({"topic": ["1", "2"], "map": [0.1, 0.2], "P_5": [0.1, 0.2]}, "2 measures; choose one with measure=: map, P_5"),
    ],
)
def test_what_is_refused(frame: dict[str, list[Any]], says: str) -> None:
    with pytest.raises(cc.errors.InputError, match=says):
        READ(pd.DataFrame(frame, dtype=object))


def test_levels_that_cannot_become_columns_are_refused() -> None:
    with pytest.raises(cc.errors.InputError, match="scores: the index cannot become columns: cannot insert topic"):
        READ(pd.DataFrame({"topic": list("1122"), "value": [0.1, 0.2, 0.3, 0.4]}, index=PAIRS))
    columns = pd.MultiIndex.from_tuples([("map", "a"), ("map", "b")], names=["measure", "system"])
    with pytest.raises(cc.errors.InputError, match=r"columns have 2 levels \(measure, system\): take one of them"):
        READ(pd.DataFrame([[0.1, 0.2]], columns=columns))


def test_texts_in_columns_of_every_kind() -> None:
    """Texts are kept once, whatever the library calls such columns; nulls stay nulls."""
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    texts = ["b", None, "a", "b", "", "é"]
    plain = polars.Series("x", texts)
    array = pyarrow.array(texts)
    frames: list[Any] = [
        *(polars.DataFrame({"x": plain.cast(kind)}) for kind in (polars.String, polars.Categorical)),
        polars.DataFrame({"x": plain.cast(polars.Enum(["é", "", "b", "a", "other"]))}),
        *(pyarrow.table({"x": array.cast(kind)}) for kind in (pyarrow.string(), pyarrow.large_string())),
        pyarrow.table({"x": array.dictionary_encode()}),
        pyarrow.table({"x": array.cast(pyarrow.large_string()).dictionary_encode()}),
        pyarrow.table({"x": pyarrow.chunked_array([part.dictionary_encode() for part in (array[:2], array[2:])])}),
        pyarrow.table({"x": pyarrow.chunked_array([array[:3], array[3:]])}),
    ]
    for frame in frames:
        assert frame_cells(frame, Given("x")).values(0) == texts
    for empty in (frames[0].clear(), frames[3].slice(0, 0), frames[5].slice(0, 0)):
        assert frame_cells(empty, Given("x")).values(0) == []
