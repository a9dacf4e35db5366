"""Read the JSON results of evaluation tools, recognised by their keys.

The formats are AlpacaEval's annotations, tau-bench's trials, Every Eval Ever, WMT's metric scores,
lm-evaluation-harness, HELM and Inspect.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import listing, named
from ..source import Source
from ..tables.contents import Contents, Grid, pivot
from ..tables.layout import scores_of, warn_of
from ..tables.vocabulary import cell_number, names_systems, plain_number
from .mteb import sibling

Lines = list[tuple[int, Any]]


class Gathered:
    """The scores of one system by measure, topic and run, gathered one by one."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.scores: dict[str, dict[tuple[str, Any], float]] = {}

    def add(self, measure: str, topic: str, value: Any, run: Any = 0, line: int = 1) -> None:
        """Add a score; null, NaN and "N/A" mean that the score is missing."""
        found = self.scores.setdefault(measure, {})
        if (topic, run) in found:
            raise self.source.error(f"topic {topic!r} has {measure!r} twice: give each run its own file", line)
        score = cell_number(value) if not isinstance(value, str) or value == "N/A" else None
        if score is None:
            raise self.source.error(f"{measure!r} on {topic!r} is {str(value)[:40]!r}, not a finite number", line)
        found[topic, run] = score

    def contents(self, form: str, name: Any = None, part_of: str | None = None, topics: Iterable[str] = ()) -> Contents:
        """Build the contents from all scores. The file calls the system `name`; `topics` adds topics without scores."""
        grids = {
            measure: Grid.of_runs(found, topics)
            for measure, found in self.scores.items()
            if not all(map(math.isnan, found.values()))
        }
        if not grids:
            raise self.source.error("holds no scores on topics: write it with its samples", 1)
        made = Contents(self.source, grids)
        made.format = form
        if isinstance(name, str) and name:
            made.names = (name, self.source.run_name())
        made.part_of = part_of or made.part_of
        return made


def has_keys(content: Any, *keys: str) -> bool:
    """Tell whether the content is an object with these keys, or a list that starts with such an object."""
    first = content[0] if isinstance(content, list) and content else content
    return isinstance(first, dict) and first.keys() >= set(keys)


def below(content: Any, *keys: str) -> Any:
    """Return the value below these nested keys; None if a key is missing."""
    for key in keys:
        content = content.get(key) if isinstance(content, dict) else None
    return content


def is_annotations(content: Any) -> bool:
    """Recognise AlpacaEval's annotations.json, with a judge's preference for the second system on each instruction."""
    return isinstance(content, list) and has_keys(content, "instruction", "generator_1", "generator_2", "preference")


def read_annotations(source: Source, content: Any) -> Contents:
    """Read the preferences (1 to 2) for each system, the `generator_2`. The instructions are the topics.

    An instruction that occurs again becomes a topic of its own, `instruction [2]`.
    """
    times: Counter[tuple[str, str]] = Counter()
    topics, systems = [], []
    for record in content:
        system, topic = str(record["generator_2"]), str(record["instruction"])
        times[system, topic] += 1
        systems.append(system)
        topics.append(topic if times[system, topic] == 1 else f"{topic} [{times[system, topic]}]")
    preferences = [record["preference"] for record in content]
    values, _ = scores_of(preferences, lambda k, said: source.error(f"the preference of record {k}: {said}", 1))
    twice = source.error("holds an instruction twice", 1)
    found = Contents(source, {"preference": pivot(source, topics, systems, values, lambda first, again: twice)})
    found.format = "AlpacaEval annotations"
    return found


def is_trials(content: Any) -> bool:
    """Recognise results of tau-bench, a list of trials, or of tau2-bench, which lists trials under `simulations`."""
    found = _trials(content)
    fits = has_keys(found, "task_id", "trial") and _reward(found[0]) is not None
    return fits and not any(map(names_systems, found[0]))


def _trials(content: Any) -> Any:
    found = content.get("simulations") if isinstance(content, dict) else content
    return found if isinstance(found, list) else []


def _reward(record: dict[str, Any]) -> Any:
    return below(record, "reward_info", "reward") if record.get("reward_info") else record.get("reward")


