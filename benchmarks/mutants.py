"""Mutation testing of the coefficients and the rank distance: are there changes of the code that no test notices?

mutmut makes a copy of the package with every small change in it (`mutants/`), and runs the tests that reach a change
until one fails. The copy has no native module, so all values come from the NumPy kernels, which are mutated too.
`make mutants` tries them all, which takes hours; `make mutants SAMPLE=500 SEED=7` as many as that, drawn at random.
Results are kept: a run that was stopped continues, and ARGUMENTS=--again tries those that survived once more. These are
written to mutants/survivors.diff.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import mutmut.__main__ as program
from _pytest.nodes import Node
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.state import state
from mutmut.stats import status_by_exit_code

KILLED = ("killed", "timeout", "segfault")
TARGET = 0.90

# mutmut 3.8 reads an attribute that pytest 9.2 does not have any more.
if "_nodeid" not in Node.__slots__:
    Node._nodeid = property(lambda self: self.nodeid)  # type: ignore[attr-defined]


class Mutants:
    """Those to try: all, the ones that match a name, or a sample of them."""

    def __init__(self, sample: int, seed: int, seconds: float, again: bool) -> None:
        self.sample, self.seed, self.seconds, self.again = sample, seed, seconds, again
        self.tried: list[str] = []
        self.collect = program.collect_source_file_mutation_data

    def __call__(self, *, mutant_names: tuple[str, ...] | list[str]) -> Any:
        """In place of mutmut's own list of them."""
        found, files = self.collect(mutant_names=mutant_names)
        if 0 < self.sample < len(found):
            found = sorted(found, key=lambda one: one[1])
            random.Random(self.seed).shuffle(found)  # so that a larger sample includes a smaller one
            found = found[: self.sample]
        self.tried = [name for _, name, _ in found]
        if self.again:
            found = [(m, name, code if status_by_exit_code[code] in KILLED else None) for m, name, code in found]
        by_function: Any = state().tests_by_mangled_function_name
        for function, tests in by_function.items():
            by_function[function] = self.quick(tests)
        return found, files

    def quick(self, tests: Iterable[str]) -> set[str]:
        """The tests to run, the quickest first, since most mutants fail the first; as many as there is time for."""
        spent = state().duration_by_test
        order = sorted(tests, key=lambda test: (spent[test], test))
        total = itertools.accumulate(spent[test] for test in order)
        return Ordered(test for test, so_far in zip(order, total, strict=True) if so_far <= self.seconds)


class Ordered(set[str]):
    """A set that is walked in the order in which it was filled: mutmut gives its tests to pytest as they come."""

    def __init__(self, items: Iterable[str]) -> None:
        self.order = list(items)
        super().__init__(self.order)

    def __iter__(self) -> Iterator[str]:
        return iter(self.order)


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
    parser.add_argument("names", nargs="*", help="mutants to try again, such as 'concordant.coefficients.ap.*'")
    parser.add_argument("--sample", type=int, default=0, help="how many, at random; 0: all")
    parser.add_argument("--seed", type=int, default=7, help="of the sample")
    parser.add_argument("--again", action="store_true", help="those too that survived before, for there are new tests")
    parser.add_argument("--seconds", type=float, default=math.inf, help="of tests that a mutant may take, at most")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    mutants = Mutants(options.sample, options.seed, options.seconds, options.again)
    program.collect_source_file_mutation_data = mutants
    program.cli(["run", "--max-children", str(options.workers), *options.names], standalone_mode=False)
    program.collect_source_file_mutation_data = mutants.collect
    return int(report(mutants.tried, Path("mutants")) < TARGET)


if __name__ == "__main__":
    sys.exit(main())
