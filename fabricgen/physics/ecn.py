"""ECN thresholds against the PFC trigger: senders must be told to slow down before they are stopped."""

from __future__ import annotations


def ecn_bound_bytes(alpha: float, shared_bytes: int, ports: int, lossless_priorities: int) -> int:
    """Largest marking threshold that still marks before PFC pauses, with every port congested.

    Args:
        alpha: Dynamic threshold of a lossless priority group, 2 ** ``dynamic_th``.
        shared_bytes: What the queues of one memory share, bytes.
        ports: Ports of that memory that may be congested at once, above 0.
        lossless_priorities: Lossless priorities per port.

    Returns:
        ``alpha * B / (n * (1 + alpha * p))`` in bytes, rounded down. A worst case: more than this is a
        warning, not an error.

    Source:
        Zhu et al., Congestion Control for Large-Scale RDMA Deployments (SIGCOMM 2015), section 4, generalised to
        n ports and p priorities.
    """
    return int(alpha * shared_bytes / (ports * (1 + alpha * lossless_priorities)))


def static_pfc_threshold_bytes(buffer_bytes: int, ports: int, headroom_bytes: int, priorities: int = 8) -> float:
    """Largest fixed PFC threshold per ingress queue that can never overflow the buffer.

    Args:
        buffer_bytes: Whole buffer of the switch.
        ports: Ports of the switch, above 0.
        headroom_bytes: Headroom of one (port, priority).
        priorities: Priorities that can be paused, above 0.

    Returns:
        Bytes; negative if the headroom alone exceeds the buffer.

    Source:
        Zhu et al., SIGCOMM 2015, section 4 (text not retrieved; reproduces the published 24.47 KB).
    """
    return (buffer_bytes - priorities * ports * headroom_bytes) / (priorities * ports)


def static_ecn_bound_bytes(buffer_bytes: int, ports: int, headroom_bytes: int, priorities: int = 8) -> float:
    """Marking threshold below which ECN comes first under a fixed PFC threshold.

    One egress queue may be fed by every ingress port, each just below its threshold. On real switches this is less
    than one packet, which is why thresholds are dynamic.

    Source:
        Zhu et al., SIGCOMM 2015, section 4: t_ECN < t_PFC / n.
    """
    return static_pfc_threshold_bytes(buffer_bytes, ports, headroom_bytes, priorities) / ports


def dynamic_pfc_threshold_bytes(
    buffer_bytes: int, ports: int, headroom_bytes: int, beta: float, used_bytes: int, priorities: int = 8
) -> float:
    """PFC threshold per ingress queue that follows the free part of the buffer.

    Args:
        buffer_bytes: Whole buffer of the switch.
        ports: Ports of the switch, above 0.
        headroom_bytes: Headroom of one (port, priority).
        beta: Share of the free buffer that all priorities of a port may take.
        used_bytes: Shared buffer in use.
        priorities: Priorities that can be paused, above 0.

    Source:
        Zhu et al., SIGCOMM 2015, section 4: beta (B - 8 n t_flight - s) / 8.
    """
    return beta * (buffer_bytes - priorities * ports * headroom_bytes - used_bytes) / priorities


def dynamic_ecn_bound_bytes(
    buffer_bytes: int, ports: int, headroom_bytes: int, beta: float, priorities: int = 8
) -> float:
    """Marking threshold below which ECN comes first under the dynamic PFC threshold.

    `ecn_bound_bytes` is the same with alpha = beta / priorities and the headroom already taken off.

    Source:
        Zhu et al., SIGCOMM 2015, section 4: t_ECN < beta (B - 8 n t_flight) / (8 n (beta + 1)).
    """
    return beta * (buffer_bytes - priorities * ports * headroom_bytes) / (priorities * ports * (beta + 1))
