"""Match the systems and topics of a truth and its candidates by name, and note what was left out.

No other module matches sides. This module also applies the policies for missing scores, because they depend on the
compared systems and topics. It applies the rules for groups and totals as well, because all sides share them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from .data.means import ASSUMED, are_invented, doubts_about_sizes
from .data.results import as_html, settings_of
from .data.scores import Means, Scores
from .errors import AlignmentWarning, InputError, InputTypeError, argument, counted, listing, named, one_line, warn
from .options import checked
from .read.reader import Collection, as_scores, as_topic_side, refuse, tables_in
from .read.source import look_alikes, short_names
from .read.tables.frames import is_frame

On: TypeAlias = Literal["both", "systems"]
Side: TypeAlias = "Scores | Means"
Noun: TypeAlias = Literal["judge", "measure", "pool", "benchmark"]
_MEASURE = re.compile(
    r"(?:gm_|inf)?(?:map|ap|n?dcg|p|prec|precision|rprec|recall|mrr|rr|recip_rank|bpref|err|rbp)(?:[@_]?(?:cut_)?\d+)?",
    re.IGNORECASE,
)  # names of common measures


@dataclass(frozen=True)
class Pairing:
    """A truth and one or more candidates with the same systems and, if on="both", the same topics. Immutable.

    `pair` returns a pairing. Functions that compare two sides also accept one.

    See Also
    --------
    pair : Match the systems and topics of a truth and its candidates, by name.

    """

    sides: tuple[Side, ...]
    """The truth, then the candidates. A side without topics is a `Means`."""
    names: tuple[str, ...]
    """The names of the sides."""
    on: On
    left_out: tuple[int, ...]
    """How many topics of each side were left out, because another side lacks them."""
    notes: tuple[str, ...] = ()
    """What was left out or filled in, and doubts about the data."""
    noun: Noun = "judge"
    """The word for a candidate in verdicts and notes."""

    @property
    def truth(self) -> Side:
        """The side that the candidates are compared with."""
        return self.sides[0]

    @property
    def candidates(self) -> tuple[Side, ...]:
        """The sides compared with the truth."""
        return self.sides[1:]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, which are the same on all sides."""
        return self.truth.systems

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that all sides have; empty if the sides have different topics or a side has none."""
        return self.truth.topics if self.by_topic else ()

    @property
    def by_topic(self) -> bool:
        """Whether all sides have scores on the same topics."""
        return self.on == "both" and all(isinstance(side, Scores) for side in self.sides)

    def observations(self) -> tuple[Side, ...]:
        """Convert each side to one row per topic, or per group if topics have groups. `Means` stay unchanged."""
        return tuple(side.observations() if isinstance(side, Scores) else side for side in self.sides)

    @property
    def settings(self) -> dict[str, Any]:
        """The rule for totals unless it is the mean, and the number of groups if the topics have groups."""
        groups, total = self.truth.groups, getattr(self.truth, "total", "mean")
        made: dict[str, Any] = {} if total == "mean" else {"total": total}
        return made if groups is None else made | {"groups": len(set(groups))}

    def alone(self, k: int) -> Pairing:
        """Return the pairing of the truth with candidate k, counted from 0."""
        both: dict[str, Any] = {
            name: tuple(getattr(self, name)[i] for i in (0, 1 + k)) for name in ("sides", "names", "left_out")
        }
        return replace(self, **both)

    def __iter__(self) -> Iterator[Side]:
        return iter(self.sides)

    def __str__(self) -> str:
        topics = f" and {counted(len(self.topics), 'topic')}" if self.by_topic else ""
        head = f"{listing(self.names)}: {counted(len(self.systems), 'system')}{topics}"
        return "\n".join(map(one_line, [head, *(f"Note: {note}" for note in self.notes)]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(str(self))


@checked
def pair(
    truth: Collection,
    candidates: Any,
    *,
    names: Sequence[str] | None = None,
    on: On = "both",
    top: int | None = None,
    noun: Noun | None = None,
) -> Pairing:
    """Match the systems and topics of a truth and its candidates, by name.

    Parameters
    ----------
    truth : what `as_scores` takes
        The side that the candidates are compared with.
    candidates : what `as_scores` takes, a list of these, or a mapping from names to them
        One or more candidates. A list of paths is one candidate per path.
    names : sequence of str, optional
        Names for the sides, the truth's name first. By default, the keys of a mapping or the names of the files.
    on : {"both", "systems"}
        "both": keep the systems and the topics that all sides have. "systems": keep the systems that all sides have,
        and let each side keep its own topics.
    top : int, optional
        Keep this many of the best systems according to the truth, and any systems tied with the last of them.
    noun : {"judge", "measure", "pool", "benchmark"}, optional
        The word for a candidate in verdicts and notes. The default is "measure" for two measures from one file,
        "benchmark" for two sets of topics from one file, and otherwise "judge".

    Returns
    -------
    Pairing
        All sides on their common systems and topics. Its notes say what was left out.

    See Also
    --------
    compare : Compare the rankings of a pairing.

    Examples
    --------
    >>> import concordant as cc
    >>> a = cc.Scores([[1, 2], [3, 4]], ["1", "2"], ["x", "y"])
    >>> b = cc.Scores([[5, 6], [7, 8]], ["2", "1"], ["y", "x"])
    >>> [side.values.tolist() for side in cc.pair(a, b)]
    [[[1.0, 2.0], [3.0, 4.0]], [[8.0, 7.0], [6.0, 5.0]]]

    """
    sides, called = named_sides(truth, candidates, names)
    found = best(match(sides, called, on, choice=True, holes=True), top)
    return replace(found, noun=noun or _noun_of(found))


def _noun_of(found: Pairing) -> Noun:
    """Choose the noun for the candidates, given the names and files of the sides."""
    persons = all(re.fullmatch(r"p\d+", name, re.IGNORECASE) for name in found.names)  # p1 and p2 are persons
    if all(map(_MEASURE.fullmatch, found.names)) and not persons:
        return "measure"
    if not found.truth.source or len({side.source for side in found.sides}) > 1:
        return "judge"
    if len({side.measure for side in found.sides}) > 1:
        return "measure"
    return "judge" if found.by_topic else "benchmark"


def pairings(  # noqa: PLR0913
    truth: Any,
    candidates: Any,
    *,
    names: Sequence[str] | None = None,
    on: On = "both",
    top: int | None = None,
    noun: Noun | None = None,
    topics: bool = False,
    many: bool | None = None,
    choice: bool = True,
    otherwise: str = "",
) -> list[Pairing]:
    """Pair the truth with each candidate separately, so that results for one candidate do not depend on the others.

    If `truth` is a pairing, it is split into one pairing per candidate. Otherwise the sides are matched, and a warning
    says what was left out. With `topics`, a side without topics is an error, and so are missing scores that no policy
    fills; `otherwise` is the end of the message for a side without topics. If `many` is True, a mapping holds
    candidates by name; if it is False, a mapping is one candidate. By default, the values of the mapping decide. Pass
    `choice` if the caller has the option `on`, so that messages may suggest it.
    """
    if isinstance(truth, Pairing):
        if candidates is not None or names is not None or top is not None:
            raise InputTypeError("a pairing holds both sides, with their names: give the pairing alone")
        for side in truth.sides if topics else ():
            if isinstance(side, Means):
                raise InputError(f"the pairing has a side without topics: pair scores on topics{otherwise}")
        return [replace(truth.alone(k), noun=noun or truth.noun) for k in range(len(truth.candidates))]
    (own, *others), called = named_sides(truth, candidates, names, topics=topics, many=many, otherwise=otherwise)
    found = []
    for side, name in zip(others, called[1:], strict=True):
        by_topic = on != "systems" and isinstance(own, Scores) and isinstance(side, Scores)
        kind: On = "both" if by_topic else "systems"
        found.append(match([own, side], [called[0], name], kind, choice=choice, holes=not topics))
    for note in dict.fromkeys(note for one in found for note in one.notes):
        warn(note, AlignmentWarning)
    found = [best(one, top) for one in found]
    return [replace(one, noun=noun or _noun_of(one)) for one in found]


def named_sides(
    truth: Any,
    candidates: Any,
    names: Sequence[str] | None,
    *,
    topics: bool = False,
    many: bool | None = None,
    otherwise: str = "",
) -> tuple[list[Side], list[str]]:
    """Read the truth and its candidates. Take their names from `names`, from the keys of a mapping, or from files."""
    if candidates is None:
        raise InputTypeError("candidate is missing: give it, or a pairing of both sides")
    given, keys = _candidates(candidates, many)
    read = partial(as_topic_side, otherwise=otherwise) if topics else as_scores
    sides: list[Side] = [read(truth, "truth")]
    sides += [read(one, "candidate" if len(given) == 1 else f"candidate {k}") for k, one in enumerate(given, 1)]
    if names is not None:
        if isinstance(names, str) or len(names) != len(sides) or not all(isinstance(name, str) for name in names):
            raise InputError(f"names is {names!r}: give {len(sides)} strings, the truth's name first")
        called = list(names)
    else:
        called = _names_of(sides)
        called[1:] = keys or called[1:]
    if len(set(called)) < len(called):
        twice = next(name for name in called if called.count(name) > 1)
        raise InputError(f"{twice!r} names two sides: give them different names, with {argument('names')}")
    return sides, called


def _candidates(given: Any, many: bool | None) -> tuple[list[Any], list[str]]:
    """Return the candidates, and their names if they came in a mapping."""
    if many is False:
        return [given], []
    if isinstance(given, Mapping) and given and (many or all(map(_is_side, given.values()))):
        return list(given.values()), list(map(str, given))
    if isinstance(given, list | tuple) and given and all(map(_is_side, given)):
        return list(given), []
    if isinstance(given, str | os.PathLike) and (files := tables_in(given)):
        return list(files), []
    return [given], []


def _is_side(value: Any) -> bool:
    """Tell whether a value is a complete side, such as scores, a path or a frame, not a number or a dictionary."""
    return isinstance(value, Scores | Means | str | os.PathLike) or is_frame(value)


def _names_of(sides: Sequence[Side]) -> list[str]:
    """Name sides after their files, or "truth" and "candidate" if they do not come from files."""
    others = ["candidate"] if len(sides) == 2 else [f"candidate {k}" for k in range(1, len(sides))]
    sources = [side.source or other for side, other in zip(sides, ("truth", *others), strict=True)]
    made = short_names(sources, [side.measure or None for side in sides])
    return made if len(set(made)) == len(made) else ["truth", *others]


def best(found: Pairing, top: int | None) -> Pairing:
    """Keep the `top` best systems according to the truth, and any systems tied with the last of them."""
    if top is None:
        return found
    if top >= len(found.systems):
        note = f"{named('top')} is {top}, but there are only {len(found.systems)} systems: all were compared"
        return replace(found, notes=(*found.notes, note))
    kept = best_systems(found.truth, top)
    tied = f"kept the {len(kept)} best systems of {found.names[0]}, because the last ones are tied"
    notes = (tied,) if len(kept) > top else ()
    sides = tuple(side.select(kept) for side in found.sides)
    return replace(found, sides=sides, notes=(*found.notes, *notes, *_points_of_some(sides)))


def best_systems(side: Side, top: int) -> list[str]:
    """Return the `top` best systems of a side and any systems tied with the last of them, in the side's order."""
    means = side.means()
    least = np.sort(means)[-top]
    return [s for s, mean in zip(side.systems, means, strict=True) if mean >= least]


