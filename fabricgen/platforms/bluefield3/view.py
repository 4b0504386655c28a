"""BlueField-3 SuperNIC: a NIC, not a computer of its own; packets may overtake each other where switches spray."""

from __future__ import annotations

from fabricgen.device.model import HostClass
from fabricgen.platforms.mlx5.parameters import Family
from fabricgen.platforms.mlx5.view import ORIGINS, NicView, device_view, nic_view

__all__ = ["ORIGINS", "class_view", "device_view"]

OFFLOAD_ENGINE_DISABLED = 1
"""NIC mode: the ports belong to the host, not to the Arm cores (Mellanox/mstflint b9d9e844, mlxconfig_host.db)."""

FAMILY = Family(adaptive_routing=True, settings=(("INTERNAL_CPU_OFFLOAD_ENGINE", OFFLOAD_ENGINE_DISABLED),))


def class_view(cls: HostClass, /) -> NicView:
    """What the templates see of a class of hosts."""
    return nic_view(cls, FAMILY)
