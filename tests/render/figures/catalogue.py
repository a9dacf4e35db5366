"""Every figure once, of results made by hand: what is drawn must not change with how it is estimated.

`python -m tests.render.figures.catalogue` draws the baseline anew, and lists its text. Look at them first.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib import pyplot
from matplotlib.image import imread
from matplotlib.legend import Legend
from matplotlib.text import Text

import concordant as cc
from concordant.agreement.comparison_result import Comparison
from concordant.data.results import Estimate, Findings, Interval
from concordant.judges.worth import JudgeRanking, JudgeWorth
from concordant.ranks.intervals import RankIntervals
from concordant.render import figures as plots
from concordant.render.figures.matrices import matrix
from concordant.render.figures.style import figure_of
from concordant.study import judgments, reliability

BASELINE = Path(__file__).parent / "baseline"
TEXTS = Path(__file__).parent / "texts.json"
DPI = 80
WIDTH = 3.3
SYSTEMS = tuple(f"system-{k}" for k in range(1, 13))
M = len(SYSTEMS)

Figures = dict[str, Callable[[], Any]]


def comparison(candidate: str = "hasty", top: int | None = None) -> Comparison:
    """With ties, and intervals that no bootstrap made."""
    sides = (cc.load_collection("people"), cc.load_collection(candidate))
    found = cc.compare(*sides, rank_test=None, top=top, names=("people", candidate))
    values = []
    for v in found.values:
        if v.coefficient in ("tau_b", "tau_ap_b", "pearson_rank"):
            interval = Interval(v.value - 0.1, v.value + 0.06, 0.95, "by hand")
            estimate = Estimate(v.coefficient, v.value, "candidate", interval, bias_corrected=v.value - 0.02)
            values.append(replace(v, estimate=estimate))
        else:
            values.append(v)
    made: Comparison = replace(found, comparisons=(replace(found.comparisons[0], values=tuple(values)),))
    return made


def gamma(size: int, shape: float, scale: float) -> npt.NDArray[np.float64]:
    """The quantiles of a gamma distribution: a sample without chance."""
    from scipy import stats

    return np.asarray(stats.gamma.ppf((np.arange(size) + 0.5) / size, shape, scale=scale))


def rank_test() -> Findings:
    numbers = {"distance": 7.1, "pvalue": 0.012, "standard_error": 0.004, "critical_value": 5.8, "alpha": 0.05}
    return Findings(
        kind="RankTest", answer="", numbers=numbers, beside={"distances": gamma(2_000, 9, 0.4)},
        figure="distributions.rank_test",
    )  # fmt: skip


def rank_intervals() -> RankIntervals:
    places = np.arange(M)
    pvalues = np.where(np.abs(places[:, None] - places[None]) > 3, 0.001, 0.5)
    low, high = np.maximum(places - 2, 1), np.minimum(places + 4, M)
    return RankIntervals(
        SYSTEMS, np.linspace(0.6, 0.27, M), places + 1, low, high, pvalues, 0.95, True, "mean"
    )  # fmt: skip


def plan() -> Findings:
    topics = np.array([5, 10, 20, 50, 100, 200])
    expected = 1 - 0.8 / np.sqrt(topics)
    numbers = {
        "n_topics": 64, "interval": Interval(35, 140, 0.95, "posterior"), "coefficient": "tau", "target": 0.9,
        "most": 10_000, "observed_topics": 50,
    }  # fmt: skip
    curve = {"topics": tuple(topics.tolist()), "expected": expected}
    curve |= {"low": expected - 0.3 / np.sqrt(topics), "high": expected + 0.2 / np.sqrt(topics)}
    return Findings(kind="TopicPlan", answer="64 topics", numbers=numbers, beside=curve, figure="curves.plan")


def reliability_study() -> cc.study.StudyResult:
    sizes = (10, 30, 50, 100)
    values = np.full((2, len(sizes), 2, 2, 7), 0.8)
    for k in range(6):
        for s, size in enumerate(sizes):
            values[:, s, :, :, 1 + k] += (k - 1.7) / size + np.array([-0.02, 0.02])[None, :, None]
    made: Any = SimpleNamespace(models=("adhoc7", "adhoc8"), sizes=sizes, repeats=2)
    return reliability.study_of(made, values, settings={"trials": 2, "seed": 1})


def judgment_study() -> cc.study.StudyResult:
    values = np.zeros((12, 3, 4 + M))
    for trial, change in enumerate(np.repeat(np.arange(3), 4)):
        for measure in range(2):
            values[trial, measure, :2] = 0.6 + 0.12 * change + 0.05 * measure + 0.02 * (trial % 4)
            values[trial, measure, 4:] = np.linspace(0.6, 0.2, M) + 0.02 * np.sin(np.arange(M))
    return judgment_study_of([(level, draw) for level in (0.1, 0.3, 0.5) for draw in range(4)], values)


def judgment_study_of(cells: list[tuple[float, int]], values: npt.NDArray[np.float64]) -> cc.study.StudyResult:
    """A study of samples at these levels, by two measures and coefficients."""
    full = cc.Scores(np.tile(np.linspace(0.6, 0.2, M), (2, 1)), ("1", "2"), SYSTEMS)
    changes = {level: cc.judgments.Change("sample", level) for level, _ in cells}
    made: Any = SimpleNamespace(
        cells=[(changes[level], draw) for level, draw in cells], measures=("AP", "nDCG@10"),
        coefficients=("tau_b", "tau_ap_b"), full=(full, full),
    )  # fmt: skip
    return judgments.study_of(made, values, settings={"seed": 1})


def worth(name: str = "careful", worth: float = 12.0) -> JudgeWorth:
    """Of 25 topics, with an interval that no jackknife made."""
    spread = Interval(0.6 * worth, 1.7 * worth, 0.95, "by hand")
    settings = {"n_systems": M, "n_topics": 40, "new_systems": True}
    return JudgeWorth("tau_b", ("people", name), 25, worth, spread, "cannot tell", "", 0.6, settings=settings)


def worths() -> JudgeRanking:
    """One better than the truth, one worse, one worth nothing."""
    return JudgeRanking((worth("steady", 30.0), worth("careful"), worth("coin", 0.0)), ("steady", "careful"))


def figures() -> Figures:
    """Each kind of figure by its name."""
    hasty, careful = comparison(), comparison("careful")
    explained = cc.explain(cc.load_collection("people"), cc.load_collection("hasty"), coefficient="tau_ap_b")
    return {
        "scatter": lambda: hasty.plot("scatter"),
        "ranks": lambda: comparison(top=14).plot("ranks", top=4),
        "forest": lambda: hasty.plot("forest"),
        "heatmap": lambda: plots.comparisons([careful, hasty], coefficients=["tau_b", "tau_ap_b", "rbo", "tau"]),
        "matrix": lambda: matrix([[1, 0.7, 0.9], [0.7, 1, 0.6], [0.9, 0.6, 1]], ["a", "b", "c"], "tau_b"),
        "rank_intervals": lambda: rank_intervals().plot(),
        "rank_test": lambda: rank_test().plot(),
        "plan": lambda: plan().plot(),
        "error": lambda: reliability_study().plot(what="error"),
        "bias": lambda: reliability_study().plot(what="bias", coefficient="tau_ap"),
        "judgments": lambda: judgment_study().plot(),
        "pairs": lambda: explained.plot("pairs"),
        "systems": lambda: explained.plot("systems"),
        "topics": lambda: explained.plot("topics", most=12),
        "estimate": lambda: Estimate("tau", 0.8, "msqd", Interval(0.7, 0.86, 0.95, "by hand")).plot(),
        "worth": lambda: worth().plot(),
        "worths": lambda: worths().plot(),
    }


def texts(drawn: Any) -> list[str]:
    """All that can be read in a figure."""
    figure = figure_of(drawn)
    figure.canvas.draw()
    hidden = set(_beyond_the_axes(figure))
    return sorted(t.get_text() for t in figure.findobj(Text) if t.get_visible() and t.get_text() and t not in hidden)


def _beyond_the_axes(figure: Any) -> Iterator[Text]:
    """Labels of ticks that are not drawn; how many there are differs between versions of matplotlib."""
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low <= tick.get_loc() <= high:
                    yield from (tick.label1, tick.label2)


def pixels(drawn: Any) -> npt.NDArray[np.float64]:
    """What a figure looks like, from 0 to 1: height x width x colours.

    Without text, and with each panel in a fixed place: fonts, and so the layout, differ between versions of matplotlib.
    """
    file = io.BytesIO()
    _write(drawn, file)
    file.seek(0)
    return np.asarray(imread(file)[..., :3], dtype=float)


def _write(drawn: Any, file: Any) -> None:
    figure = figure_of(drawn)
    figure.set_layout_engine("none")
    bars = [ax for ax in figure.axes if ax.get_label() == "<colorbar>"]
    panels = [ax for ax in figure.axes if ax not in bars]
    for ax in bars:
        ax.set_position((0.92, 0.1, 0.04, 0.8))
    for k, ax in enumerate(panels):
        ax.set_position((0.05 + 0.85 * k / len(panels), 0.1, 0.8 / len(panels), 0.85))
    for hidden in (*figure.findobj(Text), *figure.findobj(Legend)):
        hidden.set_visible(False)
    figure.savefig(file, format="png", dpi=DPI, metadata={"Software": None})


if __name__ == "__main__":
    mpl.use("Agg")
    BASELINE.mkdir(exist_ok=True)
    seen = {}
    for name, draw in figures().items():
        seen[name] = texts(draw())
        _write(draw(), BASELINE / f"{name}.png")
        pyplot.close("all")
    TEXTS.write_text(json.dumps(seen, indent=1, ensure_ascii=False) + "\n")
