"""Which intent key decides a field of the device model.

``FIELD_ORIGINS`` lists, per class and field, patterns of intent paths, the most decisive first. A segment in braces is
a variable: it takes its values from the object the field was read on and from the device, and a pattern with several
values gives several paths. ``origin_of`` fills them in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from string import Formatter
from typing import NamedTuple

from fabricgen.device.model import Host, Port, PortShape, Rail, RailShape, Switch
from fabricgen.device.origin_table import FIELD_ORIGINS
from fabricgen.diagnostics import IntentPath
from fabricgen.plan.model.contract import EcnThresholds, PgProfile, TrafficClass
from fabricgen.plan.model.topology import CageMode

_HOST_END = "host"
"""Word for the hosts in the name of a link group."""


class FieldRead(NamedTuple):
    """A field of the device model that was read.

    Attributes:
        owner: Name of the class that has the field.
        field: Its name.
        object: The object it was read on; None if only the class is known.
        index: Which item of the field's value was used; None if all of it was.
    """

    owner: str
    field: str
    object: object
    index: int | None = None

    @property
    def value(self) -> object:
        """What was read."""
        value: object = getattr(self.object, self.field, None)
        return value[self.index] if self.index is not None and isinstance(value, tuple | list) else value


def origin_of(read: FieldRead, device: Switch | Host) -> tuple[IntentPath, ...]:
    """The intent paths a field comes from.

    Args:
        read: The field.
        device: The device in whose configuration it was used.

    Returns:
        Paths of the whole intent model, the most decisive first; a path need not be written in the document, where
        short forms and defaults leave segments out. If no pattern can be filled in, what stands before the first
        variable of the first one. None for a constant of planning.

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
        if _variables(segment):
            break
        static.append(segment)
    return tuple(static)


def _variables(segment: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(segment) if name]


def _fill(pattern: IntentPath, read: FieldRead, device: Switch | Host) -> Iterator[IntentPath]:
    """Every path a pattern stands for; none if one of its variables has no value here."""
    names = list(dict.fromkeys(name for segment in pattern for name in _variables(segment)))
    values = [_RESOLVERS[name](read, device) for name in names]
    for chosen in product(*values):
        filled = dict(zip(names, chosen, strict=True))
        yield tuple(segment.format_map(filled) for segment in pattern)


def _shape(holder: object) -> PortShape | RailShape | None:
    """The port or rail an object is about."""
    if isinstance(holder, Port | Rail):
        return holder.shape
    return holder if isinstance(holder, PortShape | RailShape) else None


def _shapes(device: Switch | Host) -> tuple[PortShape | RailShape, ...]:
    return device.cls.ports if isinstance(device, Switch) else device.cls.rails


def _all_links(_: FieldRead, device: Switch | Host) -> list[str]:
    return list(dict.fromkeys(shape.link for shape in _shapes(device) if shape.link))


def _link(read: FieldRead, device: Switch | Host) -> list[str]:
    """Link groups the object serves: its own, or those of the ports that use it."""
    shape = _shape(holder)
    if shape is not None:
        return [shape.link] if shape.link else []
    ports = device.cls.ports if isinstance(device, Switch) else ()
    users: list[PortShape] = []
    if isinstance(holder, PgProfile):
        users = [port for port in ports if port.pg_profile == holder.name]
    elif isinstance(holder, EcnThresholds):
        users = [port for port in ports if port.ecn == holder.name]
    elif isinstance(holder, CageMode):
        users = [port for port in ports if port.cage == holder.cage]
    return list(dict.fromkeys(port.link for port in users if port.link))


def _down_link(_: FieldRead, device: Switch | Host) -> list[str]:
    """Link group below a switch."""
    ends = [(link, link.partition("-")[2]) for link in _all_links(None, device)]
    return [link for link, upper in ends if upper == _tier(None, device)[0]] if isinstance(device, Switch) else []


