"""The reference from docstrings.

The directive `names` documents public names. Wherever a page or a docstring has a public name as code, it becomes a
link to that place, and so does a page that a docstring names.
"""

from __future__ import annotations

import re
from pkgutil import resolve_name
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import NumpyDocstring
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

import concordant as cc

if TYPE_CHECKING:
    from sphinx.application import Sphinx

MODULES = [name for name in cc.__all__ if isinstance(getattr(cc, name), ModuleType)]
PUBLIC = {
    *cc.__all__,
    *(f"{module}.{name}" for module in MODULES for name in getattr(getattr(cc, module), "__all__", ())),
}
PUBLIC -= {
    *MODULES,
    *(f"{module}.{name}" for module in MODULES for name in cc.__all__),
}  # those at the top have one place
PLACES = {name.rpartition(".")[2]: name for name in sorted(PUBLIC, key=lambda name: (-name.count("."), name))}
AS_CODE = re.compile(rf"(?:cc\.|concordant\.)?((?:(?:{'|'.join(MODULES)})\.)?\w+)(?:\(\))?")
SECTIONS: Any = Config(napoleon_use_param=False, napoleon_use_rtype=False)


class Names(SphinxDirective):
    """`names`: a list of public names. First a line for each, then all of them from their docstrings."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        names = " ".join(self.content).split()
        lines = ["```{eval-rst}", ".. autosummary::", ""]
        lines += [f"   ~concordant.{name}" for name in names]
        for name in names:
            lines += ["", *_documented(name)]
        return self.parse_text_to_nodes("\n".join([*lines, "```"]))


def _documented(name: str) -> list[str]:
    value = resolve_name(f"concordant.{name}")
    if not isinstance(value, type):
        return [f".. {'autofunction' if callable(value) else 'autodata'}:: concordant.{name}"]
    if issubclass(value, BaseException):
        return [f".. autoexception:: concordant.{name}"]
    return [f".. autoclass:: concordant.{name}", "   :members:"]


class LinkNames(SphinxTransform):
    """Code that is a public name, and no more, becomes a link to its reference."""

    default_priority = 700
    ignored: ClassVar = (nodes.title, nodes.reference, pending_xref)

    def apply(self, **_: Any) -> None:
        for text in [text for text in self.document.findall(nodes.Text) if text == " -- "]:
            text.parent.replace(text, nodes.Text(": "))  # between an exception and what it is raised for
        for node in list(self.document.findall(nodes.literal)):
            match = AS_CODE.fullmatch(node.astext())
            if match is None or match[1] not in PUBLIC or _within(node, self.ignored):
                continue
            link = pending_xref(
                "", refdomain="py", reftype="obj", reftarget=f"concordant.{match[1]}", refdoc=self.env.docname
            )
            node.replace_self(link)
            link += node


def _within(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


def sections(app: Sphinx, what: Any, name: str, of: Any, options: Any, lines: list[str]) -> None:
    """Parameters, Returns and so on. The docstring of an attribute has none: napoleon would read "a: b" as a type."""
    lines[:] = [_as_meant(line) for line in lines]
    if what not in ("attribute", "property", "data"):
        made = NumpyDocstring(lines, SECTIONS, app, what, name, of, options).lines()
        lines[:] = [_linked(line.replace(" -- ", ": ", 1)) for line in made]


def _linked(line: str) -> str:
    """Names under See Also, by the module that has them."""
    return re.sub(
        r":obj:`(\w+)`", lambda of: f":obj:`~concordant.{PLACES[of[1]]}`" if of[1] in PLACES else f"`{of[1]}`", line
    )


def _as_meant(line: str) -> str:
    """Pages that are named become links; "M. G. Kendall" begins no list."""
    line = re.sub(r"\bdocs/([\w/-]+)\.md\b", r":doc:`/\1`", line)
    return re.sub(r"^(\s*)([A-Z]\. )", r"\1\\\2", line)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register all of it."""
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.autosummary")
    app.connect("autodoc-process-docstring", sections)
    app.add_directive("names", Names)
    app.add_transform(LinkNames)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
