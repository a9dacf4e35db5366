"""What an audit of a reported number found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .style import BLUE, GREY, LIGHT, canvas, grown

if TYPE_CHECKING:
    from ...agreement.audit.search import AuditResult
    from ...agreement.audit.ways import Finding


def audit(found: AuditResult, ax: Any = None) -> Any:
    """Each finding at its distance from the reported number, in units of the last digit, by its departures."""
    with canvas(ax, height=grown(2.1)) as ax:
        ax.axvspan(-0.5, 0.5, color=LIGHT, linewidth=0)
        for findings, colour, label in (
            (found.matches, BLUE, "reproduces it"),
            (found.nearest, GREY, "the nearest others"),
        ):
            places = [_place(finding, found) for finding in findings]
            levels = [finding.plainest.departures for finding in findings]
            ax.plot(places, levels, "o", color=colour, label=label)
        ax.set_yticks([level.departures for level in found.levels])
        ax.invert_yaxis()
        ax.set_xlabel(f"value minus {found.number}, in units of the last digit")
        ax.set_ylabel("departures")
        ax.legend()
    return ax


def _place(finding: Finding, found: AuditResult) -> float:
    """Where it is farthest from what was reported; the nearest end of a range."""
    offsets = [
        (min(max(p.value, low), high) - p.value) / p.step
        for (low, high), p in zip(finding.plainest.ranges, found.reported, strict=True)
    ]
    return max(offsets, key=abs)
