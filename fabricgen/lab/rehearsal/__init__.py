"""Rehearsals: the waves of a rollout in a lab, with traffic running, held against what was predicted of each."""
