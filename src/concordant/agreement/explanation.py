"""`explain`: the pairs of systems, the systems and the topics that make two rankings disagree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..arrays import FloatArray, require_room_for_pairs
from ..coefficients.registry import Coefficient, get_coefficient
from ..coefficients.sums import warn_undefined
from ..data.means import tied_means
from ..data.results import Result, columns, plain, settings_of
from ..data.scores import Means, Scores
from ..errors import counted, import_extra, listing, nearly_reversed, one_line
from ..options import checked
from ..pairing import On, paired
from ..read.reader import Collection

Kind = Literal["pairs", "systems", "topics"]
_SHOWN = 10
_PIECE = 65_536  # number of pairs to convert to objects at a time


@dataclass(frozen=True, slots=True)
class PairLoss:
    """A pair of systems and the loss that it causes."""

    better: str
    """The better system by truth, or by candidate if truth ties the two."""
    worse: str
    loss: float
    """This pair's share of 1 - coefficient. The losses of all pairs sum exactly to 1 - coefficient."""
    truth_difference: float
    """Mean of `better` minus mean of `worse`, both by truth. If lower scores are better, the sign is changed."""
    candidate_difference: float
    kind: str
    """Kind of difference: "swapped", "tied in truth" or "tied in candidate"."""


@dataclass(frozen=True)
class SystemLoss:
    """A system and its loss, which is half of the summed losses of its pairs."""

    system: str
    loss: float
    swapped: int
    """Number of the system's pairs that truth and candidate order differently."""


@dataclass(frozen=True)
class TopicEffect:
    """A topic and the coefficient when this topic is left out."""

    topic: str
    without: float
    """The coefficient over all other topics; nan if undefined."""
    effect: float
    """`without` minus the coefficient; positive if the topic lowers the agreement."""


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """Result of `explain`. `print` shows the ten worst pairs, systems and topics; `to_dict` returns everything."""

    coefficient: str
    value: float
    pairs: tuple[PairLoss, ...]
    """Pairs with a loss, the largest first; empty if the coefficient is not a sum over pairs."""
    systems: tuple[SystemLoss, ...]
    """All systems, the largest loss first; empty if the coefficient is not a sum over pairs."""
    topics: tuple[TopicEffect, ...]
    """All topics, the most harmful first; empty if the sides share fewer than two topics."""

    @property
    def loss(self) -> float:
        """1 - coefficient, the disagreement to explain."""
        return 1 - self.value

    @property
    def exact(self) -> bool:
        """Whether the coefficient is a sum over pairs, so that the losses of pairs explain it exactly."""
        return get_coefficient(self.coefficient).losses is not None

    @property
    def verdict(self) -> str:
        """The coefficient, followed by the pair (or systems) and the topic that cost most."""
        parts = [f"{self.coefficient} = {self.value:.4f}"]
        if self.exact:
            swapped = sum(p.kind == "swapped" for p in self.pairs)
            parts.append(f"{counted(swapped, 'pair')} of systems swapped")
        if self.pairs:
            parts.append(self._costliest())
        if self.topics and self.topics[0].effect > 0:
            topic = self.topics[0]
            parts.append(f"without topic {topic.topic} it is {topic.without:.4f}")
        return "; ".join(parts)

    def _costliest(self) -> str:
        """Name the costliest pair. If several pairs cost the same, name the systems with the most swaps."""
        worst, *others = self.pairs
        if not others or worst.loss > others[0].loss * (1 + 1e-9):
            return f"{worst.better} and {worst.worse} cost most ({worst.loss:.4f} of {self.loss:.4f})"
        most = max(s.swapped for s in self.systems)
        if not most:
            return f"each of the worst pairs costs {worst.loss:.4f} of {self.loss:.4f}"
        who = [s.system for s in self.systems if s.swapped == most]
        return f"{listing(who, 3)} {'have' if who[1:] else 'has'} the most swaps ({most}{' each' if who[1:] else ''})"

    def table(self) -> str:
        """Show the ten worst pairs, systems and topics."""
        blocks = []
        if self.pairs:
            names = getattr(self.data, "names", ("truth", "candidate"))
            kinds = {"swapped": "", "tied in truth": f"tied by {names[0]}", "tied in candidate": f"tied by {names[1]}"}
            some = [
                (
                    f"{p.better} > {p.worse}",
                    f"{p.loss:.4f}",
                    f"{p.truth_difference:+.4f}",
                    f"{p.candidate_difference:+.4f}",
                    kinds[p.kind],
                )
                for p in self.pairs[:_SHOWN]
            ]
            by = " and ".join(one_line(name) for name in names)
            worst = f"Worst of {counted(len(self.pairs), 'pair')} with a loss, with their differences by {by}"
            largest = [(s.system, f"{s.loss:.4f}", f"{s.swapped} swapped") for s in self.systems[:_SHOWN] if s.loss > 0]
            charged = "Systems with the largest loss (half of the loss of each pair)"
            blocks += [f"{worst}\n{columns(some)}", f"{charged}\n{columns(largest)}"]
        if self.topics:
            harmful = [t for t in self.topics if t.effect > 0][:_SHOWN]
            lines = harmful and columns([(t.topic, f"{t.effect:+.4f}", f"to {t.without:.4f}") for t in harmful])
            blocks.append(f"Topics without which the rankings agree better\n{lines or '  none'}")
        return "\n\n".join(blocks)

    def _contents(self) -> dict[str, Any]:
        return {**super()._contents(), "loss": self.loss, "exact": self.exact}

    @checked
    def rows(self, kind: Kind = "pairs") -> list[dict[str, Any]]:
        """Return one row per pair, system or topic, the worst first."""
        return [plain(part) for part in getattr(self, kind)]

    @checked
    def to_frame(self, kind: Kind = "pairs") -> Any:
        """Return a pandas frame of the pairs, systems or topics, the worst first."""
        return import_extra("pandas").DataFrame(self.rows(kind))

    @checked
    def plot(self, kind: Kind | None = None, ax: Any = None, *, most: int = 10) -> Any:  # type: ignore[override]
        """Draw the pairs, systems or topics that cost most as bars. By default, draw systems above topics."""
        from ..render.figures import parts

        return parts.explanation(self, kind, ax, most=most)


