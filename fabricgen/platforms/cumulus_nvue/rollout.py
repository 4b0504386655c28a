"""Procedure on a Cumulus Linux switch.

NVUE replaces its configuration, and returns to the one before unless that is confirmed in time.

Source:
    Cumulus Linux 5.15 user guide, NVUE CLI, Configuration Management Commands (CumulusNetworks/docs 1baa8142): replace,
    diff, history, save; apply with --assume-yes, with --confirm and a time such as 60m (ten minutes by default), and
    with --confirm-status. Neither the guide nor the NVUE reference has the command that confirms: --confirm-yes and
    --confirm-no are as in public run books, so that --confirm-status is looked at afterwards.
    Cumulus Linux 5.17 and 5.18, New and Removed NVUE Commands: ``nv config verify``. A public test suite of NVUE checks
    that the revision stays pending after it.
    Cumulus Linux 5.15, NVUE reference, ``nv set router bgp graceful-shutdown``.
"""

from __future__ import annotations

from fabricgen.platforms.cumulus_nvue.reader import SPELLED, written_by
from fabricgen.platforms.patching.rollout import COMPARE, COMPARE_DRAINED, Core, Procedure, look, note
from fabricgen.platforms.patching.steps import PatchFault, PatchStep, Situation, StepPhase, replace_file, run
from fabricgen.platforms.patching.timer import LINUX, MINUTES, wait_idle
from fabricgen.platforms.reading.reader import Tree

DRAINED = "graceful-shutdown"
TIME = f"{MINUTES}m"
VERIFIES = (5, 17)
"""Release from which on NVUE checks a revision without applying it."""


def plan_patch(situation: Situation) -> tuple[PatchStep, ...]:
    """Return the replacement of the file; raises PatchFault where what stays would need the spelling of before 5.15."""
    if situation.has_more and written_by(situation.after_text or situation.before_text) < SPELLED:
        raise PatchFault("settings that fabricgen does not write stay on it, which it spells as from 5.15 on only")
    return replace_file(situation)


def frame_patch(core: Core) -> Procedure:
    """Frame the startup.yaml of a switch."""
    restart = [run("reboot", "takes effect with the next start", "reboot", phase=StepPhase.restart)]
    save = run("nv config save", phase=StepPhase.save)
    was_drained = any(end_drain(each.before) is not None for each in core.situations)
    stays = core.is_drained and any(end_drain(each.after) is not None for each in core.situations)
    held = core.is_drained and not stays
    drain, verify = _words(core)
    applied = [each for step in core.of(StepPhase.apply) for each in _replace(step, drain if held else "", verify)]
    steps = (
        run("nv config history", "keep the number of the applied revision", phase=StepPhase.back_up),
        *(_drain(drain) if core.is_drained else ()),
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


def _words(core: Core) -> tuple[str, list[PatchStep]]:
    """Return the command of a drain as the release on the switch has it, and its dry run where it has one."""
    runs = min((written_by(each.before_text or each.after_text) for each in core.situations), default=SPELLED)
    verify = [run("nv config verify", "dry run: NVUE's own checks of it")] if runs >= VERIFIES else []
    return f"nv set router bgp {DRAINED} {'on' if runs < SPELLED else 'enabled'}", verify


def _undrain() -> list[PatchStep]:
    """Return the end of the drain, which is part of the applied revision, and of the one that a rollback leads to."""
    return [
        run(f"nv unset router bgp {DRAINED}", phase=StepPhase.undrain),
        run("nv config apply --assume-yes", phase=StepPhase.undrain),
    ]


def _replace(step: PatchStep, drain: str, verify: list[PatchStep]) -> list[PatchStep]:
    """Return the commands that replace the configuration in place of a copy of the file.

    Where it ends the drain, the command ``drain`` holds that until the checks have passed. ``verify`` is the dry run.
    """
    drained = [run(drain, "applying the file alone would end the drain before the checks")] if drain else []
    return [
        step._replace(command='nv config replace "$PWD/{file}"', disruption="hitless"),
        *drained,
        run("nv config diff", "look: what NVUE is going to change"),
        *verify,
        run(
            f"nv config apply --confirm {TIME} --assume-yes",
            "taken back after ten minutes unless it is confirmed",
            step.disruption,
        ),
    ]


def _drain(command: str) -> list[PatchStep]:
    """Return the graceful shutdown of BGP (RFC 8326)."""
    reason = "neighbours take every other path; a host behind one leaf has none: drain its jobs first"
    return [
        run(command, reason, phase=StepPhase.drain),
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
