"""``fabricgen schema``: the intent language and that of the catalog as JSON Schema."""

from __future__ import annotations

from typing import Annotated

import typer

EXAMPLES = """\
fabricgen schema > intent.schema.json
fabricgen schema catalog/switches"""


def schema(
    of: Annotated[
        str,
        typer.Argument(
            metavar="[LANGUAGE]",
            help="Language: intent, catalog/KIND or platform/KIND.",
        ),
    ] = "intent",
) -> None:
    """Print a JSON Schema: intent, catalog or manifest."""
    from fabricgen.cli.output import to_json

    print(to_json(_schema(of), sort_keys=True))


def _schema(of: str) -> dict[str, object]:
    from fabricgen.catalog.library import KINDS
    from fabricgen.platforms.manifest.contract import KINDS as PLATFORMS

    if of == "intent":
        from fabricgen.intent.schema import intent_schema

        return intent_schema()
    room, _, kind = of.partition("/")
    if room == "platform" and kind in PLATFORMS:
        from fabricgen.platforms.manifest.load import manifest_schema

        return manifest_schema(kind)
    if room != "catalog" or kind not in KINDS:
        legal = ", ".join([*(f"catalog/{kind}" for kind in KINDS), *(f"platform/{kind}" for kind in PLATFORMS)])
        raise typer.BadParameter(f"{of!r} is no language; use intent, {legal}", param_hint="LANGUAGE")
    from fabricgen.catalog.reading import catalog_schema

    return catalog_schema(kind)
