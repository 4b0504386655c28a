"""Exceptions of an intent, resolved against the regular plan into sparse maps; buffers where cables or MTU differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from fabricgen.catalog.records import HeadroomRow
from fabricgen.diagnostics import Bag, IntentPath, Related
from fabricgen.intent.exceptions import PlacedException
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.lossless import Lossless
from fabricgen.plan.model.buffers import Buffers
from fabricgen.plan.model.cabling import downlinks, host_links_of_leaf, neighbours
from fabricgen.plan.model.contract import Contract, MarkingBound
from fabricgen.plan.model.fabric import DeviceException, Exceptions, FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId, HostId, LinkId
from fabricgen.plan.model.port_use import PortCounter, PortUse, has_own_reserved, reserved_ports
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner import plan_codes as codes
from fabricgen.plan.planner.buffers import BufferSizer
from fabricgen.plan.planner.computed_buffers import CableUse
from fabricgen.plan.planner.exceptions.boxes import Boxes, box_key
from fabricgen.plan.planner.exceptions.exception_codes import SET_TWICE
from fabricgen.plan.planner.exceptions.links import LinkEdits, LinkReader, Names, find_names, names_of
from fabricgen.plan.planner.exceptions.ports import PortMover
from fabricgen.plan.planner.exceptions.settings import apply_settings, set_mtu
from fabricgen.plan.planner.marking import build_bound


def _check_lengths(boxes: Boxes, plan: FabricPlan, changes: Iterable[LinkEdits], bag: Bag) -> None:
    """Report every cable of another length that no headroom covers, once per length, exception and kind of box."""
    asked: dict[tuple[Hashable, CableUse, IntentPath], Tier] = {}
    for change in changes:
        if change.length_m and "cable" in change.paths_by_key:
            group = change.cable.group
            use = CableUse(group.name, group.speed_gbps, change.length_m, group.mtu_bytes, group.lanes, 0)
            ends = [end for end in (change.cable.lower, change.end) if isinstance(end, DeviceId)]
            path = (*change.paths_by_key["cable"], "length_m")
            asked.update({(box_key(tier), use, path): tier for tier in [boxes.of(plan, end) for end in ends]})
    found: dict[tuple[Hashable, CableUse], Bag] = {}
    for (key, use, path), tier in asked.items():
        if (key, use) not in found:
            found[key, use] = Bag()
            if boxes.inputs[key].source.is_table:
                boxes.sizer(tier, plan.contract).list_rows([use], ("tiers", tier.name, "model"), found[key, use])
        # What the table lacks anyway is reported at the links.
        too_long = [each for each in found[key, use] if each.code == codes.CABLE_TOO_LONG.id]
        bag.extend([replace(each, path=path) for each in too_long])


def _resize(boxes: Boxes, plan: FabricPlan, lossless: Lossless) -> dict[DeviceId, Tier]:
    """Return the tier, with buffers and bound of its own, of every switch whose ports differ from its tier's."""
    regular = {id(tier): _maxima(reserved_ports(plan, tier)) for tier in plan.boxes}
    known, counter, sizes = plan.exceptions, PortCounter(plan), _Sizes(boxes, plan.contract, lossless)
    own = {device for device, exception in known.switches.items() if exception.tier and has_own_reserved(plan, device)}
    found = {}
    for device in sorted(known.resized | own):
        tier, uses = plan.tier_of(device), [] if known.is_absent(device) else counter.reserved(device)
        if not uses or _maxima(uses) == regular[id(boxes.of(plan, device))]:
            continue
        buffers, bound = sizes.of(tier, uses)
        if (buffers, bound) != (tier.buffers, tier.bound):
            found[device] = tier._replace(buffers=buffers, bound=bound)
    return found


