"""Tables as people keep them, made at random: each with the matrix that its author means, and how to say so.

A kind is a function that spoils a plain table. What a reader may do with the result: give the intended matrix, with a
warning where something was left out; or refuse, naming an option or an edit with which it is read right.
"""

from __future__ import annotations

import gzip
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

Rows = list[list[str]]
Rng = np.random.Generator


@dataclass(frozen=True)
class Table:
    """What is meant: names, and scores as they are written."""

    topics: list[str]
    systems: list[str]
    cells: Rows
    """One row per topic."""
    key: str = "topic"
    """What the column of topics is called."""

    @property
    def values(self) -> list[list[float]]:
        return [[float(cell) for cell in row] for row in self.cells]

    def rows(self) -> Rows:
        """The lines of a wide table, the header first."""
        return [[self.key, *self.systems], *([topic, *row] for topic, row in zip(self.topics, self.cells, strict=True))]

    def long(self) -> Rows:
        """One row per score: system, topic, score."""
        return [
            [system, topic, cell]
            for topic, row in zip(self.topics, self.cells, strict=True)
            for system, cell in zip(self.systems, row, strict=True)
        ]

    def without_topics(self, gone: Sequence[int]) -> Table:
        keep = [k for k in range(len(self.topics)) if k not in gone]
        return replace(self, topics=[self.topics[k] for k in keep], cells=[self.cells[k] for k in keep])


@dataclass(frozen=True)
class Odd:
    """An odd table."""

    content: Any
    """Bytes of a file, or a frame."""
    meant: Table | dict[str, float]
    """The matrix; or one score per system."""
    left_out: str = ""
    """What has to be named in a warning where the table is read as it is."""
    options: dict[str, Any] = field(default_factory=dict)
    """With these a table that was refused is read right; the error names them."""
    edit: bytes | None = None
    """What the table is after the edit that the error asks for."""
    says: str = ""
    """A pattern of the error, where it asks for an edit."""
    ambiguous: bool = False
    """Nobody can tell how this is meant."""


Kind = Callable[[Rng, Table], Odd]
KINDS: list[Kind] = []


def kind(function: Kind) -> Kind:
    KINDS.append(function)
    return function


# How tables are made and written.

_TOPICS: list[Callable[[int, int], str]] = [
    lambda k, start: str(start + k),
    lambda k, start: f"q{start + k}",
    lambda k, start: f"MB{start + k:03}",
    lambda k, start: f"{start}_{k + 1}",
]
_SYSTEMS = [
    ["bm25", "ql", "splade", "colbert", "dph", "rm3"],
    ["alpha", "beta", "gamma", "delta", "omega", "kappa"],
    ["run1", "run2", "run3", "run4", "run5", "run6"],
    ["gpt-4", "gpt-4.1", "claude-3", "llama3", "llama3.1", "qwen2.5"],
    ["a", "b", "c", "d", "e", "h"],
    ["input.a1", "uogTr", "NLE_P_quick", "p_d2q", "mono-t5", "BERT"],
]


def plain(rng: Rng, *, decimals: int | None = None, scale: float = 1.0) -> Table:
    """A table without anything odd."""
    n, m = int(rng.integers(5, 13)), int(rng.integers(3, 7))
    decimals = int(rng.integers(2, 5)) if decimals is None else decimals
    topic, start = _TOPICS[rng.integers(len(_TOPICS))], int(rng.integers(1, 60)) * 10
    scores = np.clip(rng.beta(2, 3, (n, m)) + rng.normal(0, 0.05, n)[:, None], 0, 1) * scale
    return Table(
        [topic(k, start) for k in range(n)],
        _SYSTEMS[rng.integers(len(_SYSTEMS))][:m],
        [[f"{score:.{decimals}f}" for score in row] for row in scores],
        str(rng.choice(["topic", "qid", "query_id", "Topic"])),
    )


def grades(rng: Rng) -> Table:
    """A table of whole numbers from 0 to 3."""
    table = plain(rng)
    scores = rng.integers(0, 4, (len(table.topics), len(table.systems)))
    return replace(table, cells=[[str(score) for score in row] for row in scores])


def with_cell(table: Table, change: Callable[[str], str], places: Sequence[tuple[int, int]]) -> Rows:
    """The rows of a table in which some scores are written otherwise."""
    rows = table.rows()
    for row, column in places:
        rows[row + 1][column + 1] = change(rows[row + 1][column + 1])
    return rows


def some(rng: Rng, table: Table, count: int = 3) -> list[tuple[int, int]]:
    """Places of a few scores in two rows or more."""
    return [(k % len(table.topics), int(rng.integers(len(table.systems)))) for k in range(1, count + 1)]


def text(rows: Rows, mark: str = ",") -> bytes:
    def quoted(cell: str) -> str:
        return f'"{cell}"' if mark in cell or "\n" in cell else cell

    return "".join(mark.join(map(quoted, row)) + "\n" for row in rows).encode()


def add(rows: Rows, name: str, cells: Any, place: int | None = None) -> Rows:
    """One more column."""
    place = len(rows[0]) if place is None else place
    return [[*row[:place], str(cell), *row[place:]] for row, cell in zip(rows, [name, *cells], strict=True)]


def pick(rng: Rng, *names: str) -> str:
    return str(rng.choice(names))


def counting(table: Table, start: int = 1) -> list[int]:
    return list(range(start, start + len(table.topics)))


def stray(rows: Rows, meant: Table, *names: str) -> Odd:
    """A table with columns that the reader leaves out with a warning, or refuses with the way to leave them out."""
    return Odd(text(rows), meant, names[0], {"systems": [f"!{name}" for name in names]})


