"""The meaning of texts: numbers in cells, names of summaries, columns and topics, and measures of errors."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ...errors import argument, either_direction, in_digits, warn

if TYPE_CHECKING:
    from .layout import Origin

# Numbers -----------------------------------------------------------------------------------------------------------

# The possible texts of a cell without a score, in lower case.
NOTHING = frozenset({"", "na", "n/a", "#n/a", "nan", "null", "none", "-"})
HOLES = frozenset({"", "nan", "NaN", "NA"})  # the spellings that most programs write
# Each character can match in only one way, so that even a long cell is refused quickly.
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
ONE_UNIT = "Write all of these scores with the sign, or all without it, in the same unit."


def plain_number(text: str | bytes) -> float | None:
    """Parse a text as a finite number, or return None. Python's own float() also takes 1_000, nan and infinity."""
    text = (text.decode(errors="replace") if isinstance(text, bytes) else text).strip()
    if _NUMBER.fullmatch(text) is None:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def plain_numbers(texts: Sequence[str]) -> list[float] | None:
    """Parse many texts as finite numbers at once; return None if one of them is not a number.

    For ASCII text without underscores, float() differs from `plain_number` only in accepting nan and infinity. These
    make the sum nan or infinite.
    """
    joined = "".join(texts)
    if "_" in joined or not joined.isascii():
        return None
    try:
        values = list(map(float, texts))
    except ValueError:
        return None
    return values if math.isfinite(sum(values)) else None


def number(text: str | bytes) -> float | None:
    """Parse a score as a finite number; a percent sign is dropped."""
    text = text.decode(errors="replace") if isinstance(text, bytes) else text
    return plain_number(text.strip().removesuffix("%"))


def has_percent(cell: Any) -> bool:
    """Tell whether a cell ends with a percent sign."""
    return isinstance(cell, str) and cell.rstrip().endswith("%")


def cell_number(cell: Any) -> float | None:
    """Return a cell's finite number; nan if the cell is empty or marked as missing; None if it holds something else."""
    if cell is None or type(cell).__name__ == "NAType":  # pandas.NA, without importing pandas
        return math.nan
    if isinstance(cell, str):
        return math.nan if cell.strip().lower() in NOTHING else number(cell)
    if not isinstance(cell, int | float | np.floating | np.integer | np.bool_ | Decimal):
        return None
    try:
        value = float(cell)
    except OverflowError:
        return None
    return None if math.isinf(value) else value


def is_fraction(value: float | None) -> bool:
    """Tell whether a value is a number, but not a whole number."""
    return value is not None and 0 < abs(value) % 1 < 1


_FRACTION = 20  # longer cells are not read as a fraction x/y


def not_a_number(cell: Any, where: str, missing: str) -> str:
    """Say what is wrong with a cell that should be a number, and what to write instead.

    >>> not_a_number("1/2", "", "write nan")
    "'1/2' is not a number. If it stands for 0.5, write 0.5; if it is missing, write nan."
    """
    shown = in_digits(cell)
    shown = shown if len(shown) <= 60 else f"{shown[:57]}..."
    instead = "Write digits with a decimal point, such as 0.25, up to 1e300"
    parts = cell.split("/") if isinstance(cell, str) and len(cell) < _FRACTION else ()
    above, below = map(plain_number, parts) if len(parts) == 2 else (None, None)
    if above is not None and below:
        instead = f"If it stands for {above / below:g}, write {above / below:g}"
    return f"{shown}{where} is not a number. {instead}; if it is missing, {missing}."


def no_score(cell: Any, where: str = "", missing: str = "leave the cell empty or write nan") -> str:
    """Say what is wrong with a cell that should be a score: not a number, or a percent sign that other scores lack."""
    if has_percent(cell) and number(cell) is not None:
        return f"{cell}{where} has a percent sign, but other scores have none. {ONE_UNIT}"
    return not_a_number(cell, where, missing)


# Names --------------------------------------------------------------------------------------------------------------

