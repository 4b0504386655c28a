"""Judgement of cables, ports and transceivers: neighbors that LLDP reports, speeds of links, alarms of optics."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from fabricgen.platforms.observations import records
from fabricgen.platforms.observations.records import BIAS, LEVELS, RX_POWER, TX_POWER, Level, Module
from fabricgen.state.expected import Expected, ExpectedLink
from fabricgen.state.findings import CABLES, OPTICS, PORTS, CheckResult, StateFinding, judged

_EMPTY = "none"
_ACTIVE = "active"
_COLUMNS = {"speed_gbps": "speed", "fec": "FEC", "mtu_bytes": "MTU"}


def judge_cables(expected: Expected, seen: Sequence[records.LldpNeighbor]) -> CheckResult:
    """Return whether LLDP reports the planned neighbor on every cabled port, and none on the others."""
    neighbors: dict[str, list[records.LldpNeighbor]] = {}
    for neighbor in seen:
        neighbors.setdefault(expected.aliases.get(neighbor.port, neighbor.port), []).append(neighbor)
    planned = {link.port: link for link in expected.links}
    findings = [found for link in expected.links for found in _judge_cable(link, neighbors.get(link.port, []))]
    findings += [
        StateFinding(port, "no neighbor", _name(neighbors[0]))
        for port, neighbors in neighbors.items()
        if port in expected.ports and port not in planned
    ]
    return judged(CABLES, len(expected.links), findings)


def _judge_cable(link: ExpectedLink, neighbors: Sequence[records.LldpNeighbor]) -> Iterator[StateFinding]:
    wanted = f"{link.peer} {link.peer_port}"
    if not neighbors:
        yield StateFinding(link.port, wanted, "no neighbor")
    elif not any(is_planned(link, neighbor) for neighbor in neighbors):
        yield StateFinding(link.port, wanted, _name(neighbors[0]))


def is_planned(link: ExpectedLink, neighbor: records.LldpNeighbor) -> bool:
    """Return whether a neighbor is the planned one; firmware of NICs may name itself by its MAC address only."""
    names = {name.lower() for name in link.peer_names}
    macs = {mac_digits(name) for name in link.peer_names} - {""}
    if macs & {mac_digits(neighbor.peer_port), mac_digits(neighbor.chassis)}:
        return True
    return host_name(neighbor.device) == link.peer.lower() and any(name in names for _, name in list_keys(neighbor))


def list_keys(neighbor: records.LldpNeighbor) -> Iterator[tuple[str, str]]:
    """Yield a neighbor's device with everything it may call its port; descriptions count where the id is a MAC."""
    device = host_name(neighbor.device)
    yield device, neighbor.peer_port.lower()
    if mac_digits(neighbor.peer_port):
        yield device, neighbor.description.lower()


def host_name(name: str) -> str:
    """Return a name without its domain."""
    return name.partition(".")[0].lower()


def mac_digits(text: str) -> str:
    """Return the digits of a MAC address in any of its notations; empty for anything else."""
    digits = text.lower().replace(":", "").replace("-", "").replace(".", "")
    return digits if len(digits) == 12 and all(each in "0123456789abcdef" for each in digits) else ""


def _name(neighbor: records.LldpNeighbor) -> str:
    return f"{neighbor.device or neighbor.chassis or 'a neighbor without name'} {neighbor.peer_port}".strip()


def judge_ports(
    expected: Expected, seen: Sequence[records.PortState], modes: Sequence[records.PortState] = ()
) -> CheckResult:
    """Return whether every cabled port is up with the planned speed, FEC and MTU."""
    fec = {mode.port: mode.fec for mode in modes}
    known = {
        expected.aliases.get(port.port, port.port): port._replace(fec=port.fec or fec.get(port.port, ""))
        for port in seen
    }
    findings = [
        found._replace(about=f"to {link.peer} {link.peer_port}")
        for link in expected.links
        for found in _judge_port(link, known.get(link.port))
    ]
    columns = {column for port in known.values() for column in _COLUMNS if getattr(port, column)}
    unread = [text for link in expected.links for text in _list_unread(link, known.get(link.port), columns)]
    return judged(PORTS, len(expected.links), findings, unread)


