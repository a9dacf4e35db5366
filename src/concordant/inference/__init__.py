"""What the topics allow to conclude: intervals, tests and explanations."""

"""What can be said about a coefficient beyond its value: intervals, tests, and what a ranking leaves open."""
