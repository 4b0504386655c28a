"""NVUE's objects in their normal form: lists and ranges of names, older spellings, AS numbers."""

from __future__ import annotations

import pytest
import yaml

from fabricgen.platforms.cumulus_nvue import reader
from fabricgen.platforms.cumulus_nvue.reader import SPELLED, expand, written_by
from fabricgen.platforms.reading.reader import ReadFault
from tests.unit.conformance_files import settings, startup_texts

OLD = "- header: {version: Cumulus Linux 5.13.0}\n"


@pytest.mark.parametrize(
    ("key", "parent", "names"),
    [
        ("swp1,4-6,28", "interface", ["swp1", "swp4", "swp5", "swp6", "swp28"]),
        ("bond1s0-1,bond2s0", "interface", ["bond1s0", "bond1s1", "bond2s0"]),
        ("vlan200,300", "interface", ["vlan200", "vlan300"]),
        ("spine_bond,swp1-2,7", "interface", ["spine_bond", "swp1", "swp2", "swp7"]),
        ("uplink1-2", "interface", ["uplink1", "uplink2"]),
        ("10,20-22", "vlan", ["10", "20", "21", "22"]),
        ("0,1", "dscp", ["0", "1"]),
        ("swp49-50", "member", ["swp49", "swp50"]),
        ("swp27s0-1", "neighbor", ["swp27s0", "swp27s1"]),
    ],
)
def test_a_key_is_every_name_it_has(key: str, parent: str, names: list[str]) -> None:
    assert expand(key, parent) == names


@pytest.mark.parametrize(
    ("key", "parent"),
    [
        ("acl-default-dos", "acl"),
        ("pod1-2", "route-map"),
        ("roce-3m", "pfc"),
        ("10.0.0.0/31", "address"),
        ("64512:1", "community"),
        ("swp9-2", "interface"),
        ("0-99999999", "dscp"),
    ],
)
def test_a_name_is_left_as_it_stands(key: str, parent: str) -> None:
    assert expand(key, parent) == [key]


def ports(text: str) -> dict[str, object]:
    found: dict[str, object] = reader.read(f"- set: {{interface: {{{text}}}}}\n")["interface"]
    return found


def test_fewer_names_go_before_more_and_later_keys_before_earlier_ones() -> None:
    read = ports("swp2: {mtu: 1, vrf: a}, 'swp1-3': {mtu: 2, type: swp}, 'swp2,4': {mtu: 3}, 'swp3,4': {mtu: 4}")
    assert read == {
        "swp1": {"mtu": "2", "type": "swp"},
        "swp2": {"mtu": "1", "vrf": "a", "type": "swp"},
        "swp3": {"mtu": "4", "type": "swp"},
        "swp4": {"mtu": "4"},
    }


def test_one_of_several_objects_takes_the_place_of_another() -> None:
    read = ports("swp1-2: {link: {state: {up: {}}, mtu: 9216}}, swp2: {link: {state: {down: {}}}}")
    assert read["swp2"] == {"link": {"state": {"down": {}}, "mtu": "9216"}}


def test_numbers_in_asdot_are_those_in_asplain() -> None:
    routing = "{bgp: {autonomous-system: %s}, policy: {community-list: {a: {rule: {'1': {community: {'%s:7': {}}}}}}}}"
    assert reader.read(f"- set: {{router: {routing % ('64086.60000', '1.2')}}}\n") == reader.read(
        f"- set: {{router: {routing % (64086 * 65536 + 60000, 65538)}}}\n"
    )


def test_spellings_of_older_releases_are_those_of_5_15() -> None:
    old = """- set:
    interface:
      swp1:
        ip:
          address: {10.0.0.1/31: {}, 'fd00::1/127': {}}
          vrf: GPU
        link: {auto-negotiate: on, fec: off}
    router: {bgp: {enable: on}}
    service:
      lldp: {tx-interval: 30}
      ntp: {mgmt: {server: {192.0.2.1: {iburst: off}}}}
      syslog: {mgmt: {server: {192.0.2.2: {port: 514}}}}
      ptp: {'1': {enable: off}}
"""
    new = """- set:
    interface:
      swp1:
        ipv4: {address: {10.0.0.1/31: {}}}
        ipv6: {address: {'fd00::1/127': {}}}
        vrf: GPU
        link: {auto-negotiate: enabled, fec: off}
    router: {bgp: {state: enabled}}
    system:
      lldp: {tx-interval: 30}
      ntp: {vrf: mgmt, server: {192.0.2.1: {iburst: disabled}}}
      syslog: {server: {192.0.2.2: {vrf: mgmt, port: 514}}}
    service: {ptp: {'1': {state: disabled}}}
"""
    assert reader.read(OLD + old) == reader.read(old) == reader.read(new)


def test_what_is_rendered_for_5_14_means_what_5_15_says_but_for_profiles_of_bfd() -> None:
    old, new = (startup_texts({("tiers", "leaf", "release"): each})["leaf-p1-u01-r0"] for each in ("5.14", "5.15"))
    assert written_by(old) < SPELLED == written_by(new)
    before, after = reader.read(old), reader.read(new)
    assert after["router"].pop("bfd")["profile"]["fabric"]["detect-multiplier"] == "3"
    for tree in (before, after):
        tree["vrf"]["default"]["router"]["bgp"]["peer-group"]["upper"].pop("bfd")
    assert before == after


def test_keys_of_too_many_names_are_refused() -> None:
    text = "x: 1"
    for _ in range(4):
        text = f"'1-4000': {{{text}}}"
    with pytest.raises(ReadFault, match="names"):
        reader.read(f"- set: {{{text}}}\n")


def test_a_path_is_found_in_the_key_that_has_its_name() -> None:
    objects = {"interface": {"swp1-64,swp1s0-1": {"type": "swp"}, "swp2,4": {"link": {"mtu": 9000}}}}
    text = yaml.safe_dump([{"set": objects}]).replace("      swp1-64,swp1s0-1:\n", "      ? swp1-64,swp1s0-1\n")
    text = text.replace("        type: swp", "      : type: swp")
    lines = text.split("\n")
    assert lines[reader.locate(text, ("interface", "swp4", "link", "mtu")) - 1].strip() == "mtu: 9000"
    assert lines[reader.locate(text, ("interface", "swp1s1", "type")) - 1].strip() == ": type: swp"


def test_what_is_rendered_is_in_normal_form() -> None:
    for text in startup_texts().values():
        assert reader.read(text) == texts(settings(text))


def texts(node: object) -> object:
    if isinstance(node, dict):
        return {key: texts(below) for key, below in node.items()}
    return node if isinstance(node, list) else str(node)
