"""How well labels on a list of documents rank systems, and how often the intervals hold.

A cell is a collection whose pool people judged, a machine, a measure and a share of the pool. For 100 lists: tau_b with
the ranking by all judgments, and that of the other ways to spend as many labels on the same draws (`try_labels`);
coverage in percent, for these topics, of means (all systems, and the worst system), of differences, and of differences
from the mean of all systems; the mean error of the level in its standard errors. For 100 collections of topics drawn
with replacement: coverage of means and differences, and of all rank intervals together, for topics like these. For AP:
the share of topics without a relevant label; and for topics like these, how many lists print means, and coverage of the
means and differences that are printed.

dl21 with each machine, and with machines that are constant, random, reversed (3 - grade of people) and absent; with
"favoured", umbrela_gpt4 raises the grades of documents of one system until its P@10 gains .15 or they run out. covid1
with three simulated machines, whose grades are a part of people's, of the runs' own opinion, and noise. Simulated pools
with 3 to 50% relevant. With the argument "late": systems of dl21 that come after the list, to labels-late.csv; with
"bias": the mean error from many lists, of the level and of the system with the largest one, to labels-bias.csv; with
"topics": coverage of means for topics like these on 600 collections, where 100 left it open, to labels-topics.csv.

Finished cells are lines of docs/measured/labels.csv, where a run that was stopped continues.
"""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from data import need
from scipy.special import stdtrit

import concordant as cc
from concordant.arrays import BoolArray, FloatArray, IntArray
from concordant.judgments.label_estimates import LabelSample, estimate, freedom_of
from concordant.judgments.label_ranking import MOST_LACKING, topics_lacking
from concordant.judgments.leverage import sizes_of
from concordant.judgments.measures import Measure
from concordant.judgments.pool import FOLDS, Pool, make_pool
from concordant.planning.label_trial import ALONE, LIST, Spent, Truth, covered, scores_of

TABLE = Path(__file__).resolve().parents[1] / "docs" / "measured" / "labels.csv"
LISTS, RANKED = 100, 50
SHARES = (0.1, 0.4, 0.05, 0.2, 0.02)
KEY = ("collection", "machine", "measure", "share")
COLUMNS = (
    *(*KEY, "labels", "tau_alone", "tau_topics", "tau_shallow", "tau_combine", "tau_shrunk", "tau", "tau_se"),
    *(
        "means",
        "means_worst",
        "differences",
        "deviations",
        "bias",
        "topics_means",
        "topics_differences",
        "topics_ranks",
    ),
    *("favoured_bias", "favoured_ranks", "favoured_covered"),
    *("lacking", "topics_printed", "topics_printed_means", "topics_printed_differences"),
)
Made = tuple[Pool, FloatArray]
JUDGES = (
    *("umbrela_gpt4", "binary_llama3.2", "binary_gpt4", "binary_gpt4o", "exam_graded_mean_gpt4"),
    *("exam_graded_max_gpt4", "nuggets_vital_gpt4o", "prefs"),
)
BIAS = (
    *((("dl21", "umbrela_gpt4", "P(rel=2)@10"), n, lists) for n, lists in ((50, 4_000), (149, 2_500), (2_979, 500))),
    *((("dl21", machine, "P(rel=2)@10"), 50, 4_000) for machine in ("binary_llama3.2", "reversed", "absent")),
    (("dl21", "umbrela_gpt4", "DCG@10"), 50, 4_000),
    *(((f"simulated {share:g}", "noisy", "P(rel=1)@10"), 50, 10_000) for share in (0.03, 0.1, 0.5)),
)  # the cell, labels, and lists
TOPICS = (
    (("dl21", "umbrela_gpt4", "P(rel=2)@10"), 0.05),
    *(((f"simulated {share:g}", "noisy", "DCG@10"), 0.05) for share in (0.3, 0.5)),
    (("simulated 0.1", "noisy", "DCG@10"), 0.4),
    (("simulated 0.03", "noisy", "P(rel=1)@10"), 0.1),
)  # the cell and the share of the pool
SIMULATED = {"good": (1.0, 0.3, 0.6), "weak": (0.5, 0.5, 1.0), "none": (0.0, 1.0, 0.3)}


@cache
def read(collection: str) -> tuple[cc.Runs, cc.Qrels]:
    qrels = "qrels.txt" if collection == "covid1" else "qrels/human.txt.gz"
    return cc.read_runs(need(f"{collection}/runs")), cc.read_qrels(need(f"{collection}/{qrels}"))


