"""Text that goes into HTML. Whatever comes from a file is escaped here, and only here."""

from __future__ import annotations

import html
import re
from typing import Any

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_DIRECTION = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(value: Any) -> str:
    """Text whose control characters can be seen, as escapes; a page cannot hold all of them."""
    return _CONTROL.sub(_escape, str(value))


def text(value: Any) -> str:
    """Text, and never markup. What would turn the direction of the words after it becomes visible."""
    return attribute(_DIRECTION.sub(_escape, str(value)))


def attribute(value: Any) -> str:
    """The value of an attribute, or text that stands in a direction of its own."""
    return html.escape(visible(value), quote=True)


def _escape(match: re.Match[str]) -> str:
    return f"\\x{ord(match[0]):02x}"
