"""Turn arguments of the command line into scores: find the files, read them and name them."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..errors import InputError, ReadError
from .options import Missing, Total
from .terminal import Bar

if TYPE_CHECKING:
    from ..data.scores import Means, Scores
    from ..pairing import Side


@dataclass(frozen=True, kw_only=True)
class Reader:
    """The options for reading scores. Every command reads its scores through this class.

    Parameters
    ----------
    groups
        A CSV file with the group of each topic, such as the document of a segment, FILE or FILE:COLUMN; the word none
        treats topics as independent.
    types
        For type-mean: a CSV file with the type of each topic, FILE or FILE:COLUMN.
    total
        The total that ranks the systems.
    lower_is_better
        Whether low scores are good, as for errors or times; for one file, write PATH:MEASURE:lower or :higher.
    systems
        Only these systems: names separated by commas, or @FILE with one name per line. 'STS*' selects all names that
        match; '!NAME' leaves one out.
    topics
        Only these topics, given in the same way; NAME=TOPICS applies to the file NAME=PATH alone.
    rename
        A file that renames systems, with two columns: the old name and the new one.
    repeats
        How to combine several runs of a topic: mean, pass@K or pass^K.
    topic_column
        The column of a table that holds the topics.
    system_column
        The column that holds the systems.
    score_column
        The column that holds the scores.
    run_column
        The column that numbers the runs of a topic.

    """

    PANEL: ClassVar = "Data"
    measure: str | None = None
    missing: Missing = "error"
    groups: str | None = None
    types: str | None = None
    total: Total = "mean"
    lower_is_better: Annotated[
        bool | None, {"flags": ("--lower-is-better/--higher-is-better",), "show_default": False}
    ] = None
    systems: str | None = None
    topics: list[str] | None = None
    rename: Annotated[str | None, {"metavar": "FILE"}] = None
    repeats: Annotated[str, {"metavar": "HOW"}] = "mean"
    topic_column: str | None = None
    system_column: str | None = None
    score_column: str | None = None
    run_column: str | None = None

    def __call__(self, given: str, quiet: bool) -> Scores | Means:
        """Read the scores of one file."""
        return self.together([given], quiet)

    def together(self, files: Sequence[str], quiet: bool) -> Scores | Means:
        """Read one collection that is spread over several files."""
        from ..errors import listing
        from ..read import parse_side

        given = [parse_side(file) for file in files]
        measures = list(dict.fromkeys(side.measure for side in given))
        if len(measures) > 1:
            raise typer.BadParameter(f"the files name different measures ({listing(measures)}): choose one with -m")
        if len({side.lower_is_better for side in given}) > 1:
            raise typer.BadParameter(
                "the files have different directions: write :lower or :higher after each, or after none"
            )
        paths = [side.path for side in given]
        with Bar("reading", quiet) as bar:
            what = paths[0] if len(paths) == 1 else paths
            return self._read(what, measures[0], given[0].lower_is_better, bar)

    def side(self, given: str, bar: Bar | None = None) -> Side:
        """Read one side given as NAME=PATH:MEASURE:DIRECTION, which overrides the options for all sides."""
        from ..read import parse_side

        side = parse_side(given)
        return self._read(side.path, side.measure, side.lower_is_better, bar)

    def again(self, given: str, measure: str, lower: bool) -> Side:
        """Read the same file by another measure."""
        from ..read import parse_side

        return self._read(parse_side(given).path, measure, lower, None)

    def _read(self, what: str | list[str], measure: str | None, lower: bool | None, bar: Bar | None) -> Scores | Means:
        from ..read import read_scores

        return read_scores(what, measure or self.measure, progress=bar.update if bar else None, **self.how(lower))

    def how(self, lower: bool | None) -> Any:
        """Return the arguments of `read_scores` that differ from its defaults, given a side's direction."""
        given = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        given.pop("measure", None)
        given |= self.wanted() | {"lower_is_better": self.lower_is_better if lower is None else lower}
        return {name: value for name, value in given.items() if value is not None}

    def wanted(self) -> dict[str, list[str] | None]:
        """The systems and topics to read."""
        topics = [name for text in self.topics or () for name in names_of(text, "--topics") or ()]
        return {"systems": names_of(self.systems, "--systems"), "topics": list(dict.fromkeys(topics)) or None}

    def of_side(self, name: str | None, names: Collection[str]) -> Reader:
        """Return the reader for the side of this name, as NAME=TOPICS applies to that side alone."""
        given = [(text, *text.partition("=")) for text in self.topics or ()]
        own = [topics for _, of, equals, topics in given if equals and of == name]
        shared = [text for text, of, equals, _ in given if not (equals and of in names)]
        return replace(self, topics=own or shared or None)

    def labels(self, given: Sequence[str]) -> list[str]:
        """Name each side; two sides may read one file if each has its own topics."""
        return labels_for(given, {text.partition("=")[0] for text in self.topics or () if "=" in text})

    def sides(self, paths: Sequence[str], quiet: bool) -> list[Side]:
        """Read one side per path with a progress bar; refuse sides of one system each."""
        from ..read import parse_side

        found, names = [], [parse_side(path).name for path in paths]
        known = {name for name in names if name}
        for k, path in enumerate(paths):
            with Bar(f"reading {k + 1} of {len(paths)}", quiet) as bar:
                found.append(self.of_side(names[k], known).side(path, bar))
        refuse_single_systems(found)
        return found

    def truth_and_candidates(
        self, truth: str, others: Sequence[str], quiet: bool
    ) -> tuple[Side, list[Side], list[str]]:
        """Read the sides and name them; a folder of tables is one candidate per file."""
        from ..read.reader import tables_in

        files = [file for given in others for file in tables_in(given) or [given]]
        labels = self.labels([truth, *files])
        first, *found = self.sides([truth, *files], quiet)
        return first, found, labels


