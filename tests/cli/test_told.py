"""What the command line says: commands to try, reports that there are not, full disks, numbers that are too large."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from ..commands import bad, good, process, run
from ..judgments.test_study import QRELS, RUNS

TABLE = "topic,a,b\n1,0.5,0.25\n2,0.25,0.5\n3,0.75,0.5\n"


@pytest.mark.parametrize("name", ["a b;touch PWNED.csv", "$(touch PWNED).csv", "it's.csv", "-x.csv", "plain.csv"])
def test_a_command_to_try_can_be_copied(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(TABLE, encoding="utf-8")
    (shown,) = (line for line in good("look", "--", name).splitlines() if line.startswith("Next: "))
    program, command, path = shlex.split(shown)[1:]
    assert (program, command) == ("concordant", "plan")
    assert (tmp_path / path).resolve() == tmp_path / name
    assert run(command, path).exit_code == 0
    assert (shlex.quote(path) == path) == (name in ("plain.csv", "-x.csv"))


def test_the_folder_of_the_demo_can_be_copied(tmp_path: Path) -> None:
    folder = tmp_path / "a b;c"
    (line,) = (line for line in good("demo", "--save", folder).splitlines() if line.startswith("$ cd "))
    assert shlex.split(line) == ["$", "cd", str(folder)]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("command", ["--version", "--help", "board --help"])
def test_a_full_disk_is_told_in_one_line(command: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = process(*command.split(), stdout=full)
    assert (done.returncode, done.stderr) == (1, "concordant: standard output: No space left on device\n")


def test_messages_name_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    for system in RUNS.systems:
        lines = (
            f"{topic} Q0 {document} {k} {100 - k} {system}\n"
            for topic in RUNS.topics
            for k, document in enumerate(RUNS.documents(system, topic))
        )
        (tmp_path / "runs" / f"{system}.run").write_text("".join(lines), encoding="utf-8")
    QRELS.write(tmp_path / "q.txt")
    huge = "100000000000"
    asked = ("judgments", "change", "runs", "q.txt")
    assert "--draws is 100,000,000,000" in bad(*asked, "sample", "--draws", huge, status=1)
    assert "--levels is 100,000,000,000" in bad(*asked, "depth_pool", "--levels", huge, status=1)
    (tmp_path / "s.csv").write_text("topic,@SUM(1),b\n1,0.5,0.25\n2,0.25,0.5\n", encoding="utf-8")
    looked = run("look", "s.csv")
    assert looked.exit_code == 1
    assert "Leave them out with --systems '!@SUM(1)'" in looked.stdout
