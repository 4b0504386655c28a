"""Draining a device that runs FRR, by the graceful shutdown of BGP (RFC 8326).

Source:
    FRR user guide, bgp, ``bgp graceful-shutdown``: the community 65535:0 goes out with every route, and FRR gives
    such routes local preference 0. bgpd/bgp_vty.c, router_bgp: without a number it is the router that is there; live on
    8.4.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from fabricgen.platforms.families.vtysh.reader import ASN
from fabricgen.platforms.patching.rollout import Core, DrainProof, note
from fabricgen.platforms.patching.steps import Phase, Situation, Step, run
from fabricgen.platforms.reading.reader import Tree

_ROUTER, _DRAINED = "router bgp", "bgp graceful-shutdown"
_OPENING = re.compile(rf"^{_ROUTER} \S+(?: as-notation \S+)?[ \t]*$", re.MULTILINE)


def find_asn(core: Core, *, changed: bool = False) -> str:
    """Return the AS number that a device runs with; empty if no file tells.

    Args:
        core: The files that change, and those that stay as they are; these are read where the former have no router.
        changed: Once the change is carried out, in place of now.
    """
    for situation in core.situations:
        for tree in (situation.after, situation.before) if changed else (situation.before, situation.after):
            if asn := _asn_of(tree):
                return asn
    return next(filter(None, map(_asn_of, core.unchanged())), "")


def _asn_of(tree: Tree) -> str:
    router = tree.get(_ROUTER)
    return str(router[ASN]) if isinstance(router, dict) and ASN in router else ""


def show_drained(neighbor: str, family: str) -> DrainProof:
    """Return what shows on a neighbor that a device is drained, or no longer: the local preference 0 of its routes.

    Args:
        neighbor: What the neighbor calls the device, an address or an interface; the command has a place for it.
        family: ``ipv4`` or ``ipv6``, of the routes that are asked for.
    """
    command = f"vtysh -c 'show bgp {family} unicast neighbors {{neighbor}} routes json'"
    return DrainProof(
        command,
        "every path has locPrf 0",
        "routes",
        "locPrf",
        used=("bestpath", "multipath"),
        returned="paths have no locPrf 0, and are bestpath or multipath as before",
    )


def end_drain(tree: Tree) -> Tree | None:
    """Return the configuration of a drained device as it is once the drain has ended; None if it is not drained."""
    found = dict(tree)
    for name, router in tree.items():
        if name.startswith(_ROUTER) and isinstance(router, dict) and _DRAINED in router:
            found[name] = {key: value for key, value in router.items() if key != _DRAINED}
    return found if found != tree else None


def keep_drain(text: str) -> str:
    """Return a file of FRR with a drain of its router: loaded as it is, it would end one that has begun.

    Args:
        text: The file, which does not drain the router; returned as it is if it has none.
    """
    return _OPENING.sub(rf"\g<0>\n {_DRAINED}", text, count=1)


def stays_drained(core: Core, *, changed: bool = False) -> bool:
    """Return whether the files of a device have it drained, so that the end of a drain is not its own to say.

    Args:
        core: The files that change, and those that stay as they are; these are read where the former have no router.
        changed: Once the change is carried out, in place of now.
    """
    if any(end_drain(each.after if changed else each.before) is not None for each in core.situations):
        return True
    routed = any(key.startswith(_ROUTER) for each in core.situations for key in (*each.before, *each.after))
    return not routed and any(end_drain(tree) is not None for tree in core.unchanged())


def balances(situations: Iterable[Situation]) -> bool:
    """Return whether a change is about how a device spreads traffic, so that it routes."""
    return any(change.meaning.get("ends") == "hash" for situation in situations for change in situation.changes)


def graceful_shutdown(asn: str, *, ends: bool = False, routes: bool = False) -> Step:
    """Return the command that starts or ends the drain.

    Args:
        asn: AS number of the device; empty if it is not known.
        ends: It ends.
        routes: The device runs BGP, also where its number is not known; FRR takes the one router that is there.
    """
    phase, word = (Phase.undrain, "no ") if ends else (Phase.drain, "")
    if not asn and not routes:
        return note(
            f"{word}bgp graceful-shutdown below router bgp: the files that change do not tell the AS number", phase
        )
    words = f"-c 'configure terminal' -c '{f'router bgp {asn}'.rstrip()}' -c '{word}bgp graceful-shutdown'"
    reason = "" if ends else "neighbours take every other path; a host behind one leaf has none: drain its jobs first"
    return run(f"vtysh {words}", reason, phase=phase)
