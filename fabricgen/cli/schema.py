"""``fabricgen schema``: the files that people write as JSON Schema, for editors."""

from __future__ import annotations

from typing import Annotated

import typer

from fabricgen.cli.options import CatalogOption

EXAMPLES = """\
fabricgen schema > intent.schema.json
fabricgen schema overlay --catalog catalog > overlay.schema.json
fabricgen schema waivers > waivers.schema.json
fabricgen schema catalog/switches
fabricgen schema rollout > plan.schema.json"""


def schema(
    of: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Kind of file: intent, overlay, waivers, workload, placement, rollout, catalog/KIND or platform/KIND.",
        ),
    ] = "intent",
    catalog: CatalogOption = None,
) -> None:
    """Print a JSON Schema, with which editors complete and check.

    Editors propose the models, platforms and releases that are known. A file names its schema in its first line:
    # yaml-language-server: $schema=intent.schema.json
    """
    from fabricgen.api.schemas import KINDS, write_schema
    from fabricgen.cli.output import to_json

    if of not in KINDS:
        raise typer.BadParameter(f"{of!r} is no kind of file; use {', '.join(KINDS)}", param_hint="FILE")
    print(to_json(write_schema(of, catalog or ()), sort_keys=True))
