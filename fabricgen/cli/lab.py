"""``fabricgen lab``: the fabric on real routing daemons of this machine."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from fabricgen.cli.collect import FormatOption, build_settings, run_collection
from fabricgen.cli.lab_rehearse import EXAMPLES as REHEARSE
from fabricgen.cli.lab_rehearse import rehearse
from fabricgen.cli.lab_terminal import (
    CutOption,
    NameOption,
    ResultFormat,
    SystemOption,
    find_running,
    interruptible,
    load_booted,
    name_lab,
    print_results,
    require_root,
    short_name,
    work,
)
from fabricgen.cli.options import CatalogOption, InventoryArgument, OnlyOption, OverlayOption, argument, flag, option
from fabricgen.cli.output import DataFormat, end_on_errors, fail, print_diagnostics, print_line, print_rows
from fabricgen.cli.planned import load_planned
from fabricgen.cli.progress import show_progress
from fabricgen.cli.verb import add_verb, make_group
from fabricgen.diagnostics import Bag

COLLECT_EXAMPLES = """\
fabricgen lab collect my-fabric -o collected
fabricgen lab collect --name lab2 -o collected --only 'spine-*'"""
_WIDTH, _TIMEOUT_S = 8, 60


def collect(
    out: Annotated[Path, option("-o --out", "DIR", "Folder of the collection, private to you.")],
    inventory: Annotated[Path | None, argument("INVENTORY", "The inventory of the lab.")] = None,
    only: OnlyOption = None,
    name: NameOption = "",
    form: FormatOption = None,
) -> None:
    """Fetch running configurations and states of a lab.

    The folder is that of fabricgen collect: diff, check and rollout read it. Exit code: 0 all collected, 1 errors.
    """
    from fabricgen.collect.target import LAB, Login
    from fabricgen.lab.collection import LabWay, list_targets, load_specs

    bag = Bag()
    blueprint = find_running(inventory, name, bag)
    specs = load_specs(blueprint, bag)
    targets = list_targets(blueprint, specs, only or (), bag)
    end_on_errors(bag)
    settings = build_settings(out, Login("root", (), sudo=False), _WIDTH, _TIMEOUT_S)
    named = {spec.name: spec for spec in specs}
    run_collection(targets, named, settings, form, ways={LAB: LabWay(blueprint)})


lab = make_group("Run the fabric on real routing daemons of this machine.")


def up(
    inventory: InventoryArgument,
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    cut: CutOption = "",
    name: NameOption = "",
    system: SystemOption = Path("/"),
) -> None:
    """Boot switches and hosts with real routing daemons.

    Each is a network namespace of this machine; only root can do it.
    """
    import time

    from fabricgen.lab.lifecycle.installation import Installation, check_machine
    from fabricgen.lab.stages import BootRequest, bring_up, check_name, prepare

    bag = Bag()
    compiled = load_planned(inventory, overlay, catalog)
    started = time.monotonic()
    blueprint = None
    running = False
    root = str(system.resolve())
    with interruptible(), show_progress() as progress:
        if check_name(name or short_name(compiled.plan.name), bag) and check_machine(bag, root):
            catalogs = tuple(str(path.resolve()) for path in catalog or ())
            request = BootRequest(name or short_name(compiled.plan.name), cut, root, tuple(overlay or ()), catalogs)
            blueprint = prepare(compiled.plan, compiled.platforms, request, bag)
        if blueprint is not None:
            running = bring_up(blueprint, bag, progress)
    print_diagnostics(bag)
    if not running or blueprint is None:
        raise typer.Exit(1)
    print_line(
        f"{blueprint.lab}: {len(blueprint.switches)} switches, {len(blueprint.hosts)} hosts, "
        f"{len(blueprint.wires)} links up in {time.monotonic() - started:.1f} s, "
        f"FRR {Installation(blueprint.root).version()}",
        error=True,
    )


def down(
    inventory: Annotated[Path | None, argument("INVENTORY", "The inventory of the lab.")] = None,
    name: NameOption = "",
    everything: Annotated[bool, flag("--all", "Take down every lab, also what a crash left behind.")] = False,
) -> None:
    """Remove a lab, whatever state it is in."""
    from fabricgen.lab.lifecycle.state import erase, list_labs

    bag = Bag()
    require_root(bag)
    known = list_labs()
    if everything:
        wanted = known
    else:
        lab_name = name_lab(inventory, name, bag)
        if lab_name not in known:
            find_running(None, lab_name, bag)
        wanted = [lab_name]
    left = []
    for each in wanted:
        left += erase(each)
        print_line(f"{each}: down", error=True)
    for text in left:
        print_line(f"fabricgen: {text}", error=True)
    if left:
        raise typer.Exit(1)


def status(
    inventory: Annotated[Path | None, argument("INVENTORY", "The inventory of the lab.")] = None,
    name: NameOption = "",
    form: Annotated[DataFormat, typer.Option("--format", help="How data is printed.")] = DataFormat.table,
) -> None:
    """List the devices of a lab, or all labs if none is named."""
    from fabricgen.lab.lifecycle import state
    from fabricgen.lab.stages import list_status, report_dead

    bag = Bag()
    require_root(bag)
    if inventory is None and not name:
        labs = [(each, state.load(each)) for each in state.list_labs()]
        print_rows(
            (
                {"lab": each, "devices": len(found.nodes), "links": len(found.wires), "cut": found.cut or "none"}
                if found
                else {"lab": each, "devices": 0, "links": 0, "cut": "left behind by a crash"}
                for each, found in labs
            ),
            form,
        )
        return
    blueprint = find_running(inventory, name, bag)
    print_rows(list_status(blueprint), form)
    changes = {text for node in blueprint.nodes for text in node.adapted}
    for text in sorted(changes):
        print_line(f"rendered configuration, {text}", error=True)
    report_dead(blueprint, bag)
    end_on_errors(bag)


Tool = StrEnum("Tool", "containerlab")
"""For what a lab can be exported."""


def export(
    tool: Annotated[Tool, argument("TOOL", "The tool to export for.")],
    inventory: InventoryArgument,
    out: Annotated[Path, option("-o --out", "DIR", "Empty or new folder.")],
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    cut: Annotated[
        str, typer.Option("--cut", metavar="PART", help="Export a part only: units=2,hosts_per_unit=1,spines=4.")
    ] = "",
) -> None:
    """Write a topology that runs the images of vendors."""
    from fabricgen.diagnostics.file_codes import NOT_EMPTY
    from fabricgen.lab.containerlab import export_containerlab
    from fabricgen.lab.model.excerpt import Cut, apply_cut, parse_cut
    from fabricgen.render.tree.new_folder import write_new_folder

    bag = Bag()
    compiled = load_planned(inventory, overlay, catalog)
    plan = apply_cut(compiled.plan, parse_cut(cut, compiled.plan, bag) if cut else Cut())
    found = None if bag.has_errors else export_containerlab(plan, compiled.platforms, bag)
    written = found is not None and write_new_folder(out, found.files, bag, NOT_EMPTY, mode=0o755)
    print_diagnostics(bag)
    if found is None or not written:
        raise typer.Exit(1)
    print_line(f"{out}: {len(found.files)} files for {tool.value}", error=True)


def check(
    inventory: InventoryArgument,
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    name: NameOption = "",
    form: Annotated[ResultFormat, typer.Option("--format", help="How results are printed.")] = ResultFormat.table,
) -> None:
    """Compare configurations, routes and packets with the plan.

    The plan is that of the inventory as it is now, with the overlays and the cut that the lab was booted with.
    """
    from fabricgen.lab.stages import redraft
    from fabricgen.lab.verify.all_checks import judge

    bag = Bag()
    running = find_running(inventory, name, bag)
    planned = load_booted(inventory, overlay, catalog, running)
    intended = redraft(planned.plan, planned.platforms, running, bag)
    if intended is None:
        fail(bag)
    results = work(running, bag, lambda progress: judge(intended, running, progress))
    if not print_results(f"fabricgen lab test {running.lab}", results, form):
        raise typer.Exit(1)


def drill(
    inventory: InventoryArgument,
    only: Annotated[
        list[str] | None, option("--only", "DRILL", "Run one drill, for example drain; may be repeated.")
    ] = None,
    name: NameOption = "",
    form: Annotated[ResultFormat, typer.Option("--format", help="How results are printed.")] = ResultFormat.table,
) -> None:
    """Fail links and switches under traffic and count losses.

    The paths afterwards are compared with the plan.
    """
    from fabricgen.lab.stages import report_dead
    from fabricgen.lab.verify.drill import choose_faults, run_drill

    bag = Bag()
    blueprint = find_running(inventory, name, bag)
    faults = [] if report_dead(blueprint, bag) else choose_faults(blueprint, only or [], bag)
    drilled = work(blueprint, bag, lambda progress: [run_drill(blueprint, fault, progress) for fault in faults])
    results = [each.to_result() for each in drilled]
    rows = [each.to_row() for each in drilled]
    if not print_results(f"fabricgen lab drill {blueprint.lab}", results, form, rows, rows):
        raise typer.Exit(1)


def shell(
    inventory: InventoryArgument,
    device: Annotated[str, argument("DEVICE", "Name of a switch or host.")],
    command: Annotated[list[str] | None, argument("COMMAND", "A command to run there in place of a shell.")] = None,
    name: NameOption = "",
) -> None:
    """Open a shell on a device, or run a command there.

    vtysh talks to its routing daemons.
    """
    import os

    from fabricgen.lab.lab_codes import NO_DEVICE
    from fabricgen.lab.lifecycle.boot import shell_command

    bag = Bag()
    blueprint = find_running(inventory, name, bag)
    if device not in {node.name for node in blueprint.nodes}:
        bag.add(NO_DEVICE, f"lab {blueprint.lab} has no device {device!r}")
        fail(bag)
    words = shell_command(blueprint, blueprint.node(device), command or [])
    os.execvp(words[0], words)  # noqa: S606 - the command the user asked for, where he asked for it


for _verb, _name, _examples in (
    (up, None, "fabricgen lab up my-fabric\nfabricgen lab up my-fabric --cut units=2,hosts_per_unit=1"),
    (down, None, "fabricgen lab down my-fabric\nfabricgen lab down --all"),
    (status, None, "fabricgen lab status\nfabricgen lab status my-fabric"),
    (export, None, "fabricgen lab export containerlab my-fabric -o clab --cut units=1"),
    (check, "test", "fabricgen lab test my-fabric --format junit > report.xml"),
    (collect, None, COLLECT_EXAMPLES),
    (drill, None, "fabricgen lab drill my-fabric\nfabricgen lab drill my-fabric --only drain --only link-down"),
    (rehearse, None, REHEARSE),
    (shell, None, "fabricgen lab shell my-fabric leaf-u001-r0 -- vtysh -c 'show bgp summary'"),
):
    add_verb(lab, _verb, _examples, _name)
