"""Quickstart under SONiC with keys changed, and its first leaf, whose class may have fields of a test's own."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

from fabricgen.compiler.compile import Compiled, compile_document
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag
from fabricgen.source import load_document
from tests.acceptance.run import INVENTORIES

FOLDER = INVENTORIES / "quickstart"
Change = tuple[tuple[str, ...], object]
SERVICES: Change = ("operations",), {
    "ntp": ["192.168.0.10", "192.168.0.11"], "syslog": ["192.168.0.12"], "dns": ["192.168.0.13"],
    "timezone": "Europe/Berlin",
    "access": {"management": ["10.200.0.0/24", "192.168.0.0/16", "2001:db8:1::/48"]},
    "snmp": {"community": {"secret": "env:SNMP"}, "location": 'row "9"', "contact": "ops@example.net"},
    "tacacs": {"servers": ["192.168.0.14", "192.168.0.15"], "key": {"secret": "file:secrets/tacacs.key"}},
    "gnmi": {
        "port": 8080,
        "server_crt": "/etc/sonic/telemetry/switch.cer",
        "server_key": "/etc/sonic/telemetry/switch.key",
        "ca_crt": "/etc/sonic/telemetry/collectors.cer",
        "clients": ["collector-a.example.net", "collector-b.example.net"],
    },
}  # fmt: skip


@cache
def _compile(overlay: str, *changes: tuple[tuple[str, ...], str]) -> Compiled:
    overlays = [FOLDER / f"overlays/{overlay}.yaml"] if overlay else []
    document = load_document(FOLDER / "fabric.yaml", Bag(), overlays=overlays)
    for path, value in changes:
        base = document if document.has(path[:1]) else document.replaced(path[:1], {})
        document = base.replaced(path, json.loads(value))
    bag = Bag()
    compiled = compile_document(document, FOLDER, bag)
    assert not bag.has_errors, list(bag)
    return compiled


def compiled(*changes: Change, overlay: str = "") -> Compiled:
    """Quickstart after keys have other values."""
    return _compile(overlay, *((path, json.dumps(value)) for path, value in changes))


def leaf(*changes: Change, overlay: str = "", **fields: Any) -> Switch:
    """The first leaf after keys have other values, and then fields of its class."""
    plan = compiled(*changes, overlay=overlay).plan
    device = Lowering(plan).lower_switch(next(plan.switches()))
    return replace(device, cls=replace(device.cls, **fields))
