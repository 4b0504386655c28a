"""Rules on what a switch platform takes: values its configuration cannot say, figures it works out by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related, Severity, set_to
from fabricgen.diagnostics.words import and_list
from fabricgen.platforms.manifest.capabilities import Headroom, SwitchCapabilities
from fabricgen.platforms.manifest.spec import PlatformSpec

NOTES = "The platform's NOTES.md"


def tier_platforms(view: IntentView) -> Iterator[tuple[str, PlatformSpec]]:
    """Every tier with its platform, where that is known; tiers in the order of their names."""
    for name, tier in sorted(view.intent.tiers.items()):
        spec = view.switch(tier.platform)
        if spec is not None:
            yield name, spec


def platforms_with(
    view: IntentView, answer: Callable[[SwitchCapabilities], object], *answers: object
) -> list[tuple[PlatformSpec, list[str]]]:
    """Return the platforms whose answer is one of some, each with all the tiers that run it."""
    tiers: dict[str, list[str]] = {}
    for name, spec in tier_platforms(view):
        if answer(spec.switch) in answers:
            tiers.setdefault(spec.name, []).append(name)
    return [(view.platforms[platform], names) for platform, names in tiers.items()]


def runs(names: Sequence[str], platform: str) -> str:
    """Return "tier 'leaf' runs sonic", or the same of several tiers with their number."""
    if len(names) == 1:
        return f"tier {names[0]!r} runs {platform}"
    *others, last = (repr(name) for name in names)
    return f"{len(names)} tiers, {', '.join(others)} and {last}, run {platform}"


def platform_of(*names: str) -> tuple[Related, ...]:
    """Return the places where tiers name their platform, as related places of a finding."""
    return tuple(Related("the platform", ("tiers", name, "platform")) for name in names)


@rule(
    "FG-PLT-023",
    "The platform's watchdog cannot do this",
    why="The switch would do something else to a queue that is stuck, or refuse the configuration.",
    fix="Use an action that every platform of the fabric has.",
    source=NOTES,
)
def check_watchdog_action(view: IntentView) -> Iterator[Finding]:
    """The watchdog's action is one of the platform's."""
    action = view.intent.lossless.watchdog.action
    for name, spec in tier_platforms(view):
        legal = spec.switch.watchdog_actions
        if legal and action not in legal and view.intent.lossless.mode != "ecn_only":
            yield Finding(
                f"tier {name!r} runs {spec.name}, whose watchdog has {and_list(legal)}, not {action}",
                ("lossless", "watchdog", "action"),
                hint=f"use {legal[0]}",
                value=legal[0],
                related=platform_of(name),
            )


@rule(
    "FG-PLT-024",
    "Watchdog time finer than the platform's clock",
    why="The switch would round it, and the timer table would state another time than runs.",
    fix="Use a multiple of the platform's step.",
    source=NOTES,
)
def check_watchdog_step(view: IntentView) -> Iterator[Finding]:
    """Watchdog times are whole steps of the platform."""
    dog = view.intent.lossless.watchdog
    for name, spec in tier_platforms(view):
        step = spec.switch.watchdog_step_ms
        itself = spec.switch.watchdog_restores_itself
        timers = (("detection_ms", dog.detection_ms), ("restoration_ms", dog.restoration_ms))
        for key, value in timers[: 1 if itself else 2]:
            if value is not None and step > 1 and value % step:
                yield Finding(
                    f"{key} is {value}; tier {name!r} runs {spec.name}, which takes multiples of {step}",
                    ("lossless", "watchdog", key),
                    hint=f"use {value - value % step} or {value - value % step + step}",
                    value=value - value % step + step,
                    related=platform_of(name),
                )


@rule(
    "FG-PLT-028",
    "Watchdog time beyond the platform's clock",
    why="The switch would refuse it or detect earlier, and the timer table would state another time than runs.",
    fix="Use a shorter detection time.",
    source=NOTES,
)
def check_watchdog_limit(view: IntentView) -> Iterator[Finding]:
    """The detection time is within what the platform counts."""
    detection_ms = view.intent.lossless.watchdog.detection_ms
    for name, spec in tier_platforms(view):
        limit = spec.switch.watchdog_detection_max_ms
        if spec.switch.pfc_watchdog and limit is not None and detection_ms is not None and detection_ms > limit:
            yield Finding(
                f"detection_ms is {detection_ms}; tier {name!r} runs {spec.name}, which takes {limit} at most",
                ("lossless", "watchdog", "detection_ms"),
                hint=f"use {limit} or less",
                value=limit,
                related=platform_of(name),
            )


@rule(
    "FG-PLT-025",
    "MTU above what the platform takes",
    why="The switch refuses it and the port keeps another, so long packets are dropped on one link.",
    fix="Lower the MTU.",
    source=NOTES,
)
def check_platform_mtu(view: IntentView) -> Iterator[Finding]:
    """No link has a larger MTU than the platforms of its ends, hosts' systems included."""
    for link_name, link in sorted(view.intent.links.items()):
        ends = [
            (spec, ("tiers", name, "platform")) for name, spec in tier_platforms(view) if name in link_name.split("-")
        ]
        for spec, where in [*ends, *_systems_on(view, link_name)]:
            limit = spec.speaker.mtu_max_bytes
            if limit is not None and link.mtu > limit:
                yield Finding(
                    f"mtu {link.mtu} is above the {limit} that {spec.name} takes"
                    if limit
                    else f"{spec.name} is not rendered with an MTU; that of {link_name} is {link.mtu}",
                    ("links", link_name, "mtu"),
                    hint=f"use {limit} or less" if limit else "use another platform",
                    fixes=set_to(("links", link_name, "mtu"), limit) if limit else (),
                    related=(Related("the platform", where),),
                )


