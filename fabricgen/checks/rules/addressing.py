"""Rules on pools and service addresses: whose they are, and which networks logins come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.diagnostics import IntentPath, Related, Severity, format_path
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.types import IPAddress, IPNetwork
from fabricgen.plan.model.identity import Coordinates, DeviceId
from fabricgen.plan.planner.exceptions.links import find_names, name_of

FABRIC_POOLS = ("loopbacks", "fabric_links", "host_links")
_LISTS = ("ntp", "syslog", "dns")
_COLLECTOR = ("operations", "sflow", "collector")


def pools_of(intent: FabricIntent) -> list[tuple[IntentPath, IPNetwork]]:
    """Every address pool with its path."""
    a = intent.addressing
    named: list[tuple[IntentPath, object]] = [
        (("addressing", name, family), getattr(getattr(a, name), family, None))
        for name in FABRIC_POOLS
        for family in dict.fromkeys(a.families)
    ]
    named.append((("addressing", "management", "pool"), a.management.pool))
    return [(path, pool) for path, pool in named if isinstance(pool, IPNetwork)]


def services_of(view: IntentView | PlanView) -> list[tuple[IntentPath, IPAddress]]:
    """Every service address that is reached over the management network, of all switches or of one, with its path."""
    ops, settings = view.intent.operations, view.intent.settings
    found: list[tuple[IntentPath, IPAddress]] = [
        (("operations", name, f"[{address}]"), address) for name in _LISTS for address in getattr(ops, name)
    ]
    if ops.tacacs:
        found += [(("operations", "tacacs", "servers", f"[{address}]"), address) for address in ops.tacacs.servers]
    lists = [each for each in settings if each.leaf[0] == "operations" and each.leaf[1] in _LISTS]
    found += [(each.path, address) for each in lists if isinstance(each.value, list) for address in each.value]
    return found + _collectors_of(view)


def _collectors_of(view: IntentView | PlanView) -> list[tuple[IntentPath, IPAddress]]:
    """Collectors of samples, unless a platform sends these through the fabric itself."""
    sflow = view.intent.operations.sflow
    platforms = [view.switch(tier.platform) for tier in view.intent.tiers.values()]
    if not sflow or any(spec and spec.switch.sflow_inband for spec in platforms):
        return []
    own = [(each.path, each.value) for each in view.intent.settings if each.leaf == _COLLECTOR]
    collectors = [(_COLLECTOR, sflow.collector), *own]
    return [(path, collector) for path, collector in collectors if isinstance(collector, IPAddress)]


@rule(
    "FG-ADR-010",
    "Address pools overlap",
    why="Two devices could get one address, and prefixes of one kind would be advertised as the other.",
    fix="Give each purpose a pool of its own.",
    source="RFC 7938 section 5.2.3; docs/intent.md, addressing",
)
def check_pools_overlap(view: IntentView) -> Iterator[Finding]:
    """No two pools share an address."""
    for (one_path, one), (other_path, other) in combinations(pools_of(view.intent), 2):
        if overlap(one, other):
            fixed = other_path[1] == "management"
            message = f"{format_path(other_path)} {other} overlaps {format_path(one_path)} {one}"
            hint = _move(view, one_path, one) if fixed else _move(view, other_path, other)
            yield Finding(message, other_path, hint=hint, related=(Related("the other pool", one_path),))


def _move(view: IntentView, path: IntentPath, pool: IPNetwork) -> str:
    """Return the hint to move a pool of the fabric, since management and services have their addresses already."""
    free = find_free(view.intent, pool, [address for _, address in services_of(view)])
    return f"move {format_path(path)}" + (f", for example to {free}" if free else "")


PRIVATE = (IPNetwork("10.0.0.0/8"), IPNetwork("172.16.0.0/12"), IPNetwork("192.168.0.0/16"))
"""Address space for private networks; RFC 1918 section 3."""


def find_free(intent: FabricIntent, pool: IPNetwork, services: Sequence[IPAddress] = ()) -> IPNetwork | None:
    """Return a private IPv4 prefix as large as a pool, with no pool of an intent and no service; None if none is."""
    used = [(other.first, other.last) for _, other in pools_of(intent) if other.version == 4]
    taken = sorted({*used, *((int(each), int(each)) for each in services if each.version == 4)})
    size = pool.last - pool.first + 1
    for space in PRIVATE if pool.version == 4 else ():
        start = space.first
        for first, last in taken:
            if first < start + size and start <= last:
                start = -(-(last + 1) // size) * size
        if start + size - 1 <= space.last:
            return IPNetwork(f"{IPAddress(start, 4)}/{pool.prefixlen}")
    return None


RESERVED = (
    (IPNetwork("0.0.0.0/8"), "is this network itself (RFC 1122)"),
    (IPNetwork("127.0.0.0/8"), "is loopback inside a machine (RFC 1122)"),
    (IPNetwork("169.254.0.0/16"), "is link-local (RFC 3927)"),
    (IPNetwork("224.0.0.0/4"), "is multicast (RFC 5771)"),
    (IPNetwork("240.0.0.0/4"), "is reserved (RFC 1112)"),
    (IPNetwork("::/127"), "is the unspecified address and loopback inside a machine (RFC 4291)"),
    (IPNetwork("::ffff:0:0/96"), "is IPv4 written as IPv6 (RFC 4291)"),
    (IPNetwork("fe80::/10"), "is link-local (RFC 4291)"),
    (IPNetwork("ff00::/8"), "is multicast (RFC 4291)"),
)
"""Ranges whose addresses no interface can be given, or none that routes, and what they are instead."""


@rule(
    "FG-ADR-014",
    "Addresses that no interface can have",
    why="Switches and hosts refuse such addresses or do not forward to them, so the fabric would not come up.",
    fix="Write the service's own address; for pools use private ones: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 "
    "(RFC 1918), or a random prefix of fd00::/8 (RFC 4193).",
    source="RFC 6890 section 2.2; IANA IPv4 and IPv6 Special-Purpose Address Registries; RFC 1122 section 3.2.1.3",
)
def check_pools_usable(view: IntentView) -> Iterator[Finding]:
    """No pool holds addresses that are set aside, and no service has one, or one that stands for a whole network."""
    for path, pool in pools_of(view.intent):
        for reserved, what in RESERVED:
            if overlap(pool, reserved):
                relation = "lies in" if pool in reserved else "holds"
                free = find_free(view.intent, pool)
                hint = f"use a private prefix, for example {free}" if free else "use a private prefix"
                yield Finding(f"{format_path(path)} {pool} {relation} {reserved}, which {what}", path, hint=hint)
    management = view.intent.addressing.management.pool
    for path, address in services_of(view):
        for reserved, what in RESERVED:
            if address in reserved:
                yield Finding(f"{address} lies in {reserved}, which {what}", path)
        last = management.version == 4 and management.prefixlen < 31 and int(address) == management.last
        if address.version == management.version and (int(address) == management.first or last):
            message = f"{address} is the {'broadcast' if last else 'network'} address of {management}"
            related = (Related("the pool", ("addressing", "management", "pool")),)
            yield Finding(message, path, hint="use the service's own address", related=related)


def overlap(one: IPNetwork, other: IPNetwork) -> bool:
    """Return whether two networks share an address."""
    return bool(one.version == other.version and one.first <= other.last and other.first <= one.last)


@rule(
    "FG-ADR-011",
    "Address that is, or will be, that of a device of the fabric",
    why="Two machines would have one address: that of a switch or NIC, at once or when the fabric grows.",
    fix="Move the fabric's pool, or use an address outside; in the management pool one of the first, left to services.",
    source="docs/intent.md, addressing",
)
def check_services_outside_pools(view: IntentView) -> Iterator[Finding]:
    """No service lives in a pool that numbers the fabric itself."""
    pools = [(path, pool) for path, pool in pools_of(view.intent) if path[1] in FABRIC_POOLS]
    for path, address in services_of(view):
        for pool_path, pool in pools:
            if address in pool:
                message = f"{address} lies inside {format_path(pool_path)} {pool}"
                hint = f"{_move(view, pool_path, pool)}; or use an address outside every pool of the fabric"
                yield Finding(message, path, hint=hint, related=(Related("the pool", pool_path),))


@rule(
    "FG-ADR-015",
    "Service of another family than the management network",
    severity=Severity.WARNING,
    why="Switches have an address and a default route of the management pool's family only, so they do not reach it.",
    fix="Use an address of the management pool's family, or give the management network the other one.",
    source="docs/intent.md, operations",
)
def check_services_in_family(view: IntentView) -> Iterator[Finding]:
    """Services are reached through the management network."""
    pool = view.intent.addressing.management.pool
    for path, address in services_of(view):
        if address.version != pool.version:
            message = f"{address} is IPv{address.version}, the management network {pool} is IPv{pool.version}"
            related = (Related("the pool", ("addressing", "management", "pool")),)
            yield Finding(message, path, hint=f"use an IPv{pool.version} address", related=related)


@rule(
    "FG-ADR-012",
    "Management gateway outside its pool",
    why="A switch cannot reach a gateway that is not on its management subnet.",
    fix="Use an address of the management pool.",
    source="RFC 1122 section 3.3.1",
)
def check_gateway_in_pool(view: IntentView) -> Iterator[Finding]:
    """The gateway is an address of the management pool, but not its first or last."""
    management = view.intent.addressing.management
    gateway = management.gateway
    if isinstance(gateway, IPAddress) and (
        gateway not in management.pool or gateway in (management.pool.network, management.pool.broadcast)
    ):
        message = f"gateway {gateway} is no host address of {management.pool}"
        path = ("addressing", "management", "gateway")
        related = (Related("the pool", ("addressing", "management", "pool")),)
        yield Finding(message, path, hint="use first, last or an address of the pool", related=related)


@further("FG-ADR-011")
def check_management_collisions(view: PlanView) -> Iterator[Finding]:
    """Services, gateway and the hosts' own management addresses keep out of the range that numbers switches."""
    pool, series = view.intent.addressing.management.pool, view.intent.addressing.series
    ranges: dict[str, list[int]] = {}
    for tier in view.plan.tiers:
        key, numbers = tier.name if "management" in series.get(tier.name, ()) else "", tier.layout.management
        ranges.setdefault(key, []).extend((numbers.base, numbers.at(_last(tier.reserved))))
    for (path, found), numbered in product(_list_reserved(view), ranges.values()):
        address, first, last = int(found), min(numbered), max(numbered)
        if found.version == pool.version and first <= address <= last:
            yield Finding(
                f"{IPAddress(address, pool.version)} is among the switches' management addresses "
                f"{IPAddress(first, pool.version)} to {IPAddress(last, pool.version)}",
                path,
                hint=f"use an address below {IPAddress(first, pool.version)}",
                related=(Related("the pool", ("addressing", "management", "pool")),),
            )


