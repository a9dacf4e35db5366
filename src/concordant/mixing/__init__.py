"""People and machines together: one ranking from few topics of the one and many of the other, and what to buy."""
