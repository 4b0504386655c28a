"""Rules on keys that are legal, written, and without effect in the fabric they stand in."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.checks.rules.attachment import attachments, plane_count
from fabricgen.checks.rules.balancing import ecmp_of, tier_key
from fabricgen.checks.rules.hosts import READ_BY
from fabricgen.checks.rules.platforms import tier_platforms
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.settings import value_at
from fabricgen.physics.ecn_thresholds import BY_ROUND_TRIP
from fabricgen.plan.planner.routing import announces_lost


class Idle(NamedTuple):
    """A key that changes nothing, why, the key that makes it so, and the hint."""

    path: IntentPath
    reason: str
    cause: IntentPath
    hint: str = "remove it"


@rule(
    "FG-INT-010",
    "Key without effect",
    severity=Severity.WARNING,
    why="Who wrote it expects something of it; in this fabric another key leaves it without effect.",
    fix="Remove it, or change the key that is named beside it.",
    source="docs/architecture.md, law 3: silence is a bug",
)
def check_idle_keys(view: IntentView) -> Iterator[Finding]:
    """No key is written that another one makes void."""
    yield from map(_finding, (*_of_shape(view), *_of_traffic(view), *_of_exceptions(view)))


@further("FG-INT-010")
def check_idle_on_platforms(view: IntentView) -> Iterator[Finding]:
    """No key of a tier is written that its platform or its balancing makes void."""
    yield from map(_finding, _of_platforms(view))


@further("FG-INT-010")
def check_idle_in_plan(view: PlanView) -> Iterator[Finding]:
    """No key is written that the plan makes void."""
    yield from map(_finding, _of_plan(view))


def _finding(idle: Idle) -> Finding:
    related = (Related("the reason", idle.cause),)
    message = f"{idle.path[-1]} has no effect: {idle.reason}"
    return Finding(message, idle.path, hint=idle.hint, related=related)


def _of_shape(view: IntentView) -> Iterator[Idle]:
    """Keys of planes and attachments."""
    planes = view.intent.planes
    if planes and "host" in planes.model_fields_set and plane_count(view) == 1:
        yield Idle(("planes", "host"), "there is one plane", ("planes", "count"))
    if view.intent.routing.unreachability == "on" and not announces_lost(view.intent):
        reason, cause = "there is no other plane, or no tier above the leafs", ("planes", "count")
        if planes and plane_count(view) > 1 and planes.host == "bond":
            reason, cause = "a bond chooses its port by a hash, whatever the destination", ("planes", "host")
        yield Idle(("routing", "unreachability"), reason, cause)
    seen = set()
    for _, attachment, path in attachments(view):
        if attachment.group == "host" and "rails_per_leaf" in attachment.model_fields_set and path not in seen:
            seen.add(path)
            yield Idle((*path, "rails_per_leaf"), "all rails of a host meet one leaf", (*path, "group"))


def _of_traffic(view: IntentView) -> Iterator[Idle]:
    """Keys of the lossless contract and of the collective library."""
    lossless, collectives = view.intent.lossless, view.intent.collectives
    for name in ("watchdog", "headroom") if lossless.mode == "ecn_only" else ():
        if name in lossless.model_fields_set:
            yield Idle(("lossless", name), "without PFC nothing is paused", ("lossless", "mode"))
    for name in ("telemetry_path", "telemetry_window") if not collectives.telemetry else ():
        if name in collectives.model_fields_set and getattr(collectives, name) is not None:
            yield Idle(("collectives", name), "telemetry is off", ("collectives", "telemetry"))
    if collectives.telemetry_window and collectives.telemetry and collectives.library != "vccl":
        yield Idle(("collectives", "telemetry_window"), "only vccl has a window", ("collectives", "library"))
    if collectives.split_data_on_qps and collectives.qps_per_connection == 1:
        reason, cause = "one queue pair divides nothing", ("collectives", "qps_per_connection")
        yield Idle(("collectives", "split_data_on_qps"), reason, cause, "use qps_per_connection: 4, or remove it")
    if lossless.mode == "dcqcn" and lossless.reason:
        yield Idle(("lossless", "reason"), "the mode is dcqcn", ("lossless", "mode"), "remove reason, or set mode")


def _of_platforms(view: IntentView) -> Iterator[Idle]:
    """Keys of tiers that their platform or their balancing does not look at."""
    for name, spec in tier_platforms(view):
        ecmp, balancing = ecmp_of(view, name), tier_key(view, name, "load_balancing")
        if ecmp.flowlet_gap_us != "auto" and spec.switch.flowlet_gap_us and ecmp.load_balancing != "flowlet":
            reason = f"load_balancing of tier {name!r} is {ecmp.load_balancing}"
            yield Idle(tier_key(view, name, "flowlet_gap_us"), reason, balancing)
        if not spec.releases and view.intent.tiers[name].release is not None:
            reason = f"{spec.name} writes the same for every release from {spec.target}"
            yield Idle(("tiers", name, "release"), reason, ("tiers", name, "platform"))


def _of_plan(view: PlanView) -> Iterator[Idle]:
    """Keys that are written, and decide nothing of the plan."""
    plan, tiers = view.plan, view.plan.tiers
    for link in plan.links[1:]:
        if link.pattern == "stripe_index" and tiers[link.lower].reserved.index == 1:
            lower, upper = tiers[link.lower].name, tiers[link.upper].name
            reason = f"stripe: index makes one group of tier {lower!r}, whose switches all meet all of {upper!r}"
            hint = "use stripe: rail, or remove the pattern"
            yield Idle(("links", link.name, "pattern"), reason, ("tiers", lower), hint)
    rules = sorted({ecn.rule for tier in tiers for ecn in tier.ecn})
    if "rtt_us" in view.intent.lossless.model_fields_set and BY_ROUND_TRIP not in rules:
        reason = f"thresholds follow {and_list(rules)}" if rules else "no queue marks"
        yield Idle(("lossless", "rtt_us"), reason, ("lossless", "mode"), "remove rtt_us")
    for group in plan.hosts if plan.collectives.topology_file != "none" else ():
        if group.library and group.library not in READ_BY:
            reason = f"hosts of {group.name} run {group.library.upper()} and get no such file"
            yield Idle(("collectives", "topology_file"), reason, host_path(view, group.name, "server"), "use none")


def _of_exceptions(view: IntentView) -> Iterator[Idle]:
    """Leafs that an exception sets to what every switch has."""
    own_ecmp = any(tier.ecmp for tier in view.intent.tiers.values())
    everywhere = cache(partial(value_at, view.intent))
    for setting in view.intent.settings:
        if setting.item.device is None or (own_ecmp and setting.leaf[0] == "routing"):
            continue
        if setting.value == everywhere(setting.leaf):
            yield Idle(setting.path, "every switch has that value", setting.leaf)
