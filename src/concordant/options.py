"""One check for the options of all public functions, made before any work.

What an option may be follows from its annotation: a `Literal` lists its choices, `bool` is True or False, `int` a whole
number, `float` a number. Options that have the same name everywhere (`rng`, `workers`, `confidence_level`) are checked
by that name. Data come first in every signature and are checked where they are read.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from .errors import InputError, InputTypeError, check_real, check_whole
from .parallel import check_workers
from .resampling import check_alpha, check_count, check_level, generator
from .words import named

Function = TypeVar("Function", bound=Callable[..., Any])

_BY_NAME: Mapping[str, Callable[[Any], object]] = {
    "alpha": check_alpha,
    "confidence_level": check_level,
    "n_resamples": check_count,
    "rng": generator,
    "workers": check_workers,
}


def checked(function: Function) -> Function:
    """Check the options of a public function at each call; its signature and docstring stay as they are."""
    signature = inspect.signature(function)
    names = [p.name for p in signature.parameters.values() if p.kind is p.KEYWORD_ONLY]

    @functools.cache
    def hints() -> Mapping[str, Any]:
        return get_type_hints(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for name in names:
            if name in kwargs:
                _check(name, kwargs[name], hints().get(name, Any))
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def _check(name: str, value: Any, hint: Any) -> None:
    """Raise an error of ours unless a value fits its annotation."""
    parts = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    if value is None and (type(None) in parts or hint is Any):
        return
    if name in _BY_NAME:
        _BY_NAME[name](value)
        return
    kinds = [part for part in parts if part is not type(None)]
    choices = [choice for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind)]
    if choices:
        if not (isinstance(value, str | int | None) and value in choices):
            *others, last = map(repr, choices)
            raise InputError(f"{named(name)} is {_shown(value)}: use {', '.join(others)} or {last}")
        return
    if len(kinds) != 1:
        return
    kind, what = kinds[0], get_origin(kinds[0]) or kinds[0]
    if kind is bool and not isinstance(value, bool | np.bool_):
        raise InputTypeError(f"{named(name)} is {_shown(value)}: use True or False")
    if kind is int:
        check_whole(name, value, least=0, wanted="give a whole number, 0 or more")
    if kind is float:
        check_real(name, value, np.isfinite, "give a finite number")
    if kind is str and not isinstance(value, str):
        raise InputTypeError(f"{named(name)} is {_shown(value)}: give a string")
    if what is Callable and not callable(value):  # the origin of Callable[...] is the class of collections.abc
        raise InputTypeError(f"{named(name)} is {_shown(value)}: give a function, or None")
    if what is Mapping and not isinstance(value, Mapping):
        raise InputTypeError(f"{named(name)} is {_shown(value)}: give a dictionary")
    if what is tuple and Ellipsis not in get_args(kind):
        _check_items(name, value, len(get_args(kind)), set(get_args(kind)) == {str})
    if what is Iterable and get_args(kind) == (str,) and not isinstance(value, str):
        _check_items(name, value, None, True)


def _check_items(name: str, value: Any, count: int | None, strings: bool) -> None:
    """Raise unless a value is a list of so many things, or of strings."""
    listed = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    items = list(value) if isinstance(value, list | tuple | np.ndarray) else []
    wrong = count is not None and len(items) != count
    if not listed or wrong or (strings and not all(isinstance(item, str) for item in items)):
        what = "strings" if strings else "values"
        raise InputTypeError(f"{named(name)} is {_shown(value)}: give {count if count else 'a list of'} {what}")


def _shown(value: Any) -> str:
    """A value in a message: short, and without what an array or a frame would print."""
    text = repr(value) if isinstance(value, str | int | float | list | tuple | dict | type(None)) else ""
    return text if 0 < len(text) <= 100 else f"a {type(value).__name__}"
