"""Codes of what can go wrong while templates run; all are faults of a platform, never of the intent."""

from __future__ import annotations

from fabricgen.diagnostics import register

_INTERNAL = "Report it to the author of the platform: the fault is in the platform's templates, not in the intent."
_CONTRACT = "docs: the platform contract, templates and views"

BAD_TEMPLATE = register(
    "FG-PLT-030",
    "Internal error: a template is not valid Jinja",
    why="The file it belongs to cannot be rendered for any device.",
    fix=_INTERNAL,
    source="Jinja 3.1, template designer documentation",
)
TEMPLATE_FAILED = register(
    "FG-PLT-031",
    "Internal error: a template failed",
    why="The file it belongs to cannot be rendered for the devices that take this way through the template.",
    fix=_INTERNAL,
    source=_CONTRACT,
)
VIEW_FAILED = register(
    "FG-PLT-032",
    "Internal error: a view module failed",
    why="Nothing can be rendered for the devices concerned.",
    fix=_INTERNAL,
    source=_CONTRACT,
)
NOT_JSON = register(
    "FG-PLT-033",
    "Internal error: a template's output is not JSON",
    why="The device would refuse the whole file.",
    fix=_INTERNAL,
    source="RFC 8259",
)
MEMBER_TWICE = register(
    "FG-PLT-034",
    "Internal error: two parts of a JSON file write the same member",
    why="The device keeps one of the two and drops the other without a word.",
    fix=_INTERNAL,
    source="RFC 8259 section 4: names within an object should be unique",
)
UNSAFE_TEMPLATE = register(
    "FG-PLT-036",
    "Template of another package that the sandbox stops",
    why="It reaches for what no template needs, such as what Python has behind a value, or works without end.",
    fix="Correct the template, or remove the package that ships it.",
    source="Jinja 3.1, sandbox; CWE-1336, template injection",
)
NO_LINE_END = register(
    "FG-PLT-035",
    "Internal error: a part of a text file does not end with a line end",
    why="The first line of the next part would be glued to its last line.",
    fix=_INTERNAL,
    source="POSIX.1-2017 section 3.206: a line ends with a newline character",
)
