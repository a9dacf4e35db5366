"""Every public function names the papers behind it, or says that it is ours."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

import pytest

import concordant as cc
from concordant.render.references import _METHODS, BIBTEX, bibliography

# What only reads, writes, lists or brings together: no method to cite.
PLUMBING = {
    "as_scores", "get_coefficient", "list_coefficients", "load_collection", "pair", "read_labels",
    "read_qrels", "read_runs", "read_scores", "read_votes",
}  # fmt: skip


def public_functions() -> set[str]:
    found: dict[str, object] = {}
    for name in cc.__all__:
        value = getattr(cc, name)
        if isinstance(value, ModuleType):
            found |= {inner: getattr(value, inner) for inner in getattr(value, "__all__", ())}
        else:
            found[name] = value
    return {name for name, value in found.items() if inspect.isfunction(value)}


@pytest.mark.parametrize("name", sorted(public_functions() - PLUMBING))
def test_cite_knows_every_public_function(name: str) -> None:
    assert bibliography([name])


def test_nothing_that_is_cited_or_left_out_is_gone() -> None:
    coefficients = {c.name for c in cc.list_coefficients()}
    classes = {"Simulator"}
    assert {
        name for names in _METHODS.values() for name in names.split()
    } <= public_functions() | coefficients | classes
    assert public_functions() >= PLUMBING


def test_every_entry_is_cited_and_whole() -> None:
    cited = {c.reference for c in cc.list_coefficients()} | set(_METHODS)
    assert cited == set(BIBTEX)
    for key, entry in BIBTEX.items():
        assert re.match(rf"@\w+\{{{key},\n", entry)
        assert re.search(r"^  year *= \{(18|19|20)\d\d\}", entry, re.MULTILINE)
        assert entry.count("{") == entry.count("}")


def test_what_is_ours_names_the_package() -> None:
    assert [entry.partition(",")[0] for entry in bibliography(["judge_worth"])] == ["@misc{concordant"]
    keys = [entry.partition("{")[2].partition(",")[0] for entry in bibliography(["rank_test", "rbo", "rank_test"])]
    assert keys == ["carterette2009", "webber2010", "corsi2024"]
