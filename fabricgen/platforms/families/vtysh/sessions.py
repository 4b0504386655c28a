"""BGP sessions after a patch: which have to be reset for a change to hold, and what to look at.

A running configuration that is as it should be does not prove that sessions are: timers and graceful restart are
negotiated when a session starts, and a route that is configured may still not be announced.

Source:
    FRR user guide, bgp; measured on two live routers of 8.4.4 and 10.7.1: changed timers are used from the next session
    on, and BFD that is removed at one end resets the session at both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabricgen.platforms.families.vtysh.reader import GROUP, YES
from fabricgen.platforms.patching.steps import PatchStep, Situation, StepPhase, run
from fabricgen.platforms.reading.reader import Tree, look_up

_ROUTER, _NEIGHBOR, _FAMILY = "router bgp", "neighbor ", "address-family "
_ABOUT_ROUTES = (_ROUTER, "route-map ", "ip prefix-list", "ipv6 prefix-list", "bgp ", "ip protocol", "ipv6 protocol")
_NEGOTIATED = ("timers bgp", "bgp graceful-restart")
_TIMERS, _PROFILE = "timers", "bfd profile"


def plan_sessions(situation: Situation) -> Iterator[PatchStep]:
    """Yield the resets that changes need to hold, then what to look at."""
    routers = {name: look_up(situation.after, name) for name in situation.after if name.startswith(_ROUTER)}
    changed = [change.steps for change in situation.changes]
    for words in tuple(_resets(situation)):
        yield run(f"vtysh -c 'clear bgp {words}'", "negotiated when a session starts", disruption="session reset")
    terms = {word for steps in changed for step in steps for word in step.split()}
    new = {change.idle for change in situation.changes}
    for router in routers.values() if any(steps[0].startswith(_ABOUT_ROUTES) for steps in changed) else ():
        yield from _look_at_routes(router, new)
        yield from _look_at_timers(router) if _TIMERS in terms else ()
    if "bfd" in terms:
        watched = sum(len(_sessions(router, watched=True)) for router in routers.values())
        yield _look("show bfd peers brief", f"{watched} sessions, all up where the other end runs BFD too")


def _resets(situation: Situation) -> Iterator[str]:
    """Neighbours to reset, in the words of FRR; each once, and none that is new."""
    words: dict[str, None] = {}
    for change in situation.changes:
        router, _, setting = (*change.steps, "", "")[:3]
        if not router.startswith(_ROUTER) or router not in situation.before or len(change.steps) == 1:
            continue
        if change.steps[1].startswith(_NEGOTIATED):
            words["*"] = None
        elif setting == _TIMERS:
            is_group = _is_group(look_up(situation.after, router).get(change.steps[1]))
            words[("peer-group " if is_group else "") + change.steps[1].removeprefix(_NEIGHBOR)] = None
    yield from ("*",) if "*" in words else words


def _look_at_routes(router: Tree, new: set[str]) -> Iterator[PatchStep]:
    """Sessions and announced networks, of the first neighbour of each family."""
    sessions = _sessions(router)
    added = len(new.intersection(sessions))
    later = f"; {added} of them are new, and come up once their other end has them too" if added else ""
    established = f"{len(sessions)} neighbours, each Established with prefixes received and sent{later}"
    yield _look("show bgp summary", established)
    for name, family in router.items():
        if not name.startswith(_FAMILY):
            continue
        networks = [key.removeprefix("network ") for key in family if key.startswith("network ")]
        if networks and sessions:
            words = " ".join(name.split()[1:])
            yield _look(f"show bgp {words} neighbors {sessions[0]} advertised-routes", f"lists {', '.join(networks)}")


def _look_at_timers(router: Tree) -> Iterator[PatchStep]:
    """The negotiated timers of the first neighbour."""
    for name in _sessions(router)[:1]:
        neighbor = router[_NEIGHBOR + name]
        group = look_up(router, _NEIGHBOR + str(neighbor.get("peer-group", "")))
        timers = str(neighbor.get(_TIMERS) or group.get(_TIMERS) or router.get("timers bgp") or "60 180").split()
        expected = f"hold time is {timers[-1]}, keepalive interval is {timers[0]} seconds, if both ends have them"
        yield _look(f"show bgp neighbors {name}", expected)


def _sessions(router: Tree, *, watched: bool = False) -> list[str]:
    """Neighbours that are no group; with ``watched`` those that BFD watches."""
    found = []
    for key, neighbor in router.items():
        if not key.startswith(_NEIGHBOR) or not isinstance(neighbor, dict) or _is_group(neighbor):
            continue
        group = look_up(router, _NEIGHBOR + str(neighbor.get("peer-group", "")))
        if not watched or any(side.get("bfd") == YES or _PROFILE in side for side in (neighbor, group)):
            found.append(key.removeprefix(_NEIGHBOR))
    return found


def _is_group(value: Any) -> bool:
    return isinstance(value, dict) and value.get(GROUP) == YES


def _look(command: str, expected: str) -> PatchStep:
    return run(f"vtysh -c '{command}'", f"look: {expected}", phase=StepPhase.verify)
