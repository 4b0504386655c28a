"""References to secrets; the intent never holds a secret itself."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from fabricgen.intent.types import Intent
from fabricgen.validation.forms import FORM, refuse

_SECRET = re.compile(
    r"(env|file):[A-Za-z0-9_./#-]{1,128}|(sops|vault):[A-Za-z0-9_./][A-Za-z0-9_./-]{0,127}#[A-Za-z0-9_./-]{1,64}"
)


_WORDS = "`env:NAME`, `file:PATH`, `sops:PATH#KEY` or `vault:PATH#KEY`"
_REFERENCES = "{secret: env:NAME}, {secret: file:PATH}, {secret: sops:PATH#KEY} or {secret: vault:PATH#KEY}"


def _reference(value: Any) -> Any:
    scheme, _, key = value.partition(":") if isinstance(value, str) else ("", "", "")
    leaves = ".." in key.split("/") or (scheme in ("file", "sops") and key.startswith("/"))
    if isinstance(value, str) and (leaves or not _SECRET.fullmatch(value)):
        raise refuse(
            f"is not a secret reference; use {_REFERENCES}; files lie below the inventory's folder", hidden=True
        )
    return value


class Secret(Intent):
    """A reference to a secret; its value is never part of the intent or of the rendered tree."""

    secret: Annotated[
        str,
        BeforeValidator(_reference),
        WithJsonSchema({"type": "string", "pattern": f"^({_SECRET.pattern})$", FORM: _WORDS}),
        Field(description="Where the value is"),
    ]

    @property
    def token(self) -> str:
        """Return what stands in every rendered file in place of the value."""
        return f"@fabricgen-secret:{self.secret}@"


def _secret(value: Any) -> Any:
    if isinstance(value, str):
        raise refuse(f"must not be written in clear; refer to it as {_REFERENCES}", hidden=True)
    return value


SecretRef = Annotated[Secret, BeforeValidator(_secret, json_schema_input_type=Secret)]
