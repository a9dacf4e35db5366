"""Leaderboards: which ranks are real, and what more topics would change."""
