"""Usage errors in plain words, whichever library found them."""

from __future__ import annotations

from typing import Any

import typer

from fabricgen.cli.verb import choices_of

_WORDS = {
    "int_parsing": "is not a whole number",
    "int_parsing_size": "is not a whole number",
    "int_from_float": "is not a whole number",
    "float_parsing": "is not a number",
    "greater_than_equal": "is less than {ge}",
    "less_than_equal": "is more than {le}",
}
"""Finding of a validator of option values, by its type."""


def reword(error: Any) -> Any:
    """Return a usage error with a message of fabricgen: where a value is missing, or a validator wrote the message."""
    if type(error).__name__ == "MissingParameter" and error.param is not None:
        return _missing(error)
    details = getattr(error.__cause__, "errors", None)
    if not callable(details):
        return error
    first = details()[0]
    context = first.get("ctx", {})
    if "error" in context:
        error.message = f"{context['error']}{_tell_order(error)}"
    else:
        error.message = f"{first['input']!r} {_WORDS.get(first['type'], 'cannot be read').format(**context)}."
    return error


def _tell_order(error: Any) -> str:
    """Say which argument comes first, where the one before has a value that this one takes."""
    before = {param.metavar: str(error.ctx.params.get(param.name)) for param in error.ctx.command.params}
    choices = set(choices_of(error.param))
    return next((f" {name} comes first, then {value}." for name, value in before.items() if value in choices), "")


def _missing(error: Any) -> typer.BadParameter:
    """Name what may be given, and the first example of the verb."""
    listed = ", ".join(choices_of(error.param))
    example = (error.ctx.command.epilog or "").partition("\n")[0]
    words = ("is missing" + (f"; give one of {listed}" if listed else ""), f"For example: {example}" if example else "")
    param = error.param
    name = " / ".join(param.opts) if param.param_type_name == "option" else param.metavar
    return typer.BadParameter(". ".join(filter(None, words)), error.ctx, param_hint=f"'{name}'")
