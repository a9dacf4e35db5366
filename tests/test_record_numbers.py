"""tools/record_numbers.py: a record that hides a difference proves nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "tools" / "record_numbers.py"
BEFORE = {
    "compare/result/observed_means": [(0.5).hex(), (0.25).hex()],
    "compare/result/values": {"shape": [300], "sha256": "aa", "first": [(0.5).hex()], "last": [(0.25).hex()]},
    "compare/result/kind": "tied in observed",
    "text:compare/verdict": "they agree",
    "settings:compare/settings/rng": 7,
    "rank_test/result/pvalue": (0.1).hex(),
}


def compare(tmp_path: Path, after: dict[str, Any], left: dict[str, str] | None = None) -> tuple[int, str]:
    for name, values in (("before", BEFORE), ("after", after)):
        content: dict[str, Any] = {"about": {"version": "0.1.0"}, "values": values}
        if left and name == "after":
            content["left out"] = left
        (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    command = [sys.executable, str(SCRIPT), "compare", *(str(tmp_path / f"{n}.json") for n in ("before", "after"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout


def test_another_name_other_words_new_paths_and_lost_settings_are_no_difference(tmp_path: Path) -> None:
    after = {path.replace("observed", "candidate"): value for path, value in BEFORE.items() if "settings" not in path}
    after |= {"compare/result/kind": "tied in candidate", "text:compare/verdict": "agreed", "compare/result/new": 1}
    status, printed = compare(tmp_path, after)
    assert status == 0
    assert "0 differ in 0 cases; 1 texts differ" in printed
    assert "1 paths are new, which is no difference: compare (1)" in printed
    assert "1 settings are no more, which is no difference: rng (1)" in printed


def test_a_bit_a_hash_a_setting_and_a_lost_path_are_differences(tmp_path: Path) -> None:
    values: dict[str, Any] = {"shape": [300], "sha256": "ab", "first": [(0.5).hex()], "last": [(0.25).hex()]}
    after = BEFORE | {
        "compare/result/observed_means": [(0.5).hex(), (0.25 + 2**-54).hex()],
        "compare/result/values": values,
        "settings:compare/settings/rng": 8,
    }
    del after["compare/result/kind"]
    status, printed = compare(tmp_path, after)
    assert status == 1
    assert "compare: 4 differ" in printed
    assert "candidate_means: [0.5, 0.25] -> [0.5, 0.25000000000000006] (relative difference 2.2e-16)" in printed
    assert "compare/result/values: [300] aa" in printed
    assert 'kind: "tied in candidate" -> not there' in printed
    assert "settings/rng: 7 -> 8" in printed


def test_a_case_that_fails_now_or_is_gone_is_one_line(tmp_path: Path) -> None:
    after = {"compare/error": "KeyError"}
    status, printed = compare(tmp_path, after)
    assert status == 1
    assert "compare\n  5 values -> KeyError\nrank_test\n  1 values -> 0 values\n" in printed


def test_a_case_without_its_collection_is_left_out_and_said(tmp_path: Path) -> None:
    after = {path: value for path, value in BEFORE.items() if not path.startswith("rank_test")}
    assert compare(tmp_path, after)[0] == 1
    status, printed = compare(tmp_path, after, {"rank_test": "covid1"})
    assert status == 0
    assert "1 cases of before are NOT COMPARED" in printed
    assert "0 differ in 0 cases" in printed


@pytest.mark.long
def test_what_needs_a_collection_that_is_not_there_is_not_recorded(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "record", str(tmp_path / "now.json"), "--only", "^read table"]
    environment = {**os.environ, "CONCORDANT_DATA": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert (
        "NOT RECORDED: 10 cases on collections that are not there, or not whole: covid1 (5), dl21 (3), wmt25 (2)"
        in (done.stdout)
    )
    found = json.loads((tmp_path / "now.json").read_text(encoding="utf-8"))
    assert len(found["left out"]) == 10
    assert any(path.startswith("read table trec:adhoc6/") for path in found["values"])  # it comes with the project