def read_trials(source: Source, content: Any) -> Contents:
    """Read the rewards of one model, with a topic for each task and a run for each trial."""
    found, records = Gathered(source), _trials(content)
    for record in records:
        if (reward := _reward(record)) is None:
            raise source.error(f"has no reward for task {record['task_id']!r}, trial {record['trial']!r}", 1)
        found.add("reward", str(record["task_id"]), reward, record["trial"])
    if errors := sum("error" in (record.get("info") or ()) for record in records):
        warn_of(source, f"{errors} of {len(records)} trials ended with an error; the reward in the file was used")
    return found.contents("tau-bench trials", below(content, "info", "agent_info", "llm"))


def is_evaluations(content: Any) -> bool:
    """Recognise the results of one model in Every Eval Ever."""
    return isinstance(below(content, "evaluation_results"), list) and "model_info" in content


def read_evaluations(source: Source, content: Any) -> Contents:
    """Read the scores of one model: a topic for each evaluation, a measure for each metric (`score` if unnamed)."""
    found = Gathered(source)
    lower: dict[str, dict[str, bool]] = {}
    for place, result in enumerate(content["evaluation_results"]):
        metric = result.get("metric_config") or {}
        measure = str(metric.get("metric_name") or metric.get("metric_id") or "score")
        topic = str(result.get("evaluation_name", place))
        found.add(measure, topic, result["score_details"].get("score"))
        if isinstance(said := metric.get("lower_is_better"), bool):
            lower.setdefault(measure, {})[topic] = said
    name = below(content, "model_info", "id") or below(content, "model_info", "name")
    table = found.contents("Every Eval Ever, results", name, name)
    table.summary, table.lower = True, lower
    return table


def is_instance(record: Any) -> bool:
    """Recognise one line of a file of instances from Every Eval Ever."""
    return isinstance(record, dict) and has_keys(record, "model_id", "sample_id", "evaluation", "evaluation_name")


def read_instances(source: Source, records: Lines) -> Contents:
    """Read the scores of one model, with a topic for each instance: `evaluation/sample`."""
    found = Gathered(source)
    for line, record in records:
        details = record["evaluation"]
        score = details.get("score") if isinstance(details, dict) else details
        found.add("score", f"{record['evaluation_name']}/{record['sample_id']}", score, line=line)
    models = list(dict.fromkeys(str(record["model_id"]) for _, record in records))
    if len(models) > 1:
        raise source.error(f"holds several models ({listing(models)}): give each its own file")
    return found.contents("Every Eval Ever, instances", models[0], models[0])


def is_document(record: Any) -> bool:
    """Recognise one line of WMT's metric scores: a document with the scores of its segments for each metric."""
    return isinstance(below(record, "metric_scores"), dict) and "document_id" in record


def read_documents(source: Source, records: Lines) -> Contents:
    """Read the scores of one system: a topic for each segment, `en-cs/document#0`, and a measure for each metric.

    A document is translated into several languages, so the name includes the language pair even if there is only one.
    Segments of a document in one language form a group, because a system that fails on one often fails on the next.
    """
    found = Gathered(source)
    documents: dict[str, str] = {}
    for line, record in records:
        document = "/".join(str(record[key]) for key in ("language_pair", "document_id") if key in record)
        for metric, values in record["metric_scores"].items():
            for segment, value in enumerate(values if isinstance(values, list) else [values]):
                documents[f"{document}#{segment}"] = document
                found.add(str(metric), f"{document}#{segment}", value, line=line)
    table = found.contents("WMT metric scores", topics=documents)
    table.groups = documents
    return table


# lm-evaluation-harness ------------------------------------------------------------------------------------------------
# lm-evaluation-harness: results_*.json (tasks are the topics) and samples_*.jsonl (documents are the topics).
#
# Measures are named as in the results: `metric,filter`, or `metric` in version 0.3.

_SAMPLES_FILE = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl?")
# Fields of a sample that are not metrics. Older versions do not list the metrics but mix them with these fields.
_NOT_METRICS = frozenset({"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"})


def is_results(content: Any) -> bool:
    """Recognise the results of one model on several tasks."""
    return isinstance(below(content, "results"), dict) and ("configs" in content or _old(content))


def _old(content: Any) -> bool:
    """Tell whether version 0.3 wrote these results."""
    return "configs" not in content and "versions" in content and isinstance(below(content, "config"), dict)


def is_sample(record: Any) -> bool:
    """Recognise one line of samples_*.jsonl."""
    return isinstance(record, dict) and "doc_id" in record and ("doc" in record or "filter" in record)


