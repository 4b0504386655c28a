"""Intents between two intents, for what both ends of a link have to agree on: classes, PFC, ECN, marks and MTU.

A rollout leads from the deployed intent over two more to the intended one. *Expand* has all that either of both takes:
code points, lossless priorities with their buffers, the larger MTU; NICs mark as before. In *migrate* NICs mark, and
switches tell of congestion, as intended. *Contract* is the intended one, which takes no more what is not sent any more.

Source:
    The orders follow from IEEE 802.1Qbb (PFC acts on the priority of both ends of a link), RFC 3168 and DCQCN
    (SIGCOMM 2015: a mark without reaction point has no effect but on queues) and RFC 1812 (a packet above the MTU of
    the next hop is dropped).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.lossless import Lossless, TrafficClassIntent
from fabricgen.plan.planner.lossless import build_contract
from fabricgen.source import Document

_SECTION = {"mode", "reason", "classes", "dcqcn", "mark_unmarked"}
_REASON = "between two intents"
_RULES = {
    "DSCP map": "every hop maps old and new code points to a lossless class before NICs mark the new ones",
    "lossless priorities": "both ends of every link pause a priority, with buffers for it, before traffic takes it",
    "marking by NICs": "NICs mark what every hop maps already",
    "ECN and DCQCN": "switches mark only while NICs react",
    "MTU": "switches forward a packet before any host sends one so long",
}
"""Reasons for the order, by what changes."""

_REASONS = {
    "migrate": "every device takes both by now",
    "contract": "nothing is sent any more that the intended contract does not take",
}
"""Reasons for what follows the first state."""


class LinkContract(NamedTuple):
    """The part of an intent on which both ends of every link agree: the lossless keys, and MTU in bytes."""

    lossless: Lossless
    mtu: Mapping[str, int]

    @classmethod
    def of(cls, intent: FabricIntent) -> LinkContract:
        """Return that of an intent."""
        return cls(intent.lossless, {name: link.mtu for name, link in intent.links.items()})

    @classmethod
    def read(cls, data: object) -> LinkContract | None:
        """Return that of data which ``to_data`` made; None if it is none."""
        try:
            lossless, mtu = data["lossless"], data["mtu"]  # type: ignore[index]
            return cls(Lossless.model_validate(lossless), {str(name): int(mtu[name]) for name in mtu})
        except (KeyError, TypeError, ValueError):
            return None

    def to_data(self) -> dict[str, object]:
        """Return it as a manifest has it."""
        return {"lossless": self.lossless.model_dump(mode="json", include=_SECTION), "mtu": dict(self.mtu)}


class StateBetween(NamedTuple):
    """An intent that a rollout leads to.

    Attributes:
        name: Of the phase that leads there; empty if that is the only one.
        kinds: Parts of the contract that differ, keys of ``_RULES``.
        order: The kinds of devices that change first, and those that follow; empty where all change in any order.
    """

    name: str
    kinds: tuple[str, ...]
    document: Document
    order: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Return the reason for the order, for people."""
        return _REASONS.get(self.name) or "; ".join(_RULES[kind] for kind in self.kinds)


def list_states(document: Document, after: LinkContract, before: LinkContract | None) -> list[StateBetween]:
    """Return the intents that lead to an intended one, in their order; the last is the intended one.

    ``before`` is the contract that is deployed, None if that is not known.
    """
    kinds = tuple(_differences(before, after)) if before is not None else ()
    if before is None or not kinds:
        return [StateBetween("", (), document)]
    union = _Union(before, after)
    gains, loses = (not _reacts(one) and _reacts(other) for one, other in ((before, after), (after, before)))
    turn = ("hosts", "switches") if gains else ("switches", "hosts") if loses else ()
    states = (
        StateBetween("expand", kinds, union.write(document, before), ("switches", "hosts")),
        StateBetween("migrate", kinds, union.write(document, after), turn),
        StateBetween("contract", kinds, document, ("hosts", "switches")),
    )
    return list(states)


def describe_moved(before: LinkContract, after: LinkContract) -> str:
    """Return a code point that no state leads to its new priority, for people; empty if there is none.

    One that stays lossless has a single priority at a time, so the new one has to be lossless before.
    """
    old, new = _paused(before.lossless), _paused(after.lossless)
    pairs = zip(*(build_contract(each.lossless).priority_by_dscp for each in (before, after)), strict=True)
    for point, (was, becomes) in enumerate(pairs):
        if was != becomes and was in old and becomes in new and not (was in new and becomes in old):
            return f"code point {point} moves from lossless priority {was} to {becomes}"
    return ""


def _differences(before: LinkContract, after: LinkContract) -> Iterator[str]:
    """Yield the parts of a contract that differ and need an order."""
    old, new = build_contract(before.lossless), build_contract(after.lossless)
    lossless = _paused(before.lossless), _paused(after.lossless)
    pairs = zip(old.priority_by_dscp, new.priority_by_dscp, strict=True)
    if any(one != other and (one in lossless[0] or other in lossless[1]) for one, other in pairs):
        yield "DSCP map"
    if old.lossless != new.lossless:
        yield "lossless priorities"
    if (old.data_dscp, old.unmarked_dscp) != (new.data_dscp, new.unmarked_dscp):
        yield "marking by NICs"
    if _reacts(before) != _reacts(after):
        yield "ECN and DCQCN"
    if any(before.mtu.get(name, mtu) != mtu for name, mtu in after.mtu.items()):
        yield "MTU"


