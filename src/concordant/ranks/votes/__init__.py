"""Battles instead of scores: people, or a judge, say which of two systems answered better."""
