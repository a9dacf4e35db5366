"""Numbers of every size for every option that takes one: an answer without inf or nan, or one line, and in little time.

Each is tried in a process of its own, which is ended after some seconds of processor time.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import shlex
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from concordant.data.collection import NAMES, path
from tests.cli.test_help import COMMANDS, QUICK, example, files_of_the_examples
from tests.commands import run

NUMBERS = (str(10**400), str(10**11), "1e308", "1e-320", "nan", "inf", "-1", "0")
SECONDS = 5  # of processor time; what is tried here takes less than one
IN_TEXT = ("--depths", "--shares", "--sizes", "--reported", "--cost")
FEWER = {"--resamples": "500", "--draws": "1", "--trials": "1", "--sizes": "5", "--splits": "2"}
EXAMPLES = {name: shlex.split(example(command))[1:] for name, command in COMMANDS.items()}
EXAMPLES["study reliability"] = shlex.split("study reliability people.csv -o study")
EXAMPLES["combine"] = shlex.split("combine few.csv careful.csv --plan --as-good-as 30 --cost human=20 machine=0.05")
SHARED = ("--seed", "--workers", "--level")  # the same in all commands: tried with one of them
INSTEAD = {"--budget": "-k", "--target": "--as-good-as"}  # of what may be given alone
ODD = re.compile(r"\b(inf|nan|Infinity|NaN)\b|encountered")


def name_of(option: Any) -> str:
    return str(max(option.opts, key=len))


def numeric(command: Any) -> Iterator[Any]:
    """The options that take numbers."""
    for option in command.params:
        if option.param_type_name == "option" and not option.is_flag:
            kind = str(option.type_descriptor.annotation)
            if name_of(option) in IN_TEXT or re.search(r"\b(int|float)\b", kind):
                yield option


def without(words: list[str], *options: str) -> list[str]:
    """Words of a command without some options and their values."""
    kept = list(words)
    for option in set(options) & set(words):
        start = kept.index(option)
        end = next((k for k in range(start + 1, len(kept)) if kept[k].startswith("-")), len(kept))
        del kept[start:end]
    return kept


def tried(name: str) -> Iterator[list[str]]:
    """A command with every option of numbers, and every number."""
    command = COMMANDS[name]
    there = {name_of(option) for option in command.params}
    for option in numeric(command):
        given = name_of(option)
        if given in SHARED and name != "board":
            continue
        words = without(EXAMPLES[name] + QUICK.get(name, []), *option.opts, INSTEAD.get(given, ""), "--html", "-o")
        for other, few in FEWER.items():
            words += [other, few] if other in there and other != given and other not in words else []
        words += ["-o", "made"] if {"-o", "--output"} & set(EXAMPLES[name]) else []
        for number in NUMBERS:
            if given != "--cost":
                yield [*words, given, number]
                continue
            one, two = re.findall(r"(\w+)=", str(option.metavar))
            for pair in ((number, "1"), ("1", number), ("1e100", number)):
                yield [*words, "--cost", f"{one}={pair[0]}", f"{two}={pair[1]}"]


def said(words: list[str]) -> tuple[int, str]:
    """Exit status and all that a command prints; what it is ended by, or what it raises, instead."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        try:
            done = run(*words)
            answer = f"{done.exit_code}\n{done.stdout}{done.stderr}"
        except BaseException:
            answer = f"99\n{traceback.format_exc()[-2000:]}"
        os.write(writer, answer.encode()[:60_000])  # what a pipe holds
        os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8", errors="replace") as answered:
        text = answered.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return 98, f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    code, _, rest = text.partition("\n")
    return int(code), rest


def small_files() -> None:
    """Those of the examples in this folder, with 20 topics of 8 systems, so that every command is quick."""
    files_of_the_examples()
    for judge in NAMES:
        rows = [line.split(",")[:9] for line in path(judge).read_text(encoding="utf-8").splitlines()[:21]]
        for name, most in ((judge, 21), *((("few", 16),) if judge == "people" else ())):
            Path(f"{name}.csv").write_text("".join(f"{','.join(row)}\n" for row in rows[:most]), encoding="utf-8")


def wrong(words: list[str]) -> str:
    """What is wrong with the answer of a command, if anything."""
    code, text = said(words)
    one_line = code != 1 or (text.count("\n") == 1 and len(text) < 1000)
    if code in (0, 1, 2) and one_line and not (code == 0 and ODD.search(text)) and "encountered" not in text:
        return ""
    return " ".join(word[:30] for word in words) + f": {code} {text[-700:]}"


def main() -> None:
    """Try the commands that are named, or all."""
    with tempfile.TemporaryDirectory() as made, contextlib.chdir(made):
        small_files()
        for name in sys.argv[1:] or COMMANDS:
            every = list(tried(name))
            for words in every[:1]:
                run(*words[:-2])  # so that the processes need not import everything
            begun = sum(os.times()[:4])
            found = [text for text in map(wrong, every) if text]
            print(f"{name}: {len(every)} tried, {len(found)} wrong, {sum(os.times()[:4]) - begun:.1f} s", flush=True)
            print(*found, sep="\n", end="\n" * bool(found), flush=True)


if __name__ == "__main__":
    main()
