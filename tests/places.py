"""Where the real collections are: where CONCORDANT_DATA points, or else in the project, or beside it."""

from __future__ import annotations

import os
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def places() -> list[Path]:
    """Folders to look in, in this order."""
    named = os.environ.get("CONCORDANT_DATA")
    return [Path(named)] if named else [PROJECT / "data", PROJECT.parent / "shared" / "data"]
