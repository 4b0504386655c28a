"""Ports of switches that are cabled to PTP grandmasters."""

from __future__ import annotations

from fabricgen.diagnostics import Bag, IntentPath, Nearest
from fabricgen.diagnostics.words import counted, name_few
from fabricgen.intent.operations import PtpIntent
from fabricgen.intent.types import IPAddress
from fabricgen.plan.model.contract import Grandmaster
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner.exceptions.links import find_names
from fabricgen.plan.planner.exceptions.switch_ports import PortName
from fabricgen.plan.planner.plan_codes import NO_FREE_PORT

PATH: IntentPath = ("operations", "ptp", "grandmasters")


def place_grandmasters(plan: FabricPlan, ptp: PtpIntent | None, bag: Bag) -> tuple[tuple[DeviceId, Grandmaster], ...]:
    """Return the port to each grandmaster, by switch; what is no free port of a switch goes into the bag."""
    found = []
    names = find_names(plan, ptp.grandmasters) if ptp else {}
    for name, own in sorted(ptp.grandmasters.items()) if ptp else ():
        device = names.get(name)
        if not isinstance(device, DeviceId) or plan.exceptions.is_absent(device):
            near = Nearest().find(name, [plan.device_name(each) for each in plan.switches()])
            hint = f"did you mean {near}?" if near else "use a switch that fabricgen show INVENTORY devices lists"
            bag.add(NO_FREE_PORT, f"there is no switch {name!r}", (*PATH, name), on_key=True, hint=hint)
            continue
        tier, port = plan.tier_of(device), PortName.parse(own.port)
        slots = sorted(tier.slots, key=lambda slot: not slot.service)
        free = {PortName(slot.cage, slot.subport): slot.name for slot in slots if not slot.side}
        if port not in free:
            few = name_few(list(map(str, free)), 4)
            hint = f"use a free port: {few}" if few else f"{name} has no free port; use another switch"
            bag.add(NO_FREE_PORT, _fault(name, port, tier), (*PATH, name, "port"), hint=hint)
        else:
            address = IPAddress(own.subnet.first + (own.subnet.prefixlen < 31), 4)
            found.append((device, Grandmaster(free[port], f"{address}/{own.subnet.prefixlen}")))
    return tuple(found)


def _fault(name: str, port: PortName, tier: Tier) -> str:
    """Return the reason why a port cannot be that of a grandmaster."""
    slots = [slot for slot in tier.slots if slot.cage == port.cage]
    side = next((slot.side for slot in slots if slot.side and port.subport in (0, slot.subport)), "")
    if side:
        return f"port {port} of {name} is for {(tier.up if side == 'up' and tier.up else tier.down).link} links"
    if not slots:
        return f"{name}, a {tier.model}, has no port {port}"
    return f"cage {port.cage} of {name} has {counted(len(slots), 'port')}, none of which is {port}"
