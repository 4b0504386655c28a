"""Intent keys that decide each field of the device model.

``FIELD_ORIGINS`` is read from the annotations of the device model: per class and field, patterns of intent paths, the
most decisive first. A segment in braces is a variable: it takes its values from the object the field was read on and
from the device, and a pattern with several values gives several paths. ``origin_of`` fills them in.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from itertools import product
from string import Formatter
from typing import Any, get_args, get_origin, get_type_hints

from fabricgen.device.model import Host, Port, PortShape, Rail, RailShape, Switch
from fabricgen.diagnostics import IntentPath
from fabricgen.plan.model import origin_keys
from fabricgen.plan.model.buffers import PgProfile
from fabricgen.plan.model.contract import Contract, EcnThresholds, TrafficClass
from fabricgen.plan.model.origin_keys import Origin, Sticky
from fabricgen.plan.model.topology import CageMode

_HOST_END = "host"
"""Word for the hosts in the name of a link group."""


@dataclass(frozen=True, slots=True, eq=False)
class FieldRead:
    """A field of the device model that was read.

    Attributes:
        holder: The object it was read on; None if only the class is known.
        index: Which item of the field's value was used; None if all of it was.
    """

    owner: str
    field: str
    holder: object
    index: int | None = None

    @property
    def value(self) -> object:
        """Return what was read."""
        value: object = getattr(self.holder, self.field, None)
        return value[self.index] if self.index is not None and isinstance(value, tuple | list) else value


def _all_links(_: FieldRead, device: Switch | Host) -> list[str]:
    """Every link group of the device."""
    shapes = device.cls.ports if isinstance(device, Switch) else device.cls.rails
    return list(dict.fromkeys(shape.link for shape in shapes if shape.link))


def _link(read: FieldRead, device: Switch | Host) -> list[str]:
    """Link groups the object serves: its own, or those of the ports that use it."""
    item = read.holder.shape if isinstance(read.holder, Port | Rail) else read.holder
    if isinstance(item, PortShape) and not item.link and read.field == "used":
        # Nothing is plugged in; what would be is a link of any group.
        return _all_links(read, device)
    if isinstance(item, PortShape | RailShape):
        return [item.link] if item.link else []
    ports = device.cls.ports if isinstance(device, Switch) else ()
    return list(dict.fromkeys(port.link for port in ports if port.link and _uses(port, item)))


def _uses(port: PortShape, item: object) -> bool:
    """Return whether a port has a headroom profile or thresholds, or stands in a cage of this mode."""
    if isinstance(item, PgProfile):
        return port.headroom == item
    if isinstance(item, EcnThresholds):
        return port.ecn == item.name
    return isinstance(item, CageMode) and port.cage == item.cage


def _ends(links: list[str], device: Switch | Host) -> list[tuple[str, str]]:
    """Lower and upper end of link groups, from their names; all that is below a leaf are hosts."""
    groups, leaf = _group_names(device), device.cls.tier if isinstance(device, Switch) else ""
    is_leaf = isinstance(device, Switch) and device.cls.role == "leaf"
    ends = (link.partition("-") for link in links)
    return [(_HOST_END if lower in groups or (is_leaf and upper == leaf) else lower, upper) for lower, _, upper in ends]


def _group_names(device: Switch | Host) -> list[str]:
    """The host group of a host; the host groups on a leaf."""
    return list(device.cls.host_groups) if isinstance(device, Switch) else [device.cls.group.name]


def _own_end(device: Switch | Host) -> str:
    """The device's own end in the name of a link group."""
    return device.cls.tier if isinstance(device, Switch) else _HOST_END


def _down_link(read: FieldRead, device: Switch | Host) -> list[str]:
    """Link group below the device."""
    return [link for link in _all_links(read, device) if link.partition("-")[2] == _own_end(device)]


def _upper_tier(read: FieldRead, device: Switch | Host) -> list[str]:
    """The tier above the device."""
    return [upper for lower, upper in _ends(_all_links(read, device), device) if lower == _own_end(device)]


def _lower_tier(read: FieldRead, device: Switch | Host) -> list[str]:
    """The tier below the device, which a leaf and a host have not."""
    ends = _ends(_all_links(read, device), device)
    return [lower for lower, upper in ends if upper == _own_end(device) and lower != _HOST_END]


def _peer_ends(read: FieldRead, device: Switch | Host) -> list[str]:
    """Return what is at the other end of the object's link: a tier, or ``host``."""
    own = _own_end(device)
    return [upper if lower == own else lower for lower, upper in _ends(_link(read, device), device)]


