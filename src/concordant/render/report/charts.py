"""The charts as Vega-Lite specifications, without their data. Every one has a parameter `chosen`, a list of systems.

Colours are the style sheet's variables, so that charts follow it from light to dark and to paper.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ...errors import import_extra
from .symbols import symbol, symbol_labels

Spec = dict[str, Any]

_HIT = "indexof(chosen, datum.system) >= 0"
_HIT_PAIR = "indexof(chosen, datum.better) >= 0 || indexof(chosen, datum.worse) >= 0"
_NONE = "length(chosen) == 0"
FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif'
MARK, OFF, CHOSEN = "var(--mark)", "var(--off)", "var(--chosen)"
_LONG = 27  # letters of a name on an axis; the middle goes, because names tend to differ at their ends
_NAMES = (
    f"length(datum.value) > {_LONG} ? substring(datum.value, 0, {_LONG - 11}) + '…' + "
    f"substring(datum.value, length(datum.value) - 10) : datum.value"
)
FAINT, INK, QUIET, PAPER = "var(--faint)", "var(--ink)", "var(--quiet)", "var(--paper)"


def _altair() -> Any:
    return import_extra("altair")


def _made(chart: Any, description: str, height: Any) -> Spec:
    """The specification: as wide as its place, described, with the colours of the page."""
    alt = _altair()
    chart = chart.properties(width="container", height=height, description=description)
    chart = chart.add_params(alt.param(name="chosen", value=[]))
    colours = {"labelColor": INK, "titleColor": INK, "gridColor": FAINT, "domainColor": QUIET, "tickColor": QUIET}
    letters = {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelLimit": 230,
    }
    chart = (
        chart.configure(font=FONT).configure_axis(**colours, **letters, labelFlush=False).configure_view(stroke=None)
    )
    legend = {"labelFontSize": 12, "labelLimit": 160, "orient": "top", "symbolOpacity": 1}
    chart = chart.configure_legend(labelColor=INK, titleColor=INK, **legend)
    spec: Spec = chart.to_dict()
    spec.pop("$schema", None)
    spec["background"] = "transparent"
    return spec


def _base() -> Any:
    alt = _altair()
    return alt.Chart(alt.NamedData(name="rows"))


def _opacity(rest: float, *, pair: bool = False, dimmed: float = 0.2) -> Any:
    """Full for what is chosen, faint for the rest once something is."""
    hit = _HIT_PAIR if pair else _HIT
    conditions = [{"test": _NONE, "value": rest}, {"test": hit, "value": 1}]
    return _altair().OpacityValue(dimmed, condition=conditions)


def _colour(*, pair: bool = False, off: str = "datum.outside") -> Any:
    conditions = [{"test": _HIT_PAIR if pair else _HIT, "value": CHOSEN}]
    conditions += [{"test": off, "value": OFF}] if off else []
    return _altair().ColorValue(MARK, condition=conditions)


def _tooltip(**fields: str) -> list[Any]:
    """What hovering shows: titles by field; "!" marks a text, "#" a whole number, and "p" is a p-value."""
    alt = _altair()
    kinds: dict[str, dict[str, str]] = {"!": {"type": "nominal"}, "#": {"type": "quantitative"}}
    kinds["p"] = {"type": "quantitative", "format": ".2g"}
    measured = {"type": "quantitative", "format": ".4f"}
    return [
        alt.Tooltip(field=field, title=title.lstrip("!#"), **kinds.get(title if title == "p" else title[:1], measured))
        for field, title in fields.items()
    ]


def _about_systems(truth: str, candidate: str, intervals: bool) -> list[Any]:
    ranks = {"low": "#best rank of the truth", "high": "#worst rank of the truth"} if intervals else {}
    return _tooltip(
        system="!system",
        truth=f"mean, {truth}",
        candidate=f"mean, {candidate}",
        truth_rank=f"#rank, {truth}",
        candidate_rank=f"#rank, {candidate}",
        **ranks,
    )


def step(count: int) -> int:
    """Pixels per row: names stay legible, and a long chart scrolls."""
    return 20 if count <= 30 else 14


def scatter(truth: str, candidate: str, domain: tuple[float, float], *, intervals: bool) -> Spec:
    """Means against means, with the diagonal and the names of the chosen systems."""
    alt = _altair()
    scale = alt.Scale(domain=list(domain), zero=False, nice=False)
    x = alt.X("truth:Q", title=f"mean, {_short(truth)}", scale=scale, axis=alt.Axis(grid=True, tickCount=6))
    y = alt.Y("candidate:Q", title=f"mean, {_short(candidate)}", scale=scale, axis=alt.Axis(grid=True, tickCount=6))
    ends = {"x": alt.XDatum(domain[0], scale=scale), "x2": alt.X2Datum(domain[1])}
    diagonal = (
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_rule(stroke=QUIET, strokeDash=[4, 4])
        .encode(**ends, y=alt.YDatum(domain[0], scale=scale), y2=alt.Y2Datum(domain[1]))
    )
    size = alt.SizeValue(55, condition={"test": _HIT, "value": 150})
    points = (
        _base()
        .mark_point(filled=True, cursor="pointer")
        .encode(x, y, size=size, color=_colour(), opacity=_opacity(0.75))
        .encode(tooltip=_about_systems(truth, candidate, intervals))
    )
    names = (
        _base()
        .transform_filter(_HIT)
        .mark_text(dy=-12, fill=INK, limit=220, fontWeight="bold")
        .encode(x, y, text="system:N")
    )
    about = (
        f"Scatter plot: mean of each system by {truth} against its mean by {candidate}; on the diagonal both are equal."
    )
    return _made(diagonal + points + names, about, 420)


@cache
def rank_intervals(count: int, level: float, *, candidate: bool) -> Spec:
    """The ranks that the topics leave open, the rank by the truth, and that by the candidate."""
    alt = _altair()
    crowded = count > 80
    axis = alt.Axis(title=None, labelOverlap=False, labelExpr=_NAMES)
    y = alt.Y("system:N", sort=alt.EncodingSortField("truth_place"), axis=axis)
    scale = alt.Scale(domain=[1, count], nice=False, zero=False)
    whole = alt.Axis(tickMinStep=1, format="d", orient="top" if count > 30 else "bottom")  # seen before it scrolls
    fields = {"system": "!system", "truth_rank": "#rank", "low": "#best rank", "high": "#worst rank"}
    tips = _tooltip(**fields, **({"candidate_rank": "#rank by the candidate"} if candidate else {}))
    width = alt.SizeValue(2 if crowded else 4, condition={"test": _HIT, "value": 7})
    lines = (
        _base()
        .mark_rule(cursor="pointer", strokeCap="round")
        .encode(y, alt.X("low:Q", scale=scale, title="rank, 1 is best", axis=whole), x2="high:Q", tooltip=tips)
        .encode(size=width, color=_colour(off=""), opacity=_opacity(0.55, dimmed=0.2))
    )
    dots = (
        _base()
        .mark_point(filled=True, fill=INK, size=12 if crowded else 35, cursor="pointer")
        .encode(y, alt.X("truth_rank:Q", scale=scale), tooltip=tips, opacity=_opacity(1, dimmed=0.3))
    )
    layers = [lines, dots]
    if candidate:
        layers.append(
            _base()
            .mark_point(shape="diamond", size=25 if crowded else 60, strokeWidth=1.5, fill=PAPER, cursor="pointer")
            .encode(y, alt.X("candidate_rank:Q", scale=scale), tooltip=tips)
            .encode(color=_colour(), opacity=_opacity(1, dimmed=0.3))
        )
    about = (
        f"Rank intervals: for each system a line over the ranks that the topics leave open, {100 * level:g}% confidence"
    )
    about += ", a dot at its rank by the truth" + (" and a diamond at that by the candidate." if candidate else ".")
    return _made(alt.layer(*layers), about, max(80, step(count) * count))


@cache
def forest(title: str, about: str, count: int, known: frozenset[str], *, coefficients: bool = False) -> Spec:
    """Values with their intervals as dots and lines, the truth itself as bars.

    Drawn is what some row has, the `known` fields. The rows are `coefficients`, or go by their names.
    """
    alt = _altair()
    axis = alt.Axis(title=None, labelExpr=symbol_labels() if coefficients else _NAMES)
    y = alt.Y("label:N", sort=alt.EncodingSortField("place"), axis=axis)
    scale = alt.Scale(nice=True, zero=False)
    fields = {"label": "!name", "value": "value on these topics", "low": "low"}
    tips = _tooltip(**fields, high="high", pvalue="p", **({"itself": "the truth itself"} if "itself" in known else {}))

    def at(field: str) -> Any:
        return alt.X(f"{field}:Q", title=symbol(title), scale=scale, axis=alt.Axis(tickCount=8))

    def some(field: str) -> Any:
        return _base().transform_filter(f"isValid(datum.{field})")

    layers = {
        "low": some("low").mark_rule(size=4, opacity=0.5, stroke=MARK).encode(x2="high:Q"),
        "value": some("value").mark_point(filled=True, size=55, fill=MARK, opacity=1),
        "itself": some("itself").mark_tick(thickness=3, size=16, color=OFF, opacity=1),
    }
    drawn = [layer.encode(y, at(field), tooltip=tips) for field, layer in layers.items() if field in known]
    return _made(alt.layer(*drawn), about, max(60, 24 * count))


@cache
def pairs(coefficient: str, count: int) -> Spec:
    """What the worst pairs take from the coefficient."""
    alt = _altair()
    y = alt.Y("label:N", sort=alt.EncodingSortField("place"), title=None)
    fields = {"better": "!better by the truth", "worse": "!worse by the truth", "kind": "!kind", "loss": "loss"}
    more = {"truth_difference": "difference, truth", "candidate_difference": "difference, candidate"}
    bars = (
        _base()
        .mark_bar(cursor="pointer")
        .encode(y, alt.X("loss:Q", title=f"part of 1 - {symbol(coefficient)}"), tooltip=_tooltip(**fields, **more))
        .encode(color=_colour(pair=True, off="datum.told_apart"), opacity=_opacity(0.85, pair=True, dimmed=0.2))
    )
    about = f"Bar chart: the pairs of systems that take most from {coefficient}, the worst first."
    return _made(bars, about, max(60, 20 * count))


@cache
def topics(coefficient: str, count: int) -> Spec:
    """The coefficient without each topic, minus the coefficient."""
    alt = _altair()
    y = alt.Y("topic:N", sort=alt.EncodingSortField("place"), axis=alt.Axis(title=None, labelExpr=_NAMES))
    tips = _tooltip(topic="!topic", effect="effect", without=f"{coefficient} without it")
    colour = alt.ColorValue(MARK, condition={"test": "datum.effect > 0", "value": OFF})
    x = alt.X("effect:Q", title=f"{symbol(coefficient)} without the topic, minus with it")
    bars = _base().mark_bar(opacity=0.85).encode(y, x, tooltip=tips, color=colour)
    about = f"Bar chart: how much {coefficient} would rise or fall without a topic; the largest effects."
    return _made(bars, about, max(60, 18 * count))


def levels(statistic: str, kind: str, rows: list[dict[str, Any]], order: list[str]) -> Spec:
    """A statistic by level of a change, a line or points per measure, with what the middle of the draws spans."""
    alt = _altair()
    angle = -60 if len(order) > 12 else 0
    x = alt.X("level:N", sort=order, title=kind, axis=alt.Axis(labelAngle=angle, labelOverlap=True))
    y = alt.Y("mean:Q", title=symbol(statistic), scale=alt.Scale(zero=False))
    tips = _tooltip(level="!level", measure="!measure", mean=statistic, low="low", high="high", judgments="#judgments")
    measures = list(dict.fromkeys(row["measure"] for row in rows))
    colours = alt.Scale(domain=measures, range=[f"var(--line{1 + k % 6})" for k in range(len(measures))])
    colour = alt.Color("measure:N", title=None, scale=colours)
    if all(_is_number(level) for level in order):
        chart = _base().mark_line(point={"size": 55, "filled": True}).encode(x, y, colour, tooltip=tips)
    else:  # judges, runs and teams have no order, so no line joins them
        chart = _base().mark_point(filled=True, size=80, opacity=1).encode(x, y, colour, tooltip=tips)
    if any(row["low"] is not None for row in rows):
        bars = _base().transform_filter("isValid(datum.low)").mark_rule(opacity=0.6, strokeWidth=2)
        chart += bars.encode(x, alt.Y("low:Q"), color=colour, y2="high:Q")
    about = f"Chart: {statistic} with the ranking by the full judgments, by level of the change {kind} and by measure."
    return _made(chart, about, 300)


def _is_number(level: str) -> bool:
    try:
        float(level)
    except ValueError:
        return False
    return True


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:39] + "…"
