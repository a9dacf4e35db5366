"""From labelled numbers to a topics x systems matrix: which name means what, and what to do about holes.

Frames, dictionaries and files all end here, so that they agree on what a summary row is, on which column
holds the topics, and on missing topics.
"""

from __future__ import annotations

import difflib
import math
import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from .arrays import FloatArray
from .errors import DataWarning, InputError, InputTypeError
from .vocabulary import (
    COUNTERS,
    DOCUMENT_COLUMNS,
    INDEX_COLUMNS,
    MEASURE_COLUMNS,
    ROW_NUMBERS,
    ROW_NUMBERS_AGAIN,
    SUMMARY,
    SYSTEM_COLUMNS,
    TOPIC_COLUMNS,
    TOPIC_ID,
    VALUE_COLUMNS,
    column_name,
    error_of_another,
    is_summary,
    looks_like_measure,
    looks_like_topic,
    may_be_topic,
    names_systems,
)
from .words import counted, listing

Missing = Literal["error", "zero", "drop", "drop-systems", "mean"]
_WAY_OUT = "name the first column system if each row is a system, topic if each is a topic"
# No topic is named so.
_SCORE = re.compile(r"-?0?\.\d+")


class Columns(NamedTuple):
    """What the columns of a table are. `system` None: one system; `value` None: a column a measure.

    A matrix has a column for each system, a transposed one for each topic: `others`.
    """

    kind: Literal["matrix", "transposed", "long"]
    system: int | None
    topic: int | None
    measure: int | None
    value: int | None
    others: tuple[int, ...]


def warn_of_summaries(topics: Iterable[str], where: str = "", stacklevel: int = 3) -> None:
    """Warn of the rows that are left out as summaries, unless they have the name that tools give to them."""
    left = dict.fromkeys(topic for topic in topics if is_summary(topic) and topic.lower() not in SUMMARY)
    if left:
        warnings.warn(
            f"{where}left out, because rows of this name summarise topics: {listing(left)}; rename them if they are "
            "topics",
            DataWarning,
            stacklevel,
        )


def warn_of_lost(
    measure: str, topics: Iterable[str], kept: Iterable[str], where: str = "", stacklevel: int = 3
) -> None:
    """Warn of topics that have scores, but none of the measure that is read."""
    lost = dict.fromkeys(topics).keys() - set(kept)
    lost = {topic for topic in lost if not is_summary(topic)}
    if lost:
        warnings.warn(f"{where}topics without {measure!r} left out: {listing(sorted(lost))}", DataWarning, stacklevel)


def summary_system(systems: Iterable[str]) -> str | None:
    """What is wrong with the first of these names of systems that is one of a summary; None if there is none."""
    name = next((name for name in systems if is_summary(name)), None)
    return None if name is None else f"a system is named {name!r}, which is what summaries of systems are called"


def invent_topics(count: int) -> list[str]:
    """Labels for the rows of a matrix that names no topics; they are no label that a file would have."""
    return [f"row {k + 1}" for k in range(count)]


def are_invented(topics: Sequence[str]) -> bool:
    """Whether topics were labelled by `invent_topics`."""
    return all(topic.startswith("row ") and topic[4:].isdecimal() for topic in topics)


def number_rows(name: str, labels: Sequence[Any]) -> bool:
    """Whether a column of no name only counts the rows, from 0 or 1, as pandas and R write it."""
    return column_name(name) in ROW_NUMBERS and _counts([str(label) for label in labels])


def _counts(labels: Sequence[str]) -> bool:
    """Whether labels are 0, 1, 2, ... or 1, 2, 3, ..."""
    return any(all(label == str(k) for k, label in enumerate(labels, start)) for start in (0, 1))


