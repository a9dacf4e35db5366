"""Odd tables, each with what a careful person expects: the right matrix, or an error that names the way out."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Odd(NamedTuple):
    """A file's content, how it is read, and what comes out: labels and values, or a pattern that the error matches."""

    content: str
    expected: Any
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed
    warns: str | None = None


def matrix(topics: str, systems: str, *rows: list[float]) -> dict[str, Any]:
    return {"topics": tuple(topics.split()), "systems": tuple(systems.split()), "values": [list(row) for row in rows]}


def means(systems: str, *values: float) -> dict[str, Any]:
    return {"topics": (), "systems": tuple(systems.split()), "values": list(values)}


TWO_WAYS = r"can be read in two ways: the rows .* may be topics .* systems, or the other way round"
A, B = [0.5, 0.6], [0.1, 0.2]
A_T, B_T = [0.5, 0.1], [0.6, 0.2]

SYSTEM_WORDS = [
    "system",
    "run",
    "runid",
    "run_id",
    "Run ID",
    "run.name",
    "System",
    "SYSTEM",
    "model",
    "Model Name",
    "model-id",
    "method",
    "Approach",
    "algorithm",
    "LLM",
    "llm name",
    "retriever",
    "ranker",
    "submission",
    "submission_id",
    "team",
    "tag",
    "runtag",
    "sys",
]
TOPIC_WORDS = [
    "topic",
    "Topic",
    "topic_id",
    "topicid",
    "Topic No",
    "qid",
    "QID",
    "query_id",
    "Query-ID",
    "query",
    "question",
    "question_id",
    "item",
    "item_id",
    "instance",
    "instance_id",
    "example",
    "task",
    "task_name",
    "Task ID",
    "dataset",
    "benchmark",
    "subject",
    "problem",
    "prompt",
    "claim",
    "sample_id",
    "problem_no",
]
UNKNOWN_WORDS = (
    "config_id",
    "trial_no",
    "checkpoint",
    "variant",
    "setting",
    "stage",
    "exp",
    "id",
    "",
    "index",
    "label",
    "x",
)

