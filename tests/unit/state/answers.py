"""Answers of devices in each platform's own form: a writer for each platform and state reading."""

from __future__ import annotations

from collections.abc import Callable

from tests.unit.state import answers_of_eos as eos
from tests.unit.state import answers_of_ethtool as nic
from tests.unit.state import answers_of_fboss as fboss
from tests.unit.state import answers_of_linux as linux
from tests.unit.state import answers_of_nvue as nvue
from tests.unit.state import answers_of_sonic as sonic
from tests.unit.state.bench import Bench

Writers = dict[str, Callable[[Bench], str]]
_PORTS: Writers = {
    "lldp": linux.lldp_neighbors,
    "ports": linux.linux_ports,
    "errors": linux.linux_errors,
    "fec": nic.ethtool_fec,
    "optics": nic.ethtool_optics,
}
_ROUTING: Writers = {"sessions": linux.frr_sessions, "bfd": linux.frr_bfd, "routes": linux.frr_routes}
WRITERS: dict[str, Writers] = {
    "sonic": {
        **_ROUTING,
        "lldp": linux.lldp_neighbors,
        "ports": sonic.sonic_ports,
        "errors": sonic.sonic_errors,
        "fec": sonic.sonic_fec,
        "optics": sonic.sonic_optics,
        "queues": sonic.sonic_queues,
        "pfc": sonic.sonic_pfc,
        "watchdog": sonic.sonic_watchdog,
        "ecn": sonic.sonic_ecn,
        "system": sonic.sonic_system,
    },
    "frr": {
        **_ROUTING,
        **_PORTS,
        "routes": linux.kernel_routes,
        "fec_modes": nic.ethtool_fec_modes,
        "system": linux.frr_system,
    },
    "ubuntu": {
        **_PORTS,
        "pfc": nic.mlx5_pfc,
        "queues": nic.mlx5_queues,
        "ecn": nic.mlx5_ecn,
        "contract": nic.mlx5_contract,
        "sysctl": lambda bench: bench.shown["sysctl"],
        "netplan": lambda bench: bench.shown["netplan"],
        "units": lambda bench: bench.shown["units"],
        "rdma": nic.mlx5_rdma,
    },
    "cumulus_nvue": {
        **_ROUTING,
        **_PORTS,
        "fec_modes": nic.ethtool_fec_modes,
        "pfc": nic.cumulus_pfc,
        "system": nic.cumulus_system,
    },
    "eos": {
        "sessions": eos.eos_sessions,
        "bfd": eos.eos_bfd,
        "routes": eos.eos_routes,
        "lldp": eos.eos_neighbors,
        "ports": eos.eos_ports,
        "errors": eos.eos_errors,
        "fec": eos.eos_fec,
        "fec_modes": eos.eos_fec_modes,
        "optics": eos.eos_optics,
        "queues": eos.eos_queues,
        "pfc": eos.eos_pfc,
        "watchdog": eos.eos_watchdog,
        "ecn": eos.eos_ecn,
        "system": eos.eos_system,
    },
    "fboss": {
        "sessions": fboss.fboss_sessions,
        "routes": fboss.fboss_routes,
        "lldp": fboss.fboss_neighbors,
        "ports": fboss.fboss_ports,
        "errors": fboss.fboss_errors,
        "fec": fboss.fboss_fec,
        "optics": fboss.fboss_optics,
        "queues": fboss.fboss_ports,
        "pfc": fboss.fboss_ports,
    },
}
"""Writers by platform and state reading; those of hosts are of their system and of their NICs together."""

NVUE: Writers = {
    "sessions": nvue.nvue_sessions,
    "lldp": nvue.nvue_neighbors,
    "ports": nvue.nvue_ports,
    "errors": nvue.nvue_errors,
    "system": nvue.nvue_system,
}
"""Answers of Cumulus switches by their REST API."""
