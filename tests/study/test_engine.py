"""The engine: the same bits however a study is run, stopped and continued."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.study.execution import run_grid
from concordant.study.grid import StudyError, fingerprint

from .trials import grid

PROGRAM = Path(__file__).with_name("trials.py")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_trial_depends_on_seed_and_number_alone() -> None:
    plain = run_grid(grid()).values
    assert plain.shape == (23, 3)
    assert plain[:, 0].tolist() == list(range(23))
    for trial in (0, 11, 22):
        rng = np.random.default_rng(np.random.SeedSequence(7, spawn_key=(trial,)))
        assert plain[trial, 1] == rng.random(1000).sum()
        assert np.array_equal(grid().run_trial(trial), plain[trial])
    assert np.array_equal(run_grid(grid(chunk=5)).values, plain)
    assert np.array_equal(run_grid(grid(n_trials=9)).values, plain[:9])
    assert not np.array_equal(run_grid(grid(seed=8)).values[:, 1], plain[:, 1])


def test_workers_change_nothing(tmp_path: Path) -> None:
    alone = run_grid(grid(), tmp_path / "alone")
    seen: list[tuple[int, int]] = []
    both = run_grid(grid(), tmp_path / "both", workers=2, progress=lambda done, total: seen.append((done, total)))
    assert np.array_equal(alone.values, both.values)
    assert files(tmp_path / "alone") == files(tmp_path / "both")
    assert seen[0] == (0, 23)
    assert seen[-1] == (23, 23)
    assert len(seen) == 1 + 6
    assert both.computed == 23
    again = run_grid(grid(), tmp_path / "both")
    assert again.computed == 0
    assert np.array_equal(again.values, alone.values)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_continues_and_ends_with_the_same_bits(tmp_path: Path, workers: int, how: signal.Signals) -> None:
    folder = tmp_path / "killed"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(PROGRAM), str(folder), str(workers)]
    run = subprocess.Popen(command, env=environment, start_new_session=True, stderr=subprocess.DEVNULL)
    for _ in range(600):
        if len(list(folder.glob("chunks/*.npy"))) >= 2:
            break
        time.sleep(0.05)
    os.killpg(run.pid, how)
    run.wait(30)
    assert run.returncode != 0
    kept = files(folder)
    assert 2 <= sum(name.endswith(".npy") for name in kept) < 10
    if how is signal.SIGINT:
        assert not [name for name in kept if name.endswith(".part")]
    continued = run_grid(grid(n_trials=40, seconds=0.0), folder, workers=workers)
    assert 0 < continued.computed < 40
    for name, content in kept.items():
        assert name.endswith(".part") or files(folder)[name] == content
    whole = run_grid(grid(n_trials=40), tmp_path / "whole")
    assert np.array_equal(continued.values, whole.values)
    finished = {name: content for name, content in files(folder).items() if not name.endswith(".part")}
    assert finished == files(tmp_path / "whole")


def test_two_runs_in_one_folder(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    runs = [
        subprocess.Popen([sys.executable, str(PROGRAM), str(tmp_path / "both"), "1"], env=environment) for _ in range(2)
    ]
    assert [run.wait(60) for run in runs] == [0, 0]
    run_grid(grid(n_trials=40), tmp_path / "alone")
    assert files(tmp_path / "both") == files(tmp_path / "alone")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_trial_is_named_and_the_others_are_kept(tmp_path: Path, workers: int) -> None:
    with pytest.raises(
        StudyError, match=r"2 of 23 trials failed, first trial 5 of seed 7 \(throw 5\): ZeroDivisionE"
    ) as e:
        run_grid(grid(failing=(13, 5)), tmp_path, workers=workers)
    assert "fell off the table" in e.value.__notes__[0]
    assert sorted(path.stem for path in tmp_path.glob("chunks/*.npy")) == ["000000", "000002", "000004", "000005"]
    repaired = run_grid(grid(), tmp_path)
    assert repaired.computed == 8
    assert np.array_equal(repaired.values, run_grid(grid()).values)


def test_a_folder_of_another_study_is_refused(tmp_path: Path) -> None:
    run_grid(grid(), tmp_path)
    before = files(tmp_path)
    for other, message in (
        (grid(seed=8), "seed is 7 there and 8 here"),
        (grid(n_trials=24), "n_trials is 23 there and 24 here"),
    ):
        with pytest.raises(cc.errors.InputError, match=message):
            run_grid(other, tmp_path)
    manifest: dict[str, Any] = json.loads((tmp_path / "manifest.json").read_text())
    changed = {**manifest, "version": "0.0.1", "settings": {**manifest["settings"], "dice": {"sides": 8}}}
    (tmp_path / "manifest.json").write_text(json.dumps(changed))
    with pytest.raises(
        cc.errors.InputError, match=r'version is "0.0.1" there and .* here; dice sides is 8 there and 6 here'
    ):
        run_grid(grid(), tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    assert files(tmp_path) == before
    assert run_grid(grid(chunk=9), tmp_path).computed == 0  # chunks keep the size that they were begun with
    for text in ("[]", "{", '{"study": "dice"}'):
        (tmp_path / "manifest.json").write_text(text)
        with pytest.raises(cc.errors.InputError, match="not the manifest of a study"):
            run_grid(grid(), tmp_path)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(cc.errors.InputError, match="is a file"):
        run_grid(grid(), file)


def test_a_damaged_chunk_is_computed_again(tmp_path: Path) -> None:
    whole = run_grid(grid(), tmp_path)
    before = files(tmp_path)
    first, second, third = sorted(tmp_path.glob("chunks/*.npy"))[:3]
    first.write_bytes(first.read_bytes()[:40])
    second.write_bytes(b"")
    np.save(third, np.zeros(3))
    with pytest.warns(cc.errors.DataWarning, match="damaged"):
        again = run_grid(grid(), tmp_path)
    assert again.computed == 12
    assert np.array_equal(again.values, whole.values)
    assert files(tmp_path) == before


def test_halves_of_files_are_swept_up_when_they_are_old(tmp_path: Path) -> None:
    run_grid(grid(), tmp_path)
    old, new = tmp_path / "chunks" / ".000001.npy.a.part", tmp_path / "chunks" / ".000001.npy.b.part"
    old.write_bytes(b"x")
    new.write_bytes(b"x")
    os.utime(old, (0, 0))
    run_grid(grid(), tmp_path)
    assert not old.exists()
    assert new.exists()


def test_a_trial_of_the_wrong_shape_is_a_failure() -> None:
    from dataclasses import replace

    with pytest.raises(StudyError, match=r"shape \(3,\) and not \(2,\)"):
        run_grid(replace(grid(), shape=(2,)))


def test_fingerprints_tell_scores_apart() -> None:
    a = cc.Scores([[0.1, 0.2]], ["1"], ["x", "y"])
    others = [
        cc.Scores([[0.1, 0.3]], ["1"], ["x", "y"]),
        cc.Scores([[0.1, 0.2]], ["2"], ["x", "y"]),
        cc.Scores([[0.1, 0.2]], ["1"], ["x", "z"]),
    ]
    assert fingerprint(a) == fingerprint(cc.Scores([[0.1, 0.2]], ["1"], ["x", "y"], "map"))
    assert len({fingerprint(s) for s in [a, *others]}) == 4


def test_a_dead_worker_process_is_told(tmp_path: Path) -> None:
    from .trials import Deadly

    with pytest.raises(StudyError, match="a worker process died"):
        run_grid(grid(work=Deadly()), tmp_path, workers=2)
