"""Diagnostics as workflow commands, which a GitHub Actions log turns into annotations of the changed lines.

Source: GitHub Actions documentation, workflow commands; escaping as in the toolkit's command module.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.diagnostics.model import Diagnostic, Severity, format_path
from fabricgen.diagnostics.visible import show_line, show_lines
from fabricgen.diagnostics.writers.text import advice

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def write_github(diagnostics: Sequence[Diagnostic]) -> str:
    """Write one command per diagnostic."""
    return "".join(f"{_command(diagnostic)}\n" for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    properties = {}
    if diagnostic.place:
        properties["file"] = diagnostic.place.file
        properties["line"] = str(max(1, diagnostic.place.line))
        properties["col"] = str(max(1, diagnostic.place.column))
    properties["title"] = diagnostic.code
    pairs = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    command = "notice" if diagnostic.waived else _COMMANDS[diagnostic.severity]
    return f"::{command} {pairs}::{_data(_message(diagnostic))}"


def _message(diagnostic: Diagnostic) -> str:
    times = f" (×{diagnostic.count})" if diagnostic.count > 1 else ""
    lines = [f"{diagnostic.message}{times}"]
    if diagnostic.path:
        lines.append(f"path: {format_path(diagnostic.path)}")
    if diagnostic.waived:
        lines.append(f"waived {diagnostic.waived}")
    return "\n".join([*lines, *advice(diagnostic)])


def _data(text: str) -> str:
    return show_lines(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(show_line(text)).replace(":", "%3A").replace(",", "%2C")
