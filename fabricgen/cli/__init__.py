"""The command line: one module per verb, no logic."""

from fabricgen.cli.app import main

__all__ = ["main"]
