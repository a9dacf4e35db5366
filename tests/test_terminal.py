"""What the command line says while it works, where it is stopped, and where the terminal is narrow."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

import concordant as cc
from concordant.cli import app, drawing, main, studies, terminal
from concordant.cli.options import Format
from concordant.cli.render import Table
from concordant.collection import path


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """Seconds that pass as told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr("time.monotonic", lambda: self.now)


@pytest.mark.parametrize(("quiet", "screen"), [(True, True), (False, False)])
def test_no_bar_where_nobody_looks(monkeypatch: pytest.MonkeyPatch, quiet: bool, screen: bool) -> None:
    clock, stream = Clock(monkeypatch), Screen() if screen else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with terminal.Bar("resamples", quiet) as bar:
        clock.now += 5
        bar.update(1, 2)
    assert stream.getvalue() == ""


def test_a_bar_once_it_takes_longer_than_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, screen = Clock(monkeypatch), Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with terminal.Bar("resamples", quiet=False) as bar:
        clock.now += 0.5
        bar.update(10, 400)
        assert not screen.getvalue()
        clock.now += 1
        bar.update(100, 400)
        bar.update(300, 400)
        assert (bar.bar.tasks[0].completed, bar.bar.tasks[0].total) == (300, 400)
    assert "resamples" in screen.getvalue()
    assert not bar.bar.live.is_started


def test_lines_one_a_minute_with_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, file = Clock(monkeypatch), io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    lines = studies.Lines("trials", quiet=False)
    lines.update(100, 10_100)  # found in the folder: no measure of the speed
    clock.now += 59
    lines.update(1_000, 10_100)
    assert file.getvalue() == ""
    clock.now += 1
    lines.update(1_100, 10_100)
    clock.now += 30
    lines.update(1_500, 10_100)
    assert file.getvalue() == "1,100 of 10,100 trials, 9 min left\n"


def test_no_lines_on_a_screen_nor_if_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    for stream, quiet in ((Screen(), False), (io.StringIO(), True)):
        monkeypatch.setattr(sys, "stderr", stream)
        lines = studies.Lines("trials", quiet)
        lines.update(1, 9)
        clock.now += 100
        lines.update(5, 9)
        assert stream.getvalue() == ""


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(3.4, "3 s"), (89, "89 s"), (90, "2 min"), (5399, "90 min"), (5400, "1.5 h"), (9000, "2.5 h")],
)
def test_durations(seconds: float, shown: str) -> None:
    assert studies._duration(seconds) == shown


def test_a_narrow_terminal_loses_columns_and_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", "30")
    table = Table(["system", "tau_b", "tau_ap_b", "d_rank"], [["a" * 12, 0.5, 0.25, 1.5]])
    terminal.print_table(table, Format.table)
    first, *_, last = screen.getvalue().splitlines()
    assert "system" in first
    assert "d_rank" not in first
    assert last == "(too narrow for d_rank; --format csv has them)"


def _raising(error: BaseException) -> Any:
    def run() -> None:
        raise error

    return run


def test_an_interrupt_is_status_130(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(app, "run", _raising(KeyboardInterrupt()))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_only_what_the_extra_brings_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "run", _raising(ModuleNotFoundError("No module named 'rich'", name="rich")))
    with pytest.raises(SystemExit, match=r"needs rich: pip install 'concordant\[app\]'"):
        main()
    monkeypatch.setattr(app, "run", _raising(ModuleNotFoundError("No module named 'scipy'", name="scipy")))
    with pytest.raises(ModuleNotFoundError, match="scipy"):
        main()


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (MemoryError(), "not enough memory"),
        (cc.errors.InputError("give missing='zero'\nor another measure="), "give --missing zero or another -m"),
    ],
)
def test_errors_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception, says: str
) -> None:
    def fails(**_: Any) -> None:
        raise error

    monkeypatch.setattr(app, "app", fails)
    with pytest.raises(SystemExit) as ended:
        app.run()
    assert ended.value.code == 1
    assert capsys.readouterr().err == f"concordant: {says}\n"


def test_a_study_that_is_stopped_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Any
) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("concordant.study.reliability.reliability_study", stopped)
    monkeypatch.setattr("signal.signal", lambda *_: None)  # the handlers of this process stay as they are
    with pytest.raises(SystemExit) as ended:
        app.app(["study", "reliability", str(path("people")), "-o", str(tmp_path)])
    assert ended.value.code == 130
    assert f"what is done is kept in {tmp_path}, and the same command continues" in capsys.readouterr().err


@pytest.mark.parametrize("sizes", ["10,x", "10:20", "1:2:3:4", ""])
def test_sizes_that_are_none(sizes: str) -> None:
    with pytest.raises(Exception, match="give numbers such as 10,20,50, or 10:100:10"):
        studies._sizes(sizes)
    assert studies._sizes("10:40:15") == [10, 25, 40]
    assert studies._sizes("3,50") == [3, 50]


def test_without_a_path_nothing_is_drawn() -> None:
    drawing.draw(None, _raising(AssertionError("drawn")), Format.table)
