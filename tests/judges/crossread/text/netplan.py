"""netplan YAML → its network, with the cables that comments tell of."""

from __future__ import annotations

import re
from typing import Any

from ..facts import Device
from . import strict_yaml

_CABLE = re.compile(r"^ *# to (\S+ \S+)\n *([\w.-]+):$", re.MULTILINE)
"""A comment above an interface that tells whoever stands before the rack where its cable goes."""


_BOND = re.compile(r"^ *# bond with (\S+ [^;\n]+);.*\n *([\w.-]+):$", re.MULTILINE)
"""A comment above a switch's bond that tells which ports of which host it leads to."""


def load_network(path: str, text: str, device: Device) -> dict[str, Any]:
    """The mapping ``network``; empty where the text is no netplan file, or a key stands twice, which is a problem."""
    try:
        document = strict_yaml.load(text)
        network = document.get("network") if isinstance(document, dict) else None
        if not isinstance(network, dict):
            raise ValueError("there is no mapping network")
    except ValueError as error:
        device.say(f"{path}: cannot be read: {error}")
        return {}
    return network


def cables(text: str) -> dict[str, str]:
    return {name: cable for cable, name in _CABLE.findall(text)}


def bonds_with(text: str) -> dict[str, str]:
    return {name: peer for peer, name in _BOND.findall(text)}
