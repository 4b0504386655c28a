"""startup.yaml and ``nv config show`` to a tree: NVUE's object model in its normal form, values as texts.

The file is a list of ``header``, ``set`` and ``unset``; the header says which box and release saved it, which is no
configuration. A leaf without a value is an empty object there and here. What is unset after it was set is not set; what
is unset otherwise is an object of NVUE's own, and is kept as an object ``unset`` of the tree.

In normal form a key is one name, spelled as in 5.15; a text without a header that has an object of before is an older
one. NVUE folds equal objects into one key, ``swp1,4-11`` or
``bond1s0-3,bond2s0``: the last number of a name counts, and a number alone takes the letters before it. What several
keys say of one name is merged: a key of fewer names goes before one of more, a later one before an earlier one.

Source:
    Cumulus Linux user guide, NVUE Object Model, *Configure NVUE from a YAML file*; NVUE CLI, *Command Syntax*: ranges
    and lists of interfaces, VLANs and numbers.
    NVIDIA/enterprise-ras 6c19a590, spectrum-era/*/exported-configurations: keys, lists and header of 5.12 and 5.13;
    NVIDIA's OpenAPI documents of NVUE 5.14 and 5.15: ``on``, ``off`` and ``enable`` became ``enabled``, ``disabled``
    and ``state``, ``interface > ip`` became ``ipv4`` and ``ipv6``, and services became objects of the system.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fabricgen.diagnostics import Bag
from fabricgen.platforms.reading.file_format import list_yaml, quote_text
from fabricgen.platforms.reading.reader import ReadFault, Tree, look_up, read_document, write_plainly

if TYPE_CHECKING:
    from fabricgen.source import Document

SPELLED = (5, 15)
"""Release from which on NVUE spells objects as in normal form."""
_BEFORE = (("router", "bgp", "enable"), ("system", "timezone"), ("interface", "eth0", "ip"), ("service", "ntp"))
"""Objects that no release since has, by one of which an older text is known."""
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
_SAME = {("pfc-watchdog", "enabled"): "enable"}
"""Words of which NVIDIA's published configurations have one and its schema the other, by object."""
_WORDS_OF_THEIR_OWN = ("fec",)
"""Leaves of which ``off`` is a value in every release."""
_OBJECTS_MAX = 500_000
"""Most objects of a file once its keys are expanded; the largest that is rendered has 10,000."""
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_RELEASE = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})")
UNSET = "unset"
_ITEMS = ("header", "set", UNSET)


