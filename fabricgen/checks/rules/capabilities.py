"""Rules on what a platform must have for any intent of its kind: nothing is assumed that its manifest does not answer.

What the intent may ask for or leave has rules of its own beside the keys; here is what is asked of every platform, and
what needs no other words than these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.platforms import NOTES, platform_of, tier_platforms
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import Fix, IntentPath, Related, set_to
from fabricgen.plan.model.topology import NEGOTIATED_LANE_GBPS, PASSIVE_COPPER
from fabricgen.plan.planner.hosts import choose_library
from fabricgen.platforms.manifest.capabilities import Headroom, NicCapabilities, Rendered, SwitchCapabilities
from fabricgen.platforms.manifest.spec import PlatformSpec

CLASSES, MODE = ("lossless", "classes"), ("lossless", "mode")
_WHY = "The intent is understood, but nothing would be rendered from it: the device would do something else in silence."
_HINT = "use a platform that has it (docs/capabilities.md)"


class SwitchAsk(NamedTuple):
    """Requirement of every fabric, or of some, on its switches: its name, its capability and its place."""

    words: str
    able: Callable[[SwitchCapabilities], bool]
    places: Callable[[IntentView, str], list[IntentPath]]
    hint: str = _HINT
    fixes: tuple[Fix, ...] = ()


class NicAsk(NamedTuple):
    """The same of NICs, asked by a group of hosts."""

    words: str
    able: Callable[[IntentView, str, NicCapabilities], bool]
    places: Callable[[IntentView, str], list[IntentPath]]
    hint: str = _HINT
    fixes: tuple[Fix, ...] = ()


def _always(*paths: IntentPath) -> Callable[[IntentView, str], list[IntentPath]]:
    """Asked in any case: at those of the paths that are written, in the end at the platform."""
    return lambda view, tier: [*_written(view, *paths), ("tiers", tier, "platform")]


def _written(view: IntentView, *paths: IntentPath) -> list[IntentPath]:
    """Those of some paths that the intent writes."""
    return [path for path in paths if _is_written(view.intent, path)]


def _is_written(value: object, path: IntentPath) -> bool:
    for segment in path:
        if isinstance(value, dict):
            known, value = segment in value, value.get(segment)
        else:
            known = segment in getattr(value, "model_fields_set", ())
            value = getattr(value, segment, None)
        if not known:
            return False
    return True


def _names(view: IntentView, tier: str) -> list[IntentPath]:
    """Name patterns of all tiers of a platform, and the platform."""
    platform = view.intent.tiers[tier].platform
    alike = [name for name, other in sorted(view.intent.tiers.items()) if other.platform == platform]
    return _always(*(("tiers", name, "name") for name in alike))(view, tier)


def _lossless(view: IntentView) -> list[IntentPath]:
    """The lossless classes that pause, at the key that makes them so."""
    classes = view.intent.lossless.classes.items() if view.intent.lossless.mode != "ecn_only" else ()
    return [(*CLASSES, name, "lossless") for name, traffic in classes if traffic.lossless]


def _headroom(view: IntentView, tier: str) -> list[IntentPath]:
    cables: list[IntentPath] = [("links", name, "cable", "length_m") for name in _links(view, tier)]
    return [*cables, *_written(view, ("lossless", "headroom"))] if _lossless(view) else []


def _links(view: IntentView, tier: str) -> list[str]:
    """Groups of links that a tier has ends of."""
    return [name for name in sorted(view.intent.links) if tier in name.split("-")]


def _marking(view: IntentView, tier: str) -> list[IntentPath]:
    if view.intent.lossless.mode == "pfc_only":
        return []
    keys = ("ecn", "rtt_us", "mode")
    return [*_written(view, *(("lossless", key) for key in keys)), ("tiers", tier, "platform")]


def _mode(word: str) -> Callable[[IntentView, str], list[IntentPath]]:
    return lambda view, _: [MODE] if view.intent.lossless.mode == word else []


_DCQCN = set_to(MODE, "dcqcn", unsaid=True)
_PORTS = SwitchAsk("speed, breakout and FEC of ports", lambda can: can.ports, _always())
SWITCH_ASKS = {
    "hostname": SwitchAsk("the names of switches", lambda can: can.hostname, _names),
    "management": SwitchAsk(
        "addresses of management ports",
        lambda can: can.management is not Rendered.NO,
        _always(("addressing", "management")),
    ),
    "bgp": SwitchAsk("BGP", lambda can: can.bgp, _always(("routing",))),
    "classes": SwitchAsk("traffic classes", lambda can: can.classes, _always(CLASSES)),
    "scheduling": SwitchAsk("priorities and weights of queues", lambda can: can.scheduling, _always(CLASSES)),
    "ecn": SwitchAsk(
        "ECN marking",
        lambda can: can.ecn,
        _marking,
        "use mode: pfc_only with a reason, or another platform",
    ),
    "pfc_only": SwitchAsk(
        "PFC without marking", lambda can: can.pfc_only, _mode("pfc_only"), "use mode: dcqcn", _DCQCN
    ),
    "ecn_only": SwitchAsk(
        "marking without PFC", lambda can: can.ecn_only, _mode("ecn_only"), "use mode: dcqcn", _DCQCN
    ),
    "headroom": SwitchAsk("headroom of lossless priorities", lambda can: can.headroom is not Headroom.NONE, _headroom),
}
"""Capability of a switch platform to how it is asked for."""


@rule(
    "FG-PLT-100",
    "The switch platform does not have this",
    why=_WHY,
    fix="Use a platform that has it, or write the template and answer the capability in the manifest.",
    source=NOTES,
)
def check_switch_capabilities(view: IntentView) -> Iterator[Finding]:
    """Every switch platform has what any fabric, or this one, asks of it."""
    for tier, spec in _first_tiers(view):
        for name, ask in SWITCH_ASKS.items():
            places = [] if ask.able(spec.switch) else ask.places(view, tier)
            if places:
                yield _finding(spec, name, ask, places, ("tiers", tier, "platform"))
    for tier, spec in tier_platforms(view):
        for link in _links(view, tier) if not spec.switch.ports else ():
            yield _finding(spec, "ports", _PORTS, [("links", link)], ("tiers", tier, "platform"))


def _first_tiers(view: IntentView) -> list[tuple[str, PlatformSpec]]:
    """Each switch platform once, with the first tier that runs it."""
    found: dict[str, tuple[str, PlatformSpec]] = {}
    for tier, spec in tier_platforms(view):
        found.setdefault(spec.name, (tier, spec))
    return list(found.values())


def _finding(
    spec: PlatformSpec, capability: str, ask: SwitchAsk | NicAsk, places: list[IntentPath], chosen: IntentPath
) -> Finding:
    """Return what a platform lacks.

    At the first of the places that ask for it; the others and the platform are related.
    """
    first, *others = places
    related = [Related("also requested here", path) for path in others if path != chosen]
    if first != chosen:
        related.append(Related("the platform", chosen))
    message = f"{spec.name} does not render {ask.words} (capability {capability}){spec.because(capability)}"
    return Finding(message, first, ask.hint, tuple(related), on_key=first != chosen, fixes=ask.fixes)


@rule(
    "FG-PLT-101",
    "More lossless priorities than the platform has",
    why="Packets of a class that is lossless on one switch would be dropped on the next.",
    fix="Make fewer classes lossless, or use another platform.",
    source=NOTES,
)
def check_lossless_priorities(view: IntentView) -> Iterator[Finding]:
    """No more classes pause than every platform has lossless priorities."""
    asked = _lossless(view)
    for tier, spec in _first_tiers(view):
        most = spec.switch.lossless_priorities_max
        for path in asked[most:]:
            yield Finding(
                f"{len(asked)} classes are lossless; {spec.name} has {most} lossless priorities"
                if most
                else f"{spec.name} has no lossless priorities{spec.because('lossless_priorities_max')}",
                next(iter(_written(view, path)), ("tiers", tier, "platform")),
                hint="use lossless: false, or another platform",
                fixes=set_to(path, False, unsaid=True),
                related=platform_of(tier),
            )


def _library(view: IntentView, group: str) -> str:
    """The collective library of a group of hosts; empty where it has no GPUs, or the server is unknown."""
    server = view.catalog.servers.get(view.intent.hosts[group].server)
    return choose_library(server, view.intent.collectives.library) if server else ""


def _of_hosts(*paths: IntentPath) -> Callable[[IntentView, str], list[IntentPath]]:
    """Asked in any case: at those of the paths that are written, in the end at the NIC."""
    return lambda view, group: [*_written(view, *paths), host_path(view, group, "nic")]


def _collectives(key: str, *others: str) -> Callable[[IntentView, str], list[IntentPath]]:
    """Asked where a key of the collective library is neither left out nor none."""

    def places(view: IntentView, _: str) -> list[IntentPath]:
        asked = getattr(view.intent.collectives, key) not in (False, "none")
        return [("collectives", name) for name in (key, *others)] if asked else []

    return places


def _copper(view: IntentView, group: str) -> list[IntentPath]:
    """The cable of a group's hosts where its speed is one at which both ends have to be told the same."""
    own = [name for name in view.intent.links if name.partition("-")[0] == group]
    named = own or [name for name in view.intent.links if name.startswith("host-")]
    nic = view.catalog.nics.get(view.intent.hosts[group].nic)
    found: list[IntentPath] = []
    for name in named:
        link = view.intent.links[name]
        lanes = min(nic.lanes_by_gbps.get(link.speed, (link.speed,)) if nic else (link.speed,))
        if link.cable.media == PASSIVE_COPPER and link.speed >= NEGOTIATED_LANE_GBPS * lanes:
            found.append(("links", name, "cable", "media"))
    return found


