"""Series: the numbers of one tier apart from the others, where the intent writes their order, strides or first one.

A series is a mixed-radix number: each dimension has a stride that holds all that is counted inside it, so no two
devices meet. The dimension without a maximum comes first, or inside a stride that is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from fabricgen.diagnostics import Bag, IntentPath, Related, format_path
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.network import AddressSeries, AsnSeries
from fabricgen.intent.types import IPAddress
from fabricgen.physics.capacity import next_power_of_two
from fabricgen.plan.model.identity import AddressPool, Coordinates, Numbering
from fabricgen.plan.planner import plan_codes as codes
from fabricgen.plan.planner.shape import FabricShape, TierShape

ASN = "AS numbers"
DEVICES = ("plane", "group", "index")
SCOPES: Mapping[str, tuple[str, ...]] = {
    "fabric": (), "zone": ("zone",), "pod": ("zone", "pod"), "unit": ("zone", "pod", "unit"),
}  # fmt: skip
"""Dimensions of a tier by the scope that it is built per; all tiers have ``DEVICES``."""
_REJECTED = "switches of one AS number reject each other's routes, and these meet further up"


class Spaces(NamedTuple):
    """Address space that each device needs: link /31s per uplinked tier, positions per leaf.

    Attributes:
        one_block: The leafs a NIC's ports meet have one block of host addresses between them.
        subnet: That block is one subnet, in which the hosts bond.
        host_len: Prefix length of the IPv4 routes into it; 0 where there are none.
        slots_per_host: Positions that one host takes on a leaf; 0 where groups of hosts differ in that.
    """

    uplinks: dict[str, int]
    leaf_positions: int
    one_block: bool = False
    subnet: bool = False
    host_len: int = 0
    slots_per_host: int = 0


class Taken(NamedTuple):
    """Numbers that are taken at the reserved maximum, and the key that decides them."""

    what: str
    path: IntentPath
    first: int
    last: int


@dataclass(slots=True)
class OwnNumbers:
    """A series of one tier in one space of numbers.

    Attributes:
        order: Dimensions, the outermost first; until they are counted the order where none is written.
        needed: Those that may not be left out where they have several members.
        inner: Sizes of the dimensions within a device, ``host`` and ``port``.
        block: Size of the blocks that hosts and ports of a leaf fill, with what counts ``within`` them: dimensions of
            leafs, of which several share a block.
    """

    tier: TierShape
    name: str
    path: IntentPath
    series: AddressSeries | AsnSeries
    order: Sequence[str]
    needed: Sequence[str]
    each: int = 1
    inner: Mapping[str, int] = field(default_factory=dict)
    strides: dict[str, int] = field(default_factory=dict)
    extent: int = 1
    block: int = 1
    within: tuple[str, ...] = ()

    def numbering(self, base: int) -> Numbering:
        """Return the map from coordinates to numbers."""
        found = Coordinates(**{name: self.strides.get(name, 0) for name in Coordinates._fields})
        return Numbering(base, found, self.strides.get("host", 0), self.strides.get("port", 2))

    def announced(self, base: int) -> Numbering | None:
        """Return the map to the first number of the block that a leaf announces; None where it is the leaf's own."""
        found = self.numbering(base)
        return found._replace(strides=found.strides._replace(**dict.fromkeys(self.within, 0))) if self.within else None

    def span(self, first: int) -> Taken:
        """Return the numbers it takes from its first one on."""
        return Taken(f"{self.name} of tier {self.tier.name!r}", self.path, first, first + self.extent - 1)

    def count(self, outermost: str, bag: Bag) -> OwnNumbers:
        """Work out the strides; what does not hold is reported. ``outermost`` is the dimension without a maximum."""
        sizes = {**self.tier.reserved._asdict(), **self.inner}
        varied = [name for name, size in sizes.items() if size > 1 or name == outermost]
        self._choose_order(varied, bag)
        self._check_growth(varied, outermost, bag)
        hosts = next((at for at, name in enumerate(self.order) if name in self.inner), -1)
        self.extent = room = self.block = self.each
        for at, name in reversed(list(enumerate(self.order))):
            stride = self.strides[name] = self._stride(name, room, bag)
            self.extent, room = self.extent + (sizes[name] - 1) * stride, stride * sizes[name]
            if at == hosts and "host" in self.inner:
                self.extent = room = self.block = next_power_of_two(room)
                self.within = tuple(each for each in self.order[at:] if each in varied and each not in self.inner)
        if self.strides.get("host") == self.inner.get("port", 0) * self.strides.get("port", 2):
            self.strides["host"] = 0  # Ports count on through the hosts.
        return self

    def _stride(self, name: str, least: int, bag: Bag) -> int:
        """Return the stride of a dimension: the one that is written if it holds."""
        written: Mapping[str, int] = {str(each): stride for each, stride in self.series.strides.items()}
        stride = written.get(name, least)
        if stride >= self.extent and stride % self.block == 0:
            return stride
        message = f"the stride of {name} is {stride}; {self.extent} numbers are counted inside it"
        hint = f"use {-(-self.extent // self.block) * self.block}, or a larger multiple of {self.block}"
        bag.add(codes.STRIDE_TOO_SMALL, message, (*self.path, "strides", name), hint=hint)
        return least

    def _choose_order(self, varied: Sequence[str], bag: Bag) -> None:
        """Take the order that is written if it holds."""
        order: Sequence[str] = self.order if self.series.order is None else self.series.order
        known = [*SCOPES[self.tier.per], *DEVICES, *self.inner]
        lacking = [name for name in self.needed if name in varied and name not in order]
        strange = [(name, "order") for name in order if name not in known]
        strange += [(name, "strides") for name in self.series.strides if name not in order]
        if strange:
            name, key = strange[0]
            message = f"{self.name} of tier {self.tier.name!r} are not counted along {name}"
            hint = f"leave it out; the order may list {and_list(known)}"
            bag.add(codes.SERIES_OF_NOTHING, message, (*self.path, key), hint=hint)
        if lacking:
            why = _REJECTED if self.needed is not self.order and self.name == ASN else "two would have one number"
            message = f"the order of {self.name} of tier {self.tier.name!r} leaves out {and_list(lacking)}: {why}"
            bag.add(codes.ORDER_FAILS, message, (*self.path, "order"), hint=f"add {and_list(lacking)}")
        self.order = self.order if lacking or strange else order

    def _check_growth(self, varied: Sequence[str], outermost: str, bag: Bag) -> None:
        """Report what counts outside the dimension without a maximum, unless a stride leaves room."""
        outside = self.order[: self.order.index(outermost)] if outermost in self.order else ()
        free = [name for name in outside if name in varied and name not in map(str, self.series.strides)]
        if free:
            message = f"{outermost} has no maximum and is counted inside {and_list(free)}: growth would renumber"
            hint = f"put {outermost} first, write {outermost}s.max, or a stride of {and_list(free)} that leaves room"
            related = [Related(f"the {outermost}s", (f"{outermost}s",))]
            bag.add(codes.ORDER_FAILS, message, (*self.path, "order"), hint=hint, related=related)


