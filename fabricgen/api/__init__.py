"""The pipeline as a handful of calls; the command line and other programs use nothing else."""

from fabricgen.compiler.compile import Compiled, compile_inventory
from fabricgen.compiler.positions import place_diagnostics

__all__ = ["Compiled", "compile_inventory", "place_diagnostics"]
