"""`label` and `read_labels`: which pairs are on the list, and what comes back from a spreadsheet."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import concordant as cc
from concordant.judgments import LabelList, label, read_labels
from concordant.judgments.leverage import sizes_of
from concordant.judgments.measures import Measure
from concordant.judgments.pool import make_pool, tickets

from . import literal
from .collection import DEPTH, MACHINE, PEOPLE, RUNS

MEASURES = ("P(rel=2)@10", "DCG@10", "nDCG@10", "AP(rel=2)", "AP(rel=2)@5")


def made(budget: int = 120, seed: int = 1, **options: object) -> LabelList:
    about = {"machine": MACHINE, "measures": ["P(rel=2)@10"]} | options
    return label(RUNS, budget=budget, seed=seed, **about)  # type: ignore[arg-type]


# ---- sizes, tickets, order
@pytest.mark.parametrize("machine", [MACHINE, None])
@pytest.mark.parametrize("name", MEASURES)
def test_sizes_are_those_of_the_definition(name: str, machine: cc.Qrels | None) -> None:
    measure = Measure.parse(name)
    pool = make_pool(RUNS, RUNS.topics, DEPTH, machine)
    wanted = literal.sizes(RUNS, RUNS.topics, DEPTH, machine, measure)
    found = dict(zip(pool.pairs, sizes_of(pool, [measure]), strict=True))
    scale = np.mean(list(wanted.values()))
    assert found.keys() == wanted.keys()
    for pair, size in wanted.items():
        assert found[pair] == pytest.approx(max(size, 1e-6 * max(wanted.values())) / scale, rel=1e-9)


def test_several_measures_share_a_list() -> None:
    pool = make_pool(RUNS, RUNS.topics, DEPTH, MACHINE)
    one, two = (sizes_of(pool, [Measure.parse(name)]) for name in MEASURES[:2])
    both = sizes_of(pool, [Measure.parse(name) for name in MEASURES[:2]])
    np.testing.assert_allclose(both, np.sqrt((one**2 + two**2) / 2), rtol=1e-9)


def test_a_ticket_depends_on_seed_and_pair_alone() -> None:
    pairs = [("7", "b"), ("1", "a")]
    u, fold = tickets(3, pairs)
    digest = hashlib.blake2b(b"3\t1\ta", digest_size=16).digest()
    assert u[1] == ((int.from_bytes(digest[:8], "little") >> 11) + 0.5) / 2**53
    assert fold[1] == int.from_bytes(digest[8:], "little") % 5
    assert tickets(3, pairs[1:])[0][0] == u[1]
    many, folds = tickets(1, [("t", str(k)) for k in range(20_000)])
    assert abs(many.mean() - 0.5) < 4 / np.sqrt(12 * 20_000)
    assert abs(np.corrcoef(many, folds)[0, 1]) < 4 / np.sqrt(20_000)


def test_the_list_holds_the_smallest_keys() -> None:
    chosen = made()
    pool = make_pool(RUNS, RUNS.topics, 10, MACHINE)
    keys = tickets(1, pool.pairs)[0] / sizes_of(pool, [Measure.parse("P(rel=2)@10")])
    order = np.argsort(keys)
    assert {*chosen.pairs} == {pool.pairs[k] for k in order[:120]}
    assert chosen.threshold == keys[order[120]]
    assert chosen.pool_size == len(pool)
    for batch in (1, 2, 3):  # of 50, 50 and 20
        places = slice(50 * batch - 50, min(50 * batch, 120))
        assert {*chosen.pairs[places]} == {pool.pairs[k] for k in order[places]}
        assert list(chosen.pairs[places]) == sorted(chosen.pairs[places], key=lambda p: (RUNS.topics.index(p[0]), p[1]))
        assert {*chosen.batches[places]} == {batch}


def test_the_seed_makes_the_list() -> None:
    assert made() == made()
    assert set(made().pairs) != set(made(seed=2).pairs)
    assert set(made(budget=60).pairs) <= set(made().pairs)


def test_what_cannot_be_labelled() -> None:
    with pytest.raises(cc.errors.InputError, match="RR@10 cannot be estimated from a sample of documents: use P@k"):
        made(measures=["RR@10"])
    with pytest.raises(cc.errors.InputError, match=r"budget is 9000, but the pool has \d+ pairs: judge all of it"):
        made(budget=9000)
    with pytest.raises(cc.errors.InputError, match="there is only one run"):
        label(RUNS.select(RUNS.systems[:1]), measures=["P@10"], budget=5, seed=1)
    others = cc.Qrels.from_dict({"x": {"y": 1}})
    with pytest.raises(cc.errors.InputError, match="the machine judged none of the topics of the runs"):
        made(machine=others)
    with pytest.raises(cc.errors.InputError, match="name topics and documents in its judgments as in the runs"):
        made(machine=cc.Qrels.from_dict({RUNS.topics[0]: {"y": 1}}))
    assert set(made(machine=None, topics=["t1"], budget=5).topics) == {"t1"}


# ---- files
@pytest.fixture
def written(tmp_path: Path) -> Path:
    made().write(tmp_path / "list.csv")
    return tmp_path / "list.csv"


def edited(path: Path, change: Callable[[list[list[str]]], object], mark: str = ",") -> Path:
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    change(rows)
    with open(path, "w", newline="") as file:
        csv.writer(file, delimiter=mark, quoting=csv.QUOTE_ALL if mark == ";" else csv.QUOTE_MINIMAL).writerows(rows)
    return path


def test_the_csv_shows_nothing_that_could_anchor(written: Path) -> None:
    header, *rows = csv.reader(written.read_text().splitlines())
    assert header == ["order", "batch", "topic", "document", "grade"]
    assert len(rows) == 120
    assert {row[4] for row in rows} == {""}
    plan = json.loads((written.parent / "list.plan.json").read_text())
    assert plan["seed"] == 1
    assert plan["measures"] == ["P(rel=2)@10"]
    assert {name: type(value) for name, value in plan["runs"].items()} == dict.fromkeys(RUNS.systems, str)


def test_nothing_is_written_over(written: Path) -> None:
    before = written.read_bytes()
    with pytest.raises(
        cc.errors.InputError, match=r"list\.csv already exists and may hold grades: choose another name"
    ):
        made(seed=2).write(written)
    written.unlink()
    with pytest.raises(cc.errors.InputError, match=r"list\.plan\.json already exists"):
        made(seed=2).write(written)
    assert not written.exists()
    assert b"grade" in before


def test_round_trip(written: Path) -> None:
    assert read_labels(written) == made()
    graded = made().with_grades(PEOPLE)
    graded.write(written.parent / "graded.csv")
    assert read_labels(written.parent / "graded.csv") == graded


def fill(rows: list[list[str]]) -> None:
    """As a spreadsheet writes it that sorts, and shows grades with decimals."""
    judged = made().with_grades(PEOPLE).grades
    for row, grade in zip(rows[1:], judged, strict=True):
        row[4] = f"{grade:.1f}".replace(".", ",")
    rows[1:] = sorted(rows[1:], key=lambda row: row[3])
    rows.append([""] * 5)


def test_a_spreadsheet_may_sort_quote_and_round(written: Path) -> None:
    assert read_labels(edited(written, fill, ";")).grades.tolist() == made().with_grades(PEOPLE).grades.tolist()
    text = written.read_bytes()
    written.write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    assert read_labels(written).answered.all()


def test_a_spreadsheet_may_write_numbers_as_numbers(tmp_path: Path) -> None:
    runs = cc.Runs.from_dict({s: {"007": [f"00{k}" for k in places]} for s, places in (("a", (1, 2)), ("b", (3, 1)))})
    label(runs, measures=["P@2"], budget=2, seed=1).write(tmp_path / "list.csv")

    def shorten(rows: list[list[str]]) -> None:
        for row in rows[1:]:
            row[2:] = [str(int(row[2])), f"{int(row[3])}.0", "1"]

    assert read_labels(edited(tmp_path / "list.csv", shorten)).grades.tolist() == [1, 1]


def put(row: int, column: int, text: str) -> Callable[[list[list[str]]], object]:
    def change(rows: list[list[str]]) -> None:
        rows[row][column] = text

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put(3, 4, "good"), r"list\.csv:4: the grade 'good' is not a number: write a number, leave it empty, or"),
        (put(3, 4, "1,000"), ":4: the grade '1,000' is not a number"),
        (put(3, 3, "other"), r":4: document 'other' on topic 't\d+' is not on the list"),
        (lambda rows: rows.append(rows[1]), r":122: has document '\w+' on topic 't\d+' twice"),
        (lambda rows: rows.pop(), r"list\.csv: lacks 1 row of the list, such as '\w+' on topic 't\d+'"),
        (put(0, 4, "label"), "is not a list of documents to judge: it lacks columns of order, batch, topic, document"),
    ],
)
def test_a_changed_list_is_named_in_one_line(
    written: Path, change: Callable[[list[list[str]]], object], said: str
) -> None:
    with pytest.raises(cc.errors.ReadError, match=said) as error:
        read_labels(edited(written, change))
    assert len(str(error.value).splitlines()) == 1


def test_the_plan_must_be_there_and_a_plan(written: Path) -> None:
    plan = written.parent / "list.plan.json"
    text = plan.read_text()
    parts = json.loads(text)
    parts["pairs"][3] = ["t0", "d1"]
    lacking = json.dumps({name: value for name, value in json.loads(text).items() if name != "threshold"})
    for damaged in (
        "{",
        "[]",
        lacking,
        json.dumps(parts),
        text.replace('"version": 1', '"version": 2'),
        '{"format": 1}',
    ):
        plan.write_text(damaged)
        with pytest.raises(cc.errors.ReadError, match="is not the plan of a list of documents to judge"):
            read_labels(written)
    plan.unlink()
    with pytest.raises(cc.errors.ReadError, match="lacks its plan: put back"):
        read_labels(written)


def test_only_complete_batches_are_a_sample(written: Path) -> None:
    def half(rows: list[list[str]]) -> None:
        for k, row in enumerate(rows[1:], start=1):
            row[4] = "" if k in (70, 101) else "Skip" if k == 3 else "1"

    found = read_labels(edited(written, half))
    assert found.verdict == "118 of 120 pairs judged; 1 of 3 batches complete"
    assert found.skipped.sum() == 1
    n, threshold = found.prefix()
    assert n == 50
    assert threshold == made(budget=50).threshold
    assert made().verdict.startswith("Judge 120 of ")
    assert made().verdict.endswith("in 3 batches of up to 50")


# ---- late runs
def test_late_runs_add_the_pairs_below_the_threshold() -> None:
    early = RUNS.select(RUNS.systems[:-2])
    before = label(early, machine=MACHINE, measures=["P(rel=2)@10"], budget=120, seed=1).with_grades(PEOPLE)
    after = before.add(RUNS, machine=MACHINE)
    n = after.added
    assert n > 0
    assert after.pairs[:-n] == before.pairs
    assert after.grades[:-n].tolist() == before.grades.tolist()
    assert np.isnan(after.grades[-n:]).all()
    assert (after.keys < before.threshold).all()
    pool, first = make_pool(RUNS, RUNS.topics, 10, MACHINE), make_pool(early, RUNS.topics, 10, MACHINE)
    size = dict(zip(pool.pairs, sizes_of(pool, [Measure.parse("P(rel=2)@10")]), strict=True))
    unit = before.sizes.sum() / sum(size[pair] for pair in before.pairs)
    new = [pair for pair in pool.pairs if pair not in set(first.pairs)]
    keys = tickets(1, new)[0] / [size[pair] * unit for pair in new]
    assert set(after.pairs[-n:]) == {pair for pair, key in zip(new, keys, strict=True) if key < before.threshold}
    assert after.batches[-n] == 4
    with pytest.raises(cc.errors.InputError, match=f"judge the whole list first: its last {n} pairs are for late runs"):
        after.prefix()
    assert after.with_grades(PEOPLE).prefix() == (120 + n, before.threshold)
    with pytest.raises(cc.errors.InputError, match="all runs are on the list already"):
        after.add(RUNS)


def test_runs_must_be_those_of_the_list() -> None:
    chosen = made()
    with pytest.raises(cc.errors.InputError, match="runs of the list are missing: s0; give all runs of the list"):
        chosen.pool(RUNS.select(RUNS.systems[1:]))
    with pytest.raises(cc.errors.InputError, match="runs are not on the list: s0; leave them out, or add their docum"):
        label(RUNS.select(RUNS.systems[1:]), measures=["P@5"], budget=50, seed=1).pool(RUNS)
    lists = {s: {t: list(RUNS.documents(s, t)) for t in RUNS.topics} for s in RUNS.systems}
    lists["s3"]["t0"].reverse()
    with pytest.raises(cc.errors.InputError, match="runs have changed since the list was made: s3"):
        chosen.pool(cc.Runs.from_dict(lists))
