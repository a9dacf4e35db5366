"""Look up the papers behind coefficients and functions in `references.bib`, by their keys in the registry."""

from __future__ import annotations

from pathlib import Path

from ..coefficients.registry import list_coefficients
from ..errors import InputError, nearest

# In references.bib, an empty line separates entries, and no entry contains one. The keywords of an entry are not
# printed. They name the functions that the paper describes, and the coefficients that have several papers. Our own
# methods cite this package.
_METHODS: dict[str, str] = {}
BIBTEX: dict[str, str] = {}
for _entry in (Path(__file__).parents[1] / "references.bib").read_text(encoding="utf-8").strip().split("\n\n"):
    _whole, _, _names = _entry.partition(",\n  keywords = {")
    _key = _entry.partition("{")[2].partition(",")[0]
    BIBTEX[_key] = f"{_whole}\n}}" if _names else _entry
    if _names:
        _METHODS[_key] = _names.partition("}")[0]


def bibliography(names: list[str]) -> list[str]:
    """Return the BibTeX entries for the names of coefficients, functions or papers, each entry once."""
    papers = {key: [key] for key in BIBTEX} | {c.name: [c.reference] for c in list_coefficients()}
    for key, methods in _METHODS.items():
        for name in methods.split():
            papers.setdefault(name, []).append(key)
    for name in names:
        if name not in papers:
            raise InputError(f"unknown name {name!r}{nearest(name, papers)}")
    return [BIBTEX[key] for key in dict.fromkeys(key for name in names for key in papers[name])]
