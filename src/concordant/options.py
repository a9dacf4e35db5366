"""Check options. `checked` validates the arguments of a function against their annotations before each call.

An annotation gives the type: a choice, a number, a string, a list, a function or a class. `RULES` adds limits on the
values, keyed by argument name. Data are annotated as `Any`, because they are checked when they are read.
"""

from __future__ import annotations

import inspect
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache, wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from .errors import InputError, InputTypeError, LimitError, in_digits, named, require

F = TypeVar("F", bound=Callable[..., Any])
MOST = 100_000_000  # the largest number of resamples, draws or trials; each one takes 8 bytes
_UNFIT = object()
_G = np.random.Generator


class Fits(NamedTuple):
    """The values that an option accepts: a description, a test of values of the right type, and an upper limit."""

    wanted: str
    allowed: Callable[[Any], object] = lambda value: True
    most: float = math.inf


def _count(least: int = 1, most: int = MOST) -> Fits:
    return Fits(f"give a whole number, at least {least}", lambda x: x >= least, most)


_NAMES = Fits("give a list of names, at least one", bool)
_FRACTION = Fits("give a number above 0 and below 1", lambda x: 0 < x < 1)
_UNIT = Fits("give a number from 0 to 1", lambda x: 0 <= x <= 1)
_VALUED = Fits("give a number of topics, from 2 to 100,000", lambda x: 2 <= x <= 100_000)
# Keys are names of arguments, or "function.argument" where the limits depend on the function.
RULES: Mapping[str, Fits] = {
    **dict.fromkeys(("alpha", "confidence_level", "p", "probability"), _FRACTION),
    **dict.fromkeys(("coefficients", "contributing", "from_runs.names", "measures"), _NAMES),
    **dict.fromkeys(("departures", "more_topics", "seed"), _count(0)),
    **dict.fromkeys(("drop_bottom", "quantile"), Fits("give a quantile, at least 0 and below 1", lambda x: 0 <= x < 1)),
    **dict.fromkeys(("judge_worth.n_topics", "rank_judges.n_topics"), _VALUED),
    **dict.fromkeys(("mix.share", "spread"), _UNIT),
    **dict.fromkeys(("n_folds", "select_topics.n_splits"), _count(2)),
    "as_good_as": _count(1, 100_000),  # all smaller numbers of human topics are tried, which takes about 20 s
    "audit.top": Fits(
        "give the number of systems to compare, at least 2", lambda x: min(np.atleast_1d(x), default=2) > 1
    ),
    "bounds": Fits(
        "give the lowest and the highest possible score, in that order", lambda x: 0 < x[1] - x[0] < math.inf
    ),
    "changes": Fits("give a list of changes, such as [concordant.judgments.Change('sample', 0.1)]", bool),
    "collections": Fits("give a dictionary of collections, such as {'llm': scores}", bool),
    "costs": Fits("give two numbers, the costs of a topic judged by people and by the machine"),
    "degrees_of_freedom": Fits("give a number above 0", lambda x: x > 0),
    "eps": Fits("give a positive number to add to the variances; the paper uses 1e-5", lambda x: x > 0),
    "families": Fits("give a dictionary from system to family, such as {'gpt-4o': 'openai'}", bool),
    "gaming_gap.n_permutations": _count(20),
    "judges": Fits("give a dictionary of Qrels by name, such as {'machine': qrels}", bool),
    "m": _count(2, 1_000_000),  # for larger m, rounding merges neighbouring values of tau
    "rel": Fits("give the lowest relevant grade, a number above 0", lambda x: x > 0),
    "repeats": Fits("give mean, pass@K or pass^K, such as pass^4", re.compile(r"mean|pass[@^][1-9]\d{0,5}").fullmatch),
    "reported": Fits("give the printed text ('0.870'), because trailing zeros show its precision"),
    "rng": Fits("give a seed (a whole number, at least 0) or a numpy Generator", lambda x: isinstance(x, _G) or x >= 0),
    "share": Fits("give a number above 0 and at most 1", lambda x: 0 < x <= 1),
    "sizes": Fits(
        "give different numbers of topics, each at least 2", lambda x: x and min(x) > 1 and len({*x}) == len(x)
    ),
    "study.rng": Fits("give a seed, a whole number, so that the study can be continued", lambda x: x >= 0),
    "top": _count(2),
    "teams": Fits("give a dictionary from each team to the names of its runs", bool),
    "tolerance": Fits(
        "give a number >= 0, in the units of the scores (0: only equal scores are tied)", lambda x: x >= 0
    ),
}
# What messages call each type. Classes are listed by name, because their modules import this one.
_WORDS: Mapping[Any, str] = {
    bool: "True or False",
    float: "a finite number",
    str: "a string",
    os.PathLike: "a path",
    Callable: "a function",
    Mapping: "a dictionary",
    "Runs": "Runs (from read_runs or Runs.from_dict)",
    "Qrels": "Qrels (from read_qrels or Qrels.from_dict)",
}
Check = Callable[[Any], Any]


def checked(given: F) -> F:
    """Wrap a function so that the arguments of each call are checked against its annotations and `RULES`."""

    @wraps(given)
    def call(*args: Any, **options: Any) -> Any:
        order, by_name = _checks(given)
        positional = (check(value) if check else value for check, value in zip(order, args, strict=False))
        others = {name: by_name[name](value) if name in by_name else value for name, value in options.items()}
        return given(*positional, *args[len(order) :], **others)

    return cast(F, call)


