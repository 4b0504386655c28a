"""Table of what any fabric, or this one, asks of switch platforms, NIC families and systems: nothing is assumed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fabricgen.checks.beyond import LACKING, TOO_MUCH, Asked, Row, Who, is_at_most, is_there, table
from fabricgen.checks.model import IntentView
from fabricgen.checks.rules.platforms import each_family, each_platform, each_system, each_tier
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related
from fabricgen.plan.model.topology import NEGOTIATED_LANE_GBPS, PASSIVE_COPPER
from fabricgen.plan.planner.hosts import choose_library
from fabricgen.platforms.manifest.capabilities import HeadroomSource, Rendered

CLASSES, MODE = ("lossless", "classes"), ("lossless", "mode")
Places = Callable[[IntentView, Who], list[IntentPath]]


def _required(
    capability: str,
    what: str,
    places: Places,
    hint: str = "use a platform that has it (docs/capabilities.md)",
    *,
    who: Callable[[IntentView], Iterable[Who]] = each_platform,
    takes: Callable[[Any, Any], object] = is_there,
    value: Callable[[IntentView, Who], object] = lambda view, who: None,
) -> Row:
    """Return the row of a capability that is asked for at the first of some places; the others are related."""

    def asks(view: IntentView, each: Who) -> Iterator[Asked]:
        found = places(view, each)
        if found:
            others = tuple(Related("also requested here", path) for path in found[1:] if path != each.chosen)
            yield Asked(found[0], value(view, each), related=others)

    text = f"{{name}} does not render {what} (capability {capability}){{because}}"
    return Row(LACKING, who, asks, capability, takes=takes, once=True, on_key=True).text(text, hint)


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


def _always(*paths: IntentPath) -> Places:
    """Asked in any case: at those of the paths that are written, in the end where who is asked is chosen."""
    return lambda view, who: [*_written(view, *paths), who.chosen]


def _names(view: IntentView, who: Who) -> list[IntentPath]:
    """Name patterns of all tiers of a platform, and the platform."""
    tiers = sorted(name for name, tier in view.intent.tiers.items() if tier.platform == who.name)
    return _always(*(("tiers", name, "name") for name in tiers))(view, who)


def _lossless(view: IntentView, _: object = None) -> list[IntentPath]:
    """The lossless classes that pause, at the key that makes them so."""
    classes = view.intent.lossless.classes.items() if view.intent.lossless.mode != "ecn_only" else ()
    return [(*CLASSES, name, "lossless") for name, traffic in classes if traffic.lossless]


def _headroom(view: IntentView, who: Who) -> list[IntentPath]:
    links = [name for name in sorted(view.intent.links) if who.key in name.split("-")]
    cables: list[IntentPath] = [("links", name, "cable", "length_m") for name in links]
    return [*cables, *_written(view, ("lossless", "headroom"))] if _lossless(view) else []


def _links(view: IntentView, who: Who) -> Iterator[Asked]:
    """Groups of links that a tier has ends of."""
    yield from (Asked(("links", name)) for name in sorted(view.intent.links) if who.key in name.split("-"))


def _marking(view: IntentView, who: Who) -> list[IntentPath]:
    if view.intent.lossless.mode == "pfc_only":
        return []
    return _always(*(("lossless", key) for key in ("ecn", "rtt_us", "mode")))(view, who)


def _mode(word: str) -> Places:
    return lambda view, _: [MODE] if view.intent.lossless.mode == word else []


def _collectives(key: str, *others: str) -> Places:
    """Asked where a key of the collective library is neither left out nor none."""

    def places(view: IntentView, _: Who) -> list[IntentPath]:
        asked = getattr(view.intent.collectives, key) not in (False, "none")
        return [("collectives", name) for name in (key, *others)] if asked else []

    return places


def _library(view: IntentView, who: Who) -> str:
    """The collective library of a group of hosts; empty where it has no GPUs, or the server is unknown."""
    server = view.catalog.servers.get(view.intent.hosts[who.key].server)
    return choose_library(server, view.intent.collectives.library) if server else ""


def _copper(view: IntentView, who: Who) -> list[IntentPath]:
    """The cable of a group's hosts where its speed is one at which both ends have to be told the same."""
    own = [name for name in view.intent.links if name.partition("-")[0] == who.key]
    named = own or [name for name in view.intent.links if name.startswith("host-")]
    nic = view.catalog.nics.get(view.intent.hosts[who.key].nic)
    found: list[IntentPath] = []
    for name in named:
        link = view.intent.links[name]
        lanes = min(nic.lanes_by_gbps.get(link.speed, (link.speed,)) if nic else (link.speed,))
        if link.cable.media == PASSIVE_COPPER and link.speed >= NEGOTIATED_LANE_GBPS * lanes:
            found.append(("links", name, "cable", "media"))
    return found


