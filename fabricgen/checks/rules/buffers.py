"""Rules on buffers and headroom, once per tier at the reserved maximum."""

from __future__ import annotations

import math
from collections.abc import Iterator

from fabricgen.analysis.buffers import BufferUse, headroom_use, reserved_buffers
from fabricgen.analysis.port_groups import PortGroup, SwitchKind
from fabricgen.analysis.shared_space import size_pools
from fabricgen.catalog.records import HeadroomRow
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import IntentPath, Related, Severity, format_path
from fabricgen.physics import Refusal
from fabricgen.physics.headroom import table_deviation, wire_headroom_bytes
from fabricgen.physics.pause import PAUSE_QUANTA_BY_GBPS, SAME_TIME_QUANTA_BY_GBPS
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner.factors import takes_part


def name_excepted(view: PlanView, kind: SwitchKind) -> str:
    """Return the excepted switches of a kind, such as ``leaf-u003-r0 and 3 more``; empty for regular ones."""
    if not kind.excepted:
        return ""
    more = len(kind.excepted) - 1
    return view.plan.device_name(kind.excepted[0]) + (f" and {more} more" if more else "")


def find_exception(view: PlanView, kind: SwitchKind, group: PortGroup | None = None) -> IntentPath | None:
    """Return the place of the exception that makes ports of a kind what they are; None for regular ports.

    Without a group of ports it is that of the first exception on a cable of such a switch.
    """
    names = {view.plan.device_name(device) for device in kind.excepted}
    first: IntentPath | None = None
    for item, path in view.exceptions_of(names):
        if not item.link:
            continue
        length_m = item.cable.length_m if item.cable else None
        mtu = (item.set or {}).get("mtu")
        if group is None:
            at = next((key for key in ("cable", "set", "to") if getattr(item, key) is not None), "link")
            first = first or ((*path, "cable", "length_m") if length_m else (*path, at))
        elif length_m == group.length_m:
            return (*path, "cable", "length_m")
        elif mtu == group.mtu_bytes:
            first = first or (*path, "set", "mtu")
    return first


def place_of(view: PlanView, kind: SwitchKind, group: PortGroup) -> IntentPath:
    """Return the place that decides the cable of ports: an exception's, or that of their link group."""
    return find_exception(view, kind, group) or ("links", group.link, "cable", "length_m")


_ACCOUNT_SOURCE = "facebook/fboss SaiBufferManager.cpp and switch_asics; sonic-net/sonic-buildimage buffers_defaults"


def _box(use: BufferUse) -> str:
    """The model, and its port profile if it has any."""
    return f"{use.model}, SKU {use.sku}" if use.sku else use.model


@rule(
    "FG-BUF-001",
    "Headroom pool oversubscribed beyond the limit",
    why="If more ports pause at once than the pool has headroom for, lossless traffic is dropped.",
    fix="Use shorter cables, fewer ports or lossless priorities, or raise the limit knowingly.",
    source="sonic-net/sonic-buildimage: vendors ship ratios of 1.07 to 5.3 at 40 m; Bai et al., NSDI 2023",
)
def check_headroom_pool(view: PlanView) -> Iterator[Finding]:
    """The sum of headrooms stays within the operator's limit of the pool."""
    limit = view.intent.lossless.headroom.pool_oversubscription_max
    for kind in view.reserved:
        use = headroom_use(kind.tier, view.plan.contract, kind.ports)
        ratio = use.ratio_maximum
        if ratio is not None and ratio > limit:
            tier, exception = kind.tier, find_exception(view, kind)
            subject = name_excepted(view, kind) or f"tier {tier.name!r}"
            own = (Related("the cables", exception),) if exception else ()
            path = ("lossless", "headroom", "pool_oversubscription_max")
            yield Finding(
                f"{subject}: {use.groups_maximum} lossless priority groups need {use.maximum_bytes} bytes of "
                f"headroom, {ratio:.2f} times the pool's {use.pool_bytes}; the limit is {limit:g}",
                path,
                hint=f"set {format_path(path)} to {math.ceil(10 * ratio) / 10:g}, or use shorter cables, fewer links, "
                "or a model with a larger pool",
                related=(*own, *_headroom_places(view, tier)),
            )


def _ports_of(view: PlanView, tier: Tier) -> list[IntentPath]:
    """Keys behind the number of ports of a tier that have a link at the reserved maximum."""
    factors = view.factors(reserved=True)
    return [*factors.ports_down(tier.number), *factors.ports_up(tier.number)]


def _cables_of(view: PlanView, tier: Tier) -> list[str]:
    """Names of the links below and above a tier."""
    below = {group.link.name for group in view.plan.hosts} if not tier.number else {tier.down.link}
    return sorted({*below, *([tier.up.link] if tier.up else [])})