def _list_reserved(view: PlanView) -> Iterator[tuple[IntentPath, IPAddress]]:
    """Addresses that no switch may have for management: of services, of the gateway, of hosts."""
    plan = view.plan
    yield from services_of(view)
    gateway = IPAddress(plan.addressing.management_gateway, view.intent.addressing.management.pool.version)
    yield ("addressing", "management", "gateway"), gateway
    own = {name: asset.management_ip for name, asset in plan.assets.items() if asset.management_ip}
    names = find_names(plan, own) if own else {}
    hosts = (address for name, address in own.items() if not isinstance(names.get(name), DeviceId))
    yield from ((("assets",), IPAddress(address)) for address in hosts)


def _last(counts: Coordinates) -> Coordinates:
    return Coordinates(*(count - 1 for count in counts))


_UNOWNED = (
    "100.64.0.0/10 192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 198.18.0.0/15 "
    "fc00::/7 2001:db8::/32 3fff::/20 2001:2::/48"
)
OPEN = (*PRIVATE, *map(IPNetwork, _UNOWNED.split()))
"""Ranges without a particular owner: private (RFC 1918, RFC 4193), shared (RFC 6598), for documentation
(RFC 5737, RFC 3849, RFC 9637) and for benchmarks (RFC 2544, RFC 5180)."""

