"""Mistakes of cabling, each as a sentence that says what to do, by the rack where it is to be done."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.state.cabling import Cable, Cabling, PortEnd

MISSING, SWAPPED, WRONG_PORT, WRONG_DEVICE = "missing", "swapped", "wrong port", "wrong device"
UNPLANNED, UNNAMED, ONE_WAY = "unplanned", "unnamed neighbor", "one way"


class CablingFault(NamedTuple):
    """A mistake of cabling.

    Attributes:
        place: Rack or unit of the device where hands are needed, or its tier.
        kind: Kind of mistake, for example ``swapped``.
        ends: Ports that take part, those where hands are needed first.
        text: Sentence that says what to do.
    """

    place: str
    kind: str
    ends: tuple[PortEnd, ...]
    text: str


class _Move(NamedTuple):
    """A cable whose one end is in the wrong port: ``kept`` is right, ``wrong`` belongs to ``right``."""

    kept: PortEnd
    wrong: PortEnd
    right: PortEnd


def list_faults(cabling: Cabling) -> list[CablingFault]:
    """Return the mistakes, by place in the order of the plan.

    Args:
        cabling: Planned and reported cables.
    """
    missing = {cable: None for cable in cabling.planned if cable not in cabling.reported}
    planned = set(cabling.planned)
    extra = {cable: None for cable in cabling.reported if cable not in planned}
    faults = [*_list_swaps(cabling, missing, extra), *_list_moves(cabling, missing, extra)]
    faults += [_missing(cabling, cable) for cable in missing]
    for first, second in extra:
        text = f"remove the cable between {cabling.name(first)} and {cabling.name(second)}: the plan has none"
        faults.append(_fault(cabling, UNPLANNED, (first, second), text))
    faults += _list_one_way(cabling)
    order = {place: number for number, place in enumerate(dict.fromkeys(map(cabling.place, cabling.seen)))}
    return sorted(faults, key=lambda fault: order.get(fault.place, len(order)))


def _fault(cabling: Cabling, kind: str, ends: tuple[PortEnd, ...], text: str) -> CablingFault:
    place = next((found for end in ends if (found := cabling.place(end.device))), "")
    return CablingFault(place, kind, ends, text)


def _list_swaps(cabling: Cabling, missing: dict[Cable, None], extra: dict[Cable, None]) -> Iterator[CablingFault]:
    """Yield the pairs of cables that are in each other's ports, and take them out of what is left to explain."""
    for first, second in list(extra):
        one, other = cabling.partner.get(first), cabling.partner.get(second)
        if one is None or other is None or first == second or (first, second) not in extra:
            continue
        if cabling.join(one, other) not in extra:
            continue
        for cable in ((first, second), cabling.join(one, other)):
            extra.pop(cable)
        for cable in (cabling.join(first, one), cabling.join(second, other)):
            missing.pop(cable, None)
        yield _swap(cabling, cabling.join(first, other), cabling.join(one, second))


def _swap(cabling: Cabling, near: Cable, far: Cable) -> CablingFault:
    """Return a pair of cables that is put right at either of two pairs of ports; one device is better than two."""
    pairs = sorted((near, far), key=lambda pair: cabling.join(pair[0], pair[1]) != pair)
    chosen = min(pairs, key=lambda pair: (pair[0].device != pair[1].device, _apart(cabling, pair)))
    left = pairs[1] if chosen is pairs[0] else pairs[0]
    first, second = chosen
    if first.device == second.device:
        text = f"swap the cables at {first.device} ports {cabling.label(first)} and {cabling.label(second)}"
    else:
        text = f"swap the cables at {cabling.name(first)} and {cabling.name(second)}"
    return _fault(cabling, SWAPPED, (*chosen, *left), text)


def _apart(cabling: Cabling, pair: Cable) -> bool:
    return cabling.place(pair[0].device) != cabling.place(pair[1].device)


def _list_moves(cabling: Cabling, missing: dict[Cable, None], extra: dict[Cable, None]) -> Iterator[CablingFault]:
    """Yield the cables of which one end is in the wrong port, and take them out of what is left to explain.

    Each explains one planned cable. Those that can explain only one come first, so that none is left over in a chain.
    """
    at: dict[PortEnd, list[Cable]] = {}
    for cable in extra:
        for end in cable:
            at.setdefault(end, []).append(cable)
    waiting = sorted(extra, key=lambda cable: -len(_list_options(cabling, missing, cable)))
    while waiting:
        cable = waiting.pop()
        options = _list_options(cabling, missing, cable) if cable in extra else []
        if not options:
            continue
        move = min(options, key=lambda option: option.wrong.device != option.right.device)
        extra.pop(cable)
        missing.pop(cabling.join(move.kept, move.right))
        waiting += [other for end in (move.kept, move.right) for other in at.get(end, ()) if other in extra]
        yield _moved(cabling, move)


def _list_options(cabling: Cabling, missing: dict[Cable, None], cable: Cable) -> list[_Move]:
    """Return the ways in which a cable can have come from its place in the plan."""
    first, second = cable
    found = []
    for kept, wrong in ((first, second), (second, first)):
        right = cabling.partner.get(kept)
        if right is not None and cabling.join(kept, right) in missing:
            found.append(_Move(kept, wrong, right))
    return found


def _moved(cabling: Cabling, move: _Move) -> CablingFault:
    kept, wrong, right = move
    if wrong.device == right.device:
        ports = f"from port {cabling.label(wrong)} to port {cabling.label(right)} of {right.device}"
        return _fault(cabling, WRONG_PORT, (wrong, right, kept), f"move the cable of {cabling.name(kept)} {ports}")
    text = f"move the cable of {cabling.name(kept)} from {cabling.name(wrong)} to {cabling.name(right)}"
    return _fault(cabling, WRONG_DEVICE, (wrong, right, kept), text)


def _missing(cabling: Cabling, cable: Cable) -> CablingFault:
    """Return a planned cable that no end reports; a neighbor without a name may be its other end."""
    for end in cable:
        if address := cabling.unnamed.get(end):
            found = f"{cabling.name(end)} is connected to {address}, which gives no name"
            wanted = f"{cabling.name(cabling.partner[end])}"
            return _fault(cabling, UNNAMED, cable, f"{found}: check that it is {wanted}, and add it to the asset list")
    first, second = map(cabling.name, cable)
    return _fault(cabling, MISSING, cable, f"connect {first} to {second}: LLDP reports no cable there")


def _list_one_way(cabling: Cabling) -> Iterator[CablingFault]:
    """Yield the planned cables that only one of two devices reports, where the other one receives nothing."""
    reported = {end for ends in cabling.reported.values() for end in ends} | set(cabling.unnamed)
    for cable in cabling.planned:
        ends = cabling.reported.get(cable, set())
        silent = [end for end in cable if end not in reported and end.device in cabling.seen]
        if ends and silent:
            (sender,) = ends
            text = f"check that LLDP is sent by {cabling.name(sender)}: {cabling.name(silent[0])} receives nothing"
            yield _fault(cabling, ONE_WAY, (sender, silent[0]), text)
