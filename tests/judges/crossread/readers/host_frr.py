"""A host that speaks BGP: frr.conf and the daemons that run → neutral facts."""

from __future__ import annotations

from ..facts import Device
from ..tree import Files, Reader
from .frr import DAEMONS, FRR, read_routing


def read(files: Files, device: Device) -> bool:
    """Read the routing of one host; most have none."""
    text = files.text(FRR)
    if text is None:
        return False
    read_routing(text, files.text(DAEMONS) or "", device)
    return True


READER = Reader("host", read, stage=1)