COUNTERS = ("Nr", "no", "row", "idx", "S.No", "seq", "num", "Row No", "serial", "line")


# Counters.


@kind
def counter_before_the_topics(rng: Rng, table: Table) -> Odd:
    name = pick(rng, *COUNTERS, "X")
    return stray(add(table.rows(), name, counting(table), 0), table, name)


@kind
def counter_behind_the_scores(rng: Rng, table: Table) -> Odd:
    name = pick(rng, *COUNTERS)
    return stray(add(table.rows(), name, counting(table)), table, name)


@kind
def counter_from_zero(rng: Rng, table: Table) -> Odd:
    name = pick(rng, *COUNTERS, "X")
    return stray(add(table.rows(), name, counting(table, 0), 1), table, name)


@kind
def counter_of_any_name(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "foo", "zaehler", "lfd", "k1", "entry")
    return stray(add(table.rows(), name, counting(table), int(rng.integers(4))), table, name)


@kind
def counter_beside_grades(rng: Rng, table: Table) -> Odd:
    table, name = grades(rng), pick(rng, *COUNTERS)
    return stray(add(table.rows(), name, counting(table)), table, name)


@kind
def counter_of_any_name_beside_grades(rng: Rng, table: Table) -> Odd:
    table, name = grades(rng), pick(rng, "foo", "zaehler", "entry")
    return stray(add(table.rows(), name, counting(table)), table, name)


@kind
def counter_with_gaps(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "Nr", "row", "idx", "S.No", "seq")
    numbers = sorted(rng.choice(90, len(table.topics), replace=False) + 5)
    return stray(add(table.rows(), name, numbers), table, name)


@kind
def counter_for_topics(rng: Rng, table: Table) -> Odd:
    table = replace(table, topics=[str(k) for k in counting(table)], key=pick(rng, "Nr", "seq", "lfd"))
    return Odd(text(table.rows()), table, table.key, {"topic_column": table.key})


@kind
def index_of_pandas(rng: Rng, table: Table) -> Odd:
    return Odd(text(add(table.rows(), pick(rng, "", "Unnamed: 0"), counting(table, 0), 0)), table)


@kind
def index_of_pandas_twice(rng: Rng, table: Table) -> Odd:
    rows = add(add(table.rows(), "Unnamed: 0", counting(table, 0), 0), "Unnamed: 0.1", counting(table, 0), 0)
    return Odd(text(rows), table)


@kind
def index_that_was_reset(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "index", "level_0", "id", "rank")
    return stray(add(table.rows(), name, counting(table, 0), 0), table, name)


@kind
def row_names_of_r(rng: Rng, table: Table) -> Odd:
    table = replace(table, topics=[str(k) for k in counting(table, 301)], systems=_SYSTEMS[0][: len(table.systems)])
    rows = table.rows()
    return Odd(text([rows[0][1:], *rows[1:]], " "), table)


# Facts about topics.


@kind
def fact_in_whole_numbers(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "length", "n_words", "tokens", "time", "cost", "query_length", "num_rel", "judgments", "Size")
    return stray(add(table.rows(), name, rng.integers(20, 900, len(table.topics)), 1), table, name)


@kind
def fact_like_a_score(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "difficulty", "weight", "time", "cost", "hardness", "log_length", "frequency")
    return stray(add(table.rows(), name, rng.uniform(0, 1, len(table.topics)).round(3)), table, name)


@kind
def fact_year(rng: Rng, table: Table) -> Odd:
    return stray(add(table.rows(), "year", rng.integers(1999, 2025, len(table.topics)), 1), table, "year")


@kind
def fact_seed(rng: Rng, table: Table) -> Odd:
    name, value = pick(rng, "seed", "fold", "version", "epoch"), int(rng.integers(1, 50))
    return stray(add(table.rows(), name, [value] * len(table.topics)), table, name)


@kind
def fact_n(rng: Rng, table: Table) -> Odd:
    table = replace(table, systems=_SYSTEMS[0][: len(table.systems)])
    return stray(add(table.rows(), "n", rng.integers(1, 9, len(table.topics))), table, "n")


@kind
def fact_of_any_name(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "foo", "extent", "pages", "bytes")
    return stray(add(table.rows(), name, rng.integers(20, 2000, len(table.topics))), table, name)


@kind
def fact_beside_percentages(rng: Rng, table: Table) -> Odd:
    table, name = plain(rng, scale=100), pick(rng, "length", "year", "tokens", "cost")
    return stray(add(table.rows(), name, rng.integers(10, 2000, len(table.topics))), table, name)


@kind
def fact_in_words(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "category", "domain", "language", "level", "notes")
    words = rng.choice(["easy", "hard", "en", "de fr"], len(table.topics))
    return stray(add(table.rows(), name, words.tolist(), int(rng.integers(1, 3))), table, name)


@kind
def fact_date(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "date", "judged_on", "created")
    days = [f"2024-0{rng.integers(1, 9)}-{rng.integers(10, 28)}" for _ in table.topics]
    return stray(add(table.rows(), name, days), table, name)


@kind
def fact_true_or_false(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "is_hard", "has_answer", "checked")
    return stray(add(table.rows(), name, rng.choice(["True", "False"], len(table.topics)).tolist()), table, name)


@kind
def two_facts(rng: Rng, table: Table) -> Odd:
    rows = add(table.rows(), "length", rng.integers(20, 900, len(table.topics)))
    return stray(add(rows, "difficulty", rng.uniform(0, 1, len(table.topics)).round(2)), table, "length", "difficulty")


