"""Data that describe themselves: scores and means with labels, groups, totals, and what to do about missing scores."""
