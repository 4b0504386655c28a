"""Both ends of a found switch's links: what descriptions say of the other end, and which session runs over one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import ip_address, ip_interface

from fabricgen.platforms.found import FoundPort, FoundSession

_HEADS = re.compile(r"^(?:P2P_(?:LINK_TO_)?|MLAG_(?:PEER_)?|L2_|SERVER_)?")
_PORT = re.compile(r"[A-Za-z]+[0-9][\w/.,-]*")


def split_description(text: str) -> tuple[str, str]:
    """Return the device and the port that a description names; two empty texts where it is prose.

    Either ``DEVICE:PORT``, or ``DEVICE_PORT`` with what AVD puts before it.

    Source:
        aristanetworks/avd 3cac535, eos_designs schema, default_underlay_p2p_ethernet_description and its kin.
    """
    sign = ":" if ":" in text else "_"
    device, _, port = _HEADS.sub("", text, count=1).rpartition(sign)
    return (device, port) if device and " " not in device and _PORT.fullmatch(port) else ("", "")


def is_address(word: str) -> bool:
    """Return whether a word is an address of either family."""
    try:
        ip_address(word)
    except ValueError:
        return False
    return True


def is_pool(network: str, longest: int) -> bool:
    """Return whether a rule for prefixes inside a network, up to a length, may be that of a pool: not all, not one."""
    length = int(network.rpartition("/")[2])
    return 0 < length < longest


def find_linked(sessions: Sequence[FoundSession], ports: Sequence[FoundPort]) -> FoundSession | None:
    """Return the first session that runs over a link of a port; the first of all where none does."""
    networks = [ip_interface(address).network for port in ports if port.is_up for address in port.addresses]
    for session in sessions:
        peer = None if session.is_port else ip_address(session.peer)
        if peer is None or any(peer in network for network in networks if network.version == peer.version):
            return session
    return next(iter(sessions), None)
