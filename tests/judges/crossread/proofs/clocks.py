"""PTP: a grandmaster reaches every clock, no switch follows a host, and messages are no RoCE."""

from __future__ import annotations

from ..facts import Clock, shown
from ..graph import place
from .case import Case


def prove_clocks(case: Case) -> list[str]:
    """All devices have one PTP, or none has; of a link between switches both ends may follow, of others the host's."""
    clocks = {device.name: device.clock for device in case.fabric.devices.values() if device.clock.ports}
    if not clocks:
        return []
    roles = {(name, port): role for name, clock in clocks.items() for port, role in clock.ports.items()}
    found = [f"{name}: has no clock that follows PTP" for name in case.fabric.devices if name not in clocks]
    said = {(clock.domain, clock.dscp, *sorted(clock.rates)) for clock in clocks.values()}
    if len(said) > 1:
        found.append(f"clocks differ in domain, DSCP or rates: {shown(frozenset(said))}")
    for end in (end for pair in case.switch_links for end in pair if roles.get(end) != "any"):
        found.append(f"{place(end)}: {roles.get(end, 'none')}, which no time passes over")
    for host, leaf in case.host_links:
        if roles.get(leaf) != "source":
            found.append(f"{place(leaf)}: may follow the host {host[0]} ({roles.get(leaf, 'none')})")
    followers = {host[0] for host, _ in case.host_links if roles.get(host) == "follower"}
    found += [f"{each.name}: follows no leaf" for each in case.fabric.hosts() if each.name not in followers]
    codes = {clock.dscp for clock in clocks.values()}
    for end, port in case.used_ports:
        if case.lossless & {case.priorities(port.qos).get(code, 0) for code in codes}:
            found.append(f"{place(end)}: PTP is in a lossless priority")
    return found + _reached(case, clocks)


def _reached(case: Case, clocks: dict[str, Clock]) -> list[str]:
    """From grandmasters every switch is reached."""
    waiting = [name for name, clock in clocks.items() for port in clock.outside if clock.ports[port] == "any"]
    reached = set[str]()
    while waiting:
        reached.add(name := waiting.pop())
        near = ({lower[0], upper[0]} for lower, upper in case.switch_links)
        waiting += [each for ends in near if name in ends for each in ends - reached]
    return [f"{each.name}: no grandmaster reaches it" for each in case.fabric.switches() if each.name not in reached]
