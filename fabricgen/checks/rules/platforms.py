"""Platforms, systems, NICs and ASICs of a fabric, by what chooses them: those that tables of rules ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fabricgen.checks.beyond import Asked, Who
from fabricgen.checks.model import IntentView, PlanView
from fabricgen.checks.rules.topology import host_links, host_path
from fabricgen.diagnostics import IntentPath, Related
from fabricgen.diagnostics.words import and_list
from fabricgen.plan.model.topology import Tier
from fabricgen.platforms.manifest.capabilities import SwitchCapabilities
from fabricgen.platforms.manifest.spec import PlatformSpec


def tier_platforms(view: IntentView) -> Iterator[tuple[str, PlatformSpec]]:
    """Every tier with its platform, where that is known; tiers in the order of their names."""
    for name, tier in sorted(view.intent.tiers.items()):
        spec = view.switch(tier.platform)
        if spec is not None:
            yield name, spec


def platforms_with(
    view: IntentView, wanted: Callable[[SwitchCapabilities], bool]
) -> list[tuple[PlatformSpec, list[str]]]:
    """Return the platforms whose capabilities are wanted ones, each with all the tiers that run it."""
    tiers: dict[str, list[str]] = {}
    for name, spec in tier_platforms(view):
        if wanted(spec.switch):
            tiers.setdefault(spec.name, []).append(name)
    return [(view.platforms[platform], names) for platform, names in tiers.items()]


def runs(names: Sequence[str], platform: str) -> str:
    """Return "tier 'leaf' runs sonic", or the same of several tiers with their number."""
    if len(names) == 1:
        return f"tier {names[0]!r} runs {platform}"
    *others, last = (repr(name) for name in names)
    return f"{len(names)} tiers, {', '.join(others)} and {last}, run {platform}"


def platform_of(*names: str) -> tuple[Related, ...]:
    """Return the places where tiers name their platform, as related places of a finding."""
    return tuple(Related("the platform", ("tiers", name, "platform")) for name in names)


def named_platforms(view: IntentView, *, hosts: bool) -> Iterator[tuple[str, IntentPath]]:
    """Each platform once, with the first place that names it."""
    found: dict[str, IntentPath] = {}
    for name, tier in sorted(view.intent.tiers.items()):
        found.setdefault(tier.platform, ("tiers", name, "platform"))
    for name, group in sorted(view.intent.hosts.items()) if hosts else ():
        found.setdefault(group.os or "", host_path(view, name, "os"))
    yield from found.items()


def leafs_and_systems(view: IntentView, group: str) -> list[tuple[str, IntentPath]]:
    """Platforms of the leafs, and of the hosts of a group, with where each is chosen."""
    uppers = {name.partition("-")[2] for name in view.intent.links if name.partition("-")[0] in view.intent.tiers}
    leafs = sorted(set(view.intent.tiers) - uppers)
    found: list[tuple[str, IntentPath]] = [
        (view.intent.tiers[name].platform, ("tiers", name, "platform")) for name in leafs
    ]
    return [*found, (view.intent.hosts[group].os or "", host_path(view, group, "os"))]


def each_tier(view: IntentView) -> Iterator[Who]:
    """Ask the platform of every tier."""
    for name, spec in tier_platforms(view):
        yield Who(spec.switch, spec.name, ("tiers", name, "platform"), name, spec=spec)


def each_platform(view: IntentView) -> Iterator[Who]:
    """Ask every switch platform once, with all the tiers that run it."""
    for spec, tiers in platforms_with(view, lambda can: True):
        first, *others = (("tiers", name, "platform") for name in tiers)
        words = {"runs": runs(tiers, spec.name), "run": f"{and_list(tiers)} {'runs' if len(tiers) == 1 else 'run'}"}
        yield Who(spec.switch, spec.name, first, tiers[0], also=tuple(others), words=words, spec=spec)


def each_planned_tier(view: PlanView) -> Iterator[Who]:
    """Ask the platform of every tier of a plan, from the leafs up."""
    for tier in view.plan.tiers:
        spec = view.switch(tier.platform)
        if spec is not None:
            yield Who(spec.switch, spec.name, ("tiers", tier.name, "platform"), tier.name, spec=spec)


def ask_release(tier: Tier, who: Who, needs: str, *related: Related) -> Iterator[Asked]:
    """Ask whether the release of a tier takes what a feature needs, with the first release that does."""
    if who.spec and who.key == tier.name and needs:
        first = next((each.name for each in who.spec.releases if each.knows(needs)), "")
        words = {"release": tier.release.name, "first": first}
        yield Asked(("tiers", tier.name, "release"), tier.release.knows(needs), words, related)


def each_speaker(view: IntentView) -> Iterator[Who]:
    """Ask every platform of switches and every system of hosts once."""
    yield from _speakers(view, hosts=True)


def each_session(view: IntentView) -> Iterator[Who]:
    """Ask every platform once that has BGP sessions, which systems of hosts may have."""
    yield from _speakers(view, hosts=view.intent.routing.hosts == "bgp")


def _speakers(view: IntentView, *, hosts: bool) -> Iterator[Who]:
    for platform, where in named_platforms(view, hosts=hosts):
        spec = view.speaker(platform)
        if spec is not None:
            yield Who(spec.capabilities, spec.name, where, where[1], spec=spec)


def each_system(view: IntentView) -> Iterator[Who]:
    """Ask the operating system of every group of hosts."""
    for group, hosts in sorted(view.intent.hosts.items()):
        spec = view.host(hosts.os or "")
        if spec is not None:
            yield Who(spec.host, spec.name, host_path(view, group, "os"), group, "the system", spec=spec)


def each_family(view: IntentView) -> Iterator[Who]:
    """Ask the NIC family of every group of hosts."""
    for group, hosts in sorted(view.intent.hosts.items()):
        nic = view.catalog.nics.get(hosts.nic)
        spec = view.nic(nic.family) if nic else None
        if spec is not None:
            yield Who(spec.nic, spec.name, host_path(view, group, "nic"), group, "the NIC", spec=spec)


def each_linked_nic(view: IntentView) -> Iterator[Who]:
    """Ask the NICs at every group of links of hosts."""
    for link, _, groups in host_links(view):
        for group in groups:
            nic = view.catalog.nics.get(view.intent.hosts[group].nic)
            if nic is not None:
                yield Who(nic, view.intent.hosts[group].nic, host_path(view, group, "nic"), link, "the NIC")


def each_link_end(view: IntentView) -> Iterator[Who]:
    """Ask the platforms of both ends of every group of links, hosts' systems included."""
    for link in sorted(view.intent.links):
        for name, spec in tier_platforms(view):
            if name in link.split("-"):
                yield Who(spec.switch, spec.name, ("tiers", name, "platform"), link, spec=spec)
        lower = link.partition("-")[0]
        for group, hosts in sorted(view.intent.hosts.items()):
            system = view.speaker(hosts.os or "")
            own = any(name.partition("-")[0] == group for name in view.intent.links)
            if system is not None and lower == (group if own else "host"):
                yield Who(system.speaker, system.name, host_path(view, group, "os"), link, spec=system)


def each_asic(view: IntentView) -> Iterator[Who]:
    """Ask the ASIC of every tier's model."""
    for name, tier in sorted(view.intent.tiers.items()):
        model = view.catalog.switches.get(tier.model)
        if model is not None:
            yield Who(model.asic, model.asic.id, ("tiers", name, "model"), name, "the model", words={"model": model.id})
