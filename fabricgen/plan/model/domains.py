"""NVLink domains: which hosts of a unit share one NVLink switch fabric."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.plan.model.fabric import FabricPlan, group_hosts
from fabricgen.plan.model.identity import HostId
from fabricgen.plan.model.topology import HostGroup


class DomainShape(NamedTuple):
    """Composition of each domain of a unit: regular hosts and spares.

    ``spares_apart`` is set where spares form domains of their own.
    """

    regular: int
    spares: int
    spares_apart: bool


def domain_shape(per_unit: int, spares: int, size: int) -> DomainShape | None:
    """Return how domains of one size fill a unit; None if they do not.

    Spares form domains of their own where regular hosts fill theirs; otherwise each domain has as many regular hosts
    and as many spares as every other, which growth by whole domains keeps.

    Args:
        per_unit: Regular hosts of a unit.
        spares: Its spare hosts.
        size: Hosts per domain.
    """
    if per_unit % size == 0:
        return DomainShape(size, size, True) if spares % size == 0 else None
    domains, left = divmod(per_unit + spares, size)
    if left or not domains or per_unit % domains or spares % domains:
        return None
    return DomainShape(per_unit // domains, spares // domains, False)


def domain_number(group: HostGroup, host: int) -> tuple[bool, int]:
    """Return which domain of its unit a host belongs to; every host its own where the group has no domains.

    Args:
        group: Its group.
        host: Its number in the unit.

    Returns:
        Whether the domain consists of spares only, and its number among its kind.
    """
    spare = host >= group.per_unit_reserved
    shape = (
        domain_shape(group.per_unit, group.backup_per_unit, group.nvlink_domain) if group.nvlink_domain > 1 else None
    )
    if shape is None:
        return spare, host
    if not spare:
        return False, host // shape.regular
    return shape.spares_apart, (host - group.per_unit_reserved) // shape.spares


def domain_hosts(plan: FabricPlan, host: HostId) -> Iterator[HostId]:
    """Every host of a host's domain that exists, by number."""
    group = plan.hosts[host.group]
    own = domain_number(group, host.host)
    for number in group_hosts(group):
        found = HostId(host.group, host.where, number)
        if domain_number(group, number) == own and not plan.exceptions.is_absent(found):
            yield found
