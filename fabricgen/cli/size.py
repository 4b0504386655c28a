"""``fabricgen size``: from GPUs, a server and a switch to a fabric."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fabricgen.cli import sizing_options as options
from fabricgen.cli.options import CatalogOption, flag, option
from fabricgen.cli.output import DataFormat, print_json, print_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabricgen.sizing.ask import Option, Ranking
    from fabricgen.sizing.request import SizingRequest
    from fabricgen.sizing.training import TrainingRun

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
    parameters: options.ParamsOption = None,
    tokens: options.TokensOption = None,
    days: options.DaysOption = None,
    mfu: options.MfuOption = None,
    gpu_tflops: options.PeakOption = None,
    workload: options.WorkloadOption = None,
    catalog: CatalogOption = None,
    intent: Annotated[bool, flag("--intent", "Print the intent only.")] = False,
    output: Annotated[Path | None, option("--output -o", "DIR", "Write the inventory to a new folder.")] = None,
    form: Annotated[DataFormat, typer.Option("--format", help="How data is printed.")] = DataFormat.table,
) -> None:
    """Size a fabric for a number of GPUs.

    Shows tiers, switches, ports, cables, growth and alternatives, and the intent to start from.
    """
    _run(context.params, catalog or (), form)


def _run(given: Mapping[str, Any], catalogs: Sequence[Path], form: DataFormat) -> None:
    """Size what is given, and write or print it."""
    asked = options.read_asked(given)
    shelf = options.load_records(catalogs)
    training = options.read_training(given, shelf)
    if training is not None and given["gpus"] is None:
        asked = asked._replace(gpus=training.gpus())
    folder, intent = given["output"], given["intent"]
    request, ranking = options.rank(asked, shelf, alternatives=folder is None and not intent)
    best = options.best_option(asked, ranking)
    if folder is not None:
        from fabricgen.cli.init import write_option

        write_option(folder, best)
    elif intent:
        from fabricgen.sizing.intent_text import write_intent

        print(write_intent(best.size, "fabric"), end="")
    else:
        _print_size(request, best, ranking, training, form)


def _print_size(asked: SizingRequest, best: Option, ranked: Ranking, run: TrainingRun | None, form: DataFormat) -> None:
    from fabricgen.cli.output import print_sections
    from fabricgen.tables.size import (
        ALTERNATIVES_SHOWN,
        POWER_NOTE,
        left_to_do,
        notes,
        refused_rows,
        show_size,
        summary,
        training_row,
    )

    as_table = form is DataFormat.table
    data = show_size("fabric", best, ranked, limit=ALTERNATIVES_SHOWN if as_table else 0)
    if run is not None:
        others = {name: data.sections.pop(name) for name in ("alternatives", "remark_titles")}
        data.sections.update(training=[training_row(run, asked.gpus)], **others)
    if not as_table:
        data.sections["refused"] = refused_rows(ranked)
    if form is DataFormat.json:
        print_json(data.sections)
        return
    if not as_table:
        print_sections(data, form)
        return
    print_line(summary(best.size))
    print_sections(data, form)
    refused = f"{len(ranked.refused)} other choices do not fit; --format json says why."
    for line in ("", *notes(asked, best.size), *left_to_do(best), POWER_NOTE, refused):
        print_line(line)
