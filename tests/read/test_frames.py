"""Frames in every shape that pandas has: what becomes of them, or why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
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
        cc.errors.DataWarning, match="column 'n' holds a different number in each row, so it was read as the topics"
    ):
        found = READ(pd.DataFrame({"n": [7, 8, 9], "a": [0.1, 0.2, 0.3], "b": [0.3, 0.1, 0.2]}))
    assert (found.topics, found.systems) == (("7", "8", "9"), ("a", "b"))


_LEVELS = [("1", "x"), ("1", "y"), ("2", "x")]
_INDICES: list[tuple[Any, str | None]] = [
    (pd.RangeIndex(401, 404), None),
    (pd.RangeIndex(3, name="topic"), None),
    (pd.RangeIndex(3, name="row"), None),
    (pd.RangeIndex(0, 6, 2), None),
    (pd.RangeIndex(3, 0, -1, name="topic"), None),
    (pd.RangeIndex(3), None),
    (pd.RangeIndex(401, 404), "system"),
    (pd.RangeIndex(401, 404), "topic"),
    (pd.Index([404, 401, 407]), None),
    (pd.Index([404, 401, 407]), "system"),
    (pd.Index(["x", "y", "z"], name="qid"), None),
    (pd.Index(["x", "y", "z"], name="passage set"), None),
    (pd.MultiIndex.from_tuples(_LEVELS, names=["topic", "seed"]), None),
]


@pytest.mark.filterwarnings("ignore:.*each row is a system")
@pytest.mark.parametrize(("index", "across"), _INDICES)
def test_a_frame_and_its_parquet_file_are_read_alike(tmp_path: Path, index: Any, across: str | None) -> None:
    frame = pd.DataFrame({"a": [0.15, 0.25, 0.35], "b": [0.3, 0.15, 0.2]}, index=index)
    frame.columns.name = across
    frame.to_parquet(tmp_path / "a.parquet")
    assert _outcome(tmp_path / "a.parquet") == _outcome(pa.Table.from_pandas(frame)) == _outcome(frame)


def _outcome(given: Any) -> Any:
    """What is read, or why not."""
    try:
        found = READ(given)
    except cc.errors.ConcordantError as error:
        return str(error).partition(":")[2]
    return found.topics, found.systems, found.values.tolist()


def test_parquet_files_are_paired_by_an_index_that_is_metadata_alone(tmp_path: Path) -> None:
    scores = np.random.default_rng(4).random((30, 6)).round(3)
    for name, start in (("a", 401), ("b", 411)):
        frame = pd.DataFrame(scores, columns=[*"uvwxyz"], index=pd.RangeIndex(start, start + 30))
        frame.to_parquet(tmp_path / f"{name}.parquet")
    pair = cc.pair(tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert pair.truth.topics == pair.candidates[0].topics == tuple(map(str, range(411, 431)))


def test_files_without_topics_are_paired_by_order_with_a_note(tmp_path: Path) -> None:
    text = "a,b,c\n.1,.2,.3\n.2,.3,.1\n.5,.4,.6\n"
    for name in ("x.csv", "y.csv"):
        (tmp_path / name).write_text(text)
    said = "No file has a column of topics, so rows were matched by position"
    assert said in cc.pair(tmp_path / "x.csv", tmp_path / "y.csv").notes
    arrays = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.1]])
    assert said not in cc.correlate(arrays, arrays[::-1]).notes


def test_metadata_that_do_not_fit_the_table_say_nothing() -> None:
    table = pa.Table.from_pandas(pd.DataFrame({"a": [0.15, 0.25], "b": [0.3, 0.15]}, index=pd.RangeIndex(5, 7)))
    assert READ(table).topics == ("5", "6")
    assert READ(table.slice(1)).topics == ("row 1",)
    for damaged in (b"", b"[]", b'{"columns": [], "index_columns": [{"start": 0, "stop": 2, "step": 0}]}'):
        assert READ(table.replace_schema_metadata({b"pandas": damaged})).topics == ("row 1", "row 2")


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
        ({"a": [1, 2, 3], "b": [2, 3, 1]}, "scores: column 'a' holds numbers that may be topics or scores"),
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
