"""Tables with a row for each system, such as leaderboards, and tables whose header names neither topics nor systems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from ...arrays import FloatArray
from ...data.means import are_invented, chosen, invent_topics, says_which
from ...errors import ConcordantError, argument, listing
from . import contents, layout, vocabulary
from .contents import MEAN, NO_SCORES, Contents, Grid, Long, matrix, refuse_twice, without_summaries
from .layout import Cells, Layout, Roles, refuse_measures_as_rows, score_columns, warn_of
from .vocabulary import cell_number, plain_number

# Published boards print 95% limits beside their scores. Standard errors are computed from these limits.
WIDTH = 3.92  # standard errors between the 95% limits of a normal distribution
_LOPSIDED = 3.0  # if one limit is this many times as far from the score as the other, neither is a confidence limit
# Names of limits, alone or after the name of their score: lower, score_lower, rating_q025, 95% CI upper.
_OWNER = r"(?:(?P<of>.+?)[\W_]+)??(?:95%?_*)?(?:ci_*)?"
_BEHIND = r"(?:_(?:95%?|ci|bound|limit))*\W*"
_LOWER = re.compile(rf"{_OWNER}(?:lower|low|lo|lcb|lb|q0?25|2_5%){_BEHIND}")
_UPPER = re.compile(rf"{_OWNER}(?:upper|high|hi|ucb|ub|q975|97_5%){_BEHIND}")
_BOTH = re.compile(r"(?:(?P<of>.+?)[\W_]+)??(?:95%?_*)?(?:ci|confidence_interval)(?:_*\(?95%?\)?)?")
_OTHER_LEVEL = re.compile(r".*(?<!\d)(?!95|97_5)\d\d(?:_\d+)?(?:%|_*ci).*|.*ci_*(?!95)\d\d.*")
_ALSO_TASKS = frozenset({"low", "lo", "high", "hi", "lb", "ub"})  # alone, these may be levels of effort or difficulty
# Columns whose names are years may be topics, systems, or years in which something was measured.
_YEAR = re.compile(r"(?:19|20)\d\d")
# Both limits in one cell: (-1.88, +1.97), +4/-5, [77.3, 80.6].
_PAIR = re.compile(r"[(\[]?\s*([+−-]?[\d.]+)\s*[,;/]\s*([+−-]?[\d.]+)\s*[)\]]?")


def unnamed(cells: Cells, columns: list[int], roles: Roles) -> Contents:
    """Read a table whose header names neither topics nor systems."""
    label = columns.pop(0) if columns[:1] == [0] and _has_row_labels(cells, roles) else None
    measures = [cells.names[k] for k in columns if vocabulary.looks_like_measure(cells.names[k].strip())]
    rows = None if label is None else cells.labels(label, "row")
    named = roles.name_systems([cells.names[k] for k in columns])
    if not named:
        _refuse_long(cells, rows, columns)
    if measures and (rows is None or vocabulary.axis_of(rows) == "topics") and not named:
        if rows is not None and len(measures) == len(columns):
            return Long(cells, Layout("long", None, label, None, None, tuple(columns)), roles)
        others = [cells.names[k] for k in columns if cells.names[k] not in measures]
        beside = "none named topic" if rows is None else f"others ({listing(others, 5)})"
        every = argument("systems", [cells.names[k] for k in columns])
        raise cells.error(
            f"has columns named like measures ({listing(measures, 5)}) and {beside}: for the scores of one system, add "
            f"a column named topic and keep only measures; if all are systems, pass {every}"
        )
    return Rows(cells, label, columns, False, roles)


def _refuse_long(cells: Cells, rows: Sequence[str] | None, columns: Sequence[int]) -> None:
    """Refuse a table with one row per score whose header does not say what the columns hold."""
    found = None
    if rows is not None and len(set(rows)) < len(rows) and len(columns) > 1:
        found = f"several rows start with {Counter(rows).most_common(1)[0][0]!r}"
    elif rows is None and (words := [cells.names[k] for k in columns if not cells.has_numbers(k)]):
        found = f"column {words[0]!r} holds words, and no column is named topic or system"
    elif rows is None and _is_grid(cells, columns):
        found = "two columns may be the topic and the system of each row"
    if found is not None:
        roles = " and ".join(argument(f"{role}_column") for role in ("topic", "system", "score"))
        every = argument("systems", [cells.names[k] for k in columns])
        raise cells.error(f"{found}: if each row is one score, pass {roles}; if each column is a system, pass {every}")


def _is_grid(cells: Cells, columns: Sequence[int]) -> bool:
    """Tell whether there are three columns, the first two of whole numbers, with exactly one row for each pair."""
    if len(columns) != 3 or len(cells) < 4:
        return False
    pairs = cells.matrix(columns[:2])
    counts = [len(np.unique(pairs[:, k])) for k in (0, 1)]
    whole = not np.isnan(pairs).any() and not (pairs % 1).any()
    return whole and min(counts) > 1 and len(np.unique(pairs, axis=0)) == len(pairs) == counts[0] * counts[1]


class Rows(Contents):
    """A table with one row per system, and a column for each measure or topic; or a matrix with an unclear header.

    If the caller requests a column, this column holds one score per system. Otherwise the labels of rows and columns
    decide.
    """

    is_table = True
    reading = "rows are systems, columns are measures: one score per system"

    def __init__(self, cells: Cells, label: int | None, columns: list[int], are_systems: bool, roles: Roles) -> None:
        super().__init__(cells.origin)
        if not columns:
            raise cells.error(NO_SCORES)
        self.are_systems, self.roles, self.columns = are_systems, roles, columns
        labels = invent_topics(len(cells)) if label is None else cells.labels(label, "system")
        if are_systems and label is not None:
            layout.refuse_scores_as_names(cells, label, None)
            self.seen = [*cells.names, *labels]
            cells, labels = contents.chosen_rows(cells, labels, roles.systems)
        self.cells, self.label, self.labels = cells, label, labels
        self.limits = {} if label is None else _limits(cells, columns, roles.score)
        self.seen = self.seen or cells.names  # unless set above
        self.default = cells.names[next(iter(self.limits))] if len(self.limits) == 1 else None
        self.format = "leaderboard" if self.named else "matrix"
        self.otherwise = f"; if the columns are topics, choose them with {argument('topics')}"
        if are_systems or self.named:
            refuse_twice(cells, self.labels, "system")

    @cached_property
    def named(self) -> bool:
        """Whether the columns are measures: there is only one, or some hold words, known measures or larger numbers."""
        names = [self.cells.names[k] for k in self.columns]
        if (says_which(self.roles.topics) and chosen(self.roles.topics, names)) or self.roles.name_systems(names):
            return False
        if self.roles.score is not None or (
            self.are_systems and len(names) == 1 and not vocabulary.looks_like_topic(names[0])
        ):
            return True
        if self.label is None or (not self.are_systems and vocabulary.axis_of(self.labels) == "topics"):
            return False
        if self.limits or self._is_leaderboard() or any(vocabulary.looks_like_measure(name.strip()) for name in names):
            return True
        return self.are_systems and vocabulary.axis_of(names) != "topics" and self._of_several_sizes()

    def _is_leaderboard(self) -> bool:
        """Tell whether some columns hold words, counts, errors or rates instead of scores."""
        words = not all(map(self.cells.has_numbers, self.columns))
        return words or any(vocabulary.is_statistic(self.cells.names[k]) for k in self.columns)

    def _of_several_sizes(self) -> bool:
        sizes = [np.nanmax(np.abs(self.cells.numbers(k)), initial=0.0) for k in self.columns]
        return bool(max(sizes) > 20 * min(sizes))

    def measures(self) -> Collection[str]:
        """The columns with numbers, except limits of other columns; or only the caller's column of scores, if given."""
        beside = {k for columns in self.limits.values() for k in columns}
        return [
            self.cells.names[k]
            for k in self.columns
            if self.cells.has_numbers(k)
            and (self.roles.score is None or self.roles.score == self.cells.names[k])
            and (self.roles.score or k not in beside)
        ]

    def errors(self, measure: str) -> tuple[Mapping[str, float], Sequence[str]]:
        """Return the standard errors of a measure, and the columns of limits they are computed from, if any."""
        column = next((k for k in self.limits if self.cells.names[k] == measure), None)
        limits = () if column is None else self.limits[column]
        found = self._stated(measure) if column is None else _standard_errors(self.cells, column, limits)
        known = {label: float(e) for label, e in zip(self.labels, found, strict=True) if not np.isnan(e)}
        return known, [self.cells.names[k] for k in limits]

    def _stated(self, measure: str) -> FloatArray:
        """Return the column of standard errors right after a measure; nan if there is none, or not one for each row."""
        after = next((b for a, b in pairwise(self.columns) if self.cells.names[a] == measure), None)
        if after is not None and vocabulary.is_standard_error(self.cells.names[after]):
            found = self.cells.numbers(after)
            if not np.isnan(found).any():
                if (wrong := np.flatnonzero(found < 0)).size:
                    raise self.cells.error(f"has the standard error {found[wrong[0]]:g}: correct it", int(wrong[0]))
                return found
        return np.full(len(self.cells), np.nan)

    def grid(self, measure: str) -> Grid:
        """Return one score per system from the requested column; without a request, return the whole matrix."""
        if not measure:
            return self._matrix()
        column = next((k for k in self.columns if self.cells.names[k] == measure), None)
        if column is None or self.label is None:
            raise self.no_measure(measure)
        known = self.are_systems or vocabulary.axis_of(self.labels)
        if known == "topics":
            say = f"if they are systems, pass {argument('system_column', self.cells.names[self.label])}"
            said = f"has a column {measure!r}, but its rows ({listing(self.labels, 3)}) look like topics, not systems"
            raise self.cells.error(f"{said}: {say}; to read all columns, leave the measure out")
        if not known and not self._is_leaderboard():
            rows = f"{listing(self.labels, 5)}; name their column system or, if they are topics, name it topic"
            warn_of(self.origin, f"read as one score per system: {rows}")
        refuse_twice(self.cells, self.labels, "system")
        keep = [k for k, label in enumerate(self.labels) if not vocabulary.is_summary(label)]
        if len(keep) < len(self.labels):
            summaries = [label for k, label in enumerate(self.labels) if k not in keep]
            contents.warn_of_summaries(self.origin, [s for s in summaries if s.lower() not in vocabulary.SUMMARY])
        values = self.cells.numbers(column)[keep]
        return Grid(values[None], [MEAN], [self.labels[k] for k in keep], self.cells.in_percent([column]))

    def _matrix(self) -> Grid:
        self.reading = "rows are topics, columns are systems"
        cells, across = self.cells, [self.cells.names[k] for k in self.columns]
        if not self.are_systems:
            rows = self.labels if self.label is None else cells.labels(self.label, "row")
            if all(map(vocabulary.is_summary, rows)):
                return without_summaries(self.origin, Grid(cells.matrix(self.columns), rows, across))
            refuse_measures_as_rows(cells, rows, False)
            name = "" if self.label is None else cells.names[self.label]
            if _orient(cells, self.label, rows, across, self.roles) == "topics":
                numbered = self.label is not None and not cells.words(self.label)
                if numbered and vocabulary.column_name(name) not in vocabulary.INDEX_COLUMNS:
                    read = "so it was read as the topics, not as a system; to confirm, name it topic"
                    warn_of(self.origin, f"column {name!r} holds a different number in each row, {read}")
                return matrix(cells, self.label, self.columns, self.roles).grids[""]
        elif vocabulary.axis_of(across) != "topics":
            read = f"each row is a system, and each column ({listing(across, 3)}) was read as a topic"
            warn_of(self.origin, f"{read}; for one score per system, choose a column as the measure")
        self.reading = "rows are systems, columns are topics"
        refuse_twice(cells, self.labels, "system")
        columns = score_columns(cells, self.columns, "topics", self.roles.topics)
        names = [cells.names[k] for k in columns]
        grid = Grid(cells.matrix(columns).T, names, self.labels, cells.in_percent(columns))
        return without_summaries(self.origin, grid, "columns")


