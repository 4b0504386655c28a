"""Links in exceptions: from names to identities, the links meant, the length of their cables, their actual ends."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.diagnostics import Bag, IntentPath, Related
from fabricgen.diagnostics.words import and_list, name_few, or_list
from fabricgen.intent.exceptions import PlacedException
from fabricgen.physics.path_delay import REACH_M, media_for
from fabricgen.plan.model.cabling import host_links_of_host, links_to, uplinks, upper_peers
from fabricgen.plan.model.fabric import FabricPlan, LinkException, group_hosts
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostId, LinkId
from fabricgen.plan.model.topology import LinkGroup
from fabricgen.plan.planner.exceptions import exception_codes as codes
from fabricgen.plan.planner.exceptions.switch_ports import PortName

Names = dict[str, DeviceId | HostId]


def names_of(placed: Iterable[PlacedException]) -> set[str]:
    """Every name of a device that exceptions use."""
    named = ((item.device, item.host, item.to, *(item.link or ()), *(item.ports or ())) for item, _ in placed)
    return {name for names in named for name in names if name}


class RegularLink(NamedTuple):
    """A link of the regular plan: its two ends, the downlink position at the upper one, and its group."""

    id: LinkId
    lower: DeviceId | HostId
    upper: DeviceId
    position: int
    group: LinkGroup


def find_names(plan: FabricPlan, wanted: Collection[str] | None) -> Names:
    """Switches and hosts that bear one of the names, absent ones too; every one for None."""
    return {name: identity for identity, name in list_names(plan) if wanted is None or name in wanted}


def list_names(plan: FabricPlan) -> Iterator[tuple[DeviceId | HostId, str]]:
    """Yield every switch and host with its name, absent ones too unless their unit lacks them."""
    for tier in plan.tiers:
        for where in tier.coordinates():
            device = DeviceId(tier.number, where)
            if not plan.planned.is_absent(device):
                yield device, plan.device_name(device)
    for unit in plan.units():
        for number, group in enumerate(plan.hosts):
            for host in group_hosts(group) if group.in_unit(unit.unit) else ():
                identity = HostId(number, unit, host)
                if not plan.planned.is_absent(identity):
                    yield identity, plan.host_name(identity)


def other_name(plan: FabricPlan, planned: str) -> str:
    """The own name of the device that has another name by the pattern; empty if there is none."""
    rules = plan._replace(own={})
    return next((mine.name for each, mine in plan.own.items() if mine.name and name_of(rules, each) == planned), "")


def name_of(plan: FabricPlan, identity: DeviceId | HostId) -> str:
    """Name of a switch or host."""
    return plan.device_name(identity) if isinstance(identity, DeviceId) else plan.host_name(identity)


def links_between(plan: FabricPlan, one: DeviceId | HostId, other: DeviceId | HostId) -> list[RegularLink]:
    """Links of the regular plan between two devices, in the order in which they are counted."""
    if isinstance(other, HostId):
        one, other = other, one
    if isinstance(other, HostId):
        return []
    if isinstance(one, HostId):
        group = plan.hosts[one.group].link
        links = (link for link in host_links_of_host(plan, one) if link.upper_end == other)
        return [RegularLink(link.id, one, other, link.upper_position, group) for link in links]
    lower, upper = sorted((one, other))
    return [
        RegularLink(link.id, lower, upper, link.upper_position, plan.links[link.number])
        for link in links_to(plan, lower, upper)
        if link.id not in plan.planned.links
    ]


def link_group(plan: FabricPlan, names: Names, ends: Sequence[str]) -> LinkGroup | None:
    """The group of the links between two devices; None if there are no such links, or the names have no such device."""
    if len(ends) != 2 or ends[0] == ends[1] or not names.keys() >= set(ends):
        return None
    return next((cable.group for cable in links_between(plan, *(names[end] for end in ends))), None)


def in_reach(plan: FabricPlan, cable: RegularLink) -> set[DeviceId]:
    """Devices at which a cable may end instead of its upper end."""
    where = cable.upper.where
    if isinstance(cable.lower, DeviceId):
        return {*upper_peers(plan, cable.lower)} - {cable.upper}
    counts, hosts = plan.tiers[0].counts, plan.hosts[cable.lower.group]
    leafs = (where._replace(group=group, index=index) for group in range(counts.group) for index in range(counts.index))
    return {DeviceId(0, leaf) for leaf in leafs if hosts.meets(leaf)} - {cable.upper}


def link_text(plan: FabricPlan, link: LinkId) -> str:
    """A link in words, by its lower end."""
    if isinstance(link, FabricLinkId):
        return f"uplink {link.position + 1} of {plan.device_name(link.lower)}"
    return f"rail {link.rail} of {plan.host_name(link.host)}"


@dataclass(slots=True)
class LinkEdits:
    """Everything that exceptions say of one link.

    Attributes:
        end: Switch at which it really ends.
        ports: Port by switch, with the place where it is said.
        paths_by_key: Place of each thing that is said, by key.
    """

    cable: RegularLink
    end: DeviceId
    state: str = ""
    length_m: float = 0
    media: str = ""
    reasons: list[str] = field(default_factory=list)
    ports: dict[DeviceId, tuple[PortName, IntentPath]] = field(default_factory=dict)
    paths_by_key: dict[str, IntentPath] = field(default_factory=dict)
    settings: list[PlacedException] = field(default_factory=list)
    mtu_bytes: int = 0

    @property
    def moved(self) -> bool:
        """Return whether the cable ends elsewhere than planned."""
        return self.end != self.cable.upper

    @property
    def recables(self) -> bool:
        """Return whether the ports of its switches are others than by the plan; those of a drained link are not."""
        return (
            self.state != "drained" or self.moved or bool(self.length_m or self.media or self.ports or self.mtu_bytes)
        )

    @property
    def resizes(self) -> bool:
        """Return whether the headroom of its ports may be another than by the plan."""
        return bool(self.length_m or self.mtu_bytes)

    @property
    def switches(self) -> list[DeviceId]:
        """Every switch at which the cable ends, or would by the plan."""
        lower = [self.cable.lower] if isinstance(self.cable.lower, DeviceId) else []
        return [*lower, *dict.fromkeys((self.cable.upper, self.end))]

    @property
    def speaks(self) -> IntentPath:
        """Return the first place that mentions the cable."""
        return next(iter(self.paths_by_key.values()))

    def record(self, position: int) -> LinkException:
        """As the plan keeps it; the position of the end that was moved is -1 if it found no port."""
        moved = self.moved and position >= 0
        return LinkException(
            state=self.state,
            end=self.end.where if moved else None,
            end_position=position if moved else -1,
            length_m=self.length_m,
            media=self.media,
            mtu_bytes=self.mtu_bytes,
            reason="; ".join(dict.fromkeys(self.reasons)),
        )


class LinkReader:
    """Reads what exceptions say of links, one after the other."""

    def __init__(self, plan: FabricPlan, names: Names, bag: Bag) -> None:
        """Prepare."""
        self._plan = plan
        self._names = names
        self._bag = bag
        self.changes: dict[LinkId, LinkEdits] = {}
        self._named: list[tuple[LinkEdits, PlacedException]] = []
        self._reported: set[IntentPath] = set()

    def read(self, placed: PlacedException) -> None:
        """Note what one exception says."""
        item, path = placed
        ends = [self._names.get(name) for name in item.link or ()]
        if len(ends) != 2 or ends[0] is None or ends[1] is None:
            return
        between = links_between(self._plan, ends[0], ends[1])
        for cable in self._chosen(placed, between):
            change = self.changes.setdefault(cable.id, LinkEdits(cable, cable.upper))
            change.reasons.append(item.reason)
            for key in ("state", "to", "cable", "ports", "set"):
                if getattr(item, key) is not None:
                    self._note(change, key, (*path, key))
            self._apply(change, placed)
            if item.set:
                change.settings.append(placed)
            if item.ports:
                self._named.append((change, placed))

    def _chosen(self, placed: PlacedException, between: list[RegularLink]) -> list[RegularLink]:
        """The links that are meant."""
        item, path = placed
        one, other = item.link or ("", "")
        count, key = len(between), "link"
        there = f"there {'is 1 link' if count == 1 else f'are {count} links'} between {one} and {other}"
        if not between:
            near = ", ".join(self._neighbours(one))
            there = f"there is no link between {one} and {other}"
            hint = f"use one of {near}" if near else f"run fabricgen show INVENTORY links for those of {one}"
        elif item.n is not None and item.n > count:
            there, key = f"n is {item.n}; {there}", "n"
            hint = f"use n: 1 to n: {count}" if count > 1 else "remove n"
        elif item.n is None and count > 1 and (item.ports or item.to):
            hint = f"add n: 1 to n: {count}, counted from the lowest port"
        else:
            return between if item.n is None else [between[item.n - 1]]
        if self._is_first((*path, key)):
            self._bag.add(codes.NO_SUCH_LINK, there, (*path, key), hint=hint)
        return []

    def _is_first(self, mistake: IntentPath) -> bool:
        """Return whether a mistake, which a pattern of names makes at each of its links, is a new one."""
        known = mistake in self._reported
        self._reported.add(mistake)
        return not known

    def _neighbours(self, name: str) -> list[str]:
        """Switches above a device, a few of them."""
        device = self._names.get(name)
        if not isinstance(device, DeviceId) or device.tier + 1 >= len(self._plan.tiers):
            return []
        upper = self._plan.tiers[device.tier + 1]
        links = uplinks(self._plan, self._plan.tiers[device.tier], device.where)
        return [upper.device_name(where) for where in list(dict.fromkeys(link.upper for link in links))[:4]]

    def _note(self, change: LinkEdits, key: str, path: IntentPath) -> None:
        """Remember where a key is said; a second time is an error."""
        other = change.paths_by_key.get(key, path)
        if other != path and key != "set" and self._is_first((*path, *other)):
            message = f"two exceptions set {key} of {link_text(self._plan, change.cable.id)}"
            hint = f"remove {key} from one of the two"
            related = [Related("the other one", other)]
            self._bag.add(codes.SET_TWICE, message, path, on_key=True, hint=hint, related=related)
        change.paths_by_key.setdefault(key, path)

    def _apply(self, change: LinkEdits, placed: PlacedException) -> None:
        item, path = placed
        change.state = item.state or change.state
        if item.to is not None:
            self._move(change, item.to, (*path, "to"))
        if item.cable is not None:
            change.length_m = item.cable.length_m or change.length_m
            change.media = item.cable.media or change.media
            self._check_medium(change, (*path, "cable"))
        if item.state == "drained" and not isinstance(change.cable.lower, DeviceId):
            self._bag.add(
                codes.DRAINED_HOST_LINK,
                f"{link_text(self._plan, change.cable.id)} cannot be drained: the host's rail is reached over it alone",
                (*path, "state"),
                hint="use absent, or drain the host",
            )

    def read_ports(self) -> None:
        """Note the ports that exceptions name, once it is known where every cable ends."""
        for change, (item, path) in self._named:
            ends = list(self._ends(change))
            for name, text in sorted((item.ports or {}).items()):
                device = self._names.get(name)
                if isinstance(device, DeviceId) and device in ends:
                    change.ports[device] = (PortName.parse(text), (*path, "ports", name))
                elif device is not None:
                    shown = and_list(name_of(self._plan, end) for end in ends)
                    message = f"the cable does not end at a port of {name}"
                    hint = f"remove {name} from ports: the cable ends at {shown}"
                    self._bag.add(codes.NOT_AN_END, message, (*path, "ports", name), on_key=True, hint=hint)

    def _ends(self, change: LinkEdits) -> Iterator[DeviceId]:
        if isinstance(change.cable.lower, DeviceId):
            yield change.cable.lower
        yield change.end

    def _move(self, change: LinkEdits, name: str, path: IntentPath) -> None:
        device, reach, lower = self._names.get(name), in_reach(self._plan, change.cable), change.cable.lower
        if isinstance(lower, HostId) and (self._plan.hosts[lower.group].bond or self._plan.hosts[lower.group].spread):
            self._bag.add(
                codes.BONDED,
                f"the ports of each NIC of {name_of(self._plan, lower)} share one address; their cables end as planned",
                path,
                hint="use state: absent in place of to",
            )
        if device in reach and isinstance(device, DeviceId):
            change.end = device
        elif device is not None:
            near = sorted(name_of(self._plan, found) for found in reach)
            shown = name_few(near, 4)
            self._bag.add(
                codes.OUT_OF_REACH,
                f"a cable from {name_of(self._plan, change.cable.lower)} in place of one to "
                f"{name_of(self._plan, change.cable.upper)} cannot end at {name}",
                path,
                hint=f"use {shown}" if near else "remove the exception: there is no other device",
            )

    def _check_medium(self, change: LinkEdits, path: IntentPath) -> None:
        group = change.cable.group
        media, length = change.media or group.media, change.length_m or group.length_m
        if length <= REACH_M[media]:
            return
        further = media_for(length)
        key = "media" if change.media and not change.length_m else "length_m"
        self._bag.add(
            codes.BEYOND_MEDIUM,
            f"{length:g} m of {media} is longer than its reach of {REACH_M[media]} m",
            (*path, key),
            hint=f"use media {or_list(further)}" if further else "no medium reaches that far",
            related=[
                Related("the medium", (*path, "media") if change.media else ("links", group.name, "cable", "media"))
            ],
        )
