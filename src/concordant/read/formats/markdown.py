"""Tables in Markdown, as READMEs and model cards have them: made tables of tabs, line by line."""

from __future__ import annotations

import re
from dataclasses import replace

from ..source import Source

_ROW = re.compile(rb"\s*\|.*\|\s*")
_RULE = re.compile(rb"[\s|:-]*-[\s|:-]*")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"(\*\*|__|`|\*)(.*)\1")


def is_table(line: bytes) -> bool:
    """Whether a line is a row of a table."""
    return _ROW.fullmatch(line) is not None


def as_tabs(source: Source) -> Source:
    """The same table with tabs between its cells, without links and marks around them; each line keeps its number."""
    made, rules = [], 0
    for number, line in enumerate(source.data.split(b"\n"), 1):
        if not line.strip() or (_RULE.fullmatch(line) and is_table(line)):
            rules += bool(line.strip())
            made.append("")
            continue
        if not is_table(line) and not any(made):  # a heading, or words above the table
            made.append("")
            continue
        if not is_table(line) or rules > 1:
            raise source.error("is no row of the table above: give each table a file of its own", number)
        cells = re.split(r"(?<!\\)\|", line.decode().strip().replace("\t", " ")[1:-1])
        made.append("\t".join(_plain(cell) for cell in cells))
    return replace(source, data="\n".join(made).encode())


def _plain(cell: str) -> str:
    text = _LINK.sub(r"\1", cell.replace(r"\|", "|").replace(r"\_", "_")).strip()
    while match := _MARKS.fullmatch(text):
        text = match[2].strip()
    return text
