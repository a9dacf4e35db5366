"""What goes along with the code says what is so: the map, the citation, the changelog, the licences."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import concordant

from .building import ROOT

pytestmark = pytest.mark.long

SOURCES = ROOT / "src" / "concordant"
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def named(section: str) -> list[str]:
    """What stands in the first column of the table of a section."""
    rows = [line for line in CONTRIBUTING.split(f"## {section}\n")[1].split("\n## ")[0].splitlines() if "|" in line]
    return [name for row in rows[2:] for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


def test_the_map_names_every_package_and_module() -> None:
    there = [f"{p.name}/" if p.is_dir() else p.name for p in SOURCES.iterdir() if p.suffix == ".py" or p.is_dir()]
    assert sorted(named("A map of the code")) == sorted(set(there) - {"__init__.py", "__pycache__/"})


def test_the_map_has_the_direction_of_imports() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    level = {name: place for place, layer in enumerate(layers) for name in layer.split(" | ")}
    places = [level[name.removesuffix(".py").removesuffix("/")] for name in named("A map of the code")]
    assert places == sorted(places)


def test_the_walk_names_each_module_once() -> None:
    walk = CONTRIBUTING.split("## A walk through the code\n")[1].split("\n## ")[0]
    modules = re.findall(r"`((?:\w+/)*\w+\.(?:py|cpp))`", walk)
    assert len(modules) > 30
    assert sorted(modules) == sorted(set(modules))
    assert [name for name in modules if not (SOURCES / name).is_file()] == []


def test_every_command_of_make_is_explained() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w-]+):(?!=)", makefile, re.MULTILINE))
    listed = set(re.findall(r"^([\w-]+):.*  # ", makefile, re.MULTILINE))  # by `make help`
    assert {target for target in targets - listed if not target.startswith("only-")} == {"browser"}
    assert len(listed) <= 12
    assert sorted([*named("How to run what"), "make help"]) == sorted(f"make {target}" for target in listed)


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_files_that_are_named_are_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    for name in re.findall(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|md|toml|txt|cff|yml|hpp|cpp))`", text):
        assert any((folder / name).is_file() for folder in (ROOT, SOURCES)) or name.startswith(".github/"), name
    assert page in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_citation_has_the_version_and_the_licence() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [concordant.__version__]
    assert re.findall(r"^license: (.*)$", citation, re.MULTILINE) == [project["license"]] == ["MIT"]
    assert f"name: {project['authors'][0]['name']}" in citation
    assert "version" not in project


def test_the_changelog_keeps_its_form() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (.*)$", changelog, re.MULTILINE)
    assert versions[0] == "[Unreleased]"
    released = versions[1:]
    if concordant.__version__.endswith(".dev0"):  # its section may be there before its date
        next_one = f"[{concordant.__version__.removesuffix('.dev0')}] - "
        if released[0].startswith(next_one):
            assert released.pop(0) == f"{next_one}not released yet"
    else:
        assert released[0].startswith(f"[{concordant.__version__}] - ")
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - (\d{4}-\d\d-\d\d|never published)", version) for version in released)
    headings = set(re.findall(r"^### (.*)$", changelog, re.MULTILINE))
    assert headings <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Numbers changed"}
    for release in changelog.split("\n## ")[1:]:
        assert "### Numbers changed" in release


def test_the_licences_of_what_is_linked_in_go_along() -> None:
    notices = (ROOT / "THIRD-PARTY-NOTICES.txt").read_text(encoding="utf-8")
    nanobind = Path(pytest.importorskip("nanobind").__file__).parent
    robin = (nanobind / "ext" / "robin_map" / "include" / "tsl" / "robin_map.h").read_text(encoding="utf-8")
    (holder,) = re.findall(r"Copyright \(c\) .*", robin)
    assert holder in notices
    for licence in nanobind.parent.glob("nanobind-*.dist-info/**/LICENSE*"):
        assert licence.read_text(encoding="utf-8").strip() in notices
