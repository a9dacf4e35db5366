"""Judgments of relevance: runs scored under them, and changes to them."""
