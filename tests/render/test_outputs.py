"""No output replaces an input, and one that cannot be written does not take the answer with it, for every command."""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, get_type_hints

import numpy as np
import pytest
import typer

import concordant as cc
from concordant.cli.app import app
from concordant.cli.options import OUTPUTS
from concordant.errors import InputError
from concordant.render import outputs

from ..commands import run

FEW = "--resamples 30"
SIDES = "people.csv careful.csv"
CHOSEN = "--systems @systems.txt --topics @topics.txt"
TOTALS = "--total type-mean --types types.csv --groups groups.csv --rename rename.csv"
STUDIED = f"runs qrels.txt -m AP {FEW}"
# How each command is called, with every option that reads a file. Its outputs are found in the command itself.
CALLS = {
    "compare": [
        f"{SIDES} {CHOSEN} --resamples 500",
        f"{SIDES} {TOTALS} --resamples 500",
        f"{SIDES} --card --families families.csv --resamples 60",
        f"{SIDES} --matrix {CHOSEN}",
    ],
    "explain": [f"{SIDES} {CHOSEN}", f"{SIDES} {TOTALS}"],
    "audit": [f"{SIDES} -r 0.9 --departures 0 {CHOSEN}", f"{SIDES} -r 0.9 {TOTALS}"],
    "combine": [
        "few.csv careful.csv --systems @systems.txt",
        "few.csv careful.csv --topics @few.txt",
        f"few.csv careful.csv {TOTALS}",
        "few.csv careful.csv --plan --as-good-as 30 --cost human=20 machine=0.1 --systems @systems.txt",
        "runs --labels list.csv --machine machine.txt -m P@2",
    ],
    "board": [f"people.csv {CHOSEN} {FEW}", f"people.csv {TOTALS} {FEW}"],
    "votes": ["battles.csv --resamples 100"],
    "plan": [f"people.csv {CHOSEN} {FEW} --most 50", f"people.csv {TOTALS} {FEW} --most 50"],
    "select": [
        f"people.csv -k 3 --splits 2 {CHOSEN}",
        "people.csv --budget 9 --costs costs.csv --splits 2",
        f"people.csv -k 3 --splits 2 {TOTALS}",
    ],
    "evaluate": ["runs qrels.txt -m AP", "'runs/*.txt' qrels.txt -m AP"],
    "label": [
        "runs --machine machine.txt -m P@2 --budget 4 --topics @few.txt",
        "runs --add list.csv",
        "runs -m P@2 --simulate qrels.txt",
    ],
    "look": [],
    "coefficients": [],
    "cite": [],
    "demo": [""],
    "study reliability": [
        "people.csv careful.csv --sizes 5 --trials 2",
        "people.csv --groups groups.csv --rename rename.csv --trials 2",
    ],
    "judgments change": [
        f"{STUDIED} depth_pool --levels 1 --contributing @runs.txt",
        f"{STUDIED} sample --levels 0.5 --draws 2",
        f"{STUDIED} from_runs --levels @runs.txt",
        f"{STUDIED} leave_out --teams teams.csv",
        f"{STUDIED} mix --machine machine.txt --levels 0.5 --draws 2",
    ],
    "judgments judges": ["runs qrels.txt machine.txt -m AP --resamples 500 --families families.csv"],
}
ENDING = {"--html": ".html", "--plot": ".svg", "--output": ".out"}
FOLDERS = ("study", "judgments", "demo")  # commands whose other output is a folder


class Option(NamedTuple):
    """An option, or an argument, that names a file."""

    text: str
    written: bool


def commands(of: typer.Typer = app, above: str = "") -> Iterator[tuple[str, list[Option]]]:
    """Every command, with its parameters that name files."""
    for command in of.registered_commands:
        assert command.callback is not None
        name = above + (command.name or command.callback.__name__.replace("_", "-"))
        found = []
        for key, hint in get_type_hints(command.callback, include_extras=True).items():
            about = next((a for a in getattr(hint, "__metadata__", ()) if isinstance(a, typer.models.OptionInfo)), None)
            if about is None:
                continue
            file = "Path" in str(hint.__origin__) or about.metavar in ("FILE", "FOLDER") or "@FILE" in str(about.help)
            if file or "given in the same way" in str(about.help):
                text = next((t for t in about.param_decls or () if t.startswith("--")), f"--{key.replace('_', '-')}")
                found.append(Option(text, key in OUTPUTS))
        yield name, found
    for group in of.registered_groups:
        assert group.typer_instance is not None
        assert group.name is not None
        yield from commands(group.typer_instance, f"{group.name} ")


