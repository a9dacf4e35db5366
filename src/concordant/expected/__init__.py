"""How close a ranking is to the true one, estimated from its own topics, and how many topics would be enough."""
