"""Switches that were read at their places in a plan: by the ports through which its links lead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fabricgen.device.model import Switch
from fabricgen.device.transition import lower_plan
from fabricgen.inference.cabling import End, FoundCabling
from fabricgen.inference.shape import FoundShape, nic_port, rank
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId

_RUN = re.compile(r"([0-9]+)")


@dataclass(slots=True)
class Match:
    """Switches of a plan by their names there, and the name of the one that was read at each place."""

    plan: FabricPlan
    planned: dict[str, Switch]
    ids: dict[str, DeviceId]
    found: dict[str, str] = field(default_factory=dict)

    def tier(self, number: int) -> list[str]:
        """Return the matched switches of a tier, in the order of the plan."""
        return [name for name in self.found if self.ids[name].tier == number]


def lower_all(plan: FabricPlan) -> Match:
    """Return the switches of a plan, none of them matched."""
    lowering = lower_plan(plan)
    ids = {plan.device_name(device): device for device in plan.switches()}
    return Match(plan, {name: lowering.lower_switch(device) for name, device in ids.items()}, ids)


def match_switches(plan: FabricPlan, shape: FoundShape) -> Match:
    """Match switches; each part of the plan that links hold together begins at the leaf that fits best."""
    match = lower_all(plan)
    left = dict.fromkeys(sorted(shape.cabling.tiers[0], key=lambda name: rank(shape.cabling.switches[name])))
    for name in [name for name, device in match.ids.items() if device.tier == 0]:
        if name in match.found:
            continue
        walks = [_walk(match, shape.cabling, name, each) for each in left if _may_be(match, shape, name, each)]
        best = max(walks, key=len, default={})
        match.found |= {here: there for here, there in best.items() if here not in match.found}
        for each in best.values():
            left.pop(each, None)
    return match


def _may_be(match: Match, shape: FoundShape, name: str, found: str) -> bool:
    """Return whether a leaf may have a place: its rails and plane, and the port that its first uplink leads to."""
    for port in match.planned[name].ports:
        end = shape.cabling.peers.get(End(found, port.shape.name))
        if port.peer in match.planned:
            return end is not None and end.port == port.peer_port
        _, rail, plane = nic_port(port.peer, port.peer_port)
        if not 0 <= rail - shape.rails[found] < shape.rails_per_leaf or max(plane, 0) != shape.plane[found]:
            return False
    return True


def _walk(match: Match, cabling: FoundCabling, name: str, found: str) -> dict[str, str]:
    """Return which switches are which if a leaf is: links that lead through the same ports at both ends join them."""
    walked = {name: found}
    taken = set(match.found.values()) | {found}
    queue = [name]
    for here in queue:
        for port in match.planned[here].ports:
            end = cabling.peers.get(End(walked[here], port.shape.name))
            if end is None or end.port != port.peer_port or port.peer in walked or port.peer in match.found:
                continue
            if port.peer in match.planned and end.switch not in taken:
                walked[port.peer] = end.switch
                taken.add(end.switch)
                queue.append(port.peer)
    return walked


def score(match: Match, cabling: FoundCabling, names: Sequence[str]) -> tuple[int, int]:
    """Return how many numbers of some matched switches are as read, of how many: their own and their links'."""
    equal = total = 0
    for name in names:
        for own, other in _numbers(match.planned[name], cabling, match.found[name]):
            equal += own == other
            total += 1
    return equal, total


def _numbers(planned: Switch, cabling: FoundCabling, name: str) -> Iterator[tuple[object, object]]:
    switch = cabling.switches[name]
    yield [each for each in (planned.loopback, planned.loopback6) if each], list(switch.loopbacks)
    yield planned.asn, switch.asn
    yield f"{planned.management}/{planned.management_len}", switch.management
    ports = {port.name: port.addresses for port in switch.ports}
    for port in planned.ports:
        pairs = (port.address, port.prefix_len), (port.address6, port.prefix_len6)
        yield tuple(f"{text}/{length}" for text, length in pairs if text), ports.get(port.shape.name)


def find_pattern(names: Sequence[tuple[Mapping[str, str], str]]) -> str:
    """Return the pattern that gives names from the values of their fields; empty if there is none."""
    parts = [_RUN.split(name) for _, name in names]
    if not parts or len({len(each) for each in parts}) != 1:
        return ""
    pattern = ""
    for position, texts in enumerate(zip(*parts, strict=True)):
        written = texts[0] if len(set(texts)) == 1 else _field(names, texts, is_number=bool(position % 2))
        if written is None:
            return ""
        pattern += written
    return pattern if all(pattern.format(**_typed(values)) == name for values, name in names) else ""


def _field(names: Sequence[tuple[Mapping[str, str], str]], texts: Sequence[str], *, is_number: bool) -> str | None:
    """Return the field that a part of all names is, with what of it is the same in all."""
    if not is_number:
        heads = {text.removesuffix(values.get("plane", "")) for text, (values, _) in zip(texts, names, strict=True)}
        return f"{heads.pop()}{{plane}}" if len(heads) == 1 else None
    for name in ("unit", "host", "rail", "index", "pod", "group", "zone"):
        values = [each.get(name, "") for each, _ in names]
        if all(value.isdecimal() and int(value) == int(text) for value, text in zip(values, texts, strict=True)):
            wide = any(text != value for value, text in zip(values, texts, strict=True))
            return f"{{{name}:0{len(texts[0])}}}" if wide else f"{{{name}}}"
    return None


def _typed(values: Mapping[str, str]) -> dict[str, int | str]:
    return {name: int(value) if value.isdecimal() else value for name, value in values.items()}
