"""One HTML file that shows a result: nothing is fetched, and everything from files is text."""

from .page import report_html, write_report

__all__ = ["report_html", "write_report"]
