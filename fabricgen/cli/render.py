"""``fabricgen render``: the configuration of every switch and host."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.options import CatalogOption, InventoryArgument, OnlyOption, OverlayOption, flag, option
from fabricgen.cli.output import DiagnosticFormat, print_diagnostics, print_line
from fabricgen.cli.progress import show_progress
from fabricgen.diagnostics import Bag

EXAMPLES = """\
fabricgen render my-fabric -o out
fabricgen render my-fabric -o out --check
fabricgen render my-fabric -o out --only 'leaf-u001-*' --only spine-01"""

if TYPE_CHECKING:
    from fabricgen.api import Compiled
    from fabricgen.render.tree.writer import CommitResult, TreeDifference


OutOption = Annotated[Path, option("-o --out", "OUT", "Folder to write the tree to.")]
CheckOption = Annotated[bool, flag("--check", "Write nothing; exit with 3 if the tree differs.")]
JobsOption = Annotated[
    int, typer.Option("--jobs", metavar="N", min=1, max=256, help="Render in this many processes, 1 to 256.")
]
SecretsOption = Annotated[
    bool, flag("--with-secrets", "Write secrets in place of their references; only the owner can read OUT then.")
]
VerifyOption = Annotated[bool, flag("--verify", "Parse every rendered JSON file again before it is written.")]
ForceOption = Annotated[bool, flag("--force", "Overwrite files that were edited by hand or are not of fabricgen.")]
RenumberOption = Annotated[
    bool, flag("--renumber", "Allow addresses, AS numbers and ports of existing devices to change.")
]
FormatOption = Annotated[DiagnosticFormat, typer.Option("--format", help="How diagnostics are printed.")]


def render(
    inventory: InventoryArgument,
    out: OutOption,
    overlay: OverlayOption = None,
    catalog: CatalogOption = None,
    only: OnlyOption = None,
    check: CheckOption = False,
    jobs: JobsOption = 1,
    with_secrets: SecretsOption = False,
    verify: VerifyOption = False,
    force: ForceOption = False,
    renumber: RenumberOption = False,
    form: FormatOption = DiagnosticFormat.text,
) -> None:
    """Write the configuration of every switch and host.

    Either all files of OUT are written or none. Exit code: 0 written (or equal, with --check), 1 errors, 3 different.
    """
    import os
    from datetime import date

    from fabricgen.api import compile_inventory
    from fabricgen.api.render import RenderOptions, compare_inventory, describe_failure, render_inventory

    bag = Bag()
    with show_progress("checking") as progress:
        compiled = compile_inventory(inventory, overlay or (), bag, catalogs=catalog or (), today=date.today())
        environment = dict(os.environ) if with_secrets else None
        options = RenderOptions(tuple(only or ()), jobs, force, verify, renumber, environment, overlay or (), progress)
        comparison = result = None
        if compiled is not None and check:
            comparison = compare_inventory(compiled, out, options, bag)
        elif compiled is not None:
            result = render_inventory(compiled, out, options, bag)
    if print_diagnostics(bag, compiled, form):
        print_line(f"{out}: {'not compared' if check else describe_failure(bag)}", error=True)
        raise typer.Exit(1)
    if comparison is not None:
        _print_differences(comparison, out)
        if not comparison.is_clean:
            raise typer.Exit(3)
    if result is not None:
        _print_result(result, compiled, out, form, only=tuple(only or ()), with_secrets=with_secrets)


def _print_result(
    result: CommitResult,
    compiled: Compiled | None,
    out: Path,
    form: DiagnosticFormat,
    *,
    only: tuple[str, ...],
    with_secrets: bool,
) -> None:
    print_line(f"{out}: {result.written} written, {result.unchanged} unchanged, {result.deleted} deleted", error=True)
    if form is DiagnosticFormat.text and (result.written or result.deleted):
        _print_next_steps(compiled, out, only, with_secrets=with_secrets)


def _print_next_steps(compiled: Compiled | None, out: Path, only: tuple[str, ...], *, with_secrets: bool) -> None:
    from fabricgen.cli.terminal import print_text
    from fabricgen.render.next_steps import list_next_steps

    if compiled is None or compiled.plan is None or compiled.platforms is None:
        return
    for step in list_next_steps(compiled.plan, compiled.platforms, out, only=only, with_secrets=with_secrets):
        print_text(f"next: {step}", indent="next:     ", error=True)


def _print_differences(comparison: TreeDifference, out: Path) -> None:
    if not out.exists():
        print_line(f"added    {len(comparison.added)} files: {out} does not exist")
        return
    for word in ("added", "changed", "removed", "edited", "blocked", "modes"):
        for path in getattr(comparison, word):
            print_line(f"{word:8} {path}")
    if comparison.manifest:
        print("changed  manifest/header.json")