class _Sizes:
    """Buffers and bound of switches, once for those whose cables meet the same rows."""

    def __init__(self, boxes: Boxes, contract: Contract, lossless: Lossless) -> None:
        self._boxes, self._contract, self._lossless = boxes, contract, lossless
        self._sizers: dict[Hashable, BufferSizer] = {}
        self._known: dict[Hashable, tuple[Buffers, MarkingBound | None]] = {}

    def of(self, tier: Tier, ports: Sequence[PortUse]) -> tuple[Buffers, MarkingBound | None]:
        """Buffers and bound of a switch with some ports."""
        box = (box_key(tier), tier.sku)
        if box not in self._sizers:
            self._sizers[box] = self._boxes.sizer(tier, self._contract)
        by_cable: Counter[tuple[str, int, float, int, int]] = Counter()
        for port in ports:
            link, row = port.link, self._sizers[box].find_row(port.link.speed_gbps, port.length_m)
            length = row.row_m if isinstance(row, HeadroomRow) else port.length_m
            by_cable[link.name, link.speed_gbps, length, port.mtu_bytes, link.lanes] += port.maximum
        uses = tuple(CableUse(*use, count) for use, count in by_cable.items())
        spare = max(0, len(tier.slots) - by_cable.total())
        key = (box, spare, uses)
        if key not in self._known:
            # Whatever is missing has been reported of the cable, or of the tier.
            sized = self._sizers[box].size(uses, spare)
            self._known[key] = sized.buffers, build_bound(sized.shared, by_cable.total(), self._lossless)
        return self._known[key]


def _maxima(ports: Iterable[PortUse]) -> dict[tuple[str, float, int], int]:
    """Ports at the reserved maximum, by what decides their headroom."""
    return {(use.link.name, use.length_m, use.mtu_bytes): use.maximum for use in ports}


def build_exceptions(plan: FabricPlan, intent: FabricIntent, boxes: Boxes, bag: Bag) -> Exceptions:
    """Resolve every exception by identity; what is wrong with one goes into the bag, and is left out."""
    placed = intent.placed_exceptions
    names = find_names(plan, names_of(placed))
    switches, hosts = _own_states(plan.planned, placed, names, bag)
    for device, tier in boxes.unlike.items():
        switches[device] = switches[device]._replace(tier=tier)
    own, kinds = {device: DeviceException(tier=tier) for device, tier in boxes.unlike.items()}, plan.exceptions.kinds
    own = plan.planned.switches | own
    plan = plan._replace(exceptions=plan.planned._replace(switches=own, kinds=kinds))
    reader = LinkReader(plan, names, bag)
    for each in placed:
        if each.item.link is not None:
            reader.read(each)
    reader.read_ports()
    changes = reader.changes
    set_mtu(plan, intent, changes.values(), bag)
    regular = {id(tier): boxes.regular_ports(tier, plan) for tier in plan.boxes}
    mover = PortMover(plan, changes, regular, bag)
    tiers = {device: box.build() for device, box in mover.move().items()}
    _check_lengths(boxes, plan, changes.values(), bag)
    _add_paths(plan, intent, changes.values(), tiers)
    for device, tier in tiers.items():
        switches[device] = switches.get(device, DeviceException())._replace(tier=tier)
    apply_settings(plan, intent, names, switches, bag)
    found = Exceptions(
        switches=switches,
        hosts=hosts,
        links=plan.planned.links
        | {link: change.record(mover.positions.get(link, -1)) for link, change in changes.items()},
        arrivals=_arrivals(changes, mover.positions),
        touched=plan.planned.touched,
        touched_hosts=frozenset(
            change.cable.lower for change in changes.values() if isinstance(change.cable.lower, HostId)
        ),
        recabled=plan.planned.recabled,
        resized=frozenset(device for change in changes.values() if change.resizes for device in change.switches),
        kinds=kinds,
    )
    found = _with_touched(plan, found, changes.values(), boxes.unlike)
    mover.check(plan._replace(exceptions=found), tiers)
    for device, tier in _resize(boxes, plan._replace(exceptions=found), intent.lossless).items():
        found.switches[device] = found.switches.get(device, DeviceException())._replace(tier=tier)
    return found


def _own_states(
    planned: Exceptions, placed: Iterable[PlacedException], names: Names, bag: Bag
) -> tuple[dict[DeviceId, DeviceException], dict[HostId, DeviceException]]:
    """State and reason of each switch and host that has an exception of its own; several are folded together."""
    switches, hosts = dict(planned.switches), dict(planned.hosts)
    stated: dict[DeviceId | HostId, PlacedException] = {}
    for item, path in placed:
        identity = names.get(item.device or item.host or "")
        if item.state and identity is not None:
            other = stated.setdefault(identity, PlacedException(item, path))
            if other.item.state != item.state:
                message = f"state is {item.state} here, and {other.item.state} in another exception"
                related = [Related("the other one", (*other.path, "state"))]
                bag.add(SET_TWICE, message, (*path, "state"), hint="remove one of the two", related=related)
        if isinstance(identity, DeviceId):
            switches[identity] = _folded(switches.get(identity), item.state, item.reason)
        elif isinstance(identity, HostId):
            hosts[identity] = _folded(hosts.get(identity), item.state, item.reason)
    return switches, hosts


