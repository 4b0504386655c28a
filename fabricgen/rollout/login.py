"""Logins that a change cuts, and the management address that a device has until its change is carried out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_interface
from typing import Any

from fabricgen.diff.device import DeviceDiff
from fabricgen.platforms.patching.steps import ABSENT
from fabricgen.platforms.reading.semantics import LOGIN

_INTERFACE = re.compile(r"(?<![\w.:/])([0-9A-Fa-f]*[.:][0-9A-Fa-f.:]+)/\d{1,3}(?![\w.:/])")
"""An address with the length of its prefix, as files write one of an interface."""


def list_cuts(device: DeviceDiff) -> tuple[str, ...]:
    """Return the names of the changes of a device that cut its login."""
    cuts = (each.meaning.get("title") or each.steps[0] for _, each in device.changes if each.disruption == LOGIN)
    return tuple(dict.fromkeys(cuts))


def find_former(device: DeviceDiff, address: str) -> str:
    """Return the management address that a change takes from a device; empty if it keeps ``address``, the intended one.

    It is the address that the deployed file has in the place where the intended file has the new one; the name of the
    device where that has none or several.
    """
    changes = [change for _, change in device.changes if change.disruption == LOGIN]
    after = {place for each in changes for place, found in _addresses(each.steps, each.after) if found == address}
    before = [pair for each in changes for pair in _addresses(each.steps, each.before)]
    if not after or any(found == address for _, found in before):
        return ""
    former = {found for place, found in before if place in after}
    return former.pop() if len(former) == 1 else device.name


def _addresses(steps: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the addresses of interfaces in a part of a tree, each with its place: the path, without the address."""
    for path in _leaves(steps, value):
        for number, step in enumerate(path):
            match = _INTERFACE.search(step)
            if match and _is_address(match[0]):
                place = f"{step[: match.start()]}*{step[match.end() :]}"
                yield (*path[:number], place), match[1].lower()
                break


def _leaves(steps: tuple[str, ...], value: Any) -> Iterator[tuple[str, ...]]:
    """Yield the paths of a part of a tree, each with its value as the last step."""
    if isinstance(value, dict) and value:
        for step, below in value.items():
            yield from _leaves((*steps, str(step)), below)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(steps, item)
    elif value is not ABSENT:
        yield (*steps, "" if isinstance(value, dict) else str(value))


def _is_address(text: str) -> bool:
    """Return whether a text is an address with a length, and no prefix: an access list has those."""
    try:
        found = ip_interface(text)
    except ValueError:
        return False
    return found.ip != found.network.network_address or found.network.num_addresses <= 2
