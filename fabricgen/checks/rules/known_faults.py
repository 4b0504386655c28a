"""Known faults of software, records of the catalog, that a fabric meets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from fabricgen.catalog.fault_records import Fact, KnownFault
from fabricgen.catalog.library import KNOWN_FAULTS
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.rules.links import list_copper
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list
from fabricgen.intent.settings import value_at
from fabricgen.plan.model.topology import LinkGroup, Tier
from fabricgen.plan.planner.hosts import choose_library


class Runner(NamedTuple):
    """A tier, a group of hosts or a snippet, and what runs there: where it is named, its release and hardware."""

    name: str
    platform: str
    named_at: IntentPath
    release: str
    hardware: tuple[str, ...]
    max_paths: int = 0
    bfd: bool = False
    lines: tuple[str, ...] = ()


def version(name: str) -> tuple[int, ...]:
    """Numbers of the first version in a text, by which releases are ordered; a branch without one is the last."""
    found = re.search(r"\d+(?:[.-]\d+)+|\d{6}", name)
    return tuple(map(int, re.findall(r"\d+", found[0]))) if found else (10**9,)


def is_before(one: str, other: str) -> bool:
    """Return whether a release is older, as far as both are written: 5.16 is not older than 5.16.2."""
    return version(one)[: len(version(other))] < version(other)[: len(version(one))]


def _names_at(view: PlanView, link: LinkGroup) -> list[str]:
    """Tiers and groups of hosts at the ends of a group of links."""
    tiers = [tier.name for tier in view.plan.tiers if tier.number in (link.lower, link.upper)]
    return [*tiers, *(group.name for group in view.plan.hosts if group.link.name == link.name)]


_FACTS: dict[Fact, Callable[[PlanView, Runner, KnownFault], bool]] = {
    "": lambda view, runner, fault: True,
    "paused": lambda view, runner, fault: view.intent.lossless.mode != "ecn_only",
    "weighted": lambda view, runner, fault: view.plan.weights.on,
    "next_hops": lambda view, runner, fault: runner.max_paths > fault.above,
    "parallel_bfd": lambda view, runner, fault: runner.bfd and any(link.per_pair > 1 for link in view.plan.links[1:]),
    "forced_copper": lambda view, runner, fault: any(
        link.autoneg(media, length_m) == "off" and runner.name in _names_at(view, link)
        for link, media, length_m, _ in list_copper(view)
    ),
    "nccl": lambda view, runner, fault: (
        choose_library(view.catalog.servers[view.intent.hosts[runner.name].server], view.intent.collectives.library)
        == "nccl"
    ),
}


def _runners(view: PlanView) -> Iterator[Runner]:
    """Yield every tier and its snippets, and every group of hosts with its system and with its NICs."""
    yield from (_switches(view, tier) for tier in view.plan.tiers)
    for device, exception in sorted(view.plan.exceptions.switches.items()):
        for raw in exception.raw:
            text = json.dumps(json.loads(raw.text), indent=1) if raw.is_json else raw.text
            lines = tuple(" ".join(line.split()) for line in text.splitlines())
            runner, name = _switches(view, view.plan.tier_of(device)), view.plan.device_name(device)
            yield runner._replace(name=name, named_at=raw.named_at, lines=lines)
    for name, group in sorted(view.intent.hosts.items()):
        nic = view.catalog.nics.get(group.nic)
        for key, platform in (("os", group.os or ""), ("nic", nic.family if nic else "")):
            if spec := view.platforms.get(platform):
                yield Runner(name, platform, host_path(view, name, key), spec.target, (group.nic, group.server))


def _switches(view: PlanView, tier: Tier) -> Runner:
    """The software of a tier's switches."""
    spec, at = view.switch(tier.platform), ("tiers", tier.name, "platform")
    release = tier.release.name or (spec.target if spec else "")
    runs, hardware = tier.routing, (view.asic_of(tier).id, tier.model)
    return Runner(tier.name, tier.platform, at, release, hardware, runs.max_paths, runs.bfd)


def _runs(runner: Runner, fault: KnownFault) -> bool:
    """Return whether the software has the fault there."""
    return (
        fault.platform == runner.platform
        and (not fault.hardware or any(fnmatchcase(name, each) for name in runner.hardware for each in fault.hardware))
        and (not fault.since or not is_before(runner.release, fault.since))
        and (not fault.mended or is_before(runner.release, fault.mended))
    )


def _asks(view: PlanView, runner: Runner, fault: KnownFault) -> bool:
    """Return whether the intent, or a snippet, asks for what fails."""
    if fault.snippet or runner.lines:
        return bool(fault.snippet) and any(fnmatchcase(line, fault.snippet) for line in runner.lines)
    value = value_at(view.intent, tuple(fault.key.split(".")))
    values = {str(each) for each in (value if isinstance(value, list) else [value])}
    return (values <= set(fault.values) if fault.values else bool(value)) and _FACTS[fault.fact](view, runner, fault)


def list_met(view: PlanView) -> Iterator[tuple[KnownFault, list[Runner]]]:
    """Yield each known fault that the fabric meets, by name, with all that run the software."""
    runners = list(_runners(view))
    for _, fault in sorted(view.catalog.known_faults.items()):
        if met := [runner for runner in runners if _runs(runner, fault) and _asks(view, runner, fault)]:
            yield fault, met


@rule(
    "FG-PLT-153",
    "A known fault of the software",
    severity=Severity.WARNING,
    why="Its makers or users have reported that what the intent asks for loses traffic, or is not done, on this "
    "software and hardware. No file of a switch shows it, and the fabric works until it happens.",
    fix="Change what the hint names, take a release without it, or waive it by its name (fault) with an owner.",
    source="docs/known-faults.md, each with its public issue",
)
def check_known_faults(view: PlanView) -> Iterator[Finding]:
    """Nothing is asked of software and hardware that a public issue reports as failing there."""
    for fault, runners in list_met(view):
        if not fault.remark:
            names, first = and_list(list(dict.fromkeys(runner.name for runner in runners))), runners[0]
            yield Finding(
                f"{fault.id}, {names} with {first.platform} {first.release} on {first.hardware[0]}: {fault.happens}",
                first.named_at if fault.snippet else tuple(fault.key.split(".")),
                hint=f"{fault.advice}; see {fault.provenance.source}",
                related=tuple(Related("the software", runner.named_at) for runner in runners),
                record=(KNOWN_FAULTS, fault.id),
            )
