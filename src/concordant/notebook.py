"""How results look in a notebook: what `print` shows, with the words as paragraphs and the tables as tables of text.

No colours and no fonts are set, so that it is readable in light and in dark notebooks; nothing is loaded.
"""

from __future__ import annotations

from .markup import text

_BLOCK = "background: transparent; color: inherit; overflow-x: auto; margin: 0.6em 0; line-height: 1.35"
_ROW = "text-align: right; font-variant-numeric: tabular-nums"


class Displayed:
    """A result that a notebook shows as its `__str__` has it."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return as_html(str(self))


def as_html(shown: str) -> str:
    """Blocks of text between empty lines; those with indented or aligned lines keep their columns."""
    parts = []
    for block in shown.split("\n\n"):
        lines = block.strip("\n").split("\n")
        if any(line.startswith("  ") or "  " in line for line in lines):
            parts.append(f'<pre style="{_BLOCK}">{text(chr(10).join(lines))}</pre>')
        elif any(lines):
            parts.append(f"<p>{'<br>'.join(map(text, lines))}</p>")
    return f"<div>{''.join(parts)}</div>"


def ranking_html(heading: str, groups: list[tuple[int, str, float]], more: int) -> str:
    """A heading and a table of ranks, names and means."""
    rows = "".join(
        f'<tr><td style="{_ROW}">{rank}</td><td style="text-align: left"><bdi>{text(name)}</bdi></td>'
        f'<td style="{_ROW}">{mean:.4f}</td></tr>'
        for rank, name, mean in groups
    )
    rest = f"<p>and {more} more</p>" if more else ""
    head = '<tr><th>rank</th><th style="text-align: left">system</th><th>mean</th></tr>'
    return f"<div><p>{text(heading)}</p><table><thead>{head}</thead><tbody>{rows}</tbody></table>{rest}</div>"