def paired(truth: Any, candidate: Any = None, *, on: On | None = None, otherwise: str | None = None) -> Pairing:
    """Pair two sides, or use the given pairing, and warn about what was left out.

    If both sides have topics, they are matched by topic unless on="systems"; `on` is None if the caller lacks this
    option. If scores of a side are missing, its means are compared. A caller that needs scores on topics passes
    `otherwise`, the end of the error message for a side without topics.
    """
    two_sides(truth, candidate)
    topics = otherwise is not None
    return pairings(
        truth, candidate, on=on or "both", topics=topics, many=False, choice=on is not None, otherwise=otherwise or ""
    )[0]


@dataclass(frozen=True)
class Matched:
    """Sides with the same systems, the truth first, and one row for each topic or group of topics."""

    scores: tuple[Scores, ...]
    """One row for each topic or group of topics."""
    names: tuple[str, ...]
    """The names of the sides."""
    notes: tuple[str, ...]
    """What was left out, and doubts about the data."""
    groups: int | None
    """The number of groups; None if the topics have no groups."""
    pairing: Pairing

    @property
    def truth(self) -> Scores:
        """The side that the candidates are compared with."""
        return self.scores[0]

    @property
    def judge(self) -> Scores:
        """The first candidate."""
        return self.scores[1]

    def about(self, **settings: Any) -> Any:
        """Return the notes, data and settings for a result. Settings include the measure and the number of groups."""
        grouped = {} if self.groups is None else {"groups": self.groups}
        settings = settings_of(**settings, measure=self.scores[0].measure, **grouped)
        return {"notes": self.notes, "data": self.pairing, "settings": settings}