def _limits(cells: Cells, columns: Sequence[int], said: str | None) -> dict[int, tuple[int, ...]]:
    """Find the columns of limits for each column of scores: a lower and an upper one, or one that holds both limits.

    Limits belong to the column that their names contain; otherwise to the caller's column of scores or, if the caller
    chose none, to the nearest column of numbers before them.
    """
    names = {k: vocabulary.column_name(cells.names[k]) for k in columns}
    plain = {k: name for k, name in names.items() if name not in _ALSO_TASKS and not _OTHER_LEVEL.fullmatch(name)}

    def called(pattern: re.Pattern[str]) -> dict[str, int]:
        return {found["of"] or "": k for k, name in plain.items() if (found := pattern.fullmatch(name))}

    lower, upper, both = called(_LOWER), called(_UPPER), called(_BOTH)
    pairs = {of: k for of, k in both.items() if any(_PAIR.fullmatch(str(cell)) for cell in cells.words(k).values())}
    found: dict[str, tuple[int, ...]] = {of: (k, upper[of]) for of, k in lower.items() if of in upper}
    made = {}
    for of, limits in (found or {of: (k,) for of, k in pairs.items()}).items():  # Arena-Hard prints both forms
        scores = [k for k in columns if k not in limits and cells.has_numbers(k)]
        place = {names[k]: k for k in reversed(scores)} | {cells.names[k]: k for k in scores if cells.names[k] == said}
        before = [k for k in scores if k < limits[0]]
        wanted = (of, f"{of}_score", f"{of}_mean", *(vocabulary.VALUE_COLUMNS if said is None else (said,)))
        at = next((place[name] for name in wanted if name in place), before[-1] if before and said is None else None)
        if at is not None:
            made[at] = limits
    return made