# Names of rows that summarise all topics, in lower case. Such rows never hold the scores of a topic.
SUMMARY = frozenset({"all", "average", "amean", "mean", "avg"})
# Further names of summaries, without blanks and punctuation: these words, perhaps with the words below around them.
# Readers warn when they leave out rows with such names.
_STATISTIC = (
    r"mean|average|avg|amean|all|overall|totals?|sum|std(?:dev|err)?|stdev|sd|standarddeviation|standarderror|variance|"
    r"median|min(?:imum)?|max(?:imum)?|best|worst|range|count|gmean|gm|geomean|macro|micro|pvalue|moyenne|mittelwert|"
    r"durchschnitt|promedio"
)
_AROUND = (
    r"grand|geometric|arithmetic|harmonic|weighted|unweighted|of|over|across|the|scores?|values?|topics|queries|"
    r"questions|tasks|items|samples"
)
_SUMMARIES = re.compile(rf"(?:{_AROUND})*(?:{_STATISTIC})(?:{_STATISTIC}|{_AROUND})*")
_PERCENTILE = re.compile(r"\d+(?:\.\d+)?%")
# The name of a summary has digits only in brackets or in a percentile. Nearly all topics have other digits, so this
# quick test decides for most of them.
_NUMBER_IN_IT = re.compile(r"[^0-9(%]*[0-9][^(%]*")

# Names of columns that hold the error, size, rank or bounds of another column: arc_stderr, arc (SE), rank_arc.
_ERRORS = r"std|std_?dev|stdev|std_?err|standard_deviation|standard_error"
_ABOUT = (
    rf"{_ERRORS}|sd|se|sem|err|errors?|var|variance|ci|mad|iqr|moe|margin|conf|confidence|sig|significance|p_?val(?:ue)?|"
    r"rank|count|num|votes|wins|losses|trials|samples|support|delta|diff"
)
_BEHIND = r"n|p|time|times|secs?|seconds|cost|latency|runtime|tokens?|len|length|size|weight|notes?|comments?|[±σ]"
_LEVEL = r"(?:9\d(?:_\d)?%?_*)?(?:ci_*)?"
_LIMIT = r"(?:_(?:ci|bound|limit))?"
_COMPANIONS: tuple[tuple[Literal["below", "above", "about"], re.Pattern[str]], ...] = (
    ("below", re.compile(rf"(.+?)[\W_]+{_LEVEL}(?:low|lower|lo|lcb|lb|min|minimum|q0?25){_LIMIT}\W*")),
    ("above", re.compile(rf"(.+?)[\W_]+{_LEVEL}(?:high|upper|hi|ucb|ub|max|maximum|q975){_LIMIT}\W*")),
    ("about", re.compile(rf"(.+?)[\W_]+(?:9\d%?_*)?(?:{_ABOUT}|{_BEHIND})\W*")),
    ("about", re.compile(rf"(?:{_ABOUT})[\W_]+(.+?)\W*")),
)
_ERROR = re.compile(rf"(.+?)[\W_]+(?:{_ERRORS})\W*")
_STANDARD_ERROR = re.compile(r"(?:.*_)?(?:std_?err(?:or)?|standard_error)")
# Suffixes to the name of a system in the column that holds its scores: gpt_mean beside gpt_std.
_MAIN = re.compile(r"(.+?)_(?:mean|avg|average|score|value|est|estimate)")
# How pandas names the second of two columns with the same name. The next version of a system may look alike: gpt-4.1.
_AGAIN = re.compile(r"(.+)\.1", re.DOTALL)

_SHORT = 2
# Columns that number the rows, or count something.
_COUNTER = re.compile(
    r"#|n[°ºr]?|no|num|number|x|i|k|idx|ix|index|id|pos|position|order|rank|counter|line|row|seq|sequence|serial|"
    r"samples?|trials?|folds?|reps?|repeats?|repetitions?|replicates?|seeds?|epochs?|"
    r"(?:row|line|seq|sequence|serial|running|s|sl|sr|ser)_*(?:id|no|nr|num|number|idx|index)|row(?:id|no|num)|sno"
)
# Columns of limits whose names do not say which column they belong to.
_LIMITS = re.compile(r"(?:95%?_)?(?:ci|(?:ci_)?(?:lower|upper)(?:_(?:bound|limit|ci))?|ci_(?:low|high)|[lu]cb)")
# Columns that describe topics: query_length, n_words, year.
_QUANTITY = (
    r"len|length|size|counts?|words?|tokens?|chars?|characters|sentences|turns|docs?|documents|passages|judge?ments|"
    r"annotators|assessors|raters|votes|year|month|day|date|time|timestamp|duration|seconds|minutes|hours|latency|"
    r"runtime|weights?|seed|cost|price|budget|difficulty|hardness|freq|frequency"
)
_FACT = re.compile(
    rf"(?:(?:n|num|nr|no_of|number_of|query|topic|question|doc|document|prompt|answer|avg|mean|total|log)_)?(?:{_QUANTITY})"
    r"(?:_(?:s|sec|secs|seconds|ms|min|h|usd|eur|words|chars|tokens|days|years))?|"
    r"(?:n|num|number_of)_(?:rel|relevant|ret|hits|results|items|questions|samples)|(?:is|has)_.+|"
    r"fold|split|epoch|step|trial|version|level|age|temperature|support|category|type|genre|group|cluster"
)

