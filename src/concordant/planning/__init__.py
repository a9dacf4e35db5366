"""How much is enough: how close a ranking is to the true one, more or fewer topics, people and machine together."""
