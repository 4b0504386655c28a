"""Rules on headroom: whether it is plausible for what arrives after a pause."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.port_groups import PortGroup, SwitchKind
from fabricgen.catalog.records import HeadroomRow
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.rules.excepted_switches import find_exception, name_excepted, place_of
from fabricgen.diagnostics import Related, Severity
from fabricgen.physics.headroom import table_deviation, wire_headroom_bytes
from fabricgen.physics.pause import PAUSE_QUANTA_BY_GBPS, SAME_TIME_QUANTA_BY_GBPS
from fabricgen.physics.refusal import Refusal

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
        asic = view.catalog.switches[view.intent.tiers[tier.name].model].asic
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
