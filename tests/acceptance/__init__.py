"""Guarantees for users, proved from the outside: bytes, growth, secrets, explanations, faults, the README."""
