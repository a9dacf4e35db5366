"""Makes docs/measured/coverage.csv, one row for each interval and test, and the figures of the pages beside it.

Each script of `make coverage` writes a file of cells there. Here the cells are read again, so that a number stands in
one place: how many cells a claim has, their lowest, mean and highest coverage, and how many lie outside 93 to 98.5%.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "measured"
LOW, HIGH = 93.0, 98.5
HEAD = ["claim", "kind", "cells", "lowest", "mean", "highest", "mean_width", "below_93", "above_98.5", "file"]
Row = dict[str, str]
Where = Callable[[Row], bool]


class Claim(NamedTuple):
    """Cells of one file that measure one interval or test."""

    what: str
    file: str
    columns: tuple[str, ...]
    where: Where = lambda row: True
    width: str = ""
    scale: float = 1.0
    """100 for columns that are not in %."""
    kind: str = "interval"

    def rows(self) -> Iterator[Row]:
        """Rows of the file that belong to the claim."""
        with open(FOLDER / f"{self.file}.csv", encoding="utf-8", newline="") as file:
            yield from filter(self.where, csv.DictReader(file))

    def shares(self) -> list[float]:
        """Coverage, or rejections, of each cell, in %."""
        return [self.scale * float(row[c]) for row in self.rows() for c in self.columns if row[c]]

    def line(self) -> list[str]:
        """The claim's row of coverage.csv."""
        shares = self.shares()
        widths = [float(row[self.width]) for row in self.rows() if self.width and row[self.width]]
        found = [f"{v:.1f}" for v in (min(shares), sum(shares) / len(shares), max(shares))]
        found.append(f"{sum(widths) / len(widths):.2f}" if widths else "")
        outside = [str(sum(s < LOW for s in shares)), str(sum(s > HIGH for s in shares))]
        return [
            self.what,
            self.kind,
            str(len(shares)),
            *found,
            *(outside if self.kind == "interval" else ["", ""]),
            self.file,
        ]


def equal(**wanted: str) -> Where:
    """Rows that have these values."""
    return lambda row: all(row[name] == value for name, value in wanted.items())


def asked(question: str) -> Where:
    """Rows of a question, from 10 topics on."""
    return lambda row: row["question"] == question and int(row["topics"]) >= 10


def default(method: str, coefficient: str, topics: str = "", tied: bool = False) -> Claim:
    """A method of `correlate`, on the designs that are nearly tied, or on all others."""
    designs = ("adhoc7, a third tied", "adhoc7, families", "adhoc8, a third tied")

    def where(row: Row) -> bool:
        of = row["coefficient"] == coefficient and topics in ("", row["topics"])
        return of and row["conditions"].startswith(designs) == tied

    name = "correlate, the default" if method == "default" else f"correlate, {method}"
    what = f"{name}: {coefficient}{f', {topics} topics' if topics else ''}{', nearly tied systems' if tied else ''}"
    return Claim(what, "default-interval", (method,), where, f"{method}_width")


def labels(before: str = "") -> list[Claim]:
    """Lists of documents with 5% of the pairs or more; only differences of nDCG are printed, as deviations from all.

    Means of AP are printed if at most 5% of the topics lack relevant labels. For topics like these, a column has the
    coverage of the lists that print them.
    """

    def where(kinds: tuple[str, ...], lacking: float = 100) -> Where:
        return lambda row: (
            float(row["share"]) >= 0.05 and row["measure"].startswith(kinds) and float(row["lacking"] or 0) <= lacking
        )

    means = ("P", "DCG")
    return [
        Claim(f"{before}these topics: means of P and DCG", "labels", ("means",), where(means)),
        Claim(f"{before}these topics: means of AP", "labels", ("means",), where(("AP",), 5)),
        Claim(f"{before}these topics: differences", "labels", ("differences",), where((*means, "nDCG"))),
        Claim(f"{before}these topics: differences of AP", "labels", ("differences",), where(("AP",))),
        Claim(f"{before}these topics: nDCG", "labels", ("deviations",), where(("nDCG",))),
        Claim(f"{before}topics like these: means of P and DCG", "labels", ("topics_means",), where(means)),
        Claim(f"{before}topics like these: means of AP", "labels", ("topics_printed_means",), where(("AP",))),
        Claim(f"{before}topics like these: differences", "labels", ("topics_differences",), where((*means, "nDCG"))),
        Claim(
            f"{before}topics like these: differences of AP", "labels", ("topics_printed_differences",), where(("AP",))
        ),
    ]


