"""Runs all tests on what is published, as it is installed: `make packages`.

From the tree the source distribution; from that a wheel with the native module and a pure one. The three go each into a
fresh environment, with all extras and what the tests need. The tests run in an unpacked source distribution, so that
nothing comes from the tree.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from .building import ROOT, build_sdist, build_wheel, contents, run, unpack

ASK = "import concordant; print(concordant.__file__, concordant.has_native)"


def test(package: Path, folder: Path, unpacked: Path, *, pure: bool) -> bool:
    """Whether all tests pass with a package in an environment made for it."""
    python = folder / "bin" / "python"
    run(sys.executable, "-m", "venv", folder)
    run(python, "-m", "pip", "install", "--upgrade", "pip>=25.1")
    extras = ",".join(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])
    environment = {
        **os.environ,
        "CONCORDANT_PURE": str(int(pure)),
        "PATH": f"{folder}/bin{os.pathsep}{os.environ['PATH']}",
    }
    where = f"concordant[{extras}] @ {package.as_uri()}"
    run(python, "-m", "pip", "install", "--group", f"{ROOT}/pyproject.toml:test", where, env=environment)
    run(python, "-m", "pip", "install", "--group", f"{ROOT}/pyproject.toml:build", env=environment)
    print(package.name, run(python, "-c", ASK, cwd=folder).strip(), flush=True)
    return (
        subprocess.run([python, "-m", "pytest", "-n", "2", "-q"], env=environment, cwd=unpacked, check=False).returncode
        == 0
    )


def main() -> None:
    """Build, look into the packages and test them all, also where one fails."""
    os.environ.setdefault("CONCORDANT_DATA", str(ROOT / "data"))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        sdist = build_sdist(folder)
        wheel = build_wheel(sdist, folder / "wheel", pure=False)
        packages = {"sdist": sdist, "wheel": wheel, "pure": build_wheel(sdist, folder / "pure", pure=True)}
        run(sys.executable, "-m", "twine", "check", "--strict", *packages.values())
        if contents(wheel).keys() != contents(build_wheel(ROOT, folder / "tree", pure=False)).keys():
            raise SystemExit("the wheel from the tree is not the wheel from the source distribution")
        unpacked = unpack(sdist, folder)
        failed = [
            name
            for name, package in packages.items()
            if not test(package, folder / f"{name}-environment", unpacked, pure=name == "pure")
        ]
    if failed:
        raise SystemExit(f"tests failed with: {', '.join(failed)}")


if __name__ == "__main__":
    main()