def _congestion(view: IntentView, group: str) -> list[IntentPath]:
    if view.intent.lossless.mode == "pfc_only":
        return []
    return _of_hosts(MODE, ("lossless", "dcqcn"))(view, group)


_DOMAINS = NicAsk("scale-up domains", lambda _, __, ___: False, _of_hosts(), "remove nvlink_domain")
NIC_ASKS = {
    "classes": NicAsk("traffic classes", lambda _, __, can: can.classes, _of_hosts(CLASSES)),
    "scheduling": NicAsk("weights of traffic classes", lambda _, __, can: can.scheduling, _of_hosts(CLASSES)),
    "pfc": NicAsk(
        "PFC",
        lambda _, __, can: can.pfc,
        lambda view, _: _lossless(view),
        "use mode: ecn_only with a reason",
        set_to(MODE, "ecn_only", unsaid=True),
    ),
    "dcqcn": NicAsk(
        "DCQCN",
        lambda _, __, can: can.dcqcn,
        _congestion,
        "use mode: pfc_only with a reason",
    ),
    "copper": NicAsk(
        "passive copper at 100G a lane", lambda _, __, can: can.copper, _copper, "use another medium, such as aoc"
    ),
    "libraries": NicAsk(
        "settings of the collective library",
        lambda view, group, can: _library(view, group) in ("", *can.libraries),
        _of_hosts(("collectives",)),
    ),
    "topology_files": NicAsk(
        "a topology file of this form",
        lambda view, _, can: view.intent.collectives.topology_file in can.topology_files,
        _collectives("topology_file"),
        "use topology_file: none",
        set_to(("collectives", "topology_file"), "none"),
    ),
    "fault_tolerance": NicAsk(
        "fault tolerance",
        lambda _, __, can: can.fault_tolerance,
        _collectives("fault_tolerance"),
        "use fault_tolerance: false",
        set_to(("collectives", "fault_tolerance"), False),
    ),
    "telemetry": NicAsk(
        "telemetry",
        lambda _, __, can: can.telemetry,
        _collectives("telemetry", "telemetry_path"),
        "use telemetry: false",
        set_to(("collectives", "telemetry"), False),
    ),
}
"""Capability of a NIC family to how it is asked for."""


