"""`read_scores` and `as_scores`: make `Scores` or `Means` from files in any known format, or from Python objects."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, NamedTuple, TypeAlias, TypedDict, Unpack

import numpy as np

from ..arrays import FloatArray
from ..coefficients.sums import floats
from ..data.means import Missing, Total, choose, documents_of, invent_topics, says_which
from ..data.runs import passing, scale_of
from ..data.scores import Means, Scores, checked_choice, owned
from ..errors import (
    InputError,
    InputTypeError,
    OtherKindError,
    argument,
    counted,
    either_direction,
    hearing,
    listing,
    named,
    warn,
)
from ..options import checked
from . import source as sources
from .formats import mteb
from .formats.nested import NestedScores
from .labels import labels_of, new_names
from .recognise import frame_contents, recognise
from .source import Item, Source
from .tables.contents import MEAN, Contents, Grid, joined, without_means
from .tables.frames import is_frame
from .tables.layout import NO_ROLES, Given, Origin, Roles, warn_of
from .tables.rows import WIDTH
from .tables.vocabulary import direction, error_of_another, usually_an_error

_LONGEST = 2_000  # the longest argument, in characters, in a recorded Python call


class Selection(TypedDict, total=False):
    """The part of a file to read."""

    systems: Iterable[Any] | None
    topics: Iterable[Any] | None
    topic_column: str | None
    system_column: str | None
    score_column: str | None
    run_column: str | None


class Options(Selection, total=False):
    """How to read scores, and their metadata: the options of `read_scores` except the measure."""

    missing: Missing
    lower_is_better: bool | None
    groups: Any
    types: Any
    total: Total
    teams: Any
    families: Any
    rename: Any
    repeats: str


class ReadOptions(Options, total=False):
    """All options of `read_scores`, including the measure."""

    measure: str | None


class Reading(NamedTuple):
    """The checked options of `read_scores`."""

    measure: str | None = None
    missing: Missing = "error"
    lower_is_better: bool | None = None
    roles: Roles = NO_ROLES
    about: Mapping[str, Any] = {}
    rename: Mapping[str, str] = {}
    repeats: str = "mean"

    @classmethod
    def of(cls, **how: Unpack[ReadOptions]) -> Reading:
        """Check the options that a caller passed."""
        wanted: Any = checked_choice(how.get("systems"), how.get("topics"))
        about: dict[str, Any] = {}
        for name in ("groups", "types", "teams", "families"):
            given = how.get(name)
            if name == "groups" and isinstance(given, str) and given == "none":
                about[name] = None
            elif isinstance(given, list | tuple) or (isinstance(given, str) and given == "task"):
                about[name] = given
            elif given is not None:
                about[name] = labels_of(given, name)
        if (total := how.get("total", "mean")) != "mean":
            about["total"] = total
        columns: Any = {role: how.get(f"{role}_column") for role in ("topic", "system", "score", "run")}
        names = {} if (rename := how.get("rename")) is None else new_names(rename)
        return cls(
            how.get("measure"),
            how.get("missing", "error"),
            how.get("lower_is_better"),
            Roles(**columns, **wanted),
            about,
            names,
            how.get("repeats", "mean"),
        )

    def selected(self, made: Scores | Means) -> Scores | Means:
        """Select the requested systems and topics."""
        if isinstance(made, Means):
            return made.select(self.roles.systems)
        some = self.roles.systems is not None or self.roles.topics is not None
        return made.select(self.roles.systems, self.roles.topics) if some else made

    def scores(self, found: Sequence[Contents], empty: Sequence[tuple[str, Source]] = ()) -> Scores | Means:
        """Return the scores of one measure, for the requested systems and topics in the requested order.

        If the file of a run is empty, the run is a system without scores.
        """
        systems, topics = self.roles.systems, self.roles.topics
        grid, measure = joined(found, self.measure, systems)
        origin = _together(found)
        seen = [name for contents in found for name in contents.seen]
        one_each = MEAN in grid.topics
        if topics is not None and not one_each:
            grid = grid.take(choose(topics, grid.topics, "topic", origin.error, seen))
        if new := [name for name, _ in empty if name not in grid.names]:
            holes = np.full((len(grid.topics), len(new), *grid.scores.shape[2:]), np.nan)
            grid = replace(grid, scores=np.hstack([grid.scores, holes]), systems=[*grid.names, *new])
        if systems is not None:
            grid = grid.take(columns=choose(systems, grid.names, "system", origin.error, seen))
            if others := [file.label for run, file in empty if run not in grid.names]:
                files = counted(len(others), "empty file")
                warn(f"Skipped {files} of systems that were not asked for: {listing(others)}")
            if topics is None and self.missing == "available":  # leave out topics without any score
                grid = grid.take(np.flatnonzero(~np.isnan(grid.values).all(axis=1)).tolist())
        if one_each and len(grid.values) > 1:
            raise origin.error("some have scores on topics, others one score per system: read them one by one")
        chosen_by_name = {"topics": says_which(topics) or one_each, "systems": says_which(systems)}
        unnamed = [axis for axis, named in chosen_by_name.items() if not named]
        for axis in () if one_each else unnamed:
            grid = without_means(grid, axis, origin)
        _warn_of_zeros(grid.values, origin)
        for axis in unnamed:
            _refuse_errors(grid, axis, origin)
        lower = _direction(found, grid, measure, origin, self.lower_is_better)
        about: Any = {"lower_is_better": lower, "missing": self.missing, "source": origin.label}
        if one_each:
            return Means(grid.values[0], grid.names, measure, errors=_errors(found, measure, grid), **about)
        groups = _groups(found, grid.topics)
        return Scores(owned(grid.scores), grid.topics, grid.names, measure, groups=groups, **about)

    def assembled(self, found: Sequence[Contents], empty: Sequence[tuple[str, Source]] = ()) -> Scores | Means:
        """Return the scores as `described`. Group topics by document if they are named like segments."""
        made = self.scores(found, empty)
        if isinstance(made, Scores) and made.runs is not None and self.repeats == "mean":
            warn(f"{made.source}: each topic has up to {made.runs.shape[2]} runs, and its score is their mean")
        if isinstance(made, Scores) and made.groups is None and "groups" not in self.about:
            documents = documents_of(made.topics)
            if documents is not None:
                count = len(set(documents.values()))
                # The command line and Python show the same sentence, so it gives both spellings.
                groups = "documents are resampled as groups; to resample segments, say groups='none' (--groups none)"
                warn(f"{made.source}: the topics are segments of {count} documents, so {groups}")
                made = made.described(groups=documents)
        if isinstance(made, Scores) and "types" not in self.about and any(isinstance(one, mteb.Task) for one in found):
            of = Counter(topic.partition("/")[0] for topic in made.topics)
            task, most = of.most_common(1)[0]
            if most > 1 and len(made.systems) > 1:
                said = f"each subset counts as a topic, {most} of them for {task}. For the mean over tasks, as in MTEB"
                warn(f"{made.source}: {said}, pass types='task', total='type-mean' (--types task --total type-mean)")
        return self.described(made)

    def described(self, made: Scores | Means) -> Scores | Means:
        """Add groups, types, total, teams and families, and rename systems."""
        about = dict(self.about)
        if not self.rename.keys().isdisjoint(made.systems):
            names = [self.rename.get(system, system) for system in made.systems]
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise InputError(f"{named('rename')} gives two systems the name {twice!r}: give each its own name")
            made = made.described(systems=names)
        made = made if self.repeats == "mean" else _passed(made, self.repeats)
        if self.missing not in ("error", made.missing):
            about["missing"] = self.missing
        if isinstance(made, Means) and about.get("groups", "") is None:
            del about["groups"]
        if isinstance(made, Means) and (wrong := [name for name in ("groups", "types", "total") if name in about]):
            here = f"{listing(map(named, wrong))} needs scores on topics, but there is one score per system"
            raise InputError(f"{made.source or 'scores'}: {here}: leave it out")
        return made.described(**about) if about else made


def _passed(made: Scores | Means, repeats: str) -> Scores:
    """Score each topic and system by pass@k or pass^k instead of the mean of its runs."""

    def refused(why: str) -> InputError:
        return InputError(f"{made.source or 'scores'}: {repeats} needs {why}")

    if not isinstance(made, Scores) or made.runs is None:
        raise refused("several runs of each topic")
    k, runs = int(repeats[5:]), made.shown(made.runs)
    count = (~np.isnan(runs)).sum(axis=2)
    if scale_of(runs) != "binary":
        raise refused("runs that pass or fail, scored 1 and 0")
    if (least := int(count[count > 0].min())) < k:
        topic, system = np.argwhere(count == least)[0]
        has = f"{made.systems[system]} has {least} on topic {made.topics[topic]!r}"
        raise refused(f"{k} runs of each topic, but {has}")
    about = made._about() | {"measure": f"{repeats} of {made.measure}" if made.measure else repeats}
    return Scores(passing(runs, k, every=repeats[4] == "^"), **about)


def _together(found: Sequence[Contents]) -> Origin:
    """Return the origin of scores from several files. Messages name the first file, and count the others."""
    first: Any = found[0].origin
    origin: Origin = first if len(found) == 1 else replace(first, label=f"{first.label} and {len(found) - 1} more")
    return origin


def _refuse_errors(grid: Grid, axis: str, origin: Origin) -> None:
    """Refuse a system or topic whose label says that it holds the errors of another one."""
    if (wrong := error_of_another(grid.labels(axis))) is not None:
        said = f"{axis[:-1]} {wrong!r} is named like the error of another {axis[:-1]}"
        raise origin.error(f"{said}: leave it out with {argument(axis, [f'!{wrong}'])}")


def _groups(found: Sequence[Contents], topics: Sequence[str]) -> Mapping[str, str] | None:
    """Return the group of each topic, if the files have groups and some topics share one."""
    known = {topic: group for contents in found for topic, group in contents.groups.items()}
    groups = [known[topic] for topic in topics if topic in known]
    return known if len(set(groups)) < len(groups) else None


def _errors(found: Sequence[Contents], measure: str, grid: Grid) -> list[float] | None:
    """Return the standard error of each system's score, if the tables have errors or limits for all systems."""
    given = [(contents.origin, *contents.errors(measure)) for contents in found]
    known = {system: error for _, errors, _ in given for system, error in errors.items()}
    if not known:
        return None
    lacking = [s for s, value in zip(grid.names, grid.values[0], strict=True) if s not in known and not np.isnan(value)]
    if lacking:
        few = lacking if len(lacking) <= 10 else lacking[:1]
        left = f"leave {listing(lacking)} out with {argument('systems', [f'!{name}' for name in few])}"
        said = f"standard errors are unknown, because some systems have none: {left}"
        warn_of(_together(found), said)
        return None
    for origin, _, columns in given:
        if columns:
            shown = listing(map(repr, columns))
            warn_of(origin, f"standard errors were computed from the 95% limits in {shown}: their distance / {WIDTH:g}")
    return [known.get(system, np.nan) for system in grid.names]


