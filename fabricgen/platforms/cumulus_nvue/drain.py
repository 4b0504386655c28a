"""The drain of a Cumulus Linux switch as its configuration has it: graceful shutdown of BGP (RFC 8326).

Source:
    Cumulus Linux 5.15, NVUE reference, ``nv set router bgp graceful-shutdown``.
"""

from __future__ import annotations

from fabricgen.platforms.reading.reader import Tree

DRAINED = "graceful-shutdown"


def end_drain(tree: Tree) -> Tree | None:
    """Return the configuration of a drained switch as it is once the drain has ended; None if it is not drained."""
    router = tree.get("router")
    bgp = router.get("bgp") if isinstance(router, dict) else None
    if not isinstance(router, dict) or not isinstance(bgp, dict) or bgp.get(DRAINED) != "enabled":
        return None
    left = {key: value for key, value in bgp.items() if key != DRAINED}
    return {**tree, "router": {**router, "bgp": left}}