def _systems_on(view: IntentView, link: str) -> Iterator[tuple[PlatformSpec, IntentPath]]:
    """Systems of the hosts whose links to their leafs have a name: that of their group, or of hosts in general."""
    lower = link.partition("-")[0]
    for group, hosts in sorted(view.intent.hosts.items()):
        spec = view.speaker(hosts.os or "")
        own = any(name.partition("-")[0] == group for name in view.intent.links)
        if spec is not None and lower == (group if own else "host"):
            yield spec, host_path(view, group, "os")


@rule(
    "FG-BUF-901",
    "Headroom is the platform's own",
    severity=Severity.INFO,
    why="The platform cuts pools and headroom itself and publishes no figures: nothing proves that they suffice.",
    fix="No action is needed; compare the cable's length with what the vendor supports at that speed.",
    source=NOTES,
)
def check_own_buffers(view: IntentView) -> Iterator[Finding]:
    """Say which figures are neither written nor checked."""
    if view.intent.lossless.mode == "ecn_only":
        return
    limit = view.intent.lossless.headroom.pool_oversubscription_max
    tiers: dict[str, list[str]] = {}
    told = {spec.name for _, spec in tier_platforms(view) if spec.switch.cable_length}
    for name, spec in tier_platforms(view):
        if spec.switch.headroom is Headroom.OWN:
            tiers.setdefault(spec.name, []).append(name)
    for platform, names in tiers.items():
        runs = f"{and_list(names)} {'runs' if len(names) == 1 else 'run'} {platform}"
        yield Finding(
            f"{runs}, which sizes its headroom pool itself; pool_oversubscription_max {limit:g} is not checked there",
            ("lossless", "headroom", "pool_oversubscription_max"),
            related=platform_of(names[0]),
        )
        if platform in told:
            continue
        for link_name, link in sorted(view.intent.links.items()):
            if set(names) & set(link_name.split("-")):
                yield Finding(
                    f"{runs}, which has no setting for cable length; cables are {link.cable.length_m:g} m long",
                    ("links", link_name, "cable", "length_m"),
                    related=platform_of(names[0]),
                )


