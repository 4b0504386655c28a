"""``fabricgen rollout judge``: one device around its change, by the answers that it gave."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.check import CheckName
from fabricgen.cli.options import option
from fabricgen.cli.output import DiagnosticFormat, print_diagnostics, print_line
from fabricgen.diagnostics.words import counted

if TYPE_CHECKING:
    from fabricgen.api.rollout_judge import Judgement
    from fabricgen.state.findings import StateFinding

JUDGE_EXAMPLES = """\
fabricgen rollout judge bundle spine-01 -o before
fabricgen rollout judge bundle spine-01 -o now --since before --wave 3"""


def judge(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The bundle.", show_default=False)],
    device: Annotated[str, typer.Argument(metavar="DEVICE", help="A device of it.", show_default=False)],
    out: Annotated[Path, option("-o --out", "DIR", "Folder for its answers, a collection of its own.")],
    since: Annotated[
        Path | None, option("--since", "DIR", "Answers of before the change: what was wrong then does not count.")
    ] = None,
    wave: Annotated[
        int | None, typer.Option("--wave", metavar="N", help="Its change in this wave, not in its last one.")
    ] = None,
    skip: Annotated[
        list[CheckName] | None,
        typer.Option("--skip", metavar="NAME", help="Not this check; may be repeated.", show_default=False),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="What was wrong before counts as well.")] = False,
) -> None:
    """Judge one device around its change.

    Its answers come on standard input; the playbooks of a bundle call it before and after. Exit code: 0 nothing
    is worse, 1 errors or a check without its answer, 3 different.
    """
    import sys
    from datetime import UTC, datetime

    from fabricgen.api.rollout_judge import ANSWERS_MAX_BYTES, BundleDevice, judge_device
    from fabricgen.diagnostics import Bag

    bag = Bag()
    when = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    skipped = [each.value.replace("-", " ") for each in skip or ()]
    place, answers = BundleDevice(folder, device, wave), sys.stdin.buffer.read(ANSWERS_MAX_BYTES + 1)
    found = judge_device(place, answers, out, when, bag, since=since, skip=skipped, strict=strict)
    print_diagnostics(bag, None, DiagnosticFormat.text, devices=True)
    if found is None or bag.has_errors:
        raise typer.Exit(1)
    _print(found, is_first=since is None)
    if not found.is_whole:
        raise typer.Exit(1)
    if found.findings:
        raise typer.Exit(3)


def _print(found: Judgement, *, is_first: bool) -> None:
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
