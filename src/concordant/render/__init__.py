"""Draw figures of results, and write reports as single HTML files."""
