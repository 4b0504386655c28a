"""Platforms: their contract, where they are found, and their manifests as frozen records.

Workers import this room, so nothing is imported here; the manifest reader, which needs a YAML parser, is
``platforms.load`` and is imported by readers of manifests.
"""
