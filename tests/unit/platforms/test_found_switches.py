"""Switches as imports find them in rendered files, without comments, against the plan that rendered them."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabricgen.api import Compiled
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag
from fabricgen.platforms.cumulus_nvue import PLATFORM as NVUE
from fabricgen.platforms.eos import PLATFORM as EOS
from fabricgen.platforms.found import FoundSwitch, secret_reference
from fabricgen.platforms.frr import PLATFORM as FRR
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.render.engine import Renderer
from tests.acceptance.run import INVENTORIES, compile_clean
from tests.unit.conformance_files import lower_conformance

FABRICS = [("quickstart", shape) for shape in ("", "dual", "unnumbered", "ipv6", "host-bgp")] + [("rail-1k", "")]
COMMENT = re.compile(r"^ *[!#](?!!)(?! *$).*\n", re.MULTILINE)
PLATFORMS = {"eos": EOS, "cumulus_nvue": NVUE, "frr": FRR}
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
            **({"headroom_bytes": port.shape.headroom.held_bytes} if platform == "frr" and port.shape.headroom else {}),
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
        "lossless.classes": [
            {
                **({"dscp": list(row.dscp)} if row.dscp else {}),
                "priority": row.priority,
                **({"lossless": True} if row.lossless else {}),
                **({"strict": True} if row.strict else {"weight_pct": row.weight_pct}),
            }
            for row in contract.classes
        ],
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
    if platform != "frr" and cls.services.snmp_community:
        texts = {"location": cls.services.snmp_location, "contact": cls.services.snmp_contact}
        community = secret_reference(cls.services.snmp_community)
        expected["operations.snmp"] = {"community": community, **{key: text for key, text in texts.items() if text}}
    if cls.routing.key_upper or cls.routing.key_lower:
        expected["routing.security.key"] = secret_reference(cls.routing.key_upper or cls.routing.key_lower)
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
    assert found.prefixes >= set(filter(None, pools))
    ports = {port.name: port for port in found.ports if port.is_up}
    expected = _ports(switch, platform)
    assert ports.keys() == expected.keys()
    for name, values in expected.items():
        assert {key: getattr(ports[name], key) for key in values} == values, name
    assert {(each.peer, each.asn, each.is_port) for each in found.sessions} == _sessions(switch)
    settings = {each.key: each.value for each in found.settings}
    # Files of these platforms have no names of classes.
    settings["lossless.classes"] = list(settings["lossless.classes"].values())
    wanted = _settings(switch, platform)
    assert {key: settings.get(key) for key in wanted} == wanted


@pytest.mark.parametrize(("inventory", "shape"), FABRICS)
@pytest.mark.parametrize("platform", ["eos", "nvue", "frr"])
def test_is_what_the_plan_says(platform: str, inventory: str, shape: str) -> None:
    made = compile_clean(INVENTORIES / inventory, platform, *filter(None, [shape]))
    _judge_all(made, platform)


@pytest.mark.parametrize(
    ("platform", "overlays"),
    [("eos", []), ("eos", ["marking"]), ("nvue", ["routed-nvue", "dual"]), ("frr", ["routed-frr", "dual"])],
)
def test_a_bond_gives_its_addresses_to_its_ports(platform: str, overlays: list[str]) -> None:
    _judge_all(compile_clean(INVENTORIES / "dual-tor", *overlays), platform)


@pytest.mark.parametrize("shapes", [(), ("dual",), ("unnumbered",)])
@pytest.mark.parametrize("platform", ["eos", "cumulus_nvue", "frr"])
def test_every_feature_is_read(platform: str, shapes: tuple[str, ...]) -> None:
    switches, renderer = lower_conformance(platform, shapes=shapes)
    word = "nvue" if platform == "cumulus_nvue" else platform
    for switch in switches[::3]:
        found = _find(renderer.specs["switch", platform], renderer, switch)
        _judge(found, switch, word)
        keys = {each.key for each in found.settings}
        assert platform == "frr" or keys >= {"operations.users", "operations.gnmi", "operations.dns"}


def _judge_all(made: Compiled, platform: str) -> None:
    assert made.platforms is not None
    assert made.plan is not None
    lowering, renderer = Lowering(made.plan), Renderer(made.platforms, Bag())
    switches = [*map(lowering.lower_switch, made.plan.switches())]
    for switch in switches[:: SAMPLE if len(switches) > SAMPLE else 1]:
        found = _find(made.platforms[switch.cls.platform], renderer, switch)
        _judge(found, switch, platform)


HAND_WRITTEN = Path(__file__).with_name("found")


@pytest.mark.parametrize("case", sorted(HAND_WRITTEN.glob("*.yaml")), ids=lambda path: path.stem)
def test_reads_what_people_write(case: Path) -> None:
    """Files as people write them: ranges, asdot, defaults that are not written, lines of absence, groups."""
    data = yaml.safe_load(case.read_text())
    platform = PLATFORMS[data["platform"]]
    trees = {path: platform.format_of(path).read(text) for path, text in data["files"].items()}
    found = platform.find_switch("sw1", trees)
    assert found is not None
    ports = {port.name: port for port in found.ports}
    settings = {each.key: each for each in found.settings}
    seen = {
        "switch": {key: getattr(found, key) for key in data["switch"]},
        "ports": {name: {key: getattr(ports[name], key) for key in row} for name, row in data["ports"].items()},
        "sessions": {each.peer: [each.asn, each.group, each.is_port] for each in found.sessions},
        "settings": {key: settings[key].value if key in settings else "absent" for key in data["settings"]},
        "lines": {
            key: platform.format_of(spot.path).locate(data["files"][spot.path], spot.steps)
            for key, spot in [(key, settings[key].spot) for key in data.get("lines", ())]
        },
    }
    expected = {key: data.get(key, {}) for key in seen}
    assert json.loads(json.dumps(seen, default=sorted)) == expected
