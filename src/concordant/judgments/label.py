"""`label`: which documents people should judge, in which order; `LabelList`: that list, with what they said."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..arrays import FloatArray, IntArray
from ..errors import InputError
from ..options import checked
from ..outputs import written_whole
from ..results import Result, settings_of
from ..words import counted, listing, named
from .evaluation import parse_all
from .leverage import check_kinds, sizes_of
from .measures import Measure
from .pool import Pool, chosen_topics, depth_of, make_pool, tickets
from .qrels import Qrels
from .runs import BoolArray, Runs

BATCH = 50
COLUMNS = ("order", "batch", "topic", "document", "grade")
PLAN = "concordant list of documents to judge"


@dataclass(frozen=True, eq=False, repr=False)
class LabelList(Result):
    """What `label` chose: pairs of topic and document, in the order of judging, with the grades that are known."""

    _index = "order"
    pairs: tuple[tuple[str, str], ...]
    sizes: FloatArray
    """How far the label of each pair can move the ranking."""
    keys: FloatArray
    """u / size, u a hash of seed, topic and document. The list holds the pairs with the smallest keys."""
    batches: IntArray
    """The batch of each pair, from 1. Only the end of a batch is the end of a sample."""
    threshold: float
    """The smallest key that is not on the list; infinite where the list holds the whole pool."""
    threshold_at_twice: float
    """The same for a list of twice the length."""
    pool_size: int
    seed: int
    measures: tuple[str, ...]
    depth: int
    topics: tuple[str, ...]
    runs: Mapping[str, str]
    """A checksum of each run on these topics, down to `depth`."""
    machine: str | None
    """A checksum of the machine's grades."""
    grades: FloatArray
    """What people said; nan where they have said nothing yet."""
    skipped: BoolArray
    """Pairs that people could not judge: `skip` instead of a grade."""
    added: int = 0
    """The last so many pairs were added for late runs."""
    source: str = field(default="", compare=False, metadata={"in_dict": False})

    @property
    def verdict(self) -> str:
        """How much there is to judge, and what was judged."""
        share = f"{len(self.pairs):,} of {self.pool_size:,} pairs of topic and document"
        judged = int((~np.isnan(self.grades) | self.skipped).sum())
        last = int(self.batches.max())
        if not judged:
            return f"Judge {share}, in {counted(last, 'batch')[:-1]}{'es' if last > 1 else 'h'} of up to {BATCH}"
        return f"{judged:,} of {len(self.pairs):,} pairs judged; {self.complete_batches} of {last} batches complete"

    @property
    def complete_batches(self) -> int:
        """Batches without a gap, from the first one on."""
        open_ = self.batches[np.isnan(self.grades) & ~self.skipped]
        return int(open_.min() if open_.size else self.batches.max() + 1) - 1

    def rows(self) -> list[dict[str, Any]]:
        """The list as it is written, with the grades that are known."""
        grades = ["" if np.isnan(grade) else f"{grade:g}" for grade in self.grades]
        grades = ["skip" if skip else grade for skip, grade in zip(self.skipped, grades, strict=True)]
        rest = zip(self.pairs, self.batches.tolist(), grades, strict=True)
        return [
            dict(zip(COLUMNS, (k, batch, topic, document, grade), strict=True))
            for k, ((topic, document), batch, grade) in enumerate(rest, start=1)
        ]

    @checked
    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the list as CSV, and beside it the plan that `read_labels` needs. Neither replaces a file.

        Parameters
        ----------
        path : path
            Such as list.csv; the plan is then list.plan.json.

        """
        for file in (Path(path), plan_path(path)):
            if file.exists():
                raise InputError(f"{file} already exists: choose another name, it may hold grades")
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows())
        with written_whole(plan_path(path)) as file:
            file.write((json.dumps(self.plan(), indent=1) + "\n").encode())
        with written_whole(path) as file:
            file.write(text.getvalue().encode())

    def plan(self) -> dict[str, Any]:
        """All but the grades, ready for JSON."""
        columns = (self.batches.tolist(), self.sizes.tolist(), self.keys.tolist())
        rows = [[*pair, *rest] for pair, *rest in zip(self.pairs, *columns, strict=True)]
        names = ("seed", "measures", "depth", "topics", "pool_size", "runs", "machine", "added")
        limits = {name: getattr(self, name) for name in ("threshold", "threshold_at_twice")}
        about = {name: getattr(self, name) for name in names}
        finite = {name: limit if np.isfinite(limit) else None for name, limit in limits.items()}
        return {"format": PLAN, "version": 1, **about, **finite, "pairs": rows}

    @classmethod
    def of_plan(cls, plan: Mapping[str, Any], **more: Any) -> LabelList:
        """From what `plan` gave."""
        limits = {name: np.inf if plan[name] is None else plan[name] for name in ("threshold", "threshold_at_twice")}
        topics, documents, batches, sizes, keys = zip(*plan["pairs"], strict=True)
        return cls(
            pairs=tuple(zip(topics, documents, strict=True)),
            batches=np.array(batches),
            sizes=np.array(sizes),
            keys=np.array(keys),
            measures=tuple(plan["measures"]),
            topics=tuple(plan["topics"]),
            **{name: plan[name] for name in ("seed", "depth", "pool_size", "runs", "machine", "added")},
            **limits,
            **{"grades": np.full(len(keys), np.nan), "skipped": np.zeros(len(keys), dtype=bool)} | more,
        )

    def with_qrels(self, qrels: Qrels) -> LabelList:
        """With the grades of earlier judgments, as people would have given them; what those lack is grade 0."""
        found = {topic: qrels[topic] for topic in self.topics if topic in qrels}
        return replace(self, grades=np.array([float(found.get(t, {}).get(d, 0)) for t, d in self.pairs]))

    def pool(self, runs: Runs, machine: Qrels | None = None) -> Pool:
        """The pool that the list was drawn from; raises where the runs are others than those."""
        now = _run_sums(runs, self.topics, self.depth)
        if lost := [name for name in self.runs if name not in now]:
            raise InputError(f"{self._said}runs of the list are missing: {listing(lost)}; give all of its runs")
        if new := [name for name in now if name not in self.runs]:
            raise InputError(
                f"{self._said}runs are not on the list: {listing(new)}; leave them out, or add their documents first "
                "(concordant label --add)"
            )
        if changed := [name for name in now if now[name] != self.runs[name]]:
            raise InputError(f"{self._said}runs have changed since the list was made: {listing(changed)}")
        return make_pool(runs.select(self.runs), self.topics, self.depth, machine)

    @property
    def _said(self) -> str:
        return f"{self.source}: " if self.source else ""

    @checked
    def add(self, runs: Runs, *, machine: Qrels | None = None) -> LabelList:
        """With the documents of late runs, in batches of their own; the grades that are known are kept.

        A new pair is on the list if its key, from the same seed, is below the same threshold.

        Parameters
        ----------
        runs : Runs
            All runs, old and new.
        machine : Qrels, optional
            As for `label`.

        """
        self.pool(runs.select([name for name in runs.systems if name in self.runs]))
        if len(runs.systems) == len(self.runs):
            raise InputError(f"{self._said}all runs are on the list already: there is nothing to add")
        old = set(make_pool(runs.select(self.runs), self.topics, self.depth).pairs)
        pool = make_pool(runs, self.topics, self.depth, machine)
        pairs = pool.pairs
        new = np.array([k for k, pair in enumerate(pairs) if pair not in old], dtype=np.int64)
        # Sizes only need to be positive and fixed before labels are known; old and new ones share their unit.
        size = sizes_of(pool, parse_all(self.measures))[new]
        key = tickets(self.seed, [pairs[k] for k in new]) / size
        kept = np.flatnonzero(key < self.threshold)
        kept = kept[np.argsort(key[kept], kind="stable")]
        batch = np.arange(len(kept)) // BATCH
        kept = kept[np.lexsort((kept, batch))]  # pairs are numbered topic by topic
        n = len(kept)
        return replace(
            self,
            pairs=(*self.pairs, *(pairs[k] for k in new[kept])),
            sizes=np.append(self.sizes, size[kept]),
            keys=np.append(self.keys, key[kept]),
            batches=np.append(self.batches, self.batches.max() + 1 + batch),
            grades=np.append(self.grades, np.full(n, np.nan)),
            skipped=np.append(self.skipped, np.zeros(n, dtype=bool)),
            pool_size=len(pool),
            threshold_at_twice=np.inf,
            runs=_run_sums(runs, self.topics, self.depth),
            added=self.added + n,
        )


def plan_path(path: str | os.PathLike[str]) -> Path:
    """Where the plan of a list is: list.plan.json beside list.csv."""
    return Path(path).with_suffix(".plan.json")


@checked
def label(
    runs: Runs,
    *,
    machine: Qrels | None = None,
    measures: Iterable[str],
    budget: int,
    seed: int,
    depth: int = 100,
    topics: Iterable[str] | None = None,
) -> LabelList:
    """Choose the documents that people should judge, so that few labels rank the systems well.

    Each pair of topic and document is drawn with a known probability, the higher the further its label can move the
    differences between systems. So the ranking by `rank_from_labels` is unbiased, whatever the machine thinks.

    Parameters
    ----------
    runs : Runs
        The systems to rank. Their first documents are the pool.
    machine : Qrels, optional
        A machine's grades, on any scale. They sharpen the estimates, and bias nothing.
    measures : iterable of str
        What to rank by: P@k, DCG@k, nDCG@k, AP, AP@k. With several, the list serves all of them.
    budget : int
        How many pairs people will judge. Fix it now: stopping when a ranking looks clear breaks the intervals.
    seed : int
        The same seed gives the same list.
    depth : int
        The depth of the pool for AP without a cutoff, which is then AP at this depth.
    topics : iterable of str, optional
        By default those that the machine judged; without a machine all that the runs have.

    Returns
    -------
    LabelList
        With `write`, for people; `concordant.read_labels` reads it with their grades.

    See Also
    --------
    rank_from_labels : Rank the systems by the labels.

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
    deep = depth_of(wanted, depth)
    names = chosen_topics(runs, machine, None if topics is None else list(topics))
    pool = make_pool(runs, names, deep, machine)
    if len(pool.systems) < 2:
        raise InputError("there is one run: a ranking needs at least 2")
    if budget > len(pool):
        raise InputError(
            f"{named('budget')} is {budget}, but the pool has {counted(len(pool), 'pair')}: judge all of it, and use "
            "evaluate"
        )
    return _first(pool, wanted, budget, seed, deep, _run_sums(runs, names, deep), machine)


