"""Rules on what a platform leaves to its operator: the system beneath, the data of the board."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from fabricgen.checks.model import Finding, IntentView, PlanView, rule
from fabricgen.checks.rules.platforms import tier_platforms
from fabricgen.diagnostics import IntentPath, Related
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
