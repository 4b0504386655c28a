"""Readers of a device's answers, as ``check`` puts them together."""

from __future__ import annotations

from importlib import import_module

from fabricgen.platforms.observations.records import Readers

_NICS = {"ubuntu": "mlx5"}
"""NIC family beside a host's system."""


def readers_of(platform: str) -> Readers:
    """Return the readers of a platform, and of its hosts' NICs."""
    nic = _NICS.get(platform)
    return {name: reader for each in (nic, platform) if each for name, reader in _readers_of(each).items()}


def _readers_of(platform: str) -> Readers:
    found: Readers = import_module(f"fabricgen.platforms.{platform}").PLATFORM.state_readers()
    return found
