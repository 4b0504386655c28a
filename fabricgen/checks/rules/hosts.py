"""Rules on host groups and the platforms' abilities towards services."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, PlanView, rule
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import Related, Severity, set_to
from fabricgen.plan.model.domains import domain_shape
from fabricgen.plan.model.fabric import Asset, group_hosts


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
        whole = [first for first, _ in group.units or ()] == [1] and count > 1
        for _first, last in group.units or ():
            if last > count:
                yield Finding(
                    f"group {name!r} names unit {last}; there are {count}",
                    host_path(view, name, "units"),
                    hint=f"use 1-{count}",
                    fixes=set_to(host_path(view, name, "units"), f"1-{count}", hinted=True) if whole else (),
                    related=(Related("the units", ("units",)),),
                )


@rule(
    "FG-HST-002",
    "NVLink domain crosses a unit",
    why="A scale-up domain is one set of racks; hosts of two units are not on one NVLink switch.",
    fix="Let the domain size divide per_unit and backup_per_unit, or the two together so that all domains are alike.",
    source="docs/intent.md, scale-up domains",
)
def check_nvlink_domain(view: IntentView) -> Iterator[Finding]:
    """Scale-up domains fill units exactly, spares included."""
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
            yield Finding(
                f"{shown} per unit cannot be divided into domains of {group.nvlink_domain}",
                host_path(view, name, "nvlink_domain"),
                hint=f"use one of {', '.join(map(str, divisors))}" if divisors else "remove it",
                fixes=set_to(host_path(view, name, "nvlink_domain"), divisors[-1] if divisors else None, hinted=True),
                related=tuple(related),
            )


@rule(
    "FG-HST-008",
    "NVLink does not reach that far",
    why="Jobs would wait for NVLink peers that are reached through the fabric only.",
    fix="Remove nvlink_domain, or use as many hosts as the catalog's nvlink_hosts says at most.",
    source="The server's file in the catalog",
)
def check_nvlink_reach(view: IntentView) -> Iterator[Finding]:
    """Scale-up domains are no larger than the NVLink switches of the server's system join."""
    for name, group in sorted(view.intent.hosts.items()):
        server = view.catalog.servers.get(group.server)
        if server and (group.nvlink_domain or 1) > server.nvlink_hosts:
            joined = f"joins {server.nvlink_hosts} of them" if server.nvlink_hosts > 1 else "ends at the server"
            yield Finding(
                f"nvlink_domain is {group.nvlink_domain}; NVLink of {server.id} {joined}",
                host_path(view, name, "nvlink_domain"),
                hint="remove it" if server.nvlink_hosts == 1 else f"use {server.nvlink_hosts} or less",
                value=None if server.nvlink_hosts == 1 else server.nvlink_hosts,
                related=(
                    Related("the server", host_path(view, name, "server")),
                    Related("how far its NVLink reaches", record=("servers", server.id, "nvlink_hosts")),
                ),
            )


@rule(
    "FG-HST-003",
    "Splitting over a single queue pair",
    severity=Severity.WARNING,
    why="split_data_on_qps divides a message over the queue pairs of a connection; with one nothing is divided.",
    fix="Raise qps_per_connection, or remove split_data_on_qps.",
    source="NVIDIA/nccl, NCCL_IB_SPLIT_DATA_ON_QPS",
)
def check_split(view: IntentView) -> Iterator[Finding]:
    """Splitting needs several queue pairs."""
    c = view.intent.collectives
    if c.split_data_on_qps and c.qps_per_connection == 1:
        yield Finding(
            "split_data_on_qps is set, but qps_per_connection is 1",
            ("collectives", "split_data_on_qps"),
            hint="use qps_per_connection: 4",
            fixes=set_to(("collectives", "qps_per_connection"), 4),
            related=(Related("queue pairs", ("collectives", "qps_per_connection")),),
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
        names = (
            group.host_name(unit, host)
            for unit in plan.units()
            if group.in_unit(unit.unit)
            for host in group_hosts(group)
        )
        lacking = [
            name for name in names if not unknown <= {rail for rail, *_ in plan.assets.get(name, Asset()).rail_bdfs}
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
