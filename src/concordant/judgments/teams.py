"""`leave_each_out`: score every system as if its team had not contributed to the pool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..data.means import Missing
from ..data.scores import Scores
from ..errors import InputError, counted, listing
from ..options import checked
from .changes import leave_out
from .evaluation import evaluate, parse_all, score
from .qrels import Qrels
from .runs import Runs


@checked
def leave_each_out(
    runs: Runs,
    qrels: Qrels,
    teams: Mapping[str, Sequence[str]],
    measures: Iterable[str],
    k: int | None = None,
    *,
    missing: Missing = "error",
) -> dict[str, Scores]:
    """Score each system without the judgments of documents that only its own team pooled.

    The comparison with the scores under all judgments shows how fair these are to later systems, as in gao2016 figure
    1. Systems without a team pooled nothing and are scored by all judgments.

    Parameters
    ----------
    runs, qrels, measures, missing
        As in `evaluate`.
    teams : mapping of str to sequence of str
        The runs of each team that formed the pool; a run has one team.
    k : int, optional
        Depth of the pool; by default all retrieved documents.

    Returns
    -------
    dict of str to Scores
        Scores by measure.

    See Also
    --------
    leave_out : Remove the judgments of one team.

    References
    ----------
    N. Gao, M. Bagdouri and D. W. Oard (2016). Pearson rank: a head-weighted gap-sensitive score-based correlation
    coefficient. SIGIR, figure 1.

    Examples
    --------
    >>> import concordant as cc
    >>> runs = cc.Runs.from_dict({"bm25": {"1": ["d1", "d2"]}, "ql": {"1": ["d3", "d1"]}})
    >>> qrels = cc.Qrels.from_dict({"1": {"d1": 1, "d2": 1, "d3": 1}})
    >>> cc.judgments.leave_each_out(runs, qrels, {"A": ["bm25"], "B": ["ql"]}, ["P@2"])["P@2"].values.tolist()
    [[0.5, 0.5]]

    """
    wanted = parse_all(measures)
    full = evaluate(runs, qrels, map(str, wanted), missing=missing)
    owners: dict[str, str] = {}
    for team, names in teams.items():
        for name in names:
            if name in owners:
                raise InputError(f"run {name!r} is in teams {owners[name]!r} and {team!r}: a run has one team")
            owners[name] = team
    first = next(iter(full.values()))
    topics = [runs.pairs.topic_places[topic] for topic in first.topics]
    found = {name: scores.values.copy() for name, scores in full.items()}
    for team in teams:
        changed = leave_out(runs, qrels, team, teams, k)
        own = [system for system in teams[team] if system in first.systems]
        if not own:
            continue
        columns = [first.systems.index(system) for system in own]
        for measure, values in zip(wanted, score(runs.select(own), changed, wanted), strict=True):
            found[str(measure)][:, columns] = values[:, topics].T
    return {name: Scores(values, first.topics, first.systems, name) for name, values in found.items()}


def teams_of(owners: Mapping[str, str], runs: Runs) -> dict[str, list[str]]:
    """Make {team: its runs} from {run: its team}; every run must exist."""
    lost = [name for name in owners if name not in runs.systems]
    if lost:
        raise InputError(f"the map of teams names {counted(len(lost), 'unknown run')}: {listing(lost)}")
    found: dict[str, list[str]] = {}
    for name, team in owners.items():
        found.setdefault(team, []).append(name)
    return found
