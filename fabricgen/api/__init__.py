"""The pipeline as a handful of calls; the command line and other programs use nothing else."""

from fabricgen.api.compile import Compiled, compile_inventory
from fabricgen.api.positions import place_diagnostics

__all__ = ["Compiled", "compile_inventory", "place_diagnostics"]
