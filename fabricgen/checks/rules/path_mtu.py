"""Rules on the MTU of host links and the path MTU that RDMA derives from it."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.checks.rules.topology import host_links, host_path
from fabricgen.diagnostics import Related, Severity
from fabricgen.physics.path_mtu import LARGEST_PATH_MTU_BYTES, least_mtu_bytes, roce_path_mtu_bytes
from fabricgen.plan.planner.exceptions.names import link_group

_KERNEL = "Linux, include/rdma/ib_addr.h, iboe_get_mtu"


@rule(
    "FG-TOP-040",
    "Host link MTU that costs RDMA its path MTU",
    severity=Severity.WARNING,
    why="A NIC sends the largest RDMA payload, 4096, 2048, 1024 …, that fits the interface with 96 bytes of headers. "
    "One step less doubles the packets, and with them headers, CNPs and the work of NIC and switch.",
    fix="Use an MTU of 4192 or more on the host links, and no less on all links above them.",
    source=_KERNEL,
)
def check_path_mtu(view: IntentView) -> Iterator[Finding]:
    """Host links leave RDMA its largest path MTU."""
    least = least_mtu_bytes(LARGEST_PATH_MTU_BYTES)
    for link_name, link, groups in host_links(view):
        if link.mtu < least:
            yield Finding(
                f"mtu {link.mtu} leaves RDMA a path MTU of {roce_path_mtu_bytes(link.mtu)} bytes; "
                f"{LARGEST_PATH_MTU_BYTES} need an mtu of {least}",
                ("links", link_name, "mtu"),
                hint=f"use mtu: {least} or more, such as the default of 9100",
                value=least,
                related=tuple(Related(f"the NICs of {name}", host_path(view, name, "nic")) for name in groups),
            )


@rule(
    "FG-TOP-041",
    "Hosts with different RDMA path MTUs",
    severity=Severity.WARNING,
    why="Both ends of a queue pair need one path MTU. Libraries that exchange it fall to the smaller one; a program "
    "that takes its own port's sends packets that the other end rejects.",
    fix="Use one MTU on the links of all hosts.",
    source=f"{_KERNEL}; NVIDIA/nccl, src/transport/net_ib (the smaller of both ends); InfiniBand architecture, "
    "volume 1, section 9.7.4",
)
def check_one_path_mtu(view: IntentView) -> Iterator[Finding]:
    """All host links give the same path MTU."""
    links = [(name, link, roce_path_mtu_bytes(link.mtu)) for name, link, groups in host_links(view) if groups]
    if not links:
        return
    largest_name, largest, most = max(links, key=lambda item: item[2])
    for name, link, path_mtu in links:
        if path_mtu < most:
            yield Finding(
                f"mtu {link.mtu} gives RDMA on {name} a path MTU of {path_mtu} bytes; mtu {largest.mtu} of "
                f"{largest_name} gives {most}",
                ("links", name, "mtu"),
                hint=f"use mtu: {largest.mtu}",
                value=largest.mtu,
                related=(Related("the larger MTU", ("links", largest_name, "mtu")),),
            )


@further("FG-TOP-025")
def check_host_exception(view: PlanView) -> Iterator[Finding]:
    """No exception gives a host link a larger MTU than the links between switches have."""
    if not view.intent.exceptions or len(view.plan.links) < 2:
        return
    smallest = min(view.plan.links[1:], key=lambda link: link.mtu_bytes)
    for item, path in view.intent.placed_exceptions:
        mtu = (item.set or {}).get("mtu")
        if not item.link or not isinstance(mtu, int) or mtu <= smallest.mtu_bytes:
            continue
        group = link_group(view.plan, view.names, item.link)
        if group and group.lower < 0:
            yield Finding(
                f"mtu {mtu} of this host link is above the {smallest.mtu_bytes} of links.{smallest.name}",
                (*path, "set", "mtu"),
                hint=f"use {smallest.mtu_bytes} or less",
                value=smallest.mtu_bytes,
                related=(Related("the links above", ("links", smallest.name, "mtu")),),
            )