def _direction(found: Sequence[Contents], grid: Grid, measure: str, origin: Origin, said: bool | None) -> bool:
    """Tell whether lower is better in the scores of these files."""
    topics = set(grid.topics)
    by_file = [lower for c in found for topic, lower in c.lower.get(measure, {}).items() if topic in topics]
    named = measure or next((c.column for c in found if c.column), "")
    side = (found[0].origin.label if len(found) == 1 else "PATH") + (f":{measure}" if measure else "")
    if said is None and "mqm" in named.lower() and (grid.values > 0).any():  # may be counts or costs of errors
        raise origin.error(f"has {named!r} scores above 0, which may count errors: {either_direction(side)}")
    lower = direction(named, said, origin, by_file, side)
    label = next((c.origin.label for c in found if usually_an_error(PurePath(c.origin.label).name)), None)
    if said is None and not measure and label is not None:
        warn(f"{label} was read with higher scores as better; to choose, {either_direction(side)}")
    return lower


def _warn_of_zeros(values: FloatArray, origin: Origin) -> None:
    """Warn if all scores are 0, for instance because no answer meets the criterion of the measure."""
    zeros = values == 0
    if values.shape[1] > 1 and zeros.any() and (zeros | np.isnan(values)).all():
        warn_of(origin, "every score is 0, so all systems are tied: is this the right file and measure?")


