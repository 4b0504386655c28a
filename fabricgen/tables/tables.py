"""Tables of a plan: devices, links, addresses, cabling and exceptions, as rows of plain values."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from fabricgen.device.lower import Lowering
from fabricgen.device.model import Host, Port, Rail, RailLink, Switch
from fabricgen.device.wiring import host_port
from fabricgen.diagnostics.secrets import hide_secrets
from fabricgen.diagnostics.words import and_list, counted
from fabricgen.plan.model.cabling import host_links_of_host, uplinks
from fabricgen.plan.model.fabric import Asset, FabricPlan, LinkException, RawSnippet
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, LinkId
from fabricgen.plan.model.topology import Slot
from fabricgen.sizing.fabric import PLUGGABLE

Row = dict[str, str | int | float]
GATEWAY_OF = "gateway of "
"""Beginning of the purpose of an address that all leafs of a subnet of bonds have."""
OTHER_END = "ends at "
"""Mark before the device at which a link ends that is cabled unlike the plan's rule."""


def list_devices(plan: FabricPlan) -> Iterator[Row]:
    """Every switch and host: what it is and what identifies it."""
    lowering = Lowering(plan)
    for device in plan.switches():
        switch = lowering.lower_switch(device)
        yield _device_row(plan, switch, switch.cls.tier, switch.cls.model, switch.cls.platform)
    for host_id in plan.all_hosts():
        host = lowering.lower_host(host_id)
        group = host.cls.group
        yield _device_row(plan, host, group.name, group.server, group.os)


def _device_row(plan: FabricPlan, device: Switch | Host, tier: str, model: str, platform: str) -> Row:
    """One device; what only switches have is empty on a host."""
    switch = device if isinstance(device, Switch) else None
    return {
        "name": device.hostname,
        "kind": "switch" if switch else "host",
        "tier": tier,
        "place": device.place,
        "model": model,
        "platform": platform,
        "asn": switch.asn if switch else "",
        "loopback": switch.loopback if switch else "",
        **({"loopback6": switch.loopback6 if switch else ""} if plan.addressing.loopbacks.ipv6 else {}),
        "management": switch.management if switch else "",
        "state": device.state or "active",
        "serial": device.serial,
        "reason": device.reason,
    }


def _host_ends(host: Host) -> Iterator[tuple[Rail, RailLink]]:
    """Every cable of a host; a port of a bond may have none."""
    for rail in host.rails:
        for end in rail.links or (RailLink(rail.shape.port, rail.shape.interface, rail.peer, rail.peer_port),):
            if end.peer:
                yield rail, end


