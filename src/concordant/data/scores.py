"""`Scores` (topics x systems) and `Means` (one score per system), with their labels and metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from ..arrays import FloatArray, IntArray
from ..errors import InputError, InputTypeError, LimitError, argument, counted, import_extra, listing, named, warn
from ..options import checked
from .means import (
    RULES,
    Missing,
    Rule,
    Total,
    choose,
    fitted,
    group_rows,
    has_holes,
    influences,
    mean_over_topics,
    places_of_groups,
    refuse_apart,
    refuse_empty,
    require_labels,
    settle,
    type_weights,
)
from .results import as_html, columns
from .runs import run_means
from .uncertainty import check_covariance, check_errors

T = TypeVar("T")
_SHOWN = 20  # systems that a notebook shows
_LARGEST = 1e300  # so that sums over topics stay finite


_OF_SYSTEMS = ("systems", "teams", "families")
_NOT_COMPARED = ("missing", "source", "call", "notes")  # fields that == ignores


def _made(kind: Callable[..., T], values: FloatArray, about: Mapping[str, Any]) -> T:
    return kind(values, **about)


@dataclass(frozen=True, eq=False, repr=False, init=False)
class _Data:
    """Base of `Scores` and `Means`: immutable values with metadata."""

    values: FloatArray
    systems: tuple[str, ...]
    measure: str
    lower_is_better: bool
    missing: Missing
    teams: tuple[str, ...] | None
    families: tuple[str, ...] | None
    source: str
    call: str
    notes: tuple[str, ...]

    @cached_property
    def has_holes(self) -> bool:
        """Tell whether a score is missing."""
        return has_holes(self.values)

    def _given(self) -> FloatArray:
        """The values in the form that the constructor accepts."""
        return self.shown(getattr(self, "runs", None))

    def shown(self, values: FloatArray | None = None) -> FloatArray:
        """Return values (by default all scores) with the sign that the scores had when they were given."""
        return with_sign(self.values if values is None else values, self.lower_is_better)

    def settled(self, *, open_to_holes: bool = False) -> tuple[Self, tuple[str, ...]]:
        """Apply the policy for missing scores, and say what was filled in or left out."""
        raise NotImplementedError

    def complete(self) -> Self:
        """Apply the policy for missing scores, and warn about what was filled in or left out."""
        made, said = self.settled()
        for sentence in said:
            warn(sentence)
        return made

    def described(self, **about: Any) -> Self:
        """Copy the scores and change metadata: source, policy for missing scores, groups, teams, errors."""
        if about.keys() <= {"source", "call", "notes"}:  # these need no check, and the values no copy
            made = object.__new__(type(self))
            vars(made).update(vars(self) | {k: tuple(v) if k == "notes" else v for k, v in about.items()})
            return made
        return _made(type(self), self._given(), self._about() | about)

    def _repr_html_(self) -> str:
        names: Any = self
        order, means = [s for tied in names.ranking() for s in tied], names.means()
        found = dict(zip(names.systems, zip(means, self.shown(means), strict=True), strict=True))
        rows = [[s, str(1 + int((means > found[s][0]).sum())), f"{found[s][1]:.4f}"] for s in order[:_SHOWN]]
        rest = f"\n\nand {len(order) - _SHOWN} more" if len(order) > _SHOWN else ""
        return as_html(f"{repr(self)[1:-1]}\n\n{columns([['system', 'rank', 'mean'], *rows])}{rest}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        same = self._content() == other._content()
        return same and bool(np.array_equal(self.values, other.values, equal_nan=self.has_holes))

    def __hash__(self) -> int:
        return hash((*self._content().values(), self.values.tobytes()))

    def _about(self) -> dict[str, Any]:
        """The metadata, as arguments of the constructor."""
        names: Any = type(self).__dataclass_fields__
        return {name: getattr(self, name) for name in names if name not in ("values", "runs")}

    def _labels(self, places: Any, *names: str) -> dict[str, Any]:
        """The labels at some indices, for each attribute in `names`."""
        labels = {name: getattr(self, name) for name in names}
        return {name: None if of is None else tuple(of[k] for k in places) for name, of in labels.items()}

    def _content(self) -> dict[str, Any]:
        known = {name: value for name, value in self._about().items() if name not in _NOT_COMPARED}
        known["runs"] = getattr(self, "runs", None)
        return {name: v.tobytes() if isinstance(v, np.ndarray) else v for name, v in known.items()}

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _made, (type(self), self._given(), self._about())  # unpickled arrays become read-only again


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Scores(_Data):
    """Scores of one measure, topics x systems, higher is better, with labels and metadata. Immutable.

    Parameters
    ----------
    values : array-like
        `values[i, j]` is the score of `systems[j]` on `topics[i]`, nan if it is missing. With repeated runs
        `values[i, j, r]`, nan if a cell has fewer runs; the attribute `values` then holds the means over runs.
    topics, systems : iterable of str
        Unique labels.
    measure : str, optional
        The name of the measure.
    lower_is_better : bool
        True for errors and times: `values` become the negatives of the given scores. Tables show the given scores.
    missing : {"error", "zero", "drop", "drop-systems", "mean", "available"}
        The policy for missing scores, as in `read_scores`. It is applied once the compared systems and topics are
        known; `complete` applies it at once.
    groups : mapping or sequence of str, optional
        The group of each topic, if topics belong together. Methods that resample topics then resample groups.
    total : {"mean", "type-mean", "borda", "mean-rank", "z-score", "win-rate"}
        The total that systems are ranked by.
    types : mapping or sequence of str, optional
        The type of each topic, required for "type-mean". The other rules take the mean of each type as one topic;
        "mean" takes no types. "task" uses the text before the slash as the type: `STS17` for `STS17/en-en`.
    teams, families : mapping or sequence of str, optional
        The team and the family of each system, if known.
    source : str
        The file from which the scores were read, for messages.
    call : str
        The Python call that reads the scores again.
    notes : iterable of str
        Sentences about what was left out, filled in or renamed while reading.

    See Also
    --------
    Means : One score per system.
    read_scores : Read files.
    as_scores : Take frames, dictionaries and results of tools.

    Examples
    --------
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

    runs: FloatArray | None
    """Scores as topics x systems x runs, higher is better, nan if a cell has fewer runs; None without repeated runs."""
    topics: tuple[str, ...]
    groups: tuple[str, ...] | None
    """The group of each topic, "" if it has none."""
    total: Total
    types: tuple[str, ...] | None

    @checked
    def __init__(  # noqa: PLR0913
        self,
        values: npt.ArrayLike,
        topics: Iterable[Any],
        systems: Iterable[Any],
        measure: str | None = None,
        *,
        lower_is_better: bool = False,
        missing: Missing = "error",
        groups: Any = None,
        total: Total = "mean",
        types: Any = None,
        teams: Any = None,
        families: Any = None,
        source: str = "",
        call: str = "",
        notes: Iterable[str] = (),
    ) -> None:
        array = _matrix(values)
        rows, columns = check_labels(topics, "topics"), check_labels(systems, "systems")
        if array.shape[:2] != (len(rows), len(columns)):
            turned = array.shape[:2] == (len(columns), len(rows))
            hint = "; values are topics x systems, so transpose them" if turned else ""
            raise InputError(
                f"values have shape {array.shape}, but there are {counted(len(rows), 'topic')} and "
                f"{counted(len(columns), 'system')}{hint}"
            )
        if not array.size:
            raise InputError(f"values of shape {array.shape} are empty: at least one topic and one system are needed")
        if max(np.fmax.reduce(array, axis=None), -np.fmin.reduce(array, axis=None)) > _LARGEST:  # false for nan
            place = tuple(np.argwhere(np.abs(array) > _LARGEST)[0])
            raise LimitError(
                f"the score of system {columns[place[1]]!r} on topic {rows[place[0]]!r} is {array[place]}: every score "
                f"must be a number, at most {_LARGEST:g} in size, or nan if it is missing; divide all scores by a "
                "constant"
            )
        np.subtract(0.0, array, out=array) if lower_is_better else np.add(array, 0.0, out=array)  # -0.0 becomes 0.0
        runs = None
        if array.ndim == 3:
            runs = array if (~np.isnan(array)).sum(axis=2).max() > 1 else None
            array = run_means(array)
        for held in (array, runs):
            if held is not None:
                held.flags.writeable = False
        if types is None and total == "type-mean":
            raise InputError(
                f"{named('total')} is 'type-mean', which needs the type of each topic: give {named('types')}"
            )
        if types is not None and total == "mean":
            way_out = f"choose one, as in {argument('total', 'type-mean')}"
            raise InputError(f"{named('types')} is for totals other than 'mean': {way_out}")
        vars(self).update(values=array, runs=runs, topics=rows, systems=columns, measure=measure or "", missing=missing)
        vars(self).update(groups=_labelled(groups, rows, "groups"), types=_labelled(types, rows, "types"))
        vars(self).update(teams=_labelled(teams, columns, "teams"), families=_labelled(families, columns, "families"))
        vars(self).update(lower_is_better=lower_is_better, total=total, source=source, call=call, notes=tuple(notes))

    # Properties -------------------------------------------------------------------------------------------------------

    def counts(self) -> IntArray:
        """Count the topics on which each system has a score."""
        return np.asarray((~np.isnan(self.values)).sum(axis=0))

    @property
    def rule(self) -> Rule:
        """The rule for totals."""
        return RULES[self.total]

    def decimals(self) -> int | None:
        """Return how many decimals, at most 6, suffice to write all scores; None if 6 are too few.

        trec_eval prints 4 decimals, which creates ties that the full scores do not have.

        >>> Scores([[0.5, 0.2636]], ["1"], ["a", "b"]).decimals()
        4
        """
        # A decimal of d places is the double nearest to k / 10**d, which is what np.round computes.
        equal = partial(np.array_equal, equal_nan=self.has_holes)
        return next((d for d in range(7) if equal(np.round(self.values, d), self.values)), None)

    # Operations -------------------------------------------------------------------------------------------------------

    def settled(self, *, open_to_holes: bool = False) -> tuple[Scores, tuple[str, ...]]:
        """Apply the policy for missing scores, and say what was filled in or left out.

        Scores stay missing if the policy is "available" and the caller accepts missing scores (`open_to_holes`).
        """
        if self.types is not None and self.total != "type-mean":
            made, notes = self._by_type()
            settled, said = made.settled(open_to_holes=open_to_holes)
            return settled, (*notes, *said)
        if not self.has_holes:
            return self, ()
        there = ~np.isnan(self.values)
        some = np.flatnonzero(there.any(axis=1)).tolist()
        if self.missing == "available" and open_to_holes and 0 < len(some) < len(self.topics):
            empty = [topic for topic, has in zip(self.topics, there, strict=True) if not has.any()]
            left = f"{counted(len(empty), 'topic')} left out, because no system has a score there: {listing(empty)}"
            settled, said = self._take(topics=some).settled(open_to_holes=True)
            return settled, (f"{self.source}: {left}" if self.source else left, *said)
        try:
            if self.missing == "available" and open_to_holes:
                refuse_empty(there, self.systems)
                if self.total != "borda":  # Borda gives 0 points for a hole
                    refuse_apart(there, self.systems)
                return self, ()
            if self.missing == "zero" and (
                self.lower_is_better or np.nanmax(self.values) <= 0 > np.nanmin(self.values)
            ):
                why = "lower is better" if self.lower_is_better else "no score is above 0"
                raise InputError(
                    f"{argument('missing', 'zero')} would give missing topics the best score, because {why}: use 'drop'"
                )
            values, rows, columns, what = settle(
                self.shown(), self.topics, self.systems, self.missing, open_to_holes=open_to_holes
            )
        except InputError as error:
            raise InputError(f"{self.source}: {error}" if self.source else str(error)) from None
        made = self._take(columns, rows)
        if self.runs is None or made.has_holes:  # otherwise nothing was filled in, so the runs are kept
            made = made.like(self.shown(values))
        return made, (f"{self.source}: {what}" if self.source else what,)

    def _by_type(self) -> tuple[Scores, tuple[str, ...]]:
        """Average the topics of each type, as MTEB does for subsets of a task, and say what was left out.

        A system that lacks one topic of a type has no score for that type.
        """
        assert self.types is not None
        require_labels(self.types, self.topics, "types")
        names, which = np.unique(self.types, return_inverse=True)
        order = np.argsort([self.types.index(name) for name in names])  # in the order of their first topics
        rows = [np.flatnonzero(which == k) for k in order]
        names = names[order]
        values = np.array([self.values[places].mean(axis=0) for places in rows])
        there = ~np.isnan(values)
        kept, systems = np.flatnonzero(there.any(axis=1)), np.flatnonzero(there.any(axis=0))
        if not kept.size:
            raise InputError(f"no system has all topics of a type, such as those of {names[0]!r}: leave topics out")
        notes = [
            f"{counted(len(lost), noun)} left out, because {why}: {listing(lost)}"
            for lost, noun, why in (
                (np.delete(names, kept), "type", "no system has all its topics"),
                (np.delete(self.systems, systems), "system", "it lacks topics of every type"),
            )
            if len(lost)
        ]
        groups = None
        if self.groups is not None:
            of = [{self.groups[i] for i in places} for places in rows]
            if apart := [str(name) for name, found in zip(names, of, strict=True) if len(found) > 1]:
                raise InputError(f"{named('groups')} puts topics of one type into several groups: {listing(apart)}")
            groups = [of[k].pop() for k in kept]
        about = self._take(systems)._about() | {"topics": names[kept].tolist(), "types": None, "groups": groups}
        return Scores(self.shown(values[np.ix_(kept, systems)]), **about), tuple(notes)

    def points(self) -> Scores:
        """Compute each system's points on each topic by the rule for totals. For "mean", the points are the scores."""
        if self.total == "mean":
            return self
        values = self.rule.points(self.values)
        if self.types is not None:
            require_labels(self.types, self.topics, "types")
            values = type_weights(self.types) * values
        lower = self.lower_is_better if self.rule.lower_is_better is None else self.rule.lower_is_better
        about = self._about() | {"total": "mean", "types": None, "lower_is_better": lower}
        return Scores(with_sign(values, lower), **about)

    def observations(self) -> Scores:
        """Make a complete row for each topic or group, the units that are resampled. The mean of the rows is the total.

        Missing scores are filled so that they contribute nothing to the standard error of a total.
        """
        made = self.points()
        values = influences(made.values) if made.has_holes else made.values
        if made.groups is None:
            return made if values is made.values else made.like(values)
        names, places = places_of_groups(made.groups, made.topics)
        return made.like(group_rows(values, places), names)

    def means(self) -> FloatArray:
        """Compute each system's mean by the rule for totals, in the order of `systems`. Equal totals are tied."""
        made = self.settled(open_to_holes=True)[0]
        if made.systems != self.systems:
            raise InputError(f"{self.source or 'scores'}: systems lack topics; call complete() to leave them out first")
        return mean_over_topics(made._predicted())

    def totals(self) -> FloatArray:
        """Compute totals by the rule, higher is better: a sum for "borda", otherwise a mean."""
        points = self._predicted()
        return np.asarray(points.sum(axis=0)) if self.total == "borda" else mean_over_topics(points)

    def _predicted(self) -> FloatArray:
        """Return points on every topic; predict missing points from the effects of topic and system."""
        if self.types is None or not self.has_holes:
            return fitted(self.points().values)
        return self.like(fitted(self.values)).points().values  # weighted points do not fit the model

    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """Rank the systems by their means, best first. Each inner tuple holds tied systems.

        >>> Scores([[3, 1, 3, 2]], topics=["t"], systems="a b c d".split()).ranking()
        (('a', 'c'), ('d',), ('b',))
        """
        return ranked(self.systems, self.means())

    @checked
    def drop_bottom(self, quantile: float = 0.25) -> Scores:
        """Drop systems whose mean is below a quantile of all means, as studies do to remove outliers.

        Parameters
        ----------
        quantile : float
            At least 0 and below 1; 0 drops none. The quantile is NumPy's, interpolated linearly between the means.

        Returns
        -------
        Scores
            The other systems, in their order. Systems tied with the worst remaining one also remain, so that the result
            does not depend on the order of the systems.

        Examples
        --------
        >>> Scores([[0.1, 0.4, 0.2, 0.3]], ["t"], "a b c d".split()).drop_bottom(0.25).systems
        ('b', 'c', 'd')

        """
        means = self.means()
        limit = np.quantile(means, quantile) - 1e-12 * np.abs(means).max()  # in floats 0.55 * 20 > 11
        return self._take(systems=np.flatnonzero(means >= limit))

    def select(self, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> Scores:
        """Select systems and topics, in the given order. Unknown labels are errors.

        ``"STS*"`` selects all matching labels, and ``"!AFQMC"`` leaves one out.
        """
        return self._take(
            systems=None if systems is None else places_of(systems, self.systems, "systems"),
            topics=None if topics is None else places_of(topics, self.topics, "topics"),
        )

    def _take(self, systems: Any = None, topics: Any = None) -> Scores:
        rows = np.arange(len(self.topics)) if topics is None else topics
        columns = np.arange(len(self.systems)) if systems is None else systems
        about = self._about() | self._labels(rows, "topics", "groups", "types") | self._labels(columns, *_OF_SYSTEMS)
        return Scores(self._given()[np.ix_(rows, columns)], **about)

    def like(self, values: FloatArray, topics: Iterable[Any] | None = None) -> Scores:
        """Copy with other values for the same systems, higher is better. New topics have no groups or types."""
        about = self._about()
        if topics is not None:
            about |= {"topics": topics, "groups": None, "types": None}
        return Scores(self.shown(values), **about)

    def to_frame(self) -> Any:
        """Convert to a pandas frame, topics x systems."""
        pandas = import_extra("pandas")
        return pandas.DataFrame(
            self.shown().copy(),
            index=pandas.Index(self.topics, name="topic"),
            columns=pandas.Index(self.systems, name="system"),
        )

    def __repr__(self) -> str:
        shape = f"{counted(len(self.topics), 'topic')} x {counted(len(self.systems), 'system')}"
        holes = f", {counted(int(np.isnan(self.values).sum()), 'score')} missing" if self.has_holes else ""
        runs = "" if self.runs is None else f" x {counted(self.runs.shape[2], 'run')}"
        return f"<Scores: {shape}{runs}{_described(self)}{holes}>"


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Means(_Data):
    """One score per system, higher is better, such as a leaderboard without scores on topics. Immutable.

    Functions that need topics (intervals, tests, reliability) refuse `Means`; all other functions take it like
    `Scores`. It also has the parameters of `Scores` that do not concern topics. A missing score is nan.

    Parameters
    ----------
    errors : mapping, Series or sequence, optional
        The standard error of each score, if the errors are independent; `rank_intervals` then needs no topics.
    covariance : array-like or frame, optional
        The covariance of the scores, systems x systems, instead of `errors`.
    degrees_of_freedom : float, optional
        Degrees of freedom of estimated `errors` or `covariance`: n - 1 for means over n topics. By default, `errors`
        and `covariance` count as known exactly.

    See Also
    --------
    Scores : Topics x systems.
    as_scores : Take frames, dictionaries and results of tools.
    rank_intervals : The ranks that each system may have.

    Examples
    --------
    >>> m = Means([0.31, 0.42], systems=["bm25", "dense"], measure="nDCG@10")
    >>> m
    <Means: 2 systems, nDCG@10>
    >>> m.ranking()
    (('dense',), ('bm25',))
    >>> Means([527.0, 525.9, 417.4], ["Japan", "Korea", "Chile"], errors=[2.5, 3.1, 2.4]).errors.tolist()
    [2.5, 3.1, 2.4]

    """

    errors: FloatArray | None
    """The standard error of each score, if known."""
    covariance: FloatArray | None
    """The covariance of the scores, if known."""
    degrees_of_freedom: float | None
    """Degrees of freedom of the errors or the covariance; None if these are known exactly."""

    @checked
    def __init__(
        self,
        values: npt.ArrayLike,
        systems: Iterable[Any],
        measure: str | None = None,
        *,
        errors: Any = None,
        covariance: Any = None,
        degrees_of_freedom: float | None = None,
        **about: Any,
    ) -> None:
        if np.ndim(values) > 1:
            raise InputError(f"values have {np.ndim(values)} dimensions: give one score per system")
        if wrong := about.keys() & {"topics", "groups", "types", "total"}:
            raise InputError(f"{listing(sorted(wrong))} needs scores on topics: leave it out, or make Scores")
        # Check labels and numbers as one row of a matrix.
        row = Scores(np.asarray(values)[None], ["mean"], systems, measure, **about)
        found = {name: getattr(row, name) for name in row.__dataclass_fields__} | {"values": row.values[0]}
        if errors is not None and covariance is not None:
            raise InputError("errors and covariance are both given: give one of the two")
        found["errors"] = None if errors is None else check_errors(errors, row.values[0], row.systems)
        found["covariance"] = None if covariance is None else check_covariance(covariance, row.systems)
        if degrees_of_freedom is not None and errors is None and covariance is None:
            raise InputError("degrees_of_freedom is given, but neither errors nor covariance: give one of them")
        found["degrees_of_freedom"] = degrees_of_freedom
        vars(self).update({name: found[name] for name in Means.__dataclass_fields__})

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics: always empty."""
        return ()

    @property
    def groups(self) -> None:
        """The groups of topics: always None."""
        return

    def settled(self, *, open_to_holes: bool = False) -> tuple[Means, tuple[str, ...]]:
        """Apply the policy for missing scores: leave out systems without a score and say so, or raise."""
        if not self.has_holes:
            return self, ()
        lacking = [self.systems[k] for k in np.flatnonzero(np.isnan(self.values))]
        before = f"{self.source}: " if self.source else ""
        if self.missing != "drop-systems":
            way_out = argument("missing", "drop-systems")
            raise InputError(
                f"{before}{'has' if before else 'there is'} no score for {listing(lacking)}: leave these systems out "
                f"with {way_out}"
            )
        keep = [name for name in self.systems if name not in set(lacking)]
        if not keep:
            raise InputError(f"{before}no system has a score in this column")
        return self.select(keep), (
            f"{before}{counted(len(lacking), 'system')} without a score left out: {listing(lacking)}",
        )

    def means(self) -> FloatArray:
        """The score of each system, in the order of `systems`."""
        return self.values

    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """Rank the systems by their scores, best first. Each inner tuple holds tied systems."""
        return ranked(self.systems, self.values)

    def select(self, systems: Iterable[str] | None = None) -> Means:
        """Select systems, in the given order. Unknown labels are errors."""
        if systems is None:
            return self
        places = places_of(systems, self.systems, "systems")
        about = self._about() | self._labels(places, *_OF_SYSTEMS, "errors")
        if self.covariance is not None:
            about["covariance"] = self.covariance[np.ix_(places, places)]
        return Means(self.shown()[places], **about)

    def __repr__(self) -> str:
        return f"<Means: {counted(len(self.systems), 'system')}{_described(self)}>"


def _described(scores: Scores | Means) -> str:
    """Describe the measure and its direction for a repr."""
    return "".join(f", {part}" for part in (scores.measure, "lower is better" * scores.lower_is_better) if part)


def with_sign(values: FloatArray, lower_is_better: bool) -> FloatArray:
    """Negate values if lower is better."""
    return 0.0 - values if lower_is_better else values


def ranked(systems: Sequence[str], means: FloatArray) -> tuple[tuple[str, ...], ...]:
    """Rank systems by their means, best first. Each inner tuple holds tied systems."""
    groups: dict[float, list[str]] = {}
    for mean, system in zip(means.tolist(), systems, strict=True):
        groups.setdefault(mean, []).append(system)
    return tuple(tuple(groups[mean]) for mean in sorted(groups, reverse=True))


def owned(values: FloatArray) -> FloatArray:
    """Mark a matrix as unshared, so that `Scores` need not copy it."""
    return values.view(_Owned) if values.flags.c_contiguous and values.flags.owndata else values


class _Owned(np.ndarray):
    """A matrix that no other code refers to, so that it need not be copied."""


def _matrix(values: npt.ArrayLike) -> FloatArray:
    """Copy `values` as float64 in C order: topics x systems, or topics x systems x runs."""
    if isinstance(values, _Owned):
        return values.view(np.ndarray)
    if hasattr(values, "columns"):
        raise InputTypeError("values are a frame: use as_scores, which keeps its labels, or give values.to_numpy()")
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise ValueError
    except ValueError:
        raise InputTypeError("values must be numbers in a topics x systems array, in rows of equal length") from None
    if np.ma.isMaskedArray(values) and np.ma.is_masked(values):
        raise InputError("values have masked entries: fill them first, because the mask would be ignored")
    if array.ndim not in (2, 3):
        raise InputError(
            f"values have {array.ndim} dimensions (shape {array.shape}): give topics x systems, or topics x systems x "
            "runs"
        )
    return np.array(array, dtype=np.float64, order="C")


def check_labels(labels: Iterable[Any], what: str) -> tuple[str, ...]:
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
        raise InputTypeError(f"{what} is {labels!r}: give a list of labels")
    if isinstance(labels, set | frozenset):
        raise InputTypeError(f"{what} is a set, which has no order: give a list of labels")
    given = list(labels)
    if set(map(type, given)) - {str}:  # skip the slow check of many strings
        for label in given:
            if isinstance(label, bool | np.bool_) or not isinstance(label, str | int | np.integer):
                raise InputTypeError(
                    f"{what} hold {label!r}: labels are strings (301 and '301' are the same, 301.0 is not)"
                )
        given = list(map(str, given))
    if len(set(given)) < len(given):
        twice = next(name for name, count in Counter(given).items() if count > 1)
        places = " and ".join(str(k) for k in [k for k, name in enumerate(given) if name == twice][:2])
        raise InputError(
            f"{what} hold {twice!r} twice, at positions {places}: labels must be unique; rename one or leave it out"
        )
    return tuple(given)


def checked_choice(systems: Iterable[Any] | None, topics: Iterable[Any] | None) -> dict[str, Any]:
    """Check the requested systems and topics, and return them as keyword arguments for readers."""
    given = {"systems": systems, "topics": topics}
    return {name: None if labels is None else check_labels(labels, name) for name, labels in given.items()}


def places_of(wanted: Iterable[str], labels: tuple[str, ...], what: str) -> list[int]:
    """Return the indices chosen by names, patterns (STS*) and exclusions (!AFQMC)."""
    return choose(check_labels(wanted, what), labels, "", lambda message: InputError(f"{what} {message}"))


def _labelled(given: Any, labels: tuple[str, ...], name: str) -> tuple[str, ...] | None:
    """Return the group, type, team or family of each topic or system, "" if it has none."""
    if given is None:
        return None
    noun = "topic" if name in ("groups", "types") else "system"
    if isinstance(given, str) and given == "task" and name == "types":
        return tuple(label.partition("/")[0] for label in labels)
    if isinstance(given, Mapping):
        found = {str(key): str(value) for key, value in given.items()}
        if not any(map(found.__contains__, labels)):
            raise InputError(
                f"{named(name)} has none of the {noun}s ({listing(labels, 3)}), only {listing(found, 3) or 'nothing'}: "
                f"name the {noun}s as in the scores"
            )
        return tuple(found.get(label, "") for label in labels)
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != len(labels):
        raise InputTypeError(f"{named(name)} must be a mapping from {noun}s to labels, or a label for each {noun}")
    return tuple(map(str, given))
