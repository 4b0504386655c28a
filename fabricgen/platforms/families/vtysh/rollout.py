"""Procedure on a Linux device with FRR.

A file goes through frr-reload.py, and is saved after the checks.

Source:
    FRR user guide, frr-reload.py: ``--test`` prints the difference, ``--reload`` carries it out;
    vtysh: ``write memory``. netplan.io: ``netplan try`` waits for a key, so a timer of systemd takes its place.
    FRRouting/frr tools/frr-reload.py, 8.4 and 10.3: a reload of any other file than frr.conf ends with ``write``; it
    compares lines as texts, so that AS numbers in dots over the same in decimal are ``no router bgp`` and a new one.
    Live on 10.3: commands with either notation leave the router, its sessions and its notation as they are.
    FRR user guide, bgp, ``bgp graceful-shutdown``: the community 65535:0 goes out with every route, and FRR gives
    such routes local preference 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote

from fabricgen.platforms.families.vtysh.reader import ASN
from fabricgen.platforms.patching.rollout import (
    BEFORE,
    COMPARE,
    Core,
    DrainProof,
    Procedure,
    copies_of,
    is_drained,
    note,
    restore_copies,
    with_drain,
)
from fabricgen.platforms.patching.steps import PatchStep, Situation, StepPhase, run
from fabricgen.platforms.patching.timer import LINUX, start_timer, stop_timer, take_over, timer_minutes, wait_idle
from fabricgen.platforms.reading.reader import Tree, write_plainly

_ROUTER, _DRAINED = "router bgp", "bgp graceful-shutdown"
_OPENING = re.compile(rf"^{_ROUTER} \S+(?: as-notation \S+)?[ \t]*$", re.MULTILINE)
RELOAD = "/usr/lib/frr/frr-reload.py"
_NETPLAN = "netplan apply"
_SAVES = "frr-reload.py saves the configuration that it loads"
_MANAGEMENT = "the timer takes this back if it cuts the management network off"
_CONSOLE = "keep a console at hand: the timer does not survive the restart"
_COMMANDS = "vtysh -f"
_UNDONE = (_COMMANDS, f"{RELOAD} --reload", "tc -batch")
"""Commands that a rollback gives with what was there before: a copy put back changes nothing of what runs."""
_MERGES = "not frr-reload.py: the device writes its AS numbers otherwise, and a reload would make its router anew"
_NOTATION = re.compile(r" as-notation \S+$")


def frame_patch(core: Core) -> Procedure:
    """Frame the files of a Linux device; frr.conf is reloaded, every other file is copied before it is replaced."""
    asn = find_asn(core) if core.is_drained else ""
    restarts = core.disruption == "reboot"
    # Addresses change while the device runs; a restart would end the timer.
    timed = not restarts and any(step.command.endswith(_NETPLAN) for step in core.of(StepPhase.apply))
    drains = bool(asn)
    was_drained, stays = (drains and stays_drained(core, changed=changed) for changed in (False, True))
    undrain, restored = (
        [graceful_shutdown(find_asn(core, changed=changed), ends=True)] if drains and not is_kept else []
        for changed, is_kept in ((True, stays), (False, was_drained))
    )
    steps = (
        *_back_up(core),
        *([_time(core, restored)] if timed else ()),
        *with_drain(_apply(core, core.steps, restarts=restarts, held=bool(undrain)), _drain(asn)),
        *core.of(StepPhase.verify),
        *_compare(core, held=bool(undrain)),
        *([stop_timer()] if timed else ()),
        *undrain,
        *_finish(core, restarts=restarts),
        note(COMPARE, StepPhase.verify),
    )
    return Procedure(steps, (*([take_over()] if timed else ()), *_restore(core, held=bool(restored)), *restored), stays)


def _back_up(core: Core) -> list[PatchStep]:
    """Return the copies of the files that are replaced, with those that a reload saves over."""
    saved = [run(f"cp -p {path} {path}.{BEFORE}", _SAVES, phase=StepPhase.back_up) for path in _list_saved(core)]
    return [*copies_of(core.steps), *saved]


def _drain(asn: str) -> list[PatchStep]:
    """Return the steps that take the traffic off the device."""
    if not asn:
        jobs = note("no file of the device has BGP: have the scheduler move the jobs away", StepPhase.drain)
        return [jobs, wait_idle(LINUX)]
    return [graceful_shutdown(asn), wait_idle(LINUX)]


def _finish(core: Core, *, restarts: bool) -> list[PatchStep]:
    """Return the save of what was reloaded, and the restart."""
    routed = any(step.command.startswith(_COMMANDS) for step in core.steps)
    write = [run("vtysh -c 'write memory'", phase=StepPhase.save)] if routed else []
    restart = [run("reboot", "some files are read at start only", "reboot", phase=StepPhase.restart)]
    return [*write, *(restart if restarts else ())]


def _restore(core: Core, *, held: bool) -> list[PatchStep]:
    """Return the steps back to the files before, with FRR's own reload where it reads them; a drain ends after it."""
    applied = _apply(core, core.back, held=held)
    back = [step for step in applied if step.command.startswith(_UNDONE)]
    restored = [run(f"cp -p {path}.{BEFORE} {path}", _SAVES) for path in _list_saved(core)]
    return [*restore_copies(core.steps), *back, *restored]


