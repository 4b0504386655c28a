"""The command line: one module per verb, no logic.

A function here that cannot go on says why and ends the command, by ``typer.Exit`` or ``typer.BadParameter``.
"""

from fabricgen.cli.app import main

__all__ = ["main"]