def matched_topics(truth: Any, candidate: Any, *, each: str = "") -> Matched:
    """Match two sides, or a pairing, on at least 2 common topics and 2 common systems.

    A caller that cannot use groups, or totals other than the mean, says why in `each`; they then raise an error.
    """
    return matched_rows(paired(truth, candidate, otherwise=""), each=each)


def matched_rows(found: Pairing, *, each: str = "", own_topics: bool = False) -> Matched:
    """Convert each side of a pairing to one row per topic or group; require at least 2 topics and 2 systems.

    With `own_topics`, the sides may have different topics. `each` has the same meaning as in `matched_topics`.
    """
    if not (own_topics or found.by_topic):
        raise InputError("the sides of the pairing do not share topics: pair scores on the same topics")
    n, m = min(len(side.topics) for side in found.sides), len(found.systems)
    if n < 2 or m < 2:
        who = f"{found.names[0]} and {found.names[1]}" if len(found.names) == 2 else "all sides"
        raise InputError(
            f"{who} have {counted(m, 'system')} and {counted(n, 'topic')} in common: at least 2 of each are needed"
        )
    if each:
        refuse(found.truth, found.names[0], "groups", "total", why=each)
    groups = found.truth.groups
    rows = tuple(side.observations() for side in found.sides if isinstance(side, Scores))
    notes = (*found.notes, *doubts_about_sizes(groups))
    return Matched(rows, found.names, notes, None if groups is None else len(rows[0].topics), found)


