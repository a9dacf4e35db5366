"""lm-evaluation-harness: results_*.json (the tasks are the topics) and samples_*.jsonl (the documents are).

A measure is named as the results name it: `metric,filter`; of version 0.3, `metric`.
"""

from __future__ import annotations

import re
from typing import Any

from ...errors import listing
from ..source import Source
from ..tables.cells import warn_of
from ..tables.contents import Contents
from .mteb import sibling
from .records import Gathered

_SAMPLES_FILE = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl?")
# Fields of a sample that older versions, which do not list their metrics, mix with them.
_NOT_METRICS = frozenset({"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"})


def is_results(content: Any) -> bool:
    """The results of one model on several tasks."""
    results = isinstance(content, dict) and isinstance(content.get("results"), dict)
    return results and ("configs" in content or _old(content))


def _old(content: Any) -> bool:
    """Whether version 0.3 wrote it."""
    return "configs" not in content and "versions" in content and isinstance(content.get("config"), dict)


def is_sample(record: Any) -> bool:
    """One line of samples_*.jsonl."""
    return isinstance(record, dict) and "doc_id" in record and ("doc" in record or "filter" in record)


def read_results(source: Source, content: Any) -> Contents:
    """The scores of one model, a topic for each task. Standard errors, which may be "N/A", are no scores."""
    found = Gathered(source)
    groups, old = _groups(content), _old(content)
    for task, results in content["results"].items():
        for key, value in results.items() if task not in groups and isinstance(results, dict) else ():
            if ("," in key or old) and not key.partition(",")[0].endswith("_stderr"):
                found.add(key, task, value)
    table = found.contents("lm-evaluation-harness, results", _model_name(content))
    if groups:
        warn_of(source, f"groups left out, because they summarise tasks: {listing(groups)}")
    table.summary = True
    table.lower = {name: _lower(content, name.partition(",")[0]) for name in table.grids}
    return table


def _groups(content: Any) -> list[str]:
    """The results that summarise others: groups of tasks, where the tasks are there, too."""
    results = content["results"]
    named, parts = (
        found if isinstance(found, dict) else {} for found in map(content.get, ("groups", "group_subtasks"))
    )
    groups = []
    for task in results:
        tasks = parts.get(task)
        if any(t in results for t in tasks) if isinstance(tasks, list) and tasks else task in named:
            groups.append(task)
    return groups


def _lower(content: Any, metric: str) -> dict[str, bool]:
    """Of which tasks the file says whether lower is better."""
    said = content.get("higher_is_better")
    tasks = said.items() if isinstance(said, dict) else ()
    higher = {task: found.get(metric) for task, found in tasks if isinstance(found, dict)}
    return {task: not up for task, up in higher.items() if isinstance(up, bool)}


def read_samples(source: Source, records: list[tuple[int, Any]]) -> Contents:
    """The scores of one model on one task, a topic for each document: `task/doc_id`."""
    match = _SAMPLES_FILE.fullmatch(source.path.name.removesuffix(".gz")) if source.path else None
    task = match[1] + "/" if match else ""
    found, metrics = Gathered(source), _metrics(source, records)
    for line, record in records:
        for metric in metrics[str(record.get("filter", "none"))]:
            name, value = f"{metric},{record.get('filter', 'none')}", record.get(metric)
            for run, part in enumerate(value if _is_repeated(record, metric) else [value]):
                found.add(name, f"{task}{record['doc_id']}", part, run, line)
    table = found.contents("lm-evaluation-harness, samples")
    table.names = _names(source, match[2] if match else None)
    table.part_of = table.names[-1]
    return table


def _metrics(source: Source, records: list[tuple[int, Any]]) -> dict[str, list[str]]:
    """The metrics of each filter: those with a number. Some are pairs, aggregated over all documents only."""
    found: dict[str, dict[str, None]] = {}
    for line, record in records:
        if not is_sample(record):
            raise source.error("is not a sample of lm-evaluation-harness: it has no doc_id", line)
        listed = record.get("metrics")
        metrics = listed if isinstance(listed, list) else [key for key in record if key not in _NOT_METRICS]
        numeric = [m for m in metrics if isinstance(m, str) and (_is_number(record.get(m)) or _is_repeated(record, m))]
        found.setdefault(str(record.get("filter", "none")), {}).update(dict.fromkeys(numeric))
    return {name: list(metrics) for name, metrics in found.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _is_repeated(record: Any, metric: str) -> bool:
    """Whether a metric has one score for each of the repeated responses."""
    values, responses = record.get(metric), record.get("resps")
    first = responses[0] if isinstance(responses, list) and responses else None
    several = isinstance(values, list) and isinstance(first, list) and len(values) == len(first) > 1
    return several and all(map(_is_number, values))


def _names(source: Source, date: str | None) -> tuple[str, ...]:
    """The model of a samples file: from the results written with it, else the folder, else the file."""
    if source.name or not source.path or not date:
        return (source.name or source.run_name(),)
    folder = source.path.absolute().parent
    results = sibling(source.path, f"results_{date}.json")
    name = _model_name(results) if is_results(results) else None
    return (name or folder.name.replace("__", "/", 1), str(folder))


def _model_name(content: Any) -> str | None:
    name = content.get("model_name")
    if _old(content):  # pretrained=EleutherAI/pythia-70m,revision=step143000
        parts = dict(part.split("=", 1) for part in str(content["config"].get("model_args")).split(",") if "=" in part)
        name = "@".join(parts[key] for key in ("pretrained", "engine", "revision") if parts.get(key, "main") != "main")
    return name if isinstance(name, str) and name else None
