"""Options that a fabric is sized by, shared by ``size`` and ``init``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.output import DiagnosticFormat, print_diagnostics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn

    from fabricgen.api.size.ask import Asked, AskError, Shelf
    from fabricgen.api.size.ranking import Option, Ranking
    from fabricgen.api.size.request import Request
    from fabricgen.api.size.training import Training

GpusOption = Annotated[
    int | None, typer.Option("--gpus", metavar="N", help="GPUs that the fabric joins.", show_default=False)
]
ServerOption = Annotated[
    str | None, typer.Option("--server", metavar="MODEL", help="Server the GPUs are in.", show_default=False)
]
NicOption = Annotated[
    str | None,
    typer.Option(
        "--nic",
        metavar="MODEL",
        help="Back-end NIC; if left out, the fastest that the slot carries.",
        show_default=False,
    ),
]
SwitchOption = Annotated[
    str | None,
    typer.Option("--switch", metavar="MODEL", help="Switch; if left out, the best of the catalog.", show_default=False),
]
SpineOption = Annotated[
    str | None,
    typer.Option(
        "--spine", metavar="MODEL", help="Switch of the spines, where it differs from the leafs.", show_default=False
    ),
]
CoreOption = Annotated[
    str | None,
    typer.Option(
        "--core", metavar="MODEL", help="Switch of the cores, where it differs from the spines.", show_default=False
    ),
]
PlatformOption = Annotated[
    str | None,
    typer.Option("--platform", metavar="NAME", help="Network operating system of the switches.", show_default=False),
]
SpeedOption = Annotated[
    str | None,
    typer.Option("--speed", metavar="GBPS", help="Speed of the host links, such as 400G.", show_default=False),
]
UplinkOption = Annotated[
    str | None,
    typer.Option(
        "--uplink", metavar="GBPS", help="Speed of links between switches; as the host links.", show_default=False
    ),
]
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
PerUnitOption = Annotated[
    int | None,
    typer.Option("--per-unit", metavar="N", help="Servers of a unit, such as those of a rack.", show_default=False),
]
PodGpusOption = Annotated[
    int | None, typer.Option("--pod-gpus", metavar="N", help="GPUs of a pod, on three tiers.", show_default=False)
]
PlanesOption = Annotated[
    int | None,
    typer.Option("--planes", metavar="N", help="Planes; as many as the NIC has ports.", show_default=False),
]
DualTorOption = Annotated[
    bool, typer.Option("--dual-tor", help="Pairs of leafs over which the ports of a NIC form a bond.")
]
CableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--cable",
        metavar="LINK=MEDIUM:METRES",
        help="Cable of a link group, such as leaf-spine=smf:100; may be repeated.",
        show_default=False,
    ),
]
ParametersOption = Annotated[
    str | None,
    typer.Option(
        "--parameters", metavar="N", help="Parameters of the model to train, such as 70.6B.", show_default=False
    ),
]
TokensOption = Annotated[
    str | None, typer.Option("--tokens", metavar="N", help="Tokens to train it on, such as 15T.", show_default=False)
]
DaysOption = Annotated[
    float | None,
    typer.Option("--days", metavar="N", help="Deadline, from which the GPUs follow.", show_default=False),
]
MfuOption = Annotated[
    float | None,
    typer.Option("--mfu", metavar="SHARE", help="Share of the GPUs' peak that is achieved.", show_default=False),
]
TflopsOption = Annotated[
    float | None,
    typer.Option("--tflops", metavar="N", help="TFLOP/s that a GPU achieves, in place of --mfu.", show_default=False),
]
PeakOption = Annotated[
    float | None,
    typer.Option("--gpu-tflops", metavar="N", help="Peak of a GPU; that of the catalog.", show_default=False),
]
WorkloadOption = Annotated[
    Path | None,
    typer.Option(
        "--workload", metavar="FILE", help="Workload file that has the parameters of the model.", show_default=False
    ),
]


def read_asked(given: Mapping[str, Any]) -> Asked:
    """Return the options of a command as what is asked for.

    Args:
        given: Values by the name of the parameter.

    Raises:
        typer.BadParameter: What cannot be left out is missing.
    """
    from fabricgen.api.size.ask import Asked

    if not given.get("server"):
        raise typer.BadParameter(
            "which server are they in? For example --server dgx_h100_8; see: fabricgen catalog servers",
            param_hint="'--server'",
        )
    values = {name: given[name] for name in Asked._fields if given.get(name)}
    return Asked(**{**values, "gpus": given["gpus"], "cables": given.get("cable") or ()})


def read_training(given: Mapping[str, Any], shelf: Shelf) -> Training | None:
    """Return the training run of a command; None where nothing is said of one.

    Raises:
        typer.BadParameter: An option is missing, or makes no sense.
    """
    from fabricgen.api.size.ask import AskError, find_server
    from fabricgen.api.size.training import TrainingAsked, make_training

    asked = TrainingAsked(**{name: given[name] for name in TrainingAsked._fields if given.get(name)})
    if given.get("workload") and not asked.parameters:
        asked = asked._replace(parameters=_parameters_of(given["workload"]))
    try:
        return make_training(asked, find_server(given["server"], shelf), has_gpus=given["gpus"] is not None)
    except AskError as error:
        refuse(error)


def _parameters_of(file: Path) -> str:
    """Parameters of the model of a workload file.

    Raises:
        typer.Exit: The file has faults, which are printed.
        typer.BadParameter: It does not have them.
    """
    from fabricgen.diagnostics import Bag
    from fabricgen.intent.workload import load_workload

    bag = Bag()
    workload = load_workload(file, bag)
    if print_diagnostics(bag, None, DiagnosticFormat.text) or workload is None:
        raise typer.Exit(1)
    if workload.model is None or workload.model.experts is not None:
        message = f"{file} has no model whose tokens pass all parameters; give those that a token passes."
        raise typer.BadParameter(message, param_hint="'--parameters'")
    return f"{workload.model.parameters_billion:g}B"


def load_records(catalogs: Sequence[Path]) -> Shelf:
    """Read the catalog; faults of the user's own records end the command.

    Raises:
        typer.Exit: There are some.
    """
    from fabricgen.api.own_catalogs import find_shared
    from fabricgen.api.size.ask import load_shelf
    from fabricgen.diagnostics import Bag

    bag = Bag()
    shelf = load_shelf(find_shared(catalogs, bag), bag)
    if print_diagnostics(bag, None, DiagnosticFormat.text, quiet=True):
        raise typer.Exit(1)
    return shelf


def refuse(error: AskError) -> NoReturn:
    """End the command with what is wrong with an option.

    Raises:
        typer.BadParameter: Always.
    """
    raise typer.BadParameter(str(error), param_hint=f"'{error.option}'")


def rank(asked: Asked, shelf: Shelf, *, alternatives: bool = True) -> tuple[Request, Ranking]:
    """Size what is asked for on every switch of the catalog, or only on those that meet it.

    Raises:
        typer.BadParameter: An option cannot be met.
    """
    from fabricgen.api.size.ask import AskError, make_request
    from fabricgen.api.size.ranking import rank_options

    try:
        request = make_request(asked, shelf)
    except AskError as error:
        refuse(error)
    return request, rank_options(request, asked, shelf, alternatives=alternatives)


def best_option(asked: Asked, ranking: Ranking) -> Option:
    """Return the best option that meets all that is asked for.

    Raises:
        typer.Exit: There is none; why, and what would work, is printed.
    """
    from fabricgen.api.size.advice import explain_refusal
    from fabricgen.cli.output import print_line

    if ranking.best is not None:
        return ranking.best
    for line in explain_refusal(asked, ranking):
        print_line(line, error=True)
    raise typer.Exit(1)
