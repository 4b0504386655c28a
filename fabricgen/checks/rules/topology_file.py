"""Rules on NCCL's topology file: a file that NCCL does not take ends every job."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, PlanView, further, rule
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related
from fabricgen.diagnostics.words import counted
from fabricgen.plan.model.fabric import Asset, group_hosts
from fabricgen.plan.model.hardware import NO_SWITCH, Hardware
from fabricgen.plan.model.topology import HostGroup, RailPlace

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
                value="none",
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
            for name in _names(view, group)
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
                value="none",
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


def _names(view: PlanView, group: HostGroup) -> Iterator[str]:
    """Names of the group's hosts that the asset list mentions."""
    plan = view.plan
    for unit in plan.units():
        if plan.assets and group.in_unit(unit.unit):
            names = (group.host_name(unit, host) for host in group_hosts(group))
            yield from (name for name in names if name in plan.assets)


def _card(bdf: str) -> str:
    """Return a PCI address without the function."""
    return bdf.partition(".")[0]