# Names of the columns of a table, in lower case and with _ for blanks, dots and hyphens. The most specific names come
# first: if a table has `qid` and `query`, then `query` holds the text of the query.
SYSTEM_COLUMNS = (
    *("system", "run", "runid", "run_id", "run_name", "system_id", "system_name", "runtag", "run_tag", "name"),
    *("model", "model_name", "model_id", "tag", "team", "team_id", "method", "llm", "approach", "algorithm", "sys"),
    *("submission", "submission_id", "retriever", "ranker", "engine", "systems", "models"),
)
TOPIC_COLUMNS = (
    *("topic", "topic_id", "topicid", "topic_no", "qid", "query_id", "queryid", "q_id", "question_id", "item_id"),
    *("instance_id", "example_id", "sample_id", "doc_id", "query", "topics", "question", "item", "instance", "example"),
    *("task", "task_name", "dataset", "benchmark", "subject", "problem", "prompt", "claim"),
)
# Columns that number the repeated scores of a cell. A column `run` usually names systems; it numbers repeated scores
# only if it holds numbers and another column names the systems.
RUN_COLUMNS = frozenset(
    {"seed", "trial", "epoch", "repeat", "repetition", "replicate", "sample", "trial_id", "run_number", "random_seed"}
)
MEASURE_COLUMNS = ("measure", "metric", "measures", "metrics")
VALUE_COLUMNS = ("value", "score", "scores")
# Columns that hold documents. If a table also has topics, it is a run or qrels.
DOCUMENT_COLUMNS = frozenset(
    {"corpus_id", "docno", "docid", "doc_id", "document_id", "passage_id", "pid", "document", "passage"}
)
# A first column with one of these names numbers the rows of a matrix, which are the topics.
INDEX_COLUMNS = frozenset({"", "id", "index", "rowname", "rownames", "unnamed:_0"})
# In a table with a column of topics, these are row numbers. pandas may add one each time it writes a table.
ROW_NUMBERS = frozenset({"", "unnamed:_0"})
ROW_NUMBERS_AGAIN = re.compile(r"unnamed:_0(?:_\d+)*")
# In a table with a column of topics or systems, these number the rows, too. Readers warn when they skip such columns.
COUNTERS = INDEX_COLUMNS - ROW_NUMBERS | {"level_0", "rank", "#"}
# A column with such a name holds topics.
_TOPIC_ID = re.compile(
    r"(?:topic|query|question|task|problem|item|doc|document|segment|seg|sample|example|instance|prompt|claim|subject)"
    r"_?(?:id|no|nr|num|number)"
)
# A column with such a name holds systems.
_SYSTEM_ID = re.compile(rf"(?:{'|'.join(SYSTEM_COLUMNS)})_?(?:id|no|nr|num|number|name)")

