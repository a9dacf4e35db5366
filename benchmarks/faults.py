"""What was tried against the package, and what was lost: writes docs/measured/faults.csv.

    make harden WHAT=faults                         all of it, some minutes
    make harden WHAT=faults PARTS="kills pickles"   some of it; the other rows stay as they are

Each part returns how often it tried and what went wrong. What cannot be tried here, such as mounting a small disk
without the right to do so, says so in its row. Each part is written to the page when it has finished.
"""

from __future__ import annotations

import contextlib
import copy
import csv
import io
import json
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tests.commands import run as run_command
from tests.hardening.test_names import files, strings
from tests.hardening.test_values import MADE, arrays
from tests.study.trials import grid

import concordant as cc
from concordant.data.collection import path
from concordant.errors import one_line
from concordant.read.labels import labels_of
from concordant.render.outputs import write_csv
from concordant.study.grid import run_grid

ROOT = Path(__file__).resolve().parents[1]
TRIALS = ROOT / "tests" / "study" / "trials.py"
PEOPLE, CAREFUL, HASTY = (str(path(name)) for name in ("people", "careful", "hasty"))
NAMES = (
    "<script>alert(1)</script>", "</script><b>", "{{x}}", "__proto__", "*x*", "=1+1", "@SUM(1)", "\x1b[31mred",
    "a\u202eb", "$\\frac$", "\\input{x}", "a|b", "`c`", "[l](javascript:1)", "https://x.org", "'; drop", "%s",
    "two\nlines", "tab\there", "a\u2028b", "&lt;",
)  # fmt: skip


class Row(NamedTuple):
    """One line of the table."""

    what: str
    tried: int
    lost: int
    held: str
    """What has to hold."""
    note: str = ""


def quietly(call: Callable[[], Any]) -> bool:
    """Whether a call ends with a result, or with an error of the package's own."""
    with warnings.catch_warnings(), contextlib.suppress(cc.ConcordantError):
        warnings.simplefilter("ignore")
        try:
            call()
        except cc.ConcordantError:
            raise
        except Exception as error:
            print(f"  {type(error).__name__}: {error}", file=sys.stderr)
            return False
    return True


# Files ---------------------------------------------------------------------------------------------


def seeds() -> dict[str, tuple[bytes, Callable[[Any], Any]]]:
    """A good file of each kind, and what reads it."""
    people = cc.load_collection("people")
    saved = io.StringIO()
    rows = [{"system": s, "topic": t, "score": 0.5} for s in "abc" for t in "123"]
    saved.write("".join(json.dumps(row) + "\n" for row in rows))
    evaluated = "".join(f"map\t{topic}\t0.{k + 1}\n" for k, topic in enumerate(people.topics))
    run = "".join(f"{t} Q0 d{k} {k} {9 - k}.5 x\n" for t in (1, 2) for k in range(9))
    nested = {"r1": {"map": {"1": 0.5, "2": 0.25}}, "r2": {"map": {"1": 0.25, "2": 0.5}}}
    battles = [{"model_a": a, "model_b": b, "winner": "tie", "question_id": q} for a, b in ("xy", "yz") for q in "12"]
    groups = "topic,group\n" + "".join(f"{topic},g{k // 2}\n" for k, topic in enumerate(people.topics))
    parquet = io.BytesIO()
    people.to_frame().reset_index().to_parquet(parquet)
    return {
        "table": (Path(PEOPLE).read_bytes(), cc.read_scores),
        "trec_eval": (evaluated.encode(), cc.read_scores),
        "run": (run.encode(), cc.read_runs),
        "qrels": (b"1 0 a 1\n1 0 b 0\n2 0 a 2\n", cc.read_qrels),
        "JSON": (json.dumps(nested).encode(), cc.read_scores),
        "JSON lines": (saved.getvalue().encode(), cc.read_scores),
        "votes": (
            "\n".join(",".join(row) for row in (battles[0], *(b.values() for b in battles))).encode(),
            cc.votes.read_votes,
        ),
        "votes as JSON lines": ("\n".join(map(json.dumps, battles)).encode(), cc.votes.read_votes),
        "groups": (groups.encode(), lambda path: cc.as_scores(people, groups=path).means()),
        "types": (groups.encode(), lambda path: cc.as_scores(people, types=path, total="type-mean").means()),
        "costs": (groups.replace(",g", ",1").encode(), lambda path: labels_of(path, "costs")),
        "teams": (b"run,team\na,A\nb,A\nc,B\n", lambda path: labels_of(path, "teams")),
        "families": (b"system,family\na,A\nb,A\nc,B\n", lambda path: labels_of(path, "families")),
        "Parquet": (parquet.getvalue(), cc.read_scores),
    }


