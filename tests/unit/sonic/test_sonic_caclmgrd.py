"""The rules that caclmgrd makes of a rendered file, as the lab installs them, against public facts about the daemon.

The daemon itself is ``scripts/caclmgrd`` of sonic-net/sonic-host-services, in the folders of FABRICGEN_SONIC_SOURCES.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sonic_fabric as fabric
from sonic_render import config_db, render

from fabricgen.platforms.sonic.emulation import IptablesRule, control_plane_rules, packet_filter, to_nft
from tests import tally
from tests.reference_files import find_reference

FACTS = "sonic_caclmgrd_rules.json"
PREPARES = ("-P ", "-F", "-X", "-t raw -F")
"""Rules that empty the tables before the others come."""
LEAF = fabric.leaf(fabric.SERVICES)
RULES = control_plane_rules(config_db(LEAF))


def facts() -> dict[str, Any]:
    """The facts about caclmgrd beside the judges."""
    file = Path(os.environ.get("FABRICGEN_JUDGES", "")).parent / "data" / FACTS
    if not file.is_file():
        pytest.skip(f"{FACTS} is not beside the folder that FABRICGEN_JUDGES names")
    return json.loads(file.read_text(encoding="utf-8"))


def acl_rules(family: str) -> list[str]:
    """Return what the tables of the leaf come to."""
    prefixes = {"4": ["10.200.0.0/24", "192.168.0.0/16"], "6": ["2001:db8:1::/48"]}[family]
    everywhere, peers = {"4": ("0.0.0.0/0", ["-A INPUT -s 10.0.0.0/12 -j ACCEPT"]), "6": ("::/0", [])}[family]
    found = []
    for protocols, port in ((["tcp"], 8080), (["tcp", "udp"], 161), (["tcp"], 22)):
        for source, action in (*((prefix, "ACCEPT") for prefix in prefixes), (everywhere, "DROP")):
            found += [f"-A INPUT -p {each} -s {source} --dport {port} -j {action}" for each in protocols]
    return [*found, *peers]


def own_addresses(family: str) -> list[str]:
    """The network addresses of the leaf's rows."""
    lower = sorted({str(port.address).rpartition(".") for port in LEAF.ports})
    numbers = [f"{head}.{int(last) & ~1}" for head, _, last in lower]
    return [LEAF.loopback, *numbers] if family == "4" else []


@pytest.mark.parametrize("family", ["4", "6"])
def test_rules_stand_in_the_order_of_the_daemon(family: str) -> None:
    expected: list[str] = []
    for row in facts()["rules"]:
        if family not in row["f"] or row["rule"].startswith(PREPARES) or row.get("when") not in (None, "ctrlplane_acl"):
            continue
        if "{ctrlplane_rule}" in row["rule"]:
            expected += acl_rules(family)
        elif "{ip2me}" in row["rule"]:
            expected.append("own addresses")
        else:
            expected.append(row["rule"])
    at = expected.index("own addresses")
    found = [rule.arguments for rule in RULES if rule.family == family]
    own = found[at : len(found) - (len(expected) - at - 1)]
    assert found[:at] == expected[:at]
    assert found[at + len(own) :] == expected[at + 1 :]
    assert sorted(own) == sorted(f"-A INPUT -d {address}/32 -j DROP" for address in own_addresses(family))


def test_without_acl_only_the_switchs_own_addresses_are_dropped() -> None:
    rules = control_plane_rules(config_db(fabric.leaf((("operations", "access"), {"acl": False}))))
    dropped = [rule for rule in rules if rule.arguments.endswith("DROP")]
    assert dropped
    assert all(" -d " in rule.arguments for rule in dropped)
    assert not [rule for rule in rules if "3784" in rule.arguments]