@rule(
    "FG-PLT-102",
    "The NIC family does not have this",
    why=_WHY,
    fix="Use a NIC whose family has it, or write the template and answer the capability in the manifest.",
    source=NOTES,
)
def check_nic_capabilities(view: IntentView) -> Iterator[Finding]:
    """Every NIC family has what any fabric, or this one, asks of it."""
    told: set[tuple[str, str]] = set()
    for group, hosts in sorted(view.intent.hosts.items()):
        nic = view.catalog.nics.get(hosts.nic)
        spec = view.nic(nic.family) if nic else None
        for name, ask in NIC_ASKS.items() if spec else ():
            places = [] if not spec or ask.able(view, group, spec.nic) else ask.places(view, group)
            if spec and places and (spec.name, name) not in told:
                told.add((spec.name, name))
                yield _finding(spec, name, ask, places, host_path(view, group, "nic"))


@rule(
    "FG-PLT-103",
    "The operating system does not have this",
    why=_WHY,
    fix="Use a system that has it, or write the template and answer the capability in the manifest.",
    source=NOTES,
)
def check_host_capabilities(view: IntentView) -> Iterator[Finding]:
    """The system of every group of hosts is rendered with its scale-up domains."""
    for group, hosts in sorted(view.intent.hosts.items()):
        spec = view.host(hosts.os or "")
        if spec is not None and hosts.nvlink_domain and not spec.host.nvlink_domains:
            path = host_path(view, group, "nvlink_domain")
            ask = _DOMAINS._replace(fixes=set_to(path, None))
            yield _finding(spec, "nvlink_domains", ask, [path], host_path(view, group, "os"))
