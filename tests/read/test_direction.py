"""Errors and accuracies: which way is better is said per side, and scores are shown as they were given."""

from __future__ import annotations

import io
import json
import pickle
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import concordant as cc
from concordant.errors import DataWarning, InputError, ReadError
from concordant.read import look, read_scores
from concordant.read.tables.vocabulary import usually_an_error

from ..commands import bad, good, run
from ..render.report.test_page import Page

SYSTEMS = [f"s{k}" for k in range(8)]
BOARD = "model,accuracy,wer,lower\na,0.9,0.10,4\nb,0.8,0.15,3\nc,0.7,0.25,2\nd,0.6,0.30,1\n"


@pytest.fixture
def board(tmp_path: Path) -> str:
    """A leaderboard whose accuracy and wer give the same order."""
    path = tmp_path / "lb.csv"
    path.write_text(BOARD)
    return str(path)


def errors(seed: int = 1, n: int = 30) -> np.ndarray:
    """Scores of two decimals, so that means are tied."""
    values: np.ndarray = np.round(np.random.default_rng(seed).random((n, 8)) * 0.5 + np.arange(8) / 20, 2)
    return values


def sides(seed: int = 1, n: int = 30) -> tuple[cc.Scores, cc.Scores]:
    """The same errors, once given as errors, and once with their sign changed."""
    values = errors(seed, n)
    return (
        cc.Scores(values, range(n), SYSTEMS, "m", lower_is_better=True),
        cc.Scores(-values, range(n), SYSTEMS, "m"),
    )


# The name of a measure -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "wer", "WER (%)", "test_wer", "cpWER", "cer", "TER", "hter", "word_error_rate", "WordErrorRate", "eval_loss",
        "val/loss", "loss", "error", "top-1 error", "rmse", "RMSE", "mse", "mae", "MAPE", "perplexity", "ppl,none",
        "word_perplexity,none", "bits_per_byte,none", "latency_ms", "latency p95", "cost (USD)", "brier", "brier_score",
        "ece", "nll", "neg_log_likelihood", "cross_entropy", "crossEntropy", "edit distance", "hallucination_rate",
        "toxicity", "false_positive_rate", "false negatives", "FID", "rank", "mean_rank", "runtime", "regret",
    ],
)  # fmt: skip
def test_measures_that_are_usually_errors(name: str) -> None:
    assert usually_an_error(name)


@pytest.mark.parametrize(
    "name",
    [
        "", "accuracy", "map", "ndcg_cut_10", "nDCG@10", "recip_rank", "mean reciprocal rank", "MRR", "ERR@20", "nERR",
        "RBP", "rank_biased_precision", "closs", "terrier", "tercile", "metric", "glossary", "exact_match", "win_rate",
        "neg_log_loss", "neg_mean_squared_error", "1-wer", "1 - TER", "100-wer", "-wer", "error_reduction",
        "cost_efficiency", "error_detection_f1", "loss_f1", "cosine_spearman", "iteration", "percent", "characters",
        "standard_error", "main_score", "ranking", "costar", "timeliness", "bleu", "mqm",
    ],
)  # fmt: skip
def test_measures_that_are_not(name: str) -> None:
    assert not usually_an_error(name)


def test_no_measure_that_evaluate_computes_is_taken_for_an_error() -> None:
    from concordant.judgments import measures

    names = {*measures._KINDS, *measures._ALIASES}
    assert "recip_rank" in names
    assert not [name for name in names if usually_an_error(name)]


# What stops, and the way out -----------------------------------------------------------------------


def test_accuracy_against_wer_stops_and_each_way_out_works(board: str) -> None:
    said = bad("compare", f"{board}:accuracy", f"{board}:wer", status=1)
    assert f"lower is usually better for 'wer', and no direction was given: write {board}:wer:lower or " in said
    lower, higher, *flags = re.findall(r"[^ ]+:wer:\w+|--\w+-is-better", said)
    assert flags == ["--lower-is-better", "--higher-is-better"]

    def tau(*arguments: str) -> float:
        (found,) = json.loads(run("compare", *arguments, "-f", "json").stdout)["comparisons"]
        return float(found["coefficients"]["tau_b"])

    assert tau(f"{board}:accuracy", lower) == 1
    assert tau(f"{board}:accuracy", higher) == -1
    assert tau(f"{board}:accuracy", f"{board}:wer", "--higher-is-better") == -1
    assert tau(f"{board}:accuracy", f"{board}:wer", "--lower-is-better") == -1  # both sides are turned
    assert tau(f"{board}:accuracy:higher", f"{board}:wer", "--lower-is-better") == 1  # a side's own direction wins
    assert tau(f"{board}:accuracy", f"w={board}:wer:lower", "--higher-is-better") == 1


