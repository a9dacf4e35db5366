"""`explain`: which pairs of systems, which systems and which topics make two rankings disagree."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from .. import __version__
from ..arrays import FloatArray, require_room_for_pairs
from ..coefficients.registry import Coefficient, get_coefficient
from ..errors import InputError, import_extra
from ..notebook import Displayed
from ..results import or_none
from ..scores import Scores, round_means
from ..sides import Labelled, Side, aligned, side_of
from ..words import counted, nearest

Kind = Literal["pairs", "systems", "topics"]
_SHOWN = 10


@dataclass(frozen=True)
class PairLoss:
    """A pair of systems, and what it takes from the coefficient."""

    better: str
    """The better one by the truth; where the truth ties them, by candidate."""
    worse: str
    loss: float
    """Its part of 1 - coefficient; the parts of all pairs sum to it exactly."""
    truth_difference: float
    """Mean of `better` minus mean of `worse`."""
    candidate_difference: float

    @property
    def kind(self) -> str:
        """How the sides differ: "swapped", "tied in truth" or "tied in candidate"."""
        if self.truth_difference == 0:
            return "tied in truth"
        return "tied in candidate" if self.candidate_difference == 0 else "swapped"


@dataclass(frozen=True)
class SystemLoss:
    """A system with its half of the loss of each of its pairs."""

    system: str
    loss: float
    swapped: int
    """In how many pairs that the sides order differently it stands."""


@dataclass(frozen=True)
class TopicEffect:
    """A topic, and the coefficient without it."""

    topic: str
    without: float
    """The coefficient over all other topics; nan where it has no value."""
    effect: float
    """`without` minus the coefficient: positive for a topic that lowers the agreement."""


@dataclass(frozen=True)
class PairTopic:
    """A topic's part of the two differences of means between two systems."""

    topic: str
    truth: float
    candidate: float

    @property
    def shift(self) -> float:
        """How far the topic moves the candidate difference away from the truth's."""
        return self.candidate - self.truth


@dataclass(frozen=True, eq=False)
class Explanation(Displayed):
    """What `explain` found. `print` shows the worst ten of each kind, `to_dict` has everything."""

    coefficient: str
    value: float
    pairs: tuple[PairLoss, ...]
    """Pairs with a loss, the largest first; empty where the coefficient is no sum over pairs."""
    systems: tuple[SystemLoss, ...]
    """All systems, the largest loss first; empty as `pairs`."""
    topics: tuple[TopicEffect, ...]
    """All topics, the most harmful first; empty where there is no second topic, or the sides share none."""
    notes: tuple[str, ...]
    settings: Mapping[str, Any]
    truth: Scores | None = field(repr=False)
    candidate: Scores | None = field(repr=False)

    @property
    def loss(self) -> float:
        """1 - coefficient: what there is to explain."""
        return 1 - self.value

    @property
    def exact(self) -> bool:
        """Whether the coefficient is a sum over pairs, so that their losses explain it exactly."""
        return get_coefficient(self.coefficient).losses is not None

    def topics_of(self, a: str, b: str) -> tuple[PairTopic, ...]:
        """Which topics drive a pair: each topic's part of mean(a) - mean(b), on both sides.

        The parts of a side sum to its difference of means. The topic that pushes the candidate difference furthest
        against the truth's comes first.
        """
        if self.truth is None or self.candidate is None:
            raise InputError("the sides were not given as Scores, so nothing is known of their topics")
        for name in (a, b):
            if name not in self.truth.systems:
                raise InputError(f"there is no system {name!r}{nearest(name, self.truth.systems)}")
        parts = []
        for side in (self.truth, self.candidate):
            i, j = side.systems.index(a), side.systems.index(b)
            parts.append((side.values[:, i] - side.values[:, j]) / len(side.topics))
        found = [PairTopic(t, float(x), float(y)) for t, x, y in zip(self.truth.topics, *parts, strict=True)]
        sign = -1 if sum(p.truth for p in found) < 0 else 1
        return tuple(sorted(found, key=lambda p: sign * p.shift))

    def __str__(self) -> str:
        lines = [f"{self.coefficient} = {self.value:.4f}, loss {self.loss:.4f}"]
        if self.pairs:
            lines += ["", f"Worst of {counted(len(self.pairs), 'pair')} with a loss (differences: truth, candidate)"]
            lines += _columns([_cells(p) for p in self.pairs[:_SHOWN]])
            lines += ["", "Systems with the largest share (half of each of their pairs)"]
            largest = [s for s in self.systems[:_SHOWN] if s.loss > 0]
            lines += _columns([(s.system, f"{s.loss:.4f}", f"{s.swapped} swapped") for s in largest])
        if self.topics:
            lines += ["", "Topics without which the rankings agree better"]
            harmful = [t for t in self.topics if t.effect > 0][:_SHOWN]
            lines += _columns([(t.topic, f"{t.effect:+.4f}", f"to {t.without:.4f}") for t in harmful]) or ["  none"]
        if self.notes:
            lines += ["", *(f"Mind: {note}" for note in self.notes)]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "coefficient": self.coefficient,
            "value": or_none(self.value),
            "loss": or_none(self.loss),
            "exact": self.exact,
            "pairs": self.rows("pairs"),
            "systems": self.rows("systems"),
            "topics": self.rows("topics"),
            "notes": list(self.notes),
            "settings": dict(self.settings),
        }

    def rows(self, kind: Kind = "pairs") -> list[dict[str, Any]]:
        """A dictionary for each pair, system or topic, the worst first."""
        _check(kind)
        if kind == "pairs":
            names = ("better", "worse", "loss", "truth_difference", "candidate_difference", "kind")
            return [{name: getattr(p, name) for name in names} for p in self.pairs]
        if kind == "systems":
            return [{"system": s.system, "loss": s.loss, "swapped": s.swapped} for s in self.systems]
        return [{"topic": t.topic, "without": or_none(t.without), "effect": or_none(t.effect)} for t in self.topics]

    def to_frame(self, kind: Kind = "pairs") -> Any:
        """A pandas frame of the pairs, the systems or the topics, the worst first."""
        return import_extra("pandas").DataFrame(self.rows(kind))

    def plot(self, kind: Kind = "pairs", ax: Any = None, *, most: int = 20) -> Any:
        """Bars of the worst pairs, systems or topics; for topics also of those that help the agreement."""
        from ..plots import parts

        return parts.explanation(self, _check(kind), ax, most=most)

    def plot_pair(self, a: str, b: str, ax: Any = None, *, most: int = 20) -> Any:
        """Bars of the topics that move the difference between two systems most, as `topics_of` has them."""
        from ..plots import parts

        return parts.pair_topics(self, a, b, ax, most=most)


