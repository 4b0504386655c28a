"""Switches that exceptions make another box than the others of their tier: model, platform, release, board data."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import NamedTuple

from fabricgen.catalog.records import SwitchModel
from fabricgen.diagnostics import Bag, IntentPath, Nearest, Related
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.settings import Setting, SettingFault, typed_value
from fabricgen.intent.topology import TierIntent
from fabricgen.plan.model.contract import Contract
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.topology import LinkGroup, Tier, group_at
from fabricgen.plan.planner.buffers import BufferSizer, BufferSource
from fabricgen.plan.planner.exceptions import exception_codes as codes
from fabricgen.plan.planner.exceptions.links import find_names
from fabricgen.plan.planner.exceptions.settings import report_twice
from fabricgen.plan.planner.exceptions.switch_ports import RegularPorts
from fabricgen.plan.planner.plan_codes import NO_COMMON_BREAKOUT
from fabricgen.plan.planner.ports import COPPER, PortNames

_IDLE = {"platform": ("release", "board_data"), "model": ("board_data",)}
"""Leafs of a tier that mean nothing on another platform, or on another model."""


class Kind(NamedTuple):
    """Switches of a tier that are alike, and unlike the others of it.

    Attributes:
        intent: The intent of the fabric if all of the tier were like them, without exceptions.
        places: Place in the first exception of each leaf that makes them unlike.
    """

    number: int
    tier: str
    intent: FabricIntent
    places: dict[str, IntentPath]
    devices: tuple[DeviceId, ...]


class Box(NamedTuple):
    """Inputs of the ports and buffers of a switch: model at its release, port naming, source of buffer sizes."""

    model: SwitchModel
    port_names: PortNames
    source: BufferSource


def box_key(tier: Tier) -> Hashable:
    """Return what decides the box of a tier as some of its switches have it."""
    return tier.number, tier.model, tier.platform, tier.release.name


class Boxes(NamedTuple):
    """The boxes of a fabric.

    Attributes:
        unlike: The tier of each switch that is another box than the others of it, before cables and ports are moved.
    """

    inputs: dict[Hashable, Box]
    unlike: dict[DeviceId, Tier]

    @property
    def kinds(self) -> tuple[Tier, ...]:
        """The tier of each kind of unlike switches, once."""
        return tuple({id(tier): tier for tier in self.unlike.values()}.values())

    def of(self, plan: FabricPlan, device: DeviceId) -> Tier:
        """The tier of a switch before cables and ports are moved."""
        return self.unlike.get(device) or plan.tiers[device.tier]

    def regular_ports(self, tier: Tier, plan: FabricPlan) -> RegularPorts:
        """The ports of the switches of a tier as the regular plan has them."""

        def is_copper(side: str, position: int) -> bool:
            if side == "down" and tier.number == 0:
                return group_at(plan.hosts, position).link.media in COPPER
            return plan.links[tier.number + (side == "up")].media in COPPER

        box = self.inputs[box_key(tier)]
        return RegularPorts(tier, box.model, box.port_names, is_copper)

    def sizer(self, tier: Tier, contract: Contract) -> BufferSizer:
        """Return what sizes the switches of a tier."""
        box = self.inputs[box_key(tier)]
        return BufferSizer(box.model, tier.sku, tier.role, contract, box.source)


def find_kinds(
    plan: FabricPlan, intent: FabricIntent, models: Collection[str], platforms: Collection[str], bag: Bag
) -> list[Kind]:
    """Every kind of switch that exceptions make; a model or platform that is not known is reported already."""
    found: dict[Hashable, Kind] = {}
    regular = intent.without_exceptions()
    for device, own in sorted(_read_leafs(plan, intent, bag).items()):
        name, values = plan.tiers[device.tier].name, {leaf: value for leaf, (value, _) in own.items()}
        key = (name, *sorted(values.items()))
        if key not in found:
            tier = _changed(intent.tiers[name], values)
            if tier == intent.tiers[name] or tier.model not in models or tier.platform not in platforms:
                continue
            changed = regular.model_copy(update={"tiers": {**intent.tiers, name: tier}})
            found[key] = Kind(device.tier, name, changed, {leaf: each.path for leaf, (_, each) in own.items()}, ())
        found[key] = found[key]._replace(devices=(*found[key].devices, device))
    return list(found.values())


def _changed(tier: TierIntent, values: dict[str, object]) -> TierIntent:
    """A tier with other leafs, without those that mean nothing there."""
    idle = [leaf for other in values if values[other] != getattr(tier, other) for leaf in _IDLE.get(other, ())]
    return tier.model_copy(update={**dict.fromkeys(idle), **values})


def _read_leafs(plan: FabricPlan, intent: FabricIntent, bag: Bag) -> dict[DeviceId, dict[str, tuple[object, Setting]]]:
    """By switch, the leafs of its tier that exceptions set, each as its type has it; what is wrong is reported."""
    names, nearest = find_names(plan, {each.item.device or "" for each in intent.boxes}), Nearest()
    found: dict[DeviceId, dict[str, tuple[object, Setting]]] = {}
    reported: set[tuple[IntentPath, IntentPath]] = set()
    for setting in intent.boxes:
        device = names.get(setting.item.device or "")
        if not isinstance(device, DeviceId):
            continue
        leaf, known = ("tiers", plan.tiers[device.tier].name, setting.key), found.setdefault(device, {})
        value = typed_value(intent, leaf, setting.value, nearest)
        if isinstance(value, SettingFault):
            related = [Related("the value of the tier", leaf)]
            bag.add(codes.BAD_SETTING, value.text, setting.path, hint=value.hint, related=related)
        elif setting.key in known:
            other = known[setting.key][1]
            if (setting.path, other.path) not in reported:
                report_twice(setting, other, bag)
            reported.add((setting.path, other.path))
        else:
            known[setting.key] = (value, setting)
    return found


def mixed_platforms(intent: FabricIntent, kinds: Sequence[Kind]) -> dict[str, set[str]]:
    """Every platform of each tier that has unlike switches."""
    found = {kind.tier: {intent.tiers[kind.tier].platform} for kind in kinds}
    for kind in kinds:
        found[kind.tier].add(kind.intent.tiers[kind.tier].platform)
    return found


def check_links(kind: Kind, regular: FabricPlan, own: FabricPlan, found: Bag, bag: Bag) -> None:
    """Report links of a tier that would be others if all of it were of a kind: each has two ends, and one is not.

    Ends without a common number of lanes are in the bag of what is found of the kind.
    """
    if any(each.code == NO_COMMON_BREAKOUT.id for each in found):
        return
    pairs = [*zip(regular.links[1:], own.links[1:], strict=True)]
    pairs += [(one.link, other.link) for one, other in zip(regular.hosts, own.hosts, strict=True) if not kind.number]
    for one, other in pairs:
        what, order = _difference(one, other), ("platform", "model", "release")
        if what and kind.number in (one.lower, one.upper):
            bag.add(
                codes.UNLIKE_LINK,
                f"{own.tiers[kind.number].model} with {own.tiers[kind.number].platform} runs {one.name} {what}",
                next(kind.places[leaf] for leaf in order if leaf in kind.places),
                hint="use a model and a platform that run the links as the others of the tier do",
                related=[Related("the links", ("links", one.name)), Related("the tier", ("tiers", kind.tier, "model"))],
            )


def _difference(one: LinkGroup, other: LinkGroup) -> str:
    """Return what is different about links, in words; empty if nothing is."""
    if one.lanes != other.lanes:
        return f"over {other.lanes} lanes, the others of the tier over {one.lanes}"
    forced = [link.autoneg(link.media, link.length_m) for link in (one, other)]
    if forced[0] != forced[1]:
        return f"with negotiation {forced[1]}, the others of the tier with negotiation {forced[0]}"
    return ""
