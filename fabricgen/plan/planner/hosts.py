"""Host groups of the plan: which positions they take on a leaf, which rails they have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from fabricgen.catalog.host_records import NicModel, ServerModel
from fabricgen.diagnostics import Bag, IntentPath
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.types import Count
from fabricgen.plan.model.topology import Hardware, HostGroup, LinkGroup, RailPlace
from fabricgen.plan.planner.shape import FabricShape, attachment_of, default_host_name, reserve

LIBRARIES_BY_VENDOR: Mapping[str, tuple[str, ...]] = {"nvidia": ("nccl", "vccl"), "amd": ("rccl",)}
"""Collective libraries that run on a vendor's GPUs, the vendor's own first."""


def choose_library(server: ServerModel, named: str | None) -> str:
    """The collective library of a server: the one the intent names, else its GPU vendor's own; none without GPUs."""
    own = LIBRARIES_BY_VENDOR.get(server.gpu_vendor, ("",))[0]
    return (named or own) if server.gpus else ""


def build_host_groups(
    intent: FabricIntent,
    servers: dict[str, ServerModel],
    nics: dict[str, NicModel],
    shape: FabricShape,
    links: Mapping[str, LinkGroup],
    bag: Bag,
) -> tuple[tuple[HostGroup, ...], int]:
    """Host groups in name order, and how many positions per leaf they reserve together."""
    groups = []
    base = 0
    for name in sorted(intent.hosts):
        group = intent.hosts[name]
        room = _reserved(group.per_unit, ("hosts", name, "per_unit"), bag)
        spare_room = _reserved(group.backup_per_unit, ("hosts", name, "backup_per_unit"), bag)
        built = _build_group(intent, name, servers[group.server], nics[group.nic], shape, links[name])
        built = replace(built, slot_base=base, per_unit_reserved=room)
        groups.append(built)
        base += (room + spare_room) * built.slots_per_host
    return tuple(groups), base


def _build_group(
    intent: FabricIntent, name: str, server: ServerModel, nic: NicModel, shape: FabricShape, link: LinkGroup
) -> HostGroup:
    """A group without its place on the leaf and its room."""
    group = intent.hosts[name]
    per_leaf = shape.rails_per_leaf[name]
    attachment = attachment_of(intent, name)
    planes, members = shape.tiers[0].counts.plane, attachment.leafs_per_group
    whole = attachment.group == "host"
    # Whole hosts bring all ports of a NIC to their leafs; otherwise each port has a leaf of its own.
    each = max(1, nic.ports // (planes * members)) if whole else 1
    seen_as = intent.planes.host if intent.planes else "separate"
    return HostGroup(
        name=name,
        server=server.id,
        nic=nic.id,
        os=group.os or "",
        nic_family=nic.family,
        out_of_order=nic.out_of_order,
        embedded_cpu=nic.embedded_cpu,
        firmware=group.firmware or "",
        name_pattern=group.name or default_host_name(intent),
        units=tuple((first - 1, last - 1) for first, last in group.units or ()),
        per_unit=group.per_unit.count,
        per_unit_reserved=0,
        rails=tuple(RailPlace(number, *slot) for number, slot in enumerate(server.rails)),
        gpus=server.gpus,
        hardware=_hardware(server),
        slot_base=0,
        slots_per_host=min(per_leaf, max(1, len(server.rails))) * each,
        link=link,
        rails_per_leaf=per_leaf,
        leafs_per_group=members,
        nic_ports=planes * members * each,
        ports_per_leaf=each,
        bond=attachment.bond != "none",
        routed=attachment.bond == "routed",
        spread=seen_as == "nic" and planes > 1,
        backup_per_unit=group.backup_per_unit.count if group.backup_per_unit else 0,
        nvlink_domain=group.nvlink_domain or 0,
        nvlink_hosts=server.nvlink_hosts,
        library=choose_library(server, intent.collectives.library),
    )


def _hardware(server: ServerModel) -> Hardware:
    cpu = {f"cpu_{name}": value for name, value in server.cpu._asdict().items()}
    known = server._asdict() | cpu | {"switch_ids": tuple(server.switch_ids or ())}
    return Hardware(**{field.name: known[field.name] for field in fields(Hardware)})


def _reserved(count: Count | None, path: IntentPath, bag: Bag) -> int:
    """Room for a count: its max, else the next power of two."""
    return reserve(count, False, path, bag)[1] if count else 0
