"""Checks: one function per rule, each with its code, what it needs, and its source."""
