"""Rules on what a switch platform takes: values its configuration cannot say, figures it works out by itself."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, Needs, rule
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import Related, Severity
from fabricgen.platforms.spec import PlatformSpec

NOTES = "The platform's NOTES.md"


def tier_platforms(view: IntentView) -> Iterator[tuple[str, PlatformSpec]]:
    """Every tier with its platform, where that is known; tiers in the order of their names."""
    for name, tier in sorted(view.intent.tiers.items()):
        spec = view.platforms.get(tier.platform)
        if spec is not None:
            yield name, spec


def _words(spec: PlatformSpec, capability: str) -> list[str]:
    """Words of a capability; empty where the manifest says nothing."""
    value = spec.capabilities.get(capability, "")
    return value.split() if isinstance(value, str) else []


def _number(spec: PlatformSpec, capability: str) -> int:
    """Number of a capability; 0 where the manifest says nothing."""
    value = spec.capabilities.get(capability, 0)
    return value if isinstance(value, int) else 0


def _platform(name: str) -> tuple[Related, ...]:
    return (Related("the platform", ("tiers", name, "platform")),)


@rule(
    "FG-PLT-023",
    "The platform's watchdog cannot do this",
    needs=Needs.INTENT,
    why="The switch would do something else to a queue that is stuck, or refuse the configuration.",
    fix="Use an action that every platform of the fabric has.",
    source=NOTES,
)
def check_watchdog_action(view: IntentView) -> Iterator[Finding]:
    """The watchdog's action is one of the platform's."""
    action = view.intent.lossless.watchdog.action
    for name, spec in tier_platforms(view):
        legal = _words(spec, "watchdog_actions")
        if legal and action not in legal and view.intent.lossless.mode != "ecn_only":
            yield Finding(
                f"tier {name!r} runs {spec.name}, whose watchdog has {' and '.join(legal)}, not {action}",
                ("lossless", "watchdog", "action"),
                hint=f"use {legal[0]}",
                related=_platform(name),
            )


@rule(
    "FG-PLT-024",
    "Watchdog time finer than the platform's clock",
    needs=Needs.INTENT,
    why="The switch would round it, and the timer table would state another time than runs.",
    fix="Use a multiple of the platform's step.",
    source=NOTES,
)
def check_watchdog_step(view: IntentView) -> Iterator[Finding]:
    """Watchdog times are whole steps of the platform."""
    dog = view.intent.lossless.watchdog
    for name, spec in tier_platforms(view):
        step = _number(spec, "watchdog_step_ms")
        itself = spec.capabilities.get("watchdog_restores_itself", False)
        timers = (("detection_ms", dog.detection_ms), ("restoration_ms", dog.restoration_ms))
        for key, value in timers[: 1 if itself else 2]:
            if step > 1 and value % step:
                yield Finding(
                    f"{key} is {value}; tier {name!r} runs {spec.name}, which takes multiples of {step}",
                    ("lossless", "watchdog", key),
                    hint=f"use {value - value % step} or {value - value % step + step}",
                    related=_platform(name),
                )


@rule(
    "FG-PLT-028",
    "Watchdog time beyond the platform's clock",
    needs=Needs.INTENT,
    why="The switch would refuse it or detect earlier, and the timer table would state another time than runs.",
    fix="Use a shorter detection time.",
    source=NOTES,
)
def check_watchdog_limit(view: IntentView) -> Iterator[Finding]:
    """The detection time is within what the platform counts."""
    detection_ms = view.intent.lossless.watchdog.detection_ms
    for name, spec in tier_platforms(view):
        limit = _number(spec, "watchdog_detection_max_ms")
        if limit and detection_ms > limit:
            yield Finding(
                f"detection_ms is {detection_ms}; tier {name!r} runs {spec.name}, which takes {limit} at most",
                ("lossless", "watchdog", "detection_ms"),
                hint=f"use {limit} or less",
                related=_platform(name),
            )


@rule(
    "FG-PLT-025",
    "MTU above what the platform takes",
    needs=Needs.INTENT,
    why="The switch refuses it and the port keeps another, so long packets are dropped on one link.",
    fix="Lower the MTU.",
    source=NOTES,
)
def check_platform_mtu(view: IntentView) -> Iterator[Finding]:
    """No link has a larger MTU than the platforms of its ends."""
    for link_name, link in sorted(view.intent.links.items()):
        for name, spec in tier_platforms(view):
            limit = _number(spec, "mtu_max_bytes")
            if name in link_name.split("-") and limit and link.mtu > limit:
                yield Finding(
                    f"mtu {link.mtu} is above the {limit} that {spec.name} takes",
                    ("links", link_name, "mtu"),
                    hint=f"use {limit} or less",
                    related=_platform(name),
                )


@rule(
    "FG-BUF-901",
    "Headroom is the platform's own",
    needs=Needs.INTENT,
    severity=Severity.INFO,
    why="The platform cuts pools and headroom itself and publishes no figures: nothing proves that they suffice.",
    fix="Nothing; compare the cable's length with what the maker supports at that speed.",
    source=NOTES,
)
def check_own_buffers(view: IntentView) -> Iterator[Finding]:
    """Say which figures are neither written nor checked."""
    if view.intent.lossless.mode == "ecn_only":
        return
    limit = view.intent.lossless.headroom.pool_oversubscription_max
    tiers: dict[str, list[str]] = {}
    for name, spec in tier_platforms(view):
        if spec.capabilities.get("own_buffers", False):
            tiers.setdefault(spec.name, []).append(name)
    for platform, names in tiers.items():
        runs = f"{' and '.join(names)} {'runs' if len(names) == 1 else 'run'} {platform}"
        yield Finding(
            f"{runs}, which sizes its headroom pool itself; {limit:g} is not checked there",
            ("lossless", "headroom", "pool_oversubscription_max"),
            related=_platform(names[0]),
        )
        if view.platforms[platform].capabilities.get("cable_length", False):
            continue
        for link_name, link in sorted(view.intent.links.items()):
            if set(names) & set(link_name.split("-")):
                yield Finding(
                    f"{runs}, which is not told that cables are {link.cable.length_m:g} m long",
                    ("links", link_name, "cable", "length_m"),
                    related=_platform(names[0]),
                )


@rule(
    "FG-PLT-026",
    "The platform's logins need a password",
    needs=Needs.INTENT,
    why="A login without one is open at the console.",
    fix="Give the hash of a password beside the key.",
    source=NOTES,
)
def check_passwords(view: IntentView) -> Iterator[Finding]:
    """Every login has a hash where the platform cannot do without."""
    for name, spec in tier_platforms(view):
        for user in view.intent.operations.users:
            if user.password_hash is None and spec.capabilities.get("users_need_password", False):
                yield Finding(
                    f"{user.name} has no password_hash; tier {name!r} runs {spec.name}, which would let anybody in",
                    ("operations", "users", f"[{user.name}]"),
                    hint="add password_hash: {secret: …}",
                    related=_platform(name),
                )


@rule(
    "FG-QOS-901",
    "A watchdog that may not look",
    needs=Needs.INTENT,
    severity=Severity.INFO,
    why="The maker documents that its watchdog looks only after queues with guaranteed bandwidth, and that command for "
    "older boxes only. Written to a box that does not know it, it would be an error in every load.",
    fix="Try the command of NOTES.md on one switch and add it by hand where it is taken.",
    source=NOTES,
)
def check_watchdog_guarantee(view: IntentView) -> Iterator[Finding]:
    """Say where the watchdog's precondition is not written."""
    if view.intent.lossless.mode == "ecn_only":
        return
    named: dict[str, str] = {}
    for name, spec in tier_platforms(view):
        if spec.capabilities.get("watchdog_needs_guarantee", False):
            named.setdefault(spec.name, name)
    for platform, name in named.items():
        yield Finding(
            f"{platform} may watch only queues with guaranteed bandwidth, which is not written",
            ("lossless", "watchdog"),
            related=_platform(name),
        )