def _congestion(view: IntentView, who: Who) -> list[IntentPath]:
    return [] if view.intent.lossless.mode == "pfc_only" else _always(MODE, ("lossless", "dcqcn"))(view, who)


def _paused(view: IntentView, who: Who) -> Iterator[Asked]:
    """Every class that pauses, with its number among them."""
    paths = _lossless(view)
    words = "1 class is" if len(paths) == 1 else f"{len(paths)} classes are"
    for number, path in enumerate(paths, 1):
        yield Asked(
            next(iter(_written(view, path)), who.chosen), number, {"classes": words}, (Related("the class", path),)
        )


def _domains(view: IntentView, who: Who) -> list[IntentPath]:
    asked = view.intent.hosts[who.key].nvlink_domain
    return [host_path(view, who.key, "nvlink_domain")] if asked else []


table(
    _required("hostname", "the names of switches", _names),
    _required(
        "management",
        "addresses of management ports",
        _always(("addressing", "management")),
        takes=lambda _, answer: answer is not Rendered.NO,
    ),
    _required("bgp", "BGP", _always(("routing",))),
    _required("classes", "traffic classes", _always(CLASSES)),
    _required("scheduling", "priorities and weights of queues", _always(CLASSES)),
    _required("ecn", "ECN marking", _marking, "use mode: pfc_only with a reason, or another platform"),
    _required("pfc_only", "PFC without marking", _mode("pfc_only"), "use mode: dcqcn"),
    _required("ecn_only", "marking without PFC", _mode("ecn_only"), "use mode: dcqcn"),
    _required(
        "headroom",
        "headroom of lossless priorities",
        _headroom,
        takes=lambda _, answer: answer is not HeadroomSource.NONE,
    ),
    Row(LACKING, each_tier, _links, "ports", on_key=True).text(
        "{name} does not render speed, breakout and FEC of ports (capability ports){because}",
        "use a platform that has it (docs/capabilities.md)",
    ),
    Row(TOO_MUCH, each_platform, _paused, "lossless_priorities_max", takes=is_at_most).text(
        "{classes} lossless; {name} has {limit} lossless priorities{because}",
        "use lossless: false, or another platform",
    ),
    _required("classes", "traffic classes", _always(CLASSES), who=each_family),
    _required("scheduling", "weights of traffic classes", _always(CLASSES), who=each_family),
    _required("pfc", "PFC", _lossless, "use mode: ecn_only with a reason", who=each_family),
    _required("dcqcn", "DCQCN", _congestion, "use mode: pfc_only with a reason", who=each_family),
    _required("copper", "passive copper at 100G a lane", _copper, "use another medium, such as aoc", who=each_family),
    _required(
        "libraries",
        "settings of the collective library",
        _always(("collectives",)),
        who=each_family,
        takes=lambda library, known: library in ("", *known),
        value=_library,
    ),
    _required(
        "topology_files",
        "a topology file of this form",
        _collectives("topology_file"),
        "use topology_file: none",
        who=each_family,
        takes=lambda form, forms: form in forms,
        value=lambda view, _: view.intent.collectives.topology_file,
    ),
    _required(
        "fault_tolerance",
        "fault tolerance",
        _collectives("fault_tolerance"),
        "use fault_tolerance: false",
        who=each_family,
    ),
    _required(
        "telemetry", "telemetry", _collectives("telemetry", "telemetry_path"), "use telemetry: false", who=each_family
    ),
    _required(
        "firmware",
        "a version of firmware",
        lambda view, who: _written(view, host_path(view, who.key, "firmware")),
        "remove firmware",
        who=each_family,
    ),
    _required("variables", "further variables", _collectives("variables"), "remove variables", who=each_family),
    Row(LACKING, each_system, lambda view, who: map(Asked, _domains(view, who)), "nvlink_domains", on_key=True).text(
        "{name} does not render scale-up domains (capability nvlink_domains){because}", "remove nvlink_domain"
    ),
)