def list_links(plan: FabricPlan) -> Iterator[Row]:
    """Every link of which both ends are there: ends, speed, addresses; hosts first."""
    lowering, switches = Lowering(plan), plan.exceptions.switches
    # A host keeps its rails towards switches that are not there.
    absent = {plan.device_name(device) for device, found in switches.items() if found.state == "absent"}
    for host_id in plan.all_hosts():
        host = lowering.lower_host(host_id)
        for rail, end in _host_ends(host):
            if end.peer in absent:
                continue
            ends, speed = (host.hostname, end.interface, end.peer, end.peer_port), rail.shape.speed_gbps
            yield _link_row(plan, rail, ends, speed // max(1, len(rail.links)), rail.gateway, rail.gateway6)
    for device in plan.switches():
        switch = lowering.lower_switch(device)
        for port in switch.ports:
            if port.shape.side == "up":
                ends, speed = (switch.hostname, port.shape.name, port.peer, port.peer_port), port.shape.speed_gbps
                yield _link_row(plan, port, ends, speed, port.peer_address, port.peer_address6)


def _link_row(
    plan: FabricPlan, a: Rail | Port, ends: tuple[str, str, str, str], speed_gbps: int, b_address: str, b_address6: str
) -> Row:
    """One link with the addresses of both ends."""
    ipv6 = {"a_address6": a.address6, "b_address6": b_address6, "length6": a.prefix_len6 if a.address6 else ""}
    return {
        "link": a.shape.link,
        **dict(zip(("a", "a_port", "b", "b_port"), ends, strict=True)),
        "speed_gbps": speed_gbps,
        "mtu": a.shape.mtu_bytes,
        "a_address": a.address,
        "b_address": b_address,
        "length": a.prefix_len if a.address else "",
        **(ipv6 if plan.addressing.loopbacks.ipv6 else {}),
    }


def list_addresses(plan: FabricPlan) -> Iterator[Row]:
    """Every address and the same address; the gateway of bonded hosts once per leaf that answers for it."""
    lowering = Lowering(plan)
    for device in plan.switches():
        switch = lowering.lower_switch(device)
        name = switch.hostname
        yield from _addresses((name, "loopback", "loopback"), switch.loopback, 32, switch.loopback6, 128)
        yield from _addresses((name, "management", "management"), switch.management, switch.management_len, "", 0)
        if subnet := switch.host_subnet:
            vlan, link = f"vlan{subnet.vlan}", plan.links[0].name
            lengths = subnet.prefix_len, subnet.prefix_len6
            yield from _addresses((name, vlan, link), subnet.address, lengths[0], subnet.address6, lengths[1])
            at = (name, vlan, f"{GATEWAY_OF}{link}")
            yield from _addresses(at, subnet.gateway, lengths[0], subnet.gateway6, lengths[1])
        for port in switch.ports:
            shared = f"{GATEWAY_OF}{port.shape.link}" if port.bond else port.shape.link
            at = (name, port.shape.name, shared)
            yield from _addresses(at, port.address, port.prefix_len, port.address6, port.prefix_len6)
    for host_id in plan.all_hosts():
        host = lowering.lower_host(host_id)
        for rail in host.rails:
            at = (host.hostname, rail.shape.interface, rail.shape.link)
            yield from _addresses(at, rail.address, rail.prefix_len, rail.address6, rail.prefix_len6)


def _addresses(at: tuple[str, str, str], ipv4: str, length4: int, ipv6: str, length6: int) -> Iterator[Row]:
    """A row for each family in which an interface of a device has an address for a purpose."""
    for address, length in ((ipv4, length4), (ipv6, length6)):
        if address:
            device, interface, purpose = at
            yield {"address": address, "length": length, "device": device, "interface": interface, "purpose": purpose}


def list_cabling(plan: FabricPlan) -> Iterator[Row]:
    """Every assembly to plug: a cable, a breakout cable, or transceivers of cages with the fibres between them.

    A cell has one value that all links of the assembly share, or the value of each in their order.
    """
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in _list_cables(plan):
        # Links that share a cage go together: that of the lower switch, or of the upper one, whatever the other ends.
        end = "a" if re.match("[0-9]+/", str(row["a_cage"])) else "b"
        found.setdefault((_cage(row, end), row["speed_gbps"], row["media"], row["length_m"]), []).append(row)
    seen: set[tuple[str, str]] = set()
    for rows in found.values():
        sides = [{_cage(row, end) for row in rows} for end in ("a", "b")]
        is_split = len({"/" in str(rows[0][end]) for end in ("a_cage", "b_cage")}) > 1 or max(map(len, sides)) > 1
        cells = {key: _join([row[key] for row in rows], key) for key in rows[0]}
        if rows[0]["media"] in PLUGGABLE:
            cells["assembly"], cells["transceivers"] = counted(len(rows), "fibre"), len((sides[0] | sides[1]) - seen)
            seen.update(*sides)
        yield {"assembly": "breakout" if is_split else "cable", "transceivers": 0, **cells}


def _join(values: Sequence[str | int | float], key: str) -> str | int | float:
    """Return the value that all links have, or those of all in their order; of state and reason what any has."""
    if len(set(values)) == 1:
        return values[0]
    if key in ("label", "state", "reason"):
        return "; ".join(dict.fromkeys(str(value) for value in values if value))
    return " ".join(str(value) or "-" for value in values)


def _cage(row: Row, end: str) -> tuple[str, str]:
    """Return the cage at an end of a link; of a NIC whose cage no source has, its port."""
    return str(row[end]), str(row[f"{end}_cage"]).partition("/")[0] or str(row[f"{end}_port"])


def _list_cables(plan: FabricPlan) -> Iterator[Row]:
    """Every link with its cable, and port labels as they are printed on the box."""
    links = (*plan.links, *(group.link for group in plan.hosts))
    media = {link.name: (link.media, link.length_m) for link in links}
    irregular, label = irregular_links(plan), label_ports(plan)
    single = [group for group in plan.hosts if group.nic_ports == 1]
    nics = {(group.link.name, f"rail{rail.rail}"): rail.cage for group in single for rail in group.rails}
    for row in list_links(plan):
        kind, length = media[str(row["link"])]
        a, b = str(row["a"]), str(row["b"])
        change = irregular.get((a, str(row["a_port"])), LinkException())
        yield {
            "a": a,
            "a_port": row["a_port"],
            "a_cage": nics.get((str(row["link"]), str(row["a_port"]))) or label(a, row["a_port"]),
            "a_serial": plan.assets.get(a, Asset()).serial,
            "b": b,
            "b_port": row["b_port"],
            "b_cage": label(b, row["b_port"]),
            "b_serial": plan.assets.get(b, Asset()).serial,
            "speed_gbps": row["speed_gbps"],
            "media": change.media or kind,
            "length_m": change.length_m or length,
            "label": f"{a}:{row['a_port']} -- {b}:{row['b_port']}",
            "state": change.state,
            "reason": change.reason,
        }


def label_ports(plan: FabricPlan) -> Callable[[str, object], str]:
    """Return what looks up the label of a switch's port, as printed on it, by the names of both; a host's has none."""
    switches = plan.exceptions.switches.items()
    boxes = {plan.device_name(device): found.tier for device, found in switches if found.tier is not None}
    own = {(name, slot.name): _label(slot) for name, box in boxes.items() for slot in box.slots}
    labels = {(tier.name, slot.name): _label(slot) for tier in plan.tiers for slot in tier.slots}
    every = (DeviceId(tier.number, where) for tier in plan.tiers for where in tier.coordinates())
    tier_of = {plan.device_name(device): plan.tiers[device.tier].name for device in every}
    return lambda name, port: own.get((name, str(port))) or labels.get((tier_of.get(name, ""), str(port)), "")


def _label(slot: Slot) -> str:
    """A port as it is printed on the box."""
    return f"{slot.cage}/{slot.subport}" if slot.subport else str(slot.cage)


def keep_devices(rows: Iterable[Row], devices: Container[str]) -> Iterator[Row]:
    """Return the rows that concern one of the devices: a link does if one of its ends does."""
    for row in rows:
        if "a" in row:
            names: list[object] = [*f"{row['a']} {row['b']}".split()]
        elif row.get("kind") == "link":
            names = [end.partition(":")[0] for end in str(row["name"]).split(" -- ")]
            names.append(str(row["what"]).partition(OTHER_END)[2].partition(",")[0])
        else:
            names = [row["device"] if "device" in row else row["name"]]
        if any(name in devices for name in names):
            yield row


def list_exceptions(plan: FabricPlan) -> Iterator[Row]:
    """Every switch, host and link that is irregular itself: in what, and why."""
    for device, exception in sorted(plan.exceptions.switches.items()):
        if exception.reason:
            own = [word for word, is_set in (("settings", exception.services or exception.watchdog),) if is_set]
            own += [plan.box_name(plan.tier_of(device)).partition(": ")[2]]
            raw = [_describe_snippet(snippet) for snippet in exception.raw]
            what = ", ".join(filter(None, [exception.state, *own, *raw])) or "settings"
            yield {"kind": "switch", "name": plan.device_name(device), "what": what, "reason": exception.reason}
    for host, exception in sorted(plan.exceptions.hosts.items()):
        if host in plan.planned.hosts:
            continue
        yield {"kind": "host", "name": plan.host_name(host), "what": exception.state, "reason": exception.reason}
    for link, change in sorted(plan.exceptions.links.items(), key=lambda item: _ends(plan, item[0])):
        if link in plan.planned.links:
            continue
        lower, upper, port = _ends(plan, link)
        yield {
            "kind": "link",
            "name": f"{lower}:{port} -- {upper}",
            "what": ", ".join(_changes(plan, link, change)) or "another port",
            "reason": change.reason,
        }


def _describe_snippet(snippet: RawSnippet) -> str:
    """The file of a snippet and, of one that overrides managed values, which, for whom and until when."""
    if not snippet.overrides:
        return snippet.file
    until = f" ({snippet.owner}, until {snippet.expires})" if snippet.owner else ""
    overrides = list(map(hide_secrets, snippet.overrides))
    return f"{snippet.file} overrides {and_list(overrides)}{until}"


def irregular_links(plan: FabricPlan) -> dict[tuple[str, str], LinkException]:
    """Return what is irregular about a link, by name and port of its lower end."""
    found = {}
    for link, change in plan.exceptions.links.items():
        lower, _, port = _ends(plan, link)
        found[lower, port] = change
    return found


def _ends(plan: FabricPlan, link: LinkId) -> tuple[str, str, str]:
    """Lower end, upper end by the regular plan, and port of the lower end."""
    if isinstance(link, FabricLinkId):
        tier = plan.tiers[link.lower.tier]
        found = plan.exceptions.switches.get(link.lower)
        box = found.tier if found and found.tier else tier
        regular = next(each for each in uplinks(plan, tier, link.lower.where) if each.lower_position == link.position)
        port = box.slots[box.up.slots[link.position]].name if box.up else ""
        return plan.device_name(link.lower), plan.device_name(regular.upper_end), port
    own = next(each for each in host_links_of_host(plan, link.host) if (each.rail, each.port) == link[1:])
    port = host_port(plan.hosts[link.host.group], own)
    return plan.host_name(link.host), plan.device_name(own.upper_end), port


def _changes(plan: FabricPlan, link: LinkId, change: LinkException) -> Iterator[str]:
    """Yield what is irregular about a link, in words."""
    if change.state:
        yield change.state
    if change.end is not None:
        tier = link.lower.tier + 1 if isinstance(link, FabricLinkId) else 0
        yield f"{OTHER_END}{plan.device_name(DeviceId(tier, change.end))}"
    if change.length_m:
        yield f"{change.length_m:g} m"
    if change.media:
        yield change.media
    if change.mtu_bytes:
        yield f"mtu {change.mtu_bytes}"


TABLES: dict[str, Callable[[FabricPlan], Iterator[Row]]] = {
    "devices": list_devices,
    "links": list_links,
    "addresses": list_addresses,
    "cabling": list_cabling,
    "exceptions": list_exceptions,
}
"""Lists that ``show`` can print, by name."""
