"""Each extra brings what it is for, and needs nothing of the others."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from concordant.data.collection import path

from .building import ROOT

pytestmark = pytest.mark.long

EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
PEOPLE, CAREFUL = str(path("people")), str(path("careful"))
COMPARED = f"import concordant as cc; found = cc.compare({PEOPLE!r}, {CAREFUL!r}, n_resamples=99, rng=1, worth=False)"
COMMAND = "import sys; from concordant.cli import main; sys.argv[1:] = {}; main()"
USES = {
    "cli": (
        COMMAND.format(["compare", PEOPLE, CAREFUL, "-q", "--resamples", "500"]),
        COMMAND.format(["board", PEOPLE, "-f", "json", "--resamples", "99"]),
        COMMAND.format(["--help"]),
    ),
    "frames": (f"{COMPARED}; assert len(found.to_frame())",),
    "plots": (f"{COMPARED}; assert found.plot().figure",),
}


def modules(extra: str) -> set[str]:
    names = (re.split(r"[<>=]", requirement)[0] for requirement in EXTRAS[extra])
    return set(names)


def test_app_is_all_of_them_with_the_same_bounds() -> None:
    assert set(EXTRAS) == {"cli", "frames", "plots", "app", "votes"}
    assert sorted(EXTRAS["app"]) == sorted(r for extra in USES for r in EXTRAS[extra])


ALL = set.union(*map(modules, EXTRAS))


def test_what_is_missing_is_asked_for_by_the_name_that_installs_it() -> None:
    source = "\n".join(file.read_text() for file in (ROOT / "src").rglob("*.py"))
    asked = {name.partition(".")[0] for name in re.findall(r"(?:import_extra|require_extras)\(\"([\w.]+)", source)}
    assert asked | {"typer"} == ALL | {"pyarrow"}


@pytest.mark.parametrize(("extra", "use"), [(extra, use) for extra, uses in USES.items() for use in uses])
def test_an_extra_needs_nothing_of_the_others(extra: str, use: str, tmp_path: Path) -> None:
    absent = sorted(ALL - modules(extra))
    hide = f"import sys; sys.modules.update(dict.fromkeys({absent!r}))"
    done = subprocess.run(
        [sys.executable, "-c", f"{hide}\n{use}"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
