"""Kernels, the innermost loops: `active` is the compiled module, or its NumPy twin if that module was not built.

The choice is made once, at import. CONCORDANT_KERNELS=numpy selects the twin even if the module was built.
"""

from __future__ import annotations

import os
from typing import Any

from . import reference

active: Any = reference
if os.environ.get("CONCORDANT_KERNELS", "") != "numpy":
    try:
        from . import native

        active = native
    except ImportError:  # built without a compiler
        pass

has_native: bool = active is not reference
