"""`judge_card`: all statistics about judges, one row per judge, computed on the same draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..arrays import require_room_for_pairs
from ..coefficients.registry import get_coefficient
from ..data.results import Estimate, Findings, columns
from ..errors import InputError, number, one_line, p_cell
from ..inference.resampling import Resampling, Seed
from ..inference.sign_flips import BATCHES, draw_signs, reached
from ..options import checked
from ..pairing import Matched, match, matched_rows, pairings, rejoined
from ..ranks.distance import Correction
from ..read.reader import Collection
from .accuracy import accuracy_from
from .curves import How
from .families import bias_from, members_of
from .rank_shifts import changes_from, default_k, rank_bounds
from .significance import agreement_from, significant_pairs
from .worth import JudgeWorth, matched_judge, ranking_of

_WIDTH = 80


@dataclass(frozen=True)
class Judge:
    """Statistics of one judge."""

    name: str
    worth: JudgeWorth
    """Worth, with the agreement across topics."""
    tau_b: float
    """tau_b on the common topics."""
    tau_ap_b: float
    """tau_ap_b on the common topics."""
    soft_accuracy: Estimate
    significance: Findings
    ranks: Findings
    bias: Findings | None = None
    """Bias for or against families of systems, if families were given."""
    labels: Findings | None = None
    """Agreement of the judge's labels, if labels were given."""

    def row(self) -> dict[str, Any]:
        """Return the numbers on the card."""
        found: dict[str, Any] = {
            "judge": self.name,
            "worth": self.worth.worth,
            "low": self.worth.interval.low,
            "high": self.worth.interval.high,
            "agreement": self.worth.agreement,
            "tau_b": self.tau_b,
            "tau_ap_b": self.tau_ap_b,
            "spa": self.soft_accuracy.value,
            "false_discovery_rate": self.significance.false_discovery_rate,
            "false_negative_rate": self.significance.false_negative_rate,
            "contradicted": self.significance.active_disagreements,
            "largest_drop": self.ranks.largest_drop.value,
            "largest_rise": self.ranks.largest_rise.value,
            "rank_of_best": self.ranks.best_rank.value,
            "overlap": self.ranks.overlap.value,
        }
        if self.bias is not None:
            first = self.bias.families[0]
            found |= {"favours": first.family, "shift": first.shift, "shift_p": first.adjusted}
        if self.labels is not None:
            found |= {name: of.value for name, of in self.labels.estimates.items()}
        return found


def _table(judges: Sequence[Judge], printed: Sequence[Mapping[str, str]], alpha: float) -> str:
    """Show one row per judge, then families and labels if given, then the meaning of the columns."""
    first = judges[0]
    heads = ["", "worth", "interval", "tau_b", "tau_ap_b", "SPA", "false", "miss", "drop", "best"]
    parts = [_listed(heads, [list(row.values()) for row in printed])]
    if first.bias is not None:
        most = [(judge.name, judge.bias.families[0]) for judge in judges if judge.bias is not None]
        favoured = [[name, f.family, f"{f.shift:+.2f} sd", p_cell(f.adjusted)] for name, f in most]
        parts.append(columns([["", "favours most", "by", "p (Holm)"], *favoured]))
    labelled = [(judge.name, judge.labels.estimates) for judge in judges if judge.labels is not None]
    if labelled:
        labels = [[name, *(number(e.value) for e in estimates.values())] for name, estimates in labelled]
        parts.append(columns([["labels", *labelled[0][1]], *labels]))
    level, truth = f"{100 * first.worth.interval.confidence_level:g}%", one_line(first.worth.names[0])
    parts.append(
        f"  worth: of {first.worth.n_topics:g} topics, in topics of {truth}, with its {level} interval\n"
        f"  false: its significant differences (alpha {alpha:g}) unconfirmed by {truth}\n"
        f"  miss: {truth}'s significant differences that it does not find\n"
        f"  drop: most ranks that a system loses; best: its rank of {truth}'s best system"
    )
    return "\n\n".join(parts)


def _printed(judge: Judge) -> dict[str, str]:
    """Return the columns for a paper, as strings with only the digits that the data support."""
    return {
        "judge": judge.name,
        "worth": judge.worth.cell,
        f"{100 * judge.worth.interval.confidence_level:g}% interval": judge.worth.ends,
        "tau_b": number(judge.tau_b),
        "tau_ap_b": number(judge.tau_ap_b),
        "SPA": number(judge.soft_accuracy.value, 2),
        "false": _percent(judge.significance.false_discovery_rate),
        "missed": _percent(judge.significance.false_negative_rate),
        "drop": f"{judge.ranks.largest_drop.value:g}",
        "best": f"{judge.ranks.best_rank.value:g}",
    }


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.0f}%"


def _listed(heads: list[str], rows: list[list[str]]) -> str:
    """Put the numbers beside the judges' names, or below the names if these are long."""
    beside = columns([heads, *rows])
    if max(map(len, beside.split("\n"))) <= _WIDTH:
        return beside
    head, *lines = columns([heads, *(["", *row[1:]] for row in rows)]).split("\n")
    names = [f"  {one_line(row[0])}" for row in rows]
    return "\n".join([head, *(part for pair in zip(names, lines, strict=True) for part in pair)])


