"""What can be said about a coefficient beyond its value: intervals, tests, and what a ranking leaves open."""
