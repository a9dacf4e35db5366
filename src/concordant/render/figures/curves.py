"""Draw curves over the number of topics, runs or labels, or over the size of a change."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from ...errors import InputError, counted, import_extra
from ...options import check_option
from .labels import symbol, text
from .matrices import heatmap
from .style import BLUE, DARK, GREY, MARKS, SERIES, STYLE, TEXT, VERMILLION, canvas, grown

if TYPE_CHECKING:
    from ...data.results import Findings
    from ...study.saving import StudyResult


def plan(found: Findings, ax: Any = None) -> Any:
    """Plot the expected correlation against the number of topics, with its 90% range, the target and the answer."""
    with canvas(ax, height=grown(2.5)) as ax:
        ax.fill_between(
            found.topics, found.low, found.high, color=BLUE, alpha=0.2, linewidth=0, label="90% of collections"
        )
        ax.plot(found.topics, found.expected, color=BLUE, label="expected")
        ax.axhline(found.target, color=DARK, linestyle="--", linewidth=1, label=f"target {found.target:g}")
        if found.n_topics is not None:
            ax.axvline(found.n_topics, color=VERMILLION, label=f"enough: {counted(found.n_topics, 'topic')}")
        span = found.interval
        if span.low < math.inf:
            level = f"{100 * span.confidence_level:g}% interval"
            ax.axvspan(span.low, min(span.high, found.most), color=VERMILLION, alpha=0.1, linewidth=0, label=level)
            ax.set_xlim(found.topics[0], max(found.topics[-1], min(span.high, 2 * found.topics[-1])))
        ax.axvline(found.observed_topics, color=GREY, linestyle=":", label=f"now: {found.observed_topics:,}")
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
        ax.set_xlabel("topics")
        ax.set_ylabel(f"{symbol(found.coefficient)} with the true ranking")
        ax.legend(loc="lower right", fontsize="x-small")
    return ax


def label_trial(found: Findings, ax: Any = None) -> Any:
    """Plot tau_b against the share of pairs that people judge, with one line per design."""
    with canvas(ax, height=grown(2.5)) as ax:
        designs = dict(zip(found.designs, found.tau_b, strict=True))
        _lines(ax, 100 * found.shares, designs, "pairs that people judge (%)", f"{symbol('tau_b')} with all judged")
        ax.set_xscale("log")
        ax.set_xticks(100 * found.shares, [f"{100 * share:g}" for share in found.shares])
        ax.minorticks_off()
    return ax


def _lines(ax: Any, x: Any, series: Mapping[str, Any], across: str, up: str) -> None:
    """Draw one line for each series, with a legend."""
    for k, (label, values) in enumerate(series.items()):
        dashes = ("-", "--", ":")[k // len(SERIES) % 3]
        ax.plot(x, values, dashes, marker=MARKS[k % len(MARKS)], color=SERIES[k % len(SERIES)], label=label)
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    ax.legend(fontsize="x-small", ncols=2 if len(series) > 3 else 1)


def reliability_study(
    found: StudyResult,
    ax: Any,
    what: Literal["error", "bias"] = "error",
    collection: str | None = None,
    coefficient: str = "tau",
) -> Any:
    """Plot error or bias against the number of topics, one line per estimator, by default for the first collection."""
    check_option("what", what, Literal["error", "bias"])
    collection = found.collections[0] if collection is None else collection
    with canvas(ax, height=grown(2.5)) as ax:
        if what == "bias":
            ax.axhline(0, color=GREY, linewidth=0.8)
        estimators = [row["estimator"] for row in found.summary]
        series = {
            _shown(name): [found.cell(collection, size, coefficient, name)[what] for size in found.sizes]
            for name in estimators
        }
        _lines(ax, found.sizes, series, "topics", what)
        ax.set_title(f"{text(collection)}, {symbol(coefficient)}")
    return ax


def reliability_figure(found: StudyResult, what: Literal["error", "bias"]) -> Any:
    """Draw error or bias as in Urbano and Marrero (2016): one row per collection, tau left, tau_ap right."""
    height = 0.4 + 2.1 * len(found.collections)
    with import_extra("matplotlib.style").context(STYLE):
        made = import_extra("matplotlib.figure").Figure(figsize=(TEXT, height), layout="constrained")
        panels = made.subplots(len(found.collections), 2, sharex=True, sharey=True, squeeze=False)
        for row, collection in zip(panels, found.collections, strict=True):
            for ax, coefficient in zip(row, ("tau", "tau_ap"), strict=True):
                reliability_study(found, ax, what, collection, coefficient)
                ax.get_legend().remove()
                ax.label_outer()
        if what == "error":
            panels[0, 0].set_ylim(bottom=0)
        panels[0, 1].legend(fontsize="small", ncols=2)
    return made


def judge_study(found: StudyResult, ax: Any, coefficient: str | None = None) -> Any:
    """Draw a heatmap of a coefficient, with its values. Rows are judges, and columns are measures."""
    name, measures = coefficient or found.coefficients[0], found.study.measures
    if name not in found.study.coefficients:
        raise InputError(f"coefficient is {name!r}: the study has {', '.join(found.study.coefficients)}")
    values = [[found.study.cell("judge", j, m, name)["mean"] for m in measures] for j in found.judges]
    return heatmap(values, found.judges, measures, ax, label=name, decimals=3)


def judgment_study(found: StudyResult, ax: Any, change: str | None = None, statistic: str | None = None) -> Any:
    """Plot a statistic against the level of a change, one line per measure, with the middle 95% of the draws."""
    kind = found.changes[0][0] if change is None else change
    name = statistic or found.headlines[-1]
    levels = [level for of, level in found.changes if of == kind]
    if not levels:
        raise InputError(f"the study has no change {kind!r}")
    with canvas(ax, height=grown(2.5)) as ax:
        cells = {text(of): [found.cell(kind, level, of, name) for level in levels] for of in found.measures}
        _lines(ax, levels, {of: [cell["mean"] for cell in each] for of, each in cells.items()}, text(kind), name)
        for k, each in enumerate(cells.values()):
            low, high = [cell["low"] for cell in each], [cell["high"] for cell in each]
            if not any(map(math.isnan, low)):
                ax.fill_between(levels, low, high, color=SERIES[k % len(SERIES)], alpha=0.15, linewidth=0)
        if len(levels) > 6:
            ax.tick_params(axis="x", rotation=90)
    return ax


def gaming_gap(found: Findings, ax: Any = None) -> Any:
    """Plot the mean ranks that the judge and people give to a system after the judge has re-ordered its documents."""
    people, judge = map(text, found.names)
    before = (found.n_systems + 1) / 2
    series = {
        f"rank by {people}": [before, *(dose.rank_people for dose in found.doses)],
        f"rank by {judge}": [before, *(dose.rank_judge for dose in found.doses)],
    }
    with canvas(ax) as ax:
        ks = [0, *(dose.k for dose in found.doses)]
        _lines(ax, ks, series, f"documents re-ordered by {judge}", "mean rank of a system")
        ax.axhline(before, color=GREY, linestyle=":", linewidth=0.8)
        ax.axhline(found.favourite_people, color=BLUE, linestyle="--", linewidth=0.8, label=f"favourite by {people}")
        ax.legend(fontsize="x-small")
        ax.set_ylim(found.n_systems + 1, 0)
    return ax


def _shown(estimator: str) -> str:
    """Write the name of an estimator as Urbano and Marrero (2016) do, such as ML or SH(w/o)."""
    name, bracket, rest = estimator.partition("(")
    return name.upper() + bracket + rest
