"""Coverage of the worth of a candidate in topics, and size and power of the test between two. Run by `make coverage`.

The topics of a collection are a population with known means; a sample draws topics from it with replacement, and takes
one of a few subsets of systems. The true worth is the k with E f(mu, truth on k topics) = E f(mu, candidate on a
topics), a half of the sample, mu the truth's population means. The estimate has other topics in the place of mu: its
own estimand, with the truth on the other half of the topics as the reference, is computed as well.

Every finished cell goes to a file, from which a run that was stopped continues. The last lines are the tables of
docs/measured/worth.md.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from data import matrix, need
from scipy.special import stdtr, stdtrit

import concordant as cc
from concordant.arrays import FloatArray, IntArray
from concordant.data.means import mean_over_topics, tied_sums
from concordant.errors import UndefinedCorrelationWarning
from concordant.topics import agreement_curves as ac
from concordant.topics import splits as sp
from concordant.topics import worth_core as wc

Population = tuple[FloatArray, dict[str, FloatArray]]
COEFFICIENTS = ("tau_b", "tau_ap_b", "pearson_rank")
TOPICS = (25, 50, 100)
SUBSETS = 4  # of systems, by population
LARGE = 1500  # topics of the truth, up to which its population curve is followed
# Fewer splits than the defaults, which only adds noise of the splits to every estimate.
FAST = ac.Effort(splits=200, jackknife=40, most_splits=200, most_jackknife=40, groups=9, groupings=2)


def settle(means: FloatArray, size: FloatArray) -> FloatArray:
    return tied_sums(means, size, 1000)


# Populations ----------------------------------------------------------------------------------------------------------


def dl21(*judges: str) -> Population:
    human, *others = (matrix(f"dl21/scores/ndcg_cut_10__{judge}.csv") for judge in ("human", *judges))
    return human, dict(zip(judges, others, strict=True))


def documents(metric: str) -> FloatArray:
    """Means over the segments of each document of WMT 25, English to Czech, to 4 decimals."""
    segments = matrix(f"wmt25/en-cs_CZ__{metric}.csv")
    with need("wmt25/en-cs_CZ__groups.csv").open(encoding="utf-8", newline="") as file:
        names = [row["document"] for row in csv.DictReader(file)]
    index = {name: i for i, name in enumerate(dict.fromkeys(names))}
    place = np.array([index[name] for name in names])
    return np.array([segments[place == i].mean(axis=0).round(4) for i in range(len(index))])


def wmt25(*metrics: str) -> Population:
    return documents("GEMBA-ESA-GPT4.1"), {metric: documents(metric) for metric in metrics}


def simulated(seed: int = 1, n: int = 200, m: int = 40) -> Population:
    """Normal scores: 16 times the variance of the signal as noise of the truth; candidates of known noise and bias."""
    rng = np.random.default_rng(seed)
    effects, truth_noise = rng.normal(0, 0.1, m), rng.normal(0, 0.4, (n, m))

    def side(bias: float, noise: float, shared: float) -> FloatArray:
        own = rng.normal(0, bias, m) + rng.normal(0, noise, (n, m))
        return np.round(effects + own + shared * truth_noise, 3)

    candidates = {
        "no bias, twice the noise": side(0, 0.4 * math.sqrt(2), 0),
        "bias of half the signal's sd": side(0.05, 0.3, 0),
        "the same bias, noise shared with the truth": side(0.05, 0.2, 0.9),
    }
    return np.round(effects + truth_noise, 3), candidates


JUDGES = ("binary_gpt4", "binary_gpt4o", "binary_llama3.2", "umbrela_gpt4", "prefs")
POPULATIONS: dict[str, Callable[[], Population]] = {
    "dl21 human": lambda: dl21(*JUDGES),
    "robust2004 AP": lambda: (matrix("trec/robust2004_ap.csv"), {"P@10": matrix("trec/robust2004_p10.csv")}),
    "covid1 map": lambda: (matrix("covid1/map.csv"), {"P@5": matrix("covid1/P_5.csv")}),
    "wmt25 GEMBA-ESA-GPT4.1": lambda: wmt25("GEMBA-ESA-CMDA", "MetricX-24-Hybrid-XL", "XCOMET-XL"),
    "simulated": simulated,
}


def exchanged(first: str, second: str) -> Population:
    """Each topic twice, the second time with the roles of two judges exchanged: equal agreement with the truth."""
    truth, judges = dl21(first, second)
    a, b = judges.values()
    return np.vstack([truth, truth]), {first: np.vstack([a, b]), second: np.vstack([b, a])}


def equal_noise(rng: np.random.Generator, n: int, m: int = 40) -> Population:
    """New topics of two judges without bias whose noise has the same variance, twice the truth's, but is not shared."""
    effects = np.random.default_rng(2).normal(0, 0.1, m)
    truth, *judges = (np.round(effects + rng.normal(0, sd, (n, m)), 3) for sd in (0.4, 0.4 * 2**0.5, 0.4 * 2**0.5))
    return truth, dict(zip("ab", judges, strict=True))


