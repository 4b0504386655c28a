"""The page of a bundle: its waves, their rules, and one procedure for all devices that change in the same way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from fabricgen.diagnostics.visible import show_line
from fabricgen.diagnostics.words import counted
from fabricgen.diff.report import fold_ranges, name_devices
from fabricgen.platforms.patching.steps import StepPhase, worst
from fabricgen.platforms.reading.semantics import LOGIN
from fabricgen.rollout.bundle import (
    DEVICES,
    PATCHES,
    SUMS,
    TABLE,
    PlannedCheck,
    PlannedProcedure,
    PlannedStep,
    PlannedWave,
    RolloutPlan,
    fill,
)
from fabricgen.rollout.idle_hosts import list_idle_hosts, list_returned

_NAMES_MAX = 6
_PASS = re.compile(r"pass \d+ of (\d+): ")
_STRANDED_MAX = 8
_PERIOD_MAX = 6
_REPEATS_MIN = 3
_WHEN = {
    "before": "Before the first step",
    "drained": "Once it is drained",
    "after": "Before the configuration is confirmed and saved",
    "undrained": "Before the next device, once it is saved and no longer drained",
}
_RULES = f"""\
## Rules

1. `sha256sum --check --strict {SUMS}` in this folder: the bundle is the one that was approved.
2. Collect the devices, then `fabricgen rollout verify . COLLECTED`: they are still what the plan was made from. Do
   not begin otherwise.
3. One wave after the other, the next once every device of the one before is done; inside a wave in the order of
   `{TABLE}`. The playbooks keep the same order.{{pace}}
4. `{TABLE}` has a row for each device of each wave: its login (`address`), its `procedure` and `patch`, and what
   stands for each `{{name}}` of the procedure.
5. Copy `{PATCHES}/{{patch}}` to a folder of the device that only its owner reads, for example `scp -r
   {PATCHES}/{{patch}} {{address}}:fabricgen-rollout`. Run the commands in its folder `apply`, those of the rollback
   in `rollback`, those that undo in `undo`: as root in a shell, or in the privileged mode of the device's own command
   line, where the lines of the file are pasted. Remove the folder at the end.
6. A look or a check that is not as expected is made again every 10 seconds, for 5 minutes at most. If it still is
   not, or a command fails: stop, carry out the rollback of that device, and begin no other one.{{failures}}
7. Neighbors send over a device again once that check passes on all of them; it is final, and the next device may
   begin. If it does not within 5 minutes, the change stays, because its own checks have passed, but stop: look at the
   running configuration of the device and the paths on the neighbor, then undo the change or go on.
8. After an interruption: collect the devices, then `fabricgen rollout resume . COLLECTED -o REST` names what is done
   and writes what remains. On the device that was under way, first confirm, undrain and save a change that is done: a
   timer that still runs takes it back.
9. To take back what is done: undo it on each device, the last wave first, and before each wave the jobs moved away as
   on the way there.
