"""Provenance of an output line: template line, view field, device field."""
