"""Readers of text formats that several platforms share."""
