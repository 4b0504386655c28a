"""``fabricgen replace``: a new switch, host or NIC in the asset list, and the steps that follow."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.completion import complete_devices
from fabricgen.cli.options import CatalogOption, InventoryArgument, OverlayOption, argument, flag, option
from fabricgen.cli.output import DataFormat, print_diagnostics, print_json, print_line, print_rows
from fabricgen.cli.planned import PlannedInventory, load_planned
from fabricgen.cli.progress import show_progress
from fabricgen.diagnostics import Bag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabricgen.api.replace import Replacement
    from fabricgen.intent.assets import AssetValue

EXAMPLES = """\
fabricgen replace my-fabric leaf-u001-r0 --serial A2 --mac 02:00:00:00:09:01
fabricgen replace my-fabric spine-01 --serial A3 -o kit
fabricgen replace my-fabric gpu-u001-h01 --mac 3=02:00:00:00:09:03"""
_MAC = re.compile(r"(?:(\d{1,3})(?:\.([0-7]))?=)?([^=]+)")


def replace(
    inventory: InventoryArgument,
    device: Annotated[str, argument("DEVICE", "The switch or host.", complete=complete_devices)],
    serial: Annotated[str, option("--serial", "SERIAL", "Serial number of the new device.")] = "",
    mac: Annotated[
        list[str] | None,
        option("--mac", "[RAIL=]MAC", "Its system MAC, or that of the NIC of a rail, RAIL.PORT=; may be repeated."),
    ] = None,
    management_mac: Annotated[str, option("--management-mac", "MAC", "MAC of its management port.")] = "",
    out: Annotated[
        Path | None, option("-o --out", "DIR", "Folder for rollout bundles: a switch out and back, a host's files.")
    ] = None,
    check: Annotated[bool, flag("--check", "Write nothing; exit with 3 if the asset list would change.")] = False,
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    form: Annotated[DataFormat, typer.Option("--format", help="How the steps are printed.")] = DataFormat.table,
) -> None:
    """Enter a new device in the asset list, and print what follows.

    For a switch, a host, or the NIC of a rail that was exchanged. Exit code: 0 done, 1 errors, 3 with --check if the
    list would change.
    """
    from fabricgen.api.diff import DiffOptions
    from fabricgen.api.replace import replace_device

    values = list(_read_values(serial, mac or [], management_mac))
    planned = load_planned(inventory, overlay, catalog)
    options, bag = DiffOptions(Path(), overlays=overlay or (), catalogs=catalog or ()), Bag()
    with show_progress("planning"):
        made = replace_device(planned.compiled, device, values, options, bag, out=out, writes=not check)
    if print_diagnostics(bag, planned.compiled) or made is None:
        print_line(f"{inventory}: the asset list is unchanged", error=True)
        raise typer.Exit(1)
    given = [*(("--overlay", name) for name in overlay or ()), *(("--catalog", str(path)) for path in catalog or ())]
    steps = _list_steps(made, join([str(inventory), *chain(*given)]), planned)
    _print(made, [{"step": step, "action": action} for step, action in steps], form)
    if check and made.changes:
        raise typer.Exit(3)


def _read_values(serial: str, macs: list[str], management_mac: str) -> Iterator[AssetValue]:
    """Yield the values of the options; a malformed one is an error of usage."""
    from fabricgen.intent.assets import AssetValue, find_fault

    found = [AssetValue("serial", serial)] if serial else []
    for text in macs:
        parts = _MAC.fullmatch(text)
        rail, port, value = parts.groups() if parts else (None, None, text)
        found.append(AssetValue("mac", value.lower(), int(rail) if rail else None, int(port or 0)))
    found += [AssetValue("management_mac", management_mac.lower())] if management_mac else []
    if not found:
        raise typer.BadParameter("what is new? Give --serial, --mac or --management-mac.")
    for each in found:
        if words := find_fault(each.column, each.value):
            raise typer.BadParameter(f"--{each.column.replace('_', '-')} is {each.value!r}; it must be {words}.")
    yield from found


def _list_steps(made: Replacement, here: str, planned: PlannedInventory) -> Iterator[tuple[str, str]]:
    """Yield the steps in their order; ``here`` is the inventory as commands name it."""
    from fabricgen.render.next_steps import list_next_steps

    name = made.device
    if not planned.intent.assets:
        yield "name", f"add assets: {made.assets.name} to fabric.yaml, which names no asset list yet"
    if made.is_switch and not made.drained:
        entry = f"{{device: {name}, state: drained, reason: replacement}}"
        yield "drain", f"add - {entry} to exceptions of fabric.yaml: the new switch takes no traffic before its checks"
    yield from (("wave", text) for text in _tell_wave(made))
    yield "exchange", f"fabricgen show {here} cabling --device {name} lists the cables"
    yield "render", f"fabricgen render {here} -o OUT"
    yield "render", f"changed: {', '.join(made.files)}" if made.files else "no file changes: none has these values"
    if made.bundles and not made.is_switch:
        yield "load", f"carry out {made.bundles[0]}/runbook.md; of a host without its files, instead:"
    for text in list_next_steps(planned.plan, planned.platforms, Path("OUT"), only=(name,), device=name):
        yield "load", text.strip()
    yield "check", f"fabricgen collect {here} -o NOW --only {name}"
    yield "check", f"fabricgen check {here} NOW --only {name}"
    yield "check", f"fabricgen cables check {here} NOW --only {name}"
    if made.is_switch:
        back = f"carry out {made.bundles[-1]}/runbook.md" if made.bundles else f"fabricgen rollout {here} OUT -o DIR"
        yield "return", f"take {name} out of the exceptions of fabric.yaml again; {back}"
    yield "return", "give the jobs back to the hosts"


def _tell_wave(made: Replacement) -> Iterator[str]:
    """Yield the wave in which the device is out: what has to leave, what stays, and its bundle."""
    from fabricgen.diff.report import fold_ranges

    for wave in made.waves.waves if made.waves else ():
        hosts = fold_ranges(wave.hosts if made.is_switch else wave.devices)
        yield f"move the jobs away from {', '.join(hosts)}" if hosts else "no job has to move"
        if made.is_switch:
            left, worst = float(wave.bandwidth), float(wave.n_minus_1.share)
            yield f"other pairs of leafs keep at least {left:.1%} of the bandwidth, {worst:.1%} after one more failure"
    for each in made.waves.stranded if made.waves else ():
        yield f"no other path meanwhile: {', '.join(each.prefixes)}, {each.user}"
    yield from (f"limits of the rollout do not let it leave: {reason}" for reason in made.blocked)
    if len(made.bundles) > 1:
        yield f"carry out {made.bundles[0]}/runbook.md; skip it if the switch is down"


def _print(made: Replacement, steps: list[dict[str, str | int | float]], form: DataFormat) -> None:
    from fabricgen.cli.terminal import print_text

    if form is DataFormat.json:
        keys = ("rail", "column", "before", "after")
        changes = [(row.rail, column, before, getattr(row, column)) for row, column, before in made.changes]
        found = {"device": made.device, "assets": str(made.assets), "files": made.files, "steps": steps}
        found["changes"] = [dict(zip(keys, each, strict=True)) for each in changes]
        print_json(found | {"bundles": [str(each) for each in made.bundles]})
    if form is DataFormat.csv:
        print_rows(steps, form)
    if form is not DataFormat.table:
        return
    for row, column, before in made.changes:
        of = "" if row.rail is None else f" of rail {row.rail}"
        print_line(f"{row.place}: {column}{of} {before or 'none'} → {getattr(row, column)}")
    if not made.changes:
        print_line(f"{made.assets} has these values already")
    for each in steps:
        print_text(f"{each['step']:9} {each['action']}", indent=" " * 10)
