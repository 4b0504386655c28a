"""``fabricgen size``: from GPUs, a server and a switch to a fabric."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli import sizing_options as options
from fabricgen.cli.options import CatalogOption
from fabricgen.cli.output import DataFormat, DiagnosticFormat, print_diagnostics, print_json, print_line

if TYPE_CHECKING:
    from fabricgen.api.size.ranking import Option, Ranking
    from fabricgen.api.size.request import Request

EXAMPLES = """\
fabricgen size --gpus 512 --server dgx_h100_8
fabricgen size --gpus 512 --server dgx_h100_8 --ratio 2:1 --format json
fabricgen size --gpus 512 --server dgx_h100_8 -o my-fabric"""


def size(
    context: typer.Context,
    gpus: options.GpusOption = None,
    server: options.ServerOption = None,
    nic: options.NicOption = None,
    switch: options.SwitchOption = None,
    spine: options.SpineOption = None,
    core: options.CoreOption = None,
    platform: options.PlatformOption = None,
    speed: options.SpeedOption = None,
    uplink: options.UplinkOption = None,
    ratio: options.RatioOption = "1:1",
    pod_ratio: options.PodRatioOption = "1:1",
    attachment: options.AttachmentOption = "rail",
    per_unit: options.PerUnitOption = None,
    pod_gpus: options.PodGpusOption = None,
    planes: options.PlanesOption = None,
    dual_tor: options.DualTorOption = False,
    cable: options.CableOption = None,
    catalog: CatalogOption = None,
    intent: Annotated[bool, typer.Option("--intent", help="Print the intent only.")] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Write the inventory to a new folder.", show_default=False),
    ] = None,
    form: Annotated[DataFormat, typer.Option("--format", help="How data is printed.")] = DataFormat.table,
) -> None:
    """Size a fabric for a number of GPUs.

    Shows tiers, switches, ports, cables, growth and alternatives, and the intent to start from.
    """
    asked = options.read_asked(context.params)
    prints_all = output is None and not intent
    request, ranking = options.rank(asked, options.load_records(catalog or ()), alternatives=prints_all)
    best = options.best_option(asked, ranking)
    if intent:
        _print_intent(best)
    elif output is None:
        _print_size(request, best, ranking, form)
    else:
        _write(output, best)


def _print_intent(best: Option) -> None:
    from fabricgen.api.size.intent_text import write_intent

    print(write_intent(best.size, "fabric"), end="")


def _print_size(request: Request, best: Option, ranking: Ranking, form: DataFormat) -> None:
    from fabricgen.api.size.tables import ALTERNATIVES_SHOWN, refused_rows, show_size, spare_note, summary
    from fabricgen.cli.sections import print_sections

    as_table = form is DataFormat.table
    data = show_size("fabric", best, ranking, limit=ALTERNATIVES_SHOWN if as_table else 0)
    if not as_table:
        data.sections["refused"] = refused_rows(ranking)
    if form is DataFormat.json:
        print_json(data.sections)
        return
    if not as_table:
        print_sections(data, form)
        return
    print_line(summary(best.size))
    print_sections(data, form)
    if note := spare_note(request, best.size):
        print_line(note)
    print_line(f"{len(ranking.refused)} other choices do not fit; --format json says why.")


def _write(folder: Path, best: Option) -> None:
    from fabricgen.api.init import write_sized
    from fabricgen.diagnostics import Bag

    bag = Bag()
    written = write_sized(folder, best.size, bag)
    if print_diagnostics(bag, None, DiagnosticFormat.text):
        raise typer.Exit(1)
    for path in written:
        print_line(path)
