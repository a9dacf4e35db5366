"""Matrices, long tables, columns without header and JSON: the variants in the wild, and the wrong ones."""

from __future__ import annotations

import io
import json
import math
import warnings
from typing import Any

import pytest

from concordant.data.scores import Scores
from concordant.errors import DataWarning, InputError, ReadError
from concordant.read import read_scores


def read(content: str, measure: str | None = None, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*does not end with a newline")
        return read_scores({"file": io.StringIO(content)}, measure, **options).complete()


EXPECTED = Scores([[0.1, 0.2], [0.3, 0.4]], ["301", "302"], ["a", "b"])


@pytest.mark.parametrize(
    "content",
    [
        "topic,a,b\n301,0.1,0.2\n302,0.3,0.4\n",
        "a,topic,b\n0.1,301,0.2\n0.3,302,0.4\n",
        '"topic","a","b"\n"301",0.1,0.2\n"302",.3,4e-1\n',
        "topic\ta\tb\n301\t0.1\t0.2\n302\t0.3\t0.4\n",
        "qid;a;b\n301;0.1;0.2\n302;0.3;0.4\n",
        ",a,b\n301,0.1,0.2\n302,0.3,0.4\n",  # pandas' to_csv
        '"a" "b"\n"301" 0.1 0.2\n"302" 0.3 0.4\n',  # R's write.table
        "# a comment\n\ntopic, a, b\n301, 0.1, 0.2\n\n302, 0.3, 0.4\n",
        "topic,a,b\n301,0.1,0.2\n302,0.3,0.4\nmean,0.2,0.3\n",
        "topic,a,b\r\n301,0.1,0.2\r\n302,0.3,0.4\r\nAll,0.2,0.3\r\n",
        "system,topic,value\na,301,0.1\nb,301,0.2\na,302,0.3\nb,302,0.4\n",
        "run topic score\na 301 0.1\nb 301 0.2\na 302 0.3\nb 302 0.4\na all 0.2\n",
        '[{"run": "a", "qid": 301, "value": 0.1}, {"run": "b", "qid": 301, "value": 0.2},'
        '{"run": "a", "qid": 302, "value": 0.3}, {"run": "b", "qid": 302, "value": 0.4}]',
        '{"a": {"301": 0.1, "302": 0.3}, "b": {"302": 0.4, "301": 0.2}}',
    ],
)
def test_without_a_name_for_the_measure(content: str) -> None:
    assert read(content) == EXPECTED
    with pytest.raises(ReadError, match="names no measures, so measure 'map' cannot be found"):
        read(content, "map")


@pytest.mark.parametrize(
    "content",
    [
        "run,topic,map,P_5\na,301,0.1,1\nb,301,0.2,1\na,302,0.3,0\nb,302,0.4,1\n",
        "team,run,topic,map,P_5\nx,a,301,0.1,1\ny,b,301,0.2,1\nx,a,302,0.3,0\ny,b,302,0.4,1\n",
        "runid,query_id,metric,score\na,301,map,0.1\na,301,P_5,1\nb,301,map,0.2\na,302,map,0.3\nb,302,map,0.4\n",
        "a map 301 0.1\nb map 301 0.2\na map 302 0.3\nb map 302 0.4\na P_5 301 1\n",
        "a 301 map 0.1\nb 301 map 0.2\na 302 map 0.3\nb 302 map 0.4\na 301 P_5 1\n",
        "a\t301\tmap\t0.1\nb\t301\tmap\t0.2\na\t302\tmap\t0.3\nb\t302\tmap\t0.4\na\tall\tP_5\t1\na\t301\tP_5\t1\n",
        "a,map,301,0.1\nb,map,301,0.2\na,map,302,0.3\nb,map,302,0.4\na,P_5,301,1\n",
        '{"a": {"301": {"map": 0.1, "P_5": 1}, "302": {"map": 0.3}},'
        ' "b": {"301": {"map": 0.2}, "302": {"map": 0.4}, "all": {"map": 0.3}}}',
        '{"run": "a", "query_id": "301", "measure": "map", "value": 0.1}\n'
        '{"run": "b", "query_id": "301", "measure": "map", "value": 0.2}\n'
        '{"run": "a", "query_id": "302", "measure": "map", "value": 0.3}\n'
        '{"run": "b", "query_id": "302", "measure": "map", "value": 0.4}\n'
        '{"run": "b", "query_id": "302", "measure": "P_5", "value": 1}\n',
    ],
)
def test_with_measures(content: str) -> None:
    assert read(content, "map") == Scores(EXPECTED.values, EXPECTED.topics, EXPECTED.systems, "map")
    with pytest.raises(ReadError, match="2 measures; choose one with measure=: map, P_5"):
        read(content)
    with pytest.raises(ReadError, match="no measure 'nDCG@10'"):
        read(content, "nDCG@10")


@pytest.mark.parametrize(
    "content",
    [
        "topic,map,P_5\n301,0.1,1\n302,0.3,0\n",  # pytrec_eval's result as a frame
        '{"301": {"map": 0.1, "P_5": 1}, "302": {"map": 0.3, "P_5": 0}}',
        '{"map": {"301": 0.1, "302": 0.3}, "P_5": {"301": 1, "302": 0}}',  # ranx, Run.scores
        "301\tmap\t0.1\n302\tmap\t0.3\n301\tP_5\t1\n302\tP_5\t0\nall\tP_5\t0.5\n",
        "qid,measure,value\n301,map,0.1\n302,map,0.3\n301,P_5,0\n302,P_5,0\n",
    ],
)
def test_one_run(content: str) -> None:
    assert read(content, "map") == Scores([[0.1], [0.3]], ["301", "302"], ["file"], "map")


def test_index_column_of_pandas() -> None:
    content = ",name,qid,measure,value\n0,a,1,AP,0.5\n1,a,2,AP,0.25\n"
    assert read(content) == Scores([[0.5], [0.25]], ["1", "2"], ["a"], "AP")


def test_names_that_are_numbers() -> None:
    content = "run,topic,map\n0.1,1,0.5\n0.2,1,0.25\n0.1,2,0.5\n0.2,2,0.5\n"  # a sweep of a parameter
    assert read(content).systems == ("0.1", "0.2")


def test_measures_of_unknown_names() -> None:
    assert read("a all zeta 0.2\na 1 zeta 0.1\n") == Scores([[0.1]], ["1"], ["a"], "zeta")
    assert read("a zeta all 0.2\na zeta 1 0.1\n") == Scores([[0.1]], ["1"], ["a"], "zeta")
    assert read("all zeta 0.2\n1 zeta 0.1\n") == Scores([[0.1]], ["1"], ["file"], "zeta")
    for content in ("a one zeta 0.2\n", "one zeta 0.2\n"):
        with pytest.raises(ReadError, match=r"cannot tell which column.*add a first line"):
            read(content)


def test_holes_of_a_matrix() -> None:
    content = "topic,a,b\n1,0.5,NA\n2,0.25,0.75\n3,,1\n"
    with pytest.raises(InputError, match="a lacks topic 3; b lacks topic 1"):
        read(content)
    with pytest.warns(DataWarning, match="2 topics dropped of 3"):
        assert read(content, missing="drop").topics == ("2",)
    with pytest.warns(DataWarning, match="2 scores of 2 systems missing"):
        assert read(content, missing="zero").values.tolist() == [[0.5, 0], [0.25, 0.75], [0, 1]]
    with pytest.warns(DataWarning, match="2 scores of 2 systems missing, set to the mean"):
        filled = read(content, missing="mean")
    assert filled.values.tolist() == [[0.5, 0.875], [0.25, 0.75], [0.375, 1]]
    assert filled.means().tolist() == [0.375, 0.875]  # each over the topics it has
    with pytest.raises(InputError, match="no scores at all for b"):
        read("topic,a,b\n1,0.5,NA\n2,0.25,NA\n", missing="mean")
    with pytest.raises(InputError, match="no system has all topics"):
        read(content, missing="drop-systems")
    with pytest.raises(InputError, match="no topic is shared by all systems"):
        read("system,topic,value\na,1,0.5\nb,2,0.5\n", missing="drop")


def test_lower_is_better() -> None:
    scores = read("topic,a,b\n1,0,2\n", lower_is_better=True)
    assert scores.ranking() == (("a",), ("b",))
    assert str(scores.values[0, 0]) == "0.0"
    with pytest.raises(InputError, match=r"file: missing=.zero. would give missing topics the best score"):
        read("topic,a,b\n1,2,3\n2,,1\n", lower_is_better=True, missing="zero")
    with pytest.raises(InputError, match="missing is 'skip'"):
        read("topic,a\n1,2\n", missing="skip")


def test_integer_column_that_is_no_system() -> None:
    with pytest.warns(DataWarning, match="'X' holds a different number in each row, so it was read as the topics"):
        assert read("X,bm25,ql\n1,0.5,0.25\n2,0.5,1\n").systems == ("bm25", "ql")
    with pytest.raises(ReadError, match=r"can be read in two ways: .*Pass topic_column='X' or system_column='X'"):
        read("X,a,b\n1,0.5,0.25\n2,0.5,1\n")
    with pytest.raises(ReadError, match="'X' holds numbers that may be topics or scores"):
        read("X,a\n1,2\n2,3\n")
    assert read("X,a\n2,2\n1,3\n").systems == ("X", "a")
    assert read("topic,a\nsmith,2\njones,3\n").topics == ("smith", "jones")


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("topic,a,a\n1,2,3\n", 1, "two columns are named 'a': rename one"),
        ("topic,a,\n1,2,3\n", 1, "column 3 has no name"),
        ("topic,a\n1,2\n1,3\n", 3, "topic '1' already has a row at line 2"),
        ("topic,a\n1,2\n,3\n", 3, "has no topic"),
        ("topic,a\n1,2\n2,3,4\n", 3, "has 3 fields, but the header has 2"),
        ("topic,a\n1,2\n2,x\n", 3, "'x' in column 'a' is not a number"),
        ("topic,a\n1,2\n2,inf\n", 3, "is not a number"),
        ("topic,a\n1,2\n2,1e999\n", 3, "is not a number"),
        ("topic,a\n1,2\n2,1_0\n", 3, "not a number"),
        ('topic,a\n1,2\n2,"3\n', 3, "is not a table"),
        ("topic\n1\n", 1, "not recognised"),
        ("a 1 map 0.5\na all map 0.5\na 1 map 0.5\n", 3, "twice \\(first at line 1\\)"),
        ("a 1 map 0.5\na 2 map\n", 2, "has 3 fields, but the lines before have 4"),
        ("a 1 map 0.5\na 2 map x\n", 2, "'x' is not a number"),
        ("a all map 0.5\n", 1, "only as the summary"),
        ("1 map 0.5\nall map 0.5\n1 map 0.5\n", 3, "twice \\(first at line 1\\)"),
        ("run,topic,map\na,1,0.5\na,1,0.5\n", 3, "system 'a' already has a score on topic '1' at line 2"),
        ("run,topic,judge,value\na,1,x,0.5\na,1,y,0.5\n", 3, "keep one value of judge"),
        ("run,topic,measure\na,1,map\n", 1, "no column named score"),
        ("run,topic,map\na,1,x\n", 2, "'x' in column 'map' is not a number"),
        (
            "topic,model,base\n1,0.5,0.2\n2,0.25,0.3\n",
            1,
            "'model' should name the systems, but holds numbers",
        ),
        ("0.1,0.2\n0.3,0.4\n", 1, "numbers without a header"),
        ("1\n2\n", 1, "not recognised"),
        ("map 0.25\nP_5 0.5\n", 1, "two columns, a measure and its mean"),
        ("Once upon a time\nthere was a file.\n", 1, "not recognised.*trec_eval; four.*Once upon"),
        ("topic,a,b\n", 1, "has one line, which may be a header"),
        ("301 Q0 d1 1 0.5 tag\n", 1, "is a run"),
        ("301 0 d1 1\n", 1, "looks like qrels"),
    ],
)
def test_refused_with_line_and_text(content: str, line: int, message: str) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        read(content, "map")
    assert (caught.value.path, caught.value.line) == ("file", line)
    assert caught.value.text == content.split("\n")[line - 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        ("[1, 2]", "not recognised"),
        ("{}", "not recognised"),
        ("[]", "not recognised"),
        ('{"1": {"map": "x"}}', "not recognised"),
        ('{"1": {"map": Infinity}}', "inf is not a number"),
        ('{"1": {"map": 1' + "0" * 400 + "}}", "is not a number"),
        ('{"1": {"map": 1' + "0" * 5000 + "}}", "cannot be read"),
        ('{"1": {"map": 1}, "1": {"map": 2}}', "has the key '1' twice"),
        ("[" * 100_000, "cannot be read|is not JSON"),
        (
            '{"query_id": "1", "measure": "AP", "value": 1}\n{"query_id": "1"}\n',
            "is not a record with the keys",
        ),
        ('{"query_id": "1", "measure": "AP", "value": 1}\n{"query_id"\n', "is not JSON"),
        (
            '{"query_id": "1", "measure": "AP", "value": true}\n{"query_id": [1], "measure": "AP", "value": 1}\n',
            "cannot be the label",
        ),
        ('{"query_id": "1", "measure": "AP", "value": {}}', "{} in column 'value' is not a number"),
        ('{"task_name": "T", "scores": {}}', "none of the splits"),
        ('{"task_name": "T", "scores": {"test": [3]}}', "not a list of subsets"),
        ('{"task_name": "T", "scores": {"test": [{"main_score": "x"}]}}', "holds no numbers"),
        ('{"results": {"t": {"acc": 1}}, "configs": {}}', "holds no scores"),
        ('{"doc_id": 1, "doc": {}, "acc": "x"}\n', "holds no scores"),
        ('{"doc_id": 1, "doc": {}, "acc": 1}\n{"x": 1}\n', "is not a record like the first"),
        ('{"doc_id": 1, "doc": {}, "acc": 1}\n{"doc_id": 1, "doc": {}, "acc": 1}\n', "'acc,none' twice"),
        ('[{"instance_id": "1", "stats": 3}]', "has a part that does not fit its format"),
        ('[{"instance_id": "1", "stats": [{"name": 3}]}]', "holds no scores on topics"),
        ('[{"instance_id": "1", "stats": []}]', "holds no scores"),
        ('{"eval": {"model": "m", "task": "t"}, "samples": []}', "write it with its samples"),
    ],
)
def test_json_is_refused_with_its_file(content: str, message: str) -> None:
    with pytest.raises(ReadError, match=message) as caught:
        read(content)
    assert caught.value.path == "file"


