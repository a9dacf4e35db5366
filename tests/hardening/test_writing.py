"""Files are written whole or not at all: interrupts, signals, full disks, devices, and two processes at once."""

from __future__ import annotations

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.render import outputs
from concordant.render.outputs import write_new, written_whole
from concordant.study.grid import Trials, run_grid

from ..study.trials import Dice

pytestmark = pytest.mark.long


def parts(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.name.endswith(".part")]


class Interrupter:
    """Raises KeyboardInterrupt at the n-th line that runs in outputs.py."""

    def __init__(self, line: int) -> None:
        self.left = line

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != outputs.__file__:
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt
        return self


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # a file that was opened and not yet named
@pytest.mark.parametrize("there", [False, True])
def test_an_interrupt_at_any_line_leaves_the_old_file_or_the_new_one(tmp_path: Path, there: bool) -> None:
    target = tmp_path / "x.csv"
    line, done, seen = 0, False, set()
    while not done:
        line += 1
        target.unlink(missing_ok=True)
        if there:
            target.write_bytes(b"old")
        before = sys.gettrace()
        sys.settrace(Interrupter(line))
        try:
            with written_whole(target) as file:
                file.write(b"new")
            done = True
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        content = target.read_bytes() if target.exists() else None
        assert content in ((b"old", b"new") if there else (None, b"new"))
        assert parts(tmp_path) == []
        seen.add(content)
    assert line > 15
    assert seen == ({b"old", b"new"} if there else {None, b"new"})


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "x.csv"
    target.write_bytes(b"old")
    with pytest.raises(TypeError), written_whole(target) as file:
        file.write(b"new" + "er")  # type: ignore[operator]
    assert target.read_bytes() == b"old"
    assert parts(tmp_path) == []


def test_a_full_disk_names_the_file_and_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    target = tmp_path / "x.csv"
    target.write_bytes(b"old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=r"No space left on device.*x\.csv") as caught, written_whole(target) as file:
            file.write(b"new")
    assert caught.value.errno == errno.ENOSPC
    assert target.read_bytes() == b"old"
    assert parts(tmp_path) == []


def test_mode_and_link_are_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_bytes(b"old")
    real.chmod(0o600)
    link.symlink_to(real)
    with written_whole(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600


def test_a_new_file_has_the_mode_of_any_other(tmp_path: Path) -> None:
    with written_whole(tmp_path / "x") as file:
        file.write(b"new")
    (tmp_path / "y").write_bytes(b"")
    assert (tmp_path / "x").stat().st_mode == (tmp_path / "y").stat().st_mode


def test_a_device_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    """As root a rename would have taken the place of /dev/null."""
    with written_whole("/dev/null") as file:
        file.write(b"x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(OSError, match=r"No space left on device.*/dev/full"), written_whole("/dev/full") as file:
        file.write(b"x")
    os.mkfifo(tmp_path / "pipe")
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    with written_whole(tmp_path / "pipe") as file:
        file.write(b"through the pipe")
    reader.join(10)
    assert found == [b"through the pipe"]


@pytest.mark.parametrize("where", ["no/x.csv", "file/x.csv", "."])
def test_places_that_cannot_be_written(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OSError, match=r"No such file|Not a directory|Is a directory") as caught:  # noqa: SIM117
        with written_whole(tmp_path / where) as file:
            file.write(b"x")
    assert Path(caught.value.filename).name == Path(tmp_path / where).name
    assert parts(tmp_path) == []


# Two at once --------------------------------------------------------------------------------------


@pytest.mark.parametrize("links", [True, False])
def test_of_many_that_write_a_new_file_one_does(tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not links:

        def refuse(*where: Any) -> None:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))

        monkeypatch.setattr(os, "link", refuse)
    barrier = threading.Barrier(16)
    wrote: list[bytes] = []

    def write(number: int) -> None:
        barrier.wait()
        data = b"%d" % number * 1000
        if write_new(tmp_path / "manifest", data):
            wrote.append(data)

    threads = [threading.Thread(target=write, args=(k,)) for k in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(wrote) == 1
    assert (tmp_path / "manifest").read_bytes() == wrote[0]
    assert parts(tmp_path) == []


def grid(seed: int) -> Trials:
    return Trials("dice", Dice(), 50, (3,), {"sides": 6}, seed, chunk=10)


def test_two_first_runs_of_different_studies_at_the_same_instant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both look for a manifest before either has written one."""
    run_grid(grid(1), tmp_path)
    monkeypatch.setattr(Path, "exists", lambda path: False)
    with pytest.raises(cc.errors.InputError, match="holds another study: seed is 1 there and 2 here"):
        run_grid(grid(2), tmp_path)


def test_a_study_goes_on_after_the_disk_was_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run_grid(grid(1)).values
    sync, calls = os.fsync, []

    def full(number: int) -> None:
        calls.append(number)
        if len(calls) > 3:  # the manifest and two chunks
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(number)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=r"No space left on device.*000002\.bin"):
            run_grid(grid(1), tmp_path)
    assert parts(tmp_path) == []
    again = run_grid(grid(1), tmp_path)
    assert again.cost["computed"] == 30
    np.testing.assert_array_equal(again.values, expected)


# The command line ---------------------------------------------------------------------------------


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    rows = ["topic," + ",".join(f"s{k}" for k in range(40))]
    rows += [f"t{k}," + ",".join(f"{x:.4f}" for x in rng.random(40)) for k in range(60)]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    ("how", "status", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_signals_end_in_one_line_and_leave_nothing(
    tmp_path: Path, scores: Path, how: signal.Signals, status: int, said: str
) -> None:
    # It says where it is, so that the signal comes while it works and not while Python starts.
    program = (
        "import sys, signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "import concordant.agreement.comparison as c; made = c.rank_test_of;"
        "c.rank_test_of = lambda *a, **k: (print('working', flush=True), made(*a, **k))[1];"
        "from concordant.cli import main; main()"
    )
    folder = tmp_path / "out"
    folder.mkdir()
    other = scores.with_name("other.csv")
    header, *rows = scores.read_text().splitlines()
    other.write_text("\n".join([header, *reversed(rows[1:]), rows[0].replace("0.", "0.1")]) + "\n")
    given = [str(scores), str(other), "--resamples", "100000000", "--plot", "x.pdf"]
    command = [sys.executable, "-c", program, "compare", *given]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "working\n"
        time.sleep(0.2)
        process.send_signal(how)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == status
    assert errors == said + "\n"
    assert list(folder.iterdir()) == []


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))


def test_a_file_that_does_not_fit_is_told_in_one_line(tmp_path: Path, scores: Path) -> None:
    target = tmp_path / "out.pdf"
    target.write_bytes(b"%PDF-1.4 old")
    command = [sys.executable, "-m", "concordant", "board", str(scores), "--plot", str(target), "-q"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COV")}  # which writes, too
    done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limited, env=plain)
    assert done.returncode == 1
    assert done.stderr == f"concordant: {target}: File too large\n"
    assert target.read_bytes() == b"%PDF-1.4 old"
    assert parts(tmp_path) == []


def test_a_full_standard_output_is_told(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "concordant", "coefficients"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == "concordant: standard output: No space left on device\n"


@pytest.mark.parametrize("where", ["nowhere/x.html", "."])
def test_a_place_that_cannot_be_written_is_told_before_the_work(scores: Path, where: str) -> None:
    command = [sys.executable, "-m", "concordant", "board", str(scores), "--resamples", "100000000", "--html", where]
    done = subprocess.run(command, cwd=scores.parent, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert "there is no folder nowhere" in done.stderr or ". is a folder" in done.stderr
