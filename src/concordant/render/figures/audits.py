"""What an audit of a reported number found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .style import BLUE, GREY, LIGHT, canvas, grown

if TYPE_CHECKING:
    from ...agreement.audit.search import Way
    from ...data.results import Findings


def audit(found: Findings, ax: Any = None) -> Any:
    """Each finding at its distance from the reported number, in units of the last digit, by its departures."""
    with canvas(ax, height=grown(2.1)) as ax:
        ax.axvspan(-0.5, 0.5, color=LIGHT, linewidth=0)
        for findings, colour, label in (
            (found.matches, BLUE, "reproduces it"),
            (found.nearest, GREY, "the nearest others"),
        ):
            places = [_place(way, found) for way in findings]
            levels = [way.departures for way in findings]
            ax.plot(places, levels, "o", color=colour, label=label)
        ax.set_yticks([level.departures for level in found.levels])
        ax.invert_yaxis()
        ax.set_xlabel(f"value minus {found.number}, in units of the last digit")
        ax.set_ylabel("departures")
        ax.legend()
    return ax


def _place(way: Way, found: Findings) -> float:
    """Where it is farthest from what was reported; the nearest end of a range."""
    offsets = [
        (min(max(p.value, low), high) - p.value) / p.step
        for (low, high), p in zip(way.ranges, found.given, strict=True)
    ]
    return float(max(offsets, key=abs))