def test_mteb_subsets_and_splits() -> None:
    parts = [{"hf_subset": "de", "main_score": 0.5}, {"hf_subset": "en", "main_score": 0.25}]
    content = {"task_name": "T", "scores": {"train": parts[:1], "dev": parts}}
    assert read(json.dumps(content)).topics == ("T[dev]/de", "T[dev]/en")
    parts[1]["hf_subset"] = "de"
    with pytest.warns(DataWarning, match=r"has T\[dev\]/de more than once: the mean was used"):
        assert read_scores(io.StringIO(json.dumps(content))).values.tolist() == [[0.375]]


def test_lm_eval_stderr_filters_and_direction() -> None:
    results = {
        "results": {"t": {"alias": "t", "ppl,none": 12.5, "ppl_stderr,none": "N/A"}},
        "configs": {},
        "higher_is_better": {"t": {"ppl": False}},
        "model_name": "org/m",
    }
    with pytest.warns(DataWarning, match="lower is better for 'ppl,none'"):
        assert read_scores(io.StringIO(json.dumps(results))).systems == ("org/m",)
    assert read(json.dumps(results), lower_is_better=True).values.item() == -12.5
    rows: list[Any] = [
        {"doc_id": k, "doc": {}, "filter": f, "metrics": ["em", "pair"], "em": value, "pair": [1, 2]}
        for k, f, value in ((0, "strict", 0.0), (0, "flexible", 1.0), (1, "strict", True), (1, "flexible", 1))
    ]
    content = "\n".join(map(json.dumps, rows))
    with pytest.raises(ReadError, match=r"2 measures.*em,strict, em,flexible"):
        read(content)
    assert read(content, "em,strict").values.ravel().tolist() == [0, 1]