def graded(pool: Pool, levels: FloatArray | IntArray) -> Pool:
    """With other grades by the machine, from 0."""
    whole = levels.astype(np.int64)
    return replace(pool, levels=whole, share=whole / max(int(whole.max()), 1))


def collected(collection: str, machine: str, depth: int) -> Made:
    """The pool to this depth, without documents that people did not judge where it is deep, and people's grades."""
    runs, people = read(collection)
    there = machine if machine in JUDGES else "umbrela_gpt4"
    judge = cc.read_qrels(need(f"dl21/qrels/{there}.txt.gz")) if collection == "dl21" else None
    pool = make_pool(runs, [topic for topic in runs.topics if topic in people], depth, judge)
    known = {topic: people[topic] for topic in pool.topics}
    grades = np.array([float(known[t].get(d, -1)) for t, d in pool.pairs])
    if depth > 10:
        pool, grades = subset(pool, grades >= 0), grades[grades >= 0]
    grades = grades.clip(0)
    rng = np.random.default_rng(11)
    if machine in SIMULATED:
        part, opinion, noise = SIMULATED[machine]
        seen = part * grades + opinion * pool.popularity[:, 1] + noise * rng.standard_normal(len(pool)) + 0.3
        return graded(pool, np.clip(np.round(seen), 0, 3)), grades
    others: dict[str, Callable[[], FloatArray]] = {
        "absent": lambda: np.zeros(len(pool)),
        "random": lambda: rng.integers(0, 4, len(pool)).astype(float),
        "reversed": lambda: 3 - grades,
        "favoured": lambda: favouring(pool, favourite(pool, grades)),
    }
    return (graded(pool, others[machine]()) if machine in others else pool), grades


def favourite(pool: Pool, grades: FloatArray) -> int:
    """The system at 40% of the true ranking."""
    means = scores_of(pool, Measure("P", 10, 2.0), grades).mean(axis=1)
    return int(np.argsort(-means, kind="stable")[int(0.4 * len(means))])


def favouring(pool: Pool, system: int) -> FloatArray:
    """The machine's levels, with the highest for documents of a system, those of few others first."""
    levels, mine = pool.levels.astype(float), np.unique(pool.places[system])[:-1]
    others = pool.over_systems((pool.places < len(pool)).astype(float))
    mine = mine[levels[mine] < 2]
    levels[mine[np.argsort(others[mine], kind="stable")][: int(0.15 * 10 * len(pool.topics))]] = 3
    return levels


def subset(pool: Pool, kept: BoolArray) -> Pool:
    """Only some pairs; the others leave their ranks empty."""
    number = np.full(len(pool) + 1, kept.sum())
    number[np.flatnonzero(kept)] = np.arange(kept.sum())
    documents = tuple(d for d, keep in zip(pool.documents, kept, strict=True) if keep)
    of_pairs = {name: getattr(pool, name)[kept] for name in ("topic_of", "levels", "share")}
    return replace(pool, documents=documents, places=number[pool.places], **of_pairs)


def simulated(relevant: float, m: int = 40, n_topics: int = 40, n: int = 120, depth: int = 20) -> Made:
    """Runs by a noisy view of a latent quality, and a machine by another."""
    rng = np.random.default_rng(3)
    quality = rng.normal(size=(n_topics, n)) + 0.3 * rng.normal(size=(n_topics, 1))
    cut = np.quantile(quality, 1 - relevant)
    noise = rng.uniform(0.5, 2.0, m)
    shared = rng.normal(size=(n_topics, n))
    seen = quality + noise[:, None, None] * (0.7 * rng.normal(size=(m, n_topics, n)) + 0.7 * shared)
    order = np.argsort(-seen, axis=2)[:, :, :depth]
    number = order + n * np.arange(n_topics)[None, :, None]
    flat = np.repeat(np.arange(n_topics), n)
    systems, topics = (tuple(f"{letter}{k}" for k in range(size)) for letter, size in (("s", m), ("t", n_topics)))
    names = tuple(f"d{k}" for k in range(n * n_topics))
    every = Pool(systems, topics, names, flat, number, np.zeros(len(flat), dtype=np.int64), np.zeros(len(flat)))
    machine = np.digitize((quality + 0.8 * rng.normal(size=quality.shape)).ravel(), [cut - 0.7, cut, cut + 0.7])
    grades = (quality.ravel() >= cut) * (1.0 + (quality.ravel() >= cut + 0.4))
    returned = np.isin(np.arange(len(flat)), number)
    return graded(subset(every, returned), machine[returned]), grades[returned]


