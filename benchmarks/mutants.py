"""Mutation testing of the coefficients and the rank distance: are there changes of the code that no test notices?

mutmut makes a copy of the package with every small change in it (`mutants/`), and notes which tests reach which
function. The copy has no native module, so all values come from the NumPy kernels, which are mutated too. The tests are
then collected once; each mutant is a fork of that process, which runs the tests that reach it until one fails: first
those that noticed a mutant of the same function, then the quickest.

`make harden WHAT=mutants` tries them all; with SAMPLE=500 SEED=7 as many as that, drawn at random. Results are kept:
a run that was stopped continues, and ARGUMENTS=--again tries those that survived once more. These are written to
mutants/survivors.diff.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import math
import mmap
import os
import random
import resource
import signal
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import mutmut.__main__ as program
import numpy as np
import pytest
from _pytest.nodes import Node
from mutmut.configuration import config
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import change_cwd, copy_also_copy_files, copy_src_dir, setup_source_paths
from mutmut.utils.format_utils import mangled_name_from_mutant_name as function_of
from mutmut.workers.isolation import get_mutant_runner

Mutant = tuple[SourceFileMutationData, str, int | None]

KILLED = ("killed", "timeout", "segfault")
TARGET = 0.90
MEMORY = 6 * 2**30
# What fails is not made smaller; the streams stay, for progress.
QUIET = ["--rootdir=.", "-qq", "--tb=no", "--capture=sys", "-p", "no:cacheprovider", "--hypothesis-profile=mutants"]

# mutmut 3.8 reads an attribute that pytest 9.2 does not have any more.
if "_nodeid" not in Node.__slots__:
    Node._nodeid = property(lambda self: self.nodeid)  # type: ignore[attr-defined]


class Mutants:
    """Tries them, in place of pytest's own loop over the tests that it collected."""

    def __init__(self, found: list[Mutant], seconds: float, workers: int) -> None:
        self.found, self.seconds, self.workers = found, seconds, workers
        self.noticed = np.frombuffer(
            mmap.mmap(-1, 4 * max(len(found), 1)), np.int32
        )  # each mutant's test, from its fork
        self.killers: dict[str, list[int]] = defaultdict(list)  # of each function, the last first
        self.running: dict[int, int] = {}
        self.ended = 0

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """A fork for each."""
        numbers = {item.nodeid: i for i, item in enumerate(session.items)}
        gc.freeze()
        for i, (data, name, _) in enumerate(self.found):
            reached: Any = state().tests_by_mangled_function_name.get(function_of(name), ())
            order = self.order([numbers[test] for test in reached if test in numbers], session, name)
            if not order:
                self.keep(data, name, 33)
                continue
            if len(self.running) == self.workers:
                self.wait()
            pid = os.fork()
            if not pid:
                self.attempt(i, [session.items[number] for number in order], order, session)
            self.running[pid] = i
        while self.running:
            self.wait()
        return True

    def order(self, tests: list[int], session: pytest.Session, name: str) -> list[int]:
        """The tests to run: those that noticed before, then the quickest; as many as there is time for."""
        spent = state().duration_by_test
        killers = {number: place for place, number in enumerate(reversed(self.killers[function_of(name)]))}
        seconds = {number: spent[session.items[number].nodeid] for number in tests}
        order = sorted(tests, key=lambda number: (killers.get(number, math.inf), seconds[number], number))
        total = itertools.accumulate(seconds[number] for number in order)
        return [number for number, so_far in zip(order, total, strict=True) if so_far <= self.seconds]

    def attempt(self, i: int, items: list[pytest.Item], order: list[int], session: pytest.Session) -> None:
        """In the fork: run the tests until one fails; a signal ends one that takes five times its time."""
        set_mutant_under_test(self.found[i][1])
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        for item, following, number in zip(items, [*items[1:], None], order, strict=True):
            self.noticed[i] = number
            limit = 5 * (state().duration_by_test[item.nodeid] + 1)
            signal.setitimer(signal.ITIMER_PROF, limit)
            signal.setitimer(signal.ITIMER_REAL, 20 * limit)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                os._exit(1)
        os._exit(0)

    def wait(self) -> None:
        """Until a fork ends; keep how."""
        pid, status = os.wait()
        i = self.running.pop(pid)
        data, name, _ = self.found[i]
        code = os.waitstatus_to_exitcode(status)
        if code:
            killers = self.killers[function_of(name)]
            number = int(self.noticed[i])
            killers[:] = [*(one for one in killers if one != number), number]
        self.keep(data, name, 36 if code in (-signal.SIGPROF, -signal.SIGALRM) else code)

    def keep(self, data: SourceFileMutationData, name: str, code: int) -> None:
        """What became of it, in mutmut's own file."""
        data.exit_code_by_key[name] = code
        data.save()
        self.ended += 1
        if self.ended % 100 == 0:
            print(f"{self.ended} of {len(self.found)} mutants", file=sys.__stderr__, flush=True)


