"""The files of switches as snippets leave them: who answers for an override, and whether neighbours still agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fabricgen.device.model import Port, Switch
from fabricgen.diagnostics import Bag, Code, Diagnostic, IntentPath, Related, Waiver, register
from fabricgen.plan.model.fabric import DeviceException, RawSnippet
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.reading.redaction import Steps
from fabricgen.platforms.reading.semantics import Semantics
from fabricgen.platforms.reading.traffic import Matter, differences
from fabricgen.snippets.load import find_semantics
from fabricgen.snippets.verdict import BOTH_ENDS, SnippetResult, SwitchResult, meaning_of

_LINK = (Matter.MTU, Matter.SPEED, Matter.FEC, Matter.ADDRESS)
_CONTRACT = (Matter.PFC, Matter.DSCP, Matter.GROUPS, Matter.QUEUES)

LINK_ENDS_DIFFER = register(
    "FG-EXC-061",
    "Snippet after which the two ends of a link differ",
    why="With another speed or FEC the link stays down; with another MTU long packets are lost in silence; with "
    "another address the session does not come up.",
    fix="Remove it from the snippet, or configure both ends: in the intent, or in a snippet of the other end too.",
    source="IEEE 802.3 clause 91 (RS-FEC); RFC 4459 section 2 (MTU); docs/intent.md, exceptions",
)
CONTRACT_DIFFERS = register(
    "FG-EXC-062",
    "Snippet after which two hops differ in PFC or code points",
    why="A hop that pauses another priority than its neighbour obeys drops lossless packets; one that maps a code "
    "point to another class lets RoCE run where nothing pauses.",
    fix="Remove it from the snippet and change lossless.classes, which every switch and NIC follows.",
    source="IEEE 802.1Qbb; RFC 2474 section 2; docs/intent.md, lossless",
)
SESSION_DIFFERS = register(
    "FG-EXC-063",
    "Snippet after which BGP neighbours do not agree",
    why="A session whose OPEN has another AS number than is configured is refused; one with a password or GTSM at one "
    "end alone does not come up.",
    fix="Remove it from the snippet, or configure both ends.",
    source="RFC 4271 section 6.2 (Bad Peer AS); RFC 2385; RFC 5082",
)


class Deviation(NamedTuple):
    """Deviation of a file from its rendered form; matter and thing are those of a fact, or of ``BOTH_ENDS``."""

    matter: str
    thing: str
    before: str
    after: str
    path: IntentPath


class _Conflict(NamedTuple):
    """A change with which a device at the other end does not agree."""

    change: Deviation
    subject: str
    other: str
    related: IntentPath


class Neighbours:
    """The switches with snippets, each with its changes."""

    def __init__(self) -> None:
        """Start without any."""
        self._switches: dict[str, Switch] = {}
        self._changes: dict[str, dict[tuple[str, str], Deviation]] = {}
        self._left_out: set[str] = set()

    def leave_out(self, hostname: str) -> None:
        """Take a switch of whose changes nothing is known, so that no other one is compared with it."""
        self._left_out.add(hostname)

    def add(self, switch: Switch, changes: Sequence[Deviation]) -> None:
        """Take a switch and everything its files say otherwise.

        Args:
            switch: The switch.
            changes: What its files say otherwise than they were rendered.
        """
        self._switches[switch.hostname] = switch
        self._changes[switch.hostname] = {(change.matter, change.thing): change for change in changes}

    def report(self, bag: Bag) -> None:
        """Report every change with which the other end of a link does not agree, equal ones of a switch once."""
        for name, changes in self._changes.items():
            found: dict[tuple[str, str, str, IntentPath], list[_Conflict]] = {}
            for change in changes.values():
                for conflict in self._conflicts(self._switches[name], change):
                    found.setdefault((change.matter, change.before, change.after, change.path), []).append(conflict)
            for conflicts in found.values():
                _report(name, conflicts, bag)

    def _conflicts(self, switch: Switch, change: Deviation) -> Iterator[_Conflict]:
        ports = [port for port in switch.ports if port.peer not in self._left_out]
        if change.before == BOTH_ENDS:
            yield from self._one_ended(ports, change)
        elif change.matter == Matter.ASN:
            for port in ports:
                known_as = (port.address, port.address6, port.peer_port)
                if port.peer_asn and self._changed_value(port.peer, Matter.PEER_ASN, *known_as) != change.after:
                    yield _Conflict(change, "", f"{port.peer} expects {change.before}", ("routing", "asn"))
        elif change.matter == Matter.PEER_ASN:
            named = (port for port in ports if change.thing in (*_addresses(port), port.shape.name))
            for port in named:
                if self._changed_value(port.peer, Matter.ASN, "") != change.after:
                    other = f"{port.peer} has {change.before}"
                    yield _Conflict(change, f" {change.thing}", other, ("routing", "asn"))
        else:
            yield from self._on_link(ports, change)

    def _on_link(self, ports: Sequence[Port], change: Deviation) -> Iterator[_Conflict]:
        """The other end of the link that a change is on, if it has another value."""
        for port in ports:
            if port.shape.name == change.thing and not self._agrees(port, change):
                then, now = differences(change.before, change.after)
                other = f"{port.peer} {port.peer_port} at the other end has {then}"
                shown = change._replace(before=then, after=now)
                yield _Conflict(shown, f" {change.thing}", other, _contract(change.matter, port))

    def _one_ended(self, ports: Sequence[Port], change: Deviation) -> Iterator[_Conflict]:
        """Neighbours that a path names, or all where it names a group, and which have not changed the same."""
        words = change.thing.split()
        sessions = [port for port in ports if port.peer_asn]
        named = [port for port in sessions if {*_addresses(port), port.shape.name} & {*words}]
        for port in named or sessions:
            if not any(matter == change.matter for matter, _ in self._changes.get(port.peer, {})):
                shown = change._replace(after="differs")
                other = f"{port.peer} follows the intent"
                yield _Conflict(shown, f" {_addresses(port)[0] if _addresses(port) else ''}", other, ("routing",))

    def _changed_value(self, device: str, matter: str, *things: str) -> str | None:
        """Return what a device says otherwise than it was rendered; None if nothing."""
        changes = self._changes.get(device, {})
        return next((found.after for thing in things if (found := changes.get((matter, thing)))), None)

    def _agrees(self, port: Port, change: Deviation) -> bool:
        """Return whether the other end of a link says the same anew.

        Addresses of a link are two, and both must be new.
        """
        changed = self._changed_value(port.peer, change.matter, port.peer_port)
        return changed is not None and (changed == change.after or change.matter == Matter.ADDRESS)


def _addresses(port: Port) -> tuple[str, ...]:
    return tuple(address for address in (port.peer_address, port.peer_address6) if address)


def _contract(matter: str, port: Port) -> IntentPath:
    """The place of the intent that decides a matter of a link."""
    if matter not in _LINK:
        return ("lossless", "classes")
    if matter == Matter.ADDRESS:
        return ("addressing",)
    return ("links", port.shape.link, "mtu" if matter == Matter.MTU else "speed")


def _code(matter: str) -> Code:
    if matter in _LINK:
        return LINK_ENDS_DIFFER
    return CONTRACT_DIFFERS if matter in _CONTRACT else SESSION_DIFFERS


def _report(name: str, conflicts: Sequence[_Conflict], bag: Bag) -> None:
    """Say what differs at the first of several places."""
    change, subject, other, related = conflicts[0]
    more = f"; the same on {len(conflicts) - 1} more links" if len(conflicts) > 1 else ""
    bag.add(
        _code(change.matter),
        f"{name}{subject}: {change.matter} {change.after}; {other}{more}",
        change.path,
        hint="remove it from the snippet, or change it in the intent for all devices that must agree",
        related=[Related("what both ends follow", related)],
    )


_STEP = " > "
_DOCS = "docs/intent.md, exceptions"

CHANGES_MANAGED = register(
    "FG-EXC-021",
    "Snippet that changes a managed value",
    why="What the checks have proved of the intent would not hold on the device, without any trace.",
    fix="Configure it in the intent, remove it from the snippet, or list it under overrides.",
    source=_DOCS,
)
NO_OWNER = register(
    "FG-EXC-060",
    "Override without owner and expiry",
    why="It changes what the lossless contract, addressing or routing promises of the device: no check of the intent "
    "holds there any longer, and an override without an end is forgotten.",
    fix="Add owner and expires beside overrides, or configure it in the intent.",
    source=_DOCS,
)


NOT_RENDERED = register(
    "FG-EXC-064",
    "Snippet over a file that cannot be rendered",
    why="The device would be configured without it, and of the snippet nothing was judged: neither what it adds and "
    "changes, nor what the other ends of links rely on.",
    fix="Correct what keeps the file from being rendered.",
    source=_DOCS,
)


class Results:
    """The files of all switches as their snippets leave them."""

    def __init__(self, faults: Bag) -> None:
        """Start without any."""
        self._found, self._faults = Bag(), faults
        self._neighbours = Neighbours()
        self._missing: dict[tuple[str, str], list[tuple[str, IntentPath]]] = {}

    @property
    def is_complete(self) -> bool:
        """Return whether every file that a snippet is for could be rendered."""
        return not self._missing

    def add(self, switch: Switch, spec: PlatformSpec, exception: DeviceException, verdict: SwitchResult) -> None:
        """Take a switch."""
        for snippet, judged in zip(exception.raw, verdict.judged, strict=True):
            if judged is None:
                self.miss(switch.hostname, snippet)
                continue
            semantics = find_semantics(spec, judged.output)
            if semantics is not None and judged.fault is None:
                _check_overrides(switch.hostname, snippet, judged, semantics, exception.reason, self._found)
        changes = [
            Deviation(*fact[1:5], _place([each for each in exception.raw if each.output == fact.output], fact.paths))
            for fact in verdict.facts
        ]
        self._neighbours.add(switch, changes)

    def miss(self, hostname: str, snippet: RawSnippet) -> None:
        """Take a snippet over a file of a switch that cannot be rendered; no neighbour is compared with the switch."""
        self._missing.setdefault((snippet.file, snippet.output), []).append((hostname, snippet.named_at))
        self._neighbours.leave_out(hostname)

    def report(self, bag: Bag) -> None:
        """Report overrides without an owner, those that stand, and files that contradict the other ends of links.

        Snippets over files that cannot be rendered are reported as not judged, after the reason.
        """
        if self._missing:
            bag.extend(list(self._faults))
        for (file, output), devices in self._missing.items():
            name, path = devices[0]
            others = f" and {len(devices) - 1} more" if len(devices) > 1 else ""
            message = f"{file} is not judged: {output} of {name}{others} cannot be rendered"
            bag.add(NOT_RENDERED, message, path, count=len(devices))
        bag.extend(list(self._found))
        self._neighbours.report(bag)


def _check_overrides(
    hostname: str, snippet: RawSnippet, judged: SnippetResult, semantics: Semantics, reason: str, bag: Bag
) -> None:
    """Report every override that the snippet makes without an owner; list the others as waived."""
    for words in snippet.overrides:
        steps = tuple(words.split(_STEP))
        made = [change for change in judged.changes if change[: len(steps)] == steps]
        what = f"{words} in {snippet.output} of {hostname}"
        path: IntentPath = (*snippet.named_at, "overrides", f"[{words}]")
        if made and snippet.owner:
            code, text = CHANGES_MANAGED, f"{snippet.file} overrides {what}"
            related = tuple(
                Related(words, (*snippet.named_at, key))
                for words, key in (("the owner", "owner"), ("the last day", "expires"))
            )
            waiver = Waiver(snippet.owner, snippet.expires, reason)
            hint = f"remove it by {snippet.expires}"
            bag.extend([Diagnostic(code.id, code.severity, text, path, hint=hint, related=related, waived=waiver)])
        elif not all(meaning_of(semantics, change).is_local for change in made):
            bag.add(
                NO_OWNER,
                f"{snippet.file} overrides {what}, on which other devices rely, and has no owner",
                path,
                hint="add owner: <name> and expires: <YYYY-MM-DD> beside overrides",
            )


def _place(snippets: Sequence[RawSnippet], paths: Sequence[Steps]) -> IntentPath:
    """The override that decides one of the paths; else the last snippet of the file."""
    for snippet in reversed(snippets):
        for words in snippet.overrides:
            steps = tuple(words.split(_STEP))
            if any(path[: len(steps)] == steps or steps[: len(path)] == path for path in paths):
                return (*snippet.named_at, "overrides", f"[{words}]")
    return snippets[-1].named_at
