"""Prediction of one failure by ``analyze failures``, in the names of the lab."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from fabricgen.analysis.failures import Effect, Failures
from fabricgen.analysis.recovery import FailureKind, list_recoveries
from fabricgen.analysis.single_failure import SingleFailure
from fabricgen.lab.failures.elements import Failure
from fabricgen.lab.failures.names import Attached, End, Names
from fabricgen.lab.verify.observe import Routes
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostLinkId, LinkId

Pair = tuple[Attached, Attached]


class Predicted:
    """The fabric after one failure.

    Attributes:
        single: The failure as the analysis works it out.
        effect: What it does, as ``analyze failures`` prints it for its class; None for the fabric as planned.
        moves_s: Time until traffic has moved around it.
    """

    def __init__(self, names: Names, failures: Failures, failure: Failure | None = None) -> None:
        """Work out one failure, or none."""
        self.names = names
        self.single = SingleFailure(failures, *([failure.element] if failure else []))
        self.effect: Effect | None = failures.effect(failure.alike) if failure else None
        self.moves_s = _moves_s(names, failure) if failure else 0.0
        self._arriving: dict[Pair, bool] = {}
        self._left = {
            each.nic: [link for link in each.links if not self.single.is_lost(link)] for each in names.attached
        }

    def routes(self) -> dict[str, Routes]:
        """Return the next hops of every switch that works, by prefix of hosts; none where no route is left."""
        found: dict[str, Routes] = {name: {} for name in self._working()}
        for prefix, owners in self._owners().items():
            planes: dict[int, list[DeviceId]] = {}
            for owner in owners:
                planes.setdefault(owner.where.plane, []).append(owner)
            for leafs in planes.values():
                exits = self.single.exits(tuple(sorted(leafs)))
                for name, device in self._working().items():
                    if device not in owners and exits.get(device):
                        found[name][prefix] = frozenset(self._interface(name, link) for link in exits[device])
        return found

    def _working(self) -> dict[str, DeviceId]:
        return {name: each for name, each in self.names.devices.items() if each not in self.single.outage.failed}

    def _interface(self, device: str, link: LinkId) -> str:
        ends = self.names.ends[link]
        return next(interface for name, interface in (ends.lower, ends.upper) if name == device)

    def _owners(self) -> dict[str, set[DeviceId]]:
        """Return the switches that announce each prefix of hosts: blocks always, hosts of a bond while a port is up."""
        links = {ends.upper: ends.link for ends in self.names.ends.values()}
        found: dict[str, set[DeviceId]] = {}
        for name, device in self._working().items():
            node = self.names.blueprint.node(name)
            own = [prefix for prefix in node.originates if prefix not in node.loopbacks]
            for end in node.interfaces:
                link = links.get((name, end.name))
                if link is not None and not self.single.is_lost(link):
                    own += end.announces
            for prefix in own:
                found.setdefault(prefix, set()).add(device)
        return found

    def arrives(self, pair: Pair) -> bool:
        """Return whether packets from one address of a NIC to another arrive."""
        found = self._arriving.get(pair)
        if found is None:
            found = self._arriving[pair] = self._arrives(*pair)
        return found

    def _arrives(self, sender: Attached, receiver: Attached) -> bool:
        leafs = tuple(sorted({link.upper_end for link in self._left[receiver.nic]}))
        legs = self._left[sender.nic]
        if not leafs or not legs or sender.plane != receiver.plane:
            return False
        exits = self.single.exits(leafs)
        return all(link.upper_end in leafs or exits.get(link.upper_end) for link in legs)

    def sent_gbps(self) -> dict[End, Fraction]:
        """Return what is sent into every link from each of its ends under the uniform matrix."""
        found = {}
        for identity, carried in self.single.loads().items():
            ends = self.names.ends.get(identity)
            if ends is not None:
                found[ends.lower], found[ends.upper] = carried.up, carried.down
        return found

    def touched(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return the pairs that a failure may meet, of those that go on; all that go on if it meets none of them."""
        left = [pair for pair in pairs if self.arrives(pair)]
        near = set(self._near())
        met = [pair for pair in left if any(near.intersection((*each.links, *each.leafs)) for each in pair)]
        return met or left

    def _near(self) -> Iterator[object]:
        """Yield links of NICs and leafs that are next to what failed."""
        for each in self.single.outage.failed:
            if isinstance(each, FabricLinkId):
                yield each.lower
            elif isinstance(each, DeviceId):
                yield each
            elif isinstance(each, HostLinkId):
                yield self.names.ends[each].link


def _moves_s(names: Names, failure: Failure) -> float:
    """Return how long traffic takes to move, as ``recovery`` has it; of a NIC port without LACP."""
    kinds = {DeviceId: FailureKind.SWITCH_DEAD, FabricLinkId: FailureKind.LINK_DOWN}
    kind = kinds.get(type(failure.element))
    found = [each.healed_ms or 0 for each in list_recoveries(names.plan, graceful=False) if each.kind is kind]
    return max(found, default=0.0) / 1000
