"""Lines that raw snippets add to the files they are merged into, judged one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import ip_interface, ip_network
from pathlib import Path
from typing import NamedTuple

from fabricgen.api.snippets.claims import Claimed, Claims
from fabricgen.diagnostics import Bag, Code, IntentPath, Place, Related, Severity, register
from fabricgen.plan.model.exceptions import RawSnippet
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.owners import find_overlaps
from fabricgen.platforms.commands.snippets import Claim, Fault, Kind

_DOCS = "docs/intent.md, exceptions"
_JUDGED_BY = f"{_DOCS}: the table of what each platform is judged by"
SHOWN = 10
"""Diagnostics of a code that are shown per snippet; the rest is counted."""

NO_COMMAND = register(
    "FG-EXC-030",
    "Snippet with a command that the platform does not have",
    why="The device skips the line, or refuses the whole file.",
    fix="Correct the line, or put it below the line that enters its mode.",
    source=_JUDGED_BY,
    waivable=True,
)
NO_NAME = register(
    "FG-EXC-031",
    "Snippet with a table, row or field that the platform's release does not have",
    why="The device refuses the file, or drops the value.",
    fix="Use a name of the release's schema.",
    source=_JUDGED_BY,
)
BAD_VALUE = register(
    "FG-EXC-032",
    "Snippet with a value that the platform refuses",
    why="The device refuses the file, or starts without the value.",
    fix="Write a value of the type.",
    source=_JUDGED_BY,
)
NO_TARGET = register(
    "FG-EXC-033",
    "Snippet that refers to what is not on the device",
    why="The device refuses the line, or filters nothing or everything by a list that does not exist.",
    fix="Define it in the snippet, or use a name that the device has.",
    source=_JUDGED_BY,
)
TAKEN = register(
    "FG-EXC-034",
    "Snippet with an address that another device has",
    why="Two devices with one address or subnet take each other's traffic.",
    fix="Use an address outside of the fabric's pools.",
    source=_DOCS,
    waivable=True,
)
RESERVED = register(
    "FG-EXC-035",
    "Snippet with an address of a pool of the fabric",
    severity=Severity.WARNING,
    why="No device has it yet; one that is added later gets it.",
    fix="Use an address outside of the fabric's pools.",
    source=_DOCS,
)
FOREIGN = register(
    "FG-EXC-036",
    "Snippet for another platform",
    why="The device does not read it.",
    fix="Name it under the platform that it is written for.",
    source=_DOCS,
)
NOT_JUDGED = register(
    "FG-EXC-930",
    "Line of a snippet that cannot be judged",
    severity=Severity.WARNING,
    why="No grammar or release that fabricgen knows has it in full: the device may refuse it.",
    fix="Check the line on a device, then waive this warning.",
    source=_DOCS,
)
_CODES = {
    Kind.COMMAND: NO_COMMAND,
    Kind.NAME: NO_NAME,
    Kind.VALUE: BAD_VALUE,
    Kind.REFERENCE: NO_TARGET,
    Kind.FOREIGN: FOREIGN,
    Kind.UNKNOWN: NOT_JUDGED,
}
_ELSEWHERE = ("127.0.0.0/8", "::1/128", "fe80::/10", "169.254.0.0/16", "224.0.0.0/4", "ff00::/8")
"""Addresses that every device may have."""


class _Seen(NamedTuple):
    """A finding with the devices it was made on."""

    code: Code
    fault: Fault
    related: tuple[Related, ...]
    devices: dict[str, IntentPath]


class Additions:
    """Findings about what all snippets add: the same one on several devices is one, with a count."""

    def __init__(self, plan: FabricPlan, folder: Path) -> None:
        """Compare addresses with a plan; snippets lie below the inventory's folder."""
        self._plan = plan
        self._folder = folder
        self._found: dict[str, dict[tuple[str, Fault], _Seen]] = {}
        self._claims = Claims()

    def add(self, device: str, snippet: RawSnippet, found: Iterable[Fault | Claim]) -> None:
        """Take what was found in one snippet on one device.

        Args:
            device: Name of the device.
            snippet: The snippet.
            found: What is wrong with what it adds, and the addresses it adds.
        """
        for item in found:
            if isinstance(item, Claim):
                self._claim(item, snippet, device)
            else:
                self._add(_CODES[item.kind], item, snippet, device)

    def report(self, bag: Bag) -> None:
        """Report every finding, the first ten of a code in each snippet."""
        for file, found in self._found.items():
            by_code: dict[str, list[_Seen]] = {}
            for seen in sorted(found.values(), key=lambda seen: (seen.fault.line, seen.fault.column)):
                by_code.setdefault(seen.code.id, []).append(seen)
            for seens in by_code.values():
                for seen in seens[:SHOWN]:
                    self._report(file, seen, seen.fault.message, seen.fault.hint, bag)
                if len(seens) > SHOWN:
                    more = f"{len(seens) - SHOWN} more of {len(seens)} in {file}, from here on"
                    self._report(file, seens[SHOWN], more, seens[SHOWN].code.hint, bag)

    def _report(self, file: str, seen: _Seen, message: str, hint: str, bag: Bag) -> None:
        (device, path), count = next(iter(seen.devices.items())), len(seen.devices)
        others = f" and {count - 1} more" if count > 1 else ""
        place = Place(str(self._folder / file), seen.fault.line, seen.fault.column)
        related = [Related(f"applied to {device}{others} here", path), *seen.related]
        bag.add(seen.code, message, path, hint=hint or seen.code.hint, related=related, place=place, count=count)

    def _add(
        self, code: Code, fault: Fault, snippet: RawSnippet, device: str, related: tuple[Related, ...] = ()
    ) -> None:
        found = self._found.setdefault(snippet.file, {})
        found.setdefault((code.id, fault), _Seen(code, fault, related, {})).devices[device] = snippet.told_at

    def _claim(self, claim: Claim, snippet: RawSnippet, device: str) -> None:
        """Compare an address with the plan's and with those of all other snippets."""
        try:
            network = ip_interface(claim.address).network
        except ValueError:
            return
        if any(network.version == local.version and network.overlaps(local) for local in map(ip_network, _ELSEWHERE)):
            return
        own = Claimed(claim, network, snippet, device)
        for code, message, related in (*self._planned(own), *self._claimed(own)):
            fault = Fault(Kind.VALUE, claim.line, claim.column, message, code.hint)
            self._add(code, fault, snippet, device, related)
        self._claims.add(own)

    def _planned(self, own: Claimed) -> Iterator[tuple[Code, str, tuple[Related, ...]]]:
        """Return findings for an address inside a pool; a VRF of its own only meets that of management."""
        table = own.claim.table
        for overlap in find_overlaps(self._plan, own.network):
            if table not in ("", "default") and overlap.key != "management":
                continue
            related = (Related(f"the pool {overlap.pool}", ("addressing", overlap.key)),)
            if overlap.device is None:
                message = f"{own.claim.address} is in the pool {overlap.key} ({overlap.pool}), not assigned yet"
                yield RESERVED, message, related
            else:
                name = self._plan.device_name(overlap.device)
                message = (
                    f"{own.claim.address} on {own.claim.interface}: its subnet has addresses of {name} ({overlap.key})"
                )
                yield TAKEN, message, related

    def _claimed(self, own: Claimed) -> Iterator[tuple[Code, str, tuple[Related, ...]]]:
        """Return findings for an address of a subnet that another snippet or device has too."""
        other = self._claims.meet(own)
        if other is not None:
            place = Place(str(self._folder / other.snippet.file), other.claim.line, other.claim.column)
            message = f"{own.claim.address} on {own.claim.interface} is on {other.device} as well"
            yield TAKEN, message, (Related(f"on {other.device} here", other.snippet.told_at, place),)