def _peer_tier(read: FieldRead, device: Switch | Host) -> list[str]:
    return [end for end in _peer_ends(read, device) if end != _HOST_END]


def _counted_tier(read: FieldRead, device: Switch | Host) -> list[str]:
    """The tier at the other end if it has a count of its own; leafs have none, the attachment places them."""
    if isinstance(device, Host):
        return []
    below = device.cls.role == "spine"
    return [end for end in _peer_tier(read, device) if not (below and end not in _upper_tier(read, device))]


def _below(read: FieldRead, device: Switch | Host) -> list[str]:
    """The dimensions along which a link downwards meets several devices of the tier below."""
    if isinstance(device, Host) or not set(_peer_tier(read, device)) - set(_upper_tier(read, device)):
        return []
    return ["units"] if device.cls.role == "spine" else ["pods", "zones"]


def _used_link(read: FieldRead, device: Switch | Host) -> list[str]:
    """Link group of a port that has a link."""
    return _link(read, device) if isinstance(read.holder, PortShape) and read.holder.used else []


def _peer_group(read: FieldRead, device: Switch | Host) -> list[str]:
    """Host groups at the other end."""
    if _HOST_END not in _peer_ends(read, device):
        return []
    named = [link.partition("-")[0] for link in _link(read, device)]
    return [name for name in named if name != _HOST_END] or _group_names(device)


def _absent_group(read: FieldRead, device: Switch | Host) -> list[str]:
    """The host group at the other end if none of its hosts stands at this leaf: its port waits for one."""
    return [name for name in _peer_group(read, device) if name not in _group_names(device)]


def _pool(read: FieldRead, device: Switch | Host) -> list[str]:
    """The address pool of the object's link."""
    ends = _peer_ends(read, device)
    return ["host_links" if _HOST_END in (*ends, _own_end(device)) else "fabric_links"] if ends else []


def _has(device: Switch | Host, family: str) -> bool:
    """Return whether the fabric has an address family."""
    if isinstance(device, Switch):
        return device.cls.ipv4 if family == "ipv4" else device.cls.ipv6
    return bool(device.cls.supernet if family == "ipv4" else device.cls.supernet6)


def _scope(_: FieldRead, device: Switch | Host) -> list[str]:
    """The dimensions that say where the device stands, innermost first."""
    scopes = ["units", "pods", "zones"]
    return scopes[1:] if isinstance(device, Switch) and device.cls.role != "leaf" else scopes


def _name(read: FieldRead, _: Switch | Host) -> list[str]:
    """The object's own name."""
    name = getattr(read.holder, "name", "")
    return [name] if isinstance(name, str) and name else []


def _marking_key(read: FieldRead, _: Switch | Host) -> list[str]:
    """The tier or speed the intent states marking thresholds for."""
    return [read.holder.key] if isinstance(read.holder, EcnThresholds) and read.holder.key else []


def _classes(read: FieldRead, device: Switch | Host) -> list[TrafficClass]:
    """Traffic classes that take part in a field of the contract, or only those behind one item of it."""
    classes = device.cls.contract.classes
    if read.index is None or not isinstance(read.holder, Contract):
        return list(classes)
    if read.field == "priority_by_dscp":
        named = [cls for cls in classes if read.index in cls.dscp]
        return named or [cls for cls in classes if cls.priority == read.value]
    return [cls for cls in classes if cls.priority == read.value]


def _dscp_class(read: FieldRead, device: Switch | Host) -> list[str]:
    """Classes that name code points, lossless ones first."""
    found = sorted(_classes(read, device), key=lambda cls: not cls.lossless)
    return [cls.name for cls in found if cls.dscp and (read.index is None or read.index in cls.dscp)]


def _rest_class(read: FieldRead, device: Switch | Host) -> list[str]:
    """Classes that take the unnamed code points."""
    return (
        []
        if _dscp_class(read, device) and read.index is not None
        else [cls.name for cls in _classes(read, device) if not cls.dscp or read.index is not None]
    )


def _lossless_name(read: FieldRead, _: Switch | Host) -> list[str]:
    """The object's name if it is a lossless class."""
    return [read.holder.name] if isinstance(read.holder, TrafficClass) and read.holder.lossless else []


