"""The tests and the fuzz over a native module that checks itself: `make harden WHAT=sanitize`.

address: GCC's AddressSanitizer and UndefinedBehaviorSanitizer; thread: ThreadSanitizer, for what runs in threads. Each
is built into build/sanitize, beside the environment of the other tests, whose tools it uses.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLAGS = {"address": "address,undefined", "thread": "thread"}
LIBRARIES = {"address": ("libasan.so", "libubsan.so"), "thread": ("libtsan.so",)}
SYMBOL = {"address": b"__asan_report", "thread": b"__tsan_read"}
# What each must find, or it finds nothing at all.
WRONG = {
    "address": 'extern "C" int wrong(int n) { int* v = new int[n]; int found = v[n]; delete[] v; return found; }',
    "thread": """#include <thread>
int count;
extern "C" int wrong(int n) {
    std::thread other([n] { for (int i = 0; i < 100000 * n; i++) count++; });
    for (int i = 0; i < 100000 * n; i++) count++;
    other.join();
    return count;
}""",
}
# Where the kernels are used hard. Threads are only in the fuzz and in the tests that ask for more than one.
TESTS = {
    "address": [
        "tests/coefficients",
        "tests/ranks",
        "tests/planning",
        "tests/chance",
        "tests/topics",
        "tests/judgments/test_evaluate.py",
        "tests/judgments/test_against_trec_eval.py",
        "tests/agreement/test_comparison.py",
        "tests/hardening",
    ],
    "thread": ["tests/coefficients", "tests/ranks", "tests/planning", "-k", "workers or thread"],
}
# With --all, every test that is not long, but for these: the module is not in their process, or hardly what runs there.
APART = {
    "tests/packaging": "builds and installs packages of its own",
    "tests/test_package.py": "starts Pythons with other variables",
    "tests/test_docs.py": "runs commands in processes of their own",
    "tests/test_site.py": "builds the docs",
    "tests/test_notebook.py": "runs a notebook of commands",
    "tests/test_tutorial_notebook.py": "runs a notebook of commands",
    "tests/read": "reads files",
    "tests/cli/test_help.py": "reads texts",
    "tests/cli/test_terminal.py": "fits texts to terminals",
    "tests/test_record_numbers.py": "compares files of numbers",
    "tests/read/test_tool_results.py": "calls pytrec_eval, which frees what it has from new[] by free()",
    "tests/render/report": "writes pages, on numbers that other tests compute",
    "tests/render/figures": "draws, with matplotlib",
}


def build(kind: str) -> Path:
    """Where the package is, with a module that has the checks in it."""
    target = ROOT / "build" / "sanitize" / kind
    shutil.rmtree(target, ignore_errors=True)
    options = [
        f"build-dir=build/sanitize/make-{kind}",
        f"cmake.define.CONCORDANT_SANITIZE={FLAGS[kind]}",
        "install.strip=false",
    ]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--target"]
    command += [str(target), *(part for option in options for part in ("-C", option)), "."]
    subprocess.run(command, cwd=ROOT, check=True)
    modules = list(target.glob("concordant/_kernels/native*.so"))
    if len(modules) != 1 or SYMBOL[kind] not in modules[0].read_bytes():
        raise SystemExit(f"{target} has no native module with the checks of {FLAGS[kind]}: it needs GCC")
    return target


def environment(kind: str, target: Path) -> dict[str, str]:
    """Variables under which Python loads the module. Python itself leaks at exit, and means to."""
    libraries = [
        subprocess.run(["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()
        for name in LIBRARIES[kind]
    ]
    return os.environ | {
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "TSAN_OPTIONS": "halt_on_error=1:exitcode=66:ignore_noninstrumented_modules=1",
        "PYTHONPATH": str(target),
        "PYTHONMALLOC": "malloc",  # every array by itself, so that its ends are seen
        "OPENBLAS_NUM_THREADS": "1",
        "CONCORDANT_SANITIZED": kind,
    }


def require_that_it_finds(kind: str, python: list[str], variables: dict[str, str]) -> None:
    """A module that is wrong, under the same variables, must end the process."""
    wrong = ROOT / "build" / "sanitize" / f"wrong-{kind}.so"
    command = ["g++", "-x", "c++", "-", "-shared", "-fPIC", "-g", f"-fsanitize={FLAGS[kind]}", "-o", str(wrong)]
    subprocess.run(command, input=WRONG[kind], text=True, check=True)
    program = f"import ctypes; ctypes.CDLL({str(wrong)!r}).wrong(3)"
    done = subprocess.run([*python, "-c", program], env=variables, capture_output=True, text=True, check=False)
    if done.returncode == 0 or "Sanitizer" not in done.stderr:
        raise SystemExit(f"{kind}: a module that is wrong was not found to be: {done.stderr[-300:]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=sorted(FLAGS))
    parser.add_argument("--seconds", type=float, default=60.0, help="of the fuzz")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="nearly all tests but the long ones: half an hour")
    parser.add_argument("--no-tests", action="store_true", help="the fuzz only")
    parser.add_argument("--no-build", action="store_true", help="with what was built before")
    parser.add_argument(
        "--pytest", type=shlex.split, default=[], metavar="OPTIONS", help='for pytest, as --pytest="-x -k tau"'
    )
    asked = parser.parse_args()
    target = ROOT / "build" / "sanitize" / asked.kind if asked.no_build else build(asked.kind)
    variables = environment(asked.kind, target)
    # ThreadSanitizer needs its addresses where they always are.
    fixed = ["setarch", "-R"] if asked.kind == "thread" and shutil.which("setarch") else []
    python = [*fixed, sys.executable]
    require_that_it_finds(asked.kind, python, variables)
    fuzz = [*python, "tests/hardening/fuzz_kernels.py", "--seconds", str(asked.seconds), "--seed", str(asked.seed)]
    most = ["tests", "-m", "not long", *(f"--ignore={path}" for path in APART)]
    # What a check reports before it ends the process is seen if pytest leaves the streams alone.
    tests = [*python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--capture=sys"]
    tests += [*(most if asked.all else TESTS[asked.kind]), *asked.pytest]
    for command in [fuzz] if asked.no_tests else [fuzz, tests]:
        print("$", " ".join(command), flush=True)
        status = subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode
        if status:
            raise SystemExit(f"{asked.kind}: ended with status {status}")
    print(f"{asked.kind}: nothing found")


if __name__ == "__main__":
    main()
