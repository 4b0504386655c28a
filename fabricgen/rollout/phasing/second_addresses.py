"""Addresses that come while the former ones stay: no two ports of a switch have addresses of one subnet meanwhile.

Where a port has one place for its address, the new one stands beside the old one in between. Data of the semantics:
``beside``, by the last step of such a place, what says a second value there, a step with its value; ``{value}`` in the
step is the new address. The old one keeps its place until it goes. ``alike``, last steps of addresses that stand beside
all others of their port by themselves, with ``{value}`` in them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from ipaddress import ip_interface
from itertools import accumulate
from typing import Any, NamedTuple

from fabricgen.platforms.patching.steps import ABSENT, Change, Situation
from fabricgen.platforms.reading.reader import Tree, look_up
from fabricgen.rollout.phasing.atoms import ChangePart, Context, between

KIND = "address"
ADVICE = "move to addresses that no port of the switch has yet, or take off by hand a second address that nothing needs"
Steps = tuple[str, ...]


class _HeldSubnet(NamedTuple):
    """The first and the last address of a subnet, by version of IP, and the address of which port it is."""

    first: tuple[int, int]
    last: tuple[int, int]
    port: str
    address: str


def keep_both(situation: Situation, context: Context) -> dict[Steps, tuple[ChangePart, ...]]:
    """Return the parts of addresses that get another value or come to a port, by their place in the tree.

    Args:
        situation: Of a file.
        context: Of its device.
    """
    data = situation.semantics.data
    if "beside" not in data:
        return {}
    changes = [change for change in situation.changes if _comes(change, data)]
    tables = {change.steps[:-2] for change in changes}
    held = {above: _Subnets(list(_list_held(look_up(situation.before, *above), data))) for above in tables}
    found = {}
    for change in changes:
        key, subnets = change.steps[-1], held[change.steps[:-2]]
        if change.before is not ABSENT:
            clash = _find_clash(change, change.after, subnets)
            found[change.steps] = tuple(_both(change, data["beside"][key], clash, context))
        elif part := _added(change, situation, subnets, context):
            found[change.steps] = (part,)
    return found


def _comes(change: Change, data: Mapping[str, Any]) -> bool:
    """Return whether an address gets another value, or comes to a port that is there."""
    if change.after is ABSENT or len(change.steps) < 2 or change.meaning.get("ends") != KIND:
        return False
    if change.meaning.get("ends_change") == "beside":
        return True
    return change.before is ABSENT and bool(_address(change.steps[-1], change.after, data))


def _both(change: Change, words: Mapping[str, Any], clash: str, context: Context) -> Iterator[ChangePart]:
    gain, loss = context.atom(KIND, ABSENT, change.after), context.atom(KIND, change.before, ABSENT)
    refused = KIND if clash else ""
    yield ChangePart(
        change, (loss,), lambda done: change.after if done(loss) else change.before, refused, clash, ADVICE
    )
    for step, value in words.items():
        second = Change((*change.steps[:-1], step.format(value=change.after)), ABSENT, ABSENT, change.meaning)
        yield ChangePart(second, (gain,), partial(between, gain, loss, value))


def _added(change: Change, situation: Situation, subnets: _Subnets, context: Context) -> ChangePart | None:
    """Return the part of an address that cannot come before others go; None if it can.

    One that a port gives up comes as it goes there: to a port without addresses, or as the second one of the same port.
    """
    data = situation.semantics.data
    address = _address(change.steps[-1], change.after, data)
    clash = _find_clash(change, address, subnets)
    if not clash:
        return None
    *above, port, _ = change.steps
    before, after = (list(_list_held(look_up(tree, *above), data)) for tree in (situation.before, situation.after))
    givers = list(subnets.overlapping(address))
    is_empty = not any(held.port == port and held.first[0] == givers[0].first[0] for held in before)
    is_moved = {held.address for held in givers} == {address} and (is_empty or {held.port for held in givers} == {port})
    if is_moved and [held.port for held in after if held.address == address] == [port]:
        loss = context.atom(KIND, address, ABSENT)
        return ChangePart(change, (loss,), lambda done: change.after if done(loss) else ABSENT)
    gain = context.atom(KIND, ABSENT, change.after)
    return ChangePart(change, (gain,), lambda _: change.before, KIND, clash, ADVICE)


class _Subnets:
    """The subnets of a switch's ports, of which those that overlap another one are found fast."""

    def __init__(self, held: Sequence[_HeldSubnet]) -> None:
        self._held = sorted(held)
        self._firsts = [each.first for each in self._held]
        self._ends = list(accumulate((each.last for each in self._held), max))

    def overlapping(self, address: str) -> Iterator[_HeldSubnet]:
        """Yield those that overlap the subnet of an address; none if it is none."""
        new = _span("", address)
        at = bisect_right(self._firsts, new.last) if new else 0
        while new and at and self._ends[at - 1] >= new.first:
            at -= 1
            if self._held[at].last >= new.first:
                yield self._held[at]


def _list_held(ports: Tree, data: Mapping[str, Any]) -> Iterator[_HeldSubnet]:
    """Yield the subnets of ports."""
    for port, row in ports.items():
        for key, value in row.items() if isinstance(row, dict) else ():
            span = _span(port, _address(key, value, data))
            if span:
                yield span


def _address(key: str, value: Any, data: Mapping[str, Any]) -> str:
    """Return the address that a step of a port and its value say; empty if they say none."""
    if key in data["beside"]:
        return str(value)
    seconds = (step for steps in data["beside"].values() for step in steps)
    for step in (*seconds, *data.get("alike", ())):
        head, _, tail = step.partition("{value}")
        found = re.fullmatch(f"{re.escape(head)}(\\S+){re.escape(tail)}", key)
        if found:
            return found[1]
    return ""


def _span(port: str, address: str) -> _HeldSubnet | None:
    try:
        network = ip_interface(address).network
    except ValueError:
        return None
    version = network.version
    return _HeldSubnet((version, int(network[0])), (version, int(network[-1])), port, address)


def _find_clash(change: Change, address: str, subnets: _Subnets) -> str:
    """Return why a new address cannot stand beside the old ones of a device; empty if it can."""
    if _span("", address) is None:
        return "the new value is no address with its prefix length"
    port = change.steps[-2]
    # What gets the place of the first address may be the second one already.
    second = () if change.before is ABSENT else (port, address)
    others = [held for held in subnets.overlapping(address) if (held.port, held.address) != second]
    if not others:
        return ""
    if any(held.port != port for held in others):
        return "the new address is of a subnet that a port of the switch still has"
    names = ", ".join(sorted({held.address for held in others}))
    return f"the new address is of the subnet of {names}, which its port still has"
