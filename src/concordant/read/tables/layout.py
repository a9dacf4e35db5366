"""What the columns of a table mean: the one place that decides which are systems, topics, measures and scores.

Known names of columns decide, and what the caller says (`Roles`). Where neither does, known names of the rows and
columns do; and where these do not, the table is refused, with both ways in which it can be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

import numpy as np

from ...arrays import FloatArray
from ...data.means import are_invented, chosen, says_which
from ...errors import ConcordantError, argument, listing, nearest
from . import vocabulary
from .cells import Cells, cell_number, is_fraction, number, warn_of

# No topic is named so.
_SCORE = re.compile(r"-?0?\.\d+")
# Columns of such names may be topics, systems, or years in which something was measured.
_YEAR = re.compile(r"(?:19|20)\d\d")


class Roles(NamedTuple):
    """What the caller says: the columns that hold topics, systems and scores; and which systems and topics to read."""

    topic: str | None = None
    system: str | None = None
    score: str | None = None
    systems: Sequence[str] | None = None
    topics: Sequence[str] | None = None
    run: str | None = None
    """The column that tells repeated scores of a cell apart."""

    @property
    def columns(self) -> list[str]:
        """The names of columns that were given."""
        return [name for name in (self.topic, self.system, self.score, self.run) if name is not None]

    def left_out(self, header: Sequence[str], of_systems: bool, of_topics: bool) -> set[int]:
        """The columns to leave out, where columns may be systems or topics: those that `!NAME` names."""
        wanted = (*((self.systems or ()) if of_systems else ()), *((self.topics or ()) if of_topics else ()))
        kept = chosen([name for name in wanted if name.startswith("!")], header)
        return set(range(len(header))) - set(kept)

    def name_systems(self, columns: Sequence[str]) -> bool:
        """Whether the caller named one of these columns as a system."""
        return not set(columns).isdisjoint(self.systems or ())


class Layout(NamedTuple):
    """What the columns of a table are. `system` None: one system; `value` None: a column for each measure.

    A matrix has a column for each system. `rows` have a column of systems and no topics: the others are topics, or
    measures with one score per system. Of `unnamed` ones nothing is known by the header.
    """

    kind: Literal["matrix", "rows", "long", "unnamed"]
    system: int | None
    topic: int | None
    measure: int | None
    value: int | None
    others: tuple[int, ...]


def name_columns(header: Sequence[str], roles: Roles = Roles()) -> Layout | str:  # noqa: B008
    """Decide by its header what each column of a table holds, or say why that cannot be told."""
    names = [vocabulary.column_name(name) for name in header]
    if wrong := _wrong_header(header, roles):
        return wrong
    said = {role: header.index(name) for role, name in zip(roles._fields, roles[:3], strict=False) if name is not None}
    named = {k for k, name in enumerate(header) if name in {*(roles.systems or ()), *(roles.topics or ())}}
    taken = named | set(said.values())
    measure = _first(names, vocabulary.MEASURE_COLUMNS, taken)
    system = said.get("system", _first(names, vocabulary.SYSTEM_COLUMNS, taken))
    if system is None:
        system = next((k for k, name in enumerate(names) if k not in taken and vocabulary.names_systems(name)), None)
    topic = said.get("topic", _first(names, vocabulary.TOPIC_COLUMNS, taken))
    if topic is None:
        topic = next((k for k, name in enumerate(names) if k not in taken and vocabulary.names_topics(name)), None)
    value = said.get("score", _first(names, vocabulary.VALUE_COLUMNS, taken))
    if "score" in said and measure is not None and topic is None:
        measure = None
    labelled = (topic, system) != (None, None)
    left_out = roles.left_out(header, system is None, topic is None)
    others = tuple(
        k
        for k in range(len(names))
        if k not in (system, topic, measure, value)
        and k not in left_out
        and not (k == 0 and names[k] in vocabulary.ROW_NUMBERS and labelled)
        and not (labelled and vocabulary.ROW_NUMBERS_AGAIN.fullmatch(names[k]))
        and not (labelled and value is None and names[k] in vocabulary.COUNTERS and k not in named)
    )
    unnamed = next((header[k] for k in others if names[k].startswith("unnamed:_") and k), None)
    if unnamed is not None:
        return f"has a column {unnamed!r}, as pandas calls columns without a name: name it, or leave it out"
    if topic is not None and any(names[k] in vocabulary.DOCUMENT_COLUMNS for k in others):
        return (
            "scores documents, not topics: it is a run or qrels, as BEIR writes them. Write both in TREC's format, and "
            "score the run with `concordant evaluate RUNS QRELS`"
        )
    if topic is None and system is None:
        if measure is not None:
            return "has a column of measures but none of topics, so these are summaries: add a column named topic"
        columns = tuple(k for k in range(len(names)) if k not in left_out)
        return Layout("unnamed", None, None, None, said.get("score"), columns)
    if topic is None:
        assert system is not None
        if measure is not None:
            one = f"keep the rows of one measure and leave out {header[measure]!r}"
            return f"has columns of systems and measures but none of topics: for one score per system, {one}"
        known = _any(header, others) or value is not None or any(vocabulary.is_result(header[k]) for k in others)
        if names[system] == "name" and "system" not in said and not known:
            which = " or ".join(argument(f"{role}_column", header[system]) for role in ("system", "topic"))
            return f"has a column {header[system]!r}, which may name systems or topics: say {which}"
        return Layout("rows", system, None, None, value, others)
    if value is not None:
        if system is None and measure is None and others and "score" not in said:
            every = argument("systems", [header[k] for k in sorted((value, *others))])
            return (
                f"has a column {header[value]!r}, but none that names the systems beside "
                f"{listing(header[k] for k in others)}: say {argument('system_column')}, or {every} if all are systems"
            )
        if measure is None and "score" not in said and _any(header, others):  # the value is one measure of several
            return Layout("long", system, topic, None, None, tuple(sorted((value, *others))))
        return Layout("long", system, topic, measure, value, others)
    if system is not None:
        if measure is not None:
            return f"has systems, topics and measures, but no column named score: say {argument('score_column')}"
        return Layout("long", system, topic, None, None, others)
    if measure is not None:
        return (
            "has columns for topics and measures, but none named value or score: keep the rows of one measure, and "
            f"leave out {header[measure]!r}; if that is a system, rename it"
        )
    # A matrix, unless the columns are measures: one system's scores, one column per measure.
    second = (
        next((header[k] for k in others if vocabulary.names_topics(names[k])), None) if "topic" not in said else None
    )
    if second is not None:
        which = f"say which it is with {argument('topic_column')}, and leave the other out"
        return f"has two columns named as topics are, {header[topic]!r} and {second!r}: {which}"
    measures = [
        header[k] for k in others if vocabulary.looks_like_measure(header[k].strip()) and not named & set(others)
    ]
    if len(measures) < len(others):  # `num` may be a counter, `num_rel` a fact, and `f` one of several letters
        across = [header[k] for k in others]
        measures = [
            name
            for name in measures
            if not vocabulary.names_counter(name)
            and not vocabulary.names_fact(name)
            and not (len(name) == 1 and vocabulary.is_one_of_short(name, across))
        ]
    if measures and len(measures) < len(others):
        rest = [header[k] for k in others if header[k] not in measures]
        return (
            f"has columns named as measures ({listing(measures, 5)}) and others ({listing(rest, 5)}): leave these out "
            f"with {argument('systems', [f'!{name}' for name in rest])}; if all are systems, say "
            + argument("systems", [header[k] for k in others])
        )
    return Layout("long" if measures else "matrix", None, topic, None, None, others)


def of_samples(header: Sequence[str], roles: Roles) -> Roles:
    """In Inspect's frame of samples `id` is the topic, beside `epoch`; `sample_id` names one epoch of it."""
    names = [vocabulary.column_name(name) for name in header]
    if roles.topic is not None or not {"id", "epoch"} <= set(names):
        return roles
    topic = _first(names, vocabulary.TOPIC_COLUMNS, set())
    return roles._replace(topic=header[names.index("id")]) if topic is None or names[topic] == "sample_id" else roles


