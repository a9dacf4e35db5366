"""Define the options that commands share, turn parameters of functions into options, and read scores by these options.

Parameters
----------
truth
    Scores of the truth: [NAME=]PATH[:MEASURE][:lower].
candidate
    Scores to compare with the truth, given in the same way.
scores
    Scores of the systems: [NAME=]PATH[:MEASURE][:lower]; a file, folder or glob.
runs
    The runs: a folder or a glob.
coefficient
    The rank correlation coefficient.
own_topics
    Average each file over its own topics, not over the common ones.
measure
    The measure to read, as the files name it.
missing
    How to treat topics that a system lacks: stop, score them 0, drop the topics, drop the systems, average the rest, or
    compare on what is available.
level
    Confidence level of the intervals.
resamples
    Number of resamples.
seed
    Random seed.
workers
    Number of threads.
qrels
    The full judgments, in TREC's format.
machine
    A machine's judgments of the pool, in TREC's format.
marginal
    Apply the confidence level to each system by itself, not to all together.

"""

from __future__ import annotations

import inspect
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from ..errors import InputError, ReadError, guarding, naming
from ..render.outputs import Kind, check_output

if TYPE_CHECKING:
    from ..data.scores import Means, Scores
    from ..pairing import Side
    from .answer import Output
    from .terminal import Bar

OUTPUTS = ("html", "output", "plot", "save")
"""The options that name the files and folders that a command writes."""

_STANDS_FOR = {
    "level": ("confidence_level",),
    "resamples": ("n_resamples",),
    "seed": ("rng",),
    "own_topics": ("on=systems",),
    "coefficient": ("coefficients",),
    "measure": ("measures",),
    "collection": ("collections",),
    "systems": ("Scores.select",),
    "trials": ("n_trials",),
    "folds": ("n_folds",),
    "splits": ("n_splits",),
    "draws": ("n_draws",),
    "levels": ("k", "share"),
    "runs_as": ("runs",),
}
"""The library's arguments (or argument=value) for each option that has another name in the library."""

_TYPES = (
    (r"<(?:list\[)?(?:int range|float range|int|float)\]?>", "NUMBER"),
    (r"<(?:list\[)?str\]?>", "TEXT"),
    (r"<(?:path|file)>", "FILE"),
    (r"<([^<>]*\|[^<>]*)>", r"\1"),
)
_RANGES = (
    (r"\b([\d.]+)<=x<=([\d.]+)", r"\1 to \2"),
    (r"\bx>=([\d.]+)", r"at least \1"),
)
"""Patterns of types and ranges in typer's help, and the words that replace them."""

_SHORT = {
    "measure": "-m",
    "coefficient": "-c",
    "output": "-o",
    "reported": "-r",
    "format": "-f",
    "quiet": "-q",
    "best": "-k",
}
_PANELS = {"measure": "Data", "missing": "Data", "collection": "Data", "plot_kind": "Output"} | dict.fromkeys(
    ("level", "resamples", "seed", "workers"), "Output"
)
_SETTINGS: dict[str, dict[str, Any]] = {
    "seed": {"min": 0},
    "top": {"min": 2},
    "k": {"flags": ("-k",)},
    "groups": {"metavar": "FILE"},
    "types": {"metavar": "FILE|task"},
    "costs": {"metavar": "FILE"},
}
"""Settings of an option in every command: short name, section of the help, limits, and placeholder of the value."""

Missing = Literal["error", "zero", "drop", "drop-systems", "mean", "available"]
Total = Literal["mean", "type-mean", "borda", "mean-rank", "z-score", "win-rate"]


class _Command(TyperCommand):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for param in self.params:
            param.get_help_record = partial(_in_words, param.get_help_record)  # type: ignore[method-assign]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """List the arguments first, then the options in the same three groups for every command."""
        groups: dict[str, list[tuple[str, str]]] = {name: [] for name in ("Arguments", "Answer", "Data", "Output")}
        param: Any
        for param in self.get_params(ctx):
            group = getattr(param, "rich_help_panel", None) or ("Output" if param.name == "help" else "Answer")
            if (record := param.get_help_record(ctx)) is not None:
                groups["Arguments" if param.param_type_name == "argument" else group].append(record)
        for group, records in groups.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as usual, but refuse a repeated option that takes one value. Typer would use its last value."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        given: Any
        for given, times in Counter(order).items():
            if times > 1 and given.param_type_name == "option" and not given.multiple and not given.is_flag:
                more = "; for one side, write PATH:MEASURE" if given.name == "measure" else ""
                raise typer.BadParameter(f"{given.opts[0]} was given {times} times: give it once{more}")
        with guarding({}):  # forget the files that Python read before this command
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; let messages name its options, and let no output replace an input or another output."""
        names = self.options()
        outputs = {names[name]: ctx.params[name] for name in OUTPUTS if ctx.params.get(name) is not None}
        if len({os.path.realpath(path) for path in outputs.values()}) < len(outputs):
            raise typer.BadParameter(f"{' and '.join(outputs)} name the same file: give each its own")
        with naming(names), guarding(outputs):
            return super().invoke(ctx)

    def options(self) -> dict[str, str]:
        """Map each argument of the library, or argument=value, to this command's option."""
        found: dict[str, str] = {}
        option: Any
        for option in self.params:
            if option.param_type_name == "option":
                text = "-m" if option.name == "measure" else max(option.opts, key=len)
                found |= dict.fromkeys((option.name, *_STANDS_FOR.get(option.name, ())), text)
                if option.secondary_opts:  # --lower-is-better/--higher-is-better
                    found[f"{option.name}=True"], found[f"{option.name}=False"] = (
                        option.opts[0],
                        option.secondary_opts[0],
                    )
        if "lowest" in found:
            found["bounds"] = f"{found['lowest']} and {found['highest']}"
        return found


