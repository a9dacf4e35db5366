"""`label` chooses the documents that people should judge; `read_labels` reads the list with people's grades."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IntArray
from ..data.results import Result, settings_of
from ..errors import InputError, ReadError, counted, listing, named
from ..options import checked
from ..read.labels import load_names, named_rows
from ..read.source import Source, read_text
from ..read.tables.vocabulary import plain_number
from ..render.outputs import write_new
from .changes import qrels_digest
from .evaluation import parse_all
from .leverage import check_kinds, sizes_of
from .pool import Pool, chosen_topics, make_pool, tickets
from .qrels import MOST, Qrels
from .runs import Runs

BATCH = 50
COLUMNS = ("order", "batch", "topic", "document", "grade")
PLAN = "concordant list of documents to judge"
SKIP = "skip"
_KEPT = ("seed", "measures", "depth", "topics", "pool_size", "added", "runs", "machine")


@dataclass(frozen=True, eq=False, repr=False)
class LabelList(Result):
    """The list that `label` makes: pairs of topic and document in the order of judging, with the known grades."""

    _index = "order"
    pairs: tuple[tuple[str, str], ...]
    sizes: FloatArray
    """How much the label of each pair can change the ranking."""
    keys: FloatArray
    """u / size for each pair; u is a hash of seed, topic and document. Pairs with the smallest keys are listed."""
    batches: IntArray
    """The batch number of each pair, starting at 1. Only complete batches form a random sample."""
    threshold: float
    """The smallest key among the pairs that are not on the list; infinite if the list holds the whole pool."""
    pool_size: int
    seed: int
    measures: tuple[str, ...]
    depth: int
    topics: tuple[str, ...]
    runs: Mapping[str, str]
    """A checksum of the first `depth` documents of each run on these topics."""
    machine: str | None
    """A checksum of the machine's grades; None without a machine."""
    grades: FloatArray
    """The grades that people gave; nan for pairs not yet judged."""
    skipped: BoolArray
    """Whether people skipped each pair because they could not judge it."""
    added: int = 0
    """Number of pairs at the end of the list that were added for late runs."""
    source: str = field(default="", compare=False, metadata={"in_dict": False})

    @property
    def verdict(self) -> str:
        """State how many pairs to judge, or how many were judged."""
        n, batches = len(self.pairs), int(self.batches.max())
        if self.answered.any():
            judged, complete = int(self.answered.sum()), self.complete_batches
            return f"{judged:,} of {n:,} pairs judged; {complete} of {counted(batches, 'batch', 'batches')} complete"
        what = f"{n:,} of {self.pool_size:,} pairs of topic and document"
        return f"Judge {what}, in {counted(batches, 'batch', 'batches')} of up to {BATCH}"

    @property
    def answered(self) -> BoolArray:
        """Whether each pair has a grade or was skipped."""
        return ~np.isnan(self.grades) | self.skipped

    @property
    def complete_batches(self) -> int:
        """Number of batches before the first incomplete one."""
        open_ = self.batches[~self.answered]
        return int(open_.min() if open_.size else self.batches.max() + 1) - 1

    def prefix(self) -> tuple[int, float]:
        """Return the number of pairs in complete batches, and the smallest key among all other pairs."""
        n = int((self.batches <= self.complete_batches).sum())
        if n < len(self.pairs) and self.added:
            raise InputError(f"{self._said}judge the whole list first: its last {self.added} pairs are for late runs")
        return n, float(min(self.keys[n:].min(initial=np.inf), self.threshold))

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the CSV file, with the known grades."""
        grades = ["" if np.isnan(g) else repr(int(g) if g == int(g) else g) for g in self.grades.tolist()]
        grades = [SKIP if skip else grade for skip, grade in zip(self.skipped, grades, strict=True)]
        rest = zip(self.pairs, self.batches.tolist(), grades, strict=True)
        return [
            dict(zip(COLUMNS, (k, batch, *pair, grade), strict=True)) for k, (pair, batch, grade) in enumerate(rest, 1)
        ]

    def _contents(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _KEPT} | {"rows": self.rows()}

    @checked
    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the list as CSV, and next to it the plan that `read_labels` needs. Existing files are not replaced.

        Parameters
        ----------
        path : path
            The file to write, such as list.csv; the plan is then list.plan.json.

        """
        check_new(path)
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows())
        for file, written in ((plan_path(path), json.dumps(self._plan(), indent=1) + "\n"), (path, text.getvalue())):
            if not write_new(file, written.encode()):
                check_new(path)  # raises the error

    def _plan(self) -> dict[str, Any]:
        """Return the plan, which holds everything except the grades, ready for JSON."""
        columns = (self.batches.tolist(), self.sizes.tolist(), self.keys.tolist())
        about = {name: getattr(self, name) for name in _KEPT}
        limit = None if np.isinf(self.threshold) else self.threshold
        rows = [[*pair, *rest] for pair, *rest in zip(self.pairs, *columns, strict=True)]
        return {"format": PLAN, "version": 1, **about, "threshold": limit, "pairs": rows}

    @classmethod
    def of_plan(cls, plan: Mapping[str, Any], source: str = "") -> LabelList:
        """Build a list from the plan that `write` stores next to it."""
        topics, documents, batches, sizes, keys = zip(*plan["pairs"], strict=True)
        return cls(
            pairs=tuple(zip(topics, documents, strict=True)),
            batches=np.array(batches, dtype=np.int64),
            sizes=np.array(sizes, dtype=np.float64),
            keys=np.array(keys, dtype=np.float64),
            threshold=np.inf if plan["threshold"] is None else float(plan["threshold"]),
            grades=np.full(len(keys), np.nan),
            skipped=np.zeros(len(keys), dtype=bool),
            source=source,
            settings=settings_of(seed=plan["seed"]),
            **{name: plan[name] for name in _KEPT} | {name: tuple(plan[name]) for name in ("measures", "topics")},
        )

    @checked
    def with_grades(self, qrels: Qrels) -> LabelList:
        """Fill in the grades from these judgments; pairs without a judgment get grade 0.

        Parameters
        ----------
        qrels : Qrels
            Judgments of the whole pool, such as those of an earlier year.

        """
        found = {topic: qrels[topic] for topic in self.topics if topic in qrels}
        return replace(self, grades=np.array([float(found.get(t, {}).get(d, 0)) for t, d in self.pairs]))

    def judged(self) -> Qrels:
        """Return the known grades as `Qrels`."""
        found: dict[str, dict[str, float]] = {}
        for (topic, document), grade in zip(self.pairs, self.grades.tolist(), strict=True):
            if not np.isnan(grade):
                found.setdefault(topic, {})[document] = grade
        return Qrels.from_dict(found)

    def pool(self, runs: Runs, machine: Qrels | None = None) -> Pool:
        """Rebuild the pool that the list was drawn from; raise if the runs differ."""
        now = run_sums(runs, self.topics, self.depth)
        if lost := [name for name in self.runs if name not in now]:
            raise InputError(f"{self._said}runs of the list are missing: {listing(lost)}; give all runs of the list")
        if new := [name for name in now if name not in self.runs]:
            raise InputError(
                f"{self._said}some runs are not on the list: {listing(new)}; leave them out, or add their documents "
                "first (concordant label --add)"
            )
        if changed := [name for name in now if now[name] != self.runs[name]]:
            raise InputError(f"{self._said}some runs have changed since the list was made: {listing(changed)}")
        return make_pool(runs.select(list(self.runs)), self.topics, self.depth, machine)

    @property
    def _said(self) -> str:
        return f"{self.source}: " if self.source else ""

    @checked
    def add(self, runs: Runs, *, machine: Qrels | None = None) -> LabelList:
        """Add documents of late runs in new batches; the known grades are kept.

        A new pair gets its key from the seed of the list, and is added if the key is below the threshold of the list.

        Parameters
        ----------
        runs : Runs
            All runs, old and new.
        machine : Qrels, optional
            A machine's grades, as for `label`.

        """
        before = self.pool(runs.select([name for name in runs.systems if name in self.runs]))
        if len(runs.systems) == len(self.runs):
            raise InputError(f"{self._said}all runs are on the list already: give the late runs, too")
        pool = make_pool(runs, self.topics, self.depth, machine)
        pairs, old, listed = pool.pairs, set(before.pairs), set(self.pairs)
        size = sizes_of(pool, parse_all(self.measures))
        # Sizes are valid if they are fixed before the labels are known. Scale the new ones to match those on the list.
        size *= self.sizes.sum() / sum(size[k] for k, pair in enumerate(pairs) if pair in listed)
        new = np.array([k for k, pair in enumerate(pairs) if pair not in old], dtype=np.int64)
        key = np.full(len(pairs), np.inf)
        key[new] = tickets(self.seed, [pairs[k] for k in new])[0] / size[new]
        kept = np.flatnonzero(key < self.threshold)
        kept, batch = _in_batches(kept[np.argsort(key[kept], kind="stable")], pool)
        return replace(
            self,
            pairs=(*self.pairs, *(pairs[k] for k in kept)),
            sizes=np.append(self.sizes, size[kept]),
            keys=np.append(self.keys, key[kept]),
            batches=np.append(self.batches, self.batches.max() + batch),
            grades=np.append(self.grades, np.full(len(kept), np.nan)),
            skipped=np.append(self.skipped, np.zeros(len(kept), dtype=bool)),
            pool_size=len(pool),
            runs=run_sums(runs, self.topics, self.depth),
            added=self.added + len(kept),
        )


