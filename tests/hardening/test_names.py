"""Names that mean harm, in what is printed: a result looks as if its names were the escapes that are shown for them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import concordant as cc
from concordant.cli.terminal import give
from concordant.data.results import Result
from concordant.errors import one_line

from ..commands import CAREFUL, HASTY, PEOPLE, process, run
from ..judgments.test_study import MACHINE, QRELS, RUNS
from ..read.test_reader import FUNCTIONS, SIDES

pytestmark = pytest.mark.long

HARM = ("\n     1  better     0.9999  1 to 1", "\ta tab", "\x1b[2J", "\u202e", "\x7f", "\u2028", "\x9b31m", "\u200f")


TRUTH, CANDIDATE = list(SIDES.values())[:2]
OTHERWISE = (
    "combine",
    "difference",
    "judges.family_bias",
    "judge_card",
    "judge_worth",
    "plan_mix",
    "rank_judges",
)
"""Below, with names of the sides, or without names of systems."""


def hostile(label: str) -> str:
    """A name with something in it that does harm, by its last letter; blanks at the ends would not be read."""
    return f"{label}{HARM[ord(label[-1]) % len(HARM)]}."


def escaped(label: str) -> str:
    """The same as plain letters."""
    return one_line(hostile(label))


def renamed(scores: Any, name: Callable[[str], str]) -> cc.Scores:
    """With other names of systems, topics and measure."""
    return cc.Scores(scores.values, map(name, scores.topics), map(name, scores.systems), name("measure"))


def shown(call: Callable[..., Any], count: int, name: Callable[[str], str]) -> Any:
    """What a function prints of the first sides."""
    made = call(*(renamed(side, name) for side in list(SIDES.values())[:count]))
    return made if isinstance(made, Result) else None


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in OTHERWISE])
@pytest.mark.filterwarnings("ignore")
def test_results_show_names_in_one_line(name: str) -> None:
    count, call = FUNCTIONS[name]
    made = shown(call, count, hostile)
    if made is not None:
        assert str(made) == str(shown(call, count, escaped))


NAMED: dict[str, Callable[[Callable[[str], str]], Any]] = {
    "pair": lambda name: cc.pair(TRUTH, CANDIDATE.select(TRUTH.systems[1:]), names=(name("a"), name("b"))),
    "combine": lambda name: cc.combine(renamed(TRUTH.select(topics=TRUTH.topics[:8]), name), renamed(CANDIDATE, name)),
    "compare": lambda name: cc.compare(
        TRUTH, CANDIDATE, n_resamples=99, rng=1, worth=False, names=(name("a"), name("b"))
    ),
    "difference": lambda name: cc.difference(renamed(TRUTH, name), *map(name, TRUTH.systems[:2]), rng=1),
    "family_bias": lambda name: cc.judges.family_bias(
        TRUTH,
        CANDIDATE,
        families={system: name("ab"[k % 2]) for k, system in enumerate(TRUTH.systems)},
        n_resamples=99,
        rng=1,
    ),
    "judge_card": lambda name: cc.judge_card(TRUTH, [CANDIDATE], n_resamples=99, rng=1, names=[*map(name, "ab")]),
    "gaming_gap": lambda name: cc.judges.gaming_gap(
        RUNS, QRELS, MACHINE, "AP", names=(name("a"), name("b")), n_resamples=99, rng=1
    ),
    "judge_study": lambda name: cc.study.judge_study(RUNS, QRELS, {name("a"): MACHINE}, ["AP"], n_resamples=500, rng=1),
    "judge_worth": lambda name: cc.judge_worth(TRUTH, CANDIDATE, rng=1, names=(name("a"), name("b"))),
    "rank_judges": lambda name: cc.rank_judges(TRUTH, list(SIDES.values())[1:3], names=[*map(name, "xyz")], rng=1),
    "reliability_study": lambda name: cc.study.reliability_study({name("a"): TRUTH}, n_trials=1, rng=1),
}


@pytest.mark.parametrize("made", NAMED)
@pytest.mark.filterwarnings("ignore")
def test_results_show_names_of_sides_in_one_line(made: str) -> None:
    assert str(NAMED[made](hostile)) == str(NAMED[made](escaped))


def files(folder: Path, name: Callable[[str], str]) -> Path:
    """The three collections, a few topics by people, and battles, under other names."""
    folder.mkdir()
    people: Any = cc.read_scores(PEOPLE)
    for label, path in (("people", PEOPLE), ("careful", CAREFUL), ("hasty", HASTY)):
        renamed(cc.read_scores(path), name).to_frame().to_csv(folder / f"{label}.csv")
    renamed(people.select(topics=people.topics[:12]), name).to_frame().to_csv(folder / "few.csv")
    players = [name(player) for player in "xyz"]
    battles = [
        {"model_a": players[a], "model_b": players[b], "winner": winner}
        for a, b, winner in ((0, 1, "model_a"), (1, 2, "model_b"), (2, 0, "tie"), (0, 1, "model_b"), (0, 2, "model_a"))
        for _ in range(20)
    ]
    (folder / "battles.json").write_text(json.dumps(battles), encoding="utf-8")
    return folder


QUICK = ["--resamples", "99"]
COMMANDS: dict[str, list[str]] = {
    "combine": ["combine", "few.csv", "careful.csv", "--ranks"],
    "compare": ["compare", "people.csv", "careful.csv", *QUICK],
    "compare two": ["compare", "people.csv", "careful.csv", "hasty.csv", *QUICK],
    "explain": ["explain", "people.csv", "hasty.csv"],
    "look": ["look", "people.csv"],
    "plan": ["plan", "people.csv", "--all", *QUICK],
    "board": ["board", "people.csv", *QUICK],
    "board -k": ["board", "people.csv", "-k", "2", *QUICK],
    "votes": ["votes", "battles.json", "--resamples", "199"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_show_names_in_one_line(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = []
    for name in (hostile, escaped):
        monkeypatch.chdir(files(tmp_path / name.__name__, name))
        done = run(*COMMANDS[command])
        assert done.exit_code == 0, done.output
        said.append((done.stdout, done.stderr))
    assert said[0] == said[1]


@pytest.mark.parametrize("command", ["combine", "board", "votes"])
def test_csv_and_json_give_names_back(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files(tmp_path / "x", hostile))
    given = {hostile(name) for name in ("xyz" if command == "votes" else cc.read_scores(PEOPLE).systems)}
    made = process(*COMMANDS[command], "-q", "-f", "csv")
    assert {row["system"] for row in csv.DictReader(io.StringIO(made.stdout, newline=""))} == given
    made = process(*COMMANDS[command], "-q", "-f", "json")
    assert given <= set(strings(json.loads(made.stdout)))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200f\u2028-\u202e]", made.stdout)


def strings(content: Any) -> Iterator[str]:
    """All strings within."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict | list):
        for item in [*content, *content.values()] if isinstance(content, dict) else content:
            yield from strings(item)


def test_csv_on_a_terminal_does_not_control_it(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdout", screen)
    give("system\n\x1b[2J\u200f")
    assert screen.getvalue() == "system\n\\x1b[2J\\u200f\n"


def test_notes_and_errors_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "two\nlines\t\x1b[2J").write_text("1 Q0 d1 1 0.5 a\n2 Q0 d2 1 0.5 a\n", encoding="utf-8")
    (tmp_path / "qrels").write_text("1 0 d1 1\n3 0 d1 1\n", encoding="utf-8")
    done = run("evaluate", "runs", "qrels", "-m", "AP")
    assert done.exit_code == 0, done.output
    assert [line[:5] for line in done.stderr.splitlines()] == ["note:"] * done.stderr.count("note:")
    assert "two\\nlines\\t\\x1b[2J" in done.stderr
    failed = run("board", "no\nfile\t\x1b[2J.csv")
    assert failed.exit_code == 1
    assert failed.stderr.count("\n") == 1
    assert "no\\nfile\\t\\x1b[2J.csv" in failed.stderr
