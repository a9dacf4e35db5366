"""Ways to change judgments, taken from published experiments.

Each is a function that returns new Qrels on the same topics. A `Change` holds the name of such a function with its
level, so that a study can repeat it in any process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..data.results import plain
from ..errors import InputError, InputTypeError, argument, counted, hearing, listing, nearest, warn
from ..inference.resampling import Seed
from ..options import check_option, checked
from .qrels import Qrels
from .runs import Runs, numbered


@checked
def depth_pool(runs: Runs, qrels: Qrels, k: int, contributing: Sequence[str] | None = None) -> Qrels:
    """Keep the judgments of a pool of depth k, which holds the first k documents of each contributing run.

    Parameters
    ----------
    runs : Runs
        The runs.
    qrels : Qrels
        The full judgments.
    k : int
        Depth of the pool.
    contributing : sequence of str, optional
        The runs that form the pool; all by default.

    Returns
    -------
    Qrels
        The judgments in the pool. A `DataWarning` counts the pooled documents without a judgment.

    See Also
    --------
    sample : A random share of the judgments.
    judgment_study : Measure what changed judgments do to the ranking.

    References
    ----------
    E. Yilmaz, J. A. Aslam and S. Robertson (2008). A new rank correlation coefficient for IR. SIGIR, figures 1 and 2.

    Examples
    --------
    >>> import concordant as cc
    >>> runs = cc.Runs.from_dict({"bm25": {"1": ["d1", "d2"]}, "ql": {"1": ["d3", "d1"]}})
    >>> qrels = cc.Qrels.from_dict({"1": {"d1": 2, "d2": 0, "d3": 1, "d4": 1}})
    >>> cc.judgments.depth_pool(runs, qrels, 1)["1"]
    {'d1': 2, 'd3': 1}

    """
    pool = runs.retrieved(k, contributing)
    kept = among(runs, qrels, pool)
    topics = runs.pairs.locate_topics(qrels.pairs)
    size = int((pool & np.isin(runs.pairs.topic_of, topics[topics >= 0])).sum())
    unjudged = size - int(kept.sum())
    if unjudged:
        warn(
            f"{unjudged} of {counted(size, 'document')} in the pool of depth {k} stay unjudged, because the qrels have "
            "no judgment of them"
        )
    return qrels.take(kept)


@checked
def sample(
    qrels: Qrels, share: float, rng: Seed = None, *, rel: float | None = None, least: tuple[int, int] = (1, 10)
) -> Qrels:
    """Draw a random share of the judgments of each topic, separately from relevant and other documents.

    With the same seed, a smaller share is a subset of a larger one, so a series of shares shows one set of judgments as
    it grows. Documents with grades below 0 are drawn with the other nonrelevant documents.

    Parameters
    ----------
    qrels : Qrels
        The full judgments.
    share : float
        Above 0 and up to 1; rounded to whole numbers of relevant and of other documents on each topic.
    rng : int, Generator or None
        The seed; the same seed gives the same judgments.
    rel : float, optional
        The lowest relevant grade, by default 1; required if grades are not whole numbers.
    least : (int, int)
        The smallest numbers of relevant and of other documents to keep on each topic, if it has that many.

    Returns
    -------
    Qrels
        The drawn judgments, on the same topics.

    See Also
    --------
    depth_pool : Keep the judgments of a shallower pool.
    label : Choose the documents that people should judge.

    References
    ----------
    C. Buckley and E. M. Voorhees (2004). Retrieval evaluation with incomplete information. SIGIR.
    B. Carterette (2009). On rank correlation and the distance between rankings. SIGIR, figure 4.

    Examples
    --------
    >>> import concordant as cc
    >>> qrels = cc.Qrels.from_dict({"1": {f"d{k}": int(k < 10) for k in range(100)}})
    >>> part = cc.judgments.sample(qrels, 0.2, rng=1)
    >>> part.size, sum(part["1"].values())
    (20, 2)

    """
    relevant = qrels.grades >= threshold(qrels, rel)
    stratum = 2 * qrels.topic_of + relevant
    sizes = np.bincount(stratum, minlength=2 * len(qrels))
    floor = np.tile([least[1], least[0]], len(qrels))
    quota = np.minimum(np.maximum(np.floor(share * sizes + 0.5), floor), sizes)
    return qrels.take(_place_in(stratum, np.random.default_rng(rng).random(qrels.size)) < quota[stratum])


@checked
def pseudo(
    runs: Runs, k: int, rng: Seed = None, *, share: float = 0.1, spread: float = 0.0, duplicates: bool = False
) -> Qrels:
    """Make judgments without a judge: random documents of the pool are relevant (1), the others are not (0).

    Parameters
    ----------
    runs : Runs
        The runs; all of them form the pool.
    k : int
        Depth of the pool.
    rng : int, Generator or None
        The seed; the same seed gives the same judgments.
    share, spread : float
        Mean and standard deviation of the share of relevant documents in the pool. The share on each topic is drawn
        from a normal distribution and clipped to [0, 1]; at least one document is relevant.
    duplicates : bool
        If True, a document's chance of being drawn next is proportional to the number of runs that have it.

    Returns
    -------
    Qrels
        Grade 1 or 0 for each document of the pool, on the topics of the runs.

    See Also
    --------
    sample : A random share of real judgments.

    References
    ----------
    I. Soboroff, C. Nicholas and P. Cahan (2001). Ranking retrieval systems without relevance judgments. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> runs = cc.Runs.from_dict({"bm25": {"1": [f"d{k}" for k in range(20)]}})
    >>> cc.judgments.pseudo(runs, 20, rng=1)
    <Qrels: 20 judgments on 1 topic, grades 0 to 1>

    """
    draws = np.random.default_rng(rng)
    weight = np.bincount(runs.cut(k).items, minlength=len(runs.pairs))
    places = np.flatnonzero(weight)
    topic = runs.pairs.topic_of[places].astype(np.int64)
    sizes = np.bincount(topic, minlength=len(runs.topics))
    shares = np.clip(draws.normal(share, spread, len(sizes)) if spread else share, 0.0, 1.0)
    quota = np.maximum(np.floor(shares * sizes + 0.5), 1)
    # An exponential waiting time divided by w is the shortest with a probability proportional to w.
    waits = draws.standard_exponential(len(places)) / (weight[places] if duplicates else 1)
    return Qrels(runs.pairs, places, (_place_in(topic, waits) < quota[topic]).astype(np.float64))


@checked
def from_runs(qrels: Qrels, runs: Runs, names: Sequence[str], k: int | None = None) -> Qrels:
    """Keep the judgments of documents that these runs retrieved, such as the runs of one team.

    Parameters
    ----------
    qrels : Qrels
        The full judgments.
    runs : Runs
        The runs.
    names : sequence of str
        The runs whose documents stay judged.
    k : int, optional
        How many of the first documents of each list to use; by default all.

    Returns
    -------
    Qrels
        The judgments of these documents, on the same topics.

    See Also
    --------
    leave_out : Remove the judgments of documents that only one team pooled.

    References
    ----------
    M. Sanderson and H. Joho (2004). Forming test collections with no system pooling. SIGIR.
    E. Yilmaz, J. A. Aslam and S. Robertson (2008). A new rank correlation coefficient for IR. SIGIR, figure 5.

    Examples
    --------
    >>> import concordant as cc
    >>> runs = cc.Runs.from_dict({"bm25": {"1": ["d1", "d2"]}, "ql": {"1": ["d3", "d1"]}})
    >>> qrels = cc.Qrels.from_dict({"1": {"d1": 2, "d2": 0, "d3": 1, "d4": 1}})
    >>> cc.judgments.from_runs(qrels, runs, ["bm25"])["1"]
    {'d1': 2, 'd2': 0}

    """
    found = runs.retrieved(k, names)
    return qrels.take(among(runs, qrels, found))


@checked
def leave_out(runs: Runs, qrels: Qrels, team: str, teams: Mapping[str, Sequence[str]], k: int | None = None) -> Qrels:
    """Remove the judgments that a team contributed alone: documents that only its runs pooled.

    Parameters
    ----------
    runs : Runs
        The runs.
    qrels : Qrels
        The full judgments.
    team : str
        The team to leave out.
    teams : mapping of str to sequence of str
        The runs of each team that formed the pool. Runs without a team did not contribute to the pool.
    k : int, optional
        Depth of the pool; by default, the pool holds all retrieved documents.

    Returns
    -------
    Qrels
        The remaining judgments, including documents that no team pooled.

    See Also
    --------
    judgment_study : Measure what changed judgments do to the ranking.

    References
    ----------
    N. Gao, M. Bagdouri and D. W. Oard (2016). Pearson rank: a head-weighted gap-sensitive score-based correlation
    coefficient. SIGIR.

    Examples
    --------
    >>> import concordant as cc
    >>> runs = cc.Runs.from_dict({"bm25": {"1": ["d1", "d2"]}, "ql": {"1": ["d3", "d1"]}})
    >>> qrels = cc.Qrels.from_dict({"1": {"d1": 2, "d2": 0, "d3": 1, "d4": 1}})
    >>> cc.judgments.leave_out(runs, qrels, "A", {"A": ["bm25"], "B": ["ql"]})["1"]
    {'d1': 2, 'd3': 1, 'd4': 1}

    """
    if team not in teams:
        raise InputError(f"teams has no {team!r}{nearest(str(team), [str(name) for name in teams])}")
    own = list(teams[team])
    others = [name for other, names in teams.items() if other != team for name in names if name not in own]
    if not others:
        raise InputError(f"team {team!r} has all the runs in teams: without it there is no pool")
    only = runs.retrieved(k, own) & ~runs.retrieved(k, list(dict.fromkeys(others)))
    return qrels.take(~among(runs, qrels, only))


@checked
def mix(human: Qrels, machine: Qrels, share: float, rng: Seed = None) -> Qrels:
    """Replace a random share of the human judgments on each topic with the machine's grades.

    The share refers to the documents that both judged, and is drawn on each topic separately. Documents that only the
    human judged keep their grades, and a `DataWarning` counts them. Documents that only the machine judged are left
    out. With the same seed, a smaller share replaces a subset of the judgments that a larger share replaces.

    Parameters
    ----------
    human, machine : Qrels
        The two judges. Their grades should have the same meaning; if they do not, use `Qrels.recode` first.
    share : float
        From 0 to 1; rounded to a whole number of labels on each topic.
    rng : int, Generator or None
        The seed; the same seed gives the same judgments.

    Returns
    -------
    Qrels
        Judgments of the same topics and documents as `human`.

    See Also
    --------
    combine : Rank systems by human and machine scores together.

    Examples
    --------
    >>> import concordant as cc
    >>> human = cc.Qrels.from_dict({"1": {"d1": 3, "d2": 0, "d3": 0, "d4": 3}})
    >>> machine = cc.Qrels.from_dict({"1": {"d1": 2, "d2": 1, "d3": 1, "d4": 2}})
    >>> cc.judgments.mix(human, machine, 0.5, rng=1)["1"]
    {'d1': 2, 'd2': 0, 'd3': 1, 'd4': 3}

    """
    place = grades_beside(human, machine)
    both = ~np.isnan(place)
    if not both.any():
        raise InputError("human and machine have no judged document in common")
    if not both.all():
        warn(f"{int((~both).sum())} of {counted(human.size, 'judgment')} stay human, because the machine lacks them")
    if machine.levels[-1] > human.levels[-1] or machine.levels[0] < human.levels[0]:
        warn(
            f"the grades of the machine ({machine.levels[0]} to {machine.levels[-1]}) go beyond those of the human "
            f"({human.levels[0]} to {human.levels[-1]}): if they mean something else, recode them first"
        )
    topic = human.topic_of
    quota = np.floor(share * np.bincount(topic[both], minlength=len(human)) + 0.5)
    waits = np.where(both, np.random.default_rng(rng).random(human.size), np.inf)
    replaced = both & (_place_in(topic, waits) < quota[topic])
    return human.with_grades(np.where(replaced, place, human.grades))


def grades_beside(first: Qrels, second: Qrels) -> FloatArray:
    """Return the second judge's grade for each judgment of the first; nan if there is none."""
    return second.at(first.pairs, first.places)