@pytest.mark.parametrize("release", ["202405", "202411", "202505", "202511", "202605"])
def test_the_daemon_lets_link_local_sources_in_where_bfd_needs_them(release: str, tmp_path: Path) -> None:
    """Ethernet0 leads to a host: REST, Redis and all else are closed to it, save where a rule cannot name ports."""
    daemon = Path(os.environ.get("FABRICGEN_SONIC_SOURCES", "")) / release / "scripts" / "caclmgrd"
    if not daemon.is_file():
        pytest.skip(f"FABRICGEN_SONIC_SOURCES has no scripts/caclmgrd of {release}")
    names_ports, ntpd = release >= "202505", release < "202505"
    for links in ("10.0.0.0/12", "unnumbered"):
        changes = (("tiers", "leaf", "release"), release), (("addressing", "fabric_links"), links)
        file = tmp_path / "config_db.json"
        file.write_text(json.dumps(config_db(fabric.leaf(*changes, overlay="spectrum"))), encoding="utf-8")
        command = [sys.executable, find_reference("caclmgrd_real.py"), daemon, file]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        let_in = {
            who.strip(): words.split() for who, _, words in (row.partition("in:") for row in done.stdout.splitlines())
        }
        judged = {
            "rest over link-local": ("rest" in let_in["linklocal->linklocal v6"])
            == (links == "unnumbered" and not names_ports),
            "sessions": {"bgp", "ping"} <= set(let_in["linklocal->linklocal v6"]),
            "ntp": ("ntp" in let_in["local in VRF mgmt v4"]) == ntpd,
            "rest in management": "rest" not in let_in["local in VRF mgmt v4"],
        }
        refused = [rule for rule, holds in judged.items() if not holds]
        tally.count("caclmgrd", file.read_text(encoding="utf-8"), release=release, refused=bool(refused))
        assert refused == []


@pytest.mark.parametrize(("release", "excluded"), [("202405", 0), ("202411", 0), ("202505", 2), ("202605", 2)])
def test_the_management_port_is_left_out_since_202505(release: str, excluded: int) -> None:
    data = config_db(LEAF)
    data["VERSIONS"]["DATABASE"]["VERSION"] = f"version_{release}_01"
    assert sum("! -i eth0" in rule.arguments for rule in control_plane_rules(data)) == excluded


def test_rules_of_tables_as_an_operator_may_write_them() -> None:
    """Priorities sort as text, equal ones are lost, rules of the other family and tables without address ignored."""
    rule = {"PACKET_ACTION": "ACCEPT"}
    data = {
        "ACL_TABLE": {
            "A": {"type": "CTRLPLANE", "services": ["EXTERNAL_CLIENT", "NONE"]},
            "B": {"type": "CTRLPLANE", "services": ["SSH"]},
            "C": {"type": "L3", "services": ["SSH"]},
        },
        "ACL_RULE": {
            "A|1": {**rule, "PRIORITY": "999", "SRC_IP": "192.0.2.0/25", "L4_DST_PORT": "9100"},
            "A|2": {**rule, "PRIORITY": "1000", "SRC_IP": "192.0.2.128/25", "IN_PORTS": "eth0"},
            "A|3": {**rule, "PRIORITY": "5", "SRC_IPV6": "2001:db8::/32"},
            "B|1": {**rule, "PRIORITY": "5"},
            "C|1": {**rule, "PRIORITY": "5", "SRC_IP": "192.0.2.0/24"},
        },
    }
    found = [each for each in control_plane_rules(data) if "192.0.2" in each.arguments or "2001" in each.arguments]
    assert found == [
        IptablesRule("4", "-A INPUT -p tcp -s 192.0.2.0/25 --dport 9100 -j ACCEPT"),
        IptablesRule("4", "-A INPUT -p tcp -s 192.0.2.128/25 -i eth0 --dport 9100 -j ACCEPT"),
    ]


def test_nftables_takes_every_rule() -> None:
    if os.geteuid() != 0 or shutil.which("nft") is None:
        pytest.skip("nft or root rights are not there")
    text = packet_filter({path: content.encode() for path, content in render(LEAF).items()})
    assert text.count("add rule") == len(RULES)
    run = subprocess.run(["unshare", "-n", "nft", "-f", "-"], input=text, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_an_argument_that_is_not_known_is_no_rule() -> None:
    with pytest.raises(ValueError, match="--tcp-flags"):
        to_nft([("4", "-A INPUT -p tcp --tcp-flags SYN -j DROP")])
