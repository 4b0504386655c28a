"""Ports of the switches whose links exceptions move: every cable in a port of its own that carries it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fabricgen.diagnostics import Bag, IntentPath, Related
from fabricgen.plan.model.cabling import HostLink, cables_below, links_at_ports, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId, LinkId
from fabricgen.plan.model.topology import Tier, group_at
from fabricgen.plan.planner.exceptions import exception_codes as codes
from fabricgen.plan.planner.exceptions.links import LinkEdits, link_text
from fabricgen.plan.planner.exceptions.switch_ports import Carrier, PortName, RegularPorts, SwitchPorts


@dataclass(slots=True)
class _PortRequest:
    """A link that needs a port of a switch; ``position`` is None where the regular plan has no place for it there."""

    change: LinkEdits
    side: str
    position: int | None
    port: PortName
    path: IntentPath

    @property
    def need(self) -> Carrier:
        """Return what the port must carry."""
        return Carrier(self.change.cable.group.speed_gbps, self.change.cable.group.lanes)


class PortMover:
    """Finds a port at both ends of every link that exceptions move."""

    def __init__(
        self, plan: FabricPlan, changes: dict[LinkId, LinkEdits], regular: Mapping[int, RegularPorts], bag: Bag
    ) -> None:
        """Prepare."""
        self._plan = plan
        self._changes = changes
        self._regular = regular
        self._bag = bag
        self._requests: dict[DeviceId, list[_PortRequest]] = {}
        self._boxes: dict[DeviceId, SwitchPorts] = {}
        self._paths: dict[tuple[DeviceId, int], IntentPath] = {}
        self._named: dict[DeviceId, list[PortName]] = {}
        for change in changes.values():
            for device, (port, _) in change.ports.items():
                self._named.setdefault(device, []).append(port)
        self._planned = {(change.cable.upper, change.cable.position): change for change in changes.values()}
        self.positions: dict[LinkId, int] = {}

    def move(self) -> dict[DeviceId, SwitchPorts]:
        """Give every moved link its ports; ``positions`` then has the downlink position of every moved end."""
        for change in self._changes.values():
            self._request(change)
        for device, requests in sorted(self._requests.items()):
            box = self._boxes[device] = SwitchPorts(self._regular[id(self._plan.tier_of(device))])
            for request in [request for request in requests if self._prepare(device, box, request)]:
                self._place(device, box, request)
        return self._boxes

    def _request(self, change: LinkEdits) -> None:
        """Note the ports that a link requires at its two ends."""
        cable = change.cable
        if change.state == "absent":
            return
        if isinstance(cable.lower, DeviceId) and cable.lower in change.ports:
            port, path = change.ports[cable.lower]
            up = getattr(cable.id, "position", 0)
            self._requests.setdefault(cable.lower, []).append(_PortRequest(change, "up", up, port, path))
        port_there, path = change.ports.get(change.end, (None, change.paths_by_key.get("to", ())))
        if change.moved:
            port_there = port_there or self._default_port(change)
            self._requests.setdefault(change.end, []).append(_PortRequest(change, "down", None, port_there, path))
        elif port_there is not None:
            self._requests.setdefault(change.end, []).append(
                _PortRequest(change, "down", cable.position, port_there, path)
            )

    def _default_port(self, change: LinkEdits) -> PortName:
        """Return the default port of a moved cable, independent of how much of the fabric exists.

        The port of the same number, if another exception empties it; else the first cage that the plan leaves free;
        else the last port reserved for links downwards. A port that an exception names for another cable is not taken.
        """
        tier, cable = self._plan.tier_of(change.end), change.cable
        box = SwitchPorts(self._regular[id(tier)])
        need = Carrier(cable.group.speed_gbps, cable.group.lanes)
        named = self._named.get(change.end, [])
        at = cable.position if self._is_emptied(change.end, cable.position) else -1
        if 0 <= at < len(box.down) and box.down[at] in [box.find(port, need) for port in named]:
            at = -1
        if at < 0 and isinstance(cable.lower, DeviceId):
            for cage in box.spares():
                mode = box.mode(cage, need)
                if mode is not None and cage.index not in [port.cage for port in named]:
                    return PortName(cage.index, 1 if len(mode.ports) > 1 else 0)
        if at < 0:
            last = host_range(self._plan, cable.lower)[-1] if isinstance(cable.lower, HostId) else len(box.down) - 1
            at = min(last, len(box.down) - 1)
        # A box with too few ports for the plan is reported where it is chosen.
        slot = tier.slots[box.down[min(at, len(box.down) - 1)] if box.down else 0]
        return PortName(slot.cage, slot.subport)

    def _is_emptied(self, device: DeviceId, position: int) -> bool:
        """Return whether the regular link at a downlink position has left its port."""
        change = self._planned.get((device, position))
        return change is not None and (change.moved or change.state == "absent" or device in change.ports)

    def _prepare(self, device: DeviceId, box: SwitchPorts, request: _PortRequest) -> bool:
        """Break out the cage of the port that a link is said to use; False if that cannot be."""
        port, need = request.port, request.need
        cage = box.cage(port.cage)
        if cage is not None and box.find(port, need) is not None:
            return True
        name, carried = self._plan.device_name(device), f"{need.speed_gbps}G over {need.lanes} lanes"
        mode = box.mode(cage, need) if cage is not None else None
        others = [other for other in self._requests[device] if other is not request and self._shares(other, request)]
        if cage is None:
            fault = f"{name}, a {self._plan.tier_of(device).model}, has no cage {port.cage} for links"
            hint = f"use one of {box.cages_text()}"
        elif mode is None or others:
            fault = f"cage {port.cage} of {name} cannot carry a link of {carried}"
            hint = f"name another cage of {box.cages_text()} that runs {carried}"
        elif (port.subport or 1) > (ports := len(mode.ports)):
            fault = f"cage {port.cage} of {name} has {ports} ports of {need.speed_gbps}G, not {port.subport}"
            hint = f"use {port.cage}/1 to {port.cage}/{ports}" if ports > 1 else f"use {port.cage}"
        else:
            box.break_out(cage, mode)
            return True
        self._bag.add(codes.UNFIT_PORT, fault, request.path, hint=hint)
        return False

    @staticmethod
    def _shares(other: _PortRequest, request: _PortRequest) -> bool:
        """Return whether two links need the same cage in different breakouts."""
        return other.port.cage == request.port.cage and other.need != request.need

    def _place(self, device: DeviceId, box: SwitchPorts, request: _PortRequest) -> None:
        """Put a link on its port; the position of a host's is that of the port, because its address is."""
        at = box.find(request.port, request.need)
        # A box with too few ports for the plan is reported where it is chosen.
        if at is None or not box.has(request.side, request.position):
            return
        change = request.change
        if request.position is None and isinstance(change.cable.lower, HostId):
            position = box.down.index(at) if at in box.down else -1
            if position not in host_range(self._plan, change.cable.lower):
                self._report_outside(device, box, change.cable.lower, request)
                return
        else:
            position = box.move(request.side, request.position, at)
        if change.moved and request.side == "down":
            self.positions[change.cable.id] = position
        self._paths[device, at] = request.path

    def _report_outside(self, device: DeviceId, box: SwitchPorts, host: HostId, request: _PortRequest) -> None:
        """A host on a port that no host of its group has by the plan."""
        reserved = [at for at in host_range(self._plan, host) if at < len(box.down)]
        ends = [box.slots[box.down[at]] for at in (reserved[0], reserved[-1])] if reserved else []
        shown = " to ".join(str(PortName(slot.cage, slot.subport)) for slot in ends)
        self._bag.add(
            codes.OUTSIDE_AGGREGATE,
            f"port {request.port} of {self._plan.device_name(device)} is not one of those reserved for the hosts "
            f"{self._plan.hosts[host.group].name!r}",
            request.path,
            hint=f"use one of {shown}" if shown else "use a port of theirs",
        )

    def check(self, plan: FabricPlan, tiers: dict[DeviceId, Tier]) -> None:
        """Report every port with two links, and every link in a cage that no longer carries it."""
        speeds = {id(tier): _speeds(plan, tier) for tier in plan.boxes}
        for device, tier in sorted(tiers.items()):
            if _has_own_ports(tier, speeds[id(self._plan.tier_of(device))]) and device not in plan.exceptions.arrivals:
                continue
            owner: dict[int, LinkId] = {}
            for link, at, need in port_uses(plan, device, tier):
                slot = tier.slots[at] if at >= 0 else None
                if slot is None or slot.speed_gbps != need:
                    self._report_cage(plan, device, link)
                elif at in owner:
                    self._report_use(plan, device, at, (owner[at], link))
                else:
                    owner[at] = link

    def _report_cage(self, plan: FabricPlan, device: DeviceId, link: LinkId) -> None:
        paths = [request.path for request in self._requests.get(device, ())]
        message = f"{link_text(plan, link)} uses the same cage of {plan.device_name(device)} in another breakout"
        self._bag.add(codes.UNFIT_PORT, message, paths[0] if paths else (), hint="use a cage that carries no link")

    def _report_use(self, plan: FabricPlan, device: DeviceId, at: int, links: tuple[LinkId, LinkId]) -> None:
        changed = [self._changes[link] for link in links if link in self._changes]
        path = self._paths.get((device, at)) or (changed[-1].speaks if changed else ())
        slot = plan.exceptions.switches[device].tier.slots[at]  # type: ignore[union-attr]  # it has ports of its own
        port = PortName(slot.cage, slot.subport)
        others = [change for change in changed if change.speaks[:2] != path[:2]]
        silent = next((link for link in links if link not in self._changes), links[0])
        message = f"port {port} of {plan.device_name(device)} already has {link_text(plan, silent)}"
        hint = f"name a free port, ports: {{{plan.device_name(device)}: <cage>/<sub-port>}}, or move that link too"
        related = [Related("the other cable", other.speaks) for other in others[:1]]
        self._bag.add(codes.UNFIT_PORT, message, path, hint=hint, related=related)