def as_order(tier: TierShape, shape: FabricShape) -> Sequence[str]:
    """Return along which dimensions within a scope AS numbers differ.

    A leaf's is its own; the switches above share one, or one per stripe group where these meet further up. Two switches
    of one number never take each other's routes (RFC 4271 section 9.1.2), so what a stripe keeps apart below would stay
    apart above.
    """
    if tier is shape.tiers[0]:
        return DEVICES
    return ("plane",) if tier.pattern == "mesh" or tier is shape.tiers[-1] else ("plane", "group")


def count_series(shape: FabricShape, intent: FabricIntent, spaces: Spaces, bag: Bag) -> list[OwnNumbers]:
    """Work out every series that the intent writes; those of numbers that no device has are reported."""
    most = {"zone": intent.zones, "pod": intent.pods, "unit": intent.units}[shape.outermost]
    endless = "" if most and most.max is not None else shape.outermost
    addressing, asns = intent.addressing.series, intent.routing.asn.series
    places: list[tuple[IntentPath, str, str, AddressSeries | AsnSeries]] = [
        *((("addressing", "series", t, n), t, n, x) for t, own in addressing.items() for n, x in own.items()),
        *((("routing", "asn", "series", t), t, ASN, x) for t, x in asns.items()),
    ]
    tiers, found = {tier.name: tier for tier in shape.tiers}, []
    for path, name, what, series in sorted(places, key=lambda each: each[0]):
        numbers = _numbers_of(tiers[name], what, path, series, shape, spaces) if name in tiers else None
        if numbers is not None:
            found.append(numbers.count(endless, bag))
        else:
            _report_lacking(tiers.get(name), name, what, path, shape.tiers[0], bag)
    return found