def test_helm_trials_and_perturbations() -> None:
    def record(trial: int, perturbation: Any, mean: float) -> dict[str, Any]:
        stats = [{"name": {"name": "em", "split": "test"}, "count": 1, "mean": mean}]
        extra = {"perturbation": {"name": perturbation}} if perturbation else {}
        return {"instance_id": "id1", "train_trial_index": trial, "stats": stats, **extra}

    content = json.dumps([record(0, None, 1), record(0, "typos", 0.5), record(1, None, 0)])
    assert read(content) == Scores([[1.0], [0.5], [0.0]], ["id1", "id1[typos]", "id1[trial 1]"], ["file"], "em")
    with pytest.raises(ReadError, match="'em' twice"):
        read(json.dumps([record(0, None, 1), record(0, None, 1)]))


def test_helm_keeps_splits_apart() -> None:
    def record(instance: str, split: str, mean: float) -> dict[str, Any]:
        stats = [{"name": {"name": "em", "split": split}, "count": 1, "mean": mean}]
        return {"instance_id": instance, "stats": stats}

    both = json.dumps([record("a", "test", 1), record("b", "valid", 0.5), record("c", "test", 0)])
    with pytest.warns(DataWarning, match=r"topics without 'em' left out: b$"):
        assert read(both, "em") == Scores([[1.0], [0.0]], ["a", "c"], ["file"], "em")
    with pytest.warns(DataWarning, match=r"topics without 'em\[valid\]' left out: a, c$"):
        assert read(both, "em[valid]") == Scores([[0.5]], ["b"], ["file"], "em[valid]")
    with pytest.raises(ReadError, match=r"no measure 'em\[train\]'"):
        read(both, "em[train]")
    assert read(json.dumps([record("b", "valid", 0.5)])) == Scores([[0.5]], ["b"], ["file"], "em")


