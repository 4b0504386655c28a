"""The nodes of a host's NVLink domain, as the service that shares memory over it requires them."""

from __future__ import annotations

from fabricgen.plan.model.domains import domain_hosts
from fabricgen.plan.model.fabric import Asset, FabricPlan
from fabricgen.plan.model.identity import HostId


def list_nodes(plan: FabricPlan, host: HostId) -> tuple[str, ...]:
    """Every node of a host's domain, itself included; nothing where each host is a domain.

    A node is its management address where the asset list has it, else its host name. Addresses of rails would not do: a
    connection that is not bound to a rail leaves by management.

    Args:
        plan: The plan.
        host: The host.
    """
    if plan.hosts[host.group].nvlink_domain < 2:
        return ()
    names = (plan.host_name(node) for node in domain_hosts(plan, host))
    return tuple(plan.assets.get(name, Asset()).management_ip or name for name in names)
