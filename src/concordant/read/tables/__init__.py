"""Turn tables of cells into `Scores`, whether they come from files, frames or dictionaries.

`Cells` are named columns, and `layout` decides what they mean. `contents` holds the scores of each measure: `pivot`
turns them into a matrix, and `joined` joins the matrices of several files.
"""
