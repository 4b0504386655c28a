"""Options that a fabric is sized by, shared by ``size`` and ``init``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.options import flag, option
from fabricgen.cli.output import end_on_errors, print_diagnostics
from fabricgen.diagnostics import Bag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn

    from fabricgen.sizing.ask import AskError, Option, Ranking, Shelf, SizingOptions
    from fabricgen.sizing.request import SizingRequest
    from fabricgen.sizing.training import TrainingRun

GpusOption = Annotated[str | None, option("--gpus", "N", "GPUs that the fabric joins.")]
ServerOption = Annotated[str | None, option("--server", "MODEL", "Server the GPUs are in.")]
NicOption = Annotated[
    str | None, option("--nic", "MODEL", "Back-end NIC; if left out, the fastest that the slot carries.")
]
SwitchOption = Annotated[str | None, option("--switch", "MODEL", "Switch; if left out, the best of the catalog.")]
SpineOption = Annotated[
    str | None, option("--spine", "MODEL", "Switch of the spines, where it differs from the leafs.")
]
CoreOption = Annotated[str | None, option("--core", "MODEL", "Switch of the cores, where it differs from the spines.")]
PlatformOption = Annotated[str | None, option("--platform", "NAME", "Network operating system of the switches.")]
SpeedOption = Annotated[str | None, option("--speed", "GBPS", "Speed of the host links, such as 400G.")]
UplinkOption = Annotated[str | None, option("--uplink", "GBPS", "Speed of links between switches; as the host links.")]
RatioOption = Annotated[
    str, typer.Option("--ratio", metavar="D:U", help="Most oversubscription of the leafs, downlinks to uplinks.")
]
PodRatioOption = Annotated[
    str, typer.Option("--pod-ratio", metavar="D:U", help="Most oversubscription between pods, on three tiers.")
]
AttachmentOption = Annotated[
    str,
    typer.Option(
        "--attachment",
        metavar="HOW",
        help="Which GPUs share a leaf: rail for a leaf per rail, host for top-of-rack leafs.",
    ),
]
PerUnitOption = Annotated[str | None, option("--per-unit", "N", "Servers of a unit, such as those of a rack.")]
PodGpusOption = Annotated[str | None, option("--pod-gpus", "N", "GPUs of a pod, on three tiers.")]
PlanesOption = Annotated[str | None, option("--planes", "N", "Planes; as many as the NIC has ports.")]
DualTorOption = Annotated[bool, flag("--dual-tor", "Pairs of leafs over which the ports of a NIC form a bond.")]
CableOption = Annotated[
    list[str] | None,
    option("--cable", "LINK=MEDIUM:METRES", "Cable of a link group, such as leaf-spine=smf:100; may be repeated."),
]
ParamsOption = Annotated[str | None, option("--parameters", "N", "Parameters of the model to train, such as 70.6B.")]
TokensOption = Annotated[str | None, option("--tokens", "N", "Tokens to train it on, such as 15T.")]
DaysOption = Annotated[str | None, option("--days", "N", "Deadline, from which the GPUs follow.")]
MfuOption = Annotated[str | None, option("--mfu", "SHARE", "Share of the GPUs' peak that is achieved, 0.4 or 40%.")]
PeakOption = Annotated[str | None, option("--gpu-tflops", "N", "Peak of a GPU; that of the catalog.")]
WorkloadOption = Annotated[
    Path | None, option("--workload", "FILE", "Workload file that has the parameters of the model.")
]


def read_asked(given: Mapping[str, Any]) -> SizingOptions:
    """Return the options of a command as what is asked for."""
    from fabricgen.sizing.ask import GPUS_MAX, PLANES_MAX, AskError, SizingOptions, read_count

    if not given.get("server"):
        raise typer.BadParameter(
            "which server are they in? For example --server dgx_h100_8; see: fabricgen catalog servers",
            param_hint="'--server'",
        )
    values = {name: given[name] for name in SizingOptions._fields if given.get(name)}
    most = {"gpus": GPUS_MAX, "per_unit": GPUS_MAX, "pod_gpus": GPUS_MAX, "planes": PLANES_MAX}
    try:
        counts = {name: read_count(_option(name), values[name], most[name]) for name in most if name in values}
    except AskError as error:
        refuse(error)
    return SizingOptions(**{"gpus": 0, **values, **counts, "cables": given.get("cable") or ()})


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def read_training(given: Mapping[str, Any], shelf: Shelf) -> TrainingRun | None:
    """Return the training run of a command; None where nothing is said of one."""
    from fabricgen.sizing.ask import AskError, find_server
    from fabricgen.sizing.training import TrainingAsked, make_training

    asked = TrainingAsked(**{name: given[name] for name in TrainingAsked._fields if given.get(name)})
    if given.get("workload") and not asked.parameters:
        asked = asked._replace(parameters=_parameters_of(given["workload"]))
    try:
        return make_training(asked, find_server(given["server"], shelf), has_gpus=given["gpus"] is not None)
    except AskError as error:
        refuse(error)


def _parameters_of(file: Path) -> str:
    """Parameters of the model of a workload file."""
    from fabricgen.intent.workload import load_workload

    bag = Bag()
    workload = load_workload(file, bag)
    if print_diagnostics(bag) or workload is None:
        raise typer.Exit(1)
    if workload.model is None or workload.model.experts is not None:
        message = f"{file} has no model whose tokens pass all parameters; give those that a token passes."
        raise typer.BadParameter(message, param_hint="'--parameters'")
    return f"{workload.model.parameters_billion:g}B"


def load_records(catalogs: Sequence[Path]) -> Shelf:
    """Read the catalog; faults of the user's own records end the command."""
    from fabricgen.compiler.catalogs import find_shared
    from fabricgen.sizing.ask import load_shelf

    bag = Bag()
    shelf = load_shelf(find_shared(catalogs, bag), bag)
    end_on_errors(bag, quiet=True)
    return shelf


def refuse(error: AskError) -> NoReturn:
    """End the command with what is wrong with an option."""
    raise typer.BadParameter(str(error), param_hint=f"'{error.option}'")


def rank(asked: SizingOptions, shelf: Shelf, *, alternatives: bool = True) -> tuple[SizingRequest, Ranking]:
    """Size what is asked for on every switch of the catalog, or only on those that meet it."""
    from fabricgen.api.size import rank_options
    from fabricgen.sizing.ask import AskError, make_request

    try:
        request = make_request(asked, shelf)
    except AskError as error:
        refuse(error)
    return request, rank_options(request, asked, shelf, alternatives=alternatives)


def best_option(asked: SizingOptions, ranking: Ranking) -> Option:
    """Return the best option that meets all that is asked for."""
    from fabricgen.cli.output import print_line
    from fabricgen.sizing.ask import explain_refusal

    if ranking.best is not None:
        return ranking.best
    for line in explain_refusal(asked, ranking):
        print_line(line, error=True)
    raise typer.Exit(1)
