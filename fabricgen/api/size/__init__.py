"""Sized fabrics judged, ranked and shown."""
