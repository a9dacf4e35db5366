"""What the topics allow to conclude: intervals, tests and explanations."""