ALL = dict(commands())
WRITING = [(name, option.text) for name, options in ALL.items() for option in options if option.written]


def test_every_command_and_every_option_with_a_file_is_here() -> None:
    assert set(CALLS) == set(ALL)
    for name, options in ALL.items():
        for option in options:
            if not option.written and any(o.written for o in options):
                assert any(f"{option.text} " in call for call in CALLS[name]), f"{name} {option.text} reads a file"
    assert {text for _, text in WRITING} == {"--html", "--output", "--plot", "--save"}
    assert len(WRITING) > 20


def write_inputs(folder: Path) -> None:
    rng = np.random.default_rng(1)
    topics, systems = [f"t{k}" for k in range(12)], ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen"]
    people = np.round(0.1 + rng.random((12, 8)) / 4 + np.arange(8) / 15, 3)
    for name, values in {
        "people": people,
        "few": people[:6],
        "careful": np.round(people + rng.normal(0, 0.05, people.shape), 3),
    }.items():
        rows = [",".join([topic, *map(str, row)]) for topic, row in zip(topics, values.tolist(), strict=False)]
        (folder / f"{name}.csv").write_text("\n".join([",".join(["topic", *systems]), *rows]) + "\n")
    lists = {
        "systems.txt": systems,
        "topics.txt": topics,
        "few.txt": topics[:6],
        "runs.txt": systems,
        "families.csv": ["system,family", *(f"{s},{'xy'[k % 2]}" for k, s in enumerate(systems))],
        "teams.csv": ["run,team", *(f"{s},{'xy'[k % 2]}" for k, s in enumerate(systems))],
        "rename.csv": ["aardvark,ant"],
        "types.csv": ["topic,type", *(f"{t},{'xy'[k % 2]}" for k, t in enumerate(topics))],
        "groups.csv": ["topic,group", *(f"{t},g{k}" for k, t in enumerate(topics))],
        "costs.csv": ["topic,cost", *(f"{t},{1 + k % 3}" for k, t in enumerate(topics))],
        "battles.csv": [
            "model_a,model_b,winner,question_id",
            *(f"{a},{b},{'model_a' if rng.random() < 0.6 else 'model_b'},{k}"
              for k in range(12) for a, b in (("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"))),
        ],
    }  # fmt: skip
    for name in ("qrels", "machine"):
        lists[f"{name}.txt"] = [f"{t} 0 d{k} {int(rng.random() < 0.5)}" for t in topics for k in range(6)]
    (folder / "runs").mkdir()
    for s in systems:
        order = [rng.permutation(6) for _ in topics]
        lists[f"runs/{s}.txt"] = [
            f"{t} Q0 d{d} {r} {10 - r} {s}" for t, ds in zip(topics, order, strict=True) for r, d in enumerate(ds)
        ]
    for name, lines in lists.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    runs = cc.read_runs(str(folder / "runs"))
    machine = cc.read_qrels(folder / "machine.txt")
    chosen = cc.judgments.label(runs, machine=machine, measures=["P@2"], budget=4, seed=1)
    chosen.with_grades(cc.read_qrels(folder / "qrels.txt")).write(folder / "list.csv")
    saved = cc.rank_intervals(cc.read_scores(folder / "people.csv"), n_resamples=30, rng=1).to_dict()
    (folder / "saved.json").write_text(json.dumps(saved))


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("inputs")
    write_inputs(made)
    return made