def drawn(made: Made, rng: np.random.Generator) -> Made:
    """As many topics, with replacement; a topic that is drawn twice is two."""
    pool, grades = made
    ends = np.searchsorted(pool.topic_of, np.arange(len(pool.topics) + 1))
    topics = rng.integers(0, len(pool.topics), len(pool.topics))
    pairs = np.concatenate([np.arange(ends[t], ends[t + 1]) for t in topics])
    sizes = ends[topics + 1] - ends[topics]
    starts = np.cumsum(sizes) - sizes
    places = pool.places[:, topics]
    blank = places == len(pool)
    places = np.where(blank, len(pairs), places - ends[topics][None, :, None] + starts[None, :, None])
    names = tuple(f"{k}" for k in range(len(topics)))
    documents = tuple(pool.documents[k] for k in pairs)
    topic_of = np.repeat(np.arange(len(topics)), sizes)
    return Pool(pool.systems, names, documents, topic_of, places, pool.levels[pairs], pool.share[pairs]), grades[pairs]


def cell(made: Made, measure: Measure, share: float, favoured: int | None) -> dict[str, float]:
    rng = np.random.default_rng(1)
    pool, _ = made
    truth = Truth.of(pool, measure, made[1])
    means, n = truth.people.mean(axis=1), round(share * len(pool))
    tau: dict[str, list[float]] = {}
    rows: dict[str, list[Any]] = {}

    def tell(**found: FloatArray | float) -> None:
        for name, value in found.items():
            rows.setdefault(name, []).append(value)

    for _ in range(LISTS):
        for design, spent in truth.spend(share, rng).items():
            tau.setdefault(design, []).append(float(cc.tau_b(means, spent.means)))
        scores, terms, _ = estimate(truth.draw(n, rng), measure)
        estimates = scores.mean(axis=1)
        freedom = freedom_of(terms)
        reach = stdtrit(freedom, 0.975) * np.sqrt((terms**2).sum(axis=1))
        error = estimates - means
        centred = terms - terms.mean(axis=0)
        around = stdtrit(freedom_of(centred), 0.975) * np.sqrt((centred**2).sum(axis=1))
        spent = Spent(estimates, terms @ terms.T, float(np.median(freedom)))
        tell(
            means=np.abs(error) <= reach + 1e-9,
            differences=covered(means, spent),
            deviations=float((np.abs(error - error.mean()) <= around + 1e-9).mean()),
            level=error.mean(),
            level_error=float(np.sqrt((terms.mean(axis=0) ** 2).sum())),
        )
        if favoured is not None:
            better = (estimates > estimates[favoured]).sum() - (means > means[favoured]).sum()
            tell(favour=error[favoured], ranks=-float(better), held=float(abs(error[favoured]) <= reach[favoured]))
    like_these(made, measure, share, rng, tell)
    each = np.mean(np.array(rows["means"], dtype=float), axis=0)
    average = {name: float(np.mean(values)) for name, values in rows.items() if name != "means"}
    found = {
        "labels": n,
        **{f"tau_{short}": float(np.mean(tau[name])) for name, short in SHORT.items() if name in tau},
        "tau": float(np.mean(tau[LIST])),
        "tau_se": float(np.std(tau[LIST]) / np.sqrt(LISTS)),
        "means": 100 * each.mean(),
        "means_worst": 100 * each.min(),
        "bias": average["level"] / average["level_error"],
        **{name: 100 * average[name] for name in ("differences", "deviations")},
        **{f"topics_{name}": 100 * average[f"topics_{name}"] for name in ("means", "differences", "ranks")},
    }
    if measure.kind == "AP":
        lacking = np.array(rows["lacking"])
        found |= {"lacking": 100 * lacking.mean()}
        for name, most in MOST_LACKING.items():
            printed = lacking <= most
            found |= {"topics_printed": 100 * printed.mean()} if name == "means" else {}
            if printed.mean() >= 0.2:
                found[f"topics_printed_{name}"] = 100 * np.array(rows[f"topics_{name}"])[printed].mean()
    if favoured is not None:
        found |= {
            "favoured_bias": average["favour"],
            "favoured_ranks": average["ranks"],
            "favoured_covered": 100 * average["held"],
        }
    return found


SHORT = {
    **{ALONE: "alone", "whole topics": "topics", "shallow pool": "shallow"},
    **{"combine": "combine", "combine, shrunk": "shrunk"},
}