@lru_cache(maxsize=4096)
def expand(key: str, parent: str = "") -> list[str]:
    """Return the names that a key has, given that of the object it is in; the key itself where it is one name."""
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
    """Return objects in their normal form; ``version`` is the release that wrote them.

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
            below = _SAME.get((parent, below), below) if isinstance(below, str) else below
            found[key] = _merge(key, found[key], below) if key in found else below
    return found


def _leaf(key: str, value: object, is_old: bool) -> str | list[str]:
    if isinstance(value, list):
        return [str(getattr(item, "raw", item)) for item in value]
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
    if isinstance(system := tree.get("system"), dict):
        found["system"] = _move_system(system)
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


def _move_system(system: Tree) -> Tree:
    """Return the system with its time zone and its order of logins where 5.15 has them."""
    found, aaa = dict(system), look_up(system, "aaa")
    if "timezone" in found:
        found["date-time"] = {"timezone": found.pop("timezone")}
    if order := look_up(aaa, "authentication-order"):
        methods = [word for at in sorted(order, key=lambda at: (len(at), at)) for word in look_up(order, at)]
        aaa = {key: below for key, below in aaa.items() if key != "authentication-order"}
        found["aaa"] = {"authentication": {"order": methods}} | aaa
    return found


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


def read(text: str) -> Tree:
    """Read the objects that are set or unset; raises ReadFault for YAML that is no NVUE file."""
    version, sides = _sides(text)
    found = {word: normalise(objects, version) for word, objects in sides}
    rest = _unset(found["set"], found.get(UNSET, {}), takes=sides[-1][0] == UNSET)
    return found["set"] | ({UNSET: rest} if rest else {})


def written_by(text: str) -> tuple[int, ...]:
    """Return the release that wrote a text, or one of its spelling where its header has none; raises ReadFault."""
    return _sides(text)[0]


def _sides(text: str) -> tuple[tuple[int, ...], list[tuple[str, Tree]]]:
    """Return the release that wrote a text, and its ``set`` and ``unset`` in their order."""
    data = read_document(text)
    if not isinstance(data, list):
        raise ReadFault("it is not a list of header, set and unset: this is no NVUE configuration")
    sides: list[tuple[str, Tree]] = []
    version: tuple[int, ...] = ()
    for item in data:
        if not isinstance(item, dict) or not set(item) <= set(_ITEMS):
            raise ReadFault("its items are not header, set and unset: this is no NVUE configuration")
        version = _version(item.get("header")) or version
        sides += [(word, item[word]) for word in item if word != "header"]
    words = [word for word, _ in sides]
    if words.count("set") != 1 or words.count(UNSET) > 1 or not all(isinstance(each, dict) for _, each in sides):
        raise ReadFault("an NVUE configuration has one set, of objects, and at most one unset")
    return version or _spelled(sides), sides


def _spelled(sides: list[tuple[str, Tree]]) -> tuple[int, ...]:
    """Return the oldest release by the objects that only older ones have."""
    is_old = any(path[-1] in look_up(objects, *path[:-1]) for path in _BEFORE for _, objects in sides)
    return (0,) if is_old else SPELLED


def _unset(tree: Tree, gone: Tree, *, takes: bool) -> Tree:
    """Return the objects that a tree does not have; those that it has are taken out of it where asked."""
    rest: Tree = {}
    for key, below in gone.items():
        found = tree.get(key)
        if below and isinstance(below, dict) and isinstance(found, dict):
            if left := _unset(found, below, takes=takes):
                rest[key] = left
        elif key not in tree:
            rest[key] = below
        elif takes:
            del tree[key]
    return rest


def write(tree: Tree) -> str:
    """Write the objects that are set or unset; a text of digits is a number, as NVUE itself writes numbers."""
    sides = {"set": {key: below for key, below in tree.items() if key != UNSET}, UNSET: tree.get(UNSET, {})}
    lines = [(f"- {side}:", *list_yaml(below, 4, _scalar)) for side, below in sides.items() if below or side != UNSET]
    return "".join(f"{line}\n" for part in lines for line in part)


def _scalar(value: object) -> str:
    text = str(value)
    return text if _NUMBER.fullmatch(text) else quote_text(text)


def locate(text: str, steps: Sequence[str]) -> int:
    """Line of the text where what stands at a path begins; of a path that is not there, of what is left of it."""
    document = _load(text)
    for number, item in enumerate(document.data if document and isinstance(document.data, list) else ()):
        keys = _find_keys(item.get("set"), steps, "") if isinstance(item, dict) else ()
        place = document.place(document.to_path((number, "set", *keys)), on_key=True) if document and keys else None
        if place:
            return place.line
    return 0


@lru_cache(maxsize=4)
def _load(text: str) -> Document | None:
    from fabricgen.source import load_text_document

    return load_text_document(text, Bag(), number_keys=True)


def _find_keys(node: Any, steps: Sequence[str], parent: str) -> tuple[str, ...]:
    """Return the keys that lead furthest on a path; keys may share names."""
    below = node.items() if steps and isinstance(node, dict) else ()
    found = ((key, *_find_keys(value, steps[1:], steps[0])) for key, value in below if steps[0] in expand(key, parent))
    return max(found, key=len, default=())


def _version(header: object) -> tuple[int, ...]:
    """Return the release that a header names; nothing if it names none."""
    found = _RELEASE.search(str(header.get("version", ""))) if isinstance(header, dict) else None
    return (int(found[1]), int(found[2])) if found else ()
