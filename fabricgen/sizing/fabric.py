"""A sized fabric: what follows from its shape for tiers, cables and growth."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from fabricgen.diagnostics.words import and_list
from fabricgen.sizing.request import CORE_LINK, HOST_LINK, SPINE_LINK, CableLength, SizingRequest, SwitchModels, Unfit
from fabricgen.sizing.shape import Radix, SizedShape, Sizer, find_lanes

TIERS = ("leaf", "spine", "core")
PLUGGABLE = ("mmf", "smf")
"""Media with a transceiver at each end; the others come with their ends on."""
_GROWTH_MAX_GPUS = 131_072
"""No more room than this is reserved: default address pools hold it."""


class TierSize(NamedTuple):
    """One tier: switches, their ports in use, downlinks ``left``, and down- over uplink ``ratio``, None at the top."""

    name: str
    model: str
    switches: int
    down: int
    down_gbps: int
    up: int
    up_gbps: int
    ratio: Fraction | None
    left: int


class CableSize(NamedTuple):
    """The cables of one link group, and the transceivers in cages and NICs at their ends."""

    link: str
    speed_gbps: int
    cable: CableLength
    number: int
    optics: int


class FabricSize(NamedTuple):
    """A fabric that holds the request; its top has ports for up to ``growth`` units, pods (3 tiers) or servers."""

    request: SizingRequest
    boxes: SwitchModels
    shape: SizedShape
    tiers: tuple[TierSize, ...]
    cables: tuple[CableSize, ...]
    growth: int

    @property
    def gpus(self) -> int:
        """GPUs there is a place for; the request may be fewer."""
        return self.shape.hosts * self.request.server.gpus

    @property
    def most_gpus(self) -> int:
        """GPUs once the room for growth is used up."""
        now = {1: self.shape.per_unit, 2: self.shape.units, 3: self.shape.pods}[self.shape.tiers]
        return self.gpus // now * self.growth

    @property
    def switches(self) -> int:
        """All switches."""
        return sum(tier.switches for tier in self.tiers)

    @property
    def optics(self) -> int:
        """All transceivers."""
        return sum(cable.optics for cable in self.cables)


def size_fabric(request: SizingRequest, boxes: SwitchModels) -> FabricSize | Unfit:
    """Find the smallest fabric for a request; or return why these switches cannot make it and what would."""
    lanes = find_lanes(request, boxes)
    if isinstance(lanes, Unfit):
        return lanes
    sizer = Sizer(request, boxes, lanes)
    shape = sizer.smallest()
    if shape is None:
        return _too_large(request, boxes, sizer.most_hosts())
    radixes = (sizer.leaf, sizer.spine, sizer.core)
    return FabricSize(
        request,
        boxes,
        shape,
        _tiers(request, boxes, shape, radixes),
        _cables(request, shape, radixes),
        _growth(request, shape, radixes),
    )


def _too_large(request: SizingRequest, boxes: SwitchModels, hosts: int) -> Unfit:
    """Three tiers do not hold the request."""
    most = hosts * request.server.gpus
    names = and_list(dict.fromkeys(boxes.names))
    ratio = f"{request.ratio.numerator}:{request.ratio.denominator}"
    if not most or most >= request.gpus:
        unit = f"a unit of {request.per_unit} servers" if request.per_unit else f"one {request.server.id}"
        return Unfit(
            f"{names} has too few ports for {unit} at {ratio} with links of {request.speed_gbps}G",
            "a switch with more ports, other speeds, or smaller units",
        )
    return Unfit(
        f"three tiers of {names} hold {most} GPUs at {ratio}; {request.gpus} are too many",
        "a switch with more ports at that speed, more planes, or a higher ratio",
    )


def _tiers(
    request: SizingRequest, boxes: SwitchModels, shape: SizedShape, radixes: tuple[Radix, ...]
) -> tuple[TierSize, ...]:
    low = request.uplink_gbps
    sides = [
        (shape.down, request.speed_gbps, shape.leaf_up),
        (shape.spine_down, low, shape.spine_up),
        (shape.core_down, low, 0),
    ]
    found = []
    for number, switches in enumerate(shape.switches):
        down, speed, up = sides[number]
        found.append(
            TierSize(
                name=TIERS[number],
                model=boxes.names[number],
                switches=switches * request.planes,
                down=down,
                down_gbps=speed,
                up=up,
                up_gbps=low,
                ratio=Fraction(down * speed, up * low) if up else None,
                left=radixes[number].most_down(up) - down,
            )
        )
    return tuple(found)


def _cables(request: SizingRequest, shape: SizedShape, radixes: tuple[Radix, ...]) -> tuple[CableSize, ...]:
    """Cables of every link group; a cage has one transceiver for all of its links."""
    leafs, spines, cores = (*shape.switches, 0, 0)[:3]
    leaf, spine, core = radixes
    at_leaf = leafs * (leaf.cages(leaf.down_of_cage, shape.down) or 0)
    slots = enumerate(request.server.rails if request.nic.ports == 1 else ())
    cages = {slot.cage.partition("/")[0] or number for number, slot in slots}
    at_nic = leafs * shape.down * (len(cages) or request.rails) // request.rails
    groups = [(HOST_LINK, request.speed_gbps, leafs * shape.down, at_leaf + at_nic)]
    if spines:
        ends = leafs * _up(leaf, shape.leaf_up) + spines * (spine.cages(spine.down_of_cage, shape.spine_down) or 0)
        groups.append((SPINE_LINK, request.uplink_gbps, leafs * shape.leaf_up, ends))
    if cores:
        ends = spines * _up(spine, shape.spine_up) + cores * (core.cages(core.down_of_cage, shape.core_down) or 0)
        groups.append((CORE_LINK, request.uplink_gbps, spines * shape.spine_up, ends))
    found = []
    for link, speed, count, ends in groups:
        cable = request.cable(link)
        optics = ends * request.planes if cable.media in PLUGGABLE else 0
        found.append(CableSize(link, speed, cable, count * request.planes, optics))
    return tuple(found)


def _up(radix: Radix, links: int) -> int:
    return radix.cages(radix.up_of_cage[::-1], links) or 0


def _growth(request: SizingRequest, shape: SizedShape, radixes: tuple[Radix, ...]) -> int:
    """Return how far the outermost count can go until the switches that join all of it are full."""
    leaf, spine, core = radixes
    if shape.tiers == 1:
        most = leaf.most_down(0) // request.rails
        return min(most - most % request.domain, request.per_unit or most)
    if shape.tiers == 2:
        now, most = shape.units, spine.most_down(0) // (shape.leafs * shape.spine_pair)
    else:
        now, most = shape.pods, core.most_down(0) // (shape.core_down // shape.pods)
    each = shape.hosts // now * request.server.gpus
    return max(now, min(most, _GROWTH_MAX_GPUS // each))
