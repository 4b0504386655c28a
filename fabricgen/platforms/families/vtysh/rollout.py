"""Procedure on a Linux device with FRR: the file through frr-reload.py, saved after the checks.

Source:
    FRR user guide, frr-reload.py: ``--test`` prints the difference, ``--reload`` carries it out;
    vtysh: ``write memory``. netplan.io: ``netplan try`` waits for a key, so a timer of systemd takes its place.
    FRRouting/frr tools/frr-reload.py, 8.4 and 10.3: a reload of any other file than frr.conf ends with ``write``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shlex import quote

from fabricgen.platforms.families.vtysh.demotion import (
    announces_shutdown,
    honours_shutdown,
    prepare_shutdown,
)
from fabricgen.platforms.families.vtysh.drain import (
    balances,
    end_drain,
    find_asn,
    graceful_shutdown,
    keep_drain,
    show_drained,
    stays_drained,
)
from fabricgen.platforms.patching.idle import LINUX, wait_idle
from fabricgen.platforms.patching.rollout import (
    BEFORE,
    COMPARE,
    Core,
    Procedure,
    copies_of,
    is_drained,
    note,
    restore_copies,
    with_drain,
)
from fabricgen.platforms.patching.steps import Phase, Step, run
from fabricgen.platforms.patching.timer import start_timer, stop_timer, take_over, timer_minutes

__all__ = ["announces_shutdown", "end_drain", "frame_patch", "honours_shutdown", "prepare_shutdown", "show_drained"]
RELOAD = "/usr/lib/frr/frr-reload.py"
_NETPLAN = "netplan apply"
_SAVES = "frr-reload.py saves the configuration that it loads"
_MANAGEMENT = "the timer takes this back if it cuts the management network off"
_CONSOLE = "keep a console at hand: the timer does not survive the restart"


def frame_patch(core: Core) -> Procedure:
    """Frame the files of a Linux device; frr.conf is reloaded, every other file is copied before it is replaced."""
    asn = find_asn(core) if core.is_drained else ""
    timed = _needs_timer(core)
    routes = bool(asn) or balances(core.situations)
    drains = core.is_drained and routes
    was_drained, stays = (drains and stays_drained(core, changed=changed) for changed in (False, True))
    undrain, restored = (
        [graceful_shutdown(find_asn(core, changed=changed), ends=True, routes=routes)] if drains and not is_kept else []
        for changed, is_kept in ((True, stays), (False, was_drained))
    )
    steps = (
        *_back_up(core.steps),
        *([_time(core)] if timed else ()),
        *with_drain(_apply(core.steps, restarts=_restarts(core), held=bool(undrain)), _drain(asn, routes=routes)),
        *core.of(Phase.verify),
        *_compare(core.steps, held=bool(undrain)),
        *([stop_timer()] if timed else ()),
        *undrain,
        *_finish(core),
        note(COMPARE, Phase.verify),
    )
    return Procedure(steps, (*([take_over()] if timed else ()), *_restore(core, held=bool(restored)), *restored), stays)


def _restarts(core: Core) -> bool:
    return core.disruption == "reboot"


def _needs_timer(core: Core) -> bool:
    """Return whether the addresses change while the device runs; a restart would end the timer."""
    return not _restarts(core) and any(step.command.endswith(_NETPLAN) for step in core.of(Phase.apply))


def _back_up(steps: Sequence[Step]) -> list[Step]:
    """Return the copies of the files that are replaced, with those that a reload saves over."""
    saved = [run(f"cp -p {path} {path}.{BEFORE}", _SAVES, phase=Phase.back_up) for path in _reloaded(steps)]
    return [*copies_of(steps), *saved]


def _drain(asn: str, *, routes: bool) -> list[Step]:
    """Return the steps that take the traffic off the device."""
    if not routes:
        jobs = note("no file of the device has BGP: have the scheduler move the jobs away", Phase.drain)
        return [jobs, wait_idle(LINUX)]
    return [graceful_shutdown(asn, routes=routes), wait_idle(LINUX)]


def _finish(core: Core) -> list[Step]:
    """Return the save of what was reloaded, and the restart."""
    routed = any(step.command.startswith("vtysh -f") for step in core.steps)
    write = [run("vtysh -c 'write memory'", phase=Phase.save)] if routed else []
    restart = [run("reboot", "some files are read at start only", "reboot", phase=Phase.restart)]
    return [*write, *(restart if _restarts(core) else ())]


def _restore(core: Core, *, held: bool) -> list[Step]:
    """Return the steps back to the files before, with FRR's own reload where it reads them; a drain ends after it."""
    back = [
        step for step in _apply(core.back, held=held) if step.command.startswith(RELOAD) and "--reload" in step.command
    ]
    restored = [run(f"cp -p {path}.{BEFORE} {path}", _SAVES) for path in _reloaded(core.steps)]
    return [*restore_copies(core.steps), *back, *restored]


def _reloaded(steps: Sequence[Step]) -> Iterator[str]:
    """Yield the paths of the files that frr-reload.py loads."""
    commands = {step.file for step in steps if step.command.startswith("vtysh -f")}
    for step in steps:
        if step.phase is Phase.save and f"{step.file}.commands" in commands:
            yield step.command.split()[-1]


def _time(core: Core) -> Step:
    """Return the timer that restores the addresses of the device."""
    restored = [step.command for step in restore_copies(core.steps) if step.command.endswith(_NETPLAN)]
    return start_timer(f"sh -c {quote('; '.join(restored))}", timer_minutes(core.steps, drained=core.is_drained))


def _compare(steps: Sequence[Step], *, held: bool) -> list[Step]:
    """Return the look that FRR runs with what it was given, beside a drain that has not ended yet."""
    whole = [step for step in steps if step.phase is Phase.save and step.file]
    commands = {step.file for step in steps if step.command.startswith("vtysh -f")}
    return [
        Step(
            f"{RELOAD} --test {{file}}", step.file, keep_drain(step.content) if held else step.content, "hitless",
            "look: no line to delete or to add", phase=Phase.verify,
        )
        for step in whole
        if f"{step.file}.commands" in commands
    ]  # fmt: skip


def _apply(steps: Sequence[Step], *, restarts: bool = False, held: bool = False) -> list[Step]:
    """Return the steps that change something, with a reload of the whole file in place of commands.

    Args:
        steps: Of the files.
        restarts: The device restarts at the end.
        held: A reload behind the drain leaves it in place, which ends after the checks.
    """
    saved = [step for step in steps if step.phase is Phase.save and step.file]
    found: list[Step] = []
    for step in steps:
        drained = held and any(is_drained(each.disruption) for each in (*found, step))
        whole = next((each for each in saved if step.file == f"{each.file}.commands"), None)
        if whole is not None:
            test = Step(
                f"{RELOAD} --test {{file}}",
                whole.file,
                keep_drain(whole.content) if drained else whole.content,
                "hitless",
                "dry run: prints the commands",
                trial=True,
            )
            found += [
                test,
                test._replace(
                    command=f"{RELOAD} --reload {{file}}", disruption=step.disruption, reason=step.reason, trial=False
                ),
            ]
        elif step.phase is Phase.apply:
            reason = _CONSOLE if restarts else _MANAGEMENT
            found.append(step._replace(reason=reason) if step.command.endswith(_NETPLAN) else step)
    return found