def among(runs: Runs, qrels: Qrels, found: BoolArray) -> BoolArray:
    """Mark the judgments whose pairs of topic and document are marked in `found`."""
    places = runs.pairs.locate(qrels.pairs)[qrels.places]
    return (places >= 0) & found[places]


def threshold(qrels: Qrels, rel: float | None) -> float:
    """Return the lowest relevant grade: as given, or 1 if all grades are whole numbers."""
    if rel is None:
        if not qrels.whole:
            raise InputError(
                f"the grades are not all whole numbers: give the lowest relevant grade with {argument('rel')}"
            )
        return 1.0
    return rel


def _place_in(stratum: IntArray, key: FloatArray) -> IntArray:
    """Rank each item by its key within its stratum, starting at 0."""
    order = np.lexsort((key, stratum))
    places = np.empty(len(stratum), dtype=np.int64)
    places[order] = numbered(stratum[order]) - 1
    return places


def teams_of(owners: Mapping[str, str], runs: Runs) -> dict[str, list[str]]:
    """Turn {run: its team} into {team: its runs}; every run must exist."""
    lost = [name for name in owners if name not in runs.systems]
    if lost:
        raise InputError(f"teams names {counted(len(lost), 'unknown run')}: {listing(lost)}")
    found: dict[str, list[str]] = {}
    for name, team in owners.items():
        found.setdefault(team, []).append(name)
    return found