@kind
def fact_and_counter(rng: Rng, table: Table) -> Odd:
    rows = add(table.rows(), "year", rng.integers(1999, 2025, len(table.topics)))
    return stray(add(rows, "Nr", counting(table), 0), table, "year")


@kind
def fact_with_a_comma_in_its_name(rng: Rng, table: Table) -> Odd:
    return stray(add(table.rows(), "words, all", rng.integers(20, 900, len(table.topics))), table, "words, all")


# Columns that belong to a system.


def companion(rng: Rng, table: Table, name: str, cells: Any) -> Odd:
    return stray(add(table.rows(), name, cells, int(rng.integers(2, len(table.systems) + 2))), table, name)


@kind
def errors_of_a_system(rng: Rng, table: Table) -> Odd:
    of = pick(rng, *table.systems)
    name = of + pick(rng, "_se", " SE", "_err", " (std)", "_var", "-stderr", ".sd", "_moe")
    return companion(rng, table, name, rng.uniform(0.01, 0.1, len(table.topics)).round(3).tolist())


@kind
def counts_of_a_system(rng: Rng, table: Table) -> Odd:
    of = pick(rng, *table.systems)
    name = of + pick(rng, "_n", " n", "_count", "_time", "_rank", "_votes", "_tokens")
    return companion(rng, table, name, rng.integers(1, 30, len(table.topics)).tolist())


@kind
def interval_of_a_system(rng: Rng, table: Table) -> Odd:
    of = int(rng.integers(len(table.systems)))
    value = [float(row[of]) for row in table.cells]
    names = [
        table.systems[of] + end for end in [("_low", "_high"), (" lower", " upper"), ("_min", "_max")][rng.integers(3)]
    ]
    rows = add(table.rows(), names[0], [round(v - rng.uniform(0, 0.2), 3) for v in value])
    rows = add(rows, names[1], [round(v + rng.uniform(0, 0.2), 3) for v in value])
    return stray(rows, table, *names)


@kind
def interval_in_one_cell(rng: Rng, table: Table) -> Odd:
    name = pick(rng, *table.systems) + pick(rng, "_ci", " 95% CI")
    return companion(rng, table, name, [f"[0.{rng.integers(9)}, 0.9]" for _ in table.topics])


@kind
def ci_of_a_system(rng: Rng, table: Table) -> Odd:
    name = pick(rng, *table.systems) + pick(rng, "_ci", " CI", "_conf")
    return companion(rng, table, name, rng.uniform(0.01, 0.1, len(table.topics)).round(3).tolist())


@kind
def column_that_pandas_renamed(rng: Rng, table: Table) -> Odd:
    table = replace(table, systems=_SYSTEMS[rng.integers(2)][: len(table.systems)])
    name = pick(rng, *table.systems) + ".1"
    return companion(rng, table, name, rng.uniform(0, 1, len(table.topics)).round(3).tolist())


@kind
def every_system_with_its_error(rng: Rng, table: Table) -> Odd:
    rows, names = table.rows(), [f"{system}_se" for system in table.systems]
    for k, name in enumerate(names):
        rows = add(rows, name, rng.uniform(0.01, 0.1, len(table.topics)).round(3), 2 + 2 * k)
    return stray(rows, table, *names)


@kind
def means_and_deviations(rng: Rng, table: Table) -> Odd:
    names = [f"{system}_std" for system in table.systems]
    table = replace(table, systems=[f"{system}_mean" for system in table.systems])
    rows = table.rows()
    for name in names:
        rows = add(rows, name, rng.uniform(0.01, 0.1, len(table.topics)).round(3))
    return stray(rows, table, *names)


@kind
def rank_of_a_system(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "rank_{}", "se({})", "num {}", "std {}").format(pick(rng, *table.systems))
    return companion(rng, table, name, rng.integers(1, 9, len(table.topics)).tolist())


# Summaries in columns.


@kind
def mean_of_the_systems(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "mean", "avg", "Average", "overall", "Mean:", "all")
    cells = [f"{np.mean(row):.3f}" for row in table.values]
    return stray(add(table.rows(), name, cells), table, name)


@kind
def mean_of_the_systems_of_any_name(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "Ø", "zusammen", "everyone")
    cells = [f"{np.mean(row):.4f}" for row in table.values]
    return stray(add(table.rows(), name, cells), table, name)


@kind
def extremes_of_the_systems(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "best", "max", "min", "worst", "Maximum", "range", "best score")
    return stray(add(table.rows(), name, [max(row) for row in table.values]), table, name)


@kind
def total_of_the_systems(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "total", "sum", "Total")
    return stray(add(table.rows(), name, [round(sum(row), 4) for row in table.values]), table, name)


@kind
def best_system(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "winner", "best")
    return stray(add(table.rows(), name, [table.systems[int(np.argmax(row))] for row in table.values]), table, name)


# Ways to write numbers.


def written(table: Table, rows: Rows, mark: str = ",", says: str = "is not a number", options: Any = None) -> Odd:
    """A table whose error names the cell; with plain numbers it is read right."""
    return Odd(text(rows, mark), table, edit=text(table.rows(), mark), says=says, options=options or {})


def everywhere(table: Table) -> list[tuple[int, int]]:
    return [(k, j) for k in range(len(table.topics)) for j in range(len(table.systems))]


@kind
def percent_signs(rng: Rng, table: Table) -> Odd:
    table = plain(rng, decimals=1, scale=100)
    return Odd(text(with_cell(table, lambda cell: cell + "%", everywhere(table))), table)


@kind
def percent_signs_in_some_cells(rng: Rng, table: Table) -> Odd:
    table = plain(rng, decimals=1, scale=100)
    rows = with_cell(table, lambda cell: cell + "%", some(rng, table))
    return written(table, rows, says="percent sign.*or all without it")


