"""What `record_numbers.py` records: `cases` finds functions and data, `functions` and `commands` call them."""