def name_columns(header: Sequence[str]) -> Columns | str:
    """Decide by its header what each column of a table holds, or say why that cannot be told."""
    names = [column_name(name) for name in header]
    if not names:
        return "has no columns"
    system, topic = _first(names, SYSTEM_COLUMNS), _first(names, TOPIC_COLUMNS)
    if system is None:
        system = next((k for k, name in enumerate(names) if names_systems(name)), None)
    measure, value = _first(names, MEASURE_COLUMNS), _first(names, VALUE_COLUMNS)
    if topic is None and (system, measure, value) == (None, None, None) and TOPIC_ID.fullmatch(names[0]):
        topic = 0
    labelled = value is None and (topic, system) != (None, None)
    others = tuple(
        k
        for k in range(len(names))
        if k not in (system, topic, measure, value)
        and not (k == 0 and names[k] in ROW_NUMBERS)
        and not ((topic, system) != (None, None) and ROW_NUMBERS_AGAIN.fullmatch(names[k]))
        and not (labelled and names[k] in COUNTERS)
    )
    unnamed = next((header[k] for k in others if names[k].startswith("unnamed:_")), None)
    if unnamed is not None:
        return f"has a column {unnamed!r}, as pandas calls columns without a name: name it, or leave it out"
    if topic is not None and any(names[k] in DOCUMENT_COLUMNS for k in others):
        return (
            "scores documents, not topics: it is a run or qrels, as BEIR writes them. Evaluate the run; read_qrels "
            "reads qrels of four columns, topic, iteration, document and grade"
        )
    if topic is None and (measure is not None or (system is not None and (value is not None or _any(header, others)))):
        return (
            f"has a column of {'systems' if system is not None else 'measures'} but none of topics, so these are "
            "summaries: per-topic scores need a column named topic (or qid, query_id)"
        )
    if topic is None and system is not None:
        if names[system] == "name":
            return f"has a column {header[system]!r}: rename it system or topic, to tell which of them the rows are"
        return Columns("transposed", system, None, None, None, others)
    if value is not None and topic is not None:
        if system is None and measure is None and others:
            return (
                f"has columns {header[topic]!r} and {header[value]!r}, but none that names the systems beside "
                f"{listing(header[k] for k in others)}: name it system; if {header[value]!r} is a system, rename it"
            )
        if measure is None and _any(header, others):  # the value is one measure of several
            return Columns("long", system, topic, None, None, tuple(sorted((value, *others))))
        return Columns("long", system, topic, measure, value, others)
    if system is not None:
        if measure is not None:
            return "has columns for systems, topics and measures, but no column named value or score"
        return Columns("long", system, topic, None, None, others)
    if measure is not None:
        return (
            "has columns for topics and measures, but none named value or score: for a column a system, keep the rows "
            f"of one measure and leave out {header[measure]!r}; if that is a system, rename it"
        )
    # A matrix, unless the columns are measures: one system's scores, a column a measure.
    index = topic if topic is not None else 0 if names[0] in INDEX_COLUMNS else None
    rest = tuple(k for k in (range(len(names)) if topic is None else others) if k != index)
    second = next((header[k] for k in rest if names[k] in TOPIC_COLUMNS), None)
    if second is not None:
        assert topic is not None
        return f"has two columns named as topics are, {header[topic]!r} and {second!r}: leave one out, or rename it"
    measures = [header[k] for k in rest if looks_like_measure(header[k].strip())]
    if measures and (index is None or len(measures) < len(rest)):
        return (
            f"has columns named as measures ({listing(measures, 5)}) and "
            + (
                "none named topic"
                if index is None
                else f"others ({listing([header[k] for k in rest if header[k] not in measures], 5)})"
            )
            + ": for the scores of one system, name its topics topic and keep only measures, or add a column named "
            "system; if these are systems, rename them"
        )
    if measures:
        return Columns("long", None, index, None, None, rest)
    return Columns("matrix", None, index, None, None, rest)


def warn_of_counters(header: Sequence[str], layout: Columns, where: str = "", stacklevel: int = 3) -> None:
    """Warn of the columns that are left out because they number the rows."""
    used = {layout.system, layout.topic, layout.measure, layout.value, *layout.others}
    left = [name for k, name in enumerate(header) if k not in used and column_name(name) in COUNTERS]
    if left:
        warnings.warn(
            f"{where}left out, because columns of this name number the rows: {listing(left)}", DataWarning, stacklevel
        )