# Families of measures as trec_eval, ir_measures, ranx and similar tools spell them, and the arguments that may follow.
# They serve only to tell measures from topics and systems. `p_bm25`, `r-1` and `set_a` are runs, so only some endings
# count as arguments.
_FAMILY = (
    r"map|gm_map|gmap|gm_bpref|ndcg|dcg|alpha[_-]?n?dcg|n?nrbp|precision|average_precision|recall|rprec|r-?precision|"
    r"bpref|recip_rank|reciprocal_rank|mrr|n?err|rbp|rank_biased_precision|infap|inf_?n?dcg|judged|hits|"
    r"hit_rate|iprec|iprec_at_recall|11pt_avg|unj|relative_p|relstring|rndcg|compat|"
    r"numret|numrel|numq|sdcg|bpm|ipre|yaap|strec|set[prf]|main_score|"
    r"set(?:_(?:p|recall|map|f|relative_p))?|num(?:_(?:q|ret|rel|rel_ret|nonrel_judged_ret))?"
)
_ARGUMENT = (
    r"[@(].*|[_.\-]?\d.*|[_.\-](?:cut|at|ia|rel|mult|avg|avgjg|exp|resid|norm|allnonrel|top\d*\w*)(?:[_.@(\-].*)?"
)
_MEASURE = re.compile(
    rf"runid|Z?(?:(?:{_FAMILY})(?:{_ARGUMENT})?|(?:accuracy|acc|exact_match|f1|f_measure)(?:[@(].*)?|(?:bing|inst|success|utility)(?:{_ARGUMENT})|(?:ap|rr|p|ws|f|g)(?:[@(].*|[_.]\d.*|[_.-]ia.*)?|p_avgjg.*|r(?:[@(].*)?|"
    r"[pr]_?(?:5|10|15|20|30|50|100|200|500|1000))",
    re.IGNORECASE | re.DOTALL,
)
# Usual names of topics: a number, perhaps with a word before it.
_TOPIC = re.compile(
    r"(?:(?:q|t|topic|query|question|item|instance|example|sample|doc|id)[-_ .:/]?)?\d+(?:[_.-]\d+)?", re.IGNORECASE
)
# A number with several digits after a short word, such as MB001.
_NUMBERED = re.compile(r"[A-Za-z]{1,8}[-_]?(?:0\d+|\d{3,})")


_LLMS = (
    r"gpt|chatgpt|claude|gemini|gemma|llama|alpaca|vicuna|mistral|mixtral|qwen|falcon|deepseek|cohere|command|palm|opt|"
    r"bloom|pythia|olmo|zephyr|tulu|grok|nemotron|xwinlm|wizardlm|phi|glm|granite"
)
_VERSIONED = re.compile(rf"(?:.*[^a-z])?(?:{_LLMS})(?:[^a-z].*)?\d|.*[-_ v]\d+", re.IGNORECASE | re.DOTALL)
# Usual names of systems: a word for systems followed by a number or a letter, or the name of a known system.
_SYSTEM = re.compile(
    r"(?:runid|run|system|sys|model|team|submission|method|baseline|retriever|re-?ranker|participant|group|site|lab)"
    r"(?:[-_ .]?(?:[a-z]{0,2}\d+|[a-z]))?|"
    r"(?:bm25f?|qld?|rm3|tf-?idf|dph|pl2|lmdir|splade|colbert|dpr|ance|contriever|bge|gte|e5|mono-?t5|duo-?t5|t5|"
    rf"[a-z]{{0,4}}bert[a-z]{{0,2}}|{_LLMS})(?:[-_ .:/v\d].*)?",
    re.IGNORECASE | re.DOTALL,
)
# Tasks and collections that stand for topics in tables of results.
_TASK = re.compile(
    r"(?:nq|fiqa|scifact|scidocs|arguana|touche|quora|hotpotqa|fever|climate-?fever|dbpedia|trec-?covid|nfcorpus|"
    r"ms-?marco|cqadupstack|mmlu|gsm8k|arc|hellaswag|winogrande|truthfulqa|humaneval|mbpp|bbh|squad|boolq|piqa|siqa|"
    r"openbookqa|triviaqa|gpqa|ifeval|musr|copa|rte|wic|mnli|qnli|sst2|cola|mrpc|qqp)(?:[-_ .:/v\d].*)?",
    re.IGNORECASE | re.DOTALL,
)


def axis_of(labels: Collection[str]) -> str | None:
    """Tell whether labels look like `systems` or `topics`; None if unclear.

    Numbers that only count (0, 1, 2, ...) are unclear, because systems may be numbered, too.

    >>> axis_of(["bm25", "ql"]), axis_of(["301", "302"]), axis_of(["1", "2"]), axis_of(["red", "blue"])
    ('systems', 'topics', None, None)
    """
    labels = [label for label in labels if not is_summary(label)]
    if not labels or counts(labels):
        return None
    if all(looks_like_topic(label) for label in labels):
        return "topics"
    systems, tasks = (
        sum(len(label) < 100 and kind.fullmatch(label) is not None for label in labels) for kind in (_SYSTEM, _TASK)
    )
    if any(looks_like_topic(label) for label in labels) or (systems and tasks):
        return None
    return "systems" if 2 * systems >= len(labels) else "topics" if 2 * tasks >= len(labels) else None


