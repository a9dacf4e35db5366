"""The commands. Heavy imports stay inside them, so that `--help` answers at once."""

from __future__ import annotations

import io
import os
import re
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer

from ..errors import ConcordantError, InputError, TiesError
from .render import printable

if TYPE_CHECKING:
    from ..comparison import Comparison
    from ..scores import Scores

app = typer.Typer(
    name="concordant",
    help="Compare rankings of systems: do they agree, and does it matter?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# Columns of the table of many candidates; JSON and CSV have every coefficient.
SHOWN = ("tau_b", "tau_ap_b", "tau_gap_a", "pearson_rank", "spearman", "rbo")


class Format(StrEnum):
    """What to print."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


class Test(StrEnum):
    """How to test the rank distance."""

    recentred = "recentred"
    paper = "paper"
    none = "none"

    @property
    def method(self) -> Literal["recentred", "paper"] | None:
        """The argument of the library."""
        return {"recentred": "recentred", "paper": "paper"}.get(self.value)  # type: ignore[return-value]


class Missing(StrEnum):
    """What to do about topics that a system lacks."""

    error = "error"
    zero = "zero"
    drop = "drop"
    drop_systems = "drop-systems"


FormatOption = Annotated[Format, typer.Option("--format", "-f", help="What to print.")]
MeasureOption = Annotated[
    str | None, typer.Option("--measure", "-m", help="The measure to read, as the files name it.")
]
MissingOption = Annotated[
    Missing, typer.Option(help="Topics that a system lacks: stop, score them 0, drop the topics, or drop the systems.")
]
LowerOption = Annotated[bool, typer.Option("--lower-is-better", help="The scores are errors or times.")]
SystemsOption = Annotated[
    str | None, typer.Option(help="Only these systems: names with commas between, or @FILE with a name a line.")
]
TopicsOption = Annotated[str | None, typer.Option(help="Only these topics, given in the same way.")]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of the resampling.")]
WorkersOption = Annotated[int, typer.Option(min=1, help="Threads.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No notes and no progress on standard error.")]
CoefficientsOption = Annotated[
    list[str] | None, typer.Option("--coefficient", "-c", help="A coefficient to compute; may be given several times.")
]


def _version(asked: bool) -> None:
    if asked:
        from .. import __version__, has_native

        typer.echo(f"concordant {__version__}, {'native' if has_native else 'NumPy'} kernels")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Compare rankings of systems: do they agree, and does it matter?"""


@app.command()
def compare(
    truth: Annotated[str, typer.Argument(help="Scores of the truth: a file, a folder or a glob.")],
    observed: Annotated[list[str], typer.Argument(help="Scores to compare with it, a row each.")],
    coefficient: CoefficientsOption = None,
    measure: MeasureOption = None,
    missing: MissingOption = Missing.error,
    lower_is_better: LowerOption = False,
    systems: SystemsOption = None,
    topics: TopicsOption = None,
    top: Annotated[int | None, typer.Option(min=2, help="Compare the k best systems of the truth only.")] = None,
    per_topic: Annotated[bool, typer.Option("--per-topic", help="Also on each topic: mean and spread.")] = False,
    own_topics: Annotated[
        bool, typer.Option("--own-topics", help="Average each side over its own topics, not over the common ones.")
    ] = False,
    common: Annotated[
        bool, typer.Option("--common", help="Compare all candidates on the systems and topics that all of them have.")
    ] = False,
    test: Annotated[Test, typer.Option(help="Test of the rank distance.")] = Test.recentred,
    resamples: Annotated[int, typer.Option(min=1, help="Resamples of the test.")] = 9_999,
    distribution: Annotated[
        Path | None, typer.Option(help="A distribution saved by `concordant distribution`; implies --test paper.")
    ] = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    format: FormatOption = Format.table,
    quiet: QuietOption = False,
) -> None:
    """Compare one truth with one or more rankings of the same systems."""
    from ..comparison import compare as run

    if per_topic and own_topics:
        raise typer.BadParameter("--per-topic compares topic by topic, and --own-topics says that the topics differ")
    wanted = _coefficients(coefficient) if coefficient else None
    with _notes(quiet) as notes:
        read = _Reader(measure, missing, lower_is_better, systems, topics)
        labels = _labels([truth, *observed])
        first, *others = read.all([truth, *observed], quiet)
        _refuse_single_systems([first, *others])
        saved = None
        if distribution is not None:
            from ..distance_distribution import DistanceDistribution

            saved, test = DistanceDistribution.load(distribution), Test.paper
        if common:
            first, *others = _common([first, *others], labels, own_topics)
        found = [
            run(
                first,
                other,
                wanted,
                top=top,
                per_topic=per_topic,
                on="systems" if own_topics else "both",
                names=(labels[0], label),
                test=test.method,
                n_resamples=resamples,
                distribution=saved,
                rng=seed,
                workers=workers,
            )
            for other, label in _progress(list(zip(others, labels[1:], strict=True)), "comparing", quiet)
        ]
        notes.hide(note for comparison in found for note in comparison.notes)
    _print_comparisons(found, format, named=wanted is not None, read_notes=notes.seen)


@app.command()
def matrix(
    files: Annotated[list[str], typer.Argument(help="Scores, one ranking a file, folder or glob; at least two.")],
    coefficient: Annotated[str, typer.Option("--coefficient", "-c", help="The coefficient.")] = "tau_b",
    measure: MeasureOption = None,
    missing: MissingOption = Missing.error,
    lower_is_better: LowerOption = False,
    systems: SystemsOption = None,
    topics: TopicsOption = None,
    own_topics: Annotated[
        bool, typer.Option("--own-topics", help="Average each side over its own topics, not over the common ones.")
    ] = False,
    format: FormatOption = Format.table,
    quiet: QuietOption = False,
) -> None:
    """Compare all rankings with each other; the row is the truth, the column observed."""
    import numpy as np

    from ..coefficients.registry import get_coefficient
    from .render import Table

    if len(files) < 2:
        raise typer.BadParameter("give at least two files")
    name = _coefficients([coefficient])[0]
    with _notes(quiet):
        read = _Reader(measure, missing, lower_is_better, systems, topics)
        labels = _labels(files)
        sides = read.all(files, quiet)
        _refuse_single_systems(sides)
        aligned = _common(sides, labels, own_topics)
        means = np.stack([side.means() for side in aligned])
        try:
            values = np.asarray(get_coefficient(name).function(means[:, None], means[None]))
        except TiesError as error:
            tied = next(label for label, row in zip(labels, means, strict=True) if len(set(row)) < len(row))
            raise InputError(f"{tied} has ties, and{str(error).rpartition(', and')[2]}") from None
    if format is Format.json:
        from .render import to_json

        _say(
            to_json(
                {
                    "coefficient": name,
                    "rankings": labels,
                    "systems": list(aligned[0].systems),
                    "topics": [] if own_topics else list(aligned[0].topics),
                    "values": [[None if np.isnan(v) else v for v in row] for row in values.tolist()],
                }
            )
        )
        return
    if format is Format.table:
        topic_count = "" if own_topics else f", {len(aligned[0].topics)} topics"
        _say(f"{name}, {len(aligned[0].systems)} systems{topic_count}; row: truth, column: observed\n")
    _print_table(
        Table(["", *labels], [[label, *row] for label, row in zip(labels, values.tolist(), strict=True)]), format
    )


@app.command()
def distribution(
    scores: Annotated[str, typer.Argument(help="Scores of the truth: a file, a folder or a glob.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write, .npz.")],
    resamples: Annotated[int, typer.Option(min=1, help="Number of resamples.")] = 9_999,
    measure: MeasureOption = None,
    missing: MissingOption = Missing.error,
    lower_is_better: LowerOption = False,
    systems: SystemsOption = None,
    topics: TopicsOption = None,
    seed: SeedOption = 0,
    workers: WorkersOption = 1,
    quiet: QuietOption = False,
) -> None:
    """Save the paper's bootstrap distribution of rank distances, to be used for many rankings of one collection."""
    from ..distance_distribution import DistanceDistribution

    with _notes(quiet), _Bar("resampling", quiet) as bar:
        truth = _Reader(measure, missing, lower_is_better, systems, topics)(scores)
        made = DistanceDistribution.bootstrap(
            truth, n_resamples=resamples, rng=seed, workers=workers, progress=bar.update
        )
        made.save(output)
    _say(f"{made}\nSaved: {output}")


@app.command()
def coefficients(format: FormatOption = Format.table) -> None:
    """List the coefficients and what is true of them."""
    from ..coefficients.registry import list_coefficients
    from .render import Table, to_json

    columns = ["name", "what it is", "ties in", "reads", "top-weighted", "symmetric", "paper"]
    rows: list[list[str]] = []
    for c in list_coefficients():
        ties = {0: "none", 2: "both"}.get(len(c.ties), "".join(c.ties[:1]))
        reads = "scores of truth" if c.reads == ("scores", "order") else c.reads[0]
        rows.append([c.name, c.summary, ties, reads, _yes(c.top_weighted), _yes(c.symmetric), c.reference])
    if format is Format.json:
        _say(to_json([dict(zip(columns, row, strict=True)) for row in rows]))
    else:
        _print_table(Table(columns, rows), format)


@app.command()
def cite(names: Annotated[list[str], typer.Argument(help="Coefficients, or keys of papers.")]) -> None:
    """Print BibTeX for the papers that define coefficients."""
    from ..references import bibliography

    try:
        _say("\n\n".join(bibliography(names)))
    except InputError as error:
        raise typer.BadParameter(str(error)) from None


@app.command()
def demo() -> None:
    """Show what concordant does, on a small simulated collection that comes with it."""
    from ..collection import path

    human, careful, hasty = (str(path(name)) for name in ("people", "careful", "hasty"))
    steps: list[tuple[str, list[str]]] = [
        (
            "Three judges scored the same 20 systems on 40 topics. Which machine ranks them as people do?",
            ["compare", human, careful, hasty],
        ),
        ("A closer look at the hasty one: all coefficients, and what its ties leave open.", ["compare", human, hasty]),
        ("Only the ten best systems: the top is harder.", ["compare", human, careful, hasty, "--top", "10"]),
        ("All against all.", ["matrix", human, careful, hasty, "-c", "tau_ap_b"]),
        ("For the paper.", ["compare", human, careful, hasty, "-c", "tau_b", "-c", "tau_ap_b", "--format", "latex"]),
        ("And whom to cite.", ["cite", "tau_ap_b"]),
    ]
    for k, (text, arguments) in enumerate(steps):
        if k:
            _say("")
        _say(text)
        shown = [Path(a).name if a.endswith(".csv") else a for a in arguments]
        _say(f"$ concordant {' '.join(shown)}\n")
        app(arguments, standalone_mode=False)


# Reading ------------------------------------------------------------------------------------------


class _Reader:
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
            "systems": _names(systems, "--systems"),
            "topics": _names(topics, "--topics"),
        }

    def all(self, paths: list[str], quiet: bool) -> list[Scores]:
        """One side a path, with a bar over all their files."""
        found = []
        for k, path in enumerate(paths):
            with _Bar(f"reading {k + 1} of {len(paths)}", quiet) as bar:
                found.append(self(path, bar))
        return found

    def __call__(self, path: str, bar: _Bar | None = None) -> Scores:
        from ..read import read_scores

        return read_scores(path, **self.options, progress=bar.update if bar else None)


