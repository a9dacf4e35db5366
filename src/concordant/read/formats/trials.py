"""tau-bench's results: a list of trials of one model, or of tau2-bench the `simulations` of one."""

from __future__ import annotations

from typing import Any

from ..source import Source
from ..tables.cells import warn_of
from ..tables.contents import Contents
from ..tables.pivot import Grid
from ..tables.vocabulary import names_systems
from .nested import finite

_KEYS = frozenset({"task_id", "trial"})


def is_trials(content: Any) -> bool:
    """Results of tau-bench or tau2-bench."""
    found = _records(content)
    first = found[0] if found and isinstance(found[0], dict) else {}
    return first.keys() >= _KEYS and _reward(first) is not None and not any(map(names_systems, first))


def _records(content: Any) -> Any:
    found = content.get("simulations") if isinstance(content, dict) else content
    return found if isinstance(found, list) else []


def _reward(record: dict[str, Any]) -> Any:
    info = record.get("reward_info")
    return info.get("reward") if isinstance(info, dict) else record.get("reward")


def read_trials(source: Source, content: Any) -> Contents:
    """The rewards of one model, a topic for each task and a run for each trial."""
    found: dict[tuple[str, int], float] = {}
    errors = 0
    for place, record in enumerate(_records(content)):
        if not isinstance(record, dict) or not record.keys() >= _KEYS:
            raise source.error(f"trial {place} has no task_id or no trial", 1)
        key = str(record["task_id"]), record["trial"]
        if key in found:
            raise source.error(f"task {key[0]!r} has trial {key[1]!r} twice: give each run a file of its own", 1)
        found[key] = finite(source, _reward(record), f"task {key[0]!r}, trial {key[1]!r}")
        errors += isinstance(record.get("info"), dict) and "error" in record["info"]
    if errors:
        warn_of(source, f"{errors} of {len(found)} trials ended with an error, and have the reward that stands there")
    table = Contents(source, {"reward": Grid.of_runs(found)})
    table.format = "tau-bench trials"
    agent = content.get("info", {}).get("agent_info", {}).get("llm") if isinstance(content, dict) else None
    if isinstance(agent, str):
        table.names = (agent, source.run_name())
    return table
