"""The words of a verdict, on data of which the truth is known, and on every surface alike."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc

from ..commands import good, rows
from ..render.report.test_page import Page

SEEDS = range(5)


def sides(rate: float, topics: int, systems: int, seed: int) -> tuple[cc.Scores, cc.Scores]:
    """People, and a judge without bias whose topics are worth `rate` of people's: noise of 1 / rate the variance."""
    rng = np.random.default_rng(seed)
    true, names = rng.normal(0, 1, systems), [f"s{k}" for k in range(systems)]
    made = [true + rng.normal(0, noise, (topics, systems)) for noise in (1.5, 1.5 / np.sqrt(rate))]
    people, judge = (cc.Scores(values, range(topics), names) for values in made)
    return people, judge


def words(rate: float, topics: int, systems: int) -> list[str]:
    return [cc.compare(*sides(rate, topics, systems, seed), rank_test=None).worth.word for seed in SEEDS]


LARGE = (100, 60)  # topics and systems


@pytest.mark.parametrize(
    ("word", "right", "wrong"),
    [
        ("much weaker", (0.1, *LARGE), (1, *LARGE)),
        ("weaker", (0.6, 200, 60), (1, *LARGE)),
        ("within a factor of two", (1, *LARGE), (0.3, *LARGE)),
        ("steadier", (3, 120, 150), (1, *LARGE)),
        ("cannot tell", (1, 12, 10), (1, *LARGE)),
    ],
)
def test_a_word_is_said_where_it_is_true_and_not_where_it_is_false(
    word: str, right: tuple[float, int, int], wrong: tuple[float, int, int]
) -> None:
    assert words(*right).count(word) >= 4  # of 5
    assert word not in words(*wrong)


def test_too_little_data_have_no_word_at_all() -> None:
    few, enough = sides(1, 9, 60, 0), sides(1, 10, 60, 0)
    assert cc.compare(*few).worth is None
    assert any("only 9 topics (at least 10 are needed)" in note for note in cc.compare(*few).notes)
    assert cc.compare(*enough).worth is not None


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.0])
def test_no_word_is_praise_because_data_are_few(rate: float) -> None:
    """With 12 topics and 10 systems even a bad judge is not ruled out, and nothing may sound as if it were good."""
    for seed in SEEDS:
        text = str(cc.compare(*sides(rate, 12, 10, seed), rng=0))
        assert not re.search(r"good enough|cannot be distinguished|within a factor|agree", text.lower())


@pytest.mark.parametrize(("rate", "topics", "systems"), [(0.1, *LARGE), (1, *LARGE), (1, 12, 10)])
def test_every_surface_says_the_same(rate: float, topics: int, systems: int, tmp_path: Path) -> None:
    """Terminal, JSON, CSV, page and Python: the same words and the same numbers for the same call."""
    files = [tmp_path / "people.csv", tmp_path / "gpt.csv"]
    for side, file in zip(sides(rate, topics, systems, 1), files, strict=True):
        side.to_frame().to_csv(file)
    asked: tuple[Any, ...] = ("compare", *files, "--seed", 3, "--resamples", 999)
    found = cc.compare(*map(str, files), n_resamples=999, rng=3)
    page = tmp_path / "page.html"
    text = " ".join(good(*asked, "--html", page, "--quiet").split())
    stored = json.loads(good(*asked, "-f", "json"))
    document = Page(page.read_text(encoding="utf-8")).script("document")
    assert text.startswith(found.verdict)
    assert stored["verdict"] == found.verdict
    verdict = document["verdict"]
    assert " ".join([verdict["headline"], *verdict["sentences"]]).startswith(found.verdict)
    (compared,), (shown,) = stored["comparisons"], document["comparisons"]
    worth = found.worth
    assert worth is not None
    ends = worth.worth, worth.interval.low, worth.interval.high
    for one in (compared, shown):
        told = one["worth"]
        assert (told["worth"], told["interval"]["low"], told["interval"]["high"]) == pytest.approx(ends, rel=1e-12)
        assert told["word"] == worth.word
        assert one["coefficients"]["tau_b"] == found["tau_b"]
        assert one["rank_test"]["pvalue"] == found.rank_test.pvalue
    row = next(row for row in rows(*asked) if row["coefficient"] == "worth")
    assert tuple(float(row[name]) for name in ("value", "low", "high")) == ends
    assert f"pairs swapped {found.swapped} of {found.pairs}" in text
    assert compared["pairs"] == {"all": found.pairs, "swapped": found.swapped}
    assert found.swapped == round((1 - found["tau_b"]) / 2 * found.pairs)  # nothing is tied


@pytest.mark.parametrize(
    ("names", "noun"),
    [
        (("people", "gpt"), "judge"),
        (("map", "ndcg_cut_10"), "measure"),
        (("AP", "P@5"), "measure"),
        (("ap", "p10"), "measure"),
        (("p1", "p2"), "judge"),
        (("map", "gpt"), "judge"),
    ],
)
def test_a_measure_is_not_called_a_judge(names: tuple[str, str], noun: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.csv" for name in names]
    for side, file in zip(sides(0.1, *LARGE, 1), files, strict=True):
        side.to_frame().to_csv(file)
    text = " ".join(good("compare", *files).split())
    assert text.startswith(f"{names[1]} is a much weaker {noun} than {names[0]}.")
    by = {"judge": "judged", "measure": "measured"}[noun]
    assert f"25 topics {by} by {names[1]} rank the systems only as well as" in text
    pool = " ".join(good("compare", *files, "--as", "pool").split())
    assert pool.startswith(f"{names[1]} is a much weaker pool than {names[0]}. 25 topics judged from {names[1]} ")
