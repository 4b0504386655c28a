"""View of who may open connections to the switch itself: a control-plane list per family, and gNMI's certificates.

The lists stand before NVIDIA's ``acl-default-whitelist``, which lets SSH, SNMP and gNMI in from everywhere, and behind
its ``acl-default-dos``, which lets answers in first. They refuse these services only: a rule that refuses everything is
not supported.

Source:
    CumulusNetworks/docs, Firewall Rules (control plane ACLs take precedence over acl-default-whitelist), Access Control
    List Configuration of Cumulus Linux 5.15 (Control Plane ACLs), NVUE reference, ACL and CoPP.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated

from fabricgen.device.model import Services

STEP = 10
"""Distance of rule numbers, as the documentation counts them."""
SSH_PORT = 22
SNMP_PORT = 161


@dataclass(frozen=True, slots=True)
class NvueAclRule:
    """A rule of a list: whether packets to a port are let in; ``source`` is empty where it is for all that are left."""

    number: Annotated[int, "Access.management", "Access.management6"]
    protocol: Annotated[str, "Access.acl"]
    port: Annotated[int, "Access.acl"]
    source: Annotated[str, "Access.management", "Access.management6"]
    action: Annotated[str, "Access.acl"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ControlPlaneList:
    """Prefixes of management in one family."""

    name: Annotated[str, "Access.acl"]
    family: Annotated[str, "Access.acl"]
    rules: Annotated[tuple[NvueAclRule, ...], "Access.management", "Access.management6"]


@dataclass(frozen=True, slots=True)
class NvueGnmiServer:
    """The gNMI server; NVUE knows certificates by the ids they were imported under."""

    port: Annotated[int, "Gnmi.port"]
    certificate: Annotated[str, "Gnmi.server_crt"]
    ca_certificate: Annotated[str, "Gnmi.ca_crt"]


def build_lists(services: Services) -> tuple[ControlPlaneList, ...]:
    """Return the lists of both families; none where the intent turns them off."""
    access = services.access
    if not access.acl:
        return ()
    return (
        ControlPlaneList("fabricgen-access", "ipv4", _rules(services, access.management, "Access.management")),
        ControlPlaneList("fabricgen-access6", "ipv6", _rules(services, access.management6, "Access.management6")),
    )


def _rules(services: Services, prefixes: tuple[str, ...], field: str) -> tuple[NvueAclRule, ...]:
    """Each service from the prefixes and from nowhere else."""
    ports = [("tcp", SSH_PORT, "Access.acl")]
    if services.snmp_community:
        ports.append(("udp", SNMP_PORT, "Services.snmp_community"))
    if services.gnmi:
        ports.append(("tcp", services.gnmi.port, "Gnmi.port"))
    rows = [
        (protocol, port, source, action, {"port": (why,), "source": (field,)})
        for protocol, port, why in ports
        for source, action in (*((prefix, "permit") for prefix in prefixes), ("", "deny"))
    ]
    return tuple(NvueAclRule(STEP * place, *row) for place, row in enumerate(rows, 1))


def build_gnmi(services: Services) -> NvueGnmiServer | None:
    """Return the gNMI server; None where the intent asks for none."""
    gnmi = services.gnmi
    if gnmi is None:
        return None
    return NvueGnmiServer(gnmi.port, PurePosixPath(gnmi.server_crt).stem, PurePosixPath(gnmi.ca_crt).stem)
