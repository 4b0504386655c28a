"""Passes over drained switches, for what both ends of a session agree on: addresses and AS numbers.

In a pass some switches go out together: they are drained and changed, then their neighbors' lines about them, then they
come back. Nothing is sent over a drained switch, so no neighbor needs a drain for such lines. The addresses of a link
change in the pass of its upper end.

Source:
    RFC 4271 (the AS number and address of a neighbor are configured at both ends); RFC 8326 (a drained router is used
    only where there is no other).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from fabricgen.device.lower import Lowering
from fabricgen.device.model import Port, Switch
from fabricgen.device.transition import lower_plan
from fabricgen.plan.model.cabling import host_links, neighbours
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId

Pair = tuple[Switch, Switch]
"""A switch in the former plan and in the new one."""


class NoPass(Exception):  # noqa: N818 - a property of the change
    """A change that passes do not carry: the message has what changes and why not, ``hint`` what to do."""

    def __init__(self, message: str, hint: str) -> None:
        """Refuse a change."""
        super().__init__(message)
        self.hint = hint


APART = "change one thing at a time, in rollouts of their own"
_NO_JOBS = "change it while no jobs run, apart from this rollout"


def find_moving(former: FabricPlan, plan: FabricPlan, at_start: Iterable[str]) -> tuple[DeviceId, ...]:
    """Return the switches of which addresses or numbers change.

    ``at_start`` are platforms whose switches read what they know of neighbors when their routing starts.

    Raises:
        NoPass: Something changes that no pass carries.
    """
    pairs = dict(_pair_switches(former, plan))
    moving = tuple(device for device, pair in pairs.items() if _moves(*pair))
    if moving:
        _refuse_others(former, plan, pairs)
        _refuse_reading_at_start(plan, moving, frozenset(at_start))
    return moving


def _pair_switches(former: FabricPlan, plan: FabricPlan) -> Iterator[tuple[DeviceId, Pair]]:
    """Yield the switches that both plans have."""
    known = {former.device_name(device): device for device in former.switches()}
    old, new = Lowering(former), Lowering(plan)
    for device in plan.switches():
        other = known.get(plan.device_name(device))
        if other is not None:
            yield device, (old.lower_switch(other), new.lower_switch(device))


def _own_values(switch: Switch) -> tuple[object, ...]:
    """Return what others know a switch by."""
    loopbacks = switch.router_id, switch.loopback, switch.loopback6
    return (switch.asn, *loopbacks, switch.aggregate, switch.aggregate6)


def _addresses(port: Port) -> tuple[str, ...]:
    return port.address, port.peer_address, port.address6, port.peer_address6


def _moves(old: Switch, new: Switch) -> bool:
    """Return whether others know a switch by something else, or it is the upper end of links with other addresses."""
    if _own_values(old) != _own_values(new):
        return True
    known = {(port.shape.name, port.peer): port for port in old.ports}
    pairs = ((known.get((port.shape.name, port.peer)), port) for port in new.ports if port.shape.side == "down")
    return new.cls.role != "leaf" and any(one and _addresses(one) != _addresses(other) for one, other in pairs)


def _refuse_others(former: FabricPlan, plan: FabricPlan, pairs: Mapping[DeviceId, Pair]) -> None:
    """Refuse what changes beside addresses and numbers, and numbers that go from one device to another."""
    cables = [[(port.shape.name, port.peer) for port in side.ports] for pair in pairs.values() for side in pair]
    same_devices = len(pairs) == sum(1 for _ in former.switches()) == sum(1 for _ in plan.switches())
    if not same_devices or cables[::2] != cables[1::2]:
        raise NoPass("addresses or AS numbers change together with switches or cables", APART)
    if _list_states(former) != _list_states(plan):
        raise NoPass("addresses or AS numbers change together with what is drained or absent", APART)
    if any(_families(old) != _families(new) for old, new in pairs.values()):
        raise NoPass("address families change, or links get or lose addresses, at both ends of every link", _NO_JOBS)
    if any(_host_side(old) != _host_side(new) for old, new in pairs.values()):
        hint = f"keep addressing.host_links, or {_NO_JOBS}"
        raise NoPass("hosts get other addresses, and those that have them do not reach those that have not", hint)
    _refuse_numbers(pairs)
    _refuse_addresses(pairs)


def _list_states(plan: FabricPlan) -> dict[str, str]:
    """Return the states of switches, hosts and links that are not in service as the regular plan has them."""
    known = plan.exceptions
    found = {plan.device_name(device): each.state for device, each in known.switches.items()}
    found |= {plan.host_name(host): each.state for host, each in known.hosts.items()}
    found |= {str(link): each.state for link, each in known.links.items()}
    return {name: state for name, state in found.items() if state}


def _families(switch: Switch) -> tuple[bool, ...]:
    cls = switch.cls
    return cls.ipv4, cls.ipv6, cls.unnumbered, cls.hosts_bgp, cls.bonds_hosts


def _host_side(switch: Switch) -> tuple[object, ...]:
    names = {port.shape.name for port in switch.ports if port.shape.side == "down"} if switch.cls.role == "leaf" else ()
    return switch.aggregate, switch.aggregate6, [_addresses(port) for port in switch.ports if port.shape.name in names]


def _refuse_numbers(pairs: Mapping[DeviceId, Pair]) -> None:
    """Refuse AS numbers that go from one router to another: routes that carry them are rejected in between."""
    owners: dict[int, Pair] = {}
    for pair in pairs.values():
        owners.setdefault(pair[0].asn, pair)
    for old, new in pairs.values():
        found = owners.get(new.asn)
        if found is None or old.asn == new.asn or found[0].asn == found[1].asn == new.asn:
            continue
        if found[0].asn != old.asn and found[1].asn != new.asn:
            message = (
                "a router that takes the AS number of another one rejects the routes that carry it until both have "
                f"changed, here {new.hostname} those of {found[0].hostname} ({new.asn})"
            )
            hint = (
                "set routing.asn.base to a number first at which no router gets that of another one, roll that out, "
                "then the intended one"
            )
            raise NoPass(message, hint)


def _refuse_addresses(pairs: Mapping[DeviceId, Pair]) -> None:
    """Refuse addresses that go from one device to another: in between both have them."""
    owners: dict[str, set[str]] = {}
    for old, _ in pairs.values():
        for address in _list_addresses(old):
            owners.setdefault(address, set()).add(old.hostname)
    for _, new in pairs.values():
        for address in _list_addresses(new):
            # Leafs that share the hosts of a bond share addresses as well.
            owner = min(owners.get(address, {new.hostname}))
            if new.hostname not in owners.get(address, {new.hostname}):
                message = (
                    "a device that takes the address of another one shares it with that one until both have changed, "
                    f"here {new.hostname} that of {owner} ({address})"
                )
                hint = (
                    "set other pools of addressing first, in which no device gets an address of another one, roll "
                    "them out, then the intended ones"
                )
                raise NoPass(message, hint)


def _list_addresses(switch: Switch) -> Iterator[str]:
    ports = (address for port in switch.ports for address in (port.address, port.address6))
    return filter(None, (switch.loopback, switch.loopback6, *ports))


def _refuse_reading_at_start(plan: FabricPlan, moving: Iterable[DeviceId], at_start: frozenset[str]) -> None:
    """Refuse passes beside a switch that reads its neighbors when routing starts: it would have to go out as well."""
    for device in moving:
        for peer in sorted(neighbours(plan, device)):
            if plan.tier_of(peer).platform in at_start:
                names = plan.device_name(device), plan.device_name(peer)
                message = f"{names[1]} reads the addresses and AS numbers of its neighbors, here {names[0]}, at start"
                raise NoPass(message, f"keep addressing and routing.asn, or {_NO_JOBS}")


def find_quiet(plan: FabricPlan, out: Iterable[DeviceId]) -> dict[str, frozenset[str]]:
    """Return the neighbors of drained switches, with what their files call those: ports and addresses of both plans."""
    if plan.transition is None:
        return {}
    sides = lower_plan(plan), Lowering(plan.transition.former), Lowering(plan._replace(transition=None))
    gone = {plan.device_name(device): device for device in out}
    switches = dict.fromkeys(peer for each in gone.values() for peer in neighbours(plan, each))
    hosts = dict.fromkeys(link.host for leaf in gone.values() if not leaf.tier for link in host_links(plan, leaf))
    return {
        **{plan.device_name(each): frozenset(_names_at_switch(sides, each, gone)) for each in switches},
        **{plan.host_name(each): frozenset(_names_at_host(sides, each, gone)) for each in hosts},
    }


def _names_at_switch(sides: Iterable[Lowering], device: DeviceId, gone: Collection[str]) -> Iterator[str]:
    """Yield what the files of a switch call its neighbors that are out."""
    for port in (port for side in sides for port in side.lower_switch(device).ports if port.peer in gone):
        yield from filter(None, (port.shape.name, port.peer_address, port.peer_address6))


def _names_at_host(sides: Iterable[Lowering], host: HostId, gone: Collection[str]) -> Iterator[str]:
    """Yield what the files of a host call its leafs that are out."""
    for rail in (rail for side in sides for rail in side.lower_host(host).rails if rail.peer in gone):
        yield from filter(None, (rail.shape.interface, rail.gateway, rail.gateway6))
