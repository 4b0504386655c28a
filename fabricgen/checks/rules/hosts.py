"""Rules on host groups: units, NVLink domains, PCI addresses and slots, and NCCL's topology file."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.catalog.host_records import ServerModel
from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import counted
from fabricgen.physics.capacity import LANE_MBPS_BY_GEN, SLOT_LANES_MAX, slot_gbps
from fabricgen.plan.model.fabric import Asset, domain_shape
from fabricgen.plan.model.topology import NO_SWITCH, Hardware, HostGroup, RailPlace


@rule(
    "FG-HST-001",
    "Host group in a unit that does not exist",
    why="The hosts would be counted on and never built.",
    fix="Name units from 1 to the count.",
    source="docs/intent.md, hosts",
)
def check_units_exist(view: IntentView) -> Iterator[Finding]:
    """Every unit a group names exists."""
    count = view.intent.units.count
    for name, group in sorted(view.intent.hosts.items()):
        for _first, last in group.units or ():
            if last > count:
                message = f"group {name!r} names unit {last}; there are {count}"
                path = host_path(view, name, "units")
                yield Finding(message, path, hint=f"use 1-{count}", related=(Related("the units", ("units",)),))


@rule(
    "FG-HST-002",
    "NVLink domain that NVLink does not join",
    why="A scale-up domain is one set of racks; hosts of two units are not on one NVLink switch, and a switch joins no "
    "more hosts than the server's system has room for. Jobs would wait for peers that only the fabric reaches.",
    fix="Let the domain size divide per_unit and backup_per_unit, or the two together so that all domains are alike; "
    "use no more hosts than nvlink_hosts of the server's record, or remove nvlink_domain.",
    source="docs/intent.md, scale-up domains; the server's file in the catalog",
)
def check_nvlink_domain(view: IntentView) -> Iterator[Finding]:
    """Scale-up domains fill units exactly, spares included, and NVLink of the server's system joins them."""
    for name, group in sorted(view.intent.hosts.items()):
        spares = group.backup_per_unit.count if group.backup_per_unit else 0
        if group.nvlink_domain and domain_shape(group.per_unit.count, spares, group.nvlink_domain) is None:
            shown = f"{group.per_unit.count} hosts" + (f" and {spares} spares" if spares else "")
            divisors = [
                size
                for size in range(2, group.per_unit.count + 1)
                if domain_shape(group.per_unit.count, spares, size) is not None
            ]
            related = [Related("hosts per unit", host_path(view, name, "per_unit"))]
            if spares:
                related.append(Related("spares per unit", host_path(view, name, "backup_per_unit")))
            message = f"{shown} per unit cannot be divided into domains of {group.nvlink_domain}"
            hint = f"use one of {', '.join(map(str, divisors))}" if divisors else "remove it"
            yield Finding(message, host_path(view, name, "nvlink_domain"), hint=hint, related=tuple(related))
        server = view.catalog.servers.get(group.server)
        if server and (group.nvlink_domain or 1) > server.nvlink_hosts:
            joined = f"joins {server.nvlink_hosts} of them" if server.nvlink_hosts > 1 else "ends at the server"
            yield Finding(
                f"nvlink_domain is {group.nvlink_domain}; NVLink of {server.id} {joined}",
                host_path(view, name, "nvlink_domain"),
                hint="remove it" if server.nvlink_hosts == 1 else f"use {server.nvlink_hosts} or less",
                related=(
                    Related("the server", host_path(view, name, "server")),
                    Related("how far its NVLink reaches", record=("servers", server.id, "nvlink_hosts")),
                ),
            )


@rule(
    "FG-HST-004",
    "NIC without a PCI address",
    why="Rail and RDMA device names come from PCI addresses; without one a rail has no name and no configuration.",
    fix="Give the addresses in the asset list, or use a server whose PCI map the catalog knows.",
    source="The server's file in the catalog; linux-rdma/rdma-core rdma_rename",
)
def check_pci_addresses(view: PlanView) -> Iterator[Finding]:
    """Every rail of every host has a PCI address, from the catalog or the asset list."""
    plan = view.plan
    for group in plan.hosts:
        unknown = {rail.rail for rail in group.rails if not rail.nic_bdf}
        if not unknown:
            continue
        lacking = [
            name
            for name in view.host_names(group)
            if not unknown <= {rail for rail, *_ in plan.assets.get(name, Asset()).rail_bdfs}
        ]
        if lacking:
            server = view.catalog.servers.get(group.server)
            known = server.pci_map if server else ""
            yield Finding(
                f"no public PCI map of {group.server} is known, and the asset list lacks addresses for {len(lacking)} "
                f"hosts, for example {lacking[0]}",
                host_path(view, group.name, "server"),
                hint="add assets: assets.csv with the columns hostname, rail and pci"
                + (f", or write {known} if it is that server: its map is known" if known else ""),
                record=("servers", group.server, "rails"),
            )


