"""Addresses of devices that differ from those of the plan: of a lab, behind a translation, by another port."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from fabricgen.collect.fetch_codes import BAD_ADDRESS
from fabricgen.collect.target import PORTS
from fabricgen.diagnostics import Bag, Place
from fabricgen.diagnostics.nearest import Nearest
from fabricgen.files import Refused, read_file

_FORM = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?")
_BARE_SIX = re.compile(r"[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*")
_FILE_MAX_BYTES = 16 * 1024 * 1024
_PORT_MAX = 65535


class Address(NamedTuple):
    """Host, a port and a way where they are given; 0 and nothing for those of all devices."""

    host: str
    port: int = 0
    via: str = ""


def read_addresses(options: Sequence[str], files: Sequence[Path], names: Iterable[str], bag: Bag) -> dict[str, Address]:
    """Read addresses by device.

    Args:
        options: ``NAME=[WAY://]HOST[:PORT]`` each; they count before those of files.
        files: Files with one such line for each device, or with a blank or a comma in place of ``=``; ``#`` begins a
            comment.
        names: Devices there are.
        bag: Takes a diagnostic for each line that is none, and for each name of no device.

    Returns:
        The addresses.
    """
    known = frozenset(names)
    found: dict[str, Address] = {}
    for file in files:
        data = read_file(file, _FILE_MAX_BYTES)
        if isinstance(data, Refused):
            bag.add(BAD_ADDRESS, f"{file} {data.reason}", hint="name a file with lines NAME HOST[:PORT]")
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            text = line.partition("#")[0].strip()
            if text:
                _read(text, known, found, Place(str(file), number, 1), bag)
    for option in options:
        _read(option, known, found, None, bag)
    return found


def parse_address(text: str) -> Address | None:
    """Return the address that a text is; None if it is none.

    Args:
        text: ``HOST``, ``HOST:PORT``, an IPv6 address, or one in brackets with a port.
    """
    if _BARE_SIX.fullmatch(text):
        return Address(text)
    match = _FORM.fullmatch(text)
    if match is None or int(match["port"] or 1) not in range(1, _PORT_MAX + 1):
        return None
    return Address(match["six"] or match["host"], int(match["port"] or 0))


def _read(text: str, known: frozenset[str], found: dict[str, Address], place: Place | None, bag: Bag) -> None:
    name, _, rest = re.sub(r"\s*[=,\s]\s*", "=", text.strip(), count=1).partition("=")
    way, _, place_there = rest.strip().rpartition("://")
    address = parse_address(place_there) if way in ("", *PORTS) else None
    if address is None:
        bag.add(BAD_ADDRESS, f"{text!r} is no NAME=HOST[:PORT]", place=place)
    elif name not in known:
        near = Nearest().find(name, known)
        bag.add(BAD_ADDRESS, f"there is no device {name!r}", place=place, hint=f"did you mean {near}?" if near else "")
    else:
        found[name] = address._replace(via=way)
