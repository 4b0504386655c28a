"""Exceptions whose names are patterns, spelled out to one for each device or link of the regular plan."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.diagnostics import Bag
from fabricgen.intent.exceptions import PlacedException
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.name_patterns import is_pattern, read_pattern
from fabricgen.intent.settings import list_boxes, list_settings
from fabricgen.plan.model.cabling import host_links_of_host, upper_peers
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.planner.exceptions import exception_codes as codes
from fabricgen.plan.planner.exceptions.links import find_names


def spell_out(plan: FabricPlan, intent: FabricIntent, bag: Bag) -> FabricIntent:
    """Return the intent with an exception for each device or link that a pattern stands for, at the pattern's place.

    One that stands for none stays as it is.
    """
    if not any(item.has_pattern for item in intent.exceptions):
        return intent
    names = _Names(plan)
    placed = [one for each in intent.placed_exceptions for one in _spell(each, names, bag)]
    settings, boxes = list(list_settings(intent, placed)), list(list_boxes(placed))
    return intent.model_copy(update={"placed_exceptions": placed, "settings": settings, "boxes": boxes})


class _Names:
    """Names of the regular plan."""

    def __init__(self, plan: FabricPlan) -> None:
        self._plan, self._known = plan, find_names(plan, None)
        self._by_kind = {
            kind: sorted(name for name, found in self._known.items() if isinstance(found, of))
            for kind, of in (("device", DeviceId), ("host", HostId), ("link", tuple))
        }

    def match(self, text: str, kind: str) -> list[str]:
        """Names of a kind that a name or pattern stands for."""
        return read_pattern(text).match(self._by_kind[kind])[0] if is_pattern(text) else [text]

    def above(self, name: str) -> set[str]:
        """Names of the switches to which a device has links upwards."""
        lower, plan = self._known.get(name), self._plan
        if isinstance(lower, HostId):
            return {plan.device_name(link.upper_end) for link in host_links_of_host(plan, lower)}
        return {plan.device_name(peer) for peer in upper_peers(plan, lower)} if lower else set()


def _spell(placed: PlacedException, names: _Names, bag: Bag) -> Iterator[PlacedException]:
    """Yield an exception for each device or link; the exception itself if it has no pattern or nothing matches."""
    item, path = placed
    key = "device" if item.device else "host" if item.host else "link"
    if not item.has_pattern:
        yield placed
        return
    found: list[str] | list[list[str]]
    if item.link is None:
        found = names.match(getattr(item, key), key)
    else:
        lower, upper = (names.match(end, key) for end in item.link)
        found = [[name, peer] for name in lower for peer in sorted(names.above(name).intersection(upper))]
        if lower and upper and not found:
            message = f"there is no link from {item.link[0]} up to {item.link[1]}"
            bag.add(codes.NO_SUCH_LINK, message, (*path, key), hint="name the lower end of the links first")
    yield from (PlacedException(item.model_copy(update={key: each}), path) for each in found or [getattr(item, key)])