def mutated(data: bytes, rng: random.Random) -> bytes:
    """With a few bytes changed, cut out, doubled, or put in."""
    made = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at, length = rng.randrange(len(made)), rng.randint(1, 40)
        way = rng.randrange(5)
        if way == 0:
            made[at] = rng.randrange(256)
        elif way == 1:
            del made[at : at + length]
        elif way == 2:
            made[at:at] = made[at : at + length]
        elif way == 3:
            made[at:at] = rng.choice([b"\0", b'"', b"nan", b"\n\n", b"#", b"1e999", b"\xff\xfe", b"{", b",,", b"-0"])
        else:
            del made[at:]
        made = made or bytearray(b"\n")
    return bytes(made)


def readers() -> Row:
    """Files that were changed at random."""
    rng, tried, lost = random.Random(7), 0, 0
    with tempfile.TemporaryDirectory() as made:
        target = Path(made, "file")
        kinds = seeds()
        for data, read in kinds.values():
            for _ in range(700):
                target.write_bytes(mutated(data, rng))
                tried += 1
                lost += not quietly(partial(read, target))
    return Row(
        f"files of {len(kinds)} kinds, changed at random", tried, lost, "a result, or an error that names the file"
    )


def openings() -> Row:
    """Devices, pipes, sparse files and headers that lie, for everything that opens a file."""
    return tests(
        "devices without end, pipes without a writer, sparse files, headers that lie, closed streams",
        ["tests/hardening/test_opening.py"],
        "one line that names the file, and bounded memory",
    )


# Studies -------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a study, but halves that a kill left behind."""
    return {p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file() and not p.name.endswith(".part")}


def program(folder: Path, workers: int) -> subprocess.Popen[bytes]:
    """A study in a process of its own."""
    source = {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, str(TRIALS), str(folder), str(workers)]
    return subprocess.Popen(command, env={**os.environ, **source}, start_new_session=True, stderr=subprocess.DEVNULL)


def kills() -> Row:
    """kill -9 at random moments, again and again, until it is done."""
    rng, tried, lost = random.Random(3), 0, 0
    with tempfile.TemporaryDirectory() as made:
        run_grid(grid(n_trials=40), Path(made, "whole"))
        whole = contents(Path(made, "whole"))
        for k in range(6):
            folder = Path(made, str(k))
            for _ in range(4):
                started = program(folder, 1 + k % 2)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    started.wait(1.2 + 3 * rng.random())
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(started.pid, signal.SIGKILL)
                started.wait()
                tried += 1
            run_grid(grid(n_trials=40), folder)
            lost += contents(folder) != whole
    return Row(
        "studies killed with SIGKILL at random moments, then continued", tried, lost, "the same bytes at the end"
    )


def writers() -> Row:
    """Two processes that run one study in one folder."""
    lost = 0
    with tempfile.TemporaryDirectory() as made:
        run_grid(grid(n_trials=40), Path(made, "whole"))
        for k in range(3):
            pair = [program(Path(made, str(k)), 1) for _ in range(2)]
            lost += [one.wait() for one in pair] != [0, 0]
            lost += contents(Path(made, str(k))) != contents(Path(made, "whole"))
    return Row("two processes that write one study", 3, lost, "both end, with the same bytes")


def damage() -> Row:
    """Chunks of which bytes were changed."""
    rng, tried, lost = random.Random(5), 0, 0
    with tempfile.TemporaryDirectory() as made, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = run_grid(grid(n_trials=40), Path(made)).values
        chunks = sorted(Path(made, "chunks").glob("*.bin"))
        for _ in range(200):
            chunk = rng.choice(chunks)
            chunk.write_bytes(mutated(chunk.read_bytes(), rng))
            tried += 1
            lost += not np.array_equal(run_grid(grid(n_trials=40), Path(made)).values, expected)
    return Row("chunks of a study with changed bytes", tried, lost, "computed again, the same numbers")


def full_disk() -> Row:
    """A file system of 64 kB, full in the middle of a study and of a report."""
    what, held = "a study and a table on a file system of 64 kB", "an error that names the file; nothing half-written"
    with tempfile.TemporaryDirectory() as made:
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", made]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            return Row(what, 0, 0, held, "not tried: no right to mount a file system")
        try:
            lost = 0
            Path(made, "table.csv").write_bytes(b"old")
            Path(made, "ballast").write_bytes(bytes(40_000))
            try:
                run_grid(grid(n_trials=400, chunk=1), Path(made, "study"))
                lost += 1  # it cannot fit
            except OSError as error:
                lost += error.filename is None
            lost += len(list(Path(made).rglob("*.part")))
            try:
                write_csv(Path(made, "table.csv"), [{"system": "x" * 1000, "value": k} for k in range(1000)])
                lost += 1
            except OSError:
                lost += Path(made, "table.csv").read_bytes() != b"old"
            Path(made, "ballast").unlink()
            kept = run_grid(grid(n_trials=8), Path(made, "other"))
            lost += not np.array_equal(kept.values, run_grid(grid(n_trials=8)).values)
        finally:
            subprocess.run(["umount", made], check=True)
    return Row(what, 3, lost, held)


