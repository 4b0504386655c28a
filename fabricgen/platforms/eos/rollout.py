"""Procedure on an EOS switch.

Nothing is copied straight into running-config: a configuration session shows its difference before it commits, and
returns to the configuration of before unless it is confirmed in time. A drain is maintenance mode.

Source:
    Arista EOS User Manual, Configure Session (``configure session``, ``show session-config diffs``, ``commit timer``,
    ``abort``) and Maintenance Mode; pyavd 6.4 for the lines of maintenance mode; napalm 5.2 and
    arista.eos for the confirmation of a session and for ``configure checkpoint``. ``configure session NAME commit`` and
    ``abort`` while the timer runs: advertisingemergency.net, Config Session Timers. ``reload now``, which asks for
    nothing: networktocode/pyntc, EOSDevice.reboot; kestra.io, plugin Arista EOS, Reload.
    Batfish, lab_validation, ``show ip bgp vrf all | json`` of Arista EOS: ``nextHop`` and ``localPreference`` of each
    of the ``bgpRoutePaths``. ANTA 1.10, VerifyBGPRouteECMP: the ``routeType`` of the head of equal paths is ``active``,
    and of every one ``ecmp``.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from fabricgen.platforms.eos.reader import YES
from fabricgen.platforms.patching.rollout import COMPARE, COMPARE_DRAINED, Core, DrainProof, Procedure, look, note
from fabricgen.platforms.patching.steps import PatchStep, StepPhase, run
from fabricgen.platforms.patching.timer import MINUTES
from fabricgen.platforms.reading.reader import Tree

UNIT, DRAINED = "unit System", "quiesce"
TIMER = f"00:{MINUTES}:00"
_ENTER = ("configure", "maintenance", UNIT)


def frame_patch(core: Core) -> Procedure:
    """Frame the commands of startup-config."""
    commands = [step for step in core.of(StepPhase.apply) if step.file]
    session = f"fabricgen-{sha256(''.join(step.content for step in commands).encode()).hexdigest()[:8]}"
    checkpoint, restarts = f"{session}-before", core.disruption == "reboot"
    stays = core.is_drained and _in_maintenance(each.after for each in core.situations)
    undrain = _maintenance(StepPhase.undrain) if core.is_drained and not stays else []
    write = run("write memory", phase=StepPhase.save)
    restart = [
        write._replace(reason="EOS restarts from startup-config"),
        run("reload now", "takes effect with the next start", "reboot", phase=StepPhase.restart),
        look("show maintenance", "unit System is in maintenance"),
    ]
    steps = (
        run(f"configure checkpoint save {checkpoint}", phase=StepPhase.back_up),
        *(_maintenance(StepPhase.drain) if core.is_drained else ()),
        *(each for step in commands for each in _commit(step, session, drained=core.is_drained)),
        look("show ip bgp summary", "every neighbour of before is established"),
        look("show interfaces status", "every port that was connected is connected"),
        note(COMPARE_DRAINED if undrain else COMPARE, StepPhase.verify),
        run(f"configure session {session} commit", "stops the timer", phase=StepPhase.confirm),
        *(restart if restarts else ()),
        *undrain,
        write,
    )
    return Procedure(steps, tuple(_roll_back(core, session, checkpoint)), stays)


def _roll_back(core: Core, session: str, checkpoint: str) -> list[PatchStep]:
    """Return the commands back to the start, which may be in maintenance mode."""
    ends = core.is_drained and not _in_maintenance(each.before for each in core.situations)
    return [
        run(f"configure session {session} abort", "while the timer runs; its end does the same", core.disruption),
        run(f"configure checkpoint restore {checkpoint}", "once the session is confirmed", core.disruption),
        *([note("after a reload: undo/steps", StepPhase.apply)] if core.disruption == "reboot" else []),
        *(_maintenance(StepPhase.undrain) if ends else ()),
    ]


def _in_maintenance(trees: Iterable[Tree]) -> bool:
    return any(end_drain(tree) is not None for tree in trees)


def _keep_drain(content: str) -> str:
    """Return commands without the one that ends maintenance mode, which is ended after the checks."""
    return "".join(line for line in content.splitlines(keepends=True) if line.rstrip() != "no maintenance")


def _commit(step: PatchStep, session: str, *, drained: bool) -> list[PatchStep]:
    """Return the session that carries the commands out, and ends no maintenance mode where it is for the drain too."""
    paste = "; ".join(["paste {file} into the session", *([step.reason] if step.reason else [])])
    return [
        step._replace(
            command=f"configure session {session}",
            content=_keep_drain(step.content) if drained else step.content,
            disruption="hitless",
            reason=paste,
        ),
        run("show session-config diffs", "look: the lines of the file and no other"),
        run(f"commit timer {TIMER}", "taken back after ten minutes unless it is confirmed", step.disruption),
    ]


def _maintenance(phase: StepPhase) -> list[PatchStep]:
    """Return the commands that start or end maintenance mode, which moves BGP traffic away."""
    last = DRAINED if phase is StepPhase.drain else f"no {DRAINED}"
    steps = [run(command, phase=phase) for command in (*_ENTER, last, "end")]
    if phase is StepPhase.drain:
        reason = "a host behind one leaf has no other path: drain its jobs first"
        steps[0] = steps[0]._replace(reason=reason)
        steps.append(look("show maintenance", "unit System is in maintenance", phase))
        steps.append(look("show interfaces counters rates", "both directions of every port are idle", phase))
    return steps


def end_drain(tree: Tree) -> Tree | None:
    """Return the configuration of a drained switch as it is after maintenance mode; None outside of that mode."""
    mode = tree.get("maintenance")
    unit = mode.get(UNIT) if isinstance(mode, dict) else None
    if not isinstance(mode, dict) or not isinstance(unit, dict) or unit.get(DRAINED) != YES:
        return None
    # Sections that quiesce has opened go with it.
    left = {key: value for key, value in unit.items() if key != DRAINED}
    others = {**mode, UNIT: left} if left else {key: value for key, value in mode.items() if key != UNIT}
    whole = {**tree, "maintenance": others}
    return whole if others else {key: value for key, value in tree.items() if key != "maintenance"}


def show_drained(neighbor: str, family: str) -> DrainProof | None:
    """Return what shows on an EOS neighbor that a device is drained, or no longer; None where the form is not public.

    Args:
        neighbor: What the neighbor calls the device: the next hop of what the device announces, if it is of IPv4.
        family: ``ipv4`` or ``ipv6``, of the routes that are asked for.
    """
    if family != "ipv4" or neighbor.count(".") != 3 or ":" in neighbor:
        return None
    return DrainProof(
        "show ip bgp vrf all | json",
        "every path with the next hop {neighbor} has localPreference 0",
        "vrfs.default.bgpRouteEntries",
        "localPreference",
        paths="bgpRoutePaths",
        via="nextHop",
        used=("routeType.active", "routeType.ecmp"),
        returned="paths with the next hop {neighbor} have no localPreference 0, and are active or ecmp as before",
    )
