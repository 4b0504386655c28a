"""NVIDIA IMEX: the nodes of a host's NVLink domain → neutral facts."""

from __future__ import annotations

from ..facts import Device
from ..tree import Files, Reader

NODES = "etc/nvidia-imex/nodes_config.cfg"


def read(files: Files, device: Device) -> bool:
    text = files.text(NODES)
    if text is None:
        return False
    device.host.domain = tuple(line for line in text.splitlines() if line and not line.startswith("#"))
    if len(set(device.host.domain)) < len(device.host.domain):
        device.say(f"{NODES}: names a node twice")
    return True


READER = Reader("host", read, stage=1)
