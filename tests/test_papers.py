"""The pages of the five papers have every item, and the scripts that made them make them again."""

from __future__ import annotations

import json
import math
import re
from importlib import import_module
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import concordant as cc

from .pages import ROOT
from .papers import script

# Every numbered figure, table and theorem of the papers, and the examples and experiments that have no number.
ITEMS = {
    "yilmaz2008": "example figure-1 figure-2 experiments common theorem-1 theorem-2 figure-3 symmetry figure-4 "
    "figure-5 figure-6 future-work",
    "carterette2009": "figure-1 equation-1 spread example footnote-2 figure-2 algorithm-1 timing test tables theorem-1 "
    "theorem-2 theorem-3 figure-3 transitivity neighbours disagreement table-1 table-2 figure-4 pseudo "
    "documents",
    "urbano2016": "equations-3-4 ml msqd resampling values simulation actual figure-1 figure-2 own future-work",
    "gao2016": "figure-1 figure-2 theorem-1 theorem-2 theorem-3 table-1 symmetric figure-3",
    "urbano2017": "no-ties accuracy equation-8 agreement equation-10 remarks figure-1 future-work",
}
QUICK = {
    "yilmaz2008": "example experiments common theorem-1 theorem-2 figure-6",
    "carterette2009": "equation-1 spread example footnote-2 figure-2 algorithm-1 timing theorem-1 theorem-2 theorem-3",
    "urbano2016": "equations-3-4 ml",
    "gao2016": "figure-2 theorem-1 theorem-2 theorem-3 table-1 symmetric",
    "urbano2017": "no-ties accuracy agreement equation-10 remarks figure-1 future-work",
}


