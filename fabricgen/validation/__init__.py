"""Validated reading: what pydantic finds in a document becomes diagnostics with places, and records come out of it."""