def _list_reloaded(core: Core, steps: Sequence[PatchStep]) -> Mapping[str, PatchStep]:
    """Return the files that frr-reload.py loads in place of commands, by the name of these."""
    merged = {each.path.rsplit("/", 1)[-1] for each in core.situations if _differs_in_notation(each)}
    saved = {f"{one.file}.commands": one for one in steps if one.phase is StepPhase.save and one.file not in merged}
    commands = {step.file for step in steps if step.command.startswith(_COMMANDS)}
    return {name: step for name, step in saved.items() if name in commands}


def _differs_in_notation(situation: Situation) -> bool:
    """Return whether both sides have a line that only its AS numbers tell apart, in decimal or in dots."""
    before, after = ({*map(str.strip, text.splitlines())} for text in (situation.before_text, situation.after_text))
    one, other = ({write_plainly(_NOTATION.sub("", row)) for row in side} for side in (before - after, after - before))
    return not one.isdisjoint(other)


def _list_saved(core: Core) -> Iterator[str]:
    """Yield the paths of the files that frr-reload.py loads."""
    return (step.command.split()[-1] for step in _list_reloaded(core, core.steps).values())


def _time(core: Core, restored: Sequence[PatchStep]) -> PatchStep:
    """Return the timer that restores the addresses of the device, and ends its drain."""
    addresses = [step for step in restore_copies(core.steps) if step.command.endswith(_NETPLAN)]
    commands = "; ".join(step.command for step in (*addresses, *restored) if step.command)
    return start_timer(f"sh -c {quote(commands)}", timer_minutes(core.steps, drained=core.is_drained))


def _compare(core: Core, *, held: bool) -> list[PatchStep]:
    """Return the look that FRR runs with what it was given, beside a drain that has not ended yet."""
    return [
        PatchStep(
            f"{RELOAD} --test {{file}}", step.file, keep_drain(step.content) if held else step.content, "hitless",
            "look: no line to delete or to add", phase=StepPhase.verify,
        )
        for step in _list_reloaded(core, core.steps).values()
    ]  # fmt: skip


def _apply(core: Core, steps: Sequence[PatchStep], *, restarts: bool = False, held: bool = False) -> list[PatchStep]:
    """Return the steps of one direction that change something, with a reload of a whole file in place of commands.

    A reload behind a drain that is ``held`` leaves it in place, to end after the checks.
    """
    reloaded = _list_reloaded(core, steps)
    found: list[PatchStep] = []
    for step in steps:
        drained = held and any(is_drained(each.disruption) for each in (*found, step))
        whole = reloaded.get(step.file)
        if whole is not None:
            found += _reload(step, whole, keep_drain(whole.content) if drained else whole.content)
        elif step.phase is StepPhase.apply:
            found.append(step._replace(reason=_explain(step, restarts=restarts)))
    return found


def _reload(step: PatchStep, whole: PatchStep, content: str) -> list[PatchStep]:
    """Return the trial and the reload of a file that take the place of commands."""
    test = PatchStep(
        f"{RELOAD} --test {{file}}", whole.file, content, "hitless", "dry run: prints the commands", trial=True
    )
    command = f"{RELOAD} --reload {{file}}"
    return [test, test._replace(command=command, disruption=step.disruption, reason=step.reason, trial=False)]


def _explain(step: PatchStep, *, restarts: bool) -> str:
    """Return the reason of a step that is no reload."""
    if step.command.endswith(_NETPLAN):
        return _CONSOLE if restarts else _MANAGEMENT
    return "; ".join(filter(None, (step.reason, _MERGES if step.command.startswith(_COMMANDS) else "")))


def find_asn(core: Core, *, changed: bool = False) -> str:
    """Return the AS number that a device runs with, now or once ``changed``; empty if no file tells.

    Files that stay as they are are read where those that change have no router.
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

    The family is ``ipv4`` or ``ipv6``; the command has a place for what the neighbor calls the device.
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
    """Return a file of FRR, with a drain if it has a router: loaded as it is, it would end a drain that has begun."""
    return _OPENING.sub(rf"\g<0>\n {_DRAINED}", text, count=1)


def stays_drained(core: Core, *, changed: bool = False) -> bool:
    """Return whether the files of a device have it drained, now or once ``changed``.

    Then the end of a drain is not its own to say.

    Files that stay as they are are read where those that change have no router.
    """
    if any(end_drain(each.after if changed else each.before) is not None for each in core.situations):
        return True
    routed = any(key.startswith(_ROUTER) for each in core.situations for key in (*each.before, *each.after))
    return not routed and any(end_drain(tree) is not None for tree in core.unchanged())


def graceful_shutdown(asn: str, *, ends: bool = False) -> PatchStep:
    """Return the command that starts or ends the drain; a note where the AS number is not known."""
    phase, word = (StepPhase.undrain, "no ") if ends else (StepPhase.drain, "")
    if not asn:
        return note(
            f"{word}bgp graceful-shutdown below router bgp: the files that change do not tell the AS number", phase
        )
    words = f"-c 'configure terminal' -c 'router bgp {asn}' -c '{word}bgp graceful-shutdown'"
    reason = "" if ends else "neighbours take every other path; a host behind one leaf has none: drain its jobs first"
    return run(f"vtysh {words}", reason, phase=phase)