@kind
def thousands_by_comma(rng: Rng, table: Table) -> Odd:
    table = plain(rng, decimals=0, scale=90000)
    return written(table, with_cell(table, lambda cell: f"{int(cell):,}", everywhere(table)))


@kind
def thousands_by_blank_or_apostrophe(rng: Rng, table: Table) -> Odd:
    table, mark = plain(rng, decimals=0, scale=90000), pick(rng, " ", "'", "_", "\u202f", "\xa0")
    return written(table, with_cell(table, lambda cell: f"{int(cell) + 1000:,}".replace(",", mark), some(rng, table)))


@kind
def thousands_by_dot(rng: Rng, table: Table) -> Odd:
    table = replace(table, cells=[[str(rng.integers(1000, 9999)) for _ in row] for row in table.cells])
    rows = with_cell(table, lambda cell: f"{int(cell):,}".replace(",", "."), everywhere(table))
    return replace(written(table, rows), ambiguous=True)


@kind
def decimal_commas(rng: Rng, table: Table) -> Odd:
    return written(table, with_cell(table, lambda cell: cell.replace(".", ","), everywhere(table)), ";")


@kind
def decimal_commas_in_quotation_marks(rng: Rng, table: Table) -> Odd:
    return written(table, with_cell(table, lambda cell: cell.replace(".", ","), some(rng, table)))


@kind
def fractions(rng: Rng, table: Table) -> Odd:
    halves = replace(table, cells=[[pick(rng, "0.5", "0.25", "0.75") for _ in row] for row in table.cells])
    write = {"0.5": "1/2", "0.25": "1/4", "0.75": "3/4"}
    return written(halves, with_cell(halves, write.__getitem__, some(rng, halves)), says="If it stands for")


@kind
def units(rng: Rng, table: Table) -> Odd:
    unit = pick(rng, "ms", " s", "$", "€", " pts", "x")
    return written(table, with_cell(table, lambda cell: cell + unit, some(rng, table)))


@kind
def currencies(rng: Rng, table: Table) -> Odd:
    sign = pick(rng, "$", "€", "£", "USD ")
    return written(table, with_cell(table, lambda cell: sign + cell, some(rng, table)))


@kind
def marks_of_significance(rng: Rng, table: Table) -> Odd:
    mark = pick(rng, "*", "**", "†", " (a)", "^b")
    return written(table, with_cell(table, lambda cell: cell + mark, some(rng, table)))


@kind
def marks_of_the_best(rng: Rng, table: Table) -> Odd:
    left, right = [("**", "**"), ("\\textbf{", "}"), ("<b>", "</b>"), ("_", "_")][rng.integers(4)]
    return written(table, with_cell(table, lambda cell: left + cell + right, some(rng, table)))


@kind
def errors_in_the_cell(rng: Rng, table: Table) -> Odd:
    error = pick(rng, " ± 0.02", " (0.02)", " +/- 0.02", "±.1")
    return written(table, with_cell(table, lambda cell: cell + error, some(rng, table)))


@kind
def truth_values(rng: Rng, table: Table) -> Odd:
    whole = replace(table, cells=[[pick(rng, "0", "1") for _ in row] for row in table.cells])
    words = [("False", "True"), ("no", "yes"), ("F", "T"), ("FALSE", "TRUE")][rng.integers(4)]
    return written(whole, with_cell(whole, lambda cell: words[int(cell)], some(rng, whole)))


@kind
def numbers_of_other_languages(rng: Rng, table: Table) -> Odd:
    places = some(rng, table)
    change = [
        lambda cell: cell.translate({48 + k: 0x0660 + k for k in range(10)}),
        lambda cell: cell.replace(".", "·"),
        lambda cell: "\N{MINUS SIGN}" + cell,
        lambda cell: f"0x{int(float(cell) * 100):x}f",
    ][rng.integers(4)]
    return written(table, with_cell(table, change, places))


@kind
def powers_of_ten(rng: Rng, table: Table) -> Odd:
    return Odd(text(with_cell(table, lambda cell: f"{float(cell):e}", everywhere(table))), replace(table, cells=[
        [f"{float(cell):e}" for cell in row] for row in table.cells]))  # fmt: skip


@kind
def signs_and_points(rng: Rng, table: Table) -> Odd:
    change = [
        lambda cell: "+" + cell,
        lambda cell: cell.removeprefix("0"),
        lambda cell: f" {cell} ",
        lambda cell: cell + "0",
    ]
    return Odd(text(with_cell(table, change[rng.integers(4)], some(rng, table, 6))), table)


@kind
def infinities(rng: Rng, table: Table) -> Odd:
    word = pick(rng, "inf", "-inf", "1e999", "Infinity")
    return written(table, with_cell(table, lambda _: word, some(rng, table)), says="is not a (finite )?number")


# Holes.


@kind
def holes(rng: Rng, table: Table) -> Odd:
    places, word = some(rng, table), pick(rng, "", "NA", "n/a", "nan", "NaN", "None", "null", "-", "N/A", "#N/A")
    meant = table.without_topics([row for row, _ in places])
    return Odd(text(with_cell(table, lambda _: word, places)), meant, options={"missing": "drop"})


@kind
def holes_by_other_words(rng: Rng, table: Table) -> Odd:
    places, word = some(rng, table), pick(rng, "--", "?", "missing", "n.a.", "—", "x", "timeout", "#REF!", ".")
    meant = table.without_topics([row for row, _ in places])
    edit = text(with_cell(table, lambda _: "nan", places))
    return Odd(
        text(with_cell(table, lambda _: word, places)), meant, edit=edit, says="write nan", options={"missing": "drop"}
    )


