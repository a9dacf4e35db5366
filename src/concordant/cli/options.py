"""The options that commands share, and their choices."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import typer


class Format(StrEnum):
    """What to print."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


class RankTest(StrEnum):
    """How to test the rank distance."""

    recentred = "recentred"
    paper = "paper"
    none = "none"

    @property
    def method(self) -> Literal["recentred", "paper"] | None:
        """The argument of the library."""
        return {"recentred": "recentred", "paper": "paper"}.get(self.value)  # type: ignore[return-value]


class Figure(StrEnum):
    """What to draw of a comparison."""

    scatter = "scatter"
    ranks = "ranks"
    panels = "panels"
    forest = "forest"
    heatmap = "heatmap"


class Missing(StrEnum):
    """What to do about topics that a system lacks."""

    error = "error"
    zero = "zero"
    drop = "drop"
    drop_systems = "drop-systems"
    mean = "mean"


FormatOption = Annotated[Format, typer.Option("--format", "-f", help="What to print.")]
MeasureOption = Annotated[
    str | None, typer.Option("--measure", "-m", help="The measure to read, as the files name it.")
]
MissingOption = Annotated[
    Missing,
    typer.Option(
        help="Topics that a system lacks: stop, score them 0, drop the topics, drop the systems, or average the rest."
    ),
]
LowerOption = Annotated[bool, typer.Option("--lower-is-better", help="The scores are errors or times.")]
SystemsOption = Annotated[
    str | None, typer.Option(help="Only these systems: names with commas between, or @FILE with a name a line.")
]
TopicsOption = Annotated[str | None, typer.Option(help="Only these topics, given in the same way.")]
LowestOption = Annotated[float, typer.Option(help="The lowest possible score.")]
HighestOption = Annotated[float, typer.Option(help="The highest possible score.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the resampling.")]
PlotOption = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Also draw it, to a .pdf, .svg or .png file.")
]
WorkersOption = Annotated[int, typer.Option(min=1, help="Threads.")]


def writable(path: Path | None) -> Path | None:
    """A file that is to be written, for options: refused where its folder is not there, or where it is one itself."""
    if path is not None and not path.parent.is_dir():  # before the work, not after it
        raise typer.BadParameter(f"there is no folder {path.parent}")
    if path is not None and path.is_dir():
        raise typer.BadParameter(f"{path} is a folder: give the name of a file")
    return path


HtmlOption = Annotated[
    Path | None, typer.Option("--html", callback=writable, help="Also write a report, one HTML file.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress on standard error.")]
CoefficientsOption = Annotated[
    list[str] | None, typer.Option("--coefficient", "-c", help="A coefficient to compute; may be given several times.")
]
