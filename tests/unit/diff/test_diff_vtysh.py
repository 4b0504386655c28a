"""FRR's language: what means the same gives the same tree, whoever wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.platforms.families.vtysh import VtyshPlatform
from fabricgen.platforms.families.vtysh.reader import locate, read
from fabricgen.platforms.reading.reader import ReadFault

TEXT = (Path(__file__).parent / "leaf.conf").read_text()


def test_words_that_name_are_keys_and_words_that_set_are_values() -> None:
    tree = read(TEXT)
    assert tree["ip prefix-list OWN"] == {"seq 5": "permit 10.0.0.1/32", "seq 10": "permit 10.0.0.2/32"}
    assert tree["route-map OUT"] == {"10": {"action": "permit", "match ip address prefix-list": "OWN"}}
    bgp = tree["router bgp"]
    assert (bgp["as-number"], bgp["bgp default ipv4-unicast"]) == ("65001", "no")
    assert bgp["neighbor 10.0.0.0"] == {"remote-as": "65000", "peer-group": "UP"}
    assert bgp["neighbor eth0"] == {"interface": "yes", "remote-as": "external"}
    assert bgp["address-family ipv4 unicast"]["neighbor UP"] == {
        "activate": "yes",
        "route-map out": "OUT",
        "send-community standard": "yes",
        "send-community extended": "yes",
    }
    assert VtyshPlatform().format_of(VtyshPlatform.routing).hostname(tree) == "leaf1"


def test_indentation_means_nothing() -> None:
    flat = "\n".join(line.strip() for line in TEXT.splitlines()) + "\n"
    assert read(flat) == read(TEXT)


def test_order_of_sections_and_lines_means_nothing() -> None:
    head, tail = TEXT.split("route-map OUT permit")
    assert read("route-map OUT permit" + tail + head) == read(TEXT)


def test_defaults_of_the_profile_are_filled_in() -> None:
    bgp = read(TEXT.replace("traditional", "datacenter"))["router bgp"]
    assert (bgp["bgp ebgp-requires-policy"], bgp["timers bgp"]) == ("no", "3 9")


def test_activation_by_default_is_said() -> None:
    bgp = read(TEXT.replace(" no bgp default ipv4-unicast\n", ""))["router bgp"]
    assert bgp["address-family ipv4 unicast"]["neighbor eth0"] == {"activate": "yes"}
    assert "neighbor 10.0.0.0" not in bgp["address-family ipv4 unicast"], "its group is what is active"


def test_lines_are_found() -> None:
    lines = TEXT.splitlines()
    assert "timers 3 9" in lines[locate(TEXT, ("router bgp", "neighbor UP", "timers")) - 1]
    assert "10.0.0.2/32" in lines[locate(TEXT, ("ip prefix-list OWN", "seq 10")) - 1]
    assert locate(TEXT, ("nothing",)) == 0


@pytest.mark.parametrize("end", ["router bgp 65001\n neighbor UP pe", "Current configuration"])
def test_a_text_that_stops_in_the_middle_is_told(end: str) -> None:
    text = TEXT[: TEXT.index(" neighbor UP timers")] if "bgp" in end else "Current configuration:\n!\n" + TEXT
    with pytest.raises(ReadFault, match="ends in the middle"):
        read(text)
