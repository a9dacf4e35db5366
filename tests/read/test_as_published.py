"""Files as people publish them: real ones of tools and boards, and what pandas and READMEs make of tables."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from concordant import Means, Scores, as_scores, read_scores
from concordant.errors import DataWarning, ReadError


def read(text: Any, *args: Any, **how: Any) -> Any:
    return read_scores(io.StringIO(text if isinstance(text, str) else json.dumps(text)), *args, **how)


class TestRealFiles:
    def test_boards_of_alpaca_eval(self, formats: Path) -> None:
        folder = formats / "as_published" / "alpaca_docs"
        found = read_scores(folder / "claude_leaderboard.csv", "win_rate")
        assert isinstance(found, Means)
        assert found.systems[:2] == ("GPT-4", "Claude")
        assert found.values[0] == 77.01863354037268
        with pytest.raises(ReadError, match="2 measures; choose one with measure=: win_rate, avg_length"):
            read_scores(folder / "claude_leaderboard.csv")

    def test_a_row_that_is_there_twice_is_left_out_by_name(self, formats: Path) -> None:
        path = formats / "as_published" / "alpaca_docs" / "weighted_alpaca_eval_gpt4_turbo_leaderboard.csv"
        with pytest.raises(ReadError, match=r":99: .*row at line 97: rename one, or leave both out with systems="):
            read_scores(path, "win_rate")
        found = read_scores(path, "length_controlled_winrate", systems=["!GPT 3.5 Turbo (06/13)"])
        assert len(found.systems) == path.read_text().count("\n") - 3
        assert found.values[0] == 86.45780691307947

    def test_rankings_of_autojudge(self, formats: Path) -> None:
        path = formats / "as_published" / "autojudge_ranking" / "human.ranking"
        with pytest.raises(ReadError, match="2 measures; choose one with measure=: NUGGET_COVERAGE, AVG_GRADE"):
            read_scores(path)
        found = read_scores(path, "AVG_GRADE")
        expected = [line.split() for line in path.read_text().splitlines() if line.endswith("AVG_GRADE")]
        expected = [row for row in expected if row[0] != "all"]
        assert found.values.size == len(expected)
        for topic, _, system, _, score, _ in expected:
            assert found.values[found.topics.index(topic), found.systems.index(system)] == float(score)

    def test_means_of_the_old_harness(self, formats: Path) -> None:
        with pytest.warns(DataWarning, match="topics without 'acc' left out"):
            found = read_scores(formats / "as_published" / "lm_eval_03", "acc")
        assert set(found.systems) == {f"EleutherAI/pythia-v1.1-{size}@step143000" for size in ("70m", "160m", "410m")}
        content = json.loads((formats / "as_published" / "lm_eval_03" / "70m_step143000.json").read_text())["results"]
        column = found.systems.index("EleutherAI/pythia-v1.1-70m@step143000")
        scores = {topic: found.values[k, column] for k, topic in enumerate(found.topics)}
        assert scores == {task: part["acc"] for task, part in content.items() if "acc" in part}

    def test_segments_of_mqm(self, formats: Path) -> None:
        path = formats / "as_published" / "mqm" / "mqm_newstest2021_zhen.avg_seg_scores.tsv"
        found = read_scores(path)
        rows = [line.split() for line in path.read_text().splitlines()[1:]]
        assert (~np.isnan(found.values)).sum() == sum(score != "None" for _, score, _ in rows)
        for system, score, segment in rows:
            value = found.values[found.topics.index(segment), found.systems.index(system)]
            assert np.isnan(value) if score == "None" else value == float(score)
        assert not found.lower_is_better  # the scores are minus the errors

    def test_trials_of_tau_bench(self, formats: Path, tmp_path: Path) -> None:
        path = formats / "as_published" / "trials" / "tau_bench_gpt-4o_airline.csv"
        with pytest.warns(DataWarning, match="each topic has up to 4 runs"):
            found = read_scores(path)
        rows = [line.split(",") for line in path.read_text().splitlines()[1:]]
        records = [
            {"task_id": int(task), "reward": float(reward), "info": {}, "traj": [], "trial": int(trial)}
            for task, _, trial, reward in rows
        ]
        raw = tmp_path / "gpt-4o.json"
        raw.write_text(json.dumps(records))
        with pytest.warns(DataWarning, match="each topic has up to 4 runs"):
            again = read_scores(raw)
        assert again == found
        simulations = [
            {"task_id": r["task_id"], "trial": r["trial"], "reward_info": {"reward": r["reward"]}} for r in records
        ]
        with pytest.warns(DataWarning, match="each topic has up to 4 runs"):
            assert read({"info": {"agent_info": {"llm": "gpt-4o"}}, "simulations": simulations}) == found


def test_trials_that_cannot_be_read() -> None:
    first = {"task_id": 0, "reward": 1.0, "trial": 0}
    with pytest.raises(ReadError, match="topic '0' has 'reward' twice"):
        read([first, first])
    with pytest.raises(ReadError, match="has a record without the key 'task_id'"):
        read([first, {"reward": 1.0}])
    with pytest.raises(ReadError, match="has no reward for task 1"):
        read([first, {"task_id": 1, "trial": 0}])
    named = [{**first, "model": "a"}, {**first, "model": "b"}]
    assert read(named).systems == ("a", "b")
    with pytest.warns(DataWarning, match="1 of 2 trials ended with an error"):
        read([first, {**first, "task_id": 1, "info": {"error": "x"}}])


def test_a_positive_mqm_score_needs_a_direction() -> None:
    text = "system mqm_avg_score seg_id\na 1.5 1\nb 0 1\na 2 2\nb 1 2\n"
    with pytest.raises(ReadError, match="has 'mqm_avg_score' scores above 0, which may count errors"):
        read(text)
    assert read(text, lower_is_better=True).means().tolist() == [-1.75, -0.5]


class TestRunsAndRankings:
    def test_a_run_is_still_a_run(self) -> None:
        lines = [f"{t} Q0 d{t}{k} {k} {1 / (k + 1)} tag" for t in (1, 2) for k in range(3)]
        same_rank = [f"{t} Q0 d{t}{k} 0 {1 / (k + 1)} tag" for t in (1, 2, 3) for k in range(3)]
        one_topic = [f"1 Q0 d{k} 0 {1 / (k + 1)} tag" for k in range(3)]
        for rows in (lines, same_rank, one_topic):
            with pytest.raises(ReadError, match="is a run: it ranks documents"):
                read("\n".join(rows) + "\n")

    def test_damage_has_its_line(self) -> None:
        rows = [f"{t} Q0 s{k} 0 {k / 4} QUALITY" for t in (1, 2) for k in range(3)]
        assert read("\n".join(rows) + "\n").values.tolist() == [[0, 0.25, 0.5]] * 2
        with pytest.raises(ReadError, match=r":7: topic '1' has 'QUALITY' twice"):
            read("\n".join([*rows, rows[0]]) + "\n")
        with pytest.raises(ReadError, match=r":7: 'x' is not a number"):
            read("\n".join([*rows, "3 Q0 s1 0 x QUALITY"]) + "\n")


class TestTrecEvalMeans:
    def test_files_become_one_score_per_system(self, tmp_path: Path) -> None:
        for name, score in (("a", 0.25), ("b", 0.5)):
            (tmp_path / name).write_text(
                f"runid                 \tall\t{name}\nnum_q                 \tall\t50\n"
                f"map                   \tall\t{score}\n"
            )
        found = read_scores(tmp_path)
        assert found == Means([0.25, 0.5], ["a", "b"], "map")
        with pytest.raises(ReadError, match="no measure 'P_10'"):
            read_scores(tmp_path, "P_10")
        with (tmp_path / "a").open("a") as file:
            file.write("map                   \tall\t0.75\n")
        with pytest.raises(ReadError, match=":4: has 'map' twice"):
            read_scores(tmp_path)


class TestMarkdown:
    TABLE = "| topic | bm25 | [ql](x.md) |\n|---|--:|:-:|\n| 301 | .25 | **.5** |\n| 302 | `.5` | .75 |\n"

    def test_marks_and_links_go(self) -> None:
        assert read(self.TABLE) == Scores([[0.25, 0.5], [0.5, 0.75]], ["301", "302"], ["bm25", "ql"])

    def test_a_board(self) -> None:
        assert read("# Board\n\n" + self.TABLE) == read(self.TABLE)
        found = read("\n| Model | Elo | Votes |\n|:--|--|--|\n| a\\|b | 1200 | 10 |\n| c_d | 1100 | 20 |\n\n", "Elo")
        assert found == Means([1200, 1100], ["a|b", "c_d"], "Elo")

    def test_errors_have_the_line_of_the_file(self) -> None:
        with pytest.raises(ReadError, match=r":4: '0.4 ± 0.1' in column 'bm25' is not a number"):
            read(self.TABLE.replace("`.5`", "0.4 ± 0.1"))
        with pytest.raises(ReadError, match=r":6: is not a row of the table above"):
            read(self.TABLE + "\nSome words.\n")
        with pytest.raises(ReadError, match=r":7: is not a row of the table above"):
            read(self.TABLE + self.TABLE)
        with pytest.raises(ReadError, match=r":3: has 2 fields, but the header has 3"):
            read(self.TABLE.replace("| **.5** ", ""))
        with pytest.raises(ReadError, match="is a LaTeX table"):
            read("topic & a & b \\\\\n1 & .5 & .25 \\\\\n")


class TestFramesAsJson:
    @pytest.mark.parametrize("orient", ["split", "columns", "records", "index", "table"])
    @pytest.mark.parametrize("shape", ["matrix", "indexed", "long"])
    def test_all_orients(self, orient: Any, shape: str) -> None:
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"topic": ["301", "302", "303"], "bm25": [0.25, 0.5, None], "ql": [0.5, 0.125, 0.0]})
        expected = as_scores(frame)
        frame = frame if shape == "matrix" else frame.set_index("topic")
        if shape == "long":
            frame = frame.reset_index().melt("topic", var_name="system", value_name="score")
        text = frame.to_json(orient=orient)
        found = read(text)
        if (shape, orient) == ("indexed", "records"):  # which do not hold the index
            assert found.topics == ("row 1", "row 2", "row 3")
        else:
            assert found == expected

    def test_values_alone_have_no_labels(self) -> None:
        with pytest.raises(ReadError, match="not recognised"):
            read([[0.5, 0.25], [0.125, 0.5]])


def test_settings_beside_scores_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"k1": 0.9, "b": 0.4}')
    (tmp_path / "scores.csv").write_text("topic,bm25,ql\n301,.5,.25\n302,.25,.75\n")
    with pytest.warns(DataWarning, match=r"Skipped 1 file without scores: config.json"):
        assert read_scores(tmp_path).systems == ("bm25", "ql")


class TestNamesDecide:
    @pytest.mark.parametrize(
        "nested",
        [
            {"301": {"bm25": 0.25, "ql": 0.5}, "302": {"bm25": 0.5, "ql": 0.75}},
            {"bm25": {"301": 0.25, "302": 0.5}, "ql": {"301": 0.5, "302": 0.75}},
        ],
    )
    def test_systems_and_topics_in_either_order(self, nested: Any) -> None:
        expected = Scores([[0.25, 0.5], [0.5, 0.75]], ["301", "302"], ["bm25", "ql"])
        assert read(nested) == expected
        assert as_scores(nested) == expected

    def test_tasks(self) -> None:
        expected = Scores([[0.25, 0.5], [0.5, 0.75]], ["mmlu", "gsm8k"], ["gpt-4", "llama-3"])
        assert read({"gpt-4": {"mmlu": 0.25, "gsm8k": 0.5}, "llama-3": {"mmlu": 0.5, "gsm8k": 0.75}}) == expected
        assert read({"mmlu": {"gpt-4": 0.25, "llama-3": 0.5}, "gsm8k": {"gpt-4": 0.5, "llama-3": 0.75}}) == expected

    def test_means(self) -> None:
        assert read({"bm25": 0.25, "ql": "0.5"}) == Means([0.25, 0.5], ["bm25", "ql"])

    @pytest.mark.parametrize(
        "given",
        [{"map": 0.25, "P_10": 0.5}, {"301": 0.25, "302": 0.5}, {"mmlu": 0.5, "gsm8k": 0.25}, {"a": 0.5, "seed": 7},
         {"gpt-4": 0.5, "llama": 0.25, "mean": 0.375}, {"gpt-4": 0.5}, {"red": 0.25, "blue": 0.5}],
    )  # fmt: skip
    def test_means_of_what_may_be_no_systems(self, given: Any) -> None:
        with pytest.raises(ReadError, match=r"which may not be systems: .* system,score"):
            read(given)


def test_repeats_of_the_harness() -> None:
    def sample(doc: int, scores: Any, **more: Any) -> Any:
        return {"doc_id": doc, "filter": "none", "metrics": ["exact_match"], "exact_match": scores, **more}

    lines = [sample(k, [1.0, 0.0, float(k)], resps=[["a", "b", "c"]]) for k in range(3)]
    with pytest.warns(DataWarning, match="each topic has up to 3 runs"):
        found = read("\n".join(map(json.dumps, lines)) + "\n")
    assert found.runs[:, 0].tolist() == [[1, 0, 0], [1, 0, 1], [1, 0, 2]]
    pairs = [sample(k, [0, 1], resps=[["a"]]) for k in range(3)]  # for a metric of all documents
    with pytest.raises(ReadError, match="holds no scores on topics"):
        read("\n".join(map(json.dumps, pairs)) + "\n")
