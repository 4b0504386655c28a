"""Judges of rendered trees that know nothing of how the trees came about."""