def _headroom_places(view: PlanView, tier: Tier) -> tuple[Related, ...]:
    """Every key that takes part in the sum of a tier's headroom."""
    links = _cables_of(view, tier)
    cables: list[IntentPath] = [("links", name, *key) for name in links for key in (("cable", "length_m"), ("speed",))]
    paused = (name for name, traffic in view.intent.lossless.classes.items() if traffic.lossless)
    classes = [("lossless", "classes", name, "lossless") for name in paused]
    return (
        Related("the model", ("tiers", tier.name, "model")),
        Related("its buffers", record=("switches", tier.model, "buffers")),
        *takes_part(view.intent, [*cables, *_ports_of(view, tier), *classes]),
    )


@rule(
    "FG-BUF-002",
    "Part of the buffer that no public figure explains",
    severity=Severity.INFO,
    why="Pools, headroom and the vendor's reserve do not add up to the buffer; what the rest is for is unpublished.",
    fix="No action is needed; or add the vendor's figure to the catalog. `fabricgen analyze INVENTORY buffers` "
    "shows the account.",
    source=_ACCOUNT_SOURCE,
)
def check_explained(view: PlanView) -> Iterator[Finding]:
    """Every byte of the buffer is accounted for; tiers of one SKU are one finding."""
    tiers = view.plan.tiers
    # What an excepted switch lacks are figures of its model, which the finding of its tier reports.
    regular = [kind for kind in view.reserved if not kind.excepted]
    for kind, use in reserved_buffers(view.plan, regular):
        tier = kind.tier
        first = next(other for other in tiers if other.sku == tier.sku and other.buffers.pools == tier.buffers.pools)
        path = ("tiers", first.name, "model")
        if use.rows and not use.buffer_bytes:
            message = f"{use.model}: no public figure says how large the buffer of {use.asic} is"
            hint = f"write buffer_bytes to catalog/asics/{use.asic}.yaml beside the inventory"
            yield Finding(message, path, hint=hint, record=("asics", use.asic, "buffer_bytes"))
        elif use.unexplained_maximum > 0:
            share = 100 * use.unexplained_maximum / use.buffer_bytes
            yield Finding(
                f"{_box(use)}: no public figure explains {use.unexplained_maximum} of the "
                f"{use.buffer_bytes} bytes of the buffer ({share:.1f} %)",
                path,
                hint="run fabricgen analyze INVENTORY buffers for the use of every other byte",
                record=("switches", use.model, "buffers"),
            )


@rule(
    "FG-BUF-003",
    "More buffer reserved than the switch has",
    severity=Severity.WARNING,
    why="Pools, headroom and reserved sizes together exceed the memory: the switch refuses them, or drops under load.",
    fix="Use fewer lossless priorities or shorter cables, or a SKU whose pools are made for that many ports.",
    source=_ACCOUNT_SOURCE,
)
def check_not_overcommitted(view: PlanView) -> Iterator[Finding]:
    """Report buffers smaller than what is handed out at the reserved maximum."""
    # Where a switch sizes its pools, what is not reserved is shared: whatever its cables, the sum is the regular one's.
    judged = [kind for kind in view.reserved if not (kind.excepted and kind.tier.buffers.computed)]
    for kind, use in reserved_buffers(view.plan, judged):
        if use.unexplained_maximum < 0:
            named = name_excepted(view, kind)
            yield Finding(
                f"{f'{named}, ' if named else ''}{_box(use)}: pools, headroom and reserved sizes of "
                f"{use.ports_maximum} ports take {use.buffer_bytes - use.unexplained_maximum} bytes; the buffer has "
                f"{use.buffer_bytes}",
                find_exception(view, kind) or ("tiers", kind.tier.name, "model"),
                hint="run fabricgen analyze INVENTORY buffers for the account",
                related=_headroom_places(view, kind.tier)[2:],
                record=() if named else ("switches", use.model, "buffers"),
            )


