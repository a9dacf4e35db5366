"""What all tests share: both kernels, and where the real data are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings

from concordant import _kernels
from concordant._kernels import reference

settings.register_profile("suite", deadline=None, print_blob=True)
settings.load_profile("suite")

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
