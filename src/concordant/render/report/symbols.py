"""Coefficients on charts as papers write them. A subscript stands between two word joiners, which page.js sets low."""

from __future__ import annotations

import json

from ..figures.labels import SYMBOLS

JOINER = "\u2060"  # takes no room, so that whoever does not set the subscript low still reads it
_LETTERS = {r"\tau": "τ", r"\rho": "ρ"}


def symbol(coefficient: str) -> str:
    """A coefficient with its subscript; by its name where it has no symbol."""
    if coefficient not in SYMBOLS:
        return coefficient
    letter, _, low = SYMBOLS[coefficient].partition("_")
    return _LETTERS[letter] + (f"{JOINER}{low.strip('{}')}{JOINER}" if low else "")


def symbol_labels() -> str:
    """An expression of Vega for the labels of an axis that has coefficients, and nothing else, on it."""
    return f"{json.dumps({name: symbol(name) for name in SYMBOLS})}[datum.value] || datum.value"
