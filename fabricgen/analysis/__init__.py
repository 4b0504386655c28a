"""Whole-fabric reasoning on a plan."""