def test_a_measure_called_lower_can_be_read(board: str) -> None:
    (found,) = json.loads(good("compare", f"{board}:accuracy", f"{board}:lower:higher", "-f", "json"))["comparisons"]
    assert found["coefficients"]["tau_b"] == 1
    assert found["candidate_means"] == [4, 3, 2, 1]


def test_the_way_out_in_python_works(board: str) -> None:
    with pytest.raises(
        ReadError, match="pass lower_is_better=True or lower_is_better=False to read_scores or as_score"
    ):
        read_scores(board, "wer")
    accuracy = read_scores(board, "accuracy")
    for lower, tau in ((True, 1.0), (False, -1.0)):
        assert cc.compare(accuracy, read_scores(board, "wer", lower_is_better=lower))["tau_b"] == tau
        assert cc.compare(accuracy, cc.as_scores(board, measure="wer", lower_is_better=lower))["tau_b"] == tau


def test_frames_series_and_dictionaries() -> None:
    frame = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "wer": [0.1, 0.2, 0.3]}, index=["a", "b", "c"])
    with pytest.raises(InputError, match="candidate: lower is usually better for 'wer'"):
        cc.compare(frame["accuracy"], frame["wer"])
    assert cc.compare(frame["accuracy"], cc.as_scores(frame["wer"], lower_is_better=True))["tau_b"] == 1
    with pytest.raises(InputError, match="scores: lower is usually better for 'wer'"):
        cc.as_scores({"a": 0.1, "b": 0.2}, measure="wer")
    means = cc.as_scores({"a": 0.1, "b": 0.2}, measure="wer", lower_is_better=True)
    assert means.ranking() == (("a",), ("b",))
    assert means.shown().tolist() == [0.1, 0.2]
    nested = {"a": {"1": {"wer": 0.1}, "2": {"wer": 0.2}}, "b": {"1": {"wer": 0.3}, "2": {"wer": 0.3}}}
    with pytest.raises(InputError, match="'wer'"):
        cc.as_scores(nested)
    assert cc.as_scores(nested, lower_is_better=True).ranking() == (("a",), ("b",))
    long = pd.DataFrame({"system": list("aabb"), "topic": list("1212"), "measure": "wer", "value": [1, 2, 3, 4]})
    with pytest.raises(InputError, match="'wer'"):
        cc.as_scores(long)
    found = cc.as_scores(long, lower_is_better=True)
    assert isinstance(found, cc.Scores)
    assert found.ranking() == (("a",), ("b",))
    assert cc.as_scores(found.to_frame(), lower_is_better=True).shown().tolist() == found.shown().tolist()
    with pytest.raises(InputError, match="pass lower_is_better=False where you read or make them"):
        cc.as_scores(found, lower_is_better=False)