def explain(truth: Labelled, candidate: Labelled, coefficient: str = "tau_b") -> Explanation:
    """What each pair of systems and each topic contributes to the loss, 1 - coefficient.

    Pairs, exact for tau, tau_a, tau_b, tau_strict, all of the tau_ap family and tau_gap: these are sums over pairs, so
    1 - coefficient = sum over pairs of their losses, none of them negative, and 0 for a pair that both sides order in
    the same way. A swapped pair costs 2 / (number of pairs) in tau; in tau_ap 2 / ((m - 1)(i - 1)) with i the
    place of the lower one in candidate, so that it costs more near the top. In tau_b, whose denominator is a
    geometric mean, what ties cost in all is divided equally among the pairs that only one side ties. The formulas
    are in docs/guide/explain.md. A system has half of the loss of each of its pairs.

    Topics, for every coefficient: the coefficient without the topic, minus the coefficient over all topics. These
    effects do not sum to the loss, because the order of two means is not a sum over topics. For one pair the difference
    of means is such a sum: `Explanation.topics_of` has each topic's part.

    Parameters
    ----------
    truth, candidate : Scores, file, dict or Series
        Matched by the names of systems and topics. Without topics (a dictionary of means), only pairs are explained.
    coefficient : str
        A name of `list_coefficients`.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> import concordant as cc
    >>> truth = cc.Scores([[0.9, 0.5, 0.1], [0.8, 0.7, 0.2], [0.7, 0.9, 0.3]], range(3), ["a", "b", "c"])
    >>> candidate = cc.Scores([[0.9, 0.6, 0.1], [0.2, 0.9, 0.2], [0.8, 0.8, 0.4]], range(3), ["a", "b", "c"])
    >>> print(cc.explain(truth, candidate))
    tau_b = 0.3333, loss 0.6667
    <BLANKLINE>
    Worst of 1 pair with a loss (differences: truth, candidate)
      a > b  0.6667  +0.1000  -0.1333
    <BLANKLINE>
    Systems with the largest share (half of each of their pairs)
      a  0.3333  1 swapped
      b  0.3333  1 swapped
    <BLANKLINE>
    Topics without which the rankings agree better
      0  +0.6667  to 1.0000
      1  +0.6667  to 1.0000
    >>> cc.explain(truth, candidate).topics_of("a", "b")[0].topic
    '1'
    """
    entry = get_coefficient(coefficient)
    (t, o), notes = aligned(side_of(truth, "truth"), side_of(candidate, "candidate"), "both", ("truth", "candidate"))
    value = float(entry.function(t.means, o.means))
    pairs, systems = _pairs(entry, t, o) if not math.isnan(value) else ((), ())
    topics, more = _topics(entry, value, t, o)
    if entry.losses is None:
        more = [f"{entry.name} is no sum over pairs, so only topics are explained", *more]
    return Explanation(
        coefficient=entry.name,
        value=value,
        pairs=pairs,
        systems=systems,
        topics=topics,
        notes=(*notes, *more),
        settings={"version": __version__, "systems": len(t.systems), "topics": len(topics)},
        truth=t.scores,
        candidate=o.scores,
    )


