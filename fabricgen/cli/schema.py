"""``fabricgen schema``: the intent language as JSON Schema."""

from __future__ import annotations

EXAMPLES = """\
fabricgen schema > intent.schema.json"""


def schema() -> None:
    """Print the JSON Schema of the intent, for editors."""
    from fabricgen.cli.output import to_json
    from fabricgen.intent.schema import intent_schema

    print(to_json(intent_schema(), sort_keys=True))