@kind
def system_without_scores(rng: Rng, table: Table) -> Odd:
    rows = add(table.rows(), pick(rng, "baseline", "crashed"), [""] * len(table.topics))
    return Odd(text(rows), table, options={"missing": "drop-systems"})


# Rows that are no topics.


def mean_row(table: Table, decimals: int, label: str) -> list[str]:
    return [label, *(f"{mean:.{decimals}f}" for mean in np.mean(table.values, axis=0))]


def put(rng: Rng, rows: Rows, row: list[str]) -> Rows:
    """A row at the top or at the bottom."""
    return [rows[0], row, *rows[1:]] if rng.random() < 0.5 else [*rows, row]


@kind
def named_mean_row(rng: Rng, table: Table) -> Odd:
    label = pick(rng, "mean", "Average", "all", "AVG", "amean", "Mean:", "overall", "Mittelwert")
    return Odd(text(put(rng, table.rows(), mean_row(table, 4, label))), table)


@kind
def mean_row_of_any_name(rng: Rng, table: Table) -> Odd:
    label = pick(rng, "Ø", "zusammen", "everything", "999")
    return Odd(text(put(rng, table.rows(), mean_row(table, 4, label))), table, label, {"topics": [f"!{label}"]})


@kind
def mean_row_with_fewer_decimals(rng: Rng, table: Table) -> Odd:
    table, label = plain(rng, decimals=4), pick(rng, "Ø", "zusammen", "everything")
    rows = put(rng, table.rows(), mean_row(table, int(rng.integers(2, 4)), label))
    return Odd(text(rows), table, label, {"topics": [f"!{label}"]})


@kind
def mean_row_of_unrounded_scores(rng: Rng, table: Table) -> Odd:
    label, scores = pick(rng, "Ø", "zusammen"), rng.uniform(0, 1, (len(table.topics), len(table.systems)))
    table = replace(table, cells=[[f"{score:.4f}" for score in row] for row in scores])
    rows = put(rng, table.rows(), [label, *(f"{mean:.4f}" for mean in scores.mean(axis=0))])
    return Odd(text(rows), table, label, {"topics": [f"!{label}"]})


@kind
def no_mean_row_among_tiny_scores(rng: Rng, table: Table) -> Odd:
    scores = rng.uniform(1e-9, 9e-7, (len(table.topics), len(table.systems)))
    table = replace(table, cells=[[f"{score:.3e}" for score in row] for row in scores])
    return Odd(text(table.rows()), table)


@kind
def no_mean_row_among_equal_scores(rng: Rng, table: Table) -> Odd:
    value = pick(rng, "0.5", "1", "0.333")
    table = replace(table, cells=[[value] * len(table.systems) for _ in table.topics])
    return Odd(text(table.rows()), table)


@kind
def rows_of_spread(rng: Rng, table: Table) -> Odd:
    label = pick(rng, "std", "SD", "stdev", "variance", "median", "min", "max", "best", "25%")
    row = [label, *(f"{value:.3f}" for value in rng.uniform(0.1, 0.3, len(table.systems)))]
    return Odd(text(put(rng, table.rows(), row)), table, label)


@kind
def mean_and_deviation_rows(rng: Rng, table: Table) -> Odd:
    rows = [*table.rows(), mean_row(table, 3, "Mean"), ["Std", *("0.1" for _ in table.systems)]]
    return Odd(text(rows), table)


@kind
def repeated_header(rng: Rng, table: Table) -> Odd:
    rows, place = table.rows(), int(rng.integers(2, 5))
    return Odd(text([*rows[:place], rows[0], *rows[place:]]), table, options={"topics": [f"!{table.key}"]})


@kind
def repeated_headers(rng: Rng, table: Table) -> Odd:
    rows = table.rows()
    return Odd(text([*rows[:2], rows[0], *rows[2:4], rows[0], *rows[4:]]), table, options={"topics": [f"!{table.key}"]})


@kind
def units_below_the_header(rng: Rng, table: Table) -> Odd:
    rows, label = table.rows(), pick(rng, "unit", "[unit]", "type")
    return Odd(
        text([rows[0], [label, *("map" for _ in table.systems)], *rows[1:]]), table, options={"topics": [f"!{label}"]}
    )


@kind
def units_below_the_header_without_label(rng: Rng, table: Table) -> Odd:
    rows = table.rows()
    return Odd(
        text([rows[0], ["", *("map" for _ in table.systems)], *rows[1:]]), table, edit=text(rows), says="has no topic"
    )


@kind
def groups_above_the_header(rng: Rng, table: Table) -> Odd:
    groups = ["", *(pick(rng, "sparse", "dense") for _ in table.systems)]
    return Odd(text([groups, *table.rows()]), table, edit=text(table.rows()), says="two columns are named|:1: ")


@kind
def title_above_the_header(rng: Rng, table: Table) -> Odd:
    title = [pick(rng, "Results of 2024", "Table 1: nDCG@10", "scores")]
    return Odd(text([title, *table.rows()]), table, edit=text(table.rows()), says="fields, but the|not recognised")


@kind
def empty_rows(rng: Rng, table: Table) -> Odd:
    rows, blank = table.rows(), [""] * (1 + len(table.systems))
    return Odd(text([rows[0], blank, *rows[1:3], blank, *rows[3:], blank]), table)


@kind
def topic_twice(rng: Rng, table: Table) -> Odd:
    rows = table.rows()
    again = [rows[2][0], *(f"{value:.3f}" for value in rng.uniform(0, 1, len(table.systems)))]
    return Odd(text([*rows, again]), table, edit=text(rows), says="already has a row.*: give each row its own")


