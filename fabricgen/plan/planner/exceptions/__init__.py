"""Exceptions of an intent, resolved into sparse maps over the regular plan."""
