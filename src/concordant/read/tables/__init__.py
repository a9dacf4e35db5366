"""Turn tables of cells into `Scores`, whether they come from files, frames or dictionaries.

`Cells` are named columns, `layout` decides what they mean, `contents` has the scores of each measure, `pivot` turns
them into matrices, and `joined` joins those.
"""
