"""Rankings from battles: people, or a judge, say which of two systems answered better."""

from ... import resolver

_MODULE_OF = {"Votes": "battles", "rank_votes": "ranking", "read_votes": "battles"}
__all__ = list(_MODULE_OF)
__getattr__ = resolver(__name__, _MODULE_OF)
