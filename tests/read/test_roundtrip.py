"""Write each format, read it back: the same labels and the same numbers to the last bit. And damage it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concordant.data.scores import Scores
from concordant.errors import DataWarning, ReadError
from concordant.judgments.read_runs import read_qrels, read_runs
from concordant.read import read_scores
from concordant.read.tables.vocabulary import is_summary

from ..examples import share

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*read as topics:concordant.errors.DataWarning"),
    pytest.mark.filterwarnings("ignore:.*every score is 0:concordant.errors.DataWarning"),
]
# Numbers and names at random may be those of counters, companions and means.
ALL: Any = {"systems": ["*"], "topics": ["*"]}
# Labels without white space that start with a letter which begins no name of a measure or column.
_tails = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), max_size=5)
_topics = st.builds("t{}".format, _tails).filter(lambda t: t != "topic" and not is_summary(t))
_systems = st.builds("x{}".format, _tails)
_values = st.floats(-1e9, 1e9).map(lambda v: v + 0.0)


@st.composite
def scores(draw: st.DrawFn, one: bool = False) -> Scores:
    topics = draw(st.lists(_topics, min_size=1, max_size=4, unique=True))
    systems = draw(st.lists(_systems, min_size=1, max_size=1 if one else 3, unique=True))
    cells = st.lists(_values, min_size=len(systems), max_size=len(systems))
    return Scores(draw(st.lists(cells, min_size=len(topics), max_size=len(topics))), topics, systems, "map")


def _cells(s: Any) -> list[tuple[str, str, float]]:
    return [
        (system, topic, float(s.values[i, j])) for i, topic in enumerate(s.topics) for j, system in enumerate(s.systems)
    ]


def _table(rows: list[list[Any]], delimiter: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def _by_topic(s: Scores) -> dict[str, float]:
    return {t: v for _, t, v in _cells(s)}


def trec_eval(s: Scores) -> str:
    rows = "".join(f"{'map':<22}\t{t}\t{v!r}\n{'map_cut_5':<22}\t{t}\t0.5\n" for _, t, v in _cells(s))
    return rows + f"{'runid':<22}\tall\t{s.systems[0]}\n{'map':<22}\tall\t0.1\n"


def ir_measures(s: Scores) -> str:
    return "".join(f"{t}\tmap\t{v!r}\n{t}\tP@5\t1\n" for _, t, v in _cells(s)) + "all\tmap\t0.1\n"


def ir_measures_json(s: Scores) -> str:
    rows = [{"query_id": t, "measure": "map", "value": v} for _, t, v in _cells(s)]
    return "".join(json.dumps(row) + "\n" for row in [*rows, {"query_id": "all", "measure": "map", "value": 0.1}])


def pytrec_eval(s: Scores) -> str:
    return json.dumps({t: {"map": v, "P_5": 1.0} for t, v in _by_topic(s).items()}, indent=1)


def ranx(s: Scores) -> str:
    return json.dumps({"map": _by_topic(s), "mrr": _by_topic(s)})


def lm_eval(s: Scores) -> str:
    results = {t: {"map,none": v, "map_stderr,none": "N/A"} for t, v in _by_topic(s).items()}
    return json.dumps({"results": results, "configs": {}})


def lm_eval_samples(s: Scores) -> str:
    rows = [{"doc_id": t, "doc": {}, "filter": "none", "metrics": ["map"], "map": v} for t, v in _by_topic(s).items()]
    return "".join(json.dumps(row) + "\n" for row in rows)


def mteb(s: Scores) -> str:
    parts = [{"hf_subset": t, "map": v} for t, v in _by_topic(s).items()]
    return json.dumps({"task_name": "T", "scores": {"test": parts}})


def helm(s: Scores) -> str:
    def stats(v: float) -> list[dict[str, Any]]:
        return [{"name": {"name": "map"}, "count": 1, "mean": v}, {"name": {"name": "num_x"}, "count": 0}]

    return json.dumps([{"instance_id": t, "stats": stats(v)} for t, v in _by_topic(s).items()])


def inspect(s: Scores) -> str:
    samples = [{"id": t, "epoch": 1, "scores": {"map": {"value": v}}} for t, v in _by_topic(s).items()]
    return json.dumps({"eval": {"task": "T", "model": s.systems[0]}, "samples": samples})


def four_columns(s: Scores) -> str:
    return "".join(f"{x} map {t} {v!r}\n" for x, t, v in _cells(s)) + f"{s.systems[0]} map all 0.5\n"


def four_columns_topic_first(s: Scores) -> str:
    return "".join(f"{x}\t{t}\tmap\t{v!r}\n" for x, t, v in _cells(s)) + f"{s.systems[0]}\tall\tmap\t0.5\n"


def pytrec_eval_runs(s: Scores) -> str:
    nested: dict[str, Any] = {}
    for x, t, v in _cells(s):
        nested.setdefault(x, {})[t] = {"map": v}
    return json.dumps(nested)


def matrix(s: Scores) -> str:
    return _table([["topic", *s.systems], *([t, *row] for t, row in zip(s.topics, s.values.tolist(), strict=True))])


def pyterrier(s: Scores) -> str:
    return _table([["name", "qid", "measure", "value"], *([x, t, "map", v] for x, t, v in _cells(s))])


def column_a_measure(s: Scores) -> str:
    return _table([["run", "topic", "map", "P_5"], *([x, t, v, 1] for x, t, v in _cells(s))], "\t")


ONE_RUN = [
    trec_eval,
    ir_measures,
    ir_measures_json,
    pytrec_eval,
    ranx,
    lm_eval,
    lm_eval_samples,
    mteb,
    helm,
    inspect,
]
SEVERAL = [four_columns, four_columns_topic_first, pytrec_eval_runs, matrix, pyterrier, column_a_measure]
MEASURE: dict[Callable[[Scores], str], str | None] = {
    lm_eval: "map,none",
    lm_eval_samples: "map,none",
    matrix: None,
}


@pytest.mark.parametrize("write", ONE_RUN)
@share(0.5)
@given(s=scores(one=True))
def test_one_run(write: Callable[[Scores], str], s: Scores) -> None:
    found = read_scores({s.systems[0]: io.StringIO(write(s))}, MEASURE.get(write, "map"))
    assert [
        topic.removeprefix("T/") if len(s.topics) > 1 or write is inspect else t
        for topic, t in zip(found.topics, s.topics, strict=True)
    ] == list(s.topics)
    assert found.systems == s.systems
    assert found.values.tolist() == s.values.tolist()


@pytest.mark.parametrize("write", SEVERAL)
@share(0.5)
@given(s=scores())
def test_several_systems(write: Callable[[Scores], str], s: Scores) -> None:
    measure = MEASURE.get(write, "map")
    expected = Scores(s.values, s.topics, s.systems, measure)
    assert read_scores(io.BytesIO(write(s).encode()), measure, **ALL) == expected
    assert read_scores(io.BytesIO(gzip.compress(write(s).encode(), 1)), measure, **ALL) == expected
    assert read_scores(io.BytesIO(write(s).replace("\n", "\r\n").encode()), measure, **ALL) == expected


@share(0.5)
@given(st.dictionaries(_topics, st.dictionaries(_systems, st.integers(-2, 999), min_size=1), min_size=1))
def test_qrels(qrels: dict[str, dict[str, int]]) -> None:
    content = "".join(f"{t} 0.5  {d}\t{g}\n" for t, judged in qrels.items() for d, g in judged.items())
    assert read_qrels(io.StringIO(content)) == qrels
    floats = {t: {d: g / 8 for d, g in judged.items()} for t, judged in qrels.items()}
    content = "".join(f"{t} 0 {d} {g!r}\n" for t, judged in floats.items() for d, g in judged.items())
    assert read_qrels(io.StringIO(content)) == floats


@share(0.5)
@given(st.dictionaries(_topics, st.dictionaries(_systems, st.floats(-100, 100), min_size=1), min_size=1))
def test_run(run: dict[str, dict[str, float]]) -> None:
    content = "".join(f"{t} Q0 {d} 0 {v!r} tag\n" for t, found in run.items() for d, v in found.items())
    read = read_runs({"tag": io.StringIO(content)})
    for topic, found in run.items():
        ranked = sorted(found, key=lambda d, found=found: (np.float32(found[d]), d.encode()), reverse=True)  # type: ignore[misc]
        assert read.documents("tag", topic) == tuple(ranked)


SAMPLE = Scores([[0.25], [0.5], [0.125]], ["301", "302", "303"], ["bm25"], "map")
SAMPLES = {write.__name__: write(SAMPLE).encode() for write in (*ONE_RUN, *SEVERAL)} | {
    "qrels": b"1 0 d1 1\n1 0 d2 0.5\n2 0 d1 -1\n",
    "run": b"1 Q0 d1 1 2.5 tag\n1 Q0 d2 2 1.5 tag\n2 Q0 d1 1 1e3 tag\n",
}
READERS: list[Callable[[Any], Any]] = [
    read_scores,
    lambda what: read_scores(what, "map"),
    lambda what: read_scores(what, "map", missing="drop"),
    read_qrels,
    read_runs,
]
_junk = st.one_of(
    st.binary(max_size=20),
    st.sampled_from(
        [
            b"\xe9",
            b"\x00",
            b"\xff\xfe",
            b"\r",
            b"\t",
            b'"',
            b",",
            b"{",
            b"[1,",
            b"\n\n",
            b"#",
            b"1e999",
            b"nan",
            b"_",
        ]
    ),
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    data = SAMPLES[draw(st.sampled_from(sorted(SAMPLES)))]
    for _ in range(draw(st.integers(1, 3))):
        start, end = sorted(draw(st.integers(0, len(data))) for _ in range(2))
        data = draw(
            st.sampled_from(
                [data[:start], data[start:], data[:start] + data[end:], data[:end] + data[start:],
                 data[:start] + draw(_junk) + data[start:], data[:start] + draw(_junk) + data[end:]]
            )
        )  # fmt: skip
    return data


def outcome(reader: Callable[[Any], Any], data: bytes) -> ReadError | None:
    """The error that a reader raises for a file; any other exception fails the test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            reader({"file": io.BytesIO(data)})
        except ReadError as error:
            return error
    return None


