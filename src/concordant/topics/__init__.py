"""What other topics would show."""
