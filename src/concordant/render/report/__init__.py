"""Write a report: one HTML file that shows a result, fetches nothing, and escapes all text from input files."""
