"""The papers behind the coefficients, from `references.bib`, by the keys that the registry uses."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from .coefficients.registry import list_coefficients
from .errors import InputError

# references.bib has an empty line between entries, and none within.
BIBTEX = {
    entry.partition("{")[2].partition(",")[0]: entry
    for entry in Path(__file__).with_name("references.bib").read_text(encoding="utf-8").strip().split("\n\n")
}

# Papers to cite beside the one that defines a coefficient.
_ALSO = {"rbo": ("corsi2024",), "tau_a": ("urbano2017",), "tau_strict": ("deutsch2023",)}
# What is no coefficient and has a paper.
_OTHERS = {
    **dict.fromkeys(("rank_distance", "rank_test", "discriminative_power"), "carterette2009"),
    **dict.fromkeys(("discordance", "expected_correlation", "reliability", "split_half", "plan_topics"), "urbano2016"),
    "rank_intervals": "romano2005",
    **dict.fromkeys(("combine", "plan_mix"), "angelopoulos2023"),
    "significance_agreement": "moffat2012",
    "soft_pairwise_accuracy": "thompson2024",
    "tie_calibration": "deutsch2023",
}


def bibliography(names: list[str]) -> list[str]:
    """BibTeX entries for coefficients and functions, or for keys of papers, each once."""
    papers = {key: (key,) for key in BIBTEX} | {name: (key,) for name, key in _OTHERS.items()}
    papers |= {c.name: (c.reference, *_ALSO.get(c.name, ())) for c in list_coefficients()}
    for name in names:
        if name not in papers:
            raise InputError(f"there is no {name!r} to cite: choose from {', '.join(papers)}")
    return [BIBTEX[key] for key in dict.fromkeys(key for name in names for key in papers[name])]


def reference(entry: str) -> str:
    """A BibTeX entry of this module as a line to read."""
    found = dict(re.findall(r"^  (\w+)\s*= \{(.*?)\},?$", entry, re.MULTILINE | re.DOTALL))
    plain = {k: re.sub(r"\s+", " ", v.replace("\\'", "\u0301")) for k, v in found.items()}
    plain = {k: re.sub(r"\u0301(\w)", "\\1\u0301", v.replace("{", "").replace("}", "")) for k, v in plain.items()}
    key = entry.partition("{")[2].partition(",")[0]
    where = plain.get("journal") or plain.get("booktitle", "")
    volume = f" {plain['volume']}" if "volume" in plain else ""
    pages = f", {plain['pages'].replace('--', '–')}" if "pages" in plain else ""
    authors = unicodedata.normalize("NFC", plain["author"].replace(" and ", "; "))
    return f"[{key}] {authors} ({plain['year']}). {plain['title']}. {where}{volume}{pages}."