def rejoined(found: Sequence[Pairing]) -> tuple[list[Side], list[str]]:
    """Return the truth and all candidates of pairings that share one truth, and the names of these sides."""
    first = found[0]
    return [first.truth, *(one.candidates[0] for one in found)], [first.names[0], *(one.names[1] for one in found)]


def together(pairs: Sequence[Pairing]) -> Pairing | None:
    """Join pairings that share one truth, or return None if their systems or topics differ."""
    first = pairs[0]
    if len(pairs) == 1:
        return first
    if len({(one.systems, one.topics) for one in pairs}) > 1:
        return None
    notes = dict.fromkeys(note for one in pairs for note in one.notes)
    sides, names = rejoined(pairs)
    left_out = (first.left_out[0], *(one.left_out[1] for one in pairs))
    return Pairing(tuple(sides), tuple(names), first.on, left_out, tuple(notes), first.noun)


def two_sides(truth: Any, candidate: Any) -> tuple[Any, Any]:
    """Return the two sides of a pairing, or the two given sides."""
    if not isinstance(truth, Pairing):
        if candidate is None:
            raise InputTypeError("candidate is missing: give it, or a pairing of both sides")
        return truth, candidate
    if candidate is not None:
        raise InputTypeError("a pairing holds both sides: give the pairing alone")
    if len(truth.candidates) > 1:
        raise InputError(f"the pairing has {len(truth.candidates)} candidates: take one, as in pairing.alone(0)")
    return truth.truth, truth.candidates[0]