"""


def write_runbook(rollout: RolloutPlan) -> str:
    """Return the runbook in Markdown."""
    return "\n".join(_lines(rollout)) + "\n"


def _lines(rollout: RolloutPlan) -> Iterator[str]:
    devices = {device.name for device in rollout.devices}
    yield f"# Rollout of {_code(rollout.fabric)}"
    yield ""
    yield (
        f"{counted(len(devices), 'device')} in {counted(len(rollout.waves), 'wave')}, at worst {rollout.disruption}. "
        f"From {_code(rollout.deployed.name)} to {_code(rollout.intended.name)}."
    )
    yield ""
    first = [*rollout.summary, *list_logins(rollout)]
    yield from (*(f"* {_code(line)}" for line in first), "") if first else ()
    yield from _overview(rollout)
    yield from _stranded(rollout)
    yield fill(_RULES, {"failures": _failures(rollout), "pace": _pace(rollout)})
    yield from _jobs(rollout)
    yield "## Procedures"
    yield ""
    for procedure in rollout.procedures:
        yield from _procedure(procedure, rollout)


def _pace(rollout: RolloutPlan) -> str:
    """Return what comes between two waves, as lines of a rule; empty if nothing does."""
    sizes = ((3600, "hour"), (60, "minute"), (1, "second"))
    size, word = next(each for each in sizes if rollout.soak_seconds % each[0] == 0)
    waits = f"wait {counted(rollout.soak_seconds // size, word)}" if rollout.soak_seconds else ""
    runs = f"run: {_code(rollout.gate)} in `ansible`; go on if it exits with 0" if rollout.gate else ""
    found = ", then ".join(filter(None, (waits, runs)))
    number = ", `{wave}` is its number" if "{wave}" in rollout.gate else ""
    return f"\n   After each wave{number}: {found}." if found else ""


def _failures(rollout: RolloutPlan) -> str:
    """Return the waves that go on past failed devices, as lines of a rule; empty if none does."""
    waves = [wave for wave in rollout.waves if wave.max_failures]
    if not waves:
        return ""
    which = "In every wave" if len(waves) == len(rollout.waves) else f"From wave {waves[0].number} on"
    return (
        f"\n   {which} go on past devices that failed and run as before, {waves[0].max_failures} of a wave at most and "
        "never all of it;\n   `fabricgen rollout resume` has them again."
    )


def _overview(rollout: RolloutPlan) -> Iterator[str]:
    phased = len(rollout.phases) > 1
    columns = "kind | scope | devices | disruption | bandwidth kept | after one more failure"
    yield f"| wave |{' phase |' if phased else ''} {columns} |"
    yield f"|---|{'---|' if phased else ''}---|---|---|---|---|---|"
    for wave in rollout.waves:
        names = fold_ranges([device.name for device in wave.devices])
        shown = ", ".join(map(_code, names[:_NAMES_MAX]))
        more = f" … ({len(wave.devices)})" if len(names) > _NAMES_MAX else ""
        shares = f"{wave.bandwidth:.1%} | {wave.n_minus_1:.1%}"
        where = f"{wave.number} | {wave.phase + 1} |" if phased else f"{wave.number} |"
        yield f"| {where} {wave.kind} | {show_line(wave.scope)} | {shown}{more} | {worst_of(wave)} | {shares} |"
    yield ""
    yield from (f"* {show_line(line)}" for line in list_phases(rollout))
    yield count_waves(rollout) if not phased else f"* {count_waves(rollout)}"
    yield ""
    least = min(rollout.waves, key=lambda wave: (wave.bandwidth, wave.n_minus_1))
    if least.kept:
        pairs = [" and ".join(map(_code, pair)) for pair in (least.kept, least.failure.kept)]
        failed = f"if {_code(least.failure.switch)} fails meanwhile, {pairs[1]} keep {least.n_minus_1:.1%}"
        after = f"; {failed}" if least.failure.switch else ""
        yield f"Least in wave {least.number}: {pairs[0]} keep {least.bandwidth:.1%} of their bandwidth{after}."
        yield ""


def list_phases(rollout: RolloutPlan) -> Iterator[str]:
    """Yield a line for each phase of a rollout that has several, and one for all phases of its passes."""
    phases = rollout.phases if len(rollout.phases) > 1 else ()
    for (title, reason), found in groupby(phases, lambda phase: (_shared_title(phase.title), phase.reason)):
        numbers = [phase.number + 1 for phase in found]
        which = f"phases {numbers[0]} to {numbers[-1]}" if numbers[1:] else f"phase {numbers[0]}"
        yield f"{which}: {title}{f' ({reason})' if reason else ''}"


def _shared_title(title: str) -> str:
    """Return the title that all phases of the passes of a rollout have in common; that of any other phase itself."""
    found = _PASS.match(title)
    return f"{found[1]} passes, each of them: change, neighbors, return" if found else title


def worst_of(wave: PlannedWave) -> str:
    """Return the greatest disruption of a wave, and that it cuts logins where that is not the greatest."""
    found = worst([device.disruption for device in wave.devices])
    return f"{found}, {LOGIN}" if found != LOGIN and any(device.login for device in wave.devices) else found


def list_logins(rollout: RolloutPlan) -> list[str]:
    """Return a line for each set of changes that cuts logins, with the devices that it cuts off."""
    found: dict[str, list[str]] = {}
    for device in rollout.devices:
        if device.login:
            found.setdefault(device.login, []).append(device.name)
    return [f"cuts the login ({login}): {name_devices(names)}" for login, names in found.items()]


def count_waves(rollout: RolloutPlan) -> str:
    """Return how many waves there are, or are left of another rollout."""
    waves = counted(len(rollout.waves), "wave")
    return f"{waves} of the rollout with the plan {rollout.resumes[:16]} left." if rollout.resumes else f"{waves}."


def _stranded(rollout: RolloutPlan) -> Iterator[str]:
    if not rollout.stranded:
        return
    yield "## Prefixes without another path"
    yield ""
    yield (
        "Traffic to these goes on over the device until it stops. Move the jobs away first. They are those of the new "
        "plan: where it renumbers hosts, those that have not moved yet still use their old ones."
    )
    yield ""
    for each in rollout.stranded[:_STRANDED_MAX]:
        yield f"* {_code(each.device)}: {', '.join(map(_code, each.prefixes))}, {show_line(each.user)}"
    left = len(rollout.stranded) - _STRANDED_MAX
    yield from (f"* {counted(left, 'more device')}: `stranded` of `plan.json`",) if left > 0 else ()
    yield ""


def _jobs(rollout: RolloutPlan) -> Iterator[str]:
    """Yield what the scheduler does; the commands are those of Slurm, and other schedulers have the like."""
    hosts = {wave.number: list_idle_hosts(wave) for wave in rollout.waves}
    if not any(hosts.values()):
        return
    yield "## Jobs"
    yield ""
    yield (
        "Before these waves have the scheduler move the jobs away from their hosts, and begin once all are `drained`; "
        "where one is `draining`, a job still runs. Give those of the last column back after the wave."
    )
    yield ""
    yield "* `scontrol update nodename={hosts} state=drain reason=fabricgen-rollout`"
    yield "* `sinfo --Node --noheader --nodes={hosts} --format='%N %T' | sort -u`"
    yield "* `scontrol update nodename={hosts} state=resume`"
    yield ""
    yield "| wave | hosts | `{hosts}` | back afterwards |"
    yield "|---|---|---|---|"
    for wave in rollout.waves:
        if names := hosts[wave.number]:
            back = list_returned(wave, rollout.waves)
            shown = "all" if back == names else _code(_fold_hosts(back)) if back else "none"
            yield f"| {wave.number} | {len(names)} | {_code(_fold_hosts(names))} | {shown} |"
    yield ""


def _fold_hosts(names: Sequence[str]) -> str:
    """Return names as Slurm takes them: those that end in numbers that count up as one."""
    runs: list[tuple[str, list[str]]] = []
    for name in names:
        digits = re.search(r"[0-9]*$", name)
        number = digits[0] if digits else ""
        prefix = name.removesuffix(number) if number else name
        last = runs[-1] if runs else ("", [])
        if number and last[0] == prefix and len(last[1][-1]) == len(number) and int(last[1][-1]) + 1 == int(number):
            last[1].append(number)
        else:
            runs.append((prefix, [number]))
    return ",".join(
        f"{prefix}[{numbers[0]}-{numbers[-1]}]" if len(numbers) > 1 else f"{prefix}{numbers[0]}"
        for prefix, numbers in runs
    )


def _procedure(procedure: PlannedProcedure, rollout: RolloutPlan) -> Iterator[str]:
    devices = [device for device in rollout.devices if device.procedure == procedure.name]
    waves = ", ".join(fold_ranges([str(number) for number in sorted({device.wave for device in devices})]))
    yield f"### {_code(procedure.name)}"
    yield ""
    where = f"{show_line(procedure.tier)}, {procedure.platform}, {procedure.disruption}"
    names = {device.name for device in devices}
    yield f"{where}: {counted(len(names), 'device')}, {'wave' if waves.isdigit() else 'waves'} {waves}."
    yield ""
    if any(device.login for device in devices):
        yield (
            "The change cuts the login (`login`): have a session open on the console. Where the management address "
            f"moves, `{DEVICES}/{{device}}.json` has the one that it is reached at afterwards."
        )
        yield ""
    before, drained, after, undrained = ([each for each in procedure.checks if each.when == when] for when in _WHEN)
    steps = list(enumerate(procedure.steps, 1))
    idle, judged = _places_of_checks(procedure.steps)
    yield from _checks(before, "before")
    yield from _steps(steps[:idle])
    yield from _checks(drained, "drained")
    yield from _steps(steps[idle:judged])
    yield from _checks(after, "after")
    yield from _steps(steps[judged:])
    yield from _checks(undrained, "undrained")
    yield "If a step or a check fails before the save, roll back:"
    yield ""
    yield from _steps(list(enumerate(procedure.rollback, 1)))
    if [_opposite(step) for step in procedure.steps] == [step[:4] for step in procedure.undo]:
        yield "Once everything is done, the same steps with `undo` for `apply`, in its folder `undo`, take it back."
        yield ""
    else:
        yield "Once everything is done, take it back, with the same checks:"
        yield ""
        yield from _steps(list(enumerate(procedure.undo, 1)))


def _opposite(step: PlannedStep) -> tuple[str, ...]:
    """Return a step as one that undoes it, if only the names of checkpoints and folders differ."""
    command = step.command.replace("fabricgen-apply", "fabricgen-undo")
    return (step.phase, step.action, command, step.file.replace("apply/", "undo/", 1))


def _places_of_checks(steps: Sequence[PlannedStep]) -> tuple[int, int]:
    """Return how many steps come before the checks of a drain, and before those of the outcome."""
    phases = [step.phase for step in steps]
    idle = len(phases) - phases[::-1].index(StepPhase.drain) if StepPhase.drain in phases else 0
    kept = (StepPhase.confirm, StepPhase.undrain, StepPhase.save, StepPhase.restart)
    judged = next((at for at, phase in enumerate(phases) if phase in kept), len(phases))
    return idle, max(idle, judged)


def _steps(steps: Sequence[tuple[int, PlannedStep]]) -> Iterator[str]:
    """Yield a line for each step; steps that come again and again, with other files, are shown once."""
    at = 0
    while at < len(steps):
        period, times = _find_repeats([_shape(step) for _, step in steps[at:]])
        for number, step in steps[at : at + period]:
            detail = step.reason if step.action != "look" else f"expect: {step.expected}"
            command = f": {_code(step.command)}" if step.command else ""
            yield f"{number}. {step.phase}, {step.disruption}{command}{f' ({show_line(detail)})' if detail else ''}"
        at += period * times
        if times > 1:
            again = [step for _, step in steps[at - period * (times - 1) : at]]
            files = [step.file.rpartition("/")[2] for step in again if step.file]
            first, last = steps[at - len(again)][0], steps[at - 1][0]
            yield f"{first}. steps {first} to {last}: the same {times - 1} times, with `{files[0]}` to `{files[-1]}`"
    yield from ("",) if steps else ()


def _shape(step: PlannedStep) -> tuple[str, ...]:
    """Return a step without the number of its file and the names in its reason; nothing is like one without a file."""
    command = re.sub(r"\b[0-9]+-", "-", step.command) if step.file else f"{step.phase} {step.command}"
    return (step.phase, step.action, step.disruption, command, step.reason.partition(":")[0], step.file and "file")


def _find_repeats(shapes: Sequence[tuple[str, ...]]) -> tuple[int, int]:
    """Return how many steps come again at the beginning, and how many times they are there; 1 and 1 if none do."""
    for period in range(1, _PERIOD_MAX + 1):
        first, times = list(shapes[:period]), 1
        while list(shapes[times * period : (times + 1) * period]) == first:
            times += 1
        if times >= _REPEATS_MIN and all(shape[-1] for shape in first):
            return period, times
    return 1, 1


def _checks(checks: Sequence[PlannedCheck], when: str) -> Iterator[str]:
    if not checks:
        return
    which = f", on each of the `neighbors` in `{DEVICES}/{{device}}.json`" if checks[0].subject == "neighbors" else ""
    yield f"{_WHEN[when]}{which}:"
    yield ""
    for check in checks:
        yield f"* {show_line(check.expected)}{f': {_code(check.command)}' if check.command else ''}"
    yield ""


def _code(text: str) -> str:
    """Return a foreign text as a code span: nothing in it is markup."""
    shown = show_line(text)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"