def _tier(_: FieldRead, device: Switch | Host) -> list[str]:
    return [device.cls.tier] if isinstance(device, Switch) else []


def _upper_tier(_: FieldRead, device: Switch | Host) -> list[str]:
    """The tier above the device."""
    own = device.cls.tier if isinstance(device, Switch) else _HOST_END
    ends = [link.partition("-") for link in _all_links(None, device)]
    return [upper for lower, _, upper in ends if lower == own]


def _peer_end(read: FieldRead, device: Switch | Host) -> list[str]:
    """What is at the other end of an object's link: a tier, or ``host``."""
    own = device.cls.tier if isinstance(device, Switch) else _HOST_END
    ends = [link.partition("-") for link in _link(holder, device)]
    return [upper if lower == own else lower for lower, _, upper in ends]


def _peer_tier(read: FieldRead, device: Switch | Host) -> list[str]:
    return [end for end in _peer_end(holder, device) if end != _HOST_END]


def _peer_group(read: FieldRead, device: Switch | Host) -> list[str]:
    """Host groups at the other end."""
    return _group(None, device) if _HOST_END in _peer_end(holder, device) else []


def _group(_: FieldRead, device: Switch | Host) -> list[str]:
    """The host group of a host; the host groups on a leaf."""
    return list(device.cls.host_groups) if isinstance(device, Switch) else [device.cls.group]


def _counted_tier(read: FieldRead, device: Switch | Host) -> list[str]:
    """The tier at the other end if it has a count of its own; leafs have none, the attachment places them."""
    shape = _shape(holder)
    is_leaf = isinstance(device, Host) or (
        isinstance(shape, PortShape) and shape.side == "down" and device.cls.role == "spine"
    )
    return [] if is_leaf else _peer_tier(holder, device)


def _pool(read: FieldRead, device: Switch | Host) -> list[str]:
    """The address pool of an object's link."""
    ends = _peer_end(holder, device)
    own = _HOST_END if isinstance(device, Host) else ""
    return ["host_links" if _HOST_END in (*ends, own) else "fabric_links"] if ends else []


def _scope(_: FieldRead, device: Switch | Host) -> list[str]:
    """The dimensions that say where the device stands, innermost first."""
    scopes = ["units", "pods", "zones"]
    return scopes[1:] if isinstance(device, Switch) and device.cls.role != "leaf" else scopes


def _name(read: FieldRead, _: Switch | Host) -> list[str]:
    name = getattr(holder, "name", "")
    return [name] if isinstance(name, str) and name else []


def _hostname(_: FieldRead, device: Switch | Host) -> list[str]:
    return [device.hostname]


def _class_names(_: FieldRead, device: Switch | Host) -> list[str]:
    """Every traffic class, lossless ones first, the one that takes what nobody names last."""
    return [cls.name for cls in sorted(device.cls.contract.classes, key=lambda cls: (not cls.lossless, not cls.dscp))]


def _lossless_name(read: FieldRead, _: Switch | Host) -> list[str]:
    return [holder.name] if isinstance(holder, TrafficClass) and holder.lossless else []


def _lossless_names(_: FieldRead, device: Switch | Host) -> list[str]:
    return [cls.name for cls in device.cls.contract.classes if cls.lossless]


_RESOLVERS: Mapping[str, Callable[[FieldRead, Switch | Host], list[str]]] = {
    "class": _class_names,
    "counted_tier": _counted_tier,
    "down_link": _down_link,
    "group": _group,
    "hostname": _hostname,
    "link": _link,
    "links": _all_links,
    "lossless": _lossless_names,
    "lossless_name": _lossless_name,
    "name": _name,
    "peer_group": _peer_group,
    "peer_tier": _peer_tier,
    "pool": _pool,
    "scope": _scope,
    "tier": _tier,
    "upper_tier": _upper_tier,
}

VARIABLES = frozenset(_RESOLVERS)
"""Names that may stand in braces in a pattern."""
