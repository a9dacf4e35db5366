"""One check for all options. `checked` reads from a function's annotations what it takes, and refuses the rest first.

An annotation says the kind: a choice, a number, a string, a list, a function, a class of ours. `RULES` says what it
cannot say, by the name of the argument. Data are annotated as anything: what reads them refuses what it cannot read.
"""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache, wraps
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from .errors import InputError, InputTypeError, LimitError
from .words import in_digits, named, one_line

P = ParamSpec("P")
R = TypeVar("R")
MOST = 100_000_000  # resamples, draws and trials, of which each leaves a number of 8 bytes
_UNFIT = object()


class Rule(NamedTuple):
    """What an option wants, in words, and which values of the right kind it takes."""

    wanted: str
    allowed: Callable[[Any], bool] = lambda value: True


class Count(NamedTuple):
    """A whole number, from the least to the most."""

    least: int = 1
    most: int = MOST


_LEVEL, _UNIT = (lambda x: 0 < x < 1), (lambda x: 0 <= x <= 1)
_SYSTEMS = Count(2, 1_000_000)  # beyond, neighbouring values of tau are closer than rounding
_CORRELATION = Rule("give a value from -1 to 1", lambda x: -1 <= x <= 1)
_DROPPED = Rule("give a quantile of the means, at least 0 and below 1", lambda x: 0 <= x < 1)
_COLLECTIONS = Rule("give a dictionary of collections by name, such as {'machine': scores}", bool)
# By argument, or by function and argument where two functions mean different things by a name.
RULES: Mapping[str, Rule | Count] = {
    "alpha": Rule("give the level of the test, above 0 and below 1", _LEVEL),
    "as_good_as": Count(1, 100_000),  # each number of human topics is tried, some 20 seconds in all
    "bounds": Rule(
        "give the lowest and the highest possible score, in that order", lambda x: 0 < x[1] - x[0] < math.inf
    ),
    "candidates": _COLLECTIONS,
    "changes": Rule("give a list of changes, such as [concordant.judgments.Change('sample', 0.1)]", bool),
    "coefficients": Rule("give a list of names, such as ['tau_b'], or leave it out", bool),
    "collections": _COLLECTIONS,
    "confidence_level": Rule("give a number above 0 and below 1, such as 0.95", _LEVEL),
    "contributing": Rule("give a list of names of runs, at least one, or leave it out", bool),
    "costs": Rule("give what a topic costs by people, and by the machine"),
    "degrees_of_freedom": Rule("give a number above 0, or leave it out where the covariance is known", lambda x: x > 0),
    "departures": Count(0),
    "drop_bottom": _DROPPED,
    "eps": Rule("give a positive number, which is added to the variances; 1e-5 is the paper's", lambda x: x > 0),
    "families": Rule("give a dictionary from system to family, such as {'gpt-4o': 'openai'}", bool),
    "from_runs.names": Rule("give a list of names of runs, at least one", bool),
    "judges": Rule("give a dictionary of Qrels by name, such as {'machine': qrels}", bool),
    "m": _SYSTEMS,
    "margin": Rule("give 0 or a positive number, which multiplies the differences of the truth", lambda x: x >= 0),
    "measures": Rule("give a list of names, such as ['nDCG@10']", bool),
    "mixed.share": Rule("give a number from 0 up to 1", _UNIT),
    "more_topics": Count(0),
    "n_folds": Count(2),
    "p": Rule("give a number above 0 and below 1, such as 0.9", _LEVEL),
    "probability": Rule("give a number above 0 and below 1, or leave it out", _LEVEL),
    "quantile": _DROPPED,
    "random_rankings.tolerance": Rule("give how far tau_ap may be from its value, from 0 to 2", lambda x: 0 <= x <= 2),
    "rel": Rule("give the lowest relevant grade, a number above 0", lambda x: x > 0),
    "select_topics.n_splits": Count(2),
    "share": Rule("give a number above 0 up to 1", lambda x: 0 < x <= 1),
    "shrinkage": Rule("give a number from 0, the covariance as it is, to 1, the variances alone", _UNIT),
    "spread": Rule("give the standard deviation of the share, from 0 to 1", _UNIT),
    "tau": _CORRELATION,
    "tau_ap": _CORRELATION,
    "teams": Rule("give a dictionary from each team to the names of its runs", bool),
    "tolerance": Rule(
        "give a number >= 0, in the units of the scores (0: only equal scores are tied)", lambda x: x >= 0
    ),
}
_MAKERS = {
    "Runs": "Runs (read_runs and Runs.from_dict make them)",
    "Qrels": "Qrels (read_qrels and Qrels.from_dict make them)",
    "Change": "concordant.judgments.Change(kind, level)",
}


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """A function that refuses what its annotations and the rules do not allow before it does anything."""

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        order, by_name = _checks(function)
        positional = (check(value) if check else value for check, value in zip(order, args, strict=False))
        for name in by_name.keys() & options.keys():
            options[name] = by_name[name](options[name])
        return function(*positional, *args[len(order) :], **options)  # type: ignore[arg-type]

    return call


