"""The loops below the coefficients: `active` is the compiled module, or its NumPy twin where there is none.

The choice is made once, at import. CONCORDANT_KERNELS=numpy chooses the twin although the module is there.
"""

from __future__ import annotations

import os
from typing import Any

from . import reference, reference_distance, reference_reliability

active: Any = reference
if os.environ.get("CONCORDANT_KERNELS", "") != "numpy":
    try:
        from . import native

        active = native
    except ImportError:  # built without a compiler
        pass

has_native: bool = active is not reference


def distance_kernels() -> Any:
    """The kernels of the rank distance: those of the compiled module, or their twin."""
    return reference_distance if active is reference else active


def reliability_kernels() -> Any:
    """The kernels of expected correlation: those of the compiled module, or their twin."""
    return reference_reliability if active is reference else active