def run_columns(cells: Cells, roles: Roles) -> list[int]:
    """The columns that number the repeated measurements of a cell: what the caller says, or by their names.

    By names only in a table with one row per score, and only columns of whole numbers. They are no measures.
    """
    if roles.run is not None:
        if roles.run not in cells.names:
            raise cells.error(f"has no column {roles.run!r}{nearest(roles.run, cells.names)}")
        return [list(cells.names).index(roles.run)]
    names = [vocabulary.column_name(name) for name in cells.names]
    known = [
        k for k, name in enumerate(names) if name in vocabulary.RUN_COLUMNS and cells.names[k] not in roles.columns
    ]
    numbered = names.index("run") if "run" in names and "run" not in roles.columns else None
    if not known and numbered is None:
        return []
    layout = name_columns(cells.names, roles)
    if isinstance(layout, str) or layout.system is None:
        return _beside_repeated_topics(cells, known, roles)
    if layout.kind != "long" or layout.topic is None:
        return []
    asked = {*(roles.systems or ()), *(roles.topics or ())}
    found = [k for k in known if k in layout.others and cells.names[k] not in asked and _are_whole(cells, k)]
    if numbered == layout.system and _are_whole(cells, layout.system):
        beside = [k for k in layout.others if vocabulary.names_systems(names[k]) and not names[k].startswith("team")]
        return [*found, layout.system] if beside else found
    return found


