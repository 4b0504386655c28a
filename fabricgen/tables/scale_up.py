"""The tier below the fabric: NVLink domains of each host group, beside the rate of its NICs."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from fabricgen.analysis.capacity import units_with
from fabricgen.catalog import Catalog
from fabricgen.catalog.host_records import ServerModel
from fabricgen.physics.capacity import reduced
from fabricgen.physics.traffic import NVLINK_GBPS_EACH_WAY
from fabricgen.plan.model.fabric import FabricPlan, domain_number, domain_shape
from fabricgen.plan.model.topology import HostGroup


class ScaleUp(NamedTuple):
    """The scale-up domains of a host group; rates are of one GPU and count both directions, GB/s decimal.

    Attributes:
        generation: Generation of NVLink; None where the server has none, or its file names none.
        gbytes_s: NVLink of a GPU; None where no public source has it.
        domain_gpus: GPUs of a domain without spare hosts.
        domains: Domains with a host that exists, spares apart.
        switch_levels: Levels of NVLink switches that a domain spans; None where no public source has them.
        switches: Switch chips of the highest of these levels; None where no public source has them.
        top_level_gbytes_s: NVLink that a GPU has through that level.
        scale_out_gbytes_s: Rate of the NICs of a GPU.
        ratio: NVLink to NICs, in lowest terms.
    """

    server: str
    generation: str | None
    links: int | None
    gbytes_s: int | None
    domain_gpus: int
    domains: int
    switch_levels: int | None
    switches: int | None
    top_level_gbytes_s: int | None
    scale_out_gbytes_s: float
    ratio: str | None


def find_scale_up(plan: FabricPlan, catalog: Catalog | None) -> dict[str, ScaleUp]:
    """Return the scale-up domains of every host group with GPUs."""
    known = catalog or Catalog()
    servers = {server.id: server for server in known.servers.values()}
    found = ((group, servers.get(group.server)) for group in plan.hosts if group.gpus)
    return {group.name: _describe(plan, group, server, known) for group, server in found if server}


def _describe(plan: FabricPlan, group: HostGroup, server: ServerModel, known: Catalog) -> ScaleUp:
    nvlink = known.nvlink.get(server.nvlink)
    rate = server.nvlink_gbytes_s or None
    hosts = _hosts_of_domain(group)
    below = [level for level in server.nvlink_levels if level.gpus < group.gpus * max(1, group.nvlink_domain)]
    spanned = server.nvlink_levels[: len(below) + 1]
    top = spanned[-1] if spanned else None
    out_gbps = len(group.rails) * group.nic_ports * group.link.speed_gbps
    ratio = reduced(rate * NVLINK_GBPS_EACH_WAY * group.gpus, out_gbps) if rate else None
    return ScaleUp(
        server=server.id,
        generation=f"NVLink {nvlink.generation}" if nvlink else None,
        links=rate // nvlink.link_gbytes_s if nvlink and rate else None,
        gbytes_s=rate,
        domain_gpus=group.gpus * hosts,
        domains=_count_domains(plan, group, hosts),
        switch_levels=len(spanned) or None,
        switches=top.switches if top else None,
        top_level_gbytes_s=top.links * nvlink.link_gbytes_s if nvlink and top and top.links else rate,
        scale_out_gbytes_s=out_gbps / NVLINK_GBPS_EACH_WAY / group.gpus,
        ratio=f"{ratio[0]}:{ratio[1]}" if ratio else None,
    )


def _hosts_of_domain(group: HostGroup) -> int:
    """Return the regular hosts of a domain."""
    shape = domain_shape(group.per_unit, group.backup_per_unit, group.nvlink_domain) if group.nvlink_domain else None
    return shape.regular if shape else 1


def _count_domains(plan: FabricPlan, group: HostGroup, hosts: int) -> int:
    """Return the domains of regular hosts of which at least one exists."""
    absent = Counter(
        (host.where, domain_number(group, host.host))
        for host, found in plan.exceptions.hosts.items()
        if found.state == "absent" and plan.hosts[host.group] is group and host.host < group.per_unit
    )
    empty = sum(1 for count in absent.values() if count == hosts)
    return group.per_unit // hosts * units_with(plan, group) - empty