Check = Callable[[Any], Any]


@cache
def _checks(function: Callable[..., Any]) -> tuple[list[Check | None], dict[str, Check]]:
    """What checks each argument by its place and by its name; made when the function is first called."""
    order: list[Check | None] = []
    by_name: dict[str, Check] = {}
    names = inspect.unwrap(function).__globals__
    for name, parameter in inspect.signature(function).parameters.items():
        text = parameter.annotation
        hint = Any if text is parameter.empty or "ArrayLike" in text else eval(text, names)
        if parameter.kind is parameter.VAR_KEYWORD:  # one typed dictionary of all of them, or anything
            hints = {} if hint is Any else get_type_hints(*get_args(hint))
        else:
            hints = {name: hint}
        made = {name: _check(name, hint, function.__name__) for name, hint in hints.items() if hint is not Any}
        by_name |= made
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            order.append(made.get(name))
    return order, by_name


def _check(name: str, hint: Any, function: str = "") -> Check:
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if name == "workers":
        return check_workers
    if name == "rng":
        return check_study_seed if hint is int else check_seed
    rule = RULES.get(f"{function}.{name}", RULES.get(name))
    if int in parts and {int, NoneType}.issuperset(parts):
        least, most = rule if isinstance(rule, Count) else Count()
        return lambda value: value if value is None and NoneType in parts else check_count(value, name, least, most)
    wanted, allowed = rule if isinstance(rule, Rule) else Rule(_wanted(parts))

    def check(value: Any) -> Any:
        found = _fit(hint, value)
        if found is _UNFIT or not (found is None or allowed(found)):
            kind = InputTypeError if found is _UNFIT and not isinstance(value, str | Real) else InputError
            raise kind(f"{named(name)} is {_shown(value)}: {wanted}")
        return found

    return check


