"""Rules on the PCIe slot of a NIC."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.host_records import ServerModel
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import Related, Severity
from fabricgen.physics.pcie import LANE_MBPS_BY_GEN, SLOT_LANES_MAX, slot_gbps
from fabricgen.plan.model.topology import HostGroup

_SOURCE = "Linux, drivers/pci/pci.h, PCIE_SPEED2MBS_ENC; the server's file in the catalog"


@rule(
    "FG-HST-052",
    "NIC faster than its PCIe slot",
    severity=Severity.WARNING,
    why="The slot carries less than the ports of the NIC: a part of every link, and of the switch ports behind it, is "
    "never used, and the NIC pauses the leaf when it receives more than it can pass on.",
    fix="Use a speed that the slot carries or a server with a faster one; waive it if the NIC has a second slot of its "
    "own (Socket Direct).",
    source=f"{_SOURCE}; NVIDIA DOCA 2.9.0-cx8 release notes: 800 Gb/s over two fifth-generation slots",
)
def check_slot(view: PlanView) -> Iterator[Finding]:
    """Every NIC's slot carries what its ports do, as far as the slot is known."""
    for group, server in _servers(view):
        if "pcie_gen" not in server.provenance.unconfirmed:
            yield from _short(view, group, server, "")


@rule(
    "FG-HST-980",
    "NIC faster than a PCIe slot that is unconfirmed",
    severity=Severity.WARNING,
    why="No public source has the PCIe generation of this server; with the one in the catalog the slot would carry "
    "less than the ports of the NIC.",
    fix="Look at LnkCap of the slot (lspci -vv), write it to a catalog file beside the inventory, or waive this.",
    source=_SOURCE,
)
def check_unconfirmed_slot(view: PlanView) -> Iterator[Finding]:
    """Say where a NIC may be faster than a slot of which nothing certain is known."""
    for group, server in _servers(view):
        if "pcie_gen" in server.provenance.unconfirmed:
            yield from _short(view, group, server, ", unconfirmed")


def _servers(view: PlanView) -> Iterator[tuple[HostGroup, ServerModel]]:
    """Host groups with their servers."""
    for group in view.plan.hosts:
        server = view.catalog.servers.get(group.server)
        if server is not None:
            yield group, server


def _short(view: PlanView, group: HostGroup, server: ServerModel, remark: str) -> Iterator[Finding]:
    """A finding if the ports of a NIC carry more than its slot; without known lanes the slot is the widest one."""
    lanes = server.pcie_lanes or SLOT_LANES_MAX
    offered = slot_gbps(server.pcie_gen, lanes)
    nic = view.catalog.nics.get(group.nic)
    if offered is None or nic is None or group.link.speed_gbps not in nic.lanes_by_gbps:
        # A speed that the NIC does not run is reported as such.
        return
    used = min(group.nic_ports, nic.ports)
    wanted = group.link.speed_gbps * used
    if wanted <= offered:
        return
    enough = [gen for gen in LANE_MBPS_BY_GEN if (slot_gbps(gen, lanes) or 0) >= wanted]
    ports = f"{used} x " if used > 1 else ""
    yield Finding(
        f"{group.nic} runs {ports}{group.link.speed_gbps}G; its slot in {server.id} carries {offered:.0f} Gb/s "
        f"(PCIe {server.pcie_gen} x{lanes}{remark})",
        ("links", group.link.name, "speed"),
        hint="use a lower speed" + (f", or a server with PCIe {min(enough)}" if enough else ""),
        related=(
            Related("the NIC", host_path(view, group.name, "nic")),
            Related("the server", host_path(view, group.name, "server")),
        ),
    )