def plan_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a list's plan, such as list.plan.json for list.csv."""
    return Path(path).with_suffix(".plan.json")


def check_new(path: str | os.PathLike[str]) -> None:
    """Raise an error if a list or its plan would replace an existing file."""
    if not Path(path).name:
        raise InputError(f"path is {str(path)!r}: give the name of a file")
    for file in (Path(path), plan_path(path)):
        if file.exists():
            raise InputError(f"{file} already exists and may hold grades: choose another name")


@checked
def label(
    runs: Runs,
    *,
    machine: Qrels | None = None,
    measures: Iterable[str],
    budget: int,
    seed: int,
    depth: int = 100,
    topics: Sequence[str] | None = None,
) -> LabelList:
    """Choose the documents that people should judge, so that a few labels rank the systems well.

    Each pair of topic and document is drawn with a known probability, which is higher the more the label of the pair
    can change the differences between systems. Because the probabilities are known, the ranking by `rank_from_labels`
    is unbiased even if the machine is wrong.

    Parameters
    ----------
    runs : Runs
        The systems to rank. Their top documents form the pool.
    machine : Qrels, optional
        A machine's grades, on any scale. They make the estimates more precise and cannot bias them.
    measures : iterable of str
        Measures to rank by: P@k, DCG@k, nDCG@k, AP, AP@k. With several measures, one list serves all of them.
    budget : int
        Number of pairs that people will judge. Fix it now: stopping once a ranking looks clear invalidates the
        intervals.
    seed : int
        The same seed gives the same list.
    depth : int
        For measures that have no cutoff: the depth of the pool, and the cutoff to use.
    topics : iterable of str, optional
        The topics to judge. By default these are the topics that the machine judged or, without a machine, all topics
        of the runs.

    Returns
    -------
    LabelList
        The list. `write` saves it for people; `read_labels` reads it with their grades.

    See Also
    --------
    rank_from_labels : Rank the systems by the labels.
    read_labels : Read the list with grades.

    References
    ----------
    N. Duffield, C. Lund and M. Thorup (2007). Priority sampling for estimation of arbitrary subset sums. JACM 54(6).

    Examples
    --------
    >>> import concordant as cc
    >>> runs = cc.Runs.from_dict({"bm25": {"1": ["a", "b", "c"]}, "dense": {"1": ["a", "d", "e"]}})
    >>> chosen = cc.judgments.label(runs, measures=["P@3"], budget=2, seed=1)
    >>> chosen.verdict
    'Judge 2 of 5 pairs of topic and document, in 1 batch of up to 50'

    """
    wanted = parse_all(measures)
    check_kinds(wanted)
    deep = max(measure.cutoff or depth for measure in wanted)
    names = chosen_topics(runs, machine, topics)
    pool = make_pool(runs, names, deep, machine)
    if len(pool.systems) < 2:
        raise InputError("there is only one run: a ranking needs at least 2")
    if budget > len(pool):
        raise InputError(
            f"{named('budget')} is {budget}, but the pool has {counted(len(pool), 'pair')}: judge all of it, and use "
            "evaluate"
        )
    size = sizes_of(pool, wanted)
    pairs = pool.pairs
    key = tickets(seed, pairs)[0] / size
    order = np.argsort(key, kind="stable")
    places, batches = _in_batches(order[:budget], pool)
    return LabelList(
        pairs=tuple(pairs[k] for k in places),
        sizes=size[places],
        keys=key[places],
        batches=batches,
        threshold=float(key[order[budget]]) if budget < len(pool) else np.inf,
        pool_size=len(pool),
        seed=seed,
        measures=tuple(map(str, wanted)),
        depth=deep,
        topics=pool.topics,
        runs=run_sums(runs, names, deep),
        machine=machine_sum(machine),
        grades=np.full(budget, np.nan),
        skipped=np.zeros(budget, dtype=bool),
        settings=settings_of(seed=seed),
    )


