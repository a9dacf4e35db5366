"""Calls every public function once and prints its numbers as JSON. It runs where only numpy and scipy are installed."""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import concordant as cc
from concordant.data.collection import path
from concordant.judgments import Change

RUN = "1 Q0 a 1 3 {0}\n1 Q0 b 2 2 {0}\n2 Q0 c 1 5 {0}\n2 Q0 a 2 4 {0}\n"
QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 0\n2 0 a 1\n2 0 b 0\n2 0 c 0\n"


def calls(folder: Path) -> dict[str, Callable[[], Any]]:
    """A call for each public function, by its name."""
    people, careful, hasty = (cc.load_collection(name) for name in ("people", "careful", "hasty"))
    truth, ties, free = people.means(), hasty.means(), careful.means()
    for system, order in (("x", "abc"), ("y", "cba"), ("z", "bca")):
        lines = RUN.format(system).translate(str.maketrans("abc", order))
        (folder / f"{system}.run").write_text(lines, encoding="utf-8")
    (folder / "qrels.txt").write_text(QRELS, encoding="utf-8")
    runs, qrels = cc.read_runs(str(folder / "*.run")), cc.read_qrels(folder / "qrels.txt")
    few: dict[str, Any] = {"n_resamples": 500, "rng": 7}
    report = cc.compare(people, careful, rng=7)
    battles = folder / "battles.csv"
    won = ["x,y,a", "y,z,b", "z,x,tie", "x,y,b", "y,z,a", "x,z,a"] * 20
    battles.write_text("\n".join(["model_a,model_b,winner", *won]), encoding="utf-8")
    found: dict[str, Callable[[], Any]] = {
        c.name: partial(c.function, truth, ties if "candidate" in c.ties else free) for c in cc.list_coefficients()
    }
    return found | {
        "pair": lambda: [s.means() for s in cc.pair(people, hasty)],
        "as_scores": lambda: cc.as_scores(path("hasty")).means(),
        "audit": lambda: cc.audit(people, careful, reported="0.905").to_dict(),
        "combine": lambda: cc.combine(people.select(topics=people.topics[:15]), careful).to_dict(),
        "board": lambda: cc.board(people, **few).to_dict(),
        "compare": report.to_dict,
        "judge_worth": lambda: cc.judge_worth(people, careful, rng=1).to_dict(),
        "rank_judges": lambda: cc.rank_judges(people, {"careful": careful, "hasty": hasty}, rng=1).to_dict(),
        "correlate": lambda: cc.correlate(people, hasty, n_resamples=500, rng=7).to_dict(),
        "discriminative_power": lambda: cc.ranks.discriminative_power(people, hasty).to_dict(),
        "evaluate": lambda: [s.means() for s in cc.evaluate(runs, qrels, ["AP", "P@1"]).values()],
        "expected_correlation": lambda: cc.expected_correlation(people, coefficient="tau_ap", rng=7).to_dict(),
        "difference": lambda: cc.difference(people, *people.systems[:2], rng=7).to_dict(),
        "neighbours": lambda: cc.ranks.neighbours(people, rng=7).to_dict(),
        "run_noise": lambda: cc.ranks.run_noise(
            cc.Scores(np.random.default_rng(1).random((9, 3, 4)), range(9), ["a", "b", "c"])
        ).to_dict(),
        "plan_runs": lambda: cc.planning.plan_runs(
            cc.Scores(np.random.default_rng(1).random((9, 3, 4)), range(9), ["a", "b", "c"])
        ).to_dict(),
        "explain": lambda: cc.explain(people, hasty).to_dict(),
        "family_bias": lambda: cc.judges.family_bias(
            people, hasty, families={system: system.split("-")[0] for system in people.systems}, **few
        ).to_dict(),
        "gaming_gap": lambda: cc.judges.gaming_gap(
            cc.Runs.from_dict(
                {s: {str(t): order for t in range(9)} for s, order in (("x", ["a", "b", "c"]), ("y", ["c", "b", "a"]))}
            ),
            *[cc.Qrels.from_dict({str(t): {"a": t % 3, "b": 1, "c": 0} for t in range(9)})] * 2,
            "AP",
            **few,
        ).to_dict(),
        "get_coefficient": lambda: cc.get_coefficient("tau_b").function(truth, ties),
        "judge_card": lambda: cc.judge_card(people, {"careful": careful, "hasty": hasty}, **few).to_dict(),
        "judge_study": lambda: cc.study.judge_study(runs, qrels, {"same": qrels}, ["AP"], n_resamples=500).to_dict(),
        "judgment_study": lambda: cc.study.judgment_study(
            runs, qrels, [Change("depth_pool", 1)], ["AP"], n_draws=2, n_resamples=500
        ).to_dict(),
        "list_coefficients": lambda: len(cc.list_coefficients()),
        "load_collection": lambda: cc.load_collection("people").values,
        "permutation_test": lambda: cc.permutation_test(truth, ties, **few).to_dict(),
        "plan_mix": lambda: cc.plan_mix(
            people.select(topics=people.topics[:15]), careful, as_good_as=60, costs=(20, 0.1)
        ).to_dict(),
        "plan_topics": lambda: cc.plan_topics(people, coefficient="tau_ap", target=0.9, **few).to_dict(),
        "rank_changes": lambda: cc.judges.rank_changes(people, hasty, **few).to_dict(),
        "rank_distance": lambda: cc.rank_distance(people, hasty),
        "rank_intervals": lambda: cc.rank_intervals(people, **few).to_dict(),
        "rank_test": lambda: cc.rank_test(people, hasty, **few).to_dict(),
        "read_qrels": lambda: len(cc.read_qrels(folder / "qrels.txt").topics),
        "read_runs": lambda: len(cc.read_runs(str(folder / "*.run")).systems),
        "read_scores": lambda: cc.read_scores(path("hasty")).values,
        "reliability": lambda: cc.reliability(people, rng=7).to_dict(),
        "reliability_study": lambda: cc.study.reliability_study({"people": people}, n_trials=1, sizes=[10]).to_dict(),
        "read_votes": lambda: cc.votes.read_votes(battles).wins,
        "rank_votes": lambda: cc.votes.rank_votes(battles, n_resamples=100, rng=1).to_dict(),
        "select_topics": lambda: cc.select_topics(people, 10, n_splits=3, rng=1).to_dict(),
        "simulate": lambda: cc.simulate(people, 10, rng=7).means(),
        "significance_agreement": lambda: cc.judges.significance_agreement(people, hasty).to_dict(),
        "soft_pairwise_accuracy": lambda: cc.soft_pairwise_accuracy(people, hasty, **few).to_dict(),
        "null_distribution": lambda: [cc.null_distribution(c, 9).pvalue(0.5) for c in ("tau", "tau_ap")],
        "tie_calibration": lambda: cc.judges.tie_calibration(people, hasty, rng=7).to_dict(),
        "tie_bounds": lambda: cc.tie_bounds(truth, ties).expected,
        "report": lambda: (report.report(folder / "report.html"), (folder / "report.html").stat().st_size > 30_000)[1],
    }


def numbers(value: Any) -> Any:
    """Only what is a number, in its place."""
    if isinstance(value, dict):
        return {str(key): numbers(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [numbers(each) for each in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return float(value) if isinstance(value, int | float | np.number) else None


if __name__ == "__main__":
    warnings.simplefilter("ignore", cc.errors.RegularisationWarning)  # few topics, so that it is quick
    answers: dict[str, Any] = {"has_native": cc.has_native, "file": cc.__file__}
    with tempfile.TemporaryDirectory() as made:
        for name, call in calls(Path(made)).items():
            try:
                answers[name] = numbers(call())
            except cc.errors.MissingExtraError as error:
                answers[name] = str(error)
    json.dump(answers, sys.stdout)
