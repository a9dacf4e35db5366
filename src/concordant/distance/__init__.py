"""The rank distance of Carterette (2009) and what follows from it: do the swaps between two rankings matter?

`problem` has the distance, `distribution` what resampling the topics makes of it, `testing` the test, `places` the
ranks that a system may have, and `discriminative` the share of significant differences that another ranking confirms.
"""
