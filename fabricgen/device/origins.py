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


def _uses(port: PortShape, item: object) -> bool:
    """Return whether a port has a headroom profile or thresholds, or stands in a cage of this mode."""
    if isinstance(item, PgProfile):
        return port.headroom == item
    if isinstance(item, EcnThresholds):
        return port.ecn == item.name
    return isinstance(item, CageMode) and port.cage == item.cage


class _Site:
    """A field that was read, and the device it was read on, in the words of the patterns."""

    def __init__(self, read: FieldRead, device: Switch | Host) -> None:
        self.read, self.device = read, device
        self.switch = device.cls if isinstance(device, Switch) else None
        self.own_end = self.switch.tier if self.switch else _HOST_END
        """The device's own end in the name of a link group."""

    def groups(self) -> list[str]:
        """The host group of a host; the host groups on a leaf."""
        return list(self.device.cls.host_groups) if isinstance(self.device, Switch) else [self.device.cls.group.name]

    def has(self, family: str) -> bool:
        """Return whether the fabric has an address family."""
        if isinstance(self.device, Switch):
            return self.device.cls.ipv4 if family == "ipv4" else self.device.cls.ipv6
        return bool(self.device.cls.supernet if family == "ipv4" else self.device.cls.supernet6)

    def all_links(self) -> list[str]:
        """Every link group of the device."""
        shapes = self.device.cls.ports if isinstance(self.device, Switch) else self.device.cls.rails
        return list(dict.fromkeys(shape.link for shape in shapes if shape.link))

    def links(self) -> list[str]:
        """Link groups the object serves: its own, or those of the ports that use it."""
        holder = self.read.holder
        item = holder.shape if isinstance(holder, Port | Rail) else holder
        if isinstance(item, PortShape) and not item.link and self.read.field == "used":
            # Nothing is plugged in; what would be is a link of any group.
            return self.all_links()
        if isinstance(item, PortShape | RailShape):
            return [item.link] if item.link else []
        ports = self.switch.ports if self.switch else ()
        return list(dict.fromkeys(port.link for port in ports if port.link and _uses(port, item)))

    def _ends(self, links: list[str]) -> list[tuple[str, str]]:
        """Lower and upper end of link groups, from their names; all that is below a leaf are hosts."""
        groups, leaf = self.groups(), self.switch.tier if self.switch and self.switch.role == "leaf" else None
        ends = (link.partition("-") for link in links)
        return [(_HOST_END if lower in groups or upper == leaf else lower, upper) for lower, _, upper in ends]

    def upper_tier(self) -> list[str]:
        """The tier above the device."""
        return [upper for lower, upper in self._ends(self.all_links()) if lower == self.own_end]

    def lower_tier(self) -> list[str]:
        """The tier below the device, which a leaf and a host have not."""
        ends = self._ends(self.all_links())
        return [lower for lower, upper in ends if upper == self.own_end and lower != _HOST_END]

    def peer_ends(self) -> list[str]:
        """Return what is at the other end of the object's link: a tier, or ``host``."""
        return [upper if lower == self.own_end else lower for lower, upper in self._ends(self.links())]

    def peer_tier(self) -> list[str]:
        """The tier at the other end."""
        return [end for end in self.peer_ends() if end != _HOST_END]

    def counted_tier(self) -> list[str]:
        """The tier at the other end if it has a count of its own; leafs have none, the attachment places them."""
        if not self.switch:
            return []
        return [end for end in self.peer_tier() if self.switch.role != "spine" or end in self.upper_tier()]

    def below(self) -> list[str]:
        """The dimensions along which a link downwards meets several devices of the tier below."""
        if not self.switch or not set(self.peer_tier()) - set(self.upper_tier()):
            return []
        return ["units"] if self.switch.role == "spine" else ["pods", "zones"]

    def peer_group(self) -> list[str]:
        """Host groups at the other end."""
        if _HOST_END not in self.peer_ends():
            return []
        named = [link.partition("-")[0] for link in self.links()]
        return [name for name in named if name != _HOST_END] or self.groups()

    def pool(self) -> list[str]:
        """The address pool of the object's link."""
        ends = self.peer_ends()
        return ["host_links" if _HOST_END in (*ends, self.own_end) else "fabric_links"] if ends else []

    def classes(self) -> list[TrafficClass]:
        """Traffic classes that take part in a field of the contract, or only those behind one item of it."""
        read, classes = self.read, self.device.cls.contract.classes
        if read.index is None or not isinstance(read.holder, Contract):
            return list(classes)
        named = [cls for cls in classes if read.field == "priority_by_dscp" and read.index in cls.dscp]
        return named or [cls for cls in classes if cls.priority == read.value]

    def dscp_class(self) -> list[str]:
        """Classes that name code points, lossless ones first."""
        index, found = self.read.index, sorted(self.classes(), key=lambda cls: not cls.lossless)
        return [cls.name for cls in found if cls.dscp and (index is None or index in cls.dscp)]

    def rest_class(self) -> list[str]:
        """Classes that take the unnamed code points."""
        one = self.read.index is not None
        return [] if one and self.dscp_class() else [cls.name for cls in self.classes() if one or not cls.dscp]

    def named(self, kind: type, attribute: str = "name") -> list[str]:
        """A name of the object, if it is of a kind and has one."""
        name = getattr(self.read.holder, attribute, "") if isinstance(self.read.holder, kind) else ""
        return [name] if isinstance(name, str) and name else []