_EXAMPLES = {4: "10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16", 6: "a random prefix of fd00::/8"}


@rule(
    "FG-ADR-030",
    "Pool in public address space",
    severity=Severity.WARNING,
    why="The addresses belong to another network: traffic to their owner stays in the fabric, and a route that leaks "
    "counts as a hijack. Most such pools are private ones with a wrong digit.",
    fix="Use private addresses: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 (RFC 1918) or a random prefix of fd00::/8 "
    "(RFC 4193). Waive it if the range is allocated to you.",
    source="RFC 1918 section 3; RFC 4193 section 3.2; RFC 6598; IANA IPv4 and IPv6 Special-Purpose Address Registries",
)
def check_public_space(view: IntentView) -> Iterator[Finding]:
    """Every pool lies in a private range, or in one that is set aside for such uses."""
    for path, pool in pools_of(view.intent):
        if any(pool in known for known in OPEN) or any(overlap(pool, reserved) for reserved, _ in RESERVED):
            continue
        touched = next((known for known in OPEN if overlap(pool, known)), None)
        private = f" beside those of {touched}" if touched else ""
        hint = f"use {_EXAMPLES[pool.version]}, or waive this if the range is yours"
        related = (Related("the families", ("addressing", "families")),) if pool.version == 6 else ()
        yield Finding(f"{format_path(path)} {pool} holds public addresses{private}", path, hint=hint, related=related)


