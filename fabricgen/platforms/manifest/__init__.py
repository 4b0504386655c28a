"""Manifests of platforms: where they are found, how they are read, and the records they become."""
