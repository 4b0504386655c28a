"""Every class of fault in what a snippet adds, on every platform: code, severity, both places, and hint."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from fabricgen.diagnostics import Severity
from tests.unit.snippets.snippet_fabric import FIRST, judge

FILES = {"sonic": "config_db.json", "frr": "frr.conf", "eos": "startup-config.cli", "fboss": "agent.json"}


class Fault(NamedTuple):
    """A snippet with one fault; ``>>`` stands before the word at which it must be told."""

    platform: str
    text: str
    code: str
    hint: str
    file: str = ""


COMMAND, NAME, VALUE, REFERENCE = "FG-EXC-030", "FG-EXC-031", "FG-EXC-032", "FG-EXC-033"
TAKEN, RESERVED, UNKNOWN = "FG-EXC-034", "FG-EXC-035", "FG-EXC-930"
OSPF = "router ospf\n >>ospf router-id 10.9.9.9\n"
FAULTS = [
    # commands: a misspelt one, one of another mode, one of another platform
    Fault("frr", ">>routter bgp 1\n", COMMAND, "did you mean router?"),
    Fault("frr", "router >>bgpp 1\n", COMMAND, "did you mean bgp?"),
    Fault("frr", "ip prefix-list A permit any\n>>neighbor 10.9.9.9 remote-as 1\n", COMMAND, "mode bgp"),
    Fault("frr", "bfd\n profile SLOW\n  >>neighbor SLOW\n", COMMAND, "mode bgp"),
    Fault("sonic", ">>qos profile RDMA\n", COMMAND, "use a", "frr.conf"),
    Fault("sonic", "vrf RED\n >>ipp route 10.0.0.0/8 Null0\n", COMMAND, "did you mean ip?", "frr.conf"),
    Fault("sonic", "route-map A permit 10\n >>macth tag 1\nexit\n", COMMAND, "did you mean match?", "frr.conf"),
    Fault("eos", "router >>bgpp 1\n", COMMAND, "did you mean bgp?"),
    Fault("eos", "interface Loopback9\n   >>mtuu 9000\n", COMMAND, "did you mean mtu?"),
    Fault("eos", ">>configurate\n", COMMAND, "use a"),
    # names: table, row, field
    Fault("sonic", '{>>"FEATURES": {"x": {"state": "enabled"}}}', NAME, "did you mean FEATURE?"),
    Fault("sonic", '{"FEATURE": {"x": {\n  "state": "enabled",\n  >>"staet": "x"}}}', NAME, "did you mean state?"),
    Fault("sonic", '{"NTP": {>>"globall": {"vrf": "mgmt"}}}', NAME, "its rows are global"),
    Fault("fboss", '{"sw": {>>"mirors": []}}', NAME, "did you mean mirrors?"),
    Fault("fboss", '{"sw": {"mirrors": [\n {"name": "a", >>"destinaton": {}}]}}', NAME, "did you mean destination?"),
    Fault("fboss", '{>>"defaultCommandLineArg": {}}', NAME, "did you mean defaultCommandLineArgs?"),
    Fault("eos", "interface >>Ethernat60/1\n   mtu 9000\n", NAME, "did you mean Ethernet?"),
    Fault("eos", "interface >>Lopback9\n", NAME, "did you mean Loopback?"),
    # values
    Fault("sonic", '{"SCHEDULER": {"x": {"type": >>"DWR"}}}', VALUE, "write a value of the type"),
    Fault("sonic", '{"SCHEDULER": {"x": {"type": "DWRR",\n"weight": >>"1000"}}}', VALUE, "write a number of 1 to 100"),
    Fault("sonic", '{"SYSLOG_SERVER": {"192.0.2.1": {"port": >>["514"]}}}', VALUE, "without [ ]"),
    Fault("fboss", '{"sw": {"arpAgerInterval": >>"5"}}', VALUE, "without quotes"),
    Fault("fboss", '{"sw": {"mirrors": >>{}}}', VALUE, "[ ]"),
    Fault("fboss", '{"sw": {"mirrors": [{"name": >>7}]}}', VALUE, "quotes"),
    Fault("frr", "interface lo\n ip address >>10.255.300.1/32\nexit\n", VALUE, "192.0.2.1/24"),
    Fault("frr", "ip prefix-list A permit >>10.0.0.0/44\n", VALUE, "prefix"),
    Fault("frr", "route-map A permit >>70000\nexit\n", VALUE, "it takes 1-65535"),
    Fault("sonic", "bfd\n profile A\n  receive-interval >>7\n", VALUE, "it takes 10-60000", "frr.conf"),
    Fault("eos", "interface Loopback9\n   ip address >>10.9.9.9/44\n", VALUE, "192.0.2.1/24"),
    Fault("eos", "interface Loopback9\n   ipv6 address >>fd00::1/200\n", VALUE, "2001:db8::1/64"),
    Fault("eos", "vlan >>5000\n", VALUE, "1 to 4094"),
    # references
    Fault("sonic", '{"VLAN_MEMBER": {>>"Vlan10|Ethernet0": {"tagging_mode": "tagged"}}}', REFERENCE, "VLAN has no"),
    Fault("sonic", '{"QUEUE": {"Ethernet504|7": {"scheduler": >>"nonesuch"}}}', REFERENCE, "SCHEDULER has"),
    Fault("sonic", "route-map A permit 10\n call >>NONE\nexit\n", REFERENCE, "define route map NONE", "frr.conf"),
    Fault("frr", "ip protocol static route-map >>NONE\n", REFERENCE, "define route map NONE"),
    Fault("frr", "router bgp 7 vrf >>BLUE\nexit\n", REFERENCE, "define VRF BLUE"),
    Fault("frr", "route-map A permit 10\n match community >>C\nexit\n", REFERENCE, "define community list C"),
    Fault("eos", "interface Ethernet60/1\n   service-profile >>NONE\n", REFERENCE, "QoS profile NONE"),
    Fault("eos", "interface Loopback9\n   vrf >>BLUE\n", REFERENCE, "VRF BLUE"),
    Fault("eos", "interface Ethernet60/1\n   switchport access vlan >>99\n", REFERENCE, "VLAN 99"),
    # addresses: a loopback, a subnet of hosts, one that nobody has yet
    Fault("sonic", '{"LOOPBACK_INTERFACE": {"Loopback9": {}, >>"Loopback9|10.255.0.3/32": {}}}', TAKEN, "outside"),
    Fault("sonic", '{"LOOPBACK_INTERFACE": {"Loopback9": {}, >>"Loopback9|172.16.0.1/32": {}}}', TAKEN, "outside"),
    Fault("sonic", '{"LOOPBACK_INTERFACE": {"Loopback9": {}, >>"Loopback9|10.255.9.9/32": {}}}', RESERVED, "outside"),
    Fault("frr", "interface lo\n ip address >>10.255.0.3/32\nexit\n", TAKEN, "outside"),
    Fault("frr", "interface swp60\n ip address >>172.16.0.0/24\nexit\n", TAKEN, "outside"),
    Fault("frr", "interface lo\n ip address >>10.255.9.9/32\nexit\n", RESERVED, "outside"),
    Fault("eos", "interface Loopback9\n   ip address >>10.255.0.3/32\n", TAKEN, "outside"),
    Fault("eos", "interface Ethernet60/1\n   ip address >>172.16.0.0/24\n", TAKEN, "outside"),
    Fault("eos", "interface Loopback9\n   ip address >>10.255.9.9/32\n", RESERVED, "outside"),
    # lines that nothing can judge
    Fault("frr", "ip route 192.0.2.0/24 10.9.9.9 swp1 >>swp2\n", UNKNOWN, "use "),
    Fault("frr", OSPF, UNKNOWN, "device"),
    Fault("sonic", "ip prefix-list A seq >>x permit 10.0.0.0/8\n", UNKNOWN, "use ", "frr.conf"),
    Fault("eos", "qos >>profil RDMA\n", UNKNOWN, "did you mean profile?"),
    Fault("eos", "interface Loopback9\n   ip >>wibble 3\n", UNKNOWN, "check it"),
    Fault("sonic", "bgp community-list >>standard\n", UNKNOWN, "use ", "frr.conf"),
]  # fmt: skip


@pytest.mark.sampled(6, of="fault")
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.code}-{fault.platform}")
def test_fault_is_told_at_its_word(fault: Fault, tmp_path: Path) -> None:
    before = fault.text.partition(">>")[0]
    text = fault.text.replace(">>", "", 1)
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    file = fault.file or FILES[fault.platform]
    found = judge(tmp_path, fault.platform, file, text)
    told = [item for item in found if item.code == fault.code]
    assert len(told) == 1, [(item.code, item.message) for item in found]
    item = told[0]
    place = item.place
    assert place is not None
    assert (place.file, place.line, place.column) == (str(tmp_path / "snippets/1" / file), line, column), item.message
    assert item.severity is (Severity.WARNING if fault.code in (RESERVED, UNKNOWN) else Severity.ERROR)
    assert fault.hint in item.hint
    assert item.hint
    named = item.related[0].place
    assert named is not None
    assert (named.file, named.line) == (str(tmp_path / "fabric.yaml"), FIRST)
    if fault.code in (TAKEN, RESERVED):
        pool = item.related[1].place
        assert pool is not None
        assert pool.file == str(tmp_path / "fabric.yaml")
        assert pool.line == FIRST - 3


SOUND = {
    "sonic": '{"VLAN": {"Vlan10": {"vlanid": "10"}}, "VLAN_INTERFACE": {"Vlan10": {}, "Vlan10|198.51.100.1/24": {}},'
    ' "SCHEDULER": {"x": {"type": "DWRR", "weight": "10"}}}',
    "frr": "ip prefix-list A permit 198.51.100.0/24 le 32\n"
    "route-map A permit 10\n match ip address prefix-list A\nexit\ninterface lo\n ip address 198.51.100.1/32\nexit\n",
    "eos": "vlan 10\nvrf instance BLUE\ninterface Vlan10\n   vrf BLUE\n   ip address 198.51.100.1/24\n",
    "fboss": '{"sw": {"mirrors": [{"name": "a"}], "arpAgerInterval": 5}}',
}


def test_every_class_is_tested_on_three_platforms() -> None:
    kinds = {NAME: {"sonic", "eos", "fboss"}, VALUE: {"sonic", "frr", "eos", "fboss"}}
    for code in (COMMAND, NAME, VALUE, REFERENCE, TAKEN, RESERVED, UNKNOWN):
        assert {fault.platform for fault in FAULTS if fault.code == code} >= kinds.get(code, {"sonic", "frr", "eos"})


@pytest.mark.parametrize(
    ("platform", "text"),
    [
        ("eos", "interface et60/1\n   description 10.300.1.1/44\ninterface Po7\ninterface Ethernet60/1-4,61/1\n"),
        ("frr", "interface swp60\n description 10.300.1.1/44\nexit\n"),
        ("eos", "snmp-server engineID local 1.2.3\n"),
    ],
)
def test_free_text_and_short_forms_are_no_bad_values(platform: str, text: str, tmp_path: Path) -> None:
    found = judge(tmp_path, platform, FILES[platform], text)
    assert [item.message for item in found if item.code in (NAME, VALUE)] == []


@pytest.mark.parametrize("platform", SOUND)
def test_snippet_that_defines_what_it_uses_is_sound(platform: str, tmp_path: Path) -> None:
    found = judge(tmp_path, platform, FILES[platform], SOUND[platform])
    assert [(item.code, item.message) for item in found if item.code != "FG-EXC-021"] == []


@pytest.mark.parametrize("platform", ["sonic", "frr", "eos"])
def test_subnet_of_two_snippets_is_told_at_both(platform: str, tmp_path: Path) -> None:
    found = judge(tmp_path, platform, FILES[platform], SOUND[platform], SOUND[platform])
    told = [item for item in found if item.code == TAKEN]
    assert len(told) == 1
    places = [str(item.place) for item in (told[0], told[0].related[1])]
    assert [place.split("/snippets/")[1][0] for place in places] == ["2", "1"]


def test_removed_row_that_others_name_is_told(tmp_path: Path) -> None:
    found = judge(tmp_path, "sonic", "config_db.json", '{"BUFFER_PROFILE": {"egress_lossless_profile": null}}')
    told = [item for item in found if item.code == REFERENCE]
    assert len(told) == 1
    assert "refer to it" in told[0].message
    assert told[0].place is not None
    assert told[0].place.column == 21