def _common(sides: list[Scores], labels: list[str], own_topics: bool) -> list[Scores]:
    """All sides on what all of them have; a note says what each loses."""
    from ..scores import alignment
    from ..tables import counted, listing

    try:
        found = alignment(*sides, on="systems" if own_topics else "both")
    except InputError as error:
        raise InputError(re.sub(r"side (\d+) has", lambda m: f"{labels[int(m[1])]} has", str(error))) from None
    for label, lost_systems, lost_topics in zip(labels, found.dropped_systems, found.dropped_topics, strict=True):
        for lost, what in ((lost_systems, "system"), (lost_topics, "topic")):
            if lost:
                warnings.warn(
                    f"{counted(len(lost), what)} of {label} left out, because not all files have it: {listing(lost)}",
                    stacklevel=2,
                )
    return list(found.scores)


def _refuse_single_systems(sides: list[Scores]) -> None:
    if all(len(side.systems) == 1 for side in sides):
        raise InputError(
            f"each side holds one system ({sides[0].systems[0]}, ...), and a ranking has several: name the folder, "
            "or quote the pattern so that the shell leaves it whole ('human/*.eval')"
        )


def _names(given: str | None, option: str) -> list[str] | None:
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


def _coefficients(given: list[str]) -> list[str]:
    from ..coefficients.registry import get_coefficient

    try:
        return [get_coefficient(name).name for name in given]
    except InputError as error:
        raise typer.BadParameter(str(error)) from None


