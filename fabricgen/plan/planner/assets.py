"""The asset list by host name: rows folded, held against each other and against the devices there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fabricgen.diagnostics import Bag, Code, Nearest, Related, Severity, register
from fabricgen.diagnostics.words import counted
from fabricgen.intent.assets import AssetRow
from fabricgen.plan.model.fabric import Asset, FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.model.topology import HostGroup
from fabricgen.plan.planner.exceptions.links import Names, find_names, list_names, other_name

_DOCS = "docs/intent.md, assets"

UNKNOWN_DEVICE = register(
    "FG-HST-021",
    "Asset of no device",
    severity=Severity.WARNING,
    why="Serial, addresses and rails of a misspelt name would be used nowhere, without a word.",
    fix="Write the name as `fabricgen show INVENTORY devices` has it; ignore it for devices that come later.",
    source=_DOCS,
)
CONTRADICTION = register(
    "FG-HST-022",
    "Assets that contradict each other or the fabric",
    why="A rail would be bound to another NIC, or two machines to one address; or the row would be used nowhere.",
    fix="Correct the row.",
    source="docs/intent.md, assets; RFC 5227 section 1",
)
PCI_OF_OTHER_RAIL = register(
    "FG-HST-054",
    "PCI address that the catalog has for another rail",
    why="The rail's address and name go to the NIC beside another GPU, which is cabled to another leaf: neither of the "
    "two rails comes up, or GPUs send through the wrong NIC.",
    fix="Correct rail or pci; waive it if the server is wired so, or describe it in a catalog file of your own.",
    source="The server's file in the catalog",
    waivable=True,
)
PCI_NOT_OF_SERVER = register(
    "FG-HST-055",
    "PCI address that the catalog does not have of this server",
    severity=Severity.WARNING,
    why="A server of that model has its NICs at other addresses: the address is mistyped, or the server is another "
    "one and its GPUs, switches and NUMA nodes are not those of the catalog either.",
    fix="Correct pci or the server's name; or write the addresses to a catalog file beside the inventory.",
    source="The server's file in the catalog",
)


_NONE = Asset()


class _Port(NamedTuple):
    """Subject of a row: a device, or a port of a rail's NIC."""

    hostname: str
    rail: int | None
    port: int

    def __str__(self) -> str:
        """In words."""
        if self.rail is None:
            return self.hostname
        return f"rail {self.rail}{f' port {self.port}' if self.port else ''} of {self.hostname}"


def build_assets(rows: Sequence[AssetRow], bag: Bag) -> dict[str, Asset]:
    """Fold the rows of each device into one asset; what they say twice and differently is diagnosed."""
    found: dict[str, Asset] = {}
    values: dict[tuple[_Port, str], tuple[str, AssetRow]] = {}
    owners: dict[tuple[str, ...], tuple[_Port, AssetRow]] = {}
    for row in rows:
        about = device = _Port(row.hostname, row.rail, row.port)
        if row.rail is not None and (row.serial or row.management_interface):
            device = _Port(row.hostname, None, 0)
        if row.serial:
            owner = owners.setdefault(("serial", row.serial), (device, row))
            if owner[0].hostname != row.hostname:
                _report(f"serial {row.serial} belongs to {owner[0]} and to {device}", row, owner[1], bag)
        if row.management_interface:
            first = values.setdefault((device, "management_interface"), (row.management_interface, row))
            if first[0] != row.management_interface:
                message = f"management_interface of {device} is {row.management_interface} here and {first[0]} above"
                _report(message, row, first[1], bag)
        for column, value, scope in _values(row):
            earlier = values.setdefault((about, column), (value, row))
            if earlier[0] != value:
                _report(f"{column} of {about} is {value} here and {earlier[0]} above", row, earlier[1], bag)
            owner = owners.setdefault((column, value, *scope), (about, row))
            if owner[0] != about and (None not in (owner[0].rail, about.rail) or owner[0].hostname != about.hostname):
                _report(f"{column} {value} belongs to {owner[0]} and to {about}", row, owner[1], bag)
        found[row.hostname] = _folded(found.get(row.hostname, _NONE), row)
    return found


def check_assets(plan: FabricPlan, rows: Sequence[AssetRow], bag: Bag) -> None:
    """Hold the list against the devices of the fabric."""
    names = find_names(plan, {row.hostname for row in rows})
    _report_unknown(plan, [row for row in rows if row.hostname not in names], bag)
    for row in rows:
        identity = names.get(row.hostname)
        fault = _fault(plan, row, identity) if identity is not None else ""
        if fault:
            _report(fault, row, None, bag)
    _check_pci(plan, rows, names, bag)