KNOWN_BY_COLUMN = [
    *(Odd(f"{word},301,302\nfoo,.5,.6\nbar,.1,.2\n", matrix("301 302", "foo bar", A_T, B_T)) for word in SYSTEM_WORDS),
    *(Odd(f"{word},one,two\nfoo,.5,.6\nbar,.1,.2\n", matrix("foo bar", "one two", A, B)) for word in TOPIC_WORDS),
    *(Odd(f"{word},bm25,ql\n1,.5,.6\n2,.1,.2\n", matrix("1 2", "bm25 ql", A, B)) for word in TOPIC_WORDS),
]
UNKNOWN = [
    *(Odd(f"{word},one,two\n{a},.5,.6\n{b},.1,.2\n", TWO_WAYS) for word in UNKNOWN_WORDS
      for a, b in (("foo", "bar"), ("exp000", "exp001"), ("A", "B"))),
    *(Odd(f"{word},one,two\n{start},.5,.6\n{start + 1},.1,.2\n", TWO_WAYS) for word in ("", "id", "index", "x", "exp")
      for start in (0, 1)),
    *(Odd(f"{word},0,1\n0,.5,.6\n1,.1,.2\n", TWO_WAYS) for word in ("", "id", "index")),
    *(Odd(f"{word},one,two\nfoo,.5,.6\nbar,.1,.2\n", matrix("foo bar", "one two", A, B), {"topic_column": word})
      for word in UNKNOWN_WORDS),
    *(Odd(f"{word},301,302\nfoo,.5,.6\nbar,.1,.2\n", matrix("301 302", "foo bar", A_T, B_T), {"system_column": word})
      for word in UNKNOWN_WORDS),
    *(Odd(f"{word},one,two\n1,.5,.6\n2,.1,.2\n", matrix("one two", "1 2", A_T, B_T), {"system_column": word},
          "was read as a topic") for word in ("", "id", "config_id", "trial_no")),
    Odd("name,one,two\nfoo,.5,.6\nbar,.1,.2\n", "pass system_column='name' or topic_column='name'"),
    Odd("name,one,two\nfoo,.5,.6\nbar,.1,.2\n", matrix("foo bar", "one two", A, B), {"topic_column": "name"}),
    Odd(",301,302\n401,.5,.6\n402,.1,.2\n", TWO_WAYS),
    Odd(",bm25,ql\ngpt-4,.5,.6\nllama-2,.1,.2\n", TWO_WAYS),
    Odd("q1,q2\n.5,.6\n.1,.2\n", TWO_WAYS),
    Odd("nq,fiqa\n.5,.6\n.1,.2\n", TWO_WAYS),
    Odd("topic,a\n1,.5\n2,.6\n", "has no column 'qid'; available: topic, a", {"topic_column": "qid"}),
    Odd("topic,a\n1,.5\n2,.6\n", "is given twice", {"topic_column": "a", "system_column": "a"}),
]  # fmt: skip
KNOWN_BY_LABELS = [
    *(Odd(f"{word},nq,fiqa\n{a},.5,.6\n{b},.1,.2\n", matrix("nq fiqa", f"{a} {b}", A_T, B_T)) for word in ("", "id", "x")
      for a, b in (("sys01", "sys02"), ("run001", "run002"), ("model_01", "model_02"), ("team01", "team02"),
                   ("bm25", "splade"), ("gpt-4o", "claude-3"), ("run-a", "run-b"), ("System1", "System2"))),
    *(Odd(f"{word},foo,bar\n{a},.5,.6\n{b},.1,.2\n", matrix(f"{a} {b}", "foo bar", A, B)) for word in ("", "id", "index")
      for a, b in (("q1", "q2"), ("301", "302"), ("topic_3", "topic_4"), ("31_1", "31_2"), ("T7", "T9"))),
    *(Odd(f"{word},bm25,ql\n{a},.5,.6\n{b},.1,.2\n", matrix(f"{a} {b}", "bm25 ql", A, B)) for word in ("", "id", "key")
      for a, b in (("MB001", "MB002"), ("red", "blue"), ("exp000", "exp001"))),
    *(Odd(f",{a},{b}\nfoo,.5,.6\nbar,.1,.2\n", matrix(f"{a} {b}", "foo bar", A_T, B_T))
      for a, b in (("q1", "q2"), ("301", "302"), ("mmlu", "gsm8k"), ("arc_challenge", "hellaswag"))),
    Odd(",bm25,ql\n0,.5,.6\n1,.1,.2\n", {"topics": ("row 1", "row 2"), "systems": ("bm25", "ql"), "values": [A, B]}),
    Odd("bm25,ql\n.5,.6\n.1,.2\n", {"topics": ("row 1", "row 2"), "systems": ("bm25", "ql"), "values": [A, B]}),
    Odd("foo,bar\n.5,.6\n.1,.2\n", {"topics": ("row 1", "row 2"), "systems": ("foo", "bar"), "values": [A, B]}),
    Odd("topic,runid2,runid3\n7,.5,.6\n9,.1,.2\n", matrix("7 9", "runid2 runid3", A, B)),
]  # fmt: skip

