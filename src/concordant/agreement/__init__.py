"""Do two rankings agree: compared, correlated with an interval, tested against chance, explained, and audited."""
