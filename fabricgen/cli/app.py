"""Entry point: verbs, exit codes, and what happens when something fails that should not."""

from __future__ import annotations

import atexit
import gc
import os
import re
import sys

import typer

from fabricgen.cli.gate import gated
from fabricgen.cli.verb import COMPLETE, WIDTH_MAX, VerbGroup

# Almost everything that is made lives until the end; looking for cycles in it every 700 objects is wasted.
gc.set_threshold(1_000_000, 20, 50)
# An interpreter that ends looks for cycles once more; all it could free goes with the process.
atexit.register(gc.freeze)
# Plugins of other packages do not take part in reading an intent; looking for them costs as much as reading one.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

EXIT_ERRORS, EXIT_USAGE, EXIT_DIFFERENCES, EXIT_INTERNAL = 1, 2, 3, 70

_FRAME = re.compile(r'  File "[^"]+", line \d+, in [\w<>]+$')

app = typer.Typer(
    name="fabricgen",
    cls=VerbGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH_MAX},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        from fabricgen import __version__

        try:
            installed = version("fabricgen")
        except PackageNotFoundError:  # a checkout on the path
            installed = __version__
        typer.echo(f"fabricgen {installed}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    """Turn the intent of an AI back-end RoCE fabric into the configuration of every switch, NIC and host.

    Start with `fabricgen init my-fabric`, then validate, render and diff. `fabricgen COMMAND --help` has examples.
    """


def main() -> int:
    """Run the command line and return its exit code; an internal error is 70, never a user's fault."""
    if os.environ.get(COMPLETE):
        from fabricgen.cli.completion import answer_shell

        return answer_shell(app)
    with gated() as gates:
        code = _run()
    lost = next((gate.lost for gate in gates if gate.lost), None)
    if lost is None:
        return code
    print(f"fabricgen: the output cannot be written: {lost.strerror}", file=sys.stderr)
    return EXIT_ERRORS if code in (0, EXIT_DIFFERENCES) else code


def _run() -> int:
    try:
        code = app(prog_name="fabricgen", standalone_mode=False)
    except typer.Exit as done:
        return done.exit_code
    except typer.Abort:
        return 130
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _explain_failure(error)
    return code if isinstance(code, int) else 0


def _explain_failure(error: Exception) -> int:
    """A usage error in its own words, anything else as an internal error with what a report needs."""
    show_usage = getattr(error, "show", None)
    if show_usage is not None:
        from fabricgen.cli.verb import reword

        reword(error).show()
        return int(getattr(error, "exit_code", EXIT_USAGE))
    if isinstance(error, FileNotFoundError) and not _has_folder():
        print("fabricgen: the current folder does not exist any more; change to one that does", file=sys.stderr)
        return EXIT_ERRORS
    print("fabricgen: internal error. Please report what follows.", file=sys.stderr)
    print("\n".join(_list_frames(error)), file=sys.stderr)
    return EXIT_INTERNAL


def _has_folder() -> bool:
    try:
        return bool(os.getcwd())
    except FileNotFoundError:
        return False


def _list_frames(error: BaseException) -> list[str]:
    """Return the frames of an error and of its causes, without their messages, which may quote a device's files."""
    import traceback

    lines: list[str] = []
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    for link in reversed(chain):
        lines += [] if not lines else ["", "which led to:", ""]
        lines += ["".join(traceback.format_tb(link.__traceback__)).rstrip("\n")] if link.__traceback__ else []
        # An error of a worker process has its frames in its text.
        lines += [line for line in str(link).split("\n") if _FRAME.match(line)]
        lines.append(
            f"{type(link).__module__}.{type(link).__qualname__} (its message is not shown: it may hold a secret)"
        )
    return lines
