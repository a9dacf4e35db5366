"""Every real sample reads to the right matrix; the numbers here were copied from the files by hand."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from concordant.data.means import mean_over_topics
from concordant.data.scores import Means, Scores
from concordant.errors import DataWarning, InputError, ReadError
from concordant.judgments.read_runs import read_qrels, read_runs
from concordant.pairing import pair
from concordant.read import look, read_scores
from concordant.read.reader import as_topics


def cell(scores: Any, topic: str, system: str | None = None) -> float:
    column = 0 if system is None else scores.systems.index(system)
    return float(scores.values[scores.topics.index(topic), column])


@pytest.fixture
def partial(formats: Path, tmp_path: Path) -> Path:
    """One run with topics 2 and 30 removed, as trec_eval without -c prints it: no rows for them.

    The sample with -c has rows of 0 for them; the sample without -c was cut after topic 19.
    """
    text = (formats / "trec_eval" / "covid_partial.q.c.txt").read_text()
    lines = [line for line in text.splitlines() if line.split("\t")[1] not in ("2", "30", "all")]
    path = tmp_path / "partial.eval"
    path.write_text("\n".join(lines) + "\n")
    return path


class TestTrecEval:
    def test_per_topic(self, formats: Path) -> None:
        scores: Any = read_scores(formats / "trec_eval" / "BBGhelani1.q.txt", "map")
        assert scores.systems == ("BBGhelani1",)
        assert len(scores.topics) == 30
        assert scores.topics[:4] == ("1", "10", "11", "12")
        assert [cell(scores, t) for t in ("1", "2", "9", "10", "30")] == [
            0.2636,
            0.4288,
            0.1756,
            0.4763,
            0.5431,
        ]
        # The file's own summary: map all 0.3008, P_5 all 0.8200.
        assert scores.means()[0] == pytest.approx(0.3008, abs=5e-5)
        assert read_scores(formats / "trec_eval" / "BBGhelani1.q.txt", "P_5").means()[0] == pytest.approx(0.82)
        assert scores.decimals() == 4

    def test_a_measure_whose_name_begins_another(self, formats: Path) -> None:
        path = formats / "trec_eval" / "BBGhelani1.q.txt"
        assert cell(read_scores(path, "P_1000"), "10") == 0.08
        assert cell(read_scores(path, "P_100"), "1") == 0.37
        assert cell(read_scores(path, "P_10"), "1") == 0.8
        assert cell(read_scores(path, "num_rel"), "1") == 101
        assert cell(read_scores(path, "num_rel_ret"), "1") == 71

    def test_several_measures_are_listed(self, formats: Path) -> None:
        path = formats / "trec_eval" / "BBGhelani1.q.txt"
        few = "map, P_10, recip_rank, Rprec, bpref, P_5, and 21 more"
        choose = rf"27 measures; choose one with measure=: {few} \(`concordant look .*` lists all"
        with pytest.raises(ReadError, match=choose):
            read_scores(path)
        with pytest.raises(ReadError, match=rf"no measure 'P_11'; did you mean 'P_1.*Available: {few} \("):
            read_scores(path, "P_11")
        every = look(path)
        assert "iprec_at_recall_0.40" in str(every)
        assert len(every.measures) == 27
        assert every.next_command.endswith("txt:map OTHER")
        assert every.missing == 0

    def test_summary_only(self, formats: Path) -> None:
        path = formats / "trec_eval" / "BBGhelani1.txt"
        found = read_scores(path, "map")
        assert isinstance(found, Means)
        assert dict(zip(found.systems, found.values, strict=True)) == {"BBGhelani1": 0.3008}
        with pytest.raises(ReadError, match=r"28 measures; choose one with measure=: map, P_10, .*, and 22 more"):
            read_scores(path)
        with pytest.raises(ReadError, match=r"means over 30 topics, and .*out.test over 3: .* with -q"):
            read_scores([path, formats / "trec_eval" / "out.test"], "map")
        with pytest.raises(ReadError, match="some have scores on topics, others one score per system"):
            read_scores([path, formats / "trec_eval" / "out.test.aq"], "map")

    def test_measures_that_exist_only_as_summary(self, formats: Path) -> None:
        with pytest.raises(ReadError, match="'gm_map' exists only as the summary"):
            read_scores(formats / "trec_eval" / "BBGhelani1.q.txt", "gm_map")

    def test_version_10(self, formats: Path) -> None:
        path = formats / "trec_eval" / "out.test.aq"
        expected = {
            "map": [0.0324, 0.4175, 0.0858],
            "ndcg_cut_10": [0.1518, 0.7530, 0.0],
            "rbp": [0.1861, 0.7628, 0.0212],
            "unj_20": [0.1, 0.0, 0.0],
            "num_rel": [474, 77, 10],
        }
        for measure, values in expected.items():
            scores = read_scores(path, measure)
            assert scores == Scores(np.transpose([values]), ["301", "302", "303"], ["STANDARD"], measure)

    def test_z_scores(self, formats: Path) -> None:
        path = formats / "trec_eval" / "out.test.aqZ"
        assert read_scores(path, "Zmap").values.ravel().tolist() == [-0.5746, 0.1469, -0.5114]
        with pytest.raises(ReadError, match=r"no measure 'map'; did you mean 'Zmap'"):
            read_scores(path, "map")

    def test_runs_of_one_tag_are_named_by_their_files(self, formats: Path) -> None:
        files = [formats / "trec_eval" / name for name in ("out.test.aq", "out.test.aqc")]
        with pytest.warns(DataWarning, match="several files hold a run named STANDARD"):
            scores = read_scores(files, "map")
        assert scores.systems == ("out.test.aq", "out.test.aqc")
        assert scores.values.tolist() == [[0.0324, 0.0324], [0.4175, 0.0], [0.0858, 0.2723]]

    def test_missing_topics(self, formats: Path, partial: Path) -> None:
        files = [formats / "trec_eval" / "BBGhelani1.q.txt", partial]
        with pytest.raises(InputError, match=r"partial lacks topics 2, 30 \(of 30 topics\)"):
            read_scores(files, "map").complete()
        with pytest.warns(DataWarning, match=r"2 topics dropped of 30.*: 2, 30"):
            dropped = read_scores(files, "map", missing="drop").complete()
        assert len(dropped.topics) == 28
        assert not {"2", "30"} & set(dropped.topics)
        with pytest.warns(DataWarning, match="2 scores of 1 system missing, set to 0: partial lacks topics 2, 30"):
            zero = read_scores(files, "map", missing="zero").complete()
        assert len(zero.topics) == 30
        assert [cell(zero, t, "partial") for t in ("1", "2", "9", "30")] == [0.2636, 0.0, 0.1756, 0.0]
        assert zero.means()[1] == pytest.approx(0.2684, abs=5e-5)  # what trec_eval -c says
        with pytest.warns(DataWarning, match=r"1 system dropped of 2.*: partial"):
            assert read_scores(files, "map", missing="drop-systems").complete().systems == ("BBGhelani1",)

    def test_the_two_samples_of_the_partial_run(self, formats: Path) -> None:
        complete = read_scores(formats / "trec_eval" / "covid_partial.q.c.txt")  # -c, one measure
        assert (len(complete.topics), complete.measure) == (30, "map")
        assert complete.systems == ("covid_partial.q.c",)
        assert [cell(complete, t) for t in ("1", "2", "9", "30")] == [0.2636, 0.0, 0.1756, 0.0]
        cut = read_scores(formats / "trec_eval" / "covid_partial.q.txt", "ndcg_cut_10")
        assert cut.topics == ("1", *(str(t) for t in range(10, 20)))
        assert cell(cut, "10") == 0.9574

    def test_not_scores(self, formats: Path) -> None:
        with pytest.raises(ReadError, match=r"looks like qrels.*use read_qrels.*CR93E-10279"):
            read_scores(formats / "trec_eval" / "qrels.test")
        with pytest.raises(ReadError, match=r"is a run.*concordant evaluate RUNS QRELS") as caught:
            read_scores(formats / "trec_eval" / "results.trunc")
        assert caught.value.line == 1


class TestOthers:
    def test_ir_measures(self, formats: Path) -> None:
        folder = formats / "ir_measures"
        for name, ap, ndcg in (
            ("partial.q.tsv", 0.2707, 0.785),
            ("partial.q.jsonl", 0.270745538116776, 0.7849818707050383),
        ):
            with pytest.raises(ReadError, match=r"2 measures; choose one with measure=: AP, nDCG@10"):
                read_scores(folder / name)
            scores = read_scores(folder / name, "AP")
            assert len(scores.topics) == 30
            assert scores.systems == ("partial.q",)
            assert [cell(scores, t) for t in ("29", "2", "30")] == [ap, 0.0, 0.0]
            assert scores.means()[0] == pytest.approx(0.2684, abs=5e-5)
            assert cell(read_scores(folder / name, "nDCG@10"), "29") == ndcg
        with pytest.raises(ReadError, match=r"no measure 'ndcg_cut_10'; did you mean 'nDCG@10'"):
            read_scores(folder / "partial.q.tsv", "ndcg_cut_10")
        with pytest.raises(ReadError, match=r"two columns.*ir_measures -q.*AP\\t0.2684"):
            read_scores(folder / "partial.tsv")

    def test_pyterrier(self, formats: Path) -> None:
        scores = read_scores(formats / "pyterrier" / "experiment_perquery.csv", "AP")
        assert scores.systems == ("BB2", "partial")
        assert len(scores.topics) == 30
        assert cell(scores, "30", "BB2") == 0.5431098021557086
        assert cell(scores, "30", "partial") == 0.0
        assert cell(scores, "9", "partial") == 0.17555186799025777
        # Computed by ranx on the same runs.
        assert scores.means().tolist() == pytest.approx([0.3004768964009319, 0.26843232497346187])

    def test_ranx_report(self, formats: Path) -> None:
        with pytest.raises(ReadError, match=r"is a ranx report, .*: after .* write run\.scores"):
            read_scores(formats / "ranx" / "ranx_report.json", "map")

    def test_mteb(self, formats: Path) -> None:
        expected = Scores([[0.74345]], ["SciFact"], ["BAAI/bge-base-en-v1.5"], "main_score")
        assert read_scores(formats / "mteb" / "SciFact.json") == expected
        with pytest.warns(DataWarning, match=r"^Skipped 1 file without scores: model_meta.json$"):
            assert read_scores(formats / "mteb") == expected
        assert read_scores(formats / "mteb" / "SciFact.json", "map_at_10").values.item() == 0.69685
        with pytest.raises(ReadError, match="has a format that is not recognised"):
            read_scores(formats / "mteb" / "model_meta.json")

    def test_mteb_folders(self, formats: Path, tmp_path: Path) -> None:
        for place in ("org__a/r1", "org__a/r2", "org__b/r1"):
            (tmp_path / place).mkdir(parents=True)
            shutil.copyfile(formats / "mteb" / "SciFact.json", tmp_path / place / "SciFact.json")
        assert read_scores([tmp_path / "org__a/r1", tmp_path / "org__b"]).systems == ("org/a", "org/b")
        with pytest.warns(DataWarning, match=r"1 result of older revisions left out.*: org/a \(r1\)$"):
            assert read_scores(tmp_path).systems == ("org/a", "org/b")

    def test_lm_evaluation_harness(self, formats: Path) -> None:
        model = "RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1"
        (results,) = (formats / "lm_eval").glob("results_*")
        assert read_scores(results) == Scores(
            [[0.0], [0.0004]], ["math_perturbed_full", "math_rephrased_full"], [model], "exact_match,none"
        )
        (samples,) = (formats / "lm_eval").glob("samples_*")
        scores = read_scores(samples, "exact_match,none")
        assert scores.systems == (model,)
        assert scores.topics == tuple(f"math_perturbed_full/{k}" for k in range(10))
        assert not scores.values.any()
        with pytest.warns(DataWarning, match=r"left out these summaries.*: .*results_"):
            assert read_scores(formats / "lm_eval") == scores
        with pytest.raises(ReadError, match="did you mean 'exact_match,none'"):
            read_scores(samples, "exact_match")

    def test_helm(self, formats: Path) -> None:
        (folder,) = (formats / "helm").iterdir()
        path = folder / "per_instance_stats.json"
        with pytest.raises(ReadError, match=r"16 measures.*exact_match, exact_match@5"):
            read_scores(path)
        with (
            pytest.warns(DataWarning, match=r"topics without 'quasi_exact_match' left out: mmlu:.*/id11$"),
            pytest.warns(DataWarning, match="^Skipped 2 files without scores: run_spec.json, stats.json$"),
        ):
            scores = read_scores(formats / "helm", "quasi_exact_match")
        assert scores.systems == ("openai/gpt2",)
        assert [t.rpartition("/")[2] for t in scores.topics[:2]] == ["id147", "id65"]
        right = [t for t, v in zip(scores.topics, scores.values.ravel(), strict=True) if v == 1]
        assert right == ["mmlu:subject=philosophy,method=multiple_choice_joint/id222"]
        for stat in json.loads((folder / "stats.json").read_text()):  # HELM's own means, one a split
            name, split = stat["name"]["name"], stat["name"]["split"]
            if name == "quasi_exact_match" and "perturbation" not in stat["name"]:
                with pytest.warns(DataWarning, match="left out"):
                    found = read_scores(path, name if split == "test" else f"{name}[{split}]")
                assert found.means()[0] == pytest.approx(stat["mean"])
        for name in ("stats.json", "run_spec.json"):
            with pytest.raises(ReadError, match=r"holds no scores on topics.*per_instance_stats"):
                read_scores(folder / name)

    def test_inspect(self, formats: Path) -> None:
        assert read_scores(formats / "inspect") == Scores(
            [[1.0], [1.0]],
            ["inspect_evals/pubmedqa/12377809", "inspect_evals/pubmedqa/26163474"],
            ["openai/azure/gpt-4o-mini"],
            "choice",
        )


class TestCollections:
    def test_matrix_without_topics(self, trec: Path) -> None:
        scores = read_scores(trec / "adhoc8.csv")
        assert scores.values.shape == (50, 129)
        assert scores.topics[0] == "row 1"
        assert scores.systems[-1] == "sys129"
        assert scores.values[0, :3].tolist() == [0.0007, 0.4711, 0.1495]
        assert scores.values[-1, [0, 1, -1]].tolist() == [0.0003, 0.4776, 0.4743]

    def test_matrix_with_topics(self, trec: Path) -> None:
        scores = read_scores(trec / "robust2004_ap.csv")
        assert scores.values.shape == (249, 110)
        assert (scores.topics[0], scores.topics[-1]) == ("301", "700")
        assert "topic" not in scores.systems
        assert (cell(scores, "301", "sys2"), cell(scores, "700", "sys110")) == (0.3471, 0.118)

    @pytest.mark.parametrize(
        ("place", "name", "pairs"), [("trec", "robust2004_p10.csv", 16), ("data", "covid1/P_5.csv", 116)]
    )
    def test_tied_pairs_of_means(self, request: pytest.FixtureRequest, place: str, name: str, pairs: int) -> None:
        scores = read_scores(request.getfixturevalue(place) / name)
        assert sum(len(group) * (len(group) - 1) // 2 for group in scores.ranking()) == pairs
        rng = np.random.default_rng(3)
        for _ in range(10):
            shuffled = scores.values[rng.permutation(len(scores.topics))]
            for values in (shuffled, np.asfortranarray(shuffled)):
                counts = np.unique(mean_over_topics(values), return_counts=True)[1]
                assert (counts * (counts - 1) // 2).sum() == pairs

    def test_means_are_the_official_ones(self, data: Path) -> None:
        scores = read_scores(data / "covid1" / "ndcg_cut_10.csv")
        means = dict(zip(scores.systems, scores.means(), strict=True))
        assert (means["run1"], means["BBGhelani1"]) == (
            pytest.approx(0.6844, abs=5e-5),
            pytest.approx(0.6689, abs=5e-5),
        )
        with pytest.raises(ReadError, match="5 measures; choose one with measure=: ndcg@10"):
            read_scores(data / "covid1" / "leaderboard.csv")
        assert len(read_scores(data / "covid1" / "leaderboard.csv", "ndcg@10").systems) == 143

    def test_align_two_judges(self, data: Path) -> None:
        human, model = (
            as_topics(data / "dl21" / "scores" / f"ndcg_cut_10__{judge}.csv") for judge in ("human", "umbrela_gpt4")
        )
        assert human.values.shape == (53, 63)
        assert (cell(human, "2082", "Fast_ForwardP_5"), cell(human, "1129560", "yorku21_c")) == (
            0.97879,
            0.73068,
        )
        assert [side.values.shape for side in pair(human, model)] == [(53, 63), (53, 63)]


class TestRunsAndQrels:
    def test_all_runs_of_a_folder(self, data: Path) -> None:
        runs = read_runs(data / "covid1" / "runs")
        assert runs.shape == (143, 30)
        assert {"smith.bm25", "smith.ql", "smith.rm3", "10x10.prf.unipd.it"} <= set(runs.systems)
        assert runs.documents("10x10.prf.unipd.it", "1")[:3] == ("nxfr24sp", "qla6edp4", "uusi3nph")

    def test_words_after_the_tag(self, formats: Path) -> None:
        with pytest.warns(DataWarning, match=r"results.trunc \(tag STANDARD\)"):
            run = read_runs(formats / "trec_eval" / "results.trunc")
        name = run.systems[0]
        assert {topic: len(run.documents(name, topic)) for topic in run.topics} == {"301": 500, "303": 84}
        assert run.documents(name, "303")[:3] == ("FT934-2516", "FT934-5418", "FT921-7107")
        assert run.documents(name, "301")[:3] == ("FBIS4-50478", "FBIS3-21938", "FBIS3-22085")

    def test_qrels(self, data: Path) -> None:
        qrels = read_qrels(data / "covid1" / "qrels.txt")
        assert len(qrels) == 30
        assert (qrels["1"]["010vptx3"], qrels["1"]["02f0opkr"], qrels["1"]["04ftw7k9"]) == (2, 1, 0)
        assert all(isinstance(grade, int) for judged in qrels.values() for grade in judged.values())

    def test_comments_and_ids_with_a_hash(self, formats: Path) -> None:
        plain = read_qrels(formats / "trec_eval" / "qrels.test")
        commented = read_qrels(formats / "trec_eval" / "qrels.test.with-comments")
        assert plain["301"].keys() ^ commented["301"].keys() == {"CR93E-1860", "CR#93E-1860"}
        assert sum(map(len, plain.values())) == sum(map(len, commented.values()))

    def test_float_grades_are_kept(self, data: Path) -> None:
        qrels = read_qrels(data / "dl21" / "qrels" / "exam_graded_mean_gpt4.txt.gz")
        assert qrels["2082"]["msmarco_passage_55_419567963"] == 1.7
        human = read_qrels(data / "dl21" / "qrels" / "human.txt.gz")
        assert set(human) <= set(qrels)
        vital = read_qrels(data / "dl21" / "qrels" / "nuggets_vital_gpt4o.txt.gz")
        assert vital["19335"]["1017759"] == 0.16666666666666666

    def test_gzip_of_scores(self, formats: Path, tmp_path: Path) -> None:
        sample = formats / "trec_eval" / "BBGhelani1.q.txt"
        packed = tmp_path / "no suffix"
        packed.write_bytes(gzip.compress(sample.read_bytes()))
        assert read_scores(packed, "map") == read_scores(sample, "map")
