"""The asset list as CSV beside the intent: what devices have of their own, by host name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import NamedTuple

from fabricgen.diagnostics import Bag, Place
from fabricgen.intent.types import ASN_MAX
from fabricgen.source import CsvRow, read_csv
from fabricgen.validation.mistakes import BAD_VALUE

_MAC = r"(?!00(:00){5}$)[0-9a-f][02468ace](:[0-9a-f]{2}){5}"
"""A MAC address of one device: no group's, not all zeros (IEEE 802-2014, section 8.2.2)."""
_MAC_WORDS = "the MAC address of one device, such as 00:11:22:33:44:55"
_IPV4 = r"(?!0|127\.|169\.254\.|22[4-9]|2[3-5]\d)[0-9.]+"
_IPV6 = r"(?!::|f[ef])[0-9a-f.:]*:[0-9a-f.:]*"
"""Addresses of interfaces: neither reserved, of the machine itself, of the link, nor of a group (IANA registries)."""
_PATTERNS = {
    "hostname": (r"[a-z0-9][a-z0-9.-]{0,62}", "a host name"),
    "serial": (r"[a-z0-9._/-]{0,64}", "letters, digits, dots, slashes or hyphens"),
    "mac": (_MAC, _MAC_WORDS),
    "management_mac": (_MAC, _MAC_WORDS),
    "management_ip": (rf"({_IPV4}|{_IPV6})(/\d{{1,3}})?", "an IP address, with or without the prefix: 192.168.1.20/24"),
    "management_interface": (r"(?-i:(?!rail|lo$|docker|virbr)[a-z][a-z0-9._-]{0,14})", "an interface to other hosts"),
    "rail": (r"\d{0,3}", "the number of a rail, from 0"),
    "port": (r"[0-7]", "the number of a NIC port, from 0 to 7"),
    "pci": (r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", "a PCI address such as 0000:1a:00.0"),
    "planned_name": (r"[a-z0-9][a-z0-9.-]{0,62}", "a host name"),
    "asn": (r"(?!(?:23456|65535)$)[1-9]\d{0,9}", f"an AS number from 1 to {ASN_MAX}, neither 23456 nor 65535"),
    "loopback": (_IPV4, "an IPv4 address of one device, such as 10.255.0.7"),
    "loopback6": (_IPV6, "an IPv6 address of one device, such as fd00::7"),
    "router_id": (r"(?!0\.0\.0\.0$)[0-9.]+", "a router id, four numbers such as 10.255.0.7"),
    "management_gateway": (rf"{_IPV4}|{_IPV6}", "an IP address such as 192.168.1.1"),
}
_FORMS = {column: (re.compile(form, re.ASCII | re.IGNORECASE), words) for column, (form, words) in _PATTERNS.items()}
OWN = ("asn", "loopback", "loopback6", "router_id", "management_ip", "management_gateway")
"""Values that rules of the fabric give a switch, and that a row or an exception may give it instead."""


class AssetRow(NamedTuple):
    """One row: what a device has of its own, or (with ``rail``) one port of a host's NIC has.

    Attributes:
        planned_name: The name by the pattern, where ``hostname`` is another; empty where the two are one.
        own: Values of the columns of ``OWN`` that are filled in.
    """

    hostname: str
    serial: str
    mac: str
    rail: int | None
    pci: str
    port: int = 0
    management_ip: str = ""
    management_mac: str = ""
    management_interface: str = ""
    planned_name: str = ""
    own: Mapping[str, str] = {}
    source: CsvRow | None = None

    def at(self, column: str) -> Place | None:
        """Return the place of a cell."""
        return self.source.place(column) if self.source else None

    @property
    def place(self) -> Place | None:
        """Return the place of the name."""
        return self.at("hostname")


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
    rows = read_csv(path, bag, required=("hostname",), optional=[*_FORMS][1:], inside=inside)
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
            found.append(AssetRow(hostname, "", "", rail, "", port, source=CsvRow({}, str(path), last + 1, "", {})))
        for at in own:
            found[at] = AssetRow(**{**found[at]._asdict(), column: value})
    return found


def find_fault(column: str, value: str) -> str:
    """Return what the value of a column must be; empty if it is that."""
    form, words = _FORMS[column]
    sound = form.fullmatch(value) is not None
    if sound and column == "asn":
        sound = int(value) <= ASN_MAX
    elif sound and column in OWN:
        address, _, length = value.partition("/")
        sound = 1 <= int(length or 1) <= 8 * len(pack(address))
    return "" if sound else words


def pack(address: str) -> bytes:
    """Return an address as bytes; empty if a text is none."""
    try:
        return inet_pton(AF_INET6 if ":" in address else AF_INET, address)
    except OSError:
        return b""


def read_own(column: str, value: str) -> str:
    """Return a sound value of ``OWN`` in the one way of writing it."""
    address, slash, length = value.partition("/")
    return f"{inet_ntop(AF_INET6, pack(address))}{slash}{length}" if ":" in address else value


def _asset(row: CsvRow, bag: Bag) -> AssetRow | None:
    sound = True
    for column in row.fields:
        value = row.values[column]
        words = find_fault(column, value) if value or column == "hostname" else ""
        if words:
            message = f"{column} is {value!r}; it must be {words}"
            bag.add(BAD_VALUE, message, place=row.place(column), hint=f"write {words}")
            sound = False
    if not sound:
        return None
    get = row.values.__getitem__
    rail = get("rail")
    own = {column: read_own(column, value) for column in OWN if (value := get(column))}
    return AssetRow(
        get("hostname"),
        get("serial"),
        get("mac").lower(),
        int(rail) if rail else None,
        get("pci").lower(),
        int(get("port") or 0),
        own.get("management_ip", "").partition("/")[0],
        get("management_mac").lower(),
        get("management_interface"),
        get("planned_name"),
        own,
        row,
    )