def match(sides: Sequence[Side], names: Sequence[str], on: On, *, choice: bool = False, holes: bool = False) -> Pairing:
    """Select the systems that all sides have, and with on="both" also the topics, in the order of the first side.

    Pass `choice` if the caller has the option `on`, so that messages suggest it. With `holes`, a side whose policy
    leaves scores missing becomes a `Means`.
    """
    hint = f"{argument('on', 'systems')} averages each side over its own topics" if choice else ""
    if on == "both" and (bare := [name for name, side in zip(names, sides, strict=True) if isinstance(side, Means)]):
        raise InputError(f"there are no topics to match: only one score per system in {listing(bare)}")
    alike = _look_alike(sides, names)
    systems = _common([side.systems for side in sides], names, "systems", alike)
    lost = [_lost(side.systems, systems) for side in sides]
    kept: list[Side] = [_select(side, systems) for side in sides]
    dropped: list[tuple[str, ...]] = [()] * len(sides)
    if on == "both":
        topics = _common_topics(kept, names, hint)
        dropped = [_lost(side.topics, topics) for side in sides]
        kept = [side.select(topics=topics) if side.topics != topics else side for side in kept]  # type: ignore[call-arg]
    kept, said = _settled(_described_alike(kept, names, on), holes=holes)
    if len({(side.systems, side.topics if on == "both" else ()) for side in kept}) > 1:  # a policy dropped labels
        again = match(kept, names, on if all(isinstance(side, Scores) for side in kept) else "systems")
        # The notes from `_settled` already list what each side's own policy dropped.
        lost = [(*had, *_lost(side.systems, again.systems)) for had, side in zip(lost, kept, strict=True)]
        if again.on == "both":
            dropped = [(*had, *_lost(side.topics, again.topics)) for had, side in zip(dropped, kept, strict=True)]
        else:
            dropped = [()] * len(sides)
        kept, on = list(again.sides), again.on
    elif on == "both" and any(isinstance(side, Means) for side in kept):
        on = "systems"
    notes = [
        f"{counted(len(labels), noun)} of {names[k]} left out, because "
        f"{f'{names[1 - k]} lacks' if len(names) == 2 else 'not all sides have'} "
        f"{'it' if len(labels) == 1 else 'them'}: {listing(labels)}{more}"
        for k in range(len(sides))
        for labels, noun, more in (
            (lost[k], "system", ""),
            (dropped[k], "topic", f" ({hint})" if hint else ""),
        )
        if labels
    ]
    if alike:
        notes.append(alike)
    if on == "both" and any(side.call and are_invented(side.topics) for side in sides if isinstance(side, Scores)):
        notes.append("No file has a column of topics, so rows were matched by position")
    more = _points_of_some(kept) if any(lost) else ()
    return Pairing(tuple(kept), tuple(names), on, tuple(map(len, dropped)), (*said, *notes, *more))


def _points_of_some(sides: Sequence[Side]) -> tuple[str, ...]:
    """Write a note that the total depends on which systems are compared, unless it is a mean."""
    total = next((side.total for side in sides if isinstance(side, Scores)), "mean")
    if total in ("mean", "type-mean"):
        return ()
    return (f"{argument('total', total)} ranks only the {counted(len(sides[0].systems), 'compared system')}",)


def _select(side: Side, systems: tuple[str, ...]) -> Side:
    """Select systems of a side. Drop topics on which none of them has a score, unless missing scores count as 0."""
    made = side if side.systems == systems else side.select(systems)
    if isinstance(made, Means) or not made.has_holes or made.missing == "zero":
        return made
    rows = np.flatnonzero(~np.isnan(made.values).all(axis=1)).tolist()
    return made if len(rows) == len(made.topics) else made.select(topics=[made.topics[k] for k in rows])


def _common_topics(sides: Sequence[Side], names: Sequence[str], hint: str) -> tuple[str, ...]:
    if all(are_invented(side.topics) for side in sides) and len({frozenset(s.topics) for s in sides}) > 1:
        raise InputError(
            f"the sides have {' and '.join(str(len(side.topics)) for side in sides)} rows without topic names, and the "
            "rows differ, so they cannot be matched: add a column named topic to each file"
            f"{f'; or {hint}' if hint else ''}"
        )
    return _common([side.topics for side in sides], names, "topics", hint)


