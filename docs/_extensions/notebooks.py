"""Notebooks as pages: their cells in order, with the outputs that they hold. Nothing is run when the site is built."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from myst_parser.parsers.sphinx_ import MystParser

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx


class NotebookParser(MystParser):
    """Writes a notebook as Markdown, and parses that."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        name = f"{document.settings.env.docname.rpartition('/')[2]}.ipynb"
        super().parse(as_markdown(json.loads(inputstring), name), document)


def as_markdown(notebook: dict[str, Any], name: str) -> str:
    """The cells, and below the first one a link to the file itself."""
    parts: list[str] = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            if len(parts) == 1:
                parts.append(f"{{download}}`Download this page as a notebook <{name}>`")
        else:
            parts.append(f"```python\n{source}\n```")
            parts += map(_output, cell["outputs"])
    return "\n\n".join(parts)


def _output(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text'])}```"
    data = output["data"]
    if "image/png" in data:
        return (
            f'<p><img alt="The figure that the code above draws" src="data:image/png;base64,{data["image/png"]}"></p>'
        )
    return f"```text\n{''.join(data['text/plain'])}\n```"


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True}