@checked
def judge_card(  # noqa: PLR0913
    truth: Collection,
    candidates: Any = None,
    *,
    names: Sequence[str] | None = None,
    families: Mapping[str, str] | None = None,
    labels: Mapping[str, Findings] | None = None,
    correction: Correction | None = None,
    alpha: float = 0.05,
    confidence_level: float = 0.95,
    n_resamples: int = 1_999,
    rng: Seed = None,
) -> Findings:
    """Report all statistics about judges, one row per judge: worth, coefficients, significance, ranks, bias, labels.

    Parameters
    ----------
    truth : what `as_topics` takes
        Trusted scores on each topic; at least 10 topics.
    candidates : what `as_topics` takes, a list of these, or a mapping from names to them
        The judges. The worth of each judge uses all systems and topics that it shares with the truth. All other numbers
        use the systems and topics that all sides share.
    names : sequence of str, optional
        Names of the sides, the truth first, as in `pair`.
    families : mapping of str to str, optional
        Family of each system, for `family_bias`; leave out systems without a family.
    labels : mapping of str to Findings, optional
        Agreement of each judge's labels, from `judgments.label_agreement`.
    correction, alpha
        As in `significance_agreement`.
    confidence_level : float
        Confidence level of all intervals.
    n_resamples : int
        Number of permutations for soft pairwise accuracy and families, and of resamples for rank intervals.
    rng : int, Generator or None
        The same seed gives exactly the same result. If None, a seed is drawn, and the settings record it.

    Returns
    -------
    Findings
        `judges`: one `Judge` for each judge, the best first; `ranking`: the `JudgeRanking`, which says which judges
        could be the best; `card`: the rows of the table.

    See Also
    --------
    judge_worth : Estimate how many topics judged by the truth a candidate's topics are worth.
    rank_judges : Estimate what several judges are worth, and which of them could be the best.
    soft_pairwise_accuracy : Measure the agreement of p-values for pairs of systems.
    significance_agreement : Count the significant differences that both sides find.
    rank_changes : Find the systems that a judge moves most.
    family_bias : Test whether a judge favours a family of systems.

    Notes
    -----
    The numbers equal those of `rank_judges`, `soft_pairwise_accuracy`, `significance_agreement`, `rank_changes` and
    `family_bias`, which explain them. Statistics of the truth alone are computed once.

    Examples
    --------
    >>> import concordant as cc
    >>> people, careful, hasty = (cc.load_collection(name) for name in ("people", "careful", "hasty"))
    >>> found = cc.judge_card(people, {"careful": careful, "hasty": hasty}, rng=7)
    >>> [(judge.name, round(judge.tau_b, 3), judge.ranks.largest_drop.value) for judge in found.judges]
    [('careful', 0.905, 3.0), ('hasty', 0.723, 4.0)]

    """
    found = pairings(truth, candidates, names=names, topics=True, many=True)
    joined = match(*rejoined(found), "both")
    sides = matched_rows(joined)
    named, level = sides.names, confidence_level
    if labels is not None and (unknown := [key for key in labels if key not in named[1:]]):
        raise InputError(f"labels has {unknown[0]!r}, which is not a judge: use the names of the candidates")
    m = len(sides.scores[0].systems)
    require_room_for_pairs(m, "the judge card", 6 * BATCHES)
    of = None if families is None else members_of(families, sides.scores[0].systems)
    how = Resampling.of(n_resamples, rng)
    # Give each statistic its own random stream, so that optional statistics do not change the others.
    base = how.seed if how.seed is not None else int(how.generator().integers(2**63))
    how = Resampling.of(how.n_resamples, base)
    together = [matched_judge(joined.alone(k)) for k in range(len(found))]
    single = [matched_judge(one) for one in found]
    ranking = ranking_of(single, together, How(get_coefficient("tau_b"), level, how))
    signs = draw_signs(len(sides.scores[0].topics), how.n_resamples, how.generator())
    of_truth = reached(sides.scores[0].values, signs)
    significant = [significant_pairs(side.values, correction, alpha) for side in sides.scores]
    bounds = [rank_bounds(side, level, how.n_resamples, how.generator()) for side in sides.scores]
    ap = get_coefficient("tau_ap_b")
    judges = []
    for worth in ranking.judges:
        k = named.index(worth.names[1])
        pair = Matched((sides.scores[0], sides.scores[k]), (named[0], named[k]), (), sides.groups, joined.alone(k - 1))
        means = sides.scores[0].means(), sides.scores[k].means()
        judges.append(
            Judge(
                name=named[k],
                worth=worth,
                tau_b=float(get_coefficient("tau_b").attempt(*means)[0]),
                tau_ap_b=float(ap.attempt(*means)[0]),
                soft_accuracy=accuracy_from(pair, of_truth, reached(sides.scores[k].values, signs), signs, how),
                significance=agreement_from(pair, significant[0], significant[k], correction, alpha),
                ranks=changes_from(pair, (bounds[0], bounds[k]), default_k(m), level, how),
                bias=None if of is None else bias_from(pair, of, alpha, level, how),
                labels=None if labels is None else labels.get(named[k]),
            )
        )
    card, printed = [judge.row() for judge in judges], [_printed(judge) for judge in judges]
    about = {"n_resamples": how.n_resamples, "confidence_level": level, "families": families is not None}
    return Findings(
        kind="JudgeCard",
        answer=ranking.verdict,
        numbers={"card": card, "judges": tuple(judges), "ranking": ranking},
        lines=card,
        paper=printed,
        shown=_table(judges, printed, alpha),
        index="judge",
        figure="intervals.card",
        notes=(*sides.notes, *ranking.notes),
        data=joined,
        settings=sides.about(seed=how.seed, correction=correction, alpha=alpha, **about)["settings"],
    )