VARIABLES: Mapping[str, Callable[[_Site], list[str]]] = {
    # Its port waits for a host of a group that has none at this leaf.
    "absent_group": lambda site: [name for name in site.peer_group() if name not in site.groups()],
    "below": _Site.below,
    "counted_tier": _Site.counted_tier,
    "down_link": lambda site: [link for link in site.all_links() if link.partition("-")[2] == site.own_end],
    "dscp_class": _Site.dscp_class,
    "group": _Site.groups,
    "hostname": lambda site: [site.device.hostname],
    "ipv4": lambda site: ["ipv4"] if site.has("ipv4") else [],
    "ipv6": lambda site: ["ipv6"] if site.has("ipv6") else [],
    "item": lambda site: [str(site.read.value)] if site.read.index is not None else [],
    "link": _Site.links,
    "links": _Site.all_links,
    "lossless": lambda site: [cls.name for cls in site.classes() if cls.lossless],
    "lossless_name": lambda site: site.named(TrafficClass) if getattr(site.read.holder, "lossless", False) else [],
    "lower_tier": _Site.lower_tier,
    # The tier or speed the intent states marking thresholds for.
    "marking_key": lambda site: site.named(EcnThresholds, "key"),
    "name": lambda site: site.named(object),
    "peer_group": _Site.peer_group,
    "peer_tier": _Site.peer_tier,
    "pool": _Site.pool,
    "rest_class": _Site.rest_class,
    # Innermost first.
    "scope": lambda site: ["units", "pods", "zones"][bool(site.switch and site.switch.role != "leaf") :],
    "tier": lambda site: [site.switch.tier] if site.switch else [],
    "upper_tier": _Site.upper_tier,
    "used_link": lambda site: site.links() if isinstance(site.read.holder, PortShape) and site.read.holder.used else [],
    # The key that would bring a family to a fabric without it.
    "without_ipv4": lambda site: [] if site.has("ipv4") else ["families"],
    "without_ipv6": lambda site: [] if site.has("ipv6") else ["families"],
}
"""Name of a variable to what gives its values."""


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


_IDENTITY_FIELDS = {"hostname", "name", "peer", "asn", "peer_asn", "router_id", "loopback", "loopback6"}
_IDENTITY_FIELDS |= {"management", "management_gateway"}
"""Fields whose values one device may have of its own, or the other end of a link."""


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
    if device.own and read.field in _IDENTITY_FIELDS and str(read.value) in device.own:
        return (device.own[str(read.value)],)
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
    values = [VARIABLES[name](_Site(read, device)) for name in names]
    for chosen in product(*values):
        filled = dict(zip(names, chosen, strict=True))
        yield tuple(segment.format_map(filled) for segment in pattern)
