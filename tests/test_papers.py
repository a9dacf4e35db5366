"""The pages of the five papers have every item, and the scripts that made them make them again."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

from .pages import ROOT
from .papers import script

# Every numbered figure, table and theorem of the papers, and the examples and experiments that have no number.
ITEMS = {
    "yilmaz2008": "example figure-1 figure-2 experiments theorem-1 theorem-2 figure-3 symmetry figure-4 figure-5 "
    "figure-6 future-work",
    "carterette2009": "figure-1 equation-1 example footnote-2 figure-2 algorithm-1 test tables theorem-1 theorem-2 "
    "theorem-3 figure-3 disagreement table-1 table-2 figure-4 pseudo documents objective fusion",
    "urbano2016": "equations-3-4 ml msqd resampling values simulation actual figure-1 figure-2 own future-work",
    "gao2016": "figure-1 figure-2 theorem-1 theorem-2 theorem-3 table-1 symmetric figure-3",
    "urbano2017": "no-ties accuracy equation-8 agreement equation-10 remarks figure-1 future-work",
}
QUICK = {
    "yilmaz2008": "example theorem-1 theorem-2 figure-6",
    "carterette2009": "equation-1 example footnote-2 figure-2 algorithm-1 theorem-1 theorem-2 theorem-3",
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
        assert item["compared"] or item["tables"] or item["figure"], f"{item['key']} shows nothing"
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
    for part in ("compared", "tables", "notes", "reproduced", "tests"):
        assert made[part] == kept[key][part]


def test_the_table_of_all_items_and_the_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
    papers = import_module("papers")
    assert set(papers.ORDER) == set(ITEMS)
    assert papers.overview().count("\n") == 1 + sum(len(keys.split()) for keys in ITEMS.values())
    repaired = "1 repaired ([equation 10](urbano2017.md#equation-10))"
    assert papers.verdict(("urbano2017",)) == f"**8 items**: 5 reproduced, 1 in part, {repaired}, 1 future work."
    assert papers.verdict(papers.ORDER).startswith(f"**{papers.overview().count(chr(10)) - 1} items**: ")
    row = {"what": "tau", "paper": "0.64", "ours": 0.651}
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