def _fit(hint: Any, value: Any) -> Any:
    """The value, as the annotation has it, or `_UNFIT`."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return next((found for part in parts if (found := _fit(part, value)) is not _UNFIT), _UNFIT)
    if kind is Literal:
        fits = isinstance(value, str) and value in parts
    elif kind is bool:
        return bool(value) if isinstance(value, bool | np.bool_) else _UNFIT
    elif kind is int:
        return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else _UNFIT
    elif kind is float:
        return _finite(value)
    elif kind is Callable:
        fits = callable(value)
    elif kind in (Iterable, Sequence, tuple):
        return _list(kind, parts, value)
    elif kind is Mapping:
        fits = isinstance(value, Mapping) and not any(_fit(parts[1], each) is _UNFIT for each in value.values())
    else:
        fits = kind is Any or not isinstance(kind, type) or isinstance(value, kind)
    return value if fits else _UNFIT


def _finite(value: Any) -> Any:
    try:
        found = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    except OverflowError:  # of a whole number or a fraction
        return _UNFIT
    return found if math.isfinite(found) else _UNFIT


def _list(kind: Any, parts: tuple[Any, ...], value: Any) -> Any:
    if isinstance(value, str | bytes | Mapping | Set) or not isinstance(value, Iterable):
        return _UNFIT
    each = list(value)
    if kind is tuple and parts[1:] != (...,) and len(parts) != len(each):
        return _UNFIT
    found = tuple(_fit(parts[0], one) for one in each)
    return _UNFIT if any(one is _UNFIT for one in found) else found


def _wanted(parts: Sequence[Any]) -> str:
    """What an annotation allows, in words."""
    choices = [repr(choice) for part in parts if get_origin(part) is Literal for choice in get_args(part)]
    if choices:
        choices += ["None"] * (NoneType in parts)
        return f"use {', '.join(choices[:-1])} or {choices[-1]}"
    phrases = list(dict.fromkeys(_phrase(part) for part in parts if part is not NoneType))
    return f"give {' or '.join(phrases)}" + (", or leave it out" if NoneType in parts else "")


def _phrase(hint: Any) -> str:
    kind, parts = get_origin(hint) or hint, get_args(hint)
    plural = {str: "strings", int: "whole numbers", float: "numbers"}
    if kind is tuple and parts[1:] != (...,):
        return f"{len(parts)} {plural[parts[0]]}"
    if kind in (Iterable, Sequence, tuple):
        return f"a list of {plural.get(parts[0]) or _phrase(parts[0])}"
    words: dict[Any, str] = {bool: "True or False", float: "a finite number", str: "a string", os.PathLike: "a path"}
    words |= {Callable: "a function", Mapping: "a dictionary"}
    return words.get(kind) or _MAKERS.get(kind.__name__, kind.__name__)


def _shown(value: Any) -> str:
    text = one_line(in_digits(value))
    return text if len(text) <= 120 else f"{text[:117]}..."


def check_option(name: str, value: Any, hint: Any, function: str = "") -> Any:
    """One option by its rule: for functions that are called too often to be wrapped, and options in a dictionary."""
    return _check(name, hint, function)(value)


def check_count(value: Any, name: str = "n_resamples", least: int = 1, most: int = MOST) -> int:
    """A whole number of at least 1, or of what is least, and small enough for an array of as many numbers."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InputError(f"{named(name)} is {_shown(value)}: give a whole number, at least {least}")
    if value > most:
        shown = f"{value:,}" if value < 10**30 else in_digits(value)
        raise LimitError(f"{named(name)} is {shown}: give at most {most:,}")
    return int(value)


def check_workers(workers: Any) -> Any:
    """A number of at least 1, or an executor: anything to which work is submitted."""
    if callable(getattr(workers, "submit", None)) and not isinstance(workers, type):
        return workers
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer) or workers < 1:
        wanted = "give a whole number, at least 1, or an executor of concurrent.futures"
        raise InputError(f"{named('workers')} is {_shown(workers)}: {wanted}")
    return min(int(workers), 2**20)


def check_seed(rng: Any) -> Any:
    """A seed, a generator, or nothing."""
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer | np.random.Generator | None):
        raise InputTypeError(
            f"{named('rng')} is {_shown(rng)}: give a whole number as seed, a numpy Generator, or None"
        )
    if isinstance(rng, int | np.integer) and rng < 0:
        raise InputError(f"{named('rng')} is {_shown(rng)}: a seed is not negative")
    return rng


def check_study_seed(rng: Any) -> int:
    """A whole number: a study that was stopped is continued with the same one."""
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        wanted = "a study needs a seed, a whole number, so that it can be continued"
        raise InputTypeError(f"{named('rng')} is {_shown(rng)}: {wanted}")
    return int(rng)
