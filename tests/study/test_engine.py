"""The engine: the same bits however a study is run, stopped and continued."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.arrays import fingerprint
from concordant.render.outputs import written_whole
from concordant.study import grid as engine
from concordant.study.grid import StudyError, run_grid

from .trials import grid

PROGRAM = Path(__file__).with_name("trials.py")
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def wait_for_chunks(folder: Path, count: int) -> None:
    for _ in range(600):
        if len(list(folder.glob("chunks/*.bin"))) >= count:
            return
        time.sleep(0.05)
    pytest.fail("the study does not begin")


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
    assert both.cost["computed"] == 23
    again = run_grid(grid(), tmp_path / "both")
    assert again.cost["computed"] == 0
    assert np.array_equal(again.values, alone.values)


@pytest.mark.long
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_continues_and_ends_with_the_same_bits(tmp_path: Path, workers: int, how: signal.Signals) -> None:
    folder = tmp_path / "killed"
    command = [sys.executable, str(PROGRAM), str(folder), str(workers)]
    run = subprocess.Popen(command, env=ENVIRONMENT, start_new_session=True, stderr=subprocess.DEVNULL)
    wait_for_chunks(folder, 2)
    os.killpg(run.pid, how)
    run.wait(30)
    assert run.returncode != 0
    kept = files(folder)
    assert 2 <= sum(name.endswith(".bin") for name in kept) < 10
    if how is signal.SIGINT:
        assert not [name for name in kept if name.endswith(".part")]
    continued = run_grid(grid(n_trials=40, seconds=0.0), folder, workers=workers)
    assert 0 < continued.cost["computed"] < 40
    for name, content in kept.items():
        assert name.endswith(".part") or files(folder)[name] == content
    whole = run_grid(grid(n_trials=40), tmp_path / "whole")
    assert np.array_equal(continued.values, whole.values)
    finished = {name: content for name, content in files(folder).items() if not name.endswith(".part")}
    assert finished == files(tmp_path / "whole")


@pytest.mark.long
def test_two_runs_in_one_folder(tmp_path: Path) -> None:
    runs = [
        subprocess.Popen([sys.executable, str(PROGRAM), str(tmp_path / "both"), "1"], env=ENVIRONMENT) for _ in range(2)
    ]
    assert [run.wait(60) for run in runs] == [0, 0]
    run_grid(grid(n_trials=40), tmp_path / "alone")
    assert files(tmp_path / "both") == files(tmp_path / "alone")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_trial_is_named_and_finished_chunks_are_kept(tmp_path: Path, workers: int) -> None:
    message = r"trial 13 of seed 7 \(throw 13\) failed with ZeroDivisionError: the die fell off.*run again to continue"
    with pytest.raises(StudyError, match=message):
        run_grid(grid(failing=(13,)), tmp_path, workers=workers)
    assert not (tmp_path / "chunks" / "000003.bin").exists()
    repaired = run_grid(grid(), tmp_path)
    assert repaired.cost["computed"] < 23
    assert np.array_equal(repaired.values, run_grid(grid()).values)


def test_a_folder_of_another_study_is_refused(tmp_path: Path) -> None:
    run_grid(grid(), tmp_path)
    before = files(tmp_path)
    for other, message in (
        (grid(seed=8), "seed is 7 there and 8 here"),
        (grid(n_trials=24), "n_trials is 23 there and 24 here"),
        (grid(chunk=9), "chunk is 4 there and 9 here"),
    ):
        with pytest.raises(cc.errors.InputError, match=message):
            run_grid(other, tmp_path)
    manifest: dict[str, Any] = json.loads((tmp_path / "manifest.json").read_text())
    changed = {**manifest, "version": "0.0.1", "dice": {"sides": 8}}
    (tmp_path / "manifest.json").write_text(json.dumps(changed))
    with pytest.raises(
        cc.errors.InputError,
        match=r"version is '0.0.1' there and .* here; dice is \{'sides': 8\} there and \{'sides': 6\} here",
    ):
        run_grid(grid(), tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
    assert files(tmp_path) == before
    for text in ("[]", "{", '{"seed": 7}'):
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
    paths = sorted(tmp_path.glob("chunks/*.bin"))
    assert np.array_equal(np.frombuffer(paths[0].read_bytes()[:-32]).reshape(4, 3), whole.values[:4])
    paths[0].write_bytes(paths[0].read_bytes()[:40])
    paths[1].write_bytes(b"")
    paths[2].write_bytes(bytes(32))
    flipped = bytearray(paths[3].read_bytes())
    flipped[50] ^= 1
    paths[3].write_bytes(flipped)
    paths[4].write_bytes(paths[0].with_name("000005.bin").read_bytes())  # whole, and of another chunk
    with pytest.warns(cc.errors.DataWarning, match="damaged") as caught:
        again = run_grid(grid(), tmp_path)
    assert len(caught) == 5
    assert again.cost["computed"] == 20
    assert np.array_equal(again.values, whole.values)
    assert files(tmp_path) == before


def test_halves_of_files_are_swept_up_unless_another_run_writes_to_them(tmp_path: Path) -> None:
    run_grid(grid(), tmp_path)
    left = [
        tmp_path / ".manifest.json.0123456789abcdef.part",
        tmp_path / "chunks" / ".000001.bin.0123456789abcdef.part",
    ]
    for path in left:
        path.write_bytes(b"x")
    with written_whole(tmp_path / "chunks" / "000002.bin") as file:
        run_grid(grid(), tmp_path)
        assert Path(file.name).exists()
        file.write(b"of the other run")
    assert not any(path.exists() for path in left)


def test_a_trial_of_the_wrong_shape_is_a_failure() -> None:
    from dataclasses import replace

    with pytest.raises(StudyError, match=r"shape \(3,\) instead of \(2,\)"):
        run_grid(replace(grid(), shape=(2,)))


def test_fingerprints_tell_scores_apart() -> None:
    values = np.array([[0.1, 0.2]])
    plain = fingerprint(values, ["1"], ["x", "y"])
    assert plain == fingerprint(values + 0.0, ("1",), ("x", "y"))
    others = [
        fingerprint(values),
        fingerprint(values.T, ["1"], ["x", "y"]),
        fingerprint(np.array([[0.1, 0.3]]), ["1"], ["x", "y"]),
        fingerprint(values, ["2"], ["x", "y"]),
        fingerprint(values, ["1", "x"], ["y"]),
        fingerprint(values, ["1"], ["x\0y"]),
    ]
    assert len({plain, *others}) == 7
    assert fingerprint(np.array([[0.0]])) == fingerprint(np.array([[-0.0]]))


# Executors ----------------------------------------------------------------------------------------


def test_a_dead_worker_process_is_told(tmp_path: Path) -> None:
    from .trials import Deadly

    with pytest.raises(StudyError, match=r"a worker process died: .*BrokenProcessPool.* run again to continue"):
        run_grid(grid(work=Deadly()), tmp_path, workers=2)
    kept = list(tmp_path.glob("chunks/*.bin"))  # none, where it died before the first was done
    continued = run_grid(grid(), tmp_path)
    assert (continued.cost["computed"] < 23) == bool(kept)
    assert np.array_equal(continued.values, run_grid(grid()).values)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_serves_and_stays_open(tmp_path: Path, kind: type[Executor]) -> None:
    options = {"mp_context": multiprocessing.get_context("spawn")} if kind is ProcessPoolExecutor else {}
    with kind(2, **options) as pool:  # type: ignore[call-arg]
        found = run_grid(grid(), tmp_path / "executor", workers=pool)
        assert pool.submit(abs, -1).result() == 1
        with pytest.raises(StudyError, match="trial 5 of seed 7"):
            run_grid(grid(failing=(5,)), workers=pool)
    assert np.array_equal(found.values, run_grid(grid(), tmp_path / "here").values)
    assert files(tmp_path / "executor") == files(tmp_path / "here")


class Lazy(Executor):
    """Runs what it was given when somebody waits, counts what it holds, and breaks at last if told to."""

    def __init__(self, last: int) -> None:
        self.last, self.most, self.pool = last, 0, ThreadPoolExecutor(1)
        self.held: list[Future[Any]] = []

    def submit(self, fn: Any, /, *args: Any, **options: Any) -> Future[Any]:
        if args[0] > self.last:
            raise ConnectionError("the cluster is gone")
        self.held = [future for future in self.held if not future.done()]
        self.held.append(self.pool.submit(fn, *args, **options))
        self.most = max(self.most, len(self.held))
        return self.held[-1]


def test_an_executor_holds_few_chunks_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_AT_ONCE", 3)
    lazy = Lazy(100)
    assert run_grid(grid(n_trials=40, seconds=0.01), workers=lazy).cost["computed"] == 40
    assert lazy.most == 3


def test_an_executor_that_breaks_is_told_and_what_was_finished_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_AT_ONCE", 1)
    with pytest.raises(StudyError, match=r"the executor, a Lazy, gave up \(ConnectionError: the cluster is gone\)"):
        run_grid(grid(), tmp_path, workers=Lazy(2))
    assert len(list(tmp_path.glob("chunks/*.bin"))) == 3
    assert np.array_equal(run_grid(grid(), tmp_path).values, run_grid(grid()).values)


def test_what_is_neither_a_number_nor_an_executor_is_refused() -> None:
    for wrong in (0, True, "tcp://scheduler:8786", None):
        with pytest.raises(cc.errors.InputError, match="workers is"):
            run_grid(grid(), workers=wrong)  # type: ignore[arg-type]


@pytest.mark.long
def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    """Also where it was killed and could not end them."""
    run = subprocess.Popen([sys.executable, str(PROGRAM), str(tmp_path), "2"], env=ENVIRONMENT, start_new_session=True)
    wait_for_chunks(tmp_path, 1)
    os.kill(run.pid, signal.SIGKILL)
    run.wait(30)
    for _ in range(400):
        try:
            os.killpg(run.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)
    pytest.fail("a process of the study lives on")
