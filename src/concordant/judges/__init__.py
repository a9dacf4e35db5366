"""How good a judge is: what its topics are worth in topics of the truth, and which of several judges is best."""
