"""Procedure on a SONiC switch: checkpoint, dry runs, drain, checks, and ``config save`` at the end.

A reload loads the file that comes with the patch and leaves the saved one alone, so that ``config reload``
is the rollback until the configuration is saved. CONFIG_DB has checkpoints; frr.conf is outside of them and is copied.
Community SONiC has no commit that is taken back by itself: a timer on the switch restores both.

Source:
    sonic-net/sonic-utilities 691b1bbc: config/main.py (checkpoint, apply-patch, rollback, reload, save),
    scripts/reboot, show/interfaces, utilities_common/portstat.py: STATE and TX_UTIL of each port, after a line of text;
    sonic-net/sonic-buildimage dockers/docker-fpm-frr: FRR runs in the container bgp.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from fabricgen.platforms.families.vtysh.rollout import find_asn, graceful_shutdown, stays_drained
from fabricgen.platforms.patching.rollout import (
    BEFORE,
    COMPARE,
    COMPARE_DRAINED,
    Core,
    Procedure,
    look,
    note,
    with_drain,
)
from fabricgen.platforms.patching.steps import PatchStep, StepPhase, run
from fabricgen.platforms.patching.timer import (
    SCRIPT,
    SECONDS,
    UNIT,
    UNKNOWN,
    start_timer,
    stop_timer,
    take_over,
    timer_minutes,
    wait_idle,
)

_CONFIG_DB, _FRR = "/etc/sonic/config_db.json", "/etc/sonic/frr/frr.conf"
_RELOAD, _PATCH, _COMMANDS = "config reload -y {file}", "config apply-patch {file}", "vtysh -f {file}"
_SAVE = "config save -y"
_NO_TSA = "TSA and TSB have no effect on this configuration"
_WEIGHS = "set extcommunity bandwidth"
SENT = (
    f"show interfaces counters -p {SECONDS} -j | python3 -c 'import json, sys; s = sys.stdin.read(); "
    's = json.loads(s[s.index("{"):]); u = [float(p["TX_UTIL"].rstrip("%")) for p in s.values() if p["STATE"] == "U" '
    f'and p["TX_UTIL"] != "N/A"]; print(int(sum(u) / len(u)) if u else "{UNKNOWN}")\''
)
"""Prints how much the ports that are up send of their capacity, in percent, rounded down."""


def frame_patch(core: Core) -> Procedure:
    """Frame the steps of config_db.json and frr.conf."""
    has_database = any(step.command == _SAVE for step in core.steps)
    routed = any(step.command == _COMMANDS for step in core.steps)
    restarts = core.disruption == "reboot"
    shutdown = graceful_shutdown(_asn(core) if core.is_drained else "")
    drain = [shutdown._replace(reason=f"{shutdown.reason}; {_NO_TSA}"), wait_idle(SENT)]
    was_drained, stays = (core.is_drained and stays_drained(core, changed=changed) for changed in (False, True))
    undrain, kept = (
        [graceful_shutdown(_asn(core, changed=changed), ends=True)] if core.is_drained and not is_kept else []
        for changed, is_kept in ((True, stays), (False, was_drained))
    )
    applied = list(_apply(core.steps, restarts=restarts))
    timer = [] if restarts else list(_time(core, applied, kept, database=has_database, routing=routed))
    save = list(_save(core, applied, database=has_database))
    steps = (
        *_back_up(core.name, database=has_database, routing=routed, restarts=restarts),
        *timer,
        *with_drain(applied, drain),
        *(_restart(save, applied, stays=stays) if restarts else ()),
        *_verify(core, drained=bool(undrain) and not restarts and not _reloads(core.steps)),
        *([stop_timer()] if timer else []),
        *undrain,
        *save,
    )
    rollback = (*([take_over()] if timer else []), *_roll_back(core, database=has_database, restarts=restarts), *kept)
    return Procedure(steps, rollback, stays)


def _save(core: Core, applied: Sequence[PatchStep], *, database: bool) -> Iterator[PatchStep]:
    """Yield what keeps the configuration; CONFIG_DB comes last."""
    done = [step.file for step in applied if step.command.startswith("install ")]
    yield from (step for step in core.of(StepPhase.save) if step.command != _SAVE and step.file not in done)
    if database:
        yield run(_SAVE, phase=StepPhase.save)


def _restart(save: Sequence[PatchStep], applied: Sequence[PatchStep], *, stays: bool) -> Iterator[PatchStep]:
    """Yield the restart, with what the switch starts from saved before it; an installed file is not written over."""
    installed = any(step.command.startswith("install ") and step.file == "config_db.json" for step in applied)
    kept = [step for step in save if step.command != _SAVE or not installed]
    yield from (step._replace(reason="the switch starts with what is saved") for step in kept)
    yield run("reboot", "" if stays else "the drain ends with the restart", "reboot", phase=StepPhase.restart)


def _reloads(steps: Sequence[PatchStep]) -> bool:
    """Return whether the services start again, and with them FRR from its file."""
    return any(step.command == _RELOAD for step in steps)


def _verify(core: Core, *, drained: bool) -> Iterator[PatchStep]:
    own = core.of(StepPhase.verify)
    yield from own
    summary = "vtysh -c 'show bgp summary'"
    if summary not in [step.command for step in own]:
        yield look(summary, "every neighbour of before is Established")
    yield look("show interfaces status", "every port that was up is up")
    if any(_WEIGHS in each.after_text and _WEIGHS not in each.before_text for each in core.situations):
        yield look("crm show resources nexthop group member", "weights may repeat members: compare with FG-RTE-931")
    yield note(COMPARE_DRAINED if drained else COMPARE, StepPhase.verify)


def _asn(core: Core, *, changed: bool = False) -> str:
    """Return the AS number that FRR runs with; CONFIG_DB only repeats it, and frr.conf may not have been collected."""
    routed = find_asn(core, changed=changed)
    rows = (
        tree.get("DEVICE_METADATA", {}).get("localhost", {})
        for situation in core.situations
        for tree in (situation.after, situation.before)
    )
    return routed or next((str(row["bgp_asn"]) for row in rows if isinstance(row, dict) and row.get("bgp_asn")), "")


def _back_up(name: str, *, database: bool, routing: bool, restarts: bool) -> Iterator[PatchStep]:
    if database:
        yield run(f"config checkpoint {name}", "CONFIG_DB for the rollback", phase=StepPhase.back_up)
    copied = [*([_CONFIG_DB] if restarts or database else []), *([_FRR] if routing else [])]
    for path in copied:
        yield run(f"cp -p {path} {path}.{BEFORE}", phase=StepPhase.back_up)


def _time(
    core: Core, applied: Sequence[PatchStep], restored: Sequence[PatchStep], *, database: bool, routing: bool
) -> Iterator[PatchStep]:
    """Yield the timer that restores CONFIG_DB and frr.conf together, and the script that it starts.

    The drain ends with a restart of FRR, or with the command that the script gets: the script is that of all switches.

    Its time counts each patch twice: a dry run takes as long as the patch itself.
    """
    reloads = _reloads(core.steps)
    lines = ["#!/bin/sh", f"# Started by the timer {UNIT} unless it is stopped: restores what was there before."]
    copies = ((_CONFIG_DB, database), (_FRR, routing))
    lines += [f"cp -p {path}.{BEFORE} {path}" for path, is_copied in copies if is_copied]
    if database:
        lines.append("config reload -y" if reloads else f"config rollback {core.name} || config reload -y")
    ends = "" if routing or reloads else "".join(f" {step.command}" for step in restored if step.command)
    if routing and not reloads:
        lines.append("systemctl restart bgp")
    elif ends:
        lines.append('"$@"')
    script = "".join(f"{line}\n" for line in lines)
    yield PatchStep(f"install -D -m 700 {{file}} {SCRIPT}", "rollback", script, "hitless", phase=StepPhase.back_up)
    tried = [step for step in core.steps if step.command == _PATCH]
    yield start_timer(f"{SCRIPT}{ends}", timer_minutes([*applied, *tried], drained=core.is_drained))


def _apply(steps: Sequence[PatchStep], *, restarts: bool) -> Iterator[PatchStep]:
    """Yield the steps that change something; before a reload, frr.conf lies where bgp reads it when it starts again."""
    reloads = _reloads(steps)
    down: set[str] = set()
    for step in steps:
        if step.phase is not StepPhase.apply:
            continue
        if step.command == _PATCH:
            yield from () if down else _dry_run(step)
            _follow(down, step.content)
            yield step
        elif step.command == _RELOAD:
            yield from _routing_first(steps)
            put = step._replace(command=f"install -m 640 {{file}} {_CONFIG_DB}", disruption="hitless")
            yield put if restarts else step
            yield from () if restarts else _still_there(steps)
        elif step.command == _COMMANDS:
            yield from () if reloads else _in_container(step)
        else:
            yield step


def _dry_run(step: PatchStep) -> Iterator[PatchStep]:
    command = "config apply-patch --dry-run {file}"
    reason = "takes as long as the patch itself, and changes nothing"
    yield PatchStep(command, step.file, step.content, "hitless", reason, trial=True)


def _follow(down: set[str], content: str) -> None:
    """Keep the ports that patches took down: while they are, no dry run makes it last longer."""
    for operation in json.loads(content):
        words = str(operation.get("path", "")).split("/")
        if words[1:2] == ["PORT"] and words[-1] == "admin_status":
            (down.add if operation.get("value") == "down" else down.discard)(words[2])


def _routing_first(steps: Sequence[PatchStep]) -> Iterator[PatchStep]:
    for step in steps:
        if step.phase is StepPhase.save and step.file:
            yield step._replace(phase=StepPhase.apply, reason="bgp reads it when it starts again")


def _still_there(steps: Sequence[PatchStep]) -> Iterator[PatchStep]:
    """Yield a look at frr.conf, which a reload may delete (sonic-net/sonic-buildimage 27014)."""
    for step in steps:
        if step.phase is StepPhase.save and step.file:
            expected = "look: no difference but lines that SONiC appends; a reload may delete frr.conf"
            yield step._replace(command=f"diff {{file}} {_FRR}", reason=expected, phase=StepPhase.verify)


def _in_container(step: PatchStep) -> Iterator[PatchStep]:
    """Yield the commands for FRR, which runs in a container of its own and sees no file of the switch."""
    inside = f"/tmp/{step.file}"  # noqa: S108 - a path inside the container
    yield step._replace(command=f"docker cp {{file}} bgp:{inside}", disruption="hitless", reason="", trial=True)
    checked = f"docker exec bgp vtysh -C -f {inside}"
    yield run(checked, "dry run: a line that FRR refuses is named")._replace(trial=True)
    yield run(f"docker exec bgp vtysh -f {inside}", step.reason, step.disruption)


def _roll_back(core: Core, *, database: bool, restarts: bool) -> Iterator[PatchStep]:
    """Yield the commands back to what is saved."""
    back = [step for step in core.back if step.command == _COMMANDS]
    reloads = _reloads(core.steps)
    if reloads and back:
        yield run(f"cp -p {_FRR}.{BEFORE} {_FRR}")
    if restarts:
        yield run(f"cp -p {_CONFIG_DB}.{BEFORE} {_CONFIG_DB}")
        yield run("reboot", disruption="reboot")
    elif reloads:
        yield run(
            "config reload -y", "loads the saved configuration, which is still the one of before", disruption="drain"
        )
    elif database:
        reason = "restores the checkpoint; where the updater refuses that, the saved configuration is loaded in a drain"
        yield run(f"config rollback {core.name} || config reload -y", reason, disruption="drain")
    if back and not reloads:
        yield from (step for each in back for step in _in_container(each) if "-C" not in step.command)