@kind
def system_twice(rng: Rng, table: Table) -> Odd:
    rows = add(table.rows(), table.systems[0], rng.uniform(0, 1, len(table.topics)).round(3))
    return Odd(text(rows), table, edit=text(table.rows()), says="two columns are named .*: rename one, or leave it out")


# Columns without names.


@kind
def empty_columns(rng: Rng, table: Table) -> Odd:
    rows = table.rows()
    for _ in range(int(rng.integers(1, 4))):
        rows = add(rows, "", [""] * len(table.topics))
    return Odd(text(rows), table)


@kind
def empty_column_in_between(rng: Rng, table: Table) -> Odd:
    return Odd(text(add(table.rows(), "", [""] * len(table.topics), 2)), table)


@kind
def column_without_a_name(rng: Rng, table: Table) -> Odd:
    rows = add(table.rows(), "", rng.integers(1, 99, len(table.topics)))
    return Odd(text(rows), table, edit=text(table.rows()), says="has no name in the header")


@kind
def delimiters_at_the_end_of_rows(rng: Rng, table: Table) -> Odd:
    head, *rows = text(table.rows()).split(b"\n")[:-1]
    return Odd(head + b"\n" + b"".join(row + b",\n" for row in rows), table)


# Ways to write files.


@kind
def comments(rng: Rng, table: Table) -> Odd:
    head, rest = text(table.rows()).split(b"\n", 1)
    return Odd(b"# made by hand\n" + head + b"\n# half way\n" + rest + b"# end\n", table)


@kind
def byte_order_mark(rng: Rng, table: Table) -> Odd:
    return Odd(b"\xef\xbb\xbf" + text(table.rows()), table)


@kind
def line_ends(rng: Rng, table: Table) -> Odd:
    return Odd(text(table.rows()).replace(b"\n", [b"\r\n", b"\r"][rng.integers(2)]), table)


@kind
def utf_16(rng: Rng, table: Table) -> Odd:
    encoding = pick(rng, "utf-16", "utf-16-le", "utf-16-be")
    return Odd(text(table.rows()).decode().encode(encoding), table, edit=text(table.rows()), says="UTF-8|utf-8|UTF-16")


@kind
def latin_1(rng: Rng, table: Table) -> Odd:
    table = replace(table, systems=["Größe", *table.systems[1:]])
    content = text(table.rows()).decode()
    return Odd(content.encode("latin-1"), table, edit=content.encode(), says="UTF-8|utf-8")


@kind
def compressed(rng: Rng, table: Table) -> Odd:
    return Odd(gzip.compress(text(table.rows())), table)


@kind
def quotation_marks(rng: Rng, table: Table) -> Odd:
    rows = [[f'"{cell}"' for cell in row] for row in table.rows()]
    return Odd("".join(",".join(row) + "\n" for row in rows).encode(), table)


@kind
def marks_inside_of_names(rng: Rng, table: Table) -> Odd:
    table = replace(table, systems=["a,b", *table.systems[1:]], topics=["one\ntwo", *table.topics[1:]])
    return Odd(text(table.rows()), table)


@kind
def other_delimiters(rng: Rng, table: Table) -> Odd:
    return Odd(text(table.rows(), pick(rng, ";", "\t", ", ")), table)