def wrong_rows(name: str, rows: Sequence[str], across: Sequence[str]) -> str | None:
    """Why the rows of a table without a column of systems cannot be topics; None if they can.

    Where their column is not named so, they have to look like topics.
    """
    labels, name = [row for row in rows if not is_summary(row)], column_name(name)
    if not labels or not across:
        return None
    measures = [label for label in labels if looks_like_measure(label)]
    if measures and all(looks_like_topic(label) for label in labels if not looks_like_measure(label)):
        if len(measures) < len(labels):
            return f"has rows named as measures ({listing(measures, 3)}) among topics: leave them out, or rename them"
        if name not in TOPIC_COLUMNS:
            return f"has measures as its rows ({listing(rows, 3)}), so these are summaries: give a row for each topic"
    if name in TOPIC_COLUMNS:
        return None
    shown = f"({listing(rows, 3)})"
    numbered = are_invented(labels) or all(map(looks_like_topic, labels))
    if all(map(looks_like_topic, across)) and not (numbered and _counts(across)):
        like = "may be so as well" if numbered else "are not"
        return f"has columns named as topics ({listing(across, 3)}) and rows that {like} {shown}: {_WAY_OUT}"
    if any(map(_SCORE.fullmatch, labels)):
        return f"has scores where names of topics should be {shown}: add a column named topic"
    known = name in INDEX_COLUMNS or TOPIC_ID.fullmatch(name)
    if not numbered and not (known and all(map(may_be_topic, labels))):
        return f"has rows {shown} of which nothing tells whether they are topics or systems: {_WAY_OUT}"
    return None


def no_measure(measure: str | None, systems: Collection[str]) -> str | None:
    """Why a matrix cannot hold the measure that is asked for: one of its columns is named so. None if it can."""
    if measure and measure in systems:
        return (
            f"has a system {measure!r}, named as the measure that is asked for: for a column a measure, add a column "
            "named system; for a column a system, ask for no measure"
        )
    return None


def warn_of_words(topics: Iterable[str], where: str = "", stacklevel: int = 3) -> None:
    """Warn where the topics of a run without a name may be systems, and the scores their means."""
    topics = list(dict.fromkeys(topics))
    if topics and not any(map(may_be_topic, topics)):
        warnings.warn(
            f"{where}read as topics of one run: {listing(topics, 5)}; if they are systems, these are means, and "
            "the scores of each topic are needed",
            DataWarning,
            stacklevel,
        )


def _first(names: Sequence[str], wanted: Iterable[str]) -> int | None:
    return next((names.index(name) for name in wanted if name in names), None)


def _any(header: Sequence[str], columns: Iterable[int]) -> bool:
    return any(looks_like_measure(header[k].strip()) for k in columns)


def check_measure(measure: Any) -> None:
    """Refuse what is no name of a measure."""
    if not isinstance(measure, str | None):
        raise InputTypeError(f"measure is {measure!r}: give its name as a string, or leave it out")


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