def _standard_errors(cells: Cells, score: int, limits: tuple[int, ...]) -> FloatArray:
    """Compute the standard error of each score, nan if it has no limits; refuse impossible limits."""
    scores = cells.numbers(score)

    def refused(row: int, found: str) -> ConcordantError:
        names = [cells.names[k] for k in limits]
        way_out = f"Correct them, or leave them out with {argument('topics', [f'!{name}' for name in names])}"
        return cells.error(f"the limits in {listing(map(repr, names))} are {found}. {way_out}", row)

    if len(limits) == 1:  # both limits in one cell: as numbers, or as distances from the score
        widths = np.full(len(cells), np.nan)
        for row, cell in cells.words(limits[0]).items():
            found = _PAIR.fullmatch(str(cell).strip())
            parts = [plain_number(part.replace("−", "-")) for part in found.groups()] if found else []
            ends = sorted(end for end in parts if end is not None)
            if len(ends) < 2:
                raise refused(row, f"{cell!r}, which is not a pair of numbers")
            if not any(ends[0] <= inside <= ends[1] for inside in (0, scores[row])):
                raise refused(row, f"{cell!r}, but the score {scores[row]:g} does not lie between them")
            widths[row] = ends[1] - ends[0]
        return widths / WIDTH
    _, low, high = cells.matrix([score, *limits]).T  # this refuses a mix of percentages and other numbers
    step = max(map(contents.unit, (scores, low, high)))
    far, near = np.maximum(high - scores, scores - low), np.minimum(high - scores, scores - low)
    wrong = np.flatnonzero((near < -step) | (far > _LOPSIDED * np.maximum(near, 0) + 3 * step))
    if wrong.size:
        row = int(wrong[0])
        why = "does not lie between them" if near[row] < 0 else "lies far from their middle"
        raise refused(row, f"{low[row]:g} and {high[row]:g}, but the score {scores[row]:g} {why}")
    return np.asarray((high - low) / WIDTH)


