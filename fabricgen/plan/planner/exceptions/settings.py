"""Leafs that exceptions set for one switch or one link."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fabricgen.diagnostics import Bag, IntentPath, Nearest, Related
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.exceptions import PlacedException
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.settings import Setting, SettingFault, read_value, value_at, with_value
from fabricgen.plan.model.contract import Services
from fabricgen.plan.model.fabric import DeviceException, FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner.exceptions import exception_codes as codes
from fabricgen.plan.planner.exceptions.links import LinkEdits, Names, name_of
from fabricgen.plan.planner.lossless import build_watchdog
from fabricgen.plan.planner.services import build_services


def apply_settings(
    plan: FabricPlan, intent: FabricIntent, names: Names, switches: dict[DeviceId, DeviceException], bag: Bag
) -> None:
    """Give every switch for which an exception sets leafs its own services, watchdog and multipath settings."""
    own: dict[DeviceId, list[Setting]] = {}
    for setting in intent.settings:
        device = names.get(setting.item.device or "")
        if isinstance(device, DeviceId):
            own.setdefault(device, []).append(setting)
    services: dict[tuple[tuple[str, str], ...], Services] = {}
    for device, settings in sorted(own.items()):
        changed, kept = _applied(intent, settings, bag)
        known = switches.get(device, DeviceException())
        areas = {setting.leaf[0] for setting in kept}
        if "operations" in areas:
            values = tuple((setting.key, repr(setting.value)) for setting in kept)
            if values not in services:
                services[values] = build_services(changed)
            known = known._replace(services=services[values])
        if "lossless" in areas:
            known = known._replace(watchdog=build_watchdog(changed.lossless, [tier.clock for tier in plan.boxes]))
        if "routing" in areas:
            known = known._replace(tier=_with_ecmp(known.tier or plan.tiers[device.tier], changed, kept))
        switches[device] = known


def set_mtu(plan: FabricPlan, intent: FabricIntent, changes: Iterable[LinkEdits], bag: Bag) -> None:
    """Give every link for which an exception sets its MTU that MTU."""
    found, nearest = Bag(), Nearest()
    for change in changes:
        if not change.settings:
            continue
        group, lower = change.cable.group.name, change.cable.lower
        if isinstance(lower, HostId) and plan.hosts[lower.group].bond:
            for placed in change.settings:
                _refuse_bond_mtu(plan, intent, lower, placed, found)
        elif group in intent.links:  # else it is assumed, for the intent has no such links; FG-TOP-002 says so
            settings = [
                Setting(item, key, (*path, "set", key), leaf, read_value(intent, leaf, value, nearest))
                for item, path in change.settings
                for key, value in sorted((item.set or {}).items())
                for leaf in [("links", group, *key.split("."))]
            ]
            changed, kept = _applied(intent, settings, found)
            if kept:
                change.mtu_bytes = changed.links[group].mtu
    # One exception of several parallel links is one mistake.
    bag.extend([replace(diagnostic, count=1) for diagnostic in found])


def _refuse_bond_mtu(plan: FabricPlan, intent: FabricIntent, host: HostId, placed: PlacedException, bag: Bag) -> None:
    """Say that the ports of a bond have one MTU."""
    hosts, path = plan.hosts[host.group], (*placed.path, "set")
    above: IntentPath = ("hosts", hosts.name) if intent.hosts[hosts.name].attachment else ()
    message = f"the ports of each NIC of {name_of(plan, host)} are one bond, which has one MTU"
    hint = f"set links.{hosts.link.name}.mtu, or remove mtu here"
    bag.add(codes.NOT_SETTABLE, message, path, hint=hint, related=[Related("the bond", (*above, "attachment", "bond"))])


def _applied(intent: FabricIntent, settings: Iterable[Setting], bag: Bag) -> tuple[FabricIntent, list[Setting]]:
    """The intent with the settings that can be had, and those."""
    kept: dict[str, Setting] = {}
    for setting in settings:
        found = setting.value
        if isinstance(found, SettingFault):
            code = codes.BAD_SETTING if found.is_leaf else codes.NOT_SETTABLE
            there = found.is_leaf or value_at(intent, setting.leaf) is not None
            related = [Related("the value of the whole fabric", setting.leaf)] if there else []
            bag.add(code, found.text, setting.path, on_key=not found.is_leaf, hint=found.hint, related=related)
        elif setting.key in kept:
            report_twice(setting, kept[setting.key], bag)
        else:
            intent = with_value(intent, setting.leaf, found)
            kept[setting.key] = setting
    return intent, list(kept.values())


def report_twice(setting: Setting, other: Setting, bag: Bag) -> None:
    """Report a leaf that two exceptions set of one switch or link."""
    message = f"two exceptions set {setting.key} of {setting.item.device or and_list(setting.item.link or ())}"
    related = [Related("the other one", other.path)]
    bag.add(codes.SET_TWICE, message, setting.path, on_key=True, hint="remove one of the two", related=related)


def _with_ecmp(tier: Tier, intent: FabricIntent, settings: Iterable[Setting]) -> Tier:
    """A tier with the multipath settings of one switch; they go before those of its tier."""
    ecmp, routing = intent.routing.ecmp, tier.routing
    keys = {setting.leaf[-1] for setting in settings}
    if "hash" in keys:
        routing = replace(routing, hash_fields=tuple(ecmp.hash))
    if "load_balancing" in keys and ecmp.load_balancing != "auto":
        routing = replace(routing, load_balancing=ecmp.load_balancing)
    if "max_paths" in keys and ecmp.max_paths != "auto":
        routing = replace(routing, max_paths=ecmp.max_paths, paths_stated=True)
    return tier._replace(routing=routing)