@rule(
    "FG-BUF-004",
    "Headroom that cannot fit",
    why="Headroom is what keeps a paused priority group from dropping. Where it is cut from a pool, the pool must hold "
    "that of one port at least; where the switch takes it off the memory first, something must be left to share.",
    fix="Use shorter cables, fewer lossless priorities or fewer ports, or a switch with a larger buffer.",
    source="sonic-net/sonic-buildimage, pg_profile_lookup.ini; sonic-net/sonic-swss, buffer_pool_mellanox.lua",
)
def check_headroom_fits(view: PlanView) -> Iterator[Finding]:
    """One port's headroom fits its pool; what all ports reserve leaves some of the memory."""
    priorities = len(view.plan.contract.lossless)
    for kind in view.reserved:
        tier = kind.tier
        use = headroom_use(tier, view.plan.contract, kind.ports)
        model = Related("the model", ("tiers", tier.name, "model"))
        table = Related("its headroom table", record=("switches", tier.model, "headroom"))
        for group in kind.ports if use.pool_bytes else ():
            wanted = group.profile.xoff_bytes * priorities if group.profile else 0
            if wanted > use.pool_bytes:
                yield Finding(
                    f"{name_excepted(view, kind) or tier.model}: one port of {group.link} needs {wanted} bytes of "
                    f"headroom ({group.speed_gbps}G, {group.length_m:g} m, {priorities} lossless priorities); "
                    f"{use.pool} has {use.pool_bytes}",
                    place_of(view, kind, group),
                    hint="use a shorter cable or fewer lossless priorities",
                    related=(model, table),
                )
        if kind.ports and any(pool.computed and pool.size_bytes <= 0 for pool in tier.buffers.pools):
            sized = size_pools(tier.buffers, view.plan.contract, kind.ports)
            longest = max(kind.ports, key=lambda group: group.length_m)
            yield Finding(
                f"{name_excepted(view, kind) or tier.model}: {use.groups_maximum} lossless priority groups and what "
                f"else the ports reserve take {sized.occupied_maximum} bytes; the memory has {sized.memory_bytes}",
                place_of(view, kind, longest),
                hint="use shorter cables, fewer ports or fewer lossless priorities",
                related=(model,),
            )


@rule(
    "FG-BUF-007",
    "Port profile without a buffer profile for lossless queues",
    why="The vendor made this port profile for traffic that may be lost. The configuration would refer to a buffer "
    "profile that is not there, and the switch would refuse the queue.",
    fix="Use a speed or breakout whose port profile has one, another model, or write it to the catalog beside the "
    "inventory.",
    source="sonic-net/sonic-buildimage 086b03bd, device/mellanox, buffers_defaults_objects.j2 of "
    "Mellanox-SN5600-C256S1, which all profiles of the SN5640 share",
)
def check_lossless_profile(view: PlanView) -> Iterator[Finding]:
    """Report port profiles without the profile that the platform gives to a lossless queue."""
    for tier in view.plan.tiers if view.plan.contract.lossless else ():
        spec = view.switch(tier.platform)
        wanted = spec.switch.lossless_queue_profile if spec else ""
        profiles = {profile.name for profile in tier.buffers.profiles}
        if wanted and profiles and wanted not in profiles:
            yield Finding(
                f"{tier.model}, SKU {tier.sku}, has no buffer profile {wanted}, which {tier.platform} gives to "
                "lossless queues",
                ("tiers", tier.name, "model"),
                hint=f"add {wanted} to the profiles in catalog/switches/{tier.model}.yaml beside the inventory, or use "
                "another speed or model",
                related=(Related("the platform", ("tiers", tier.name, "platform")),),
                record=("switches", tier.model, "buffers"),
            )


MOST_BELOW = 0.1
"""Distance below the line of its ASIC that a row may lie; those that reproduce it are within a cell, the odd ones 26 to
44 percent below."""


@rule(
    "FG-BUF-005",
    "Headroom below what is on the wire",
    why="After XOFF two packets, the cable's content twice and what the peer sends before it reacts still arrive: "
    "2 x MTU + 2 x length x 5.05 ns x speed / 8 + pause quanta x 64 + 64 bytes. Less headroom drops some of it.",
    fix="Use a smaller MTU or shorter cables, or a row for such packets in the catalog beside the inventory; waive it "
    "if no lossless packet is that large.",
    source="IEEE 802.1Qbb; IEEE 802.3 annex 31B.3.7 (response time)",
    waivable=True,
)
def check_wire(view: PlanView) -> Iterator[Finding]:
    """Every headroom holds what arrives even if every byte took one byte."""
    for kind, group in _lossless(view):
        needed = wire_headroom_bytes(group.speed_gbps, group.length_m, group.mtu_bytes)
        if group.profile and not isinstance(needed, Refusal) and group.profile.xoff_bytes < needed:
            yield Finding(
                f"{name_excepted(view, kind) or kind.tier.model}: headroom of {group.link} is "
                f"{group.profile.xoff_bytes} bytes ({group.profile.derivation}); {needed:.0f} may arrive after XOFF "
                f"at {group.speed_gbps}G over {group.length_m:g} m with an MTU of {group.mtu_bytes}",
                place_of(view, kind, group),
                hint="use shorter cables or a smaller mtu",
                related=_box_of(kind),
            )


