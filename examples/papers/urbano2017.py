"""Urbano and Marrero (2017), item by item: docs/papers/urbano2017.md."""

from __future__ import annotations

import math
from itertools import permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt
from making import Item, Paper

import concordant as cc

FloatArray = npt.NDArray[np.float64]
paper = Paper("urbano2017")
X, X_TIED = (1, 2, 3, 4, 5, 6), (1, 2, 3.5, 3.5, 5, 6)
Y, Y_TIED = (2, 3, 1, 4, 6, 5), (2, 4, 1, 4, 6, 4)
# The orders of the tied items as the paper lists them, with its values of tau and tau_ap.
ORDERS = {
    (2, 3, 1, 4, 6, 5): ("0.6", "0.32"), (2, 3, 1, 5, 6, 4): ("0.467", "0.22"), (2, 4, 1, 3, 6, 5): ("0.467", "0.253"),
    (2, 4, 1, 5, 6, 3): ("0.333", "0.153"), (2, 5, 1, 3, 6, 4): ("0.333", "0.22"), (2, 5, 1, 4, 6, 3): ("0.2", "0.087"),
}  # fmt: skip


def scores(ranks: tuple[float, ...]) -> FloatArray:
    """Ranks, 1 the best, as scores."""
    return -np.array(ranks, dtype=float)


@paper.item("no-ties", "Section 2: the example without ties")
def no_ties(made: Item) -> None:
    """Six items, no ties."""
    made.compare("tau", "0.6", cc.tau(scores(X), scores(Y)))
    made.compare("tau_ap", "0.32", cc.tau_ap(scores(X), scores(Y)))
    made.tests.append("tests/coefficients/test_values.py")


@paper.item("accuracy", "Section 3.1: the example of accuracy")
def accuracy(made: Item) -> None:
    """Ties in the candidate only: the mean over the orders of the tied items."""
    for order, (tau, tau_ap) in ORDERS.items():
        name = " ".join(map(str, order))
        made.compare(f"tau, {name}", tau, cc.tau(scores(X), scores(order)))
        made.compare(f"tau_ap, {name}", tau_ap, cc.tau_ap(scores(X), scores(order)))
    made.compare("tau_a", "0.4", cc.tau_a(scores(X), scores(Y_TIED)))
    made.compare("tau_ap_a", "0.209", cc.tau_ap_a(scores(X), scores(Y_TIED)))
    made.tests.append("tests/coefficients/test_values.py")


def mean_over_orders(truth: FloatArray, candidate: FloatArray) -> tuple[float, float]:
    """Tau and tau_ap, averaged over all orders of the tied items one by one."""
    groups = [np.flatnonzero(candidate == value) for value in np.unique(candidate)]
    found = []
    for orders in product(*(permutations(group) for group in groups)):
        broken = np.empty(len(truth))
        broken[[k for order in orders for k in order]] = np.arange(len(truth))
        found.append((cc.tau(truth, broken), cc.tau_ap(truth, broken)))
    return math.fsum(f[0] for f in found) / len(found), math.fsum(f[1] for f in found) / len(found)


@paper.item("equation-8", "Equations 4 to 8")
def equation_8(made: Item) -> None:
    """The closed forms against all orders of the ties."""
    rng = np.random.default_rng(2017)
    largest = np.zeros(2)
    for _ in range(150):
        m = int(rng.integers(3, 8))
        truth, candidate = rng.permutation(m).astype(np.float64), rng.integers(0, 4, m).astype(np.float64)
        tau, tau_ap = mean_over_orders(truth, candidate)
        closed = cc.tau_a(truth, candidate), cc.tau_ap_a(truth, candidate)
        largest = np.maximum(largest, np.abs(np.array(closed) - (tau, tau_ap)))
    rows = [["tau_a, equation 4", largest[0]], ["tau_ap_a, equation 8", largest[1]]]
    made.table(
        ["closed form minus the mean over all orders", "largest difference"],
        rows,
        "150 random rankings of 3 to 7 items:",
    )
    made.claim(
        "the closed forms are the means over all orders",
        "equal",
        "equal" if largest.max() < 1e-12 else f"{largest.max():.1e} apart",
        largest.max() < 1e-12,
    )
    made.tests.append("tests/coefficients/test_against_literal.py")


@paper.item("agreement", "Section 3.2: the example of agreement")
def agreement(made: Item) -> None:
    """Ties on both sides."""
    x, y = scores(X_TIED), scores(Y_TIED)
    signs = [np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i in range(6) for j in range(i)]
    made.compare("concordant pairs", "8", sum(s > 0 for s in signs))
    made.compare("discordant pairs", "3", sum(s < 0 for s in signs))
    made.compare("denominator of tau_b", "12.961", math.sqrt(15 - 1) * math.sqrt(15 - 3))
    made.compare("tau_b", "0.386", cc.tau_b(x, y))
    made.compare("tau_ap,ties of Y with respect to X", "0.12", cc.get_coefficient("tau_ap_ties")(x, y))
    made.compare("tau_ap,ties of X with respect to Y", "0.16", cc.get_coefficient("tau_ap_ties")(y, x))
    made.compare("tau_ap_b", "0.14", cc.tau_ap_b(x, y))
    made.tests.append("tests/coefficients/test_values.py")


