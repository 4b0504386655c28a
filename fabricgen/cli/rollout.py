"""``fabricgen rollout``: a change of intent as a plan that a person approves and a bundle that carries it out."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabricgen.cli.check import CheckName
from fabricgen.cli.diff import DeployedArgument, IntendedArgument, TierOption
from fabricgen.cli.options import CatalogOption, OnlyOption, OverlayOption, argument, flag, option
from fabricgen.cli.output import DataFormat, print_diagnostics, print_json, print_line, print_rows
from fabricgen.cli.progress import show_progress
from fabricgen.cli.verb import DefaultVerb, add_verb, make_group
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import counted

if TYPE_CHECKING:
    from fabricgen.api.rollout_judge import Judgement
    from fabricgen.api.rollout_state import Resumed
    from fabricgen.rollout.bundle import RolloutPlan
    from fabricgen.state.findings import StateFinding


JUDGE_EXAMPLES = """\
fabricgen rollout judge bundle spine-01 -o before
fabricgen rollout judge bundle spine-01 -o now --since before --wave 3"""


def judge(
    folder: Annotated[Path, argument("DIR", "The bundle.")],
    device: Annotated[str, argument("DEVICE", "A device of it.")],
    out: Annotated[Path, option("-o --out", "DIR", "Folder for its answers, a collection of its own.")],
    since: Annotated[
        Path | None, option("--since", "DIR", "Answers of before the change: what was wrong then does not count.")
    ] = None,
    wave: Annotated[
        int | None, typer.Option("--wave", metavar="N", help="Its change in this wave, not in its last one.")
    ] = None,
    skip: Annotated[list[CheckName] | None, option("--skip", "NAME", "Not this check; may be repeated.")] = None,
    strict: Annotated[bool, flag("--strict", "What was wrong before counts as well.")] = False,
) -> None:
    """Judge one device around its change.

    Its answers come on standard input; the playbooks of a bundle call it before and after. Exit code: 0 nothing
    is worse, 1 errors or a check without its answer, 3 different.
    """
    import sys
    from datetime import UTC, datetime

    from fabricgen.api.rollout_judge import ANSWERS_MAX_BYTES, BundleDevice, judge_device

    bag = Bag()
    when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    skipped = [each.value.replace("-", " ") for each in skip or ()]
    place, answers = BundleDevice(folder, device, wave), sys.stdin.buffer.read(ANSWERS_MAX_BYTES + 1)
    found = judge_device(place, answers, out, when, bag, since=since, skip=skipped, strict=strict)
    print_diagnostics(bag, devices=True)
    if found is None or bag.has_errors:
        raise typer.Exit(1)
    _print_judgement(found, is_first=since is None)
    if not found.is_whole:
        raise typer.Exit(1)
    if found.findings:
        raise typer.Exit(3)


def _print_judgement(found: Judgement, *, is_first: bool) -> None:
    """Print the judgement, a line for each finding."""
    for check, finding in found.findings:
        print_line(f"{check}: {_tell(finding)}")
    for check, finding in found.known:
        print_line(f"as before, {check}: {_tell(finding)}")
    for each in found.lacking:
        print_line(f"not judged, {each}")
    left = f", {len(found.lacking)} not judged" if found.lacking else ""
    if not found.is_whole:
        print_line(f"{found.device}: not judged whole{left}; --skip NAME leaves a check out")
    elif not found.findings:
        made = counted(len(found.results) - len(found.lacking), "check")
        print_line(f"{found.device}: {made}, {'as planned' if is_first else 'nothing is worse than before'}{left}")


def _tell(finding: StateFinding) -> str:
    about = f" ({finding.about})" if finding.about else ""
    where = f"{finding.at}: " if finding.at else ""
    return f"{where}expected {finding.expected}, actual {finding.actual}{about}"


PLAN = "plan"
_STRANDED_MAX = 4
EXAMPLES = """\
fabricgen rollout my-fabric collected/ --from main:my-fabric -o bundle
fabricgen rollout my-fabric main:my-fabric -o bundle --tier spine"""


VERIFY_EXAMPLES = "fabricgen rollout verify bundle collected/"
RESUME_EXAMPLES = """\
fabricgen rollout resume bundle collected/
fabricgen rollout resume bundle collected/ -o rest"""


class RolloutGroup(DefaultVerb):
    """The verb, whose first word may be a side: then it plans."""

    default = PLAN


rollout = make_group(
    "Plan a change in waves, and write a bundle that carries it out: fabricgen rollout INTENDED DEPLOYED -o DIR.",
    RolloutGroup,
)
OutOption = Annotated[Path, option("-o --out", "DIR", "New folder of the bundle.")]
BundleArgument = Annotated[Path, argument("DIR", "The bundle, as fabricgen rollout wrote it.")]
FreshArgument = Annotated[str, argument("DEPLOYED", "What is deployed now, freshly collected: any side of diff.")]
BaseOption = Annotated[
    str,
    option("--from", "INVENTORY", "What is deployed as an inventory, or a revision of it, where DEPLOYED are files."),
]
FormatOption = Annotated[DataFormat, typer.Option("--format", help="How the waves are printed.")]


def plan(
    intended: IntendedArgument,
    deployed: DeployedArgument,
    out: OutOption,
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    only: OnlyOption = None,
    tier: TierOption = None,
    base: BaseOption = "",
    form: FormatOption = DataFormat.table,
) -> None:
    """Plan the rollout of a change, and write its bundle.

    The word plan may be left out. Exit code: 0 nothing differs, 1 errors, 3 a bundle is written, or what differs is not
    for a rollout to change.
    """
    from fabricgen.api.rollout import plan_rollout
    from fabricgen.cli.diff import make_options

    bag = Bag()
    options = make_options(overlay, catalog, only, tier)
    with show_progress("planning"):
        planned = plan_rollout(intended, deployed, out, options, bag, base=base)
    _print_folded(bag)
    if planned is None:
        raise typer.Exit(70 if any(item.code == "FG-DIF-077" for item in bag) else 1)
    if not planned.files:
        left = _tell_left({item.code for item in bag})
        same = left or "both sides are equal"
        rest = "no wave to roll out, secrets aside" if planned.secrets else "nothing to roll out"
        print_line(f"{intended} and {deployed}: {same}: {rest}", error=True)
        _print_secrets(planned.secrets, deployed)
        if left:
            raise typer.Exit(3)
        return
    print_waves(planned.rollout, form)
    if form is DataFormat.table:
        _print_next_steps(out, deployed)
        _print_secrets(planned.secrets, deployed)
    raise typer.Exit(3)


def _tell_left(codes: Collection[str]) -> str:
    """Return how sides differ between which there is nothing to roll out; empty if they do not."""
    if "FG-ROL-053" in codes:
        return "devices on both sides are equal, and a rollout leaves the others"
    return "both sides are equal but for what no command changes (FG-DIF-076)" if "FG-DIF-076" in codes else ""


def print_waves(rollout: RolloutPlan, form: DataFormat) -> None:
    """Print the waves of a rollout."""
    from fabricgen.cli.terminal import print_text
    from fabricgen.rollout.runbook import count_waves, list_logins, list_phases

    if form is DataFormat.json:
        from fabricgen.rollout.json_text import to_data

        print_json(to_data(rollout))
        return
    for line in rollout.summary if form is DataFormat.table else ():
        print_text(line)
    print_rows(_rows(rollout), form)
    if form is not DataFormat.table:
        return
    print()
    for line in list_logins(rollout):
        print_text(line)
    for line in list_phases(rollout):
        print_text(line)
    print_text(count_waves(rollout))
    for each in rollout.stranded[:_STRANDED_MAX]:
        print_text(f"no other path while {each.device} is out: {', '.join(each.prefixes)}, {each.user}")
    if len(rollout.stranded) > _STRANDED_MAX:
        print_text(f"no other path while {len(rollout.stranded) - _STRANDED_MAX} more devices are out: see the runbook")


def _rows(rollout: RolloutPlan) -> list[dict[str, Any]]:
    from fabricgen.diff.report import fold_ranges
    from fabricgen.rollout.runbook import worst_of

    return [
        {
            "wave": wave.number,
            "phase": rollout.phases[wave.phase].title.partition(":")[0],
            "kind": wave.kind,
            "scope": wave.scope,
            "devices": _shorten(fold_ranges([device.name for device in wave.devices]), len(wave.devices)),
            "disruption": worst_of(wave),
            "bandwidth": f"{wave.bandwidth:.1%}",
            "n_minus_1": f"{wave.n_minus_1:.1%}",
            "hosts": len(wave.hosts),
        }
        for wave in rollout.waves
    ]


def _shorten(names: list[str], count: int) -> str:
    """Return names and ranges of them, the middle ones of many left out."""
    shown = ", ".join(names) if len(names) <= 4 else f"{names[0]}, {names[1]} … {names[-1]}"
    return shown if len(names) == count <= 4 else f"{shown} ({count})"


def _print_folded(bag: Bag) -> None:
    """Print diagnostics, with one for all devices that were not collected."""
    from fabricgen.diff.report import fold_missing

    folded = Bag()
    folded.extend(fold_missing([*bag]))
    print_diagnostics(folded, devices=True)


def _print_next(*steps: str) -> None:
    from fabricgen.cli.terminal import print_text

    for step in steps:
        print_text(f"next: {step}", indent="next: ", error=True)


def _print_next_steps(out: Path, deployed: str) -> None:
    _print_next(
        f"read {out}/runbook.md, and have it approved; its digest is that of {out}/SHA256SUMS",
        f"sign it: ssh-keygen -Y sign -n fabricgen-rollout -f KEY {quote(f'{out}/SHA256SUMS')}",
        f"right before the first wave: fabricgen rollout verify {quote(str(out))} {quote(deployed)}, freshly collected",
    )


def _print_secrets(secrets: int, deployed: str) -> None:
    """Print the line of diff about secrets, and how a rotated one is rolled out."""
    from fabricgen.diff.report import count_secrets

    if not secrets:
        return
    print_line(count_secrets(secrets), error=True)
    _print_next(
        "if a secret was rotated: fabricgen render INVENTORY -o private --with-secrets",
        f"then fabricgen rollout private {quote(deployed)} -o DIR plans its waves; steps hold references, in place of "
        "which you put the secrets",
    )


def verify(folder: BundleArgument, deployed: FreshArgument, form: FormatOption = DataFormat.table) -> None:
    """Compare what is deployed now with the start of a bundle.

    Exit code: 0 as planned on, 1 errors, 3 something has changed: do not carry the bundle out.
    """
    from fabricgen.api.rollout_state import verify_rollout
    from fabricgen.cli.diff import make_options

    bag = Bag()
    with show_progress("comparing"):
        found = verify_rollout(folder, deployed, make_options(None, None, None, None), bag)
    _print_folded(bag)
    if found is None:
        raise typer.Exit(1)
    print_rows(({"device": one.device, "state": one.state, "files": ", ".join(one.files)} for one in found.moved), form)
    if not found.moved:
        are = "device is" if found.devices == 1 else "devices are"
        print_line(f"{found.devices} {are} as {folder} was planned on", error=True)
        return
    of = counted(found.devices, "device")
    print_line(
        f"{len(found.moved)} of {of} {'is' if len(found.moved) == 1 else 'are'} not as {folder} was planned on",
        error=True,
    )
    if any(each.state == "done" for each in found.moved):
        both = f"{quote(str(folder))} {quote(deployed)}"
        print_line(f"next: fabricgen rollout resume {both}, if it was begun", error=True)
    raise typer.Exit(3)


def resume(
    folder: BundleArgument,
    deployed: FreshArgument,
    out: Annotated[
        Path | None, option("-o --out", "REST", "New folder for a bundle of what remains; without it, only the table.")
    ] = None,
    form: FormatOption = DataFormat.table,
) -> None:
    """Find what remains of a rollout, and write a bundle of that.

    A device in no planned state stops it. Exit code: 0 nothing remains, 1 errors, 3 something remains.
    """
    from fabricgen.api.rollout_state import resume_rollout
    from fabricgen.cli.diff import make_options

    bag = Bag()
    with show_progress("comparing"):
        found = resume_rollout(folder, deployed, out, make_options(None, None, None, None), bag)
    _print_folded(bag)
    if found is None:
        raise typer.Exit(1)
    _print_rest(found, form)
    left, whole = len(found.rest.devices), len(found.whole.devices)
    print_line(f"{whole - left} of {counted(whole, 'change')} done", error=True)
    if left < whole:
        print_line(f"next: {_UNDER_WAY}", error=True)
    if not left:
        return
    if out is not None:
        print_line(f"next: carry out {out}/runbook.md", error=True)
    raise typer.Exit(3)


_UNDER_WAY = (
    "confirm, undrain and save the device that was under way, if its steps did not come so far: a timer that runs "
    "still takes its change back"
)


def _print_rest(found: Resumed, form: DataFormat) -> None:
    left = {(device.kind, device.key) for device in found.rest.devices}
    print_rows(
        (
            {
                "wave": wave.number,
                "kind": wave.kind,
                "device": device.name,
                "state": "remains" if (device.kind, device.key) in left else "done",
                "procedure": device.procedure,
                "patch": device.patch,
            }
            for wave in found.whole.waves
            for device in wave.devices
        ),
        form,
    )


add_verb(rollout, plan, EXAMPLES, PLAN)
add_verb(rollout, verify, VERIFY_EXAMPLES)
add_verb(rollout, resume, RESUME_EXAMPLES)
add_verb(rollout, judge, JUDGE_EXAMPLES)
