"""Which way of computing a rank correlation gives the number that somebody printed?

A candidate is a `Preparation` (of what: means, ranks, names in order), a `Rule` (which coefficient, which ties) and a
`Writing` (as it is, in percent, without its sign). `search.audit` tries them all and says how many match by chance.
"""