@pytest.fixture
def folder(tmp_path: Path, inputs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where all inputs are, and the current one."""
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """Of all files below a folder, hidden ones included."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def inputs_of(call: str) -> list[str]:
    """The files that a call reads."""
    named = [Path(word.removeprefix("@")) for word in shlex.split(call)]
    found = [file for path in named for file in (sorted(path.parent.glob(path.name)) if "*" in path.name else [path])]
    return [str(f) for path in found if path.exists() for f in (sorted(path.iterdir()) if path.is_dir() else [path])]


def main_call(command: str, option: str) -> str:
    """The call that ends with an answer; a list of documents has no figure, a simulation of one has."""
    return CALLS[command][-1 if (command, option) == ("label", "--plot") else 0]


def is_folder(command: str, option: str) -> bool:
    return option in ("--output", "--save") and command.split(maxsplit=1)[0] in FOLDERS


def required(command: str, option: str) -> list[str]:
    """What the command needs beside the output that is tried."""
    if command == "label" and option == "--html":
        return ["-o", "new.csv"]
    return ["-o", "study"] if command == "study reliability" and option != "--output" else []


# Inputs -------------------------------------------------------------------------------------------


@contextmanager
def other_names(file: str, ending: str) -> Iterator[list[str]]:
    """One file by other names."""
    (link, hard, loop) = (Path(f"link{ending}"), Path(f"hard{ending}"), Path("loop"))
    link.symlink_to(Path(file).absolute())
    os.link(file, hard)
    loop.symlink_to(Path.cwd())
    try:
        yield [file, f"{file}/", f"./runs/../{file}", str(Path(file).absolute()), f"loop/{file}", str(link), str(hard)]
    finally:
        for made in (link, hard, loop):
            made.unlink()


# By what it is refused, which inputs are tried, and by how many of their names.
BY_KIND, BY_IDENTITY, EVERY = (False, None, 1), (True, 1, None), (True, None, None)


@pytest.mark.parametrize(
    ("identity", "files", "spellings"), [BY_KIND, BY_IDENTITY, pytest.param(*EVERY, marks=pytest.mark.long)]
)
@pytest.mark.parametrize(("command", "option"), WRITING)
def test_no_output_replaces_an_input(
    folder: Path,
    command: str,
    option: str,
    identity: bool,
    files: int | None,
    spellings: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if identity:  # as if every file could be an earlier output
        monkeypatch.setattr(outputs, "_START", 0)
    before = contents(folder)
    for call in CALLS[command]:
        for file in inputs_of(call)[:files]:
            with other_names(file, ENDING.get(option, "")) as names:
                for name in names[:spellings]:
                    arguments = [*command.split(), *shlex.split(call), *required(command, option), option, name]
                    done = run(*arguments)
                    assert (done.exit_code > 0, done.stdout) == (True, ""), arguments
                    assert option in done.stderr or name in done.stderr, arguments
            assert contents(folder) == before, (call, file)


def test_an_input_by_another_name_is_an_input(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the input is the link, and the output the file itself."""
    monkeypatch.setattr(outputs, "_START", 0)
    Path("link.csv").symlink_to("people.csv")
    os.link("people.csv", "hard.csv")
    before = contents(folder)
    for name in ("link.csv", "hard.csv", "runs/../people.csv"):
        done = run("compare", name, "careful.csv", "--html", "people.csv")
        assert done.exit_code == 1
        assert done.stderr == (
            f"concordant: --html would replace {name}, which this command reads: give --html another file\n"
        )
        assert contents(folder) == before


def test_a_report_whose_name_was_forgotten_destroys_nothing(folder: Path) -> None:
    before = contents(folder)
    done = run("compare", "--html", "people.csv", "careful.csv", "few.csv")
    assert done.exit_code == 2
    assert "people.csv exists and is not a report by concordant: give another file, or delete it first" in done.stderr
    done = run("evaluate", "runs", "qrels.txt", "-m", "AP", "--per-topic", "-o", "battles.csv")
    assert done.exit_code == 2
    assert "battles.csv exists and is not a table of scores by concordant" in done.stderr
    done = run("evaluate", "runs", "qrels.txt", "-m", "AP", "--per-topic", "-o", "people.csv")
    assert done.exit_code == 2
    assert "people.csv exists and is not a table of scores by concordant" in done.stderr
    assert contents(folder) == before


@pytest.mark.long
@pytest.mark.parametrize(("command", "option"), WRITING)
def test_the_same_command_again_replaces_its_output(folder: Path, command: str, option: str) -> None:
    if command == "demo":
        pytest.skip("its files are never replaced")
    target = "again" + ("" if is_folder(command, option) else ENDING[option])
    call = [*command.split(), *shlex.split(main_call(command, option)), *required(command, option), option, target]
    before = contents(folder)
    made = []
    for again in range(2):
        done = run(*call)
        if again and (command, option) == ("label", "--output"):
            assert "already exists and may hold grades: choose another name" in done.stderr
        else:
            assert done.exit_code == 0, done.stderr
        made.append(contents(folder))
    assert made[0].keys() == made[1].keys()
    assert {name: made[1][name] for name in before} == before
    assert any(name.startswith("again") for name in made[0])


def test_two_outputs_are_two_files(folder: Path) -> None:
    done = run("compare", "people.csv", "careful.csv", "--html", "x.svg", "--plot", "./x.svg")
    assert done.exit_code == 2
    assert "--html and --plot name the same file: give each its own" in done.stderr


@pytest.mark.parametrize(
    ("call", "where"),
    [
        ("evaluate runs qrels.txt -m AP -o runs/new.csv", "runs"),
        ("evaluate 'runs/*' qrels.txt -m AP -o runs/new.csv", "runs"),
        ("evaluate 'r*s' qrels.txt -m AP -o runs/new.csv", ""),
        ("judgments change runs qrels.txt depth_pool -o runs", "runs"),
        ("judgments change runs qrels.txt depth_pool -o runs/sub/study", "runs"),
        ("judgments change runs qrels.txt depth_pool --html runs/new.html", "runs"),
    ],
)
def test_no_output_into_a_folder_that_is_read_whole(folder: Path, call: str, where: str) -> None:
    before = contents(folder)
    done = run(*shlex.split(call))
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"would write into {folder / where}, where the next run would read it as an input" in done.stderr
    assert contents(folder) == before


def test_a_pattern_reads_only_what_matches(folder: Path) -> None:
    assert run("evaluate", "runs/*.txt", "qrels.txt", "-m", "AP", "-o", "runs/new.csv").exit_code == 0


def test_a_table_of_a_study_replaces_no_input(folder: Path) -> None:
    """The folder is written after the answer: the input stays, and the answer is there."""
    Path("families.csv").rename("judges.csv")
    before = Path("judges.csv").read_bytes()
    call = CALLS["judgments judges"][0].replace("families.csv", "judges.csv")
    plain = run("judgments", "judges", *call.split())
    done = run("judgments", "judges", *call.split(), "-o", ".")
    assert (done.exit_code, done.stdout) == (1, plain.stdout)
    assert "judges.csv is an input and would be overwritten" in done.stderr
    assert Path("judges.csv").read_bytes() == before


# Places that cannot be written --------------------------------------------------------------------


@pytest.mark.parametrize(("command", "option"), WRITING)
def test_a_place_that_cannot_be_written_is_told_before_the_work(folder: Path, command: str, option: str) -> None:
    before = contents(folder)
    call = [*command.split(), *shlex.split(main_call(command, option)), *required(command, option)]
    for where in ("people.csv/x", "/proc/x", *([] if is_folder(command, option) else ["nowhere/x"])):
        done = run(*call, option, where + ENDING.get(option, ""))
        assert (done.exit_code, done.stdout) == (2, "")
        assert option in done.stderr
    assert contents(folder) == before


@pytest.fixture
def no_root() -> Iterator[None]:
    """Root may write everywhere, others may not."""
    if not hasattr(os, "seteuid"):
        pytest.skip("there is no other user to be")
    was = os.geteuid()
    if was == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(was)


@pytest.mark.parametrize(("command", "option"), WRITING)
def test_a_folder_that_is_read_only_is_told_before_the_work(command: str, option: str, no_root: None) -> None:
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        os.chmod(name, 0o555)
        patch.chdir(name)
        target = "x" + ENDING.get(option, "")
        done = run(
            *command.split(), *shlex.split(main_call(command, option)), *required(command, option), option, target
        )
        os.chmod(name, 0o755)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "Permission denied" in done.stderr


QUICK = ("board", "select", "evaluate", "demo", "judgments change")


@pytest.mark.parametrize(
    ("command", "option"), [pytest.param(*pair, marks=[pytest.mark.long] * (pair[0] not in QUICK)) for pair in WRITING]
)
def test_what_cannot_be_written_in_the_end_does_not_take_the_answer(
    folder: Path, command: str, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    call = [*command.split(), *shlex.split(main_call(command, option)), *required(command, option), option]
    written = run(*call, "y" + ENDING.get(option, ""))
    assert written.exit_code == 0, written.stderr
    before = contents(folder)
    # Either every file at its end, or only what a study saves: it cannot be computed without its folder.
    if is_folder(command, option) and command != "demo":
        monkeypatch.setattr("concordant.study.saving.write_csv", full)
    else:
        monkeypatch.setattr(os, "fsync", full)
    done = run(*call, "x" + ENDING.get(option, ""))
    assert done.exit_code == 1
    assert "No space left on device" in done.stderr
    if command != "demo":  # whose answer is the file
        answer = done.stdout.partition(" trials in ")[0]  # of a study: the time differs
        assert len(answer) > 50
        assert written.stdout.startswith(answer)
    if not is_folder(command, option):
        assert contents(folder) == before


def test_the_other_files_are_written_all_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("concordant.render.report.page.report_html", broken)
    done = run("board", "people.csv", "--resamples", 30, "--html", "x.html", "--plot", "x.svg", "-f", "csv")
    assert done.exit_code == 1
    assert done.stdout.startswith("system,rank,high,")
    assert done.stderr == "concordant: not enough memory\n"
    assert Path("x.svg").exists()


def test_whoever_reads_only_the_first_line_still_gets_the_report(folder: Path) -> None:
    command = "concordant board people.csv --resamples 30 -f csv --html x.html --plot x.svg".replace(
        "concordant", f"{sys.executable} -m concordant", 1
    )
    # The reader is gone before the first line.
    done = subprocess.run(["bash", "-c", f"(sleep 0; {command}) | true; exit ${{PIPESTATUS[0]}}"], check=False)
    assert done.returncode == 0
    assert Path("x.html").exists()
    assert Path("x.svg").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory as Linux has them")
def test_a_page_fits_under_a_limit_of_memory(folder: Path) -> None:
    call = f"{sys.executable} -m concordant board people.csv --resamples 30"
    plain = subprocess.run(shlex.split(call), capture_output=True, text=True, check=True)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        ["bash", "-c", f"ulimit -v 3000000; {call} --html x.html"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0
    assert done.stdout == plain.stdout
    assert Path("x.html").exists()


# The guard itself, which Python has, too ----------------------------------------------------------


def test_python_replaces_no_file_that_it_has_read(folder: Path) -> None:
    judged = cc.read_qrels("qrels.txt")
    before = Path("qrels.txt").read_bytes()
    os.link("qrels.txt", "hard.txt")
    Path("link.txt").symlink_to("qrels.txt")
    for name in ("qrels.txt", "hard.txt", "link.txt", "runs/../qrels.txt"):
        with pytest.raises(InputError, match="is an input and would be overwritten: give another file"):
            judged.write(name)
    assert Path("qrels.txt").read_bytes() == before
    judged.write("new.txt")
    assert cc.read_qrels("new.txt") == judged
    judged.write("new.txt")  # its own
    Path("hard.txt").unlink()
    Path("qrels.txt").unlink()
    judged.write("qrels.txt")  # the way out


def test_an_open_file_is_an_input(folder: Path) -> None:
    with open("saved.html", "w") as file:
        file.write(outputs.REPORT_START)
    with open("people.csv", "rb") as opened:
        found = cc.rank_intervals(cc.read_scores(opened), n_resamples=30, rng=1)
    os.replace("people.csv", "people.html")
    Path("people.csv").symlink_to("people.html")
    with pytest.raises(InputError, match="is an input and would be overwritten"):
        found.report("people.html")
    found.report("saved.html")


def test_the_number_of_a_file_that_is_gone_belongs_to_another(folder: Path) -> None:
    """A file system gives the number of a removed file to the next one."""
    judged = cc.read_qrels("qrels.txt")
    os.rename("qrels.txt", "moved.txt")  # the same number, and no file under the name that was read
    judged.write("moved.txt")


def test_only_an_earlier_report_is_replaced(tmp_path: Path) -> None:
    found = cc.rank_intervals(cc.load_collection("people"), n_resamples=30, rng=1)
    page = tmp_path / "x.html"
    page.touch()
    for _ in range(2):
        found.report(page)
    page.write_text("<!DOCTYPE html>\n<html><body>My notes</body></html>")
    with pytest.raises(InputError, match=r"x\.html exists and is not a report by concordant"):
        found.report(page)
    assert "My notes" in page.read_text()


@pytest.mark.parametrize("name", ["x.pdf", "x.svg", "x.png"])
def test_only_a_figure_is_replaced_by_one(tmp_path: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    from concordant.render import figures as plots

    ax = cc.judge_worth(cc.load_collection("people"), cc.load_collection("hasty")).plot()
    for _ in range(2):
        plots.save(ax, tmp_path / name)
    (tmp_path / name).write_text("topic,a,b\n")
    with pytest.raises(InputError, match="exists and is not a figure"):
        plots.save(ax, tmp_path / name)


# What killed processes leave ----------------------------------------------------------------------


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob(".*.part"))


def test_the_next_run_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    target, other = tmp_path / "x.html", tmp_path / ".x.html.mine.part"
    other.write_text("not of this kind")
    program = (
        "import sys, time; from concordant.render.outputs import written_whole\n"
        "with written_whole(sys.argv[1]) as file:\n"
        "    file.write(b'half'); file.flush(); print('writing', flush=True); time.sleep(60)"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", program, str(target)], stdout=subprocess.PIPE) for _ in range(2)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
    assert len(parts(tmp_path)) == 3
    processes[0].send_signal(signal.SIGKILL)
    processes[0].wait()
    outputs.check_output(target)
    assert len(parts(tmp_path)) == 2  # the other process still writes to its own
    processes[1].send_signal(signal.SIGKILL)
    processes[1].wait()
    with outputs.written_whole(target) as file:
        file.write(b"whole")
    assert parts(tmp_path) == [other]
    assert target.read_bytes() == b"whole"
    for process in processes:
        assert process.stdout is not None
        process.stdout.close()


def test_a_file_system_without_locks_is_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_: Any) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    left = tmp_path / f".x.{'0' * 16}.part"
    left.touch()
    with outputs.written_whole(tmp_path / "x") as file:
        file.write(b"new")
    assert (tmp_path / "x").read_bytes() == b"new"
    assert left.exists()  # nobody knows whether somebody writes to it


def test_a_part_that_was_cleared_away_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked, calls = outputs._locked, []

    def late(file: Any) -> Any:
        calls.append(file)
        if len(calls) == 1:
            os.unlink(file.name)
        return False if len(calls) == 2 else locked(file)

    monkeypatch.setattr(outputs, "_locked", late)
    with outputs.written_whole(tmp_path / "x") as file:
        file.write(b"new")
    assert (tmp_path / "x").read_bytes() == b"new"
    assert (len(calls), parts(tmp_path)) == (3, [])


def test_where_there_are_no_locks_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, where a file must be closed before it is renamed or removed."""
    monkeypatch.setattr(outputs, "fcntl", None)
    left = tmp_path / f".x.{'0' * 16}.part"
    left.touch()
    for _ in range(2):
        with outputs.written_whole(tmp_path / "x") as file:
            file.write(b"new")
    assert (tmp_path / "x").read_bytes() == b"new"
    assert stat.S_ISREG((tmp_path / "x").stat().st_mode)
    assert parts(tmp_path) == []
