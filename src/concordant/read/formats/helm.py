"""HELM: per_instance_stats.json, one scenario of one model a file. The instances are the topics.

The key of a score includes the trial and the perturbation, so these become part of the topic's name. HELM summarises
each split apart: where a file holds several, `exact_match` has all instances, with a warning, and `exact_match[test]`
those of one split.
"""

from __future__ import annotations

import re
from typing import Any

from ...errors import argument, counted
from ..source import Source
from ..tables.cells import Grid, warn_of
from ..tables.contents import Contents
from .mteb import sibling
from .records import Gathered, has_keys

# Statistics that describe the run, not how well it did. They can be asked for by name, but are not offered.
_NO_SCORE = re.compile(
    r"(?:num_|training_|inference_|finish_reason_|prompt_|batch_size$|max_prob$|logprob|perplexity|bits_per_byte)"
)


def is_per_instance(content: Any) -> bool:
    """per_instance_stats.json."""
    return isinstance(content, list) and has_keys(content, "instance_id", "stats")


def is_companion(content: Any) -> bool:
    """run_spec.json and the like, written beside the scores, or stats.json, to which the scores are summarised."""
    if isinstance(content, list):
        return has_keys(content, "name", "count") and isinstance(content[0]["name"], dict)
    return isinstance(content, dict) and ("adapter_spec" in content or "scenario_spec" in content)


class _Helm(Contents):
    format = "HELM"

    def measures(self) -> list[str]:
        whole = [name for name in self.grids if not name.endswith("]")]
        return [name for name in whole if not _NO_SCORE.match(name)] or whole

    def grid(self, measure: str) -> Grid:
        if measure in self.grids and measure.endswith("]"):
            return self.grids[measure]
        parts = {name: grid for name, grid in self.grids.items() if name.startswith(f"{measure}[")}
        if len(parts) > 1:
            which = [f"{argument('measure', n)} ({counted(len(g.topics), 'instance')})" for n, g in parts.items()]
            said = f"all splits together, which HELM summarises apart; for one, ask for {' or '.join(which)}"
            warn_of(self.origin, said)
        return super().grid(measure)


def read_helm(source: Source, content: Any) -> Contents:
    """The scores of one model on one scenario, a topic for each instance."""
    model, scenario = _spec(source)
    found = Gathered(source)
    for place, record in enumerate(content):
        stats = record.get("stats") if isinstance(record, dict) else None
        if not isinstance(stats, list) or "instance_id" not in record:
            raise source.error(f"instance {place} has no instance_id or no list of stats", 1)
        topic = f"{scenario}{_topic(record)}"
        for stat in stats:
            measure: Any = stat.get("name") if isinstance(stat, dict) else None
            if not isinstance(measure, dict) or not isinstance(measure.get("name"), str):
                raise source.error(f"a statistic of instance {topic!r} has no name", 1)
            if stat.get("count"):  # else nothing was measured
                for name in (measure["name"], f"{measure['name']}[{measure.get('split')}]"):
                    found.add(name, topic, _mean(source, stat))
    gathered = found.contents("HELM")
    table = _Helm(source, gathered.grids)
    if model:
        table.names = (model, source.run_name())
        table.part_of = f"{model} in {source.path.absolute().parent.parent}" if source.path else model
    return table


def _mean(source: Source, stat: dict[str, Any]) -> Any:
    try:
        return stat["mean"] if "mean" in stat else stat["sum"] / stat["count"]
    except (KeyError, TypeError, OverflowError):
        raise source.error(f"a statistic has no mean: {str(stat)[:100]}", 1) from None


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
