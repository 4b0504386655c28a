"""Both ends of a found switch's links: what descriptions say of the other end, and which session runs over one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_interface, ip_network

from fabricgen.platforms.found import FoundPort, FoundSession

_HEADS = re.compile(r"^(?:P2P_(?:LINK_TO_)?|MLAG_(?:PEER_)?|L2_|SERVER_)?")
_BLOCK = re.compile(r"permit (\S+/[0-9]+) .*?([0-9]+)")
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


def is_interface(word: str) -> bool:
    """Return whether a word is an address with its prefix length, and not a link-local one."""
    try:
        return "/" in word and not ip_interface(word).is_link_local
    except ValueError:
        return False


def is_pool(network: str, longest: int) -> bool:
    """Return whether a rule for prefixes inside a network, up to a length, may be that of a pool: not all, not one."""
    try:
        return 0 < ip_network(network).prefixlen < longest
    except ValueError:
        return False


def find_pools(lists: Mapping[str, object]) -> Iterator[str]:
    """Yield the networks of prefix lists, among the commands of a file, that may be those of pools."""
    for name, rules in lists.items():
        if name.startswith(("ip prefix-list ", "ipv6 prefix-list ")) and isinstance(rules, dict):
            blocks = filter(None, (_BLOCK.fullmatch(str(rule)) for rule in rules.values()))
            yield from (found[1] for found in blocks if is_pool(found[1], int(found[2])))


def find_linked(sessions: Sequence[FoundSession], ports: Sequence[FoundPort]) -> FoundSession | None:
    """Return the first session that runs over a link of a port; the first of all where none does."""
    networks = [ip_interface(address).network for port in ports if port.is_up for address in port.addresses]
    for session in sessions:
        peer = None if session.is_port else ip_address(session.peer)
        if peer is None or any(peer in network for network in networks if network.version == peer.version):
            return session
    return next(iter(sessions), None)