def _reacts(contract: LinkContract) -> bool:
    """Return whether switches tell NICs of congestion."""
    return contract.lossless.mode != "pfc_only"


def _paused(lossless: Lossless) -> dict[int, str]:
    """Return the lossless classes by priority."""
    return {cls.priority: name for name, cls in lossless.classes.items() if cls.lossless}


class _Union:
    """All that either of two contracts takes."""

    def __init__(self, before: LinkContract, after: LinkContract) -> None:
        self._before, self._after = before, after
        self._old, self._new = build_contract(before.lossless), build_contract(after.lossless)
        self._lossless = _paused(before.lossless), _paused(after.lossless)

    def write(self, document: Document, marks: LinkContract) -> Document:
        """Return the intended intent with the union as its contract; NICs and switches mark by ``marks``."""
        section = self._write_section(marks)
        for key, value in section.items():
            document = document.replaced(("lossless", key), value)
        for key in ("reason", "dcqcn"):
            if key not in section and document.has(("lossless", key)):
                document = document.without(("lossless", key))
        for link, mtu in self._after.mtu.items():
            wide = max(mtu, self._before.mtu.get(link, mtu))
            if wide != mtu:
                document = document.replaced(("links", link, "mtu"), wide)
        return document

    def _write_section(self, marks: LinkContract) -> dict[str, Any]:
        """Return the keys of the union."""
        mode = self._choose_mode(marks)
        reasons = (self._after.lossless.reason, self._before.lossless.reason, _REASON)
        of_nics = self._after if _reacts(self._after) else self._before
        return {
            "mode": mode,
            **({"reason": next(filter(None, reasons))} if mode != "dcqcn" else {}),
            **({"dcqcn": dict(of_nics.lossless.dcqcn)} if mode != "pfc_only" and of_nics.lossless.dcqcn else {}),
            "mark_unmarked": marks.lossless.mark_unmarked,
            "classes": dict(self._write_classes(marks)),
        }

    def _choose_mode(self, marks: LinkContract) -> str:
        """Return the mode that pauses where either does, and tells of congestion as one of both does."""
        pauses = any(each.lossless.mode != "ecn_only" for each in (self._before, self._after))
        if not pauses:
            return "ecn_only"
        return "dcqcn" if _reacts(marks) else "pfc_only"

    def _write_classes(self, marks: LinkContract) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the classes by name: those that are intended, and the lossless ones that are deployed."""
        is_first = marks is self._before
        points = [self._choose_class(point, is_first=is_first) for point in range(64)]
        # A class all of whose code points are still those of another one comes once they are not.
        rows = {at: row for at, row in self._list_rows().items() if at in points or not row[1].dscp}
        data = (self._old if is_first else self._new).data_dscp
        weights = _share([cls.weight_pct or 0 for _, cls in rows.values()])
        for (priority, (name, cls)), weight in zip(rows.items(), weights, strict=True):
            own = [point for point, found in enumerate(points) if found == priority] if cls.dscp else []
            yield name, _write_class(cls, own, weight, data)

    def _list_rows(self) -> dict[int, tuple[str, TrafficClassIntent]]:
        """Return the classes with their names by priority; a lossless one that is deployed stays lossless."""
        wanted = self._after.lossless.classes
        rows = {cls.priority: (name, cls) for name, cls in wanted.items()}
        for priority, name in self._lossless[0].items():
            cls = self._before.lossless.classes[name]
            if priority not in rows:
                rows[priority] = (f"{name[:24]}_before" if name in wanted else name), cls
            elif not rows[priority][1].lossless:
                rows[priority] = rows[priority][0], cls
        return rows

    def _choose_class(self, point: int, *, is_first: bool) -> int:
        """Return the priority of a code point: the lossless one of both; the old one until NICs mark anew."""
        old, new = self._old.priority_by_dscp[point], self._new.priority_by_dscp[point]
        if old not in self._lossless[0]:
            return new
        return old if is_first or new not in self._lossless[1] else new


def _write_class(cls: TrafficClassIntent, points: list[int], weight: int, data: int) -> dict[str, Any]:
    """Return a class as an intent has it."""
    marks = data in points if cls.lossless else cls.mark in points
    return {
        **({"dscp": points} if points else {}),
        **({"mark": data if cls.lossless else cls.mark} if marks else {}),
        "priority": cls.priority,
        **({"lossless": True} if cls.lossless else {}),
        **({"strict": True} if cls.strict else {"weight_pct": weight} if weight else {}),
    }


def _share(weights: list[int]) -> list[int]:
    """Return weights that add up to 100 percent, in the same proportions; what has one keeps at least 1."""
    total = sum(weights)
    if total in (0, 100):
        return weights
    found = [max(1, weight * 100 // total) if weight else 0 for weight in weights]
    found[found.index(max(found))] += 100 - sum(found)
    return found
