"""What can be said about a coefficient or a ranking beyond its value: tests, intervals, ranks and causes."""
