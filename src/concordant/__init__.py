"""Compare rankings of systems: do they agree, do their differences matter, and how close are they to the truth?

Start with `compare`, or with `list_coefficients()`. Every coefficient takes `(truth, candidate)`: one score for each
system, in the same order on both sides. Higher scores are better.

`errors`, `judges`, `judgments`, `planning`, `ranks`, `study` and `votes` are public modules. `__init__.pyi` lists all
names of the package. Each name is imported on first use, so that importing concordant is fast.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__version__ = "0.3.0"

with open(os.path.join(os.path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as _names:
    _MODULE_OF = {name: module for module, name in re.findall(r"from \.([\w.]*) import \w+ as (\w+)", _names.read())}

__all__ = sorted(_MODULE_OF)  # noqa: PLE0605


def resolver(package: str, module_of: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a `__getattr__` that imports a package's names on first use."""

    def resolve(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{module_of[name]}"), name)

    return resolve


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _MODULE_OF[name]
    if not module:
        return import_module(f"{__name__}.{name}")
    try:
        value = getattr(import_module(f"{__name__}.{module}"), name)
    except AttributeError:  # a module within a package
        value = import_module(f"{__name__}.{module}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
