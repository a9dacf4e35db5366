"""From arguments to scores: which files, what to call them, and what they have in common."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import InputError
from .options import Missing
from .terminal import Bar

if TYPE_CHECKING:
    from ..scores import Scores


class Reader:
    """Reads one side as the options say."""

    def __init__(
        self, measure: str | None, missing: Missing, lower_is_better: bool, systems: str | None, topics: str | None
    ) -> None:
        if lower_is_better and missing is Missing.zero:
            raise typer.BadParameter(
                "--missing zero would give the best score to a missing topic where lower is better"
            )
        self.options: dict[str, Any] = {
            "measure": measure,
            "missing": missing.value,
            "lower_is_better": lower_is_better,
            "systems": names_of(systems, "--systems"),
            "topics": names_of(topics, "--topics"),
        }

    def all(self, paths: list[str], quiet: bool) -> list[Scores]:
        """One side a path, with a bar over all their files."""
        found = []
        for k, path in enumerate(paths):
            with Bar(f"reading {k + 1} of {len(paths)}", quiet) as bar:
                found.append(self(path, bar))
        return found

    def __call__(self, path: str, bar: Bar | None = None) -> Scores:
        from ..read import read_scores

        return read_scores(path, **self.options, progress=bar.update if bar else None)


def on_common_data(sides: list[Scores], labels: list[str], own_topics: bool) -> list[Scores]:
    """All sides on what all of them have; a note says what each loses."""
    from ..sides import aligned_by_name

    found = aligned_by_name(sides, labels, "systems" if own_topics else "both")
    for note in found.notes:
        warnings.warn(note, stacklevel=2)
    return list(found.scores)


def refuse_single_systems(sides: list[Scores]) -> None:
    """Refuse sides of one system each: what a folder is when the shell takes its pattern apart."""
    if all(len(side.systems) == 1 for side in sides):
        found = f"each side holds one system ({sides[0].systems[0]}, ...)"
        if len(sides) == 1:
            found = f"there is one system ({sides[0].systems[0]})"
        raise InputError(
            f"{found}, and a ranking has several: name the folder, "
            "or quote the pattern so that the shell leaves it whole ('human/*.eval')"
        )


def names_of(given: str | None, option: str) -> list[str] | None:
    """Names with commas between, or @FILE with a name a line."""
    if given is None:
        return None
    if given.startswith("@"):
        try:
            text = Path(given[1:]).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise typer.BadParameter(f"{option}: cannot read {given[1:]}: {error}") from None
        names = text.split("\n")
    else:
        names = given.split(",")
    names = [name.strip() for name in names if name.strip()]
    if not names:
        raise typer.BadParameter(f"{option} names nothing")
    return list(dict.fromkeys(names))


def known_coefficients(given: list[str]) -> list[str]:
    from ..coefficients.registry import get_coefficient

    try:
        return [get_coefficient(name).name for name in given]
    except InputError as error:
        raise typer.BadParameter(str(error)) from None


def labels_of(paths: list[str]) -> list[str]:
    """What to call each file: its name, and as many of its folders as tell the files apart."""
    parts = [Path(os.path.abspath(path)).parts for path in paths]
    for k, part in enumerate(parts):
        if part in parts[:k]:
            raise typer.BadParameter(f"{paths[k]} was given twice")
    depth = 1
    while len({part[-depth:] for part in parts}) < len(parts):
        depth += 1
    return ["/".join(part[-depth:]) for part in parts]
