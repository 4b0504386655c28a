"""Normal form of NVUE's objects: one name a key, the spelling of 5.15, AS numbers as numbers.

NVUE folds equal objects into one key, ``swp1,4-11`` or ``bond1s0-3,bond2s0``: the last number of a name counts, and a
number alone takes the letters before it. What several keys say of one name is merged: a key of fewer names goes before
one of more, a later one before an earlier one.

Source:
    NVIDIA/enterprise-ras 6c19a590, spectrum-era/*/exported-configurations: keys, lists and header of 5.12 and 5.13;
    Cumulus Linux user guide, NVUE CLI, *Command Syntax*: ranges and lists of interfaces, VLANs and numbers;
    NVIDIA's OpenAPI documents of NVUE 5.14 and 5.15: ``on``, ``off`` and ``enable`` became ``enabled``, ``disabled``
    and ``state``, ``interface > ip`` became ``ipv4`` and ``ipv6``, and services became objects of the system.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from fabricgen.platforms.reading.as_numbers import write_plainly
from fabricgen.platforms.reading.reader import ReadFault, Tree

SPELLED = (5, 15)
"""Release from which on NVUE spells objects as they are rendered."""
_LIST = re.compile(r"[\w./:-]+(?:,[\w./:-]+)+")
_RANGE = re.compile(r"(.*?)([0-9]{1,10})(?:-([0-9]{1,10}))?")
_PORT = re.compile(r"(?:swp|eth|bond|vlan|vni|vxlan)(?:[0-9]+s)?|")
_NAMES_MAX = 4096
"""Most names of one key, as many as there are VLANs; a key of more is left as it stands."""
_PORTS = ("interface", "member", "neighbor")
"""Objects whose keys are interfaces, whatever their names begin with."""
_ONE_OF = ("action", "breakout", "state")
"""Objects that have one of several keys: another one takes the place of the first."""
_NUMBERS = frozenset(("autonomous-system", "remote-as", "asn"))
_ROUTES = frozenset(("community", "large-community", "ext-community-rt", "ext-community-soo", "expression", "rd"))
"""Leaves that are AS numbers, and those that have some."""
_OLD = {"on": "enabled", "off": "disabled"}
_WORDS_OF_THEIR_OWN = ("fec",)
"""Leaves of which ``off`` is a value in every release."""
_OBJECTS_MAX = 500_000
"""Most objects of a file once its keys are expanded; the largest that is rendered has 10,000."""


@lru_cache(maxsize=4096)
def expand(key: str, parent: str = "") -> list[str]:
    """Return the names that a key has; the key itself where it is one name.

    Args:
        key: Key of an object.
        parent: Key of the object it is in.
    """
    parts = key.split(",") if _LIST.fullmatch(key) else [key]
    if len(parts) == 1 and "-" not in key:
        return parts
    names: list[str] = []
    prefix = ""
    for part in parts:
        match = _RANGE.fullmatch(part)
        if match is None:
            names.append(part)
            continue
        prefix = match[1] or prefix
        first, last = int(match[2]), int(match[3] or match[2])
        if match[3] is None or not (parent in _PORTS or _PORT.fullmatch(prefix)) or not first <= last:
            names.append(f"{prefix}{part[len(match[1]) :]}")
        elif last - first >= _NAMES_MAX - len(names):
            return [key]
        else:
            names += [f"{prefix}{number}" for number in range(first, last + 1)]
    return names


def normalise(objects: Tree, version: tuple[int, ...] = SPELLED) -> Tree:
    """Return objects in their normal form.

    Args:
        objects: Objects as YAML has them.
        version: Release that wrote the file.

    Raises:
        ReadFault: A list is in the place of an object, or the keys expand to more than any switch has.
    """
    if _size(objects, "") > _OBJECTS_MAX:
        raise ReadFault(f"its keys have more than {_OBJECTS_MAX:,} names")
    is_old = version < SPELLED
    tree = _normalise(objects, "", is_old=is_old)
    return _move(tree) if is_old else tree


def _size(node: Tree, parent: str) -> int:
    below = ((key, _size(value, key) if isinstance(value, dict) else 0) for key, value in node.items())
    return sum(len(expand(key, parent)) * (1 + size) for key, size in below)


def _normalise(node: Tree, parent: str, *, is_old: bool) -> Tree:
    found: Tree = {}
    keyed = [(expand(key, parent), value) for key, value in node.items()]
    for names, given in sorted(keyed, key=lambda pair: -len(pair[0])):
        value = {} if given is None else given
        for name in names:
            key = write_plainly(name) if parent in _ROUTES else name
            if is_old and name == "enable" and not isinstance(value, dict):
                key = "state"
            below = _normalise(value, name, is_old=is_old) if isinstance(value, dict) else _leaf(name, value, is_old)
            found[key] = _merge(key, found[key], below) if key in found else below
    return found


def _leaf(key: str, value: object, is_old: bool) -> str:
    text = str(getattr(value, "raw", value))
    if key in _NUMBERS or key in _ROUTES:
        return write_plainly(text)
    return _OLD.get(text, text) if is_old and key not in _WORDS_OF_THEIR_OWN else text


def _merge(key: str, before: Any, after: Any) -> Any:
    """Return what holds of an object of which two keys speak, the second before the first."""
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return after
    if key in _ONE_OF and not before.keys() & after.keys():
        return after
    merged = {name: _merge(name, before[name], value) if name in before else value for name, value in after.items()}
    return before | merged


def _move(tree: Tree) -> Tree:
    """Return the objects of a release before 5.15 where that has them."""
    found = dict(tree)
    if isinstance(ports := tree.get("interface"), dict):
        found["interface"] = {name: _move_addresses(port) for name, port in ports.items()}
    services = found.pop("service", {})
    left: Tree = {}
    for name, service in services.items() if isinstance(services, dict) else ():
        moved = _move_service(name, service)
        if moved is None:
            left[name] = service
        else:
            found["system"] = _merge("system", {name: moved}, found.get("system", {}))
    return found | ({"service": left} if left else {})


def _move_addresses(port: Any) -> Any:
    """Return an interface with addresses and gateways by their family, and its VRF beside them."""
    if not isinstance(port, dict) or not isinstance(port.get("ip"), dict):
        return port
    found = {name: value for name, value in port.items() if name != "ip"}
    rest = dict(port["ip"])
    if "vrf" in rest:
        found["vrf"] = rest.pop("vrf")
    for name in ("address", "gateway"):
        for address, value in rest.pop(name).items() if isinstance(rest.get(name), dict) else ():
            family = "ipv6" if ":" in address else "ipv4"
            found[family] = _merge(family, found.get(family, {}), {name: {address: value}})
    return found | ({"ip": rest} if rest else {})


def _move_service(name: str, service: Any) -> Any:
    """Return a service as an object of the system; None for one that 5.15 does not have there."""
    if name == "lldp":
        return service
    if name not in ("dns", "ntp", "syslog") or not isinstance(service, dict) or len(service) != 1:
        return None
    vrf, inner = next(iter(service.items()))
    if not isinstance(inner, dict):
        return None
    if name == "ntp":
        return {"vrf": vrf, **inner}
    servers = inner.get("server", {})
    below = {address: {"vrf": vrf, **value} for address, value in servers.items() if isinstance(value, dict)}
    return {**inner, "server": below}