def _labels(paths: list[str]) -> list[str]:
    """What to call each file: its name, and as many of its folders as tell the files apart."""
    parts = [Path(os.path.abspath(path)).parts for path in paths]
    for k, part in enumerate(parts):
        if part in parts[:k]:
            raise typer.BadParameter(f"{paths[k]} was given twice")
    depth = 1
    while len({part[-depth:] for part in parts}) < len(parts):
        depth += 1
    return ["/".join(part[-depth:]) for part in parts]


# Printing -----------------------------------------------------------------------------------------


def _print_comparisons(found: list[Comparison], format: Format, *, named: bool, read_notes: list[str]) -> None:
    from .render import to_json

    if format is Format.json:
        _say(to_json([{**c.to_dict(), "read_notes": read_notes} for c in found]))
        return
    names = [v.coefficient for v in found[0].values]
    if format is Format.table and len(found) == 1:
        _say(str(found[0]))
        cited = [v.coefficient for v in found[0].values if not v.why] + ["rank_test"] * bool(found[0].rank_test)
        _say(f"\nCite: concordant cite {' '.join(cited)}")
        return
    shown = names if named or format is Format.csv else [n for n in names if n in SHOWN]
    if format is Format.table:
        _say(f"{_heading(found)}\n\n{_verdict(found)}\n")
    _print_table(_as_table(found, shown, sizes=format is Format.csv or not _same_data(found)), format)
    if format is Format.table:
        _print_details(found, shown)


