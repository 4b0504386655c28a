"""Rules on what a platform leaves to its operator: the system beneath, the data of the board."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from fabricgen.checks.model import Finding, IntentView, PlanView, rule
from fabricgen.checks.rules.platforms import platform_of, platforms_with, tier_platforms
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list, or_list
from fabricgen.intent.settings import SettingFault
from fabricgen.platforms.manifest.capabilities import Rendered, SwitchCapabilities, Words

Service = Callable[[SwitchCapabilities], Rendered]
SERVICES: dict[str, Service] = {
    "access": lambda can: can.access,
    "ntp": lambda can: can.ntp,
    "syslog": lambda can: can.syslog,
    "dns": lambda can: can.dns,
    "timezone": lambda can: can.timezone,
    "snmp": lambda can: can.snmp,
    "gnmi": lambda can: can.gnmi,
    "tacacs": lambda can: can.tacacs,
    "users": lambda can: can.users,
    "sflow": lambda can: can.sflow,
}
"""Key of ``operations`` to what a platform answers for it."""


def services_asked(view: IntentView) -> dict[str, list[IntentPath]]:
    """By service, where it is asked for: in the section of the fabric, or else where exceptions set it for a switch."""
    operations = view.intent.operations
    written = {key for key in SERVICES if key in operations.model_fields_set and getattr(operations, key)}
    found: dict[str, list[IntentPath]] = {key: [("operations", key)] for key in SERVICES if key in written}
    for setting in view.intent.settings:
        key = setting.leaf[1] if setting.leaf[0] == "operations" else ""
        if key in SERVICES and key not in written and setting.value and not isinstance(setting.value, SettingFault):
            found.setdefault(key, []).append(setting.path)
    return found


@rule(
    "FG-PLT-901",
    "Left to the system beneath the platform",
    severity=Severity.INFO,
    why="The platform is a program on a general-purpose system that owns this; nothing is rendered for it.",
    fix="Set it up where that system is installed from, and keep the intent as the record; or choose another platform.",
    source="The platform's NOTES.md",
)
def check_left_beneath(view: IntentView) -> Iterator[Finding]:
    """Report keys that are rendered for no switch of some tier."""
    written = [(key, SERVICES[key], paths) for key, paths in services_asked(view).items()]
    if "management" in view.intent.addressing.model_fields_set:
        written.append(("management", lambda can: can.management, [("addressing", "management")]))
    for name, service, paths in written:
        for spec, tiers in platforms_with(view, service, Rendered.BENEATH):
            message = f"{spec.name} leaves {name} to the system it runs on; nothing is rendered for its switches"
            yield from (Finding(message, path, related=platform_of(*tiers)) for path in paths)


@rule(
    "FG-PLT-042",
    "Samples that travel through the fabric",
    severity=Severity.INFO,
    why="The ASIC sends them like any packet: without a route of the fabric to the collector none leaves.",
    fix="Make the collector reachable from the fabric.",
    source="The platform's NOTES.md; facebook/fboss agent/MirrorManager.cpp",
)
def check_samples_inband(view: IntentView) -> Iterator[Finding]:
    """Say that a collector on the management network gets nothing."""
    sflow = view.intent.operations.sflow
    for name, spec in tier_platforms(view) if sflow else ():
        if spec.switch.sflow_inband:
            yield Finding(
                f"{spec.name} sends samples through the fabric, not by the management network",
                ("operations", "sflow"),
                related=(Related("the platform", ("tiers", name, "platform")),),
            )
            return


@rule(
    "FG-PLT-043",
    "Samples in a family that the fabric does not route",
    why="Samples come from the loopback of a switch; in a family without loopbacks they have no source and no route.",
    fix="Name a collector with an address of a family of the fabric.",
    source="facebook/fboss switch_config.thrift, MirrorTunnel.srcIp",
)
def check_samples_family(view: IntentView) -> Iterator[Finding]:
    """Samples that travel through the fabric go to a collector of one of its families."""
    sflow, families = view.intent.operations.sflow, view.intent.addressing.families
    if sflow is None or f"ipv{sflow.collector.version}" in families:
        return
    for name, spec in tier_platforms(view):
        if spec.switch.sflow_inband:
            yield Finding(
                f"the collector {sflow.collector} is an IPv{sflow.collector.version} address, but the fabric routes "
                f"{and_list(families)}, and {spec.name} sends samples through it",
                ("operations", "sflow", "collector"),
                hint=f"use an address of {or_list(name.replace('ipv', 'IPv') for name in families)} as collector",
                related=(
                    Related("the families", ("addressing", "families")),
                    Related("the platform", ("tiers", name, "platform")),
                ),
            )
            return


@rule(
    "FG-PLT-047",
    "A sampling rate that the platform does not take",
    why="The release would refuse the whole configuration for one value out of range.",
    fix="Sample more often.",
    source="sonic-net/sonic-buildimage, sonic-sflow.yang, sample_rate 256..8388608",
)
def check_sampling_rate(view: IntentView) -> Iterator[Finding]:
    """The rate is within what every platform takes, for all switches and for each that has its own."""
    limits = [(name, spec, spec.switch.sflow_rate_max) for name, spec in tier_platforms(view)]
    leaf, sflow = ("operations", "sflow", "sampling_rate"), view.intent.operations.sflow
    own = [(each.value, each.path) for each in view.intent.settings if each.leaf == leaf]
    for rate, path in [(sflow.sampling_rate, leaf), *own] if sflow else ():
        for name, spec, most in limits:
            if most is not None and isinstance(rate, int) and rate > most:
                yield Finding(
                    f"{spec.name} samples at most one packet of {most}; the rate is one of {rate}",
                    path,
                    hint=f"use a rate of at most {most}",
                    value=most,
                    related=(Related("the platform", ("tiers", name, "platform")),),
                )
                break


@rule(
    "FG-PLT-029",
    "Ports without the numbers the platform knows them by",
    why="The platform finds a port by the number its maker gave it; the catalog has none for this model.",
    fix="Add cages.names, base, numbered and port_profiles to the model's file, from the maker's port mapping.",
    source="facebook/fboss lib/platform_mapping_v2",
)
def check_numbered_ports(view: IntentView) -> Iterator[Finding]:
    """A platform that numbers ports runs on models whose ports the catalog numbers."""
    for name, spec in tier_platforms(view):
        model = view.catalog.switches.get(view.intent.tiers[name].model)
        if model is None or not spec.switch.numbered_ports:
            continue
        if not all(cage.numbered for cage in model.cages):
            yield Finding(
                f"{spec.name} needs the number and the profiles of every port; the catalog has none for {model.id}",
                ("tiers", name, "model"),
                hint=f"write catalog/switches/{model.id}.yaml beside the inventory",
                related=(Related("the platform", ("tiers", name, "platform")),),
                record=("switches", model.id, "cages"),
            )


@rule(
    "FG-PLT-040",
    "Board data that only the operator has",
    why="The platform does not start without the vendor's data for the chip, and PFC works only in the lossless mode "
    "that it sets; it cannot be guessed.",
    fix="Put the vendor's section into a file and name it: tiers.<tier>.board_data.",
    source="The platform's NOTES.md; facebook/fboss agent/platform_config.thrift, ChipConfig",
)
def check_board_data_given(view: IntentView) -> Iterator[Finding]:
    """A platform that requires board data gets it."""
    for name, spec in tier_platforms(view):
        tier = view.intent.tiers[name]
        if spec.switch.board_data and tier.board_data is None:
            yield Finding(
                f"{spec.name} requires the chip section of {tier.model} in its configuration; the vendor ships it",
                ("tiers", name),
                hint=f"add board_data: FILE to tiers.{name}",
                on_key=True,
            )


@rule(
    "FG-PLT-041",
    "Board data the platform does not take",
    why="It would be missing from the configuration, or the platform would refuse it or run without lossless buffers.",
    fix="Give the section the platform reads, in its lossless form, or remove board_data.",
    source="The platform's NOTES.md; facebook/fboss agent/test/utils/NetworkAITestUtils.cpp, applyBackendAsicConfig",
)
def check_board_data_fits(view: PlanView) -> Iterator[Finding]:
    """Board data is one of the sections the platform knows, and lossless where the fabric is."""
    for tier in view.plan.tiers:
        spec, path = view.switch(tier.platform), ("tiers", tier.name, "board_data")
        if spec is None or view.intent.tiers[tier.name].board_data is None:
            continue
        legal = spec.switch.board_data
        if not legal:
            yield Finding(f"{tier.platform} does not use board data", path, hint="remove it", value=None)
        elif tier.board_data:
            lossless = spec.switch.board_data_lossless
            yield from _board_data_faults(tier.board_data, legal, lossless if view.plan.contract.lossless else (), path)


def _board_data_faults(text: str, legal: Words, lossless: Words, path: IntentPath) -> Iterator[Finding]:
    """Yield the faults of board data: its section, or that it has none of the words of a lossless one."""
    data = json.loads(text)
    found = list(data) if isinstance(data, dict) else []
    if len(found) != 1 or found[0] not in legal:
        yield Finding(
            f"board data is one section, {or_list(legal)}; this has {', '.join(found) or 'none'}",
            path,
            hint=f"write {or_list(legal)}",
        )
    if lossless and not any(word in text for word in lossless):
        yield Finding(
            f"the board data does not make the chip lossless: {and_list(lossless)} are missing",
            path,
            hint="take the maker's section for lossless traffic",
        )
