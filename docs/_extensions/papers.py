"""What the scripts of examples/papers made, written into the pages of docs/papers when they are built.

In a page, a line `<!-- made: figure-3 -->` becomes that item of the page's paper, and `<!-- made: verdict -->` how many
of its items were reproduced; in the first page both `<!-- made: all -->`, the table of all items, and the verdict are
those of all papers.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

FOLDER = Path(__file__).parents[1] / "papers"
MARK = re.compile(r"^<!-- made: ([\w-]+) -->$", re.MULTILINE)
ORDER = ("yilmaz2008", "carterette2009", "urbano2016", "gao2016", "urbano2017")


def items(paper: str) -> dict[str, dict[str, Any]]:
    """What was made of a paper, in its order."""
    return {item["key"]: item for item in json.loads((FOLDER / "made" / f"{paper}.json").read_text(encoding="utf-8"))}


def overview() -> str:
    """The table of all items."""
    lines = []
    for paper in ORDER:
        for key, item in items(paper).items():
            command = f"`python examples/papers/{paper}.py {key}`"
            named = f"[{paper}, {item['title'][0].lower()}{item['title'][1:]}]({paper}.md#{anchor(item['title'])})"
            lines.append([named, judgement(item), largest(item), command])
    return _table(["item", "reproduced", "largest difference", "command"], lines)


def verdict(papers: tuple[str, ...]) -> str:
    """How many items were reproduced, and which had to be repaired."""
    found = [(paper, item) for paper in papers for item in items(paper).values()]
    counts = []
    for kind in ("yes", "on other data", "in part", "repaired", "future work"):
        some = [(paper, item) for paper, item in found if item["reproduced"] == kind]
        if kind == "repaired":
            links = [
                f"[{'' if len(papers) == 1 else f'{paper}, '}{item['title'][0].lower()}{item['title'][1:]}]"
                f"({paper}.md#{anchor(item['title'])})"
                for paper, item in some
            ]
            counts += [f"{len(some)} repaired ({', '.join(links)})"] if some else []
        elif some:
            counts.append(f"{len(some)} {'reproduced' if kind == 'yes' else kind}")
    return f"**{len(found)} items**: {', '.join(counts)}."


def largest(item: dict[str, Any]) -> str:
    """The largest difference from a printed value."""
    printed = [row for row in item["compared"] if row["paper"] is not None]
    if not printed:
        return "none printed"
    return max((_difference(row) for row in printed), key=lambda text: abs(float(text)))


def section(item: dict[str, Any]) -> str:
    """One item: figure, values beside the printed ones, tables and notes."""
    future = item["reproduced"] == "future work"
    parts = ["**Future work** of the paper." if future else f"**Reproduced:** {judgement(item)}."]
    notes = list(item["notes"])
    if item["figure"]:
        parts.append(f"![{notes[0]}](made/{item['figure']})\n\n*{notes.pop(0)}*")
    if item["compared"]:
        rows = [
            [r["what"], r["paper"] or "", _shown(r["ours"]), _difference(r), _shown(r["error"])]
            for r in item["compared"]
        ]
        head = ["", "paper", "here", "difference", "error of the experiment"]
        width = 5 if any(r["error"] is not None for r in item["compared"]) else 4
        parts.append(_table(head[:width], [row[:width] for row in rows]))
    if item["claims"]:
        rows = [[r["says"], r["paper"], r["here"], r["holds"]] for r in item["claims"]]
        parts.append(_table(["the paper says", "paper", "here", "holds"], rows))
    for table in item["tables"]:
        if table["caption"]:
            parts.append(table["caption"])
        parts.append(_table(table["head"], [[_shown(cell) for cell in row] for row in table["rows"]]))
    parts += notes
    if item["tests"]:
        parts.append("Tests: " + ", ".join(f"`{name}`" for name in item["tests"]) + ".")
    return "\n\n".join(parts)


def anchor(title: str) -> str:
    """What a heading is linked by."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def judgement(item: dict[str, Any]) -> str:
    """Whether an item was reproduced, and how many of the paper's statements hold where not all do or need to."""
    held = [row["holds"] == "yes" for row in item["claims"]]
    if not held or item["reproduced"] in ("yes", "future work"):
        return str(item["reproduced"])
    if len(held) == 1:
        return f"{item['reproduced']}; the statement {'holds' if held[0] else 'does not hold'}"
    return f"{item['reproduced']}; {sum(held)} of {len(held)} statements hold"


def agrees(row: dict[str, Any]) -> bool:
    """Whether our value is the printed one, up to rounding and the error of the experiment."""
    off, digits = _off(row)
    return bool(abs(off) <= 0.5001 * 10**-digits + (row["error"] or 0))


def _off(row: dict[str, Any]) -> tuple[float, int]:
    """Our value minus the printed one, and how many digits are printed."""
    printed = re.sub(r"[^\d.\-/]", "", row["paper"])
    top, _, bottom = printed.partition("/")
    digits = 4 if bottom else max(len(top.partition(".")[2]), 1)
    return row["ours"] - float(top) / float(bottom or 1), digits


def _difference(row: dict[str, Any]) -> str:
    if row["paper"] is None:
        return ""
    off, digits = _off(row)
    return f"{off:+.{digits}f}" if abs(off) > 0.5001 * 10**-digits else "0"  # as printed


def _shown(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.1e}" if 0 < abs(cell) < 5e-5 else f"{cell:.4f}" if abs(cell) < 100 else f"{cell:.1f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def _table(head: list[str], rows: list[list[str]]) -> str:
    right = [
        bool(rows) and all(re.fullmatch(r"[-+]?[\d.,e-]*", row[k]) for row in rows) and any(row[k] for row in rows)
        for k in range(len(head))
    ]
    line = ["---:" if is_number else "---" for is_number in right]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, line, *rows))


def fill_in(app: Sphinx, page: str, source: list[str]) -> None:
    """Replace the marks of a page."""
    if not page.startswith("papers/"):
        return
    paper = page.removeprefix("papers/")
    found = items(paper) if paper in ORDER else {}

    def made(mark: re.Match[str]) -> str:
        if mark[1] == "verdict":
            return verdict((paper,) if found else ORDER)
        return overview() if mark[1] == "all" else section(found[mark[1]])

    source[0] = MARK.sub(made, source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Fill in the pages as they are read."""
    app.connect("source-read", fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
