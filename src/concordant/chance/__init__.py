"""Could the agreement be chance? Null distributions, permutation tests, random rankings at a given agreement."""
