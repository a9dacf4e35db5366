"""Speed of the null distributions and of the permutation test.

Run by `make bench`. A p-value is timed on a distribution that knows nothing yet: what it computes once is part of it.
"""

from __future__ import annotations

import sys

import numpy as np
from coefficients import Call, Table, fastest
from scipy import stats

import concordant as cc
from concordant.inference.nulls import NullDistribution


def first_pvalue(coefficient: str, m: int, value: float) -> Call:
    return lambda: NullDistribution(coefficient, m).pvalue(value)  # type: ignore[arg-type]


def pvalues(table: Table) -> None:
    for m, value in ((20, 0.3), (50, 0.3), (50, 0.9), (200, 0.5), (1_000, 0.05), (1_000, 0.5), (10_000, 0.05)):
        most = 50 if m <= 1_000 else None
        calls: dict[str, Call] = {name: first_pvalue(name, m, value) for name in ("tau", "tau_ap")}
        for name, took in fastest(calls).items():
            table.row(f"{name}_null({m:,}).pvalue({value}), the first: ms", 1000 * took, most=most)
    null = cc.null_distribution("tau_ap", 1_000)
    values = np.random.default_rng(1).normal(0, null.std, 10_000).clip(-1, 1)
    null.pvalue(values)
    times = fastest({"10,000": lambda: null.pvalue(values)})
    table.row("tau_ap_null(1,000).pvalue of 10,000 values: ms", 1000 * times["10,000"])


def against_scipy(table: Table) -> None:
    """The exact test of tau; scipy counts all rankings, in time that grows as m cubed."""
    for m in (50, 150):
        rng = np.random.default_rng(m)
        x = rng.random(m)
        y = x + rng.normal(0, 1, m)
        value = cc.tau(x, y)
        theirs = stats.kendalltau(x, y, method="exact").pvalue
        np.testing.assert_allclose(cc.null_distribution("tau", m).pvalue(value), theirs, rtol=1e-8)
        times = fastest(
            {"ours": first_pvalue("tau", m, float(value)), "theirs": lambda: stats.kendalltau(x, y, method="exact")}  # noqa: B023
        )
        table.row(f"m = {m}: scipy kendalltau(exact) / the first tau_null p-value", times["theirs"] / times["ours"])


def permutation(table: Table) -> None:
    rng = np.random.default_rng(1)
    truth = np.floor(rng.random(110) * 60)
    candidate = np.floor((truth / 60 + rng.normal(0, 0.4, 110)) * 60)
    rows = rng.permuted(np.tile(candidate, (9_999, 1)), axis=1)
    for name in ("tau_b", "tau_ap_b", "pearson_rank"):
        function = cc.get_coefficient(name).function
        times = fastest(
            {
                "test": lambda: cc.permutation_test(truth, candidate, coefficient=name, rng=1),  # noqa: B023
                "coefficient": lambda: function(truth, rows),  # noqa: B023
                "permuted": lambda: rng.permuted(rows, axis=1),
            },
            seconds=4,
        )
        beside = times["coefficient"] + times["permuted"]
        table.row(f"permutation_test {name}, 9,999 x 110 / permuting and computing", times["test"] / beside, most=2)


def main() -> None:
    table = Table()
    for part in (pvalues, against_scipy, permutation):
        part(table)
    if table.failed:
        sys.exit(f"{table.failed} targets missed")


if __name__ == "__main__":
    main()
