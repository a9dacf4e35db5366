"""From labelled numbers to a topics x systems matrix: which name means what, and what to do about holes.

Frames, dictionaries and files all end here, so that they agree on what a summary row is, on which column
holds the topics, and on missing topics.
"""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from .errors import DataWarning, InputError

FloatArray = npt.NDArray[np.float64]
Missing = Literal["error", "zero", "drop", "drop-systems"]

# What the rows that summarise all topics are called, in lower case. They are never scores of a topic.
SUMMARY = frozenset({"all", "average", "amean", "mean"})

# Names of the columns of a long table, the most specific first: where a table has `qid` and `query`,
# the second is the text of the query.
SYSTEM_COLUMNS = (
    *("system", "run", "runid", "run_id", "run_name", "system_id", "system_name", "name"),
    *("model", "model_name"),
)
TOPIC_COLUMNS = ("topic", "topic_id", "topicid", "qid", "query_id", "queryid", "q_id", "query", "topics")
MEASURE_COLUMNS = ("measure", "metric")
VALUE_COLUMNS = ("value", "score", "scores")
# A first column of one of these names numbers the rows of a matrix: the topics.
INDEX_COLUMNS = frozenset({"", "id", "index", "rowname", "rownames", "unnamed: 0"})

# Families of measures, as trec_eval, ir_measures, ranx and their kin spell them. Used only to tell a column
# of measures from a column of topics. A name must end after the family or go on with _ @ ( . or -.
_MEASURE = re.compile(
    r"Z?(?:map|gm_map|gmap|ap|ndcg|dcg|alpha_?n?dcg|nrbp|p|precision|r|recall|rprec|r-precision|bpref|"
    r"recip_rank|reciprocal_rank|rr|mrr|err|nerr\d*|rbp|infap|judged|success|hits|hit_rate|f|f1|set|num|"
    r"iprec|iprec_at_recall|11pt_avg|unj|relative_p|relstring|rndcg|binG|G|utility|compat|inst|numret|numrel|"
    r"numq|accuracy|acc|exact_match|runid|sdcg|bpm|ws|ipre)(?:[_@(.\-].*)?",
    re.IGNORECASE | re.DOTALL,
)


class Columns(NamedTuple):
    """What the columns of a table are. `system` None: one system; `value` None: a column a measure."""

    kind: Literal["matrix", "long"]
    system: int | None
    topic: int | None
    measure: int | None
    value: int | None
    others: tuple[int, ...]


def looks_like_measure(name: str) -> bool:
    """Whether a name is that of an evaluation measure that common tools print.

    >>> [looks_like_measure(n) for n in ("ndcg_cut_10", "nDCG@10", "RBP(p=0.8)", "301", "bm25")]
    [True, True, True, False, False]
    """
    return len(name) < 100 and _MEASURE.fullmatch(name) is not None


def is_summary(topic: str) -> bool:
    """Whether a row of this name summarises all topics."""
    return topic.lower() in SUMMARY


def name_columns(header: Sequence[str]) -> Columns | str:
    """Decide by its header what each column of a table holds, or say what is missing."""
    names = [name.strip().lower() for name in header]
    system, topic = _first(names, SYSTEM_COLUMNS), _first(names, TOPIC_COLUMNS)
    measure, value = _first(names, MEASURE_COLUMNS), _first(names, VALUE_COLUMNS)
    used = {system, topic, measure, value}
    others = tuple(k for k in range(len(names)) if k not in used)
    if value is not None and topic is not None and (system is not None or measure is not None or not others):
        return Columns("long", system, topic, measure, value, others)
    if system is not None and topic is None and (value is not None or _any_measure(header, others)):
        return (
            "has a column of systems but none of topics, so these are summaries: per-topic scores need a "
            "column named topic (or qid, query_id)"
        )
    if system is not None and topic is not None:
        if measure is not None:
            return "has columns for systems, topics and measures, but no column named value or score"
        return Columns("long", system, topic, None, None, others)
    # A matrix, unless every remaining column is a measure: one system's scores, a column a measure.
    index = topic if topic is not None else 0 if names[0] in INDEX_COLUMNS else None
    rest = tuple(k for k in range(len(names)) if k != index)
    if index is not None and rest and all(looks_like_measure(header[k].strip()) for k in rest):
        return Columns("long", None, index, None, None, rest)
    return Columns("matrix", None, index, None, None, rest)


def _first(names: Sequence[str], wanted: Iterable[str]) -> int | None:
    return next((names.index(name) for name in wanted if name in names), None)


def _any_measure(header: Sequence[str], columns: Iterable[int]) -> bool:
    return any(looks_like_measure(header[k].strip()) for k in columns)


def choose_measure(available: Collection[str], asked: str | None, default: str | None = None) -> str:
    """The measure to read: the one asked for by its exact name, or the only one there is."""
    if asked is not None:
        if asked in available:
            return asked
        raise InputError(f"measure {asked!r} is not in the data{_suggest_measure(asked, available)}")
    if default is not None and default in available:
        return default
    if len(available) == 1:
        return next(iter(available))
    if not available:
        raise InputError("the data hold no measure with a number for each topic")
    raise InputError(f"the data hold {len(available)} measures; choose one with measure=: {listing(available, 200)}")


