"""`Scores` (topics x systems) and `Means` (one score per system), with labels that cannot go astray."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from . import tables
from .arrays import FloatArray
from .errors import InputError, InputTypeError, LimitError, import_extra, warn
from .markup import text
from .means import mean_over_topics
from .tables.choice import choose
from .words import counted, listing, named

_SHOWN = 20  # systems in a notebook
_CELL = "text-align: right; font-variant-numeric: tabular-nums"
_LARGEST = 1e300  # sums over topics stay finite


def require_summable(values: FloatArray, name: str) -> None:
    """Raise if finite scores are so large that a sum of them may not be."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest > _LARGEST:
        raise LimitError(
            f"{name} has scores of up to {largest:.3g}: they must be at most {_LARGEST:g} in size, so that their sums "
            "are numbers; divide all of them by one number"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Scores of one measure, topics x systems, higher is better. Immutable.

    `values[i, j]` is the score of `systems[j]` on `topics[i]`. Labels are strings and unique; every score is
    finite. `measure` names what was measured and may be empty. With ``lower_is_better=True``, as for error rates,
    `values` are the negatives of what was given; tables show what was given, by `shown`.

    >>> s = Scores([[0.5, 0.25], [0.75, 1.0]], topics=["301", "302"], systems=["bm25", "ql"], measure="map")
    >>> s
    <Scores: 2 topics x 2 systems, map>
    >>> s.means().tolist()
    [0.625, 0.625]
    >>> s.ranking()
    (('bm25', 'ql'),)
    >>> Scores([[0.5, 0.25]], ["301"], ["bm25", "ql"], "wer", lower_is_better=True).ranking()
    (('ql',), ('bm25',))
    """

    values: FloatArray
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    measure: str
    lower_is_better: bool

    def __init__(
        self,
        values: npt.ArrayLike,
        topics: Iterable[Any],
        systems: Iterable[Any],
        measure: str | None = None,
        *,
        lower_is_better: bool = False,
    ) -> None:
        _refuse_other_labels(values, topics, systems)
        array = _matrix(values)
        names = {"topics": check_labels(topics, "topics"), "systems": check_labels(systems, "systems")}
        expected = (len(names["topics"]), len(names["systems"]))
        if array.shape != expected:
            hint = "; values are topics x systems, so transpose them" if array.shape == expected[::-1] else ""
            raise InputError(
                f"values have shape {array.shape}, but there are {counted(expected[0], 'topic')} and "
                f"{counted(expected[1], 'system')}{hint}"
            )
        if not array.size:
            raise InputError(f"values of shape {array.shape} are empty: at least one topic and one system are needed")
        if not isinstance(measure, str | None):
            raise InputTypeError(f"measure is {measure!r}: give its name as a string, or leave it out")
        bad = _first_unusable(array)
        if bad is not None:
            i, j = bad
            raise InputError(
                f"the score of system {names['systems'][j]!r} on topic {names['topics'][i]!r} is {array[i, j]}: every "
                f"score must be a number, at most {_LARGEST:g} in size; leave out the topic or the system, or give it "
                "a score"
            )
        np.subtract(0.0, array, out=array) if lower_is_better else np.add(array, 0.0, out=array)  # -0.0 becomes 0.0
        array.flags.writeable = False
        object.__setattr__(self, "values", array)
        object.__setattr__(self, "topics", names["topics"])
        object.__setattr__(self, "systems", names["systems"])
        object.__setattr__(self, "measure", measure or "")
        object.__setattr__(self, "lower_is_better", bool(lower_is_better))

    def shown(self, values: FloatArray | None = None) -> FloatArray:
        """Values with the sign that the scores were given with; by default those of all topics and systems."""
        return with_sign(self.values if values is None else values, self.lower_is_better)

    def like(self, values: FloatArray, topics: Iterable[Any] | None = None, systems: Any = None) -> Scores:
        """Other values, higher is better, of the same measure."""
        return Scores(
            self.shown(values),
            self.topics if topics is None else topics,
            self.systems if systems is None else systems,
            self.measure,
            lower_is_better=self.lower_is_better,
        )

    def means(self) -> FloatArray:
        """The mean of each system, in the order of `systems`; equal totals give equal means."""
        return mean_over_topics(self.values, axis=0)

    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """The systems by their means, best first; each inner tuple holds the systems that are tied.

        >>> Scores([[3, 1, 3, 2]], topics=["t"], systems="a b c d".split()).ranking()
        (('a', 'c'), ('d',), ('b',))
        """
        return ranked(self.systems, self.means())

    def drop_bottom(self, quantile: float = 0.25) -> Scores:
        """Without the systems whose mean is below a quantile of the means, as studies do against outliers.

        Parameters
        ----------
        quantile : float
            At least 0 and below 1; 0 drops none. The quantile is NumPy's, interpolated linearly between the means.

        Returns
        -------
        Scores
            The other systems, in their order. Systems tied with the worst one kept are kept as well, so that the result
            does not depend on the order of the systems.

        Examples
        --------
        >>> Scores([[0.1, 0.4, 0.2, 0.3]], ["t"], "a b c d".split()).drop_bottom(0.25).systems
        ('b', 'c', 'd')

        """
        given = quantile
        if isinstance(given, bool) or not isinstance(given, (int, float, np.number)) or not 0 <= given < 1:
            raise InputError(
                f"{named('drop_bottom')} is {given!r}: give a quantile of the means, at least 0 and below 1"
            )
        means = self.means()
        limit = np.quantile(means, quantile) - 1e-12 * np.abs(means).max()  # 0.55 * 20 is a little above 11
        return self._take(systems=np.flatnonzero(means >= limit))

    def select(self, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> Scores:
        """Only these systems and topics, in the order given: names, patterns (``"STS*"``), what to leave out (``"!x"``).

        A name that is not there is an error.
        """
        return self._take(
            systems=None if systems is None else places_of(systems, self.systems, "systems"),
            topics=None if topics is None else places_of(topics, self.topics, "topics"),
        )

    def _take(self, systems: Any = None, topics: Any = None) -> Scores:
        rows = np.arange(len(self.topics)) if topics is None else topics
        columns = np.arange(len(self.systems)) if systems is None else systems
        return self.like(
            self.values[np.ix_(rows, columns)], [self.topics[i] for i in rows], [self.systems[j] for j in columns]
        )

    def decimals(self) -> int | None:
        """The number of decimals that all scores are written with, up to 6; None where they have more.

        trec_eval prints 4, which makes ties that the full scores do not have.

        >>> Scores([[0.5, 0.2636]], ["1"], ["a", "b"]).decimals()
        4
        """
        # A decimal of d places is the double nearest to k / 10**d, which is what np.round computes.
        return next((d for d in range(7) if np.array_equal(np.round(self.values, d), self.values)), None)

    def to_frame(self, long: bool = False) -> Any:
        """A pandas frame, topics x systems; or long, with columns topic, system, measure and value. Scores as given."""
        pandas = import_extra("pandas")
        if not long:
            return pandas.DataFrame(
                self.shown().copy(),
                index=pandas.Index(self.topics, name="topic"),
                columns=pandas.Index(self.systems, name="system"),
            )
        return pandas.DataFrame(
            {
                "topic": np.repeat(np.array(self.topics, dtype=object), len(self.systems)),
                "system": np.tile(np.array(self.systems, dtype=object), len(self.topics)),
                "measure": self.measure,
                "value": self.shown().ravel(),
            }
        )

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        measure: str | None = None,
        *,
        missing: tables.Missing = "error",
        lower_is_better: bool | None = None,
        systems: Iterable[str] | None = None,
        topics: Iterable[str] | None = None,
        topic_column: str | None = None,
        system_column: str | None = None,
        score_column: str | None = None,
    ) -> Scores:
        """Scores from a pandas or polars frame or an Arrow table, wide (topics x systems) or long.

        Parameters
        ----------
        frame : pandas.DataFrame, polars.DataFrame, pyarrow.Table or Arrow stream
            Read as a CSV file of the same table would be; an index of pandas is its first column. A long frame has
            columns for the systems (system, run, model, ...) and the topics (topic, qid, ...), and either measure and
            value (or score) or one column per measure. A frame of ``pyterrier.Experiment(..., perquery=True)`` is read
            as it is.
        measure : str, optional
            The measure to read, where there are several. A wide frame names none.
        missing : {"error", "zero", "drop", "drop-systems", "mean"}
            What to do where a system lacks a topic.
        lower_is_better : bool, optional
            Whether the scores are errors, as in `read_scores`.
        systems, topics : iterable of str, optional
            Read only these, as in `read_scores`.
        topic_column, system_column, score_column : str, optional
            The columns that hold topics, systems and scores, where their names do not say so.

        Returns
        -------
        Scores
            Topics x systems. `as_scores` also takes frames with one score per system.

        Examples
        --------
        >>> import pandas
        >>> Scores.from_frame(pandas.DataFrame({"topic": [301, 302], "bm25": [0.5, 0.25], "ql": [0.5, 1.0]}))
        <Scores: 2 topics x 2 systems>

        """
        from .tables.assemble import assemble
        from .tables.contents import frame_contents
        from .tables.layout import Roles

        tables.check_measure(measure)
        wanted = checked_choice(systems, topics)
        roles = Roles(topic_column, system_column, score_column, **wanted)
        how: Any = {"lower_is_better": lower_is_better, **wanted}
        return cls.of(filled(assemble([frame_contents(frame, roles=roles)], measure, missing, **how)))

    @classmethod
    def from_dict(
        cls,
        nested: Any,
        measure: str | None = None,
        *,
        system: str = "run",
        missing: tables.Missing = "error",
        lower_is_better: bool | None = None,
    ) -> Scores:
        """Scores from what evaluation tools return: pytrec_eval, ranx, ir_measures and people's scripts.

        {system: {topic: {measure: value}}}; {topic: {measure: value}}, pytrec_eval's result for one run,
        which is called `system`; {measure: {topic: value}}, ranx's `Run.scores`; {system: {topic: value}}.
        The last three are told apart by the measure asked for and the names of measures; the last has topics that
        are numbers (301, q_12). What cannot be told apart is refused.

        In place of a system's dictionary there may be a ranx `Run` after `ranx.evaluate`, the metrics of
        `ir_measures.iter_calc`, or the results of `ir_measures.calc`: {system: metrics}. Means over topics are refused.

        >>> Scores.from_dict({"bm25": {"1": {"map": 0.25}}, "ql": {"1": {"map": 0.5}}})
        <Scores: 1 topic x 2 systems, map>
        """
        from .tables.assemble import assemble
        from .tables.tools import results_contents

        tables.check_measure(measure)
        found = assemble([results_contents(nested, system)], measure, missing, lower_is_better=lower_is_better)
        return cls.of(filled(found))

    @classmethod
    def of(cls, found: tables.Assembled) -> Scores:
        """Scores of what the readers of files, frames and dictionaries put together."""
        if found.topics is None:
            raise InputError(
                "there is one score per system and no topics: concordant.as_scores gives Means, which all but the "
                "functions about topics take"
            )
        values = found.values
        if values.flags.c_contiguous and values.flags.owndata and values.dtype == np.float64:
            values = values.view(_Owned)
        return cls(values, found.topics, found.systems, found.measure, lower_is_better=found.lower_is_better)

    def __repr__(self) -> str:
        shape = f"{counted(len(self.topics), 'topic')} x {counted(len(self.systems), 'system')}"
        return f"<Scores: {shape}{', ' + self.measure if self.measure else ''}>"

    def _repr_html_(self) -> str:
        return _ranking_html(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        return self._about() == other._about() and bool(np.array_equal(self.values, other.values))

    def __hash__(self) -> int:
        return hash((self._about(), self.values.tobytes()))

    def _about(self) -> tuple[Any, ...]:
        return self.topics, self.systems, self.measure, self.lower_is_better

    def __reduce__(self) -> tuple[Callable[..., Scores], tuple[Any, ...]]:
        given = partial(Scores, lower_is_better=self.lower_is_better)
        return given, (self.shown(), self.topics, self.systems, self.measure)  # read-only again after pickling


@dataclass(frozen=True, eq=False, repr=False)
class Means:
    """One score per system, higher is better: a leaderboard, or what is left where topics are not known. Immutable.

    What needs topics (intervals, tests, reliability) refuses it and says so; everything else takes it as it takes
    `Scores`. With ``lower_is_better=True`` scores change their sign, as there.

    Examples
    --------
    >>> m = Means([0.31, 0.42], systems=["bm25", "dense"], measure="nDCG@10")
    >>> m
    <Means: 2 systems, nDCG@10>
    >>> m.ranking()
    (('dense',), ('bm25',))

    """

    values: FloatArray
    systems: tuple[str, ...]
    measure: str
    lower_is_better: bool

    def __init__(
        self,
        values: npt.ArrayLike,
        systems: Iterable[Any],
        measure: str | None = None,
        *,
        lower_is_better: bool = False,
    ) -> None:
        # One row of a matrix: the same checks of labels and numbers.
        row = Scores(np.asarray(values)[None], ["mean"], systems, measure, lower_is_better=lower_is_better)
        object.__setattr__(self, "values", row.values[0])
        object.__setattr__(self, "systems", row.systems)
        object.__setattr__(self, "measure", row.measure)
        object.__setattr__(self, "lower_is_better", row.lower_is_better)

    @property
    def topics(self) -> tuple[str, ...]:
        """None are known."""
        return ()

    def means(self) -> FloatArray:
        """The score of each system, in the order of `systems`."""
        return self.values

    def shown(self, values: FloatArray | None = None) -> FloatArray:
        """Values with the sign that the scores were given with; by default those of all systems."""
        return with_sign(self.values if values is None else values, self.lower_is_better)

    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """The systems by their scores, best first; each inner tuple holds the systems that are tied."""
        return ranked(self.systems, self.values)

    def select(self, systems: Iterable[str] | None = None) -> Means:
        """Only these systems, in the order given. A label that is not there is an error."""
        if systems is None:
            return self
        places = places_of(systems, self.systems, "systems")
        names = [self.systems[k] for k in places]
        return Means(self.shown()[places], names, self.measure, lower_is_better=self.lower_is_better)

    def __repr__(self) -> str:
        return f"<Means: {counted(len(self.systems), 'system')}{', ' + self.measure if self.measure else ''}>"

    def _repr_html_(self) -> str:
        return _ranking_html(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Means):
            return NotImplemented
        return self._about() == other._about() and bool(np.array_equal(self.values, other.values))

    def __hash__(self) -> int:
        return hash((self._about(), self.values.tobytes()))

    def _about(self) -> tuple[Any, ...]:
        return self.systems, self.measure, self.lower_is_better

    def __reduce__(self) -> tuple[Callable[..., Means], tuple[Any, ...]]:
        given = partial(Means, lower_is_better=self.lower_is_better)
        return given, (self.shown(), self.systems, self.measure)  # read-only again after pickling


def with_sign(values: FloatArray, lower_is_better: bool) -> FloatArray:
    """From higher is better to what was given, or the other way."""
    return 0.0 - values if lower_is_better else values


def filled(found: tables.Unfilled) -> tables.Assembled:
    """What is left when missing topics were dealt with, with a warning of what was filled in or left out."""
    made = found.filled()
    for said in made.said:
        warn(said)
    return made


def unless_complete(found: tables.Unfilled) -> Scores | Means | tables.Unfilled:
    """Scores where nothing is missing; otherwise what was read, until it is known what it is compared with."""
    return scores_or_means(found.filled()) if found.complete else found


def completed(found: Scores | Means | tables.Unfilled) -> Scores | Means:
    """Scores by themselves, compared with nothing."""
    return scores_or_means(filled(found)) if isinstance(found, tables.Unfilled) else found


def scores_or_means(found: tables.Assembled) -> Scores | Means:
    """What was read: scores of topics, or one score per system where no topics are known."""
    if found.topics is None:
        return Means(found.values[0], found.systems, found.measure, lower_is_better=found.lower_is_better)
    return Scores.of(found)


def ranked(systems: Sequence[str], means: FloatArray) -> tuple[tuple[str, ...], ...]:
    """Systems by their means, best first; each inner tuple holds those that are tied."""
    groups: dict[float, list[str]] = {}
    for mean, system in zip(means.tolist(), systems, strict=True):
        groups.setdefault(mean, []).append(system)
    return tuple(tuple(groups[mean]) for mean in sorted(groups, reverse=True))


def _ranking_html(scores: Scores | Means) -> str:
    """A heading and a table of ranks, names and means, for a notebook."""
    means = dict(zip(scores.systems, scores.means().tolist(), strict=True))
    shown = dict(zip(scores.systems, scores.shown(scores.means()).tolist(), strict=True))
    order = [system for group in scores.ranking() for system in group]
    rows = "".join(
        f'<tr><td style="{_CELL}">{1 + sum(mean > means[system] for mean in means.values())}</td>'
        f'<td style="text-align: left"><bdi>{text(system)}</bdi></td><td style="{_CELL}">{shown[system]:.4f}</td></tr>'
        for system in order[:_SHOWN]
    )
    rest = f"<p>and {len(order) - _SHOWN} more</p>" if len(order) > _SHOWN else ""
    head = '<tr><th>rank</th><th style="text-align: left">system</th><th>mean</th></tr>'
    return (
        f"<div><p>{text(repr(scores)[1:-1])}</p><table><thead>{head}</thead><tbody>{rows}</tbody></table>{rest}</div>"
    )


def _refuse_other_labels(values: Any, topics: Any, systems: Any) -> None:
    """Labels that a frame brings have to be those that are given; where they only count, they say nothing."""
    for what, given, own in (
        ("systems", systems, getattr(values, "columns", None)),
        ("topics", topics, getattr(values, "index", None)),
    ):
        if own is None or callable(own) or not isinstance(given, Sequence):
            continue
        brought, wanted = [str(label) for label in own], [str(label) for label in given]
        if brought != wanted and brought != [str(k) for k in range(len(brought))]:
            raise InputError(
                f"values are a frame whose {what} ({listing(brought, 3)}) are not those given ({listing(wanted, 3)}): "
                "select and order them first, or give values.to_numpy()"
            )


def _first_unusable(array: FloatArray) -> tuple[int, int] | None:
    """The place of the first score that is nan, infinite or too large; by rows, to spare memory."""
    step = max(1, 2**20 // max(array.shape[1], 1))
    for start in range(0, len(array), step):
        usable = np.abs(array[start : start + step]) <= _LARGEST  # false for nan
        if not usable.all():
            i, j = (int(k[0]) for k in np.nonzero(~usable))
            return start + i, j
    return None


class _Owned(np.ndarray):
    """A matrix that nobody else holds, so that it needs no copy."""


def _matrix(values: npt.ArrayLike) -> FloatArray:
    """A copy of `values` that is float64, two-dimensional and in C order, whatever came in."""
    if isinstance(values, _Owned):
        return values.view(np.ndarray)
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise ValueError
    except ValueError:
        raise InputTypeError("values must be numbers in a topics x systems array; rows of equal length") from None
    if np.ma.isMaskedArray(values) and np.ma.is_masked(values):
        raise InputError("values have masked entries: fill them first, a mask would be ignored silently")
    if array.ndim != 2:
        raise InputError(
            f"values have {array.ndim} dimensions (shape {array.shape}): give topics x systems, two of them"
        )
    return np.array(array, dtype=np.float64, order="C")


def check_labels(labels: Iterable[Any], what: str) -> tuple[str, ...]:
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
        raise InputTypeError(f"{what} is {labels!r}: give a list of labels")
    if isinstance(labels, set | frozenset):
        raise InputTypeError(f"{what} is a set, which has no order: give a list of labels")
    given, names = list(labels), []
    if set(map(type, given)) == {str}:  # there may be very many
        names = given
    for label in () if names else given:
        if isinstance(label, bool | np.bool_) or not isinstance(label, str | int | np.integer):
            raise InputTypeError(
                f"{what} hold {label!r}: labels are strings (301 and '301' are the same, 301.0 is not)"
            )
        names.append(str(label))
    if len(set(names)) < len(names):
        seen: dict[str, int] = {}
        for place, name in enumerate(names):
            if name in seen:
                raise InputError(
                    f"{what} hold {name!r} twice, at positions {seen[name]} and {place}: labels must be "
                    "unique; rename one "
                    "or leave it out"
                )
            seen[name] = place
    return tuple(names)


def checked_choice(systems: Iterable[Any] | None, topics: Iterable[Any] | None) -> dict[str, tuple[str, ...] | None]:
    """The systems and topics that a caller asks for, as arguments of what reads them."""
    given = {"systems": systems, "topics": topics}
    return {name: None if labels is None else check_labels(labels, name) for name, labels in given.items()}


def places_of(wanted: Iterable[str], labels: tuple[str, ...], what: str) -> list[int]:
    """The places of what is chosen, by names, patterns (STS*) and what to leave out (!AFQMC)."""
    return choose(check_labels(wanted, what), labels, what[:-1], lambda message: InputError(f"{what}: {message}"))
