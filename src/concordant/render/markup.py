"""Escape text for HTML. All text from files is escaped here, and only here."""

from __future__ import annotations

import html
from typing import Any

from ..errors import printable


def visible(value: Any) -> str:
    """Show control characters as escapes, since a page cannot hold all of them."""
    return printable(str(value))


def text(value: Any) -> str:
    """Escape text, or the value of an attribute, so that it is never read as markup."""
    return html.escape(visible(value), quote=True)