def _report_unknown(plan: FabricPlan, unknown: list[AssetRow], bag: Bag) -> None:
    """Report rows of no device, once; a new name that was refused is reported elsewhere."""
    rules, wanted = plan._replace(own={}), {row.planned_name for row in unknown} - {""}
    planned = find_names(rules, wanted) if wanted else {}
    unknown = [row for row in unknown if row.planned_name not in planned]
    if not unknown:
        return
    first, count = unknown[0], len({row.hostname for row in unknown})
    name = first.planned_name or first.hostname
    others = f", nor {counted(count - 1, 'more name')} of the list" if count > 1 else ""
    known = [each for _, each in list_names(rules if first.planned_name else plan)]
    near = other_name(plan, name) or Nearest().find(name, known, cutoff=0.8)
    hint = f"did you mean {near}?" if near else ""
    place = first.at("planned_name") if first.planned_name else first.place
    bag.add(UNKNOWN_DEVICE, f"the fabric has no device {name}{others}", place=place, hint=hint)


def _check_pci(plan: FabricPlan, rows: Sequence[AssetRow], names: Names, bag: Bag) -> None:
    """Hold PCI addresses against the catalog's; one finding for each kind of fault, host group and rail."""
    found: dict[tuple[Code, int, int], list[tuple[AssetRow, str, int | None]]] = {}
    for row in rows:
        identity = names.get(row.hostname)
        if not row.pci or row.rail is None or not isinstance(identity, HostId):
            continue
        rails = {rail.rail: rail.nic_bdf for rail in plan.hosts[identity.group].rails if rail.nic_bdf}
        known = rails.get(row.rail, "")
        if not known or _card(row.pci) == _card(known):
            continue
        other = next((rail for rail, bdf in rails.items() if _card(bdf) == _card(row.pci)), None)
        code = PCI_NOT_OF_SERVER if other is None else PCI_OF_OTHER_RAIL
        found.setdefault((code, identity.group, row.rail), []).append((row, known, other))
    for (code, number, _), each in found.items():
        _report_pci(code, plan.hosts[number], each, bag)


def _report_pci(code: Code, group: HostGroup, faulty: Sequence[tuple[AssetRow, str, int | None]], bag: Bag) -> None:
    """Report the first of some rows with the address that the catalog has, and the rail that has the row's."""
    row, known, other = faulty[0]
    nearby = "" if other is None else f", and rail {other} at {row.pci}"
    others = len({row.hostname for row, *_ in faulty}) - 1
    more = f"; the same on {counted(others, 'more NIC')}" if others else ""
    message = f"rail {row.rail} of {row.hostname} is at {row.pci}; {group.server} has it at {known}{nearby}{more}"
    hint = f"use {known}"
    bag.add(code, message, place=row.place, hint=hint, related=[Related("the server", ("hosts", group.name, "server"))])


def _card(bdf: str) -> str:
    """Return a PCI address without the function."""
    return bdf.partition(".")[0]


def _values(row: AssetRow) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Column, value, and the scope in which the value must be unique, for each value of a row."""
    named = {"mac": row.mac, "management_mac": row.management_mac, "management_ip": row.management_ip, "pci": row.pci}
    for column, value in named.items():
        if value:
            yield column, value, (row.hostname,) if column == "pci" else ()


def _report(message: str, row: AssetRow, other: AssetRow | None, bag: Bag) -> None:
    related = [Related("the other row", place=other.place)] if other else []
    bag.add(CONTRADICTION, message, place=row.place, related=related)


def _folded(old: Asset, row: AssetRow) -> Asset:
    """An asset with what one more row says of it."""
    at = (row.rail or 0, row.port)
    return Asset(
        row.serial or old.serial,
        old.mac if row.rail is not None else row.mac or old.mac,
        (*old.rail_macs, (*at, row.mac)) if row.rail is not None and row.mac else old.rail_macs,
        (*old.rail_bdfs, (*at, row.pci)) if row.rail is not None and row.pci else old.rail_bdfs,
        row.management_ip or old.management_ip,
        row.management_interface or old.management_interface,
    )


def _fault(plan: FabricPlan, row: AssetRow, identity: DeviceId | HostId) -> str:
    """Return what is wrong with the rail and port, or the management interface, of a row; empty if nothing is."""
    if isinstance(identity, DeviceId):
        column = "management_interface" if row.management_interface else ""
        what = column if row.rail is None else f"rail {row.rail}"
        return f"{row.hostname} is a switch and has no {what}" if what else ""
    group = plan.hosts[identity.group]
    if row.rail is None:
        return ""
    if row.rail not in {rail.rail for rail in group.rails}:
        last = len(group.rails) - 1
        return f"{row.hostname} has no rail {row.rail}; its rails are 0 to {last}" if group.rails else ""
    if row.port >= group.nic_ports:
        count = f"{group.nic_ports} ports" if group.nic_ports > 1 else "one port"
        return f"rail {row.rail} of {row.hostname} has no port {row.port}; its NIC has {count}, counted from 0"
    return ""
