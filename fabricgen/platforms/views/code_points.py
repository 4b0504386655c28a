"""Shared view of every platform that maps single code points: each of the 64 with its priority."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import Contract


@dataclass(frozen=True, slots=True)
class CodePoint:
    """A DSCP and the priority of its packets; ``origins`` names its own item of the contract's table."""

    dscp: Annotated[int, "Contract.priority_by_dscp"]
    priority: Annotated[int, "Contract.priority_by_dscp"]
    origins: tuple[str, ...]


def code_points(contract: Contract) -> tuple[CodePoint, ...]:
    """Every code point."""
    return tuple(
        CodePoint(dscp, priority, (f"Contract.priority_by_dscp[{dscp}]",))
        for dscp, priority in enumerate(contract.priority_by_dscp)
    )


def code_point_rows(contract: Contract, per_row: int) -> tuple[tuple[CodePoint, ...], ...]:
    """Every code point, some to a row."""
    points = code_points(contract)
    return tuple(points[first : first + per_row] for first in range(0, len(points), per_row))
