"""Table of what the PFC watchdog, lossless classes and their buffers ask of a platform beside the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from fabricgen.checks.beyond import LACKING, NOTES, TOO_MUCH, Asked, Row, Who, is_absent, is_at_most, is_there, table
from fabricgen.checks.model import IntentView
from fabricgen.checks.rules.attachment import attachments
from fabricgen.checks.rules.platforms import each_platform, each_tier
from fabricgen.diagnostics import IntentPath, Related, Severity, register
from fabricgen.diagnostics.words import and_list
from fabricgen.platforms.manifest.capabilities import HeadroomSource

WATCHDOG, HEADROOM = ("lossless", "watchdog"), ("lossless", "headroom", "pool_oversubscription_max")
Asks = Callable[[IntentView, Who], Iterable[Asked]]


def _dog(*keys: str) -> Asks:
    """Settings of the watchdog that are stated."""

    def asks(view: IntentView, who: Who) -> Iterator[Asked]:
        dog = view.intent.lossless.watchdog
        for key in keys:
            if getattr(dog, key) is not None and not (key == "restoration_ms" and who.can.watchdog_restores_itself):
                yield Asked((*WATCHDOG, key), getattr(dog, key), {"setting": key})

    return asks


def _action(view: IntentView, who: Who) -> Iterator[Asked]:
    """Actions of the watchdog where it runs and they are known."""
    action, legal = view.intent.lossless.watchdog.action, who.can.watchdog_actions
    if legal and view.intent.lossless.mode != "ecn_only":
        yield Asked((*WATCHDOG, "action"), action, {"first": legal[0]})


def _step(view: IntentView, who: Who) -> Iterator[Asked]:
    """Times of the watchdog with the steps of the platform below and above each."""
    step = who.can.watchdog_step_ms
    for asked in _dog("detection_ms", "restoration_ms")(view, who):
        below = asked.value - asked.value % step
        yield asked._replace(words={**asked.words, "below": below, "above": below + step})


def _pauses(*path: str, related: tuple[IntentPath, ...] = ()) -> Asks:
    """Asked wherever priorities are paused: at a path, or where the platform is chosen."""

    def asks(view: IntentView, who: Who) -> Iterator[Asked]:
        lossless = view.intent.lossless
        dog = lossless.watchdog
        stated = [f"{value} ms" for value in (dog.detection_ms, dog.restoration_ms) if value is not None]
        words = {
            "timers": and_list([", ".join(stated), dog.action] if stated else [dog.action]),
            "stated": f" {dog.restoration_ms}" if dog.restoration_ms else "",
            "most": f"{lossless.headroom.pool_oversubscription_max:g}",
        }
        if lossless.mode != "ecn_only":
            places = tuple(Related(f"the watchdog's {each[-1]}", each) for each in related)
            yield Asked(path or who.chosen, None, words, places)

    return asks


def _cables(view: IntentView, who: Who) -> Iterator[Asked]:
    """Cables at the tiers of a platform whose headroom is its own."""
    tiers = {who.key, *(path[1] for path in who.also)}
    own = view.intent.lossless.mode != "ecn_only" and who.can.headroom is HeadroomSource.OWN
    for name, link in sorted(view.intent.links.items()) if own else ():
        if tiers & set(name.split("-")):
            yield Asked(("links", name, "cable", "length_m"), None, {"length": f"{link.cable.length_m:g}"})


def _bonds(view: IntentView, who: Who) -> Iterator[Asked]:
    """Bonds of hosts in one subnet at a leaf, as long as anything pauses."""
    if view.intent.lossless.mode != "ecn_only" and who.key == "leaf" and who.can.bond_lacp:
        paths = {(*path, "bond"): None for _, attachment, path in attachments(view) if attachment.bond == "lacp"}
        yield from map(Asked, paths)


_noted = partial(register, source=NOTES)
OWN_HEADROOM = _noted(
    "FG-BUF-901",
    "Headroom is the platform's own",
    severity=Severity.INFO,
    why="The platform cuts pools and headroom itself and publishes no figures: nothing proves that they suffice. The "
    "shared headroom pool of Cumulus Linux and its headroom by the share of small packets are not rendered: the one "
    "needs NVIDIA's preset for RoCE and bytes that NVUE computes itself, the other traffic that keeps to the share.",
    fix="No action is needed; compare the cable's length with what the vendor supports at that speed.",
)
NO_WATCHDOG = register(
    "FG-PLT-060",
    "The platform has no PFC watchdog",
    severity=Severity.WARNING,
    why="A queue that a faulty NIC keeps paused is never released, and pauses spread from it.",
    fix="Watch pause counters from outside, or choose a platform that has one.",
    source=f"{NOTES}; Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.3",
)
GUARANTEE = _noted(
    "FG-QOS-901",
    "Watchdog that may not watch the queue",
    severity=Severity.WARNING,
    why="The maker documents that its watchdog looks only after queues with guaranteed bandwidth, and that "
    "command for older switches only. Where it is written, a switch that does not know it reports an error at every "
    "load. Without it the watchdog may never act, and no counter shows that.",
    fix="Look at the watchdog's counters on one switch of each model, try the command of NOTES.md where it is not "
    "written, and waive this once it is proven.",
)
RESTORES = _noted(
    "FG-QOS-902",
    "A watchdog that ends by itself",
    severity=Severity.INFO,
    why="The platform's watchdog gives a queue back as soon as no pause arrives; it has no such timer.",
    fix="No action is needed; the timer still holds on other platforms of the fabric.",
)
NO_POOLS = register(
    "FG-PLT-061",
    "The platform leaves the shared buffer to its driver",
    severity=Severity.WARNING,
    why="Headroom is set, but an egress pool that fills up can still drop lossless packets.",
    fix="Size the pools with the driver's own tool, or choose a platform that sets them.",
    source=f"{NOTES}; Linux tools/testing/selftests/drivers/net/mlxsw/qos_pfc.sh",
)
UNPINNED = _noted(
    "FG-BUF-980",
    "Pause thresholds that are not pinned",
    severity=Severity.WARNING,
    why="Marking has to begin below the fill from which PFC pauses. That fill follows from alpha, headroom "
    "and pools of the running release; where the maker publishes none of them and no file sets them, an "
    "upgrade may change what marks first.",
    fix="Read alpha and headroom on one switch of each model, compare them with show buffers, and waive this; "
    "or pin them with the lines of NOTES.md in a raw snippet once the switch accepts each of them.",
)
FLOODED = register(
    "FG-PLT-080",
    "A lossless VLAN that may be flooded",
    why="A host that is silent on one leg loses its MAC entry before its ARP entry; every packet to it then "
    "goes to all ports of the VLAN, and a flooded class under PFC can stop the fabric.",
    fix="Use bond: none, or a platform that keeps ARP and ND below MAC aging and limits unknown unicast.",
    source="Guo et al., SIGCOMM 2016, section 4.2; Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2",
)
table(
    Row(TOO_MUCH, each_tier, _action, "watchdog_actions", takes=lambda action, legal: action in legal).text(
        "tier {key!r} runs {name}, whose watchdog has {limit}, not {value}", "use {first}"
    ),
    Row(TOO_MUCH, each_tier, _step, "watchdog_step_ms", takes=lambda value, step: value % step == 0).text(
        "{setting} is {value}; tier {key!r} runs {name}, which takes multiples of {limit}", "use {below} or {above}"
    ),
    Row(
        TOO_MUCH,
        each_tier,
        _dog("detection_ms"),
        lambda can, _: can.watchdog_detection_max_ms if can.pfc_watchdog else None,
        takes=is_at_most,
    ).text("{setting} is {value}; tier {key!r} runs {name}, which takes {limit} at most", "use {limit} or less"),
    Row(
        TOO_MUCH,
        each_platform,
        _dog("detection_ms", "restoration_ms"),
        "pfc_watchdog_min_ms",
        takes=lambda value, least: value >= least,
    ).text("{setting} is {value}; {name} takes {limit} or more", "use {limit} or more"),
    Row(
        NO_WATCHDOG,
        each_platform,
        _pauses(*WATCHDOG, related=tuple((*WATCHDOG, key) for key in ("detection_ms", "restoration_ms", "action"))),
        "pfc_watchdog",
    ).text("{name} has no PFC watchdog: {timers} has no effect on its switches"),
    Row(GUARANTEE, each_platform, _pauses(*WATCHDOG), "watchdog_needs_guarantee", takes=is_absent).text(
        "{name} watches queues with guaranteed bandwidth only; no source shows that command on models of the catalog"
    ),
    Row(
        RESTORES, each_platform, _pauses(*WATCHDOG, "restoration_ms"), "watchdog_restores_itself", takes=is_absent
    ).text("{name} restores a queue by itself; restoration_ms{stated} is not written"),
    Row(NO_POOLS, each_platform, _pauses(), "buffer_pools").text(
        "{runs}, which leaves the pools of the shared buffer as the driver has them"
    ),
    Row(OWN_HEADROOM, each_platform, _pauses(*HEADROOM), lambda can, _: can.headroom is not HeadroomSource.OWN).text(
        "{run} {name}, which sizes its headroom pool itself; pool_oversubscription_max {most} is not checked there"
    ),
    Row(OWN_HEADROOM, each_platform, _cables, "cable_length").text(
        "{run} {name}, which has no setting for cable length; cables are {length} m long"
    ),
    Row(UNPINNED, each_platform, _pauses(), "thresholds_unpublished", takes=is_absent).text(
        "{run} {name}, whose pause thresholds and headroom are not published and not written; marking assumes those "
        "that the catalog has of the same model"
    ),
    Row(FLOODED, each_tier, _bonds, "flood_guard", takes=is_there).text(
        "{name} bonds hosts over a pair of leafs and does not keep their VLAN from being flooded", "use bond: none"
    ),
    Row(
        LACKING,
        each_tier,
        lambda view, who: (
            [Asked(("lossless", "mark_unmarked"))]
            if view.intent.lossless.mark_unmarked and who.key == next(iter(view.intent.tiers))
            else []
        ),
        "marks_unmarked",
    ).text("leafs on {name} do not mark RoCE packets with DSCP 0{because}", "remove mark_unmarked"),
)
