"""``fabricgen catalog``: models, platforms and profiles that are known."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from fabricgen.cli.options import CatalogOption, argument
from fabricgen.cli.output import DataFormat, end_on_errors, print_json, print_rows
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import or_list

if TYPE_CHECKING:
    from typing import NoReturn

    from fabricgen.tables.sections import Row, Value

EXAMPLES = """\
fabricgen catalog
fabricgen catalog switches
fabricgen catalog servers dgx_h100_8"""

CatalogKind = StrEnum("CatalogKind", "switches nics servers platforms profiles asics nvlink")
"""Kinds of records."""


def catalog(
    kind: Annotated[CatalogKind | None, argument("KIND", "What to list; without it, what there is.")] = None,
    name: Annotated[str | None, argument("[NAME]", "Show one of them with its sources.")] = None,
    folders: CatalogOption = None,
    form: Annotated[DataFormat, typer.Option("--format", help="How data is printed.")] = DataFormat.table,
) -> None:
    """List the models, platforms and profiles of the catalog.

    These are the switches, NICs, servers, platforms and marking profiles that an intent can name, and the ASICs and
    generations of NVLink that they have.
    """
    from fabricgen.cli.output import print_sections
    from fabricgen.compiler.catalogs import find_shared
    from fabricgen.tables.catalog import count_kinds, list_models, load_known, show_model

    bag = Bag()
    known = load_known(find_shared(folders or (), bag), bag)
    end_on_errors(bag, quiet=True)
    if kind is None:
        _print_rows(count_kinds(known), form)
    elif name is None:
        _print_rows(list_models(known, kind.value), form)
    elif name not in getattr(known, kind.value):
        _refuse(kind, name, [*getattr(known, kind.value)])
    else:
        data = show_model(known, kind.value, name)
        if form is DataFormat.json:
            print_json({"name": data.fabric, **data.sections})
        else:
            print_sections(data, form)


def _print_rows(rows: list[Row], form: DataFormat) -> None:
    """Print rows whose cells may be lists: as such in JSON, else with blanks between their items."""
    if form is DataFormat.json:
        print_json(rows)
        return
    print_rows([{key: _cell(value, form) for key, value in row.items()} for row in rows], form)


def _cell(value: Value, form: DataFormat) -> str | int | float:
    if value is None or value == []:
        return "-" if form is DataFormat.table else ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(str, value)) if isinstance(value, list) else value


def _refuse(kind: CatalogKind, name: str, known: list[str]) -> NoReturn:
    """End the command: there is no record of that name."""
    from fabricgen.catalog.library import near_names

    meant = f"; did you mean {or_list(near)}?" if (near := near_names(name, known)) else "."
    message = f"{name!r} is not among the {kind.value} of the catalog{meant} See: fabricgen catalog {kind.value}"
    raise typer.BadParameter(message, param_hint="'NAME'")