def _beside_repeated_topics(cells: Cells, known: list[int], roles: Roles) -> list[int]:
    """Of these columns those of whole numbers, where no column names systems and topics come more than once."""
    found = [k for k in known if _are_whole(cells, k)]
    rest = cells.without(found)
    layout = name_columns(rest.names, roles)
    if not found or isinstance(layout, str) or layout.kind not in ("long", "matrix") or layout.topic is None:
        return []
    topics = rest.labels(layout.topic, "topic")
    return found if len(set(topics)) < len(topics) else []


def _are_whole(cells: Cells, column: int) -> bool:
    found = [cell_number(cell) for cell in cells.values(column)]
    return all(value is not None and value == value // 1 for value in found)


def _wrong_header(header: Sequence[str], roles: Roles) -> str | None:
    if not header:
        return "has no columns"
    scores = [name for name in header if _SCORE.fullmatch(name)]
    if len(scores) > 1 and 2 * len(scores) >= len(header) and not any(map(vocabulary.names_labels, header)):
        names = f"add a first line that names them and does not start with # ({listing(scores, 3)})"
        return f"has scores where names of columns should be: {names}"
    if len(set(header)) < len(header):
        twice = next(name for k, name in enumerate(header) if name in header[:k])
        return f"two columns are named {twice!r}: rename one, or leave it out if both are the same run"
    if (empty := next((k for k, name in enumerate(header) if k and not name), None)) is not None:
        return f"column {empty + 1} has no name in the header"
    given = roles.columns
    for name in given:
        if name not in header:
            return f"has no column {name!r}{nearest(name, header)}"
    if len(set(given)) < len(given):
        return f"the column {given[-1]!r} is named twice: topics, systems and scores are different columns"
    return None


def is_plausible(layout: Layout, scores: Sequence[float | None]) -> bool:
    """Whether the first row of a matrix, as numbers, has a score in it; prose and other formats have none.

    Where the header names the topics or systems, a bad score is for the reader to name.
    """
    if layout.kind == "long" or ((layout.others or layout.value is not None) and layout.kind != "unnamed"):
        return True
    return any(k < len(scores) and scores[k] is not None for k in layout.others)


def warn_of_counters(cells: Cells, layout: Layout) -> None:
    """Warn of the columns that are left out because they number the rows; scores there are refused."""
    used = {layout.system, layout.topic, layout.measure, layout.value, *layout.others}
    places = [
        k for k, name in enumerate(cells.names) if k not in used and vocabulary.column_name(name) in vocabulary.COUNTERS
    ]
    for k in places if layout.kind == "matrix" else ():
        if any(map(is_fraction, cells.unchecked([k])[:, 0])):
            left = argument("systems", ["!" + cells.names[k]])
            every = argument("systems", [cells.names[j] for j in sorted((k, *layout.others))])
            said = f"column {cells.names[k]!r} holds scores, but is named as row numbers are"
            raise cells.error(f"{said}: leave it out with {left}, or name the systems with {every}")
    if places:
        left_out = listing(cells.names[k] for k in places)
        warn_of(cells.origin, f"left out, because columns of this name number the rows: {left_out}")


def refuse_scores_as_names(cells: Cells, column: int, topic: int | None) -> None:
    """A matrix may have a system called `model`: its cells are scores, and each topic comes once."""
    found = [number(str(cell)) for cell in cells.values(column)]
    if topic is None:
        wrong = any(map(is_fraction, found))
    else:
        topics = cells.values(topic)
        wrong = None not in found and any(map(is_fraction, found)) and len(set(topics)) == len(topics)
    if wrong:
        every = f"if it is a system of its own, name all systems with {argument('systems')}"
        raise cells.error(f"column {cells.names[column]!r} should name the systems, but holds numbers: {every}")


def refuse_measures_as_rows(cells: Cells, rows: Sequence[str], named: bool) -> None:
    """Refuse rows that are measures in place of topics, or among them."""
    labels = [row for row in rows if not vocabulary.is_summary(row)]
    measures = [label for label in labels if vocabulary.looks_like_measure(label)]
    if measures and all(
        vocabulary.looks_like_topic(label) for label in labels if not vocabulary.looks_like_measure(label)
    ):
        if len(measures) < len(labels):
            raise cells.error(f"has rows named as measures ({listing(measures, 3)}) among topics: leave them out")
        if not named:
            raise cells.error(f"has measures as its rows ({listing(rows, 3)}), no topics: give a row for each topic")


def orient(
    cells: Cells, label: int | None, rows: Sequence[str], across: Sequence[str], roles: Roles
) -> Literal["topics", "systems"]:
    """What the rows of a table are whose header names neither topics nor systems; an error if nothing tells.

    `label` is the column of their labels; None where they have none.
    """
    if roles.name_systems(across):
        return "topics"
    labels = [row for row in rows if not vocabulary.is_summary(row)]
    if label is not None and any(map(_SCORE.fullmatch, labels)):
        raise cells.error(f"has scores where names of topics should be ({listing(rows, 3)}): add a column named topic")
    down, over = vocabulary.axis_of(labels), vocabulary.axis_of(across)
    if label is None or are_invented(rows):
        clear = over != "topics" and (over is not None or not all(map(vocabulary.looks_like_topic, across)))
        down = "topics"
    else:
        clear = down != over and not (
            down is None and over == "topics" and all(map(vocabulary.looks_like_topic, labels))
        )
    if not clear or all(map(_YEAR.fullmatch, across)):
        if says_which(roles.systems) and chosen(roles.systems, across):
            return "topics"
        raise _two_ways(cells, label, rows, across)
    return "topics" if down == "topics" or over == "systems" else "systems"


def _two_ways(cells: Cells, label: int | None, rows: Sequence[str], across: Sequence[str]) -> ConcordantError:
    way_out = f"If the columns are systems, say {argument('systems', ['*'])}; else add a first column named system"
    if label is not None:
        which = " or ".join(argument(f"{role}_column", cells.names[label]) for role in ("topic", "system"))
        way_out = f"Say {which}, or name the column so"
    return cells.error(
        f"can be read in two ways: the rows ({listing(rows, 3)}) may be topics and the columns ({listing(across, 3)}) "
        f"systems, or the other way round. {way_out}"
    )


def has_row_labels(cells: Cells, roles: Roles) -> bool:
    """Whether the first column of a table that names neither topics nor systems labels its rows: words, or numbers."""
    first, name = cells.values(0), cells.names[0]
    if roles.name_systems([name]):
        return False
    if vocabulary.column_name(name) in vocabulary.INDEX_COLUMNS:
        return True
    texts = [k for k in range(len(cells.names)) if all(isinstance(cell, str) for cell in cells.values(k))]
    if cells.typed and len(cells.names) > 1 and texts == [0]:
        return True
    rows = [row for row, cell in enumerate(first) if not vocabulary.is_summary(str(cell))]
    found = [cell_number(first[row]) for row in rows]
    word = next((row for row, value in zip(rows, found, strict=True) if value is None), None)
    if word is not None:
        if any(value is not None and not np.isnan(value) for value in found):
            labels = f"if it labels the rows, say {argument('topic_column', name)}"
            raise cells.error(f"column {name!r} holds numbers, and here something else: {labels}", word)
        return True
    numbered = _is_row_number(np.array(found, dtype=np.float64), cells.unchecked(range(1, len(cells.names))))
    if numbered is None:
        topics, every = argument("topic_column", name), argument("systems", list(cells.names))
        said = f"column {name!r} holds numbers which may be topics or scores"
        raise cells.error(f"{said}: if they are topics, say {topics}; if it is a system, say {every}", 0)
    return numbered


def _is_row_number(column: FloatArray, others: FloatArray) -> bool | None:
    """Whether a matrix's first column numbers its rows: distinct whole numbers beside fractions.

    None if that cannot be told: numbers such as 31.1 beside scores up to 1; beside whole numbers, rising ones, or
    others than all of these.
    """
    if len(column) < 2 or np.isnan(column).any() or len(np.unique(column)) < len(column):
        return False
    whole = not (column % 1).any()
    if not whole and column.min() < 1:
        return False
    scores = others[~np.isnan(others)]
    if not whole:  # 31.1 and 31.2 are topics as well
        return None if scores.size and scores.max() <= 1 else False
    if (scores % 1).any():
        return True
    apart = bool(scores.size) and bool(column.min() > scores.max() or column.max() < scores.min())
    return None if apart or (np.diff(column) > 0).all() else False


def number_rows(name: str, labels: Sequence[str]) -> bool:
    """Whether a column of no name only counts the rows, from 0 or 1, as pandas and R write it."""
    return vocabulary.column_name(name) in vocabulary.ROW_NUMBERS and vocabulary.counts(labels)


def _first(names: Sequence[str], wanted: Iterable[str], taken: Iterable[int]) -> int | None:
    return next((names.index(name) for name in wanted if name in names and names.index(name) not in taken), None)


def _any(header: Sequence[str], columns: Iterable[int]) -> bool:
    return any(vocabulary.looks_like_measure(header[k].strip()) for k in columns)


# A number that is written otherwise, so that its column is a system: 1,234 or 1/2.
_NUMBER = re.compile(r"[^\w\[(]{0,2}\d[\d.,'/\s_]*[^\w\])]{0,2}")


def score_columns(
    cells: Cells, columns: Sequence[int], axis: Literal["systems", "topics"], wanted: Iterable[str] | None
) -> list[int]:
    """The columns that are systems, or topics: those that the caller chose, else all but those that number the rows.

    Columns that look like something else are refused, because they would be ranked as one more system.
    """
    places = chosen(wanted, [cells.names[k] for k in columns])
    kept = [columns[k] for k in places] or list(columns)
    if says_which(wanted):
        return kept
    names = [cells.names[k] for k in kept]
    values = cells.unchecked(kept)
    labels = {k for k, name in enumerate(names) if vocabulary.names_topics(name) or vocabulary.names_systems(name)}
    labels = labels if len(labels) < len(names) else set()
    counters = _counters(names, values, axis) - labels
    reasons = _by_words(cells, kept) | _by_name(names, values, axis) | _by_companions(names, values)
    if axis == "systems":
        reasons = _unlike(values) | reasons
    strays = {k: reason for k, reason in sorted(reasons.items()) if k not in counters | labels}
    if strays:
        these = ", ".join(f"{names[k]!r} ({reason})" for k, reason in strays.items())
        leave, every = argument(axis, [f"!{names[k]}" for k in strays]), argument(axis, ["*"])
        way_out = f"Leave them out with {leave}, or read every column as a {axis[:-1]} with {every}"
        raise cells.error(f"these columns do not look like {axis}: {these}. {way_out}")
    for left, why in ((counters, "it numbers the rows"), (labels, "its name is that of a column of labels")):
        if left:
            warn_of(cells.origin, f"left out, because {why}: {listing(names[k] for k in sorted(left))}")
    return [k for place, k in enumerate(kept) if place not in counters | labels]


def _by_words(cells: Cells, columns: Sequence[int]) -> dict[int, str]:
    """Columns without any number. Where most are, numbers are written otherwise: an error names the first cell."""
    words = {place: cells.words(k) for place, k in enumerate(columns) if not cells.has_numbers(k)}
    if 2 * len(words) > len(columns) or len(cells) < 2:
        cells.matrix(columns)
    firsts = {place: str(next(iter(found.values()))) for place, found in words.items()}
    return {place: f"holds {cell!r}" for place, cell in firsts.items() if not _NUMBER.fullmatch(cell)}


def _by_name(names: Sequence[str], values: FloatArray, axis: str) -> dict[int, str]:
    """Columns named as counters are, or, in place of systems, as summaries and facts about topics are."""
    found = {}
    summaries = set(vocabulary.summaries_among(names)) if axis == "systems" else ()
    for k, name in enumerate(names):
        if vocabulary.is_one_of_short(name, names):
            continue
        if name in summaries:
            found[k] = "a summary"
        elif vocabulary.names_counter(name) and not _has_fractions(values[:, k]):
            found[k] = "a row number or a count"
        elif axis == "systems" and vocabulary.names_fact(name):
            found[k] = "a fact about topics"
    return found


def _by_companions(names: Sequence[str], values: FloatArray) -> dict[int, str]:
    """Columns that belong to another by name: a bound lies on its side, and a next version has its own scores."""
    place = {name: k for k, name in enumerate(names)}
    found = {}
    for name, (of, kind) in vocabulary.companions(names).items():
        column, other = values[:, place[name]], values[:, place[of]]
        if kind in ("below", "above") and len(column) > 3:
            past = column - other if kind == "below" else other - column
            belongs = not (past > 0.01 * np.ptp(other)).any()  # both may be rounded
        else:
            belongs = kind != "version" or bool((column == other).all() and len(np.unique(column)) > 2)
        if belongs:
            found[place[name]] = f"belongs to {of!r}"
    return found


def _counters(names: Sequence[str], values: FloatArray, axis: str) -> set[int]:
    """Columns that count 0, 1, 2, ... or 1, 2, 3, ... beside fractions, or under a name that says so.

    Beside whole numbers, other names are refused by `_unlike`, because these may be ranks.
    """
    n, m = values.shape
    counting = [k for k in range(m) if n > 1 and _counts(values[:, k])]
    if not counting or m == len(counting):
        return set()
    fractions = _has_fractions(np.delete(values, counting, axis=1))
    return {
        k
        for k in counting
        if (vocabulary.names_counter(names[k]) and (n > 2 or fractions))
        or (n > 2 and fractions and not (axis == "topics" and vocabulary.looks_like_topic(names[k])))
    }


def _counts(column: FloatArray) -> bool:
    """Whether a column counts 0, 1, 2, ... or 1, 2, 3, ..."""
    return column[0] in (0, 1) and column[1] == column[0] + 1 and bool((np.diff(column) == 1).all())


def _has_fractions(values: FloatArray) -> bool:
    return bool((np.nan_to_num(values) % 1).any())


def _unlike(values: FloatArray) -> dict[int, str]:
    """Columns of other numbers than most: counts beside scores up to 1, or ten times as large; or that count."""
    n, m = values.shape
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    size = np.fmax(np.abs(low), np.abs(high))
    found = {k: f"counts the {n} rows" for k in range(m) if n > 3 and _counts(values[:, k])}
    if m < 2 or n < 4 or np.isnan(size).all():
        return found
    units, usual = size <= 1, float(np.median(size[~np.isnan(size)]))
    larger = np.flatnonzero(size > 1).tolist()
    most_are_units = 0 < len(larger) <= units.sum() and _has_fractions(values[:, units])
    for k in larger:
        count = most_are_units and (low[k] > 1 or not _has_fractions(values[:, k]))
        if count or (m > 2 and low[k] > 10 * usual):
            found.setdefault(k, f"{low[k]:g} to {high[k]:g}, unlike the others")
    return found
