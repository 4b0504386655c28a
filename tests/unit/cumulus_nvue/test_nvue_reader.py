"""startup.yaml to a tree: what saving it on a switch changes is no difference, everything else is."""

from __future__ import annotations

import pytest
import yaml

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.platforms.cumulus_nvue import PLATFORM, reader
from fabricgen.platforms.reading.reader import ReadFault
from tests.unit.conformance_files import settings, startup_texts

LEAF = "leaf-p1-u01-r0"


@pytest.fixture(scope="module")
def text() -> str:
    return startup_texts()[LEAF]


def test_layout_order_and_header_mean_nothing(text: str) -> None:
    header = {"header": {"model": "SN5600", "nvue-api-version": "nvue_v1", "version": "Cumulus Linux 5.15.0"}}
    saved = yaml.safe_dump([header, {"set": settings(text)}], default_flow_style=False, sort_keys=True)
    assert reader.read(saved) == reader.read(text) == reader.read(text.replace("{state: enable}", "{state: enabled}"))


def test_another_value_is_one_changed_path(text: str) -> None:
    changed = reader.read(text.replace("mtu: 9100", "mtu: 9000", 1))["interface"]
    regular = reader.read(text)["interface"]
    assert [name for name in regular if regular[name] != changed[name]] == ["swp1s0"]
    assert changed["swp1s0"]["link"]["mtu"] == "9000"


def test_a_file_tells_its_device(text: str) -> None:
    assert PLATFORM.format_of("").hostname(reader.read(text)) == LEAF


@pytest.mark.parametrize(
    "path", ["vrf > default > router > bgp > router-id", "router > bgp > router-id", "vrf", "vrf > x"]
)
def test_a_path_is_found_where_it_stands(path: str, text: str) -> None:
    line = text.split("\n")[reader.locate(text, path.split(" > ")) - 1]
    assert line.strip().startswith(
        {"vrf > default > router > bgp > router-id": "bgp:", "router > bgp > router-id": "router-id:"}.get(path, "vrf:")
    )


@pytest.mark.parametrize(
    "fault", ["set: {}\n", "- set: {}\n- set: {}\n", "- sets: {}\n", "- set: 3\n", "- set: {a: 1\n"]
)
def test_what_is_no_nvue_file_is_a_fault(fault: str) -> None:
    with pytest.raises(ReadFault):
        reader.read(fault)


def test_what_is_unset_after_it_was_set_is_not_set(text: str) -> None:
    """The channel of WJH is there by itself, so only ``unset`` takes it away; items hold in their order."""
    channel = {"wjh": {"channel": {"forwarding": {"trigger": {"l2": None}}}}}
    ports = {"swp1s0-1": {"link": {"mtu": None}}}
    unset = yaml.safe_dump([{"unset": {"interface": ports, "system": channel}}])
    wanted = reader.read(text)
    for port in ("swp1s0", "swp1s1"):
        assert wanted["interface"][port]["link"].pop("mtu") == "9100"
    wanted["unset"] = {"system": {"wjh": {"channel": {"forwarding": {"trigger": {"l2": {}}}}}}}
    assert reader.read(text + unset) == wanted
    assert reader.read(reader.write(wanted)) == wanted
    # What is set afterwards is set.
    assert reader.read(unset + text)["interface"] == reader.read(text)["interface"]


def test_keys_that_are_numbers_are_names_with_quotes_and_without() -> None:
    quoted = "- set:\n    acl:\n      A:\n        rule:\n          '10': {action: {permit: {}}}\n"
    assert reader.read(quoted.replace("'10'", "10")) == reader.read(quoted)
    both = quoted + "          10: {action: {deny: {}}}\n"
    for text in (both, quoted.replace("'10'", "1e3"), quoted.replace("'10'", "[10]"), quoted.replace("'10'", "010")):
        with pytest.raises(ReadFault):
            reader.read(text)


MESSAGE = """\
- set:
    system:
      message:
        pre-login: |
          This is a community supported appliance. Keep your password to yourself.
          {}
    acl:
      A: {{type: ipv4}}
"""


@pytest.mark.parametrize("secret", ["password: hunter", "the key is hunter", "SNMP community=hunter"])
def test_a_message_keeps_its_words_in_a_patch_and_loses_its_secrets(secret: str) -> None:
    path = "etc/nvue.d/startup.yaml"
    redaction = load_kinds(None, Bag()).of_device("switches", [path])[path].redaction
    plain, planted = MESSAGE.format("Ask at the front desk."), MESSAGE.format(secret)
    assert yaml.safe_load(redaction.file(plain, "startup.yaml", lambda word, _: word.upper())) == yaml.safe_load(plain)
    shown = redaction.file(planted, "startup.yaml", lambda word, _: word.upper())
    assert "community supported appliance" in shown
    assert "your password to yourself" in shown
    assert "hunter" not in shown