COEFFICIENTS = ("tau_b", "tau_ap_b", "pearson_rank")
CLAIMS = [
    *(default(method, name, "50") for name in COEFFICIENTS for method in ("default", "iterated", "percentile")),
    *(default("default", name, topics) for topics in ("10", "15", "25", "100") for name in COEFFICIENTS),
    *(default("default", name, tied=True) for name in COEFFICIENTS),
    Claim("judge_worth, 25 topics, new systems", "worth", ("coverage",), lambda row: row["coverage"] != "", scale=100),
    Claim("rank_intervals, all systems", "rank-intervals", ("all",), width="width"),
    Claim("rank_intervals, each by itself", "rank-intervals", ("each",)),
    Claim("rank_intervals, equal differences, all tied", "rank-equalities", ("covered_with",), scale=100),
    Claim("rank_intervals, holes", "boards", ("coverage",), equal(part="holes"), "width"),
    Claim("rank_intervals, documents as groups", "boards", ("coverage",),
          equal(part="groups", case="documents"), "width"),
    Claim("combine, means", "combine", ("means",), equal(method="control")),
    Claim("combine, differences", "combine", ("differences",), equal(method="control")),
    Claim("combine, worth in human topics", "combine", ("worth_covered",), equal(method="control")),
    Claim("combine, favoured systems", "combine", ("favoured_covered",), equal(method="control")),
    Claim("combine, partial labels: means", "partial", ("means",), width="width"),
    Claim("combine, partial labels: differences", "partial", ("differences",)),
    *labels("judgments.rank_from_labels, "),
    *(Claim(f"{function}{rest}", "differences", ("coverage",), asked(f"{what}{rest}"))
      for function, what in (("run_noise", "mean"), ("difference", "difference")) for rest in ("", ", these topics")),
    Claim("difference", "differences", ("size",), asked("difference"), kind="size"),
    Claim("expected_correlation, tau", "reliability", ("covers",), width="width"),
    Claim("plan_topics, the number needed", "plan-topics", ("covered",), width="ratio", scale=100),
    Claim("plan_topics, above the 5% quantile", "plans", ("above_the_5%_quantile",)),
    Claim("judgments.label_agreement", "label-agreement",
          ("agreement", "kappa", "kappa_linear", "kappa_quadratic", "alpha"), scale=100),
    Claim("rank_judges, any best of 12 excluded", "worth", ("any_best_excluded",), scale=100, kind="size"),
    Claim("rank_test", "rank-test", ("recentred_rejects",), equal(noise="0"), kind="size"),
    Claim("the paper's rank test", "rank-test", ("paper_rejects",), equal(noise="0"), kind="size"),
    Claim("family_bias", "families", ("no_shift",), kind="size"),
    Claim("combine, partial labels: are the cells random?", "partial", ("random",), kind="size"),
    Claim("combine, partial labels: whole topics?", "partial", ("topics",), equal(design="cells"), kind="size"),
    Claim("judges.gaming_gap, independent errors", "gaming", ("rejected",), kind="size"),
    Claim("rank_judges, a judge with four times the noise excluded", "worth", ("worst_excluded",),
          lambda row: "four times" in row["design"], scale=100, kind="power"),
    Claim("rank_test", "rank-test", ("recentred_rejects",), lambda row: row["noise"] != "0", kind="power"),
    Claim("family_bias, 1 sd", "families", ("1_sd",), kind="power"),
]  # fmt: skip