def _first(
    pool: Pool,
    measures: Sequence[Measure],
    budget: int,
    seed: int,
    depth: int,
    sums: Mapping[str, str],
    machine: Qrels | None,
) -> LabelList:
    """The pairs with the smallest keys."""
    size = sizes_of(pool, measures)
    key = tickets(seed, pool.pairs) / size
    order = np.argsort(key, kind="stable")
    limits = np.append(key[order], np.inf)
    batch = np.arange(budget) // BATCH
    # Within a batch by topic: order there tells nothing, and a reader stays with a topic.
    places = order[:budget][np.lexsort((order[:budget], batch))]
    pairs = pool.pairs
    return LabelList(
        pairs=tuple(pairs[k] for k in places),
        sizes=size[places],
        keys=key[places],
        batches=batch + 1,
        threshold=float(limits[budget]),
        threshold_at_twice=float(limits[min(2 * budget, len(pool))]),
        pool_size=len(pool),
        seed=seed,
        measures=tuple(map(str, measures)),
        depth=depth,
        topics=pool.topics,
        runs=sums,
        machine=None if machine is None else _machine_sum(machine),
        grades=np.full(budget, np.nan),
        skipped=np.zeros(budget, dtype=bool),
        settings=settings_of(seed=seed, budget=budget, measures=list(map(str, measures)), depth=depth),
    )


def _run_sums(runs: Runs, topics: Sequence[str], depth: int) -> dict[str, str]:
    """A checksum of what each run returns on these topics."""
    cut = runs.cut(depth)
    names = np.array(cut.pairs.documents, dtype=object)
    starts = cut.starts[:-1].reshape(cut.shape)
    there = [k for k, topic in ((cut.pairs.topic_places.get(t, -1), t) for t in topics) if k >= 0]
    found = {}
    for i, system in enumerate(cut.systems):
        digest = hashlib.sha256()
        for k in there:
            items = cut.items[starts[i, k] : starts[i, k] + cut.depths[i, k]]
            digest.update("\n".join([cut.topics[k], *names[cut.pairs.document_of[items]], ""]).encode())
        found[system] = digest.hexdigest()[:16]
    return found


def _machine_sum(machine: Qrels) -> str:
    digest = hashlib.sha256(json.dumps([machine.topics, machine.pairs.documents]).encode())
    for part in (machine.pairs.document_of, machine.places, machine.grades):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:16]