def _report_lacking(tier: TierShape | None, name: str, what: str, path: IntentPath, leaf: TierShape, bag: Bag) -> None:
    """Report a series of numbers that a tier does not have, or of those of which none is built."""
    if tier is leaf and what == "host_links":
        message = "no series is built for hosts that bond or spread over leafs, or have unlike links to one"
        bag.add(codes.SERIES_LACKING, message, path, on_key=True, hint="leave it out")
        return
    message = f"tier {name!r} has no {what}" if tier else f"no links lead to a tier {name!r}"
    hint = "use the tier below the links, or leave it out" if tier else "correct its name"
    bag.add(codes.SERIES_OF_NOTHING, message, path, on_key=True, hint=hint)


def _numbers_of(
    tier: TierShape, name: str, path: IntentPath, series: AddressSeries | AsnSeries, shape: FabricShape, spaces: Spaces
) -> OwnNumbers | None:
    """Return how numbers of a tier count; None where it has none, or none that this builds."""
    leaf = tier is shape.tiers[0]
    if name == ASN and not leaf:
        default = [*SCOPES[tier.per], *as_order(tier, shape)]
        apart = [] if tier is shape.tiers[-1] else [each for each in default if each != "plane"]
        return OwnNumbers(tier, name, path, series, default, apart)
    slots = 0 if spaces.one_block or not leaf else spaces.slots_per_host
    hosts = {"host": -(-spaces.leaf_positions // slots) if slots else 0, "port": slots}
    inner = {"fabric_links": {"port": spaces.uplinks.get(tier.name, 0)}, "host_links": hosts}.get(name, {})
    order = [*SCOPES[tier.per], *DEVICES, *inner]
    own = OwnNumbers(tier, name, path, series, order, order, 2 if inner else 1, inner)
    return own if all(inner.values()) else None


def place_addresses(
    owns: Iterable[OwnNumbers], pool: AddressPool, last: int, others: Taken, bag: Bag
) -> Iterator[tuple[str, tuple[Numbering, Numbering | None]]]:
    """Yield the numberings of series by tier in a pool that ends at ``last``, with the blocks that leafs announce.

    Series that leave the pool, or share addresses with each other or with the ``others``, are reported.
    """
    spans = [others]
    for own in owns:
        first, base, in_family = own.series.first, others.first, True
        if isinstance(first, IPAddress):
            in_family = bool(pool.ipv4 if first.version == 4 else pool.ipv6)
            base = int(first) - (pool.shift if first.version == 6 else 0)
        # Where the first address of a link is odd, its lower end has the even one.
        lowest = base - (base % 2 if own.each == 2 else 0)
        span, aside = own.span(lowest), (lowest - pool.first) % own.block
        if aside or not in_family or lowest < pool.first or span.last > last:
            where = and_list(filter(None, (pool.prefix4, pool.prefix6)))
            steps = f" in steps of {own.block}" if own.block > 1 else ""
            message = f"{own.extent} {span.what} from {first or pool.text(lowest)} on do not fit into {where}{steps}"
            hint = f"use an address from {pool.text(pool.first)} on{steps}, or a larger pool"
            related = [Related("the pool", ("addressing", own.name))]
            bag.add(codes.SERIES_OUTSIDE, message, (*own.path, "first"), hint=hint, related=related)
        else:
            spans.append(span)
        # Links between switches are numbered by their lower end.
        numbers = own.numbering(base ^ 1 if own.name == "fabric_links" else base)
        yield own.tier.name, (numbers, own.announced(lowest))
    check_apart(spans, bag)


def check_apart(spans: Iterable[Taken], bag: Bag) -> None:
    """Report series that share numbers, or that take some of those of the other tiers."""
    for lower, upper in pairwise(sorted((span for span in spans if span.last >= span.first), key=lambda s: s[2:])):
        if upper.first <= lower.last:
            later, other = (upper, lower) if "series" in upper.path else (lower, upper)
            message = f"{later.what} overlap {other.what} at the reserved maximum"
            hint = f"move {format_path(later.path)} to free numbers, or lower a maximum"
            bag.add(codes.SERIES_OVERLAP, message, later.path, hint=hint, related=[Related("the others", other.path)])
