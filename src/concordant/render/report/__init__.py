"""One HTML file that shows a result: nothing is fetched, and everything from files is text."""
