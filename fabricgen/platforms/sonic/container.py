"""Files of the virtual switch image: which Linux interface is which front-panel port.

Source:
    sonic-net/sonic-buildimage platform/vs/docker-sonic-vs/start.sh, 202505 to 202605: it keeps the lines of interfaces
    that are there, ``ethN:LANES`` of lanemap.ini and the rows of port_config.ini with these lanes between blanks, and
    ends where a line is missing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

CONFIG = "etc/sonic/config_db.json"
_COLUMNS = ("lanes", "alias", "index", "speed")


def container_files(files: Mapping[str, bytes], interfaces: Mapping[str, str]) -> dict[str, bytes]:
    """Return lanemap.ini and port_config.ini of a switch.

    Args:
        files: The switch's rendered files by path.
        interfaces: Linux interface of each port that has a cable.
    """
    ports: dict[str, dict[str, str]] = json.loads(files[CONFIG])["PORT"]
    lanes = [f"{interface}:{ports[name]['lanes']}" for name, interface in interfaces.items()]
    rows = ["# name lanes alias index speed"]
    rows += (" ".join([name, *(row[column] for column in _COLUMNS)]) for name, row in ports.items())
    return {"lanemap.ini": _text(lanes), "port_config.ini": _text(rows)}


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
