"""The means that trec_eval wrote into its files (topic `all`), which may be over other topics than the rows are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ...data.scores import Means
from ...read.source import expand, load
from ...read.tables.numbers import plain_number

_SUMMARY = b"all"


def summary_means(files: Any, measure: str, systems: Sequence[str], lower_is_better: bool = False) -> Means | None:
    """What files of trec_eval say in their rows of topic `all`; concordant never uses these elsewhere.

    Parameters
    ----------
    files : path, glob, folder or list of them
        One file per system. What is no path has no such rows.
    measure : str
        As trec_eval calls it.
    systems : sequence of str
        Those to find, by the run's tag, or else by the name of its file.
    lower_is_better : bool
        Whether the means are errors.

    Returns
    -------
    Means or None
        None where not all of the systems are there.

    """
    paths = files if isinstance(files, list | tuple) else [files]
    if not measure or not all(isinstance(path, str | os.PathLike) for path in paths):
        return None
    by_tag: dict[str, float] = {}
    by_file: dict[str, float] = {}
    for item in expand(files):
        source = load(item)
        rows = {name: value for name, topic, value in _rows(source.data) if topic == _SUMMARY}
        mean = plain_number(rows.get(measure.encode(), b""))
        if mean is None:
            return None
        by_file[source.run_name()] = mean
        by_tag[rows.get(b"runid", b"").decode()] = mean
    for found in (by_tag, by_file):
        if set(systems) <= set(found):
            means = [found[system] for system in systems]
            return Means(means, systems, measure, lower_is_better=lower_is_better)
    return None


def _rows(data: bytes) -> list[tuple[bytes, bytes, bytes]]:
    """Measure, topic and value of each line; of files in other formats whatever has three fields."""
    found = []
    for line in data.split(b"\n"):
        fields = [field.strip() for field in (line.split(b"\t") if line.count(b"\t") == 2 else line.split(None, 2))]
        if len(fields) == 3:
            found.append((fields[0], fields[1], fields[2]))
    return found