def test_inspect_without_reductions() -> None:
    samples = [
        {
            "id": 1,
            "epoch": 1,
            "scores": {"choice": {"value": "C"}, "judge": {"value": {"style": 3, "facts": 4}}},
        },
        {
            "id": 2,
            "epoch": 1,
            "scores": {"choice": {"value": "P"}, "judge": {"value": {"style": 1, "facts": 2}}},
        },
        {
            "id": 2,
            "epoch": 2,
            "scores": {"choice": {"value": "I"}, "judge": {"value": {"style": 0, "facts": 2}}},
        },
    ]
    log = json.dumps({"status": "success", "eval": {"model": "m", "task": "t"}, "samples": samples})
    epochs = [[[1.0, math.nan]], [[0.5, 0.0]]]
    with pytest.warns(DataWarning, match="up to 2 runs"):
        choice = read(log, "choice")
    assert choice == Scores(epochs, ["t/1", "t/2"], ["file"], "choice")
    with pytest.warns(DataWarning, match="up to 2 runs"):
        facts = read(log, "judge/facts")
    assert facts.values.ravel().tolist() == [4, 2]
    with pytest.warns(DataWarning, match=r"status of this log is 'cancelled'|up to 2 runs"):
        read(log.replace("success", "cancelled"), "choice")


def test_the_same_score_in_two_files() -> None:
    one = "topic,a,b\n1,0.5,0.25\n"
    with pytest.raises(ReadError, match="system 'a' already has a score on topic '1' from x"):
        read_scores({"x": io.StringIO(one), "y": io.StringIO(one)})
    more = "topic,a,b\n2,0.75,1\n"
    assert read_scores([io.StringIO(one), io.StringIO(more)]).topics == ("1", "2")


def test_a_file_without_any_score_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"^file: there are no scores at all for file on 1"):
        read('{"1": {"map": NaN}}')