def _described_alike(sides: Sequence[Side], names: Sequence[str], on: On) -> list[Side]:
    """Apply the rule for totals that any side declares to all sides, and its groups to sides with the same topics."""
    about: dict[str, Any] = {}
    for key, plain in (("total", "mean"), ("types", None), ("groups", None)):
        known = {
            name: dict(zip(side.topics, value, strict=True)) if isinstance(value, tuple) else value
            for name, side in zip(names, sides, strict=True)
            if isinstance(side, Scores) and (value := getattr(side, key)) != plain
        }
        for name, value in known.items():
            own = about.setdefault(key, value)
            both = value.keys() & own.keys() if isinstance(value, dict) else ()
            if any(value[t] != own[t] for t in both) or (not isinstance(value, dict) and value != own):
                first = next(iter(known))
                raise InputError(f"{first} and {name} have different {named(key)}: give all sides the same")
            about[key] = own | value if isinstance(value, dict) else own
    if not about:
        return list(sides)
    made: list[Side] = []
    for side in sides:
        own = dict(about)
        if on == "systems" and not (side.topics and set(side.topics) <= own.get("groups", {}).keys()):
            own.pop("groups", None)
        if isinstance(side, Means) and own:
            raise InputError(
                f"{listing(map(named, own))} needs scores on topics, but a side has one score per system: leave it out"
            )
        made.append(side.described(**own) if own else side)
    return made


def _settled(sides: Sequence[Side], *, holes: bool) -> tuple[list[Side], list[str]]:
    """Apply the policies for missing scores. Replace a side that still has missing scores by its means."""
    made: list[Side] = []
    said: list[str] = []
    for side in sides:
        settled, notes = side.settled(open_to_holes=holes)
        said += notes
        if isinstance(settled, Scores) and settled.has_holes:
            said.append(f"{side.source}: scores are missing, so means over all topics are estimated: {ASSUMED}")
            about: Any = {"lower_is_better": side.lower_is_better, "source": side.source}
            made.append(Means(settled.shown(settled.means()), settled.systems, settled.measure, **about))
        else:
            made.append(settled)
    return made, said


def _look_alike(sides: Sequence[Side], names: Sequence[str]) -> str:
    """Describe pairs of similar names that may mean the same system: one on the first side, one on another side."""
    found = []
    for side, name in zip(sides[1:], names[1:], strict=True):
        own, other = _lost(sides[0].systems, side.systems), _lost(side.systems, sides[0].systems)
        if pairs := look_alikes(own, other):
            shown = listing((f"{a} and {b}" for a, b in pairs), 5)
            found.append(f"{counted(len(pairs), 'pair')} of names in {names[0]} and {name} look alike ({shown})")
    return f"{'; '.join(found)}: to match them, rename one side with {argument('rename')}" if found else ""


def _lost(labels: Sequence[str], kept: Sequence[str]) -> tuple[str, ...]:
    known = set(kept)
    return tuple(label for label in labels if label not in known)


def _common(sides: Sequence[tuple[str, ...]], names: Sequence[str], what: str, hint: str = "") -> tuple[str, ...]:
    """Return the labels that all sides have, in the order of the first side."""
    shared = set(sides[0]).intersection(*sides[1:])
    if not shared:
        examples = "; ".join(f"{name} has {listing(side, 5)}" for name, side in zip(names, sides, strict=True))
        way_out = f"Rename them so that the labels match{f'; or {hint}' if hint else ''}"
        if hint and what == "systems":
            way_out = hint
        raise InputError(f"no {what} are common to all sides: {examples}. {way_out}")
    return tuple(label for label in sides[0] if label in shared)


def measures_of(*sides: Side) -> str:
    """List the distinct measures of the sides, for instance "AP against P@10"."""
    return " against ".join(dict.fromkeys(side.measure for side in sides if side.measure))
