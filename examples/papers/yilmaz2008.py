"""Yilmaz, Aslam and Robertson (2008), item by item: docs/papers/yilmaz2008.md.

The paper used the runs of TREC 7 and TREC 8, which are not public. Figures 1, 2, 4 and 5 are made from TREC-COVID
round 1: 143 runs, their pools, and the runs that people helped to make.
"""

from __future__ import annotations

import csv
import math
from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt
from making import Item, Paper, data
from rankings import with_tau, with_tau_ap

import concordant as cc
from concordant.judgments import depth_pool, from_runs

FloatArray = npt.NDArray[np.float64]
paper = Paper("yilmaz2008")
THEOREMS = "tests/coefficients/test_theorems.py"
IN_SECTION_1 = {"errors at the top": [4, 3, 1, 2, 5, 6, 7, 8], "errors at the bottom": [1, 2, 3, 4, 8, 7, 5, 6]}


def scores_of(order: list[int]) -> list[int]:
    """Scores of systems 1, 2, ... that give this order."""
    return [-order.index(system) for system in range(1, len(order) + 1)]


@cache
def covid() -> tuple[cc.Runs, cc.Qrels, tuple[str, ...], dict[str, str], cc.Scores]:
    """Runs, judgments, the runs that were pooled, the kind of each run, and AP by all judgments."""
    folder = data("covid1")
    assert folder is not None
    with (folder / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    runs, qrels = cc.read_runs(folder / "runs"), cc.read_qrels(folder / "qrels.txt")
    pooled = tuple(row["run"] for row in rows if row["contributed judgments"] == "yes")
    return runs, qrels, pooled, {row["run"]: row["runtype"] for row in rows}, cc.evaluate(runs, qrels, "AP")


def both(truth: FloatArray, candidate: FloatArray) -> tuple[float, float]:
    return float(cc.tau_b(truth, candidate)), float(cc.tau_ap_b(truth, candidate))


def scatter(ax: Any, x: FloatArray, y: FloatArray, title: str, of: str = "AP") -> None:
    ax.plot(x, y, "o", markersize=2.5)
    ax.set_title(title)
    ax.set_xlabel(f"{of}, all judgments")
    ax.set_ylabel(of)


@paper.item("example", "The example of section 1")
def example(made: Item) -> None:
    """Eight systems; one ranking has errors at the top, one at the bottom."""
    truth = scores_of([1, 2, 3, 4, 5, 6, 7, 8])
    for name, order in IN_SECTION_1.items():
        made.compare(f"tau, {name}", "0.6429", cc.tau(truth, scores_of(order)))
        made.compare(f"tau_ap, {name}", None, cc.tau_ap(truth, scores_of(order)))
    made.tests.append("tests/coefficients/test_values.py")


def pool(made: Item, depth: int, printed: str | None) -> dict[str, tuple[float, float]]:
    """Depth-k pools: the figure, and both coefficients of all systems, of the 10 best and of the 10 worst."""
    runs, qrels, pooled, _, full = covid()
    x, y = full.means(), cc.evaluate(runs, depth_pool(runs, qrels, depth, pooled), "AP").means()
    order = np.argsort(-x, kind="stable")
    parts = {"all systems": order, "the 10 best": order[:10], "the 10 worst": order[-10:]}
    found = {name: both(x[part], y[part]) for name, part in parts.items()}
    with made.panels(
        3, f"Mean AP of 143 runs of TREC-COVID round 1, pool of depth {depth} against all judgments."
    ) as axes:
        for ax, (name, part) in zip(axes, parts.items(), strict=True):
            scatter(ax, x[part], y[part], f"{name}: tau_b = {found[name][0]:.3f}")
    for name, (tau, tau_ap) in found.items():
        made.compare(f"tau_b, {name}", printed if name == "all systems" else None, tau)
        made.compare(f"tau_ap_b, {name}", None, tau_ap)
    made.reproduced = "on other data"
    return found


@paper.item("figure-1", "Figure 1", "covid1")
def figure_1(made: Item) -> None:
    """Depth-1 pools, and why tau is higher here."""
    found = pool(made, 1, "0.733")
    (tau, _), (best, _), (worst, _) = found.values()
    made.claim(
        "the 10 best are ranked badly, which tau over all systems hides",
        "0.733 over all",
        f"{best:.3f}, {tau:.3f} over all",
        best < 0.5 < tau,
    )
    made.claim("the 10 best are in almost reverse order", "almost reverse", f"tau_b {best:.3f}", best < -0.5)
    made.claim("the 10 worst are ranked almost perfectly", "almost perfectly", f"tau_b {worst:.3f}", worst > 0.5)
    runs, qrels, pooled, _, full = covid()
    one = depth_pool(runs, qrels, 1, pooled)
    y = cc.evaluate(runs, one, "AP").means()
    rows: list[list[Any]] = []
    for depth in (2, 3, 5, 10):
        reference = depth_pool(runs, qrels, depth, pooled)
        rows.append(
            [
                f"against a pool of depth {depth}, {reference.size:,} judgments",
                both(cc.evaluate(runs, reference, "AP").means(), y)[0],
            ]
        )
    rows.append([f"against all {qrels.size:,} judgments, as above", tau])
    for k in (10, 20, 50):
        cut = [cc.evaluate(runs, judged, f"AP@{k}").means() for judged in (qrels, one)]
        rows.append([f"runs cut at {k} documents instead of 100", both(*cut)[0]])
    rng = np.random.default_rng(1)
    for count in (10, 20, 40):
        drawn = [tuple(rng.choice(pooled, count, replace=False).tolist()) for _ in range(20)]
        some = [cc.evaluate(runs, depth_pool(runs, qrels, 1, names), "AP").means() for names in drawn]
        rows.append(
            [f"{count} runs pooled instead of 56, mean of 20 draws", np.mean([both(full.means(), z)[0] for z in some])]
        )
    made.table(["143 runs, pool of depth 1", "tau_b"], rows)


@paper.item("figure-2", "Figure 2", "covid1")
def figure_2(made: Item) -> None:
    """Depth-6 pools."""
    (tau, _), (best, _), (worst, _) = pool(made, 6, None).values()
    made.claim(
        "the same behaviour as in figure 1: the 10 best are ranked worse than the 10 worst, and than all",
        "the same",
        f"{best:.3f}, {worst:.3f} and {tau:.3f}",
        best < min(worst, tau),
    )


RELEVANT = (1, 0, 1, 0, 0, 1, 0, 0)  # the documents of a run, best first; a fourth relevant one was not retrieved


@paper.item("experiments", "The random experiments of sections 2 and 3")
def experiments(made: Item) -> None:
    """AP, tau and tau_ap as the expected outcomes of drawing documents or pairs, over all that can be drawn."""
    names = [f"d{k}" for k in range(8)]
    judged = {"topic": {name: grade for name, grade in zip(names, RELEVANT, strict=True)} | {"d8": 1}}
    run = cc.Runs.from_dict({"run": {"topic": names}})
    value = float(cc.evaluate(run, cc.Qrels.from_dict(judged), "AP").values[0, 0])
    at = [r for r, grade in enumerate(RELEVANT) if grade]
    binary = sum(float(np.mean(RELEVANT[: r + 1])) for r in at) / (len(at) + 1)
    preferred = sum(float(np.mean([other >= RELEVANT[r] for other in RELEVANT[: r + 1]])) for r in at) / (len(at) + 1)
    rows: list[list[Any]] = [
        ["AP: is a document at or above a relevant one relevant?", binary, value],
        ["AP by preferences: is it at least as relevant?", preferred, value],
    ]
    truth = scores_of([1, 2, 3, 4, 5, 6, 7, 8])
    for name, order in IN_SECTION_1.items():
        candidate = scores_of(order)
        any_pair = np.mean([order[j] < order[i] for i in range(8) for j in range(i)])
        above = np.mean([np.mean([order[j] < order[i] for j in range(i)]) for i in range(1, 8)])
        rows.append([f"tau, {name}: 2 p - 1, any pair", 2 * any_pair - 1, cc.tau(truth, candidate)])
        rows.append([f"tau_ap, {name}: 2 p - 1, a system and one above it", 2 * above - 1, cc.tau_ap(truth, candidate)])
    made.table(["experiment", "expected outcome", "formula"], rows)
    off = max(abs(row[1] - row[2]) for row in rows)
    made.claim(
        "each is the expected outcome of its experiment",
        "equal",
        "equal" if off < 1e-12 else f"{off:.1e} apart",
        off < 1e-12,
    )


@paper.item("common", "Section 3: items that only one list has")
def common(made: Item) -> None:
    """tau_ap of lists that share only some items."""
    lists = {"truth": "ABCDEFGH", "candidate": "CXABHEYD"}
    sides = [cc.Scores([[-float(k) for k in range(8)]], topics=["1"], systems=list(order)) for order in lists.values()]
    x, y = cc.pair(*sides)
    shared = [
        [item for item in order if item in set.intersection(*map(set, lists.values()))] for order in lists.values()
    ]
    rank = {item: k for k, item in enumerate(shared[0])}
    p = np.mean([np.mean([rank[shared[1][j]] < rank[shared[1][i]] for j in range(i)]) for i in range(1, len(rank))])
    ours = float(cc.tau_ap(x.means(), y.means()))
    made.table(
        ["list", "as given", "what both have"],
        [[name, " ".join(order), " ".join(kept)] for (name, order), kept in zip(lists.items(), shared, strict=True)],
    )
    made.claim(
        "p is computed based only on the common items",
        f"2 p - 1 = {2 * p - 1:.4f} on {len(rank)} of 8",
        f"`align`, then `tau_ap`: {ours:.4f}",
        abs(ours - (2 * p - 1)) < 1e-12,
    )


def expectations(p: tuple[float, ...]) -> tuple[float, float]:
    """Expected tau and tau_ap where an item at place i is right about each item above with probability p[i - 2].

    Over all rankings of len(p) + 1 systems, by the coefficients themselves. The number of right items above place i may
    be anything from 0 to i - 1, independently of the other places.
    """
    m = len(p) + 1
    total = np.zeros(2)
    for right in product(*(range(i + 1) for i in range(1, m))):
        weight = math.prod(
            math.comb(i, c) * q**c * (1 - q) ** (i - c) for i, (c, q) in enumerate(zip(right, p, strict=True), 1)
        )
        truth: list[int] = [0]  # the items of the candidate's first places, best first by the truth
        for i, c in enumerate(right, 1):
            truth.insert(c, i)  # below the c items that are rightly above it
        x, y = [-truth.index(i) for i in range(m)], [-i for i in range(m)]
        total += weight * np.array([cc.tau(x, y), cc.tau_ap(x, y)])
    return float(total[0]), float(total[1])


@paper.item("theorem-1", "Theorem 1")
def theorem_1(made: Item) -> None:
    """Errors alike everywhere: tau and tau_ap agree in expectation."""
    rows = [[p, *expectations((p,) * 5), 2 * p - 1] for p in (0.5, 0.7, 0.9)]
    made.table(["p", "expected tau", "expected tau_ap", "2 p - 1"], rows, "Six systems, over all their rankings.")
    off = max(abs(value - row[3]) for row in rows for value in row[1:3])
    made.claim(
        "tau and tau_ap are the same, and equal to 2 p - 1",
        "equal",
        "equal" if off < 1e-12 else f"{off:.1e} apart",
        off < 1e-12,
    )
    made.held_by(THEOREMS, "test_theorem_1_errors_alike_everywhere_make_tau_and_tau_ap_equal")


@paper.item("theorem-2", "Theorem 2")
def theorem_2(made: Item) -> None:
    """More errors below: tau_ap is larger; more errors above: tau_ap is smaller."""
    cases = {
        "errors increase with rank": (0.95, 0.9, 0.8, 0.7, 0.6),
        "errors decrease with rank": (0.6, 0.7, 0.8, 0.9, 0.95),
        "neither, with expected tau_ap above tau": (0.9, 0.6, 0.95, 0.6, 0.7),
    }
    rows: list[list[Any]] = []
    for name, p in cases.items():
        tau, tau_ap = expectations(p)
        rows.append([name, ", ".join(map(str, p)), tau, tau_ap, tau_ap - tau])
    head = ["errors", "probability of being right at places 2 to 6", "expected tau", "expected tau_ap", "difference"]
    made.table(head, rows)
    increase, decrease, neither = (row[4] for row in rows)
    made.claim(
        "errors increase with rank: tau is less than tau_ap", "tau_ap - tau above 0", f"{increase:+.4f}", increase > 0
    )
    made.claim("errors decrease with rank: tau is less, too", "tau_ap - tau above 0", f"{decrease:+.4f}", decrease > 0)
    made.claim(
        "tau_ap above tau does not imply that errors increase with rank",
        "some exceptions",
        f"{neither:+.4f}",
        neither > 0,
    )
    made.reproduced = "repaired"
    made.held_by(
        THEOREMS,
        "test_theorem_2_as_it_is_proved",
        "test_theorem_2_as_it_is_printed_is_false",
        "test_the_converse_of_theorem_2_is_false",
    )


@cache
def all_rankings(m: int = 8) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    truth = np.arange(m, 0, -1.0)
    rankings = np.array(list(permutations(range(m))), dtype=float)
    tau, one, mean = (
        np.asarray(f(truth, rankings)) for f in (cc.tau, cc.tau_ap, cc.get_coefficient("tau_ap_symmetric"))
    )
    return rankings, tau, one, mean


@paper.item("figure-3", "Figure 3")
def figure_3(made: Item) -> None:
    """All rankings of eight systems."""
    _, tau, one, mean = all_rankings()
    with made.panels(2, "All 40,320 rankings of eight systems.", height=3.4) as axes:
        for ax, values, name in zip(axes, (one, mean), ("tau_ap", "symmetric tau_ap"), strict=True):
            pairs = np.unique(np.round(np.column_stack([tau, values]), 9), axis=0)
            ax.plot([-1, 1], [-1, 1], color="0.7", linewidth=0.8)
            ax.plot(*pairs.T, ".", markersize=1.5, rasterized=True)
            ax.set_xlabel("tau")
            ax.set_ylabel(name)
            ax.set_aspect("equal")
    rows: list[list[Any]] = []
    for level in np.unique(tau.round(9))[[-2, -6, len(np.unique(tau.round(9))) // 2]]:
        at = np.abs(tau - level) < 1e-9
        rows.append([level, int(at.sum()), one[at].min(), one[at].max(), mean[at].min(), mean[at].max()])
    head = ["tau", "rankings", "tau_ap from", "to", "symmetric from", "to "]
    made.table(head, rows, "How far apart tau_ap can be at one value of tau:")
    _, _, low, high, *_ = rows[1]
    made.claim(
        "one value of tau allows many values of tau_ap",
        "many",
        f"{low:.3f} to {high:.3f} at tau {rows[1][0]:.4f}",
        low < high,
    )


@paper.item("symmetry", "The symmetrised coefficient", "covid1")
def symmetry(made: Item) -> None:
    """When the two directions differ, which the paper leaves open."""
    rankings, tau, one, mean = all_rankings()
    other = 2 * mean - one
    rows: list[list[Any]] = []
    for low in (-1.0, -0.5, 0.0, 0.5, 0.75):
        high = {0.5: 0.75, 0.75: 1.01}.get(low, low + 0.5)
        some = (tau >= low - 1e-9) & (tau < high - 1e-9)
        apart = np.abs(one - other)[some]
        rows.append([f"{low:g} to {min(high, 1):g}", int(some.sum()), apart.mean(), apart.max()])
    made.table(
        ["tau", "rankings", "mean difference", "largest"],
        rows,
        "Between both directions, all rankings of eight systems:",
    )
    furthest = 8 - rankings[np.argmax(np.abs(one - other))]
    made.notes.append(
        "A discordant pair costs more, the higher its lower system is in the list that is walked. So the directions "
        "differ where systems are high in one list and low in the other, most of all where systems 1 to 8 of the truth "
        f"have the ranks {' '.join(f'{rank:g}' for rank in furthest)} in the candidate."
    )
    runs, qrels, pooled, _, full = covid()
    rows = []
    for depth in (1, 2, 3, 5):
        y = cc.evaluate(runs, depth_pool(runs, qrels, depth, pooled), "AP").means()
        x = full.means()
        rows.append(
            [depth, cc.get_coefficient("tau_ap_ties")(x, y), cc.get_coefficient("tau_ap_ties")(y, x), cc.tau_ap_b(x, y)]
        )
    head = ["depth of the pool", "candidate walked", "truth walked", "mean of both"]
    made.table(head, rows, "On TREC-COVID, 143 runs, AP:")
    made.reproduced = "future work"


def errors_alike(m: int, p: float, size: int, rng: np.random.Generator) -> FloatArray:
    """Rankings in which each system is right about each one above it with probability p: the setup of theorem 1.

    The truth is 1, 2, ... m, best first; returned are the candidate's scores of its systems.
    """
    found = np.empty((size, m))
    for row in found:
        truth: list[int] = []  # places of the candidate, best first by the truth
        for place in range(m):
            truth.insert(rng.binomial(place, p), place)
        row[:] = -np.array(truth)
    return found


@paper.item("figure-4", "Figure 4", "covid1")
def figure_4(made: Item) -> None:
    """Three rankings of the same tau: errors at the top, anywhere, at the bottom."""
    runs, qrels, pooled, _, full = covid()
    pooled_means = cc.evaluate(runs, depth_pool(runs, qrels, 1, pooled), "AP").means()
    m = len(pooled_means)
    x, y = (np.argsort(np.argsort(means, kind="stable"), kind="stable") + 1.0 for means in (full.means(), pooled_means))
    tau = float(cc.tau(x, y))
    alike = errors_alike(m, (1 + tau) / 2, 2_000, np.random.default_rng(4))
    same = np.flatnonzero(np.abs(np.asarray(cc.tau(np.arange(m, 0, -1.0), alike)) - tau) < 1e-9)
    sides = {
        "errors at the top": (x, y),
        "pairs wrong alike": (np.arange(m, 0, -1.0), alike[same[0]]),
        "any of this tau": (np.arange(m, 0, -1.0), with_tau(m, 1, tau, rng=4)[0]),
        "errors at the bottom": (m + 1 - x, m + 1 - y),
    }
    caption = "Ranks in the truth and in the candidate; the best systems at the top right. All have the same tau."
    with made.panels(4, caption, height=2.3, width=8.0) as axes:
        for ax, (name, (a, b)) in zip(axes, sides.items(), strict=True):
            ax.plot(np.argsort(np.argsort(a)) + 1, np.argsort(np.argsort(b)) + 1, "o", markersize=2)
            ax.set_title(f"{name}\ntau_ap = {cc.tau_ap(a, b):.3f}")
            ax.set_xlabel("rank in the truth, from the worst")
            ax.set_ylabel("rank in the candidate")
            ax.set_aspect("equal")
    for name, (a, b) in sides.items():
        made.compare(f"tau, {name}", None, cc.tau(a, b))
        made.compare(f"tau_ap, {name}", None, cc.tau_ap(a, b))
    uniform = with_tau(m, 400, tau, rng=5)
    rows: list[list[Any]] = []
    for name, rankings in (("every pair wrong with the same probability", alike), ("any ranking of this tau", uniform)):
        pair = [np.asarray(getattr(cc, c)(np.arange(m, 0, -1.0), rankings)) for c in ("tau", "tau_ap")]
        rows.append([name, len(rankings), pair[0].mean(), pair[1].mean(), pair[1].std()])
    made.table(["random rankings", "drawn", "mean tau", "mean tau_ap", "sd of tau_ap"], rows)
    top, random, _, turned = (float(cc.tau_ap(a, b)) for a, b in sides.values())
    made.claim("errors at the top: tau_ap is less than tau", "less", f"{top:.3f}, tau {tau:.3f}", top < tau)
    made.claim(
        "errors anywhere: tau_ap is about tau",
        "about equal",
        f"{random:.3f} (sd {rows[0][4]:.3f}), tau {tau:.3f}",
        abs(random - tau) < 2 * rows[0][4],
    )
    made.claim("turned: tau_ap increases", "increases", f"{top:.3f} to {turned:.3f}", turned > top)
    made.claim("turned: tau_ap is higher than tau", "higher", f"{turned:.3f}, tau {tau:.3f}", turned > tau)
    made.notes.append(
        "Theorem 1 needs errors that are equally likely at every place: the second panel. Rankings drawn uniformly "
        "from all those with the same tau, the third panel, are different: each system then passes about as many "
        "others wherever it stands, so a larger share of the pairs near the top is wrong, and tau_ap lies below tau."
    )
    made.notes.append("Ties of the depth-1 pool are broken by the order of the runs, so that there is one tau.")
    made.reproduced = "on other data"


# What the paper prints for Brkly26 in TREC 7 and CL99SDopt2 in TREC 8: tau of automatic runs and of all.
PRINTED_5 = (("0.9555", "0.9543"), ("0.9396", "0.9454"))


def places(scores: FloatArray) -> npt.NDArray[np.intp]:
    """The rank of each system; the best has 1, and tied systems share the better rank."""
    return np.array([(scores > score).sum() + 1 for score in scores])


@paper.item("figure-5", "Figure 5", "covid1")
def figure_5(made: Item) -> None:
    """Judgments of what one manual run retrieved: all manual runs that were pooled."""
    runs, qrels, pooled, kinds, full = covid()
    x = full.means()
    found = {name: cc.evaluate(runs, from_runs(qrels, runs, [name]), "AP").means()
             for name in pooled if kinds[name] == "manual"}  # fmt: skip
    everyone = np.arange(len(x))
    automatic = np.array([k for k in everyone if kinds[runs.systems[k]] != "manual"])
    ranks, best = places(x), int(np.argmax(x))
    rows: list[list[Any]] = []
    for name, y in found.items():
        tau, tau_ap = both(x, y)
        at, first, second = places(y), *np.argsort(-y, kind="stable")[:2]
        its = runs.systems.index(name)
        rows.append([name, *both(x[automatic], y[automatic]), tau, tau_ap, int(ranks[first]), int(ranks[second]),
                     int(at[best]), f"{ranks[its]} to {at[its]}"])  # fmt: skip
    rows.sort(key=lambda row: -row[3])
    shown = rows[0][0], rows[len(rows) // 2][0]
    top = np.argsort(-x, kind="stable")[:12]
    which = f"{shown[0]} (highest tau_b of {len(rows)}) and {shown[1]} (median)"
    caption = f"Judgments of what one manual run retrieved, {which}: automatic runs, all, the 12 best."
    with made.panels(6, caption, height=1.7, width=10.0) as axes:
        for k, name in enumerate(shown):
            parts = {"automatic": automatic, "all": everyone, "12 best": top}
            for ax, (title, part) in zip(axes[3 * k :], parts.items(), strict=False):
                scatter(ax, x[part], found[name][part], f"{title}: {both(x[part], found[name][part])[0]:.3f}")
    head = ["judged: documents of", "tau_b, automatic runs", "tau_ap_b", "tau_b, all runs", "tau_ap_b ",
            "true rank of the first", "of the second", "rank of the truly best", "rank of the run itself"]  # fmt: skip
    made.table(head, rows, "All manual runs that were pooled, by tau_b over all runs:")
    high = sum(row[3] >= 0.9 for row in rows)
    made.claim(
        "tau of most manual runs is at or above 0.9 (Sanderson and Joho)",
        "most",
        f"{high} of {len(rows)}",
        high > len(rows) / 2,
    )
    steps = [abs(row[3] - row[1]) for row in rows]
    printed = ", ".join(f"{float(b) - float(a):+.4f}" for a, b in PRINTED_5)
    made.claim(
        "tau hardly changes from automatic runs to all",
        printed,
        f"median {np.median(steps):.4f}, most {max(steps):.4f}",
        max(steps) < 0.01,
    )
    falls = [row for row in rows if row[4] < row[2]]
    made.claim(
        "tau_ap falls from automatic runs to all",
        "2 of 2 runs",
        f"{len(falls)} of {len(rows)}; not for {', '.join(row[0] for row in rows if row not in falls)}",
        len(falls) > 0.9 * len(rows),
    )
    more = sum(row[4] - row[2] < row[3] - row[1] for row in rows)
    made.claim("and by more than tau does", "2 of 2 runs", f"{more} of {len(rows)}", more > 0.9 * len(rows))
    right = (("the system that comes first is not the truly best", "11th, 7th", 5, 1),
             ("the system that comes second is not the truly second", "3rd", 6, 2),
             ("the truly best system does not come first", "4th", 7, 1))  # fmt: skip
    for what, printed, column, rank in right:
        values = sorted(row[column] for row in rows)
        wrong = sum(value != rank for value in values)
        made.claim(
            what,
            printed,
            f"{wrong} of {len(rows)}; ranks {values[0]} to {values[-1]}, median {values[len(rows) // 2]}",
            wrong > 0.9 * len(rows),
        )
    made.claim(
        "tau is high although the best systems are out of order",
        " and ".join(b for _, b in PRINTED_5),
        f"highest {rows[0][3]:.3f}, the first is truly {rows[0][5]}, the second {rows[0][6]}",
        high,
    )
    made.reproduced = "on other data"


@paper.item("figure-6", "Figure 6")
def figure_6(made: Item) -> None:
    """Random rankings with tau, or tau_ap, of 0.9."""
    m, size = 50, 100
    pairs = m * (m - 1) // 2
    tau = 1 - 2 * round(pairs * 0.05) / pairs
    drawn = {
        f"tau = {tau:.4f}": with_tau(m, size, tau, rng=2008),
        "tau_ap = 0.9": with_tau_ap(m, size, 0.9, 0.001, rng=2008),
    }
    with made.panels(2, "100 random rankings of 50 systems each, drawn over one another.", height=3.4) as axes:
        rows: list[list[Any]] = []
        for ax, (name, rankings) in zip(axes, drawn.items(), strict=True):
            ranks = m + 1 - np.argsort(np.argsort(rankings, axis=1), axis=1) - 1
            ax.plot(np.tile(np.arange(1, m + 1), size), ranks.ravel(), ".", markersize=2, alpha=0.4, rasterized=True)
            ax.set_title(name)
            ax.set_xlabel("rank in the truth")
            ax.set_ylabel("rank in the random ranking")
            ax.set_aspect("equal")
            moved = np.abs(ranks - np.arange(1, m + 1)).mean(axis=0)
            rows.append([name, moved[:10].mean(), moved[20:30].mean(), moved[-10:].mean()])
    made.table(
        ["rankings with", "10 best", "10 in the middle", "10 worst"],
        rows,
        "By how many ranks a system is off, on average:",
    )
    by_tau, by_tau_ap = rows
    made.claim(
        "tau of 0.9: errors at any part of the list",
        "any part",
        f"off by {by_tau[1]:.2f} at the top, {by_tau[3]:.2f} at the bottom",
        0.5 < by_tau[1] / by_tau[3] < 2,
    )
    made.claim(
        "tau_ap of 0.9: errors hardly ever at the top, mostly at the bottom",
        "very unlikely",
        f"off by {by_tau_ap[1]:.2f} and {by_tau_ap[3]:.2f}",
        by_tau_ap[1] < 0.25 * by_tau_ap[3],
    )
    made.notes.append("No ranking of 50 systems has a tau of exactly 0.9; the nearest value is used.")


def symmetric_null(m: int, draws: int = 100_000) -> FloatArray:
    """The symmetric coefficient of all rankings of up to 8 systems, or of random ones."""
    if m <= 8:
        rankings = np.array(list(permutations(range(m))), dtype=float)
    else:
        rankings = np.random.default_rng(m).permuted(np.tile(np.arange(m, dtype=float), (draws, 1)), axis=1)
    return np.asarray(cc.get_coefficient("tau_ap_symmetric")(np.arange(m, 0, -1.0), rankings))


def quantile(null: Any, q: float) -> float:
    """The smallest value x with P(T <= x) >= q, of values on a grid that is finer than rounding shows."""
    low, high = -1.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if null.cdf(middle) >= q else (middle, high)
    return high


@paper.item("future-work", "Section 5: the distribution of the statistic")
def future_work(made: Item) -> None:
    """The null distributions, which the paper plans to investigate."""
    rows: list[list[Any]] = []
    for m in (5, 8, 20, 50):
        tau, tau_ap = cc.null_distribution("tau", m), cc.null_distribution("tau_ap", m)
        rows.append([m, math.sqrt(tau.var), math.sqrt(tau_ap.var), quantile(tau, 0.95), quantile(tau_ap, 0.95)])
    head = ["systems", "sd of tau", "sd of tau_ap", "tau at 5%", "tau_ap at 5%"]
    made.table(head, rows, "Two unrelated rankings, computed exactly; last columns: 95% quantiles.")
    of_symmetric: list[list[Any]] = []
    for m in (4, 6, 8, 20, 50):
        values = symmetric_null(m)
        sd = float(values.std())
        skewness = float(((values - values.mean()) ** 3).mean() / sd**3)
        # How often the symmetric coefficient is beyond the normal limit of 5%, and of 1%.
        beyond = [float((values >= z * sd).mean()) for z in (1.6449, 2.3263)]
        of_symmetric.append(
            [
                m,
                "all" if m <= 8 else "100,000 at random",
                values.mean(),
                sd,
                sd / math.sqrt(cc.null_distribution("tau_ap", m).var),
                skewness,
                *beyond,
            ]
        )
    head = [
        "systems",
        "rankings",
        "mean",
        "sd",
        "sd / that of tau_ap",
        "skewness",
        "beyond 1.645 sd",
        "beyond 2.326 sd",
    ]
    made.table(head, of_symmetric, "The symmetric coefficient of unrelated rankings:")
    made.tests += ["tests/inference/test_nulls.py", "tests/inference/test_symmetric_null.py"]
    made.reproduced = "future work"


if __name__ == "__main__":
    paper.main()