SHORTEST = {4: 8, 6: 16}
"""Prefixes of fewer bits than these hold other networks than the operator's own."""


@further("FG-HST-022")
def check_assets_apart(view: PlanView) -> Iterator[Finding]:
    """No device has the address of a service or of the gateway."""
    taken: dict[str, IntentPath] = {str(address): path for path, address in services_of(view)}
    management = view.plan.addressing.management
    taken.setdefault(management.text(view.plan.addressing.management_gateway), ("addressing", "management", "gateway"))
    own: dict[str, tuple[str, IntentPath]]
    own = {name: (asset.management_ip, ("assets",)) for name, asset in view.plan.assets.items() if asset.management_ip}
    own |= {name_of(view.plan, each): (mine.management, mine.path) for each, mine in view.plan.own.items()}
    for name, (address, path) in sorted(own.items()):
        if address in taken:
            message = f"management_ip {address} of {name} is also {format_path(taken[address])}"
            hint = f"correct management_ip of {name}"
            yield Finding(message, path, hint=hint, related=(Related("the same address", taken[address]),))


@rule(
    "FG-ADR-033",
    "Logins from everywhere, or from the fabric",
    severity=Severity.WARNING,
    why="The list is what keeps hosts and strangers from the switches' own services; a prefix that holds them opens "
    "SSH, SNMP and gNMI to every job.",
    fix="Name the networks that operators and collectors are in.",
    source="RFC 6192 section 3 (control plane protection); docs/intent.md, operations",
)
def check_sources(view: IntentView) -> Iterator[Finding]:
    """No source of logins holds a pool of the fabric or the whole address space."""
    pools = [(path, pool) for path, pool in pools_of(view.intent) if path[1] in FABRIC_POOLS]
    access = view.intent.operations.access
    for prefix in (access.management or ()) if access.acl else ():
        inside = [(path, pool) for path, pool in pools if overlap(prefix, pool)]
        if not inside and prefix.prefixlen >= SHORTEST[prefix.version]:
            continue
        what = and_list(f"{format_path(path)} {pool}" for path, pool in inside) or "far more than one network"
        yield Finding(
            f"{prefix} lets in {what}",
            ("operations", "access", "management", f"[{prefix}]"),
            hint="name the prefixes of operators and collectors only",
            related=tuple(Related("a pool of the fabric", path) for path, _ in inside),
        )
