"""Exceptions whose names are patterns, spelled out to one for each device or link of the regular plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabricgen.diagnostics import Bag
from fabricgen.intent.exceptions import PlacedException
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.name_patterns import match_names
from fabricgen.intent.settings import list_boxes, list_settings
from fabricgen.plan.model.cabling import host_links_of_host, upper_peers
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.planner.exceptions import exception_codes as codes
from fabricgen.plan.planner.exceptions.links import Names, find_names


def spell_out(plan: FabricPlan, intent: FabricIntent, bag: Bag) -> FabricIntent:
    """Return the intent with an exception for each device or link that a pattern stands for, at the pattern's place.

    One that stands for none stays as it is.
    """
    if not any(item.has_pattern for item in intent.exceptions):
        return intent
    known = find_names(plan, None)
    by_kind = {
        kind: sorted(name for name, found in known.items() if isinstance(found, of))
        for kind, of in (("device", DeviceId), ("host", HostId), ("link", tuple))
    }
    placed = [one for each in intent.placed_exceptions for one in _spell(plan, each, known, by_kind, bag)]
    settings, boxes = list(list_settings(intent, placed)), list(list_boxes(placed))
    return intent.model_copy(update={"placed_exceptions": placed, "settings": settings, "boxes": boxes})


def _spell(
    plan: FabricPlan, placed: PlacedException, known: Names, by_kind: Mapping[str, Sequence[str]], bag: Bag
) -> Iterator[PlacedException]:
    """Yield an exception for each device or link; the exception itself if it has no pattern or nothing matches."""
    item, path = placed
    key = "device" if item.device else "host" if item.host else "link"
    ends: list[str] = item.link or [getattr(item, key)]
    matched = [match_names(end, by_kind[key])[0] for end in ends if item.has_pattern]
    found: list[Any] = matched[0] if matched else []
    for peers in matched[1:]:
        found = [[name, peer] for name in matched[0] for peer in sorted(_above(plan, known[name]).intersection(peers))]
        if all(matched) and not found:
            message = f"there is no link from {ends[0]} up to {ends[1]}"
            bag.add(codes.NO_SUCH_LINK, message, (*path, key), hint="name the lower end of the links first")
    yield from (PlacedException(item.model_copy(update={key: each}), path) for each in found)
    if not found:
        yield placed


def _above(plan: FabricPlan, lower: DeviceId | HostId) -> set[str]:
    """Names of the switches to which a device has links upwards."""
    if isinstance(lower, HostId):
        return {plan.device_name(link.upper_end) for link in host_links_of_host(plan, lower)}
    return {plan.device_name(peer) for peer in upper_peers(plan, lower)}