def prepare() -> None:
    """Write the mutants and note which tests reach them, by mutmut's steps; all tests must pass without a mutant."""
    set_mutant_under_test("mutant_generation")
    Path("mutants").mkdir(exist_ok=True)
    copy_src_dir()
    copy_also_copy_files()
    setup_source_paths()
    program.create_mutants(1)
    program.collect_or_load_stats(get_mutant_runner(1), apply_config_invalidation=True)
    set_mutant_under_test("")


def chosen(names: list[str], sample: int, seed: int) -> list[Mutant]:
    """All, the ones that match a name, or a sample of them."""
    found, files = program.collect_source_file_mutation_data(mutant_names=names)
    for data in files.values():
        data.meta_path = data.meta_path.resolve()  # the tests run in another folder
    found.sort(key=lambda one: one[1])
    if 0 < sample < len(found):
        random.Random(seed).shuffle(found)  # so that a larger sample includes a smaller one
        found = found[:sample]
    return found


def report(tried: list[str], folder: Path) -> float:
    """Print what became of each, a line a module; write the survivors; the share that was killed."""
    _, files = program.collect_source_file_mutation_data(mutant_names=[])
    status = {name: status_by_exit_code[code] for m in files.values() for name, code in m.exit_code_by_key.items()}
    modules: dict[str, Counter[str]] = defaultdict(Counter)
    for name in tried:
        modules[name.rpartition(".")[0].removeprefix("concordant.")][status[name]] += 1
    modules = dict(sorted(modules.items())) | {"all": sum(modules.values(), Counter())}
    columns = [*dict.fromkeys(["killed", "timeout", "survived", *(kind for m in modules.values() for kind in m)])]
    print("| module | mutants | " + " | ".join(columns) + " | killed, % |")
    print("|---|" + "---:|" * (len(columns) + 2))
    for module, counts in modules.items():
        share = sum(counts[kind] for kind in KILLED) / counts.total()
        shown = [module, counts.total(), *(counts[kind] for kind in columns), f"{100 * share:.1f}"]
        print("| " + " | ".join(map(str, shown)) + " |")
    alive = sorted(name for name in tried if status[name] not in KILLED)
    diffs = [f"{name}: {status[name]}\n{get_diff_for_mutant(name)}\n" for name in alive]
    (folder / "survivors.diff").write_text("\n".join(diffs))
    return share


def main() -> int:
    """Run mutmut, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="mutants to try again, such as 'concordant.coefficients.tau.*'")
    parser.add_argument("--sample", type=int, default=0, help="how many, at random; 0: all")
    parser.add_argument("--seed", type=int, default=7, help="of the sample")
    parser.add_argument("--again", action="store_true", help="those too that survived before, for there are new tests")
    parser.add_argument("--seconds", type=float, default=math.inf, help="of tests that a mutant may take, at most")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    prepare()
    found = chosen(options.names, options.sample, options.seed)
    closed = KILLED if options.again else set(status_by_exit_code.values()) - {"not checked"}
    left = [one for one in found if status_by_exit_code[one[2]] not in closed]
    mutants = Mutants(left, options.seconds, options.workers)
    selection = config().pytest_add_cli_args_test_selection
    with change_cwd("mutants"):
        pytest.main([*QUIET, *selection], plugins=[mutants])
    return int(report([name for _, name, _ in found], Path("mutants")) < TARGET)


if __name__ == "__main__":
    sys.exit(main())
