"""Text that goes into HTML. Whatever comes from a file is escaped here, and only here."""

from __future__ import annotations

import html
from typing import Any

from ..words import printable


def visible(value: Any) -> str:
    """Text whose control characters can be seen, as escapes; a page cannot hold all of them."""
    return printable(str(value))


def text(value: Any) -> str:
    """Text or the value of an attribute, and never markup."""
    return html.escape(visible(value), quote=True)
