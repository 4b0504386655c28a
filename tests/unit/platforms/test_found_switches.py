"""Switches as imports find them in rendered files, without comments, against the plan that rendered them."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag
from fabricgen.platforms.found import FoundSwitch
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.render.engine import Renderer
from tests.acceptance.run import INVENTORIES, compile_clean

FABRICS = [("quickstart", shape) for shape in ("", "dual", "unnumbered", "ipv6", "host-bgp")] + [("rail-1k", "")]
COMMENT = re.compile(r"^ *[!#](?!!)(?! *$).*\n", re.MULTILINE)
SAMPLE = 11
"""Every so many switches of a large fabric are read."""


def _find(spec: PlatformSpec, renderer: Renderer, switch: Switch) -> FoundSwitch:
    """Return a switch as its own files describe it, without comments."""
    rendered = {file.path.split("/", 2)[2]: file.data.decode() for file in renderer.render_switch(switch)}
    trees = {path: spec.platform.format_of(path).read(COMMENT.sub("", text)) for path, text in rendered.items()}
    found = spec.platform.find_switch(switch.hostname, trees)
    assert found is not None
    return found


def _with_length(address: str, length: int) -> list[str]:
    return [f"{address}/{length}"] if address else []


def _ports(switch: Switch, platform: str) -> dict[str, dict[str, Any]]:
    """Return each port with a link as the plan has it, where the files of the platform have that."""
    pauses = bool(switch.cls.contract.lossless)
    return {
        port.shape.name: {
            "speed_gbps": port.shape.speed_gbps,
            "mtu": port.shape.mtu_bytes,
            "addresses": (
                *_with_length(port.address, port.prefix_len),
                *_with_length(port.address6, port.prefix_len6),
            ),
            # Files of a plain router name the neighbors of its sessions alone.
            **({"neighbor": (port.peer, port.peer_port)} if platform != "frr" or port.peer_asn else {}),
            **({"cable_m": math.ceil(port.shape.length_m)} if platform == "nvue" and pauses else {}),
        }
        for port in switch.ports
    }


def _sessions(switch: Switch) -> set[tuple[str, int, bool]]:
    """Return peer, AS number and whether the peer is a port of every session of the plan."""
    found = set()
    for port in switch.ports:
        addresses = [address for address in (port.peer_address, port.peer_address6) if address]
        if port.peer_asn:
            found |= {(address, port.peer_asn, False) for address in addresses}
            found |= {(port.shape.name, port.peer_asn, True)} if not addresses else set()
    return found


def _settings(switch: Switch, platform: str) -> dict[str, Any]:
    """Return values that the files of every platform have, by key of the intent."""
    cls, contract = switch.cls, switch.cls.contract
    guarded = cls.routing.bfd_upper if cls.has_upper else cls.routing.bfd_lower
    expected = {
        "routing.timers.keepalive_s": cls.routing.keepalive_s,
        "routing.timers.hold_s": cls.routing.hold_s,
        "routing.bfd": "on" if guarded else "off",
        "routing.security.ttl": "on" if (cls.routing.gtsm_upper or cls.routing.gtsm_lower) else "off",
        "routing.ecmp.max_paths": cls.routing.max_paths,
        "routing.ecmp.hash": ["five_tuple"],
        "lossless.mode": contract.mode,
        "lossless.classes": {
            row.name: {
                **({"dscp": list(row.dscp)} if row.dscp else {}),
                "priority": row.priority,
                **({"lossless": True} if row.lossless else {}),
                **({"strict": True} if row.strict else {"weight_pct": row.weight_pct}),
            }
            for row in contract.classes
        },
        **{
            f"lossless.ecn.{row.speed_gbps}G": {
                key: getattr(row, key) for key in ("kmin_bytes", "kmax_bytes", "pmax_pct")
            }
            for row in cls.ecn
        },
        "operations.ntp": list(cls.services.ntp),
        "operations.syslog": list(cls.services.syslog),
    }
    if platform != "frr":
        expected["lossless.watchdog.detection_ms"] = cls.watchdog.detection_ms
        expected["operations.timezone"] = cls.services.timezone
        expected["operations.access.management"] = [*cls.services.access.management, *cls.services.access.management6]
        expected["operations.tacacs"] = {"servers": list(cls.services.tacacs), "key": {"secret": "env:TACACS_KEY"}}
    return expected


def _judge(found: FoundSwitch, switch: Switch, platform: str) -> None:
    assert found.asn == switch.asn
    assert found.router_id == switch.router_id
    assert found.loopbacks == tuple(filter(None, (switch.loopback, switch.loopback6)))
    assert found.management == f"{switch.management}/{switch.management_len}"
    assert found.gateway == switch.management_gateway
    assert found.prefix_limit == switch.cls.routing.prefix_limit
    prefixes = switch.cls.prefixes
    pools = (prefixes.loopbacks, prefixes.host_links, prefixes.loopbacks6, prefixes.host_links6)
    assert found.prefixes == frozenset(filter(None, pools))
    ports = {port.name: port for port in found.ports if port.is_up}
    expected = _ports(switch, platform)
    assert ports.keys() == expected.keys()
    for name, values in expected.items():
        assert {key: getattr(ports[name], key) for key in values} == values, name
    assert {(each.peer, each.asn, each.is_port) for each in found.sessions} == _sessions(switch)
    settings = {each.key: each.value for each in found.settings}
    wanted = _settings(switch, platform)
    assert {key: settings.get(key) for key in wanted} == wanted


@pytest.mark.parametrize(("inventory", "shape"), FABRICS)
@pytest.mark.parametrize("platform", ["eos", "nvue", "frr"])
def test_is_what_the_plan_says(platform: str, inventory: str, shape: str) -> None:
    made = compile_clean(INVENTORIES / inventory, platform, *filter(None, [shape]))
    assert made.platforms is not None
    assert made.plan is not None
    lowering, renderer = Lowering(made.plan), Renderer(made.platforms, Bag())
    switches = [*map(lowering.lower_switch, made.plan.switches())]
    for switch in switches[:: SAMPLE if len(switches) > SAMPLE else 1]:
        found = _find(made.platforms[switch.cls.platform], renderer, switch)
        _judge(found, switch, platform)
