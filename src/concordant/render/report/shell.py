"""What every page is made of: its style and script from files, and what it is allowed to do."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from ...render.outputs import REPORT_START


def head(title: str, style: str, scripts: Sequence[str]) -> str:
    """The start of a page up to its body; `title` is escaped already."""
    return "\n".join(
        [
            REPORT_START,
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(scripts)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">',
            f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>",
        ]
    )


def _policy(scripts: Sequence[str]) -> str:
    """Nothing is fetched, and no script runs but those that are named by their hash."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    nothing = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:"
    return f"{nothing}; style-src 'unsafe-inline'; script-src {hashes}"


@cache
def asset(file: str) -> str:
    """The text of a file beside this module."""
    return files(__package__).joinpath(file).read_text(encoding="utf-8")
