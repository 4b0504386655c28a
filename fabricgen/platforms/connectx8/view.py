"""ConnectX-8: packets may overtake each other where the switches spray them."""

from __future__ import annotations

from fabricgen.device.model import HostClass
from fabricgen.platforms.mlx5.parameters import Family
from fabricgen.platforms.mlx5.view import ORIGINS, NicView, device_view, nic_view

__all__ = ["ORIGINS", "class_view", "device_view"]

FAMILY = Family(adaptive_routing=True)


def class_view(cls: HostClass, /) -> NicView:
    """What the templates see of a class of hosts."""
    return nic_view(cls, FAMILY)
