"""Rules on the services that every switch needs: a login, the time, a place for logs."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.boards import SERVICES
from fabricgen.checks.rules.platforms import platform_of, platforms_with, runs
from fabricgen.diagnostics import Related, Severity
from fabricgen.platforms.manifest.capabilities import Rendered
from fabricgen.platforms.manifest.spec import PlatformSpec


def _rendered(view: IntentView, service: str) -> list[tuple[PlatformSpec, list[str]]]:
    """Platforms that have a service from their configuration, and not from a system beneath, with their tiers."""
    return platforms_with(view, SERVICES[service], Rendered.YES, Rendered.NO)


def _tiers(found: list[tuple[PlatformSpec, list[str]]]) -> tuple[str, tuple[Related, ...]]:
    """All tiers of some platforms: in words, and where they name their platforms."""
    words = ", and ".join(runs(names, spec.name) for spec, names in found)
    return words, platform_of(*(name for _, names in found for name in names))


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
        yield Finding(
            f"no user may log in to the switches: {words}",
            ("operations", "users" if local else "tacacs"),
            hint="add operations.tacacs: {servers: […], key: {secret: …}}" + (" or operations.users" if local else ""),
            related=related,
        )


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
        if found:
            tiers, related = _tiers(found)
            yield Finding(
                f"no {words} are named: {tiers}",
                ("operations", service),
                hint=f"add operations.{service}: [ADDRESS]",
                related=related,
            )