def read_results(source: Source, content: Any) -> Contents:
    """Read the scores of one model, with a topic for each task. Standard errors, which may be "N/A", are not scores."""
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
    """Find the groups of tasks whose results summarise other results in the file."""
    results, named = content["results"], content.get("groups") or {}

    def summarises(task: str) -> bool:
        tasks = below(content, "group_subtasks", task)
        return any(part in results for part in tasks) if tasks else task in named

    return list(filter(summarises, results))


def _lower(content: Any, metric: str) -> dict[str, bool]:
    """Return for each task whether lower is better, if the file says so."""
    said = content.get("higher_is_better") or {}
    higher = {task: below(said, task, metric) for task in said}
    return {task: not up for task, up in higher.items() if isinstance(up, bool)}


def read_samples(source: Source, records: Lines) -> Contents:
    """Read the scores of one model on one task, with a topic for each document: `task/doc_id`."""
    match = _SAMPLES_FILE.fullmatch(source.path.name.removesuffix(".gz")) if source.path else None
    task = match[1] + "/" if match else ""
    found, metrics = Gathered(source), _metrics(records)
    for line, record in records:
        for metric in metrics[str(record.get("filter", "none"))]:
            name, value = f"{metric},{record.get('filter', 'none')}", record.get(metric)
            for run, part in enumerate(value if _is_repeated(record, metric) else [value]):
                found.add(name, f"{task}{record['doc_id']}", part, run, line)
    table = found.contents("lm-evaluation-harness, samples")
    table.names = _names(source, match[2] if match else None)
    table.part_of = table.names[-1]
    return table