def counts(labels: Collection[str]) -> bool:
    """Tell whether labels are 0, 1, 2, ... or 1, 2, 3, ..."""
    return any(all(label == str(k) for k, label in enumerate(labels, start)) for start in (0, 1))


_STATISTIC_COLUMN = re.compile(
    r"(?:n|num|nr|no|avg|mean|std|sd|se|lc|total|discrete)_.+|.*(?:_error|_stderr|_std|_se|_ci|_length|_rate|winrate|"
    r"_count|_score|_rank|_rating|_cost|_time)|votes?|battles|wins|losses|draws|elo|rating|rank|count|size|params|length|"
    r"price|cost|latency|time|date|year|points|borda|mode|license|lower|upper|ci|se|sd|std|variance"
)


def is_statistic(name: str) -> bool:
    """Tell whether a column of this name describes systems instead of holding their scores on a topic: n_wins, elo."""
    return _STATISTIC_COLUMN.fullmatch(column_name(name)) is not None


_RESULT = re.compile(r"(?:.+_)?win_?rate|elo(?:_.+)?|rating|battles|votes|licen[sc]e|organi[sz]ation")


def is_result(name: str) -> bool:
    """Tell whether a column of this name occurs only in tables with a row for each system: win_rate, elo, license."""
    return _RESULT.fullmatch(column_name(name)) is not None


def names_topics(name: str) -> bool:
    """Tell whether a column of this name holds topics: topic, query id."""
    name = column_name(name)
    return name in TOPIC_COLUMNS or _TOPIC_ID.fullmatch(name) is not None


def looks_like_measure(name: str) -> bool:
    """Tell whether a name looks like an evaluation measure, as common tools print it.

    >>> [looks_like_measure(n) for n in ("ndcg_cut_10", "nDCG@10", "RBP(p=0.8)", "301", "bm25")]
    [True, True, True, False, False]
    """
    return len(name) < 100 and _MEASURE.fullmatch(name) is not None


def looks_like_topic(name: str) -> bool:
    """Tell whether a name is a number, perhaps after a word for a topic: 301, q_12, 31_1."""
    return len(name) < 100 and _TOPIC.fullmatch(name) is not None


def may_be_topic(name: str) -> bool:
    """Tell whether a name looks like a topic or a summary, or joins a short word and a number: MB001."""
    return looks_like_topic(name) or is_summary(name) or (len(name) < 100 and _NUMBERED.fullmatch(name) is not None)


def is_summary(topic: str) -> bool:
    """Tell whether a row of this name summarises all topics.

    >>> [is_summary(n) for n in ("all", "Mean:", "macro_avg", "mean (n=50)", "301", "min1")]
    [True, True, True, True, False, False]
    """
    return not topic.isdigit() and len(topic) <= 100 and _NUMBER_IN_IT.fullmatch(topic) is None and _summarises(topic)


@functools.lru_cache(maxsize=2**14)
def _summarises(topic: str) -> bool:
    plain = re.sub(r"(?<=\w)\s*\([^()]*\)$", "", topic.strip().lower())  # Average (n=50)
    return (
        topic.lower() in SUMMARY
        or _SUMMARIES.fullmatch(re.sub(r"[\W_]+", "", plain)) is not None
        or _PERCENTILE.fullmatch(topic) is not None
    )


def error_of_another(names: Collection[str]) -> str | None:
    """Return the first name that consists of another name and a word for a standard error or deviation, or None.

    >>> error_of_another(["arc", "arc_stderr"]), error_of_another(["arc", "mmlu_stderr"])
    ('arc_stderr', None)
    """
    known = {column_name(name) for name in names}
    short = (name for name in names if len(name) < 100 and "st" in name.lower())  # all of these words contain st
    return next((name for name in short if (found := _ERROR.fullmatch(column_name(name))) and found[1] in known), None)


def is_standard_error(name: str) -> bool:
    """Tell whether a column of this name holds the standard errors of the column before it.

    >>> [is_standard_error(name) for name in ("lc_standard_error", "acc_stderr", "std", "base")]
    [True, True, False, False]
    """
    return _STANDARD_ERROR.fullmatch(column_name(name)) is not None


class CompanionColumn(NamedTuple):
    """The column that the name of another one refers to, and the relation: bound, duplicate, next version, or other."""

    of: str
    kind: Literal["below", "above", "double", "version", "about"]