EQUAL = "simulated, equal noise"
PAIRS: dict[str, Callable[[], Population] | None] = {
    "dl21 umbrela, llama3.2: exchanged": lambda: exchanged("umbrela_gpt4", "binary_llama3.2"),
    "dl21 umbrela, prefs: exchanged": lambda: exchanged("umbrela_gpt4", "prefs"),
    EQUAL: None,
    "dl21 umbrela, llama3.2": lambda: dl21("umbrela_gpt4", "binary_llama3.2"),
    "dl21 umbrela, gpt4o": lambda: dl21("umbrela_gpt4", "binary_gpt4o"),
}
NULL, POWER = tuple(PAIRS)[:3], tuple(PAIRS)[3:]


@cache
def population_of(name: str) -> Population:
    made = POPULATIONS.get(name) or PAIRS[name]
    assert made is not None
    return made()


@cache
def subsets(name: str) -> list[IntArray]:
    """Systems: the first subset has all, or 60 of them, the others 20 up to as many."""
    count = population_of(name)[0].shape[1]
    rng, most = np.random.default_rng([31, count]), min(count, 60)
    sizes = [most, *rng.integers(20, most + 1, SUBSETS - 1).tolist()]
    return [np.sort(rng.choice(count, size, replace=False)) for size in sizes]


def part(population: Population, topics: Any, systems: Any) -> Population:
    truth, candidates = population
    chosen = np.ix_(topics, systems)
    return truth[chosen], {name: scores[chosen] for name, scores in candidates.items()}


# What is true ---------------------------------------------------------------------------------------------------------


def population_curves(
    population: Population, sizes: Sequence[int], n: int, f: sp.Formula, others: int = 0, draws: int = 3000
) -> ac.Curves:
    """E f(reference, means over k topics) of each side, with no error: k topics drawn with replacement.

    The reference is the truth's population means, or its means over `others` more topics.
    """
    truth, candidates = population
    sides = [sp.Side.of(scores) for scores in (truth, *candidates.values())]
    rng = np.random.default_rng(5)

    def weights(k: int) -> FloatArray:
        return rng.multinomial(k, np.full(len(truth), 1 / len(truth)), draws).astype(np.float64)

    reference = mean_over_topics(truth)
    if others:
        reference = sides[0].means(weights(others) @ sides[0].values, others, settle)
    values = np.empty((len(sides), len(sizes)))
    for j, k in enumerate(sizes):
        drawn = weights(k)  # the same topics for all sides, which makes their differences more exact
        for i, side in enumerate(sides):
            values[i, j] = np.nan_to_num(f(reference, side.means(drawn @ side.values, k, settle))).mean()
    points, none = values.size, np.zeros((values.size, values.size))
    return ac.Curves(
        n_topics=n,
        half=sizes[-1],
        sizes=np.array(sizes, dtype=np.int64),
        values=values,
        monte_carlo=none,
        deletions=np.zeros((n, points)),
        noise=none,
        second=none,
        has_second=np.zeros(points, dtype=bool),
        n_splits=draws,
        n_jackknife=0,
        undefined=0.0,
        twins=np.arange(points),
    )


