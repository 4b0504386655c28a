"""Neighbors of a SONiC switch: lldpd in its container, or ``show lldp table``.

Source:
    sonic-net/sonic-utilities, scripts/lldpshow and tests/lldp_test.py: heads, rule, rows, a second rule, and how many.
"""

from __future__ import annotations

import re

from fabricgen.platforms.observations import lldpcli
from fabricgen.platforms.observations.content import MisreadError, decode_text, read_tables
from fabricgen.platforms.observations.records import Neighbor, Observation

_HEADS = ("LocalPort", "RemoteDevice", "RemotePortID", "Capability", "RemotePortDescr")
_TOTAL = re.compile(r"^Total entries displayed:[ \t]+([0-9]{1,6})[ \t\r]*$", re.MULTILINE)


def read_neighbors(data: bytes) -> list[Observation]:
    """Return the neighbors by port; a port may have several."""
    text = decode_text(data)
    if _HEADS[0] not in text:
        return lldpcli.read_neighbors(data)
    total = _TOTAL.search(text)
    if not total:
        raise MisreadError("its last line, 'Total entries displayed', is missing")
    # The second rule, and the line after it, look like rows.
    rows = [cells for heads, cells in read_tables(text[: total.start()]) if heads == _HEADS and cells[0].strip("-")]
    if len(rows) != int(total[1]):
        raise MisreadError(f"it has {len(rows)} entries and says that they are {total[1]}")
    return [Neighbor(port, device, peer_port, described) for port, device, peer_port, _, described in rows]
