"""What the command line says while it works, where it is stopped, and where the terminal is narrow."""

from __future__ import annotations

import io
import shlex
import sys
import warnings
from typing import Any

import pytest

import concordant as cc
from concordant.cli import app, main, terminal, topics

from ..commands import CAREFUL, HASTY, PEOPLE, run


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """Seconds that pass as told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr("time.monotonic", lambda: self.now)


@pytest.mark.parametrize("stream", [Screen(), io.StringIO()])
def test_nothing_if_quiet(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> None:
    clock = Clock(monkeypatch)
    monkeypatch.setattr(sys, "stderr", stream)
    with terminal.Bar("resamples", quiet=True) as bar:
        bar.update(1, 9)
        clock.now += 100
        bar.update(5, 9)
    assert stream.getvalue() == ""


def test_a_line_once_it_takes_longer_than_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, screen = Clock(monkeypatch), Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with terminal.Bar("resamples", quiet=False) as bar:
        bar.update(0, 400)
        clock.now += 0.5
        bar.update(10, 400)
        assert not screen.getvalue()
        clock.now += 1.5
        bar.update(100, 400)
        clock.now += 0.05
        bar.update(110, 400)
        assert screen.getvalue() == "\r\x1b[2Kresamples: 100 of 400, 6 s left"
        clock.now += 2
        bar.update(300, 400)
        assert screen.getvalue().endswith("\r\x1b[2Kresamples: 300 of 400, 1 s left")
    assert screen.getvalue().endswith("left\r\x1b[2K")


def test_a_line_after_two_seconds_though_nothing_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    with terminal.Bar("combining", quiet=False) as bar:
        assert bar.timer.interval == 2
        bar.timer.function(*bar.timer.args)  # as it does once the time is over
    assert screen.getvalue() == "\r\x1b[2Kcombining ...\r\x1b[2K"
    assert not bar.timer.is_alive()
    with terminal.Bar("combining", quiet=True) as silent:
        assert not silent.timer.is_alive()


def test_lines_one_a_minute_with_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, file = Clock(monkeypatch), io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    lines = terminal.Bar("trials", quiet=False)
    lines.update(100, 10_100)  # found in the folder: no measure of the speed
    clock.now += 59
    lines.update(1_000, 10_100)
    assert file.getvalue() == ""
    clock.now += 1
    lines.update(1_100, 10_100)
    clock.now += 30
    lines.update(1_500, 10_100)
    assert file.getvalue() == "trials: 1,100 of 10,100, 9 min left\n"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(3.4, "3 s"), (89, "89 s"), (90, "2 min"), (5399, "90 min"), (5400, "1.5 h"), (9000, "2.5 h")],
)
def test_durations(seconds: float, shown: str) -> None:
    assert terminal.duration(seconds) == shown


NARROW = """\
The verdict, in words that do not fit one line.

               value   95% interval  p (chance)
  hasty  tau_b 0.724   0.56 to 0.98     < 0.001
  tau          -   ties in the truth, and in candidate
  a sentence that stands below something else
"""


def test_words_are_folded_and_numbers_never(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", "37")
    terminal.say(NARROW)
    assert (
        screen.getvalue()
        == """\
The verdict, in words that do not fit
one line.

               value   95% interval  p (chance)
  hasty  tau_b 0.724   0.56 to 0.98     < 0.001
  tau          -   ties in the truth,
                   and in candidate
  a sentence that stands below
  something else

"""
    )


WIDE = """\
  6 systems, 12 topics
  level  measure  tau_b  95% interval        p
  1      nDCG@10  0.909  0.56 to 0.98  < 0.001
  1      AP       0.939  0.66 to 0.99    0.605
"""


def test_a_table_that_is_too_wide_is_printed_in_parts() -> None:
    assert terminal.fitted(WIDE, 80) == WIDE
    assert (
        terminal.fitted(WIDE, 40)
        == """\
  6 systems, 12 topics
  level  measure  tau_b  95% interval
  1      nDCG@10  0.909  0.56 to 0.98
  1      AP       0.939  0.66 to 0.99

  level  measure        p
  1      nDCG@10  < 0.001
  1      AP         0.605
