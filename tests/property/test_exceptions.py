"""Sparse exceptions on a regular plan are the fabric in which somebody carried them out, cable by cable."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any

from hypothesis import given, note
from hypothesis import strategies as st

from fabricgen.plan.model.cabling import neighbours
from fabricgen.plan.model.identity import DeviceId
from tests.property.expanded import Cable, Expanded, configured, port_text
from tests.property.fabrics import Data, fabrics, plan_fabric

FIRST_FREE_CAGE = 150
"""Far from what any fabric of the test uses at either end of a box."""

Exception_ = dict[str, Any]


class Irregular:
    """Draws exceptions that can all be had at once."""

    def __init__(self, expanded: Expanded, data: Data, seed: int) -> None:
        self.expanded = expanded
        self.data = data
        self.random = Random(seed)
        self.free: defaultdict[str, int] = defaultdict(lambda: FIRST_FREE_CAGE * 2)
        self.taken: set[int] = set()

    def draw(self) -> list[Exception_]:
        """A few exceptions of every kind."""
        kinds = [self.state, self.ports, self.move, self.swap, self.cable, self.mtu, self.swap_hosts, self.device]
        found: list[Exception_] = []
        for _ in range(self.random.randint(1, 9)):
            found += [{**said, "reason": "drawn"} for said in self.random.choice(kinds)()]
        return found

    def fabric_cable(self) -> int | None:
        return self._pick([at for at, row in enumerate(self.expanded.cables) if not row.link.startswith("host-")])

    def any_cable(self) -> int | None:
        return self._pick(list(range(len(self.expanded.cables))))

    def state(self) -> list[Exception_]:
        at = self.any_cable()
        if at is None:
            return []
        host = self.expanded.cables[at].link.startswith("host-")
        return [{**self._subject(at), "state": "absent" if host else self.random.choice(["absent", "drained"])}]

    def ports(self) -> list[Exception_]:
        at = self.any_cable()
        if at is None:
            return []
        cable = self.expanded.cables[at]
        ends = [cable.b] if cable.link.startswith("host-") else [cable.a, cable.b]
        chosen = self.random.sample(ends, self.random.randint(1, len(ends)))
        return [{**self._subject(at), "ports": {end: self._free_port(end) for end in chosen}}]

    def move(self) -> list[Exception_]:
        at = self.fabric_cable()
        if at is None:
            return []
        cable = self.expanded.cables[at]
        others = sorted({row.b for row in self.expanded.cables if row.a == cable.a} - {cable.b} - self._gone())
        if not others:
            return []
        to = self.random.choice(others)
        said: Exception_ = {**self._subject(at), "to": to}
        if self.random.random() < 0.7:
            said["ports"] = {to: self._free_port(to)}
        return [said]

    def swap(self) -> list[Exception_]:
        one = self.fabric_cable()
        if one is None:
            return []
        first = self.expanded.cables[one]
        mates = [
            at
            for at, row in enumerate(self.expanded.cables)
            if row.a == first.a and row.b != first.b and row.link == first.link and at not in self.taken
        ]
        other = self._pick(mates)
        if other is None:
            return []
        second = self.expanded.cables[other]
        return [
            {**self._subject(one), "to": second.b, "ports": {second.b: port_text(second.b_port)}},
            {**self._subject(other), "to": first.b, "ports": {first.b: port_text(first.b_port)}},
        ]

    def swap_hosts(self) -> list[Exception_]:
        hosts = [at for at, row in enumerate(self.expanded.cables) if row.link.startswith("host-")]
        one = self._pick(hosts)
        if one is None:
            return []
        first = self.expanded.cables[one]
        unit = first.b.rpartition("-")[0]
        other = self._pick([at for at in hosts if self._is_mate(self.expanded.cables[at], first, unit)])
        if other is None:
            return []
        second = self.expanded.cables[other]
        return [
            {**self._subject(one), "to": second.b, "ports": {second.b: port_text(second.b_port)}},
            {**self._subject(other), "to": first.b, "ports": {first.b: port_text(first.b_port)}},
        ]

    @staticmethod
    def _is_mate(row: Cable, first: Cable, unit: str) -> bool:
        return row.b != first.b and row.b.rpartition("-")[0] == unit

    def cable(self) -> list[Exception_]:
        at = self.any_cable()
        return [] if at is None else [{**self._subject(at), "cable": {"length_m": self.random.randint(1, 3)}}]

    def mtu(self) -> list[Exception_]:
        at = self.any_cable()
        host = at is not None and self.expanded.cables[at].link.startswith("host-")
        return [] if at is None else [{**self._subject(at), "set": {"mtu": 9000 if host else 9216}}]

    def device(self) -> list[Exception_]:
        cable = self.random.choice(self.expanded.cables)
        name = self.random.choice([cable.a, cable.b])
        if name in self.free or any(
            name in (row.a, row.b) for at, row in enumerate(self.expanded.cables) if at in self.taken
        ):
            return []
        self.free[name] = 0
        kind = "host" if name == cable.a and cable.link.startswith("host-") else "device"
        return [{kind: name, "state": self.random.choice(["absent", "drained"])}]

    def _subject(self, at: int) -> Exception_:
        cable = self.expanded.cables[at]
        parallel = self.expanded.between(cable.a, cable.b)
        return {"link": [cable.a, cable.b], "n": parallel.index(at) + 1}

    def _pick(self, among: list[int]) -> int | None:
        gone, cables = self._gone(), self.expanded.cables
        left = [at for at in among if at not in self.taken and not {cables[at].a, cables[at].b} & gone]
        if not left:
            return None
        at = self.random.choice(left)
        self.taken.add(at)
        return at

    def _gone(self) -> set[str]:
        """Devices that an exception takes out: a cable moved there would make them count again."""
        return {name for name, number in self.free.items() if number == 0}

    def _free_port(self, device: str) -> str:
        number = self.free[device]
        self.free[device] += 1
        return f"{number // 2}/{number % 2 + 1}"


@given(fabrics(), st.integers(0, 2**32))
def test_exceptions_are_what_somebody_carried_out(data: Data, seed: int) -> None:
    note(f"seed {seed}")
    expanded = Expanded(plan_fabric(data))
    said = _possible(Irregular(expanded, data, seed).draw())
    note(f"exceptions {said}")
    found = configured(plan_fabric({**data, "exceptions": said}))
    for exception in said:
        expanded.carry_out(exception)
    expanded.land(found)
    assert found == expanded.ends()


@given(fabrics(), st.integers(0, 2**32))
def test_only_what_is_named_and_its_neighbours_are_touched(data: Data, seed: int) -> None:
    note(f"seed {seed}")
    regular = plan_fabric(data)
    expanded = Expanded(regular)
    said = _possible(Irregular(expanded, data, seed).draw())
    plan = plan_fabric({**data, "exceptions": said})
    before, after = configured(regular), configured(plan)
    names = {plan.device_name(device) for device in plan.exceptions.touched}
    names |= {plan.host_name(host) for host in plan.exceptions.touched_hosts}
    names |= {plan.host_name(host) for host in plan.exceptions.hosts}
    assert {end.device for end in before ^ after} <= names
    assert len(plan.exceptions.links) + len(plan.exceptions.switches) + len(plan.exceptions.hosts) <= 4 * len(said)
    absent = [device for device, found in plan.exceptions.switches.items() if found.state == "absent"]
    around = {device for each in absent for device in neighbours(plan, each)}
    ends = {name for one in said for name in (one.get("device"), one.get("to"), *one.get("link", ())) if name}
    hosts = {leaf for host in plan.exceptions.hosts for leaf in neighbours(plan, host)}
    near = {plan.device_name(device) for device in around | hosts if isinstance(device, DeviceId)}
    assert {plan.device_name(device) for device in plan.exceptions.touched} <= ends | near


def _possible(said: list[Exception_]) -> list[Exception_]:
    """Without the second cable that would land by default on the same box, which has to be told where."""
    kept, landed = [], set()
    for exception in said:
        if "to" in exception and "ports" not in exception:
            if exception["to"] in landed:
                continue
            landed.add(exception["to"])
        kept.append(exception)
    return kept