@checked
def explain(
    truth: Collection,
    candidate: Collection = None,
    *,
    coefficient: str = "tau_b",
    on: On = "both",
) -> Explanation:
    """Attribute the loss, 1 - coefficient, to pairs of systems, to single systems and to topics.

    Parameters
    ----------
    truth, candidate : what `as_scores` takes
        The two sides are matched by the names of systems and topics. With one score per system, only pairs are
        explained.
    coefficient : str
        A name from `list_coefficients`.
    on : {"both", "systems"}
        "both": use means over the common topics. "systems": use means over each side's own topics, and explain only
        pairs.

    Returns
    -------
    Explanation
        Holds `pairs`, `systems` and `topics`, each with the worst first.

    See Also
    --------
    compare : Compute all coefficients between a truth and its candidates.
    correlate : Compute one coefficient with its interval.

    Notes
    -----
    tau, tau_a, tau_b, tau_strict, pairwise_accuracy, the whole tau_ap family and tau_gap are sums over pairs. For
    these, 1 - coefficient equals the sum of the losses of all pairs. No loss is negative, and a pair that both sides
    order alike has loss 0. A swapped pair costs 2 / (number of pairs) in tau. In tau_ap it costs
    2 / ((m - 1)(i - 1)), where i is the place of the lower system in candidate, so swaps near the top cost more. In
    tau_b the total cost of ties is divided equally among the pairs that only one side ties. The formulas are in
    docs/guide/explain.md. The loss of a system is half of the summed losses of its pairs.

    The effect of a topic, for every coefficient, is the coefficient without the topic minus the coefficient over all
    topics. Effects do not sum to the loss, because the order of two means is not a sum over topics.

    Examples
    --------
    >>> import concordant as cc
    >>> truth = cc.Scores([[0.9, 0.5, 0.1], [0.8, 0.7, 0.2], [0.7, 0.9, 0.3]], range(3), ["a", "b", "c"])
    >>> candidate = cc.Scores([[0.9, 0.6, 0.1], [0.2, 0.9, 0.2], [0.8, 0.8, 0.4]], range(3), ["a", "b", "c"])
    >>> print(cc.explain(truth, candidate))
    tau_b = 0.3333; 1 pair of systems swapped; a and b cost most (0.6667 of 0.6667); without topic 0 it is 1.0000
    <BLANKLINE>
    Worst of 1 pair with a loss, with their differences by truth and candidate
      a > b  0.6667  +0.1000  -0.1333
    <BLANKLINE>
    Systems with the largest loss (half of the loss of each pair)
      a  0.3333  1 swapped
      b  0.3333  1 swapped
    <BLANKLINE>
    Topics without which the rankings agree better
      0  +0.6667  to 1.0000
      1  +0.6667  to 1.0000

    """
    entry = get_coefficient(coefficient)
    found = paired(truth, candidate, on=on)
    sides = tuple(side.points() if isinstance(side, Scores) else side for side in found.sides)
    x, y = (side.means() for side in sides)
    value = float(entry.formula(x, y))
    notes = (*found.notes, *nearly_reversed(value, entry.name))
    warn_undefined(value, entry.undefined)
    pairs: tuple[PairLoss, ...] = ()
    systems: tuple[SystemLoss, ...] = ()
    if entry.losses is None:
        notes += (f"{entry.name} is not a sum over pairs, so only topics are explained",)
    elif not math.isnan(value):
        require_room_for_pairs(len(x), f"what each pair adds to {entry.name}", 17)
        pairs, systems = _pairs(sides[0].systems, x, y, entry.losses(x, y))
    topics: tuple[TopicEffect, ...] = ()
    if found.on == "systems":
        notes += ("each side was averaged over its own topics, so only pairs are explained",)
    elif any(isinstance(side, Means) for side in sides):
        notes += ("a side has only one score per system, so only pairs are explained",)
    elif len(sides[0].topics) < 2:
        notes += ("there is only one topic, so topics are not explained",)
    elif found.settings.get("total") == "type-mean":
        notes += ("types of topics have equal weight, so topics are not explained",)
    else:
        topics = _topics(entry, value, *(side for side in sides if isinstance(side, Scores)))
        if lost := sum(math.isnan(t.without) for t in topics):
            notes += (f"{entry.name} is undefined without {counted(lost, 'topic')}, listed last",)
    return Explanation(
        coefficient=entry.name,
        value=value,
        pairs=pairs,
        systems=systems,
        topics=topics,
        notes=notes,
        data=found,
        settings=settings_of(systems=len(x), topics=len(topics)),
    )


