"""Builds the wheels for each Python that is named and compares what they compute: `make only-wheels PYTHONS="..."`.

One source distribution; a wheel for each interpreter that none of the wheels so far fits (3.12 and newer share one).
Each interpreter gets a fresh environment with its wheel, numpy and scipy alone, where every public function is called;
the numbers must be those of the first interpreter. What is built stays in dist/.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from .building import ROOT, answers, build_sdist, run

DIST = ROOT / "dist"


def installed(interpreter: str, environment: Path, sdist: Path) -> Path:
    """The Python of a fresh environment with the package from a wheel in dist/, which is built where there is none."""
    python = environment / "bin" / "python"
    run(interpreter, "-m", "venv", environment)
    run(python, "-m", "pip", "install", "--upgrade", "pip>=25.1")
    options = ("--no-deps", "--no-index", "--pre", "--only-binary", ":all:", "--find-links", str(DIST))
    ready = [str(python), "-m", "pip", "install", *options, "concordant"]
    if subprocess.run(ready, check=False, capture_output=True).returncode:
        run(python, "-m", "pip", "wheel", "--no-deps", "-w", DIST, sdist)
        run(*ready)
    run(python, "-m", "pip", "install", "numpy", "scipy")
    print(interpreter, run(python, "-m", "pip", "check").strip(), flush=True)
    return python


def same(a: Any, b: Any) -> bool:
    """Whether two answers are equal, up to the last digits that libraries of another version may round otherwise."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b))
    return bool(a == b)


def main(interpreters: list[str]) -> None:
    """Build and compare, and look at the wheels as the registry does."""
    DIST.mkdir(exist_ok=True)
    for old in DIST.glob("concordant-*"):
        old.unlink()
    sdist = build_sdist(DIST)
    first: dict[str, Any] = {}
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as made:
        for k, interpreter in enumerate(interpreters):
            python = installed(interpreter, Path(made) / str(k), sdist)
            found = answers(python, Path(made))
            del found["file"]
            first = first or found
            other = [name for name in first if not same(first[name], found.get(name))]
            print(
                interpreter, "native" if found["has_native"] else "NOT native", other or "all numbers equal", flush=True
            )
            failed += [interpreter] * (not found["has_native"] or bool(other))
    packages = [*DIST.glob("concordant-*")]
    run(sys.executable, "-m", "twine", "check", "--strict", *packages)
    for wheel in DIST.glob("*.whl"):
        print(wheel.name, run(sys.executable, "-m", "check_wheel_contents", wheel).strip())
    if failed:
        raise SystemExit(f"not as they should be: {', '.join(failed)}")


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