BASE = "topic,a,b\n301,.5,.6\n302,.1,.2\n"
EXPECTED = matrix("301 302", "a b", A, B)
WRITTEN = [
    Odd(BASE, EXPECTED),
    Odd(BASE.replace(",", "\t"), EXPECTED),
    Odd(BASE.replace(",", ";"), EXPECTED),
    Odd(BASE.replace(",", " "), EXPECTED),
    Odd(BASE.replace(",", ", "), EXPECTED),
    Odd(BASE.replace("\n", "\r\n"), EXPECTED),
    Odd(BASE.replace("\n", "\r"), EXPECTED),
    Odd("\ufeff" + BASE, EXPECTED),
    Odd("# made by hand\n" + BASE, EXPECTED),
    Odd("\n\n" + BASE + "\n\n", EXPECTED),
    Odd(BASE.replace("\n302", "\n# half way\n302"), EXPECTED),
    Odd('"topic","a","b"\n"301",".5",".6"\n"302",.1,.2\n', EXPECTED),
    Odd('"a" "b"\n"301" .5 .6\n"302" .1 .2\n', EXPECTED),
    Odd("topic,a,b\n301,.5,.6,\n302,.1,.2,\n", EXPECTED),
    Odd("a,b,topic\n.5,.6,301\n.1,.2,302\n", EXPECTED),
    Odd(",topic,a,b\n0,301,.5,.6\n1,302,.1,.2\n", EXPECTED),
    Odd("Unnamed: 0,topic,a,b\n0,301,.5,.6\n1,302,.1,.2\n", EXPECTED),
    Odd("topic,a b,c,d\n301,.5,.6,.7\n", {"topics": ("301",), "systems": ("a b", "c", "d"), "values": [[0.5, 0.6, 0.7]]}),
    Odd('topic,"a,b",c\n301,.5,.6\n', {"topics": ("301",), "systems": ("a,b", "c"), "values": [A]}),
    Odd("topic,é,ß\n301,.5,.6\n302,.1,.2\n", matrix("301 302", "é ß", A, B)),
    Odd(json.dumps([{"topic": 301, "a": 0.5, "b": 0.6}, {"topic": 302, "a": 0.1, "b": 0.2}]), EXPECTED),
    Odd('{"topic": "301", "a": 0.5, "b": 0.6, "value": 1}\n', "none that names the systems"),
    Odd(json.dumps({"a": {"301": 0.5, "302": 0.1}, "b": {"301": 0.6, "302": 0.2}}), EXPECTED),
    Odd(json.dumps({"301": {"a": 0.5, "b": 0.6}, "302": {"a": 0.1, "b": 0.2}}), "cannot tell which of the levels"),
    Odd(json.dumps({"x": {"a": {"301": {"map": 0.5}, "302": {"map": 0.1}}, "b": {"301": {"map": 0.6}, "302": {"map": 0.2}}},
                    "seed": 7}), EXPECTED),
]  # fmt: skip
NUMBERS = [
    *(Odd(f"topic,a,b\n1,{text},.5\n2,.25,1\n", matrix("1 2", "a b", [value, 0.5], [0.25, 1.0]))
      for text, value in (("1e-3", 1e-3), ("-0.5", -0.5), ("+0.5", 0.5), (".5", 0.5), ("5.", 5.0), ("00.5", 0.5), ("1E5", 1e5),
                          ("0.1234567890123456789", 0.1234567890123456789), ("9007199254740993", 9007199254740992.0),
                          ("0.30000000000000004", 0.1 + 0.2), ("123456789012345678901234", 1.2345678901234568e23),
                          ("-0", 0.0), ("0.1", 0.1), (" 0.25 ", 0.25), ('"0.75"', 0.75), ("1e-320", 1e-320))),
    *(Odd(f"topic,a,b\n1,{cell},.5\n2,.25,1\n", "file:2: .* in column 'a' is not a number. .* if it is missing, leave")
      for cell in ("x", '"0,5"', "1_000", "0x10", "1/2", "--1", "１", ".", "--", "1.2.3", "1-2", "0.5*", "(0.5)", "½")),
    *(Odd(f"topic,a,b\n1,{cell},.5\n2,.25,1\n", "file:2: .* in column 'a' is not a number")
      for cell in ("inf", "-inf", "Infinity", "1e999")),
    Odd("topic,a,b\n1,50%,25 %\n2,.25%,1%\n", matrix("1 2", "a b", [50.0, 25.0], [0.25, 1.0])),
    Odd("topic,a,b\n1,50%,.5\n2,25%,1\n", "file:1: column 'a' has scores with a percent sign, but 'b' has none"),
    Odd("topic,a,b\n1,0.5,.5\n2,25%,1\n", "file:3: 25% in column 'a' has .* but other scores have none"),
    *(Odd(f"topic,a,b\n1,{cell},.5\n2,.25,1\n", "a lacks topic 1")
      for cell in ("", "NA", "N/A", "nan", "NaN", "null", "None", "-", "#N/A")),
    *(Odd(f"topic,a,b\n1,{cell},.5\n2,.25,1\n", matrix("2", "a b", [0.25, 1.0]), {"missing": "drop"}, "1 topic dropped")
      for cell in ("", "NA", "nan", "-")),
    Odd("topic,a,b\n1,,.5\n2,.25,1\n", matrix("1 2", "a b", [0.0, 0.5], [0.25, 1.0]), {"missing": "zero"}, "set to 0"),
    Odd("topic,a,b\n1,,.5\n2,.25,1\n", matrix("1 2", "b", [0.5], [1.0]), {"missing": "drop-systems"}, "1 system dropped"),
]  # fmt: skip
FOUR = "topic,a,b\n1,.511,.622\n2,.133,.244\n3,.355,.466\n"
FOUR_EXPECTED = matrix("1 2 3", "a b", [0.511, 0.622], [0.133, 0.244], [0.355, 0.466])
SUMMARIES = [
    *(Odd(FOUR + f"{name},.333,.444\n", FOUR_EXPECTED) for name in ("all", "mean", "Average", "amean", "AVG")),
    *(Odd(FOUR + f"{name},.9,.9\n", FOUR_EXPECTED, {}, "summarise topics")
      for name in ("all", "mean", "Average", "Mean:", "overall", "total", "std", "Median", "macro_avg", "Average (n=3)", "all topics", "min", "25%")),
    *(Odd(FOUR + f"{name},.333,.444\n", FOUR_EXPECTED, {}, "it is the mean of the other rows")
      for name in ("zusammen", "Ø", "999", "everything", "the lot")),
    Odd(FOUR + "4,.333,.445\n", matrix("1 2 3 4", "a b", [0.511, 0.622], [0.133, 0.244], [0.355, 0.466], [0.333, 0.445])),
    Odd("topic,a,b\nzusammen,.333,.444\n" + FOUR.partition("\n")[2], FOUR_EXPECTED, {}, "it is the mean of the other rows"),
    Odd("topic,a,b\n1,1,1\n2,1,1\n3,1,1\n4,1,1\n", matrix("1 2 3 4", "a b", *[[1.0, 1.0]] * 4)),
    *(Odd(f"topic,a,{name}\n1,.5,.6\n", "do not look like systems: .* \\(a summary\\)") for name in ("mean", "Average", "all", "overall")),
    *(Odd(f"topic,arc,{name}\n1,.5,.6\n", "do not look like systems: .* \\(belongs to 'arc'\\)") for name in ("arc_stderr", "arc (std)")),
]  # fmt: skip
_TASKS = "model,nq,mmlu,{0}\na,.1,.2,{1}\nb,.2,.3,{2}\nc,.3,.1,{3}\n"
BESIDE = [
    *(Odd(_TASKS.format(name, 3, 1, 2), rf"do not look like topics: '{name}' \(a row number or a count\)\. Leave .*topics=\['!{name}'\]")
      for name in ("samples", "trial", "fold", "rep", "seed")),
    *(Odd(_TASKS.format(name, 3, 1, 2), rf"do not look like topics: '{name}' \(a fact about systems\)") for name in ("tokens", "version")),
    Odd(_TASKS.format("samples", .3, .1, .2), matrix("nq mmlu samples", "a b c", [.1, .2, .3], [.2, .3, .1], [.3, .1, .2])),
    Odd(_TASKS.format("stderr", .3, .1, .2), matrix("nq mmlu", "a b c", [.1, .2, .3], [.2, .3, .1]), {}, "columns with such names summarise topics: stderr"),
    *(Odd(f"topic,a,b,{name}\n1,.1,.2,2\n2,.3,.4,2\n", f"do not look like systems: '{name}'") for name in ("rep", "lower", "upper", "ci_low", "95%_ci")),
    *(Odd(f"{name},accuracy,run_id\nfoo,.5,101\nbar,.6,102\n", f"columns '{name}' and 'run_id' may both name the systems: pass system_column='{name}' or")
      for name in ("method", "engine", "approach")),
    Odd("task,method,accuracy,run_id\n1,x,.5,7\n1,y,.6,8\n2,x,.1,9\n2,y,.2,10\n", "'method' and 'run_id' may both name the systems"),
    Odd("task,method,accuracy,run_id\n1,x,.5,7\n1,y,.6,8\n2,x,.1,9\n2,y,.2,10\n", matrix("1 2", "x y", A, B),
        {"system_column": "method", "measure": "accuracy"}),
    Odd("method,accuracy,run_id\nfoo,.5,101\nbar,.6,102\n", means("101 102", .5, .6), {"system_column": "run_id", "measure": "accuracy"}),
    Odd("bm25,0.5,v1\nql,0.6,v1\ndpr,0.7,v2\n", r"has scores instead of names of columns \(0\.5\)"),
    Odd("system,topic,run,value\nx,1,1,.5\nx,1,2,.7\ny,1,1,.1\ny,1,2,.3\n", matrix("1", "x y", [.6, .2]), {}, "each topic has up to 2 runs"),
    Odd("system,topic,run,value\nx,1,7,.5\ny,1,8,.1\n", matrix("1", "x y", [.5, .1])),
]  # fmt: skip
TWICE = [
    Odd("topic,a,a\n1,.5,.6\n", "two columns are named 'a'"),
    Odd("topic,a,\n1,.5,.6\n", "column 3 has no name"),
    Odd("topic,a\n1,.5\n1,.6\n", "topic '1' already has a row"),
    Odd("system,301,302\nx,.5,.6\nx,.1,.2\n", "system 'x' already has a row"),
    Odd("system,topic,value\nx,1,.5\nx,1,.6\n", "system 'x' already has a score on topic '1' .*pass run_column= if"),
    Odd("system,topic,judge,value\nx,1,me,.5\nx,1,you,.6\n", "keep one value of judge"),
    Odd("system,fold,score\nx,one,.5\nx,two,.6\ny,one,.1\ny,two,.2\n", "or pass topic_column= if a column holds topics"),
    Odd("system,fold,score\nx,one,.5\nx,two,.6\ny,one,.1\ny,two,.2\n", matrix("one two", "x y", A_T, B_T),
        {"topic_column": "fold"}),
    Odd(",system,score\n0,x,.5\n1,x,.6\n0,y,.1\n1,y,.2\n", "system 'x' already has a row"),
    Odd("topic,qid,a\n1,11,.5\n2,12,.6\n", "two columns named like topics"),
    Odd("topic,qid,a\n1,11,.5\n2,12,.6\n", "two columns named like topics, .* choose one with topic_column="),
]  # fmt: skip
LONG_ROWS = "x,1,.5\ny,1,.6\nx,2,.1\ny,2,.2\n"
LONG_EXPECTED = matrix("1 2", "x y", A, B)
LONG = [
    *(Odd(f"{system},{topic},{value}\n{LONG_ROWS}", LONG_EXPECTED)
      for system in ("system", "run", "model", "name", "tag", "LLM")
      for topic in ("topic", "qid", "query_id", "question_id") for value in ("value", "score")),
    *(Odd(f"{header}\n{LONG_ROWS}", LONG_EXPECTED, {"system_column": "who", "topic_column": "where", "score_column": "what"})
      for header in ("who,where,what",)),
    Odd(f"who,qid,value\n{LONG_ROWS}", LONG_EXPECTED, {"system_column": "who"}),
    Odd(f"system,where,value\n{LONG_ROWS}", LONG_EXPECTED, {"topic_column": "where"}),
    Odd(f"system,qid,rating\n{LONG_ROWS}", {**LONG_EXPECTED, "measure": "rating"}),
    Odd(f"system,qid,rating\n{LONG_ROWS}", LONG_EXPECTED, {"score_column": "rating"}),
    Odd(f"who,qid,value\n{LONG_ROWS}", "beside who, but none that names the systems: name one with system_column="),
    Odd("run,qid,measure,value\nx,1,map,.5\ny,1,map,.6\nx,2,map,.1\ny,2,map,.2\nx,1,P_5,1\n", LONG_EXPECTED, {"measure": "map"}),
    Odd("run,qid,measure,value\nx,1,map,.5\ny,1,P_5,.6\n", "2 measures; choose one with measure=: map, P_5"),
    Odd("run,qid,map,P_5\nx,1,.5,1\ny,1,.6,1\nx,2,.1,1\ny,2,.2,1\n", LONG_EXPECTED, {"measure": "map"}),
    Odd("run,qid,map,P_5\nx,1,.5,1\n", "there is no measure 'ndcg'; available: map, P_5", {"measure": "ndcg"}),
    Odd("x map 1 .5\ny map 1 .6\nx map 2 .1\ny map 2 .2\n", LONG_EXPECTED),
    Odd("x 1 map .5\ny 1 map .6\nx 2 map .1\ny 2 map .2\nx all map .3\n", LONG_EXPECTED),
    Odd("1 x map .5\n1 y map .6\n", "should be the run, but looks like a topic"),
    Odd("query-id,corpus-id,score\n1,d1,1\n", "scores documents, not topics"),
    Odd("301 Q0 d1 1 .5 x\n", "is a run"),
    Odd("301 0 d1 1\n", "looks like qrels"),
]  # fmt: skip
BOARD = (
    ",win_rate,standard_error,n_total,mode\ngpt-x,97.5,0.5,805,verified\nfoo,88.25,0.75,805,community\nbar,,0.9,804,x\n"
)
LEADERBOARDS = [
    Odd(BOARD, "there are 3 measures; choose one with measure=: win_rate, standard_error, n_total"),
    Odd(BOARD, means("gpt-x foo bar", 805.0, 805.0, 804.0), {"measure": "n_total"}),
    Odd(BOARD, "has no score for bar: leave these systems out with missing='drop-systems'", {"measure": "win_rate"}),
    Odd(BOARD, means("gpt-x foo", 97.5, 88.25), {"measure": "win_rate", "missing": "drop-systems"}, "left out: bar"),
    Odd(BOARD, "there is no measure 'winrate'; did you mean 'win_rate'", {"measure": "winrate"}),
    Odd(BOARD, "'verified' in column 'mode' is not a number", {"measure": "mode"}),
    Odd(BOARD, means("gpt-x foo bar", 0.5, 0.75, 0.9), {"score_column": "standard_error", "system_column": ""}),
    *(Odd(f"{word},elo,votes\nfoo,1200,50\nbar,1100,70\n", "there are 2 measures; choose one") for word in SYSTEM_WORDS[:6]),
    *(Odd(f"{word},elo,votes\nfoo,1200,50\nbar,1100,70\n", means("foo bar", 1200.0, 1100.0), {"measure": "elo"})
      for word in SYSTEM_WORDS[:6]),
    *(Odd(f"{word},{value}\nfoo,.5\nbar,.6\n", means("foo bar", 0.5, 0.6)) for word in ("system", "model", "run")
      for value in ("score", "map", "points", "value")),
    Odd("model,mmlu,gsm8k\nfoo,.5,.6\nbar,.1,.2\n", matrix("mmlu gsm8k", "foo bar", A_T, B_T)),
    Odd("model,mmlu,gsm8k\nfoo,.5,.6\nbar,.1,.2\n", means("foo bar", 0.5, 0.1), {"measure": "mmlu"}),
    Odd("model,alpha,beta\nfoo,.5,.6\nbar,.1,.2\n", matrix("alpha beta", "foo bar", A_T, B_T), {}, "was read as a topic"),
    Odd("model,alpha,beta\nfoo,.5,60\nbar,.1,20\n", "there are 2 measures; choose one"),
    Odd("model,alpha,rank\nfoo,.5,1\nbar,.1,2\n", means("foo bar", 0.5, 0.1), {}, "number the rows: rank"),
    Odd(",map,ndcg\nbm25,.5,.6\nql,.1,.2\n", means("bm25 ql", 0.5, 0.1), {"measure": "map"}),
    Odd(",map,ndcg\nbm25,.5,.6\nql,.1,.2\n", "there are 2 measures; choose one"),
    Odd(",map,ndcg\n301,.5,.6\n302,.1,.2\n", {"topics": ("301", "302"), "systems": ("file",), "values": [[0.5], [0.1]]},
        {"measure": "map"}),
    Odd("model,measure,value\nfoo,map,.5\nbar,map,.6\n", "a column of measures but none of topics"),
    *(Odd(content, "names no measures, so measure 'map' cannot be found", {"measure": "map"})
      for content in (BASE, f"run,qid,value\n{LONG_ROWS}", "bm25,ql\n.5,.6\n", ",bm25\n301,.5\n",
                      json.dumps({"a": {"301": 0.5}, "b": {"301": 0.6}}))),
]  # fmt: skip
NO_TABLES = [
    Odd(".1,.2\n.3,.4\n", "numbers without a header"),
    Odd("q1,.1,.2\nq2,.3,.4\n", "numbers without a header"),
    Odd("Once upon a time\nthere was a file.\n", "not recognised"),
    Odd("topic,a,b\n", "has one line, which may be a header, and no rows"),
    Odd(
        '{"stat_test": "fisher", "metrics": ["map"], "model_names": ["a"], "a": {"scores": {"map": 0.5}}}',
        "is a ranx report, .* write run.scores as JSON",
    ),
    Odd("topic\n1\n", "not recognised|no column of scores"),
    Odd("", "is empty"),
    Odd("topic,a\n1,.5\n2,.6,.7\n", "has 3 fields, but the header has 2"),
    Odd("#1,.5\n", "is empty|no format"),
]
TABLES = [
    *KNOWN_BY_COLUMN, *UNKNOWN, *KNOWN_BY_LABELS, *WRITTEN, *NUMBERS, *SUMMARIES, *BESIDE,
    *TWICE, *LONG, *LEADERBOARDS, *NO_TABLES,
]  # fmt: skip