def _in_words(record: Callable[[Any], tuple[str, str] | None], ctx: Any) -> tuple[str, str] | None:
    """Replace Python's types in the help of a parameter with words."""
    found = record(ctx)
    if found is None:
        return None
    name, text = found
    if not name.startswith("-"):  # an argument, whose name already says what it is
        name = re.sub(r" <str>$", "", re.sub(r" <list\[(?:str|Path)\]>$", "...", name))
    for pattern, word in _TYPES:
        name = re.sub(pattern, word, name)
    for pattern, word in _RANGES:
        text = re.sub(pattern, word, text)
    return name, text.replace("  [required]", "")


class Commands(typer.Typer):
    """An app whose commands refuse repeated options, unless an option may be given several times."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """Register a command."""
        return super().command(name, cls=_Command, **options)

    @classmethod
    def group(cls, about: str) -> Commands:
        """Make a command with subcommands, even if it has only one."""
        made = cls(help=about, no_args_is_help=True, rich_markup_mode=None)
        made.callback()(lambda: None)
        return made


def described(given: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """Convert the parameters of a command, or the fields of a group of options, for typer.

    Positional parameters become arguments, and keyword-only ones options. Their help comes from the docstring of the
    function or of this module. `Annotated` may add typer's own settings.
    """
    hints, found = get_type_hints(given, include_extras=True), {}
    helps: dict[str, str] = {}
    for doc in (__doc__, *(one.__doc__ for one in reversed(getattr(given, "__mro__", (given,))))):
        _, _, section = inspect.cleandoc(doc or "").partition("Parameters\n----------\n")
        for name, text in re.findall(r"^(\w+)\n((?:    .*(?:\n|$))+)", section, re.MULTILINE):
            helps[name] = " ".join(text.split())
    for name, parameter in inspect.signature(given).parameters.items():
        kind, *more = get_args(hints[name]) if hasattr(hints[name], "__metadata__") else (hints[name],)
        default = parameter.default
        if isinstance(kind, type) and is_dataclass(kind):
            default = more[0] if more else {}
        else:
            own = {"help": helps.get(name), **_SETTINGS.get(name, {}), **(more[0] if more else {})}
            if parameter.kind is not parameter.KEYWORD_ONLY:
                kind = Annotated[kind, typer.Argument(**{"metavar": name.upper(), **own})]
            else:
                flag = f"--{name.replace('_', '-')}"
                flags = own.pop("flags", None) or ((flag, _SHORT[name]) if name in _SHORT else (flag,))
                if int in (kind, *get_args(kind)):
                    own.setdefault("min", 1)
                panel = getattr(given, "PANEL", None) or _PANELS.get(name)
                kind = Annotated[kind, typer.Option(*flags, rich_help_panel=panel, **own)]
        found[name] = parameter.replace(annotation=kind, default=default, kind=parameter.KEYWORD_ONLY)
    return found


@dataclass(frozen=True, kw_only=True)
class Random:
    """The options of random draws. A command has --seed, and those other options for which it gives a default."""

    level: float
    resamples: int
    seed: int = 0
    workers: int

    @property
    def how(self) -> dict[str, Any]:
        """The arguments to pass to the library."""
        return {_STANDS_FOR.get(name, (name,))[0]: value for name, value in vars(self).items() if value is not None}


def refuse(when: object, why: str) -> None:
    """Raise a usage error with this message if the condition holds."""
    if when:
        raise typer.BadParameter(why)


def writable(
    kind: Kind | None = None, first: Callable[[Path], None] | None = None
) -> Callable[[Path | None], Path | None]:
    """Return a check that a file of this kind can be written. Options make this check before the computation.

    `first` is called before all other checks, and raises an `InputError` to refuse a path.
    """

    def check(path: Path | None) -> Path | None:
        if path is None:
            return None
        try:
            if first is not None:
                first(path)
            if not path.absolute().parent.is_dir():
                raise typer.BadParameter(f"there is no folder {path.parent}")
            if path.is_dir():
                raise typer.BadParameter(f"{path} is a folder: give the name of a file")
            check_output(path, kind)
        except InputError as error:
            raise typer.BadParameter(str(error)) from None
        except OSError as error:
            raise typer.BadParameter(f"{path} cannot be written: {error.strerror or error}") from None
        return path

    return check


def writable_folder(path: Path | None) -> Path | None:
    """Check that a folder can be written to; it need not exist yet."""
    if path is not None:
        there = next(place for place in (path.absolute(), *path.absolute().parents) if place.exists())
        if not there.is_dir():
            raise typer.BadParameter(f"{there} is a file: give a folder, which is created if it does not exist")
        try:
            check_output(there / "x")
        except OSError as error:
            raise typer.BadParameter(f"{there} cannot be written to: {error.strerror or error}") from None
    return path


def numbers(text: str, option: str, kind: type[int] | type[float]) -> list[int] | list[float]:
    """Parse numbers separated by commas, and drop repeated ones."""
    try:
        return list(dict.fromkeys(kind(part) for part in text.split(",")))
    except ValueError:
        raise typer.BadParameter(f"{option} is {text!r}: give numbers separated by commas") from None


@dataclass(frozen=True, kw_only=True)
class Reader:
    """The options for reading scores. Every command reads its scores through this class.

    Parameters
    ----------
    groups
        A CSV file with the group of each topic, such as the document of a segment, FILE or FILE:COLUMN; the word none
        treats topics as independent.
    types
        For type-mean: a CSV file with the type of each topic, FILE or FILE:COLUMN; the word task takes the text before
        the slash, such as STS17 for STS17/en-en.
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

    def __call__(self, given: str, out: Output) -> Scores | Means:
        """Read the scores of one file."""
        return self.together([given], out)

    def together(self, files: Sequence[str], out: Output) -> Scores | Means:
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
        with out.bar("reading") as bar:
            what = paths[0] if len(paths) == 1 else paths
            return self._read(what, measures[0], given[0].lower_is_better, bar)

    def side(self, given: str, bar: Bar | None = None) -> Side:
        """Read one side, given as NAME=PATH:MEASURE:DIRECTION. These parts override the options for all sides."""
        from ..read import parse_side

        side = parse_side(given)
        return self._read(side.path, side.measure, side.lower_is_better, bar)

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

    def carried(self, side: str | None = None) -> list[str]:
        """Write the options as arguments for another command, which shall read all sides or only the given side."""
        from ..read import parse_side
        from ..read.source import as_options

        read = self if side is None else self.of_side(name := parse_side(side).name, [name] if name else ())
        given = {f.name: getattr(read, f.name) for f in fields(read) if getattr(read, f.name) != f.default}
        topics = given.pop("topics", ())
        return [*as_options(given), *(part for text in topics for part in ("--topics", text))]

    def of_side(self, name: str | None, names: Collection[str]) -> Reader:
        """Return the reader for the side with this name, because NAME=TOPICS applies to that side alone."""
        given = [(text, *text.partition("=")) for text in self.topics or ()]
        own = [topics for _, of, equals, topics in given if equals and of == name]
        shared = [text for text, of, equals, _ in given if not (equals and of in names)]
        return replace(self, topics=own or shared or None)

    def labels(self, given: Sequence[str]) -> list[str]:
        """Name each side; two sides may come from the same file if each has its own topics."""
        return labels_for(given, {text.partition("=")[0] for text in self.topics or () if "=" in text})

    def sides(self, paths: Sequence[str], out: Output) -> list[Side]:
        """Read one side per path, with a progress bar. Refuse the sides if each of them holds only one system."""
        from ..read import parse_side

        found, names = [], [parse_side(path).name for path in paths]
        known = {name for name in names if name}
        for k, path in enumerate(paths):
            with out.bar(f"reading {k + 1} of {len(paths)}") as bar:
                found.append(self.of_side(names[k], known).side(path, bar))
        refuse_single_systems(found)
        return found

    def truth_and_candidates(
        self, truth: str, others: Sequence[str], out: Output
    ) -> tuple[Side, list[Side], list[str]]:
        """Read the sides and name them. A folder of tables holds one candidate per file."""
        from ..read.reader import tables_in

        files = [file for given in others for file in tables_in(given) or [given]]
        labels = self.labels([truth, *files])
        first, *found = self.sides([truth, *files], out)
        return first, found, labels


def refuse_single_systems(sides: Sequence[Side]) -> None:
    """Refuse sides that each hold one system, because the shell has probably expanded an unquoted pattern."""
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
    """Name each side after NAME in NAME=PATH:MEASURE, otherwise after the part of its path that no other path has.

    Sides with a name in `own` may come from the same file.
    """
    from ..read import parse_side, short_names

    sides = [parse_side(one) for one in given]
    again = [(os.path.abspath(side.path), side.measure, side.name if side.name in own else "") for side in sides]
    for k, one in enumerate(again):
        if one in again[:k]:
            raise typer.BadParameter(f"{given[k]} was given twice: give it once")
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