def like_these(made: Made, measure: Measure, share: float, rng: np.random.Generator, tell: Callable[..., None]) -> None:
    """Coverage for topics like these: the topics of the collection are the population."""
    population = scores_of(made[0], measure, made[1]).mean(axis=1)
    for k in range(LISTS):
        some = drawn(made, rng)
        truth = Truth.of(some[0], measure, some[1])
        sample = truth.draw(round(share * len(some[0])), rng)
        scores = estimate(sample, measure).scores
        estimates, n = scores.mean(axis=1), scores.shape[1]
        covariance = np.cov(scores) / n
        off = np.abs(estimates - population)
        reach = stdtrit(n - 1, 0.975) * np.sqrt(np.diag(covariance))
        tell(
            topics_means=float((off <= reach + 1e-9).mean()),
            topics_differences=covered(population, Spent(estimates, covariance, n - 1.0)),
            lacking=topics_lacking(sample, measure) / n,
        )
        if k < RANKED:
            means = cc.Means(estimates, made[0].systems, covariance=covariance, degrees_of_freedom=n - 1.0)
            ranks = cc.rank_intervals(means, n_resamples=999, rng=1)
            low = 1 + (population[None] > population[:, None] + 1e-9).sum(axis=1)
            high = len(population) - (population[None] < population[:, None] - 1e-9).sum(axis=1)
            order = [made[0].systems.index(system) for system in ranks.systems]
            tell(topics_ranks=float(((ranks.low <= low[order]) & (high[order] <= ranks.high)).all()))


def cells() -> list[tuple[str, str, str]]:
    """Collections with machines and measures; the first ones matter most."""
    dl21 = [("dl21", judge, "P(rel=2)@10") for judge in JUDGES[:2]]
    dl21 += [("dl21", machine, "P(rel=2)@10") for machine in ("favoured", "absent", "random", "reversed")]
    dl21 += [("dl21", "umbrela_gpt4", name) for name in ("DCG@10", "nDCG@10", "AP(rel=2)")]
    pools = [(f"simulated {share:g}", "noisy", "P(rel=1)@10") for share in (0.03, 0.1, 0.3, 0.5)]
    covid = [("covid1", machine, "P(rel=1)@10") for machine in SIMULATED]
    covid += [("covid1", "weak", name) for name in ("DCG@10", "nDCG@10", "AP(rel=1)")]
    other = [("dl21", "absent", "AP(rel=2)"), *((f"simulated {s:g}", "noisy", "AP(rel=1)") for s in (0.05, 0.2))]
    rest = [("dl21", judge, "P(rel=2)@10") for judge in JUDGES[2:]]
    rest += [("dl21", "binary_llama3.2", name) for name in ("DCG@10", "nDCG@10", "AP(rel=2)")]
    rest += [(name, machine, measure) for name, machine, _ in pools for measure in ("AP(rel=1)", "DCG@10")]
    return [*dl21, *pools, *rest, *covid, *other]


def late() -> None:
    """A system that comes after the list: what its own documents add, and the error and coverage of its mean then."""
    measure, share, lists = Measure.parse("P(rel=2)@10"), 0.1, 40
    pool, grades = collected("dl21", "umbrela_gpt4", 10)
    truth = scores_of(pool, measure, grades).mean(axis=1)
    sizes, table = sizes_of(pool, [measure]), TABLE.with_name("labels-late.csv")
    rng, rows = np.random.default_rng(1), []
    for i in range(0, len(pool.systems), 2):
        others = np.delete(np.arange(len(pool.systems)), i)
        early = replace(pool, systems=tuple(pool.systems[k] for k in others), places=pool.places[others])
        old = np.isin(np.arange(len(pool)), early.places)
        first = sizes.copy()
        first[old] = sizes_of(subset(early, old), [measure])
        first[~old] *= first[old].sum() / sizes[old].sum()
        errors, held, added = [], [], []
        for _ in range(lists):
            key = rng.random(len(pool)) / first
            threshold = np.sort(key[old])[round(share * old.sum())]
            places = np.flatnonzero(key < threshold)
            chance = np.minimum(1, threshold * first[places])
            fold = rng.integers(0, FOLDS, len(pool))
            found = estimate(LabelSample(pool, places, chance, first[places], grades[places], fold), measure)
            reach = stdtrit(freedom_of(found.terms)[i], 0.975) * np.sqrt((found.terms[i] ** 2).sum())
            errors.append(found.scores[i].mean() - truth[i])
            held.append(abs(errors[-1]) <= reach + 1e-9)
            added.append((~old[places]).sum())
        own = (~old[np.unique(pool.places[i])[:-1]]).mean()
        rows.append([pool.systems[i], own, np.mean(added), np.mean(errors), np.std(errors) / lists**0.5, np.mean(held)])
    with table.open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file, lineterminator="\n")
        write.writerow(["system", "own_documents", "labels_added", "bias", "bias_se", "covered"])
        write.writerows([name, *(f"{number:.4g}" for number in numbers)] for name, *numbers in rows)