def fill_or_drop(
    values: FloatArray,
    topics: list[str],
    systems: list[str],
    missing: Missing,
    stacklevel: int = 3,
    where: str = "",
) -> tuple[FloatArray, list[str], list[str]]:
    """Apply the policy for missing topics to a matrix with NaN where a system lacks a topic; refuse errors as scores.

    `error` names them; `zero` scores them 0, as trec_eval -c does; `drop` keeps the topics that all systems
    have; `drop-systems` keeps the systems that have all topics; `mean` fills in a system's mean over the topics it has,
    so that this is its mean, as trec_eval prints it without -c. Whatever is filled or dropped is warned of, after
    `where`.
    """
    if missing not in get_args(Missing):
        raise InputError(f"missing is {missing!r}: use one of {', '.join(map(repr, get_args(Missing)))}")
    for noun, labels in (("topic", topics), ("system", systems)):
        if (wrong := error_of_another(labels)) is not None:
            raise InputError(f"{noun} {wrong!r} is named as the error of another {noun}: leave it out, or rename it")
    holes = np.isnan(values)
    if not holes.any():
        return values, topics, systems
    bad_systems, bad_topics = np.flatnonzero(holes.any(axis=0)), np.flatnonzero(holes.any(axis=1))
    count = f"{counted(int(holes.sum()), 'score')} of {counted(len(bad_systems), 'system')}"
    if missing == "error":
        raise InputError(_missing_message(holes, topics, systems))
    if missing == "zero":
        warnings.warn(f"{where}{count} missing, set to 0: {_who(holes, topics, systems)}", DataWarning, stacklevel)
        return np.where(holes, 0.0, values), topics, systems
    if missing == "mean":
        if holes.all(axis=0).any():
            raise InputError(f"{systems[int(holes.all(axis=0).argmax())]} has no topics, so no mean: leave it out")
        who = _who(holes, topics, systems)
        warnings.warn(
            f"{where}{count} missing, set to the mean of the others: {who}. This is for means only: tests and "
            "intervals would take the filled scores for observed ones, and be too sure",
            DataWarning,
            stacklevel,
        )
        return np.where(holes, np.nanmean(values, axis=0), values), topics, systems
    if missing == "drop":
        if len(bad_topics) == len(topics):
            raise InputError(f"no topic is shared by all systems: {_missing_message(holes, topics, systems)}")
        lost, count = listing([topics[k] for k in bad_topics]), counted(len(bad_topics), "topic")
        warnings.warn(
            f"{where}{count} dropped of {len(topics)}, because not every system has them: {lost}",
            DataWarning,
            stacklevel,
        )
        kept = np.setdiff1d(np.arange(len(topics)), bad_topics)
        return values[kept], [topics[k] for k in kept], systems
    if len(bad_systems) == len(systems):
        raise InputError(f"no system has all topics: {_missing_message(holes, topics, systems)}")
    lost = listing([systems[k] for k in bad_systems])
    warnings.warn(
        f"{where}{counted(len(bad_systems), 'system')} dropped of {len(systems)}, because they lack topics: {lost}",
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
    numeric = all(v is not None for v in column) and any(map(is_fraction, column))
    return numeric and len(set(topics)) == len(topics)


def is_row_number(column: Sequence[float | None], others: Iterable[float | None]) -> bool | None:
    """Whether a matrix's first column numbers its rows: distinct whole numbers beside fractions.

    None if that cannot be told: numbers such as 31.1 beside scores up to 1; beside whole numbers, rising ones, or
    others than all of these.
    """
    numbers = [v for v in column if v is not None]
    if len(numbers) < len(column) or len(set(column)) < len(column) or len(column) < 2:
        return False
    whole = all(float(v).is_integer() for v in numbers)
    if not whole and min(numbers) < 1:
        return False
    scores = [v for v in others if v is not None and not math.isnan(v)]
    if not whole:  # 31.1 and 31.2 are topics as well
        return None if scores and max(scores) <= 1 else False
    if any(map(is_fraction, scores)):
        return True
    apart = bool(scores) and (min(numbers) > max(scores) or max(numbers) < min(scores))
    return None if apart or numbers == sorted(numbers) else False


def is_fraction(value: float | None) -> bool:
    """Whether this is a number, and not a whole one."""
    return value is not None and 0 < abs(value) % 1 < 1


def says_row_number(name: str) -> str:
    """The warning that a column was read as the topics."""
    return (
        f"column {name!r} holds a different whole number in each row: read as the topics, not as a system; name it "
        "topic"
    )


def unclear_row_number(name: str) -> str:
    """The error that a column may be the topics or a system."""
    return (
        f"column {name!r} holds numbers which may be topics or scores: if they are topics, name it "
        "topic; if it is a system, add a column named topic"
    )
