"""Procedure on a Cumulus Linux switch, and those of its import policies that ignore graceful shutdown.

NVUE replaces its configuration, and returns to the one before unless that is confirmed in time.

Source:
    Cumulus Linux 5.15 user guide, NVUE CLI, Configuration Management Commands (CumulusNetworks/docs 1baa8142): replace,
    diff, history, save; apply with --assume-yes, with --confirm and a time such as 60m (ten minutes by default), and
    with --confirm-status. Neither the guide nor the NVUE reference has the command that confirms: --confirm-yes and
    --confirm-no are as in public run books, so that --confirm-status is looked at afterwards.
    Cumulus Linux 5.15, NVUE reference, ``nv set router bgp graceful-shutdown``; Router Policy and BGP: rules of a route
    map by number, the first that matches decides; ``policy inbound route-map`` by neighbor or peer group and address
    family. ``set community`` replaces, so that FRR, which honours the community by itself (bgpd, bgp_update, behind the
    route map), no longer sees it there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.patching.demotion import PolicyEntry, PolicyForm, all_honour
from fabricgen.platforms.patching.rollout import COMPARE, COMPARE_DRAINED, Core, Procedure, look, note
from fabricgen.platforms.patching.steps import PatchStep, StepPhase, run
from fabricgen.platforms.patching.timer import LINUX, MINUTES, wait_idle
from fabricgen.platforms.reading.reader import Tree, look_up

DRAINED = "graceful-shutdown"
TIME = f"{MINUTES}m"
_DRAIN = f"nv set router bgp {DRAINED} enabled"
_POLICY = ("router", "policy")
_LISTS, _MAPS = (*_POLICY, "community-list"), (*_POLICY, "route-map")
_INBOUND = ("policy", "inbound")
_SHUTDOWN = frozenset(("65535:0", "graceful-shutdown"))
_MANAGEMENT = "mgmt"
_HOLDERS = ("peer-group", "neighbor")


def frame_patch(core: Core) -> Procedure:
    """Frame the startup.yaml of a switch."""
    restart = [run("reboot", "takes effect with the next start", "reboot", phase=StepPhase.restart)]
    save = run("nv config save", phase=StepPhase.save)
    was_drained = any(end_drain(each.before) is not None for each in core.situations)
    stays = core.is_drained and any(end_drain(each.after) is not None for each in core.situations)
    held = core.is_drained and not stays
    applied = [each for step in core.of(StepPhase.apply) for each in _replace(step, held=held)]
    steps = (
        run("nv config history", "keep the number of the applied revision", phase=StepPhase.back_up),
        *(_drain() if core.is_drained else ()),
        *applied,
        look("nv show vrf default router bgp neighbor", "every neighbour of before is established"),
        look("nv show interface", "every port that was up is up"),
        note(COMPARE_DRAINED if held else COMPARE, StepPhase.verify),
        run("nv config apply --confirm-yes", "stops the timer", phase=StepPhase.confirm),
        look("nv config apply --confirm-status", "no time runs any more", StepPhase.confirm),
        save,
        *(restart if core.disruption == "reboot" else ()),
        *([*_undrain(), save] if held else ()),
    )
    rollback = (
        run("nv config apply --confirm-no", "while the timer runs; its end does the same", core.disruption),
        note("once it is confirmed: nv config apply REVISION --assume-yes with the number kept above", StepPhase.apply),
        *(_undrain() if core.is_drained and not was_drained else ()),
    )
    return Procedure(steps, rollback, stays)


def _undrain() -> list[PatchStep]:
    """Return the end of the drain, which is part of the applied revision, and of the one that a rollback leads to."""
    return [
        run(f"nv unset router bgp {DRAINED}", phase=StepPhase.undrain),
        run("nv config apply --assume-yes", phase=StepPhase.undrain),
    ]


def _replace(step: PatchStep, *, held: bool) -> list[PatchStep]:
    """Return the commands that replace the configuration in place of a copy of the file.

    Where it ends the drain, that is ``held`` until the checks have passed.
    """
    drained = [run(_DRAIN, "applying the file alone would end the drain before the checks")] if held else []
    return [
        step._replace(command='nv config replace "$PWD/{file}"', disruption="hitless"),
        *drained,
        run("nv config diff", "look: what NVUE is going to change"),
        run(
            f"nv config apply --confirm {TIME} --assume-yes",
            "taken back after ten minutes unless it is confirmed",
            step.disruption,
        ),
    ]


def _drain() -> list[PatchStep]:
    """Return the graceful shutdown of BGP (RFC 8326)."""
    reason = "neighbours take every other path; a host behind one leaf has none: drain its jobs first"
    return [
        run(_DRAIN, reason, phase=StepPhase.drain),
        run("nv config apply --assume-yes", phase=StepPhase.drain),
        wait_idle(LINUX),
    ]


def end_drain(tree: Tree) -> Tree | None:
    """Return the configuration of a drained switch as it is once the drain has ended; None if it is not drained."""
    router = tree.get("router")
    bgp = router.get("bgp") if isinstance(router, dict) else None
    if not isinstance(router, dict) or not isinstance(bgp, dict) or bgp.get(DRAINED) != "enabled":
        return None
    left = {key: value for key, value in bgp.items() if key != DRAINED}
    return {**tree, "router": {**router, "bgp": left}}


def honours_shutdown(tree: Tree) -> bool:
    """Return whether no import policy accepts a drained route at the preference of others."""
    return all_honour(tree, _FORM)


def _shutdown_lists(tree: Tree) -> set[str]:
    """Return the names of the lists that hold the community of graceful shutdown and nothing else."""
    found = set()
    for name, row in look_up(tree, *_LISTS).items():
        rules = look_up(row, "rule").values() if isinstance(row, dict) else ()
        if rules and all(rule.get("action") == "permit" and _is_shutdown(rule) for rule in rules):
            found.add(name)
    return found


def _is_shutdown(rule: Mapping[str, Any]) -> bool:
    matched = rule.get("community", {})
    return bool(matched) and set(matched if isinstance(matched, dict) else (matched,)) <= _SHUTDOWN


def _maps(tree: Tree) -> dict[str, list[PolicyEntry]]:
    """Return the entries of every route map."""
    maps = look_up(tree, *_MAPS)
    return {name: list(_entries(look_up(maps, name, "rule"))) for name in maps}


def _entries(rules: Tree) -> Iterator[PolicyEntry]:
    """Yield the entries of a route map."""
    for number, body in rules.items():
        match, action = (look_up(body, key) for key in ("match", "action"))
        conditions = {key: value for key, value in match.items() if key not in ("community-list", "type")}
        sets = look_up(body, "set")
        last = str(sets.get("local-preference")) == "0"
        lists, native = str(match.get("community-list", "")), "community" not in sets
        yield PolicyEntry(int(number), "permit" in action, conditions, lists, last, native)


def _attached(tree: Tree) -> Iterator[str]:
    """Yield the names of the import policies of neighbors and peer groups."""
    for vrf in look_up(tree, "vrf"):
        for kind in _HOLDERS if vrf != _MANAGEMENT else ():
            holders = look_up(tree, "vrf", vrf, "router", "bgp", kind)
            for family in (row for name in holders for row in look_up(holders, name, "address-family").values()):
                policy = look_up(family, *_INBOUND) if isinstance(family, dict) else {}
                if "route-map" in policy:
                    yield str(policy["route-map"])


_FORM = PolicyForm(_shutdown_lists, _maps, _attached)
