"""The pages of the documentation as the tests read them: their code blocks, links and anchors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md")))

_NOT_RUN = re.compile(r"<!-- not run: .+ -->")


@dataclass(frozen=True)
class Block:
    """A code block: what the line above it calls it, its text, and the number of its first line of code."""

    language: str
    code: str
    line: int
    run: bool


@cache
def tokens(page: str) -> tuple[Token, ...]:
    return tuple(MarkdownIt("commonmark").enable("table").parse((ROOT / page).read_text(encoding="utf-8")))


def blocks(page: str) -> list[Block]:
    found: list[Block] = []
    above = ""
    for token in tokens(page):
        if token.type in ("fence", "code_block"):
            language = token.info.strip() if token.type == "fence" else "indented"
            line = (token.map or [0])[0] + 2
            found.append(Block(language, token.content, line, not _NOT_RUN.fullmatch(above)))
        above = token.content.strip() if token.type == "html_block" else ""
    return found


def indented(page: str) -> list[str]:
    """Paragraphs outside fences that begin with four blanks: code, or code that a list above them swallows."""
    lines = (ROOT / page).read_text(encoding="utf-8").split("\n")
    for token in tokens(page):
        if token.type == "fence" and token.map:
            lines[slice(*token.map)] = ["fence"] * (token.map[1] - token.map[0])
    return [line for above, line in zip(["", *lines], lines, strict=False) if not above and line.startswith("    ")]


def links(page: str) -> list[str]:
    """Where links and images of the page lead to."""
    inline = [child for token in tokens(page) for child in token.children or ()]
    return [str(t.attrs.get("href") or t.attrs.get("src")) for t in inline if t.type in ("link_open", "image")]


def anchors(page: str) -> set[str]:
    """The anchors of its headings, as forges and MyST make them."""
    found: set[str] = set()
    for heading, inline in zip(tokens(page), tokens(page)[1:], strict=False):
        if heading.type != "heading_open":
            continue
        text = "".join(child.content for child in inline.children or ())
        slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
        numbered = slug
        while numbered in found:
            numbered = f"{slug}-{int(numbered.removeprefix(slug).lstrip('-') or 0) + 1}"
        found.add(numbered)
    return found
