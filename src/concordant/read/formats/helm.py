"""HELM: per_instance_stats.json, one scenario of one model a file. The instances are the topics.

The key of a score includes the trial and the perturbation, so these become part of the topic's name. HELM summarises
each split apart: where a file holds several, `exact_match` has all instances, with a warning, and `exact_match[test]`
those of one split.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from ...words import argument, counted
from ..source import Source
from ..tables.cells import warn_of
from ..tables.contents import Contents
from ..tables.pivot import Grid
from .mteb import sibling
from .nested import finite

# Statistics that describe the run, not how well it did. They can be asked for by name, but are not offered.
_NO_SCORE = re.compile(
    r"(?:num_|training_|inference_|finish_reason_|prompt_|batch_size$|max_prob$|logprob|perplexity|bits_per_byte)"
)

Scored: TypeAlias = dict[str, float]
"""Instances and their scores."""


def is_per_instance(content: Any) -> bool:
    """per_instance_stats.json."""
    return _records_with(content, "instance_id", "stats")


def is_stats(content: Any) -> bool:
    """stats.json: what the instances are summarised to."""
    return _records_with(content, "name", "count") and isinstance(content[0]["name"], dict)


def is_companion(content: Any) -> bool:
    """run_spec.json and the like, written beside the scores."""
    return isinstance(content, dict) and ("adapter_spec" in content or "scenario_spec" in content)


def _records_with(content: Any, *keys: str) -> bool:
    return (
        isinstance(content, list) and bool(content) and isinstance(content[0], dict) and content[0].keys() >= set(keys)
    )


class _Helm(Contents):
    format = "HELM"

    def __init__(self, source: Source, whole: dict[str, Scored], parts: dict[str, Scored]) -> None:
        """Of the scores by measure, on all instances and on those of each split."""
        super().__init__(source, {name: Grid.of_run(found) for name, found in whole.items()})
        self.parts = {name: Grid.of_run(found) for name, found in parts.items()}

    def measures(self) -> list[str]:
        return [name for name in self.grids if not _NO_SCORE.match(name)] or list(self.grids)

    def grid(self, measure: str) -> Grid:
        if measure in self.parts:
            return self.parts[measure]
        parts = [(name, grid) for name, grid in self.parts.items() if name.rpartition("[")[0] == measure]
        if len(parts) > 1:
            warn_of(
                self.origin,
                "all splits together, which HELM summarises apart; for one, ask for "
                + " or ".join(
                    f"{argument('measure', name)} ({counted(len(grid.topics), 'instance')})" for name, grid in parts
                ),
            )
        return super().grid(measure)


def read_helm(source: Source, content: Any) -> Contents:
    """The scores of one model on one scenario, a topic for each instance."""
    model, scenario = _spec(source)
    whole: dict[str, Scored] = {}
    parts: dict[str, Scored] = {}
    for place, record in enumerate(content):
        stats = record.get("stats") if isinstance(record, dict) else None
        if not isinstance(stats, list) or "instance_id" not in record:
            raise source.error(f"instance {place} has no instance_id or no list of stats", 1)
        topic = f"{scenario}{_topic(record)}"
        for stat in stats:
            measure: Any = stat.get("name") if isinstance(stat, dict) else None
            name = measure.get("name") if isinstance(measure, dict) else None
            if not isinstance(name, str):
                raise source.error(f"a statistic of instance {topic!r} has no name", 1)
            if not stat.get("count"):  # nothing was measured
                continue
            found = whole.setdefault(name, {})
            if topic in found:
                raise source.error(f"instance {topic!r} has {name!r} twice", 1)
            count = finite(source, stat["count"], f"{topic!r} (count of {name})")
            mean = stat["mean"] if "mean" in stat else finite(source, stat.get("sum"), f"{topic!r} ({name})") / count
            found[topic] = finite(source, mean, f"{topic!r} ({name})")
            parts.setdefault(f"{name}[{measure.get('split')}]", {})[topic] = found[topic]
    if not whole:
        raise source.error("no instance has a statistic that was counted", 1)
    table = _Helm(source, whole, parts)
    if model:
        table.names = (model, source.run_name())
        table.part_of = f"{model} in {source.path.absolute().parent.parent}" if source.path else model
    return table


def _topic(record: dict[str, Any]) -> str:
    topic = str(record["instance_id"])
    perturbation, trial = record.get("perturbation"), record.get("train_trial_index", 0)
    if isinstance(perturbation, dict):
        kinds = [str(perturbation[key]) for key in ("name", "computed_on") if key in perturbation]
        topic += f"[{' '.join(kinds)}]"
    return topic if trial in (0, None) else f"{topic}[trial {trial}]"


def _spec(source: Source) -> tuple[str | None, str]:
    """The model and the scenario: from run_spec.json beside the file, else from the folder's name."""
    if not source.path:
        return None, ""
    spec = sibling(source.path, "run_spec.json")
    adapter = spec.get("adapter_spec") if is_companion(spec) else None
    model = adapter.get("model") if isinstance(adapter, dict) else None
    name = spec.get("name") if is_companion(spec) else source.path.absolute().parent.name
    if not isinstance(name, str) or "model=" not in name:
        return (model, "") if isinstance(model, str) else (None, "")
    head, _, tail = name.partition("model=")
    named, _, rest = tail.partition(",")
    scenario = (head + rest).rstrip(",:")
    return model if isinstance(model, str) else named.replace("_", "/", 1), f"{scenario}/" if scenario else ""
