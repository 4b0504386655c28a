"""Published formulas that the product's own are held against."""

from __future__ import annotations

from math import log, sqrt

from fabricgen.physics.ecmp import max_over_mean
from fabricgen.physics.ecn_thresholds import Marking
from fabricgen.physics.memory import pause_bytes


def queue_pair_spread(senders: int, queue_pairs: int, links: int) -> float:
    """Load of the most loaded link over the mean load, every sender using queue pairs that the hash tells apart.

    Args:
        senders: Senders that share the links, for example the GPUs below a leaf.
        queue_pairs: Queue pairs per connection.
        links: Equal uplinks.

    Source:
        Gangidi et al., SIGCOMM 2024, section on E-ECMP and queue pair scaling.
    """
    return max_over_mean(senders * queue_pairs, links)


def many_balls_bound(flows: int, links: int) -> float:
    """Expected load of the most loaded link, for very many flows (``flows`` far above ``links * ln(links)``).

    A few percent too high in the range where the exact figure is within reach.

    Source:
        Raab and Steger, Balls into Bins: A Simple and Tight Analysis (RANDOM 1998), theorem 1.
    """
    mean = flows / links
    return mean + sqrt(2 * mean * log(links))


def collision_free_probability(flows: int, links: int) -> float:
    """Probability that no two flows share a link.

    Source:
        The birthday problem: m! / ((m - n)! m^n).
    """
    probability = 1.0
    for taken in range(flows):
        probability *= max(links - taken, 0) / links
    return probability


def expected_idle_links(flows: int, links: int) -> float:
    """Expected number of links that no flow chose.

    Source:
        Linearity of expectation: m (1 - 1/m)^n.
    """
    return links * (1 - 1 / links) ** flows


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


def hpcc_thresholds(speed_gbps: int) -> Marking:
    """Marking scaled with the port speed alone, as the public HPCC simulator does.

    It knows no buffer: hold it against `ecn_bound_bytes` before use.

    Source:
        alibaba-edu/High-Precision-Congestion-Control: Kmin 100 KB and Kmax 400 KB per 25 Gb/s, Pmax 0.2.
    """
    return Marking(100_000 * speed_gbps // 25, 400_000 * speed_gbps // 25, 20)


def lossy_drop_bytes(alpha: float, shared_bytes: int, queue_bytes: int) -> int:
    """Return the fill at which a lossy queue that is alone drops.

    Args:
        alpha: Dynamic threshold of the queue.
        shared_bytes: What the queues of the memory share.
        queue_bytes: What the queue has for itself.

    Source:
        ``SOURCE``: ``lossy_drop``.
    """
    return pause_bytes(alpha, shared_bytes, queue_bytes)
