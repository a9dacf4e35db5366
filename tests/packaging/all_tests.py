"""Runs all tests on what is published, as it is installed: `make only-packages`.

From the tree the source distribution; from that a wheel with the native module and a pure one. The three go each into a
fresh environment, with all extras and what the tests need. The tests run in an unpacked source distribution, so that
nothing comes from the tree but the real collections: those that CONCORDANT_DATA names, or that the tests of the tree
would find, if any. `make only-packages QUICK="sdist wheel"` tests only the third with the long ones.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from ..places import collections
from .building import ROOT, build_sdist, build_wheel, contents, run, unpack

PACKAGES = ("pure", "wheel", "sdist")
ASK = "import concordant; print(concordant.__file__, concordant.has_native, sep=chr(10))"


def surroundings(folder: Path, *, pure: bool) -> dict[str, str]:
    """The variables for an environment in a folder. The unpacked tests find no collections but those named here."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CONCORDANT_DATA")}
    if (found := collections()) is not None:
        kept["CONCORDANT_DATA"] = str(found)
    return kept | {"CONCORDANT_PURE": str(int(pure)), "PATH": f"{folder}/bin{os.pathsep}{os.environ['PATH']}"}


def test(package: Path, folder: Path, unpacked: Path, *, pure: bool, options: list[str]) -> bool:
    """Whether the tests pass with a package in an environment made for it."""
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "venv", folder)
    run(python, "-m", "pip", "install", "--upgrade", "pip>=25.1")
    extras = ",".join(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])
    environment = surroundings(folder, pure=pure)
    where = f"concordant[{extras}] @ {package.as_uri()}"
    run(python, "-m", "pip", "install", "--group", f"{ROOT}/pyproject.toml:test", where, env=environment)
    run(python, "-m", "pip", "install", "--group", f"{ROOT}/pyproject.toml:build", env=environment)
    where, native = run(python, "-c", ASK, env=environment, cwd=folder).splitlines()
    if folder not in Path(where).parents or native != str(not pure):
        raise SystemExit(f"{package.name} is not what is tested: {where}, has_native {native}")
    print(package.name, *options, flush=True)
    command = [str(python), "-m", "pytest", "-q", *options]
    return subprocess.run(command, env=environment, cwd=unpacked, check=False).returncode == 0


def main() -> None:
    """Build, look into the packages and test them all, also where one fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", choices=PACKAGES, help="those tested; all three are built")
    parser.add_argument("--quick", nargs="*", choices=PACKAGES, default=[], help="those tested without the long tests")
    parser.add_argument("--workers", default="2", help="of pytest-xdist")
    asked = parser.parse_args()
    print(f"real collections: {collections() or 'none, so that the tests on them are skipped'}", flush=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        sdist = build_sdist(folder)
        wheel = build_wheel(sdist, folder / "wheel", pure=False)
        pure = build_wheel(sdist, folder / "pure", pure=True)
        packages = dict(zip(PACKAGES, (pure, wheel, sdist), strict=True))
        run(sys.executable, "-m", "twine", "check", "--strict", *packages.values())
        if contents(wheel).keys() != contents(build_wheel(ROOT, folder / "tree", pure=False)).keys():
            raise SystemExit("the wheel from the tree is not the wheel from the source distribution")
        unpacked = unpack(sdist, folder)
        failed = []
        for name in asked.only or PACKAGES:
            options = ["-n", asked.workers, *(["-m", "not long"] if name in asked.quick else [])]
            if not test(packages[name], folder / f"{name}-environment", unpacked, pure=name == "pure", options=options):
                failed.append(name)
    if failed:
        raise SystemExit(f"tests failed with: {', '.join(failed)}")


if __name__ == "__main__":
    main()