@checked
def read_scores(
    given: Any,
    measure: str | None = None,
    *,
    progress: Callable[[int, int], object] | None = None,
    **how: Unpack[Options],
) -> Scores | Means:
    r"""Read the scores of systems from files. The format is recognised by its content.

    Parameters
    ----------
    given : path, open file, list or dict
        A path, a glob, a folder (all files below it), an open file, a list of these, or {name: path} to name the runs.
        gzip files are decompressed. The guide to reading lists all formats.
    measure : str, optional
        The exact name in the files; you may leave it out if they hold only one measure. In a table with one row per
        system, it is the name of a column. If the files name no measure, leave it out.
    progress : callable, optional
        Called with (done, total), in files.
    missing : {"error", "zero", "drop", "drop-systems", "mean", "available"}
        What to do if a system has no score on a topic: "zero" sets the score to 0 (like trec_eval -c), "drop" keeps the
        topics that all systems have, "drop-systems" keeps the systems that have all topics, "mean" averages each system
        over the topics it has, to reproduce published means. "available" leaves the score missing: two systems are
        compared on the topics that both have. The policy is applied once the compared systems and topics are known.
    lower_is_better : bool, optional
        True for errors, times or ranks: `values` become the negatives of the scores, and tables show the given scores.
        By default the file decides, if its format states a direction. A measure named like an error (wer, loss, ...) is
        refused unless you say True or False.
    groups : mapping, Series or path, optional
        The group of each topic, if topics belong together (segments of a document). Methods that resample topics then
        resample groups. A CSV file has the topics in its first column; PATH:COLUMN chooses the column of groups. By
        default segments of WMT's documents (`news1#0`, `news1#1`) are grouped by document; "none" keeps single
        segments.
    total : {"mean", "type-mean", "borda", "mean-rank", "z-score", "win-rate"}
        The total that systems are ranked by.
    types : mapping, Series or path, optional
        The type of each topic, required for "type-mean". The other rules take the mean of each type as one topic;
        "mean" takes no types. "task" uses the text before the slash as the type: `STS17` for `STS17/en-en`.
    teams, families : mapping, Series or path, optional
        The team and the family of each system.
    systems, topics : iterable of str, optional
        Read only these systems or topics, in this order; missing scores of others do not matter. ``"STS*"`` selects all
        matching names, and ``"!AFQMC"`` leaves one out.
    rename : mapping, Series or path, optional
        The new names of systems: a mapping from their names in the files, or a file with two columns, the old and the
        new names.
        Sides are matched by the new names.
    repeats : str
        The score of a topic with several runs: "mean", "pass@k" (the probability that at least one of k runs passes) or
        "pass^k" (the probability that all k runs pass). k may not exceed the number of runs.
    topic_column, system_column, score_column : str, optional
        The columns of a table that hold topics, systems and scores, if their names do not say so.
    run_column : str, optional
        The column of a long table that numbers repeated runs. A system's score on a topic is then the mean of its runs,
        and `Scores.runs` holds all runs. By default a column of whole numbers is used if it is called seed, trial,
        epoch, repeat or sample, or if it is called run and another column names the systems.

    Returns
    -------
    Scores or Means
        Topics x systems, nan if a system lacks a topic; or one score per system if a table has no topics.

    Raises
    ------
    ReadError
        If a file cannot be read, or can be read in two ways. The message names the file and the line, quotes the text,
        and says what to do.

    See Also
    --------
    as_scores : Take frames, dictionaries and results of tools.
    pair : Match the systems and topics of a truth and its candidates.

    Notes
    -----
    Summary rows (`all`, `mean`, and a row that is the mean of all other rows) are never topics.

    Examples
    --------
    >>> import io
    >>> read_scores(io.StringIO("topic,bm25,ql\n301,0.25,0.5\n302,0.75,0.25\n")).means().tolist()
    [0.5, 0.375]
    >>> read_scores(io.StringIO("model,win_rate,n\nfoo,0.25,8\nbar,0.75,9\n"), "win_rate")
    <Means: 2 systems, win_rate>

    """
    with hearing() as said:
        reading = Reading.of(measure=measure, **how)
        found, empty = read_contents(sources.expand(given), reading.roles, progress)
        made = reading.assembled(found, empty)
    source = {"source": os.fspath(given)} if isinstance(given, str | os.PathLike) else {}  # a folder, not its files
    return made.described(call=call_of(given, measure, how), notes=said, **source)