def companions(names: Collection[str]) -> dict[str, CompanionColumn]:
    """Find the columns whose names say that they belong to another column.

    >>> {name: of for name, (of, _) in companions(["a", "b_mean", "a_ci", "rank(a)", "b_low", "c_n", "a.1"]).items()}
    {'a_ci': 'a', 'rank(a)': 'a', 'b_low': 'b_mean', 'a.1': 'a'}
    """
    known, given = {column_name(name): name for name in names}, set(names)
    for name in names:
        if main := _MAIN.fullmatch(column_name(name)):
            known.setdefault(main[1], name)
    found: dict[str, CompanionColumn] = {}
    for name in names:
        plain = column_name(name)
        if len(name) > 100:
            continue
        again = _AGAIN.fullmatch(name)
        if again and again[1] in given:
            found[name] = CompanionColumn(again[1], "version" if _VERSIONED.fullmatch(again[1]) else "double")
        for kind, pattern in _COMPANIONS:
            match = pattern.fullmatch(plain)
            if name not in found and match and known.get(match[1], name) != name:
                found[name] = CompanionColumn(known[match[1]], kind)
    return found


def summaries_among(systems: Collection[str]) -> list[str]:
    """Find the names that summarise systems. If there is also b_mean, then a_mean is system a and not a summary.

    >>> summaries_among(["a", "b", "best"]), summaries_among(["a_mean", "b_mean"])
    (['best'], [])
    """
    means = {name for name in systems if (of := _MAIN.fullmatch(column_name(name))) and not is_summary(of[1])}
    return [name for name in systems if is_summary(name) and not (name in means and len(means) > 1)]


def is_one_of_short(name: str, names: Collection[str]) -> bool:
    """Tell whether a name and most other names have one or two letters. Then `n` and `no` are ordinary names."""
    return len(name) <= _SHORT and 2 * sum(len(other) <= _SHORT for other in names) > len(names)


def names_counter(name: str) -> bool:
    """Tell whether a column of whole numbers with this name numbers the rows or holds counts: Nr, S.No, idx, n."""
    return _COUNTER.fullmatch(column_name(name)) is not None


def names_limits(name: str) -> bool:
    """Tell whether a column of this name holds limits of other scores: lower, ci_upper."""
    return _LIMITS.fullmatch(column_name(name)) is not None


def names_fact(name: str) -> bool:
    """Tell whether a column of this name describes topics: length, n_words, year."""
    return _FACT.fullmatch(column_name(name)) is not None


_BESIDE = re.compile(rf"(?:n|num|nr|no)_.+|{_ERRORS}|se|sd|ci|variance")


def stands_beside(name: str) -> bool:
    """Tell whether a measure of this name is a count, a length, a cost or an error, not a measure of quality."""
    beside = _BESIDE.fullmatch(column_name(name)) is not None and not looks_like_measure(name)
    return beside or names_fact(name) or names_counter(name)


@functools.lru_cache(maxsize=2**14)  # a table of 2,000 systems looks each name up ten times
def column_name(name: str) -> str:
    """Convert the name of a column to the spelling of the lists above."""
    return re.sub(r"[\s.-]", "_", name.strip(" \t\n.:").lower())  # R replaces blanks by dots


def names_systems(name: str) -> bool:
    """Tell whether a column of this name holds systems: run, LLM name."""
    name = column_name(name)
    return name in SYSTEM_COLUMNS or _SYSTEM_ID.fullmatch(name) is not None


def names_labels(name: str) -> bool:
    """Tell whether a column of this name holds topics, systems or row numbers."""
    return names_systems(name) or names_topics(name) or column_name(name) in INDEX_COLUMNS


def holds_labels(name: str, place: int) -> bool:
    """Tell whether a column may label rows, by its name or because it comes first. Its cells then stay text."""
    plain = column_name(name)
    return (
        place == 0
        or names_labels(name)
        or plain in MEASURE_COLUMNS
        or plain in DOCUMENT_COLUMNS
        or plain in COUNTERS
        or ROW_NUMBERS_AGAIN.fullmatch(plain) is not None
    )


def spelling(name: str) -> str:
    """Return one common spelling for a measure that tools spell differently: ndcg_cut.10, ndcg_cut_10, nDCG@10."""
    plain = re.sub(r"[^a-z0-9]", "", name.lower().split(",")[0].replace("_cut", "").replace("precision", "p"))
    return {"ap": "map", "rr": "reciprank", "mrr": "reciprank"}.get(plain, plain)


