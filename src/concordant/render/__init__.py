"""What a result looks like: figures, and one HTML file that shows it."""
