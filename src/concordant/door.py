"""`as_scores`: the one door. Whatever a caller passes as a collection becomes `Scores` or `Means` here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, overload

import numpy as np

from .coefficients.inputs import floats, refuse_not_finite
from .errors import InputError, InputTypeError
from .incomplete import IncompleteScores, as_read, left_open_or_completed
from .read.reader import read_side
from .scores import Means, Scores, checked_choice, completed, require_summable, unless_complete
from .tables import Filling, Missing, Unfilled, invent_topics
from .tables.assemble import assemble
from .tables.cells import Given
from .tables.contents import NO_ROLES, frame_contents
from .tables.direction import direction
from .tables.frames import is_frame
from .tables.layout import Roles
from .tables.missing import check_missing
from .tables.tools import results_contents
from .words import counted

Collection: TypeAlias = Any
"""What `as_scores` takes."""


@overload
def as_scores(
    given: Collection,
    name: str = ...,
    *,
    measure: str | None = ...,
    missing: Filling = ...,
    lower_is_better: bool | None = ...,
    systems: Iterable[str] | None = ...,
    topics: Iterable[str] | None = ...,
    topic_column: str | None = ...,
    system_column: str | None = ...,
    score_column: str | None = ...,
) -> Scores | Means: ...


@overload
def as_scores(
    given: Collection,
    name: str = ...,
    *,
    measure: str | None = ...,
    missing: Missing,
    lower_is_better: bool | None = ...,
    systems: Iterable[str] | None = ...,
    topics: Iterable[str] | None = ...,
    topic_column: str | None = ...,
    system_column: str | None = ...,
    score_column: str | None = ...,
) -> Scores | Means | IncompleteScores: ...


def as_scores(
    given: Collection,
    name: str = "scores",
    *,
    measure: str | None = None,
    missing: Missing = "error",
    lower_is_better: bool | None = None,
    systems: Iterable[str] | None = None,
    topics: Iterable[str] | None = None,
    topic_column: str | None = None,
    system_column: str | None = None,
    score_column: str | None = None,
) -> Scores | Means | IncompleteScores:
    """Take what a caller passed as a collection: scores with labels, in any of the forms that people have.

    Parameters
    ----------
    given : Scores, Means, path, frame, mapping or results of a tool
        `Scores` and `Means` are returned as they are. A path, glob or folder, or a list of these, is read by
        `read_scores`. A pandas, polars or Arrow table is read by `Scores.from_frame`, wide or long. A mapping or Series
        of one number per system becomes `Means`. Nested dictionaries and the results of ir_measures, ranx, PyTerrier
        and pytrec_eval are read by `Scores.from_dict`.
    name : str
        What errors call it.
    measure : str, optional
        The measure to read, where there are several.
    missing : {"error", "zero", "drop", "drop-systems", "mean", "available"}
        What to do where a system lacks a topic. "available" leaves it open: `IncompleteScores`.
    lower_is_better : bool, optional
        Whether the scores are errors, times or ranks, as in `read_scores`.
    systems, topics : iterable of str, optional
        Only these, in this order: names, patterns (``"STS*"``), and what to leave out (``"!AFQMC"``).
    topic_column, system_column, score_column : str, optional
        The columns of a table that hold topics, systems and scores, where their names do not say so.

    Returns
    -------
    Scores, Means or IncompleteScores
        Topics x systems, or one score per system where no topics are known.

    Examples
    --------
    >>> import concordant as cc
    >>> cc.as_scores({"bm25": 0.31, "dense": 0.42})
    <Means: 2 systems>
    >>> cc.as_scores({"bm25": {"1": {"map": 0.25}}, "ql": {"1": {"map": 0.5}}})
    <Scores: 1 topic x 2 systems, map>

    """
    columns = Roles(topic_column, system_column, score_column, **checked_choice(systems, topics))
    side = as_side(given, name, measure=measure, missing=missing, lower_is_better=lower_is_better, columns=columns)
    return left_open_or_completed(side)


def as_side(
    given: Collection,
    name: str = "scores",
    *,
    measure: str | None = None,
    missing: Missing = "error",
    lower_is_better: bool | None = None,
    columns: Roles = NO_ROLES,
) -> Scores | Means | Unfilled:
    """Like `as_scores`, for a side that is to be matched with others: where scores are missing they are so still.

    `alignment` does what `missing` says when it knows which systems and topics are compared.
    """
    wanted: Any = {"systems": columns.systems, "topics": columns.topics}
    if isinstance(given, Scores | Means | Unfilled | IncompleteScores):
        if lower_is_better not in (None, given.lower_is_better):
            raise InputError(
                f"{name}: these are {type(given).__name__}, whose direction was given before; pass "
                f"lower_is_better={lower_is_better} when they are read or made"
            )
        if isinstance(given, Means):
            return given.select(columns.systems)
        if not isinstance(given, Unfilled) and any(wanted.values()):
            given = given.select(**wanted)
        return as_read(given, name) if isinstance(given, IncompleteScores) else given
    if isinstance(given, (str, os.PathLike)) or _are_paths(given):
        return read_side(given, measure, missing, lower_is_better, columns=columns, **wanted)
    how: Any = {"lower_is_better": lower_is_better, **wanted}
    if _is_series(given):
        if not given.index.is_unique:
            raise InputError(f"{name} is a Series in which labels occur twice: every system needs one score")
        column = given.name if isinstance(given.name, str) else ""
        lower = direction(measure or column, lower_is_better, Given(name))
        made = Means(list(given.to_dict().values()), list(given.index), measure, lower_is_better=lower)
        return made.select(columns.systems)
    if is_frame(given):
        return unless_complete(assemble([frame_contents(given, name, columns)], measure, missing, **how))
    if isinstance(given, Mapping) and given and not any(map(_has_parts, given.values())):
        lower = direction(measure or "", lower_is_better, Given(name))
        return Means(list(given.values()), list(given), measure, lower_is_better=lower).select(columns.systems)
    if is_bare(given):
        raise InputTypeError(
            f"{name} is {_kind(given)} without labels: give Scores, a file, a frame, or one score per system as a "
            "dictionary or a pandas Series. Without labels, call a coefficient: concordant.tau_b(truth, candidate)"
        )
    nothing = isinstance(given, str | bytes | set | frozenset)
    if nothing or (not isinstance(given, Iterable) and not hasattr(given, "scores")):
        raise InputTypeError(
            f"{name} is {_kind(given)}: give Scores, a file, a frame, one score per system as a dictionary "
            "or a pandas Series, or the results of an evaluation tool"
        )
    return unless_complete(assemble([results_contents(given, "run", name)], measure, missing, **how))


def as_topics(given: Collection, name: str = "scores", *, least_systems: int = 2) -> Scores:
    """Like `as_scores`, for what is about topics: `Scores`, with at least 2 topics and `least_systems` systems.

    A bare topics x systems array is accepted; its systems are called 0, 1, 2, ...
    """
    scores = completed(as_topic_side(given, name, least=1, least_systems=1))
    assert isinstance(scores, Scores)  # with topics, as what was given
    _check_size(scores, name, 2, least_systems)
    return scores


def as_available(given: Collection, name: str, missing: Missing) -> Scores | IncompleteScores:
    """Like `as_topics`, for what can leave holes open; in a bare array they are nan."""
    check_missing(missing)
    if not is_bare(given):
        found = as_scores(given, name, missing=missing)
    elif np.ndim(given) == 2 and np.isnan(values := floats(given, name)).any():
        labels = invent_topics(len(values)), [str(k) for k in range(values.shape[1])]
        found = left_open_or_completed(Unfilled(values, *labels, "", missing, Given(name)))
    else:
        found = as_topics(given, name)
    if isinstance(found, Means):
        raise _without_topics(name)
    _check_size(found, name, 2, 2)
    return found


def as_topic_side(
    given: Collection, name: str, *, least: int = 2, least_systems: int = 2, otherwise: str = ""
) -> Scores | Unfilled:
    """Like `as_topics`, for a side that is to be matched with others, as with `as_side`.

    `otherwise` is what a caller without topics can do instead.
    """
    if is_bare(given):
        values = floats(given, name)
        if values.ndim != 2:
            raise InputError(
                f"{name} {_has(name)} {counted(values.ndim, 'dimension')} (shape {values.shape}): give the scores on "
                "each topic, as Scores or as a topics x systems matrix"
            )
        if not np.isfinite(values).all():
            refuse_not_finite(values, name)
        require_summable(values, name)
        side: Scores | Means | Unfilled = Scores(values, invent_topics(len(values)), range(values.shape[1]))
    else:
        side = as_side(given, name)
        if isinstance(side, Means) or not side.topics:
            raise _without_topics(name, otherwise)
    assert not isinstance(side, Means)
    _check_size(side, name, least, least_systems)
    return side


def _without_topics(name: str, otherwise: str = "") -> InputError:
    return InputError(
        f"{name} {_has(name)} one score per system and no topics: give the scores on each topic, as Scores, a "
        f"file or a topics x systems matrix{otherwise}"
    )


def _check_size(side: Scores | IncompleteScores | Unfilled, name: str, least: int, least_systems: int) -> None:
    n, m = side.values.shape
    if m < least_systems:
        raise InputError(
            f"{name} {_has(name)} {counted(m, 'system')}: at least {least_systems} are needed to rank them"
        )
    if n < least:
        raise InputError(
            f"{name} {_has(name)} {counted(n, 'topic')}: at least {least} are needed, because how systems differ from "
            "topic to topic tells how far their means can be trusted"
        )


def has_labels(given: Any) -> bool:
    """Whether it is a collection with labels, which `as_scores` reads, and not bare numbers."""
    known = isinstance(given, Scores | Means | IncompleteScores | Mapping | str | os.PathLike)
    return known or _are_paths(given) or _is_series(given) or is_frame(given)


def _has(name: str) -> str:
    return "have" if name.endswith("s") else "has"


def _kind(given: Any) -> str:
    if isinstance(given, np.ndarray):
        return f"an array of shape {given.shape}"
    kind = type(given).__name__
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def _are_paths(given: Any) -> bool:
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(g, str | os.PathLike) for g in given)


def _is_series(given: Any) -> bool:
    return hasattr(given, "to_dict") and hasattr(given, "index") and not hasattr(given, "columns")


def _has_parts(value: Any) -> bool:
    """Whether a value of a mapping is something else than a number."""
    return not isinstance(value, int | float | np.number)


def is_bare(given: Any) -> bool:
    """Whether it is an array, a list of numbers, or a list of lists of them: scores without labels."""
    if isinstance(given, np.ndarray):
        return True
    if not isinstance(given, list | tuple) or not given:
        return False
    return all(isinstance(g, int | float | np.number) or is_bare(g) for g in given)