def dask() -> Row:
    """Workers and the scheduler of a Dask cluster killed half-way."""
    held = "the same bits, or one line and what is done is kept"
    return tests("workers and the scheduler of a Dask cluster killed", ["tests/study/test_dask.py"], held)


def reports() -> Row:
    """SIGINT at random moments while a report takes the place of an older one."""
    rng, lost, tried = random.Random(11), 0, 12
    with tempfile.TemporaryDirectory() as made:
        target = Path(made, "report.html")
        for _ in range(tried):
            target.write_text("old")
            command = [sys.executable, "-m", "concordant", "compare", PEOPLE, HASTY, "-q", "--html", str(target)]
            started = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
            )
            time.sleep(0.5 + 6 * rng.random())
            started.send_signal(signal.SIGINT)
            started.wait()
            text = target.read_text(encoding="utf-8")
            lost += text != "old" and not text.rstrip().endswith("</html>")
            lost += len(list(Path(made).iterdir())) != 1
    return Row("reports interrupted at random moments", tried, lost, "the old file or the new one, and no other")


# Names ---------------------------------------------------------------------------------------------


def names() -> Row:
    """Names that mean harm, in what commands print and write.

    Text has to look as if the names were the escapes that are shown for them. "@SUM(1)" is refused as a summary.
    """
    systems = cc.load_collection("people").systems
    given = dict(zip(systems, (name for name in NAMES if name != "@SUM(1)"), strict=True))
    quick, tried, lost = ["--resamples", "500", "-q"], 0, 0
    commands = {
        "board": ["board", "people.csv", *quick],
        "combine": ["combine", "few.csv", "careful.csv", "--ranks", "-q"],
        "explain": ["explain", "people.csv", "hasty.csv", "--by", "systems", "-q"],
        "compare": ["compare", "people.csv", "careful.csv", "--no-worth", *quick],
        "judge-card": ["judge-card", "people.csv", "careful.csv", *quick],
        "look": ["look", "people.csv", "-q"],
    }
    with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
        for folder, name in (
            ("as-they-are", given.get),
            ("escaped", lambda label, _: one_line(given.get(label, label))),
        ):
            files(Path(made, folder), lambda label, name=name: name(label, label))  # type: ignore[misc]

        def said(command: str, *more: str, folder: str = "as-they-are") -> str:
            with contextlib.chdir(Path(made, folder)):
                done = run_command(*commands[command], *more)
            assert done.exit_code == 0, done.output
            return str(done.stdout)

        def checked(held: bool, what: str) -> None:
            nonlocal tried, lost
            tried, lost = tried + len(given), lost + (not held)
            if not held:
                print(f"  names: {what}", file=sys.stderr)

        for command in ("board", "combine", "explain", "compare", "look"):
            checked(said(command) == said(command, folder="escaped"), f"text of {command}")
        for command in ("board", "combine", "explain"):
            read = list(csv.DictReader(io.StringIO(said(command, "-f", "csv"), newline="")))
            checked({row["system"] for row in read} == set(given.values()), f"CSV of {command}")
            checked(set(given.values()) <= set(strings(json.loads(said(command, "-f", "json")))), f"JSON of {command}")
            text = said(command, "-f", "markdown")
            marks = ("| <", "| *x*", "| __", "https://", "| $", "| `", "| [")
            checked(text.count("\n") == len(given) + 2 and not any(m in text for m in marks), f"Markdown of {command}")
            text = said(command, "-f", "latex")
            checked(text.count("\n") == len(given) + 6 and "\\input" not in text, f"LaTeX of {command}")
        for command in ("compare", "board", "judge-card"):
            said(command, "--html", "page.html")
            page = Path(made, "as-they-are", "page.html").read_text(encoding="utf-8")
            checked(not any(m in page for m in ("<script>alert(1)", "</script><b>")), f"HTML of {command}")
    held = "text and no markup, in one line; CSV and JSON give the names back"
    return Row("hostile names in 25 outputs of 7 commands: text, CSV, JSON, Markdown, LaTeX, HTML", tried, lost, held)


# Processes -----------------------------------------------------------------------------------------


