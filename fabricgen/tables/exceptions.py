"""Exceptions of a plan as rows of plain values, and as footnotes of tables of regular items."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.device.wiring import host_port
from fabricgen.diagnostics.secrets import hide_secrets
from fabricgen.diagnostics.words import and_list
from fabricgen.plan.model.exceptions import LinkException, RawSnippet
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, LinkId
from fabricgen.plan.model.links import host_links_of_host, uplinks
from fabricgen.plan.model.topology import Tier

Row = dict[str, str | int | float]
OTHER_END = "ends at "
"""Mark before the device at which a link ends that is cabled unlike the plan's rule."""


def list_exceptions(plan: FabricPlan) -> Iterator[Row]:
    """Every switch, host and link that is irregular itself: in what, and why."""
    for device, exception in sorted(plan.exceptions.switches.items()):
        if exception.reason:
            own = [word for word, is_set in (("settings", exception.services or exception.watchdog),) if is_set]
            raw = [_describe_snippet(snippet) for snippet in exception.raw]
            what = ", ".join(filter(None, [exception.state, *own, *raw])) or "settings"
            yield {"kind": "switch", "name": plan.device_name(device), "what": what, "reason": exception.reason}
    for host, exception in sorted(plan.exceptions.hosts.items()):
        yield {"kind": "host", "name": plan.host_name(host), "what": exception.state, "reason": exception.reason}
    for link, change in sorted(plan.exceptions.links.items(), key=lambda item: _ends(plan, item[0])):
        lower, upper, port = _ends(plan, link)
        yield {
            "kind": "link",
            "name": f"{lower}:{port} -- {upper}",
            "what": ", ".join(_changes(plan, link, change)) or "another port",
            "reason": change.reason,
        }


def _describe_snippet(snippet: RawSnippet) -> str:
    """The file of a snippet and, of one that overrides managed values, which, for whom and until when."""
    if not snippet.overrides:
        return snippet.file
    until = f" ({snippet.owner}, until {snippet.expires})" if snippet.owner else ""
    overrides = list(map(hide_secrets, snippet.overrides))
    return f"{snippet.file} overrides {and_list(overrides)}{until}"


def irregular_links(plan: FabricPlan) -> dict[tuple[str, str], LinkException]:
    """Return what is irregular about a link, by name and port of its lower end."""
    found = {}
    for link, change in plan.exceptions.links.items():
        lower, _, port = _ends(plan, link)
        found[lower, port] = change
    return found


def own_tiers(plan: FabricPlan) -> dict[str, Tier]:
    """Ports of the switches that have others than their tier, by name."""
    switches = plan.exceptions.switches
    return {plan.device_name(device): found.tier for device, found in switches.items() if found.tier is not None}


def _ends(plan: FabricPlan, link: LinkId) -> tuple[str, str, str]:
    """Lower end, upper end by the regular plan, and port of the lower end."""
    if isinstance(link, FabricLinkId):
        tier = plan.tiers[link.lower.tier]
        found = plan.exceptions.switches.get(link.lower)
        box = found.tier if found and found.tier else tier
        regular = next(each for each in uplinks(plan, tier, link.lower.where) if each.lower_position == link.position)
        port = box.slots[box.up.slots[link.position]].name if box.up else ""
        return plan.device_name(link.lower), plan.device_name(regular.upper_end), port
    own = next(each for each in host_links_of_host(plan, link.host) if (each.rail, each.port) == link[1:])
    port = host_port(plan.hosts[link.host.group], own)
    return plan.host_name(link.host), plan.device_name(own.upper_end), port


def _changes(plan: FabricPlan, link: LinkId, change: LinkException) -> Iterator[str]:
    """Yield what is irregular about a link, in words."""
    if change.state:
        yield change.state
    if change.end is not None:
        tier = link.lower.tier + 1 if isinstance(link, FabricLinkId) else 0
        yield f"{OTHER_END}{plan.device_name(DeviceId(tier, change.end))}"
    if change.length_m:
        yield f"{change.length_m:g} m"
    if change.media:
        yield change.media
    if change.mtu_bytes:
        yield f"mtu {change.mtu_bytes}"
