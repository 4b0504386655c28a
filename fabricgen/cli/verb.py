"""Help and usage errors of the command line: plain words at the terminal's width, and examples at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from inspect import cleandoc
from itertools import pairwise
from keyword import iskeyword
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

WIDTH_MAX = 120
"""Help is no wider, however wide the terminal is: long lines are hard to read."""
COMPLETE = "_FABRICGEN_COMPLETE"
"""Environment variable that the shell sets when it asks for completions."""
VERBS = (
    "init", "size", "catalog", "validate", "render", "show", "analyze", "collect", "import", "check", "cables", "diff",
    "rollout", "replace", "export", "explain", "schema", "completion", "lab",
)  # fmt: skip
"""Modules of verbs, in the order of the help; each has a function of its name, or a group of verbs."""


_OTHER_WORDS = {
    "plan": "diff", "apply": "rollout", "deploy": "rollout", "push": "rollout", "build": "render", "generate": "render",
    "lint": "validate", "verify": "check",
}  # fmt: skip
"""Verbs of other tools, and those that do the same here."""


class VerbGroup(TyperGroup):
    """The command line, which loads the module of the verb that is called, and of no other."""

    def __init__(self, **settings: Any) -> None:
        """Take verbs from their modules."""
        super().__init__(**settings)
        self.commands: Any = _Modules()

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a verb; one of another tool is answered with ours."""
        if known := _OTHER_WORDS.get(args[0]):
            ctx.fail(f"No such command {args[0]!r}. Did you mean {known!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the first sentence of each verb; none is built for that."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summarize(name)) for name in VERBS])


class DefaultVerb(TyperGroup):
    """A group of verbs, of which ``default`` is meant where none is named."""

    default = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the name in front of words that do not begin with one, nor ask for the help of the group."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = [self.default, *args]
        return list(super().parse_args(ctx, args))


class _Modules(Mapping[str, Any]):
    """Verbs by name, each built when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        if name not in VERBS:
            raise KeyError(name)
        return _build_verb(name)

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


def _load_verb(name: str) -> tuple[Any, Any]:
    """Return the module of a verb, and its function or group."""
    word = f"{name}_" if iskeyword(name) else name
    module = import_module(f"fabricgen.cli.{word}")
    return module, getattr(module, word)


def _summarize(name: str) -> str:
    """Return the first sentence of what a verb does."""
    verb = _load_verb(name)[1]
    text = verb.info.help if isinstance(verb, typer.Typer) else verb.__doc__
    return str(text).partition("\n")[0]


@cache
def _build_verb(name: str) -> Any:
    """Build a verb."""
    module, verb = _load_verb(name)
    if isinstance(verb, typer.Typer):
        return typer.main.get_command(verb)
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    add_verb(app, verb, module.EXAMPLES)
    return typer.main.get_command(app)


class Verb(TyperCommand):
    """A verb whose help names no types of the program; ``epilog`` is its examples, one a line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an empty word, as of a variable that is not set: as a path it would be the current folder."""
        for before, word in pairwise(["", *args]):
            if not word or (word[:2] == "--" and word.partition("=")[1:] == ("=", "")):
                name = f"'{(word or before).rstrip('=')}'" if (word or before)[:1] == "-" else "an argument"
                words = "is empty; give a value, or leave the option out; the current folder is a dot."
                raise typer.BadParameter(words, ctx, param_hint=name)
        return list(super().parse_args(ctx, args))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the verb in the usage line."""
        return ["[OPTIONS]", *(_usage(param) for param in self.get_params(ctx) if _is_argument(param))]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write all of it."""
        self.format_usage(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(cleandoc(self.help or ""))
        params = [param for param in self.get_params(ctx) if not getattr(param, "hidden", False)]
        for title, is_argument in (("Arguments", True), ("Options", False)):
            rows = [(_name(param), _explain(param)) for param in params if _is_argument(param) is is_argument]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=26)
        if self.epilog:
            with formatter.section("Examples"):
                for line in self.epilog.splitlines():
                    formatter.write(f"  {line}\n")


def make_group(words: str, cls: type[TyperGroup] | None = None) -> typer.Typer:
    """Return a group of verbs, and ``words`` for its help; it shows its help where no verb is named."""
    return typer.Typer(
        cls=cls or TyperGroup, help=words, rich_markup_mode=None, add_completion=False, no_args_is_help=True
    )


def add_verb(app: typer.Typer, function: Callable[..., None], examples: str, name: str | None = None) -> None:
    """Add a verb to the command line or to a group of it."""
    app.command(name, cls=Verb, epilog=examples)(function)


def _is_argument(param: Any) -> bool:
    return bool(param.param_type_name == "argument")


def _usage(param: Any) -> str:
    name = _name(param)
    return (name if param.required else f"[{name}]") + ("..." if param.nargs != 1 else "")


def _name(param: Any) -> str:
    """Return what stands in front of a description."""
    if _is_argument(param):
        return str(param.metavar or param.name.upper()).strip("[]")
    names = ", ".join(sorted(param.opts, key=len))
    return (
        names
        if param.is_flag or param.count
        else f"{names} {param.metavar or max(param.opts, key=len).strip('-').upper()}"
    )


def _explain(param: Any) -> str:
    """Return the description of an argument or option, with its choices and its default."""
    parts = [param.help or ""]
    if choices := list(choices_of(param)):
        parts.append(f"One of {', '.join(choices)}.")
    if param.required and not _is_argument(param):
        parts.append("Required.")
    elif param.show_default is not False and param.default not in (None, "", False, ()):
        parts.append(f"[default: {param.default}]")
    return " ".join(filter(None, parts))


def choices_of(param: Any) -> Iterator[str]:
    """Yield the values that a parameter takes, if it takes no others."""
    kind = getattr(param, "type_descriptor", None) or getattr(param, "type", None)
    return map(str, getattr(kind, "choices", None) or ())


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