def _pairs(entry: Coefficient, truth: Side, candidate: Side) -> tuple[tuple[PairLoss, ...], tuple[SystemLoss, ...]]:
    if entry.losses is None:
        return (), ()
    require_room_for_pairs(len(truth.systems), f"what each pair adds to {entry.name}")
    losses = entry.losses(truth.means, candidate.means)
    x = truth.means[:, None] - truth.means[None, :]
    y = candidate.means[:, None] - candidate.means[None, :]
    found = []
    for i, j in zip(*np.nonzero(np.triu(losses, 1)), strict=True):
        a, b = (i, j) if (x[i, j], y[i, j]) > (0, 0) else (j, i)
        found.append(PairLoss(truth.systems[a], truth.systems[b], float(losses[a, b]), float(x[a, b]), float(y[a, b])))
    found.sort(key=lambda p: (-p.loss, -(p.truth_difference - p.candidate_difference)))
    swapped = (np.sign(x) * np.sign(y) < 0).sum(axis=1)
    systems = [
        SystemLoss(s, float(half), int(k))
        for s, half, k in zip(truth.systems, losses.sum(axis=1) / 2, swapped, strict=True)
    ]
    return tuple(found), tuple(sorted(systems, key=lambda s: (-s.loss, -s.swapped)))


def _topics(
    entry: Coefficient, value: float, truth: Side, candidate: Side
) -> tuple[tuple[TopicEffect, ...], list[str]]:
    """Leave one topic out, all of them in one call."""
    if truth.scores is None or candidate.scores is None:
        return (), ["no scores by topic on both sides, so only pairs are explained"]
    if len(truth.scores.topics) < 2:
        return (), ["one topic only, so none can be left out"]
    x, y = means_without_each(truth.scores.values), means_without_each(candidate.scores.values)
    admitted = np.ones(len(x), bool)  # tau, for one, refuses ties, and leaving out a topic may make them
    for side, means in (("truth", x), ("candidate", y)):
        if side not in entry.ties:
            admitted &= np.diff(np.sort(means, axis=1), axis=1).min(axis=1) > 0
    without = np.full(len(x), np.nan)
    if admitted.any():
        without[admitted] = entry.function(x[admitted], y[admitted])
    found = [TopicEffect(t, w, w - value) for t, w in zip(truth.scores.topics, without.tolist(), strict=True)]
    lost = int(np.isnan(without).sum())
    notes = [f"{entry.name} has no value without {counted(lost, 'topic')}: they come last"] if lost else []
    return tuple(sorted(found, key=lambda t: -t.effect if not math.isnan(t.effect) else math.inf)), notes


def means_without_each(values: FloatArray) -> FloatArray:
    """Means of the systems without each topic in turn, rounded as all means are."""
    others = len(values) - 1
    means = (values.sum(axis=0) - values) / others
    if not (values < 0).any():
        return round_means(means)
    size = np.abs(values)
    return round_means(means, ((size.sum(axis=0) - size) / others).max(axis=1, keepdims=True))


def _cells(p: PairLoss) -> tuple[str, ...]:
    kind = "" if p.kind == "swapped" else p.kind
    return (
        f"{p.better} > {p.worse}",
        f"{p.loss:.4f}",
        f"{p.truth_difference:+.4f}",
        f"{p.candidate_difference:+.4f}",
        kind,
    )


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows as lines, the first column to the left and numbers in line."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        (
            "  " + "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        ).rstrip()
        for row in rows
    ]


def _check(kind: Any) -> Kind:
    if kind not in get_args(Kind):
        raise InputError(f"kind is {kind!r}: use 'pairs', 'systems' or 'topics'")
    result: Kind = kind
    return result
