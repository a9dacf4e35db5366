"""Figures as people use them: any names, any axes, files, commands, the documentation and the example."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot

import concordant as cc
from concordant.data.collection import path as collection
from concordant.data.results import Result
from concordant.render import figures as plots
from concordant.render.figures.labels import LEAST, name_places, shortened, text

from ...commands import CAREFUL, HASTY, PEOPLE, bad, good
from .catalogue import judgment_study, judgment_study_of, reliability_study

mpl.use("Agg")
ROOT = Path(__file__).parents[3]
ODD = [
    "<script>alert(1)</script>",
    'quote "x"',
    "\U0001f600\U0001faf6 emoji",
    "\u05e9\u05dc\u05d5\u05dd",
    "x" * 200,
    "a$b$c_{",
    "tab\there\n",
    "\u65e5\u672c",
]


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    pyplot.close("all")


def odd(names: list[str], seed: int = 1) -> cc.Scores:
    topics = [str(k) for k in range(9)]
    return cc.Scores(np.random.default_rng(seed).random((9, len(names))), systems=names, topics=topics)


def test_every_figure_of_a_result_is_there() -> None:
    for module in pkgutil.walk_packages(cc.__path__, "concordant."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    results = [cls for cls in subclasses(Result) if not cls.__subclasses__()]  # type: ignore[type-abstract]
    assert len(results) >= 11
    text = "".join(file.read_text(encoding="utf-8") for file in Path(cc.__file__).parent.rglob("*.py"))
    figures = [cls._figure for cls in results if cls._figure] + re.findall(r' figure="(\w+\.\w+)"', text)
    for place, function in (figure.split(".") for figure in figures):
        assert callable(getattr(importlib.import_module(f"concordant.render.figures.{place}"), function))


def subclasses(of: type[Result]) -> Iterator[type[Result]]:
    for cls in of.__subclasses__():
        yield cls
        yield from subclasses(cls)


@pytest.mark.long
def test_odd_names(tmp_path: Path) -> None:
    truth, candidate = odd(ODD), odd(ODD, 2)
    found = cc.compare(truth, candidate, names=("\U0001f600$", "\u05e9\u05dc\u05d5\u05dd"), rank_test=None)
    explained = cc.explain(truth, candidate)
    drawn: list[Callable[[], Any]] = [
        found.plot, lambda: found.plot("ranks"), lambda: found.plot("forest"),
        lambda: plots.comparisons([found]), cc.rank_intervals(truth, n_resamples=99, rng=1).plot,
        lambda: explained.plot("pairs"),
    ]  # fmt: skip
    for k, draw in enumerate(drawn):
        ax = draw()
        for ending in ("pdf", "svg", "png"):
            plots.save(ax, tmp_path / f"{k}.{ending}")  # a missing glyph would be a warning, which is an error here


def test_names() -> None:
    assert text("a$b") == r"a\$b"
    assert text("\u65e5") == "\u25a1"
    assert text("one\ntwo\x07") == "one two"
    assert len(shortened("x" * 200, 24)) == 24
    assert shortened("bm25-with-expansion-run-17", 16).endswith("un-17")
    assert shortened("short") == "short"


def test_names_that_do_not_fit_are_left_out_and_said() -> None:
    many = [f"s{k}" for k in range(150)]
    _, ax = pyplot.subplots(figsize=(3.3, 3))
    name_places(ax, many)
    labels = [t.get_text() for t in ax.get_yticklabels()]
    assert labels == many[::5]
    assert ax.get_ylabel() == "every 5th of 150 named"
    assert ax.get_yticklabels()[0].get_fontsize() == LEAST
    _, ax = pyplot.subplots(figsize=(3.3, 16))
    name_places(ax, many)
    assert [t.get_text() for t in ax.get_yticklabels()] == many


def test_ranks_of_many_systems_are_the_first_and_the_last() -> None:
    rng = np.random.default_rng(1)
    means = np.where(np.arange(110) < 20, 2.0, 0.0) - np.arange(110) / 1000
    made = cc.Scores(rng.normal(means, 0.3, (50, 110)), range(50), [f"s{k}" for k in range(110)])
    found = cc.rank_intervals(made, n_resamples=99, rng=1)
    assert found.borders == (20,)
    ax = found.plot()
    labels = [t.get_text() for t in ax.get_yticklabels()]
    named = [label for label in labels if not label.startswith("(")]
    ranked = list(found.systems)
    assert named == [*ranked[:30], *ranked[100:]]
    assert labels[30] == "(70 not shown)"
    height = ax.figure.get_size_inches()[1]
    assert height < 9
    border = labels.index(ranked[20]) - 0.5
    assert [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"] == [border]
    dots = next(line for line in ax.lines if line.get_marker() == "o")
    assert dots.get_xdata().tolist() == [found.observed[ranked.index(name)] for name in named]
    assert [labels[int(y)] for y in dots.get_ydata()] == named


def test_kinds_and_axes() -> None:
    found = cc.compare(cc.load_collection("people"), cc.load_collection("hasty"), rank_test=None)
    own, axes = pyplot.subplots(1, 2)
    assert found.plot("ranks", axes[0]) is axes[0]
    assert found.plot().figure is not own
    with pytest.raises(cc.errors.InputError, match="kind is 'bump': use 'scatter'"):
        found.plot("bump")
    with pytest.raises(cc.errors.InputError, match="top is 0"):
        found.plot(top=0)
    with pytest.raises(cc.errors.InputError, match="width is -1"), plots.style(width=-1):
        pass
    with pytest.raises(cc.errors.InputError, match="shape"):
        plots.heatmap([[1.0]], ["a", "b"], ["c"])


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(cc.errors.InputError, match="there is no comparison to show"):
        plots.comparisons([])
    with pytest.raises(cc.errors.InputError, match="the study has no change 'pool'"):
        judgment_study().plot(change="pool")
    with pytest.raises(cc.errors.InputError, match="what is 'spread': use 'error' or 'bias'"):
        reliability_study().plot(what="spread")


def test_many_levels_stand_upright() -> None:
    study = judgment_study()
    levels = [k / 10 for k in range(1, 9)]
    many = judgment_study_of([(level, 0) for level in levels], np.repeat(study.values[:1], 8, axis=0))
    ax = many.plot()
    assert [label.get_text() for label in ax.get_xticklabels()] == [f"{level:g}" for level in levels]
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {90}
    assert {label.get_rotation() for label in study.plot().get_xticklabels()} == {0}


def test_scatter_shows_the_numbers() -> None:
    found = cc.compare(cc.load_collection("people"), cc.load_collection("hasty"), rank_test=None)
    ax = found.plot(top=5)
    series = {line.get_label(): line for line in ax.lines}
    best = series[f"5 best by {found.truth}"]
    assert sorted(best.get_xdata(), reverse=True) == sorted(found.truth_means, reverse=True)[:5]
    assert len(best.get_xdata()) + len(series["others"].get_xdata()) == 20
    height = series[f"tied by {found.candidate}"].get_ydata()[0]
    assert (found.candidate_means == height).sum() > 1


def test_no_figure_has_more_systems_than_can_be_read_and_no_two_names_alike() -> None:
    many = [f"a-rather-long-name-of-a-run-{k}-of-team" for k in range(120)]
    truth, candidate = odd(many), odd(many, 2)
    found = cc.compare(truth, candidate, rank_test=None)
    ax = found.plot("ranks")
    names = [t.get_text() for t in ax.texts]
    assert len(names) == 2 * 40
    assert len(set(names)) == len(names)
    assert ax.get_legend().get_title().get_text().startswith("40 of 120 systems")
    ranks = 1 + (found.truth_means[None] > found.truth_means[:, None]).sum(axis=1)
    shown = sorted(int(name.split()[-1]) for name in names[:40])
    assert shown[:10] == list(range(1, 11))
    assert shown[-10:] == list(range(111, 121))
    moved = np.abs(ranks - (1 + (found.candidate_means[None] > found.candidate_means[:, None]).sum(axis=1)))
    middle = [m for rank, m in zip(ranks, moved, strict=True) if 10 < rank <= 110]
    of_shown = [m for rank, m in zip(ranks, moved, strict=True) if rank in shown and 10 < rank <= 110]
    assert sorted(of_shown) == sorted(middle)[-20:]
    heat = plots.heatmap(np.zeros((120, 2)), many, ["x", "y"])
    assert max(ax.figure.get_figheight(), heat.figure.get_figheight()) <= 9
    labels = [t.get_text() for t in heat.get_yticklabels()]
    assert len(set(labels)) == len(labels)


def test_an_explanation_shows_the_fewest_parts_that_make_up_half() -> None:
    people, hasty = cc.load_collection("people"), cc.load_collection("hasty")
    found = cc.explain(people, hasty, coefficient="tau_b")
    systems, topics = found.plot(most=20)
    losses = [part.loss for part in found.systems]
    widths = [bar.get_width() for bar in systems.patches]
    assert widths == losses[: len(widths)]
    assert sum(widths[:-1]) < found.loss / 2 <= sum(widths)
    effects = sorted((abs(t.effect) for t in found.topics), reverse=True)
    drawn = sorted((abs(bar.get_width()) for bar in topics.patches), reverse=True)
    assert drawn == effects[: len(drawn)]
    assert sum(drawn[:-1]) < sum(effects) / 2 <= sum(drawn)
    pairs = found.plot("pairs")  # all swaps cost the same in tau_b
    wide = sorted((p.truth_difference for p in found.pairs if p.kind == "swapped"), reverse=True)
    assert [bar.get_width() for bar in pairs.patches] == wide[: len(pairs.patches)]
    assert pairs.get_xlabel() == "difference of means by people"


def test_files(tmp_path: Path) -> None:
    ax = cc.judge_worth(cc.load_collection("people"), cc.load_collection("hasty")).plot()
    for name in ("a.svg", "b.svg"):
        plots.save(ax, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "95% interval" in (tmp_path / "a.svg").read_text()  # text, not outlines
    plots.save(ax, tmp_path / "a.pdf")
    assert b"/Type /Font" in (tmp_path / "a.pdf").read_bytes()
    assert b"/Subtype /Image" not in (tmp_path / "a.pdf").read_bytes()
    with pytest.raises(cc.errors.InputError, match=r"ends in \.docx: a figure is written to \.pdf, \.svg or \.png"):
        plots.save(ax, tmp_path / "a.docx")
    assert {file.name for file in tmp_path.iterdir()} == {"a.svg", "b.svg", "a.pdf"}


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "people", "hasty", "--plot-kind", "ranks"],
        ["compare", "people", "careful", "hasty"],
        ["compare", "--matrix", "people", "careful", "hasty"],
        ["board", "people", "--resamples", "99"],
        ["explain", "people", "hasty", "--by", "topics"],
        ["plan", "people", "--resamples", "50"],
    ],
)
def test_commands(arguments: list[str], tmp_path: Path) -> None:
    files = [str(collection(a)) if a in ("people", "careful", "hasty") else a for a in arguments]
    target = tmp_path / "figure.svg"
    assert good(*files, "--plot", target).endswith(f"\nFigure: {target}\n")
    assert "<text" in target.read_text()
    assert not pyplot.get_fignums()


@pytest.mark.long
def test_commands_refuse_before_they_compute(tmp_path: Path) -> None:
    for arguments, message in (
        (["--plot", "a.doc"], "ends in .doc"),
        (["--plot", tmp_path / "no" / "a.pdf"], "there is no folder"),
        (["--plot-kind", "ranks"], "name its file with --plot"),
        ([CAREFUL, "--plot", "a.pdf", "--plot-kind", "forest"], "shows one candidate"),
    ):
        assert message in bad("compare", PEOPLE, HASTY, *arguments, status=2)


@pytest.mark.long
def test_the_example_runs(tmp_path: Path) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.close("all")  # what other tests left open
    spec = importlib.util.spec_from_file_location("figures", ROOT / "examples" / "figures.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    written = example.main(tmp_path, "png", resamples=500)
    assert len(written) == 14
    assert all(file.stat().st_size > 3_000 for file in written)
