"""Scores and means, with their labels, groups of topics, rules for totals, and policies for missing scores."""
