"""Output trees: written in one transaction, compared, recovered after a death."""
