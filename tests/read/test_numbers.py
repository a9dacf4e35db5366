"""What is a number: fuzzed cells against `float` and the pattern, on every path by which cells are read."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import re
import struct
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import concordant as cc
from concordant.errors import ConcordantError, InputError, ReadError
from concordant.judgments.read_runs import read_qrels, read_runs
from concordant.read import recognise
from concordant.read.formats import delimited
from concordant.read.formats.parquet import parquet_table
from concordant.read.source import Source
from concordant.read.tables.frames import frame_cells
from concordant.read.tables.layout import Cells, Column, Given, Parsed, Roles
from concordant.read.tables.vocabulary import no_score

PATTERN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
HOLES = {"", "na", "n/a", "#n/a", "nan", "null", "none", "-"}


def meaning(cell: str, signed: bool = True) -> float | None:
    """The rule, written down once more: a number, nan for a hole, None for text; `signed`: or a number in percent."""
    text = cell.strip()
    if text.lower() in HOLES:
        return math.nan
    text = text[:-1].strip() if signed and text.endswith("%") else text
    return float(text) if PATTERN.fullmatch(text) and abs(float(text)) < math.inf else None


def is_percent(cell: str) -> bool:
    return cell.strip().endswith("%") and meaning(cell) is not None


SPECIAL = [
    *("1/2", "3/10", "1:2", "1_000", "_1", "1_", "inf", "-inf", "+Inf", "INFINITY", "infinity", "nan", "NaN", "-nan"),
    *("+nan", "nan(1)", "NA", "N/A", "#N/A", "null", "None", "none", "-", "--", "+", ".", "+.", "-.", "e", "e5", ".e5"),
    *("1e", "1e+", "1e-", "1e5", "1E5", "1e+05", "1e400", "-1e400", "1e308", "1.8e308", "1e-400", "5e-324", "2e-324"),
    *("0x1F", "0X1p3", "1f", "1d", "1L", "1j", "0b1", "0o7", "1.2.3", "1,5", "1.234,5", "1'000", "1 000", "--1", "+-1"),
    *("-0", "-0.0", "00", "007", "0.10", ".5", "5.", "5.e3", "+.5e-3", "1e0005", "9007199254740993", "½", "１２", "٣"),
    *(
        "²",
        "1e５",
        "1．5",
        "−1",
        "\u00a01",
        "1\u00a0",
        "1\u2003",
        "\u200b1",
        "\ufeff1",
        "1\x1f",
        "\x1c1",
        "1\x0b",
        "45%",
    ),
    *("45 %", "%", "4%5", "45%%", "nan%", "-%", "1e2%", "$5", "<0.01", "0.5*", "(0.5)", "True", "0.1" + "0" * 400),
    *("1" * 308, "1" * 310, "1" * 400, "0." + "0" * 330 + "1", "0." + "3" * 400, "2.2250738585072011e-308", ""),
]
SOUP = "0123456789" * 3 + "...+-eE%/_:;,xXinfNaA'*#\"½１٣−\u00a0\u2003 "


def fuzzed(count: int, seed: int) -> list[str]:
    """Cells that are numbers, nearly numbers, and anything."""
    rng = random.Random(seed)

    def digits(most: int = 8) -> str:
        return "".join(rng.choices("0123456789", k=rng.randint(0, most)))

    def decimal() -> str:
        power = rng.choice(["", "", "", f"e{digits(3)}", f"E-{digits(3)}", f"e+{digits(2)}"])
        return rng.choice(["", "", "-", "+"]) + digits() + rng.choice(["", ".", "."]) + digits(20) + power

    def changed() -> str:
        text, place = decimal(), rng.randint(0, 6)
        return text[:place] + rng.choice(SOUP) + text[place + rng.randint(0, 1) :]

    def any_float() -> str:
        return repr(struct.unpack("<d", rng.randbytes(8))[0])

    kinds: list[Callable[[], str]] = [
        decimal,
        changed,
        any_float,
        lambda: "".join(rng.choices(SOUP, k=rng.randint(1, 5))),
        lambda: rng.choice(SPECIAL),
        lambda: rng.choice(["NA", "nan", "-", " - ", "None", "n/a", "", "-nan", "NAN", "--"]),
        lambda: f"{rng.random():.4f}",
        lambda: rng.choice(" \u00a0\t") + decimal() + rng.choice([" ", "%", " %", "\u2003"]),
    ]
    return [rng.choice(kinds)() for _ in range(count)]


# The paths -----------------------------------------------------------------------------------------


def table_of(text: str) -> Cells:
    """The cells of a text file, before anything is said of them."""
    found: list[Cells] = []

    def keep(cells: Cells, roles: Roles) -> Cells:
        found.append(cells)
        return cells

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recognise, "table_contents", keep)
        recognise._recognise(Source("x", text.encode()), Roles())
    return found[0]


def delimited_by(mark: str, quoting: Any = csv.QUOTE_NONE) -> Callable[[Sequence[str]], Cells]:
    def read(cells: Sequence[str]) -> Cells:
        buffer = io.StringIO()
        writer = csv.writer(buffer, delimiter=mark, quoting=quoting, quotechar='"', lineterminator="\n")
        writer.writerow(["topic", "a", "b"])
        writer.writerows([f"t{k}", "0.5", cell] for k, cell in enumerate(cells))
        return table_of(buffer.getvalue())

    return read


def wide(cells: Sequence[str]) -> Cells:
    """Seven cells in a row, so that cells of all kinds are parsed together; brought into one column."""
    cells = [*cells, *["0"] * (-len(cells) % 7)]
    rows = [f"t{k}," + ",".join(cells[k : k + 7]) for k in range(0, len(cells), 7)]
    found = table_of("topic,a,b,c,d,e,f,g\n" + "\n".join(rows) + "\n")
    odd = {row * 7 + k: cell for k, column in enumerate(found.columns[1:]) for row, cell in column.odd.items()}
    values = np.column_stack([column.cells for column in found.columns[1:]])
    return Cells(found.origin, ["b"], [Column(values.ravel(), odd)])


def records(cells: Sequence[str]) -> Cells:
    return table_of("".join(json.dumps({"topic": f"t{k}", "a": 0.5, "b": cell}) + "\n" for k, cell in enumerate(cells)))


def frame(make: Callable[[dict[str, list[str]]], Any]) -> Callable[[Sequence[str]], Cells]:
    return lambda cells: frame_cells(make({"topic": [f"t{k}" for k in range(len(cells))], "b": [*cells]}), Given("x"))


def stored(cells: Sequence[str]) -> Cells:
    buffer = io.BytesIO()
    pl.DataFrame({"topic": [f"t{k}" for k in range(len(cells))], "b": [*cells]}).write_parquet(buffer)
    source = Source("x", buffer.getvalue(), parquet=True)
    return frame_cells(parquet_table(source)[0], source)


TABLES: dict[str, tuple[Callable[[Sequence[str]], Cells], str]] = {
    "CSV": (delimited_by(","), ',"\n\t'),
    "CSV, wide": (wide, ',"\n'),
    "CSV, quoted": (delimited_by(",", csv.QUOTE_ALL), ""),
    "TSV": (delimited_by("\t"), '\t"\n'),
    "semicolons": (delimited_by(";"), ';"\n'),
    "JSON": (records, ""),
    "pandas": (frame(pd.DataFrame), ""),
    "polars": (frame(pl.DataFrame), ""),
    "Parquet": (stored, ""),
}


LINES: dict[str, tuple[str, Callable[[str], bool]]] = {
    "trec_eval": ("map                   \tt{}\t{}\n", lambda cell: bool(cell.encode().strip()) and "\t" not in cell),
    "four columns": ("bm25 map t{} {}\n", lambda cell: cell.encode().split() == [cell.encode()]),
    "ir_measures": ("t{}\tmap\t{}\n", lambda cell: bool(cell.encode().strip()) and "\t" not in cell),
}


def scores_in_lines(path: str, cells: Sequence[str]) -> list[float]:
    text = "".join(LINES[path][0].format(k, cell) for k, cell in enumerate(cells))
    grid = recognise._recognise(Source("x", text.encode()), Roles()).grid("map")
    values: list[float] = grid.values[:, 0].tolist()
    return values


def lines(path: str) -> Callable[[Sequence[str]], Parsed]:
    """What is found in the lines, before it is refused."""

    def read(cells: Sequence[str]) -> Parsed:
        found: list[Parsed] = []

        def kept(cells: Sequence[str], error: Any) -> tuple[Any, bool]:
            found.append(Column(cells).parsed)
            return found[0].values, False

        with pytest.MonkeyPatch.context() as patch:
            for module in (delimited,):
                patch.setattr(module, "scores_of", kept)
            values = np.array(scores_in_lines(path, ["0.5", *cells]))
        parsed = found[0] if found else Parsed(values, {})  # trec_eval cuts plain numbers out in bulk
        return Parsed(parsed.values[1:], {k - 1: cell for k, cell in parsed.odd.items()}, parsed.percent)

    return read


def check(path: str, cells: list[str]) -> None:
    """All cells at once: the numbers to the last bit, and what is text; so are those in percent beside others."""
    if path in TABLES:
        read, without = TABLES[path]
        cells = [cell for cell in cells if not set(cell) & set(without)]
        table = read(cells)
        found = table.columns[list(table.names).index("b")].parsed
    else:
        cells = [cell for cell in cells if LINES[path][1](cell) and "\n" not in cell]
        found = lines(path)(cells)
    beside = path in LINES or (path == "CSV, wide" and len(cells) % 7)  # a plain number
    signed = not beside and all(math.isnan(meaning(cell, signed=False) or math.nan) for cell in cells)
    meanings = [meaning(cell, signed) for cell in cells]
    expected = np.array([math.nan if value is None else value for value in meanings])
    bits = [
        np.where(np.isnan(values), 0, values.view(np.int64)) for values in (found.values.copy()[: len(cells)], expected)
    ]
    for k in np.flatnonzero(bits[0] != bits[1]):
        raise AssertionError(f"{path}: {cells[k]!r} is {found.values[k]}, not {expected[k]}")
    texts = {k: cells[k].strip() for k, value in enumerate(meanings) if value is None}
    assert {k: cell.strip() for k, cell in found.odd.items()} == texts
    assert found.percent == (signed and any(map(is_percent, cells)))


def check_all(path: str, cells: list[str]) -> None:
    """All together; and, because cells are parsed in bulk, numbers beside one kind of what float() takes as well."""
    check(path, cells)
    check(path, [cell for cell in cells if meaning(cell, signed=False) is None])
    taken = [cell for cell in cells if as_float(cell) is not None]
    kinds = [{k for k, odd in enumerate(("_" in c, not c.isascii(), not abs(float(c)) < 1e290)) if odd} for c in taken]
    for kind in range(3):
        check(path, [cell for cell, found in zip(taken, kinds, strict=True) if found <= {kind}])


def as_float(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


@pytest.mark.parametrize("path", [*TABLES, *LINES])
def test_every_path(path: str) -> None:
    check_all(path, [*SPECIAL, *fuzzed(3000, 1)])


@pytest.mark.parametrize("path", [*TABLES, *LINES])
def test_one_cell_among_plain_numbers(path: str) -> None:
    for cell in SPECIAL:
        check(path, ["0.5", "0.125", cell, "1e-3"])


@pytest.mark.long
@pytest.mark.parametrize("path", [*TABLES, *LINES])
def test_a_million_cells(path: str) -> None:
    for seed in range(50):
        check_all(path, fuzzed(20_000, 1000 + seed))


@pytest.mark.parametrize("path", LINES)
def test_lines(path: str) -> None:
    """Numbers and holes of a file at once, those in percent in a file of their own; texts are refused one by one."""
    cells = [cell for cell in [*SPECIAL, *fuzzed(500, 2)] if LINES[path][1](cell) and "\n" not in cell]
    for first, signed in (("0.5", False), ("5%", True)):
        some = [first, *(cell for cell in cells if meaning(cell) is not None and is_percent(cell) == signed)]
        np.testing.assert_array_equal(scores_in_lines(path, some), [meaning(cell) for cell in some])
    for cell in cells:
        if meaning(cell) is None:
            with pytest.raises(ReadError, match=r"x:2: .* is not a number\. .*, write nan\.$"):
                scores_in_lines(path, ["0.5", cell])


def test_the_fuzz_has_cells_of_every_kind() -> None:
    found = [meaning(cell) for cell in fuzzed(3000, 1)]
    kinds = [found.count(None), sum(value is not None and math.isnan(value) for value in found)]
    kinds.append(len(found) - sum(kinds))
    assert min(kinds) > 100, kinds


# Dictionaries, qrels, runs and costs ---------------------------------------------------------------


def test_nested_dictionaries() -> None:
    for cell in SPECIAL:
        expected = meaning(cell)
        other = "2%" if is_percent(cell) else 2
        nested: Any = {"a": {"1": {"map": other}, "2": {"map": cell}}, "b": {"1": {"map": other}, "2": {"map": other}}}
        if expected is None:
            with pytest.raises(InputError, match=r"map of a on 2: .* is not a number"):
                cc.as_scores(nested)
        elif math.isnan(expected):
            assert math.isnan(cc.as_scores(nested).values[1, 0])
        elif abs(expected) <= 1e300:
            assert cc.as_scores(nested).values[1, 0] == expected


def test_runs_qrels_and_costs_take_numbers_only() -> None:
    for cell in SPECIAL:
        if cell.encode().split() != [cell.encode()]:
            continue
        value = None if "%" in cell or math.isnan(meaning(cell) or 0) else meaning(cell)
        files = {
            read_qrels: (f"1 0 d1 1\n1 0 d2 {cell}\n", "the grade .* is not a number|beyond"),
            read_runs: (f"1 Q0 d1 1 1 x\n1 Q0 d2 2 {cell} x\n", "the score .* is not a number"),
        }
        for read, (text, message) in files.items():
            if value is None:
                with pytest.raises(ReadError, match=message):
                    read({"x": io.StringIO(text)})
            elif read is read_qrels and abs(value) < 1e15:
                assert read({"x": io.StringIO(text)})["1"]["d2"] == value
            elif read is read_runs:
                with np.errstate(over="ignore"):
                    single = np.float32(value)
                    below, above = (np.nextafter(single, np.float32(end)) for end in (-np.inf, np.inf))
                # Between its neighbours in float32, so read exactly.
                scores = {"d0": below, "d1": above, "d2": single}
                cells = {d: cell if d == "d2" else repr(float(score)) for d, score in scores.items()}
                if np.isfinite([below, above]).all():
                    lines = "".join(f"1 Q0 {d} 1 {written} x\n" for d, written in cells.items())
                    assert read({"x": io.StringIO(lines)}).documents("x", "1") == ("d1", "d2", "d0")


@pytest.mark.parametrize("cell", ["nan", "-", "1/2", "inf", "x"])
@pytest.mark.parametrize("form", LINES)
def test_a_first_line_without_a_number_is_no_header(form: str, cell: str) -> None:
    message = "lacks topic t0" if math.isnan(meaning(cell) or 0) else rf"x:1: '{cell}' is not a number"
    text = "".join(LINES[form][0].format(k, score) for k, score in enumerate([cell, "0.5", "0.25"]))
    with pytest.raises(ConcordantError, match=message):
        cc.read_scores({"x": io.StringIO(text)}).complete()


# Percent ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,a,b\n1,45%,40%\n2,0.5,30%\n", "x:2: 45% in column 'a' has a percent sign, but other scores have none"),
        ("topic,a,b\n1,,40%\n2,0.5,30%\n", "x:1: column 'b' has scores with a percent sign, but 'a' has none"),
        ("system,topic,value\na,1,45%\nb,1,0.5\n", "x:2: 45% in column 'value' has .*, but other scores have none"),
        ("a,b\n45%,0.5\n40%,0.4\n", "column 'a' has scores with a percent sign, but 'b' has none"),
    ],
)
def test_mixed_units_are_refused(text: str, message: str) -> None:
    with pytest.raises(ReadError, match=message):
        cc.read_scores({"x": io.StringIO(text)})


def test_a_measure_in_percent_beside_another() -> None:
    text = "system,topic,measure,value\na,1,acc,45%\nb,1,acc,50%\na,1,map,0.25\nb,1,map,0.5\n"
    assert cc.read_scores({"x": io.StringIO(text)}, "acc").values.tolist() == [[45, 50]]
    assert cc.read_scores({"x": io.StringIO(text)}, "map").values.tolist() == [[0.25, 0.5]]
    text = "model,acc,loss\na,45%,0.25\nb,50%,0.5\n"
    assert cc.read_scores({"x": io.StringIO(text)}, "acc").values.tolist() == [45, 50]


def test_files_of_one_matrix_have_one_unit(tmp_path: Any) -> None:
    (tmp_path / "a.csv").write_text("topic,a\n1,45%\n2,40%\n")
    (tmp_path / "b.csv").write_text("topic,b\n1,0.5\n2,0.25\n")
    with pytest.raises(ReadError, match=r"a\.csv: has scores with a percent sign, but .*b\.csv has none"):
        cc.read_scores([tmp_path / "a.csv", tmp_path / "b.csv"])
    (tmp_path / "b.csv").write_text("topic,b\n1,50%\n2,25%\n")
    assert cc.read_scores([tmp_path / "a.csv", tmp_path / "b.csv"]).values.tolist() == [[45, 50], [40, 25]]


def test_scores_in_percent_without_a_header_are_no_header() -> None:
    for text in ("1,45%,50%\n2,40%,60%\n", "45%,50%\n40%,60%\n"):
        with pytest.raises(ReadError, match="numbers without a header"):
            cc.read_scores({"x": io.StringIO(text)})


# Messages -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["1/0", "0,5", "1_000", "1'234'567", "１２", "0x1F", "1e400", "-Infinity"])
def test_the_way_out(cell: str) -> None:
    said = no_score(cell)
    assert said.startswith(
        f"{cell!r} is not a number. Write digits with a decimal point, such as 0.25, up to 1e300; if"
    )
    assert said.endswith("; if it is missing, leave the cell empty or write nan.")


def test_the_error_of_a_file_is_whole_sentences(tmp_path: Any) -> None:
    (tmp_path / "people.csv").write_text("topic,bm25,ql\n1,0.5,0.25\n2,1/2,0.5\n")
    with pytest.raises(ConcordantError) as caught:
        cc.read_scores(tmp_path / "people.csv")
    assert str(caught.value) == (
        f"{tmp_path / 'people.csv'}:3: '1/2' in column 'bm25' is not a number. If it stands for 0.5, "
        "write 0.5; if it is missing, leave the cell empty or write nan."
    )
