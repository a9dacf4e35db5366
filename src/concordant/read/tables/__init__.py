"""From tables of cells to `Scores`, whether they come from files, frames or dictionaries.

`cells` are named columns, `layout` decides what they mean, `contents` gives the scores of each measure, `pivot` makes
matrices of them, and `assemble` joins these.
"""