"""
    )


def test_a_p_value_and_an_interval_stay_on_one_line() -> None:
    said = "careful is better than hasty (p = 0.017), with a 95% interval of 8.5 to 16"
    assert terminal.fitted(said, 36) == ("careful is better than hasty\n(p = 0.017), with a 95% interval of\n8.5 to 16")


@pytest.mark.parametrize("form", ["json", "csv", "markdown", "latex"])
def test_what_a_program_reads_is_not_folded(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["compare", "--card", PEOPLE, CAREFUL, "--resamples", "99", "--format", form]
    whole = run(*arguments).stdout
    monkeypatch.setattr(terminal, "width", lambda: 40)
    assert run(*arguments).stdout == whole


def test_into_a_file_lines_have_80_columns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "37")
    terminal.say(NARROW)
    assert capsys.readouterr().out == f"{NARROW}\n"
    terminal.say("many words " * 20)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("columns", [80, 120])
def test_a_comparison_fits_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setattr(terminal, "width", lambda: columns)
    arguments = ["compare", PEOPLE, CAREFUL, HASTY, "--interval", "--test", "--resamples", "500"]
    assert max(map(len, run(*arguments).stdout.split("\n"))) <= columns


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
    monkeypatch.setattr(app, "run", _raising(ModuleNotFoundError("No module named 'typer'", name="typer")))
    with pytest.raises(SystemExit, match=r"needs typer: pip install typer$"):
        main()
    monkeypatch.setattr(app, "run", _raising(ModuleNotFoundError("No module named 'scipy'", name="scipy")))
    with pytest.raises(ModuleNotFoundError, match="scipy"):
        main()


@pytest.mark.parametrize(
    ("error", "status", "says"),
    [
        (MemoryError(), 1, "concordant: not enough memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (
            cc.errors.InputError("one\ntwo"),
            1,
            "concordant: one\\ntwo",
        ),
    ],
)
def test_errors_in_one_line(monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, says: str) -> None:
    monkeypatch.setattr("concordant.data.collection.path", lambda _: _raising(error)())
    done = run("demo")
    assert (done.exit_code, done.stdout, done.stderr) == (status, "", f"{says}\n")


def test_a_study_that_is_stopped_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("concordant.study.reliability_study", stopped)
    monkeypatch.setattr("signal.signal", lambda *_: None)  # the handlers of this process stay as they are
    done = run("study", "reliability", PEOPLE, "-o", tmp_path)
    assert done.exit_code == 130
    assert f"the results so far are in {tmp_path}, and the same command continues" in done.stderr


@pytest.mark.parametrize("sizes", ["10,x", "10:20", "1:2:3:4", ""])
def test_sizes_that_are_none(sizes: str) -> None:
    with pytest.raises(Exception, match="give numbers such as 10,20,50, or 10:100:10"):
        topics._sizes(sizes)
    assert topics._sizes("10:40:15") == [10, 25, 40]
    assert topics._sizes("3,50") == [3, 50]


def test_what_is_said_of_several_files_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.Notes(quiet=False) as notes:
        for said in ("a.csv: odd", "no colon", "b.csv: odd", "no other", "c.csv: even"):
            warnings.warn(said, cc.errors.DataWarning, stacklevel=1)
    assert capsys.readouterr().err.splitlines() == [
        "note: a.csv, b.csv: odd",
        "note: no colon",
        "note: no other",
        "note: c.csv: even",
    ]
    assert len(notes.seen) == 5


def test_next_commands_can_be_copied_however_long_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    short = terminal.next_steps([["plan", "a.csv"], ["explain", "a.csv", "b c.csv"]], "--all", "or --all")
    assert short == "Next: concordant plan a.csv | concordant explain a.csv 'b c.csv' | --all"
    files = [f"/work/{'long-' * 8}{k}/a file.csv" for k in range(3)]
    said = terminal.next_steps([["plan", files[0]], ["explain", *files]], "--all", "or --all")
    assert terminal.fitted(said, 80) == said
    first, second, last = said.removeprefix("Next: ").replace(" \\\n", " ").split("\n")
    assert (shlex.split(first), shlex.split(second)) == (
        ["concordant", "plan", files[0]],
        ["concordant", "explain", *files],
    )
    assert last.strip() == "or --all"