def _as_table(found: list[Comparison], shown: list[str], *, sizes: bool) -> Any:
    """A row a candidate; with what it was compared on where that is not the same for all."""
    from .render import Table

    tested = ["d_rank", "p"] if any(c.rank_test for c in found) else []
    columns = ["observed", *(["systems", "topics"] if sizes else []), *shown, *tested]
    rows: list[list[Any]] = []
    for c in found:
        rows.append([c.observed, *([len(c.systems), len(c.topics)] if sizes else []), *(c[n] for n in shown)])
        if tested:
            rows[-1].append(c.rank_test.distance if c.rank_test else None)
            rows[-1].append(c.rank_test.pvalue if c.rank_test and c.tested else None)
        for p in c.per_topic:
            if p.coefficient in shown:
                rows[-1] += [p.mean, p.sd]
    for p in found[0].per_topic:
        if p.coefficient in shown:
            columns += [f"{p.coefficient} topics mean", f"{p.coefficient} topics sd"]
    return Table(columns, rows)


def _same_data(found: list[Comparison]) -> bool:
    return len({(frozenset(c.systems), frozenset(c.topics)) for c in found}) == 1


def _heading(found: list[Comparison]) -> str:
    """What all rows have in common, in a line."""
    first = found[0]
    if not _same_data(found):
        return f"truth: {first.truth}; the candidates are compared on different systems or topics"
    measure = f", {first.measure}" if first.measure else ""
    topics = f", {len(first.topics)} topics" if first.topics else ""
    ties = f"; {first.tied_truth} tied pairs in the truth" if first.tied_truth else ""
    return f"{len(first.systems)} systems{topics}{measure}; truth: {first.truth}{ties}"


def _verdict(found: list[Comparison]) -> str:
    """Which ranking is most like the truth, by each coefficient of the table that orders them."""
    import math

    if not _same_data(found):
        return "So the rows cannot be ranked; --common compares all on what they share."
    best: dict[str, list[str]] = {}
    for name in ("tau_b", "tau_ap_b"):
        values = [(c[name], c.observed) for c in found if any(v.coefficient == name for v in c.values)]
        values = [(value, who) for value, who in values if not math.isnan(value)]
        if values:
            top = max(value for value, _ in values)
            who = " and ".join(label for value, label in values if value == top)
            best.setdefault(who, []).append(f"{name} {top:.3f}")
    if not best:
        return "A row a ranking, in the order given."
    first = "; ".join(f"{who} ranks the systems most like the truth by {', '.join(by)}" for who, by in best.items())
    return f"{first}.\n{_significance(found)}".strip()


def _significance(found: list[Comparison]) -> str:
    """Which rankings could not be the true one, given the topics."""
    if not all(c.tested for c in found):
        return ""
    apart = [c.observed for c in found if c.rank_test and c.rank_test.significant]
    if not apart:
        return "Given so few topics, none is distinguishable from the truth (rank test, alpha 0.05)."
    return f"Different from the truth beyond what the topics explain (rank test, alpha 0.05): {', '.join(apart)}."


