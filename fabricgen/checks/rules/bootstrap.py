"""Rules on the interface that ranks meet over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import Related, Severity

INTERFACE = ("collectives", "socket_interface")
_RAIL = re.compile(r"rail\d+([p.].*)?")
_LOCAL = re.compile(r"lo|docker\d*|virbr\d.*")
_SOCKET = "NVIDIA/nccl, src/misc/socket.cc"


@rule(
    "FG-HST-050",
    "Bootstrap interface that is a rail",
    severity=Severity.WARNING,
    why="Ranks meet by TCP over this interface of every host. Over a rail that traffic shares links with RDMA in "
    "another class, and one dead NIC or leaf keeps jobs from starting that the other rails could carry.",
    fix="Name the management interface, or leave socket_interface out: any but rails, bridges and the loopback.",
    source=f"{_SOCKET}; NCCL user guide, NCCL_SOCKET_IFNAME",
)
def check_no_rail(view: IntentView) -> Iterator[Finding]:
    """Bootstrap does not run over a rail."""
    name = view.intent.collectives.socket_interface or ""
    if _RAIL.fullmatch(name):
        yield Finding(
            f"socket_interface is {name}, a rail",
            INTERFACE,
            hint="name the management interface, for example socket_interface: eno1, or remove the key",
            value=None,
            related=tuple(
                Related(f"the rails of {group}", host_path(view, group, "server"))
                for group in sorted(view.intent.hosts)
            ),
        )


@rule(
    "FG-HST-051",
    "Bootstrap interface that reaches no other host",
    why="Each rank would announce an address of its own machine, and no job with ranks on two hosts would start.",
    fix="Name the management interface, or leave socket_interface out.",
    source=_SOCKET,
)
def check_leaves_host(view: IntentView) -> Iterator[Finding]:
    """Bootstrap does not run over a loopback or a bridge inside the host."""
    name = view.intent.collectives.socket_interface or ""
    if _LOCAL.fullmatch(name):
        yield Finding(
            f"socket_interface is {name}, which ends inside the host",
            INTERFACE,
            hint="name the management interface, for example socket_interface: eno1, or remove the key",
            value=None,
        )
