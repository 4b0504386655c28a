"""``fabricgen schema``: the intent language as JSON Schema."""

from __future__ import annotations


def schema() -> None:
    """Print the JSON Schema of the intent, for editors."""
    import json

    from fabricgen.intent.schema import intent_schema

    print(json.dumps(intent_schema(), indent=2, sort_keys=True))