FIGURES = {
    "differences": [
        Claim(f"{design}: {question}", "differences", ("coverage",), equal(design=design, question=question))
        for design in ("logit", "heavy", "mixture", "unequal", "ceiling", "skewed", "groups", "seeds", "pass^2")
        for question in ("mean", "mean, these topics", "difference", "difference, these topics")
        if not (design == "seeds" and "these" in question) and not (design == "pass^2" and "these" in question)
    ],
    "coverage": [c for c in CLAIMS if c.kind == "interval"],
    "default-interval": [default("default", name, n) for name in COEFFICIENTS for n in ("10", "15", "25", "50", "100")],
    "interval-coverage": [
        Claim(f"{method}: {name}", "interval-coverage", ("coverage",), equal(method=method, coefficient=name))
        for method in ("iterated", "percentile", "basic", "bca", "kendall")
        for name in COEFFICIENTS
    ],
    "worth": [
        Claim(f"{topics} topics x {systems} systems{', held out' if held == '1' else ''}", "worth", ("coverage",),
              equal(topics=topics, systems=systems, held_out=held), scale=100)
        for held in "01"
        for topics, systems in (("26", "20"), ("50", "20"), ("50", "40"))
    ],
    "boards": [
        *(Claim(f"holes: {case}", "boards", ("coverage",), equal(part="holes", case=case))
          for case in ("none", "random", "weak")),
        Claim("documents as groups", "boards", ("coverage",), equal(part="groups", case="documents")),
        Claim("groups ignored", "boards", ("coverage",), equal(part="groups", case="none")),
    ],
    "combine": [
        Claim(f"{method}: {what}", "combine", (column,), equal(method=method))
        for what, column in (("means", "means"), ("the worst system", "means_worst"), ("differences", "differences"),
                             ("worth in human topics", "worth_covered"), ("favoured systems", "favoured_covered"))
        for method in ("control", "shrunk")
    ],
    "labels": labels(),
}  # fmt: skip


def summary() -> list[list[str]]:
    """The rows of coverage.csv."""
    return [HEAD, *(claim.line() for claim in CLAIMS)]


def draw(name: str, claims: Sequence[Claim], folder: Path) -> None:
    """A dot for each cell, a bar for the mean, and a line at the nominal 95%."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": name, "font.size": 8, "axes.spines.top": False}):
        figure, axes = plt.subplots(figsize=(7, 0.8 + 0.19 * len(claims)), layout="constrained")
        axes.axvspan(LOW, HIGH, color="#e8eef7", lw=0)
        axes.axvline(95, color="#4a6fa5", lw=0.8)
        for row, claim in enumerate(claims):
            shares = claim.shares()
            axes.plot(shares, [row] * len(shares), "o", color="#333333", alpha=0.35, ms=3, mew=0)
            axes.plot(sum(shares) / len(shares), row, "|", color="#c0392b", ms=8)
        axes.set_yticks(range(len(claims)), [claim.what for claim in claims])
        axes.invert_yaxis()
        axes.set_xlabel("coverage in %: a dot for each cell, red at the mean; shaded: 93 to 98.5")
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
        plt.close(figure)


def draw_study(folder: Path) -> None:
    """Error and bias for tau by the number of topics, a line for each estimator, means over the three collections."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    with open(FOLDER / "sigir2016-study.csv", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["coefficient"] == "tau"]
    sizes = sorted({int(row["topics"]) for row in rows})
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "study", "font.size": 8, "axes.spines.top": False}):
        figure, panels = plt.subplots(1, 2, figsize=(7, 2.6), layout="constrained")
        for axes, what in zip(panels, ("error", "bias"), strict=True):
            for name in dict.fromkeys(row["estimator"] for row in rows):
                cells = [
                    [float(r[what]) for r in rows if (r["estimator"], int(r["topics"])) == (name, n)] for n in sizes
                ]
                axes.plot(sizes, [sum(cell) / len(cell) for cell in cells], marker="o", ms=2.5, lw=1, label=name)
            axes.axhline(0, color="#999999", lw=0.6)
            axes.set_xlabel("topics")
            axes.set_ylabel(f"mean {what} for tau")
        panels[0].legend(fontsize="x-small", frameon=False)
        figure.savefig(folder / "sigir2016-study.svg", metadata={"Date": None})
        plt.close(figure)


def main() -> None:
    """Write coverage.csv and the figures."""
    with open(FOLDER / "coverage.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(summary())
    for name, claims in FIGURES.items():
        draw(name, claims, FOLDER)
    draw_study(FOLDER)


if __name__ == "__main__":
    main()