@rule(
    "FG-QOS-902",
    "A watchdog that ends by itself",
    needs=Needs.INTENT,
    severity=Severity.INFO,
    why="The platform's watchdog gives a queue back as soon as no pause arrives; it has no such timer.",
    fix="Nothing; the timer still holds on other platforms of the fabric.",
    source=NOTES,
)
def check_watchdog_restores(view: IntentView) -> Iterator[Finding]:
    """Say where the restoration time is not written."""
    dog = view.intent.lossless.watchdog
    named: dict[str, str] = {}
    for name, spec in tier_platforms(view):
        if spec.capabilities.get("watchdog_restores_itself", False) and view.intent.lossless.mode != "ecn_only":
            named.setdefault(spec.name, name)
    for platform, name in named.items():
        yield Finding(
            f"{platform} restores a queue by itself; restoration_ms {dog.restoration_ms} is not written",
            ("lossless", "watchdog", "restoration_ms"),
            related=_platform(name),
        )


@rule(
    "FG-RTE-902",
    "Load balancing that the platform does not render",
    needs=Needs.INTENT,
    why="The intent is understood, but nothing would be rendered from it; a silent omission is worse than an error.",
    fix="Use load_balancing: static, or a platform and speed that are documented for it.",
    source=NOTES,
)
def check_load_balancing(view: IntentView) -> Iterator[Finding]:
    """Flowlets and spraying only where the platform has them, at documented speeds."""
    for name, spec in tier_platforms(view):
        tier = view.intent.tiers[name]
        own = tier.ecmp.load_balancing if tier.ecmp else None
        word = own or view.intent.routing.ecmp.load_balancing
        path = ("tiers", name, "ecmp", "load_balancing") if own else ("routing", "ecmp", "load_balancing")
        if word == "static":
            continue
        if not spec.capabilities.get(word, False):
            message = f"load_balancing {word!r} of tier {name!r} is not rendered for {spec.name} yet"
            yield Finding(message, path, hint="use static", related=_platform(name))
            continue
        speeds = _words(spec, f"{word}_gbps")
        for link_name, link in sorted(view.intent.links.items()):
            if link_name.startswith(f"{name}-") and speeds and str(link.speed) not in speeds:
                yield Finding(
                    f"load_balancing {word!r} of tier {name!r}: {spec.name} documents it at {' and '.join(speeds)}G, "
                    f"{link_name} runs at {link.speed}G",
                    path,
                    hint="use static",
                    related=(*_platform(name), Related("the speed", ("links", link_name, "speed"))),
                )