def _metrics(records: Lines) -> dict[str, list[str]]:
    """Return the numeric metrics of each filter. Other metrics, such as pairs, make sense only over all documents."""
    found: dict[str, dict[str, None]] = {}
    for _, record in records:
        listed = record.get("metrics")
        metrics = listed if isinstance(listed, list) else [key for key in record if key not in _NOT_METRICS]
        numeric = [m for m in metrics if isinstance(m, str) and (_is_number(record.get(m)) or _is_repeated(record, m))]
        found.setdefault(str(record.get("filter", "none")), {}).update(dict.fromkeys(numeric))
    return {name: list(metrics) for name, metrics in found.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _is_repeated(record: Any, metric: str) -> bool:
    """Tell whether a metric has one score for each of the repeated responses."""
    values, responses = record.get(metric), record.get("resps")
    first = responses[0] if isinstance(responses, list) and responses else None
    several = isinstance(values, list) and isinstance(first, list) and len(values) == len(first) > 1
    return several and all(map(_is_number, values))


def _names(source: Source, date: str | None) -> tuple[str, ...]:
    """Name the model of a samples file, from the results file beside it or else from the folder or the file name."""
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


# HELM -----------------------------------------------------------------------------------------------------------------
# HELM: per_instance_stats.json, one scenario of one model per file. The instances are the topics.
#
# The key of a score includes the trial and the perturbation, so these become part of the topic's name. HELM summarises
# each split separately. If a file holds several splits, `exact_match` has the scores on the test split, and
# `exact_match[valid]` the scores on the split `valid`.

# Statistics that describe the run, not its quality. They are read only if a file has no other statistics.
_NO_SCORE = re.compile(
    r"(?:num_|training_|inference_|finish_reason_|prompt_|batch_size\b|max_prob\b|logprob|perplexity|bits_per_byte)"
)


def is_per_instance(content: Any) -> bool:
    """Recognise per_instance_stats.json."""
    return isinstance(content, list) and has_keys(content, "instance_id", "stats")


def is_companion(content: Any) -> bool:
    """Recognise files that HELM writes beside the scores, such as run_spec.json, or stats.json, a summary of scores."""
    if isinstance(content, list):
        return has_keys(content, "name", "count") and isinstance(content[0]["name"], dict)
    return isinstance(content, dict) and ("adapter_spec" in content or "scenario_spec" in content)


def refuse_companion(source: Source, content: Any) -> Contents:
    """Refuse a file that HELM writes beside the scores, because it would be read as a table."""
    raise source.other_kind("holds no scores on topics, which HELM writes to per_instance_stats.json")


def read_helm(source: Source, content: Any) -> Contents:
    """Read the scores of one model on one scenario, with a topic for each instance."""
    model, scenario = _spec(source)
    rows: list[tuple[str, Any, str, Any]] = []
    for record in content:
        topic = f"{scenario}{_topic(record)}"
        for stat in record["stats"]:
            if stat.get("count"):  # otherwise nothing was measured
                mean = stat["mean"] if "mean" in stat else stat["sum"] / stat["count"]
                rows.append((str(stat["name"]["name"]), stat["name"].get("split"), topic, mean))
    splits = {split for _, split, *_ in rows}
    main = next(iter(splits)) if len(splits) == 1 else "test"
    found = Gathered(source)
    for name, split, topic, value in rows:
        found.add(name if split == main else f"{name}[{split}]", topic, value)
    table = found.contents("HELM")
    table.grids = {name: grid for name, grid in table.grids.items() if not _NO_SCORE.match(name)} or table.grids
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
    """Return the model and the scenario, from run_spec.json beside the file or else from the name of the folder."""
    if not source.path:
        return None, ""
    spec = sibling(source.path, "run_spec.json")
    model = below(spec, "adapter_spec", "model")
    name = spec.get("name") if is_companion(spec) else source.path.absolute().parent.name
    if not isinstance(name, str) or "model=" not in name:
        return (model, "") if isinstance(model, str) else (None, "")
    head, _, tail = name.partition("model=")
    named, _, rest = tail.partition(",")
    scenario = (head + rest).rstrip(",:")
    return model if isinstance(model, str) else named.replace("_", "/", 1), f"{scenario}/" if scenario else ""


# Inspect --------------------------------------------------------------------------------------------------------------
# Inspect (inspect_ai): a log as JSON, one task of one model per file. The samples are the topics.

# The numbers that Inspect assigns to grades and words (inspect_ai.scorer.value_to_float).
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def is_inspect(content: Any) -> bool:
    """Recognise an Inspect log."""
    return has_keys(below(content, "eval"), "model", "task")


def read_inspect(source: Source, content: Any) -> Contents:
    """Read the scores of one model on one task: a topic for each sample, `task/id`, and a measure for each scorer.

    A sample that has no score, for instance because of an error, gets nan. Epochs are repeated runs.
    """
    run = content["eval"]
    found, bad = Gathered(source), dict[str, str]()
    for scorer, sample, epoch, value in _scored(content):
        for measure, part in _parts(scorer, value):
            score = _score(part)
            if score is None:
                said = f"{measure!r} of sample {sample!r} is {str(part)[:40]!r}, which is not a score"
                bad.setdefault(measure, said)
            found.add(measure, f"{run['task']}/{sample}", score, epoch)
    for measure, said in bad.items():
        del found.scores[measure]
        if not found.scores:
            raise source.error(said, 1)
        warn_of(source, f"measure {measure!r} left out: {said}")
    reducers = dict.fromkeys(str(part.get("reducer") or "mean") for part in _dicts(content.get("reductions")))
    several = any(sample.get("epoch", 1) != 1 for sample in _dicts(content.get("samples")))
    if several and list(reducers) not in ([], ["mean"]):
        said = f"Inspect reduced the epochs by {listing(reducers)}, but we use their mean; see {named('repeats')}"
        warn_of(source, said)
    if content.get("status", "success") != "success":
        warn_of(source, f"the status of this log is {content['status']!r}, not success")
    samples = [f"{run['task']}/{sample['id']}" for sample in _dicts(content.get("samples")) if "id" in sample]
    return found.contents("Inspect log", str(run["model"]), str(run["model"]), samples)


def _score(value: Any) -> float | None:
    """Convert a value as Inspect does; nan if the value is missing, None if it is not a score."""
    if value is None:
        return math.nan
    if isinstance(value, str):
        word = _GRADES.get(value, _WORDS.get(value.lower()))
        return plain_number(value) if word is None else word
    return value if isinstance(value, int | float) else None


def _scored(content: Any) -> Iterator[tuple[str, Any, int, Any]]:
    for sample in _dicts(content.get("samples")):
        scores = sample.get("scores")
        for scorer, score in scores.items() if isinstance(scores, dict) else ():
            if isinstance(score, dict) and "value" in score:
                yield scorer, sample.get("id"), sample.get("epoch", 1), score["value"]


def _parts(scorer: str, value: Any) -> list[tuple[str, Any]]:
    """Return the measures and values from a scorer. Each entry of a dictionary becomes a measure."""
    if isinstance(value, dict):
        return [(f"{scorer}/{key}", part) for key, part in value.items()]
    return [(scorer, value)]


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []
