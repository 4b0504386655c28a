"""ECN thresholds against the PFC trigger: senders must be told to slow down before they are stopped."""

from __future__ import annotations

from fabricgen.physics.memory import pause_bytes


def ecn_bound_bytes(alpha: float, shared_bytes: int, ports: int, lossless_priorities: int) -> int:
    """Largest marking threshold that still marks before PFC pauses, with every port congested.

    Args:
        alpha: Dynamic threshold of a lossless priority group, 2 ** ``dynamic_th``.
        shared_bytes: What the queues of one memory share, bytes.
        ports: Ports of that memory that may be congested at once, above 0.
        lossless_priorities: Lossless priorities per port.

    Returns:
        ``alpha * B / (n * (1 + alpha * p))`` in bytes, rounded down: what each of the priority groups of one port that
        fill alike holds when they are paused, spread over n queues. What it has for itself is left out. A worst case:
        more than this is a warning, not an error.

    Source:
        Zhu et al., Congestion Control for Large-Scale RDMA Deployments (SIGCOMM 2015), section 4, generalised to
        n ports and p priorities.
    """
    return pause_bytes(alpha, shared_bytes, groups=lossless_priorities) // ports
