"""Codes of what can go wrong while templates run; all are faults of a platform, never of the intent."""

from __future__ import annotations

from fabricgen.diagnostics import register

_INTERNAL = "Report it to the author of the platform: the fault is in the platform's templates, not in the intent."
_CONTRACT = "docs: the platform contract, templates and views"

BAD_TEMPLATE = register(
    "FG-PLT-030",
    "Internal error: a platform's template or view is at fault",
    why="The file it belongs to cannot be rendered: a template fails or is no Jinja, a view fails, or what they "
    "write is not the file's format.",
    fix=_INTERNAL,
    source="templates/README.md; Jinja 3.1, template designer documentation",
)
UNSAFE_TEMPLATE = register(
    "FG-PLT-036",
    "Template of another package that the sandbox stops",
    why="It reaches for what no template needs, such as what Python has behind a value, or works without end.",
    fix="Correct the template, or remove the package that ships it.",
    source="Jinja 3.1, sandbox; CWE-1336, template injection",
)
