"""The documentation site: `make docs` builds it, without a network, to build/docs. Every warning is an error."""

from __future__ import annotations

import sys
from pathlib import Path

import concordant

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "concordant"
version = release = concordant.__version__
copyright = "the authors of concordant, MIT licence"

extensions = [
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "mathml",
    "generated",
    "papers",
    "notebooks",
    "docstrings",
]
exclude_patterns = ["_extensions"]
nitpicky = True

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4

# What is copied is what one types: no prompts, no answers.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

# Docstrings have `code` in single backquotes; names in it are linked by the extension `docstrings`.
# docs
default_role = "literal"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = False

smartquotes = False  # "--option" keeps its dashes

html_theme = "furo"
html_title = f"concordant {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