Maker = Callable[[Runs, Qrels, Any, np.random.Generator, Mapping[str, Any]], Qrels]


def _judge(qrels: Qrels, of: Qrels) -> Qrels:
    lost = [topic for topic in of if topic not in qrels.topics]
    if lost:
        raise InputError(
            f"this judge lacks topics of the full qrels: {listing(lost)}; select the topics that both have"
        )
    return qrels


# For each kind: the function that makes the qrels, whether it draws at random, and its options (capitals: required).
_KINDS: dict[str, tuple[Maker, bool, tuple[str, ...]]] = {
    "depth_pool": (lambda runs, full, k, rng, o: depth_pool(runs, full, k, **o), False, ("contributing",)),
    "sample": (lambda runs, full, share, rng, o: sample(full, share, rng, **o), True, ("rel", "least")),
    "pseudo": (lambda runs, full, k, rng, o: pseudo(runs, k, rng, **o), True, ("share", "spread", "duplicates")),
    "from_runs": (lambda runs, full, name, rng, o: from_runs(full, runs, _each(name), **o), False, ("k",)),
    "leave_out": (lambda runs, full, team, rng, o: leave_out(runs, full, team, **o), False, ("TEAMS", "k")),
    "mix": (lambda runs, full, share, rng, o: mix(full, o["machine"], share, rng), True, ("MACHINE",)),
    "judge": (lambda runs, full, name, rng, o: _judge(o["qrels"], full), False, ("QRELS",)),
}
_LEVELS: dict[str, tuple[str, Any]] = dict.fromkeys(("depth_pool", "pseudo"), ("k", int))
_LEVELS |= dict.fromkeys(("sample", "mix"), ("share", float))