@pytest.mark.parametrize("paper", ITEMS)
def test_no_item_is_absent(paper: str) -> None:
    items = json.loads((ROOT / "docs" / "papers" / "made" / f"{paper}.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "papers" / f"{paper}.md").read_text(encoding="utf-8")
    assert list(script(paper).paper.makers) == ITEMS[paper].split()
    assert [item["key"] for item in items] == ITEMS[paper].split()
    assert re.findall(r"^<!-- made: (.*) -->$", page, re.MULTILINE) == ["verdict", *ITEMS[paper].split()]
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == [item["title"] for item in items]
    for item in items:
        assert item["compared"] or item["claims"] or item["tables"] or item["figure"], f"{item['key']} shows nothing"
        if "theorem" in item["key"]:
            assert any("::" in name for name in item["tests"]), f"{item['key']} names no test"
        for name in item["tests"]:
            file, _, test = name.partition("::")
            assert f"def {test}" in (ROOT / file).read_text(encoding="utf-8")
        if item["figure"]:
            assert (ROOT / "docs" / "papers" / "made" / item["figure"]).is_file()


@pytest.mark.parametrize(("paper", "key"), [(paper, key) for paper, keys in QUICK.items() for key in keys.split()])
def test_the_scripts_make_what_the_pages_show(
    paper: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script("making"), "MADE", tmp_path)
    kept = {
        item["key"]: item for item in json.loads((ROOT / f"docs/papers/made/{paper}.json").read_text(encoding="utf-8"))
    }
    made = json.loads(json.dumps(vars(script(paper).paper.make(key))))
    for part in ("compared", "claims", "tables", "notes", "reproduced", "tests"):
        assert made[part] == kept[key][part]


@pytest.mark.parametrize("paper", ITEMS)
def test_each_judgement_follows_from_the_numbers_beside_it(paper: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
    papers = import_module("papers")
    for key, item in papers.items(paper).items():
        judgement = item["reproduced"]
        if judgement == "future work":
            continue
        agree = [papers.agrees(row) for row in item["compared"] if row["paper"] is not None]
        agree += [row["holds"] == "yes" for row in item["claims"]]
        assert agree, f"{key} quotes nothing of the paper"
        assert judgement != "yes" or all(agree), f"{key} is not reproduced"
        assert judgement != "repaired" or (not all(agree) and item["tests"]), f"{key}: what was repaired?"
        assert judgement in ("yes", "repaired", "in part", "on other data")
        assert all(row["says"] and row["here"] for row in item["claims"])
        if judgement != "yes" and len(item["claims"]) > 1:
            held = sum(row["holds"] == "yes" for row in item["claims"])
            assert f"; {held} of {len(item['claims'])} statements hold." in papers.section(item)


def test_what_agrees_with_a_printed_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
    agrees = import_module("papers").agrees
    row = {"what": "tau", "paper": "0.64", "ours": 0.6449, "error": None}
    assert agrees(row)
    assert not agrees({**row, "ours": 0.6451})
    assert agrees({**row, "ours": 0.6651, "error": 0.021})
    assert not agrees({**row, "ours": 0.6651, "error": 0.02})
    assert not agrees({**row, "paper": "1", "ours": 0.9})
    assert script("making").about(0.038, 0.035)
    assert not script("making").about(0.039, 0.035)


def test_kendalls_interval_is_wider_than_the_spread_of_tau() -> None:
    rng = np.random.default_rng(1)
    x, noise = rng.standard_normal((2, 2_000, 25))
    rho = math.sin(math.pi / 2 * 0.9)
    taus = [stats.kendalltau(a, rho * a + math.sqrt(1 - rho**2) * b).statistic for a, b in zip(x, noise, strict=True)]
    low, high = script("carterette2009").kendall_interval(0.9, 25)
    assert np.mean(taus) == pytest.approx(0.9, abs=0.01)
    assert 2 * 1.96 * np.std(taus) < (high - low) / 4


def test_the_mahalanobis_distance_of_ranks_is_no_multiple_of_rho() -> None:
    ranks = np.array(list(permutations(range(1, 6))))
    squared = ((ranks - ranks[0]) ** 2).sum(axis=1)
    rho = np.array([stats.spearmanr(ranks[0], row).statistic for row in ranks])
    assert np.polyfit(squared, rho, 1) == pytest.approx([-6 / (5 * 24), 1])
    assert squared[0] == 0 and rho[0] == pytest.approx(1)  # noqa: PT018


def test_the_readings_of_the_lost_example_have_what_is_printed() -> None:
    """The covariance that each reading implies, put into a matrix, has the distances that the page shows."""
    carterette = script("carterette2009")
    for distance in (0.65, math.sqrt(0.65)):
        expected = carterette.by_the_reading(distance)
        a, b, nearest = 0.349, -0.028, 0.322
        s_bb = 4 * (b / distance) ** 2
        s_ab = s_bb * (a - nearest) / b
        s_aa = nearest**2 / (4.88**2 / 4 - b * b / s_bb) + s_ab**2 / s_bb
        # Scores of A, B and C with these differences: A is constant, C = C - A, B = C + (B - C).
        differences = carterette.with_moments(np.array([a, b]), np.array([[s_aa, s_ab], [s_ab, s_bb]]), 4)
        truth = np.column_stack([np.zeros(4), differences.sum(axis=1), differences[:, 0]])
        rankings = [[-order.index(system) for system in "ABC"] for order in ("BCA", "BAC", "CAB", "ABC")]
        found = np.asarray(cc.rank_distance(truth, rankings, eps=1e-12))
        assert found == pytest.approx([*expected[:3], 4.88], rel=1e-6)


def test_the_table_of_all_items_and_the_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
    papers = import_module("papers")
    assert set(papers.ORDER) == set(ITEMS)
    assert papers.overview().count("\n") == 1 + sum(len(keys.split()) for keys in ITEMS.values())
    repaired = "1 repaired ([equation 10](urbano2017.md#equation-10))"
    assert papers.verdict(("urbano2017",)) == f"**8 items**: 5 reproduced, 1 in part, {repaired}, 1 future work."
    assert papers.verdict(papers.ORDER).startswith(f"**{papers.overview().count(chr(10)) - 1} items**: ")
    row = {"what": "tau", "paper": "0.64", "ours": 0.651, "error": None}
    assert papers.largest({"compared": [row, {**row, "paper": None}, {**row, "ours": 0.642}]}) == "+0.01"
    assert papers.largest({"compared": [{**row, "ours": 0.644}]}) == "0"
    assert papers.largest({"compared": [{**row, "paper": "-1/3", "ours": -0.3}]}) == "+0.0333"
    assert papers.largest({"compared": []}) == "none printed"


def test_what_needs_collections_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    making = script("making")
    monkeypatch.setenv("CONCORDANT_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr(making, "MADE", tmp_path)
    kept = (ROOT / "docs" / "papers" / "made" / "yilmaz2008.json").read_text(encoding="utf-8")
    (tmp_path / "yilmaz2008.json").write_text(kept, encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["yilmaz2008.py", "example", "figure-1"])
    script("yilmaz2008").paper.main()
    assert "figure-1: left as it was, for covid1 cannot be found: python tools/fetch_data.py" in capsys.readouterr().out
    assert (tmp_path / "yilmaz2008.json").read_text(encoding="utf-8") == kept
    monkeypatch.setattr("sys.argv", ["yilmaz2008.py", "figure-9"])
    with pytest.raises(SystemExit, match="yilmaz2008 has no figure-9"):
        script("yilmaz2008").paper.main()
