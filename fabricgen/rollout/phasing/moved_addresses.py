"""Addresses that one device gives up and another one gets: in between both have them.

New addresses come before old ones go, so an address that goes from one device to another is in two places until both
have changed. Where hosts are renumbered, packets for the one reach the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from typing import Any, NamedTuple

from fabricgen.platforms.patching.steps import ABSENT, Change

KINDS = ("address", "network")
_ADDRESS = re.compile(r"[\dA-Fa-f.:]+(?=/\d)")
"""An address with the length of its prefix, in a value or in the name of a row."""


class Holder(NamedTuple):
    """A device, its file as diagnostics call it, and the addresses that it has before and after."""

    device: str
    shown: str
    before: set[str]
    after: set[str]


def add_addresses(holder: Holder, changes: Iterable[Change]) -> None:
    """Note the addresses that changes of a device are about.

    Args:
        holder: The device; takes them.
        changes: Of one of its files.
    """
    for change in changes:
        if change.meaning.get("ends") in KINDS:
            for value, found in ((change.before, holder.before), (change.after, holder.after)):
                if value is not ABSENT:
                    found.update(_list_addresses([*change.steps, value]))


def find_moved(holders: Iterable[Holder]) -> Iterator[tuple[Holder, Holder, str]]:
    """Yield each device that gets an address of another one, with that one and the address."""
    known = list(holders)
    givers = {address: holder for holder in reversed(known) for address in holder.before - holder.after}
    for holder in known:
        moved = sorted(address for address in holder.after - holder.before if address in givers)
        if moved:
            yield holder, givers[moved[0]], moved[0]


def _list_addresses(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple):
        for each in value:
            yield from _list_addresses(each)
        return
    for text in _ADDRESS.findall(str(value)):
        try:
            yield str(ip_address(text))
        except ValueError:
            continue