def call_of(given: Any, measure: str | None, how: Mapping[str, Any]) -> str:
    """Write the Python call that would read the scores again; return "" if an argument cannot be written as code."""

    def written(value: Any) -> str:
        if isinstance(value, os.PathLike):
            return repr(os.fspath(value))
        if isinstance(value, list | tuple | dict | str | bool | int) and len(made := repr(value)) < _LONGEST:
            return made
        raise TypeError

    try:
        parts = [written(given), *([] if measure is None else [written(measure)])]
        return f"cc.read_scores({', '.join([*parts, *(f'{name}={written(value)}' for name, value in how.items())])})"
    except TypeError:
        return ""


def tables_in(path: str | os.PathLike[str]) -> list[str]:
    """List the files of a folder if each can be a side because it holds a table of several systems; otherwise none.

    The first file with scores decides whether the files hold several systems.
    """
    found: list[str] = []
    others: list[str] = []
    for item in sources.expand(path) if os.path.isdir(path) else ():
        try:
            source = sources.load(item)
            if source.empty:
                others.append(str(item.file))
                continue
            contents = recognise(source, NO_ROLES)
            measure = next(iter(contents.measures()), "")
            several = len(contents.grid(measure).names) > 1
        except OtherKindError:
            others.append(str(item.file))
            continue
        if not several and not found:
            return []
        found.append(str(item.file))
    if found:
        _tell_of_others(others)
    return found if len(found) > 1 else []