# What rows and columns hold if the header does not say ----------------------------------------------------------------


def _orient(
    cells: Cells, label: int | None, rows: Sequence[str], across: Sequence[str], roles: Roles
) -> Literal["topics", "systems"]:
    """Decide what the rows are if the header names neither topics nor systems; raise an error if this stays unclear.

    `label` is the column of row labels; None if there is no such column.
    """
    if roles.name_systems(across):
        return "topics"
    labels = [row for row in rows if not vocabulary.is_summary(row)]
    if label is not None and any(map(layout.SCORE.fullmatch, labels)):
        raise cells.error(f"has scores instead of names of topics ({listing(rows, 3)}): add a column named topic")
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
    way_out = f"If the columns are systems, pass {argument('systems', ['*'])}; else add a first column named system"
    if label is not None:
        which = " or ".join(argument(f"{role}_column", cells.names[label]) for role in ("topic", "system"))
        way_out = f"Pass {which}, or name the column topic or system"
    return cells.error(
        f"can be read in two ways: the rows ({listing(rows, 3)}) may be topics and the columns ({listing(across, 3)}) "
        f"systems, or the other way round. {way_out}"
    )


def _has_row_labels(cells: Cells, roles: Roles) -> bool:
    """Tell whether the first column labels the rows, with words or numbers, if the header does not say so."""
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
            labels = f"if it labels the rows, pass {argument('topic_column', name)}"
            raise cells.error(f"column {name!r} holds numbers, but here something else: {labels}", word)
        return True
    numbered = _is_row_number(np.array(found, dtype=np.float64), cells.unchecked(range(1, len(cells.names))))
    if numbered is None:
        topics, every = argument("topic_column", name), argument("systems", list(cells.names))
        said = f"column {name!r} holds numbers that may be topics or scores"
        raise cells.error(f"{said}: if they are topics, pass {topics}; if they are scores, pass {every}", 0)
    return numbered


def _is_row_number(column: FloatArray, others: FloatArray) -> bool | None:
    """Tell whether the first column of a matrix numbers its rows: distinct whole numbers beside columns of fractions.

    Return None if this is unclear. Either the column holds numbers such as 31.1 and the others hold scores up to 1; or
    all columns hold whole numbers, and the first column rises or lies outside the range of the others.
    """
    if len(column) < 2 or np.isnan(column).any() or len(np.unique(column)) < len(column):
        return False
    whole = not (column % 1).any()
    if not whole and column.min() < 1:
        return False
    scores = others[~np.isnan(others)]
    if not whole:  # 31.1 and 31.2 may be topics, too
        return None if scores.size and scores.max() <= 1 else False
    if (scores % 1).any():
        return True
    apart = bool(scores.size) and bool(column.min() > scores.max() or column.max() < scores.min())
    return None if apart or (np.diff(column) > 0).all() else False
