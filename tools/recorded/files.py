"""What is in the files that functions and commands write."""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np


def held(name: str) -> Any:
    """The content of a file or a folder: tables, JSON and arrays as such; of pictures, that they are there."""
    path = Path(name)
    if path.is_dir():
        return {part.name: held(str(part)) for part in sorted(path.iterdir())}
    if path.suffix == ".csv":
        return table(path.read_text(encoding="utf-8"))
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    if path.suffix == ".html":
        return page(path.read_text(encoding="utf-8"))
    if path.suffix == ".npz":
        with np.load(path) as arrays:
            return {key: arrays[key] for key in arrays.files if arrays[key].dtype.kind in "fiub"}
    return "there"


def table(text: str) -> dict[str, Any]:
    """CSV by its columns, as numbers where all of a column are."""
    head, *rows = csv.reader(io.StringIO(text))
    return {name: _column([row[k] for row in rows]) for k, name in enumerate(head)}


def _column(cells: list[str]) -> list[Any]:
    try:
        return [float(cell) if cell else None for cell in cells]
    except ValueError:
        return list(cells)


def page(html: str) -> dict[str, Any]:
    """The data that a report carries."""
    blocks = re.findall(r'<script type="application/(json|gzip)" id="(\w+)">(.*?)</script>', html, re.DOTALL)
    found = {
        key: json.loads(gzip.decompress(base64.b64decode(text)) if kind == "gzip" else text)
        for kind, key, text in blocks
        if key == "document"
    }
    return {"document": found["document"]}
