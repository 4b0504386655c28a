"""The runbook of a bundle: everything to do, in order, for a person with a shell on each device."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fabricgen.diagnostics.visible import show_line
from fabricgen.diagnostics.words import counted
from fabricgen.diff.report import fold_ranges, name_devices
from fabricgen.platforms.patching.steps import Phase, worst
from fabricgen.platforms.reading.semantics import LOGIN
from fabricgen.rollout.bundle import (
    SUMS,
    PlannedCheck,
    PlannedDevice,
    PlannedPlace,
    PlannedStep,
    PlannedWave,
    Rollout,
)
from fabricgen.rollout.idle_hosts import list_idle_hosts

_NEIGHBORS_MAX = 16
_WHEN = {
    "before": "Before the first step",
    "drained": "Once it is drained",
    "after": "Before the configuration is confirmed and saved",
    "undrained": "Once it is saved and no longer drained, before the next device",
}


def write_runbook(rollout: Rollout) -> str:
    """Return the runbook in Markdown."""
    return "\n".join(_lines(rollout)) + "\n"


def _lines(rollout: Rollout) -> Iterator[str]:
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
    yield from _rules()
    places: dict[str, list[int]] = {}
    for wave in rollout.waves:
        for device in wave.devices:
            places.setdefault(device.name, []).append(wave.number)
    for wave in rollout.waves:
        yield from _wave(wave, rollout, places)


def _overview(rollout: Rollout) -> Iterator[str]:
    yield "| wave | kind | scope | devices | disruption | bandwidth kept | after one more failure |"
    yield "|---|---|---|---|---|---|---|"
    for wave in rollout.waves:
        names = ", ".join(map(_code, fold_ranges([device.name for device in wave.devices])))
        worst = worst_of(wave)
        shares = f"{wave.bandwidth:.1%} | {wave.n_minus_1:.1%}"
        yield f"| {wave.number} | {wave.kind} | {show_line(wave.scope)} | {names} | {worst} | {shares} |"
    yield ""
    yield count_waves(rollout)
    yield ""


def worst_of(wave: PlannedWave) -> str:
    """Return the greatest disruption of a wave, and that it cuts logins where that is not the greatest."""
    found = worst([device.disruption for device in wave.devices])
    return f"{found}, {LOGIN}" if found != LOGIN and any(device.login for device in wave.devices) else found


def list_logins(rollout: Rollout) -> list[str]:
    """Return a line for each set of changes that cuts logins, with the devices that it cuts off."""
    found: dict[str, list[str]] = {}
    for device in rollout.devices:
        if device.login:
            found.setdefault(device.login, []).append(device.name)
    return [f"cuts the login ({login}): {name_devices(names)}" for login, names in found.items()]


def count_waves(rollout: Rollout) -> str:
    """Return how many waves there are, or are left of another rollout."""
    waves = counted(len(rollout.waves), "wave")
    return f"{waves} of the rollout with the plan {rollout.resumes[:16]} left." if rollout.resumes else f"{waves}."


def _stranded(rollout: Rollout) -> Iterator[str]:
    if not rollout.stranded:
        return
    yield "## Prefixes without another path"
    yield ""
    yield (
        "Traffic to these goes on over the device until it stops. Move the jobs away first. They are those of the new "
        "plan: where it renumbers hosts, those that have not moved yet still use their old ones."
    )
    yield ""
    for each in rollout.stranded:
        yield f"* {_code(each.device)}: {', '.join(map(_code, each.prefixes))}, {show_line(each.behind)}"
    yield ""


def _rules() -> Iterator[str]:
    yield "## Rules"
    yield ""
    yield f"1. `sha256sum --check --strict {SUMS}` in this folder: the bundle is the one that was approved."
    yield (
        "2. Collect the devices, then `fabricgen rollout verify . COLLECTED`: they are still what the plan was made "
        "from. Do not begin otherwise."
    )
    yield "3. One wave after the other; inside a wave one device after the other, in the order given here."
    yield (
        "4. Copy the named folder to a private folder of the device, and run the commands there: as root in a shell, "
        "or in the privileged mode of the device's own command line."
    )
    yield (
        "5. A command that fails, or a check that is not as expected: stop, carry out the rollback of that device, and "
        "do not go on with the next one."
    )
    yield (
        "6. After an interruption: collect the devices, then `fabricgen rollout resume . COLLECTED -o REST` names what "
        "is done and writes what remains. On the device that was under way, first confirm, undrain and save a change "
        "that is done: a timer that still runs takes it back."
    )
    yield (
        "7. To take back what is done: `undo/steps` of each device, the last wave first, and before each wave the jobs "
        "moved away as on the way there."
    )
    yield ""


def _wave(wave: PlannedWave, rollout: Rollout, places: Mapping[str, Sequence[int]]) -> Iterator[str]:
    phase = rollout.phases[wave.phase]
    scope = f", {show_line(wave.scope)}" if wave.scope else ""
    yield f"## Wave {wave.number}: {wave.kind}{scope}"
    yield ""
    if phase.title:
        reason = f" ({show_line(phase.reason)})" if phase.reason else ""
        yield f"Phase {phase.number + 1} of {len(rollout.phases)}: {show_line(phase.title)}{reason}."
        yield ""
    if wave.kept:
        pair = " and ".join(map(_code, wave.kept))
        yield f"{pair} keep {wave.bandwidth:.1%} of their bandwidth; no pair keeps less."
        yield ""
    if wave.kept and wave.failure.switch:
        pair = " and ".join(map(_code, wave.failure.kept))
        yield f"If {_code(wave.failure.switch)} fails meanwhile, {pair} keep {wave.n_minus_1:.1%}."
        yield ""
    hosts = list_idle_hosts(wave)
    if hosts:
        names = ", ".join(map(_code, hosts))
        yield f"Before the wave, have the scheduler move the jobs away from {counted(len(hosts), 'host')}: {names}"
        yield ""
        yield from _block([_scheduler(hosts)])
        yield "Begin once all of them are `drained`. Where a node is `draining`, a job still runs:"
        yield ""
        yield from _block([f"sinfo --Node --noheader --nodes={','.join(hosts)} --format='%N %T' | sort -u"])
    for device in wave.devices:
        yield from _device(device, [number for number in places[device.name] if number > wave.number])
    if hosts:
        yield "Give the hosts back to the scheduler:"
        yield ""
        yield from _block([_scheduler(hosts, resume=True)])


def _scheduler(hosts: Sequence[str], *, resume: bool = False) -> str:
    """Return the command of Slurm; other schedulers have the like."""
    names = ",".join(hosts)
    state = "state=resume" if resume else "state=drain reason=fabricgen-rollout"
    return f"scontrol update nodename={names} {state}"


def _device(device: PlannedDevice, later: Sequence[int]) -> Iterator[str]:
    yield f"### {_code(device.name)}"
    yield ""
    where = f"{device.tier}, {device.platform}, {device.disruption}"
    at = f" Login: {_code(device.address)}." if device.address not in ("", device.name) else ""
    yield f"{where}.{at} Files: `{device.folder}/apply`; steps in one file: `{device.folder}/apply/steps`."
    yield ""
    if device.login:
        moved = f" Afterwards it is reached at {_code(device.moves_to)}." if device.moves_to else ""
        yield f"The change cuts the login ({show_line(device.login)}): have a session open on the console.{moved}"
        yield ""
    before, drained, after, undrained = ([each for each in device.checks if each.when == when] for when in _WHEN)
    steps = list(enumerate(device.steps, 1))
    idle, judged = _places_of_checks(device.steps)
    yield from _checks(before, "before")
    yield from _steps(steps[:idle])
    yield from _checks(drained, "drained")
    yield from _steps(steps[idle:judged])
    yield from _checks(after, "after")
    yield from _steps(steps[judged:])
    yield from _checks(undrained, "undrained")
    if undrained:
        yield (
            "Without that the change stays, because its checks have passed. Do not go on with the next device before "
            "traffic is back on this one."
        )
        yield ""
    yield f"If a step or a check fails before the save, with the files of `{device.folder}/rollback`:"
    yield ""
    yield from _steps(list(enumerate(device.rollback, 1)))
    after_those = f", once its later waves are taken back: {', '.join(map(str, reversed(later)))}" if later else ""
    yield f"Once everything is done, `{device.folder}/undo/steps` takes it back{after_those}."
    yield ""


def _places_of_checks(steps: Sequence[PlannedStep]) -> tuple[int, int]:
    """Return how many steps come before the checks of a drain, and before those of the outcome."""
    phases = [step.phase for step in steps]
    idle = len(phases) - phases[::-1].index(Phase.drain) if Phase.drain in phases else 0
    kept = (Phase.confirm, Phase.undrain, Phase.save, Phase.restart)
    judged = next((at for at, phase in enumerate(phases) if phase in kept), len(phases))
    return idle, max(idle, judged)


def _steps(steps: Sequence[tuple[int, PlannedStep]]) -> Iterator[str]:
    for number, step in steps:
        detail = step.reason if step.action != "look" else f"expect: {step.expected}"
        words = f"{number}. {step.phase}, {step.disruption}"
        yield f"{words}: {show_line(detail)}" if detail else words
        if step.command:
            yield ""
            yield from _block([step.command], indent="   ")
    if steps and not steps[-1][1].command:
        yield ""


def _checks(checks: Sequence[PlannedCheck], when: str) -> Iterator[str]:
    if not checks:
        return
    yield f"{_WHEN[when]}:"
    yield ""
    for check in checks:
        where = f"on {_places(check.at)}: " if check.at else ""
        yield f"* {where}{show_line(check.expected)}"
        if check.command:
            yield ""
            yield from _block([_told(check)], indent="  ")


def _places(places: Sequence[PlannedPlace]) -> str:
    """Return the neighbors on which a check is read, each with what its routing calls the device."""
    first: dict[str, str] = {}
    for place in places:
        first.setdefault(place.device, place.neighbor)
    name, *others = first
    listed = [f"{_code(other)} with {_code(first[other])}" for other in others[:_NEIGHBORS_MAX]]
    left = len(others) - len(listed)
    more = [f"{counted(left, 'more neighbor')}, which plan.json lists"] if left else []
    return f"{_code(name)}, and likewise on {', '.join([*listed, *more])}" if others else _code(name)


def _told(check: PlannedCheck) -> str:
    """Return the command of a check, on the first neighbor where it is one for neighbors."""
    return check.command.replace("{neighbor}", check.at[0].neighbor) if check.at else check.command


def _block(lines: Sequence[str], indent: str = "") -> Iterator[str]:
    yield f"{indent}```sh"
    yield from (f"{indent}{show_line(line)}" for line in lines)
    yield f"{indent}```"
    yield ""


def _code(text: str) -> str:
    """Return a foreign text as a code span: nothing in it is markup."""
    shown = show_line(text).replace("`", "'")
    return f"`{shown}`"