def read_contents(
    items: list[Item], roles: Roles = NO_ROLES, progress: Callable[[int, int], object] | None = None
) -> tuple[list[Contents], list[tuple[str, Source]]]:
    """Read all files with scores, and list the runs whose files are empty.

    Raise an error if no file has scores, or if a file is damaged.
    """
    found: list[Contents] = []
    empty: list[tuple[str, Source]] = []
    others: dict[str, OtherKindError] = {}
    for done, item in enumerate(items, 1):
        try:
            source = sources.load(item)
            if source.empty:
                empty.append((source.name or source.run_name(), source))
            else:
                found.append(recognise(source, roles))
        except OtherKindError as error:
            if not item.found:
                raise
            others[str(item.file)] = error
        if progress is not None:
            progress(done, len(items))
    if not found and others:
        raise next(iter(others.values()))
    if not found:
        raise empty[0][1].error("is empty" if len(empty) == 1 else f"is empty, like all {len(empty)} files")
    _tell_of_others(list(others))
    if any(isinstance(table, mteb.Task) for table in found):
        found = mteb.newest(found)
    details = [table for table in found if not table.summary]
    if details and (summaries := [table for table in found if table.summary]):
        # Summaries are dropped below, so a run that has only a summary would vanish.
        names = {table.names[0] for table in details}
        if lost := next((table for table in summaries if table.names[0] not in names), None):
            there = f"whose samples are missing, while those of {listing(sorted(names))} are given"
            way_out = "give the samples of all, or only the results of all"
            raise lost.origin.error(f"summarises {lost.names[0]!r}, {there}: {way_out}")
        left = listing(table.origin.label for table in summaries)
        warn(f"only samples were read; left out these summaries, and tasks without samples: {left}")
    return details or found, empty


def _tell_of_others(labels: list[str]) -> None:
    """Warn once about all skipped files, and count those with the same name."""
    if labels:
        names = Counter(os.path.basename(label) for label in labels)
        shown = listing(name if count == 1 else f"{name} ({count:,})" for name, count in names.most_common())
        warn(f"Skipped {counted(len(labels), 'file')} without scores: {shown}")


Collection: TypeAlias = Any
"""The objects that `as_scores` takes."""


_TAKEN = "Scores, a file, a frame, or one score per system as a dictionary or a pandas Series"