@rule(
    "FG-HST-052",
    "NIC faster than its PCIe slot",
    severity=Severity.WARNING,
    why="The slot carries less than the ports of the NIC: a part of every link, and of the switch ports behind it, is "
    "never used, and the NIC pauses the leaf when it receives more than it can pass on.",
    fix="Use a speed that the slot carries or a server with a faster one; waive it if the NIC has a second slot of its "
    "own (Socket Direct). Where the generation is unconfirmed, look at LnkCap of the slot (lspci -vv).",
    source="Linux, drivers/pci/pci.h, PCIE_SPEED2MBS_ENC; the server's file in the catalog; NVIDIA DOCA "
    "2.9.0-cx8 release notes: 800 Gb/s over two fifth-generation slots",
)
def check_slot(view: PlanView) -> Iterator[Finding]:
    """Every NIC's slot carries what its ports do, as far as the slot is known."""
    for group in view.plan.hosts:
        server = view.catalog.servers.get(group.server)
        if server is not None:
            remark = ", unconfirmed" if "pcie_gen" in server.provenance.unconfirmed else ""
            yield from _short(view, group, server, remark)


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


_FORM: IntentPath = ("collectives", "topology_file")

READ_BY = ("nccl", "vccl")
"""Libraries whose topology file is rendered."""


def _with_file(view: PlanView) -> Iterator[HostGroup]:
    """Yield the host groups that get a topology file."""
    if view.plan.collectives.topology_file != "none":
        yield from (group for group in view.plan.hosts if group.library in READ_BY)


@rule(
    "FG-HST-040",
    "Server of a topology file is not as the catalog has it",
    why="NCCL ends every job if an attribute is missing, counts NICs twice if its ranks see different ones, and "
    "takes a NIC for one behind another PCIe switch.",
    fix="Describe the server in a catalog file of your own, or leave topology_file out: on bare metal NCCL needs none.",
    source="NVIDIA/nccl 2.30.7, src/graph/xml.cc, xml.h and topo.cc",
)
def check_topology_known(view: PlanView) -> Iterator[Finding]:
    """Every attribute of the topology file is known."""
    form = view.plan.collectives.topology_file
    for group in _with_file(view):
        lacking = [*_places(group.rails), *(_attributes(group.hardware, group.rails) if form == "rails" else ())]
        if lacking:
            yield Finding(
                f"topology_file is {form}; the catalog lacks of {group.server}: {', '.join(lacking)}",
                _FORM,
                hint=f"add catalog/servers/{group.server}.yaml with them to the inventory, or use topology_file: none",
                related=(
                    Related("the server", host_path(view, group.name, "server")),
                    Related("its record", record=("servers", group.server)),
                ),
            )


@further("FG-HST-040")
def check_topology_of_assets(view: PlanView) -> Iterator[Finding]:
    """Require that assets and catalog agree on the position of each NIC where a topology file is rendered."""
    for group in _with_file(view):
        cards = {rail.rail: _card(rail.nic_bdf) for rail in group.rails if rail.nic_bdf}
        moved = [
            (name, rail, bdf)
            for name in (view.host_names(group) if view.plan.assets else ())
            for rail, _port, bdf in view.plan.assets.get(name, Asset()).rail_bdfs
            if _card(bdf) != cards.get(rail, _card(bdf))
        ]
        if moved:
            name, rail, bdf = moved[0]
            yield Finding(
                f"rail {rail} of {name} is at {bdf}; {group.server} has it at {cards[rail]}.0 "
                f"({counted(len(moved), 'NIC')} differ{'' if len(moved) > 1 else 's'})",
                _FORM,
                hint="use topology_file: none, or a catalog file with these addresses",
                related=(
                    Related("the server", host_path(view, group.name, "server")),
                    Related("its rails", record=("servers", group.server, "rails")),
                ),
            )


def _places(rails: tuple[RailPlace, ...]) -> Iterator[str]:
    """Name the places of rails that are not known."""
    for word, known in (
        ("PCI addresses of GPUs", all(rail.gpu_bdf for rail in rails)),
        ("PCI addresses of switches (none if there are none)", all(rail.switch_bdf for rail in rails)),
        ("NUMA nodes", all(rail.numa >= 0 for rail in rails)),
    ):
        if not known:
            yield word


def _attributes(hardware: Hardware, rails: tuple[RailPlace, ...]) -> Iterator[str]:
    """Name the attributes above a NIC that are not known; NCCL adds the x86 ones wherever a rank's own GPU is."""
    x86 = hardware.cpu_arch in ("x86_64", "")
    for word, known in (
        ("pcie_lanes", hardware.pcie_lanes),
        ("cpu.arch", hardware.cpu_arch),
        ("cpu.lists", hardware.cpu_lists),
        ("cpu.family", hardware.cpu_family or not x86),
        ("cpu.model", hardware.cpu_model or not x86),
        ("switch", hardware.switch_ids or all(rail.switch_bdf == NO_SWITCH for rail in rails)),
    ):
        if not known:
            yield word


def _card(bdf: str) -> str:
    """Return a PCI address without the function."""
    return bdf.partition(".")[0]