def _in_batches(order: IntArray, pool: Pool) -> tuple[IntArray, IntArray]:
    """Split pairs, given in the order of their keys, into batches.

    Each batch is sorted by topic and document, so that its order does not reveal the keys.
    """
    batch = np.arange(len(order)) // BATCH
    name = np.argsort(np.argsort([pool.documents[k] for k in order], kind="stable"), kind="stable")
    return order[np.lexsort((name, pool.topic_of[order], batch))], batch + 1


def run_sums(runs: Runs, topics: Sequence[str], depth: int) -> dict[str, str]:
    """Compute a checksum of the first `depth` documents of each run on these topics."""
    cut, found = runs.cut(depth), {}
    for system in cut.systems:
        digest = hashlib.sha256()
        for topic in topics:
            if topic in cut.pairs.topic_places:
                digest.update("\n".join([topic, *cut.documents(system, topic), ""]).encode())
        found[system] = digest.hexdigest()[:16]
    return found


def machine_sum(machine: Qrels | None) -> str | None:
    """Compute a checksum of the machine's judgments; None without a machine."""
    return None if machine is None else qrels_digest(machine)[:16]


def is_label_list(path: str) -> bool:
    """Tell whether a file begins like a list of documents to judge, in any format that a spreadsheet writes."""
    try:
        with open(path, "rb") as file:
            first = file.readline(200).decode("utf-8-sig", errors="replace")
    except (OSError, ValueError):
        return False
    return set(re.findall(r"\w+", first.lower())) >= set(COLUMNS)


