"""`as_scores`: whatever a caller passes as a collection becomes `Scores` or `Means` here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, Unpack

import numpy as np

from ..coefficients.inputs import floats
from ..data.holes import invent_topics
from ..data.scores import Means, Scores, require_summable
from ..errors import InputError, InputTypeError, hearing, warn
from ..options import checked
from ..words import argument, counted, named
from .formats.nested import NestedScores
from .reader import Reading, ReadOptions, read_scores
from .tables.assemble import assemble
from .tables.cells import Given
from .tables.contents import frame_contents
from .tables.frames import is_frame
from .tables.measures import direction

Collection: TypeAlias = Any
"""What `as_scores` takes."""


_TAKEN = "Scores, a file, a frame, one score per system as a dictionary or a pandas Series"


@checked
def as_scores(given: Collection, name: str = "scores", **how: Unpack[ReadOptions]) -> Scores | Means:
    """Take what a caller passed as a collection: scores with labels, in any of the forms that people have.

    Parameters
    ----------
    given : Scores, Means, path, frame, mapping or results of a tool
        `Scores` and `Means` are returned as they are, but for what `how` says. A path, glob or folder, or a list of
        these, is read by `read_scores`. A pandas, polars or Arrow table is read as a CSV file of the same table would
        be; an index of pandas is its first column. A mapping or Series of one number per system becomes `Means`. Nested
        dictionaries and the results of ir_measures, ranx, PyTerrier and pytrec_eval are taken as they are.
    name : str
        What errors call it.
    **how
        As in `read_scores`: `measure`, `missing`, `groups`, `total` and so on.

    Returns
    -------
    Scores or Means
        Topics x systems, or one score per system where no topics are known.

    See Also
    --------
    read_scores : Read files, with all options.
    pair : Match the systems and topics of a truth and its candidates.

    Examples
    --------
    >>> import concordant as cc
    >>> cc.as_scores({"bm25": 0.31, "dense": 0.42})
    <Means: 2 systems>
    >>> cc.as_scores({"bm25": {"1": {"map": 0.25}}, "ql": {"1": {"map": 0.5}}})
    <Scores: 1 topic x 2 systems, map>

    """
    if isinstance(given, (str, os.PathLike)) or _are_paths(given):
        return read_scores(given, **how)
    with hearing() as said:
        made = _taken(given, name, Reading.of(**how))
    return made.described(notes=(*made.notes, *said)) if said else made


def _taken(given: Collection, name: str, reading: Reading) -> Scores | Means:
    if isinstance(given, Scores | Means):
        if reading.lower_is_better not in (None, given.lower_is_better):
            way_out = f"pass lower_is_better={reading.lower_is_better} when they are read or made"
            raise InputError(f"{name}: these are {type(given).__name__}, whose direction was given before; {way_out}")
        return reading.described(reading.selected(given))
    if is_frame(given):
        return reading.of_read(assemble([frame_contents(given, Given(name), reading.roles)], **reading.wanted))
    if _is_series(given) or (isinstance(given, Mapping) and given and not any(map(_has_parts, given.values()))):
        return reading.described(reading.selected(_means(given, name, reading)))
    if is_bare(given):
        unlabelled = "Without labels, call a coefficient: concordant.tau_b(truth, candidate)"
        raise InputTypeError(f"{name} is {_kind(given)} without labels: give {_TAKEN}. {unlabelled}")
    nothing = isinstance(given, str | bytes | set | frozenset)
    known = type(given).__module__.partition(".")[0] == "ranx" or hasattr(given, "per_query")
    if nothing or not (known or isinstance(given, Iterable)):
        raise InputTypeError(f"{name} is {_kind(given)}: give {_TAKEN}, or the results of an evaluation tool")
    results = NestedScores(Given(name), as_nested(given))
    results.names = ("run",)
    return reading.of_read(assemble([results], **reading.wanted))


def _means(given: Any, name: str, reading: Reading) -> Means:
    """One number per system, from a Series or a mapping."""
    column = ""
    if _is_series(given):
        if not given.index.is_unique:
            raise InputError(f"{name} is a Series in which labels occur twice: every system needs one score")
        column, given = given.name if isinstance(given.name, str) else "", given.to_dict()
    lower = direction(reading.measure or column, reading.lower_is_better, Given(name))
    return Means(list(given.values()), list(given), reading.measure, lower_is_better=lower, missing=reading.missing)


def as_topics(
    given: Collection,
    name: str = "scores",
    *,
    least: int = 2,
    least_systems: int = 2,
    holes: bool = False,
    otherwise: str = "",
) -> Scores:
    """Like `as_scores`, for what is about topics: `Scores`, whose policy for missing scores was applied.

    A bare topics x systems array is accepted; its systems are called 0, 1, 2, ... With `holes`, scores may be missing
    for good. `otherwise` is what a caller without topics can do instead.
    """
    made, said = as_topic_side(given, name, otherwise=otherwise).settled(open_to_holes=holes)
    for sentence in said:
        warn(sentence)
    n, m = made.values.shape
    if m < least_systems:
        raise InputError(
            f"{name} {_has(name)} {counted(m, 'system')}: at least {least_systems} are needed to rank them"
        )
    if n < least:
        trust = "how systems differ from topic to topic tells how far their means can be trusted"
        raise InputError(f"{name} {_has(name)} {counted(n, 'topic')}: at least {least} are needed, because {trust}")
    return made


def as_topic_side(given: Collection, name: str, *, otherwise: str = "") -> Scores:
    """Like `as_topics`, for a side that is to be matched with others: where scores are missing they are so still."""
    if not is_bare(given):
        side = as_scores(given, name)
        if isinstance(side, Means):
            way_out = f"give the scores on each topic, as Scores, a file or a topics x systems matrix{otherwise}"
            raise InputError(f"{name} {_has(name)} one score per system and no topics: {way_out}")
        return side
    values = floats(given, name)
    if values.ndim != 2:
        way_out = "give the scores on each topic, as Scores or as a topics x systems matrix"
        raise InputError(f"{name} {_has(name)} {counted(values.ndim, 'dimension')} (shape {values.shape}): {way_out}")
    require_summable(np.nan_to_num(values), name)
    return Scores(values, invent_topics(len(values)), range(values.shape[1]), source=name)


def refuse(scores: Scores | Means, name: str, *keys: str, why: str) -> None:
    """Raise where the scores have groups, types or another total than the mean, which the caller cannot heed."""
    for key in keys:
        if getattr(scores, key, None) not in (None, "mean"):
            way_out = f"leave {named(key)} out" if key != "groups" else f"read it with {argument('groups', 'none')}"
            raise InputError(f"{name} {_has(name)} {named(key)}, and {why}: {way_out}")


def has_labels(given: Any) -> bool:
    """Whether it is a collection with labels, which `as_scores` reads, and not bare numbers."""
    known = isinstance(given, Scores | Means | Mapping | str | os.PathLike)
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


# What evaluation tools return: told by what the objects have, so that no tool is imported ---------------------------

_NO_ARRAYS = "names no topics: give the scores with their topics, as ranx has them in run.scores after ranx.evaluate"
_NO_TOPICS = (
    "of ranx holds means, not the scores of topics: give {run.name: run.scores for run in runs}, after ranx.evaluate "
    "or ranx.compare"
)


def as_nested(given: Any) -> Any:
    """Results of one system, or {system: results}, as dictionaries.

    Results are dictionaries already (pytrec_eval, ranx's `Run.scores`), a ranx `Run`, or what ir_measures gives: the
    metrics of `iter_calc`, or the results of `calc`.
    """
    if not isinstance(given, Mapping):
        return _results(given, "")
    _refuse_means(given, "")
    return {name: _results(results, f" of {name!r}") for name, results in given.items()}


def _results(results: Any, of: str) -> Any:
    if isinstance(results, Mapping):
        _refuse_means(results, of)
        return results
    if isinstance(results, np.ndarray):
        raise InputTypeError(f"the array{of} {_NO_ARRAYS}")
    tool = type(results).__module__.partition(".")[0]
    if tool == "ranx":
        return _ranx(results, of)
    records = getattr(results, "per_query", results)
    if isinstance(records, Iterable) and not isinstance(records, str | bytes):
        return _metrics(records, of)
    return results


def _refuse_means(results: Mapping[Any, Any], of: str) -> None:
    if {"stat_test", "model_names"} <= results.keys():
        raise InputTypeError(f"the report{of} {_NO_TOPICS}")
    if any(isinstance(value, np.ndarray) for value in results.values()):
        raise InputTypeError(f"the results{of} hold an array, which {_NO_ARRAYS}")
    means = [key for key, value in results.items() if not isinstance(value, Mapping)]
    if any(type(key).__module__.partition(".")[0] == "ir_measures" for key in means):
        way_out = "give the scores of each topic, list(ir_measures.iter_calc(measures, qrels, run))"
        raise InputError(f"the results{of} are means over topics, as ir_measures.calc_aggregate gives them: {way_out}")


def _ranx(run: Any, of: str) -> Any:
    scores = getattr(run, "scores", None)
    if not isinstance(scores, Mapping):
        raise InputTypeError(f"the {type(run).__name__}{of} {_NO_TOPICS}")
    if not scores:
        raise InputError(f"the ranx run {run.name!r} holds no scores: call ranx.evaluate(qrels, run, measures) first")
    return scores


def _metrics(records: Iterable[Any], of: str) -> dict[str, dict[str, Any]]:
    """{topic: {measure: value}} of ir_measures' metrics."""
    nested: dict[str, dict[str, Any]] = {}
    for record in records:
        if not all(hasattr(record, name) for name in ("query_id", "measure", "value")):
            what = f"{record!r:.100}, which is not a metric with query_id, measure and value"
            raise InputTypeError(f"the results{of} hold {what}")
        topic, measure = str(record.query_id), str(record.measure)
        if measure in nested.setdefault(topic, {}):
            raise InputError(f"the results{of} hold {measure} of topic {topic!r} twice: leave one out")
        nested[topic][measure] = record.value
    return nested
