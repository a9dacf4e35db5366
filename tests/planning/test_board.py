"""Boards: what they say is what their parts say; the JSON follows its schema; the page holds many systems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.data.collection import path
from concordant.errors import InputError
from concordant.inference.resampling import Resampling
from concordant.planning import board as module
from concordant.planning.board import outlook
from concordant.ranks.intervals import FORMAT, SCHEMA
from concordant.render.report.page import report_html
from tests.commands import bad, good

PEOPLE = str(path("people"))
FEW: dict[str, Any] = {"n_resamples": 199, "rng": 1}


def test_it_says_what_its_parts_say() -> None:
    people = cc.load_collection("people")
    found, ranks = cc.board(people, **FEW), cc.rank_intervals(people, **FEW)
    for name in ("systems", "low", "high", "pvalues", "borders", "verdict", "notes"):
        assert np.array_equal(getattr(found, name), getattr(ranks, name))
    tau = cc.expected_correlation(people, coefficient="tau", rng=1)
    assert found.reliability[0] == tau
    assert found.outlook is not None
    assert found.outlook.tau_now == pytest.approx(tau.value, abs=1e-12)
    rows = found.rows()
    assert [row["system"] for row in rows] == list(ranks.systems)
    assert [row["rank"] for row in rows] == ranks.low.tolist()
    bits = np.array([[int(c) for c in f"{int(d, 16):0{4 * len(d)}b}"][:20] for d in found.to_dict()["differs"]])
    assert np.array_equal(bits.astype(bool), ranks.better() | ranks.better().T)


def test_more_topics() -> None:
    values, how = cc.load_collection("people").values, Resampling(2000, 1)
    none, some, many = (outlook(values, k, how) for k in (0, 10, 10_000))
    assert none.tau_then == pytest.approx(none.tau_now)
    assert (none.places_moved, none.leader_stays, none.sentences()) == (0, 1, ())
    assert none.tau_now < some.tau_then < many.tau_then
    assert many.tau_then > 0.98
    assert many.leader_stays < some.leader_stays < 1
    # With very many topics the first system is first as often as its true mean is the highest.
    truth_first = outlook(values, 10**9, how)
    assert truth_first.tau_then > 0.999
    said = some.sentences()
    assert said[0].startswith("10 more topics would raise the expected tau from 0.88 to 0.89 and move a system by 0.")
    assert said[1] == "The first system would then still be first with a probability of about 0.9"
    assert outlook(1000 * values, 10, how).leader_stays == pytest.approx(some.leader_stays, abs=0.03)


def test_identical_leaders_stay_first_together() -> None:
    values = np.random.default_rng(1).random((20, 4))
    values[:, 1] = values[:, 0] = values[:, 0] + 2
    for topics in (0, 5):
        assert outlook(values, topics, Resampling(200, 1)).leader_stays == 1


def test_json_follows_its_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((Path(module.__file__).parent / "schema.json").read_text())
    for options in ([], ["--total", "borda", "--more-topics", "0"]):
        made = json.loads(good("board", PEOPLE, "--resamples", "99", "-f", "json", *options))
        jsonschema.validate(made, schema)
        assert (made["schema"], made["format"]) == (SCHEMA, FORMAT)
    assert schema["properties"]["format"]["const"] == FORMAT
    assert set(made["rows"][0]) == set(schema["properties"]["rows"]["items"]["required"])


def test_several_files_are_one_board(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("topic,x,y\n1,0.5,0.4\n2,0.7,0.1\n3,0.2,0.1\n")
    (tmp_path / "b.csv").write_text("topic,z\n1,0.3\n2,0.6\n")
    made = json.loads(good("board", tmp_path / "a.csv", tmp_path / "b.csv", "--resamples", "19", "-f", "json"))
    assert {row["system"]: row["topics"] for row in made["rows"]} == {"x": 3, "y": 3, "z": 2}
    assert "1 of 3 systems lacks topics" in made["notes"][0]
    refused = bad("board", tmp_path / "a.csv", tmp_path / "b.csv", "--missing", "error", status=1)
    assert "z lacks topic 3" in refused
    assert "name different measures" in bad("board", f"{tmp_path}/a.csv:map", f"{tmp_path}/b.csv:ndcg", status=2)


def test_the_page_of_500_systems_is_small_and_cannot_be_broken_into(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    values = rng.random((12, 500)) + np.linspace(0, 1, 500)
    values[rng.random(values.shape) < 0.05] = np.nan
    systems = [f"model {k} </script><script>alert(1)</script>" for k in range(500)]
    found = cc.board(cc.Scores(values, range(12), systems), n_resamples=19, rng=1)
    found.report(tmp_path / "board.html")
    page = (tmp_path / "board.html").read_text(encoding="utf-8")
    assert len(page) < 1_500_000
    assert page.count("<tr id=") == 500
    assert "<script>alert" not in page
    found.report(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page


@pytest.mark.long
def test_mteb_in_the_docs_is_what_its_data_say(data: Path) -> None:
    told = (Path(__file__).parents[2] / "docs" / "how-to" / "leaderboard.md").read_text(encoding="utf-8")
    found = cc.board(data / "mteb" / "eng_v2.csv", rng=0)
    assert found.verdict in " ".join(told.split())
    assert f"{len(found.best(1).possible)} of 242 systems could be the best" in told
    assert len(report_html(found)) < 250_000


def test_bad_arguments_are_named() -> None:
    with pytest.raises(InputError, match="more_topics is -1"):
        cc.board(cc.load_collection("people"), more_topics=-1)
    with pytest.raises(InputError, match="more_topics is a number of 401 digits: give at most 100,000,000"):
        cc.board(cc.load_collection("people"), more_topics=10**400)