@checked
def read_labels(path: str | os.PathLike[str]) -> LabelList:
    """Read a list of documents to judge, with the grades that people gave, and the plan next to it.

    A spreadsheet may have reordered the rows, changed separators or quotes, or rewritten grade 1 as 1.0 or 1,0. A pair
    without a grade is not yet judged; `skip` marks a pair that cannot be judged.

    Parameters
    ----------
    path : path
        The list, such as list.csv. Its plan, list.plan.json, must be beside it.

    Returns
    -------
    LabelList
        The list with `grades` and `skipped`.

    See Also
    --------
    label : Choose the documents.
    rank_from_labels : Rank the systems by the grades.

    """
    source = load_names(path)
    found = _planned(path)
    header, rows = named_rows(source)
    at = {name.lower(): k for k, name in enumerate(header)}
    if not at.keys() >= set(COLUMNS):
        raise source.error(f"is not a list of documents to judge: it lacks columns of {', '.join(COLUMNS)}")
    place = {pair: k for k, pair in enumerate(found.pairs)}
    grades, skipped = np.full(len(place), np.nan), np.zeros(len(place), dtype=bool)
    seen: set[int] = set()
    for line, cells in rows:
        order, topic, document, text = (cells[at[name]] for name in ("order", "topic", "document", "grade"))
        k = place.get((topic, document), _rewritten(order, topic, document, found))
        if k is None:
            raise source.error(f"document {document!r} on topic {topic!r} is not on the list", line)
        if k in seen:
            raise source.error(f"has document {document!r} on topic {topic!r} twice", line)
        seen.add(k)
        if text.lower() == SKIP:
            skipped[k] = True
        elif text:
            grades[k] = _grade(source, line, text)
    if lost := [pair for pair, k in place.items() if k not in seen]:
        topic, document = lost[0]
        raise source.error(f"lacks {counted(len(lost), 'row')} of the list, such as {document!r} on topic {topic!r}")
    return replace(found, grades=grades, skipped=skipped)


def _planned(path: str | os.PathLike[str]) -> LabelList:
    file = plan_path(path)
    if not file.exists():
        raise ReadError(f"lacks its plan: put back {file.name}, which `concordant label` wrote", os.fspath(path))
    try:
        plan = json.loads(read_text(file))
        if plan["format"] == PLAN and plan["version"] == 1:
            return LabelList.of_plan(plan, os.fspath(path))
    except (ValueError, TypeError, KeyError):
        pass
    raise ReadError("is not the plan of a list of documents to judge", str(file))


def _rewritten(order: str, topic: str, document: str, found: LabelList) -> int | None:
    """Find the pair of a row by its order number, in case a spreadsheet rewrote a name such as 007 to 7."""
    number = plain_number(order)
    if number is None or number not in range(1, len(found.pairs) + 1):
        return None
    k = int(number) - 1
    return k if all(_alike(a, b) for a, b in zip((topic, document), found.pairs[k], strict=True)) else None


def _alike(now: str, before: str) -> bool:
    return now == before or ((a := plain_number(now)) is not None and a == plain_number(before))


def _grade(source: Source, line: int, text: str) -> float:
    whole, comma, digits = text.partition(",")
    number = plain_number(text if len(digits) == 3 else f"{whole}.{digits}" if comma else text)  # 1,000 is ambiguous
    if number is None or not abs(number) <= MOST:
        raise source.error(f"the grade {text!r} is not a number: write a number, leave it empty, or write {SKIP}", line)
    return number
