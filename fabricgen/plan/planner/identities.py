"""Values that single devices have of their own, names, numbers and addresses, held against rules, pools and each other.

They change those devices alone: a value that the rules give another device is refused as soon as that device is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from fabricgen.diagnostics import Bag, Code, IntentPath, Place, Related, Severity, register
from fabricgen.diagnostics.words import counted
from fabricgen.intent.assets import OWN, AssetRow, find_fault, pack, read_own
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.types import IPAddress, IPNetwork, cidr_merge
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId, Identity
from fabricgen.plan.planner.assets import CONTRADICTION
from fabricgen.plan.planner.exceptions import exception_codes
from fabricgen.plan.planner.exceptions.links import find_names, list_names, name_of
from fabricgen.plan.planner.numbering import find_gateway

declare = partial(register, source="docs/intent.md, assets")

TAKEN_NAME = register(
    "FG-TOP-087",
    "Own name that another device has",
    why="One device's files would overwrite the other's; DNS and LLDP take names that differ in case only for one.",
    fix="Give one of the two another name; a device that has its name by the pattern takes a row with planned_name.",
    source="RFC 4343 section 3 (case of names); docs/intent.md, assets",
)
TAKEN = register(
    "FG-ADR-053",
    "Own number or address that another device has",
    why="Traffic of one goes to the other, or a switch refuses the other's routes as its own.",
    fix="Give one of the two another value; a device that has it by the rules takes a row with one of its own.",
    source="RFC 4271 section 9.1.2 (AS numbers); RFC 6286 section 2.1 (router ids); RFC 5227 section 1 (addresses)",
)
IN_POOL = declare(
    "FG-ADR-054",
    "Own address in a pool of another kind",
    why="A link or a host has that address, now or when the fabric grows.",
    fix="Correct the address, or move the pool. Outside all pools an own address is welcome.",
)
AS_PLANNED = declare(
    "FG-ADR-056",
    "Own value that the device has anyway",
    severity=Severity.INFO,
    why="It changes nothing, until a change of the rules moves all other devices and not this one.",
    fix="Leave it out, or keep it to pin the value.",
)
NO_SUBNET = register(
    "FG-ADR-057",
    "Own management address without its subnet or gateway",
    why="A switch whose gateway is not in its management subnet is reached from that subnet only.",
    fix="Write the prefix, 10.1.2.3/24, and management_gateway where it is neither the first nor the last address.",
    source="RFC 1122 section 3.3.1",
)
_FIELDS = {"asn": "asn", "loopback": "loopback", "loopback6": "loopback6", "management_ip": "management"}
_FIELDS |= {"hostname": "name", "router_id": "router_id"}
"""Columns of values that no two devices share, and the fields of an identity."""
_POOLS = {"loopback": "loopbacks", "loopback6": "loopbacks", "management_ip": "management"}
"""Columns of addresses, and the pool that such addresses are of."""

Device = DeviceId | HostId


class Claim(NamedTuple):
    """A value that the intent gives a device, and where: a cell, or the key of an exception."""

    device: Device
    column: str
    value: str
    path: IntentPath
    row: AssetRow | None = None

    @property
    def place(self) -> Place | None:
        """Return the place of its cell."""
        return self.row.at(self.column) if self.row else None

    @property
    def key(self) -> tuple[str, str]:
        """Return what no other device may have."""
        return self.column, self.value.partition("/")[0].lower()

    def report(self, bag: Bag, code: Code, message: str, hint: str = "", other: Claim | None = None) -> None:
        """Add a diagnostic about it."""
        related = [Related("the other one", other.path, other.place)] if other else []
        bag.add(code, message, () if self.row else self.path, place=self.place, hint=hint, related=related)


def rename(plan: FabricPlan, rows: Sequence[AssetRow], bag: Bag) -> tuple[FabricPlan, list[Claim]]:
    """Return the plan with the names that rows give devices, and those names; ``add_own`` judges them."""
    wanted = {row.planned_name for row in rows if row.planned_name}
    planned = find_names(plan, wanted) if wanted else {}
    named = (
        Claim(planned[row.planned_name], "hostname", row.hostname, ("assets",), row)
        for row in rows
        if row.planned_name in planned
    )
    claims = _settle(plan, named, bag)
    return plan._replace(own={claim.device: Identity(name=claim.value) for claim in claims}), claims


def add_own(
    plan: FabricPlan, named: Sequence[Claim], rows: Iterable[AssetRow], intent: FabricIntent, bag: Bag
) -> FabricPlan:
    """Return a plan of renamed devices with all that they have of their own; what is refused is left out."""
    others = [*_of_rows(plan, rows, bag), *_of_exceptions(plan, intent, bag)]
    claims = [*named, *_settle(plan, others, bag)]
    if not claims:
        return plan
    own, a = _Judge(plan, intent, claims, bag).judge(), plan.addressing
    pools = [IPNetwork(prefix) for prefix in (a.loopbacks.prefix4, a.loopbacks.prefix6) if prefix]
    loopbacks = [IPAddress(each) for mine in own.values() for each in (mine.loopback, mine.loopback6) if each]
    outside = cidr_merge([each for each in loopbacks if not any(each in pool for pool in pools)])
    return plan._replace(own=own, addressing=a._replace(own_loopbacks=tuple(map(str, outside))))


def _of_rows(plan: FabricPlan, rows: Iterable[AssetRow], bag: Bag) -> Iterator[Claim]:
    """Yield the values that rows give switches; a host has a management address only, which is not planned."""
    filled = [row for row in rows if row.own]
    names = find_names(plan, {row.hostname for row in filled}) if filled else {}
    claims = ((row, names[row.hostname], *item) for row in filled if row.hostname in names for item in row.own.items())
    for row, device, column, value in claims:
        claim = Claim(device, column, value, ("assets",), row)
        if isinstance(device, DeviceId):
            yield claim
        elif column != "management_ip" or "/" in value:
            what = "prefix in management_ip" if "/" in value else column
            claim.report(bag, CONTRADICTION, f"{row.hostname} is a host and has no {what}", "leave it out")


def _of_exceptions(plan: FabricPlan, intent: FabricIntent, bag: Bag) -> Iterator[Claim]:
    """Yield the values that exceptions set for switches."""
    placed = [each for each in intent.placed_exceptions if each.item.device and set(OWN) & set(each.item.set or ())]
    names = find_names(plan, {each.item.device or "" for each in placed}) if placed else {}
    for item, path in placed:
        device = names.get(item.device or "")
        for column in sorted(set(OWN) & set(item.set or ())):
            value, at = str((item.set or {})[column]), (*path, "set", column)
            words = find_fault(column, value)
            if words:
                message = f"{column} is {value!r}; it must be {words}"
                bag.add(exception_codes.BAD_SETTING, message, at, hint=f"write {words}")
            elif isinstance(device, DeviceId):
                yield Claim(device, column, read_own(column, value), at)


def _settle(plan: FabricPlan, claims: Iterable[Claim], bag: Bag) -> list[Claim]:
    """Return one claim for each device and column; a second one must have the same value."""
    found: dict[tuple[Device, str], Claim] = {}
    for claim in claims:
        first = found.setdefault((claim.device, claim.column), claim)
        if first.value != claim.value:
            message = f"{claim.column} of {name_of(plan, claim.device)} is {claim.value} here and {first.value} above"
            claim.report(bag, CONTRADICTION, message, "keep one of the two", first)
    return list(found.values())


class _Judge:
    """Judges claims, at most one for each device and column; the plan has the names already."""

    def __init__(self, plan: FabricPlan, intent: FabricIntent, claims: list[Claim], bag: Bag) -> None:
        self._plan, self._management, self._bag = plan, intent.addressing.management, bag
        self._claims = {(claim.device, claim.column): claim for claim in claims}
        self._same: list[Claim] = []
        self._refused: set[Device] = set()
        named = {
            name: getattr(plan.addressing, name) for name in ("loopbacks", "fabric_links", "host_links", "management")
        }
        self._pools = [
            (name, size, _range(pool[0].to_bytes(size, "big"), pool[1]))
            for name, pools in named.items()
            for size, pool in ((4, pools and pools.ipv4), (16, pools and pools.ipv6))
            if pool
        ]

    def judge(self) -> dict[Device, Identity]:
        """Return the identities of those that have something of their own."""
        owners: dict[tuple[str, str], Claim] = {}
        holders, found = self._holders(), dict[Device, Identity]()
        for claim in sorted(self._claims.values(), key=lambda each: each.column == "router_id"):
            owner = owners.setdefault(claim.key, claim)
            other = owner if owner.device != claim.device else holders.get(claim.key)
            if claim.column in _FIELDS and self._is_fit(claim, other):
                own = found.get(claim.device, Identity(path=claim.path))
                value: Any = int(claim.value) if claim.column == "asn" else claim.value.partition("/")[0]
                own = own._replace(**{_FIELDS[claim.column]: value})
                if claim.column == "loopback":  # which the router id follows
                    own = own._replace(router_id=claim.value)
                    owners.setdefault(("router_id", claim.value), claim)
                found[claim.device] = own
        managed = dict.fromkeys(device for device, column in self._claims if column.startswith("management"))
        for device in managed.keys() - self._refused:
            if isinstance(device, DeviceId):
                found[device] = self._with_subnet(device, found.get(device, Identity(path=("assets",))))
        for claim in self._same[:1]:
            more = f"; the same of {counted(len(self._same) - 1, 'more value')}" if self._same[1:] else ""
            message = f"{claim.column} of {name_of(self._plan, claim.device)} is {claim.value} anyway{more}"
            claim.report(self._bag, AS_PLANNED, message, "leave it out, or keep it to pin the value")
        return {device: own for device, own in found.items() if any(own[:-1])}

    def _holders(self) -> dict[tuple[str, str], Device]:
        """Devices that have a claimed value by the rules, and no other one of their own."""
        wanted, found = {claim.key for claim in self._claims.values()}, dict[tuple[str, str], Device]()
        for device, name in list_names(self._plan):
            values = {"hostname": name}
            if isinstance(device, DeviceId):
                rule = self._plan.rule_of(device)
                values |= {column: str(getattr(rule, field)) for column, field in _FIELDS.items() if field != "name"}
                if (device, "loopback") in self._claims:
                    del values["router_id"]
            for column, value in values.items():
                if (column, value.lower()) in wanted and (device, column) not in self._claims:
                    found.setdefault((column, value.lower()), device)
        return found

    def _is_fit(self, claim: Claim, other: Claim | Device | None) -> bool:
        """Return whether a device gets what is claimed for it; a fault is reported."""
        if self._planned(claim) == claim.value.partition("/")[0]:
            self._same += [] if "/" in claim.value else [claim]
            return False
        if claim.column == "asn" and claim.value == str(self._plan.host_asn):
            claim.report(self._bag, TAKEN, f"asn {claim.value} is that of all hosts", "use another")
        elif other is not None and not self._share(claim, other):
            self._refuse(claim, other)
        elif claim.column not in _POOLS or not self._is_misplaced(claim):
            return True
        self._refused |= {claim.device} if claim.column == "management_ip" else set()
        return False

    def _planned(self, claim: Claim) -> str:
        """Return what the rules give a device."""
        device = claim.device
        if isinstance(device, HostId):
            return self._plan.hosts[device.group].host_name(device.where, device.host)
        loopback = self._claims.get((device, "loopback")) if claim.column == "router_id" else None
        return loopback.value if loopback else str(getattr(self._plan.rule_of(device), _FIELDS[claim.column]))

    def _share(self, claim: Claim, other: Claim | Device) -> bool:
        """Return whether two switches have one AS number by the rules too."""
        pair = (claim.device, other.device if isinstance(other, Claim) else other)
        rules = {self._plan.rule_of(each).asn for each in pair if isinstance(each, DeviceId)}
        return claim.column == "asn" and len(rules) == 1

    def _refuse(self, claim: Claim, other: Claim | Device) -> None:
        """Report that another device has the value: by a row or exception too, or by the rules."""
        column, planned = claim.column, self._planned(claim)
        code, key = (TAKEN_NAME, "planned_name") if column == "hostname" else (TAKEN, column)
        if isinstance(other, Claim):
            name = self._planned(other) if column == "hostname" else name_of(self._plan, other.device)
            hint = "change one of the two"
        else:
            name = name_of(self._plan, other)
            hint = f"change it, or give {name} a row with {key}"
        if not (isinstance(other, Claim) and other.row and claim.row and column == "management_ip"):
            message = f"{column} {claim.value} in place of {planned} is that of {name} too"
            claim.report(self._bag, code, message, hint, other if isinstance(other, Claim) else None)

    def _is_misplaced(self, claim: Claim) -> bool:
        """Return whether an address is of a family that the fabric lacks, or of a pool of another kind."""
        own, (address, _, length), fault = _POOLS[claim.column], claim.value.partition("/"), ""
        packed = pack(address)
        low, high = _range(packed, int(length or 8 * len(packed)))
        pools = {name: ends for name, size, ends in self._pools if size == len(packed)}
        foreign = [name for name, (first, last) in pools.items() if name != own and low <= last and first <= high]
        if own not in pools:
            fault, code = f"is of another family than addressing.{own}", CONTRADICTION
        elif foreign:
            fault = f"{'is a subnet with addresses of' if length else 'lies in'} addressing.{foreign[0]}"
            code = IN_POOL
        if fault:
            claim.report(self._bag, code, f"{claim.column} {claim.value} {fault}", "use an address outside all pools")
        return bool(fault)

    def _with_subnet(self, device: DeviceId, own: Identity) -> Identity:
        """An identity with the prefix length and the gateway of its management address."""
        ip, via = (self._claims.get((device, column)) for column in ("management_ip", "management_gateway"))
        rule, management = self._plan.rule_of(device), self._management
        address, length = own.management or rule.management, (ip.value if ip else "").partition("/")[2]
        subnet, gateway = IPNetwork(f"{address}/{length or rule.management_len}"), rule.management_gateway
        if via:
            gateway = via.value
        elif IPAddress(gateway) not in subnet:
            gateway = str(IPAddress(find_gateway(management.gateway, subnet), subnet.version))
        name, cause = name_of(self._plan, device), ip or via
        if not length and subnet.cidr != management.pool.cidr:
            message = f"management_ip {address} of {name} lies outside {management.pool} and has no prefix"
            hint = f"write the prefix too, such as {address}/{rule.management_len}"
        elif gateway == address or not (_is_host_of(address, subnet) and _is_host_of(gateway, subnet)):
            message = f"{name} has management_ip {subnet} and gateway {gateway}, which are no two hosts of one subnet"
            hint = f"add management_gateway, an address of {subnet.cidr}"
        else:
            if (subnet.prefixlen, gateway) != (rule.management_len, rule.management_gateway):
                own = own._replace(management_len=subnet.prefixlen, management_gateway=gateway)
            return own
        if cause:
            cause.report(self._bag, NO_SUBNET, message, hint)
        return own


def _range(packed: bytes, length: int) -> tuple[int, int]:
    """Return the first and the last address of the prefix that an address lies in."""
    size = 1 << (8 * len(packed) - length)
    first = int.from_bytes(packed) // size * size
    return first, first + size - 1


def _is_host_of(address: str, subnet: IPNetwork) -> bool:
    """Return whether an address is that of a host in a subnet: not its first, nor its last in IPv4."""
    ends = (subnet.first, subnet.last if subnet.version == 4 else subnet.first)
    return IPAddress(address) in subnet and (int(IPAddress(address)) not in ends or subnet.size <= 2)
