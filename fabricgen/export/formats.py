"""A plan in the form of another tool: its files by name, and the folder that takes them."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.diagnostics import Bag
from fabricgen.export import anta
from fabricgen.export.export_codes import NO_DEVICES
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.state.expected import Expectations

FORMATS = (anta.NAME,)
"""Names of formats."""


def export_plan(name: str, plan: FabricPlan, specs: Mapping[str, PlatformSpec], bag: Bag) -> dict[str, str] | None:
    """Return the files of an export by name."""
    fitting = {spec.name for spec in specs.values() if name in spec.exports}
    platforms = {plan.device_name(device): plan.tier_of(device).platform for device in plan.switches()}
    chosen = [device for device in plan.switches() if plan.tier_of(device).platform in fitting]
    if not chosen:
        bag.add(NO_DEVICES, f"no switch of {plan.name} runs a platform that {name} reads")
        return None
    aliased = {device for device, platform in platforms.items() if specs[platform].lldp_port == "alias"}
    expectations = Expectations(plan, counts_prefixes=False)
    devices = [expectations.switch(device) for device in chosen]
    addresses = {identity.name: identity.management for identity in map(plan.identity, chosen)}
    return anta.export_anta(devices, addresses, aliased)