def refuse_single_systems(sides: Sequence[Side]) -> None:
    """Refuse sides of one system each: the shell has probably expanded an unquoted pattern."""
    if all(len(side.systems) == 1 for side in sides):
        found = f"each side holds one system ({sides[0].systems[0]}, ...)"
        if len(sides) == 1:
            found = f"there is one system ({sides[0].systems[0]})"
        raise InputError(
            f"{found}, and a ranking needs several: name the folder, "
            "or quote the pattern so that the shell does not expand it ('human/*.eval')"
        )


def names_of(given: str | None, option: str) -> list[str] | None:
    """Read names separated by commas, or from @FILE with one name per line."""
    if given is None:
        return None
    if given.startswith("@"):
        from ..read.source import read_text

        try:
            names = read_text(given[1:]).split("\n")
        except ReadError as error:
            raise typer.BadParameter(f"{option}: {error}") from None
    else:
        names = given.split(",")
    names = [name.strip() for name in names if name.strip()]
    if not names:
        raise typer.BadParameter(f"{option} is empty: give names separated by commas, or @FILE")
    return list(dict.fromkeys(names))


def known_coefficients(given: Sequence[str]) -> list[str]:
    """Return the full names of coefficients; an unknown one is a usage error."""
    from ..coefficients.registry import get_coefficient

    try:
        return [get_coefficient(name).name for name in given]
    except InputError as error:
        raise typer.BadParameter(str(error)) from None


def labels_for(given: Sequence[str], own: Collection[str] = ()) -> list[str]:
    """Name each side by the NAME of NAME=PATH:MEASURE, or else by the part of its path that differs from the others.

    Sides with a name in `own` may read the same file.
    """
    from ..read import parse_side, short_names

    sides = [parse_side(one) for one in given]
    again = [(os.path.abspath(side.path), side.measure, side.name if side.name in own else "") for side in sides]
    for k, one in enumerate(again):
        if one in again[:k]:
            raise typer.BadParameter(f"{given[k]} was given twice")
    made = iter(short_names([s.path for s in sides if not s.name], [s.measure for s in sides if not s.name]))
    labels = [side.name or next(made) for side in sides]
    labels = [
        given[k] if not side.name and labels.count(label) > 1 else label
        for k, (side, label) in enumerate(zip(sides, labels, strict=True))
    ]
    for label in labels:
        if labels.count(label) > 1:
            raise typer.BadParameter(f"{label} names two files: give each its own name, NAME=PATH")
    return labels
