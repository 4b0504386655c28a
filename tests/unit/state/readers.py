"""Readers of a device's answers, as ``check`` puts them together."""

from __future__ import annotations

from importlib import import_module

from fabricgen.platforms.observations.records import Readers

_NICS = {"ubuntu": "mlx5"}
"""NIC family beside a host's system."""


def readers_of(platform: str) -> Readers:
    """Return the readers of a platform, and of its hosts' NICs."""
    found: Readers = {}
    for name in filter(None, (_NICS.get(platform), platform)):
        found |= import_module(f"fabricgen.platforms.{name}").PLATFORM.state_readers()
    return found
