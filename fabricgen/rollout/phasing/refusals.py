"""Refused changes, each told once for all devices that have it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fabricgen.diagnostics import Bag, Code, Place
from fabricgen.diagnostics.words import counted
from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.file_diff import FileDiff
from fabricgen.platforms.patching.steps import Change
from fabricgen.rollout.phasing.atoms import ChangePart
from fabricgen.rollout.phasing.kinds import KINDS
from fabricgen.rollout.phasing.moved_addresses import Holder, add_addresses, find_moved
from fabricgen.rollout.phasing.phasing_codes import NOT_WRITTEN, ONE_VALUE


class Renumbered(NamedTuple):
    """A router whose AS number changes, and its file as diagnostics call it."""

    device: str
    shown: str
    before: str
    after: str


class Refusals:
    """Refused changes of a difference, by what is said of them."""

    def __init__(self) -> None:
        """Begin with none."""
        self._found: dict[tuple[Code, str, str], list[tuple[str, str]]] = {}
        self.numbers: list[Renumbered] = []
        self.holders: dict[str, Holder] = {}

    @property
    def any(self) -> bool:
        """Return whether something was refused."""
        return bool(self._found or any(self._moved()) or any(find_moved(self.holders.values())))

    def of(self, device: DeviceDiff, file: FileDiff) -> RefuseFile:
        """Return what takes the refusals of one file."""
        return RefuseFile(self, device.name, file.shown)

    def add(self, code: Code, message: str, hint: str, at: tuple[str, str]) -> None:
        """Take a refusal of a file: name of its device, and the file as diagnostics call it."""
        self._found.setdefault((code, message, hint), []).append(at)

    def _moved(self) -> Iterator[tuple[Renumbered, Renumbered]]:
        """Yield the routers that take the AS number of another one, each with that one."""
        owners = {router.before: router for router in reversed(self.numbers)}
        for router in self.numbers:
            if router.after in owners:
                yield router, owners[router.after]

    def _refuse_moved(self) -> None:
        """Refuse AS numbers that go from one router to another, with the first of them as an example."""
        example = next(self._moved(), None)
        if example is None:
            return
        taker, owner = example
        message = (
            "a router that takes the AS number of another one rejects the routes that carry it until both have "
            f"changed, here {taker.device} those of {owner.device} ({taker.after})"
        )
        hint = (
            "roll out a routing.asn.base first at which no router gets the number of another one, then the intended one"
        )
        for router, _ in list(self._moved()):
            self.add(ONE_VALUE, message, hint, (router.device, router.shown))

    def _refuse_moved_addresses(self) -> None:
        """Refuse addresses that go from one device to another, with the first of them as an example."""
        found = list(find_moved(self.holders.values()))
        for taker, _, _ in found:
            first, owner, address = found[0]
            message = (
                "a device that takes the address of another one shares it with that one until both have changed, "
                f"here {first.device} that of {owner.device} ({address})"
            )
            hint = (
                "roll out other pools of addressing first, in which no device gets an address of another one, then the "
                "intended ones; or change the devices together while no jobs run, apart from this rollout"
            )
            self.add(ONE_VALUE, message, hint, (taker.device, taker.shown))

    def tell(self, bag: Bag) -> None:
        """Report each refusal once, with the number of devices that have it."""
        self._refuse_moved()
        self._refuse_moved_addresses()
        for (code, message, hint), found in self._found.items():
            names = list(dict.fromkeys(name for name, _ in found))
            more = f" and {counted(len(names) - 1, 'more device')}" if len(names) > 1 else ""
            place = Place(found[0][1], 1, 1)
            bag.add(code, f"{names[0]}{more}: {message}", place=place, device=names[0], hint=hint)


class RefuseFile(NamedTuple):
    """Takes the refusals of one file."""

    all: Refusals
    device: str
    shown: str

    def one_value(self, part: ChangePart) -> None:
        """Refuse a change of which no state between both values is possible."""
        ends = KINDS[part.refused]
        title = part.change.meaning.get("title") or ends.title
        message = f"{title} has one value, and its other end another until it is changed too"
        reason = part.reason or part.change.meaning.get("ends_reason")
        if reason:
            message = f"{title}: {reason}"
        by_hand = part.advice or part.change.meaning.get("ends_hint") or ends.by_hand
        by_hand = by_hand or "change both ends together while no jobs run, apart from this rollout"
        hint = f"{by_hand}; {ends.rule}"
        self.all.add(ONE_VALUE, message, hint, (self.device, self.shown))

    def number_of_another(self, before: str, after: str) -> None:
        """Refuse that a router takes an AS number, if another one turns out to have it."""
        self.all.numbers.append(Renumbered(self.device, self.shown, before, after))

    def addresses_of_another(self, changes: Iterable[Change]) -> None:
        """Refuse that a device takes addresses, if another one turns out to have them."""
        holder = self.all.holders.setdefault(self.device, Holder(self.device, self.shown, set(), set()))
        add_addresses(holder, changes)

    def not_written(self, reason: str) -> None:
        """Refuse a file of which a state between cannot be written."""
        self.all.add(NOT_WRITTEN, f"the change needs phases, and {reason}", "", (self.device, self.shown))