@rule(
    "FG-PLT-026",
    "The platform's logins need a password",
    why="A login without one is open at the console.",
    fix="Give the hash of a password beside the key.",
    source=NOTES,
)
def check_passwords(view: IntentView) -> Iterator[Finding]:
    """Every login has a hash where the platform cannot do without."""
    for name, spec in tier_platforms(view):
        for user in view.intent.operations.users:
            if user.password_hash is None and spec.switch.users_need_password:
                yield Finding(
                    f"{user.name} has no password_hash; tier {name!r} runs {spec.name}, which would allow logins "
                    f"without a password",
                    ("operations", "users", f"[{user.name}]"),
                    hint="add password_hash: {secret: …}",
                    related=platform_of(name),
                )


def _watchdogs(view: IntentView, peculiar: Callable[[SwitchCapabilities], bool]) -> list[tuple[str, str]]:
    """Platforms whose watchdog is peculiar, each with a tier that runs it; none where no watchdog is written."""
    named: dict[str, str] = {}
    for name, spec in tier_platforms(view):
        if peculiar(spec.switch) and view.intent.lossless.mode != "ecn_only":
            named.setdefault(spec.name, name)
    return list(named.items())


@rule(
    "FG-QOS-901",
    "Watchdog that may not watch the queue",
    severity=Severity.WARNING,
    why=(
        "The maker documents that its watchdog looks only after queues with guaranteed bandwidth, and that "
        "command for older switches only. A switch that does not know the command would report an error at every "
        "load. Without it the watchdog may never act, and no counter shows that."
    ),
    fix="Look at the watchdog's counters on one switch of each model, try the command of NOTES.md where it counts "
    "nothing, and waive this once it is proven.",
    source=NOTES,
)
def check_watchdog_guarantee(view: IntentView) -> Iterator[Finding]:
    """Say where the watchdog's precondition is not written."""
    for platform, name in _watchdogs(view, lambda can: can.watchdog_needs_guarantee):
        yield Finding(
            f"{platform} can watch queues with guaranteed bandwidth only, which is not rendered",
            ("lossless", "watchdog"),
            related=platform_of(name),
        )


@rule(
    "FG-QOS-902",
    "A watchdog that ends by itself",
    severity=Severity.INFO,
    why="The platform's watchdog gives a queue back as soon as no pause arrives; it has no such timer.",
    fix="No action is needed; the timer still holds on other platforms of the fabric.",
    source=NOTES,
)
def check_watchdog_restores(view: IntentView) -> Iterator[Finding]:
    """Say where the restoration time is not written."""
    dog = view.intent.lossless.watchdog
    stated = f" {dog.restoration_ms}" if dog.restoration_ms else ""
    for platform, name in _watchdogs(view, lambda can: can.watchdog_restores_itself):
        yield Finding(
            f"{platform} restores a queue by itself; restoration_ms{stated} is not written",
            ("lossless", "watchdog", "restoration_ms"),
            related=platform_of(name),
        )


@rule(
    "FG-PLT-027",
    "A strict class below a weighted one",
    severity=Severity.WARNING,
    why="The platform makes every queue below a weighted one weighted, too, so the class would not be served first.",
    fix="Give strict classes higher priorities than weighted ones.",
    source=NOTES,
)
def check_strict_above_weighted(view: IntentView) -> Iterator[Finding]:
    """Strict classes are above weighted ones where the platform requires it."""
    classes = view.intent.lossless.classes
    highest = max(((c.priority, name) for name, c in classes.items() if not c.strict), default=(-1, ""))
    for name, spec in tier_platforms(view):
        if not spec.switch.strict_above_weighted:
            continue
        free = sorted({*range(highest[0] + 1, 8)} - {cls.priority for cls in classes.values()})
        for class_name, traffic in sorted(classes.items()):
            path = ("lossless", "classes", class_name, "priority")
            if traffic.strict and traffic.priority < highest[0]:
                yield Finding(
                    f"{class_name!r} is strict at priority {traffic.priority}, below the weighted {highest[1]!r} at "
                    f"{highest[0]}; tier {name!r} runs {spec.name}",
                    path,
                    hint=f"use one of the free priorities {', '.join(map(str, free))}"
                    if free
                    else f"use a priority above {highest[0]}",
                    fixes=set_to(path, free[0], unsaid=True) if free else (),
                    related=platform_of(name),
                )
