"""Rules on what a switch needs beside the fabric: a login, the time, logs, samples, a release, data of its board."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fabricgen.checks.beyond import NOTES
from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.checks.rules.platforms import platform_of, platforms_with, runs, tier_platforms
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list, or_list
from fabricgen.intent.settings import SettingFault
from fabricgen.platforms.manifest.capabilities import Rendered, Words
from fabricgen.platforms.manifest.spec import PlatformSpec

SERVICES = ("access", "ntp", "syslog", "dns", "timezone", "snmp", "gnmi", "tacacs", "users", "sflow", "ptp")
"""Keys of ``operations`` that a platform has a capability of the same name for."""


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


@further("FG-PLT-040")
def check_board_data_fits(view: PlanView) -> Iterator[Finding]:
    """Board data is one of the sections the platform knows, and lossless where the fabric is."""
    for tier in view.plan.tiers:
        spec, path = view.switch(tier.platform), ("tiers", tier.name, "board_data")
        if spec is None or view.intent.tiers[tier.name].board_data is None:
            continue
        legal = spec.switch.board_data
        if not legal:
            yield Finding(f"{tier.platform} does not use board data", path, hint="remove it")
        elif tier.board_data:
            lossless = spec.switch.board_data_lossless
            yield from _board_data_faults(tier.board_data, legal, lossless if view.plan.contract.lossless else (), path)


def _board_data_faults(text: str, legal: Words, lossless: Words, path: IntentPath) -> Iterator[Finding]:
    """Yield the faults of board data: its section, or that it has none of the words of a lossless one."""
    data = json.loads(text)
    found = list(data) if isinstance(data, dict) else []
    if len(found) != 1 or found[0] not in legal:
        message = f"board data is one section, {or_list(legal)}; this has {', '.join(found) or 'none'}"
        yield Finding(message, path, hint=f"write {or_list(legal)}")
    if lossless and not any(word in text for word in lossless):
        message = f"the board data does not make the chip lossless: {and_list(lossless)} are missing"
        yield Finding(message, path, hint="take the maker's section for lossless traffic")


def _rendered(view: IntentView, service: str) -> list[tuple[PlatformSpec, list[str]]]:
    """Platforms that have a service from their configuration, and not from a system beneath, with their tiers."""
    return platforms_with(view, lambda can: getattr(can, service) is not Rendered.BENEATH)


def _tiers(found: list[tuple[PlatformSpec, list[str]]]) -> tuple[str, tuple[Related, ...]]:
    """All tiers of some platforms: in words, and where they name their platforms."""
    words = ", and ".join(runs(names, spec.name) for spec, names in found)
    return words, platform_of(*(name for _, names in found for name in names))


@rule(
    "FG-PLT-055",
    "Switches are managed from the management pool only",
    severity=Severity.INFO,
    why="The control-plane ACL drops SSH, SNMP and gNMI from all other subnets: an operator there is locked out.",
    fix="Name the subnets of operators and collectors.",
    source=NOTES,
)
def check_management_named(view: IntentView) -> Iterator[Finding]:
    """Say from where the switches are managed unless the intent does."""
    operations = view.intent.operations
    access = operations.access
    if access.management is not None or not access.acl:
        return
    running = {"SSH": True, "SNMP": operations.snmp, "gNMI": operations.gnmi}
    *others, last = (service for service, asked in running.items() if asked)
    services = f"{', '.join(others)} and {last}" if others else last
    guarded = platforms_with(view, lambda can: can.access is Rendered.YES)
    if guarded:
        pool = view.intent.addressing.management.pool
        names = and_list(spec.name for spec, _ in guarded)
        yield Finding(
            f"{names} {'accept' if len(guarded) > 1 else 'accepts'} {services} from {pool} only, the management pool",
            ("operations", "access", "management"),
            hint=f"write operations: {{access: {{management: [{pool}, …]}}}}",
            related=tuple(place for _, tiers in guarded for place in platform_of(*tiers)),
        )


@rule(
    "FG-PLT-065",
    "Switches without a login",
    why="The switch keeps the login of its image, whose password is public, or one without a password.",
    fix="Name users or TACACS+ servers, with secrets by reference; or waive it where logins come from another system.",
    source="sonic-net/sonic-buildimage rules/config (DEFAULT_USERNAME, DEFAULT_PASSWORD); the maker's user guide",
    waivable=True,
)
def check_logins(view: IntentView) -> Iterator[Finding]:
    """Every switch has a login."""
    operations = view.intent.operations
    if operations.users or operations.tacacs is not None:
        return
    found = _rendered(view, "users")
    if found:
        local = all(spec.switch.users is Rendered.YES for spec, _ in found)
        words, related = _tiers(found)
        message = f"no user may log in to the switches: {words}"
        hint = "add operations.tacacs: {servers: […], key: {secret: …}}" + (" or operations.users" if local else "")
        yield Finding(message, ("operations", "users" if local else "tacacs"), hint=hint, related=related)


@rule(
    "FG-PLT-066",
    "Switches without time servers or log collectors",
    severity=Severity.WARNING,
    why="Without the time, logs and telemetry of different switches cannot be put in order and certificates may be "
    "refused; without a collector, what a switch saw before it failed is lost with it.",
    fix="Name servers that the management network reaches.",
    source="NIST SP 800-92, executive summary; NIST SP 800-53 rev. 5, SC-45 and AU-4(1)",
)
def check_time_and_logs(view: IntentView) -> Iterator[Finding]:
    """Every switch has a time source and sends its logs somewhere."""
    for service, words in (("ntp", "time servers"), ("syslog", "log collectors")):
        found = [] if getattr(view.intent.operations, service) else _rendered(view, service)
        if service == "ntp" and view.intent.operations.ptp:
            found = [(spec, tiers) for spec, tiers in found if not spec.switch.ptp_sets_time]
        if found:
            tiers, related = _tiers(found)
            hint = f"add operations.{service}: [ADDRESS]"
            yield Finding(f"no {words} are named: {tiers}", ("operations", service), hint=hint, related=related)


@rule(
    "FG-PLT-095",
    "A release the platform is not written for",
    why="The schema of the files and the headroom that an image computes follow its release; for an unknown one both "
    "would be guesses.",
    fix="Use a listed release, or leave the key out for the default (docs/intent.md, Releases).",
    source="templates/switch: releases of the platform's manifest",
)
def check_release(view: IntentView) -> Iterator[Finding]:
    """A tier's release is one its platform lists."""
    for name, tier in sorted(view.intent.tiers.items()):
        spec = view.switch(tier.platform)
        names = [release.name for release in spec.releases] if spec is not None else []
        if names and tier.release is not None and tier.release not in names:
            message = f"{tier.platform} does not support release {tier.release}; it supports {', '.join(names)}"
            path = ("tiers", name, "release")
            hint = "use a listed release, or leave release out for the default one"
            yield Finding(message, path, hint=hint, related=(Related("the platform", ("tiers", name, "platform")),))