def _list_unread(link: ExpectedLink, port: records.PortState | None, columns: Collection[str]) -> Iterator[str]:
    """Yield what the answer does not have of a cabled port: its state, its speed, or what other ports have."""
    if port is None or port.up is False:
        return
    wanted = [column for column in _COLUMNS if column in columns and (column != "fec" or link.fec)]
    wanted += ["speed_gbps"] if link.speed_gbps and "speed_gbps" not in columns else []
    missing = "state" if port.up is None else next((each for each in wanted if not getattr(port, each)), "")
    if missing:
        yield f"the {_COLUMNS.get(missing, missing)} of {link.port}"


def judge_rdma(expected: Expected, seen: Sequence[records.RdmaDevice]) -> list[StateFinding]:
    """Return the cabled NIC ports whose RDMA device is not active; ports of a bond share one, at any of them."""
    devices = {device.port: device for device in seen}
    shared = expected.bonded and any(link.port in devices for link in expected.links)
    findings = []
    for link in expected.links:
        device = devices.get(link.port)
        about = f"to {link.peer} {link.peer_port}"
        if device is not None and device.state != _ACTIVE:
            findings.append(StateFinding(link.port, "RDMA device active", f"{device.name} {device.state}", about))
        elif device is None and not shared:
            findings.append(StateFinding(link.port, "RDMA device active", "no RDMA device", about))
    return findings


def _judge_port(link: ExpectedLink, port: records.PortState | None) -> Iterator[StateFinding]:
    if port is None:
        yield StateFinding(link.port, "up", "no such port")
        return
    if port.up is False:
        yield StateFinding(link.port, "up", _why_down(port))
    elif port.speed_gbps is not None and link.speed_gbps and port.speed_gbps != link.speed_gbps:
        yield StateFinding(link.port, f"{link.speed_gbps} Gb/s", f"{port.speed_gbps:g} Gb/s")
    if port.fec and link.fec and port.fec != link.fec:
        yield StateFinding(link.port, f"FEC {link.fec}", f"FEC {port.fec}")
    if port.mtu_bytes is not None and port.mtu_bytes != link.mtu_bytes:
        yield StateFinding(link.port, f"MTU {link.mtu_bytes}", f"MTU {port.mtu_bytes}")


def _why_down(port: records.PortState) -> str:
    if port.admin_up is False:
        return "switched off"
    return "down, no transceiver" if port.optic == _EMPTY else "down"


_BY_LANE = frozenset((RX_POWER, TX_POWER, BIAS))


def judge_optics(expected: Expected, modules: Sequence[Module], seen: Sequence[Level]) -> CheckResult:
    """Return whether nothing that a transceiver of a cabled port measures is beyond its own alarm thresholds.

    A transceiver that shows no thresholds, such as a copper cable, has nothing that could be beyond them. Where only
    some ports of a cage are cabled, lanes are dark that should be; there its temperature and voltage alone are judged.
    """
    planned = {link.port: link for link in expected.links}
    found: dict[tuple[str, str, bool], list[Level]] = {}
    for level in seen:
        port = expected.aliases.get(level.port, level.port)
        if port not in planned or (port in expected.shared_cages and level.name in _BY_LANE):
            continue
        if level.alarm == "low" or (level.low is not None and level.value < level.low):
            found.setdefault((port, level.name, False), []).append(level)
        elif level.alarm == "high" or (level.high is not None and level.value > level.high):
            found.setdefault((port, level.name, True), []).append(level)
    read = {expected.aliases.get(module.port, module.port) for module in modules}
    unread = [f"the transceiver of {port}" for port in planned if port not in read]
    return judged(OPTICS, len(planned), list(_describe_levels(planned, found)), unread)


def _describe_levels(
    planned: dict[str, ExpectedLink], found: dict[tuple[str, str, bool], list[Level]]
) -> Iterator[StateFinding]:
    """Yield one finding for each quantity of a port, with the lane that is farthest off."""
    for (port, name, is_high), levels in found.items():
        worst = (max if is_high else min)(levels, key=lambda level: level.value)
        lane = "" if worst.lane is None else f"lane {worst.lane} "
        limit = worst.high if is_high else worst.low
        alarm = "" if limit is None else f", alarm {limit:.1f} {LEVELS[name]}"
        link = planned[port]
        about = f"{lane}{_show_level(worst)}{alarm}, to {link.peer} {link.peer_port}"
        end = "above its high alarm" if is_high else "below its low alarm"
        yield StateFinding(port, f"{name} within its alarms", end, about)


def _show_level(level: Level) -> str:
    if level.value == float("-inf"):
        return "no light"
    return f"{level.value:.1f} {LEVELS[level.name]}"