def coefficients(rng: np.random.Generator) -> dict[str, Any]:
    """Every coefficient once."""
    truth, candidate = rng.permutation(40) / 8, rng.permutation(40) / 8
    return {c.name: c.function(truth, candidate) for c in cc.list_coefficients()}


def threads() -> Row:
    """All coefficients in eight threads at once."""
    expected = [coefficients(np.random.default_rng(k)) for k in range(200)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: coefficients(np.random.default_rng(k)), range(200)))
    lost = sum(a != b for a, b in zip(expected, found, strict=True))
    return Row("every coefficient in eight threads at once", 200 * len(expected[0]), lost, "the same bits as in one")


def forks() -> Row:
    """Forked processes, after threads of the kernels have run."""
    batch = np.random.default_rng(1).random((500, 60))
    expected, lost = cc.tau_ap(batch[0], batch, workers=2), 0
    for _ in range(20):
        child = os.fork()
        if child == 0:
            os._exit(int(not np.array_equal(cc.tau_ap(batch[0], batch, workers=2), expected)))
        lost += os.waitpid(child, 0)[1] != 0
    return Row("forked processes after threads", 20, lost, "the same bits")


def pickles() -> Row:
    """Pickles and copies of every kind of result."""
    lost = 0
    for make in MADE.values():
        made = make()
        for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made), copy.copy(made)):
            lost += made != other or any(array.flags.writeable for array in arrays(other))
    return Row("pickles and copies of every kind of result", 3 * len(MADE), lost, "equal, and read-only")


def options() -> Row:
    """Every public function under python -O, -X dev and -W error."""
    script = str(ROOT / "tests" / "packaging" / "every_function.py")
    answers: dict[str, str] = {}
    count = 0
    for name in ("plain", "-O", "-X dev", "-W error"):  # not -OO: Altair needs its docstrings
        flags = [] if name == "plain" else name.split()
        done = subprocess.run([sys.executable, *flags, script], capture_output=True, text=True, check=False)
        found = {"failed": done.stderr[-300:]} if done.returncode else json.loads(done.stdout)
        text = re.sub(r'"(cpu_)?seconds": [0-9.e-]+', "", json.dumps(found))  # as text, in which nan is nan
        answers[name], count = text, max(count, len(found))
    lost = sum(answer != answers["plain"] for answer in answers.values())
    return Row("every public function under -O, -X dev and -W error", 3 * count, lost, "the same numbers")


def numbers() -> Row:
    """Numbers of every size for every option that takes one."""
    script = [sys.executable, "-m", "tests.hardening.wrong_numbers"]
    done = subprocess.run(script, capture_output=True, text=True, check=False, cwd=ROOT)
    print(done.stdout, done.stderr, sep="", file=sys.stderr)
    counts = [tuple(map(int, pair)) for pair in re.findall(r": (\d+) tried, (\d+) wrong", done.stdout)]
    lost = sum(wrong for _, wrong in counts) + (done.returncode != 0)
    held = "an answer without inf or nan, or one line that names the option, within 5 s"
    return Row("numbers from 1e-320 to 1e400, nan and inf, for every option", sum(n for n, _ in counts), lost, held)


def tests(what: str, files: list[str], held: str) -> Row:
    """A row of tests that try the same thing."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (passed|failed|error)", done.stdout)}
    lost = counts.get("failed", 0) + counts.get("error", 0) + (not counts)
    return Row(what, counts.get("passed", 0) + lost, lost, held)


PARTS: dict[str, Callable[[], Row]] = {
    part.__name__: part
    for part in (
        readers,
        openings,
        kills,
        writers,
        damage,
        full_disk,
        dask,
        reports,
        names,
        threads,
        forks,
        pickles,
        options,
        numbers,
    )
}


def store(name: str, row: Row) -> None:
    """The part's row of docs/measured/faults.csv."""
    sys.path.append(str(ROOT / "benchmarks"))  # this file is run as a module of the repository
    from cells import keep

    held = {"tried": row.what, "times": row.tried, "lost": row.lost, "what_has_to_hold": row.note or row.held}
    keep("faults", [{"part": name, **held}], ("part",))


def main() -> None:
    """Try what the command line names, or all, and store it."""
    wanted = sys.argv[1:] or list(PARTS)
    unknown = [name for name in wanted if name not in PARTS]
    if unknown:
        sys.exit(f"there is no {', '.join(unknown)}: there are {', '.join(PARTS)}")
    lost = 0
    for name in wanted:
        row = PARTS[name]()
        print(f"{name}: {row.tried:,} tried, {row.lost} lost {row.note}", flush=True)
        store(name, row)
        lost += row.lost
    if lost:
        sys.exit("something was lost")


if __name__ == "__main__":
    main()