@kind
def aligned_by_blanks(rng: Rng, table: Table) -> Odd:
    rows = table.rows()
    widths = [max(len(row[k]) for row in rows) + 2 for k in range(len(rows[0]))]
    lines = ("".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
    return Odd("\n".join(lines).encode(), table)


@kind
def no_header(rng: Rng, table: Table) -> Odd:
    rows = table.rows()
    return Odd(text(rows[1:]), table, edit=text(rows), says="without a header|not recognised|first line")


@kind
def markdown(rng: Rng, table: Table) -> Odd:
    lines = ["| " + " | ".join(row) + " |" for row in table.rows()]
    lines.insert(1, "|" + " --- |" * (1 + len(table.systems)))
    return Odd("\n".join(lines).encode(), table, edit=text(table.rows()), says="not recognised|CSV")


@kind
def latex(rng: Rng, table: Table) -> Odd:
    lines = [" & ".join(row) + r" \\" for row in table.rows()]
    return Odd("\n".join(lines).encode(), table, edit=text(table.rows()), says="not recognised|CSV")


@kind
def html(rng: Rng, table: Table) -> Odd:
    lines = ["<table>", *("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in table.rows())]
    return Odd("\n".join(lines).encode(), table, edit=text(table.rows()), says="not recognised|CSV")


@kind
def header_that_looks_like_a_comment(rng: Rng, table: Table) -> Odd:
    rows = add(table.rows(), "#", counting(table), 0)
    return Odd(text(rows), table, edit=text([["Nr", *rows[0][1:]], *rows[1:]]), says="starts? with #|start with #")


# Labels of topics.


@kind
def systems_as_letters(rng: Rng, table: Table) -> Odd:
    start = int(rng.integers(0, 21))
    table = replace(table, systems=list("abcdefghijklmnopqrstuvwxyz"[start : start + len(table.systems)]))
    return Odd(text(table.rows()), table)


@kind
def systems_and_their_next_versions(rng: Rng, table: Table) -> Odd:
    names = ["gpt-4", "gpt-4.1", "llama3", "llama3.1", "phi-3", "phi-3.1"]
    return Odd(
        text(replace(table, systems=names[: len(table.systems)]).rows()),
        replace(table, systems=names[: len(table.systems)]),
    )


@kind
def systems_that_are_variants(rng: Rng, table: Table) -> Odd:
    names = ["splade", "splade_max", "splade_low", "bm25", "bm25_rm3", "no_stem"]
    table = replace(table, systems=names[: len(table.systems)])
    return Odd(text(table.rows()), table, options={"systems": ["*"]})


@kind
def topics_as_decimals(rng: Rng, table: Table) -> Odd:
    table = replace(table, topics=[f"{k}.0" for k in counting(table, 301)])
    return Odd(text(table.rows()), table)


@kind
def topics_with_zeros_before(rng: Rng, table: Table) -> Odd:
    table = replace(table, topics=[f"{k:04}" for k in counting(table)])
    return Odd(text(table.rows()), table)


@kind
def topics_in_words(rng: Rng, table: Table) -> Odd:
    words = ["arc", "mmlu", "hellaswag", "gsm8k", "boolq", "piqa", "siqa", "copa", "rte", "wic", "cola", "mrpc"]
    table = replace(table, topics=words[: len(table.topics)], key=pick(rng, "task", "topic", "dataset"))
    return Odd(text(table.rows()), table)


@kind
def topics_under_a_name_that_says_nothing(rng: Rng, table: Table) -> Odd:
    words = [f"thing {chr(97 + k)}" for k in range(len(table.topics))]
    table = replace(table, topics=words, key=pick(rng, "what", "case", "id"))
    return Odd(text(table.rows()), table, options={"topic_column": table.key})


@kind
def topics_twice_by_number_and_text(rng: Rng, table: Table) -> Odd:
    table = replace(table, key="qid")
    rows = add(table.rows(), pick(rng, "query", "question"), [f"who is {k}" for k in counting(table)], 1)
    return Odd(text(rows), table, options={"topic_column": "qid"})


@kind
def topics_under_two_numbers(rng: Rng, table: Table) -> Odd:
    table = replace(table, key="qid")
    return Odd(
        text(add(table.rows(), "topic", rng.permutation(counting(table, 7)), 0)), table, options={"topic_column": "qid"}
    )


@kind
def years_across(rng: Rng, table: Table) -> Odd:
    table = replace(table, systems=[str(2015 + k) for k in range(len(table.systems))], key="id")
    return Odd(text(table.rows()), table, options={"topic_column": "id"})


# Systems down the side.


def transposed(table: Table, key: str) -> Rows:
    body = [[system, *(row[k] for row in table.cells)] for k, system in enumerate(table.systems)]
    return [[key, *table.topics], *body]


@kind
def systems_down_the_side(rng: Rng, table: Table) -> Odd:
    return Odd(text(transposed(table, pick(rng, "system", "run", "model", "Method"))), table)


@kind
def systems_down_the_side_under_no_name(rng: Rng, table: Table) -> Odd:
    table = replace(table, topics=[f"thing {chr(97 + k)}" for k in range(len(table.topics))], systems=_SYSTEMS[1][:3],
                    cells=[row[:3] for row in table.cells])  # fmt: skip
    key = pick(rng, "", "what", "x")
    return Odd(text(transposed(table, key)), table, options={"system_column": key})


@kind
def systems_down_the_side_with_a_counter(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "Nr", "S.No", "idx", "rank")
    rows = add(transposed(table, "system"), name, range(1, len(table.systems) + 1), int(rng.integers(2)))
    return Odd(text(rows), table, name, {"topics": table.topics})


@kind
def systems_down_the_side_with_a_fact(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "params", "size", "date", "latency", "license")
    cells = ["MIT"] * len(table.systems) if name == "license" else rng.integers(1, 70, len(table.systems))
    return Odd(text(add(transposed(table, "model"), name, cells, 1)), table, options={"topics": table.topics})


@kind
def systems_down_the_side_with_errors(rng: Rng, table: Table) -> Odd:
    rows = transposed(table, "model")
    for topic in table.topics:
        rows = add(rows, f"{topic}_stderr", rng.uniform(0.01, 0.1, len(table.systems)).round(3))
    return Odd(text(rows), table, options={"topics": table.topics})


@kind
def systems_down_the_side_with_their_mean(rng: Rng, table: Table) -> Odd:
    rows = add(transposed(table, "model"), pick(rng, "average", "mean"), np.mean(table.values, axis=0).round(4))
    return Odd(text(rows), table)


@kind
def leaderboard(rng: Rng, table: Table) -> Odd:
    systems = table.systems
    scores = [float(cell) for cell in table.cells[0]]
    rows = [["model", "win_rate", "standard_error", "n_total", "mode"]]
    rows += [[s, str(v), "0.01", "805", "x"] for s, v in zip(systems, scores, strict=True)]
    return Odd(text(rows), dict(zip(systems, scores, strict=True)), options={"measure": "win_rate"})


# One row per score.


@kind
def long_table(rng: Rng, table: Table) -> Odd:
    header = [pick(rng, "system", "run", "model"), table.key, pick(rng, "score", "value")]
    return Odd(text([header, *table.long()]), table)


@kind
def long_table_with_other_columns(rng: Rng, table: Table) -> Odd:
    rows = [["system", table.key, "score"], *table.long()]
    rows = add(rows, "judge", ["me"] * (len(rows) - 1), int(rng.integers(4)))
    rows = add(rows, pick(rng, "seed", "n", "time"), rng.integers(1, 99, len(rows) - 1))
    return Odd(text(add(rows, pick(rng, "", "Unnamed: 0"), range(len(rows) - 1), 0)), table)


@kind
def long_table_of_unknown_names(rng: Rng, table: Table) -> Odd:
    header = ["who", "where", "what"]
    options = {"system_column": "who", "topic_column": "where", "score_column": "what"}
    return Odd(text([header, *table.long()]), table, options=options)


@kind
def long_table_of_numbers(rng: Rng, table: Table) -> Odd:
    table = replace(
        table, topics=[str(k) for k in counting(table)], systems=[str(k + 1) for k in range(len(table.systems))]
    )
    options = {"system_column": "a", "topic_column": "b", "score_column": "c"}
    return Odd(text([["a", "b", "c"], *table.long()]), table, options=options)


@kind
def long_table_of_measures(rng: Rng, table: Table) -> Odd:
    rows = add([["run", "qid", "map"], *table.long()], pick(rng, "P_5", "ndcg", "recall"), [0.5] * (len(table.long())))
    return Odd(text(rows), table, options={"measure": "map"})


@kind
def long_table_with_a_mean(rng: Rng, table: Table) -> Odd:
    means = [[s, "all", f"{v:.4f}"] for s, v in zip(table.systems, np.mean(table.values, axis=0), strict=True)]
    return Odd(text([["system", "topic", "score"], *table.long(), *means]), table)


@kind
def long_table_with_a_repeated_header(rng: Rng, table: Table) -> Odd:
    header, rows = ["system", "topic", "score"], table.long()
    return Odd(text([header, *rows[:4], header, *rows[4:]]), table,
               options={"topics": ["!topic"], "systems": ["!system"]},
               edit=text([header, *rows]), says="is not a number")  # fmt: skip


# JSON and frames.


def records(rows: Rows) -> list[dict[str, Any]]:
    def cell(given: str) -> Any:
        return float(given) if re.fullmatch(r"\d*\.\d+|\d{1,4}", given) else given

    return [{name: given if k == 0 else cell(given) for k, (name, given) in enumerate(zip(rows[0], row, strict=True))}
            for row in rows[1:]]  # fmt: skip


@kind
def json_records(rng: Rng, table: Table) -> Odd:
    return Odd(json.dumps(records(table.rows())).encode(), table)


@kind
def json_lines(rng: Rng, table: Table) -> Odd:
    rows = [["system", "topic", "value"], *table.long()]
    lines = [{**record, "topic": str(row[1])} for record, row in zip(records(rows), rows[1:], strict=True)]
    return Odd("".join(json.dumps(line) + "\n" for line in lines).encode(), table)


@kind
def json_records_with_a_fact(rng: Rng, table: Table) -> Odd:
    rows = add(table.rows(), "length", rng.integers(20, 900, len(table.topics)))
    return replace(stray(rows, table, "length"), content=json.dumps(records(rows)).encode())


@kind
def json_nested(rng: Rng, table: Table) -> Odd:
    table = replace(table, topics=[str(k) for k in counting(table, 301)])
    nested = {
        system: {topic: float(row[k]) for topic, row in zip(table.topics, table.cells, strict=True)}
        for k, system in enumerate(table.systems)
    }
    return Odd(json.dumps(nested).encode(), table)


def frame_of(rows: Rows, **types: Any) -> Any:
    """The frame that pandas reads, with labels as text."""
    return pd.read_csv(io.BytesIO(text(rows)), dtype={rows[0][0]: str, **types})


@kind
def frame(rng: Rng, table: Table) -> Odd:
    return Odd(frame_of(table.rows()), table)


@kind
def frame_of_text(rng: Rng, table: Table) -> Odd:
    return Odd(frame_of(table.rows(), **dict.fromkeys(table.systems, str)), table)


@kind
def frame_with_an_index(rng: Rng, table: Table) -> Odd:
    return Odd(frame_of(table.rows()).set_index(table.key), table)


@kind
def frame_of_truth_values(rng: Rng, table: Table) -> Odd:
    whole = replace(table, cells=[[pick(rng, "0", "1") for _ in row] for row in table.cells])
    found = frame_of(whole.rows())
    return Odd(found.astype(dict.fromkeys(whole.systems, bool)), whole)


@kind
def frame_with_topics_as_floats(rng: Rng, table: Table) -> Odd:
    table = replace(table, topics=[str(k) for k in counting(table, 301)])
    found = frame_of(table.rows())
    return Odd(found.assign(**{table.key: found[table.key].astype(float)}), table)


@kind
def frame_with_a_counter(rng: Rng, table: Table) -> Odd:
    name = pick(rng, *COUNTERS)
    rows = add(table.rows(), name, counting(table))
    return replace(stray(rows, table, name), content=frame_of(rows))


@kind
def frame_with_a_fact(rng: Rng, table: Table) -> Odd:
    rows = add(table.rows(), "length", rng.integers(20, 900, len(table.topics)))
    return replace(stray(rows, table, "length"), content=frame_of(rows))


@kind
def frame_with_a_boolean_fact(rng: Rng, table: Table) -> Odd:
    name = pick(rng, "is_hard", "has_answer")
    rows = add(table.rows(), name, rng.choice(["True", "False"], len(table.topics)).tolist())
    return replace(stray(rows, table, name), content=frame_of(rows))


@kind
def frame_with_a_column_twice(rng: Rng, table: Table) -> Odd:
    table = replace(table, systems=_SYSTEMS[1][: len(table.systems)])
    rows = add(table.rows(), table.systems[0], rng.uniform(0, 1, len(table.topics)).round(3))
    return replace(stray(rows, table, f"{table.systems[0]}.1"), content=frame_of(rows))


def odd(seed: int) -> tuple[str, Odd]:
    """The name of a kind and a table of it: each kind in turn, another table for each seed."""
    rng = np.random.default_rng(seed)
    make = KINDS[seed % len(KINDS)]
    return make.__name__, make(rng, plain(rng))
