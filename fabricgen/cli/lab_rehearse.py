"""``fabricgen lab rehearse``: the waves of a rollout in a lab, predicted beside measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.lab_terminal import (
    CutOption,
    NameOption,
    ResultFormat,
    SystemOption,
    interruptible,
    print_results,
    require_root,
    short_name,
    work,
)
from fabricgen.cli.options import CatalogOption, OverlayOption, flag, option
from fabricgen.cli.output import fail, print_diagnostics, print_line
from fabricgen.cli.progress import show_progress
from fabricgen.cli.rollout import BundleArgument
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import counted

if TYPE_CHECKING:
    from fabricgen.api.rehearsal import RehearsalInput
    from fabricgen.lab.model.blueprint import Blueprint
    from fabricgen.lab.rehearsal.run import Rehearsed
    from fabricgen.lab.stages import BootRequest

EXAMPLES = """\
fabricgen lab rehearse bundle
fabricgen lab rehearse bundle --without-drain
fabricgen lab rehearse bundle --deployed main:my-fabric --cut units=2"""


IntendedOption = Annotated[
    str, option("--intended", "SIDE", "The intended inventory; the one that the bundle names if not given.")
]
DeployedOption = Annotated[
    str, option("--deployed", "SIDE", "What is deployed, of any kind; what the bundle names if not given.")
]


def rehearse(
    folder: BundleArgument,
    intended: IntendedOption = "",
    deployed: DeployedOption = "",
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    without_drain: Annotated[bool, flag("--without-drain", "Drain no device, and measure what that loses.")] = False,
    cut: CutOption = "",
    keep: Annotated[bool, flag("--keep", "Leave the lab running afterwards.")] = False,
    name: NameOption = "",
    system: SystemOption = Path("/"),
    form: Annotated[ResultFormat, typer.Option("--format", help="How results are printed.")] = ResultFormat.table,
) -> None:
    """Carry out the waves of a rollout in a lab, with traffic.

    The deployed fabric boots unless its lab runs already. Wave by wave, devices are drained, taken out, changed and
    brought back while probes run between hosts. Next hops, bandwidth, losses and times are compared with what is
    predicted.
    """
    from fabricgen.api.rehearsal import open_rehearsal
    from fabricgen.cli.diff import make_options
    from fabricgen.lab.stages import BootRequest

    bag = Bag()
    require_root(bag)
    sides_of = open_rehearsal(folder, intended, deployed, make_options(overlay, catalog, None, None), bag)
    with interruptible(), sides_of as sides:
        if sides is None:
            fail(bag)
        lab = name or short_name(sides.intended.plan.name)
        catalogs = tuple(str(path.resolve()) for path in catalog or ())
        request = BootRequest(lab, cut, str(system.resolve()), tuple(overlay or ()), catalogs)
        blueprint, booted = _find_or_boot(sides, request, bag)
        try:
            found = _run(sides, blueprint, drains=not without_drain)
        finally:
            if booted and not keep:
                _take_down(lab)
    _print(found, lab, form)
    _conclude(found, lab, drains=not without_drain)


def _find_or_boot(sides: RehearsalInput, request: BootRequest, bag: Bag) -> tuple[Blueprint, bool]:
    """Return the lab of the deployed fabric, and whether it was booted now; without one the command ends."""
    from fabricgen.lab.lifecycle.installation import check_machine
    from fabricgen.lab.rehearsal.draft import DeployedRouting, find_or_draft
    from fabricgen.lab.stages import bring_up, check_name

    fabric, routing = sides.deployed, None
    if fabric is None:
        changed = frozenset(device.name for device in sides.bundle.rollout.devices)
        fabric, routing = sides.intended, DeployedRouting(sides.routing, changed)
    with interruptible(), show_progress() as progress:
        found = None
        if check_name(request.lab, bag) and check_machine(bag, request.root):
            found = find_or_draft(fabric.plan, fabric.platforms, request, routing, bag)
        works = found is not None and (found.runs or bring_up(found.blueprint, bag, progress))
    print_diagnostics(bag)
    if found is None or not works:
        raise typer.Exit(1)
    return found.blueprint, not found.runs


def _run(sides: RehearsalInput, blueprint: Blueprint, *, drains: bool) -> Rehearsed:
    """Rehearse in a lab that runs, and write down what it has become."""
    from fabricgen.lab.lifecycle import state
    from fabricgen.lab.rehearsal.draft import draft_sides
    from fabricgen.lab.rehearsal.run import Rehearsal, limits_of

    bag = Bag()
    fabric = sides.deployed or sides.intended
    legs = draft_sides(sides.legs, blueprint, bag)
    if legs is None:
        fail(bag)
    limits = limits_of(sides.bundle, fabric.plan, blueprint.cut)
    rehearsal = Rehearsal(sides.bundle, fabric.plan, blueprint, legs, limits, drains, state.rewrite)
    (found,) = work(blueprint, bag, lambda progress: [rehearsal.run(progress)])
    return found


def _take_down(lab: str) -> None:
    from fabricgen.lab.lifecycle.state import erase

    for text in erase(lab):
        print_line(f"fabricgen: {text}", error=True)


def _print(found: Rehearsed, lab: str, form: ResultFormat) -> None:
    """Print every wave, and below what differs."""
    results = [*(verdict.to_result() for verdict in found.verdicts), *found.after]
    lines = [verdict.to_line() for verdict in found.verdicts]
    print_results(f"fabricgen lab rehearse {lab}", results, form, lines, [each.to_row() for each in found.verdicts])


def _conclude(found: Rehearsed, lab: str, *, drains: bool) -> None:
    """Print the outcome in a line, and end the command with 1 unless all is as predicted."""
    begun = [verdict for verdict in found.verdicts if verdict.course is not None]
    wrong = sum(bool(verdict.findings) for verdict in begun)
    lost, sent = sum(verdict.lost for verdict in begun), sum(verdict.sent for verdict in begun)
    words = "" if drains else " without a drain"
    print_line(
        f"{lab}: {len(begun)} of {len(found.verdicts)} waves rehearsed{words}, {wrong} not as predicted; "
        f"{lost} of {sent} probes lost; routing only",
        error=True,
    )
    if not begun:
        from fabricgen.lab.lab_codes import NOTHING_HERE

        bag = Bag()
        bag.add(NOTHING_HERE, f"lab {lab}: {counted(len(found.verdicts), 'wave')}, none with a device of the lab")
        print_diagnostics(bag)
    if wrong or not begun or not all(result.passed for result in found.after):
        raise typer.Exit(1)