def _speeds(plan: FabricPlan, tier: Tier) -> list[int]:
    """Speed of the link at every position of a tier's regular switches, downwards first."""
    if tier.number:
        down = [plan.links[tier.number].speed_gbps] * len(tier.down.slots)
    else:
        down = [group_at(plan.hosts, position).link.speed_gbps for position in range(len(tier.down.slots))]
    return down + [plan.links[tier.number + 1].speed_gbps for _ in (tier.up.slots if tier.up else ())]


def _has_own_ports(tier: Tier, speeds: Sequence[int]) -> bool:
    """Return whether every position of a switch has a port to itself, which runs at the speed of its link."""
    ports = (*tier.down.slots, *(tier.up.slots if tier.up else ()))
    apart = len(set(ports)) == len(ports) and min(ports, default=0) >= 0
    return apart and [tier.slots[at].speed_gbps for at in ports] == speeds


def port_uses(plan: FabricPlan, device: DeviceId, tier: Tier) -> Iterable[tuple[LinkId, int, int]]:
    """Every link of a switch, the port it is in, and its speed.

    Left out are links for which a box has too few ports; that is reported where the box is chosen.
    """
    for link, at in links_at_ports(tier, cables_below(plan, device), up_links(plan, device)):
        group = plan.hosts[link.host.group].link if isinstance(link, HostLink) else plan.links[link.number]
        yield link.id, at, group.speed_gbps


def host_range(plan: FabricPlan, host: HostId) -> range:
    """Downlink positions of a leaf for hosts like this one; behind the last group as many as have addresses."""
    first = plan.hosts[host.group].slot_base
    further = [group.slot_base for group in plan.hosts if group.slot_base > first]
    leaf, in_block = plan.tiers[0], 1 << (31 - plan.addressing.host_block_len)
    apart = leaf.layout.shared_block or (leaf.layout.host_block and leaf.layout.host_block.of_links)
    return range(first, min(further, default=len(leaf.down.slots) if apart else in_block))