def _suggest_measure(asked: str, available: Collection[str]) -> str:
    """Point to the same measure in another tool's spelling, else to the nearest, else list what there is."""
    same = [name for name in available if _spelling(name) == _spelling(asked)]
    near = same or difflib.get_close_matches(asked, available, n=3, cutoff=0.6)
    if near:
        return f"; did you mean {' or '.join(repr(name) for name in near)}? There are: {listing(available)}"
    return f"; there are: {listing(available, 200)}"


def _spelling(name: str) -> str:
    """One spelling for the names that tools give to the same measure: ndcg_cut.10, ndcg_cut_10, nDCG@10."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower().split(",")[0].replace("_cut", "").replace("precision", "p"))
    return {"ap": "map", "rr": "reciprank", "mrr": "reciprank"}.get(plain, plain)


def nearest(label: str, labels: Collection[str]) -> str:
    """', did you mean ...' for a label that is not there."""
    near = difflib.get_close_matches(label, labels, n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else f"; there are: {listing(labels)}"


def listing(labels: Iterable[Any], most: int = 12) -> str:
    """Labels in a row, the first ones only where there are very many."""
    labels = [str(label) for label in labels]
    more = f", ... ({len(labels)} in all)" if len(labels) > most else ""
    return ", ".join(labels[:most]) + more


def counted(n: int, noun: str) -> str:
    """'1 topic', '2 topics'."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def fill_or_drop(
    values: FloatArray, topics: list[str], systems: list[str], missing: Missing, stacklevel: int = 3
) -> tuple[FloatArray, list[str], list[str]]:
    """Apply the policy for missing topics to a matrix with NaN where a system lacks a topic.

    `error` names them; `zero` scores them 0, as trec_eval -c does; `drop` keeps the topics that all systems
    have; `drop-systems` keeps the systems that have all topics. Whatever is filled or dropped is warned of.
    """
    if missing not in get_args(Missing):
        raise InputError(f"missing is {missing!r}: use one of {', '.join(map(repr, get_args(Missing)))}")
    holes = np.isnan(values)
    if not holes.any():
        return values, topics, systems
    bad_systems, bad_topics = np.flatnonzero(holes.any(axis=0)), np.flatnonzero(holes.any(axis=1))
    count = f"{counted(int(holes.sum()), 'score')} of {counted(len(bad_systems), 'system')}"
    if missing == "error":
        raise InputError(_missing_message(holes, topics, systems))
    if missing == "zero":
        warnings.warn(f"{count} missing, set to 0: {_who(holes, topics, systems)}", DataWarning, stacklevel)
        return np.where(holes, 0.0, values), topics, systems
    if missing == "drop":
        if len(bad_topics) == len(topics):
            raise InputError(f"no topic is shared by all systems: {_missing_message(holes, topics, systems)}")
        lost = listing([topics[k] for k in bad_topics])
        warnings.warn(
            f"{counted(len(bad_topics), 'topic')} dropped of {len(topics)}, because not every system has them: {lost}",
            DataWarning,
            stacklevel,
        )
        kept = np.setdiff1d(np.arange(len(topics)), bad_topics)
        return values[kept], [topics[k] for k in kept], systems
    if len(bad_systems) == len(systems):
        raise InputError(f"no system has all topics: {_missing_message(holes, topics, systems)}")
    lost = listing([systems[k] for k in bad_systems])
    warnings.warn(
        f"{counted(len(bad_systems), 'system')} dropped of {len(systems)}, because they lack topics: {lost}",
        DataWarning,
        stacklevel,
    )
    kept = np.setdiff1d(np.arange(len(systems)), bad_systems)
    return values[:, kept], topics, [systems[k] for k in kept]


def _who(holes: npt.NDArray[np.bool_], topics: Sequence[str], systems: Sequence[str], most: int = 5) -> str:
    bad = [int(k) for k in np.flatnonzero(holes.any(axis=0))]
    parts = [
        f"{systems[k]} lacks {'topic' if holes[:, k].sum() == 1 else 'topics'} "
        + listing(topics[int(i)] for i in np.flatnonzero(holes[:, k]))
        for k in bad[:most]
    ]
    return "; ".join(parts) + (f"; and {len(bad) - most} more systems" if len(bad) > most else "")


def _missing_message(holes: npt.NDArray[np.bool_], topics: Sequence[str], systems: Sequence[str]) -> str:
    return (
        f"{_who(holes, topics, systems)} (of {counted(len(topics), 'topic')}). Choose with missing=: "
        "'zero' scores them 0 (as trec_eval -c), 'drop' keeps the topics that all systems have, "
        "'drop-systems' keeps the systems that have all topics"
    )


def are_scores(column: Sequence[float | None], topics: Sequence[Any]) -> bool:
    """Whether what should be names of systems are scores: numbers, with fractions, and each topic once."""
    numeric = all(v is not None for v in column) and any(v is not None and 0 < abs(v) % 1 < 1 for v in column)
    return numeric and len(set(topics)) == len(topics)


def is_row_number(column: Sequence[float | None], others: Sequence[float | None]) -> bool:
    """Whether a matrix's first column numbers its rows: distinct whole numbers beside fractions."""
    whole = all(v is not None and float(v).is_integer() for v in column)
    distinct = len(set(column)) == len(column) > 1
    return whole and distinct and any(v is not None and 0 < abs(v) % 1 < 1 for v in others)
