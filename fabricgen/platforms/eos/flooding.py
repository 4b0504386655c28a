"""Lines of a startup-config that would flood lossless packets to every port of a VLAN.

A bond's leg that sends nothing loses its MAC entry while its ARP entry stays: the switch goes on saying that the host
is here, and floods every packet to it. In a class under PFC that can end in a deadlock.

Source:
    Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.2; Arista EOS User Manual, show
    running-config all of EOS 4.21.7M (batfish/batfish): ARP 14,400 s, MAC 300 s.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.platforms.reading.reader import Tree, is_tree, number_of

MAC_DEFAULT_S, ARP_DEFAULT_S = 300, 14400
"""Lifetimes where nothing is written; that of ND is taken to be ARP's."""
GUARD = "storm-control unknown-unicast"
_UNSET = ("", "no", "yes")


def list_floods(tree: Tree) -> Iterator[str]:
    """Name each VLAN whose neighbours outlive their MAC entries, and each of its ports without a limit."""
    sections = {name.removeprefix("interface "): part for name, part in tree.items() if name.startswith("interface ")}
    ports = {name: part for name, part in sections.items() if is_tree(part) and "switchport access vlan" in part}
    lossless = {name: part for name, part in ports.items() if _pauses(tree, part)}
    vlans = {str(part["switchport access vlan"]) for part in lossless.values()}
    for number in sorted(vlans, key=int):
        yield from _vlan(tree, f"Vlan{number}", sections.get(f"Vlan{number}"))
    for name, part in sorted(lossless.items()):
        if "channel-group" not in part and str(part.get(GUARD, "")) in _UNSET:
            yield f"{name} has no {GUARD}"


def _vlan(tree: Tree, name: str, part: object) -> Iterator[str]:
    """Neighbours of a VLAN that live as long as their MAC entries; a MAC entry that never ages is safe."""
    mac_s = _seconds(tree, "mac address-table aging-time", MAC_DEFAULT_S)
    if not isinstance(part, dict) or not mac_s:
        return
    lifetimes = []
    if "ip address" in part:
        default_s = _seconds(tree, "arp aging timeout default", ARP_DEFAULT_S)
        lifetimes.append(("ARP", _seconds(part, "arp aging timeout", default_s)))
    if any(key.startswith("ipv6 address") for key in part):
        lifetimes.append(("ND", _seconds(part, "ipv6 nd cache expire", ARP_DEFAULT_S)))
    for what, lifetime_s in lifetimes:
        if lifetime_s >= mac_s:
            yield f"{name} keeps {what} entries for {lifetime_s} s, MAC entries for {mac_s}"


def _seconds(part: Tree, key: str, default: int) -> int:
    value = number_of(part.get(key))
    return default if value is None else value


def _pauses(tree: Tree, port: Tree) -> bool:
    """Return whether the profile of a port has a priority under PFC."""
    profile = tree.get(f"qos profile {port.get('service-profile', '')}")
    return isinstance(profile, dict) and any(
        key.startswith("priority-flow-control priority") and value == "no-drop" for key, value in profile.items()
    )
