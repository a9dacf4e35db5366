"""What all tests share: both kernels, and where the real data are."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

from concordant import _kernels
from concordant._kernels import reference

from . import places

# The suite draws the same examples each time, so that a failure belongs to a change.
# `make harden WHAT=explore` draws new ones.
settings.register_profile("suite", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("long", deadline=None, derandomize=True, max_examples=200)
settings.register_profile("explore", deadline=None, print_blob=True)
quick = (Phase.explicit, Phase.generate)
settings.register_profile("mutants", deadline=None, derandomize=True, max_examples=30, phases=quick)
settings.load_profile("suite")


def pytest_runtest_teardown() -> None:
    """Leave no figure open: matplotlib warns of more than 20, whichever tests of a process have drawn them."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


KERNELS: dict[str, Any] = {"numpy": reference}
if _kernels.has_native:
    from concordant._kernels import native

    KERNELS["native"] = native

# For tests of both kernels that take seconds on NumPy.
NUMPY_IS_LONG = pytest.mark.parametrize(
    "kernels",
    [pytest.param(name, marks=[pytest.mark.long] * (name == "numpy")) for name in sorted(KERNELS)],
    indirect=True,
)


@pytest.fixture(params=sorted(KERNELS))
def kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a test on the NumPy kernels and, where it was built, on the native module."""
    monkeypatch.setattr(_kernels, "active", KERNELS[request.param])
    return KERNELS[request.param]


def pytest_report_header() -> str:
    return "concordant kernels: " + ", ".join(sorted(KERNELS)) + ("" if "native" in KERNELS else " (NOT native)")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real collections. Where CONCORDANT_DATA is set, a file that is not there is a failure."""
    found = places.collections()
    if found is None:
        pytest.skip(f"NO REAL COLLECTIONS, or not all, in {places.places()[0]}: set CONCORDANT_DATA to run this test")
    if not found.is_dir():
        pytest.fail(f"CONCORDANT_DATA is {found}, which is not a folder")
    return found


@pytest.fixture(scope="session")
def trec() -> Path:
    """The collections that come with the project."""
    return places.trec()


@pytest.fixture(scope="session")
def formats(data: Path) -> Path:
    """Real files of each tool."""
    return data / "formats"


@pytest.fixture(scope="session")
def golden() -> Path:
    """Expected values, on the real collections among others."""
    return Path(__file__).parent / "golden"
