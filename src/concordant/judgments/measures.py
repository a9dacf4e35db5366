"""Measures of effectiveness, named as in ir-measures: `AP(rel=2)`, `nDCG@10`, `P@5`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..errors import InputError
from ..read.tables.vocabulary import plain_number

# For each kind: whether a cutoff is required, optional or invalid, and whether the measure has a relevance threshold.
_KINDS: dict[str, tuple[str, bool]] = {
    "AP": ("may", True),
    "nDCG": ("may", False),
    "DCG": ("may", False),
    "P": ("must", True),
    "R": ("must", True),
    "RR": ("may", True),
    "Rprec": ("no", True),
    "Bpref": ("no", True),
    "Success": ("must", True),
}
# Names used by trec_eval and other tools, in lower case.
_ALIASES = {
    "map": "AP",
    "map_cut": "AP",
    "ndcg_cut": "nDCG",
    "recip_rank": "RR",
    "mrr": "RR",
    "recall": "R",
    "precision": "P",
} | {kind.lower(): kind for kind in _KINDS}
_NAME = re.compile(
    r"(?P<kind>[a-z_]+?)(?:\(\s*rel\s*=\s*(?P<rel>[0-9.]+)\s*\))?(?:[@_.](?P<cutoff>[0-9]+))?", re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters; `str` returns the name that `parse` reads."""

    kind: str
    cutoff: int | None = None
    rel: float | None = None
    """The lowest relevant grade; None means 1, for grades that are whole numbers."""

    def __str__(self) -> str:
        rel = "" if self.rel is None else f"(rel={self.rel:g})"
        return f"{self.kind}{rel}" + ("" if self.cutoff is None else f"@{self.cutoff}")

    @property
    def least(self) -> float:
        """The lowest grade that counts as relevant."""
        return 1.0 if self.rel is None else self.rel

    @property
    def binary(self) -> bool:
        """Whether the measure treats relevance as binary."""
        return _KINDS[self.kind][1]

    @classmethod
    def parse(cls, name: Any) -> Measure:
        """Parse the name of a measure, as written in ir-measures or trec_eval.

        >>> [str(Measure.parse(name)) for name in ("ap", "AP(rel=2)", "ndcg_cut_10", "P.5", "RR(rel=2)@10", "bpref")]
        ['AP', 'AP(rel=2)', 'nDCG@10', 'P@5', 'RR(rel=2)@10', 'Bpref']
        """
        if isinstance(name, Measure):
            return name
        match = _NAME.fullmatch(name.strip())
        kind = _ALIASES.get(match["kind"].lower()) if match else None
        if match is None or kind is None:
            raise InputError(
                f"unknown measure {name!r}: choose from AP, AP@k, nDCG, nDCG@k, DCG, DCG@k, P@k, R@k, RR, RR@k, "
                "Rprec, Bpref and Success@k; (rel=2) after the name makes grades from 2 up relevant, as in AP(rel=2) "
                "or P(rel=2)@10"
            )
        cutoff = None if match["cutoff"] is None else int(match["cutoff"])
        when, binary = _KINDS[kind]
        if when == "must" and cutoff is None:
            raise InputError(f"measure {name!r} needs a depth: write {kind}@10")
        if (when == "no" and cutoff is not None) or cutoff == 0:
            raise InputError(f"measure {name!r} has a depth that {kind} does not take: write {kind}")
        if match["rel"] is not None and not binary:
            raise InputError(f"measure {name!r}: {kind} takes the grades as gains and has no threshold; leave out rel=")
        rel = plain_number(match["rel"] or "")
        if match["rel"] is not None and not rel:
            raise InputError(f"measure {name!r}: rel is the lowest relevant grade, a number above 0")
        return cls(kind, cutoff, rel)
