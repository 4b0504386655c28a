"""Entropy of a job's flows: which flows there are, and what hashing makes of them on every link group."""