def bias() -> None:
    """The mean error of estimates with the fitted prediction, in their standard errors, from many lists."""
    with TABLE.with_name("labels-bias.csv").open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file, lineterminator="\n")
        write.writerow(["collection", "machine", "measure", "labels", "lists", "level", "level_se", "worst_system"])
        for (collection, machine, name), n, lists in BIAS:
            measure, rng = Measure.parse(name), np.random.default_rng(1)
            simple = collection.startswith("simulated")
            made = simulated(float(collection.split()[1])) if simple else collected(collection, machine, 10)
            truth = Truth.of(made[0], measure, made[1])
            scores = np.array([estimate(truth.draw(n, rng), measure).scores.mean(axis=1) for _ in range(lists)])
            errors = scores - truth.people.mean(axis=1)
            level, each = errors.mean(axis=1), errors.mean(axis=0) / errors.std(axis=0)
            numbers = (level.mean() / level.std(), lists**-0.5, each[np.abs(each).argmax()])
            write.writerow([collection, machine, name, n, lists, *(f"{number:.3f}" for number in numbers)])
            file.flush()


def topics() -> None:
    """Coverage of means for topics like these on 600 collections of topics, beside that with all documents judged."""
    with TABLE.with_name("labels-topics.csv").open("w", encoding="utf-8", newline="") as file:
        write = csv.writer(file, lineterminator="\n")
        write.writerow(["collection", "machine", "measure", "share", "collections", "means", "means_se", "all_judged"])
        for (collection, machine, name), share in TOPICS:
            measure, rng = Measure.parse(name), np.random.default_rng(5)
            simple = collection.startswith("simulated")
            made = simulated(float(collection.split()[1])) if simple else collected(collection, machine, 10)
            population = scores_of(made[0], measure, made[1]).mean(axis=1)
            held = []
            for _ in range(600):
                some = drawn(made, rng)
                truth = Truth.of(some[0], measure, some[1])
                scores = estimate(truth.draw(round(share * len(some[0])), rng), measure).scores
                n = scores.shape[1]
                for of in (scores, truth.people):
                    reach = stdtrit(n - 1, 0.975) * of.std(axis=1, ddof=1) / n**0.5
                    held.append((np.abs(of.mean(axis=1) - population) <= reach + 1e-9).mean())
            found = 100 * np.array(held).reshape(-1, 2)
            numbers = (found[:, 0].mean(), found[:, 0].std() / len(found) ** 0.5, found[:, 1].mean())
            write.writerow([collection, machine, name, share, len(found), *(f"{number:.1f}" for number in numbers)])
            file.flush()


def main() -> None:
    warnings.simplefilter("ignore")
    modes = {"late": late, "bias": bias, "topics": topics}
    if sys.argv[1:2] and sys.argv[1] in modes:
        modes[sys.argv[1]]()
        return
    done = set()
    if TABLE.exists():
        with TABLE.open(encoding="utf-8", newline="") as file:
            done = {tuple(row[name] for name in KEY) for row in csv.DictReader(file)}
    else:
        TABLE.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    for share, (collection, machine, name) in product(SHARES, cells()):
        key = (collection, machine, name, f"{share:g}")
        if key in done or (sys.argv[1:] and collection.split()[0] not in sys.argv[1:]):
            continue
        measure = Measure.parse(name)
        if collection.startswith("simulated"):
            made = simulated(float(collection.split()[1]))
        else:
            made = collected(collection, machine, measure.cutoff or 100)
        found = cell(made, measure, share, favourite(*made) if machine == "favoured" else None)
        row = {**dict(zip(KEY, key, strict=True)), **{k: f"{v:.4g}" for k, v in found.items()}}
        with TABLE.open("a", encoding="utf-8", newline="") as file:
            csv.DictWriter(file, COLUMNS, lineterminator="\n").writerow(row)
        print({k: v for k, v in row.items() if v}, flush=True)


if __name__ == "__main__":
    main()
