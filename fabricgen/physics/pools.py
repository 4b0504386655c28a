"""Contents of a shared buffer pool besides headroom."""

from __future__ import annotations

from fabricgen.catalog.records import Asic, BufferPool

HEADROOM_APART = frozenset({"nvidia"})
"""Makers whose pool sizes leave the shared headroom out.

Source:
    sonic-net/sonic-swss e6b0c5b5 cfgmgr/buffer_pool_mellanox.lua takes the headroom pool off before the rest becomes
    the pool. On Broadcom it lies inside: the pool of Dell's Z9664F and Z9864F is every cell of the chip
    (facebook/fboss Tomahawk4Asic.cpp, Tomahawk5Asic.cpp: 2 x 223,662 and 2 x 319,960 cells of 254 bytes).
"""


def shared_bytes(pool: BufferPool, asic: Asic) -> int:
    """The part of an ingress pool that queues share, without the headroom pool, bytes.

    Args:
        pool: An ingress pool.
        asic: The ASIC it belongs to; its maker decides what ``size_bytes`` counts.

    Source:
        See ``HEADROOM_APART``.
    """
    return pool.size_bytes - (0 if asic.vendor in HEADROOM_APART else pool.xoff_bytes or 0)
