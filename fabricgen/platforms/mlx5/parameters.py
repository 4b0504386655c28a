"""DCQCN parameters and firmware settings of mlx5 NICs, under the names that driver and firmware give them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from fabricgen.device.model import Contract, HostClass

DEBUGFS_NAMES = {"clamp_tgt_rate_after_time_inc": "rp_clamp_tgt_rate_ati", "cnp_802p_prio": "np_cnp_prio"}
"""Names that follow no rule, Linux drivers/infiniband/hw/mlx5/cong.c (mlx5_ib_dbg_cc_name)."""

RECEIVER_PARAMETERS = ("min_time_between_cnps", "cnp_dscp", "cnp_802p_prio")
"""Parameters of the notification point; all others are the reaction point's."""

LINK_TYPE_ETHERNET = 2
OFFLOAD_ENGINE_DISABLED = 1
CNP_FIXED = {"CNP_DSCP_MODE": 1, "CNP_RES_PRIO_MODE": 0}
"""Values of LINK_TYPE, of INTERNAL_CPU_OFFLOAD_ENGINE (NIC mode: the ports belong to the host, not to the NIC's cores)
and of how a CNP is marked, Mellanox/mstflint b9d9e844, mlxconfig_host.db."""

_OF_NIC = ("HostGroup.nic_family",)
_OF_MODE = ("Contract.mode", "HostGroup.nic_family")
OF_MASK = ("Contract.lossless", "Contract.mode")
_OF_DCQCN = ("Collectives.dcqcn",)
_ORIGINS_OF = {"cnp_dscp": ("TrafficClass.mark",), "cnp_802p_prio": ("TrafficClass.priority",)}
"""Parameters that are no DCQCN parameters of the contract, but how it marks a CNP."""

FIRMWARE_LLDP_OFF = ("LLDP_NB_DCBX", "LLDP_NB_RX_MODE", "LLDP_NB_TX_MODE", "DCBX_WILLING")
"""Firmware that must not negotiate what the host sets; LLDP frames then reach the host, whose lldpd sends its own."""


@dataclass(frozen=True, slots=True)
class Knob:
    """A congestion control parameter of the running driver and its value; ``origins`` are its own."""

    sysfs: Annotated[str, "Collectives.dcqcn"]
    debugfs: Annotated[str, "Collectives.dcqcn"]
    value: Annotated[int, "Collectives.dcqcn", "TrafficClass.mark", "TrafficClass.priority"]
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FirmwareSetting:
    """A firmware setting; ``origins`` are its own."""

    key: Annotated[str, "Contract.mode", "Collectives.dcqcn"]
    value: Annotated[int, "Collectives.dcqcn", "TrafficClass.lossless", "TrafficClass.mark", "TrafficClass.priority"]
    origins: tuple[str, ...]


def dcqcn_priorities(contract: Contract) -> tuple[int, ...]:
    """Priorities DCQCN runs on: those of the lossless classes, whether PFC guards them too or not."""
    if contract.mode == "pfc_only":
        return ()
    return tuple(sorted({c.priority for c in contract.classes if c.lossless}))


def cnp_parameters(contract: Contract) -> tuple[tuple[str, int], ...]:
    """Parameters that mark a CNP as the contract says."""
    cnp = contract.by_name("cnp")
    return (("cnp_dscp", cnp.mark), ("cnp_802p_prio", cnp.priority)) if cnp and cnp.dscp else ()


def build_knob(name: str, value: int) -> Knob:
    """The files of a parameter, named after its firmware key."""
    side = "np" if name in RECEIVER_PARAMETERS else "rp"
    debugfs = DEBUGFS_NAMES.get(name, f"{side}_{name.removeprefix('rpg_')}")
    return Knob(f"roce_{side}/{name}", debugfs, value, _ORIGINS_OF.get(name, _OF_DCQCN))


def firmware_settings(
    cls: HostClass, mask: int, parameters: tuple[tuple[str, int], ...]
) -> tuple[FirmwareSetting, ...]:
    """Settings of the whole NIC, then those that survive a reset, of each of its ports."""
    found = []
    if cls.group.embedded_cpu:
        found.append(
            FirmwareSetting("INTERNAL_CPU_OFFLOAD_ENGINE", OFFLOAD_ENGINE_DISABLED, ("HostGroup.embedded_cpu",))
        )
    if cls.group.out_of_order:
        found.append(FirmwareSetting("ROCE_ADAPTIVE_ROUTING_EN", int(cls.reordered), ("HostClass.reordered",)))
    return (*found, *_of_ports(cls.group.nic_ports, mask, parameters))


def _of_ports(ports: int, mask: int, parameters: tuple[tuple[str, int], ...]) -> tuple[FirmwareSetting, ...]:
    """Settings that survive a reset, of each port of a NIC; the legacy algorithm is that of the DCQCN parameters."""
    found = [FirmwareSetting("ROCE_CC_LEGACY_DCQCN", 1, _OF_MODE)] if mask else []
    for port in range(1, ports + 1):
        settings = [
            FirmwareSetting("LINK_TYPE", LINK_TYPE_ETHERNET, _OF_NIC),
            FirmwareSetting("ROCE_CC_PRIO_MASK", mask, OF_MASK),
            *(FirmwareSetting(key, 0, _OF_NIC) for key in FIRMWARE_LLDP_OFF),
            *(FirmwareSetting(key, value, _OF_MODE) for key, value in CNP_FIXED.items() if mask),
            *(FirmwareSetting(name.upper(), value, _ORIGINS_OF.get(name, _OF_DCQCN)) for name, value in parameters),
        ]
        found += [replace(setting, key=f"{setting.key}_P{port}") for setting in settings]
    return tuple(found)