@checked
def as_scores(given: Collection, name: str = "scores", **how: Unpack[ReadOptions]) -> Scores | Means:
    """Convert labelled scores in any common form to `Scores` or `Means`.

    Parameters
    ----------
    given : Scores, Means, path, frame, mapping or results of a tool
        `Scores` and `Means` are returned unchanged, unless `how` has options. A path, glob or folder, or a list of
        these, is read by `read_scores`. A pandas, polars or Arrow table is read like a CSV file of the same table; a
        pandas index counts as the first column. A mapping or Series of one number per system becomes `Means`. Nested
        dictionaries and the results of ir_measures, ranx, PyTerrier and pytrec_eval are taken as they are.
    name : str
        The name of the scores in error messages.
    **how
        As in `read_scores`: `measure`, `missing`, `groups`, `total` and so on.

    Returns
    -------
    Scores or Means
        Topics x systems, or one score per system if no topics are known.

    See Also
    --------
    read_scores : Read files, with all options.
    pair : Match the systems and topics of a truth and its candidates.

    Examples
    --------
    >>> import concordant as cc
    >>> cc.as_scores({"bm25": 0.31, "dense": 0.42})
    <Means: 2 systems>
    >>> cc.as_scores({"bm25": {"1": {"map": 0.25}}, "ql": {"1": {"map": 0.5}}})
    <Scores: 1 topic x 2 systems, map>

    """
    if isinstance(given, (str, os.PathLike)) or _are_paths(given):
        return read_scores(given, **how)
    with hearing() as said:
        made = _taken(given, name, Reading.of(**how))
    return made.described(notes=(*made.notes, *said)) if said else made


def _taken(given: Collection, name: str, reading: Reading) -> Scores | Means:
    if isinstance(given, Scores | Means):
        if reading.lower_is_better not in (None, given.lower_is_better):
            way_out = f"pass lower_is_better={reading.lower_is_better} where you read or make them"
            raise InputError(f"{name}: these {type(given).__name__} already have another direction; {way_out}")
        return reading.described(reading.selected(given))
    if is_frame(given):
        return reading.assembled([frame_contents(given, Given(name), reading.roles)])
    if _is_series(given) or (isinstance(given, Mapping) and given and _are_numbers(given.values())):
        return reading.described(reading.selected(_means(given, name, reading)))
    if is_bare(given):
        unlabelled = "To compare numbers without labels, call a coefficient: concordant.tau_b(truth, candidate)"
        raise InputTypeError(f"{name} is {_kind(given)} without labels: give {_TAKEN}. {unlabelled}")
    if hasattr(given, "read"):
        raise InputTypeError(f"{name} is an open file: read it with concordant.read_scores(file)")
    results = _results(given)
    if not isinstance(results, Mapping):
        way_out = f"give {_TAKEN}; or an evaluation tool's scores on each topic"
        raise InputTypeError(f"{name} is {_kind(given)}: {way_out}")
    if results is given:
        results = {system: _results(found, f" of {system!r}") for system, found in given.items()}
    found = NestedScores(Given(name), results)
    found.names = ("run",)
    return reading.assembled([found])


def _means(given: Any, name: str, reading: Reading) -> Means:
    """Make `Means` of one number per system, from a Series or a mapping."""
    column = ""
    if _is_series(given):
        if not given.index.is_unique:
            raise InputError(f"{name} is a Series with repeated labels: give one score per system")
        column, given = given.name if isinstance(given.name, str) else "", given.to_dict()
    lower = direction(reading.measure or column, reading.lower_is_better, Given(name))
    return Means(list(given.values()), list(given), reading.measure, lower_is_better=lower, missing=reading.missing)


def as_topics(given: Collection, name: str = "scores", *, least_systems: int = 2, holes: bool = False) -> Scores:
    """Convert scores as `as_scores` does, for functions that need topics; apply the policy for missing scores.

    A bare topics x systems array is accepted; its systems are called 0, 1, 2, ... With `holes`, missing scores
    are allowed.
    """
    made, said = as_topic_side(given, name).settled(open_to_holes=holes)
    for sentence in said:
        warn(sentence)
    n, m = made.values.shape
    if m < least_systems:
        raise InputError(
            f"{name} {_has(name)} {counted(m, 'system')}: at least {least_systems} are needed to rank them"
        )
    if n < 2:
        trust = "the variation from topic to topic shows how far means can be trusted"
        raise InputError(f"{name} {_has(name)} {counted(n, 'topic')}: at least 2 are needed, because {trust}")
    return made


