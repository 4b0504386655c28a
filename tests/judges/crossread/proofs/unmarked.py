"""RoCE packets that a host sends without a code point: marked at every leaf alike, or nowhere."""

from __future__ import annotations

from ..facts import End
from ..graph import place
from .case import Case
from .traffic import data_dscp

BITS = {"ipv4": 32, "ipv6": 128}


def _marked(case: Case, end: End) -> dict[str, tuple[int, int]]:
    """Return what a port of a switch, or its bond, makes of them."""
    port = case.port(end)
    if port is None:
        return {}
    return case.fabric.devices[end[0]].bonds[port.bond].unmarked if port.bond else port.unmarked


def prove_unmarked(case: Case) -> list[str]:
    """Marked packets get the code point of the data, at every port of a host and in its families, and nowhere else."""
    switches = [end for pair in case.switch_links for end in pair]
    found = [f"{place(end)}: marks RoCE packets between switches" for end in switches if _marked(case, end)]
    if not any(_marked(case, leaf) for _, leaf in case.host_links):
        return found
    for host, leaf in case.host_links:
        port, marked, dscp = case.port(leaf), _marked(case, leaf), data_dscp(case, host[0])
        if port is None:
            continue
        near = case.fabric.devices[leaf[0]].bonds[port.bond].addresses if port.bond else port.addresses
        absent = {name for name, bits in BITS.items() if any(a.subnet.bits == bits for a in near)} - marked.keys()
        if absent:
            found.append(f"{place(leaf)}: leaves {', '.join(sorted(absent))} packets of a host unmarked, others mark")
        for family, (code_point, traffic_class) in marked.items():
            if traffic_class not in case.lossless or case.priorities(port.qos).get(code_point) != traffic_class:
                found.append(f"{place(leaf)}: marks {family} as {code_point}, class {traffic_class}, not as data")
            elif dscp not in (None, code_point):
                found.append(f"{place(leaf)}: marks {family} as {code_point}, the host's data is {dscp}")
    return found
