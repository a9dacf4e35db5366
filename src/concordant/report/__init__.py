"""One HTML file that shows a result, made from its JSON: nothing is fetched, and everything from files is text.

`report_document` adds to a comparison what the report shows beside it, `write_report` makes the file.
"""

from .document import report_document
from .page import report_html, write_report

__all__ = ["report_document", "report_html", "write_report"]
