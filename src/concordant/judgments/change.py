"""`Change`: a change of the judgments at one level, which a study can repeat in any process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.results import plain
from ..errors import InputError, InputTypeError, hearing, listing
from ..options import check_option, checked
from .changes import depth_pool, from_runs, leave_out, mix, pseudo, sample
from .qrels import Qrels
from .runs import Runs

Maker = Callable[[Runs, Qrels, Any, np.random.Generator, Mapping[str, Any]], Qrels]


def _judge(qrels: Qrels, of: Qrels) -> Qrels:
    lost = [topic for topic in of if topic not in qrels.topics]
    if lost:
        raise InputError(
            f"this judge lacks topics of the full qrels: {listing(lost)}; select the topics that both have"
        )
    return qrels


# The function that makes the qrels; whether it draws at random; its options, with required ones in capitals.
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
    """A change of the judgments at one level, for `judgment_study`.

    | kind | level | options |
    | --- | --- | --- |
    | depth_pool | the depth k | contributing |
    | sample | the share | rel, least |
    | pseudo | the depth k | share, spread, duplicates |
    | from_runs | the name of a run, or several | k |
    | leave_out | the name of a team | teams (needed), k |
    | mix | the share | machine (needed): the other Qrels |
    | judge | what to call the judge | qrels (needed): its Qrels |

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
        object.__setattr__(self, "kind", kind)
        object.__setattr__(self, "level", level)
        object.__setattr__(self, "options", dict(options))

    @property
    def random(self) -> bool:
        """Whether every draw differs."""
        return _KINDS[self.kind][1]

    @property
    def label(self) -> str:
        """The level in words."""
        names = [str(name) for name in _each(self.level)]
        return listing(names) if names[1:] else "".join(names)  # one name as it is: tables give it back

    def make(self, runs: Runs, full: Qrels, rng: np.random.Generator) -> Qrels:
        """Make the changed judgments."""
        return self.with_notes(runs, full, rng)[0]

    def with_notes(self, runs: Runs, full: Qrels, rng: np.random.Generator) -> tuple[Qrels, tuple[str, ...]]:
        """Make the changed judgments, with notes about them."""
        with hearing(quiet=True) as notes:
            found = _KINDS[self.kind][0](runs, full, self.level, rng, self.options)
        return found, tuple(notes)

    def other(self) -> Qrels | None:
        """The Qrels of the other judge whose grades it uses, if any."""
        found = self.options.get("machine", self.options.get("qrels"))
        return found if isinstance(found, Qrels) else None

    def settings(self) -> dict[str, Any]:
        """Everything that determines the changed judgments, ready for JSON."""
        return {"kind": self.kind, "level": self.label} | {
            name: qrels_digest(value) if isinstance(value, Qrels) else plain(value)
            for name, value in self.options.items()
        }

    def __repr__(self) -> str:
        return f"<Change: {self.kind} {self.label}>"


def _each(level: Any) -> list[Any]:
    return [level] if isinstance(level, str) or not isinstance(level, Iterable) else list(level)


def qrels_digest(qrels: Qrels) -> str:
    """Fingerprint of the judgments."""
    digest = hashlib.sha256()
    for topic in sorted(qrels):
        for document, grade in sorted(qrels[topic].items()):
            digest.update(f"{topic}\0{document}\0{float(grade)!r}\n".encode())
    return digest.hexdigest()


def runs_digest(runs: Runs) -> str:
    """Fingerprint of the runs in their order."""
    digest = hashlib.sha256("\0".join([*runs.systems, "", *runs.topics, "", *runs.pairs.documents]).encode())
    for array in (runs.pairs.starts, runs.pairs.document_of, runs.starts, runs.items):
        digest.update(np.ascontiguousarray(array).astype("<i8").tobytes())
    return digest.hexdigest()
