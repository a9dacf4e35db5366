"""What all tests share: both kernels, and where the real data are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from concordant import _kernels
from concordant._kernels import reference

# The suite draws the same examples each time, so that a failure belongs to a change; `make explore` draws new ones.
settings.register_profile("suite", deadline=None, derandomize=True, max_examples=30)
settings.register_profile("long", deadline=None, derandomize=True, max_examples=200)
settings.register_profile("explore", deadline=None, print_blob=True)
settings.load_profile("suite")

# What `make test` leaves to `make test-long`: files, or folders of them. Single tests are marked where they stand.
LONG = (
    "hardening/",
    "packaging/",
    "report/test_browser.py",
    "study/test_dask.py",
    "test_site.py",
    "topics/test_coverage.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and item.path.relative_to(here).as_posix().startswith(LONG):
            item.add_marker("long")


KERNELS: dict[str, Any] = {"numpy": reference}
if _kernels.has_native:
    from concordant._kernels import native

    KERNELS["native"] = native


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
    named = os.environ.get("CONCORDANT_DATA")
    if named:
        if not Path(named).is_dir():
            pytest.fail(f"CONCORDANT_DATA is {named}, which is not a folder")
        return Path(named)
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not beside.is_dir():
        pytest.skip(f"no real collections at {beside}; set CONCORDANT_DATA to run this test")
    return beside


@pytest.fixture(scope="session")
def formats(data: Path) -> Path:
    """Real files of each tool."""
    return data / "formats"


@pytest.fixture(scope="session")
def golden(data: Path) -> Path:
    """Expected values beside the real collections."""
    return data.parent / "golden"