def true_values(population: Population, n: int, f: sp.Formula) -> list[dict[str, float]]:
    """By candidate: worth of half of n topics, and against the other half; worth of all n, and of any number.

    The last two also as the law of `beyond_half` has them, fitted to the population's own curve.
    """
    truth, candidates = population
    sizes = sp.grid_of(n // 2, 20).tolist()
    exact, against_half = (population_curves(population, sizes, n, f, others) for others in (0, n - n // 2))
    far = sp.grid_of(LARGE, 30).tolist()
    long_curve = ac.monotone(population_curves((truth, {}), far, n, f, draws=1000).values[0])
    all_topics = population_curves(population, [n], n, f).values[:, 0]
    mu, found = mean_over_topics(truth), []
    for j, scores in enumerate(candidates.values(), 1):
        law = wc.beyond_half(exact, j, 0.0)
        found.append(
            {
                "worth": wc.worth_of(exact, j, 0.0).worth,
                "against_half": wc.worth_of(against_half, j, 0.0).worth,
                "all": ac.size_with(far, long_curve, float(all_topics[j])),
                "limit": ac.size_with(far, long_curve, float(f(mu, mean_over_topics(scores)))),
                "law_all": law.worth,
                "law_limit": law.limit,
            }
        )
    return found


# Cells ----------------------------------------------------------------------------------------------------------------

FIELDS = ("worth", "low", "high", "fit_low", "fit_high", "standard_error", "monte_carlo")
LAW_FIELDS = ("n_points", "worth", "low", "high", "limit", "limit_low", "limit_high")


def worth_cell(name: str, coefficient: str, n: int, samples: int) -> dict[str, Any]:
    """What is true by subset and candidate, and what each sample gives."""
    f, population, critical = getattr(cc, coefficient), population_of(name), float(stdtrit(n - 1, 0.975))
    count = len(population[0])
    parts = [part(population, np.arange(count), systems) for systems in subsets(name)]
    found: list[list[list[float]]] = [[] for _ in population[1]]
    for seed in range(samples):
        rng = np.random.default_rng([33, seed, n])
        truth, candidates = parts[seed % SUBSETS]
        topics = rng.integers(0, count, n)
        chosen = [scores[topics] for scores in candidates.values()]
        curves = ac.compute_curves(truth[topics], chosen, f, rng, settle=settle, effort=FAST)
        for j in range(len(chosen)):
            worth, law = wc.worth_of(curves, j + 1, critical), wc.beyond_half(curves, j + 1, critical)
            row = [seed % SUBSETS, *(getattr(worth, x) for x in FIELDS), *(getattr(law, x) for x in LAW_FIELDS)]
            found[j].append([float(f"{x:.5g}") for x in row])
    return {"truths": [true_values(p, n, f) for p in parts], "found": found}


def pair_cell(name: str, coefficient: str, n: int, samples: int) -> dict[str, Any]:
    """Difference, standard error and t of each trial, on a random subset of systems."""
    f, found = getattr(cc, coefficient), []
    sizes = np.array([n // 4, n // 2], dtype=np.int64)  # only the last matters here
    for seed in range(samples):
        rng = np.random.default_rng([35, seed, n])
        population = equal_noise(rng, n) if name == EQUAL else population_of(name)
        topics = np.arange(n) if name == EQUAL else rng.integers(0, len(population[0]), n)
        count = population[0].shape[1]
        systems = rng.choice(count, int(rng.integers(20, count + 1)), replace=False)
        if name not in NULL:
            systems = np.arange(count)
        truth, judges = part(population, topics, systems)
        curves = ac.compute_curves(truth, list(judges.values()), f, rng, settle=settle, sizes=sizes, effort=FAST)
        d = wc.difference_of(curves, 1, 2)
        found.append([float(f"{x:.5g}") for x in (d.difference, d.standard_error, d.statistic)])
    return {"found": found}


def cells(options: argparse.Namespace) -> Iterator[tuple[str, str, str, int, int]]:
    """What, population, coefficient, topics, samples: the most important first."""
    for coefficient in COEFFICIENTS:
        for n in TOPICS:
            for name in POPULATIONS:
                yield "worth", name, coefficient, n, options.samples
            for name in NULL:
                yield "pair", name, coefficient, n, options.trials
            if n <= 50:  # with more, all is rejected
                for name in POWER:
                    yield "pair", name, coefficient, n, options.samples


def measure(options: argparse.Namespace) -> dict[tuple[str, str, str, int], dict[str, Any]]:
    """All cells, from the file where they are in it."""
    state = Path(options.state)
    state.parent.mkdir(parents=True, exist_ok=True)
    known: dict[tuple[Any, ...], dict[str, Any]] = {}
    if state.exists():
        for line in state.read_text(encoding="utf-8").splitlines():
            cell = json.loads(line)
            known[tuple(cell["key"])] = cell
    done = {}
    for key in cells(options):
        if key not in known and not options.tables:
            start = time.perf_counter()
            what, name, coefficient, n, samples = key
            cell = (worth_cell if what == "worth" else pair_cell)(name, coefficient, n, samples)
            known[key] = {"key": key, "seconds": round(time.perf_counter() - start, 1), **cell}
            with state.open("a", encoding="utf-8") as file:
                file.write(json.dumps(known[key]) + "\n")
        if key in known:
            done[key[:4]] = known[key]
    return done


# Tables ---------------------------------------------------------------------------------------------------------------

Cells = dict[tuple[str, str, str, int], dict[str, Any]]


def header(*columns: str) -> None:
    print("| " + " | ".join(columns) + " |")
    print("|" + " --- |" * len(columns))


def row(*columns: object) -> None:
    print("| " + " | ".join(map(str, columns)) + " |")


def held(low: FloatArray, true: FloatArray, high: FloatArray) -> float:
    return float(100 * ((low <= true) & (true <= high)).mean())


def marked(value: float, inside: bool, form: str) -> str:
    return format(value, form) if inside else f"**{value:{form}}**"


def candidates_of(done: Cells, coefficient: str) -> Iterator[tuple[str, str, int, FloatArray, dict[str, FloatArray]]]:
    """Population, candidate, topics; the samples (columns as stored); what is true for the subset of each sample."""
    for name in POPULATIONS:
        for j, candidate in enumerate(population_of(name)[1]):
            for n in TOPICS:
                cell = done.get(("worth", name, coefficient, n))
                if cell is not None:
                    got = np.array(cell["found"][j])
                    subset = got[:, 0].astype(int)
                    truths = [t[j] for t in cell["truths"]]
                    yield (
                        name,
                        candidate,
                        n,
                        got[:, 1:],
                        {k: np.array([t[k] for t in truths])[subset] for k in truths[0]},
                    )


def coverage_table(done: Cells, coefficient: str) -> None:
    print(f"\n### {coefficient}\n")
    header(
        "truth",
        "candidate",
        "n",
        "true worth",
        "median / true",
        "coverage",
        "own estimand / true",
        "its coverage",
        "high / worth",
    )
    inside, count, outside = 0, 0, []
    for name, candidate, n, got, true in candidates_of(done, coefficient):
        worth, low, high = got[:, :3].T
        some = true["worth"] > 0  # not worth less than one topic
        ratio = float(np.median(worth[some] / true["worth"][some]))
        own = float(np.median(true["against_half"][some] / true["worth"][some]))
        covered, own_covered = (held(low, true[x], high) for x in ("worth", "against_half"))
        fine = 0.9 <= ratio <= 1.1, 92 <= covered <= 98
        bounded = (worth > 0) & (worth < math.inf)
        count += 1
        inside += all(fine)
        if not all(fine):
            outside.append(f"{candidate} n = {n}")
        span = list(dict.fromkeys(f"{x:.1f}" if x else "< 1" for x in (true["worth"].min(), true["worth"].max())))
        row(
            name,
            candidate,
            n,
            " to ".join(span),
            marked(ratio, fine[0], ".2f"),
            marked(covered, fine[1], ".1f"),
            f"{own:.2f}",
            f"{own_covered:.1f}",
            f"{np.median(high[bounded] / worth[bounded]):.2f}",
        )
    print(f"\n{inside} of {count} cells inside; outside: {', '.join(outside) or 'none'}")


def law_table(done: Cells, coefficient: str) -> None:
    print(f"\n### {coefficient}: all topics, and any number\n")
    header(
        *("truth", "candidate", "n", "fitted", "true (n)", "law / true", "median / true", "coverage"),
        *("true (limit)", "law / true", "median / true", "coverage"),
    )
    for name, candidate, n, samples, true in candidates_of(done, coefficient):
        got = samples[:, len(FIELDS) :]
        usable = got[:, 0] >= 3
        if not usable.any():
            row(name, candidate, n, "0%", *["" for _ in range(8)])
            continue
        columns = [name, candidate, n, f"{100 * usable.mean():.0f}%"]
        for key, at in (("all", 1), ("limit", 4)):
            actual, fit = true[key][usable], true[f"law_{key}"][usable]
            value, low, high = got[usable, at : at + 3].T
            with np.errstate(invalid="ignore"):
                ratios = [np.nanmedian(x / actual) for x in (fit, value)]
            columns += [
                f"{np.median(actual):.1f}",
                *("-" if math.isnan(x) else f"{x:.2f}" for x in ratios),
                f"{held(low, actual, high):.0f}",
            ]
        row(*columns)


def pair_tables(done: Cells) -> None:
    for title, names in (("Size", NULL), ("Power", POWER)):
        print(f"\n### {title}\n")
        header("judges", "coefficient", *(f"n = {n}" for n in TOPICS), "standard error / sd")
        for name in names:
            for coefficient in COEFFICIENTS:
                shares, ratios = [], []
                for n in TOPICS:
                    cell = done.get(("pair", name, coefficient, n))
                    if cell is None:
                        shares.append("")
                        continue
                    difference, error, t = np.array(cell["found"]).T
                    share = float(100 * (2 * stdtr(n - 1, -np.abs(t)) <= 0.05).mean())
                    shares.append(marked(share, title == "Power" or share <= 6, ".1f"))
                    ratios.append(f"{math.sqrt((error**2).mean()) / difference.std():.2f}")
                row(name, coefficient, *shares, ", ".join(ratios))


# What the theory page says --------------------------------------------------------------------------------------------


def reference_example() -> None:
    """The noise of the reference does not cancel where the truth knows some systems much better than others.

    Normal scores, independent over systems and topics. tau of b against k topics is the mean over pairs of systems of
    (2 p - 1) (2 q - 1), where p and q are the chances that either side has the pair in its order: the noise of the
    reference weighs the pairs by 2 p - 1, and so forgives errors where the truth is in doubt. Half of the systems have
    noise of sd 0.2 in the truth, the others of 1; in the candidate all have 0.6. The control has 0.6 in the truth and
    0.6 * sqrt(2) in the candidate for all: then q is the same function of k / sd^2 on both sides, pair by pair, and 25
    topics are worth 12.5 whatever the weights.
    """
    m, a = 40, 25
    mu = np.random.default_rng(1).normal(0, 0.2, m)
    one, two = np.triu_indices(m, 1)
    gap = np.abs(mu[one] - mu[two])

    def knows(sd: FloatArray, k: float) -> FloatArray:
        """2 q - 1, pair by pair."""
        z = gap * math.sqrt(k) / np.hypot(sd[one], sd[two])
        return np.array([math.erf(x / math.sqrt(2)) for x in z])

    uneven, even = np.where(np.arange(m) < m // 2, 0.2, 1.0), np.full(m, 0.6)
    cases = [(uneven, even), (even, even * math.sqrt(2))]
    sizes = np.arange(1, 101)
    print("\n### The noise of the reference: an example in closed form\n")
    header("topics of the reference", "V_Y(25)", "V_X(25)", "worth of 25 topics", "control")
    for b in (5, 10, 25, 50, 100, math.inf):
        found = []
        for truth_sd, candidate_sd in cases:
            reference: FloatArray = np.ones(len(gap)) if b == math.inf else knows(truth_sd, b)
            curve = np.array([(reference * knows(truth_sd, float(k))).mean() for k in sizes])
            value = float((reference * knows(candidate_sd, a)).mean())
            found.append((value, curve[a - 1], ac.size_with(sizes, curve, value)))
        (v, x, w), (_, _, control) = found
        row(b, f"{v:.3f}", f"{x:.3f}", f"{w:.1f}", f"{control:.1f}")


def reference_on_real_topics() -> None:
    """The same question on real judges: the worth of 25 topics against references of so many topics."""
    print("\n### The noise of the reference: worth of 25 topics, dl21\n")
    judges = ("binary_gpt4", "umbrela_gpt4", "prefs")
    population, sizes = dl21(*judges), sorted({*sp.grid_of(75, 24).tolist(), 25})
    header("coefficient", "topics of the reference", *judges)
    for coefficient in COEFFICIENTS:
        for b in (12, 25, 50, 100, 0):
            curves = population_curves(population, sizes, 50, getattr(cc, coefficient), b)
            rising = ac.monotone(curves.values[0])
            found = [ac.size_with(sizes, rising, float(v)) for v in curves.values[1:, sizes.index(25)]]
            row(coefficient, b or "all of the population", *(f"{x:.1f}" for x in found))


def halves_table() -> None:
    """V_X(n / 2) is the mean split-half agreement. With Pearson's r, Spearman and Brown's step gives reliability."""
    print("\n### V_X(n / 2) and split-half reliability\n")
    header(
        "collection", "topics", "V_X(n/2), Pearson's r", "2 V / (1 + V)", "alpha", "V_X(n/2), tau_b", "E tau_b(mu, n/2)"
    )
    for name in POPULATIONS:
        truth, _ = population_of(name)
        n, m = truth.shape
        found = []
        for f in (cc.pearson, cc.tau_b):
            splits = sp.draw_splits(n, 2000, np.random.default_rng(3))
            problem = sp.Problem([sp.Side.of(truth)], [(0, n // 2)], f, settle)
            found.append(float(sp.agreements(problem, splits).mean()))
        r, tau = found
        residual = truth - truth.mean(axis=0) - truth.mean(axis=1, keepdims=True) + truth.mean()
        alpha = 1 - (residual**2).sum() / ((n - 1) * (m - 1)) / (n * truth.mean(axis=0).var(ddof=1))
        exact = population_curves((truth, {}), [n // 2], n, cc.tau_b).values[0, 0]
        row(name, n, f"{r:.3f}", f"{2 * r / (1 + r):.3f}", f"{alpha:.3f}", f"{tau:.3f}", f"{exact:.3f}")


def time_table() -> None:
    """Seconds of one core at the defaults, and the Monte Carlo error that they leave."""
    print("\n### Time at the defaults\n")
    header("collection", "coefficient", "seconds", "splits", "Monte Carlo error / standard error, at most")
    robust = POPULATIONS["robust2004 AP"]()
    for name, (truth, others) in (
        ("63 systems, 53 topics, 6 candidates", dl21(*JUDGES, "exam_graded_max_gpt4")),
        ("110 systems, 249 topics, 1 candidate", robust),
    ):
        for coefficient in COEFFICIENTS:
            f, seconds = getattr(cc, coefficient), []
            for seed in range(3):
                start = time.process_time()
                curves = ac.compute_curves(truth, list(others.values()), f, np.random.default_rng(seed), settle=settle)
                found = [wc.worth_of(curves, j + 1, 2.0) for j in range(len(others))]
                seconds.append(time.process_time() - start)
            errors = [w.monte_carlo / w.standard_error for w in found if w.standard_error > 0]
            row(name, coefficient, f"{min(seconds):.2f}", curves.n_splits, f"{max(errors):.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=300, help="of a cell of coverage or power")
    parser.add_argument("--trials", type=int, default=600, help="of a cell of size")
    parser.add_argument("--state", default="studies/worth.jsonl", help="file of finished cells")
    parser.add_argument("--tables", action="store_true", help="only the tables of the cells that are there")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UndefinedCorrelationWarning)
    done = measure(options)
    for coefficient in COEFFICIENTS:
        coverage_table(done, coefficient)
    pair_tables(done)
    for coefficient in COEFFICIENTS:
        law_table(done, coefficient)
    reference_example()
    reference_on_real_topics()
    halves_table()
    time_table()


if __name__ == "__main__":
    main()