def test_a_column_of_scores_that_is_named_by_an_option(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("topic,system,wer\n1,a,0.1\n1,b,0.2\n2,a,0.1\n2,b,0.3\n")
    said = bad("board", path, "--score-column", "wer", status=1)
    assert "lower is usually better for 'wer'" in said
    printed = good("board", f"{path}:lower", "--score-column", "wer", "-f", "csv")
    assert printed.splitlines()[1].startswith("a,1,2,1,0.1,")


def test_folders(tmp_path: Path) -> None:
    for name, values in (("a", (0.1, 0.2)), ("b", (0.3, 0.3)), ("c", (0.2, 0.25))):
        lines = [f"{topic},wer,{value}\n" for topic, value in enumerate(values, start=1)]
        (tmp_path / f"{name}.csv").write_text("topic,measure,value\n" + "".join(lines))
    said = bad("board", tmp_path, status=1)
    assert "write PATH:wer:lower or PATH:wer:higher" in said
    assert good("board", f"{tmp_path}:lower", "-f", "csv").splitlines()[1].startswith("a,1,3,1,0.15")
    assert good("board", f"{tmp_path}:wer:higher", "-f", "csv").splitlines()[1].startswith("b,1,3,1,0.3")


def test_a_matrix_that_only_its_file_names_as_errors_gets_a_note(tmp_path: Path) -> None:
    path = tmp_path / "wer.csv"
    path.write_text("topic,a,b\n1,0.1,0.2\n2,0.1,0.3\n")
    done = run("board", path)
    assert done.exit_code == 0
    assert (
        f"{path} was read with higher scores as better; to choose, write {path}:lower or {path}:higher" in done.stderr
    )
    good("board", f"{path}:higher")
    good("board", path, "--lower-is-better")


def test_files_of_one_collection_have_one_direction(board: str) -> None:
    said = bad("board", f"{board}:wer:lower", f"{board}:wer", status=2)
    assert "write :lower or :higher after each, or after none" in " ".join(said.split())


def test_look_says_that_a_direction_is_needed_and_names_a_command_that_works(board: str) -> None:
    found = look(board, "wer")
    assert found.lower_is_better is None
    assert found.next_command == f"concordant compare {board}:wer:lower OTHER"
    assert look(board, "wer", lower_is_better=False).next_command == f"concordant compare {board}:wer:higher OTHER"
    assert look(board, "accuracy").next_command == f"concordant compare {board}:accuracy OTHER"
    assert "lower is better" in good("look", f"{board}:wer:lower")


# What files say of themselves ----------------------------------------------------------------------


def lm_eval(higher: dict[str, Any], **scores: float) -> str:
    results = {task: {"m,none": score} for task, score in scores.items()}
    said = {task: {"m": up} for task, up in higher.items()}
    return json.dumps({"results": results, "configs": {}, "higher_is_better": said, "model_name": "x"})


def test_a_format_with_a_direction_decides_unless_the_caller_does(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(lm_eval({"t": False, "u": False}, t=1.5, u=2.5))
    with pytest.warns(DataWarning, match="says that lower is better for 'm,none', and it was read that way"):
        found = read_scores(path)
    assert found.lower_is_better
    assert (found.values.ravel().tolist(), found.shown().ravel().tolist()) == ([-1.5, -2.5], [1.5, 2.5])
    assert read_scores(path, lower_is_better=True) == found
    with pytest.warns(DataWarning, match="says that lower is better for 'm,none'; it was read as if higher is better"):
        assert read_scores(path, lower_is_better=False).values.ravel().tolist() == [1.5, 2.5]


def test_a_format_that_says_higher_is_believed_whatever_the_name(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(lm_eval({"t": True}, t=1.5).replace("m,none", "loss,none").replace('"m"', '"loss"'))
    assert not read_scores(path).lower_is_better


def test_tasks_with_two_directions_are_not_one_measure(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(lm_eval({"t": False, "u": True}, t=1.5, u=2.5))
    with pytest.raises(ReadError, match=r"on some topics and higher on others: choose topics of one direction"):
        read_scores(path)
    assert read_scores(path, topics=["u"]).values.item() == 2.5
    with pytest.warns(DataWarning, match="read that way"):
        assert read_scores(path, topics=["t"]).values.item() == -1.5


def test_every_eval_ever(tmp_path: Path) -> None:
    path = tmp_path / "eee.json"
    metric = {"metric_name": "m", "lower_is_better": True}
    result = {"evaluation_name": "t", "metric_config": metric, "score_details": {"score": 0.25}}
    path.write_text(json.dumps({"evaluation_results": [result], "model_info": {"id": "x"}}))
    with pytest.warns(DataWarning, match="read that way"):
        assert read_scores(path).shown().item() == 0.25


# The same answers, with the sign that was given ------------------------------------------------------


def plain(found: Any) -> Any:
    """What a result says, but for the means, and for what says that they are errors."""
    if isinstance(found, dict):
        signed = ("truth_means", "candidate_means", "mean", "total", "human", "machine", "low", "high")
        kept = {k: v for k, v in found.items() if k not in signed or type(v) is int}  # ranks are whole
        kept.pop("lower_is_better", None)
        return {k: plain(v) for k, v in kept.items()}
    return [plain(v) for v in found] if isinstance(found, list) else found


QUESTIONS: dict[str, Callable[[cc.Scores, cc.Scores], Any]] = {
    "compare": lambda a, b: cc.compare(a, b, rng=1, n_resamples=99, test=True, per_topic=True),
    "compare, groups": lambda a, b: cc.compare(
        a.described(groups={t: str(int(t) // 2) for t in a.topics}), b, rng=1, n_resamples=99
    ),
    "compare, borda": lambda a, b: cc.compare(a.described(total="borda"), b, rng=1, n_resamples=99),
    "compare, top": lambda a, b: cc.compare(a, b, rng=1, n_resamples=99, top=3),
    "correlate": lambda a, b: cc.correlate(a, b, n_resamples=500, rng=1),
    "explain": cc.explain,
    "rank_intervals": lambda a, b: cc.rank_intervals(a, n_resamples=99, rng=1),
    "board": lambda a, b: cc.board(b, n_resamples=99, rng=1),
    "judge_worth": lambda a, b: cc.judge_worth(a, b, rng=1),
    "combine": lambda a, b: cc.combine(a.select(topics=a.topics[:12]), b),
    "expected_correlation": lambda a, b: cc.expected_correlation(a, rng=1),
    "select_topics": lambda a, b: cc.select_topics(a, 5, rng=1),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_errors_are_answered_as_their_negatives_are(question: str) -> None:
    ask, (given, negated), (other, other_negated) = QUESTIONS[question], sides(1), sides(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = plain(ask(negated, other_negated).to_dict())
        for a, b in ((given, other), (given, other_negated), (negated, other)):
            assert plain(ask(a, b).to_dict()) == expected


def test_tables_and_json_show_errors_as_they_were_given() -> None:
    (given, negated), (other, _) = sides(1), sides(2)
    means = dict(zip(SYSTEMS, errors(1).mean(axis=0).round(9), strict=True))
    found = cc.rank_intervals(given, n_resamples=99, rng=1)
    assert {row["system"]: round(row["total"], 9) for row in found.rows()} == means
    totals = [row["total"] for row in found.rows()]
    assert totals == sorted(totals)  # the least error first
    assert [float(line.split()[2]) for line in found.table().splitlines()[1:-3]] == sorted(
        np.round(list(means.values()), 4)
    )
    by_rank = cc.rank_intervals(given.described(total="mean-rank"), n_resamples=99, rng=1).rows()
    assert by_rank == cc.rank_intervals(negated.described(total="mean-rank"), n_resamples=99, rng=1).rows()
    assert [row["total"] for row in by_rank] == sorted(row["total"] for row in by_rank)
    board = cc.board(given, n_resamples=99, rng=1)
    assert {row["system"]: round(row["total"], 9) for row in board.rows()} == means
    compared = cc.compare(given, other, rng=1, n_resamples=99).comparisons[0].to_dict()
    assert np.round(compared["truth_means"], 9).tolist() == list(means.values())
    assert compared["lower_is_better"] == [True, True]
    assert "lower is better in truth" in str(cc.compare(given, sides(2)[1], worth=False))
    assert f"  {min(means.values()):.4f}" in given._repr_html_()
    assert "-0." not in given._repr_html_()
    mixed = cc.combine(given.select(topics=given.topics[:12]), other)
    for row in mixed.rows():
        assert 0 < row["low"] < row["mean"] < row["high"]
        assert row["human"] == pytest.approx(errors(1)[:12].mean(axis=0)[SYSTEMS.index(row["system"])])
        assert row["machine"] == pytest.approx(errors(2).mean(axis=0)[SYSTEMS.index(row["system"])])
    assert [
        row["total"] for row in cc.rank_intervals(mixed.means, n_resamples=99, rng=1).rows()
    ] == mixed.means.shown().tolist()


def test_scores_keep_their_direction_whatever_is_done_with_them() -> None:
    given, negated = sides()
    assert (given.values == negated.values).all()
    assert given != negated
    assert repr(given) == "<Scores: 30 topics x 8 systems, m, lower is better>"
    for made in (
        given.select(systems=SYSTEMS[:3]),
        given.select(topics=["1", "2"]),
        given.drop_bottom(),
        given.like(given.values),
        pickle.loads(pickle.dumps(given)),
        cc.pair(given, negated).truth,
        cc.study.Simulator(given, bounds=(0, 2)).simulate(5, rng=1),
    ):
        assert made.lower_is_better
        assert (made.shown() >= 0).all()
        assert (made.shown() == 0 - made.values).all()
    assert pickle.loads(pickle.dumps(given)) == given
    means = cc.Means([0.1, 0.2], ["a", "b"], "wer", lower_is_better=True)
    assert means.select(["b", "a"]).shown().tolist() == [0.2, 0.1]
    assert pickle.loads(pickle.dumps(means)) == means
    assert means != cc.Means([-0.1, -0.2], ["a", "b"], "wer")


def test_holes_keep_their_direction() -> None:
    values = errors()
    values[0, 0] = np.nan
    frame = pd.DataFrame(values, columns=SYSTEMS, index=pd.Index(range(30), name="topic"))
    found = cc.as_scores(frame, missing="available", lower_is_better=True)
    assert found.has_holes
    opposite = cc.as_scores(-frame, missing="available")
    assert np.array_equal(found.values, opposite.values, equal_nan=True)
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.warns(DataWarning, match="1 topic dropped of 30"):
        assert (found.described(missing="drop").complete().shown() == values[1:]).all()
    assert found.select(systems=SYSTEMS[1:]).lower_is_better
    with pytest.raises(InputError, match="would give missing topics the best score"):
        found.described(missing="zero").complete()
    for row, other in zip(cc.board(found, rng=1).rows(), cc.board(opposite, rng=1).rows(), strict=True):
        assert (row["system"], row["total"]) == (other["system"], 0 - other["total"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for missing in ("drop", "drop-systems", "mean", "available"):
            a = cc.compare(cc.as_scores(frame, missing=missing, lower_is_better=True), opposite, worth=False)
            assert a["tau_b"] == cc.compare(cc.as_scores(-frame, missing=missing), opposite, worth=False)["tau_b"]


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "{t}", "{a}", "{b}"],
        ["compare", "{t}", "{a}"],
        ["explain", "{t}", "{a}"],
        ["compare", "--matrix", "{t}", "{a}", "{b}"],
        ["compare", "--card", "{t}", "{a}"],
        ["audit", "{t}", "{a}", "-r", "0.5"],
        ["combine", "{few}", "{a}"],
        ["plan", "{t}", "--all"],
        ["plan", "{t}"],
        ["board", "{t}"],
    ],
    ids=" ".join,
)
def test_each_command_takes_a_direction_for_each_side(command: list[str], tmp_path: Path) -> None:
    """Files of errors and files of their negatives give the same answer, in any mixture."""
    names = {"t": 1, "a": 2, "b": 3, "few": 1}
    for name, seed in names.items():
        frame = pd.DataFrame(errors(seed)[: 12 if name == "few" else None], columns=SYSTEMS).rename_axis("topic")
        (tmp_path / name).mkdir()
        frame.to_csv(tmp_path / name / "m.csv")
        (tmp_path / name / "n").mkdir()
        (-frame).to_csv(tmp_path / name / "n" / "m.csv")

    def answer(lower: set[str]) -> Any:
        files = {n: f"{n}={tmp_path / n}/{'m.csv:lower' if n in lower else 'n/m.csv'}" for n in names}
        done = run(*(part.format(**files) for part in command), "-f", "json")
        assert done.exit_code == 0, done.output
        found = json.loads(done.stdout)
        return plain(found)

    expected = answer(set())
    for lower in ({"t", "few"}, {"a"}, {"t", "few", "a", "b"}, {"b"}):
        assert answer(lower) == expected


# The note ------------------------------------------------------------------------------------------


def test_rankings_that_are_nearly_reversed_get_a_note(board: str) -> None:
    accuracy, wer = read_scores(board, "accuracy"), read_scores(board, "wer", lower_is_better=False)
    note = (
        "These rankings are nearly reversed (tau_b = -1.00). Is one side an error measure? Then read it with lower_is_"
    )
    assert [n for n in cc.compare(accuracy, wer).notes if n.startswith(note)]
    assert [n for n in cc.correlate(accuracy, wer, method=None).notes if n.startswith(note)]
    assert [n for n in cc.explain(accuracy, wer).notes if n.startswith(note)]
    (given, negated), other = sides(1), cc.Scores(errors(2), range(30), SYSTEMS)
    assert "These rankings are nearly reversed" in str(cc.judge_worth(negated, other, rng=1).notes)
    assert not cc.judge_worth(negated, given, rng=1).notes
    for command in ("compare", "explain"):
        said = good(command, f"{board}:accuracy", f"{board}:wer:higher")
        assert (
            "nearly reversed (tau_b = -1.00). Is one side an error measure? Then write :lower after its path." in said
        )
    lower = read_scores(board, "wer", lower_is_better=True)
    assert not cc.compare(accuracy, lower).notes
    assert not cc.correlate(accuracy, lower, method=None).notes


@pytest.mark.parametrize(("swaps", "noted"), [(6, False), (7, True), (8, True)])
def test_the_note_begins_below_minus_0_3(swaps: int, noted: bool) -> None:
    """Of 10 pairs, 6 swapped are tau_b -0.2, and 7 are -0.4."""
    order = {6: "dcbae", 7: "dcbea", 8: "dceba"}[swaps]
    truth, other = ({s: 5 - k for k, s in enumerate(names)} for names in ("abcde", order))
    found = cc.compare(truth, other)
    assert round(5 * (1 - found["tau_b"])) == swaps
    assert bool(found.notes) == noted


def test_the_report_shows_errors_as_they_were_given_and_its_call_reads_them_so(board: str, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    sides = f"{board}:accuracy", f"{board}:wer:lower"

    def written(*given: str) -> Any:
        assert run("compare", *given, "--html", str(page)).exit_code == 0
        return Page(page.read_text(encoding="utf-8")).script("document")

    found = written(*sides)
    (part,) = found["comparisons"]
    assert part["candidate_means"] == [0.1, 0.15, 0.25, 0.3]
    assert part["ranks"] == {"truth": [1, 2, 3, 4], "candidate": [1, 2, 3, 4]}
    assert f"cc.read_scores({board!r}, 'wer', lower_is_better=True)" in found["call"]
    assert f"cc.read_scores({board!r}, 'accuracy')" in found["call"]
    found = written(sides[0], f"{board}:wer:higher")
    assert f"cc.read_scores({board!r}, 'wer', lower_is_better=False)" in found["call"]
    assert "nearly reversed" in page.read_text()


def test_figures_number_errors_as_they_were_given() -> None:
    (given, _), (_, other) = sides(1), sides(2)
    found = cc.compare(given, other, worth=False)
    ax = found.plot("scatter")
    ax.figure.canvas.draw()
    across = [text.get_text() for text in ax.get_xticklabels() if text.get_text()]
    assert across
    assert not [text for text in across if text.startswith(("-", "\N{MINUS SIGN}"))]
    assert all(text.get_text()[:1] in "-\N{MINUS SIGN}0" for text in ax.get_yticklabels())
    assert "lower is better" in found.plot("scatter").get_xlabel()


def test_no_missing_score_becomes_the_best_one() -> None:
    """Errors as MQM counts them: 0 is perfect."""
    scores = cc.Scores([[-1.0, -2.0], [np.nan, -3.0], [-4.0, -1.0]], ["x", "y", "z"], ["a", "b"], missing="zero")
    with pytest.raises(InputError, match="would give missing topics the best score, because no score is above 0"):
        scores.complete()
    mixed = cc.Scores([[-1.0, 2.0], [np.nan, -3.0]], ["x", "y"], ["a", "b"], missing="zero")
    with pytest.warns(DataWarning, match="set to 0"):
        assert mixed.complete().values[1, 0] == 0


def test_topics_that_no_system_has_are_left_out_of_a_board() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 3))
    values[4:9] = np.nan
    values[20, 1] = np.nan
    topics = [f"t{k}" for k in range(30)]
    holes = cc.Scores(values, topics, ["a", "b", "c"], missing="available")
    with pytest.warns(DataWarning, match="5 topics left out, because no system has a score there: t4, t5, t6, t7, t8"):
        found = cc.board(holes, rng=1)
    kept = [k for k in range(30) if not 4 <= k < 9]
    same = cc.board(cc.Scores(values[kept], [topics[k] for k in kept], ["a", "b", "c"], missing="available"), rng=1)
    assert found.rows() == same.rows()


@pytest.mark.parametrize("measure", ["pct_stereotype", "likelihood_difference"])
def test_measures_of_bias_need_a_direction(measure: str) -> None:
    with pytest.raises(ReadError, match="lower is usually better"):
        cc.read_scores(io.StringIO(f"model,topic,{measure}\na,x,1\na,y,2\nb,x,3\nb,y,4\n"), measure)
