"""ConnectX-7: what every mlx5 NIC has, and no key of its own. Spectrum-X leaves it out, so packets keep their order."""

from __future__ import annotations

from fabricgen.device.model import HostClass
from fabricgen.platforms.mlx5.parameters import Family
from fabricgen.platforms.mlx5.view import ORIGINS, NicView, device_view, nic_view

__all__ = ["ORIGINS", "class_view", "device_view"]

FAMILY = Family()


def class_view(cls: HostClass, /) -> NicView:
    """What the templates see of a class of hosts."""
    return nic_view(cls, FAMILY)
