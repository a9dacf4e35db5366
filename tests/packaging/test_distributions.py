"""What is packed, and that it works with numpy and scipy alone. `make only-packages` runs all tests on it."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path
from typing import Any

import pytest

import concordant

from .building import ROOT, answers, build_sdist, build_wheel, contents, run
from .lowest import constraints

pytestmark = pytest.mark.long

CORE = ("numpy", "scipy")
EXTRAS = dict.fromkeys(("judge_study", "judgment_study", "reliability_study"), "threadpoolctl")


def environment(folder: Path, wheel: Path) -> Path:
    """The Python of a fresh environment with the wheel, numpy and scipy, which are those of this environment."""
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    (site,) = (folder / "lib").glob("python*/site-packages")
    outer = Path(sysconfig.get_path("platlib"))
    for name in CORE:
        for found in (*outer.glob(name), *outer.glob(f"{name}.libs"), *outer.glob(f"{name}-*.dist-info")):
            (site / found.name).symlink_to(found)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", "--no-deps", "--no-index", wheel)
    run(*pip, "check")
    return python


def without_numbers(value: Any) -> Any:
    """The shape of an answer: where it has numbers."""
    if isinstance(value, dict):
        return {key: without_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [without_numbers(each) for each in value]
    return isinstance(value, float)


def flat(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [number for each in value.values() for number in flat(each)]
    if isinstance(value, list):
        return [number for each in value for number in flat(each)]
    return [value] if isinstance(value, float) else []


def test_the_source_distribution_and_the_pure_wheel_hold_what_they_should(tmp_path: Path) -> None:
    sdist = build_sdist(tmp_path)
    with tarfile.open(sdist) as archive:
        packed = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    folders = {name.split("/")[0] for name in packed if "/" in name}
    assert folders <= {"src", "tests", "data", "docs", "examples", "benchmarks", "tools"}
    assert [name for name in packed if re.match(r"data/(?!README|trec/)", name)] == []
    build = {"Makefile", "CMakeLists.txt", "pyproject.toml"}
    assert [
        name for name in packed - build if "/" not in name and not re.match(r"[A-Z-]+(\.(md|txt|cff))?$", name)
    ] == []
    assert [name for name in packed if re.search(r"__pycache__|\.(so|pyc|pyd|dll|dylib|whl)$", name)] == []
    needed = {
        "LICENSE",
        "THIRD-PARTY-NOTICES.txt",
        "PKG-INFO",
        "src/concordant/_kernels/module.cpp",
        "tests/conftest.py",
    }
    assert needed <= packed

    from_sdist = contents(build_wheel(sdist, tmp_path / "from_sdist", pure=True))
    from_tree = contents(build_wheel(ROOT, tmp_path / "from_tree", pure=True))
    assert from_sdist == from_tree
    sources = {name.removeprefix("src/") for name in packed if name.startswith("src/concordant/")}
    info = f"concordant-{concordant.__version__}.dist-info"
    assert {name for name in from_sdist if not name.startswith(info)} == {
        name for name in sources if not name.endswith((".cpp", ".hpp"))
    }
    assert {f"{info}/licenses/LICENSE", f"{info}/licenses/THIRD-PARTY-NOTICES.txt"} <= set(from_sdist)


def test_every_dependency_has_one_lower_bound(tmp_path: Path) -> None:
    lines = constraints(ROOT / "pyproject.toml")
    assert {"numpy", "scipy", "typer", "pytest", "nanobind"} <= {line.partition("==")[0] for line in lines}
    for broken, said in (('["numpy"]', "no lower bound"), ('["numpy>=1", "numpy>=2"]', "two bounds")):
        project = tmp_path / "pyproject.toml"
        project.write_text(f"[build-system]\nrequires = []\n[project]\ndependencies = {broken}\n")
        with pytest.raises(SystemExit, match=said):
            constraints(project)


@pytest.mark.skipif(os.name == "nt", reason="an environment is put together as on Linux and macOS")
def test_both_wheels_work_with_numpy_and_scipy_alone_and_give_the_same_numbers(tmp_path: Path) -> None:
    sdist = build_sdist(tmp_path)
    has_compiler = importlib.util.find_spec("concordant._kernels.native") is not None
    found = {}
    for pure in (True, False):
        folder = tmp_path / ("pure" if pure else "native")
        wheel = build_wheel(sdist, folder, pure=pure)
        native = [name for name in contents(wheel) if "/native." in name and not name.endswith(".pyi")]
        assert len(native) == (0 if pure or not has_compiler else 1)
        python = environment(folder / "venv", wheel)
        found[pure] = answers(python, folder)
        assert found[pure].pop("has_native") is bool(native)
        assert str(folder) in found[pure].pop("file")

        refused = subprocess.run([python.parent / "concordant", "--help"], capture_output=True, text=True, check=False)
        assert refused.returncode == 1
        assert refused.stderr == "concordant: the command line needs typer: pip install typer\n"

    public = {name for name in concordant.__all__ if name[0].islower() and callable(getattr(concordant, name))}
    assert public - set(found[True]) == set(), "tests/packaging/every_function.py calls every public function"
    public |= set(found[True])  # and those of the modules
    assert {name for name in public if isinstance(found[True][name], str)} == set(EXTRAS)
    for name in public:
        pure, native = found[True][name], found[False][name]
        if name in EXTRAS:
            assert pure == native
            assert pure.endswith(f": pip install {EXTRAS[name]}")
        else:
            assert without_numbers(pure) == without_numbers(native), name
            assert flat(native) == pytest.approx(flat(pure), rel=1e-9, abs=1e-12, nan_ok=True), name
            assert flat(native), name
