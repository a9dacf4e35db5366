"""Which of the measures that are there is read."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection

from ...errors import ConcordantError
from ...words import argument, listing
from .cells import Origin


def only_measure(origin: Origin, available: Collection[str], default: str | None = None, otherwise: str = "") -> str:
    """The measure to read where none is asked for: the default, or the only one there is."""
    if default is not None and default in available:
        return default
    if len(available) == 1:
        return next(iter(available))
    if not available:
        raise origin.error("holds no measure with a number for each topic")
    raise origin.error(
        f"there are {len(available)} measures; choose one with {argument('measure')}: {listing(available, 200)}"
        f"{otherwise}"
    )


def no_measure(origin: Origin, asked: str, available: Collection[str]) -> ConcordantError:
    """The error for a measure that is not there: the same in another tool's spelling, the nearest, or what there is."""
    same = [name for name in available if _spelling(name) == _spelling(asked)]
    near = same or difflib.get_close_matches(asked, available, n=3, cutoff=0.6)
    if near:
        hint = f"; did you mean {' or '.join(repr(name) for name in near)}? There are: {listing(available)}"
    else:
        hint = f"; there are: {listing(available, 200)}"
    return origin.error(f"there is no measure {asked!r}{hint}")


def _spelling(name: str) -> str:
    """One spelling for the names that tools give to the same measure: ndcg_cut.10, ndcg_cut_10, nDCG@10."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower().split(",")[0].replace("_cut", "").replace("precision", "p"))
    return {"ap": "map", "rr": "reciprank", "mrr": "reciprank"}.get(plain, plain)