def as_topic_side(given: Collection, name: str, *, otherwise: str = "") -> Scores:
    """Convert scores as `as_topics` does, for a side that will be matched with others: missing scores stay missing."""
    if not is_bare(given):
        side = as_scores(given, name)
        if isinstance(side, Means):
            way_out = f"give the scores on each topic, as Scores, a file or a topics x systems matrix{otherwise}"
            raise InputError(f"{name} {_has(name)} one score per system and no topics: {way_out}")
        return side
    values = floats(given, name)
    if values.ndim != 2:
        way_out = "give the scores on each topic, as Scores or as a topics x systems matrix"
        raise InputError(f"{name} {_has(name)} {counted(values.ndim, 'dimension')} (shape {values.shape}): {way_out}")
    return Scores(values, invent_topics(len(values)), range(values.shape[1]), source=name)


def refuse(scores: Scores | Means, name: str, *keys: str, why: str) -> None:
    """Raise if the scores have groups, types or a total other than the mean, which the caller cannot use."""
    for key in keys:
        if getattr(scores, key, None) not in (None, "mean"):
            way_out = f"leave {named(key)} out" if key != "groups" else f"read it with {argument('groups', 'none')}"
            raise InputError(f"{name} {_has(name)} {named(key)}, and {why}: {way_out}")


def has_labels(given: Any) -> bool:
    """Tell whether a value has labels, so that `as_scores` can read it. Bare numbers have none."""
    known = isinstance(given, Scores | Means | Mapping | str | os.PathLike)
    return known or _are_paths(given) or _is_series(given) or is_frame(given)


def _has(name: str) -> str:
    return "have" if name.endswith("s") else "has"


def _kind(given: Any) -> str:
    if isinstance(given, np.ndarray):
        return f"an array of shape {given.shape}"
    kind = type(given).__name__
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def _are_paths(given: Any) -> bool:
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(g, str | os.PathLike) for g in given)


def _is_series(given: Any) -> bool:
    return hasattr(given, "to_dict") and hasattr(given, "index") and not hasattr(given, "columns")


def _are_numbers(values: Iterable[Any]) -> bool:
    return all(isinstance(value, int | float | np.number) for value in values)


def is_bare(given: Any) -> bool:
    """Tell whether a value is an array, a list of numbers, or a list of such lists: scores without labels."""
    if isinstance(given, np.ndarray):
        return True
    if not isinstance(given, list | tuple) or not given:
        return False
    return all(isinstance(g, int | float | np.number) or is_bare(g) for g in given)


# Results of evaluation tools: recognised by their attributes, so that no tool is imported ----------------------------


def _results(given: Any, of: str = "") -> Any:
    """Convert a tool's results for one system to dictionaries like those of pytrec_eval.

    Return any other value unchanged.
    """
    if isinstance(given, Mapping):
        if any(type(key).__module__.partition(".")[0] == "ir_measures" for key in given):
            way_out = "give the scores on each topic, list(ir_measures.iter_calc(measures, qrels, run))"
            raise InputError(f"the results{of} are means over topics, as from ir_measures.calc_aggregate: {way_out}")
        return given
    if type(given).__module__.partition(".")[0] == "ranx":
        if not (scores := getattr(given, "scores", None)):
            way_out = "call ranx.evaluate(qrels, run, measures) first, and give {run.name: run.scores for run in runs}"
            raise InputError(f"the ranx {type(given).__name__}{of} holds no scores on topics: {way_out}")
        return scores
    records = getattr(given, "per_query", given)  # from ir_measures.calc; iter_calc yields the metrics themselves
    nothing = isinstance(records, str | bytes | set | frozenset | np.ndarray)
    return _metrics(records, of) if isinstance(records, Iterable) and not nothing else given


def _metrics(records: Iterable[Any], of: str) -> dict[str, dict[str, Any]]:
    """Convert ir_measures' metrics to {topic: {measure: value}}."""
    nested: dict[str, dict[str, Any]] = {}
    for record in records:
        if not all(hasattr(record, name) for name in ("query_id", "measure", "value")):
            what = f"{record!r:.100}, which is not a metric with query_id, measure and value"
            raise InputTypeError(f"the results{of} hold {what}")
        topic, measure = str(record.query_id), str(record.measure)
        if measure in nested.setdefault(topic, {}):
            raise InputError(f"the results{of} hold {measure} on topic {topic!r} twice: leave one out")
        nested[topic][measure] = record.value
    return nested