def _box_of(kind: SwitchKind) -> tuple[Related, ...]:
    """Return the place where the model is chosen, and that of its table if it is the user's own."""
    table = Related("its headroom table", record=("switches", kind.tier.model, "headroom"))
    return (Related("the model", ("tiers", kind.tier.name, "model")), table)


def _lossless(view: PlanView) -> Iterator[tuple[SwitchKind, PortGroup]]:
    """Ports under PFC of every kind of switch; of excepted switches only those that no regular one has."""
    regular: set[tuple[str, str, float, int]] = set()
    for kind in view.reserved if view.plan.contract.lossless else ():
        for group in kind.ports:
            cable = (kind.tier.name, group.link, group.length_m, group.mtu_bytes)
            if kind.excepted and cable in regular:
                continue
            if not kind.excepted:
                regular.add(cable)
            yield kind, group


@rule(
    "FG-BUF-090",
    "Headroom for the shorter of two response times",
    severity=Severity.WARNING,
    why="How long a port of 800 Gb/s may take to obey a pause frame is unconfirmed: SONiC counts 905 quanta of 512 bit "
    "times, as many as at 400 Gb/s and so half the time; as long as at 400 Gb/s would be 1810. The headroom holds what "
    "arrives with the first figure, not with the second.",
    fix="Measure drops under PFC with the longest cable, or ask the makers of switch and NIC for their response time.",
    source="sonic-net/sonic-swss 4957df86d, cfgmgr/buffer_headroom_mellanox.lua (905 at 400G and 800G); IEEE 802.3 "
    "annex 31B.3.7. Unconfirmed for 800G",
)
def check_response(view: PlanView) -> Iterator[Finding]:
    """Headroom holds what arrives with either response time, or with neither."""
    for kind, group in _lossless(view):
        quanta = SAME_TIME_QUANTA_BY_GBPS.get(group.speed_gbps)
        if not group.profile or quanta is None:
            continue
        xoff, cable = group.profile.xoff_bytes, (group.speed_gbps, group.length_m, group.mtu_bytes)
        short, long = wire_headroom_bytes(*cable), wire_headroom_bytes(*cable, same_time=True)
        if isinstance(short, Refusal) or isinstance(long, Refusal) or not short <= xoff < long:
            continue
        yield Finding(
            f"{name_excepted(view, kind) or kind.tier.model}: headroom of {group.link} is {xoff} bytes; {short:.0f} "
            f"may arrive after XOFF with a response time of {PAUSE_QUANTA_BY_GBPS[group.speed_gbps]} quanta, "
            f"{long:.0f} with {quanta}: {1 - xoff / long:.0%} short; which of the two applies at "
            f"{group.speed_gbps}G is unconfirmed",
            find_exception(view, kind, group) or ("links", group.link, "speed"),
            hint="measure drops under PFC with the longest cable, then waive this",
            related=_box_of(kind),
        )


@rule(
    "FG-BUF-006",
    "Headroom table far below others of the same ASIC",
    severity=Severity.WARNING,
    why="Published tables of one ASIC lie on a line of cells over cable length. A row far below it was probably made "
    "for another chip, and drops where the others do not: one vendor's Tomahawk 5 rows lie 26 to 44 percent below.",
    fix="Ask the vendor, or write a row you trust to the catalog beside the inventory.",
    source="sonic-net/sonic-buildimage 086b03bd, pg_profile_lookup.ini of Dell-Z9864f-O64, DellEMC-Z9664f-O64, "
    "Nokia-IXR7220-H6-P128",
)
def check_line(view: PlanView) -> Iterator[Finding]:
    """No row in use lies more than a tenth below the line through the tables of its ASIC."""
    seen: set[tuple[str, str]] = set()
    for kind in view.reserved:
        tier = kind.tier
        asic = view.asic_of(tier)
        rows = [row for row in tier.buffers.headroom if (tier.name, row.name) not in seen]
        seen |= {(tier.name, row.name) for row in rows}
        for row in () if tier.buffers.computed else rows:
            listed = HeadroomRow(row.speed_gbps, row.row_m, row.size_bytes, row.xon_bytes, row.xoff_bytes, 0)
            deviation = table_deviation(asic, listed)
            if not isinstance(deviation, Refusal) and deviation < -MOST_BELOW:
                yield Finding(
                    f"{tier.model}: {row.xoff_bytes} bytes of headroom at {row.speed_gbps}G and {row.row_m} m are "
                    f"{-deviation:.0%} below the line of other {asic.id} tables "
                    f"({row.xoff_bytes / (1 + deviation):.0f} bytes)",
                    ("tiers", tier.name, "model"),
                    hint="ask the vendor which packets and cables the table is made for",
                    record=("switches", tier.model, "headroom"),
                )
