"""RoCE packets that hosts send without a code point: marked where hosts are, and only if the intent says so."""

from __future__ import annotations

import re

from tests.unit.conformance_files import startup_configs

MARK = {("lossless", "mark_unmarked"): True}
POLICY = "   service-policy type qos input UNMARKED-ROCE"


def interfaces(text: str) -> dict[str, str]:
    return {found[1]: found[2] for found in re.finditer(r"(?m)^interface (\S+)\n((?: {3}.*\n)*)", text)}


def test_leafs_mark_at_the_ports_of_hosts_and_nowhere_else() -> None:
    for name, text in startup_configs(MARK).items():
        marking = {port for port, below in interfaces(text).items() if POLICY in below}
        hosts = {port for port, below in interfaces(text).items() if re.search(r"description (gpu|store|plain)", below)}
        assert marking == (hosts if name.startswith("leaf") else set()), name
        assert ("policy-map" in text) == name.startswith("leaf")