@dataclass(frozen=True, eq=False, init=False)
class Change:
    """One level of a change to the judgments, for `judgment_study`.

    | kind | level | options |
    | --- | --- | --- |
    | depth_pool | the depth k | contributing |
    | sample | the share | rel, least |
    | pseudo | the depth k | share, spread, duplicates |
    | from_runs | the name of one run, or a list of names | k |
    | leave_out | the name of a team | teams (required), k |
    | mix | the share | machine (required): the Qrels of the other judge |
    | judge | a name for the judge | qrels (required): the Qrels of this judge |

    Parameters
    ----------
    kind : str
        The name of the change, as in the table.
    level : int, float, str or list of str
        The level, as in the table.
    **options
        Options of the function of the same name.

    Examples
    --------
    >>> import concordant as cc
    >>> cc.judgments.Change("sample", 0.1)
    <Change: sample 0.1>

    """

    kind: str
    level: Any
    options: Mapping[str, Any]

    @checked
    def __init__(self, kind: str, level: Any, **options: Any) -> None:
        if kind not in _KINDS:
            raise InputError(f"there is no change {kind!r}: choose from {', '.join(_KINDS)}")
        known = {name.lower() for name in _KINDS[kind][2]}
        needed = {name.lower() for name in _KINDS[kind][2] if name.isupper()}
        if set(options) - known or needed - set(options):
            takes = ", ".join(sorted(known))
            raise InputTypeError(f"{kind} takes {takes}" + (f" and needs {', '.join(needed)}" if needed else ""))
        for name in options.keys() & {"machine", "qrels"}:
            check_option(name, options[name], Qrels)
        name, hint = _LEVELS.get(kind, ("level", str | Sequence[str]))
        check_option(name, level, hint, kind)
        vars(self).update(kind=kind, level=level, options=dict(options))

    @property
    def random(self) -> bool:
        """Whether the change draws judgments at random."""
        return _KINDS[self.kind][1]

    @property
    def label(self) -> str:
        """The level as text."""
        names = [str(name) for name in _each(self.level)]
        return listing(names) if names[1:] else "".join(names)  # a single name stays as it is, for tables

    def make(self, runs: Runs, full: Qrels, rng: np.random.Generator) -> Qrels:
        """Make the changed judgments."""
        return self.with_notes(runs, full, rng)[0]

    def with_notes(self, runs: Runs, full: Qrels, rng: np.random.Generator) -> tuple[Qrels, tuple[str, ...]]:
        """Make the changed judgments, with notes about them."""
        with hearing(quiet=True) as notes:
            found = _KINDS[self.kind][0](runs, full, self.level, rng, self.options)
        return found, tuple(notes)

    def other(self) -> Qrels | None:
        """Return the Qrels of the other judge whose grades this change uses, if any."""
        found: Qrels | None = self.options.get("machine", self.options.get("qrels"))
        return found

    def settings(self) -> dict[str, Any]:
        """Return everything that determines the changed judgments, ready for JSON."""
        return {"kind": self.kind, "level": self.label} | {
            name: qrels_digest(value) if isinstance(value, Qrels) else plain(value)
            for name, value in self.options.items()
        }

    def __repr__(self) -> str:
        return f"<Change: {self.kind} {self.label}>"


def _each(level: Any) -> list[Any]:
    return [level] if isinstance(level, str) or not isinstance(level, Iterable) else list(level)


def qrels_digest(qrels: Qrels) -> str:
    """Compute a fingerprint of the judgments."""
    digest = hashlib.sha256()
    for topic in sorted(qrels):
        for document, grade in sorted(qrels[topic].items()):
            digest.update(f"{topic}\0{document}\0{float(grade)!r}\n".encode())
    return digest.hexdigest()


def runs_digest(runs: Runs) -> str:
    """Compute a fingerprint of the runs that depends on the order of systems, topics and documents."""
    digest = hashlib.sha256("\0".join([*runs.systems, "", *runs.topics, "", *runs.pairs.documents]).encode())
    for array in (runs.pairs.starts, runs.pairs.document_of, runs.starts, runs.items):
        digest.update(np.ascontiguousarray(array).astype("<i8").tobytes())
    return digest.hexdigest()
