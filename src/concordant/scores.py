"""`Scores` (topics x systems) and `Means` (one score per system), with labels that cannot go astray."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import tables
from .arrays import FloatArray
from .errors import DataWarning, InputError, InputTypeError, LimitError, import_extra
from .markup import text
from .words import counted, nearest

_SHOWN = 20  # systems in a notebook
_CELL = "text-align: right; font-variant-numeric: tabular-nums"
_LARGEST = 1e300  # sums over topics stay finite
_POWERS = 10.0 ** np.arange(301)


def mean_over_topics(values: npt.ArrayLike, axis: int = 0) -> FloatArray:
    """Means over `axis`, such that equal totals give equal means at any order of the topics.

    0.1 + 0.2 is not 0.3 in floating point, and a lost tie changes a coefficient; so every mean in concordant
    is rounded to 12 significant digits, here or by `round_means`.

    >>> mean_over_topics([[0.1, 0.3], [0.2, 0.0]]).tolist()
    [0.15, 0.15]
    """
    array = np.asarray(values, dtype=np.float64)
    means = size = array.mean(axis=axis)
    if not (array < 0).any():
        rounded = round_means(means)
    else:
        # Where negative scores cancel, the digits that count are those of the scores, not of what is left; and of the
        # largest of them, so that all systems are rounded to the same step.
        size = np.abs(array).mean(axis=axis)
        rounded = round_means(means, size.max(axis=-1, keepdims=True) if size.ndim else size)
    if means.ndim == 1 and means.size > 1:
        _warn_of_lost_digits(means, rounded, float(size.max()))
    return rounded


def _warn_of_lost_digits(means: FloatArray, rounded: FloatArray, largest: float) -> None:
    """Where scores have a large part in common, rounding may tie what is no tie."""
    low, high = float(means.min()), float(means.max())
    if not 1e-14 * largest < high - low < 1e-8 * largest:
        return
    order = np.argsort(means)
    lost = (np.diff(means[order]) > 1e-14 * largest) & (np.diff(rounded[order]) == 0)
    if lost.any():
        warnings.warn(
            f"all means lie between {low:.17g} and {high:.17g}; rounded to 12 digits, as means are, "
            f"{counted(int(lost.sum()) + 1, 'system')} or more are tied: subtract the same number from all "
            "scores, so that their differences are in the first digits",
            DataWarning,
            stacklevel=3,
        )


def round_means(means: npt.ArrayLike, size: npt.ArrayLike | None = None) -> FloatArray:
    """Round means that were summed in another way (resamples, split halves) to 12 significant digits.

    `size` is the magnitude that the digits are counted from, by default that of each mean.
    """
    x = np.asarray(means, dtype=np.float64)
    magnitude = np.abs(x if size is None else np.asarray(size, dtype=np.float64))
    digits = 11 - np.floor(np.log10(np.where(magnitude > 0, magnitude, 1.0)))
    # Means of decimals over 512 or 1,024 topics lie exactly half way between two steps, where a sum's last
    # bit would decide; going up a little after the half (0.02 of a step) keeps them on one side.
    if ((digits >= 0) & (digits <= 300)).all():  # nearly always, and many resampled means come this way
        up = _POWERS[digits.astype(np.intp)]
        return np.asarray(np.copysign(np.rint(np.abs(x) * up - 0.02) / up, x) + 0.0)
    up, down = 10.0 ** np.clip(digits, 0, 300), 10.0 ** np.clip(-digits, 0, None)
    more = 10.0 ** np.clip(digits - 300, 0, None)  # no float is as large as the whole power
    steps = np.rint(np.abs(x) * up * more / down - 0.02)
    return np.asarray(np.copysign(steps / up / more * down, x) + 0.0)


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
    finite. `measure` names what was measured and may be empty.

    >>> s = Scores([[0.5, 0.25], [0.75, 1.0]], topics=["301", "302"], systems=["bm25", "ql"], measure="map")
    >>> s
    <Scores: 2 topics x 2 systems, map>
    >>> s.means().tolist()
    [0.625, 0.625]
    >>> s.ranking()
    (('bm25', 'ql'),)
    """

    values: FloatArray
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    measure: str

    def __init__(
        self, values: npt.ArrayLike, topics: Iterable[Any], systems: Iterable[Any], measure: str | None = None
    ) -> None:
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
        usable = np.abs(array) <= _LARGEST  # false for nan
        if not usable.all():
            i, j = (int(k[0]) for k in np.nonzero(~usable))
            raise InputError(
                f"the score of system {names['systems'][j]!r} on topic {names['topics'][i]!r} is {array[i, j]}: every "
                f"score must be a number, at most {_LARGEST:g} in size; leave out the topic or the system, or give it "
                "a score"
            )
        array += 0.0  # -0.0 becomes 0.0
        array.flags.writeable = False
        object.__setattr__(self, "values", array)
        object.__setattr__(self, "topics", names["topics"])
        object.__setattr__(self, "systems", names["systems"])
        object.__setattr__(self, "measure", measure or "")

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
            raise InputError(f"drop_bottom is {given!r}: give a quantile of the means, at least 0 and below 1")
        means = self.means()
        limit = np.quantile(means, quantile) - 1e-12 * np.abs(means).max()  # 0.55 * 20 is a little above 11
        return self._take(systems=np.flatnonzero(means >= limit))

    def select(self, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> Scores:
        """Only these systems and topics, in the order given. A label that is not there is an error."""
        return self._take(
            systems=None if systems is None else places_of(systems, self.systems, "systems"),
            topics=None if topics is None else places_of(topics, self.topics, "topics"),
        )

    def _take(self, systems: Any = None, topics: Any = None) -> Scores:
        rows = np.arange(len(self.topics)) if topics is None else topics
        columns = np.arange(len(self.systems)) if systems is None else systems
        return Scores(
            self.values[np.ix_(rows, columns)],
            [self.topics[i] for i in rows],
            [self.systems[j] for j in columns],
            self.measure,
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
        """A pandas frame, topics x systems; or long, with columns topic, system, measure and value."""
        pandas = import_extra("pandas")
        if not long:
            return pandas.DataFrame(
                self.values.copy(),
                index=pandas.Index(self.topics, name="topic"),
                columns=pandas.Index(self.systems, name="system"),
            )
        return pandas.DataFrame(
            {
                "topic": np.repeat(np.array(self.topics, dtype=object), len(self.systems)),
                "system": np.tile(np.array(self.systems, dtype=object), len(self.topics)),
                "measure": self.measure,
                "value": self.values.ravel(),
            }
        )

    @classmethod
    def from_frame(cls, frame: Any, measure: str | None = None, *, missing: tables.Missing = "error") -> Scores:
        """Scores from a pandas or polars frame, wide (topics x systems) or long.

        A long frame has a column for the systems (system, run, runid, name), one for the topics (topic, qid,
        query_id), and either measure and value (or score) or a column for each measure. In a wide frame the
        topics are the column `topic` or the pandas index; where these name the systems, it is systems x topics.
        So a frame of ``pyterrier.Experiment(..., perquery=True)`` is read as it is, and that of perquery="both".
        """
        from .tables.assemble import assemble
        from .tables.contents import frame_contents

        tables.check_measure(measure)
        return cls.of(assemble([frame_contents(frame)], measure, missing))

    @classmethod
    def from_dict(
        cls,
        nested: Any,
        measure: str | None = None,
        *,
        system: str = "run",
        missing: tables.Missing = "error",
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
        return cls.of(assemble([results_contents(nested, system)], measure, missing))

    @classmethod
    def of(cls, found: tables.Assembled) -> Scores:
        """Scores of what the readers of files, frames and dictionaries put together."""
        return cls(found.values, found.topics, found.systems, found.measure)

    def __repr__(self) -> str:
        shape = f"{counted(len(self.topics), 'topic')} x {counted(len(self.systems), 'system')}"
        return f"<Scores: {shape}{', ' + self.measure if self.measure else ''}>"

    def _repr_html_(self) -> str:
        return _ranking_html(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        return (self.topics, self.systems, self.measure) == (
            other.topics,
            other.systems,
            other.measure,
        ) and bool(np.array_equal(self.values, other.values))

    def __hash__(self) -> int:
        return hash((self.topics, self.systems, self.measure, self.values.tobytes()))

    def __reduce__(self) -> tuple[Callable[..., Scores], tuple[Any, ...]]:
        return Scores, (
            self.values,
            self.topics,
            self.systems,
            self.measure,
        )  # read-only again after pickling


@dataclass(frozen=True, eq=False, repr=False)
class Means:
    """One score per system, higher is better: a leaderboard, or what is left where topics are not known. Immutable.

    What needs topics (intervals, tests, reliability) refuses it and says so; everything else takes it as it takes
    `Scores`.

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

    def __init__(self, values: npt.ArrayLike, systems: Iterable[Any], measure: str | None = None) -> None:
        # One row of a matrix: the same checks of labels and numbers.
        row = Scores(np.asarray(values)[None], topics=["mean"], systems=systems, measure=measure)
        object.__setattr__(self, "values", row.values[0])
        object.__setattr__(self, "systems", row.systems)
        object.__setattr__(self, "measure", row.measure)

    @property
    def topics(self) -> tuple[str, ...]:
        """None are known."""
        return ()

    def means(self) -> FloatArray:
        """The score of each system, in the order of `systems`, as given."""
        return self.values

    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """The systems by their scores, best first; each inner tuple holds the systems that are tied."""
        return ranked(self.systems, self.values)

    def select(self, systems: Iterable[str] | None = None) -> Means:
        """Only these systems, in the order given. A label that is not there is an error."""
        if systems is None:
            return self
        places = places_of(systems, self.systems, "systems")
        return Means(self.values[places], [self.systems[k] for k in places], self.measure)

    def __repr__(self) -> str:
        return f"<Means: {counted(len(self.systems), 'system')}{', ' + self.measure if self.measure else ''}>"

    def _repr_html_(self) -> str:
        return _ranking_html(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Means):
            return NotImplemented
        return (self.systems, self.measure) == (other.systems, other.measure) and bool(
            np.array_equal(self.values, other.values)
        )

    def __hash__(self) -> int:
        return hash((self.systems, self.measure, self.values.tobytes()))

    def __reduce__(self) -> tuple[Callable[..., Means], tuple[Any, ...]]:
        return Means, (self.values, self.systems, self.measure)  # read-only again after pickling


def ranked(systems: Sequence[str], means: FloatArray) -> tuple[tuple[str, ...], ...]:
    """Systems by their means, best first; each inner tuple holds those that are tied."""
    groups: dict[float, list[str]] = {}
    for mean, system in zip(means.tolist(), systems, strict=True):
        groups.setdefault(mean, []).append(system)
    return tuple(tuple(groups[mean]) for mean in sorted(groups, reverse=True))


def _ranking_html(scores: Scores | Means) -> str:
    """A heading and a table of ranks, names and means, for a notebook."""
    means = dict(zip(scores.systems, scores.means().tolist(), strict=True))
    order = [system for group in scores.ranking() for system in group]
    rows = "".join(
        f'<tr><td style="{_CELL}">{1 + sum(mean > means[system] for mean in means.values())}</td>'
        f'<td style="text-align: left"><bdi>{text(system)}</bdi></td><td style="{_CELL}">{means[system]:.4f}</td></tr>'
        for system in order[:_SHOWN]
    )
    rest = f"<p>and {len(order) - _SHOWN} more</p>" if len(order) > _SHOWN else ""
    head = '<tr><th>rank</th><th style="text-align: left">system</th><th>mean</th></tr>'
    return (
        f"<div><p>{text(repr(scores)[1:-1])}</p><table><thead>{head}</thead><tbody>{rows}</tbody></table>{rest}</div>"
    )


def _matrix(values: npt.ArrayLike) -> FloatArray:
    """A copy of `values` that is float64, two-dimensional and in C order, whatever came in."""
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
    names: list[str] = []
    for label in labels:
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


def places_of(wanted: Iterable[str], labels: tuple[str, ...], what: str) -> list[int]:
    place = {label: k for k, label in enumerate(labels)}
    names = check_labels(wanted, what)
    for name in names:
        if name not in place:
            raise InputError(f"{what} has no {name!r}{nearest(name, labels)}")
    return [place[name] for name in names]