@cache
def _checks(function: Callable[..., Any]) -> tuple[list[Check | None], dict[str, Check]]:
    """Return the checks of a function's arguments, by position and by name. The checks are cached."""
    order: list[Check | None] = []
    by_name: dict[str, Check] = {}
    names = inspect.unwrap(function).__globals__
    for name, parameter in inspect.signature(function).parameters.items():
        text = parameter.annotation
        hint = Any if text is parameter.empty or "ArrayLike" in text else eval(text, names)
        hints = {name: hint}
        if parameter.kind is parameter.VAR_KEYWORD:  # annotated with a typed dictionary of all options, or with Any
            hints = {} if hint is Any else get_type_hints(*get_args(hint))
        by_name |= {name: _check(name, hint, function.__name__) for name, hint in hints.items() if hint is not Any}
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            order.append(by_name.get(name))
    return order, by_name


def _check(name: str, hint: Any, function: str = "") -> Check:
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if name == "workers":
        return check_workers
    rule = RULES.get(f"{function}.{name}", RULES.get(name))
    if name == "rng":  # a study takes a seed, but no Generator
        hint, rule = (int, RULES["study.rng"]) if hint is int else (int | _G | None, rule)
    whole = int in parts and {int, NoneType}.issuperset(parts)
    wanted, allowed, most = rule or (_count() if whole else Fits(_wanted(parts)))
    if NoneType in parts and not wanted.startswith("use "):
        wanted += ", or leave it out"

    def check(value: Any) -> Any:
        found = _fit(hint, value)
        if found is _UNFIT or not (found is None or allowed(found)):
            choice = isinstance(value, str) and wanted.startswith("use ")
            kind = InputTypeError if found is _UNFIT and not choice else InputError
            raise kind(f"{named(name)} is {in_digits(value)}: {wanted}")
        if most < math.inf and found is not None and found > most:
            shown = f"{found:,}" if found < 10**30 else in_digits(found)
            raise LimitError(f"{named(name)} is {shown}: give at most {most:,}")
        return found

    return check


def _fit(hint: Any, value: Any) -> Any:
    """Convert a value to the annotated type, or return `_UNFIT`."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return next((found for part in parts if (found := _fit(part, value)) is not _UNFIT), _UNFIT)
    if kind is bool:
        return bool(value) if isinstance(value, bool | np.bool_) else _UNFIT
    if kind is int:
        return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else _UNFIT
    if kind is float:
        return _finite(value)
    if kind in (Iterable, Sequence, tuple):
        return _list(kind, parts, value)
    if kind is Literal:
        fits = isinstance(value, str) and value in parts
    elif kind is Callable:
        fits = callable(value)
    elif kind is Mapping:
        fits = isinstance(value, Mapping) and all(_fit(parts[1], each) is not _UNFIT for each in value.values())
    else:
        fits = kind is Any or not isinstance(kind, type) or isinstance(value, kind)
    return value if fits else _UNFIT


def _finite(value: Any) -> Any:
    try:
        found = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:  # a huge whole number or fraction
        return _UNFIT
    return found if math.isfinite(found) else _UNFIT


def _list(kind: Any, parts: tuple[Any, ...], value: Any) -> Any:
    """Convert a list to a tuple, or return `_UNFIT`. Sets do not fit, because they have no order."""
    if isinstance(value, str | bytes | Mapping | Set) or not isinstance(value, Iterable):
        return _UNFIT
    found = tuple(_fit(parts[0], each) for each in value)
    wrong = kind is tuple and len(parts) != len(found)
    return _UNFIT if wrong or any(each is _UNFIT for each in found) else found


def _wanted(parts: Sequence[Any]) -> str:
    """Describe the values that an annotation allows."""
    choices = [repr(choice) for part in parts if get_origin(part) is Literal for choice in get_args(part)]
    if choices:
        choices += ["None"] * (NoneType in parts)
        return f"use {', '.join(choices[:-1])} or {choices[-1]}"
    phrases = dict.fromkeys(_phrase(part) for part in parts if part is not NoneType)
    return f"give {' or '.join(phrases)}"


def _phrase(hint: Any) -> str:
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Iterable, Sequence, tuple):
        words = {str: "strings", int: "whole numbers", float: "numbers", Any: "labels, in their order"}
        several = words.get(parts[0], "them")
        return f"{len(parts) if kind is tuple else 'a list of'} {several}"
    return _WORDS.get(kind) or _WORDS.get(kind.__name__, kind.__name__)


def check_option(name: str, value: Any, hint: Any, function: str = "") -> Any:
    """Check one option from a dictionary, or of a function that is called too often to use `checked`."""
    return _check(name, hint, function)(value)


def check_workers(workers: Any) -> Any:
    """Check `workers`: a whole number of at least 1, or an executor (any object with `submit`)."""
    if callable(getattr(workers, "submit", None)) and not isinstance(workers, type):
        return workers
    count, wanted = _fit(int, workers), "give a whole number, at least 1, or an executor of concurrent.futures"
    require(count is not _UNFIT and count >= 1, "workers", workers, wanted)
    return min(count, 2**20)