def _print_details(found: list[Comparison], shown: list[str]) -> None:
    from ..tables import counted

    shared = [note for note in found[0].notes if all(note in c.notes for c in found)]
    for c in found:
        notes = [f"{v.coefficient} has no value: {v.why}" for v in c.values if v.why and v.coefficient in shown]
        if c.tied_observed:
            open_ = [b for b in c.tie_bounds if float(b.maximum) - float(b.minimum) >= 0.0005]
            notes.append(counted(c.tied_observed, "tied pair") + "".join(f"; {bounds}" for bounds in open_[:1]))
        for p in c.per_topic:
            if p.coefficient in shown and (p.why or p.undefined):
                notes.append(
                    f"{p.coefficient} on each topic: {p.why or f'undefined on {p.undefined}, which are left out'}"
                )
        _print_notes(c.observed, [*notes, *(note for note in c.notes if note not in shared)])
    _print_notes("all", shared)
    _say(f"\nCite: concordant cite {' '.join([*shown, *(['rank_test'] if found[0].rank_test else [])])}")


def _print_notes(about: str, notes: list[str]) -> None:
    if notes:
        _say("\n".join([f"\n{about}", *(f"  {note}" for note in notes)]))


def _print_table(table: Any, format: Format) -> None:
    from . import render

    if format is not Format.table:
        _say({"csv": render.to_csv, "markdown": render.to_markdown, "latex": render.to_latex}[format.value](table))
        return
    import shutil

    from rich.console import Console

    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else 10_000  # into a file or a pipe: never cut
    fitting, left_out = render.fit(table, width)
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=terminal, highlight=False).print(render.to_terminal(fitting))
    _write("\n".join(line.rstrip() for line in out.getvalue().rstrip("\n").split("\n")) + "\n")
    if left_out:
        _say(f"(too narrow for {', '.join(left_out)}; --format csv has them)")


def _say(text: str) -> None:
    _write(printable(text) + "\n")


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe, head for instance, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from None


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


class _notes:  # noqa: N801  (reads as a statement: with _notes(quiet))
    """Collects the warnings of a block, and prints them on standard error as notes."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.seen: list[str] = []
        self._hidden: set[str] = set()

    def hide(self, notes: Iterable[str]) -> None:
        """Leave out what the answer itself says."""
        self._hidden.update(notes)

    def __enter__(self) -> _notes:
        self._catch = warnings.catch_warnings(record=True)
        self._caught = self._catch.__enter__()
        warnings.simplefilter("always")
        return self

    def __exit__(self, *error: Any) -> None:
        self._catch.__exit__(*error)
        self.seen = list(dict.fromkeys(str(w.message) for w in self._caught or ()))
        self.seen = [note for note in self.seen if note not in self._hidden]
        if not self.quiet:
            for note in self.seen:
                sys.stderr.write(printable(f"note: {_on_command_line(note)}") + "\n")


class _Bar:
    """A bar on standard error, once something takes longer than a second; none where that is no terminal."""

    def __init__(self, what: str, quiet: bool) -> None:
        self.what = what
        self.silent = quiet or not sys.stderr.isatty()
        self.start = time.monotonic()
        self.bar: Any = None

    def update(self, done: int, total: int) -> None:
        """Say how far it is."""
        if self.silent:
            return
        if self.bar is None and time.monotonic() - self.start > 1:
            from rich.console import Console
            from rich.progress import Progress

            self.bar = Progress(console=Console(stderr=True), transient=True)
            self.bar.start()
            self.task = self.bar.add_task(self.what, total=total)
        if self.bar is not None:
            self.bar.update(self.task, completed=done, total=total)

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *error: Any) -> None:
        if self.bar is not None:
            self.bar.stop()


def _progress(items: list[Any], what: str, quiet: bool) -> Iterator[Any]:
    """The items, with a bar."""
    with _Bar(what, quiet) as bar:
        for k, item in enumerate(items):
            bar.update(k, len(items))
            yield item


def _on_command_line(message: str) -> str:
    """A message of the library, with the options of the command line for its arguments."""
    message = message.replace("with measure=", "with -m").replace("with missing=", "with --missing")
    return re.sub(r"missing='([a-z-]+)'", r"--missing \1", message).replace("lower_is_better=True", "--lower-is-better")


def run() -> None:
    """The command line: exit status 0, 1 for bad data, 2 for bad usage; errors in one line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app(standalone_mode=True)
    except ConcordantError as error:
        _fail(_on_command_line(str(error)))
    except MemoryError:
        _fail("not enough memory")
    except OSError as error:
        _fail(str(error))


def _fail(message: str) -> NoReturn:
    sys.stderr.write(printable("concordant: " + " ".join(message.split("\n"))) + "\n")
    sys.exit(1)
