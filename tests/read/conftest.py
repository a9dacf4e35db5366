"""Where the real collections are: CONCORDANT_DATA, else ../shared/data beside the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real collections. Where CONCORDANT_DATA is set, a file that is not there is a failure."""
    named = os.environ.get("CONCORDANT_DATA")
    if named:
        if not Path(named).is_dir():
            pytest.fail(f"CONCORDANT_DATA is {named}, which is not a folder")
        return Path(named)
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    if not beside.is_dir():
        pytest.skip(f"no real collections at {beside}; set CONCORDANT_DATA to run this test")
    return beside


@pytest.fixture(scope="session")
def formats(data: Path) -> Path:
    """Real files of each tool."""
    return data / "formats"
