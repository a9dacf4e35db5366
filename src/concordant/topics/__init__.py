"""What other topics would show: intervals over topics, judge against judge, and which topics make rankings differ."""
