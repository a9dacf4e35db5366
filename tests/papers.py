"""The scripts of examples/papers as modules, for the tests."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from types import ModuleType

from .pages import ROOT


@cache
def script(name: str) -> ModuleType:
    sys.path.insert(0, str(ROOT / "examples" / "papers"))
    try:
        return import_module(name)
    finally:
        sys.path.pop(0)
