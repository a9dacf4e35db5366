"""Every public function, with fixed seeds and few resamples."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from fetch_data import sums

from .cases import (
    CARRIED,
    COLLECTIONS,
    COVID1,
    HUMAN,
    LLAMA,
    PAIRS,
    UMBRELA,
    attempt,
    by_system,
    call,
    case,
    everything,
    find,
    judged,
    means,
    names,
    pair,
    resampled,
    runs,
    said,
    side,
    teams,
)
from .files import held, page

# Coefficients --------------------------------------------------------------------------------------

# Short vectors that show what a coefficient does about ties, signs, sizes and what it leaves undefined.
VECTORS = {
    "no ties": ([0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.2], [0.5, 0.9, 0.6, 0.55, 0.1, 0.4, 0.2]),
    "ties in the second": ([7, 6, 5, 4, 3, 2, 1], [5, 5, 6, 3, 3, 3, 1]),
    "ties in the first": ([5, 5, 4, 4, 4, 2, 1], [7, 5, 6, 3, 4, 1, 2]),
    "ties in both": ([5, 5, 4, 4, 3, 2, 2], [4, 4, 4, 5, 1, 2, 2]),
    "first all tied": ([1, 1, 1, 1], [4, 3, 2, 1]),
    "second all tied": ([4, 3, 2, 1], [1, 1, 1, 1]),
    "two systems": ([1, 2], [2, 1]),
    "equal": ([3, 1, 2, 5, 4], [3, 1, 2, 5, 4]),
    "reversed": ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]),
    "signs and sizes": ([-3e5, 2.0, 1e-9, -0.5, 1e8], [1e-3, -7.0, 3e7, 0.0, -2e-5]),
    "not finite": ([1.0, float("nan"), 3.0], [1.0, 2.0, 3.0]),
    "unequal lengths": ([1.0, 2.0, 3.0], [1.0, 2.0]),
}
TOLERANT = ("tau_b", "tau_strict", "pairwise_accuracy", "tau_ap_b", "tau_ap_ties", "tau_ap_strict")
BOUNDED = ("tau", "tau_ap", "tau_gap")
RBO_KINDS = ("ext", "min", "max", "res")


@case("coefficients registered")
def _() -> Any:
    return {c.name: c for c in call("list_coefficients")}


@case("coefficient {} on short vectors", names)
def _(name: str) -> Any:
    return {v: [attempt(call, name, x, y), attempt(call, name, y, x)] for v, (x, y) in VECTORS.items()}


@case("coefficient {} on means", names)
def _(name: str) -> Any:
    return {p: attempt(call, name, *means(p)) for p in PAIRS}


@case("coefficient {} on topics", names)
def _(name: str) -> Any:
    return attempt(call, name, *(scores.values for scores in pair("hasty")))


@case("coefficient {} on batches of {}", names, ("hasty", "covid1", "robust2004"))
def _(name: str, p: str) -> Any:
    truth, other = pair(p)
    batch = resampled(other, 60)
    untied = batch + np.random.default_rng(5).normal(0, 1e-4, batch.shape)
    return {
        "rows": attempt(call, name, truth.means(), batch),
        "broadcast": attempt(call, name, batch[:4, None, :], batch[None, 4:9, :]),
        "rows without ties": call(name, untied[0], untied),
        "broadcast without ties": call(name, untied[:4, None, :], untied[None, 4:9, :], **_threads(name)),
    }


def _threads(name: str) -> dict[str, int]:
    return {"workers": 2} if "workers" in inspect.signature(find(name)).parameters else {}


@case("coefficient {} with a tolerance", TOLERANT)
def _(name: str) -> Any:
    return {p: [call(name, *means(p), tolerance=t) for t in (0.001, 0.01, 0.1)] for p in PAIRS}


@case("coefficient rbo with ties {} as {}", "wab", RBO_KINDS)
def _(ties: str, kind: str) -> Any:
    return {
        p: [attempt(call, "rbo", *means(p), p=depth, ties=ties, kind=kind) for depth in (0.5, 0.9, 0.98)]
        for p in ("hasty", "covid1", "adhoc8")
    }


@case("coefficient rbo of other systems")
def _() -> Any:
    truth, other = by_system("people"), by_system("hasty")
    for lost in list(other)[3:6]:
        del other[lost]
    return [call("rbo", truth, other, kind=kind) for kind in RBO_KINDS]


@case("coefficient as matrix and statistic")
def _() -> Any:
    known = call("get_coefficient", "tau_ap_b")
    return {
        "matrix": known.matrix(side("people").to_frame()),
        "statistic": known.statistic(*(scores.values for scores in pair("hasty")), axis=0),
    }


@case("tie_bounds {}", BOUNDED)
def _(name: str) -> Any:
    return {
        "means": {p: attempt(call, "tie_bounds", *means(p), coefficient=name) for p in PAIRS},
        "short vectors": {v: attempt(call, "tie_bounds", *both, coefficient=name) for v, both in VECTORS.items()},
        "batch": call("tie_bounds", means("hasty")[0], resampled(side("hasty"), 50).round(2), coefficient=name),
    }


# Chance --------------------------------------------------------------------------------------------

ALTERNATIVES = ("two-sided", "less", "greater")


@case("{} of {} systems", ("tau", "tau_ap"), (2, 3, 9, 20, 63, 143, 1000))
def _(name: str, m: int) -> Any:
    null, grid = call("null_distribution", name, m), np.linspace(-1, 1, 21)
    return {
        **everything(null),
        **{f: getattr(null, f)(grid) for f in ("cdf", "sf")},
        **{f"pvalue {a}": null.pvalue(grid, a) for a in ALTERNATIVES},
    }


@case("permutation_test {}", names)
def _(name: str) -> Any:
    admitted = call("get_coefficient", name).ties
    return said(
        "permutation_test",
        *means("hasty" if len(admitted) == 2 else "careful"),
        coefficient=name,
        n_resamples=400,
        rng=7,
    )


@case("permutation_test of {}", ("covid1", "dl21-llama", "robust2004", "adhoc8"))
def _(p: str) -> Any:
    return said("permutation_test", *means(p), coefficient="tau_ap_b", n_resamples=400, rng=7)


# Two sides -----------------------------------------------------------------------------------------


def _fewer_topics() -> Any:
    hasty = side("hasty")
    return hasty.select(hasty.systems[::-1][:17], hasty.topics[::-1][:35])


@case("align")
def _() -> Any:
    people = side("people").select(side("people").systems[:15])
    sides = (people, _fewer_topics(), side("careful"))
    made = {on: said("pair", sides[0], list(sides[1:]), on=on) for on in ("both", "systems")}
    return {"align": list(call("pair", *sides[:2])), **made}


@case("compare {}", PAIRS)
def _(p: str) -> Any:
    return said("compare", *pair(p), n_resamples=200, rng=7)


@case("compare {} with all", PAIRS)
def _(p: str) -> Any:
    how: dict[str, Any] = {"interval": True, "test": True, "per_topic": True, "names": ("t", "c")}
    return said("compare", *pair(p), n_resamples=600, rng=7, **how)


@case("compare {} at the top", PAIRS)
def _(p: str) -> Any:
    some = ["tau_b", "tau_ap_b", "rbo"]
    return said("compare", *pair(p), coefficients=some, top=10, rank_test="paper", n_resamples=300, rng=7)


@case("compare on own topics")
def _() -> Any:
    whole = side("trec/robust2004_ap")
    halves = (whole.select(topics=whole.topics[::2]), whole.select(topics=whole.topics[1::2]))
    return said("compare", *halves, on="systems", n_resamples=200, rng=7)


@case("compare partly the same systems and topics")
def _() -> Any:
    return said("compare", side("people").select(side("people").systems[:15]), _fewer_topics(), n_resamples=200, rng=7)


@case("compare means")
def _() -> Any:
    return said("compare", by_system("people"), by_system("hasty"), rng=7)


@case("correlate {} {}", PAIRS, ("auto", "iterated", "percentile"))
def _(p: str, method: str) -> Any:
    how: dict[str, Any] = {"method": method, "n_resamples": 600, "rng": 7}
    return [said("correlate", *pair(p), coefficient=name, **how) for name in ("tau_b", "tau_ap_b")]


@case("correlate hasty by {}", names)
def _(name: str) -> Any:
    how: dict[str, Any] = {"method": "iterated", "confidence_level": 0.9, "n_resamples": 600, "rng": 7}
    return attempt(said, "correlate", *pair("hasty"), coefficient=name, **how)


@case("correlate careful by {} without an interval", names)
def _(name: str) -> Any:
    return said("correlate", *pair("careful"), coefficient=name, method=None, rng=7)


@case("correlate covid1 with many resamples")
def _() -> Any:
    return said("correlate", *pair("covid1"), method="iterated", n_resamples=2000, rng=7)


@case("correlate on {} threads", (1, 2))
def _(workers: int) -> Any:
    how: dict[str, Any] = {"method": "iterated", "n_resamples": 600, "rng": 7}
    return said("correlate", *pair("hasty"), coefficient="tau_ap_b", **how, workers=workers)


@case("rank_judges {}", ("tau_b", "tau_ap_b"))
def _(name: str) -> Any:
    people, careful, hasty = map(side, CARRIED)
    return said("rank_judges", people, {"careful": careful, "hasty": hasty}, coefficient=name, rng=7)


@case("judge_worth {} {}", ("tau_b", "tau_ap_b", "pearson_rank"), ("careful", "hasty"))
def _(name: str, candidate: str) -> Any:
    return said("judge_worth", *pair(candidate), coefficient=name, rng=7)


@case("rank_judges dl21")
def _() -> Any:
    names = ("umbrela_gpt4", "binary_gpt4o", "binary_llama3.2")
    human, *judges = (side(f"dl21/scores/ndcg_cut_10__{judge}") for judge in ("human", *names))
    return said("rank_judges", human, dict(zip(names, judges, strict=True)), rng=7)


@case("rank_judges covid1")
def _() -> Any:
    truth, *judges = (side(f"covid1/{measure}") for measure in ("map", "ndcg_cut_10", "P_5"))
    return said("rank_judges", truth, dict(zip("ab", judges, strict=True)), rng=7)


@case("explain {}", PAIRS)
def _(p: str) -> Any:
    truth, other = pair(p)
    found = call("explain", truth, other, coefficient="tau_ap_b")
    kinds = {kind: found.to_frame(kind) for kind in ("systems", "topics")}
    return {**everything(found), **kinds}


@case("explain {} by {}", ("careful", "hasty"), names)
def _(p: str, name: str) -> Any:
    return attempt(said, "explain", *pair(p), coefficient=name)


@case("explain means")
def _() -> Any:
    return said("explain", by_system("people"), by_system("hasty"))


# Ranks ---------------------------------------------------------------------------------------------


@case("rank_distance {}", PAIRS)
def _(p: str) -> Any:
    truth, other = pair(p)
    return {
        "one": call("rank_distance", truth, other),
        "back": call("rank_distance", other, truth),
        "eps": call("rank_distance", truth, other, eps=1e-3),
        "batch": call("rank_distance", truth, resampled(other, 5), workers=2),
    }


@case("rank_test {} {}", PAIRS, ("recentred", "paper"))
def _(p: str, method: str) -> Any:
    return said("rank_test", *pair(p), method=method, n_resamples=200, alpha=0.1, rng=7)


@case("rank_test by means")
def _() -> Any:
    return said("rank_test", side("people"), side("hasty").means(), n_resamples=2000, rng=7)


@case("rank_test on {} threads", (1, 2))
def _(workers: int) -> Any:
    return said("rank_test", *pair("hasty"), n_resamples=300, rng=7, workers=workers)


@case("discriminative_power {} {} {}", PAIRS, (0.05, 0.01), (None, "holm"))
def _(p: str, alpha: float, correction: str | None) -> Any:
    return said("discriminative_power", *pair(p), alpha=alpha, correction=correction)


@case("rank_intervals {}", COLLECTIONS)
def _(c: str) -> Any:
    found = call("rank_intervals", side(c), n_resamples=500, rng=7)
    best = {str(k): found.best(k) for k in (1, 3, 10)}
    return {**everything(found), "best": best, "of the first": found[found.systems[0]]}


@case("rank_intervals {} marginal", COLLECTIONS)
def _(c: str) -> Any:
    return said("rank_intervals", side(c), confidence_level=0.9, simultaneous=False, n_resamples=500, rng=7)


@case("rank_intervals {} borda", COLLECTIONS)
def _(c: str) -> Any:
    return said("rank_intervals", call("as_scores", side(c), total="borda"), n_resamples=500, rng=7)


# Reliability ---------------------------------------------------------------------------------------


@case("reliability {}", COLLECTIONS)
def _(c: str) -> Any:
    return said("reliability", side(c), rng=7)


@case("reliability of identical systems, {}", ("half", "concordant"))
def _(identical: str) -> Any:
    return said("reliability", side("trec/adhoc8"), identical=identical, rng=7)


@case("reliability on {} threads", (1, 2))
def _(workers: int) -> Any:
    return said("reliability", side("people"), rng=7, workers=workers)


@case("expected_correlation {} {}", COLLECTIONS, (None, "ml", "msqd", "res", "kd", "sh(w)", "sh(w/o)", "posterior"))
def _(c: str, estimator: str | None) -> Any:
    return [
        said("expected_correlation", side(c), coefficient=name, estimator=estimator, rng=7)
        for name in ("tau", "tau_ap")
    ]


@case("expected_correlation people by {}", names)
def _(name: str) -> Any:
    how: dict[str, Any] = {"n_resamples": 300, "confidence_level": 0.9, "rng": 7}
    return attempt(said, "expected_correlation", side("people"), coefficient=name, estimator="posterior", **how)


@case("plan_topics {}", COLLECTIONS)
def _(c: str) -> Any:
    asked = (("tau", 0.9, None), ("tau_ap", 0.85, 0.8))
    names = ("coefficient", "target", "probability")
    return [
        said("plan_topics", side(c), **dict(zip(names, question, strict=True)), n_resamples=200, rng=7)
        for question in asked
    ]


# Simulation ----------------------------------------------------------------------------------------

SIMULATORS: dict[str, dict[str, Any]] = {
    "by default": {},
    "exact means": {"exact_means": True},
    "other bounds": {"bounds": (-0.5, 2.0)},
}


def _simulated(scores: Any, **options: Any) -> dict[str, Any]:
    model = call("Simulator", scores, **options)
    return {
        "drawn": model.draw(20, 7),
        "simulated": model.simulate(15, 7),
        "true_means": model.true_means(),
        "str": repr(model),
    }


@case("Simulator people {}", SIMULATORS)
def _(how: str) -> Any:
    return _simulated(side("people"), **SIMULATORS[how])


@case("Simulator {} without the worst", COLLECTIONS[1:])
def _(c: str) -> Any:
    return _simulated(side(c).drop_bottom(0.25))


@case("simulate")
def _() -> Any:
    hasty = side("hasty").drop_bottom(0.25)
    return [call("simulate", side("people"), 30, 7), call("simulate", hasty, 30, 7, exact_means=True)]


# Reading -------------------------------------------------------------------------------------------

# What is read, and by which measures. Everything else in the folder of formats is refused, or needs a measure.
FORMATS: dict[str, tuple[str | None, ...]] = {
    "trec_eval/BBGhelani1.q.txt": ("map", "P_5", "num_rel", "recip_rank"),
    "trec_eval/covid_partial.q.txt": ("map", "ndcg_cut_10"),
    "trec_eval/covid_partial.q.c.txt": (None,),
    "trec_eval/out.test.aq": ("map", "bpref", "P_10"),
    "trec_eval/out.test.aqc": ("map",),
    "trec_eval/out.test.aqZ": ("Zmap",),
    "ir_measures/partial.q.jsonl": ("AP", "nDCG@10"),
    "ir_measures/partial.q.tsv": ("AP", "nDCG@10"),
    "pyterrier/experiment_perquery.csv": ("AP", "nDCG@10"),
    "helm": ("quasi_exact_match", "exact_match@5", "num_prompt_tokens[valid]"),
    "inspect": (None,),
    "inspect/data_pubmedqa_gpt4o_mini.json": (None, "choice"),
    "lm_eval": (None, "exact_match,none"),
    "lm_eval/results_2026-01-21T03-44-18.458309.json": (None,),
    "lm_eval/samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl": (None,),
    "mteb": (None, "map_at_10"),
    "mteb/SciFact.json": (None, "ndcg_at_10"),
    "mteb_repo/Alibaba-NLP__gte-Qwen2-7B-instruct/external": (None,),
    "nested/runid_matrix.csv": (None,),
}
TABLES = (
    "covid1/map", "covid1/P_5", "covid1/bpref", "covid1/ndcg_cut_10", "covid1/ndcg_cut_20", "trec/adhoc6",
    "trec/adhoc7", "trec/adhoc8", "trec/robust2004_ap", "trec/robust2004_p10", "dl21/scores/map__human",
    "dl21/scores/ndcg_cut_10__human", "dl21/scores/ndcg_cut_10__prefs", "wmt25/en-cs_CZ__XCOMET-XL",
    "wmt25/en-cs_CZ__GEMBA-ESA-GPT4.1",
)  # fmt: skip
POLICIES = ("error", "zero", "drop", "drop-systems", "mean")


def _others() -> list[str]:
    """Files and folders of formats, which are known also where they are not there."""
    files = [PurePosixPath(name).relative_to("formats") for name in sums() if name.startswith("formats/")]
    paths = sorted({path.as_posix() for file in files for path in (file, *file.parents[:-1])})
    return [path for path in paths if None not in FORMATS.get(path, ())]


@case("read {}", [f"{path} {measure or ''}".strip() for path, measures in FORMATS.items() for measure in measures])
def _(what: str) -> Any:
    path, _, measure = what.partition(" ")
    return call("read_scores", f"data/formats/{path}", measure or None)


@case("may refuse {}", _others)
def _(path: str) -> Any:
    return call("read_scores", f"data/formats/{path}")


@case("read table {}", TABLES)
def _(name: str) -> Any:
    return call("read_scores", f"data/{name}.csv")


def _completed(*given: Any, missing: str) -> Any:
    found = call("read_scores", *given, missing=missing)
    return found if missing == "available" else found.complete()


@case("read partial files, missing {}", POLICIES)
def _(policy: str) -> Any:
    files = [f"data/formats/trec_eval/{name}.q.txt" for name in ("BBGhelani1", "covid_partial")]
    return attempt(_completed, files, "map", missing=policy)


@case("read MTEB, missing {}", POLICIES)
def _(policy: str) -> Any:
    return attempt(_completed, "data/mteb/eng_v2.csv", missing=policy)


@case("read with options")
def _() -> Any:
    some = {"systems": side("people").systems[:4], "topics": side("people").topics[5:9]}
    return [
        call("read_scores", "people.csv", lower_is_better=True),
        call("read_scores", "people.csv", **some),
        call("read_scores", [Path("people.csv")]),
    ]


@case("Scores {}", (*CARRIED, *COLLECTIONS[1:]))
def _(name: str) -> Any:
    scores = side(name)
    return {
        "scores": scores,
        "to_frame": scores.to_frame(),
        "drop_bottom": [scores.drop_bottom(share) for share in (0.1, 0.25, 0.5)],
        "str": repr(scores),
    }


@case("Scores from dictionaries")
def _() -> Any:
    people = side("people").select(side("people").systems[:4], side("people").topics[:6])
    plain = {
        system: dict(zip(people.topics, column, strict=True))
        for system, column in zip(people.systems, people.values.T.tolist(), strict=True)
    }
    measured = {s: {t: {"map": v, "P_5": v / 2} for t, v in of.items()} for s, of in plain.items()}
    return {
        "by system and topic": call("as_scores", plain),
        "by system, topic and measure": call("as_scores", measured, measure="P_5"),
        "one run": call("as_scores", {"mine": measured[people.systems[0]]}, measure="map"),
    }


def _of_runs(found: Any) -> dict[str, Any]:
    lines = [f"{s} {t} {' '.join(found.documents(s, t))}" for s in found.systems for t in found.topics]
    facts = {name: getattr(found, name) for name in ("systems", "topics", "shape", "depths")}
    return {**facts, "documents": lines}


def _of_qrels(found: Any) -> dict[str, Any]:
    lines = [f"{t} {d} {float(g).hex()}" for t, of in sorted(found.to_dict().items()) for d, g in sorted(of.items())]
    return {"size": found.size, "topics": sorted(found.topics), "judgments": lines}


@case("read_runs {}", ("dl21", "covid1"))
def _(name: str) -> Any:
    some = runs(name).systems[:3]
    return {
        "all": _of_runs(runs(name)),
        "cut": _of_runs(runs(name).cut(5)),
        "select": _of_runs(runs(name).select(some)),
    }


@case("read_qrels {}", (HUMAN, UMBRELA, LLAMA, COVID1, "formats/trec_eval/qrels.test"))
def _(name: str) -> Any:
    found = judged(name)
    found.write("written.txt")
    return {
        "read": _of_qrels(found),
        "written and read": _of_qrels(call("read_qrels", "written.txt")),
        "recode": _of_qrels(found.recode({1: 0})),
        "select": _of_qrels(found.select(found.topics[:3])),
    }


@case("Runs and Qrels from dictionaries")
def _() -> Any:
    of = runs("dl21")
    nested = {s: {t: list(of.documents(s, t))[:20] for t in of.topics} for s in of.systems[:5]}
    made, grades = find("Runs").from_dict(nested), find("Qrels").from_dict(judged(HUMAN).to_dict())
    return {"runs": _of_runs(made), "qrels": _of_qrels(grades), "scores": call("evaluate", made, grades, "nDCG@10")}


# One collection in every form that people have it in -----------------------------------------------


def _form(name: str, kind: str) -> Any:
    import pandas as pd
    import polars as pl

    scores = side(name)
    if kind in ("array", "Scores", "file"):
        return {"array": scores.values, "Scores": scores, "file": f"{name}.csv"}[kind]
    if kind == "series of means":
        return pd.Series(scores.means(), index=list(scores.systems))
    if kind == "long frame":
        return scores.to_frame().reset_index().melt("topic")
    frame = scores.to_frame()
    if kind == "frame with topics as index":
        return frame
    if kind == "transposed frame":
        return frame.T
    topics = list(scores.topics) if kind == "frame with a topic column" else [int(topic) for topic in scores.topics]
    columns = {"topic": topics, **{system: frame[system].to_list() for system in scores.systems}}
    return pl.DataFrame(columns) if kind == "polars" else pd.DataFrame(columns)


FORMS = (
    "Scores", "file", "array", "frame with topics as index", "frame with a topic column",
    "frame with a numeric topic column", "transposed frame", "long frame", "polars", "series of means",
)  # fmt: skip
DOORS: dict[str, Callable[..., Any]] = {
    "read_scores": lambda a, b, c: call("read_scores", a),
    "Scores.from_frame": lambda a, b, c: call("as_scores", a),
    "align": lambda a, b, c: list(call("pair", a, b)),
    "reliability": lambda a, b, c: call("reliability", a, rng=7),
    "expected_correlation": lambda a, b, c: call("expected_correlation", a, coefficient="tau_ap", rng=7),
    "plan_topics": lambda a, b, c: call("plan_topics", a, n_resamples=100, rng=7),
    "rank_intervals": lambda a, b, c: call("rank_intervals", a, n_resamples=300, rng=7),
    "simulate": lambda a, b, c: call("simulate", a, 10, 7),
    "compare": lambda a, b, c: call("compare", a, b, n_resamples=100, rng=7),
    "correlate": lambda a, b, c: call("correlate", a, b, method="iterated", n_resamples=600, rng=7),
    "rank_judges": lambda a, b, c: call("rank_judges", a, {"b": b, "c": c}, rng=7),
    "explain": lambda a, b, c: call("explain", a, b),
    "rank_test": lambda a, b, c: call("rank_test", a, b, n_resamples=100, rng=7),
    "rank_distance": lambda a, b, c: call("rank_distance", a, b),
    "discriminative_power": lambda a, b, c: call("discriminative_power", a, b),
    "audit": lambda a, b, c: call("audit", a, b, reported="0.905", departures=1),
}


@case("door {} {}", DOORS, FORMS)
def _(name: str, kind: str) -> Any:
    return DOORS[name](*(_form(each, kind) for each in CARRIED))


# Judgments -----------------------------------------------------------------------------------------

MEASURES = (
    "nDCG@10", "AP", "AP(rel=2)", "P@10", "P(rel=2)@5", "R@20", "RR", "RR@10", "Rprec", "Bpref", "Success@5", "nDCG",
    "AP@20",
)  # fmt: skip


def _change(name: str) -> Any:
    return getattr(importlib.import_module("concordant.judgments"), name)


@case("evaluate dl21 {}", (HUMAN, UMBRELA))
def _(name: str) -> Any:
    return call("evaluate", runs("dl21"), judged(name), MEASURES)


@case("evaluate covid1")
def _() -> Any:
    return call("evaluate", runs("covid1"), judged(COVID1), MEASURES, missing="zero")


@case("evaluate covid1, missing {}", POLICIES)
def _(policy: str) -> Any:
    return attempt(call, "evaluate", runs("covid1"), judged(COVID1), "nDCG@10", missing=policy)


@case("judgments depth_pool {} {}", (1, 5, 20), (None, 4))
def _(k: int, contributing: int | None) -> Any:
    names = runs("dl21").systems[:contributing] if contributing else None
    return _of_qrels(_change("depth_pool")(runs("dl21"), judged(HUMAN), k, names))


@case("judgments sample")
def _() -> Any:
    asked: tuple[tuple[float, dict[str, Any]], ...] = ((0.05, {}), (0.3, {"rel": 2}), (0.3, {"least": (2, 5)}))
    return [_of_qrels(_change("sample")(judged(HUMAN), share, 7, **options)) for share, options in asked]


@case("judgments pseudo")
def _() -> Any:
    asked: tuple[dict[str, Any], ...] = ({}, {"share": 0.2, "spread": 0.05}, {"duplicates": True})
    return [_of_qrels(_change("pseudo")(runs("dl21"), 10, 7, **options)) for options in asked]


@case("judgments from_runs {}", (None, 10))
def _(k: int | None) -> Any:
    return _of_qrels(_change("from_runs")(judged(HUMAN), runs("dl21"), runs("dl21").systems[:2], k))


@case("judgments mix {}", (0.1, 0.5, 1))
def _(share: float) -> Any:
    return _of_qrels(_change("mix")(judged(HUMAN), judged(UMBRELA), share, 7))


@case("judgments leave_out")
def _() -> Any:
    return {
        team: _of_qrels(_change("leave_out")(runs("covid1"), judged(COVID1), team, teams(), 20))
        for team in list(teams())[:3]
    }


@case("label_agreement {} {}", (UMBRELA, LLAMA), (None, 1))
def _(other: str, rel: float | None) -> Any:
    how: dict[str, Any] = {"rel": rel, "n_resamples": 200, "confidence_level": 0.9, "rng": 7}
    return everything(_change("label_agreement")(judged(HUMAN), judged(other), **how))


@case("judgment_study")
def _() -> Any:
    change, systems = _change("Change"), runs("dl21").systems
    changes = [
        change("depth_pool", 3),
        change("sample", 0.1),
        change("pseudo", 10, share=0.2),
        change("from_runs", systems[0]),
        change("leave_out", "one", teams={"one": list(systems[:5]), "two": list(systems[5:])}, k=20),
        change("mix", 0.5, machine=judged(UMBRELA)),
        change("judge", "llama", qrels=judged(LLAMA)),
    ]
    asked = (runs("dl21"), judged(HUMAN), changes, ["nDCG@10", "AP(rel=2)"])
    study = call("judgment_study", *asked, rng=7, n_draws=3, n_resamples=200)
    sample = ("sample", "0.1", "nDCG@10")
    return {
        **everything(study),
        "draws": study.draws[*sample, "tau_b"],
        "scores": study.scores[sample],
        "unjudged": study.unjudged[sample[:2]],
        "by system": study.tables["systems.csv"],
    }


@case("judge_study")
def _() -> Any:
    judges = {"umbrela": judged(UMBRELA), "llama": judged(LLAMA)}
    study = call("judge_study", runs("dl21"), judged(HUMAN), judges, ["nDCG@10", "AP"], rng=7, n_resamples=600)
    study.save("judges")
    return {**everything(study), "files": held("judges")}


@case("reliability_study")
def _() -> Any:
    originals = {"people": side("people"), "adhoc8": side("trec/adhoc8")}
    study = call("reliability_study", originals, n_trials=3, sizes=[10, 25], rng=7)
    study.save("study")
    return {
        **everything(study),
        "files": held("study"),
        "cell": study.cell("adhoc8", 25, "tau", "msqd"),
    }


@case("reliability_study with exact means")
def _() -> Any:
    how: dict[str, Any] = {"n_trials": 2, "sizes": [10], "drop_bottom": 0, "exact_means": True, "rng": 7}
    return said("reliability_study", {"people": side("people")}, **how)


# Audits and reports --------------------------------------------------------------------------------


@case("audit hasty {}", ("0.723", "0.62", "72.3%", "0.9999"))
def _(number: str) -> Any:
    return said("audit", *pair("hasty"), reported=number)


@case("audit several")
def _() -> Any:
    how: dict[str, Any] = {"top": [5, 10], "departures": 2, "names": ("t", "x", "y")}
    return said("audit", side("people"), [side("careful"), side("hasty")], reported=["0.905", "0.723"], **how)


@case("audit {}", ("dl21-llama", "covid1", "adhoc8"))
def _(p: str) -> Any:
    return said("audit", *pair(p), reported="0.79", departures=1)


def _of_several(pairs: list[str], n_resamples: int = 200, **options: Any) -> Any:
    truth, others = side(PAIRS[pairs[0]][0]), [side(PAIRS[p][1]) for p in pairs]
    return call("compare", truth, dict(zip(pairs, others, strict=True)), n_resamples=n_resamples, rng=7, **options)


@case("report_document {}", ("careful hasty", "dl21-umbrela dl21-llama", "covid1", "robust2004"))
def _(pairs: str) -> Any:
    return call("document_of", _of_several(pairs.split(), 600, interval=True, test=True))


@case("report_html")
def _() -> Any:
    return {
        "comparison": page(call("report_html", _of_several(["careful", "hasty"]))),
        "board": page(call("report_html", call("rank_intervals", side("people"), n_resamples=300, rng=7))),
        "reliability": page(call("report_html", call("reliability", side("people"), rng=7))),
    }


@case("report")
def _() -> Any:
    call("compare", *pair("hasty"), n_resamples=200, rng=7).report("report.html")
    return held("report.html")


# Figures -------------------------------------------------------------------------------------------


def _compared(n_resamples: int = 200, **options: Any) -> Any:
    return call("compare", *pair("hasty"), rng=7, n_resamples=n_resamples, **options)


FIGURES: dict[str, Callable[[], Any]] = {
    "compare": lambda: _compared().plot(),
    "compare ranks": lambda: _compared().plot("ranks"),
    "compare forest": lambda: _compared(600, interval=True).plot("forest"),
    "correlate": lambda: call("correlate", *pair("hasty"), method="iterated", n_resamples=600, rng=7).plot(),
    "judge_worth": lambda: call("judge_worth", *pair("hasty"), rng=7).plot(),
    "explain pairs": lambda: call("explain", *pair("hasty")).plot("pairs"),
    "explain systems": lambda: call("explain", *pair("hasty")).plot("systems"),
    "explain topics": lambda: call("explain", *pair("hasty")).plot("topics"),
    "tie_bounds": lambda: call("tie_bounds", *means("hasty")).plot(),
    "permutation_test": lambda: call("permutation_test", *means("hasty"), n_resamples=300, rng=7).plot(),
    "rank_test": lambda: call("rank_test", *pair("hasty"), n_resamples=200, rng=7).plot(),
    "rank_intervals": lambda: call("rank_intervals", side("people"), n_resamples=300, rng=7).plot(),
    "reliability": lambda: call("reliability", side("people"), rng=7).plot(),
    "plan_topics": lambda: call("plan_topics", side("people"), n_resamples=200, rng=7).plot(),
    "audit": lambda: call("audit", *pair("hasty"), reported="0.723", departures=1).plot(),
    "label_agreement": lambda: _change("label_agreement")(judged(HUMAN), judged(UMBRELA), n_resamples=50, rng=7).plot(),
}


@case("draw {}", FIGURES)
def _(name: str) -> Any:
    """The data in the lines, markers, bars and images of a figure."""
    import matplotlib.pyplot as plt

    axes = FIGURES[name]()
    found = {}
    for k, ax in enumerate(axes if isinstance(axes, list | tuple) else [axes]):
        with_segments = [c for c in ax.collections if hasattr(c, "get_segments")]
        found[f"axes {k}"] = {
            "lines": [np.asarray(line.get_xydata(), float) for line in ax.lines],
            "markers": [np.asarray(c.get_offsets(), float) for c in ax.collections],
            "segments": [[np.asarray(s, float) for s in c.get_segments()] for c in with_segments],
            "bars": [list(map(float, p.get_bbox().bounds)) for p in ax.patches if hasattr(p, "get_bbox")],
            "images": [np.ma.filled(np.ma.asarray(image.get_array(), float), np.nan) for image in ax.images],
            "limits": [*map(float, ax.get_xlim()), *map(float, ax.get_ylim())],
            "label": [ax.get_xlabel(), ax.get_ylabel(), ax.get_title(), *(text.get_text() for text in ax.texts)],
        }
    plt.close("all")
    return found
