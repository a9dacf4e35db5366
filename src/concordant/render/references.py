"""The papers behind coefficients and functions, from `references.bib`, by the keys that the registry uses."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from ..coefficients.registry import list_coefficients
from ..errors import InputError

# references.bib has an empty line between entries, and none within.
BIBTEX = {
    entry.partition("{")[2].partition(",")[0]: entry
    for entry in (Path(__file__).parents[1] / "references.bib").read_text(encoding="utf-8").strip().split("\n\n")
}

# The functions that each paper is behind, and coefficients with more than one paper. What is ours names concordant.
_METHODS = {
    "kendall1938": "null_distribution",
    "cohen1960": "label_agreement",
    "bradley1952": "rank_votes",
    "soboroff2001": "pseudo",
    "jarvelin2002": "evaluate evaluate",
    "nadeau2003": "select_topics",
    "buckley2004": "evaluate evaluate sample",
    "sanderson2004": "from_runs",
    "romano2005": "rank_intervals board",
    "yilmaz2008": "null_distribution depth_pool from_runs judgment_study",
    "carterette2009": "rank_distance rank_test discriminative_power judgment_study sample",
    "phipson2010": "permutation_test",
    "duffield2007": "label rank_from_labels",
    "moffat2012": "significance_agreement",
    "urbano2015": "simulate Simulator",
    "urbano2016": "expected_correlation reliability plan_topics reliability_study",
    "gao2016": "leave_out leave_each_out",
    "urbano2017": "tau_a tie_bounds",
    "angelopoulos2023": "combine plan_mix",
    "deutsch2023": "tau_strict tie_calibration",
    "bonett2012": "difference neighbours",
    "bell2002": "difference neighbours",
    "corsi2024": "rbo",
    "mogstad2024": "board rank_changes",
    "thompson2024": "soft_pairwise_accuracy",
    "concordant": "judge_worth rank_judges judge_study judge_card compare correlate explain family_bias audit mix "
    "select_topics null_distribution neighbours run_noise plan_runs gaming_gap try_labels",
}


def bibliography(names: list[str]) -> list[str]:
    """BibTeX entries for coefficients and functions, or for keys of papers, each once."""
    papers = {key: [key] for key in BIBTEX} | {c.name: [c.reference] for c in list_coefficients()}
    for key, methods in _METHODS.items():
        for name in methods.split():
            papers.setdefault(name, []).append(key)
    for name in names:
        if name not in papers:
            raise InputError(f"there is no {name!r} to cite: choose from {', '.join(papers)}")
    return [BIBTEX[key] for key in dict.fromkeys(key for name in names for key in papers[name])]


def reference(entry: str) -> str:
    """A BibTeX entry of this module as a line to read."""
    found = dict(re.findall(r"^  (\w+)\s*= \{(.*?)\},?$", entry, re.MULTILINE | re.DOTALL))
    accents = {"\\'": "\u0301", '\\"': "\u0308"}  # BibTeX puts them before the letter, Unicode after it
    plain = {k: re.sub(r"\s+", " ", re.sub(r"\\['\"]", lambda mark: accents[mark[0]], v)) for k, v in found.items()}
    plain = {k: re.sub(r"([\u0301\u0308])(\w)", r"\2\1", re.sub(r"[{}]", "", v)) for k, v in plain.items()}
    key = entry.partition("{")[2].partition(",")[0]
    where = plain.get("journal") or plain.get("booktitle") or plain.get("note", "")
    volume = f" {plain['volume']}" if "volume" in plain else ""
    pages = f", {plain['pages'].replace('--', '–')}" if "pages" in plain else ""
    authors = unicodedata.normalize("NFC", plain["author"].replace(" and ", "; "))
    return f"[{key}] {authors} ({plain['year']}). {plain['title']}. {where}{volume}{pages}."
