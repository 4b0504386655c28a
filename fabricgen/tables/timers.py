"""Timers of every layer, shortest first; pairs whose order matters; and what recovers from each kind of failure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabricgen.analysis.recovery import Recovery, list_recoveries
from fabricgen.analysis.timing import (
    Detection,
    TimerPair,
    legal_pause,
    list_detections,
    order_timers,
    worst_failover,
)
from fabricgen.physics.pause import noticed_within_ms
from fabricgen.physics.timers import (
    DEFER_S,
    FRAMEWORK_TIMEOUT_S,
    LACP_SHORT_S,
    RESTART_S,
    ack_timeout_s,
    retry_budget_s,
    retry_margin,
)
from fabricgen.plan.model.contract import Collectives, RoutingPolicy, Watchdog
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import Tier
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.tables.sections import Row, pick


def restarts_gracefully(plan: FabricPlan, platforms: Mapping[str, PlatformSpec]) -> bool:
    """Return whether the leafs restart their routing gracefully; platforms by name."""
    leafs = [tier for tier in plan.boxes if not tier.number]
    specs = [platforms.get(leaf.platform) for leaf in leafs]
    restart = all(spec and spec.switch.graceful_restart for spec in specs)
    return restart and leafs[0].up is not None and leafs[0].routing.bfd_upper


def list_timers(plan: FabricPlan, platforms: Mapping[str, PlatformSpec]) -> list[Row]:
    """Timers of routing, failover, bonds, legal pause, PFC watchdog and jobs, per tier or link group; milliseconds."""
    rows = [row for tier in plan.tiers for row in _routing(tier.name, tier.routing)]
    rows += _connect(plan, platforms)
    rows += [_noticed(each) for each in list_detections(plan)]
    worst, pause = worst_failover(plan), legal_pause(plan)
    if worst is not None:
        source = "RFC 5880 section 6.8.4; RFC 4271 section 9.2.1.1; RFC 7938 section 7.2"
        rows.append(_row("routing", "fabric", "worst failover", worst.seconds * 1000, worst.derivation, source))
    if plan.contract.lossless:
        rows += [row for tier in plan.tiers for row in _watchdog(tier, plan.watchdog.on(tier.clock))]
        if pause is not None:
            source = "IEEE 802.1Qbb-2011 clause 36"
            rows.append(_row("PFC", "switches", "longest legal pause", pause.milliseconds, pause.derivation, source))
    rows += _queue_pairs(plan.collectives, worst)
    why = "3 x 1 s: short timeout at both ends", "IEEE 802.1AX, Short_Timeout_Time"
    bonds = (group.name for group in plan.hosts if group.bond)
    rows += [_row("LACP", name, "detection", LACP_SHORT_S * 1000, *why) for name in bonds]
    if restarts_gracefully(plan, platforms):
        rows += _restart(plan.tiers[0].name)
    return sorted(rows, key=lambda row: (float(str(row["milliseconds"])), str(row["layer"]), str(row["timer"])))


def _routing(tier: str, r: RoutingPolicy) -> Iterator[Row]:
    if r.bfd:
        formula = f"{r.bfd_multiplier} x {r.bfd_interval_ms} ms"
        yield _row("BFD", tier, "detection", r.bfd_multiplier * r.bfd_interval_ms, formula, "RFC 5880 section 6.8.4")
    yield _row("BGP", tier, "keepalive", r.keepalive_s * 1000, f"{r.keepalive_s} s", "RFC 4271 section 4.4")
    yield _row("BGP", tier, "hold", r.hold_s * 1000, f"{r.hold_s} s", "RFC 4271 section 4.4")


def _connect(plan: FabricPlan, platforms: Mapping[str, PlatformSpec]) -> Iterator[Row]:
    for tier in plan.tiers:
        spec, seconds = platforms.get(tier.platform), tier.routing.connect_s
        if spec and "connect_retry" in spec.switch.bgp_timers:
            yield _row("BGP", tier.name, "connect retry", seconds * 1000, f"{seconds} s", "RFC 4271 section 8")


def _restart(tier: str) -> Iterator[Row]:
    source = "RFC 4724; FRR user guide, bgp graceful-restart restart-time"
    yield _row("BGP", tier, "graceful restart", RESTART_S * 1000, f"{RESTART_S} s, the daemon's default", source)
    source = "RFC 4724 section 4.1, Selection_Deferral_Timer"
    yield _row("BGP", tier, "choice deferred after a restart", DEFER_S * 1000, f"{DEFER_S} s", source)


def _noticed(each: Detection) -> Row:
    why = "BFD detection" if each.bfd else "hold time, without BFD"
    source = "RFC 5880 section 6.8.4" if each.bfd else "RFC 4271 section 4.4"
    return _row("routing", each.link, "silent neighbour noticed", each.seconds * 1000, why, source)


def _watchdog(tier: Tier, dog: Watchdog) -> Iterator[Row]:
    source = "sonic-net/sonic-swss pfcwdorch: timers are checked once per poll interval"
    if tier.clock.ports:
        ports = f"{dog.poll_ms} ms for {tier.clock.ports} ports"
        yield _row("PFC watchdog", tier.name, "poll", dog.poll_ms, ports, source)
        latest = noticed_within_ms(dog.detection_ms, dog.poll_ms)
        polls = f"the poll in whose interval it began, and {latest // dog.poll_ms - 1} x {dog.poll_ms} ms"
        yield _row("PFC watchdog", tier.name, "storm noticed at the latest", latest, polls, source)
    detection = f"{dog.detection_ms} ms, then {dog.action}"
    yield _row("PFC watchdog", tier.name, "detection", dog.detection_ms, detection, source)
    yield _row("PFC watchdog", tier.name, "restoration", dog.restoration_ms, f"{dog.restoration_ms} ms", source)


def _queue_pairs(c: Collectives, worst: Detection | None) -> Iterator[Row]:
    source = "InfiniBand Architecture Specification volume 1, Local ACK Timeout"
    ack, budget = ack_timeout_s(c.timeout_exponent), retry_budget_s(c.timeout_exponent, c.retry_count)
    yield _row("queue pair", "hosts", "ACK timeout", ack * 1000, f"4.096 us x 2^{c.timeout_exponent}", source)
    formula = f"({c.retry_count} retries + 1) x {ack * 1000:.3f} ms"
    if worst is not None:
        margin = retry_margin(c.timeout_exponent, c.retry_count, worst.seconds)
        formula += f", {margin:.1f} times the worst failover"
    yield _row("queue pair", "hosts", "retry budget", budget * 1000, formula, source)
    source = "pytorch/pytorch pull request 110947"
    yield _row("framework", "hosts", "collective's timeout", FRAMEWORK_TIMEOUT_S * 1000, "PyTorch's default", source)


def _row(layer: str, scope: str, timer: str, milliseconds: float, derivation: str, source: str) -> Row:
    return {
        "layer": layer,
        "scope": scope,
        "timer": timer,
        "milliseconds": rounded(milliseconds),
        "derivation": derivation,
        "source": source,
    }


def list_order(plan: FabricPlan, *, graceful: bool) -> dict[str, list[Row]]:
    """Return two sections: pairs of timers whose order matters, and the recovery from each kind of failure."""
    return {
        "timer_order": [pair_row(pair) for pair in order_timers(plan, graceful=graceful)],
        "recovery": recovery_rows(plan, graceful=graceful),
    }


def recovery_rows(plan: FabricPlan, *, graceful: bool) -> list[Row]:
    """Return the recovery from each kind of failure."""
    return [_recovery_row(each) for each in list_recoveries(plan, graceful=graceful)]


def pair_row(pair: TimerPair) -> Row:
    """Return two timers of which the second has to be longer, with their margin."""
    return {
        "scope": pair.scope,
        "shorter": pair.shorter,
        "shorter_ms": rounded(pair.shorter_ms),
        "longer": pair.longer,
        "longer_ms": rounded(pair.longer_ms),
        "times": rounded(pair.times),
        "at_least": rounded(pair.least),
        "holds": pair.holds,
        "otherwise": pair.reason,
        "code": pair.code or None,
    }


def _recovery_row(each: Recovery) -> Row:
    return {
        "failure": each.kind.value,
        **pick(each, "scope", "noticed_by"),
        "noticed_ms": rounded(each.noticed_ms),
        "healed_ms": rounded(each.healed_ms),
        "retry_budget_ms": rounded(each.budget_ms),
        "times": rounded(each.margin),
    }


def rounded(value: float | None) -> float | None:
    """Return a figure without digits that say nothing."""
    whole = None if value is None else round(value, 3)
    return int(whole) if whole is not None and whole == int(whole) else whole
