"""Differences between two sides, in meaning: sides to devices, files to trees, trees to changes and patches."""
