"""Scores and means with their labels, groups, rules for totals, and policies for missing scores."""