@share(3)
@given(damaged(), st.sampled_from(READERS))
def test_damaged_files_never_surprise(data: bytes, reader: Callable[[Any], Any]) -> None:
    """A ReadError that names the file, or an answer; no other exception."""
    for content in (data, gzip.compress(data, 1)):
        error = outcome(reader, content)
        if error:
            assert error.path == "file"
            assert error.line is None or 1 <= error.line <= data.count(b"\n") + data.count(b"\r") + 1


@share(2)
@given(st.binary(max_size=200), st.sampled_from(READERS))
def test_any_bytes(data: bytes, reader: Callable[[Any], Any]) -> None:
    error = outcome(reader, data)
    assert error is None or error.path == "file"


@pytest.mark.parametrize("write", [*ONE_RUN, *SEVERAL])
def test_truncated_files(write: Callable[[Scores], str]) -> None:
    """Cut anywhere: an error, a warning that the end may be cut off, or only right numbers."""
    data, measure = SAMPLES[write.__name__], MEASURE.get(write, "map")
    right = {t.rpartition("/")[2]: v for _, t, v in _cells(read_scores({"bm25": io.BytesIO(data)}, measure))}
    for end in range(len(data)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found = read_scores({"bm25": io.BytesIO(data[:end])}, measure)
            except ReadError:
                continue
        if not any("does not end with a newline" in str(warning.message) for warning in caught):
            assert all(right[t.rpartition("/")[2]] == v for _, t, v in _cells(found))


@pytest.mark.long
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x" * 100_000_000, "has a line of more than 16,777,216 bytes"),
        (b"\n" * 100_000_000, "is empty"),
        (b"1 " * 50_000_000, "has a line of more than 16,777,216 bytes"),
        (b"[" * 100_000_000, "cannot be read"),
        (b"\x00" * 100_000_000, "is binary"),
    ],
    ids=["one word", "blank lines", "one line", "brackets", "zeros"],
)
def test_100_megabytes(data: bytes, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        read_scores(io.BytesIO(data))
