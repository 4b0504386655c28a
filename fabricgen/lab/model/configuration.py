"""Rendered files as the lab uses them: the routing configuration, and a host's kernel settings."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import NamedTuple

from fabricgen.lab.model.routing_suite import SUITE

_LEFT_OUT = re.compile(r" *(?:no )?(?:fpm |bgp suppress-fib-pending)|log syslog")
"""Lines of switches with an ASIC, and the system log: the lab's logs go to files of its own.

The forwarding plane manager is a module that is not here, and no route has to wait for a kernel. Before FRR 10.3 bgpd
never sends a withdrawal that comes while the route waits (frr 4e8eda74ec, issue 15626; seen in the lab with 8.4.4: a
leaf behind two links of a spine is gone, and its neighbors keep its routes).
"""
_ADDED = "no zebra nexthop kernel enable"
"""Kernel next hop groups keep too few members after a link flaps; plain multipath routes heal."""
_SETTING = re.compile(r"-?\s*([\w./-]+)\s*=\s*(-?\d+)\s*")


_PASSWORD = re.compile(r"(?<= password )@fabricgen-secret:\S+@")
"""A secret of the sessions. Nothing here resolves it: both ends of a session get the same stand-in, of legal length."""


def _placeholder(found: re.Match[str]) -> str:
    return f"lab-{sha256(found[0].encode()).hexdigest()[:16]}"


def adapt_commands(text: str) -> str:
    """Return commands for running daemons, changed as ``adapt_routing`` changes their configuration.

    Args:
        text: Lines as ``vtysh -f`` takes them.
    """
    return "".join(_hide(line) for line in text.splitlines(keepends=True) if not _LEFT_OUT.match(line))


def _hide(line: str) -> str:
    """Return a line with a stand-in for every secret of a session."""
    return _PASSWORD.sub(_placeholder, line)


class RoutingText(NamedTuple):
    """A routing configuration for the lab and what was changed in it."""

    text: str
    adapted: tuple[str, ...]


def adapt_routing(text: str) -> RoutingText:
    """Make a rendered routing configuration one that the daemons of this machine take."""
    kept: list[str] = []
    adapted = []
    at = 0
    for line in text.splitlines():
        if _LEFT_OUT.match(line):
            adapted.append(f"left out: {line.strip()}")
            continue
        kept.append(_hide(line))
        if line.startswith(f"{SUITE} defaults"):
            at = len(kept)
    kept.insert(at, _ADDED)
    return RoutingText("\n".join(kept) + "\n", (*adapted, f"added: {_ADDED}"))


def restore_routing(text: str, rendered: str) -> str:
    """Return what daemons run as the device would run it: ``adapt_routing`` backwards.

    Args:
        text: The running configuration of the daemons.
        rendered: The configuration that was made one for them.
    """
    lines = [line for line in text.splitlines() if line != _ADDED]
    top = section = next((line for line in lines if line.startswith(f"{SUITE} defaults")), "")
    for line in rendered.splitlines():
        if _LEFT_OUT.match(line):
            place = section if line.startswith(" ") else top
            # A section that was removed takes its lines along.
            if place in lines:
                lines.insert(lines.index(place) + 1, line)
        elif line and not line.startswith((" ", "!")):
            section = line
    return "\n".join(lines) + "\n"


def let_probes_in(rules: str, port: int) -> str:
    """A packet filter that takes the lab's own datagrams, which measure links, before it looks at anything else."""
    tables = ("ip filter", "ip6 filter")
    return rules + "".join(f"insert rule {table} input udp dport {port} accept\n" for table in tables)


def read_settings(text: str) -> dict[str, int]:
    """Network settings of a sysctl file by path below /proc/sys; the lab leaves alone what is not of a namespace."""
    found = {}
    for line in text.splitlines():
        match = _SETTING.fullmatch(line.strip())
        if match and match[1].startswith("net."):
            found[match[1].replace(".", "/")] = int(match[2])
    return found
