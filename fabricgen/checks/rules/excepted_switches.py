"""Switches that exceptions make different, as the rules on ports speak of them."""

from __future__ import annotations

from fabricgen.analysis.port_groups import PortGroup, SwitchKind
from fabricgen.checks.model import PlanView
from fabricgen.diagnostics import IntentPath
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostLinkId, LinkId
from fabricgen.plan.model.topology import LinkGroup
from fabricgen.plan.planner.exceptions.names import name_of


def name_excepted(view: PlanView, kind: SwitchKind) -> str:
    """Return the excepted switches of a kind, such as ``leaf-u003-r0 and 3 more``; empty for regular ones."""
    if not kind.excepted:
        return ""
    more = len(kind.excepted) - 1
    return view.plan.device_name(kind.excepted[0]) + (f" and {more} more" if more else "")


def find_exception(view: PlanView, kind: SwitchKind, group: PortGroup | None = None) -> IntentPath | None:
    """Return the place of the exception that makes ports of a kind what they are; None for regular ports.

    Args:
        view: The plan and its intent.
        kind: The switches.
        group: The ports; without them, the first exception on a cable of such a switch.
    """
    names = {view.plan.device_name(device) for device in kind.excepted}
    first: IntentPath | None = None
    for item, path in view.exceptions_of(names):
        if not item.link:
            continue
        length_m = item.cable.length_m if item.cable else None
        mtu = (item.set or {}).get("mtu")
        if group is None:
            at = next((key for key in ("cable", "set", "to") if getattr(item, key) is not None), "link")
            first = first or ((*path, "cable", "length_m") if length_m else (*path, at))
        elif length_m == group.length_m:
            return (*path, "cable", "length_m")
        elif mtu == group.mtu_bytes:
            first = first or (*path, "set", "mtu")
    return first


def place_of(view: PlanView, kind: SwitchKind, group: PortGroup) -> IntentPath:
    """Return the place that decides the cable of ports: an exception's, or that of their link group."""
    return find_exception(view, kind, group) or ("links", group.link, "cable", "length_m")


def group_of(plan: FabricPlan, link: LinkId) -> LinkGroup:
    """Return the link group of a link."""
    return plan.hosts[link.host.group].link if isinstance(link, HostLinkId) else plan.links[link.lower.tier + 1]


def place_of_cable(view: PlanView, link: LinkId) -> IntentPath:
    """Return the place of the first exception that gives one of the links of a device another cable."""
    lower = name_of(view.plan, link.host if isinstance(link, HostLinkId) else link.lower)
    named = view.exceptions_of([lower])
    return next(((*path, "cable") for item, path in named if item.cable and lower in (item.link or ())), ())
