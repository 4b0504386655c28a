"""The asset list: serial numbers and MAC addresses by host name, as CSV beside the intent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from netaddr import valid_ipv4, valid_ipv6

from fabricgen.diagnostics import Bag, Place
from fabricgen.source import CsvRow, read_csv
from fabricgen.validation.mistakes import BAD_VALUE

_MAC = r"(?!00(:00){5}$)[0-9a-fA-F][02468aceACE](:[0-9a-fA-F]{2}){5}"
"""A MAC address of one device: no group's, not all zeros (IEEE 802-2014, section 8.2.2)."""
_FORMS = {
    "hostname": (r"[A-Za-z0-9][A-Za-z0-9.-]{0,62}", "a host name"),
    "serial": (r"[A-Za-z0-9._/-]{0,64}", "letters, digits, dots, slashes or hyphens"),
    "mac": (rf"({_MAC})?", "the MAC address of one device, such as 00:11:22:33:44:55"),
    "management_mac": (rf"({_MAC})?", "the MAC address of one device, such as 00:11:22:33:44:55"),
    "management_ip": (r"[0-9a-fA-F.:]*", "an IP address such as 192.168.1.20"),
    "management_interface": (r"((?!rail|lo$|docker|virbr)[a-z][a-z0-9._-]{0,14})?", "an interface to other hosts"),
    "rail": (r"\d{0,3}", "the number of a rail, from 0"),
    "port": (r"[0-7]?", "the number of a NIC port, from 0 to 7"),
    "pci": (r"([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])?", "a PCI address such as 0000:1a:00.0"),
}
_OPTIONAL = ("serial", "mac", "management_mac", "management_ip", "management_interface", "rail", "port", "pci")


class AssetRow(NamedTuple):
    """One row: a device's own serial and MAC, or (with ``rail``) one port of a host's NIC."""

    hostname: str
    serial: str
    mac: str
    rail: int | None
    pci: str
    port: int = 0
    management_ip: str = ""
    place: Place | None = None
    management_mac: str = ""
    management_interface: str = ""


class AssetValue(NamedTuple):
    """A value that a device gets in the list, or a port of the NIC of one of its rails."""

    column: str
    value: str
    rail: int | None = None
    port: int = 0


def load_assets(path: Path, bag: Bag, *, inside: Path | None = None) -> list[AssetRow]:
    """Return the well-formed rows of the asset list, a CSV file that must be inside a folder whatever links lead to it.

    ``management_mac`` is only checked: the provisioning system uses it.
    """
    rows = read_csv(path, bag, required=("hostname",), optional=_OPTIONAL, inside=inside)
    return [asset for row in rows if (asset := _asset(row, bag)) is not None]


def with_values(rows: Sequence[AssetRow], hostname: str, wanted: Iterable[AssetValue], path: Path) -> list[AssetRow]:
    """Return the rows of a list with other values of a device, in the rows that have one, its first or a new one.

    A serial number is the device's, in whichever of its rows; MAC addresses are those of the subject of a row.
    """
    found = list(rows)
    for column, value, rail, port in wanted:
        own = [at for at, row in enumerate(found) if row.hostname == hostname]
        own = [at for at in own if column == "serial" or (found[at].rail, found[at].port) == (rail, port)]
        first = sorted(own, key=lambda at: found[at].rail is not None)[:1]
        own = [at for at in own if getattr(found[at], column)] or first or [len(found)]
        if own == [len(found)]:
            last = max((row.place.line for row in found if row.place), default=1)
            found.append(AssetRow(hostname, "", "", rail, "", port, place=Place(str(path), last + 1, 1)))
        for at in own:
            found[at] = AssetRow(**{**found[at]._asdict(), column: value})
    return found


def find_fault(column: str, value: str) -> str:
    """Return what a value of a column must be, in words; empty if it is."""
    pattern, words = _FORMS[column]
    is_address = column != "management_ip" or not value or valid_ipv4(value) or valid_ipv6(value)
    return "" if re.fullmatch(pattern, value, re.ASCII) and is_address else words


def _asset(row: CsvRow, bag: Bag) -> AssetRow | None:
    sound = True
    for column, value in row.values.items():
        if words := find_fault(column, value):
            bag.add(
                BAD_VALUE, f"{column} is {value!r}; it must be {words}", place=row.place(column), hint=f"write {words}"
            )
            sound = False
    if not sound:
        return None
    get = row.values.get
    rail = get("rail", "")
    return AssetRow(
        row.values["hostname"],
        get("serial", ""),
        get("mac", "").lower(),
        int(rail) if rail else None,
        get("pci", "").lower(),
        int(get("port", "") or 0),
        get("management_ip", ""),
        row.place("hostname"),
        get("management_mac", "").lower(),
        get("management_interface", ""),
    )
