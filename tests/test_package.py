"""The package as a whole: names, start-up, what is installed."""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from importlib.metadata import version
from typing import Any

import pytest

import concordant


def test_every_public_name_resolves_and_survives_the_import_of_every_module() -> None:
    code = """
import importlib, pkgutil, concordant
for module in pkgutil.walk_packages(concordant.__path__, "concordant."):
    importlib.import_module(module.name)
rooms = {"errors", "judges", "judgments", "planning", "ranks", "report", "study", "votes"}
for _ in range(2):
    for name in concordant.__all__:
        value = getattr(concordant, name)
        assert (type(value).__name__ == "module") == (name in rooms), name
for _ in range(2):
    for c in concordant.list_coefficients():
        assert c.function is getattr(concordant, c.name, c.function)
        c.function([3, 2, 1], [3, 2, 1])
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_all_names_are_listed_once() -> None:
    assert len(set(concordant.__all__)) == len(concordant.__all__)
    assert set(concordant.__all__) == set(concordant._MODULE_OF)
    assert set(concordant.__all__) <= set(dir(concordant))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = concordant.no_such_name  # type: ignore[attr-defined]


def test_no_class_name_is_used_twice() -> None:
    where: dict[str, set[str]] = {}
    for module in pkgutil.walk_packages(concordant.__path__, "concordant."):
        if not module.name.endswith(("__main__", ".native")):
            for name, value in vars(importlib.import_module(module.name)).items():
                if inspect.isclass(value) and value.__module__ == module.name:
                    where.setdefault(name, set()).add(module.name)
    assert {name: modules for name, modules in where.items() if len(modules) > 1} == {}


def test_importing_concordant_imports_nothing_heavy() -> None:
    code = "import sys, concordant; print(sorted(m.split('.')[0] for m in sys.modules))"
    modules = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    for heavy in ("numpy", "scipy", "pandas", "matplotlib", "typer"):
        assert f"'{heavy}'" not in modules


def test_a_coefficient_needs_no_scipy() -> None:
    code = "import sys, concordant as cc; cc.tau_ap([1, 2, 3], [1, 3, 2]); assert 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


WITHOUT_SCIPY = """
import sys
sys.modules["scipy"] = None  # as where it is not installed: every import of it fails
import concordant as cc
people, careful = cc.load_collection("people"), cc.load_collection("careful")
for coefficient in cc.list_coefficients():
    coefficient.attempt(people.means(), careful.means())
found = cc.compare(people, careful, worth=False, rank_test=None, test=True, n_resamples=99, rng=1)
assert found["tau_b"] > 0 and "tau_b" in str(found)
"""


@pytest.mark.parametrize("kernels", ["native", "numpy"])
def test_coefficients_files_and_a_plain_comparison_need_no_scipy(kernels: str) -> None:
    if kernels == "native" and not concordant.has_native:
        pytest.skip("NOT BUILT: the native module")
    environment = {**os.environ, "CONCORDANT_KERNELS": kernels}
    subprocess.run([sys.executable, "-c", WITHOUT_SCIPY], check=True, env=environment)


def test_the_numpy_kernels_can_be_asked_for() -> None:
    code = "import concordant as cc; assert not cc.has_native; assert cc.tau_ap([1, 2, 3], [1, 3, 2]) == 0.5 - 0.5"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "CONCORDANT_KERNELS": "numpy"})


def test_versions_agree() -> None:
    assert version("concordant") == concordant.__version__


def test_modules_have_docstrings() -> None:
    for module in pkgutil.walk_packages(concordant.__path__, "concordant."):
        if not module.name.endswith("native"):
            assert importlib.import_module(module.name).__doc__, module.name


def public_names() -> dict[str, Any]:
    """What the package has, and the functions of its public modules."""
    names = sorted(set(concordant.__all__) - {"ConcordantError", "has_native"})
    modules = [getattr(concordant, name) for name in names if inspect.ismodule(getattr(concordant, name))]
    found = {name: getattr(concordant, name) for name in names if not inspect.ismodule(getattr(concordant, name))}
    for module in modules:
        made = {f"{module.__name__}.{name}": getattr(module, name) for name in getattr(module, "__all__", ())}
        found |= {name: value for name, value in made.items() if inspect.isroutine(value)}
    return found


@pytest.mark.parametrize("name", sorted(public_names()))
def test_every_public_docstring_says_what_else_to_see(name: str) -> None:
    first, _, rest = (inspect.getdoc(public_names()[name]) or "").partition("\n")
    assert first.endswith("."), "the first line stands alone, and asks nothing"
    assert "See Also\n--------\n" in rest
