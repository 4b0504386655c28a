"""Rules on address families: which platforms carry them, and over what links."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.checks.rules.addressing import FABRIC_POOLS
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related, set_to
from fabricgen.intent.network import UNNUMBERED
from fabricgen.platforms.manifest.spec import PlatformSpec

_OTHER = {"ipv4": "ipv6", "ipv6": "ipv4"}
"""The family that is left where one is not carried."""


@rule(
    "FG-ADR-901",
    "The platform is not rendered with these addresses",
    why="A switch or host without addresses of a family would cut the fabric in that family.",
    fix="Use another platform, or addresses it is rendered with.",
    source="The platform's NOTES.md",
)
def check_families(view: IntentView) -> Iterator[Finding]:
    """Every switch and host platform carries what the addressing asks for."""
    a = view.intent.addressing
    asked: list[tuple[str, str, IntentPath, str]] = []
    families: IntentPath = ("addressing", "families")
    for family, words in (("ipv4", "IPv4"), ("ipv6", "IPv6")):
        if family in a.families:
            asked.append((family, words, families, f"use families: [{_OTHER[family]}]"))
    if a.fabric_links == UNNUMBERED:
        hint = "write fabric_links: {ipv4: …} with a prefix of your own"
        asked.append(("unnumbered", "unnumbered links", ("addressing", "fabric_links"), hint))
    for capability, words, path, hint in asked:
        for platform, where in named_platforms(view, hosts=capability != "unnumbered"):
            spec = view.speaker(platform)
            if spec is not None and not _carries(spec, capability):
                related = (Related("the platform", where), *_pools(view, capability))
                message = f"{platform} is not rendered with {words}{spec.because(capability)}"
                mended = capability == "unnumbered" or spec.speaker.ipv4 or spec.speaker.ipv6
                other = _OTHER.get(capability)
                alone = other and not any(_pools(view, capability))
                fixes = set_to(path, [other], unsaid=True) if alone else ()
                hint = hint if mended else "use another platform"
                yield Finding(message, path, hint=hint, related=related, fixes=fixes)


def _carries(spec: PlatformSpec, capability: str) -> bool:
    """Return whether a platform has a family, or links without addresses."""
    return {"ipv4": spec.speaker.ipv4, "ipv6": spec.speaker.ipv6}.get(capability, False) or (
        capability == "unnumbered" and spec.switch.unnumbered
    )


def _pools(view: IntentView, family: str) -> Iterator[Related]:
    """Pools that are there for a family."""
    for name in FABRIC_POOLS:
        if getattr(getattr(view.intent.addressing, name), family, None):
            yield Related("a pool of it", ("addressing", name, family))


def named_platforms(view: IntentView, *, hosts: bool) -> Iterator[tuple[str, IntentPath]]:
    """Each platform once, with the first place that names it."""
    found: dict[str, IntentPath] = {}
    for name, tier in sorted(view.intent.tiers.items()):
        found.setdefault(tier.platform, ("tiers", name, "platform"))
    for name, group in sorted(view.intent.hosts.items()) if hosts else ():
        found.setdefault(group.os or "", host_path(view, name, "os"))
    yield from found.items()