@rule(
    "FG-RTE-018",
    "Spraying to NICs that want order",
    needs=Needs.INTENT,
    why="A NIC that takes a packet out of order for a loss asks for all that follow again.",
    fix="Use static or flowlet, or NICs that place packets out of order.",
    source="The NIC's file in the catalog; NVIDIA Cumulus Linux user guide, Adaptive Routing",
)
def check_packet_order(view: IntentView) -> Iterator[Finding]:
    """Per-packet balancing needs NICs that place packets out of order."""
    sprays = {name: t.ecmp.load_balancing for name, t in sorted(view.intent.tiers.items()) if t.ecmp}
    own = next((name for name, word in sprays.items() if word == "per_packet"), "")
    if view.intent.routing.ecmp.load_balancing != "per_packet" and not own:
        return
    for group_name, group in sorted(view.intent.hosts.items()):
        nic = view.catalog.nics.get(group.nic)
        if nic is not None and not nic.out_of_order:
            yield Finding(
                f"load_balancing is per_packet; {group.nic} of {group_name} is not known to place packets out of order",
                ("tiers", own, "ecmp", "load_balancing") if own else ("routing", "ecmp", "load_balancing"),
                hint="use static",
                related=(Related("the NIC", host_path(view, group_name, "nic")),),
            )


@rule(
    "FG-RTE-903",
    "Hash fields of this ASIC are not rendered yet",
    needs=Needs.INTENT,
    why="The intent is understood, but the platform sets the fields of other ASICs only.",
    fix="Use five_tuple alone, which the ASIC hashes on by default.",
    source=NOTES,
)
def check_hash_asics(view: IntentView) -> Iterator[Finding]:
    """Fields beyond the five-tuple only where the platform can set them on this ASIC."""
    for name, spec in tier_platforms(view):
        legal = _words(spec, "hash_asics")
        tier = view.intent.tiers[name]
        model = view.catalog.switches.get(tier.model)
        if not legal or model is None or model.asic.id.startswith(tuple(legal)):
            continue
        own = tier.ecmp.hash if tier.ecmp and tier.ecmp.hash is not None else None
        for word in own if own is not None else view.intent.routing.ecmp.hash:
            if word != "five_tuple":
                yield Finding(
                    f"tier {name!r} asks for {word}; {spec.name} sets hash fields on {' and '.join(legal)} only, "
                    f"{tier.model} has {model.asic.id}",
                    ("tiers", name, "ecmp", "hash") if own is not None else ("routing", "ecmp", "hash"),
                    hint="use five_tuple",
                    related=_platform(name),
                )


@rule(
    "FG-PLT-027",
    "A strict class below a weighted one",
    needs=Needs.INTENT,
    severity=Severity.WARNING,
    why="The platform makes every queue below a weighted one weighted, too, so the class would not be served first.",
    fix="Give strict classes higher priorities than weighted ones.",
    source=NOTES,
)
def check_strict_above_weighted(view: IntentView) -> Iterator[Finding]:
    """Strict classes stand above weighted ones where the platform wants it."""
    classes = view.intent.lossless.classes
    highest = max(((c.priority, name) for name, c in classes.items() if not c.strict), default=(-1, ""))
    for name, spec in tier_platforms(view):
        if not spec.capabilities.get("strict_above_weighted", False):
            continue
        for class_name, traffic in sorted(classes.items()):
            if traffic.strict and traffic.priority < highest[0]:
                yield Finding(
                    f"{class_name!r} is strict at priority {traffic.priority}, below the weighted {highest[1]!r} at "
                    f"{highest[0]}; tier {name!r} runs {spec.name}",
                    ("lossless", "classes", class_name, "priority"),
                    hint=f"use a priority above {highest[0]}",
                    related=_platform(name),
                )