# The measures that most people want, as `spelling` writes them.
_WELL_KNOWN = ("map", "ndcg10", "p10", "reciprank", "ndcg", "rprec", "bpref", "recall1000", "p5", "ndcg20")


def well_known(measures: Collection[str]) -> list[str]:
    """Select the measures that most people want, the best known first.

    >>> well_known(["num_q", "P_10", "recip_rank", "nDCG@10"])
    ['nDCG@10', 'P_10', 'recip_rank']
    """
    return [name for wanted in _WELL_KNOWN for name in measures if spelling(name.removeprefix("Z")) == wanted]


# Words, in lower case, in names of measures for which lower is better. ERR, expected reciprocal rank, is not included.
_WORSE = (
    r"[cwt]er|hter|mer|wil|eer|der|loss(?:es)?|errors?|err rate|mistakes?|failures?|violations?|penalt(?:y|ies)|regret|"
    r"n?r?mse|r?msle|mae|s?mape|crps|perplexit(?:y|ies)|ppl|nll|brier|[em]ce|cross ?entropy|bits per \w+|bp[bc]|"
    r"divergence|distance|levenshtein|fid|latency|runtime|times?|duration|seconds|costs?|prices?|toxicity|stereotype|"
    r"likelihood difference|hallucinations?|f[pn]r|false (?:positives?|negatives?)|neg(?:ative)? log lik\w*|ranks?"
)
# Words that reverse the direction: neg_log_loss, error_reduction, mean reciprocal rank, cost_efficiency.
_TURNED = (
    r"neg(?:ative|ated)?|inverse|inverted|reciprocal|recip|biased|acc|accuracy|precision|recall|f ?\d.*|auc|auroc|"
    r"corr|correlation|spearman|pearson|kendall|tau|reductions?|gains?|improvements?|savings?|efficiency|free|"
    r"effectiveness|robustness|detection|correction|wins?|standard"
)
_AN_ERROR, _NOT_ONE = re.compile(rf"\b(?:{_WORSE})\b"), re.compile(rf"\b(?:{_TURNED})\b")
_ALWAYS = re.compile(r"\bfalse (?:pos|neg)|\bneg(?:ative)? log lik")
_ONE_MINUS = re.compile(r"\s*(?:1(?:00)?\s*)?[-\u2013\u2212]")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def usually_an_error(measure: str) -> bool:
    """Tell whether lower is usually better for a measure of this name: one word says so, and no other word reverses it.

    >>> [usually_an_error(name) for name in ("WER (%)", "eval_loss", "wordErrorRate", "mean rank")]
    [True, True, True, True]
    >>> [usually_an_error(name) for name in ("neg_log_loss", "1-wer", "ERR@20", "terrier", "recip_rank")]
    [False, False, False, False, False]
    """
    words = " ".join(_WORD.findall(measure[:200])).lower()
    if _ONE_MINUS.match(measure) or not _AN_ERROR.search(words):
        return False
    return _ALWAYS.search(words) is not None or _NOT_ONE.search(words) is None


def direction(
    measure: str, said: bool | None, origin: Origin, by_file: Collection[bool] = (), side: str = "PATH"
) -> bool:
    """Tell whether lower is better: the caller decides, or else the files. Raise an error if only the name suggests it.

    `by_file` holds what the files say about the selected topics, and `side` names the files on the command line.
    """
    if said is not None:
        if by_file and said not in by_file:
            warn(f"{origin.label} says that {_better(not said)} for {measure!r}; it was read as if {_better(said)}")
        return said
    if len(set(by_file)) > 1:
        mixed = f"says that lower is better for {measure!r} on some topics and higher on others"
        raise origin.error(f"{mixed}: choose topics of one direction with {argument('topics')}")
    if by_file:
        lower = next(iter(by_file))
        if lower:
            warn(f"{origin.label} says that lower is better for {measure!r}, and it was read that way")
        return lower
    if usually_an_error(measure):
        usual = f"lower is usually better for {measure!r}, and no direction was given"
        raise origin.error(f"{usual}: {either_direction(side)}")
    return False


def _better(lower: bool) -> str:
    return f"{'lower' if lower else 'higher'} is better"
