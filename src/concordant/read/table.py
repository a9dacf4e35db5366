"""What each format's reader makes of a file: a `Table`, from which the scores of a measure are taken."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..errors import ReadError
from ..tables import choose_measure, warn_of_lost, warn_of_summaries
from ..vocabulary import is_summary
from ..words import listing
from .source import Source


@dataclass(frozen=True)
class Rows:
    """Scores of one measure, as parallel lists, without summary rows.

    `systems` is None where the whole file is one run; `lines` is None where the format has no lines; a
    score is nan where the file leaves it out.
    """

    topics: Sequence[str]
    values: Sequence[float]
    systems: Sequence[str] | None = None
    lines: Sequence[int] | None = None

    def line(self, k: int) -> int | None:
        """The line of the file that holds score k, if the format has lines."""
        return self.lines[k] if self.lines is not None else None


class Table:
    """One file's scores. A format fills `columns`, or overrides `measures` and `rows` to parse on demand."""

    # Names of the file's one run, the best first; the next is used where another file claims the same.
    names: tuple[str, ...] = ()
    # Files of one origin are parts of one run (tasks of a model); others never share a name.
    origin: str = ""
    # The measure to use when none is asked for.
    default: str | None = None
    # The file holds what other files' topics are summarised to; it is used only when it is alone.
    summary: bool = False
    # Measures for which the file itself says that lower is better.
    lower: frozenset[str] = frozenset()

    @property
    def named(self) -> bool:
        """Whether the file names its measures."""
        return True

    def __init__(self, source: Source, columns: Mapping[str, Rows] | None = None) -> None:
        self.source = source
        self.columns = dict(columns or {})
        self.names = (source.run_name(),)
        self.origin = source.label

    def measures(self) -> Collection[str]:
        """The measures with scores of topics; none where the format does not name its measure."""
        return self.columns

    def rows(self, measure: str) -> Rows:
        """The scores of one measure; where it is not in the file, the error lists those that are."""
        if measure not in self.columns:
            raise self.no_measure(measure)
        found = self.columns[measure]
        self.warn_of_lost(measure, (topic for rows in self.columns.values() for topic in rows.topics), found)
        return found

    def warn_of_lost(self, measure: str, topics: Iterable[str], found: Rows) -> None:
        """Warn of topics that have scores, but none of this measure."""
        warn_of_lost(measure, topics, found.topics, f"{self.source.label}: ", stacklevel=5)

    def no_measure(self, measure: str) -> ReadError:
        """The error for a measure that the file does not hold."""
        try:
            choose_measure(self.measures(), measure)
        except ValueError as error:
            return self.source.error(str(error).replace("the data", "the file"))
        return self.source.error(f"has no scores of topics for measure {measure!r}")


class OneColumn(Table):
    """A file that does not name its measure: it gives the same scores whatever they are called."""

    @property
    def named(self) -> bool:
        """It does not."""
        return False

    def __init__(self, source: Source, scores: Rows) -> None:
        super().__init__(source)
        self.scores = scores

    def rows(self, measure: str) -> Rows:
        """The file's only scores."""
        return self.scores


def without_summary(source: Source, rows: Rows, way_out: str) -> Rows:
    """Leave out summary rows; where nothing else is there, say so instead of using them."""
    left = {topic for topic in dict.fromkeys(rows.topics) if is_summary(topic)}
    if not left:
        return rows
    keep = [k for k, topic in enumerate(rows.topics) if topic not in left]
    warn_of_summaries(dict.fromkeys(rows.topics), f"{source.label}: ")
    if not keep:
        raise source.error(
            f"holds only summary rows ({listing(dict.fromkeys(rows.topics))}), no scores of topics: {way_out}",
            rows.line(0),
        )
    return Rows(
        [rows.topics[k] for k in keep],
        [rows.values[k] for k in keep],
        [rows.systems[k] for k in keep] if rows.systems is not None else None,
        [rows.lines[k] for k in keep] if rows.lines is not None else None,
    )
