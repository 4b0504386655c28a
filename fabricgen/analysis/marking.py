"""Where marking starts against where PFC may pause, for one class of switches."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.device.model import SwitchClass
from fabricgen.physics.ecn import ecn_bound_bytes


class MarkingBound(NamedTuple):
    """The largest threshold that marks before PFC pauses with every port congested, and what it follows from."""

    alpha: float
    pool_bytes: int
    ports: int
    priorities: int
    bound_bytes: int

    @property
    def arithmetic(self) -> str:
        """The bound with its numbers."""
        return f"{self.alpha:g} x {self.pool_bytes} / ({self.ports} x (1 + {self.alpha:g} x {self.priorities}))"


def marking_bound(cls: SwitchClass) -> MarkingBound | None:
    """The bound of a class of switches; None where nothing is under PFC or the catalog has no buffer figures.

    Source:
        See `fabricgen.physics.ecn.ecn_bound_bytes`.
    """
    buffers = cls.buffers
    pool = next((pool for pool in buffers.pools if pool.kind == "ingress"), None)
    lossless = len(cls.contract.lossless)
    ports = sum(1 for port in cls.ports if port.side)
    if pool is None or not lossless or not ports or not buffers.headroom:
        return None
    alpha = 2.0 ** min(row.dynamic_th for row in buffers.headroom)
    inside = 0 if buffers.pools_exclude_reserved else pool.xoff_bytes or 0
    without = pool.size_bytes - inside
    return MarkingBound(alpha, without, ports, lossless, ecn_bound_bytes(alpha, without, ports, lossless))