VARIABLES: Mapping[str, Callable[[FieldRead, Switch | Host], list[str]]] = {
    "absent_group": _absent_group,
    "below": _below,
    "counted_tier": _counted_tier,
    "down_link": _down_link,
    "dscp_class": _dscp_class,
    "group": lambda _, device: _group_names(device),
    "hostname": lambda _, device: [device.hostname],
    "ipv4": lambda _, device: ["ipv4"] if _has(device, "ipv4") else [],
    "ipv6": lambda _, device: ["ipv6"] if _has(device, "ipv6") else [],
    "item": lambda read, _: [str(read.value)] if read.index is not None else [],
    "link": _link,
    "links": _all_links,
    "lossless": lambda read, device: [cls.name for cls in _classes(read, device) if cls.lossless],
    "lossless_name": _lossless_name,
    "lower_tier": _lower_tier,
    "marking_key": _marking_key,
    "name": _name,
    "peer_group": _peer_group,
    "peer_tier": _peer_tier,
    "pool": _pool,
    "rest_class": _rest_class,
    "scope": _scope,
    "tier": lambda _, device: [device.cls.tier] if isinstance(device, Switch) else [],
    "upper_tier": _upper_tier,
    "used_link": _used_link,
    # The key that would bring a family to a fabric without it.
    "without_ipv4": lambda _, device: [] if _has(device, "ipv4") else ["families"],
    "without_ipv6": lambda _, device: [] if _has(device, "ipv6") else ["families"],
}
"""Name of a variable to the function that gives its values."""


EXISTENCE: Mapping[str, tuple[str, str]] = {"Port": ("PortShape", "used")}
"""Class of which there is no object unless a field of another object says so."""


def annotated_fields(
    *hints: object, names: Mapping[str, object] | None = None, known: Container[str] = ()
) -> dict[str, dict[str, tuple[Any, ...]]]:
    """Collect what annotations of dataclasses add to the types of their fields, by class and field.

    ``hints`` are the types to begin with, ``names`` those that annotations use and their modules lack; ``known``
    classes are left out.
    """
    found: dict[str, dict[str, tuple[Any, ...]]] = {}
    pending = list(hints)
    while pending:
        hint = pending.pop()
        pending += get_args(hint)
        cls: Any = get_origin(hint) or hint
        if isinstance(cls, type) and is_dataclass(cls) and cls.__name__ not in found and cls.__name__ not in known:
            fields = get_type_hints(cls, localns=names, include_extras=True)
            pending += fields.values()
            added = {name: getattr(field, "__metadata__", ()) for name, field in fields.items()}
            found[cls.__name__] = {name: marks for name, marks in added.items() if marks}
    return found


FIELD_ORIGINS: Mapping[str, Mapping[str, Origin]] = {
    cls: {field: origin for field, (origin,) in named.items()}
    for cls, named in annotated_fields(Switch, Host, names={**vars(origin_keys), "keys": origin_keys}).items()
}


def is_sticky(read: FieldRead) -> bool:
    """Return whether a field often keeps its value when its key changes, or its key is not even known."""
    return read.holder is None or isinstance(FIELD_ORIGINS.get(read.owner, {}).get(read.field), Sticky)


def origin_of(read: FieldRead, device: Switch | Host) -> tuple[IntentPath, ...]:
    """The intent paths of the whole model that a field comes from, the most decisive first; none for a constant.

    A path need not be written in the document, where short forms and defaults leave segments out. If no pattern can be
    filled in, it is what stands before the first variable of the first one.

    Raises:
        KeyError: The field belongs to no class of the device model.
    """
    patterns = FIELD_ORIGINS[read.owner][read.field]
    paths = [path for pattern in patterns for path in _fill(pattern, read, device)]
    return tuple(dict.fromkeys(paths)) or tuple(static_part(pattern) for pattern in patterns[:1])


def static_part(pattern: IntentPath) -> IntentPath:
    """The segments of a pattern before its first variable."""
    static = []
    for segment in pattern:
        if variables_in(segment):
            break
        static.append(segment)
    return tuple(static)


def variables_in(segment: str) -> list[str]:
    """Names of the variables in a segment."""
    return [name for _, name, _, _ in Formatter().parse(segment) if name]


def _fill(pattern: IntentPath, read: FieldRead, device: Switch | Host) -> Iterator[IntentPath]:
    """Every path a pattern stands for; none if one of its variables has no value here."""
    names = list(dict.fromkeys(name for segment in pattern for name in variables_in(segment)))
    values = [VARIABLES[name](read, device) for name in names]
    for chosen in product(*values):
        filled = dict(zip(names, chosen, strict=True))
        yield tuple(segment.format_map(filled) for segment in pattern)
