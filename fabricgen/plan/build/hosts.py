"""Host groups of the plan: which positions they take on a leaf, which rails they have."""

from __future__ import annotations

from fabricgen.catalog.records import NicModel, ServerModel
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.hosts import HostGroup as HostGroupIntent
from fabricgen.intent.types import Count
from fabricgen.physics.capacity import next_power_of_two
from fabricgen.plan.model.topology import HostGroup, RailPlace


def default_host_name(intent: FabricIntent) -> str:
    """Host name pattern that names every dimension with more than one member."""
    zone = "z{zone:02}-" if intent.zones else ""
    pod = "p{pod:02}-" if intent.pods else ""
    return "{group}-" + zone + pod + "u{unit:03}-h{host:02}"


def build_host_groups(
    intent: FabricIntent,
    servers: dict[str, ServerModel],
    nics: dict[str, NicModel],
    rails_per_group: int,
) -> tuple[tuple[HostGroup, ...], int]:
    """Host groups in name order, and how many positions per leaf they reserve together."""
    groups = []
    base = 0
    for name in sorted(intent.hosts):
        group = intent.hosts[name]
        built = _build_group(intent, name, group, servers[group.server], nics[group.nic], rails_per_group, base)
        groups.append(built)
        base += (built.per_unit_reserved + _reserved(group.backup_per_unit)) * built.slots_per_host
    return tuple(groups), base


def _build_group(
    intent: FabricIntent,
    name: str,
    group: HostGroupIntent,
    server: ServerModel,
    nic: NicModel,
    per_leaf: int,
    base: int,
) -> HostGroup:
    return HostGroup(
        name=name,
        server=server.id,
        nic=nic.id,
        os=group.os,
        nic_family=nic.family,
        name_pattern=group.name or default_host_name(intent),
        units=tuple((first - 1, last - 1) for first, last in group.units or ()),
        per_unit=group.per_unit.count,
        per_unit_reserved=_reserved(group.per_unit),
        rails=tuple(RailPlace(r.rail, r.nic_bdf, r.gpu_bdf, r.switch_bdf, r.numa) for r in server.rails),
        gpus=server.gpus,
        gpu_sm=server.gpu_sm,
        cpu_vendor=server.cpu_vendor,
        numa_nodes=server.numa_nodes,
        pcie_gen=server.pcie_gen,
        nic_pci_vendor=nic.pci_vendor,
        nic_pci_device=nic.pci_device,
        slot_base=base,
        slots_per_host=min(per_leaf, max(1, len(server.rails))),
        backup_per_unit=group.backup_per_unit.count if group.backup_per_unit else 0,
    )


def _reserved(count: Count | None) -> int:
    """Room for a count: its max, else the next power of two."""
    if count is None:
        return 0
    return max(count.count, count.max if count.max is not None else next_power_of_two(count.count))
