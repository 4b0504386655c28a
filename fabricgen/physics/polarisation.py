"""Hash polarisation: next hops that lie idle because an earlier stage hashed the same way."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm


def effective_next_hops(widths: Sequence[int]) -> tuple[int, ...]:
    """Next hops that each of several stages really uses if all hash the same way.

    A stage that picks ``hash mod m`` leaves only flows with one remainder to the next. What the stages so far have in
    common with a stage's width is no choice any more: of m next hops, m / gcd(m, lcm of the widths before) remain.
    A stage is every place that hashes: a tier, and the bundle behind a next hop where parallel links are one. Parallel
    links that are next hops of their own belong to their tier's width.

    Args:
        widths: Next hops of each stage in the order a packet passes them, each above 0, hashed with the same function,
            seed and fields. A stage that hashes differently starts a new sequence.

    Returns:
        Next hops in use, stage by stage; the first uses all.

    Source:
        Arithmetic of modulo hashing. The fault in the field: sonic-net/sonic-buildimage issue 17215; Qian et al.,
        Alibaba HPN (SIGCOMM 2024), section on hash polarisation.
    """
    used = []
    settled = 1
    for width in widths:
        used.append(width // gcd(width, settled))
        settled = lcm(settled, width)
    return tuple(used)
