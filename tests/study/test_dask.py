"""A real Dask cluster of two processes, of which one is killed half-way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from concordant.study.grid import StudyError, run_grid

from .trials import Deadly, grid

distributed: Any = pytest.importorskip("distributed")
# distributed and its event loop warn of their own affairs
pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        )
        yield made
        made.close()


def test_a_worker_is_killed_half_way(cluster: Any, tmp_path: Path) -> None:
    slow = grid(n_trials=40, seconds=0.04)
    victims: list[int] = []

    def kill_one(done: int, total: int) -> None:
        if done >= total // 2 and not victims:
            with distributed.Client(cluster.scheduler_address) as client:
                victims.extend(client.run(os.getpid).values())
            os.kill(victims[0], signal.SIGKILL)

    with distributed.Client(cluster.scheduler_address) as client:
        workers = client.get_executor(pure=False)
        found = run_grid(slow, tmp_path / "dask", workers=workers, progress=kill_one)
    assert len(victims) == 2
    assert found.cost["computed"] == 40
    here = run_grid(grid(n_trials=40), tmp_path / "here")
    assert np.array_equal(found.values, here.values)
    for path in (tmp_path / "here" / "chunks").iterdir():
        assert (tmp_path / "dask" / "chunks" / path.name).read_bytes() == path.read_bytes()
    with distributed.Client(cluster.scheduler_address) as client:
        assert victims[0] not in client.run(os.getpid).values()


def test_a_client_of_ones_own_stays_open(cluster: Any) -> None:
    with distributed.Client(cluster) as client:
        workers = client.get_executor(pure=False)
        assert np.array_equal(run_grid(grid(), workers=workers).values, run_grid(grid()).values)
        assert client.status == "running"
        with pytest.raises(StudyError, match="trial 5 of seed 7"):
            run_grid(grid(failing=(5,)), workers=workers)


def test_workers_that_die_again_and_again_are_told(cluster: Any, tmp_path: Path) -> None:
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.Client(cluster.scheduler_address) as client,
        pytest.raises(StudyError, match=r"the executor, a ClientExecutor, gave up \(KilledWorker: .*trials are in"),
    ):
        run_grid(grid(work=Deadly()), tmp_path, workers=client.get_executor(pure=False))


def test_a_scheduler_that_is_killed_is_told(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    scheduler = _started("dask_scheduler", "--host", address, "--no-dashboard")
    worker = _started("dask_worker", address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard")

    def kill(done: int, total: int) -> None:
        if done >= 8:
            scheduler.kill()

    try:
        workers = distributed.Client(address).get_executor(pure=False)
        with pytest.raises(StudyError, match=r"the executor, a ClientExecutor, gave up .*trials are in"):
            run_grid(grid(n_trials=80, seconds=0.02), tmp_path, workers=workers, progress=kill)
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    assert 0 < run_grid(grid(n_trials=80), tmp_path).cost["computed"] < 80


def _started(module: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