def _pairs(
    systems: tuple[str, ...], truth: FloatArray, candidate: FloatArray, losses: FloatArray
) -> tuple[tuple[PairLoss, ...], tuple[SystemLoss, ...]]:
    i, j = np.nonzero(np.triu(losses, 1))
    x, y = truth[i] - truth[j], candidate[i] - candidate[j]
    better = (x > 0) | ((x == 0) & (y > 0))
    i, j = np.where(better, i, j), np.where(better, j, i)
    x, y, lost = truth[i] - truth[j], candidate[i] - candidate[j], losses[i, j]
    order = np.lexsort((y - x, -lost))  # sort arrays, because each pair would take 150 bytes as an object
    kinds = np.array(["swapped", "tied in candidate", "tied in truth"], object)[np.where(x == 0, 2, y == 0)]
    found: list[PairLoss] = []
    for lo in range(0, len(order), _PIECE):
        parts = (values[order[lo : lo + _PIECE]].tolist() for values in (i, j, lost, x, y, kinds))
        found += (PairLoss(systems[a], systems[b], *others) for a, b, *others in zip(*parts, strict=True))
    swapped = ((truth[:, None] > truth) & (candidate[:, None] < candidate)).sum(axis=1)
    swapped += ((truth[:, None] < truth) & (candidate[:, None] > candidate)).sum(axis=1)
    halves = losses.sum(axis=1) / 2
    shares = [SystemLoss(s, float(half), int(k)) for s, half, k in zip(systems, halves, swapped, strict=True)]
    return tuple(found), tuple(sorted(shares, key=lambda s: (-s.loss, -s.swapped)))


def _topics(entry: Coefficient, value: float, truth: Scores, candidate: Scores) -> tuple[TopicEffect, ...]:
    """Compute the coefficient with each topic left out in turn, in a single call."""
    x, y = means_without_each(truth.values), means_without_each(candidate.values)
    admitted = np.ones(len(x), bool)  # leaving out a topic can create ties, which tau refuses
    for side, means in (("truth", x), ("candidate", y)):
        if side not in entry.ties:
            admitted &= np.diff(np.sort(means, axis=1), axis=1).min(axis=1) > 0
    without = np.full(len(x), np.nan)
    if admitted.any():
        without[admitted] = entry.formula(x[admitted], y[admitted])
    found = [TopicEffect(t, w, w - value) for t, w in zip(truth.topics, without.tolist(), strict=True)]
    return tuple(sorted(found, key=lambda t: -t.effect if not math.isnan(t.effect) else math.inf))


def means_without_each(values: FloatArray) -> FloatArray:
    """Compute the means of the systems with each topic left out in turn. Systems with equal totals are tied."""
    n = len(values)
    return tied_means(values.sum(axis=0) - values, np.abs(values).sum(axis=0), n, n - 1)