def _folded(old: DeviceException | None, state: str | None, reason: str) -> DeviceException:
    old = old or DeviceException()
    return old._replace(state=state or old.state, reason="; ".join(filter(None, (old.reason, reason))))


def _add_paths(
    plan: FabricPlan, intent: FabricIntent, changes: Iterable[LinkEdits], tiers: dict[DeviceId, Tier]
) -> None:
    """Let a switch to which cables were moved use all its equal next hops to what is below.

    Where the intent says how many there are, it stays at that.
    """
    more: Counter[tuple[DeviceId, Coordinates]] = Counter()
    for change in changes:
        if change.moved and isinstance(change.cable.lower, DeviceId):
            more[change.end, _part(plan, change.cable.lower)] += 1
            more[change.cable.upper, _part(plan, change.cable.lower)] -= 1
    below: dict[DeviceId, Counter[Coordinates]] = {}
    for (device, part), extra in sorted(more.items()):
        if device not in below:
            links = downlinks(plan, plan.tiers[device.tier], device.where)
            below[device] = Counter(_part(plan, DeviceId(device.tier - 1, link.lower)) for link in links)
        tier = tiers.get(device, plan.tier_of(device))
        max_paths = intent.routing.ecmp.with_own(intent.tiers[tier.name].ecmp).max_paths
        needed = extra + below[device][part]
        if max_paths == "auto" and needed > tier.routing.max_paths:
            tiers[device] = tier._replace(routing=replace(tier.routing, max_paths=needed))


def _part(plan: FabricPlan, lower: DeviceId) -> Coordinates:
    """Return what the links to a lower switch lead to: that leaf, or the part of the fabric its tier is built in."""
    where, scope = lower.where, plan.tiers[lower.tier].scope
    if lower.tier == 0:
        return where
    return Coordinates(zone=where.zone, pod=where.pod if scope == "pod" else 0)


def _arrivals(changes: dict[LinkId, LinkEdits], positions: dict[LinkId, int]) -> dict[DeviceId, tuple[LinkId, ...]]:
    """Links by the switch to which they were moved, in the order of the positions they got there."""
    found: dict[DeviceId, list[LinkId]] = {}
    for link in sorted(positions, key=lambda link: positions[link]):
        found.setdefault(changes[link].end, []).append(link)
    return {device: tuple(links) for device, links in found.items()}


def _faces(tier: Tier) -> tuple[str, list[str]]:
    """Parts of a switch that its neighbours have in their own files: its platform, and the names of its ports."""
    return tier.platform, [slot.name for slot in tier.slots if slot.side]


def _with_touched(
    plan: FabricPlan, found: Exceptions, changes: Iterable[LinkEdits], unlike: Mapping[DeviceId, Tier]
) -> Exceptions:
    """Exceptions with the switches that differ from their class, and those of them whose cables do."""
    # A snippet is laid over the files of a switch, whatever its class.
    changed = (device for device, own in found.switches.items() if own._replace(reason="", raw=()) != DeviceException())
    touched, recabled = {*found.touched, *changed}, set(found.recabled)
    for change in changes:
        (recabled if change.recables else touched).update(change.switches)
    for exceptions in (found.switches, found.hosts):
        for identity, exception in exceptions.items():
            if exception.state == "absent":
                recabled |= neighbours(plan, identity)
    # A neighbour of another box has the names of its ports, and maybe its platform, in its own files.
    seen = {id(tier) for tier in found.kinds if _faces(tier) != _faces(plan.tiers[tier.number])}
    hosts = set(found.touched_hosts)
    for device, tier in unlike.items():
        if id(tier) in seen:
            touched |= neighbours(plan, device)
            hosts |= {link.host for link in host_links_of_leaf(plan, device.where)} if not device.tier else set()
    return found._replace(
        touched=frozenset(touched | recabled), recabled=frozenset(recabled), touched_hosts=frozenset(hosts)
    )
