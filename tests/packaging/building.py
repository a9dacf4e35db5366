"""Builds what is published: the source distribution, and from it the wheel with the native module and the pure one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, **options: Any) -> str:
    done = subprocess.run([*map(str, command)], check=False, capture_output=True, encoding="utf-8", **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def build_sdist(to: Path) -> Path:
    hook = "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))"
    return to / run(sys.executable, "-W", "error", "-c", hook, to, cwd=ROOT).splitlines()[-1]


def unpack(sdist: Path, to: Path) -> Path:
    """The folder that a source distribution holds, below `to`."""
    # Python before 3.11.4, as on Debian 12, has no filters; later ones ask for one.
    how: Any = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    with tarfile.open(sdist) as archive:
        archive.extractall(to, **how)
    return to / sdist.name.removesuffix(".tar.gz")


def build_wheel(source: Path, to: Path, *, pure: bool) -> Path:
    """A wheel as pip makes it, from an sdist or from a folder. The pure one leaves the native module out."""
    to.mkdir()
    options = [] if pure else ["-C", f"build-dir={to}/build"]
    environment = {**os.environ, "CONCORDANT_PURE": str(int(pure)), "SOURCE_DATE_EPOCH": "1700000000"}
    pip = (sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index")
    run(*pip, *options, "-w", to, source, env=environment, cwd=to)
    (wheel,) = to.glob("*.whl")
    return wheel


def answers(python: Path, folder: Path) -> dict[str, Any]:
    """What every public function says in an environment, started in a folder that has nothing of the project."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "CONCORDANT"))}
    calls = Path(__file__).with_name("every_function.py")
    found: dict[str, Any] = json.loads(run(python, "-I", calls, env=clean, cwd=folder))
    return found


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