@paper.item("equation-10", "Equation 10")
def equation_10(made: Item) -> None:
    """As printed it lacks a - 1."""
    x, y = scores(X_TIED), scores(Y_TIED)
    order = np.argsort(-y, kind="stable")
    total = 0.0
    for i in order:
        above = np.flatnonzero(y > y[i])
        if len(above):
            total += float((x[above] > x[i]).mean())
    printed = 2 / (6 - 1) * total  # one item at the top
    made.compare("equation 10 as printed, Y with respect to X", "0.12", printed)
    made.compare("with - 1", "0.12", printed - 1)
    made.compare("tau_ap_ties", "0.12", cc.get_coefficient("tau_ap_ties")(x, y))
    made.reproduced = "repaired"
    made.tests.append("tests/coefficients/test_against_literal.py")


@paper.item("remarks", "The remarks on equations 8, 10 and 11")
def remarks(made: Item) -> None:
    """All tied, and none tied."""
    import warnings

    x, tied, untied = scores(X), np.zeros(6), scores(Y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cc.errors.UndefinedCorrelationWarning)
        undefined = [bool(np.isnan(getattr(cc, name)(x, tied))) for name in ("tau_b", "tau_ap_b")]
    made.compare("tau_a, all tied in the candidate", "0", cc.tau_a(x, tied))
    made.compare("tau_ap_a, all tied in the candidate", "0", cc.tau_ap_a(x, tied))
    made.compare("tau_ap_a - tau_ap, no ties", "0", float(cc.tau_ap_a(x, untied)) - float(cc.tau_ap(x, untied)))
    made.compare(
        "tau_ap_ties - tau_ap, no ties",
        "0",
        float(cc.get_coefficient("tau_ap_ties")(x, untied)) - float(cc.tau_ap(x, untied)),
    )
    for name, value in zip(("tau_b", "tau_ap_b"), undefined, strict=True):
        made.claim(f"{name}, all tied in the candidate", "undefined", "undefined" if value else "defined", value)
    made.tests.append("tests/coefficients/test_values.py")


@paper.item("figure-1", "Figure 1")
def figure_1(made: Item) -> None:
    """No ties, ties at the bottom, ties at the top, ties in both."""
    m = 15
    rng = np.random.default_rng(17)
    x = np.arange(m, 0, -1.0)
    y = -np.argsort(np.argsort(np.arange(m) + rng.normal(0, 2.0, m))) * 1.0
    bottom, top, both = y.copy(), y.copy(), x.copy()
    bottom[np.argsort(y)[:5]] = y.min()
    top[np.argsort(-y)[:5]] = y.max()
    both[:3], both[-3:] = x[1], x[-2]
    panels = {
        "(a) no ties": (x, y),
        "(b) ties at the bottom": (x, bottom),
        "(c) ties at the top": (x, top),
        "(d) ties in both": (both, top),
    }
    names = ("tau_a", "tau_ap_a", "tau_b", "tau_ap_b")
    rows: list[list[Any]] = []
    with made.panels(
        4,
        "15 items: ranks in the truth and in the candidate, tied items at the same height or side by side.",
        height=2.4,
        width=8.0,
    ) as axes:
        for ax, (title, (a, b)) in zip(axes, panels.items(), strict=True):
            ranks = [
                1 + np.array([(side > value).sum() + ((side == value).sum() - 1) / 2 for value in side])
                for side in (a, b)
            ]
            ax.plot(*ranks, "o", markersize=3)
            ax.set_title(title)
            ax.set_xlabel("rank in the truth")
            ax.set_ylabel("rank in the candidate")
            ax.set_xlim(m + 1, 0)
            ax.set_ylim(m + 1, 0)
            ax.set_aspect("equal")
            accurate = title != "(d) ties in both"
            rows.append(
                [title, *(getattr(cc, name)(a, b) if accurate or name.endswith("b") else None for name in names)]
            )
    made.table(["", *names], rows)
    none, small, large = (float(row[2]) for row in rows[:3])
    made.claim(
        "(b) small effect of ties at the bottom", "small", f"tau_ap_a {small - none:+.3f}", abs(small - none) < 0.05
    )
    made.claim(
        "(c) large effect of ties at the top",
        "large",
        f"tau_ap_a {large - none:+.3f}",
        abs(large - none) > 5 * abs(small - none),
    )
    made.reproduced = "in part"


@paper.item("future-work", "Section 4: two more scenarios")
def future_work(made: Item) -> None:
    """Ties that should be ties, and ties within a threshold."""
    x, y = scores(X_TIED), scores(Y_TIED)
    rows = [
        ["tau_strict", cc.get_coefficient("tau_strict")(x, y)],
        ["tau_ap_strict", cc.get_coefficient("tau_ap_strict")(x, y)],
    ]
    made.table(["a tie on one side only is discordant", "the example of section 3.2"], rows)
    truth, candidate = np.array([0.71, 0.68, 0.60, 0.41, 0.40]), np.array([0.70, 0.72, 0.55, 0.43, 0.44])
    rows = []
    for tolerance in (0.0, 0.02, 0.05):
        rows.append(
            [
                tolerance,
                cc.tau_b(truth, candidate, tolerance=tolerance),
                cc.tau_ap_b(truth, candidate, tolerance=tolerance),
            ]
        )
    caption = "Ties within a threshold: 0.71, 0.68, 0.60, 0.41, 0.40 and 0.70, 0.72, 0.55, 0.43, 0.44."
    made.table(["tolerance", "tau_b", "tau_ap_b"], rows, caption)
    made.tests.append("tests/coefficients/test_against_literal.py")
    made.reproduced = "future work"


if __name__ == "__main__":
    paper.main()
