"""Run the notebook of the docs again and write its outputs into it: `make figures`. The tests compare the words.

Cells are run in order by Python itself, in the folder of the collections that the package carries, so that neither
Jupyter nor IPython is needed. What a cell prints is kept, and what its last expression shows: text, HTML, or a figure.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"


def outputs_of(sources: list[str]) -> list[list[dict[str, Any]]]:
    """The outputs of each code cell, in the form of notebooks."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [_run(source, names, count) for count, source in enumerate(sources, start=1)]


def _run(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), f"cell {count}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)})
    if value is not None:
        found.append({"data": _shown(value), "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return found


def _shown(value: Any) -> dict[str, Any]:
    if not hasattr(value, "get_figure"):
        return {"text/plain": repr(value).splitlines(keepends=True)}
    from matplotlib import pyplot

    figure, drawn = value.get_figure(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=144)
    pyplot.close(figure)
    return {"image/png": base64.b64encode(drawn.getvalue()).decode(), "text/plain": ["a figure"]}


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells with code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def main() -> None:
    """Run the notebook and write it anew."""
    import matplotlib

    matplotlib.use("agg")
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = code_cells(notebook)
    for count, (cell, outputs) in enumerate(
        zip(cells, outputs_of(["".join(cell["source"]) for cell in cells]), strict=True), start=1
    ):
        cell.update(execution_count=count, outputs=outputs)
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    print("docs/notebook.ipynb")


if __name__ == "__main__":
    main()
